"""A file answered for the page, which shows its rows: some at a time, of a label or a language."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct

from isogloss.classify.answers.files import AnswerTask, answer_file
from isogloss.data.blocks import read_row_blocks
from isogloss.data.documents import FileFormat
from isogloss.data.row_files.writing import RowTarget
from isogloss.errors import counted
from isogloss.parts.source import RowSource
from isogloss.serve.served import NotedAnswering, ServedModel
from isogloss.text.languages import UNKNOWN
from isogloss.totals import untold

MOST_ROWS = 50_000  # the first of a file; the page is for looking, the file for work
MOST_AT_ONCE = 200
ORDERS = ("file", "unsure")
Order = Literal["file", "unsure"]


class InboxRow(Struct, frozen=True):
    """A row with its answer."""

    text: str
    lang: str | None
    label: str
    probability: float | None


@dataclass(frozen=True)
class Inbox:
    """Rows that were answered.

    Attributes
    ----------
    name
        Of the file; None: there is none.
    n_rows
        Of the file, of which `rows` are the first.
    """

    name: str | None = None
    n_rows: int = 0
    rows: list[InboxRow] = field(default_factory=list)

    @property
    def about(self) -> str:
        """Say what it is."""
        first = f"; the first {MOST_ROWS:,} are here" if self.n_rows > len(self.rows) else ""
        return f"{counted(self.n_rows, 'row')} of {self.name}, answered{first}."

    def page(self, start: int, n: int, *, label: str, lang: str, order: Order) -> Mapping[str, Any]:
        """Return some rows, and how many there are of each label and language.

        Parameters
        ----------
        label, lang
            Those of the rows; "": all.
        order
            As in the file, or the least probable first.
        """
        rows = [
            row
            for row in self.rows
            if label in ("", row.label) and lang in ("", row.lang or UNKNOWN)
        ]
        if order == "unsure":
            rows.sort(key=lambda row: 1.0 if row.probability is None else row.probability)
        return {
            "name": self.name,
            "about": self.about,
            "n": len(rows),
            "labels": Counter(row.label for row in self.rows),
            "langs": Counter(row.lang or UNKNOWN for row in self.rows),
            "rows": rows[start : start + min(n, MOST_AT_ONCE)],
        }


def answer_inbox(
    served: ServedModel, source: RowSource, out: Path, *, excel: bool = False
) -> Inbox:
    """Answer the rows of a file into a CSV file, with its summary beside it; return the rows.

    Parameters
    ----------
    excel
        As `RowTarget` takes it.

    Raises
    ------
    InputError
        What `answer_file` does.
    """
    rows = source.opened()
    prefix = served.prefix_for(rows.head.names)
    columns = served.columns(prefix=prefix)
    answering = NotedAnswering(served.fitted, known=served.known)
    settings = {"text": source.format.text, "lang_column": source.format.lang_column}
    task = AnswerTask(
        answering, columns, served.name, settings | {"lang": source.lang},
        audits=served.known.audits,
    )  # fmt: skip
    answer_file(task, source, RowTarget(out, excel=excel), opened=rows)
    format = FileFormat(text=source.format.text)
    with untold():
        return read_inbox(out, name=source.path.name, format=format, prefix=prefix)


def read_inbox(path: Path, *, name: str, format: FileFormat, prefix: str) -> Inbox:
    """Return the rows of a file that `answer_file` wrote as CSV.

    Parameters
    ----------
    format
        Which columns hold the texts.
    prefix
        Before the names of the columns of the answers.
    """
    rows: list[InboxRow] = []
    n_rows = 0
    for block in read_row_blocks(path, format=format):
        texts, records = block.documents.texts, block.records
        n_rows += len(texts)
        columns = [
            records.values(records.columns.index(prefix + column))
            for column in ("lang", "label", "probability")
        ]
        for text, lang, label, probability in zip(texts, *columns, strict=True):
            if len(rows) < MOST_ROWS:
                rows.append(InboxRow(text, lang or None, label, _number(probability)))
    return Inbox(name, n_rows, rows)


def _number(cell: str) -> float | None:
    try:
        return float(cell)
    except ValueError:  # of label sets there are several, or none
        return None
