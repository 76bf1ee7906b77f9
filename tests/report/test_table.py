import csv
import io
import json

import numpy as np
import pytest
from pyarrow import parquet
from rich.console import Console

from isogloss.errors import InputError
from isogloss.report.table import Table

ROWS = [
    {"lang": "sw", "n": 99, "accuracy": 0.78123, "accuracy_low": 0.7, "accuracy_high": 0.8512},
    {"lang": "日本語", "n": 7, "accuracy": float("nan"), "accuracy_low": None},
]


def printed(table, width=80):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    table.render(console)
    return console.file.getvalue()


def test_json_keeps_precision_and_has_null_for_nan():
    rows = json.loads(Table(ROWS).to_json())
    assert rows[0]["accuracy"] == 0.78123
    assert rows[1] == {
        "lang": "日本語", "n": 7, "accuracy": None, "accuracy_low": None, "accuracy_high": None
    }  # fmt: skip
    nested = Table([{"a": [float("inf"), 1.5], "b": {"c": float("nan")}}])
    assert json.loads(nested.to_json()) == [{"a": [None, 1.5], "b": {"c": None}}]
    assert json.loads(Table([]).to_json()) == []


def test_it_says_how_many_rows_it_has():
    assert repr(Table([{"n": 1}])) == "Table(1 row, columns=['n'])"
    assert repr(Table([{"n": 1}, {"n": 2}])) == "Table(2 rows, columns=['n'])"


def test_numpy_values_are_plain():
    row = {"a": np.float32(0.5), "b": np.int64(3), "c": np.bool_(True), "d": np.arange(2)}
    assert json.loads(Table([row]).to_json()) == [{"a": 0.5, "b": 3, "c": True, "d": [0, 1]}]
    assert json.loads(Table([{"a": np.float64("nan")}]).to_json()) == [{"a": None}]


def test_csv_quotes_what_needs_it_and_leaves_the_rest():
    table = Table(
        [{"text": 'she said "否",\nyes', "x": 1.25, "y": None}, {"text": "=1+1", "y": True}]
    )
    read = list(csv.reader(io.StringIO(table.to_csv(), newline="")))
    assert read == [
        ["text", "x", "y"],
        ['she said "否",\nyes', "1.25", ""],
        ["=1+1", "", "true"],
    ]


def test_markdown_folds_intervals_and_rounds():
    assert Table(ROWS, caption="Kiswahili | 日本語").to_markdown() == (
        "| lang | n | accuracy |\n"
        "| :--- | ---: | ---: |\n"
        "| sw | 99 | 0.781 [0.70, 0.85] |\n"
        "| 日本語 | 7 |  |\n"
        "\n"
        "Kiswahili \\| 日本語\n"
    )


def test_interval_needs_both_ends():
    row = {"f1": 0.5, "f1_low": 0.25}
    assert Table([row]).to_markdown().splitlines()[2] == "| 0.500 | 0.250 |"
    assert Table([row], columns=["f1"]).to_markdown().splitlines()[2] == "| 0.500 |"


def test_markdown_cells_stay_in_their_cells():
    markdown = Table([{"text": "a|b\r\nc\\ <b>नमस्ते"}]).to_markdown()
    assert markdown.splitlines()[2] == "| a\\|b<br>c\\\\ &lt;b>नमस्ते |"


def test_tiny_numbers_are_not_shown_as_zero():
    cells = Table([{"p": 0.00002, "q": 0.0, "r": -1.5}]).to_markdown().splitlines()[2]
    assert cells == "| 2.0e-05 | 0.000 | -1.500 |"


def test_the_numbers_of_a_column_are_written_in_one_way():
    values = [0.9998, 0.00011, 0.0, -0.0004, [0.5, 0.00011]]
    table = Table([{"p": value} for value in values])
    assert table.as_shown()[0].cells == ["1.000", "<0.001", "0.000", ">-0.001", "0.500, <0.001"]
    assert table.to_csv().splitlines()[2] == "0.00011"
    tiny = Table([{"p": 0.00011}, {"p": -2e-9}, {"p": 0.0}])
    assert tiny.as_shown()[0].cells == ["1.1e-04", "-2.0e-09", "0.000"]


def test_columns_choose_and_order():
    table = Table(ROWS, columns=["n", "lang", "unknown"])
    assert table.to_csv().splitlines() == ["n,lang,unknown", "99,sw,", "7,日本語,"]


def test_terminal_aligns_wide_characters_and_prints_text_as_it_is():
    out = printed(Table([{"name": "東京[red]", "n": 1}, {"name": "Oslo", "n": 22}], caption="Ünï"))
    rows = [line for line in out.splitlines() if "東京" in line or "Oslo" in line]
    assert "東京[red]" in out
    assert "Ünï" in out
    wide = len(rows[0].rstrip()) + 2  # two characters of two cells each
    assert wide == len(rows[1].rstrip())


