"""``isogloss reproduce``: four papers end to end on files made by hand in the published layouts."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_world import Outcome, Run, World
from published_layouts import write_all
from written_wals import write_wals

from isogloss.reproduce.cells import CELLS

TREEBANKS = ("en", "de", "hi")  # three of fifteen, to be quick
LANGUAGES = ("deu", "swh")  # of Tatoeba
PAPERS = {"pires": 16 + 9, "boe": 8 + 11, "geometry": 2, "labse": 2 + 5 + 4 + 23}  # cells


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = write_all(tmp_path_factory.mktemp("papers"))
    for file in [*(data / "ud").rglob("*.conllu"), *(data / "tatoeba").iterdir()]:
        if not file.name.startswith((*TREEBANKS, *(f"tatoeba.{one}-" for one in LANGUAGES))):
            file.unlink()
    (data / "wals").mkdir()
    write_wals(data / "wals")
    return data


@pytest.fixture
def data(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "data")


def words(paper: str, data: Path, world: World, *more: object) -> list[object]:
    out = data.parent / "out"
    seeds = ["--seeds", 1] if paper == "boe" else []
    return ["reproduce", paper, "--data", data, "--encoder", world.encoder, "--out", out, *seeds,
            *more]  # fmt: skip


def rows(outcome: Outcome, **wanted: str) -> list[dict[str, Any]]:
    assert outcome.code == 0, outcome.err
    return [
        row
        for row in outcome.json["rows"]
        if all(row[name] == value for name, value in wanted.items())
    ]


def cells_of(data: Path) -> list[bytes]:
    return (data.parent / "out" / CELLS).read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("paper", PAPERS)
def test_a_paper_end_to_end_and_a_cell_removed_is_the_only_one_run_again(
    cli: Run, world: World, data: Path, paper: str
) -> None:
    command = words(paper, data, world)
    outcome = cli(*command)
    assert outcome.code == 0, outcome.err
    n, kept = PAPERS[paper], cells_of(data)
    assert f"{n} cells made, 0 kept" in outcome.err
    assert len(kept) == n
    table = (data.parent / "out" / f"{paper}.md").read_text("utf-8")
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    assert all(f"encoder {world.encoder}, not " in line for line in lines)  # the first departure
    assert any("not the published file" in line for line in lines)
    assert "settings of " in table

    (data.parent / "out" / CELLS).write_bytes(b"".join([*kept[:1], *kept[2:]]))
    again = cli(*command)
    assert f"1 cell made, {n - 1} kept" in again.err
    made = cells_of(data)
    assert made[:-1] == [*kept[:1], *kept[2:]]
    before, after = json.loads(kept[1]), json.loads(made[-1])
    assert after["key"] == before["key"]
    seconds = {"seconds"}
    assert {name: value for name, value in after["found"].items() if name not in seconds} == {
        name: value for name, value in before["found"].items() if name not in seconds
    }
    assert again.out == outcome.out
    assert f"0 cells made, {n} kept" in cli(*command).err


def test_tables_of_pires(cli: Run, world: World, data: Path) -> None:
    outcome = cli(*words("pires", data, world, "--json", "--seeds", 2))
    (dutch,) = rows(outcome, table="Table 1", langs="en → nl")
    assert dutch["ours_low"] <= dutch["ours"] <= dutch["ours_high"]
    assert dutch["seeds"] == 2
    (figure,) = dutch["published"]
    assert (figure["value"], figure["is_verified"]) == (0.7736, False)
    assert "encoder frozen" in dutch["differs"]
    assert len(rows(outcome, table="Table 1")) == 16
    assert {row["langs"] for row in rows(outcome, table="Table 2")} == {
        "en → en", "en → de", "de → en", "de → de"
    }  # fmt: skip
    assert rows(outcome, table="Table 4", langs="hi → hi")
    assert [row["metric"] for row in rows(outcome, table="Table 5b", langs="AN → AN")] == [
        "accuracy, mean of 2 pairs"
    ]
    told = cli(*words("pires", data, world, "--seeds", 2))
    assert "(unverified)" in told.out
    assert "upos: not all is measured: Universal Dependencies" in told.out
    assert "Table 6 (code-switched text) is not measured here" in told.out


def test_rows_with_entities_need_a_knowledge_base(cli: Run, world: World, data: Path) -> None:
    shutil.rmtree(data / "shinra2020-ml")
    for file in (data / "mldoc").rglob("*.test"):
        if file.name not in ("english.test", "german.test", "japanese.test"):
            file.write_text(file.read_text("utf-8").splitlines()[0][:1])  # is damaged
    outcome = cli(*words("boe", data, world, "--kb", world.kb))
    assert outcome.code == 2
    assert "12 cells made" in outcome.err
    assert "5 faults above" in outcome.err
    table = (data.parent / "out" / "boe.md").read_text("utf-8")
    for row in ("encoder", "mboe", "mboe -emb", "mboe -att"):
        assert f"| mldoc, {row} | mean of 3 |" in table
    assert "mBERT + BoE (-att) 0.722" in table
    assert "not of Wikipedia's links" in table
    assert "shinra2020-ml: not measured: SHINRA2020-ML" in table


def test_an_encoder_that_is_tuned_has_its_own_cells(cli: Run, world: World, data: Path) -> None:
    shutil.rmtree(data / "ud")
    for name in ("conll2002/esp.train", "conll2002/esp.testb", "conll2002/esp.testa"):
        (data / name).unlink()
    shutil.rmtree(data / "conll2003")
    command = words("pires", data, world)
    assert "lacks" in cli(*command, "--plan").out
    assert "1 cell made" in cli(*command).err
    tuned = [*command, "--tune", "full", "--epochs", 1, "--learning-rate", 0.001]
    outcome = cli(*tuned)
    assert "1 cell made" in outcome.err
    assert "learning_rate 0.001" in outcome.out
    assert "encoder frozen" not in (data.parent / "out" / "pires.md").read_text("utf-8")
    assert len(cells_of(data)) == 2
    said = cli(*tuned, "--epochs", 2).err
    assert "1 cell made, 0 kept" in said
    assert "1 cell made" in cli(*command, "--tune", "lora", "--epochs", 1).err


def test_labse_has_groups_and_intervals(cli: Run, world: World, data: Path) -> None:
    outcome = cli(*words("labse", data, world, "--json"))
    (german,) = rows(outcome, langs="deu")
    assert {one["model"]: one["is_verified"] for one in german["published"]}["LaBSE"]
    assert rows(outcome, langs="2 languages", metric="accuracy, both directions")
    assert rows(outcome, langs="5 languages", metric="precision at 1, to English")
    assert rows(outcome, langs="mean of 23 parts", metric="rank correlation")
    (bucc,) = rows(outcome, langs="de-en")
    assert [one["is_verified"] for one in bucc["published"]] == [False, False, True]
    assert bucc["ours_low"] is None


def test_plan_says_what_is_needed_found_and_will_run(cli: Run, world: World, data: Path) -> None:
    shutil.rmtree(data / "un")
    command = words("labse", data, world, "--plan")
    outcome = cli(*command)
    assert outcome.code == 0, outcome.err
    assert f"UN parallel corpus → {data}/un: 0 of 6 files found" in outcome.out
    assert "licence: CC BY 2.0 FR" in outcome.out
    assert "Tatoeba → " in outcome.out
    assert "2 of 112 files found" in outcome.out
    assert "an estimate, from" in outcome.out
    assert "measured just now" in outcome.out
    assert not (data.parent / "out").exists()
    document = cli(*command, "--json").json
    assert [(row["task"], row["to run"]) for row in document["tasks"]] == [
        ("tatoeba", 2), ("un", 0), ("bucc", 4), ("sts", 23)
    ]  # fmt: skip
    assert {one["name"] for one in document["data"]} >= {"Tatoeba", "BUCC 2018"}
    cli(*words("labse", data, world))
    (data.parent / "out" / CELLS).write_bytes(b"".join(cells_of(data)[1:]))
    told = cli(*command)
    assert "from the mean of the cells of that task that are done" in told.out
    tasks = cli(*command, "--json").json["tasks"]
    assert [(row["done"], row["to run"]) for row in tasks] == [(1, 1), (0, 0), (4, 0), (23, 0)]


@pytest.mark.parametrize(
    ("paper", "file", "damage", "said"),
    [
        ("geometry", "sts/2012/OnWN.test.tsv", "a\tb\n", "OnWN.test.tsv:1: has 2 columns"),
        ("geometry", "sts/2012/OnWN.test.tsv", "", "OnWN.test.tsv: is empty"),
        ("labse", "tatoeba/tatoeba.deu-eng.eng", "one\n", "deu: has 4 lines"),
        ("labse", "un/UNv1.0.testset.ru", None, "UNv1.0.testset.ru: is not there"),
        ("pires", "conll2002/ned.testb", "Gent X-LOC\n", "ned.testb:1: the tag 'X-LOC'"),
        ("pires", "conll2003/deu.train", None, "deu.train: is not there"),
        ("boe", "mldoc/german/german.test", "XCAT\ttext\n", "german.test:1: the label is 'XCAT'"),
        ("boe", "mldoc/japanese/japanese.test", "", "japanese.test"),
    ],
)
def test_bad_data_gets_one_sentence_and_the_rest_goes_on(
    cli: Run, world: World, data: Path, paper: str, file: str, damage: str | None, said: str
) -> None:
    if damage is None:
        (data / file).unlink()
    else:
        (data / file).write_text(damage)
    outcome = cli(*words(paper, data, world))
    assert outcome.code == 2
    assert sum(said in line for line in outcome.talk) == 1
    assert "1 fault above; mend the data, and the same command runs what is missing" in outcome.err
    assert 0 < len(cells_of(data)) <= PAPERS[paper]
    assert (data.parent / "out" / f"{paper}.md").exists()


def test_data_that_is_not_there(cli: Run, world: World, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for paper in PAPERS:
        command = words(paper, tmp_path / "data", world)
        outcome = cli(*command)
        assert (outcome.code, "nothing can run" in outcome.err) == (2, True)
        assert "0 of" in cli(*command, "--plan").out
        assert not (tmp_path / "out").exists()
    assert "no: no such folder" in cli(*words("geometry", tmp_path / "no", world)).err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["geometry", "--seeds", 2], "--seeds is for pires and boe"),
        (["labse", "--tune", "full"], "--tune is for pires and boe"),
        (["pires", "--kb", "no"], "--kb is for boe"),
        (["pires", "--epochs", 2], "--epochs is for --tune lora or full"),
        (["bert"], "geometry"),
    ],
)
def test_options_that_a_paper_has_no_use_for(cli: Run, more: list[object], said: str) -> None:
    outcome = cli("reproduce", *more, "--data", "no")
    assert outcome.code == 2
    assert said in outcome.err
