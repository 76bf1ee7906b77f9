"""``isogloss reproduce``: papers end to end on files made by hand, in the published layouts."""

import json
from pathlib import Path

import pytest
from cli_world import Run, World
from written_papers import write_sts

from isogloss.reproduce.cells import CELLS


@pytest.fixture
def sts(tmp_path: Path) -> Path:
    return write_sts(tmp_path / "data")


def words(paper: str, data: Path, world: World, *more: object) -> list[object]:
    out = data.parent / "out"
    return ["reproduce", paper, "--data", data, "--encoder", world.encoder, "--out", out, *more]


def test_geometry_end_to_end_and_a_cell_removed_is_the_only_one_run_again(
    cli: Run, world: World, sts: Path
) -> None:
    command = words("geometry", sts, world)
    outcome = cli(*command)
    assert outcome.code == 0, outcome.err
    assert "2 cells made, 0 kept" in outcome.err
    out = sts.parent / "out"
    table = (out / "geometry.md").read_text("utf-8")
    assert f"encoder {world.encoder}, not BERT base" in table
    assert "STS without 2013, 2014, 2016" in table
    assert "settings of tokens: unit token" in table
    rows = json.loads((out / "geometry.json").read_text("utf-8"))["rows"]
    layer = next(
        row for row in rows
        if (row["task"], row["metric"], row["langs"]) == ("words", "self-similarity", "layer 1")
    )  # fmt: skip
    assert layer["ours_low"] <= layer["ours"] <= layer["ours_high"]
    assert {one["model"]: one["value"] for one in layer["published"]}["BERT base"] == 0.921
    assert "BERT base 0.921" in outcome.out

    kept = (out / CELLS).read_bytes().splitlines(keepends=True)
    (out / CELLS).write_bytes(kept[1])
    again = cli(*command)
    assert "1 cell made, 1 kept" in again.err
    both = (out / CELLS).read_bytes().splitlines(keepends=True)
    assert both[0] == kept[1]
    assert json.loads(both[1])["found"] == json.loads(kept[0])["found"]
    assert again.out == outcome.out
    assert "0 cells made, 2 kept" in cli(*command).err
    document = cli(*command, "--json").json
    assert document["rows"] == rows


def test_plan_says_what_will_run_and_for_how_long(cli: Run, world: World, sts: Path) -> None:
    command = words("geometry", sts, world, "--plan")
    outcome = cli(*command)
    assert outcome.code == 0, outcome.err
    assert "an estimate" in outcome.out
    assert "measured just now" in outcome.out
    assert not (sts.parent / "out").exists()
    rows = cli(*command, "--json").json["tasks"]
    assert [(row["task"], row["to run"]) for row in rows] == [("words", 1), ("tokens", 1)]
    cli(*words("geometry", sts, world))
    done = cli(*command, "--json").json["tasks"]
    assert [(row["done"], row["to run"], row["minutes"]) for row in done] == [(1, 0, 0.0)] * 2


@pytest.mark.parametrize(
    ("damage", "said"),
    [("a\tb\n", "made.test.tsv:1: has 2 columns"), ("", "made.test.tsv: is empty")],
)  # fmt: skip
def test_bad_data_gets_one_sentence_and_the_rest_goes_on(
    cli: Run, world: World, sts: Path, damage: str, said: str
) -> None:
    bad, good = (sts / "sts" / str(year) / "made.test.tsv" for year in (2012, 2015))
    bad.write_text(damage)
    outcome = cli(*words("geometry", sts, world))
    assert outcome.code == 2
    assert said in outcome.err
    assert "2 cells made" in outcome.err
    assert "1 fault above" in outcome.err
    assert "without 2012, 2013" in (sts.parent / "out" / "geometry.md").read_text("utf-8")
    good.write_text(damage)
    outcome = cli(*words("geometry", sts, world)[:-2], "--out", sts.parent / "other")
    assert outcome.code == 2
    assert "nothing can run" in outcome.err
    assert said in outcome.err
    assert not (sts.parent / "other").exists()


def test_data_that_is_not_there(cli: Run, world: World, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    command = words("geometry", tmp_path / "data", world)
    outcome = cli(*command)
    assert (outcome.code, len(outcome.talk)) == (2, 2)
    assert "no sentences of SemEval's STS in" in outcome.err
    assert "no sentences of SemEval's STS in" in cli(*command, "--plan").out
    missing = cli(*words("geometry", tmp_path / "no", world))
    assert "no: no such folder" in missing.err
