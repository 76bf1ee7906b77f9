import csv
import io
import warnings
from pathlib import Path

import pytest

from isogloss.data.tables import some_rows, table_rows
from isogloss.errors import InputError

PATH = Path("a.tsv")


def rows_of(text, quoting="auto"):
    lines = enumerate(io.StringIO(text, newline="\n"), 1)
    read = some_rows(table_rows(lines, delimiter="\t", quoting=quoting, path=PATH), None)
    return [(list(row), line) for row, line in read]


def fields(text, quoting="auto"):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return [row[0] for row, _ in rows_of(text, quoting)]


def test_line_breaks_in_quotes_and_where_rows_begin():
    text = 't\tl\n"первая\nвторая ""да"""\tx\nz\ty\n'
    rows = [(["t", "l"], 1), (['первая\nвторая "да"', "x"], 2), (["z", "y"], 4)]
    assert rows_of(text) == rows


def test_stray_quotes_are_text():
    assert fields('t\tl\nsay "はい" now\tx\n"open\ty\n') == ["t", 'say "はい" now', '"open']
    assert fields('t\tl\nsay "はい" now\tx\n"closed"\ty\n') == ["t", 'say "はい" now', '"closed"']


def test_doubled_quotes_are_csv():
    assert fields('t\tl\n"say ""はい"" now"\tx\n') == ["t", 'say "はい" now']


@pytest.mark.parametrize(
    "rows",
    ['"नमस्ते"\tx\n', '"say ""a"""\tx\nb "c" d\ty\n'],
    ids=["only whole fields", "both kinds"],
)
def test_what_stays_open_is_said_and_settled_by_the_option(rows):
    text = "t\tl\n" + rows
    with pytest.warns(UserWarning, match=r"a\.tsv: quotes can be read .* --quoting none"):
        read = rows_of(text)
    assert [row[0] for row, _ in read] == fields(text, "csv")
    assert fields(text, "none") == [line.split("\t")[0] for line in text.splitlines()]
    assert fields(text, "none") != fields(text, "csv")


def test_one_column_with_line_breaks_is_said():
    with pytest.warns(UserWarning, match="taken as CSV"):
        assert rows_of('t\n"a\nb"\n') == [(["t"], 1), (["a\nb"], 2)]


def test_forced_quoting_that_does_not_fit():
    with pytest.raises(InputError, match=r"a\.tsv:2: has 1 field.*--quoting csv"):
        fields('t\tl\n"a\nb"\tx\n', "none")
    with pytest.raises(InputError, match=r"a\.tsv:2: .*--quoting none"):
        fields('t\tl\n"a" b\tx\n', "csv")


def test_when_neither_fits_the_row_that_got_furthest_is_named():
    with pytest.raises(InputError, match=r"a\.tsv:4:"):
        fields('t\tl\n"a\nb"\tx\n"c" d\ty\n')


@pytest.mark.parametrize("blank", ["", "  ", "\t\t\t"])
@pytest.mark.parametrize("quoting", ["csv", "none", "auto"])
def test_blank_lines_at_the_end_go_and_others_are_rows_of_empty_cells(blank, quoting):
    text = f"t\tl\na\tb\n{blank}\n{blank}\nc\td\n{blank}\n{blank}\n"
    empty = ["", ""]
    rows = [(["t", "l"], 1), (["a", "b"], 2), (empty, 3), (empty, 4), (["c", "d"], 5)]
    assert rows_of(text, quoting) == rows


def test_blank_lines_of_a_single_column_are_texts():
    assert fields("t\n\na\n\n") == ["t", "", "a", ""]
    with pytest.raises(InputError, match=r"a\.tsv:3: has 1 field"):
        fields("t\tl\n\nx\n")


def test_long_fields_and_the_global_limit():
    before = csv.field_size_limit()
    long = "港" * 200_000
    assert fields(f't\tl\n"{long}\n"\tx\n') == ["t", long + "\n"]
    assert csv.field_size_limit() == before
