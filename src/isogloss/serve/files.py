"""``POST /v1/file``: the rows of a file with their answers, by the code of ``predict --out``.

The file is read, answered and written some rows at a time. Each block takes its turn in the thread
that answers all requests, so that a long file keeps nobody waiting.
"""

import asyncio
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, BinaryIO

import msgspec

from isogloss.classify.answers.answers import Answers
from isogloss.classify.answers.files import AnswerTask, answer_file
from isogloss.data.blocks import RowBlock
from isogloss.data.documents import FileFormat
from isogloss.data.encodings import UTF_8
from isogloss.data.guessed_columns import GuessedColumns, guess_columns
from isogloss.data.records import NO_RECORDS, Reading, read_some, refuse_empty
from isogloss.data.row_files.cells import text_of
from isogloss.data.row_files.head import open_rows
from isogloss.data.row_files.writing import RowTarget
from isogloss.data.row_languages import RowLanguages, check_language
from isogloss.errors import InputError
from isogloss.parts.source import RowSource
from isogloss.serve.failures import RequestError, invalid
from isogloss.serve.limits import Limits, text_too_long
from isogloss.serve.served import NotedAnswering, ServedModel
from isogloss.serve.uploads import refuse_swelling, upload_name
from isogloss.totals import untold

ROWS = 32  # of a block, after which other requests have their turn
LONGEST_STEM = 150  # bytes; temporary files and the summary beside have longer names
ROWS_SHOWN, ROWS_LOOKED_AT = 3, 500
OUTPUTS = (".csv", ".tsv", ".jsonl", ".parquet")
_OPTION = re.compile(r"--([a-z][a-z-]*)")


class FileForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields beside the file, which are the options of ``predict``."""

    text: str | None = None
    lang: str | None = None
    lang_column: str | None = None
    prefix: str = ""
    scores: bool = False
    examples: bool = False
    excel: bool = False
    encoding: str = UTF_8
    sheet: str | None = None
    format: str | None = None

    @property
    def asked(self) -> FileFormat:
        """Which columns hold what."""
        return FileFormat(
            text=None if not self.text else tuple(part.strip() for part in self.text.split(",")),
            lang_column=self.lang_column or None,
            encoding=self.encoding,
            sheet=self.sheet or None,
        )

    @property
    def lang_of_all(self) -> str | None:
        """The language of all texts; detected where neither it nor a column is named."""
        return self.lang or (None if self.lang_column else "auto")

    def name_of(self, upload: str) -> str:
        """Return the name of the answered file; raises `RequestError` 422 for another format."""
        name, ending = PurePath(upload), PurePath(upload).suffix.lower()
        if self.format is not None:
            ending = f".{self.format}"
            if ending not in OUTPUTS:
                allowed = ", ".join(one.removeprefix(".") for one in OUTPUTS)
                raise invalid(f"format is {self.format!r:.40}; allowed: {allowed}", where="format")
        elif ending not in OUTPUTS:
            ending = ".jsonl" if ending == ".ndjson" else ".csv"
        return f"{_short(name.stem)}.answered{ending}"


def _short(stem: str) -> str:
    """Return as much of a name as a name of a file holds (255 bytes), with what is put behind."""
    return stem.encode("utf-8", "replace")[:LONGEST_STEM].decode(errors="ignore")


@dataclass(frozen=True)
class SentFile:
    """A file that was sent, and what is to be done with it."""

    path: Path
    name: str  # that it was sent with
    form: FileForm


@dataclass(frozen=True)
class _InTurn(NotedAnswering):
    """Answers in the thread of all requests; in vain once nobody waits for them."""

    executor: Executor | None = None
    gone: threading.Event | None = None

    def answer(self, texts: list[str], langs: RowLanguages) -> Answers:
        if self.executor is None or self.gone is None or self.gone.is_set():
            raise _GoneError
        return self.executor.submit(self._quietly, texts, langs).result()

    def _quietly(self, texts: list[str], langs: RowLanguages) -> Answers:
        with untold():
            return super().answer(texts, langs)


class _GoneError(Exception):
    """Who sent the file has gone away."""


class FileDesk:
    """Answers files, a few at a time.

    Parameters
    ----------
    served
        The model.
    executor
        The thread that computes.
    folder
        Where files lie for the time being.
    limits
        How many files at a time, and how long their texts may be.
    """

    def __init__(
        self, served: ServedModel, executor: Executor, folder: Path, limits: Limits
    ) -> None:
        self._served, self._executor, self._folder, self._limits = served, executor, folder, limits
        self._n_files = 0

    def admit(self, stack: ExitStack) -> Path:
        """Return a folder for one file, for as long as `stack` is open; else `RequestError` 429."""
        if self._n_files >= self._limits.n_files:
            raise RequestError(
                429,
                "busy",
                f"{self._n_files} files are being answered; send it again in a minute",
                headers={"Retry-After": "60"},
            )
        self._n_files += 1
        stack.callback(self._release)
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def _release(self) -> None:
        self._n_files -= 1

    async def answer(self, sent: SentFile, request: Any) -> Path:
        """Return the answered file, beside the sent one.

        Raises
        ------
        RequestError
            422 for what is wrong with it; 413 for a text that is too long; 400 where who sent it
            went away.
        """
        gone = threading.Event()
        out = sent.path.with_name(sent.form.name_of(sent.name))
        work = asyncio.create_task(asyncio.to_thread(self._answer, sent, out, gone))
        try:
            while not (await asyncio.wait([work], timeout=1))[0]:
                if await request.is_disconnected():
                    break
        finally:
            gone.set()
        try:
            await work
        except _GoneError:
            raise RequestError(400, "incomplete", "nobody waits for the answer") from None
        return out

    def looked_at(self, sent: SentFile) -> dict[str, Any]:
        """Return columns and first rows of a file, and a guess of what is to be chosen."""
        refuse_swelling(sent.path)
        form = sent.form
        reading = Reading(encoding=form.encoding, sheet=form.sheet or None)
        with told_as_failure(sent), untold():
            records = next(read_some(sent.path, reading, rows=ROWS_LOOKED_AT), NO_RECORDS)
            refuse_empty(records, sent.path)
            guess: GuessedColumns = guess_columns(records)
            cells = [records.values(at)[:ROWS_SHOWN] for at in range(len(records.columns))]
            rows = [[text_of(cell)[:300] for cell in row] for row in zip(*cells, strict=True)]
        return {
            "columns": records.columns,
            "rows": rows,
            "guess": {
                "text": guess.text,
                "label": guess.label,
                "lang": guess.lang,
                "why": guess.why,
            },
            "prefix": self._served.prefix_for(records.columns),
        }

    def _answer(self, sent: SentFile, out: Path, gone: threading.Event) -> None:
        form = sent.form
        refuse_swelling(sent.path)
        columns = self._served.columns(
            prefix=form.prefix, with_scores=form.scores, with_examples=form.examples
        )
        asked, lang = form.asked, form.lang_of_all
        with told_as_failure(sent), untold():
            if form.examples and not self._served.about.keeps_examples:
                raise invalid("the model keeps no training texts; leave this out", where="examples")
            check_language(lang, has_column=asked.lang_column is not None, is_needed=False)
            task = AnswerTask(
                _InTurn(
                    self._served.fitted,
                    with_examples=form.examples,
                    known=self._served.known,
                    executor=self._executor,
                    gone=gone,
                ),
                columns,
                model_name=self._served.name,
                audits=self._served.known.audits,
                settings=msgspec.to_builtins(form),
                needs_language=False,
            )
            rows = open_rows(sent.path, format=asked, rows=ROWS)
            rows = replace(rows, blocks=_of_short_texts(rows.blocks, self._limits.n_characters))
            target = RowTarget(out, excel=form.excel)
            answer_file(task, RowSource(sent.path, asked, lang), target, opened=rows)


def _of_short_texts(blocks: Iterator[RowBlock], most: int) -> Iterator[RowBlock]:
    """Yield blocks; `RequestError` 413 for a text that would keep others waiting for minutes."""
    for block in blocks:
        for text, line in zip(block.documents.texts, block.documents.lines, strict=True):
            if len(text) > most:
                raise text_too_long(len(text), most, where=f"line {line}")
        yield block


def form_of(fields: dict[str, str]) -> FileForm:
    """Return the fields of a form; raises `RequestError` 422 for one that is not known."""
    try:
        return msgspec.convert(fields, FileForm, strict=False)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$.")
        raise invalid(message, where=place.removesuffix("`") or "form") from error


def keep_upload(file: BinaryIO, name: str | None, folder: Path) -> Path:
    """Write a file that was sent to a folder, by a name of our own."""
    path = folder / f"rows{PurePath(upload_name(name)).suffix.lower()}"
    with path.open("wb") as kept:
        shutil.copyfileobj(file, kept)
    return path


@contextmanager
def told_as_failure(sent: SentFile) -> Iterator[None]:
    """Turn an `InputError` about a file into `RequestError` 422, which names it as it was sent."""
    try:
        yield
    except InputError as error:
        said = str(error).replace(str(sent.path), sent.name)
        said = _OPTION.sub(lambda option: f"'{option[1].replace('-', '_')}'", said)
        where = "file" if error.line is None else f"line {error.line}"
        raise invalid(said, where=where) from error
