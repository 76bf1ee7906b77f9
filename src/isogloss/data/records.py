"""Files of records as columns, for `documents`: TSV, CSV, JSON Lines, Parquet, lines of text.

`read_records` finds the format by the file's name, or on standard input by its first line.
`documents` selects columns and checks values.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from isogloss.data.lines import COMPRESSED, LONGEST_LINE, read_text
from isogloss.data.tables import Grid, Quoting, guess_delimiter, parse_table
from isogloss.errors import InputError
from isogloss.storage.files import parse_json

DEFAULT_COLUMN = "text"
ENDINGS = (".tsv", ".csv", ".jsonl", ".ndjson", ".parquet", ".txt")
PARTS = (".train", ".dev", ".test")  # of a data set, as in MLDoc's english.train.1000


_ROWS_AT_ONCE = 1024  # of Parquet


class _Missing:
    """Stands for a field that a JSON object lacks."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


@dataclass(frozen=True)
class Records:
    """Named columns of equal length.

    Parameters
    ----------
    columns
        Names; ``"1"``, ``"2"``, … where the file has no header.
    values
        Position of a column → its values.
    lines
        Line (Parquet: row) of each record, 1-based.
    """

    columns: list[str]
    values: Callable[[int], list[Any]]
    lines: list[int]


def read_records(path: Path, *, named: Collection[str], quoting: Quoting) -> Records:
    """Read a file of records; text columns of tables are strings, others what the format holds.

    Parameters
    ----------
    path
        A file whose name ends as `ENDINGS` say, each save .parquet also with .gz or .zst;
        ``Path("-")`` or a name without an ending, or with a number or one of `PARTS` for it:
        found by the first line.
    named
        Columns asked for by name or, in a table without a header, by number from 1. When there are
        numbers that are not all in the first row, and no name is, there is no header.
    quoting
        See `tables.parse_table`.

    Raises
    ------
    InputError
        What `lines.read_text` and `tables.parse_table` say; an unknown ending; no records.
    """
    ending = ending_of(path)
    if ending == ".parquet":
        records = _read_parquet(path)
    else:
        text = read_text(path)
        ending = ending or ending_of_text(text, named)
        records = records_of_text(text, ending, named, quoting, path)
    refuse_empty(records, path)
    return records


def refuse_empty(records: Records, path: Path) -> None:
    """Raise `InputError` where a file holds no record."""
    if not records.lines and records.columns:
        raise InputError(f"has the columns {', '.join(records.columns)} and no rows", path=path)
    if not records.lines:
        raise InputError("is empty; give a file with texts", path=path)


def ending_of(path: Path) -> str:
    """Return the ending that tells a file's format, "" where its first line has to.

    Raises
    ------
    InputError
        For an ending that is not of `ENDINGS`.
    """
    ending = Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix
    if ending in PARTS or ending[1:].isdecimal():
        ending = ""
    if ending not in (*ENDINGS, "") or (ending == ".parquet" and path.suffix != ".parquet"):
        raise InputError(
            f"is of an unknown kind; the name ends in one of {', '.join(ENDINGS)}, with .gz or "
            ".zst if it is compressed (not .parquet)",
            path=path,
        )
    return ending


def records_of_text(
    text: str,
    ending: str,
    named: Collection[str],
    quoting: Quoting,
    path: Path,
) -> Records:
    """Return the records of a file's text; `ending` tells the format."""
    if ending in (".jsonl", ".ndjson"):
        return json_records(text, path)
    if ending == ".txt":
        return text_records(text)
    if ending == ".tsv":
        return with_header(parse_table(text, delimiter="\t", quoting=quoting, path=path), named)
    delimiter = guess_delimiter(text.partition("\n")[0])
    way: Quoting = "none" if quoting == "none" else "csv"
    return with_header(parse_table(text, delimiter=delimiter, quoting=way, path=path), named)


def text_records(text: str) -> Records:
    """Return the lines of a text as records."""
    lines = text.removesuffix("\n").split("\n") if text else []
    texts = [line.removesuffix("\r") for line in lines]
    columns = [DEFAULT_COLUMN] if texts else []
    return Records(columns, lambda _: texts, list(range(1, len(texts) + 1)))


def ending_of_text(text: str, named: Collection[str]) -> str:
    """Find the format by the first line; one text a line unless something speaks for another."""
    first = text.partition("\n")[0].removesuffix("\r")
    if first.lstrip().startswith("{"):
        try:
            parse_json(first)
            return ".jsonl"
        except ValueError:
            pass
    if named:
        return ".tsv" if "\t" in first else ".csv"
    for ending, delimiter in ((".tsv", "\t"), (".csv", ",")):
        if DEFAULT_COLUMN in [name.strip().strip('"') for name in first.split(delimiter)]:
            return ending
    return ".txt"


