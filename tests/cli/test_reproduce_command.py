"""``isogloss reproduce``: four papers end to end on files made by hand in the published layouts."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cli_world import Outcome, Run, World
from published_layouts import write_all

from isogloss.cli.options import EncoderOptions
from isogloss.reproduce.cells import CELLS

# Some of the files of the largest sets, to be quick.
KEPT = {
    "ud": ("en_", "de_", "hi_"), "tatoeba": ("tatoeba.deu-", "tatoeba.swh-"),
    "shinra2020-ml": ("en", "de", "ja"), "sts": ("MSRpar", "OnWN"),
}  # fmt: skip
PAPERS = {"pires": 16 + 9, "boe": 8 + 3, "geometry": 2, "labse": 2 + 5 + 4 + 4}  # cells


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = write_all(tmp_path_factory.mktemp("papers"))
    for folder, names in KEPT.items():
        for file in (data / folder).rglob("*"):
            if file.is_file() and not file.name.startswith(names):
                file.unlink()
    return data


@pytest.fixture
def data(whole: Path, tmp_path: Path) -> Path:
    return shutil.copytree(whole, tmp_path / "data")


@pytest.fixture(scope="module")
def loaded() -> dict[str, Any]:
    return {}


@pytest.fixture(autouse=True)
def _encoder_once(loaded: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Load the encoder once, which is a fourth of the time of these tests."""
    load = EncoderOptions.load

    def load_once(asked: EncoderOptions, **how: Any) -> Any:
        key = repr((asked, how))
        if key not in loaded:
            loaded[key] = load(asked, **how)
        return loaded[key]

    monkeypatch.setattr(EncoderOptions, "load", load_once)


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
    if paper == "labse":
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
    assert "Figure 2 (accuracy by shared features of word order) is not measured here" in told.out


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
    assert rows(outcome, langs="mean of 4 parts", metric="rank correlation")
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
        ("tatoeba", 2), ("un", 0), ("bucc", 4), ("sts", 4)
    ]  # fmt: skip
    assert {one["name"] for one in document["data"]} >= {"Tatoeba", "BUCC 2018"}
    cli(*words("labse", data, world))
    (data.parent / "out" / CELLS).write_bytes(b"".join(cells_of(data)[1:]))
    told = cli(*command)
    assert "from the mean of the cells of that task that are done" in told.out
    tasks = cli(*command, "--json").json["tasks"]
    assert [(row["done"], row["to run"]) for row in tasks] == [(1, 1), (0, 0), (4, 0), (4, 0)]


@pytest.mark.parametrize(
    ("paper", "file", "damage", "said"),
    [
        ("geometry", "sts/2012/OnWN.test.tsv", "a\tb\n", "OnWN.test.tsv:1: has 2 columns"),
        ("geometry", "sts/2012/OnWN.test.tsv", "", "OnWN.test.tsv: is empty"),
        ("labse", "tatoeba/tatoeba.deu-eng.eng", "one\n", "deu: has 4 lines"),
        ("pires", "conll2002/ned.testb", "Gent X-LOC\n", "ned.testb:1: the tag 'X-LOC'"),
        ("boe", "mldoc/german/german.test", "XCAT\ttext\n", "german.test:1: the label is 'XCAT'"),
    ],
)
def test_bad_data_gets_one_sentence_and_the_rest_goes_on(
    cli: Run, world: World, data: Path, paper: str, file: str, damage: str, said: str
) -> None:
    (data / file).write_text(damage)
    outcome = cli(*words(paper, data, world))
    assert outcome.code == 2
    assert sum(said in line for line in outcome.talk) == 1
    assert "1 fault above; mend the data, and the same command runs what is missing" in outcome.err
    assert 0 < len(cells_of(data)) <= PAPERS[paper]
    assert (data.parent / "out" / f"{paper}.md").exists()


def test_a_missing_language_is_no_fault_in_any_data_set_and_something_in_its_place_is(
    cli: Run, world: World, data: Path
) -> None:
    missing = {
        "pires": ["conll2003/deu.train", "conll2002/ned.testb", "wals/codes.csv",
                  "ud/UD_German-GSD/de_gsd-ud-train.conllu"],
        "boe": ["mldoc/german/german.test", "shinra2020-ml/de.json"],
        "labse": ["un/UNv1.0.testset.ru", "bucc2018/de-en/de-en.training.gold",
                  "tatoeba/tatoeba.deu-eng.deu"],
        "geometry": ["sts/2012/OnWN.test.tsv"],
    }  # fmt: skip
    for paper, files in missing.items():
        for file in files:
            (data / file).unlink()
        said = cli(*words(paper, data, world, "--plan"))
        assert said.code == 0, said.err
        for lacks in {data / Path(file).parts[0] for file in files}:
            assert f"{lacks} lacks " in said.out
        document = cli(*words(paper, data, world, "--plan", "--json")).json
        assert document["failures"] == []
        for file in files:
            (data / file).mkdir()
        failures = cli(*words(paper, data, world, "--plan", "--json")).json["failures"]
        assert len(failures) == len(files)
        assert all("is a folder; put the file there" in one for one in failures)


def test_a_plan_reads_the_beginning_of_a_dump(
    cli: Run, world: World, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(data / "mldoc")
    command = words("boe", data, world)
    (dump,) = (data / "shinra2020-ml").glob("dewiki-*")
    whole = dump.read_text("utf-8")
    more = "".join(f'{{"pageid": {page}, "title": "P", "text": "x"}}\n' for page in range(99, 199))
    dump.write_text(f"{whole}{more}no JSON\n", "utf-8")
    plan = [*command, "--plan"]
    outcome = cli(*plan)
    assert outcome.code == 0, outcome.err
    assert "the beginning of each file was read" in outcome.out
    document = cli(*plan, "--json").json
    (task,) = [row for row in document["tasks"] if row["task"] == "shinra2020-ml"]
    assert (task["to run"], task["minutes"], document["failures"]) == (3, None, [])
    assert "is not JSON" in cli(*command).err  # which a run finds
    dump.write_text(whole, "utf-8")
    assert "1 cell made, 2 kept" in cli(*command).err
    (task,) = [row for row in cli(*plan, "--json").json["tasks"] if row["task"] == "shinra2020-ml"]
    assert (task["done"], task["to run"]) == (3, 0)


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
