"""``isogloss tag``: names of a knowledge base, a tuned encoder and its checkpoints, export."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Refuse, Run, World, write_file

from isogloss.cli.main import main
from isogloss.train import loop

SYLLABLES = ("ba", "ko", "ri", "tu", "me", "la")
TOWNS = [f"{one}{other}".capitalize() for one in SYLLABLES for other in SYLLABLES]
TAG_OF = {"the": "DET", "fox": "NOUN", "dog": "NOUN", "quick": "ADJ", "jumps": "VERB", ".": "P"}


def corpus(towns: list[str], *, seed: int) -> str:
    """Sentences in which nothing but names tells a town from what is none, as CoNLL."""
    rng, others = np.random.default_rng(seed), [f"{town}{town[:2]}".lower() for town in TOWNS]
    sentences = []
    for town in towns:
        words = {town: "PROPN", str(rng.choice(others)): "NOUN", "the": "DET"}
        rows = [f"{word} {tag}" for word, tag in words.items()]
        sentences.append("\n".join(rows[at] for at in rng.permutation(3)))
    return "\n\n".join(sentences) + "\n"


def plain(n: int, *, seed: int = 1) -> str:
    rng = np.random.default_rng(seed)
    draws = [rng.choice(list(TAG_OF), size=rng.integers(2, 6)) for _ in range(n)]
    return "\n\n".join("\n".join(f"{word} {TAG_OF[word]}" for word in one) for one in draws) + "\n"


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("towns")
    entities = [{"id": f"Q{n}", "types": ["town"], "names": {"en": [town]}}
                for n, town in enumerate(TOWNS)]  # fmt: skip
    names = write_file(root / "names.jsonl", "".join(json.dumps(one) + "\n" for one in entities))
    assert main(["kb", "build", "--source", f"names:{names}", "--out", str(root / "kb")]) == 0
    return root / "kb"


def accuracy(cli: Run, model: Path, test: Path, *more: object) -> float:
    found = cli("tag", "evaluate", model, "--test", f"en={test}", "--json", *more)
    assert found.code == 0, found.err
    return float(found.json["rows"][0]["accuracy"])


def test_names_are_evidence_and_a_moved_knowledge_base_is_found(
    cli: Run, refuse: Refuse, world: World, kb: Path, tmp_path: Path
) -> None:
    train = write_file(tmp_path / "train", corpus(TOWNS[:24] * 5, seed=1))
    test = write_file(tmp_path / "test", corpus(TOWNS[24:], seed=2))
    fit = ["tag", "fit", "--train", f"en={train}", "--encoder", world.encoder, "--layer", "2",
           "--scheme", "none"]  # fmt: skip
    own = tmp_path / "kb"
    shutil.copytree(kb, own)
    assert cli(*fit, "--out", tmp_path / "alone").code == 0
    outcome = cli(*fit, "--kb", own, "--out", tmp_path / "model")
    assert outcome.code == 0, outcome.err
    assert f"isogloss: names: of {own}" in outcome.err
    score = accuracy(cli, tmp_path / "model", test)
    assert score > accuracy(cli, tmp_path / "alone", test) + 0.05
    own.rename(tmp_path / "moved")
    ask = ["tag", "evaluate", tmp_path / "model", "--test", f"en={test}"]
    assert "kb" in refuse(*ask, talk=True)
    assert accuracy(cli, tmp_path / "model", test, "--kb", tmp_path / "moved") == score
    said = refuse("tag", "evaluate", tmp_path / "alone", "--test", f"en={test}", "--kb",
                  tmp_path / "moved", talk=True)  # fmt: skip
    assert "links no names" in said


def test_lora_resumes_from_its_checkpoints(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("peft")
    train = write_file(tmp_path / "train", plain(24))
    run = tmp_path / "run"
    fit = ["tag", "fit", "--train", f"en={train}", "--encoder", world.encoder, "--layer", "1",
           "--tune", "lora", "--epochs", 2, "--batch-size", 4, "--learning-rate", "1e-2",
           "--device", "cpu"]  # fmt: skip
    whole = cli(*fit, "--out", tmp_path / "whole")
    assert whole.code == 0, whole.err
    assert "(lora), epoch" in whole.err
    usual, n_steps = loop._Loop._step, []

    def stopped(self: Any) -> None:
        usual(self)
        n_steps.append(1)
        if len(n_steps) == 7:
            raise KeyboardInterrupt

    monkeypatch.setattr(loop._Loop, "_step", stopped)
    broken = cli(*fit, "--out", tmp_path / "model", "--checkpoints", run)
    assert broken.code == 130
    assert run.is_dir()
    assert not (tmp_path / "model").exists()
    monkeypatch.setattr(loop._Loop, "_step", usual)
    again = cli(*fit, "--out", tmp_path / "model", "--checkpoints", run)
    assert again.code == 0, again.err
    assert not run.exists()
    found = [cli("tag", "predict", tmp_path / name, train, "--lang", "en").out
             for name in ("whole", "model")]  # fmt: skip
    assert found[0] == found[1]
    made = json.loads((tmp_path / "model" / "model.json").read_text())
    assert made["settings"]["tune"] == "lora"


def test_what_is_for_tuning_is_refused_without_it(
    refuse: Refuse, world: World, tmp_path: Path
) -> None:
    train = write_file(tmp_path / "train", plain(6))
    fit = ["tag", "fit", "--train", f"en={train}", "--encoder", world.encoder, "--out", "new"]
    assert "--checkpoints is for --tune" in refuse(*fit, "--checkpoints", tmp_path / "run")
    assert "--epochs is for --tune lora or full" in refuse(*fit, "--epochs", 2)
    out = tmp_path / "model"
    said = refuse(*fit[:-1], out, "--tune", "full", "--checkpoints", out / "run")
    assert "--checkpoints" in said


def test_an_exported_model_answers_in_transformers(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    from transformers import pipeline

    train = write_file(tmp_path / "train", plain(30))
    fit = ["tag", "fit", "--train", f"en={train}", "--encoder", world.encoder, "--layer", "1"]
    model, out = tmp_path / "model", tmp_path / "exported"
    assert cli(*fit, "--out", tmp_path / "mean").code == 0
    said = refuse("tag", "export", tmp_path / "mean", "--out", out, talk=True)
    assert "it takes the mean of a word's pieces" in said
    assert "fit with --pieces first" in said
    assert cli(*fit, "--pieces", "first", "--out", model).code == 0
    outcome = cli("tag", "export", model, "--out", out)
    assert outcome.code == 0, outcome.err
    assert f"isogloss: model for transformers → {out}" in outcome.err
    test = write_file(tmp_path / "test", plain(8, seed=2))
    predicted = cli("tag", "predict", model, test, "--lang", "en").out
    rows = [one.split("\n") for one in predicted.strip().split("\n\n")]
    pipe: Any = pipeline("token-classification", model=str(out), device="cpu")
    for sentence in rows:
        cut = [row.split(" ") for row in sentence]
        found = {row["start"]: row["entity"] for row in pipe(" ".join(word for word, _ in cut))}
        place = 0
        for word, tag in cut:
            assert found[place] == tag
            place += len(word) + 1
    assert "exists" in refuse("tag", "export", model, "--out", out)
    assert cli("tag", "export", model, "--out", out, "--overwrite").code == 0
    assert "not a tagger of isogloss" in refuse("tag", "export", world.model, "--out", "new")
