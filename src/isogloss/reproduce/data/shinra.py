"""SHINRA2020-ML: labels, as published, joined with the texts of their pages, by page id.

The task (Sekine et al., NTCIR-15, 2020) sorts Wikipedia pages into about 220 types of the Extended
Named Entity hierarchy. Its training data names pages by number and gives their types; the texts
are in separate dumps (http://shinra-project.info/shinra2020ml/data-formats/):

- labels: JSON Lines, ``{"pageid": 187830, "title": …, "ENEs": [{"ENE_id": "1.5.1.2", …}]}``.
  Several records may name one page: it has the types of all. A type without its number is
  dropped. The task's own script writes ``{"ENEs": {STAMP: [{"ENE_id": …}]}}``.
- texts: a CirrusSearch dump, in which a line ``{"index": {"_id": "187830", …}}`` precedes the
  line of each page; or JSON Lines that hold ``pageid`` and the text.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from isogloss.data.documents import Documents, join_texts
from isogloss.data.label_sets import LabelSet
from isogloss.data.lines import open_lines
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.storage.files import atomic_file, parse_json, refuse_existing, refuse_read


@dataclass(frozen=True)
class ShinraCounts:
    """What was joined.

    Attributes
    ----------
    n_written
        Pages with types and a text.
    n_unlabelled
        Pages of the dump that the labels do not name; they are left out.
    n_without_text
        Pages with types that the dump lacks.
    n_without_type
        Pages none of whose types has a number; they are left out.
    """

    n_written: int
    n_unlabelled: int
    n_without_text: int
    n_without_type: int


@dataclass(frozen=True)
class PageTypes:
    """Page → its types, sorted, and the pages without a numbered type."""

    types: dict[str, list[str]]
    untyped: set[str]


def shinra(labels: Path, texts: Path, *, field: str = "text") -> Documents:
    """Return the labelled pages as documents: title and text, a set of types, the page's number.

    All are in memory; `join_shinra` writes them to a file instead.

    Parameters
    ----------
    labels, texts
        Files as published, each also with .gz or .zst.
    field
        Field of a page that holds its text: ``"text"``, or ``"opening_text"`` for the first
        paragraph.

    Raises
    ------
    InputError
        For a line that is not as described, or when no page has both types and a text.

    Warns
    -----
    OmissionWarning
        When pages with types have no text, or no numbered type.
    """
    joining = _Joining(labels, texts, field)
    joined: list[str] = []
    types: list[LabelSet] = []
    ids: list[str | None] = []
    lines: list[int] = []
    for row, line in joining.rows():
        joined.append(join_texts([row["title"], row["text"]]))
        types.append(tuple(row["labels"]))
        ids.append(row["id"])
        lines.append(line)
    joining.say()
    return Documents(joined, types, None, ids, lines, str(texts))


def shinra_beginning(
    labels: Path, texts: Path, *, field: str = "text", n_pages: int = 64
) -> Documents:
    """Return the first pages of a dump, without their types; takes and raises what `shinra` does.

    Of the labels one record is read: the whole of a large Wikipedia takes minutes.
    """
    _read_types(labels, n_records=1)
    pages = [
        (page, _row(page, record, [], field, texts, line), line)
        for page, record, line in islice(_pages(texts), n_pages)
    ]
    return Documents(
        texts=[join_texts([row["title"], row["text"]]) for _, row, _ in pages],
        labels=list[LabelSet]([()] * len(pages)), langs=None, ids=[page for page, _, _ in pages],
        lines=[line for _, _, line in pages], path=str(texts),
    )  # fmt: skip


def join_shinra(
    labels: Path, texts: Path, out: Path, *, field: str = "text", overwrite: bool = False
) -> ShinraCounts:
    """Write the labelled pages as JSON Lines with ``id``, ``title``, ``text`` and ``labels``.

    The order is that of `texts`, which is read line by line. `read_documents` reads the result
    with ``FileFormat(text=("title", "text"), multilabel=True)``. Parameters, errors and warnings
    are those of `shinra`.

    Parameters
    ----------
    out
        File to write.
    """
    refuse_read(out, [labels, texts])
    refuse_existing(out, overwrite=overwrite, makes="file")
    joining = _Joining(labels, texts, field)
    with atomic_file(out, overwrite=overwrite) as temporary:
        # A lone surrogate is escaped, as in JSON.
        with temporary.open("w", encoding="utf-8", errors="backslashreplace") as file:
            for row, _ in joining.rows():
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        joining.say()
    return joining.counts


@dataclass
class _Joining:
    """Pages of a dump with their types, and what is counted meanwhile."""

    labels: Path
    texts: Path
    field: str
    counts: ShinraCounts = ShinraCounts(0, 0, 0, 0)

    def rows(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Yield each labelled page and its line."""
        read = _read_types(self.labels)
        n_written = n_unlabelled = 0
        missing = dict.fromkeys(read.types)
        for page, record, line in _pages(self.texts):
            if page not in read.types:
                n_unlabelled += page not in read.untyped
                continue
            missing.pop(page, None)
            n_written += 1
            yield _row(page, record, read.types[page], self.field, self.texts, line), line
        self.counts = ShinraCounts(n_written, n_unlabelled, len(missing), len(read.untyped))

    def say(self) -> None:
        """Refuse a dump without labelled pages, and warn of what was left out."""
        counts = self.counts
        if not counts.n_written:
            raise InputError(
                f"holds none of the pages that {self.labels} names; is it of the same language?",
                path=self.texts,
            )
        if counts.n_without_text:
            pages = counted(counts.n_without_text, "page")
            warn_omitted(f"{pages} with types left out: no text in {self.texts}")
        if counts.n_without_type:
            pages = counted(counts.n_without_type, "page")
            warn_omitted(f"{pages} left out: no type has a number in {self.labels}")


