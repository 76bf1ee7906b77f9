"""An option that another makes useless is refused, also with the value that it has by default."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cli_world import JAPANESE, Refuse, Run, World, fit_words
from scipy.special import softmax
from transformers import AutoModel, AutoTokenizer

from isogloss import TextClassifier
from isogloss.cli import main
from isogloss.cli.tuning import HowTuned

FIT = ["classify", "fit", "--train", "en=TRAIN", "--encoder", "ENCODER", "--out", "OUT"]
COMPARE = ["classify", "compare", "--train", "en=TRAIN", "--test", "ja=JA", "--kb", "KB",
           "--encoder", "ENCODER", "--out", "OUT"]  # fmt: skip
TRAIN = ["vectors", "train", "--source", "wikipedia:en=TRAIN", "--out", "OUT"]
TEXTS = ["probe", "geometry", "--text", "en=TRAIN", "--encoder", "ENCODER"]
VECTORS = ["probe", "geometry", "--vectors", "en=TRAIN"]
NEUTRAL = ["probe", "neutrality", "--text", "en=TRAIN", "--text", "ja=JA", "--encoder", "ENCODER"]
EVALUATE = ["classify", "evaluate", "MODEL", "--test", "ja=JA"]
ADAPT = ["classify", "adapt", "MODEL", "--lang", "ja"]
OF_ALONE = {
    "predict": ["classify", "predict", "ALONE", "JA", "--lang", "ja"],
    "evaluate": ["classify", "evaluate", "ALONE", "--test", "ja=JA"],
    "explain": ["classify", "explain", "ALONE", "a text", "--lang", "en"],
    "adapt": ["classify", "adapt", "ALONE", "JA", "--lang", "ja"],
    "forecast": ["classify", "forecast", "ALONE", "JA", "--lang", "ja"],
}
TUNED = [*FIT, "--tune", "full"]
NAMED = ["classify", "fit", "--classes", "TRAIN", "--out", "OUT"]
REMOVE = [*ADAPT, "--remove", "--out", "OUT"]
BUILD = ["kb", "build", "--source", "names:NAMES", "--out", "OUT"]
CLDR = ["kb", "build", "--source", "cldr", "--out", "OUT"]

OF_ENTITIES = "is for entities of a knowledge base; give --kb too"
OF_NAMES = "is for names of a knowledge base; give --kb too"
OF_SETS = "is for label sets; add --multilabel"
OF_TEXTS = "is for texts that are encoded; give --text LANG=FILE"
OF_OUT = "is for --out; without that, MODEL itself is changed"
NO_TEXTS = "is of no use with --remove, which reads no texts"
NO_KB = "is for entities, and the model has no knowledge base; leave it out"
OF_TRAIN = "is for files of --train; that of --classes has the columns label and text"
WITH_DEV = "is of no use with --dev; leave one of them out"
OF_WIKIPEDIAS = "is for wikipedia:LANG=DUMP sources; give one"

# Command, options that are of no use in it, why. A value stands where the default is none.
USELESS: list[tuple[list[str], list[str], str]] = [
    (FIT, ["--preset", "--init", "--attention", "--max-entities=1", "--min-link-prob",
           "--min-commonness", "--nested"], OF_ENTITIES),
    ([*FIT, "--tune", "full"], ["--init", "--attention", "--max-entities=1", "--min-link-prob",
                                "--min-commonness", "--nested"], OF_ENTITIES),
    (FIT, ["--thresholds"], OF_SETS),
    (COMPARE, ["--thresholds"], OF_SETS),
    (EVALUATE, ["--overwrite"], "is for --report; give that too"),
    (EVALUATE, ["--label-separator=/"], "is for label sets, and the model gives one label"),
    *((OF_ALONE[verb], ["--kb=x", "--fallback-lang=en"], NO_KB)
      for verb in ("predict", "evaluate", "explain")),
    *((OF_ALONE[verb], ["--kb=x"], NO_KB) for verb in ("adapt", "forecast")),
    ([*OF_ALONE["evaluate"], "--versus", "MODEL"], ["--kb=x"], NO_KB),
    (NAMED, ["--text=text", "--label=label", "--quoting", "--encoding", "--sheet=x", "--lang=en",
             "--lang-column=x"], OF_TRAIN),
    ([*TUNED, "--dev", "en=TRAIN"], ["--dev-split=0.05"], WITH_DEV),
    ([*COMPARE, "--tune", "full", "--dev", "en=TRAIN"], ["--dev-split=0.05"], WITH_DEV),
    ([*TUNED, "--dev-split", "0"], ["--patience=3"], "is of no use with --dev-split 0, which"),
    (TUNED, ["--average-checkpoints=11"], "is 11, and --epochs is 10; give at most as many"),
    ([*TUNED, "--epochs", "2"], ["--average-checkpoints=3"], "is 3, and --epochs is 2"),
    ([*FIT, "--multilabel", "--label", "a,b"], ["--label-separator=|"],
     "is for labels in one column, and --label names several; leave it out"),
    (ADAPT, ["--overwrite"], OF_OUT),
    ([*ADAPT, "--remove"], ["--overwrite"], OF_OUT),
    (REMOVE, ["--text=text", "--quoting", "--encoding", "--sheet=x", "--threads=1", "--cache=x"],
     NO_TEXTS),
    (OF_ALONE["predict"], ["--prefix=x_", "--scores", "--excel", "--overwrite"],
     "is for a file of answers; give --out too"),
    (TRAIN, ["--min-link-prob", "--min-commonness"], OF_NAMES),
    (TEXTS, ["--static-layer"], "is for --static; give that too"),
    (TEXTS, ["--overwrite"], "is for --out and --static; give one of them too"),
    (NEUTRAL, ["--overwrite"], "is for --out; give that too"),
    (VECTORS, ["--unit", "--device", "--dtype", "--threads=1"], OF_TEXTS),
    (BUILD, ["--work=x", "--limit=1", "--min-link-count", "--keep-disambiguations",
             "--keep-red-links=1", "--sitelinks=x"], OF_WIKIPEDIAS),
    (BUILD, ["--min-sitelinks"], "is for wikidata:DUMP sources; give one"),
    (CLDR, ["--skip-bad"], "is for names files; add --source names:FILE"),
]  # fmt: skip
CASES = [(words, option, why) for words, options, why in USELESS for option in options]


def usual(words: list[str], option: str) -> Any:
    """Return the default of an option; its flag where it is one."""
    command = main.command_line()
    for word in words[:2]:
        command = command.commands[word]
    (parameter,) = (one for one in command.params if option in one.opts)
    return None if parameter.is_flag else parameter.default


@pytest.fixture
def places(world: World, tmp_path: Any) -> dict[str, str]:
    return {
        "TRAIN": str(world.train), "JA": str(world.japanese), "KB": str(world.kb),
        "ENCODER": str(world.encoder), "NAMES": str(world.names), "OUT": str(tmp_path / "out"),
        "MODEL": str(world.model), "ALONE": str(world.alone),
    }  # fmt: skip


@pytest.mark.parametrize(("words", "option", "why"), CASES)
def test_refused_with_its_default(
    refuse: Refuse, places: dict[str, str], words: list[str], option: str, why: str
) -> None:
    name, _, value = option.partition("=")
    value = value or usual(words, name)
    filled = []
    for word in words:
        head, mark, place = word.rpartition("=") if "=" in word else word.rpartition(":")
        filled.append(head + mark + places.get(place, place))
    given = [name] if value is None else [name, str(value)]
    assert refuse(*filled, *given).startswith(f"isogloss: {name} {why}")


def test_without_development_texts_the_last_epochs_are_averaged() -> None:
    given = {"epochs": 2, "dev_split": 0.0, "average_checkpoints": 2}
    assert HowTuned(**given).options("full") == given


def test_a_second_model_with_a_knowledge_base_has_a_use_for_a_fallback(
    cli: Run, world: World
) -> None:
    words = ["--test", f"ja={world.japanese}", "--versus", world.model, "--fallback-lang", "en"]
    outcome = cli("classify", "evaluate", world.alone, *words)
    assert outcome.code == 0, outcome.err


def test_a_misspelt_source_is_told_first(refuse: Refuse, tmp_path: Any) -> None:
    words = ["kb", "build", "--source", "wikpedia:en=x", "--limit", 1, "--out", tmp_path / "o"]
    assert "no source 'wikpedia:en=x'" in refuse(*words)


@pytest.mark.parametrize("file", ["-", "no such file"])
def test_a_file_that_remove_does_not_read_is_refused(
    refuse: Refuse, world: World, file: str
) -> None:
    said = refuse("classify", "adapt", world.model, file, "--lang", "ja", "--remove")
    assert said == f"isogloss: FILE {NO_TEXTS}"


def test_a_tuned_encoder_alone_takes_the_preset_of_the_paper_and_reads_cls(
    cli: Run, world: World, tmp_path: Path
) -> None:
    """It was refused: "is for entities of a knowledge base"."""
    tuned = ["--tune", "full", "--epochs", 1, "--dev-split", 0, "--device", "cpu"]
    outcome = cli(*fit_words(world, tmp_path / "model", *tuned, "--preset", "mboe"))
    assert outcome.code == 0, outcome.err
    model = TextClassifier.load(tmp_path / "model", device="cpu")
    folder, texts = tmp_path / "model" / "encoder", [text for _, text in JAPANESE]
    tokens = AutoTokenizer.from_pretrained(folder)(texts, padding=True, return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder)(**tokens).last_hidden_state
    cls = states[:, 0].numpy()
    np.testing.assert_allclose(model.encoder_.encode(texts), cls, atol=1e-5)
    assert not np.allclose(cls, states.mean(dim=1).numpy(), atol=1e-2)
    expected = softmax(cls @ model.head_.linear.weight.T + model.head_.linear.bias, axis=1)
    np.testing.assert_allclose(model.predict_proba(texts), expected, atol=1e-5)
