"""The report of retrieval: one page, ours and what is published beside."""

from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import InputError
from isogloss.report.figures import chart_of
from isogloss.report.retrieval import headline, write_retrieval_report
from isogloss.report.table import Table


def row(lang: str, value: float, **more: Any) -> dict[str, Any]:
    ends = {"to_en_low": value - 0.05, "to_en_high": min(value + 0.05, 1.0)}
    return {"lang": lang, "n": 9, "to_en": value, **ends, "mean": value, **more}


ROWS = [row("deu", 0.9, **{"LaBSE (published)": 0.99}), row("swh", 0.4),
        row("pes", 0.8, **{"LaBSE (published)": 0.85})]  # fmt: skip
MEANS = [{"group": "XTREME's 36", "n": 3, "mean": 0.7, "mean_low": 0.6, "mean_high": 0.8}]


def test_languages_are_ordered_and_published_values_marked() -> None:
    chart = chart_of(ROWS, "to_en", marked=["LaBSE (published)"])
    assert [one.scores["lang"] for one in chart.rows] == ["deu", "pes", "swh"]
    german, persian, swahili = chart.rows
    assert german.dot is not None
    assert german.dot.at < german.marks[0].at
    assert [mark.form for mark in persian.marks] == [1]
    assert swahili.marks == []


def test_a_page_holds_chart_tables_and_sources(tmp_path: Path) -> None:
    tables = {"tatoeba": [Table(ROWS), Table(MEANS)], "sts": [Table([{"part": "<b>"}]), Table([])]}
    path = tmp_path / "r.html"
    write_retrieval_report(path, title="A & B", tables=tables, notes=["From there."])
    page = path.read_text("utf-8")
    for said in ("A &amp; B", "Swahili", "LaBSE (published)", "&lt;b&gt;", "From there.",
                 "XTREME&#39;s 36", "0.700 [0.60, 0.80]", 'class="mark of-1"',
                 "Persian: to_en 0.800 [0.75, 0.85], LaBSE (published) 0.850"):  # fmt: skip
        assert said in page, said
    assert "<script" not in page
    assert "http" not in page
    with pytest.raises(InputError, match="already exists"):
        write_retrieval_report(path, title="", tables=tables)
    with pytest.raises(InputError, match="nothing was measured"):
        write_retrieval_report(tmp_path / "n.html", title="", tables={})


def test_a_page_without_tatoeba_has_no_chart(tmp_path: Path) -> None:
    write_retrieval_report(tmp_path / "r.html", title="t", tables={"un": [Table(ROWS), Table([])]})
    assert "by language" not in (tmp_path / "r.html").read_text("utf-8")


def test_the_headline_says_each_mean() -> None:
    assert headline({"tatoeba": Table(MEANS)}) == ["XTREME's 36: mean 0.700 [0.60, 0.80]."]
