"""Join the labels of SHINRA2020-ML, as published, with the texts of their pages, by page id.

    python benchmarks/shinra.py --labels de.json --texts DUMP.json.gz --out de.jsonl

The task (Sekine et al., NTCIR-15, 2020) sorts Wikipedia pages into about 220 types of the Extended
Named Entity hierarchy. Its training data names pages by number and gives their types; the texts
are in separate dumps (http://shinra-project.info/shinra2020ml/data-formats/):

- labels: JSON Lines, ``{"pageid": 187830, "title": …, "ENEs": [{"ENE_id": "1.5.1.2", …}]}``.
  Several records may name one page: it has the types of all. A type without its number is
  dropped. The task's own script writes ``{"ENEs": {STAMP: [{"ENE_id": …}]}}``.
- texts: a CirrusSearch dump, in which a line ``{"index": {"_id": "187830", …}}`` precedes the
  line of each page; or JSON Lines that hold ``pageid`` and the text.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.data.lines import open_lines
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.storage.files import atomic_file, refuse_existing, refuse_read

Types = dict[str, list[str]]  # page → its types


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


def join_shinra(
    labels: Path, texts: Path, out: Path, *, field: str = "text", overwrite: bool = False
) -> ShinraCounts:
    """Write the labelled pages as JSON Lines with ``id``, ``title``, ``text`` and ``labels``.

    The order is that of `texts`, which is read line by line. `read_documents` reads the result
    with ``FileFormat(text=("title", "text"), multilabel=True)``.

    Parameters
    ----------
    labels, texts
        Files as published, each also with .gz or .zst.
    out
        File to write.
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
    refuse_read(out, [labels, texts])
    refuse_existing(out, overwrite=overwrite, makes="file")
    types, untyped = _read_types(labels)
    n_written = n_unlabelled = 0
    missing = dict.fromkeys(types)
    with atomic_file(out, overwrite=overwrite) as temporary:
        # A lone surrogate is escaped, as in JSON.
        with temporary.open("w", encoding="utf-8", errors="backslashreplace") as file:
            for page, record, line in _pages(texts):
                if page not in types:
                    n_unlabelled += page not in untyped
                    continue
                missing.pop(page, None)
                row = _row(page, record, types[page], field, texts, line)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
                n_written += 1
        if not n_written:
            raise InputError(
                f"holds none of the pages that {labels} names; is it of the same language?",
                path=texts,
            )
        if missing:
            warn_omitted(f"{counted(len(missing), 'page')} with types left out: no text in {texts}")
        if untyped:
            warn_omitted(
                f"{counted(len(untyped), 'page')} left out: no type has a number in {labels}"
            )
    return ShinraCounts(n_written, n_unlabelled, len(missing), len(untyped))


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


def _read_types(path: Path) -> tuple[Types, set[str]]:
    """Return page → types, sorted, and the pages without a numbered type."""
    types: Types = {}
    for record, line in _records(path):
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
    return {page: sorted(set(found)) for page, found in types.items() if found}, untyped


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
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(f"is not JSON ({error})", path=path, line=line) from error
        if not isinstance(record, dict):
            raise InputError("is not a JSON object; give one a line", path=path, line=line)
        yield record, line


def main() -> int:
    """Join the files of one language, say what was written, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=Path, required=True, help="training data of a language")
    parser.add_argument("--texts", type=Path, required=True, help="dump of the same Wikipedia")
    parser.add_argument("--out", type=Path, required=True, help="JSON Lines to make")
    parser.add_argument("--field", default="text", help="field of the dump with the text")
    parser.add_argument("--overwrite", action="store_true", help="replace --out")
    options = parser.parse_args()
    try:
        counts = join_shinra(
            options.labels,
            options.texts,
            options.out,
            field=options.field,
            overwrite=options.overwrite,
        )
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{counted(counts.n_written, 'page')} → {options.out}; "
          f"{counted(counts.n_unlabelled, 'page')} of the dump without labels")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
