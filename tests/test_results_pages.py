"""Tables of docs/ that come from records of benchmarks are as the records have them."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

import results
from isogloss.report.table import Table

sys.path.insert(0, str(ROOT / "benchmarks"))

import records

RECORDS = sorted(results.RECORDS.glob("*.json"))
PAGES = [page for page in results.PAGES.glob("*.md") if results.START in page.read_text("utf-8")]
SOURCE = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
MOST_BYTES = 50_000


def with_imports(script: Path) -> str:
    """Return the source of a script and of those beside it that it imports."""
    text = script.read_text("utf-8")
    names = set(re.findall(r"^(?:from|import) (\w+)", text, re.M))
    beside = [path for path in script.parent.glob("*.py") if path.stem in names]
    return text + "".join(path.read_text("utf-8") for path in beside)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_of_a_page_are_those_of_the_records(page: Path) -> None:
    text = page.read_text("utf-8")
    assert results.written(text) == text, "run 'python tools/results.py'"


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_record_names_a_script_and_columns_that_it_prints(path: Path) -> None:
    record = json.loads(path.read_text("utf-8"))
    assert list(record) == ["script", "command", "date", "versions", "processor", "tables"]
    source = with_imports(ROOT / "benchmarks" / record["script"])
    assert record["command"].startswith(f"python benchmarks/{record['script']} ")
    assert not re.search(r" [~./]*/", record["command"]), "a place of somebody's machine"
    assert all(f'"{option}"' in source for option in re.findall(r"--[\w-]+", record["command"]))
    words = set(re.findall(r"\w+", source + SOURCE))
    for table in record["tables"].values():
        assert all(len(row) == len(table["columns"]) for row in table["rows"])
        for column in table["columns"]:
            named = re.findall(r"\w+", re.sub("_(low|high)$", "", column))
            assert set(named) <= words, column
    assert path.stat().st_size < MOST_BYTES


def test_every_record_stands_in_a_page_or_its_script_does() -> None:
    """The site has all tables of all records; what a page says in a sentence needs none there."""
    texts = [page.read_text("utf-8") for page in results.PAGES.glob("*.md")]
    shown = {found[0] for text in texts for found in results.MARKED.findall(text)}
    assert shown <= {path.stem for path in RECORDS}
    for path in RECORDS:
        script = f"benchmarks/{json.loads(path.read_text('utf-8'))['script']}"
        assert path.stem in shown or any(script in text for text in texts), path.stem


def kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Keep a record of one table, as a script does."""
    words = ["benchmarks/made.py", "--data", "/home/me/data", "--out", "a/b", "--json", "one.json"]
    monkeypatch.setattr(sys, "argv", words)
    record = records.Record(folder / "one.json")
    row = {"lang": "de", "f1": 2 / 3, "f1_low": 0.6, "f1_high": 0.7, "n": 3, "of": [0.1234567, 1]}
    record.show("scores", Table([row, {"lang": "ka", "f1": None}]))
    record.write()
    return results.record_of("one", folder)


def test_a_record_holds_what_was_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record = kept(tmp_path, monkeypatch)
    assert capsys.readouterr().out == results.shown_of(record, "scores", []).to_markdown() + "\n"
    assert record["command"] == "python benchmarks/made.py --data DIR --out OUT"
    assert record["tables"]["scores"]["rows"][0] == ["de", 0.666667, 0.6, 0.7, 3, [0.123457, 1]]


def test_a_record_that_could_not_be_written_leaves_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kept(tmp_path, monkeypatch)
    monkeypatch.setattr(records, "_text", lambda *_: "half of it \ud800")  # which is not written
    with pytest.raises(UnicodeEncodeError):
        kept(tmp_path, monkeypatch)
    assert results.record_of("one", tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["one.json"]


def test_a_page_shows_the_columns_it_asks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path, monkeypatch)
    page = "before\n\n<!-- table: one/scores | lang | f1 = F1 -->\n| old |\n<!-- end -->\nafter\n"
    made = results.written(page, tmp_path)
    assert "| lang | F1 |\n| :--- | ---: |\n| de | 0.667 [0.60, 0.70] |\n| ka |  |\n" in made
    assert results.written(made, tmp_path) == made
    alone = "<!-- table: one/scores | f1 = F1 (alone) -->\n<!-- end -->\n"
    assert "| F1 |\n| ---: |\n| 0.667 |\n" in results.written(alone, tmp_path)
    for wrong, told in (
        ("one/score ", "no table 'score'"), ("one/scores | F2 ", "no column 'F2'"),
        ("one/scores | f1 | lang in ka, sw ", "no 'sw' in column 'lang'"),
        ("one/scores | language in ka ", "no 'ka' in column 'language'"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            results.written(f"<!-- table: {wrong}-->\n<!-- end -->\n", tmp_path)
    with pytest.raises(ValueError, match="has an '<!-- end -->'"):
        results.written("<!-- table: one/scores -->\n", tmp_path)


def test_a_page_shows_the_rows_it_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path, monkeypatch)
    for asked, rows in (
        ("lang in ka", ["ka"]),
        ("n in 3", ["de"]),
        ("lang in ka, de", ["de", "ka"]),
        ("lang in ka, de | n in 3", ["de"]),
    ):
        made = results.written(
            f"<!-- table: one/scores | lang | {asked} -->\n<!-- end -->", tmp_path
        )
        lines = "".join(f"| {row} |\n" for row in rows)
        assert f"-->\n\n| lang |\n| :--- |\n{lines}\n<!-- end -->" in made
    whole = results.written("<!-- table: one/scores | lang in ka -->\n<!-- end -->", tmp_path)
    assert "| lang | f1 | n | of |" in whole


def test_nothing_is_kept_without_the_option(tmp_path: Path) -> None:
    record = records.Record(None)
    record.show("scores", Table([{"n": 1}]))
    record.write()
    assert not list(tmp_path.iterdir())


def test_a_column_with_an_equals_sign_is_shown_by_its_name() -> None:
    whole = {"columns": ["C = 0.1: dev", "n"], "rows": [[0.5, 2]]}
    assert results.shown_of({"tables": {"by C": whole}}, "by C", []).columns == whole["columns"]
    alone = results.shown_of({"tables": {"by C": whole}}, "by C", ["C = 0.1: dev"])
    assert alone.columns == ["C = 0.1: dev"]
