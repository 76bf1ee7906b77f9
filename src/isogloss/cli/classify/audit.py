"""``isogloss classify audit``: rows of each language to label, and the accuracy that they show."""

import datetime
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from isogloss.classify.audit.agreement import agreements, disputes
from isogloss.classify.audit.estimates import LanguageAudit, audit_languages
from isogloss.classify.audit.extending import (
    SheetBefore,
    labels_that_come_along,
    read_sheet_before,
    refuse_other_drawing,
)
from isogloss.classify.audit.key import (
    Key,
    key_place,
    read_key,
    sealed_key,
    way_to_model,
)
from isogloss.classify.audit.label_studio import interface, tasks_bytes
from isogloss.classify.audit.make import Origin, Sampling, make_audit
from isogloss.classify.audit.reading import labels_of, unsure_word
from isogloss.classify.audit.saved import AuditedLanguage, audits_of, save_audits
from isogloss.classify.audit.sheet import LONGEST_CELL, sheet_bytes
from isogloss.classify.audit.table import SPARSE, TITLES, agreement_row, audit_row, shown_row
from isogloss.classify.saving.manifest import read_manifest
from isogloss.cli import options
from isogloss.cli.classify.model import FallbackLang, Model
from isogloss.cli.groups import Given, OnlyWith, count, grouped
from isogloss.cli.languages import checked_language
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_place, refuse_same_file
from isogloss.data.encodings import UTF_8
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.report.table import Table
from isogloss.statistics.assisted import FEWEST
from isogloss.storage.files import atomic_file, is_there, refuse_existing, write_json
from isogloss.storage.refusals import without_detours
from isogloss.totals import told_with_totals

app = typer.Typer(help="Audits: label a few rows of each language, and know its accuracy.",
                  no_args_is_help=True)  # fmt: skip

SheetFormat = Literal["table", "label-studio"]
ENDINGS: dict[SheetFormat, tuple[str, ...]] = {
    "table": (".csv", ".tsv"), "label-studio": (".json",),
}  # fmt: skip
INTERFACE = ".config.xml"


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """The sheet that is made, and which rows it shows."""

    out: Annotated[Path, typer.Option(help="Sheet to make: .csv or .tsv; .json for Label Studio.")]
    n: Annotated[int, count("Number of rows of each language.")] = 50
    seed: Annotated[
        options.Seed,
        OnlyWith("!extend", why="is that of the sheet of --extend; leave it out"),
    ] = 0
    by_class: Annotated[
        bool,
        typer.Option(
            "--by-class", help="Draw every answer of a language equally often, weighted back."
        ),
    ] = False
    assist: Annotated[
        bool,
        typer.Option(
            "--assist", help="Answer all rows, so that 'audit read --assist' narrows intervals."
        ),
        OnlyWith("!by_class", why="is for rows drawn alike; leave out --by-class"),
    ] = False
    extend: Annotated[
        Path | None,
        typer.Option(
            metavar="SHEET",
            help="Sheet with labels, drawn from the same file: they come along, and --n counts "
            "its rows too.",
        ),
        OnlyWith("format=table", why="makes a table; leave out --format label-studio"),
    ] = None
    key: Annotated[
        Path | None,
        typer.Option(help="Key of the sheet of --extend (default: SHEET.key.json beside it)."),
        OnlyWith("extend", why="is that of the sheet of --extend; give that too"),
    ] = None
    show_answers: Annotated[
        bool,
        typer.Option("--show-answers", help="Show the model's answers: no longer a blind audit."),
    ] = False
    format: Annotated[
        SheetFormat, typer.Option(help="A table, or tasks and interface of Label Studio.")
    ] = "table"
    overwrite: options.Overwrite = False

    @property
    def places(self) -> list[Path]:
        """Return the files that are made: the sheet, its key, perhaps an interface."""
        beside = [self.out.with_name(self.out.stem + INTERFACE)]
        return [self.out, key_place(self.out), *(beside if self.format != "table" else [])]


