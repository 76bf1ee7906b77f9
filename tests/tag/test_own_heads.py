"""A head of its own for a language with few words: its start, the evidence, the option, files."""

import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from isogloss import InputError, TokenTagger
from isogloss.arrays import offsets_of
from isogloss.storage.sealed import sealed
from isogloss.tag import own_heads
from isogloss.tag.heads import heads_of_words
from isogloss.tag.own_heads import C_OF_FEW, ChosenHead, heads_of_few
from isogloss.tag.word_features import WordFeatures

Lists = list[list[str]]
WIDTH, N_TAGS = 24, 3
DIRECTIONS = np.random.default_rng(4).normal(size=(WIDTH, N_TAGS))


class Words:
    """Words whose tag is where they lie; in a `turned` language, the next tag."""

    def __init__(self, sizes: dict[str, int], *, turned: str = "", noise: float = 0.0) -> None:
        rng = np.random.default_rng(9)
        self.langs = [lang for lang, n in sizes.items() for _ in range(n)]
        lengths = rng.integers(2, 7, size=len(self.langs))
        n = int(lengths.sum())
        vectors = rng.normal(size=(n, WIDTH)).astype(np.float32)
        self.y = (vectors @ DIRECTIONS + noise * rng.normal(size=(n, N_TAGS))).argmax(axis=1)
        self.lang_of_word = np.repeat(self.langs, lengths)
        self.y[self.lang_of_word == turned] = (self.y[self.lang_of_word == turned] + 1) % N_TAGS
        self.features = WordFeatures(
            vectors, np.ones(n, np.bool_), offsets_of(lengths), np.ones(len(lengths), np.int64)
        )

    def chosen(self, *, seed: int = 0) -> tuple[ChosenHead, ...]:
        (of_all,) = heads_of_words(self.features, self.y, N_TAGS, (0.03,))
        return heads_of_few(self.features, self.y, self.langs, of_all, seed=seed)


def test_words_stand_alone_where_other_languages_contradict_them() -> None:
    (found,) = Words({"en": 2000, "hi": 60}, turned="hi").chosen()
    choice = found.choice
    assert (choice.lang, choice.n_sentences, choice.start) == ("hi", 60, "nothing")
    assert choice.alone.accuracy > choice.without.accuracy + 0.5
    assert choice.alone.loss < choice.corrected.loss
    assert found.head is not None
    assert found.head.C == choice.alone.C
    assert choice.alone.C in C_OF_FEW
    assert choice.describe().startswith("hi (60 sentences, 235 words): its own head, of its words")


def test_words_correct_the_head_of_others_where_all_lies_somewhat_apart() -> None:
    words = Words({"en": 900, "hi": 12})
    words.features.vectors[words.lang_of_word == "hi"] += 0.15 * DIRECTIONS[:, 0]
    (found,) = words.chosen()
    choice = found.choice
    assert choice.start == "others"
    assert choice.corrected.loss < min(choice.alone.loss, choice.without.loss)
    assert choice.corrected.accuracy > max(choice.alone.accuracy, choice.without.accuracy)
    assert "that of the others corrected by its words; out-of-fold log-loss" in choice.describe()


def test_the_head_of_all_is_kept_where_its_own_words_say_nothing_more() -> None:
    words = Words({"en": 900, "hi": 40})
    words.y = np.random.default_rng(1).integers(N_TAGS, size=len(words.y))  # by lot
    (found,) = words.chosen()
    assert found.choice.start is found.head is None
    assert found.choice.without.loss < min(found.choice.alone.loss, found.choice.corrected.loss)
    assert ": the head of all languages; out-of-fold log-loss" in found.choice.describe()


def test_evidence_is_of_words_that_a_head_did_not_see() -> None:
    """Tags drawn by lot: of words that were learned from, much more are right."""
    words = Words({"en": 41, "hi": 40})
    words.y = np.random.default_rng(0).integers(N_TAGS, size=len(words.y))
    (found,) = words.chosen()
    for evidence in (found.choice.corrected, found.choice.alone, found.choice.without):
        assert evidence.accuracy < 0.45
        assert evidence.loss > 1


def test_the_sentences_of_a_fold_stay_together() -> None:
    """A sentence of equal words: one in another fold would tell the tag of the others."""
    words = Words({"en": 60, "hi": 40})
    starts = words.features.starts
    lots = np.random.default_rng(0).integers(N_TAGS, size=len(words.langs))
    words.y = np.repeat(lots, np.diff(starts))
    words.features.vectors[:] = np.repeat(words.features.vectors[starts[:-1]], np.diff(starts), 0)
    (found,) = words.chosen()
    assert found.choice.alone.accuracy < 0.5