def test_parquet_round_trip(tmp_path):
    path = tmp_path / "t.parquet"
    Table([*ROWS, {"lang": "mean", "n": 53.0}]).to_parquet(path)
    read = parquet.read_table(path).to_pylist()
    assert [row["lang"] for row in read] == ["sw", "日本語", "mean"]
    assert [row["n"] for row in read] == [99, 7, 53]
    assert [row["accuracy"] for row in read] == [0.78123, None, None]
    Table([{"x": 1}, {"x": "één"}, {"x": None}]).to_parquet(path, overwrite=True)
    assert [row["x"] for row in parquet.read_table(path).to_pylist()] == ["1", "één", None]


@pytest.mark.parametrize("ending", ["json", "csv", "md", "parquet"])
def test_write_by_ending_refuses_to_replace(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    Table(ROWS).write(path)
    before = path.read_bytes()
    with pytest.raises(InputError, match="already exists"):
        Table([]).write(path)
    assert path.read_bytes() == before
    Table(ROWS[:1]).write(path, overwrite=True)
    assert path.read_bytes() != before
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_write_refuses_other_endings(tmp_path):
    with pytest.raises(InputError, match=r"\.json, \.csv, \.parquet, \.md"):
        Table(ROWS).write(tmp_path / "table.xlsx")
    assert not list(tmp_path.iterdir())


WIDE = {"lang": "sw", "n": 99, "n_unseen_label": 3, "accuracy": 0.7812, "accuracy_low": 0.7,
        "accuracy_high": 0.85, "expected_calibration_error": 0.25, "n_dropped": 7}  # fmt: skip


@pytest.mark.parametrize("width", [36, 50, 60, 80, 100, 120, 240])
def test_a_table_fits_its_terminal_and_no_number_is_cut(width):
    out = printed(Table([WIDE, WIDE | {"lang": "zh-Hant"}], minor=["n_dropped", "n"]), width)
    assert max(len(line.rstrip()) for line in out.splitlines()) <= width
    assert "…" not in out
    assert out.count("0.781 [0.70, 0.85]") == 2
    assert out.count("0.250") == 2


def test_headers_break_before_columns_go_and_what_goes_is_said():
    table = Table([WIDE], minor=["n_dropped", "nothing", "n"], caption="A sentence.")
    whole = printed(table, 120)
    assert "expected_calibration_error" in whole
    assert "Not shown" not in whole
    broken = printed(table, 80)
    assert [line.split()[-2:] for line in broken.splitlines()[1:4]][-1] == ["error", "dropped"]
    assert "Not shown" not in broken
    less = " ".join(printed(table, 60).split())
    assert "A sentence. Not shown for want of room: n_dropped." in less
    least = " ".join(printed(table, 50).split())
    assert "Not shown for want of room: n_dropped, n." in least


def test_the_rest_comes_in_parts_with_the_first_column():
    row = {"lang": "sw"} | {f"row {number}": f"0.{number}00 ±0.010 ▲" for number in range(9)}
    out = printed(Table([row], caption="A sentence."), 60)
    lines = [line for line in out.splitlines() if "±" in line]
    assert len(lines) == 3
    assert all(line.split()[0] == "sw" for line in lines)
    assert sum(line.count("±0.010 ▲") for line in lines) == 9
    assert out.count("A sentence.") == 1


def test_long_texts_fold_and_nothing_is_printed_of_no_columns():
    out = printed(Table([{"lang": "sw", "text": "word " * 40}]), 60)
    assert out.count("word") == 40
    assert printed(Table([])).strip() == ""


def test_a_terminal_shows_plain_titles_and_no_columns_of_zeros():
    rows = [{"lang": "sw", "n_dropped": 0, "truncated": 0}, {"lang": "ja", "n_dropped": 2}]
    table = Table(rows, sparse=["n_dropped", "truncated"], titles={"n_dropped": "names dropped"})
    out = printed(table)
    assert "names dropped" in out
    assert "truncated" not in out
    assert "truncated" in table.to_csv()
    assert "n_dropped" in table.to_markdown()


def test_latex_is_of_booktabs_rounded_and_escaped():
    rows = [
        {"lang": "[sw]", "a_b": 0.78123, "a_b_low": 0.7, "a_b_high": 0.8512},
        {"lang": "50 % & {$#^~\\\\<>}\nnew", "a_b": None},
    ]
    assert Table(rows, caption="ไทย_1").to_latex() == (
        "\\begin{table}\n\\centering\n\\begin{tabular}{lr}\n\\toprule\n"
        "{}lang & a\\_b \\\\\n\\midrule\n"
        "{}[sw] & 0.781 [0.70, 0.85] \\\\\n"
        "{}50 \\% \\& \\{\\$\\#\\textasciicircum{}\\textasciitilde{}\\textbackslash{}"
        "\\textbackslash{}\\textless{}\\textgreater{}\\} new &  \\\\\n"
        "\\bottomrule\n\\end{tabular}\n\\caption{ไทย\\_1}\n\\end{table}\n"
    )
    assert Table([]).to_latex() == ""


def test_a_table_is_written_as_latex(tmp_path):
    Table(ROWS).write(tmp_path / "t.tex")
    assert (tmp_path / "t.tex").read_text("utf-8") == Table(ROWS).to_latex()
