"""Documents of a file in blocks, for `encode` and `kb link`: memory does not grow with the file.

A .tsv with quotes is read whole from the first line that holds one, unless the quoting is given.
"""

import io
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from isogloss.data.documents import Documents, FileFormat, documents_of
from isogloss.data.lines import whole_lines
from isogloss.data.records import (
    Records,
    ending_of,
    ending_of_text,
    json_records,
    parquet_blocks,
    refuse_empty,
    text_records,
    with_header,
)
from isogloss.data.tables import (
    Grid,
    csv_rows,
    guess_delimiter,
    long_fields,
    parse_table,
    wrong_width,
)
from isogloss.errors import InputError

ROWS = 8192  # of a block
CHARACTERS = 1 << 24  # of its texts, after which a block of lines ends with fewer rows

Lines = Iterator[tuple[int, str]]
Rows = Iterator[tuple[list[str], int]]


def read_blocks(path: Path | str, *, format: FileFormat, rows: int = ROWS) -> Iterator[Documents]:
    """Yield the documents of a file without their labels, in order, at least one block.

    Parameters
    ----------
    path, format
        As `read_documents` takes them.
    rows
        Most documents of a block, save where a file is read whole.

    Raises
    ------
    InputError
        What `read_documents` does; where the fault is in a later block, when that is reached.
    """
    path = Path(path)
    is_empty = True
    records = Records([], lambda _: [], [])
    for records in _records(path, format, rows):
        if records.lines:
            yield documents_of(records, path, format)
            is_empty = False
    if is_empty:
        refuse_empty(records, path)


def _records(path: Path, format: FileFormat, rows: int) -> Iterator[Records]:
    ending = ending_of(path)
    if ending == ".parquet":
        yield from parquet_blocks(path, rows)
        return
    lines: Lines = whole_lines(path)
    first = next(lines, None)
    if first is None:
        return
    ending = ending or ending_of_text(first[1], format.named)
    lines = chain([first], lines)
    if ending in (".tsv", ".csv"):
        yield from _table_records(lines, first[1], ending, path, format, rows)
    else:
        yield from _line_records(lines, ending, path, rows)


def _line_records(lines: Lines, ending: str, path: Path, rows: int) -> Iterator[Records]:
    """Yield records of lines that are documents."""
    columns: list[str] = []
    for first, text in _joined(lines, rows):
        try:
            found = text_records(text) if ending == ".txt" else json_records(text, path, columns)
        except InputError as error:
            if error.line is None:
                raise
            message = str(error).removeprefix(f"{path}:{error.line}: ")
            raise InputError(message, path=path, line=error.line + first - 1) from error
        columns = found.columns
        yield replace(found, lines=[line + first - 1 for line in found.lines])


def _joined(lines: Lines, rows: int) -> Iterator[tuple[int, str]]:
    """Yield the number of a block's first line, and its lines joined."""
    block: list[str] = []
    first = n_characters = 0
    for number, line in lines:
        first = first or number
        block.append(line)
        n_characters += len(line)
        if len(block) >= rows or n_characters >= CHARACTERS:
            yield first, "".join(block)
            block, first, n_characters = [], 0, 0
    if block:
        yield first, "".join(block)


def _table_records(
    lines: Lines, header: str, ending: str, path: Path, format: FileFormat, rows: int
) -> Iterator[Records]:
    delimiter = "\t" if ending == ".tsv" else guess_delimiter(header)
    is_quoted = format.quoting == "csv" or (ending == ".csv" and format.quoting == "auto")
    if is_quoted:
        how = " when read with CSV quoting"
        read = csv_rows(_lines_of_csv(lines), delimiter, path)
    else:
        how = ""
        read = _plain_rows(lines, header, delimiter, path, may_be_quoted=format.quoting == "auto")
    checked = _checked(read, path, how)
    columns: list[str] | None = None
    while True:
        with long_fields():
            block = list(islice(checked, rows))
        if not block:
            return
        grid = Grid([row for row, _ in block], [line for _, line in block])
        if columns is None:
            found = with_header(grid, format.named)
            columns = found.columns
            yield found
        else:
            yield Records(columns, partial(_column, grid), grid.lines)


def _column(grid: Grid, at: int) -> list[str]:
    return [row[at] for row in grid.rows]


def _lines_of_csv(lines: Lines) -> Iterator[str]:
    for _, line in lines:
        if "\r" in line:
            yield from io.StringIO(line, newline="")
        else:
            yield line


def _plain_rows(
    lines: Lines, header: str, delimiter: str, path: Path, *, may_be_quoted: bool
) -> Rows:
    for number, line in lines:
        if may_be_quoted and '"' in line:
            head = header if number > 1 else ""
            before = number - 1 - bool(head)
            text = head + line + "".join(rest for _, rest in lines)
            try:
                grid = parse_table(text, delimiter=delimiter, quoting="auto", path=path)
            except InputError as error:
                message = str(error).removeprefix(f"{path}:{error.line}: ")
                raise InputError(message, path=path, line=(error.line or 0) + before) from error
            for row, start in list(zip(grid.rows, grid.lines, strict=True))[bool(head) :]:
                yield row, start + before
            return
        yield line.removesuffix("\n").removesuffix("\r").split(delimiter), number


def _checked(read: Rows, path: Path, how: str) -> Rows:
    """Refuse rows of another length than the first; leave out blank lines at the end."""
    width = 0
    blank: int | None = None  # line of the first blank one, at the end so far
    for row, line in read:
        width = width or len(row)
        if width > 1 and row == [""]:
            blank = blank or line
            continue
        if blank is not None:
            raise wrong_width(1, width, path, blank, how)
        if len(row) != width:
            raise wrong_width(len(row), width, path, line, how)
        yield row, line
