"""``isogloss try``: from a file of labelled texts to a page of answers; what is guessed is said.

For whoever tries it out; what is to be repeated names its columns in `classify fit` and `predict`.
"""

import time
import warnings
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.places import refuse_place, refuse_same_file
from isogloss.cli.serving.serve import PageOptions, run_server
from isogloss.data.blocks import read_blocks
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.data.encodings import UTF_8, codec_of
from isogloss.data.guessed_columns import guess_columns
from isogloss.data.labelled import with_words
from isogloss.data.lines import whole_lines
from isogloss.data.named_columns import delimiter_in_truth
from isogloss.data.records import (
    NO_RECORDS,
    UNPACKED,
    Reading,
    ending_of,
    read_some,
    refuse_empty,
)  # fmt: skip
from isogloss.errors import InputError, OmissionWarning, counted
from isogloss.storage.files import atomic_directory
from isogloss.text.detect import AUTO, detectable_languages
from isogloss.text.languages import parse_language
from isogloss.totals import untold

if TYPE_CHECKING:
    from isogloss.encode import Encoder
    from isogloss.serve.inbox import Inbox
    from isogloss.serve.served import ServedModel

ROWS_LOOKED_AT = 1000
_WHY_INBOX = "is for a file to answer; give INBOX too"
MOST_IS_ALL = 0.8  # of the texts in one language: the others are too short, or quotes


@dataclass(frozen=True, kw_only=True)
class Tried:
    """The two files, and columns that are not to be guessed."""

    tickets: Annotated[Path, typer.Argument(help="Labelled texts.", metavar="TICKETS")]
    inbox: Annotated[
        Path | None, typer.Argument(help="Texts to answer, in any languages.", metavar="[INBOX]")
    ] = None
    text: Annotated[
        str | None, typer.Option(help="Column of the text, in both files (default: guessed).")
    ] = None
    label: Annotated[str | None, typer.Option(help="Column of the label (default: guessed).")] = (
        None
    )
    lang: Annotated[
        str | None,
        typer.Option(help="Language of TICKETS (default: that of a column, or detected)."),
    ] = None
    inbox_lang: Annotated[
        str | None,
        typer.Option(help="Language of INBOX (default: that of a column, or each detected)."),
        OnlyWith("inbox", why=_WHY_INBOX),
    ] = None
    encoding: Annotated[
        str, typer.Option(help="Encoding of those of the files that are not UTF-8.")
    ] = UTF_8
    sheet: Annotated[
        str | None,
        typer.Option(help="Sheet of those that are .xlsx (default: the first).", metavar="NAME"),
    ] = None
    excel: Annotated[
        bool,
        typer.Option(help="Write the answers for a spreadsheet, as `classify predict --excel`."),
        OnlyWith("inbox", why=_WHY_INBOX),
    ] = False

    def reading_of(self, path: Path) -> Reading:
        """Return how one of the files is read."""
        codec_of(self.encoding)
        is_utf8 = ending_of(path) in UNPACKED or _is_utf8(path)
        workbooks = [one for one in (self.tickets, self.inbox) if one and one.suffix == ".xlsx"]
        return Reading(
            encoding=UTF_8 if is_utf8 else self.encoding,
            sheet=self.sheet if path in workbooks or not workbooks else None,
        )


