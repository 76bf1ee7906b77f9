"""Files of records as columns, for `documents`: TSV, CSV, JSON Lines, Parquet, lines of text.

`read_records` reads a file whole and `read_some` a block of records at a time, for `blocks`. The
format is found by the file's name, or on standard input by its first line. `documents` selects
columns and checks values.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, takewhile
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from isogloss.data.lines import COMPRESSED, LONGEST_LINE, opened, whole_lines
from isogloss.data.tables import Line, Quoting, Row, guess_delimiter, some_rows, table_rows
from isogloss.errors import InputError
from isogloss.storage.files import parse_json

DEFAULT_COLUMN = "text"
ENDINGS = (".tsv", ".csv", ".jsonl", ".ndjson", ".parquet", ".txt")
PARTS = (".train", ".dev", ".test")  # of a data set, as in MLDoc's english.train.1000
CHARACTERS = 1 << 24  # of lines, after which a block of them ends with fewer

_ROWS_AT_ONCE = 1024  # of Parquet


class _Missing:
    """Stands for a field that a JSON object lacks."""

    def __repr__(self) -> str:
        return "missing"


MISSING = _Missing()


@dataclass(frozen=True)
class Records:
    """Named columns of equal length."""

    columns: list[str]  # "1", "2", … where the file has no header
    values: Callable[[int], list[Any]]  # position of a column → its values
    lines: list[int]  # line (Parquet: row) of each record, 1-based


NO_RECORDS = Records([], lambda _: [], [])


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
        See `tables.table_rows`.

    Raises
    ------
    InputError
        What `lines.whole_lines` and `tables.table_rows` say; an unknown ending; no records.
    """
    if ending_of(path) == ".parquet":
        records = _read_parquet(path)
    else:
        records = next(read_some(path, named=named, quoting=quoting, rows=None), NO_RECORDS)
    refuse_empty(records, path)
    return records


def read_some(
    path: Path, *, named: Collection[str], quoting: Quoting, rows: int | None
) -> Iterator[Records]:
    """Yield the records of a file, at most so many at a time; None: all, save of Parquet.

    Takes and raises what `read_records` does, and yields nothing for an empty file.
    """
    ending = ending_of(path)
    if ending == ".parquet":
        yield from parquet_blocks(path, rows or _ROWS_AT_ONCE)
        return
    lines = whole_lines(path)
    first = next(lines, None)
    if first is None:
        return
    ending = ending or ending_of_text(first[1], named)
    lines = chain([first], lines)
    if ending in (".tsv", ".csv"):
        delimiter = "\t" if ending == ".tsv" else guess_delimiter(first[1])
        way: Quoting = "csv" if ending == ".csv" and quoting == "auto" else quoting
        table = table_rows(lines, delimiter=delimiter, quoting=way, path=path)
        yield from _table_records(table, named, rows)
        return
    columns: list[str] = []
    for block in _blocks(lines, rows):
        records = text_records(block) if ending == ".txt" else json_records(block, path, columns)
        columns = records.columns
        yield records


def _blocks(lines: Iterable[Line], rows: int | None) -> Iterator[list[Line]]:
    block: list[Line] = []
    n_characters = 0
    for line in lines:
        block.append(line)
        n_characters += len(line[1])
        if rows is not None and (len(block) >= rows or n_characters >= CHARACTERS):
            yield block
            block, n_characters = [], 0
    if block:
        yield block


def refuse_empty(records: Records, path: Path) -> None:
    """Raise `InputError` where a file holds no record."""
    if not records.lines and records.columns:
        raise InputError(f"has the columns {', '.join(records.columns)} and no rows", path=path)
    if not records.lines:
        raise InputError("is empty; give a file with texts", path=path)


def ending_of(path: Path) -> str:
    """Return the ending that tells a file's format, "" where its first line has to."""
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


def text_records(lines: Sequence[Line]) -> Records:
    """Return lines of text as records."""
    texts = [line.removesuffix("\n").removesuffix("\r") for _, line in lines]
    return Records([DEFAULT_COLUMN], lambda _: texts, [number for number, _ in lines])


