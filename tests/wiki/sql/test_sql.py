r"""SQL tables in the genuine mysqldump format.

No real table is at hand: these are written here as mysqldump 8 and mariadb-dump write them (MySQL
8.0 manual, "mysqldump" and "String Literals"; mysql_real_escape_string's list of escapes), with the
columns of MediaWiki's and Wikibase's documented schemas, old and new.
"""

import gzip
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.errors import InputError, OmissionWarning
from isogloss.wiki.sql.reader import COLUMNS, Strings, read_table
from isogloss.wiki.streams.dropped import Dropped

HEAD = """-- MySQL dump 10.19  Distrib 10.3.38-MariaDB, for debian-linux-gnu (x86_64)
--
-- Host: db1    Database: jawiki
-- ------------------------------------------------------
/*!40101 SET NAMES utf8mb4 */;

DROP TABLE IF EXISTS `{table}`;
/*!40101 SET @saved_cs_client     = @@character_set_client */;
CREATE TABLE `{table}` (
{columns}
) ENGINE=InnoDB AUTO_INCREMENT=5016541 DEFAULT CHARSET=binary;
/*!40101 SET character_set_client = @saved_cs_client */;

--
-- Dumping data for table `{table}`
--

LOCK TABLES `{table}` WRITE;
/*!40000 ALTER TABLE `{table}` DISABLE KEYS */;
"""
TAIL = """/*!40000 ALTER TABLE `{table}` ENABLE KEYS */;
UNLOCK TABLES;
/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE */;

-- Dump completed on 2024-02-02  2:02:02
"""
# Column -> type, in the order of the schema; keys follow the columns.
SCHEMAS = {
    "langlinks": """  `ll_from` int(8) unsigned NOT NULL DEFAULT 0,
  `ll_lang` varbinary(35) NOT NULL DEFAULT '',
  `ll_title` varbinary(255) NOT NULL DEFAULT '',
  PRIMARY KEY (`ll_from`,`ll_lang`)""",
    "page_props": """  `pp_page` int(11) NOT NULL,
  `pp_propname` varbinary(60) NOT NULL,
  `pp_value` blob NOT NULL,
  `pp_sortkey` float DEFAULT NULL,
  PRIMARY KEY (`pp_page`,`pp_propname`)""",
    "page_props (2013)": """  `pp_page` int(11) NOT NULL,
  `pp_propname` varbinary(60) NOT NULL,
  `pp_value` blob NOT NULL,
  UNIQUE KEY `pp_page_propname` (`pp_page`,`pp_propname`)""",
    "wb_items_per_site": """  `ips_row_id` bigint(20) unsigned NOT NULL AUTO_INCREMENT,
  `ips_item_id` int(10) unsigned NOT NULL,
  `ips_site_id` varbinary(32) NOT NULL,
  `ips_site_page` varbinary(310) NOT NULL,
  PRIMARY KEY (`ips_row_id`)""",
}
ESCAPES = {0: b"\\0", 10: b"\\n", 13: b"\\r", 26: b"\\Z", 34: b'\\"', 39: b"\\'", 92: b"\\\\"}


def literal(value: Any, style: str = "") -> bytes:
    if value is None:
        return b"NULL"
    if not isinstance(value, bytes):
        return str(value).encode()
    if style == "hex" and value:
        return b"0x" + value.hex().upper().encode()
    quoted = b"'" + b"".join(ESCAPES.get(byte, bytes([byte])) for byte in value) + b"'"
    if style == "doubled":
        quoted = b"'" + value.replace(b"\\", b"\\\\").replace(b"'", b"''").replace(
            b"\n", b"\\n"
        ) + b"'"  # fmt: skip
    return b"_binary " + quoted if style == "binary" else quoted


