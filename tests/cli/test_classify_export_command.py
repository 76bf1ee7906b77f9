"""`classify export`: what each option makes of a model, and what is refused."""

import json
import shutil
from pathlib import Path

import pytest
from cli_world import Outcome, Refuse, Run, World

from isogloss.classify.export import exporter
from isogloss.classify.export.exporter import Exported

pytestmark = pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")


def test_a_model_becomes_a_directory_for_others(cli: Run, world: World, tmp_path: Path) -> None:
    words = ("classify", "export", world.alone, "--out", tmp_path / "made", "--threads", 1)
    outcome: Outcome = cli(*words)
    assert outcome.code == 0, outcome
    assert outcome.out == ""
    cut, compared, place = outcome.talk[-3:]
    assert "texts of more than 40 tokens are cut by what was written" in cut
    assert "probabilities of 100 texts in ten scripts differ by" in compared
    assert place == f"isogloss: model → {tmp_path / 'made'}"
    about = json.loads((tmp_path / "made" / "manifest.json").read_text("utf-8"))
    assert about["labels"] == ["money", "sport"]
    assert "already exists" in cli(*words).err
    assert cli(*words, "--overwrite").code == 0


def test_entities_are_left_out_when_asked(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    def export(fitted: object, out: Path, **options: object) -> Exported:
        made.append(options)
        return Exported(0.0, [])

    monkeypatch.setattr(exporter, "export_classifier", export)
    words = ("classify", "export", world.model, "--out", tmp_path / "made")
    assert cli(*words, "--without-entities").code == 0
    assert cli(*words, "--format", "onnx", "--overwrite").code == 0
    assert made == [
        {"form": "sentence-transformers", "lang": None, "without_entities": True,
         "overwrite": False},
        {"form": "onnx", "lang": None, "without_entities": False, "overwrite": True},
    ]  # fmt: skip


def test_useless_options_are_refused(refuse: Refuse, world: World, tmp_path: Path) -> None:
    words = ("classify", "export", world.alone, "--out", tmp_path / "made")
    assert "--without-entities is for entities" in refuse(*words, "--without-entities")
    assert "--lang is for an adapted model, and this one is not" in refuse(*words, "--lang", "ja")


def test_an_exported_model_is_no_classifier(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(world.encoder, tmp_path / "made")
    (tmp_path / "made" / "manifest.json").write_text('{"format": "isogloss exported classifier"}')
    said = cli("classify", "predict", tmp_path / "made", world.german, "--lang", "de").err
    assert "not a classifier: it has no model.json" in said
