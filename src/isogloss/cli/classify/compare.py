"""``isogloss classify compare``: with and without entities, on the user's own data."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.classify.compare.cells import COMPARISON
from isogloss.classify.compare.comparison import check_rows, compare, compared_rows
from isogloss.classify.compare.published import published_table
from isogloss.classify.compare.tables import by_language, side_by_side, summary, verdicts
from isogloss.cli import options
from isogloss.cli.classify import tuning
from isogloss.cli.classify.labelled import read_labelled
from isogloss.cli.classify.tuning import training_options
from isogloss.cli.languages import checked_language
from isogloss.cli.output import console
from isogloss.cli.places import places_read, refuse_inside
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.report.table import Table
from isogloss.storage.files import atomic_file, refuse_read

MOST_SEEDS = 1000


def compare_command(
    context: typer.Context,
    train: options.LabelledFiles,
    test: Annotated[
        list[str], typer.Option(help="Texts to score on, as --train.", metavar="LANG=FILE")
    ],
    kb: Annotated[Path, typer.Option(help="Knowledge base to link with.")],
    out: Annotated[
        Path, typer.Option(help="Directory of the results; a comparison that stopped resumes.")
    ],
    dev: Annotated[
        list[str] | None,
        typer.Option(help="Texts to choose by; cross-validation without.", metavar="LANG=FILE"),
    ] = None,
    rows: Annotated[
        str,
        typer.Option(help="What to compare with the encoder alone: mboe, mboe-plus, and of each "
                     "-emb (random vectors), -att (plain sum), mean (equal weights)."),
    ] = "encoder,mboe,mboe-plus,-emb,-att",
    seeds: Annotated[int, typer.Option(min=1, max=MOST_SEEDS, help="Classifiers a row.")] = 10,
    published: Annotated[
        str | None, typer.Option(help="Show the paper's scores too: 'mldoc' or 'shinra2020-ml'.")
    ] = None,
    lang: options.LangOfFiles = None,
    lang_column: options.LangColumn = None,
    fallback_lang: options.FallbackLang = None,
    encoder: options.EncoderName = "bundled",
    pooling: options.PoolingName = None,
    long_texts: options.LongTexts = None,
    tune: tuning.TuneName = "head",
    epochs: tuning.Epochs = None,
    batch_size: tuning.BatchSize = None,
    learning_rate: tuning.LearningRate = None,
    patience: tuning.Patience = None,
    dev_split: tuning.DevSplit = None,
    class_weights: tuning.ClassWeights = None,
    max_length: tuning.MaxLength = None,
    embeddings: tuning.EmbeddingsName = None,
    accumulate: tuning.Accumulate = None,
    precision: tuning.Precision = None,
    average_checkpoints: tuning.AverageCheckpoints = None,
    multilabel: options.Multilabel = False,
    thresholds: options.ThresholdsName = "half",
    text: options.TextColumns = None,
    label: options.LabelColumn = None,
    label_separator: options.LabelSeparator = None,
    quoting: options.Quoting = "auto",
    device: options.Device = "auto",
    dtype: options.DType = "float32",
    threads: options.Threads = None,
    cache: options.Cache = None,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
) -> None:  # fmt: skip
    """Fit with and without entities, over several seeds, and say whether they help."""
    if not multilabel:
        options.refuse_given(context, "thresholds", why=options.FOR_LABEL_SETS)
    names = [name.strip() for name in rows.split(",") if name.strip()]
    asked = compared_rows(names, is_tuned=tune != "head")
    theirs = None if published is None else published_table(published)
    how = training_options(
        tune, has_dev=bool(dev), epochs=epochs, batch_size=batch_size, learning_rate=learning_rate,
        patience=patience, dev_split=dev_split, class_weights=class_weights,
        max_length=max_length, embeddings=embeddings, accumulate=accumulate,
        precision=precision, average_checkpoints=average_checkpoints,
    )  # fmt: skip
    chosen: dict[str, Any] = {} if how is None else {"tune": tune, "training": how}
    given = {"pooling": pooling, "long_texts": long_texts, "multilabel": multilabel or None}
    chosen |= {name: value for name, value in given.items() if value is not None}
    if thresholds != "half":
        chosen["thresholds"] = thresholds
    fallback_lang = checked_language(fallback_lang)
    refuse_read(out, places_read([train, test, dev, kb, encoder]))
    refuse_inside(out, cache=cache)
    COMPARISON.check_place(out)
    format = options.file_format(
        text, label, quoting, lang_column, multilabel=multilabel, label_separator=label_separator
    )
    training, tests, held_out = read_labelled(
        {"--train": train, "--test": test, "--dev": dev}, format=format, lang=lang
    )
    if not len(tests):
        raise InputError("no text to score on; give --test LANG=FILE")
    knowledge_base, judged_by = KnowledgeBase.open(kb), held_out if dev else None
    check_rows(asked, training, judged_by, encoder=encoder, kb=knowledge_base, options=chosen)
    result = compare(
        training,
        tests,
        dev=judged_by,
        encoder=Encoder.load(encoder, device=device, dtype=dtype, threads=threads, cache=cache),
        kb=knowledge_base,
        rows=asked,
        n_seeds=seeds,
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
    if as_json:
        whole = tables | {"languages": details}
        typer.echo(json.dumps({name: table.rows for name, table in whole.items()},
                              ensure_ascii=False))  # fmt: skip
    else:
        _show(tables, verdicts(result, tables["summary"], details))
    typer.echo(f"isogloss: tables → {out}", err=True)


def _show(tables: dict[str, Table], sentences: list[str]) -> None:
    for table in tables.values():
        table.render(console())
    for sentence in sentences:
        typer.echo(sentence)