def dump_of(
    schema: str, rows: list[tuple[Any, ...]], *, style: str = "", in_one: int = 500
) -> bytes:
    table = schema.split()[0]
    parts = [HEAD.format(table=table, columns=SCHEMAS[schema]).encode()]
    for first in range(0, len(rows), in_one):
        lines = [
            b"(" + b",".join(literal(value, style) for value in row) + b")"
            for row in rows[first : first + in_one]
        ]
        between = b",\n" if style == "lines" else b","
        start = b"\n" if style == "lines" else b" "
        parts.append(b"INSERT INTO `%s` VALUES%s" % (table.encode(), start))
        parts += [between.join(lines), b";\n"]
    return b"".join(parts) + TAIL.format(table=table).encode()


TITLES = [
    "東京大学", "O'Brien", 'a"b\\c', "x),(y", "')--", "\n\r\t\0\x1a\b", "", "NULL", "a,b;", "'",
    "\\",
]  # fmt: skip


def some_rows(schema: str, n_rows: int, seed: int = 0) -> list[tuple[Any, ...]]:
    rng = random.Random(seed)
    kinds = [line.split()[1] for line in SCHEMAS[schema].splitlines() if line.startswith("  `")]
    rows = []
    for i in range(n_rows):
        row: list[Any] = []
        for kind in kinds:
            if kind.startswith(("int", "bigint", "tinyint")):
                row.append(i + 1 if not row else rng.choice([0, 1, -2, 4_000_000_000, i]))
            elif kind in ("double", "float"):
                row.append(rng.choice([0.5, 1e-7, -3.25]))
            else:
                title = rng.choice(TITLES) + rng.choice(TITLES)
                row.append(rng.choice([title.encode(), rng.randbytes(rng.randrange(9))]))
        rows.append(tuple(row))
    return rows


def read(path: Path, table: str) -> tuple[list[Any], Dropped]:
    dropped, got = Dropped(), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for rows in read_table(path, table, dropped=dropped):
            lists = {
                name: column.tolist() for name, column in {**rows.numbers, **rows.strings}.items()
            }
            assert {len(column) for column in lists.values()} == {rows.n_rows}
            got += zip(*(lists[name] for name in COLUMNS[table]), strict=True)
    assert [str(warning.message) for warning in caught] == (
        [f"{path}: {dropped}"] if dropped else []
    )
    return got, dropped


def wanted(schema: str, rows: list[tuple[Any, ...]], names: tuple[str, ...]) -> list[Any]:
    order = [line.split("`")[1] for line in SCHEMAS[schema].splitlines() if line.startswith("  `")]
    places = [order.index(name) for name in names]
    return [tuple(row[place] for place in places) for row in rows]


@pytest.mark.parametrize("style", ["", "hex", "binary", "doubled", "lines"])
@pytest.mark.parametrize("schema", SCHEMAS)
def test_rows_are_those_written(tmp_path: Path, schema: str, style: str) -> None:
    table, path = schema.split()[0], tmp_path / "table.sql"
    rows = some_rows(schema, 2000)
    if style == "hex":  # mysqldump writes an empty string as ''
        assert literal(b"", "hex") == b"''"
    path.write_bytes(dump_of(schema, rows, style=style))
    got, dropped = read(path, table)
    assert got == wanted(schema, rows, COLUMNS[table])
    assert not dropped


@pytest.mark.parametrize("n_bytes", [1, 7, 64, 1000])
def test_a_row_may_lie_across_chunks(
    tmp_path: Path, n_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.wiki.streams.streams._READ", n_bytes)
    path, rows = tmp_path / "props.sql", some_rows("page_props", 40 if n_bytes == 1 else 200)
    path.write_bytes(dump_of("page_props", rows, in_one=30))
    got, dropped = read(path, "page_props")
    assert got == wanted("page_props", rows, COLUMNS["page_props"])
    assert not dropped


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-(10**17), 10**17), st.binary(max_size=30)), max_size=9),
    st.sampled_from(["", "hex", "binary", "doubled"]),
)
def test_any_bytes_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, bytes]], style: str
) -> None:
    path = tmp_path_factory.mktemp("sql") / "langlinks.sql"
    written = [(number, b"ja", title) for number, title in rows]
    path.write_bytes(dump_of("langlinks", written, style=style))
    assert read(path, "langlinks") == (written, Dropped())


