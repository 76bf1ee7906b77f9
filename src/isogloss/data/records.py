"""Files of records as columns, for `documents`: TSV, CSV, Excel, JSON Lines, Parquet, text lines.

`read_records` reads a file whole and `read_some` a block of records at a time, for `blocks`. The
format is found by the file's name, or on standard input by its first line. `documents` selects
columns and checks values.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from isogloss.data.encodings import UTF_8
from isogloss.data.lines import COMPRESSED, whole_lines
from isogloss.data.parquet_files import (
    ROWS_AT_ONCE,
    cells_of,
    open_parquet,
    parquet_batches,
    without_rows,
)
from isogloss.data.spreadsheet_cells import MARK, without_apostrophe
from isogloss.data.tables import (
    Line,
    Quoting,
    Row,
    guess_delimiter,
    said_delimiter,
    some_rows,
    table_rows,
)
from isogloss.data.workbooks import other_sheets, workbook_rows
from isogloss.errors import InputError, counted
from isogloss.progress import logger
from isogloss.storage.files import parse_json
from isogloss.totals import tell

DEFAULT_COLUMN = "text"
ENDINGS = (".tsv", ".csv", ".jsonl", ".ndjson", ".parquet", ".xlsx", ".txt")
UNPACKED = (".parquet", ".xlsx")  # which are compressed inside, and have no encoding
PARTS = (".train", ".dev", ".test")  # of a data set, as in MLDoc's english.train.1000
CHARACTERS = 1 << 24  # of lines, after which a block of them ends with fewer


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
    delimiter: str = ","  # of a table
    header: list[str] | None = None  # of a table: its columns with the blanks around their names
    batch: Any = None  # of Parquet, the same records as `pyarrow.RecordBatch`
    json_lines: list[str] | None = None  # of JSON Lines, each record as it is written


NO_RECORDS = Records([], lambda _: [], [])


@dataclass(frozen=True)
class Reading:
    """How the records of a file are read.

    Parameters
    ----------
    named
        Columns asked for by name or, in a table without a header, by number from 1. When there are
        numbers that are not all in the first row, and no name is, there is no header.
    quoting
        See `tables.table_rows`.
    encoding
        See `lines.whole_lines`.
    sheet
        Of a workbook, see `workbooks.workbook_rows`.
    """

    named: tuple[str, ...] = ()
    quoting: Quoting = "auto"
    encoding: str | None = None
    sheet: str | None = None


def read_records(path: Path, reading: Reading) -> Records:
    """Read a file of records; cells of tables are strings, others what the format holds.

    Parameters
    ----------
    path
        A file whose name ends as `ENDINGS` say, each save those `UNPACKED` also with .gz or .zst;
        ``Path("-")`` or a name without an ending, or with a number or one of `PARTS` for it:
        found by the first line.

    Raises
    ------
    InputError
        What `lines.whole_lines`, `tables.table_rows` and `workbooks.workbook_rows` say; an unknown
        ending; no records; a sheet or an encoding of a file that has none.
    """
    if ending_of(path) == ".parquet":
        _refuse_useless(reading, ".parquet", path)
        records = _read_parquet(path)
    else:
        records = next(read_some(path, reading, rows=None), NO_RECORDS)
    refuse_empty(records, path)
    return records


def read_some(
    path: Path, reading: Reading, *, rows: int | None, columns_of_parquet: list[str] | None = None
) -> Iterator[Records]:
    """Yield the records of a file, at most so many at a time; None: all, save of Parquet.

    Takes and raises what `read_records` does, and yields nothing for an empty file. Of Parquet
    `columns_of_parquet` are read alone, those of them that are there.
    """
    ending = ending_of(path)
    _refuse_useless(reading, ending, path)
    if ending == ".parquet":
        yield from parquet_blocks(path, rows or ROWS_AT_ONCE, columns_of_parquet)
        return
    if ending == ".xlsx":
        yield from _table_records(workbook_rows(path, reading.sheet), reading.named, rows)
        return
    lines = whole_lines(path, encoding=reading.encoding, keeps_mark=True)
    first = next(lines, None)
    if first is None:
        return
    has_mark = first[1].startswith(MARK)
    first = first[0], first[1].removeprefix(MARK)
    ending = ending or ending_of_text(first[1], reading.named)
    said = said_delimiter(first[1]) if ending == ".csv" else None
    lines = lines if said else chain([first], lines)
    if ending in (".tsv", ".csv"):
        delimiter = said or ("\t" if ending == ".tsv" else guess_delimiter(first[1]))
        way: Quoting = "csv" if ending == ".csv" and reading.quoting == "auto" else reading.quoting
        table = table_rows(lines, delimiter=delimiter, quoting=way, path=path)
        table = _without_apostrophes(table, path) if has_mark else table
        yield from _table_records(table, reading.named, rows, delimiter=delimiter)
        return
    columns: list[str] = []
    for block in _blocks(lines, rows):
        records = text_records(block) if ending == ".txt" else json_records(block, path, columns)
        columns = records.columns
        yield records


def _refuse_useless(reading: Reading, ending: str, path: Path) -> None:
    if reading.sheet is not None and ending != ".xlsx":
        raise InputError("has no sheets; leave --sheet out, which is for .xlsx", path=path)
    if reading.encoding not in (None, UTF_8) and ending in UNPACKED:
        raise InputError(f"a {ending} file has no encoding; leave --encoding out", path=path)


def _without_apostrophes(table: Iterator[Row], path: Path) -> Iterator[Row]:
    """Take off what was put before cells that a spreadsheet would compute, and say how often."""

    def said(n: int) -> str:
        return f"{path}: an apostrophe before {counted(n, 'cell')} (--excel puts it) was taken off"

    n = 0
    for fields, line in table:
        if any(field.startswith("'") for field in fields):
            bare = tuple(map(without_apostrophe, fields))
            n += sum(one is not other for one, other in zip(bare, fields, strict=True))
            yield bare, line
        else:
            yield fields, line
    tell(said, n, by=logger.info)


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
    if records.lines:
        return
    others = other_sheets(path)
    if records.columns:
        names = ", ".join(records.columns)
        raise InputError(f"has the columns {names} and no rows{others}", path=path)
    raise InputError(f"is empty; give a file with texts{others}", path=path)


def ending_of(path: Path) -> str:
    """Return the ending that tells a file's format, "" where its first line has to."""
    ending = Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix
    if ending in PARTS or ending[1:].isdecimal():
        ending = ""
    if path.suffix == ".xls":
        raise InputError("is an .xls workbook; save it as .xlsx or .csv", path=path)
    if ending not in (*ENDINGS, "") or (ending in UNPACKED and path.suffix != ending):
        raise InputError(
            f"is of an unknown kind; the name ends in one of {', '.join(ENDINGS)}, with .gz or "
            ".zst if it is compressed (not .parquet or .xlsx)",
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
    table: Iterator[Row], named: Collection[str], n: int | None, *, delimiter: str = ","
) -> Iterator[Records]:
    """Yield rows by the names in the first of them, or by number where it has none."""
    rows = some_rows(table, n)
    if not rows:
        return
    header: list[str] | None = list(rows[0][0])
    columns = [name.strip() for name in rows[0][0]]
    numbers = {name for name in named if name.isdecimal()}
    if not numbers <= set(columns) and set(columns).isdisjoint(set(named) - numbers):
        header, columns = None, [str(number) for number in range(1, len(columns) + 1)]
    else:
        del rows[0]
    yield Records(columns, partial(_fields, rows), [line for _, line in rows], delimiter, header)
    while n is not None and (rows := some_rows(table, n)):
        lines = [line for _, line in rows]
        yield Records(columns, partial(_fields, rows), lines, delimiter, header)