def with_header(grid: Grid, named: Collection[str]) -> Records:
    """Return the rows of a table by the names in its first row, or by number where it has none."""
    if not grid.rows:
        return Records([], lambda _: [], [])
    header = [name.strip() for name in grid.rows[0]]
    numbers = {name for name in named if name.isdecimal()}
    if not numbers <= set(header) and set(header).isdisjoint(set(named) - numbers):
        columns = [str(number) for number in range(1, len(header) + 1)]
        return Records(columns, lambda at: [row[at] for row in grid.rows], grid.lines)
    rows = grid.rows[1:]
    return Records(header, lambda at: [row[at] for row in rows], grid.lines[1:])


def json_records(text: str, path: Path, known: Collection[str] = ()) -> Records:
    """Return the records of JSON Lines; `known` are columns of earlier lines of the file."""
    objects: list[dict[str, Any]] = []
    lines: list[int] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ValueError as error:
            raise InputError(
                f"is not JSON ({error}); write one object a line",
                path=path,
                line=number,
            ) from error
        if not isinstance(value, dict):
            raise InputError(
                "is not a JSON object; write one object a line", path=path, line=number
            )
        objects.append(value)
        lines.append(number)
    columns = list(dict.fromkeys([*known, *(name for value in objects for name in value)]))
    return Records(
        columns, lambda at: [value.get(columns[at], MISSING) for value in objects], lines
    )


def parquet_blocks(path: Path, rows: int) -> Iterator[Records]:
    """Yield the records of a Parquet file, a block of rows at a time; at least one block."""
    import pyarrow

    file = _parquet(path)
    columns, first = list(file.schema_arrow.names), 1
    if not file.metadata.num_rows:
        yield Records(columns, lambda _: [], [])
    try:
        for batch in file.iter_batches(min(rows, _ROWS_AT_ONCE)):
            for at, name in enumerate(columns):
                _refuse_long_cell(batch.column(at), name, path, first_row=first)
            lines = list(range(first, first + batch.num_rows))
            yield Records(columns, partial(_cells, batch), lines)
            first += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            "cannot be read, the file is damaged; write it again", path=path
        ) from error


def _parquet(path: Path) -> Any:
    import pyarrow
    from pyarrow import parquet

    if not path.is_file():
        read_text(path)  # says what is wrong
    try:
        return parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            "is not a Parquet file, or is damaged; write it again", path=path
        ) from error


def _read_parquet(path: Path) -> Records:
    import pyarrow

    file = _parquet(path)
    columns = list(file.schema_arrow.names)

    def values(at: int) -> list[Any]:
        found: list[Any] = []
        try:
            for batch in file.iter_batches(_ROWS_AT_ONCE, columns=[columns[at]]):
                cells = batch.column(0)
                _refuse_long_cell(cells, columns[at], path, first_row=len(found) + 1)
                found += cells.to_pylist()
            return found
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(
                f"column '{columns[at]}' cannot be read, the file is damaged; write it again",
                path=path,
            ) from error

    return Records(columns, values, list(range(1, file.metadata.num_rows + 1)))


def without_empty_end(records: Records, first_seen: Sequence[int]) -> Records:
    """Return records without those at the end that hold nothing at all, as spreadsheets write them.

    Parameters
    ----------
    first_seen
        Columns that are empty in such rows: where they are not, no others are read.
    """
    n_empty = len(records.lines)
    for at in (*first_seen, *range(len(records.columns))):
        values = reversed(records.values(at))
        n_empty = min(n_empty, len(list(takewhile(_is_empty, values))))
        if not n_empty:
            return records
    kept = slice(len(records.lines) - n_empty)
    return Records(records.columns, lambda at: records.values(at)[kept], records.lines[kept])


def _is_empty(value: Any) -> bool:
    return value is None or value is MISSING or (isinstance(value, str) and not value.strip())


def _cells(batch: Any, at: int) -> list[Any]:
    cells: list[Any] = batch.column(at).to_pylist()
    return cells


def _refuse_long_cell(cells: Any, column: str, path: Path, *, first_row: int) -> None:
    import pyarrow
    from pyarrow import compute

    has_lengths = pyarrow.types.is_string(cells.type) or pyarrow.types.is_large_string(cells.type)
    if not has_lengths or cells.nbytes <= LONGEST_LINE:
        return
    longest = compute.binary_length(cells).fill_null(0).to_numpy(zero_copy_only=False)
    if longest.max(initial=0) > LONGEST_LINE:
        raise InputError(
            f"the cell of '{column}' is longer than {LONGEST_LINE >> 20} MB; break it up",
            path=path,
            line=first_row + int(longest.argmax()),
        )


def shown_value(value: Any) -> str:
    """Return a value for an error message: its `repr`, cut to 40 characters."""
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