def test_null(tmp_path: Path) -> None:
    path = tmp_path / "langlinks.sql.gz"
    rows = [(1, None, b"A"), (None, b"de", None), (-1, b"", b"B")]
    path.write_bytes(gzip.compress(dump_of("langlinks", rows)))
    assert read(path, "langlinks")[0] == [(1, b"", b"A"), (-1, b"de", b""), (-1, b"", b"B")]


def test_strings_are_a_column() -> None:
    data = np.frombuffer("ab港".encode(), np.uint8)
    strings = Strings(data, np.array([0, 2, 2, 5]))
    assert len(strings) == 3
    assert strings.tolist() == [b"ab", b"", "港".encode()]
    assert (strings[0], strings[1], strings[2]) == (b"ab", b"", "港".encode())


def test_other_tables_of_a_file_are_passed_over(tmp_path: Path) -> None:
    path, rows = tmp_path / "all.sql", some_rows("page_props", 300)
    trap = [(1, b"fr", b"\nINSERT INTO `page_props` VALUES (7,'x','y',NULL);")]
    path.write_bytes(
        dump_of("wb_items_per_site", some_rows("wb_items_per_site", 3000))
        + dump_of("langlinks", trap)
        + dump_of("page_props", rows)
        + dump_of("wb_items_per_site", some_rows("wb_items_per_site", 9))
    )
    expected = wanted("page_props", rows, COLUMNS["page_props"])
    assert read(path, "page_props") == (expected, Dropped())


