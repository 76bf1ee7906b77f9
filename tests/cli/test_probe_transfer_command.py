"""``isogloss probe transfer`` and the commands that read its folder."""

import csv
import json
import os
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from cli_world import Refuse, Run, World
from made_up import folder, translation
from written_treebanks import write_entities, write_treebank
from written_wals import write_wals

from isogloss import Encoder
from isogloss.probe.transfer.matrix import measure


class Treebanks(NamedTuple):
    folder: Path
    out: Path
    words: list[object]  # of the command, without --out


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory: pytest.TempPathFactory, world: World) -> Treebanks:
    folder = tmp_path_factory.mktemp("treebanks")
    train = {lang: write_treebank(folder / f"{lang}.conllu", lang, n=30) for lang in ("en", "ja")}
    tests = {lang: write_treebank(folder / f"{lang}-test.conllu", lang, seed=1, ids="t")
             for lang in ("en", "de", "ja")}  # fmt: skip
    words: list[object] = ["probe", "transfer", "--task", "upos", "--encoder", world.encoder]
    for lang, path in train.items():
        words += ["--train", f"{lang}={path}"]
    words += ["--train", f"en+ja={train['en']},{train['ja']}"]
    for lang, path in tests.items():
        words += ["--test", f"{lang}={path}"]
    words += ["--words", 60, "--seeds", 2, "--layer", 1]
    return Treebanks(folder, folder / "out", words)


@pytest.fixture
def measured(treebanks: Treebanks, cli: Run) -> Path:
    """The folder of the matrix, which is made by the first test that asks for it."""
    if not treebanks.out.exists():
        words = [*treebanks.words, "--control", "layer-0", "--control", "random"]
        outcome = cli(*words, "--out", treebanks.out)
        assert outcome.code == 0, outcome.err
    return treebanks.out


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_matrix_has_systems_training_sets_and_tests(measured: Path, world: World) -> None:
    matrix = rows(measured / "matrix.csv")
    name = world.encoder.name  # where it lies on this machine is nobody's business
    names = [name, f"{name}, layer 0", f"{name}, random layers"]
    assert list(dict.fromkeys(row["system"] for row in matrix)) == names
    assert len(matrix) == 3 * 3 * 3
    marked = {(row["train"], row["test"]) for row in matrix if row["is_zero_shot"] == "false"}
    assert marked == {("en", "en"), ("ja", "ja"), ("en+ja", "en"), ("en+ja", "ja")}
    words = {row["train"]: int(row["n_train_words"]) for row in matrix}
    assert words == {"en": 60, "ja": 60, "en+ja": 120}
    of_itself = [row for row in matrix if row["train"] == row["test"] == "en"]
    assert all(float(row["score"]) > 0.5 for row in of_itself)  # one in four is chance
    assert {row["layers"] for row in matrix if "layer 0" in row["system"]} == {'["0"]'}
    systems = {row["system"]: row for row in rows(measured / "systems.csv")}
    assert [systems[name]["control_of"] for name in names] == ["", names[0], names[0]]
    assert systems[names[0]]["gain"] == ""
    assert systems[names[1]]["gain"] != ""
    assert "test language" in (measured / "transfer.svg").read_text("utf-8")


