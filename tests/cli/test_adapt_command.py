"""``classify adapt``: what it writes, what it says, and when it leaves the model alone."""

import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from cli_world import Refuse, Run, World, write_file

from isogloss.classify import TextClassifier, adaptation
from isogloss.cli.main import main
from isogloss.errors import InputError
from isogloss.learn.tuning_options import TuningOptions
from isogloss.storage.sealed import sealed

ENGLISH = [
    f"The {what} in {place} {happens}."
    for what in ("football match", "tennis final", "new tax", "tax office")
    for place in ("Tokyo", "Germany", "the city", "the north")
    for happens in ("ended late", "was a surprise", "angers many")
]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    return write_file(tmp_path / "texts.txt", "\n".join(ENGLISH) + "\n")


@pytest.fixture(autouse=True)
def _lenient_test(monkeypatch: pytest.MonkeyPatch) -> None:
    """A random encoder tells no classes apart; here the command is tried, not the test of it."""
    monkeypatch.setattr(adaptation, "LEAST_SEPARATION", 0.0)
    monkeypatch.setattr(adaptation, "LARGEST_PRIOR_SHIFT", 1.0)


def test_the_model_itself_is_adapted_and_says_so_from_then_on(
    cli: Run, own: World, texts: Path
) -> None:
    predict = ("classify", "predict", own.alone, own.german, "--lang")
    before, other = cli(*predict, "de"), cli(*predict, "ja")
    assert "corrected" not in before.err
    outcome = cli("classify", "adapt", own.alone, texts, "--lang", "de")
    assert outcome.code == 0, outcome
    assert outcome.lines[0] == "de: corrected, 48 different texts"
    assert outcome.talk[-1] == f"isogloss: model → {own.alone}"
    after = cli(*predict, "de")
    assert after.out != before.out
    assert "isogloss: corrected: de, 48 texts" in after.talk
    again = cli(*predict, "ja")
    assert again.out == other.out
    assert "corrected" not in again.err
    scores = cli("classify", "evaluate", own.alone, "--test", f"de={own.german}", "--json")
    assert scores.json["rows"][0]["corrected"] == 48
    why = cli("classify", "explain", own.alone, "Das Spiel.", "--lang", "de")
    assert "corrected: vectors of de, as learned from 48 texts" in why.out
    assert cli("classify", "adapt", own.alone, "--lang", "de", "--remove").code == 0
    assert cli(*predict, "de").out == before.out


def test_what_else_lies_in_the_folder_of_the_model_is_not_lost(
    cli: Run, refuse: Refuse, own: World, texts: Path, tmp_path: Path
) -> None:
    (own.alone / "NOTES.txt").write_text("mine")
    adapt = ("classify", "adapt", own.alone, texts, "--lang", "de")
    assert "NOTES.txt, which is no part of the model and would be lost" in refuse(*adapt)
    assert cli(*adapt, "--out", tmp_path / "new").code == 0
    assert (own.alone / "NOTES.txt").read_text() == "mine"
    (own.alone / "NOTES.txt").unlink()
    card = own.alone / "README.md"
    card.write_text(card.read_text("utf-8") + "Ours.\n", "utf-8")
    assert "its README.md was edited and would be written anew" in refuse(*adapt)
    assert card.read_text("utf-8").endswith("Ours.\n")


def test_an_encoder_in_the_folder_that_is_replaced_is_not_lost(own: World) -> None:
    inside = own.alone / "enc"
    shutil.copytree(own.encoder, inside)
    model = TextClassifier.load(own.alone, encoder=inside)
    with pytest.raises(InputError, match=r"needs its encoder .*enc, which would be replaced"):
        model.save(own.alone, overwrite=True)
    assert inside.is_dir()


@pytest.mark.usefixtures("no_space_at_the_end")
def test_nothing_is_called_done_that_is_not_written(
    refuse: Refuse, own: World, texts: Path
) -> None:
    assert "No space left" in refuse("classify", "adapt", own.alone, texts, "--lang", "de")


