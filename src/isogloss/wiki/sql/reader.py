r"""SQL tables of a wiki, as mysqldump writes them, streamed into columns.

Of MySQL's and MariaDB's format: one ``CREATE TABLE``, then ``INSERT INTO … VALUES (…),(…);`` of any
length, in which strings are quoted and their quotes, backslashes, line ends and zeros escaped. The
place of a column is read from ``CREATE TABLE`` (or the INSERT's own list), for schemas change.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import interrupts_wait
from isogloss.errors import InputError, did_you_mean, warn_omitted
from isogloss.wiki.sql.rows import ENDED, scan_rows
from isogloss.wiki.streams.dropped import Dropped
from isogloss.wiki.streams.streams import bytes_shown, read_chunks

# The columns that a knowledge base needs of each table.
COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "langlinks": ("ll_from", "ll_lang", "ll_title"),
        "page_props": ("pp_page", "pp_propname", "pp_value"),
        "wb_items_per_site": ("ips_item_id", "ips_site_id", "ips_site_page"),
    }
)
LARGEST_ROW = 16 << 20  # bytes; a larger one is skipped and counted

_STATEMENT = re.compile(
    rb"^(?:CREATE TABLE (?:IF NOT EXISTS )?`?(?P<created>\w+)`? \((?P<body>.*?)\n\)[^\n]*;"
    rb"|(?:INSERT(?: IGNORE)?|REPLACE) INTO `?(?P<table>\w+)`?"
    rb"(?: ?\((?P<list>[^()]*)\))? VALUES)",
    re.DOTALL | re.MULTILINE,
)
_COLUMN = re.compile(rb"^\s*`(\w+)` (\w+)", re.MULTILINE)
_NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "integer", "bigint"})
_LONGEST_HEAD = 1 << 20  # bytes of a statement before its rows
# What mysqldump and mariadb-dump write first; they end with a line of their own then.
_HEAD = re.compile(rb"(/\*M?![^\n]*\n)?-- (MySQL|MariaDB) dump")
_DATABASE = re.compile(rb"^-- Host: .*?\bDatabase: (\w+)", re.MULTILINE)
_UTF16 = (b"\xff\xfe", b"\xfe\xff", b"-\0", b"\0-")


@dataclass(frozen=True)
class Strings:
    """A column of byte strings; NULL is empty.

    Parameters
    ----------
    data
        Their bytes, unescaped, one after the other.
    offsets
        String i is ``data[offsets[i]:offsets[i + 1]]``; shape (n_rows + 1,).
    """

    data: Bytes1d
    offsets: Ints1d

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, row: int) -> bytes:
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()

    def tolist(self) -> list[bytes]:
        """Return the strings."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        return [data[start:end] for start, end in pairwise(ends)]


class Rows(NamedTuple):
    """Some rows of a table, by column; NULL is -1 among numbers."""

    n_rows: int
    numbers: dict[str, Ints1d]
    strings: dict[str, Strings]


def read_table(path: Path, table: str, *, dropped: Dropped | None = None) -> Iterator[Rows]:
    """Yield `COLUMNS` of a table's rows in order, thousands at a time; warn at the end of losses.

    Parameters
    ----------
    path
        The file: plain, gz, bz2 or zst; ``Path("-")`` is standard input. Progress is shown in its
        bytes.
    table
        Name of the table, one of `COLUMNS`; others in the file are passed over.
    dropped
        Counts rows that could not be read, and compressed bytes.

    Raises
    ------
    InputError
        When the file cannot be read, does not hold the table, or the table has no such column.
    """
    dropped = Dropped() if dropped is None else dropped
    reader = _Reader(path, table, COLUMNS[table], dropped)
    with bytes_shown(path) as advance:
        for chunk in read_chunks(path, dropped):
            advance(chunk.n_read)
            yield from reader.feed(chunk.data)
    reader.finish()
    if dropped:
        warn_omitted(f"{path}: {dropped}")


def database_of(path: Path) -> str:
    """Return the database that the head of a file names, as ``"jawiki"``; empty without one.

    Raises
    ------
    InputError
        When the file cannot be read.
    """
    chunks = read_chunks(path, Dropped())
    try:
        first = next(chunks, None)
    finally:
        if isinstance(chunks, Generator):
            chunks.close()  # else its thread reads on
    found = None if first is None else _DATABASE.search(first.data[:_LONGEST_HEAD])
    return "" if found is None else found[1].decode()