def test_which_languages_have_few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words({"en": 200, "hi": 40, "sw": 4, "tr": 20})
    assert [one.choice.lang for one in words.chosen()] == ["hi", "tr"]
    assert Words({"hi": 40}).chosen() == ()
    n_words = int((words.lang_of_word == "hi").sum())
    monkeypatch.setattr(own_heads, "MOST_WORDS", n_words // 2)
    hi, _ = words.chosen()
    assert hi.choice.n_words == n_words
    monkeypatch.setattr(own_heads, "MOST_WORDS", n_words)
    assert words.chosen()[0].choice.alone != hi.choice.alone


def test_a_word_without_a_piece_is_no_evidence() -> None:
    words = Words({"en": 100, "hi": 20})
    has_piece = words.features.has_piece
    n_before = int(words.features.starts[100])
    has_piece[words.features.starts[-3] :] = False
    (found,) = words.chosen()
    assert found.choice.n_sentences == 18
    assert found.choice.n_words == words.features.starts[-3] - n_before


def test_folds_are_those_of_the_seed() -> None:
    words = Words({"en": 300, "hi": 30}, noise=1.5)
    one, again, other = (words.chosen(seed=seed)[0] for seed in (3, 3, 4))
    assert one.choice == again.choice != other.choice
    assert one.head is not None
    assert again.head is not None
    assert np.array_equal(one.head.weight, again.head.weight)


def test_a_tag_that_only_the_few_have_can_be_learned() -> None:
    words = Words({"en": 600, "hi": 40})
    of_hi = words.lang_of_word == "hi"
    words.y[~of_hi & (words.y == 2)] = 1
    (found,) = words.chosen()
    assert found.choice.start is not None
    assert found.head is not None
    best = found.head.log_probabilities(words.features.vectors[of_hi]).argmax(axis=1)
    assert ((best == 2) == (words.y[of_hi] == 2)).mean() > 0.9


@pytest.fixture(scope="module")
def taggers(tiny_models: dict[str, Path], sentences: Lists, tags: Lists) -> dict[str, TokenTagger]:
    """Taggers of a language, and of 15 sentences in which every word has another tag."""
    names = ["ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB", "X"]
    turned = [[names[names.index(tag) + 1] for tag in one] for one in tags[:15]]
    langs = ["en"] * 60 + ["sw"] * 15
    choices: tuple[Literal["auto", "none"], ...] = ("auto", "none")
    return {
        how: TokenTagger(tiny_models["xlm-roberta"], layer=0, own_heads=how).fit(
            sentences + sentences[:15], tags + turned, langs
        )
        for how in choices
    }


def test_a_language_is_answered_by_its_own_head_and_all_others_by_one(
    taggers: dict[str, TokenTagger], sentences: Lists, tags: Lists
) -> None:
    auto, none = taggers["auto"], taggers["none"]
    assert list(auto.fitted_.own_heads) == ["sw"]
    assert auto.score(sentences[:15], tags[:15], "sw") < 0.05
    for lang in ("en", "de"):
        found, alike = (one.predict_proba(sentences, lang) for one in (auto, none))
        assert all(np.array_equal(*pair) for pair in zip(found, alike, strict=True))
    rows = [sentences[3], sentences[4], [], sentences[3]]
    assert auto.predict(rows, ["sw", "de", "sw", "en"]) == [
        auto.predict(rows[:1], "sw")[0], auto.predict(rows[1:2], "de")[0], [],
        auto.predict(rows[3:], "en")[0],
    ]  # fmt: skip


def test_none_is_one_head_for_all(taggers: dict[str, TokenTagger], sentences: Lists) -> None:
    auto, none = taggers["auto"].fitted_, taggers["none"].fitted_
    assert none.chosen_heads == ()
    assert np.array_equal(none.head.weight, auto.head.weight)
    one, other = (taggers["none"].predict_proba(sentences, lang) for lang in ("sw", "en"))
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))
    assert none.describe()[0] == auto.describe()[0] == "languages: en, sw"
    assert [line for line in auto.describe() if line not in none.describe()] == [
        auto.chosen_heads[0].choice.describe()
    ]


def test_own_heads_are_saved(
    taggers: dict[str, TokenTagger], sentences: Lists, tmp_path: Path
) -> None:
    auto = taggers["auto"]
    auto.save(tmp_path / "model")
    loaded = TokenTagger.load(tmp_path / "model")
    for lang in ("sw", "en", "de"):
        found, before = (one.predict_proba(sentences, lang) for one in (loaded, auto))
        assert all(np.array_equal(*pair) for pair in zip(found, before, strict=True))
    assert loaded.fitted_.describe() == auto.fitted_.describe()
    assert loaded.get_params()["own_heads"] == "auto"


@pytest.mark.parametrize(
    "change",
    [{"lang": "tr"}, {"n_words": -1}, {"start": "lot"}, {"alone": {"C": 0.1, "loss": 1.0}}],
)
def test_what_no_choice_is_is_found(
    taggers: dict[str, TokenTagger], tmp_path: Path, change: dict[str, Any]
) -> None:
    taggers["auto"].save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    content = json.loads(file.read_text())
    content["chosen_heads"][0] |= change
    file.write_text(json.dumps(sealed(content)))
    with pytest.raises(InputError, match="damaged"):
        TokenTagger.load(tmp_path / "model")


def test_own_heads_are_auto_or_none(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    model = TokenTagger(tiny_models["bert"], layer=0).set_params(own_heads="nome")
    with pytest.raises(InputError, match="own_heads is 'nome'; did you mean 'none'"):
        model.fit(sentences, tags, "en")
