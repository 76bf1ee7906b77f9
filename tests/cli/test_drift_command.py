"""`isogloss classify drift`: two summaries compared, on a terminal and as JSON."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_world import Refuse, Run

from isogloss.classify.answers.summary import DataFacts, LanguageSummary, ModelFacts, Summary

Write = Callable[..., Path]


def language(lang: str | None, n: int, *, sport: float = 0.5, mean: float = 0.8) -> LanguageSummary:
    labels = {"sport": round(sport * n), "money": n - round(sport * n)}
    return LanguageSummary(lang, n, {"ok": n}, labels, mean, 0.1, None, 0.0, 0, 0)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, *languages: LanguageSummary, torch: str = "2") -> Path:
        made = Summary(
            ModelFacts("m", "f1", ["money", "sport"]), {"torch": torch},
            DataFacts(f"{name}.csv", None, sum(one.n for one in languages)),
            {}, 1.0, list(languages),
        )  # fmt: skip
        made.write(tmp_path / f"{name}.summary.json")
        return tmp_path / f"{name}.summary.json"

    return written


def test_what_changed_is_named_on_stderr_and_in_the_table(cli: Run, write: Write) -> None:
    before = write("spring", language("sw", 300), language("th", 300), language("fr", 300))
    now = write("autumn", language("sw", 300, sport=0.7), language("th", 300), language("yo", 300),
                torch="3")  # fmt: skip
    made = cli("classify", "drift", before, now)
    lines = {line.split()[0]: line for line in made.out.splitlines() if line.strip()}
    assert "label sport" in lines["sw"]
    assert "0.200 [0.12, 0.27]" in lines["sw"]
    assert lines["fr"].split()[-1] == "gone"
    assert lines["yo"].split()[-1] == "new"
    assert made.talk == [
        "isogloss: torch 2 before, 3 now: this may change answers too",
        "isogloss: new: yo",
        "isogloss: gone: fr",
        "isogloss: changed: sw, yo; an earlier audit does not hold for these, "
        "'isogloss classify audit draw' draws texts for another",
    ]


def test_nothing_changed(cli: Run, write: Write) -> None:
    one, two = (write(name, language("sw", 300), language(None, 5)) for name in ("a", "b"))
    made = cli("classify", "drift", one, two)
    assert made.talk == ["isogloss: no language changed by more than chance explains"]
    assert "unknown" in made.out


def test_json_and_the_least_change(cli: Run, write: Write) -> None:
    before, now = write("a", language("sw", 300)), write("b", language("sw", 300, mean=0.7))
    facts = json.loads(cli("classify", "drift", before, now, "--json").out)
    assert facts["flagged"] == ["sw"]
    assert (facts["new"], facts["gone"], facts["least"]) == ([], [], 0.02)
    assert (facts["before"]["data"], facts["before"]["n_rows"]) == ("a.csv", 300)
    by_what: dict[str, Any] = {test["what"]: test for test in facts["languages"][0]["tests"]}
    assert by_what["probability"]["change"] == pytest.approx(-0.1)
    assert by_what["probability"]["is_flagged"]
    assert not by_what["label"]["is_flagged"]
    larger = json.loads(cli("classify", "drift", before, now, "--json", "--least", "0.2").out)
    assert (larger["flagged"], larger["least"]) == ([], 0.2)


def test_what_is_refused(refuse: Refuse, write: Write, tmp_path: Path) -> None:
    before = write("a", language("sw", 300))
    assert "SUMMARY names this file twice; leave one out" in refuse(
        "classify", "drift", before, before
    )
    assert "not a summary of answers" in refuse("classify", "drift", before, tmp_path / "none")
    changed = json.loads(before.read_text("utf-8")) | {"seconds": 2}
    (tmp_path / "c").write_text(json.dumps(changed), "utf-8")
    assert "c: damaged" in refuse("classify", "drift", before, tmp_path / "c")
    beyond = write(
        "b", LanguageSummary("sw", 3, {"ok": 3}, {"sport": 4}, 0.5, 0.1, None, 0.0, 0, 0)
    )
    said = refuse("classify", "drift", before, beyond)
    assert "damaged (more texts of 'sw' are counted than there are); answer the file again" in said
    wide = write("d", LanguageSummary("sw", 3, {"ok": 3}, {}, 0.5, 1e200, None, 0.0, 0, 0))
    said = refuse("classify", "drift", before, wide)
    assert "damaged (Expected `float` <= 1.0 - at `$.languages[0].deviation_of" in said
