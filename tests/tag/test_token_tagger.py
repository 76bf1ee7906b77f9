"""`TokenTagger`: what it learns, what its options do, what is saved, and what it refuses."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from isogloss import Encoder, InputError, TokenTagger
from isogloss.encode.words.tokens_of_words import SpannedText
from isogloss.encode.words.word_vectors import encode_words
from isogloss.errors import OmissionWarning
from isogloss.tag import TaggedSentences
from isogloss.tag.choice import HeldOutScore

Lists = list[list[str]]


@pytest.fixture(scope="module")
def fitted(tiny_models: dict[str, Path], sentences: Lists, tags: Lists) -> TokenTagger:
    return TokenTagger(tiny_models["xlm-roberta"], layer=1, C=1.0).fit(sentences, tags, "en")


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("pieces", ["mean", "first", "last"])
def test_it_learns_a_language_in_which_each_word_has_one_tag(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, kind: str, pieces: Any
) -> None:
    model = TokenTagger(tiny_models[kind], layer="0-1", pieces=pieces, C=10.0)
    assert model.fit(sentences, tags, "en").score(sentences[:20], tags[:20], "en") > 0.93
    assert model.layers_ == (0, 1)
    assert model.tag_names_ == ("ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB")
    assert model.langs_ == ("en",)


def test_tags_shifted_by_one_word_in_chinese_are_not_learned_as_if_they_were_right(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    chinese = [["北京", "是", "日本", "的", "首都", "."], ["日本", "是", "首都"]] * 10
    gold = [["PROPN", "VERB", "PROPN", "X", "NOUN", "PUNCT"], ["PROPN", "VERB", "NOUN"]] * 10
    model = TokenTagger(tiny_models["xlm-roberta"], layer=0, C=10.0)
    model.fit(sentences + chinese, tags + gold, ["en"] * 60 + ["zh"] * 20)
    assert model.langs_ == ("en", "zh")
    assert model.score(chinese, gold, "zh") == pytest.approx(1.0)
    shifted = [one[-1:] + one[:-1] for one in gold]
    assert model.score(chinese, shifted, "zh") < 0.4


def test_a_range_of_layers_is_their_mean(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    encoder = Encoder.load(tiny_models["bert"], device="cpu")
    model = TokenTagger(encoder, layer="1-2", C=1.0).fit(sentences, tags, "en")
    states = encode_words(
        encoder, [SpannedText.joined(words) for words in sentences[:9]], layers=(1, 2)
    ).vectors
    expected = model.fitted_.head.log_probabilities(states.mean(axis=0))
    found = np.concatenate(model.predict_proba(sentences[:9], "en"))
    np.testing.assert_allclose(found, np.exp(expected), atol=1e-5)


def test_an_answer_does_not_depend_on_the_sentences_beside_it(
    fitted: TokenTagger, sentences: Lists
) -> None:
    rows = [*sentences[:12], [], ["dog"]]
    found = fitted.predict(rows, "en")
    assert [len(one) for one in found] == [len(one) for one in rows]
    assert found == [fitted.predict([one], "en")[0] for one in rows]
    of_rows = fitted.predict_proba(rows, "en")
    assert [one.shape for one in of_rows] == [(len(row), 6) for row in rows]
    np.testing.assert_allclose(np.concatenate(of_rows).sum(axis=1), 1)
    assert fitted.predict([], "en") == []
    assert fitted.predict_proba([], "en") == []


def test_a_word_without_a_piece_gets_the_commonest_tag(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    model = TokenTagger(tiny_models["bert"], layer=1).fit(
        [*sentences, ["\u200b"]], [*tags, ["NOUN"]], "en"
    )
    rows = [["dog", "\u200b", "fox"]]
    answers = model.answers(rows, "en")
    assert answers.has_piece.tolist() == [True, False, True]
    assert model.fitted_.n_training_words == sum(map(len, sentences))
    counts = {tag: sum(one.count(tag) for one in tags) for tag in model.tag_names_}
    counts["NOUN"] += 1
    assert model.predict(rows, "en")[0][1] == max(counts, key=lambda tag: counts[tag])
    shares = np.exp(answers.log_probabilities[1])
    np.testing.assert_allclose(shares, np.array([*counts.values()]) / sum(counts.values()))


@pytest.mark.parametrize("has_dev", [False, True])
def test_layers_and_penalty_are_chosen_on_held_out_sentences(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, has_dev: bool
) -> None:
    dev = TaggedSentences.of(sentences[40:], tags[40:], "en") if has_dev else None
    model = TokenTagger(tiny_models["bert"]).fit(sentences, tags, "en", dev=dev)
    chosen_by = model.fitted_.head.chosen_by.value
    assert chosen_by == ("development-data" if has_dev else "held-out")
    assert set(model.layers_) <= {0, 1, 2}
    assert model.C_ in (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
    assert model.fitted_.n_training_words == sum(map(len, sentences))


def test_a_few_sentences_are_learned_from_without_a_choice(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    model = TokenTagger(tiny_models["bert"]).fit(sentences[:4], tags[:4], "en")
    assert model.fitted_.head.chosen_by.value == "too-few-sentences"
    said = model.fitted_.describe()
    assert "layers: 0-1, their mean (the middle third: too few sentences to choose by)" in said
    assert "head: C = 0.003 (no search: too few sentences)" in said
    assert model.layers_ == (0, 1)


def test_it_keeps_to_the_contract_of_estimators(fitted: TokenTagger, tmp_path: Path) -> None:
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    with pytest.raises(NotFittedError):
        copy.predict([["dog"]], "en")
    assert TokenTagger().set_params(layer=3, C=0.5).get_params()["layer"] == 3


def test_a_saved_model_answers_alike(fitted: TokenTagger, sentences: Lists, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    loaded = TokenTagger.load(tmp_path / "model")
    for one, other in zip(
        fitted.predict_proba(sentences, "en"), loaded.predict_proba(sentences, "en"), strict=True
    ):
        assert np.array_equal(one, other)
    assert loaded.layers_ == fitted.layers_
    assert pytest.approx(1.0) == loaded.C_
    params = loaded.get_params()
    assert {name: params[name] for name in ("layer", "pieces", "C", "tune")} == {
        "layer": "1", "pieces": "mean", "C": 1.0, "tune": "head",
    }  # fmt: skip
    with pytest.raises(InputError, match="exists"):
        fitted.save(tmp_path / "model")
    loaded.save(tmp_path / "model", overwrite=True)


def test_another_encoder_is_refused(
    fitted: TokenTagger, tiny_models: dict[str, Path], tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model")
    with pytest.raises(InputError, match="was trained with another encoder"):
        TokenTagger.load(tmp_path / "model", encoder=tiny_models["bert"])
    TokenTagger.load(tmp_path / "model", encoder=tiny_models["xlm-roberta"])


@pytest.mark.parametrize("name", ["model.json", "model.safetensors"])
def test_a_changed_byte_is_found(fitted: TokenTagger, tmp_path: Path, name: str) -> None:
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / name
    content = file.read_bytes().replace(b'"DET"', b'"DEX"')
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if name != "model.json" else content)
    with pytest.raises(InputError, match="damaged"):
        TokenTagger.load(tmp_path / "model")


def test_what_is_no_tagger_is_refused(fitted: TokenTagger, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such model directory"):
        TokenTagger.load(tmp_path / "none")
    with pytest.raises(InputError, match=r"it has no model\.json"):
        TokenTagger.load(tmp_path)
    fitted.save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"version": 0}))
    with pytest.raises(InputError, match="fit the model again"):
        TokenTagger.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layer": 13}, "layer is 13; this encoder's layers are 0 to 2"),
        ({"layer": "8-5"}, "layer is '8-5'; give 'auto'"),
        ({"layer": -1}, "layer is -1; give 'auto'"),
        ({"layer": True}, "layer is True"),
        ({"pieces": "frist"}, "pieces is 'frist'; did you mean 'first'"),
        ({"tune": "all"}, "tune is 'all'"),
        ({"C": 0}, "C is 0; give a positive number"),
        ({"C": "x"}, "C is 'x'"),
        ({"random_state": -1}, "random_state is -1"),
        ({"encoder": 3}, "encoder is 3"),
    ],
)
def test_options_out_of_range_are_refused(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, options: Any, said: str
) -> None:
    model = TokenTagger(**({"encoder": tiny_models["bert"]} | options))
    with pytest.raises(InputError, match=said):
        model.fit(sentences, tags, "en")


@pytest.mark.parametrize(
    ("words", "tags", "said"),
    [
        (["a dog"], [["X"]], "sentence 0 is one string"),
        ([["a", 3]], [["X", "Y"]], "sentence 0 has 3 at 1 among its words"),
        ([["a", ""]], [["X", "Y"]], "sentence 0 has an empty string at 1"),
        ([["a", "b"]], [["X"]], "sentence 0 has 2 words and 1 tags"),
        ([["a", "b"]], [], "1 sentences and 0 lists of tags"),
        ([["a", "b"]], [["X", "X"]], "all words have the tag 'X'"),
        ([], [], "there are no words"),
    ],
)
def test_sentences_that_do_not_go_with_their_tags_are_refused(
    tiny_models: dict[str, Path], words: Any, tags: Any, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        TokenTagger(tiny_models["bert"], layer=1).fit(words, tags, "en")


def test_development_words_with_an_unseen_tag_are_counted(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    dev = TaggedSentences.of([["dog", "!"]] * 5, [["NOUN", "SYM"]] * 5, "en")
    with pytest.warns(OmissionWarning, match="5 development words with a tag that training lacks"):
        TokenTagger(tiny_models["bert"], layer=1).fit(sentences, tags, "en", dev=dev)


def test_development_words_with_an_unseen_tag_change_no_choice(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    """They were errors of every candidate, which brought more candidates near the best."""
    dev, gold = sentences[40:], tags[40:]
    some = TaggedSentences.of(dev, gold, "en")
    more = TaggedSentences.of(
        [[*one, "!", "!", "!"] for one in dev], [[*one, "SYM", "SYM", "SYM"] for one in gold], "en"
    )
    one, other = (
        HeldOutScore.accuracy(right, of.starts, counts=known)
        for of, right, known in (
            (some, np.ones(len(some.all_tags), np.bool_), None),
            (more, np.ones(len(more.all_tags), np.bool_), np.array(more.all_tags) != "SYM"),
        )
    )
    assert one.value == other.value == 1.0
    np.testing.assert_array_equal(one.counted, other.counted)


@pytest.mark.parametrize("tune", ["head", "full"])
@pytest.mark.parametrize(
    ("words", "gold", "said"),
    [
        ([["dog"]], [["SYM"]], "no development word has a tag that training has"),
        ([], [], "no development word has a tag that training has"),
        ([["\u200b"]], [["NOUN"]], "no word to choose by has a piece in this encoder"),
    ],
)
def test_development_sentences_by_which_nothing_can_be_chosen_are_refused(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tune: Any, words: Lists,
    gold: Lists, said: str,
) -> None:  # fmt: skip
    """The weakest model was "chosen", and tuning divided by no words."""
    training = None if tune == "head" else {"epochs": 1}
    model = TokenTagger(tiny_models["bert"], layer=1, tune=tune, training=training)
    with pytest.raises(InputError, match=said):
        model.fit(sentences, tags, "en", dev=TaggedSentences.of(words, gold, "en"))


def test_languages_are_checked(fitted: TokenTagger) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted.predict([["dog"]], "deu")
    with pytest.raises(InputError, match="2 sentences and 1 languages"):
        fitted.predict([["dog"], ["fox"]], ["en"])
    with pytest.raises(InputError, match="qqq"):
        fitted.predict([["dog"]], "qqq")
