"""``classify fit --tune lora|full``: options arrive, runs are kept, the model predicts."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import JAPANESE, TRAIN, Refuse, Run, World

from isogloss import TextClassifier

QUICK = ["--tune", "full", "--epochs", 1, "--dev-split", 0.25, "--device", "cpu"]


def words_of(world: World, out: Path, *options: object) -> list[object]:
    return ["classify", "fit", "--train", f"en={world.train}", "--encoder", world.encoder,
            "--out", out, *QUICK, *options]  # fmt: skip


@pytest.fixture
def fit(cli: Run, world: World, tmp_path: Path) -> Any:
    def run(*options: object) -> TextClassifier:
        outcome = cli(*words_of(world, tmp_path / "model", "--overwrite", *options))
        assert outcome.code == 0, outcome.err
        assert outcome.out == ""
        return TextClassifier.load(tmp_path / "model", device="cpu")

    return run


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ([], "epochs", 1),
        (["--batch-size", 5], "batch_size", 5),
        (["--learning-rate", "1e-3"], "learning_rate", 1e-3),
        (["--patience", 2], "patience", 2),
        (["--dev-split", 0.3], "dev_split", 0.3),
        (["--class-weights", "balanced"], "class_weights", "balanced"),
        (["--max-length", 12], "max_length", 12),
        (["--embeddings", "rows"], "embeddings", "rows"),
        (["--accumulate", 2], "accumulate", 2),
        (["--precision", "bfloat16"], "precision", "bfloat16"),
        (["--average-checkpoints", 2, "--epochs", 2], "average_checkpoints", 2),
    ],
)
def test_an_option_of_fit_is_one_of_tuning(
    fit: Any, words: list[object], name: str, value: object
) -> None:
    model = fit(*words)
    assert model.options_.tune == "full"
    assert getattr(model.tuning_, name) == value


@pytest.mark.parametrize("tune", ["full", "lora"])
@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_a_tuned_model_predicts_from_the_command_line(
    fit: Any, cli: Run, world: World, tmp_path: Path, tune: str, preset: str
) -> None:
    model = fit("--kb", world.kb, "--tune", tune, "--preset", preset)
    texts = [text for _, text in JAPANESE]
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n", "utf-8")
    outcome = cli("classify", "predict", tmp_path / "model", tmp_path / "texts.txt", "--lang",
                  "ja", "--device", "cpu")  # fmt: skip
    assert outcome.code == 0, outcome.err
    expected = model.predict_proba(texts, "ja").max(axis=1)
    found = [float(line.split("\t")[1]) for line in outcome.lines]
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_checkpoints_go_when_the_model_is_there(fit: Any, tmp_path: Path) -> None:
    fit("--checkpoints", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_options_of_tuning_without_tuning_are_refused(
    refuse: Refuse, world: World, tmp_path: Path
) -> None:
    words = ["classify", "fit", "--train", f"en={world.train}", "--out", tmp_path / "model"]
    assert "--batch-size is for --tune lora or full" in refuse(*words, "--batch-size", 3)
    assert "--checkpoints is for --tune" in refuse(*words, "--checkpoints", tmp_path / "run")


def test_embeddings_are_not_for_lora(refuse: Refuse, world: World, tmp_path: Path) -> None:
    words = words_of(world, tmp_path / "model", "--tune", "lora", "--embeddings", "dense")
    assert "use tune='full'" in refuse(*words, talk=True)


def without_dropout(encoder: Path, folder: Path) -> Path:
    """Copy an encoder; the copy's configuration has no dropout, as the draws differ by process."""
    shutil.copytree(encoder, folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


@pytest.mark.full
def test_two_processes_write_one_model(world: World, tmp_path: Path) -> None:
    """Without dropout the two give what one gives, within 1e-4 of a probability."""
    encoder = without_dropout(world.encoder, tmp_path / "encoder")
    texts = [text for _, text in [*TRAIN, *JAPANESE]]
    found = {}
    for name, rate, start in (
        ("one", "1e-2", [sys.executable]),
        ("two", "1e-2", [sys.executable, "-m", "torch.distributed.run", "--standalone",
                         "--nproc-per-node=2"]),
        ("start", "1e-12", [sys.executable]),
    ):  # fmt: skip
        fit = words_of(world, tmp_path / name, "--encoder", encoder, "--learning-rate", rate,
                       "--epochs", 3, "--batch-size", 5)  # fmt: skip
        words = [*start, "-m", "isogloss", *fit]
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run(list(map(str, words)), check=True, env=environment, timeout=250)
        found[name] = TextClassifier.load(tmp_path / name, device="cpu").predict_proba(texts)
    np.testing.assert_allclose(found["one"], found["two"], atol=1e-4)
    assert np.abs(found["one"] - found["start"]).max() > 0.1
