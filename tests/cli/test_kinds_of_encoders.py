"""Encoders of each architecture: tagger, export and the probes of transfer; no code of a model's.

Their configurations name code of their own (``auto_map``), which must never run.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Run, World, write_file
from tiny_kinds import LAYERED, build_kind
from written_treebanks import write_treebank

from isogloss import TokenTagger
from isogloss.data.column_files import read_column_file

CODE = "import pathlib\npathlib.Path({marker!r}).write_text('ran')\nclass M:\n    pass\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kinds")
    for lang in ("en", "de", "ja"):
        write_treebank(folder / f"{lang}.conllu", lang, n=24)
        write_treebank(folder / f"{lang}-test.conllu", lang, n=12, seed=1, ids="t")
    return folder


@pytest.fixture(scope="module")
def encoders(folder: Path) -> dict[str, Path]:
    """Each with code of its own that leaves a file when it is run."""
    made = {}
    for kind in LAYERED:
        made[kind] = build_kind(folder / kind, kind)
        config = json.loads((made[kind] / "config.json").read_text())
        names = ("AutoConfig", "AutoModel", "AutoModelForTokenClassification")
        config["auto_map"] = dict.fromkeys(names, "own.M")
        (made[kind] / "config.json").write_text(json.dumps(config))
        (made[kind] / "own.py").write_text(CODE.format(marker=str(folder / "ran")))
    return made


@pytest.mark.parametrize("kind", LAYERED)
def test_a_tagger(encoders: dict[str, Path], folder: Path, tmp_path: Path, kind: str) -> None:
    train = read_column_file(folder / "en.conllu", needs_tags=True)
    assert train.tags is not None
    model = TokenTagger(encoders[kind], layer="0-1", C=10.0).fit(train.words, train.tags, "en")
    assert model.score(train.words, train.tags, "en") > 0.9
    model.save(tmp_path / "model")
    loaded = TokenTagger.load(tmp_path / "model")
    words = read_column_file(folder / "ja-test.conllu").words
    for one, other in zip(
        model.predict_proba(words, "ja"), loaded.predict_proba(words, "ja"), strict=True
    ):
        assert np.array_equal(one, other)
    assert not (folder / "ran").exists()


@pytest.mark.parametrize("kind", LAYERED)
def test_an_export(
    cli: Run, encoders: dict[str, Path], folder: Path, tmp_path: Path, kind: str
) -> None:
    """A directory that answers alike; or one sentence, and nothing is left.

    ModernBERT has more than a linear map above its layers; GPT-2 a norm above its last one, and a
    tokenizer that puts no blank before words that are given one by one.
    """
    fit = ["tag", "fit", "--train", f"en={folder / 'en.conllu'}", "--encoder", encoders[kind],
           "--layer", "1", "--pieces", "first", "--out", tmp_path / "model"]  # fmt: skip
    assert cli(*fit).code == 0
    outcome = cli("tag", "export", tmp_path / "model", "--out", tmp_path / "out")
    assert outcome.code in (0, 2), outcome.err
    assert outcome.talk[-1].startswith("isogloss: ")
    assert (outcome.code == 2) == (kind in ("modernbert", "gpt2")), outcome.err
    if outcome.code:
        assert "cannot be exported" in outcome.talk[-1]
        assert not (tmp_path / "out").exists()
    else:
        assert "auto_map" not in json.loads((tmp_path / "out" / "config.json").read_text())
    assert not (folder / "ran").exists()


def test_the_probes(cli: Run, encoders: dict[str, Path], folder: Path, tmp_path: Path) -> None:
    """All encoders in one matrix."""
    words: list[Any] = ["probe", "transfer", "--task", "upos", "--words", 40, "--seeds", 1,
                        "--layer", 1, "--out", tmp_path / "out"]  # fmt: skip
    for kind in LAYERED:
        words += ["--encoder", encoders[kind]]
    for lang in ("en", "ja"):
        words += ["--train", f"{lang}={folder / f'{lang}.conllu'}"]
    for lang in ("en", "de"):
        words += ["--test", f"{lang}={folder / f'{lang}-test.conllu'}"]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    with (tmp_path / "out" / "matrix.csv").open(encoding="utf-8", newline="") as file:
        matrix = list(csv.DictReader(file))
    assert {row["system"] for row in matrix} == {path.name for path in encoders.values()}
    assert len(matrix) == len(LAYERED) * 4
    of_itself = [row for row in matrix if row["train"] == row["test"] == "en"]
    assert all(float(row["score"]) > 0.4 for row in of_itself), of_itself
    overlap = cli("probe", "overlap", tmp_path / "out", "--json")
    assert overlap.code == 0, overlap.err
    assert all(one.name in overlap.out for one in encoders.values())
    assert not (folder / "ran").exists()


def test_the_probe_of_translation(
    cli: Run, world: World, encoders: dict[str, Path], folder: Path, tmp_path: Path
) -> None:
    rows = [f"the {one} and {other}\tder {one} und {other}"
            for one in ("fox", "dog", "tax") for other in ("Rio", "Bonn", "Kiel")]  # fmt: skip
    pairs = write_file(tmp_path / "de.tsv", "\n".join(rows) + "\n")
    words: list[Any] = ["probe", "translation", "--pairs", f"en-de={pairs}", "--neighbours", 2,
                        "--json"]  # fmt: skip
    for kind in LAYERED:
        words += ["--encoder", encoders[kind]]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    found = json.loads(outcome.out)
    assert {row["encoder"] for row in found["layers"]} == {str(one) for one in encoders.values()}
    assert not (folder / "ran").exists()