def ending_of_text(text: str, named: Collection[str]) -> str:
    """Find the format by the first line; one text a line unless something speaks for another."""
    first = text.partition("\n")[0].removesuffix("\r")
    if first.lstrip().startswith("{"):
        try:
            parse_json(first)
            return ".jsonl"
        except JSONDecodeError:
            pass
        except ValueError:  # told with its line by who reads it
            return ".jsonl"
    if named:
        return ".tsv" if "\t" in first else ".csv"
    for ending, delimiter in ((".tsv", "\t"), (".csv", ",")):
        if DEFAULT_COLUMN in [name.strip().strip('"') for name in first.split(delimiter)]:
            return ending
    return ".txt"


def _table_records(
    table: Iterator[Row], named: Collection[str], n: int | None
) -> Iterator[Records]:
    """Yield rows by the names in the first of them, or by number where it has none."""
    rows = some_rows(table, n)
    header = [name.strip() for name in rows[0][0]]
    numbers = {name for name in named if name.isdecimal()}
    if not numbers <= set(header) and set(header).isdisjoint(set(named) - numbers):
        header = [str(number) for number in range(1, len(header) + 1)]
    else:
        del rows[0]
    yield Records(header, partial(_fields, rows), [line for _, line in rows])
    while n is not None and (rows := some_rows(table, n)):
        yield Records(header, partial(_fields, rows), [line for _, line in rows])


def _fields(rows: list[Row], at: int) -> list[str]:
    return [fields[at] for fields, _ in rows]


def json_records(lines: Sequence[Line], path: Path, known: Collection[str] = ()) -> Records:
    """Return the records of JSON Lines; `known` are columns of earlier lines of the file."""
    objects: list[dict[str, Any]] = []
    numbers: list[int] = []
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ValueError as error:
            raise InputError(
                f"is not JSON ({error}); write one object a line", path=path, line=number
            ) from error
        if not isinstance(value, dict):
            raise InputError(
                "is not a JSON object; write one object a line", path=path, line=number
            )
        objects.append(value)
        numbers.append(number)
    columns = list(dict.fromkeys([*known, *(name for value in objects for name in value)]))
    return Records(
        columns, lambda at: [value.get(columns[at], MISSING) for value in objects], numbers
    )


def parquet_blocks(path: Path, rows: int, columns: list[str] | None = None) -> Iterator[Records]:
    """Yield the records of a Parquet file, a block of rows at a time; at least one block."""
    import pyarrow

    file = _parquet(path)
    names, first = columns or list(file.schema_arrow.names), 1
    if not file.metadata.num_rows:
        yield Records(names, lambda _: [], [])
    try:
        for batch in file.iter_batches(min(rows, _ROWS_AT_ONCE), columns=columns):
            for at, name in enumerate(names):
                _refuse_long_cell(batch.column(at), name, path, first_row=first)
            lines = list(range(first, first + batch.num_rows))
            yield Records(names, partial(_cells, batch, path), lines)
            first += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            "cannot be read, the file is damaged; write it again", path=path
        ) from error


def _parquet(path: Path) -> Any:
    import pyarrow
    from pyarrow import parquet

    if not path.is_file():
        with opened(path):  # says what is wrong
            pass
    try:
        return parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            "is not a Parquet file, or is damaged; write it again", path=path
        ) from error


def _read_parquet(path: Path) -> Records:
    """Return all records; a column is read when it is asked for."""
    file = _parquet(path)
    names = list(file.schema_arrow.names)

    def values(at: int) -> list[Any]:
        blocks = parquet_blocks(path, _ROWS_AT_ONCE, [names[at]])
        return [value for block in blocks for value in block.values(0)]

    return Records(names, values, list(range(1, file.metadata.num_rows + 1)))


def without_empty_end(records: Records, first_seen: Sequence[int]) -> Records:
    """Return records without those at the end that hold nothing at all, as spreadsheets write them.

    Where one of the columns `first_seen` is not empty, no others are read.
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


def _cells(batch: Any, path: Path, at: int) -> list[Any]:
    try:
        cells: list[Any] = batch.column(at).to_pylist()
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(
            f"a cell of '{batch.schema.names[at]}' cannot be read ({error}); write the file again",
            path=path,
        ) from error
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