@app.command("draw")
@grouped
def draw_command(
    given: Given,
    saved: Model,
    texts: options.TextsInLanguages,
    made: Sheet,
    fallback_lang: FallbackLang = None,
    cache: options.Cache = None,
    strict: options.Strict = False,
) -> None:
    """Draw random rows of each language into a sheet to label, without the model's answers.

    What the model answers stays in a key beside the sheet, which `audit read` compares with.
    """
    refuse_place(made.out, saved.model, texts.file, saved.kb, saved.encoder,
                 overwrite=made.overwrite, makes="file")  # fmt: skip
    refuse_inside(made.out, cache=cache)
    if made.extend:
        refuse_same_file([("--out", made.out), ("--extend", made.extend)])
    if made.out.suffix not in ENDINGS[made.format]:
        hint = "; for Label Studio give --format label-studio" if made.out.suffix == ".json" else ""
        raise InputError(
            f"a sheet of --format {made.format} ends in {' or '.join(ENDINGS[made.format])}{hint}",
            path=made.out,
        )
    for place in made.places[1:]:
        refuse_existing(place, overwrite=made.overwrite, makes="file")
    about = saved.about(given)
    fallback_lang = checked_language(fallback_lang)
    if about.multilabel:
        raise InputError("the model gives label sets; an audit is for models of one label a text",
                         path=saved.model)  # fmt: skip
    before = _sheet_before(made, about.fingerprint, texts.encoding)
    documents = texts.read(f"classify audit draw {saved.model}")
    langs = texts.languages_of(documents).langs
    if before is not None:
        refuse_other_drawing(before, documents.texts, langs, n=made.n, by_class=made.by_class)
    origin = Origin(
        model=way_to_model(saved.model, made.out),
        fingerprint=about.fingerprint,
        data=Path(documents.path).name,
        is_blind=not made.show_answers and (before is None or before.key.is_blind),
    )
    seed = made.seed if before is None else before.key.seed
    sampling = Sampling(n=made.n, seed=seed, by_class=made.by_class, assist=made.assist)
    with told_with_totals():
        key, shown = make_audit(
            saved.load(cache), documents.texts, langs, origin, sampling,
            fallback_lang=fallback_lang,
        )  # fmt: skip
    labels = {} if before is None else labels_that_come_along(key, before)
    _warn_of_cut(key, documents.texts)
    _write(made, key, shown, labels)
    _say_drawn(made, key)
    if labels:
        typer.echo(f"isogloss: {counted(len(labels), 'label')} of {made.extend} came along",
                   err=True)  # fmt: skip


def _sheet_before(made: Sheet, fingerprint: str, encoding: str) -> SheetBefore | None:
    if made.extend is None:
        return None
    place = made.key or key_place(made.extend)
    return read_sheet_before(made.extend, place, fingerprint, encoding=encoding)


def _write(made: Sheet, key: Key, texts: list[str], labels: Mapping[int, str]) -> None:
    """Write all files; when one cannot be written, none is there."""
    answers = [key.classes[row.answer] for row in key.rows] if made.show_answers else None
    rows = [
        (str(row.row), row.lang, text, *([] if answers is None else [answers[at]]))
        for at, (row, text) in enumerate(zip(key.rows, texts, strict=True))
    ]
    with ExitStack() as stack:
        sheet, key_file, *beside = [
            stack.enter_context(atomic_file(place, overwrite=made.overwrite))
            for place in made.places
        ]
        if made.format == "table":
            delimiter = "\t" if made.out.suffix == ".tsv" else ","
            content = sheet_bytes(
                rows, delimiter=delimiter, with_answers=made.show_answers, labels=labels
            )
        else:
            content = tasks_bytes(rows, with_answers=made.show_answers)
            choices = [*key.classes, unsure_word(key.classes)]
            beside[0].write_text(interface(choices, with_answers=made.show_answers), "utf-8")
        sheet.write_bytes(content)
        write_json(key_file, sealed_key(key))


def _warn_of_cut(key: Key, texts: list[str]) -> None:
    n_cut = sum(len(texts[row.row - 1]) > LONGEST_CELL for row in key.rows)
    if n_cut:
        warn_omitted(
            f"{counted(n_cut, 'text')} cut at {LONGEST_CELL:,} characters in the sheet, as "
            "spreadsheets hold no more; the model's answer is to the whole"
        )


def _say_drawn(made: Sheet, key: Key) -> None:
    sizes: Counter[str] = Counter()
    for stratum in key.strata:
        sizes[stratum.lang] += stratum.n_rows
    for lang, n in Counter(row.lang for row in key.rows).items():
        typer.echo(f"isogloss: {lang}: {n} of {counted(sizes[lang], 'row')}", err=True)
    if made.show_answers:
        typer.echo("isogloss: the sheet shows the answers: this is no blind audit", err=True)
    choices = ", ".join(key.classes[:20]) + (", …" if len(key.classes) > 20 else "")
    where = "choose" if made.format == "label-studio" else "write into 'label'"
    typer.echo(
        f"isogloss: sheet → {made.out}; {where} one of: {choices}; "
        f"'{unsure_word(key.classes)}' where none can be told",
        err=True,
    )


