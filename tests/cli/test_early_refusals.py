"""What does not go together is refused before an encoder or a model is loaded."""

import json
from pathlib import Path

import pytest
from cli_world import JAPANESE, TRAIN, Refuse, World, write_tsv

from isogloss.classify.saving import load as saving
from isogloss.encode import Encoder
from isogloss.storage.sealed import sealed

SETS = [(label if number % 3 else f"{label}|x", text) for number, (label, text) in enumerate(TRAIN)]
TUNED = ["--tune", "full"]


@pytest.fixture
def nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object, **__: object) -> None:
        raise AssertionError("it was loaded in vain")

    monkeypatch.setattr(Encoder, "load", load)
    monkeypatch.setattr(saving, "load_classifier", load)


@pytest.fixture
def files(world: World, tmp_path: Path) -> dict[str, str]:
    """Words of a command that stand for files."""
    named = [("sport", "sports"), ("money", "banks")]
    (tmp_path / "a file").touch()
    sets = write_tsv(tmp_path / "sets.tsv", SETS, header="labels\ttext")
    return {
        "TRAIN": f"en={world.train}",
        "JA": f"ja={world.japanese}",
        "SETS": f"en={sets}",
        "CLASSES": str(write_tsv(tmp_path / "classes.tsv", named)),
        "OTHER": f"en={write_tsv(tmp_path / 'other.tsv', [('x', 'one'), ('y', 'two')])}",
        "ONE": f"en={write_tsv(tmp_path / 'one.tsv', [('x', 'one'), ('x', 'two')])}",
        "EMPTY": f"ja={write_tsv(tmp_path / 'empty.tsv', [])}",
        "BLANK": str(write_tsv(tmp_path / "blank.tsv", [(" ",)], header="text")),
        "KB": str(world.kb),
        "MODEL": str(world.model),
        "FILE": str(tmp_path / "a file"),
        "NEW": str(tmp_path / "new"),
    }


FIT = ["classify", "fit", "--train", "TRAIN", "--out", "NEW"]
NAMED = [*FIT, "--classes", "CLASSES"]
COMPARE = ["classify", "compare", "--train", "TRAIN", "--test", "JA", "--kb", "KB", "--out", "NEW"]


@pytest.mark.usefixtures("nothing_is_loaded")
@pytest.mark.parametrize(
    ("words", "part"),
    [
        ([*NAMED, "--kb", "KB"], "leave --kb out"),
        ([*NAMED, *TUNED], "leave --tune out"),
        ([*NAMED, "--dev", "TRAIN"], "leave --dev out"),
        ([*NAMED, *TUNED, "--checkpoints", "x"], "leave --tune out"),
        (["classify", "fit", "--classes", "CLASSES", "--out", "NEW", "--train", "SETS",
          "--multilabel"], "leave --multilabel out"),
        (["classify", "fit", "--classes", "CLASSES", "--out", "NEW", "--train", "OTHER"],
         "other.tsv:2: the label 'x' has no name in --classes"),
        ([*FIT, "--thresholds", "tuned"], "is for label sets; add --multilabel"),
        ([*FIT, "--tune", "lora", "--embeddings", "dense"], "use tune='full'"),
        ([*FIT, *TUNED, "--learning-rate", "-1"], "learning_rate"),
        ([*FIT, *TUNED, "--dev-split", "1.5"], "dev_split is 1.5"),
        ([*FIT, *TUNED, "--checkpoints", "FILE"], "cannot be made here"),
        ([*FIT, "--embed-kb"], "--embed-kb needs a knowledge base"),
        ([*FIT, "--dev", "OTHER"], "no development text has a label of the training data"),
        ([*FIT[:-4], "--train", "ONE", "--out", "NEW"], "two classes are needed"),
        (["classify", "fit", "--train", "SETS", "--multilabel", "--thresholds", "tuned", *TUNED,
          "--dev-split", "0", "--out", "NEW"], "needs texts that are held out"),
        (["classify", "fit", "--train", "SETS", "--multilabel", "--thresholds", "tuned", *TUNED,
          "--dev-split", "0.001", "--out", "NEW"],
         "are too few to hold out a share of 0.001 (dev_split); give a larger one, or development"),
        ([*COMPARE, "--thresholds", "tuned"], "is for label sets; add --multilabel"),
        ([*COMPARE, "--label-separator", "|"], "add --multilabel"),
        ([*COMPARE, "--tune", "lora", "--embeddings", "rows"], "use tune='full'"),
        ([*COMPARE, *TUNED, "--dev-split", "2"], "dev_split is 2"),
        ([*COMPARE, "--fallback-lang", "xxxx"], "xxxx"),
        ([*COMPARE, "--dev", "OTHER"], "no development text has a label"),
        ([*COMPARE[:-1], "FILE"], "FILE"),
        (["classify", "evaluate", "MODEL", "--test", "EMPTY"], "no rows"),
        (["classify", "adapt", "MODEL", "BLANK", "--lang", "ja"], "no text to adapt to"),
        (["classify", "adapt", "MODEL", "--remove", "--lang", "ja"], "not adapted to ja"),
        (["classify", "forecast", "MODEL", "EMPTY", "--lang", "ja"], "no rows"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_refused_before_anything_is_loaded(
    refuse: Refuse, files: dict[str, str], words: list[str], part: str
) -> None:
    places = files | ({"EMPTY": files["EMPTY"][3:]} if "forecast" in words else {})
    sentence = refuse(*(places.get(word, word) for word in words))
    assert files.get(part, part) in sentence


@pytest.fixture
def set_model(world: World, files: dict[str, str], cli: object, tmp_path: Path) -> Path:
    """A manifest that says its model gives label sets, and kept no reference."""
    settings = json.loads((world.model / "model.json").read_text("utf-8"))
    settings["settings"]["multilabel"] = True
    settings["forecast_reference"] = None
    settings["corrections"] = {"pt": {"scale": 1.0, "n_texts": 30}}
    place = tmp_path / "sets"
    place.mkdir()
    (place / "model.json").write_text(json.dumps(sealed(settings)), "utf-8")
    return place


@pytest.mark.usefixtures("nothing_is_loaded")
def test_what_a_model_cannot_do_is_in_its_manifest(
    refuse: Refuse, world: World, set_model: Path, tmp_path: Path
) -> None:
    texts = write_tsv(tmp_path / "ja.tsv", JAPANESE)
    words = ["--lang", "ja"]
    lack = "it gives label sets; fit one of one label a text"
    assert f"adapted: {lack}" in refuse("classify", "adapt", set_model, texts, *words)
    assert f"compare with, as {lack}" in refuse("classify", "forecast", set_model, texts, *words)
    assert "adapted: pt" in refuse("classify", "adapt", set_model, "--remove", *words)
    assert "compare models of one kind" in refuse(
        "classify", "evaluate", world.model, "--test", f"ja={texts}", "--versus", set_model
    )
