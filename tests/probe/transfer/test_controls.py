"""Controls, and many taggers on one pass of the encoder."""

from pathlib import Path

import numpy as np
import pytest
from written_treebanks import LEXICON, ORDERS

from isogloss.arrays import Floats3d
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.probe.transfer.matrix.controls import RandomEncoder, candidates, short_names
from isogloss.probe.transfer.matrix.measure import tags_of_all
from isogloss.tag.token_tagger import TokenTagger
from isogloss.tag.word_features import layer_states

SENTENCES = [["the", "quick", "fox", "jumps"], ["der", "Hund", "rennt"], ["東京", "です"]]


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "gpt2"])
def test_random_layers_stand_on_the_same_embeddings(
    tiny_models: dict[str, Path], kind: str
) -> None:
    base = Encoder.load(tiny_models[kind])
    layers = range(base.n_layers + 1)

    def states(encoder: Encoder) -> Floats3d:
        return layer_states(encoder, SENTENCES, layers=layers, pieces="mean").states

    before = states(base)
    made = [RandomEncoder(Encoder.load(tiny_models[kind]), seed=seed) for seed in (0, 0, 1)]
    first, again, other = map(states, made)
    np.testing.assert_array_equal(first[0], before[0])
    np.testing.assert_array_equal(first, again)
    assert np.abs(first[-1] - before[-1]).max() > 0.01
    assert np.abs(first[-1] - other[-1]).max() > 0.001
    assert np.abs(first[-1] - first[0]).max() > 0.001  # layers do something
    prints = [base.fingerprint, *(one.fingerprint for one in made)]
    assert prints[1] == prints[2]
    assert len(set(prints)) == 3


def test_each_encoder_has_its_own_controls() -> None:
    found = list(candidates(["a", "b"], ["layer-0", "c", "random"], load=Encoder.load,
                            layer="auto", seed=0))  # fmt: skip
    assert [(one.system.name, one.system.control_of, one.layer) for one in found] == [
        ("a", None, "auto"), ("a, layer 0", "a", 0), ("a, random layers", "a", "auto"),
        ("b", None, "auto"), ("b, layer 0", "b", 0), ("b, random layers", "b", "auto"),
        ("c", "a", "auto"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="'a' is given twice"):
        list(candidates(["a"], ["a"], load=Encoder.load, layer="auto", seed=0))


def test_directories_are_called_by_their_last_part_where_that_tells_them_apart(
    tmp_path: Path,
) -> None:
    places = [str(tmp_path / name) for name in ("a/enc", "b/enc", "b/other")]
    for place in places:
        Path(place).mkdir(parents=True)
    found = candidates([places[0], "bundled"], [places[2]], load=Encoder.load, layer=1, seed=0)
    assert [(one.system.name, one.system.control_of, one.place) for one in found] == [
        ("enc", None, places[0]), ("bundled", None, "bundled"), ("other", "enc", places[2]),
    ]  # fmt: skip
    names = short_names([*places, "enc"])
    assert names == {places[0]: places[0], places[1]: places[1], places[2]: "other", "enc": "enc"}


def test_one_pass_gives_what_each_tagger_gives(bert: Path) -> None:
    encoder = Encoder.load(bert)
    sentences = [[LEXICON["en"][tag].split()[at % 2] for tag in ORDERS["en"].split()]
                 for at in range(8)]  # fmt: skip
    tags = [ORDERS["en"].split()] * 8
    taggers = [
        TokenTagger(encoder, layer=layer, C=C).fit(sentences, tags, "en")
        for layer, C in ((0, 0.01), ("0-1", 0.1), (2, 0.001))
    ]
    found = tags_of_all(taggers, encoder, SENTENCES, pieces="mean")
    assert found.tags == [tagger.predict(SENTENCES, "en") for tagger in taggers]
    assert found.n_without_piece == 0