class _Reader:
    """Find the statements of a table in a stream of bytes, and their rows."""

    def __init__(self, path: Path, table: str, columns: Sequence[str], dropped: Dropped) -> None:
        self._path, self._table, self._columns, self._dropped = path, table, list(columns), dropped
        self._rest = b""  # begins with the byte before the place to resume from, if there is one
        self._is_inside = False  # of an INSERT into the table
        self._schema: dict[str, str] = {}  # column -> type
        self._order: list[str] = []
        self._others: dict[str, None] = {}
        self._is_found = False
        self._has_head: bool | None = None
        self._has_end = False

    def feed(self, data: bytes) -> Iterator[Rows]:
        place = min(1, len(self._rest))
        data = self._rest + data
        if self._has_head is None:
            if data.startswith(_UTF16):
                raise InputError(
                    "is UTF-16; mysqldump writes UTF-8: convert it with iconv -f UTF-16 -t UTF-8",
                    path=self._path,
                )
            self._has_head = _HEAD.match(data) is not None
        while True:
            if not self._is_inside:
                found = _STATEMENT.search(data, place)
                if found is None:
                    self._rest = self._open_statement(data, place)
                    return
                place = found.end()
                self._take(found)
                continue
            place, is_ended, rows = self._rows(data, place)
            if rows.n_rows:
                yield rows
            if is_ended:
                self._is_inside = False
                continue
            self._rest = data[place - 1 :]
            if len(self._rest) > LARGEST_ROW:
                self._dropped.n_rows += 1
                self._rest, self._is_inside = b"", False
            return

    def finish(self) -> None:
        if not self._is_found:
            others = ", ".join(self._others)
            raise InputError(
                f"holds no table '{self._table}'" + (f", but {others}" if others else "")
                + "; give an SQL file of the wiki's dump",
                path=self._path,
            )  # fmt: skip
        if self._is_inside:
            self._dropped.n_rows += bool(self._rest[1:].strip())
        if self._is_inside or (self._has_head and not self._has_end):
            self._dropped.ends_early = True

    def _open_statement(self, data: bytes, place: int) -> bytes:
        """Return what may be the start of a statement, to be looked at again with what follows."""
        ends = (b"\n-- Dump completed", b"\nUNLOCK TABLES")
        self._has_end |= any(data.find(end, max(0, place - 1)) >= 0 for end in ends)
        line = max(place, data.rfind(b"\n", place) + 1)
        created = data.rfind(b"CREATE TABLE", place)
        start = line if created < 0 else min(line, created)
        return data[max(start - 1, len(data) - _LONGEST_HEAD, 0) :]

    def _take(self, statement: re.Match[bytes]) -> None:
        name = (statement["created"] or statement["table"]).decode()
        self._has_end = False
        if name != self._table:
            self._others[name] = None
            return
        self._is_found = True
        if statement["created"]:
            pairs = _COLUMN.findall(statement["body"])
            self._schema = {column.decode(): kind.decode().lower() for column, kind in pairs}
            return
        listed = re.findall(r"\w+", (statement["list"] or b"").decode())
        self._order = listed or list(self._schema)
        if not self._order:
            raise InputError(
                f"does not say which columns '{self._table}' has; keep its CREATE TABLE",
                path=self._path,
            )
        for column in self._columns:
            if column not in self._order:
                raise InputError(
                    f"has no column '{column}' in '{self._table}'; "
                    + did_you_mean(column, self._order),
                    path=self._path,
                )
        self._is_inside = True

    def _rows(self, data: bytes, start: int) -> tuple[int, bool, Rows]:
        """Return where the rows that are whole end, whether the statement does, and the rows."""
        numeric = [name for name in self._columns if self._schema.get(name) in _NUMBERS]
        textual = [name for name in self._columns if name not in numeric]
        slots = np.full(len(self._order), -1, np.int64)
        for slot, name in enumerate([*numeric, *textual]):
            slots[self._order.index(name)] = slot
        raw: Any = np.frombuffer(data, np.uint8)
        most = (len(data) - start) // (2 * len(self._order)) + 2
        numbers = np.empty((len(numeric), most), np.int64)
        strings = np.empty((len(textual), len(data) - start), np.uint8)
        offsets = np.zeros((len(textual), most + 1), np.int64)
        with interrupts_wait():
            place, state, n_rows, n_omitted = scan_rows(
                raw, start, slots, numbers, strings, offsets
            )
        self._dropped.n_rows += n_omitted
        rows = Rows(
            n_rows,
            {name: numbers[slot, :n_rows].copy() for slot, name in enumerate(numeric)},
            {
                name: Strings(strings[slot, : offsets[slot, n_rows]].copy(), ends.copy())
                for slot, name in enumerate(textual)
                if (ends := offsets[slot, : n_rows + 1]) is not None
            },
        )
        return int(place), state == ENDED, rows