def test_a_link_to_a_model_stays_one(cli: Run, own: World, texts: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(own.alone)
    outcome = cli("classify", "adapt", link, texts, "--lang", "de")
    assert outcome.code == 0, outcome
    assert link.is_symlink()
    assert "de" in TextClassifier.load(own.alone).corrections_


def test_out_leaves_the_model_as_it_is(
    cli: Run, refuse: Refuse, world: World, texts: Path, tmp_path: Path
) -> None:
    adapt = ("classify", "adapt", world.model, texts, "--lang", "ja", "--out", tmp_path / "new")
    outcome = cli(*adapt, "--json")
    assert outcome.code == 0, outcome
    assert outcome.json["accepted"] is True
    assert set(outcome.json["class_priors"]) == {"sport", "money"}
    assert list(TextClassifier.load(tmp_path / "new").corrections_) == ["ja"]
    assert TextClassifier.load(world.model).corrections_ == {}
    assert "already exists" in refuse(*adapt)
    assert cli(*adapt, "--overwrite").code == 0


def test_declined_writes_nothing_and_is_an_error_when_strict(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    few = write_file(tmp_path / "few.txt", "Eins.\nZwei.\n")
    adapt = ("classify", "adapt", world.alone, few, "--lang", "de", "--out", tmp_path / "new")
    outcome = cli(*adapt)
    assert outcome.code == 0
    assert outcome.out == ""
    (sentence,) = outcome.talk  # once: it was said three times
    assert "de: declined to correct its vectors: 2 different texts; 20 are needed" in sentence
    assert cli(*adapt, "--json").json["accepted"] is False
    assert not (tmp_path / "new").exists()
    assert "20 are needed at least" in refuse(*adapt, "--strict")


def test_remove_says_what_it_did(cli: Run, own: World, texts: Path, tmp_path: Path) -> None:
    assert cli("classify", "adapt", own.alone, texts, "--lang", "de").code == 0
    remove = ("classify", "adapt", own.alone, "--lang", "de", "--remove")
    assert cli(*remove, "--out", tmp_path / "before").lines == ["de: its correction is removed"]


def test_advice_of_a_tuned_model_names_options_as_typed(
    refuse: Refuse, own: World, texts: Path
) -> None:
    manifest = json.loads((own.alone / "model.json").read_text())
    manifest |= {"training": asdict(TuningOptions()), "forecast_reference": None}
    manifest["settings"]["tune"] = "lora"
    (own.alone / "model.json").write_text(json.dumps(sealed(manifest)))
    for command in ("adapt", "forecast"):
        said = refuse("classify", command, own.alone, texts, "--lang", "de")
        assert said.endswith("its encoder was fine-tuned; fit one with --tune head")


def test_remove_prints_one_json_document(cli: Run, own: World, texts: Path, tmp_path: Path) -> None:
    """It printed nothing, with --json too."""
    assert cli("classify", "adapt", own.alone, texts, "--lang", "deu").code == 0
    remove = ("classify", "adapt", own.alone, "--lang", "deu", "--remove", "--json")
    for place in (("--out", tmp_path / "new"), ()):
        outcome = cli(*remove, *place)
        assert outcome.code == 0, outcome.err
        assert outcome.json == {"lang": "de", "removed": True}
        assert len(outcome.lines) == 1
    assert TextClassifier.load(own.alone).corrections_ == {}


def test_what_is_missing_is_said(refuse: Refuse, world: World, texts: Path) -> None:
    assert "Missing option '--lang'" in refuse("classify", "adapt", world.alone, texts)
    remove = ("classify", "adapt", world.alone, "--lang", "de", "--remove")
    assert "not adapted to de; adapted: none" in refuse(*remove)


def test_a_model_with_its_knowledge_base_keeps_it(
    cli: Run, own: World, texts: Path, tmp_path: Path
) -> None:
    model, new = tmp_path / "model", tmp_path / "new"
    TextClassifier.load(own.model).save(model, embed_kb=True)
    assert cli("classify", "adapt", model, texts, "--lang", "ja", "--out", new).code == 0
    shutil.rmtree(model)
    shutil.rmtree(own.kb)
    predict = ("classify", "predict", new, own.japanese, "--lang", "ja")
    outcome = cli(*predict)
    assert outcome.code == 0, outcome.err
    assert TextClassifier.load(new).kb_.path == new / "kb"


def test_there_is_no_forecast_for_a_language_that_is_adapted_to(
    cli: Run, own: World, texts: Path, tmp_path: Path
) -> None:
    forecast = ("classify", "forecast", own.alone, own.german, "--lang")
    before, other = cli(*forecast, "de"), cli(*forecast, "ja")
    assert cli("classify", "adapt", own.alone, texts, "--lang", "de").code == 0
    outcome = cli(*forecast, "de")
    assert outcome.code == 2
    assert outcome.out == ""
    assert "adapted to de, and there is no forecast for corrected vectors" in outcome.err
    assert cli(*forecast, "ja").out == other.out
    # What the sentence says to do.
    remove = ("--remove", "--lang", "de", "--out", tmp_path / "before")
    assert cli("classify", "adapt", own.alone, *remove).code == 0
    again = ("classify", "forecast", tmp_path / "before", own.german, "--lang", "de")
    assert cli(*again).out == before.out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("in_place", [True, False])
def test_a_model_that_was_made_stays_where_no_answer_can_be_written(
    own: World, texts: Path, tmp_path: Path, in_place: bool, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out = own.alone if in_place else tmp_path / "new"
    words = ["classify", "adapt", own.alone, texts, "--lang", "de"]
    words += [] if in_place else [f"--out={out}"]
    with Path("/dev/full").open("w", encoding="utf-8") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        assert main([str(word) for word in words]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith(f"; let it go elsewhere; what was written stays: {out}")
    assert TextClassifier.load(out, encoder=own.encoder).corrections_