def test_an_insert_may_name_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "page.sql"
    path.write_text(
        "INSERT IGNORE INTO `langlinks` (`ll_title`, `ll_from`, `ll_lang`) VALUES ('A',5,'fr');\n"
        "REPLACE INTO langlinks (ll_title,ll_from,ll_lang) VALUES ('B','6','de');\n"
    )
    # Without CREATE TABLE nothing says that ll_from is a number.
    assert read(path, "langlinks")[0] == [(b"5", b"fr", b"A"), (b"6", b"de", b"B")]
    whole = dump_of("langlinks", []).decode().partition("LOCK TABLES")[0]
    path.write_text(whole + path.read_text() + "-- Dump completed on 2024\n")
    assert read(path, "langlinks") == ([(5, b"fr", b"A"), (6, b"de", b"B")], Dropped())


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"x\n", "holds no table 'langlinks'; give an SQL file of the wiki's dump"),
        (dump_of("page_props", [])[:900], "holds no table 'langlinks', but page_props; give"),
        (b"<html>", "holds no table"),
        (b"INSERT INTO `langlinks` VALUES (1,'a','b');", "keep its CREATE TABLE"),
        (
            dump_of("langlinks", [(1, b"a", b"b")]).replace(b"ll_title", b"ll_titel"),
            "has no column 'll_title' in 'langlinks'; did you mean 'll_titel'?",
        ),
    ],
)
def test_what_holds_no_such_table(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "langlinks.sql"
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        list(read_table(path, "langlinks"))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


ROWS = [(i, b"fr", f"page {i}".encode()) for i in range(1000)]


@pytest.mark.parametrize(
    "share",
    [
        pytest.param(share, marks=() if share in (0, 7, 19) else pytest.mark.full)
        for share in range(20)
    ],
)
@pytest.mark.parametrize("is_compressed", [False, True])
def test_cut_off_anywhere(tmp_path: Path, share: int, is_compressed: bool) -> None:
    path, data = tmp_path / "langlinks.sql", dump_of("langlinks", ROWS, in_one=300)
    data = gzip.compress(data) if is_compressed else data
    path.write_bytes(data[: 700 + (len(data) - 700) * share // 20])
    got, dropped = read(path, "langlinks")
    assert got == ROWS[: len(got)]
    assert len(got) > 1000 * (share - 1) // 20 - 30
    assert dropped.ends_early
    assert dropped.n_rows <= 1
    assert dropped.n_streams == is_compressed


@pytest.mark.parametrize(
    ("old", "new", "n_omitted"),
    [
        (b"(7,'fr','page 7')", b"(7,'fr','page 7", 1),  # cut in half, then a comma
        (b"(7,'fr','page 7')", b"(7,'fr')", 1),
        (b"(7,'fr','page 7')", b"(7,'fr','page 7','more')", 1),
        (b"(7,'fr','page 7')", b"(seven,'fr','page 7')", 1),
        (b"(7,'fr','page 7')", b"(7.5,'fr','page 7')", 1),
        (b"(7,'fr','page 7')", b"(99999999999999999999,'fr','page 7')", 1),
        (b"(7,'fr','page 7')", b"(7,fr'x,'page 7')", 1),
        (b"(7,'fr','page 7')", b"(,'fr','page 7')", 1),
        (b"(7,'fr','page 7')", b"()", 1),
        (b"(7,'fr','page 7')", b"7,'fr','page 7'", 1),
        (b"(7,'fr','page 7')", b"\xff\x00\x01", 1),
        (b"(7,'fr','page 7')", b"(7,0x,'page 7')", 1),
        (b"(7,'fr','page 7')", b"(7,_binary 5,'page 7')", 1),
    ],
)
def test_a_damaged_row_is_counted(tmp_path: Path, old: bytes, new: bytes, n_omitted: int) -> None:
    path, data = tmp_path / "langlinks.sql", dump_of("langlinks", ROWS)
    assert data.count(old) == 1
    path.write_bytes(data.replace(old, new))
    got, dropped = read(path, "langlinks")
    assert set(got) <= set(ROWS)
    assert 1000 - len(got) in (1, 2)  # what is read of a row without its end takes the next along
    assert dropped.n_rows == n_omitted
    assert str(dropped) == "lost: 1 row"


def test_a_statement_that_breaks_off_in_the_middle(tmp_path: Path) -> None:
    path, data = tmp_path / "langlinks.sql", dump_of("langlinks", ROWS, in_one=100)
    for end in (b"(107,'fr','pa", b"(107,'fr','page 107'", b"(107,'fr','page 107')", b"(1"):
        start = data.index(b"(107,'fr'")
        path.write_bytes(data[:start] + end + data[data.index(b"\nINSERT", start) :])
        got, dropped = read(path, "langlinks")
        assert got == [*ROWS[: 107 + (end[-1:] == b")")], *ROWS[200:]]
        assert dropped.n_rows == 1


def test_random_damage(tmp_path: Path) -> None:
    path, rng, whole = tmp_path / "page.sql", random.Random(0), dump_of("langlinks", ROWS)
    for _ in range(60):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 60)):
            data[rng.randrange(1000, len(data) - 300)] = rng.choice(b"'\\(),;\n0x\xff\0")
        path.write_bytes(data)
        got, dropped = read(path, "langlinks")
        assert dropped or len(got) > 900
        assert len(got) <= 1060


def test_a_row_without_end_takes_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.wiki.sql.reader.LARGEST_ROW", 100_000)
    path, data = tmp_path / "langlinks.sql.gz", dump_of("langlinks", ROWS, in_one=500)
    torn = data.replace(b"'page 7'", b"'" + b"x" * 3_000_000)
    path.write_bytes(gzip.compress(torn))
    got, dropped = read(path, "langlinks")
    assert got == [*ROWS[:7], *ROWS[500:]]
    assert dropped.n_rows == 1


def test_a_loss_is_said(tmp_path: Path) -> None:
    path = tmp_path / "langlinks.sql"
    path.write_bytes(dump_of("langlinks", ROWS)[:-900])
    with pytest.warns(
        OmissionWarning, match=r"langlinks\.sql: lost: 1 row; the end of the file is"
    ):
        list(read_table(path, "langlinks"))