def _fields(rows: list[Row], at: int) -> list[str]:
    return [fields[at] for fields, _ in rows]


def json_records(lines: Sequence[Line], path: Path, known: Collection[str] = ()) -> Records:
    """Return the records of JSON Lines; `known` are columns of earlier lines of the file."""
    objects: list[dict[str, Any]] = []
    written: list[str] = []
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
        written.append(line.strip())
        numbers.append(number)
    columns = list(dict.fromkeys([*known, *(name for value in objects for name in value)]))
    return Records(
        columns,
        lambda at: [value.get(columns[at], MISSING) for value in objects],
        numbers,
        json_lines=written,
    )


def parquet_head(path: Path, reading: Reading) -> tuple[Records, int]:
    """Return the columns of a Parquet file without its rows, and how many there are."""
    _refuse_useless(reading, ".parquet", path)
    file = open_parquet(path)
    names = list(file.schema_arrow.names)
    batch = without_rows(file.schema_arrow, names)
    return Records(names, lambda _: [], [], batch=batch), int(file.metadata.num_rows)


def parquet_blocks(path: Path, rows: int, columns: list[str] | None = None) -> Iterator[Records]:
    """Yield the records of a Parquet file, a block of rows at a time; at least one block."""
    file, first = open_parquet(path), 1
    if not file.metadata.num_rows:
        names = columns or list(file.schema_arrow.names)
        yield Records(names, lambda _: [], [], batch=without_rows(file.schema_arrow, names))
    for batch in parquet_batches(file, path, rows=rows, columns=columns):
        lines = list(range(first, first + batch.num_rows))
        yield Records(list(batch.schema.names), partial(cells_of, batch, path), lines, batch=batch)
        first += batch.num_rows


def _read_parquet(path: Path) -> Records:
    """Return all records; a column is read when it is asked for."""
    file = open_parquet(path)
    names = list(file.schema_arrow.names)

    def values(at: int) -> list[Any]:
        blocks = parquet_blocks(path, ROWS_AT_ONCE, [names[at]])
        return [value for one in blocks for value in one.values(one.columns.index(names[at]))]

    return Records(names, values, list(range(1, file.metadata.num_rows + 1)))


def without_blank_rows(records: Records, first_seen: Sequence[int]) -> tuple[Records, list[int]]:
    """Return records without those in which nothing stands, and the lines of these.

    Those at the end, as spreadsheets write them, are not among these lines. Where none of the
    columns `first_seen` has an empty value, no others are read.
    """
    blank = list(range(len(records.lines)))
    for at in (*first_seen, *range(len(records.columns))):
        values = records.values(at) if blank else []
        blank = [row for row in blank if is_empty(values[row])]
    if not blank:
        return records, []
    is_kept = [True] * len(records.lines)
    for row in blank:
        is_kept[row] = False
    found = Records(
        records.columns,
        lambda at: list(compress(records.values(at), is_kept)),
        list(compress(records.lines, is_kept)),
    )
    last = found.lines[-1] if found.lines else 0
    return found, [line for row in blank if (line := records.lines[row]) < last]


def is_empty(value: Any) -> bool:
    """Whether a value is missing, or blank."""
    return value is None or value is MISSING or (isinstance(value, str) and not value.strip())


def shown_value(value: Any) -> str:
    """Return a value for an error message: its `repr`, cut to 40 characters."""
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
