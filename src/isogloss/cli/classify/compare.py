"""``isogloss classify compare``: with and without entities, on the user's own data."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.classify.compare.cells import COMPARISON
from isogloss.cli import options
from isogloss.cli.classify.labelled import read_labelled
from isogloss.cli.groups import grouped
from isogloss.cli.languages import checked_language
from isogloss.cli.output import console
from isogloss.cli.places import places_read, refuse_inside
from isogloss.cli.tuning import TuneName, Tuning
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.report.table import Table
from isogloss.storage.files import atomic_file, refuse_read

MOST_SEEDS = 1000


@dataclass(frozen=True, kw_only=True)
class ComparedFiles:
    """What is learned from, chosen by and scored on."""

    train: options.LabelledFiles
    test: Annotated[
        list[str], typer.Option(help="Test set, given as --train is.", metavar="LANG=FILE")
    ]
    dev: options.DevFiles = None


@dataclass(frozen=True, kw_only=True)
class ComparedRows:
    """What is compared."""

    kb: Annotated[Path, typer.Option(help="Knowledge base to link with.")]
    out: Annotated[
        Path, typer.Option(help="Directory of the results; a stopped comparison resumes there.")
    ]
    rows: Annotated[
        str,
        typer.Option(
            help="Variants to compare with the encoder alone: mboe, mboe-plus, and of each -emb "
            "(random vectors), -att (plain sum), mean (equal weights)."
        ),
    ] = "encoder,mboe,mboe-plus,-emb,-att"
    seeds: Annotated[
        int, typer.Option(min=1, max=MOST_SEEDS, help="Number of random seeds per variant.")
    ] = 10
    published: Annotated[
        str | None, typer.Option(help="Show the paper's scores too: 'mldoc' or 'shinra2020-ml'.")
    ] = None
    fallback_lang: options.FallbackLang = None


@grouped
def compare_command(
    files: ComparedFiles,
    compared: ComparedRows,
    columns: options.LabelledColumns,
    labels: options.LabelSets,
    encoder: options.EncoderOptions,
    tuning: Tuning,
    output: options.Output,
    tune: TuneName = "head",
) -> None:
    """Fit with and without entities, over several seeds, and say whether they help."""
    from isogloss.classify.compare.comparison import check_rows, compare, compared_rows
    from isogloss.classify.compare.tables import (
        by_language,
        published_table,
        side_by_side,
        summary,
        verdicts,
    )

    out = compared.out
    names = options.listed(compared.rows, "--rows")
    asked = compared_rows(names, is_tuned=tune != "head")
    theirs = None if compared.published is None else published_table(compared.published)
    how = tuning.options(tune)
    chosen: dict[str, Any] = {} if how is None else {"tune": tune, "training": how}
    given = {**encoder.reading, "multilabel": labels.multilabel or None}
    chosen |= {name: value for name, value in given.items() if value is not None}
    if labels.thresholds != "half":
        chosen["thresholds"] = labels.thresholds
    fallback_lang = checked_language(compared.fallback_lang)
    refuse_read(out, places_read([*vars(files).values(), compared.kb, encoder.encoder]))
    refuse_inside(out, cache=encoder.cache)
    COMPARISON.check_place(out)
    training, tests, held_out = read_labelled(
        {"--train": files.train, "--test": files.test, "--dev": files.dev},
        format=columns.format_of(multilabel=labels.multilabel, separator=labels.label_separator),
        lang=columns.lang,
    )
    if not len(tests):
        raise InputError("no text to score on; give --test LANG=FILE")
    kb, judged_by = KnowledgeBase.open(compared.kb), held_out if files.dev else None
    check_rows(asked, training, judged_by, encoder=encoder.encoder, kb=kb, options=chosen)
    result = compare(
        training,
        tests,
        dev=judged_by,
        encoder=encoder.load(),
        kb=kb,
        rows=asked,
        n_seeds=compared.seeds,
        out=out,
        fallback_lang=fallback_lang,
        options=chosen,
    )
    details = by_language(result)
    tables = {"summary": summary(result, details), "languages": side_by_side(result, details)}
    if theirs is not None:
        tables["published"] = theirs
    with atomic_file(out / "comparison.md", overwrite=True) as file:
        file.write_text("\n".join(table.to_markdown() for table in tables.values()), "utf-8")
    details.write(out / "languages.csv", overwrite=True)
    tables["summary"].write(out / "summary.csv", overwrite=True)
    if output.as_json:
        whole = tables | {"languages": details}
        facts = {name: table.rows for name, table in whole.items()}
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        _show(tables, verdicts(result, tables["summary"], details))
    typer.echo(f"isogloss: tables → {out}", err=True)


def _show(tables: dict[str, Table], sentences: list[str]) -> None:
    for table in tables.values():
        table.render(console())
    for sentence in sentences:
        typer.echo(sentence)