def test_a_second_run_resumes(
    measured: Path, treebanks: Treebanks, cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("it was measured again")

    before = (measured / "matrix.csv").read_bytes()
    n_runs = len(list((measured / "cells").iterdir()))
    assert n_runs == 3 * 3 * 3 * 2
    monkeypatch.setattr(measure, "stream_states", refused)
    words = [*treebanks.words, "--control", "layer-0", "--control", "random"]
    outcome = cli(*words, "--out", measured, "--json")
    assert outcome.code == 0, outcome.err
    assert (measured / "matrix.csv").read_bytes() == before
    assert outcome.json["matrix"][0]["train"] == "en"
    assert len(list((measured / "cells").iterdir())) == n_runs


def test_runs_of_other_options_are_refused(
    measured: Path, treebanks: Treebanks, refuse: Refuse
) -> None:
    words = [*treebanks.words, "--out", measured]
    words[words.index("--words") + 1] = 50
    assert "differs in options" in refuse(*words)


def test_the_encoder_is_kept_by_its_name_and_fingerprint(
    measured: Path, world: World, cli: Run, refuse: Refuse, tmp_path: Path
) -> None:
    saved = json.loads((measured / "transfer.json").read_text("utf-8"))
    (kept,) = saved["encoders"]
    assert kept["fingerprint"] == Encoder.load(world.encoder).fingerprint
    assert (kept["encoder"], kept["is_directory"]) == (world.encoder.name, True)
    assert (measured / kept["place"]).samefile(world.encoder)
    assert not Path(kept["place"]).is_absolute()
    for file in measured.glob("*.csv"):
        assert str(world.encoder) not in file.read_text("utf-8")
    deep = Path(*["x"] * Path(kept["place"]).parts.count(".."))  # the way up ends in this folder
    moved = shutil.copytree(measured, tmp_path / deep / "moved")
    other = shutil.copytree(world.encoder, Path(os.path.normpath(moved / kept["place"])))
    assert tmp_path in other.parents
    assert cli("probe", "overlap", moved).code == 0
    vocabulary = json.loads((other / "tokenizer.json").read_text("utf-8"))
    vocabulary["normalizer"] = None
    (other / "tokenizer.json").write_text(json.dumps(vocabulary), "utf-8")
    assert "was measured with another encoder (fingerprint" in refuse("probe", "overlap", moved)
    shutil.rmtree(other)
    said = refuse("probe", "overlap", moved)
    assert f"its encoder is not at {moved / kept['place']} any more; put it back" in said


def test_overlap_reads_the_folder(measured: Path, cli: Run, tmp_path: Path) -> None:
    outcome = cli("probe", "overlap", measured, "--out", tmp_path / "overlap", "--json")
    assert outcome.code == 0, outcome.err
    pairs = outcome.json["pairs"]
    assert {(row["train"], row["test"]) for row in pairs} == {
        ("en", "de"), ("en", "ja"), ("ja", "en"), ("ja", "de"),
    }  # fmt: skip
    by_pair = {(row["train"], row["test"]): row["overlap"] for row in pairs}
    assert by_pair["en", "de"] > by_pair["en", "ja"]
    assert len({row["system"] for row in outcome.json["correlations"]}) == 3
    assert "tokens of all words" in outcome.json["notes"][0]
    assert (tmp_path / "overlap" / "overlap.svg").is_file()


def test_typology_reads_the_folder(measured: Path, cli: Run, tmp_path: Path) -> None:
    wals = tmp_path / "wals"
    wals.mkdir()
    outcome = cli("probe", "typology", measured, "--wals", write_wals(wals), "--json")
    assert outcome.code == 0, outcome.err
    by_pair = {(row["train"], row["test"]): row["n_shared"] for row in outcome.json["pairs"]}
    assert by_pair == {("en", "de"): 2, ("en", "ja"): 1, ("ja", "en"): 1, ("ja", "de"): 1}
    assert {row["by"] for row in outcome.json["means"]} == {"verb order", "adjective order"}


def test_sources_are_ranked_also_for_a_new_target(measured: Path, cli: Run, tmp_path: Path) -> None:
    text = tmp_path / "sw.txt"
    text.write_text("the quick fox\nthe lazy dog jumps\n", "utf-8")
    words = ["probe", "rank-sources", measured, "--text", f"sw={text}", "--layer", 1]
    outcome = cli(*words, "--max-sentences", 10, "--json")
    assert outcome.code == 0, outcome.err
    sources = {(row["target"], row["source"]): row for row in outcome.json["sources"]}
    assert ("en", "en") not in sources
    assert sources["de", "en"]["score"] is not None
    assert sources["sw", "en"]["score"] is None
    assert sources["sw", "en"]["nearest"] + sources["sw", "ja"]["nearest"] == pytest.approx(1)
    assert sources["sw", "en"]["nearest"] > 0.5
    assert {row["ranker"] for row in outcome.json["rankers"]} == {
        "size", "overlap", "nearest", "others", "agreed",
    }  # fmt: skip
    assert "layer 1" in outcome.json["notes"][0]


def test_script_tests_and_trains_on_altered_text(
    measured: Path, treebanks: Treebanks, cli: Run, tmp_path: Path
) -> None:
    dictionary = tmp_path / "ja-en.tsv"
    dictionary.write_text("東京\tTokyo\n首都\tcapital\nその\tthat\n今日\tthis day\n", "utf-8")
    mixed = write_treebank(tmp_path / "mixed.conllu", "ja", misc=True, seed=3)
    words = ["probe", "script", measured, "--lang", "ja", "--romanise", "--dictionary", dictionary]
    words += [
        "--switch",
        "50,100",
        "--code-switched",
        mixed,
        "--out",
        tmp_path / "script",
        "--json",
    ]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    scores = {(row["train"], row["test"]): row for row in outcome.json["scores"]}
    tests = ["as written", "romanised", "50 % switched", "100 % switched", "code-switched, ja"]
    trains = ["en", "ja", "en+ja", "ja: romanised", "ja: 50 % switched", "ja: 100 % switched"]
    assert list(scores) == [(train, test) for train in trains for test in tests]
    assert scores["ja", "as written"]["difference"] is None
    assert scores["ja", "romanised"]["difference"] == pytest.approx(
        scores["ja", "romanised"]["score"] - scores["ja", "as written"]["score"]
    )
    assert scores["ja", "100 % switched"]["changed"] == pytest.approx(0.5)
    assert any("kanji as Chinese" in note for note in outcome.json["notes"])
    assert "differs" not in outcome.err
    assert "1 entry with several words on a side left out" in outcome.err


def test_all_of_them_in_one_report(measured: Path, cli: Run, tmp_path: Path) -> None:
    assert cli("probe", "overlap", measured, "--out", tmp_path / "overlap").code == 0
    page = tmp_path / "page.html"
    outcome = cli("probe", "report", measured, tmp_path / "overlap", "--out", page)
    assert outcome.code == 0, outcome.err
    text = page.read_text("utf-8")
    assert "<title>Transfer between languages" in text
    assert "Does transfer need shared tokens?" in text
    assert text.count("<svg") >= 6
    assert "2 seeds say little of how far seeds differ" in text
    assert "wals" not in text  # an option that was not given
    layers = folder(tmp_path / "layers", translation([("en", "de")]))
    both = tmp_path / "both.html"
    assert cli("probe", "report", measured, layers, "--out", both).code == 0
    assert "in English and German, and transfer between languages</title>" in both.read_text(
        "utf-8"
    )


def test_a_matrix_without_a_zero_shot_pair_explains_nothing(
    treebanks: Treebanks, cli: Run, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    train, test = treebanks.folder / "en.conllu", treebanks.folder / "de-test.conllu"
    words = ["--train", f"de={train}", "--test", f"de-AT={test}", "--encoder", world.encoder]
    words += ["--words", 100, "--seeds", 1, "--layer", 1, "--out", tmp_path / "alone"]
    assert cli("probe", "transfer", *words).code == 0
    said = refuse("probe", "overlap", tmp_path / "alone", "--out", tmp_path / "overlap")
    assert f"{tmp_path / 'alone'}: has no zero-shot pair of two languages" in said


def test_entities_are_scored_by_strict_f1(
    treebanks: Treebanks, cli: Run, world: World, tmp_path: Path
) -> None:
    train = write_entities(tmp_path / "en.iob2", "en", n=30)
    test = write_entities(tmp_path / "de.iob2", "de", seed=1)
    words = ["--train", f"en={train}", "--test", f"de={test}", "--encoder", world.encoder]
    words += ["--task", "ner", "--words", 0, "--seeds", 1, "--layer", 0, "--out", tmp_path / "out"]
    outcome = cli("probe", "transfer", *words, "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["options"]["task"] == "ner"
    (row,) = outcome.json["matrix"]
    assert 0 <= row["score"] <= 1
    overlap = cli("probe", "overlap", tmp_path / "out", "--json").json
    assert overlap["notes"][0] == "overlap of tokens inside entities"


def damaged(folder: Path, name: str, **change: Any) -> None:
    facts = json.loads((folder / name).read_text("utf-8"))
    (folder / name).write_text(json.dumps(facts | change), "utf-8")


def test_bad_input_is_one_sentence(
    measured: Path, treebanks: Treebanks, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    train = treebanks.folder / "en.conllu"
    base = ["probe", "transfer", "--task", "upos", "--out", tmp_path / "new", "--train"]
    test = ["--test", f"de={treebanks.folder / 'de-test.conllu'}"]
    cases = [
        ([*base, f"en={train}", "--test", f"en={train}"], "en.conllu: is trained and tested on"),
        ([*base, f"en={train}", "--train", f"en={train}", *test], "--train: en is given twice"),
        ([*base, f"en+ja={train}", *test], "2 languages and 1 file"),
        ([*base, f"en+en={train},{train}", *test], "names a language twice"),
        ([*base, f"en={train}", *test, "--layer", "x"], "layer is 'x'"),
        ([*base, f"en={train}", *test, "--control", "random", "--control", "random"],
         "--control 'random' is given twice"),
        ([*base, f"en={train}", *test, "--control", "layer_0"],
         "no control 'layer_0'; did you mean 'layer-0'?"),
        ([*base, f"en={train}", *test, "--encoder", world.encoder, "--control", treebanks.folder],
         "not an encoder"),
        ([*base, f"en={train}", *test, "--test", "ja=-"], "standard input cannot be read again"),
        ([*base, f"en={write_treebank(tmp_path / 'one.conllu', 'en', tags='X')}", *test],
         "one.conllu: all words have the tag 'X'"),
        (["probe", "overlap", tmp_path / "none"], "no such folder"),
        (["probe", "report", measured, measured, "--out", tmp_path / "page.html"],
         "is given twice"),
        (["probe", "rank-sources", measured, "--text", f"sw={train}", "--text", f"sw={train}"],
         "--text: language 'sw' is given twice"),
        (["probe", "script", measured, "--lang", "ja", "--romanise", "--out", tmp_path],
         "holds files of something else"),
        (["probe", "typology", measured, "--wals", tmp_path], "has no codes.csv"),
        (["probe", "rank-sources", measured, "--system", "x"], "--system is 'x'"),
        (["probe", "script", measured, "--lang", "sw", "--romanise", "--out", tmp_path / "s"],
         "--lang is 'sw', which the matrix does not test"),
        (["probe", "script", measured, "--lang", "ja", "--out", tmp_path / "s"],
         "nothing is altered"),
        (["probe", "script", measured, "--lang", "ja", "--switch", "50", "--out", tmp_path / "s"],
         "--switch is for code-switching"),
        (["probe", "script", measured, "--lang", "ja", "--dictionary", train, "--out",
          tmp_path / "s"], "en.conllu:2: is no entry of a dictionary"),
    ]  # fmt: skip
    for words, said in cases:
        assert said in refuse(*words)


def test_text_of_the_only_training_language_is_no_target(
    treebanks: Treebanks, cli: Run, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    train, test = treebanks.folder / "en.conllu", treebanks.folder / "de-test.conllu"
    out, text = tmp_path / "alone", tmp_path / "en.txt"
    text.write_text("One line.\nAnother line.\n", "utf-8")
    words = ["--train", f"en={train}", "--test", f"de={test}", "--encoder", world.encoder]
    words += ["--words", 200, "--seeds", 1, "--layer", 1, "--out", out]
    outcome = cli("probe", "transfer", *words)
    assert outcome.code == 0, outcome.err
    assert "fewer than 200 words to train on: en 120; all are taken" in outcome.err
    assert "no training language is another than 'en'" in refuse(
        "probe", "rank-sources", out, "--text", f"en={text}"
    )
    # A folder of a matrix is none of a script probe, though its runs are made alike.
    script = ["probe", "script", out, "--lang", "de", "--romanise", "--out"]
    shutil.copytree(out, tmp_path / "other")
    assert "other: is not a test on altered text" in refuse(*script, tmp_path / "other")
    notes = cli(*script, tmp_path / "script", "--json").json["notes"]
    assert any("words changed" in note for note in notes)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run, _: run.unlink(), "a run; the command that made the folder makes it again"),
        (lambda run, _: run.write_text("{", "utf-8"), "damaged: not JSON"),
        (lambda _, manifest: manifest.unlink(), "not a transfer matrix: it has no manifest.json"),
        (lambda _, manifest: manifest.write_text(manifest.read_text("utf-8").replace("a", "b")),
         "measure again with `isogloss probe transfer`"),
    ],
)  # fmt: skip
def test_a_damaged_folder_is_refused(
    measured: Path, refuse: Refuse, tmp_path: Path, damage: Any, said: str
) -> None:
    folder = shutil.copytree(measured, tmp_path / "damaged")
    damage(sorted((folder / "cells").iterdir())[0], folder / "manifest.json")
    assert said in refuse("probe", "overlap", folder, "--out", tmp_path / "overlap")


def test_a_changed_file_is_noticed(measured: Path, treebanks: Treebanks, refuse: Refuse) -> None:
    file = treebanks.folder / "de-test.conllu"
    before = file.read_bytes()
    try:
        write_treebank(file, "de", seed=2)
        assert "is not the file that" in refuse("probe", "overlap", measured)
    finally:
        file.write_bytes(before)