@app.command("read")
@grouped
def read_command(
    sheets: Annotated[
        list[Path],
        typer.Argument(metavar="SHEET", help="Sheet with labels; a second one, of another person."),
    ],
    output: options.Output,
    target: options.Target = None,
    key: Annotated[
        Path | None,
        typer.Option(help="Key of the sheet (default: SHEET.key.json beside it)."),
    ] = None,
    model: Annotated[Path | None, typer.Option(help="New place of the model, if it moved.")] = None,
    assist: Annotated[
        bool,
        typer.Option(
            "--assist", help="Use the answers to rows without a label too, of 30 labels or more."
        ),
    ] = False,
    encoding: options.Encoding = UTF_8,
) -> None:
    """Tell the accuracy of each language from a sheet with labels, and keep it with the model.

    Of two sheets the first counts; how far they agree is told too, and on which rows they do not.
    """
    if len(sheets) > 2:
        raise InputError(f"{len(sheets)} sheets are given; give one, or those of two people")
    refuse_same_file([("SHEET", sheet) for sheet in sheets])
    key_file = key or key_place(sheets[0])
    about, checksum = read_key(key_file)
    folder = _model_of(about, key_file, model)
    labels = [labels_of(sheet, about, encoding=encoding) for sheet in sheets]
    if assist and not about.is_assisted:
        raise InputError(
            "the answers to other rows were not kept; draw with --assist, or leave it out here",
            path=key_file,
        )
    found = audit_languages(about, labels[0], assist=assist)
    if not any(language.n for language in found):
        raise InputError("no row has a label; write one into the column 'label'", path=sheets[0])
    result: dict[str, Any] = {
        "model": about.fingerprint,
        "is_blind": about.is_blind,
        "by_class": about.by_class,
        "target": target,
        "languages": [audit_row(language, target) for language in found],
    }
    if len(labels) == 2:
        result["agreement"] = [agreement_row(one) for one in agreements(about, *labels)]
        result["disputes"] = [asdict(one) for one in disputes(about, *labels)]
    _warn_of_uncounted(found)
    before = audits_of(folder)
    place = save_audits(folder, _kept(about, checksum, found))
    if output.as_json:
        typer.echo(json.dumps(result, ensure_ascii=False))
    else:
        _print(result)
    _say_read(about, found, before, checksum, assist=assist)
    typer.echo(f"isogloss: audit → {place}", err=True)


def _model_of(about: Key, key_file: Path, given: Path | None) -> Path:
    folder = given or without_detours(key_file.parent / about.model)
    if given is None and not is_there(folder):
        raise InputError(
            f"the model of the sheet is not at {folder} any more; name it with --model",
            path=key_file,
        )
    found = read_manifest(folder).fingerprint
    if found != about.fingerprint:
        raise InputError(
            f"the sheet was drawn for another model (fingerprint {about.fingerprint[:12]}) than "
            f"{folder} ({found[:12]}); name the right one with --model, or draw again",
            path=key_file,
        )
    return folder


def _kept(about: Key, sheet: str, found: list[LanguageAudit]) -> dict[str, AuditedLanguage]:
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return {
        one.lang: AuditedLanguage(
            accuracy=one.accuracy.value, low=one.accuracy.low, high=one.accuracy.high, n=one.n,
            n_unsure=one.n_unsure, is_blind=about.is_blind, by_class=about.by_class, date=today,
            data=about.data, sheet=sheet, assisted=one.is_assisted,
        )
        for one in found
        if one.n
    }  # fmt: skip


def _print(result: dict[str, Any]) -> None:
    rows = [shown_row(row) for row in result["languages"]]
    Table(rows, titles=TITLES, sparse=SPARSE).render(console())
    if "agreement" in result:
        Table(result["agreement"]).render(console())
        if result["disputes"]:
            titles = {"first": "first sheet", "second": "second sheet"}
            Table(result["disputes"], titles=titles).render(console())


def _warn_of_uncounted(found: list[LanguageAudit]) -> None:
    n_unsure, n_unlabelled = (
        sum(getattr(one, name) for one in found) for name in ("n_unsure", "n_unlabelled")
    )
    if n_unsure or n_unlabelled:
        warn_omitted(
            f"{counted(n_unsure + n_unlabelled, 'row')} left out: {n_unsure} unsure, "
            f"{n_unlabelled} without a label"
        )


def _say_read(
    about: Key,
    found: list[LanguageAudit],
    before: dict[str, AuditedLanguage],
    sheet: str,
    *,
    assist: bool,
) -> None:
    replaced: dict[str, list[str]] = defaultdict(list)
    for one in found:
        old = before.get(one.lang)
        if old is not None and old.sheet != sheet and one.n:
            blind = "blind " if old.is_blind and not about.is_blind else ""
            replaced[f"{blind}audit of {old.date}"].append(f"{one.lang} ({counted(old.n, 'text')})")
    for audit, langs in replaced.items():
        typer.echo(f"isogloss: instead of the {audit}: {', '.join(langs)}", err=True)
    alone: dict[str, list[str]] = defaultdict(list)
    for one in found:
        if assist and one.n and not one.is_assisted:
            alone[_why_alone(one)].append(one.lang)
    for why, langs in alone.items():
        typer.echo(f"isogloss: {', '.join(langs)}: labels alone, as {why}", err=True)
    if not about.is_blind:
        typer.echo(
            "isogloss: whoever labelled saw the answers: accuracy may look better than it is",
            err=True,
        )


def _why_alone(language: LanguageAudit) -> str:
    """Say why the answers to other rows have no part in an accuracy."""
    if language.n < FEWEST:
        return f"there are fewer than {FEWEST}"
    return "rows are left unsure" if language.n_unsure else "there are no other rows"