@grouped
def trial(
    tried: Tried,
    page: PageOptions,
    out: Annotated[Path, typer.Option(help="Directory to make: names, model, answers.")] = Path(
        "isogloss-try"
    ),
    encoder: options.EncoderName = "bundled",
    threads: options.Threads = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Learn from a file of labelled texts, answer another, and open a page on it."""
    start = time.monotonic()
    refuse_place(out, tried.tickets, tried.inbox, encoder, overwrite=overwrite, makes="folder")
    files = [("TICKETS", tried.tickets), ("INBOX", tried.inbox)]
    refuse_same_file((name, path) for name, path in files if path is not None)
    lang = None if tried.lang is None else parse_language(tried.lang)
    listening = page.listening
    listening.check()
    tickets = _format_of(tried.tickets, tried, needs_label=True, lang=lang)
    labelled = with_words(read_documents(tried.tickets, format=tickets, needs_label=True))
    inbox = None
    if tried.inbox is not None:
        inbox = _format_of(tried.inbox, tried, needs_label=False, lang=tried.inbox_lang)
    with listening.opened() as listener:
        langs = _languages_of(labelled, lang)
        from isogloss.encode import Encoder

        loaded = Encoder.load(encoder, threads=threads)
        with atomic_directory(out, overwrite=overwrite) as folder:
            named = _languages_to_name(langs, tried.inbox, inbox)
            _write_names(folder / "kb", named)
            served = _fitted(loaded, labelled, langs, folder)
            rows = None if inbox is None else _answered(served, tried, inbox, folder, out)
        served = served.with_names(out / "kb")  # of which files may be opened later, by their path
        _say(f"ready after {time.monotonic() - start:.0f} s; all is in {out}")
        run_server(served, listening, listener, inbox=rows, opens=not page.no_browser)


def _format_of(path: Path, tried: Tried, *, needs_label: bool, lang: str | None) -> FileFormat:
    """Return which columns hold what, and say what of it is guessed."""
    reading = tried.reading_of(path)
    records = next(read_some(path, reading, rows=ROWS_LOOKED_AT), NO_RECORDS)
    refuse_empty(records, path)
    guess = guess_columns(records)
    text, label = tried.text or guess.text, tried.label or guess.label
    if text is None or (needs_label and label is None):
        lack = "text" if text is None else "label"
        advice = delimiter_in_truth(records, path) or f"name it with --{lack}"
        raise InputError(f"no column looks like that of the {lack}; {advice}", path=path)
    told = [f"text = '{text}'" + _why(guess.why.get("text"), given=tried.text)]
    if needs_label:
        told.append(f"label = '{label}'" + _why(guess.why.get("label"), given=tried.label))
    lang_column = guess.lang if lang is None else None
    if lang_column is not None:
        told.append(f"language = '{lang_column}'" + _why(guess.why.get("lang"), given=None))
    _say(f"{path}: {', '.join(told)}")
    return FileFormat(
        text=(text,), label=label if needs_label else None, lang_column=lang_column,
        encoding=reading.encoding, sheet=reading.sheet,
    )  # fmt: skip


def _is_utf8(path: Path) -> bool:
    """Whether all of a file can be read as UTF-8; what else is wrong with it is told later."""
    try:
        for _ in whole_lines(path):
            pass
    except InputError:
        return False
    return True


def _why(reason: str | None, *, given: str | None) -> str:
    return "" if given is not None or reason is None else f" ({reason})"


def _languages_of(documents: Documents, lang: str | None) -> list[str | None]:
    """Return the language of each labelled text: of its column, as given, or that of most."""
    if documents.langs is not None and any(documents.langs):
        return list(documents.langs)
    if lang is not None:
        return [lang] * len(documents.texts)
    from isogloss.text.detect import detect_languages

    found = detect_languages(documents.texts)
    counts = Counter(code for code in found if code is not None)
    (most, n), *_ = counts.most_common(1) or [("en", 0)]
    if n >= MOST_IS_ALL * max(1, counts.total()):
        _say(f"language of the labelled texts: {most} (detected; --lang says another)")
        return [most] * len(found)
    shown = ", ".join(f"{code} {number}" for code, number in counts.most_common(8))
    _say(f"languages of the labelled texts: {shown} (detected)")
    return list(found)


def _languages_to_name(
    langs: Iterable[str | None], path: Path | None, format: FileFormat | None
) -> list[str]:
    """Return the languages that a text may be in: detectable ones, and those that columns say."""
    found: set[str | None] = {*detectable_languages(), *langs}
    if path is not None and format is not None and format.lang_column is not None:
        with untold():
            for block in read_blocks(path, format=format):
                found.update(block.langs or [])
    return sorted(lang for lang in found if lang is not None)


def _write_names(folder: Path, langs: list[str]) -> None:
    from isogloss.kb import build_knowledge_base

    with warnings.catch_warnings():  # of the many that may be met some have no names
        warnings.simplefilter("ignore", OmissionWarning)
        built = build_knowledge_base(["cldr"], folder, langs=langs)
    _say(
        f"names of {built.n_entities:,} places, languages and currencies in "
        f"{len(built.languages)} languages (Unicode CLDR)"
    )


def _fitted(
    encoder: "Encoder", documents: Documents, langs: list[str | None], folder: Path
) -> "ServedModel":
    """Learn with examples and the names beside, and write the model."""
    from isogloss.classify import TextClassifier
    from isogloss.classify.saving.manifest import read_manifest
    from isogloss.kb import KnowledgeBase
    from isogloss.serve.served import ServedModel

    kb = KnowledgeBase.open(folder / "kb")
    model = TextClassifier(encoder, kb, keep_examples=True)
    model.fit(documents.texts, documents.labels or [], langs)
    model.save(folder / "model")
    n = counted(len(documents.texts), "labelled text")
    _say(f"learned from {n}: {', '.join(map(str, model.classes_.tolist()[:12]))}")
    path = folder / "model"
    return ServedModel.of(model.fitted_, read_manifest(path), path)


def _answered(
    served: "ServedModel", tried: Tried, format: FileFormat, folder: Path, out: Path
) -> "Inbox":
    """Write the rows of the inbox with their answers; `folder` becomes `out` later."""
    from isogloss.parts.source import RowSource
    from isogloss.serve.inbox import answer_inbox

    assert tried.inbox is not None
    lang = tried.inbox_lang or (None if format.lang_column else AUTO)
    source = RowSource(tried.inbox, format, lang, lang_option="--inbox-lang")
    rows = answer_inbox(served, source, folder / "answered.csv", excel=tried.excel)
    said = "" if tried.excel else " (for Excel: --excel)"
    _say(
        f"{counted(rows.n_rows, 'row')} of {tried.inbox} answered, in {out / 'answered.csv'}{said}"
    )
    return rows


def _say(line: str) -> None:
    typer.echo(f"isogloss: {line}", err=True)