def _row(
    page: str, record: dict[str, Any], types: list[str], field: str, path: Path, line: int
) -> dict[str, Any]:
    text, title = record.get(field), record.get("title") or ""
    if not isinstance(text, str):
        raise InputError(
            f"page {page} has no text in '{field}'; name another field", path=path, line=line
        )
    if not isinstance(title, str):
        raise InputError(f"the title of page {page} is not text; mend it", path=path, line=line)
    return {"id": page, "title": title, "text": text, "labels": types}


def _read_types(path: Path, *, n_records: int | None = None) -> PageTypes:
    """Return the types of each page, or those in the first records; raises as `shinra` does."""
    types: dict[str, list[str]] = {}
    for record, line in islice(_records(path), n_records):
        page, entries = record.get("pageid"), _entries(record.get("ENEs"))
        if entries is None or not isinstance(page, int | str):
            raise InputError(
                "has no 'pageid' with its 'ENEs'; give the training data of SHINRA2020-ML",
                path=path,
                line=line,
            )
        numbers = [entry.get("ENE_id") for entry in entries]
        if not all(isinstance(number, str | None) for number in numbers):
            raise InputError(
                "an 'ENE_id' is not text; put it in quotes, as \"1.5.1.2\"", path=path, line=line
            )
        types.setdefault(str(page), []).extend(number for number in numbers if number)
    untyped = {page for page, found in types.items() if not found}
    return PageTypes({page: sorted(set(found)) for page, found in types.items() if found}, untyped)


def n_records(path: Path) -> int:
    """Return the number of records of labels or texts; index lines of a dump are none."""
    return sum("index" not in record for record, _ in _records(path))


def _entries(value: Any) -> list[dict[str, Any]] | None:
    """Return the types of a page, which may lie in groups; None for another thing."""
    groups = list(value.values()) if isinstance(value, dict) else [value]
    entries = []
    for group in groups:
        if not isinstance(group, list) or not all(isinstance(entry, dict) for entry in group):
            return None
        entries += group
    return entries


def _pages(path: Path) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Yield the number, the record and the line of each page."""
    page: Any = None
    for record, line in _records(path):
        index = record.get("index")
        if isinstance(index, dict) and "_id" in index:
            page = index["_id"]
            continue
        page = record.get("pageid", page)
        if page is None:
            raise InputError(
                "has no 'pageid', and no index line of a CirrusSearch dump before it; give either",
                path=path,
                line=line,
            )
        yield str(page), record, line
        page = None


def _records(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    for line, content in open_lines(path):
        if not content.strip():
            continue
        try:
            record = parse_json(content)
        except ValueError as error:
            raise InputError(f"is not JSON ({error})", path=path, line=line) from error
        if not isinstance(record, dict):
            raise InputError("is not a JSON object; give one a line", path=path, line=line)
        yield record, line
