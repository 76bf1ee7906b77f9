"""What each option of `TextClassifier` does, and what never changes a prediction."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import ENTITIES, JAPANESE, UNLINKED, FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase
from isogloss.learn import vector_memo
from isogloss.learn.linear_head import ChosenBy
from isogloss.vectors import EntityVectors
from isogloss.vectors.entity_vectors import random_vectors

Fit = Callable[..., TextClassifier]
TEXTS = [text for text, _ in JAPANESE]
IDS = [record["id"] for record in ENTITIES]


def given_vectors(width: int, *, ids: list[str] = IDS) -> EntityVectors:
    return EntityVectors(ids, random_vectors(ids, width, seed=9, root_mean_square=0.3))


def arrays(model: TextClassifier) -> dict[str, Any]:
    """Return what was learned, by name."""
    head: Any = model.head_
    learned = {"W_a": head.memory.attention_weight, "entities": head.memory.entities}
    if model.preset == "mboe":
        learned |= {"v": head.trained.vectors, "projection": head.trained.projection}
    linear = head.linear if model.preset == "mboe" else head.vote.linear
    return learned | {"W": linear.weight, "b": linear.bias}


def changed(model: TextClassifier, other: TextClassifier) -> set[str]:
    ours, theirs = arrays(model), arrays(other)
    return {name for name in ours if not np.array_equal(ours[name], theirs[name])}


# Where nothing is linked, entities have no say.


@pytest.mark.parametrize(
    "langs",
    [
        ["en", "en", "ar", "ja", "en", "en"],
        [None] * 6,
        ["sw"] * 6,
        ["en", None, "sw", "ja", None, "th"],
    ],
)
@pytest.mark.usefixtures("quiet")
def test_mboe_plus_is_bit_equal_to_encoder_only_where_nothing_is_linked(
    fit: Fit, langs: list[str | None]
) -> None:
    plus, alone = fit(), fit(kb=None)
    expected = alone.predict_proba(UNLINKED, langs)
    assert plus.head_.mixture.strength > 0
    assert np.array_equal(plus.predict_proba(UNLINKED, langs), expected)
    mixed = plus.predict_proba([*TEXTS, *UNLINKED], ["ja"] * len(TEXTS) + langs)
    assert np.array_equal(mixed[len(TEXTS) :], expected)
    assert not np.allclose(mixed[:6], alone.predict_proba(TEXTS[:6], "ja"))


@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_training_without_a_single_entity_gives_the_encoder_only_classifier(
    kb: KnowledgeBase, encoder: FakeEncoder, preset: Any
) -> None:
    texts = [text for text in english()[0] if not any(c.isupper() for c in text)]
    labels = [label for text, label in zip(*english(), strict=True) if text in texts]
    model = TextClassifier(encoder, kb, preset=preset).fit(texts, labels, lang="en")
    alone = TextClassifier(encoder).fit(texts, labels, lang="en")
    assert len(model.head_.memory.entities) == 0
    found = model.predict_proba(UNLINKED, "en")
    assert np.array_equal(found, alone.predict_proba(UNLINKED, "en"))
    assert np.isfinite(model.predict_proba(TEXTS, "ja")).all()


# What never changes a prediction.


def test_order_and_company_of_texts_change_nothing(model: TextClassifier) -> None:
    langs = ["ja"] * len(TEXTS) + ["en"] * len(UNLINKED)
    texts = [*TEXTS, *UNLINKED]
    expected = model.predict_proba(texts, langs)
    order = np.random.default_rng(1).permutation(len(texts))
    shuffled = model.predict_proba([texts[i] for i in order], [langs[i] for i in order])
    np.testing.assert_allclose(shuffled, expected[order], atol=1e-6)
    for row in (0, 3, 9):
        alone = model.predict_proba([texts[row]], langs[row])
        np.testing.assert_allclose(alone[0], expected[row], atol=1e-6)
    np.testing.assert_allclose(expected.sum(axis=1), 1)


def test_a_name_said_twice_is_one_entity(entity_model: TextClassifier) -> None:
    once = entity_model.fitted_.prepare(["CERN Toyota"], "en")
    often = entity_model.fitted_.prepare(["CERN Toyota CERN CERN Toyota"], "en")
    same_vectors = replace(often, vectors=once.vectors)
    assert np.array_equal(
        entity_model.fitted_.log_probabilities(same_vectors),
        entity_model.fitted_.log_probabilities(once),
    )


def test_no_texts_give_no_rows(model: TextClassifier) -> None:
    assert model.predict_proba([], "ja").shape == (0, 3)
    assert model.predict([], "ja").shape == (0,)


def test_texts_are_encoded_once(fit: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    model = fit(kb=None)
    encoder = model.encoder_
    model.predict(["a text of its own", "another", "a text of its own"])
    before = encoder.n_encoded
    model.predict(["another", "a third", "a third"])
    assert encoder.n_encoded == before + 1
    monkeypatch.setattr(vector_memo, "MAX_TEXTS", 2)
    expected = encoder.encode_counted(["p", "q", "r", "s"]).vectors
    for _ in range(2):
        found = vector_memo.encode_once(encoder, ["p", "q", "r", "s"], pooling=None)
        assert np.array_equal(found.vectors, expected)


# Options.


@pytest.mark.parametrize(
    ("option", "learned"),
    [
        ({"attention": "mean"}, {"W", "b", "W_a"}),
        ({"attention": "sum"}, {"W", "b", "W_a"}),
        ({"init": "random"}, {"W", "b", "W_a"}),
        ({"init": given_vectors(12)}, {"W", "b", "W_a"}),
        ({"max_entities": 1}, {"entities", "W", "b", "W_a"}),
        ({"min_commonness": 0.5}, {"entities", "W", "b", "W_a"}),
        ({"min_link_prob": 0.8}, {"entities", "W", "b", "W_a"}),
        ({"pooling": "cls"}, {"W", "b", "W_a"}),
    ],
    ids=lambda value: str(sorted(value) if isinstance(value, set) else value),
)
@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_options_change_what_is_learned_and_the_probabilities(
    fit: Fit, preset: str, option: dict[str, Any], learned: set[str]
) -> None:
    default, model = fit(preset=preset), fit(preset=preset, **option)
    if preset == "mboe":
        learned = learned | {"v"}  # trained with the rest
    assert changed(default, model) == learned
    assert not np.allclose(default.predict_proba(TEXTS, "ja"), model.predict_proba(TEXTS, "ja"))


@pytest.mark.parametrize(("attention", "moves"), [(True, True), ("mean", False), ("sum", False)])
def test_attention_is_learned_only_where_asked(fit: Fit, attention: Any, moves: bool) -> None:
    starts = {"mboe": (0.0, 0.0), "mboe-plus": (0.0, 0.0, 0.0)}
    for preset, start in starts.items():
        weight = fit(preset=preset, attention=attention).head_.memory.attention_weight
        assert (weight.tolist() != list(start)) == moves


def test_only_mboe_trains_the_vectors(fit: Fit, kb: KnowledgeBase, encoder: FakeEncoder) -> None:
    plus, trained = fit().head_, fit(preset="mboe").head_.trained
    titles = kb.titles(trained.memory.entities.tolist(), "en")
    initial = encoder.encode_counted(titles).vectors
    assert not np.isclose(trained.vectors, initial).all(axis=1).any()
    assert not any(hasattr(part, "vectors") for part in (plus, plus.vote, plus.memory))


@pytest.mark.parametrize("pooling", [None, "cls"])
def test_names_are_pooled_as_the_documents(
    fit: Fit, kb: KnowledgeBase, encoder: FakeEncoder, pooling: Any
) -> None:
    model = fit(pooling=pooling)
    documents = model.fitted_.prepare(["Wall Street, Real Madrid"], "en")
    batch = model.fitted_.preparation.entity_batch(documents)
    titles = kb.titles(batch.entities.tolist(), "en")
    assert np.array_equal(batch.vectors, encoder.encode_counted(titles, pooling=pooling).vectors)


@pytest.mark.parametrize(("width", "shape"), [(12, None), (7, (12, 7)), (20, (12, 20))])
def test_vectors_of_another_width_get_a_projection_in_mboe(
    fit: Fit, width: int, shape: tuple[int, int] | None
) -> None:
    model = fit(preset="mboe", init=given_vectors(width))
    projection = model.head_.trained.projection
    assert (None if projection is None else projection.shape) == shape
    assert model.head_.trained.vectors.shape[1] == width
    assert np.isfinite(model.predict_proba(TEXTS, "ja")).all()


def test_vectors_of_another_width_vote_in_mboe_plus(fit: Fit) -> None:
    model = fit(init=given_vectors(7))
    assert model.head_.vote.linear.weight.shape == (3, 7)
    found = model.predict_proba(TEXTS, "ja")
    assert not np.allclose(found, fit().predict_proba(TEXTS, "ja"))


def test_entities_without_a_given_vector_are_left_out_and_counted(fit: Fit) -> None:
    with pytest.warns(OmissionWarning, match="6 linked entities left out: no vector among those"):
        model = fit(init=given_vectors(12, ids=["Q1", "Q2", "Q5", "Q9"]))
    assert len(model.head_.memory.entities) == 4
    with pytest.warns(OmissionWarning, match="1 linked entity left out: no vector among those"):
        documents = model.fitted_.prepare(["ウィンブルドン、トヨタ", "トヨタ"], "ja")
    assert np.diff(documents.bags.indptr).tolist() == [1, 0]
    batch = model.fitted_.preparation.entity_batch(documents)
    assert [model.kb_.entity_id(int(entity)) for entity in batch.entities] == ["Q1"]


def test_random_vectors_depend_on_the_seed_and_the_encoders_do_not(fit: Fit) -> None:
    def initial(**options: Any) -> Any:
        model = fit(**options)
        return model.fitted_.preparation.entity_batch(model.fitted_.prepare(TEXTS, "ja")).vectors

    assert np.array_equal(initial(), initial(random_state=1))
    assert not np.array_equal(initial(init="random"), initial(init="random", random_state=1))
    assert not np.allclose(
        fit(init="random").predict_proba(TEXTS, "ja"),
        fit(init="random", random_state=1).predict_proba(TEXTS, "ja"),
    )


def test_the_seed_reaches_the_head(fit: Fit) -> None:
    options = {"preset": "mboe", "init": given_vectors(7)}
    one, other = fit(**options).head_.trained, fit(**options, random_state=1).head_.trained
    assert not np.allclose(one.projection, other.projection)


def test_max_entities_keeps_the_commonest(fit: Fit) -> None:
    text = "Mars CERN Toyota"

    def ids(**options: Any) -> list[str]:
        model = fit(**options)
        batch = model.fitted_.preparation.entity_batch(model.fitted_.prepare([text], "en"))
        return [model.kb_.entity_id(int(entity)) for entity in batch.entities]

    assert ids() == ["Q6", "Q7", "Q8", "Q9"]
    assert ids(max_entities=1) == ["Q6"]  # commonness 1, link probability 1
    assert ids(min_commonness=0.5) == ["Q6", "Q7", "Q9"]
    assert ids(min_link_prob=0.8) == ["Q6", "Q7", "Q8"]


def test_fallback_names_are_linked_where_asked(entity_model: TextClassifier) -> None:
    text = ["トヨタ、Real Madrid"]
    assert entity_model.fitted_.prepare(text, "ja").bags.entity.size == 1
    assert entity_model.fitted_.prepare(text, "ja", fallback_lang="en").bags.entity.size == 2
    plain = entity_model.predict_proba(text, "ja")
    assert not np.allclose(entity_model.predict_proba(text, "ja", fallback_lang="en"), plain)


def test_a_text_of_unknown_language_is_linked_with_fallback_names(
    entity_model: TextClassifier,
) -> None:
    text = ["Real Madrid"]
    with pytest.warns(OmissionWarning, match="1 of 1 texts have no known language: no entity is"):
        assert entity_model.fitted_.prepare(text, None).bags.entity.size == 0
    with pytest.warns(OmissionWarning, match="only names in 'en' are linked in them"):
        unknown = entity_model.fitted_.prepare(text, None, fallback_lang="en")
    assert (
        unknown.bags.entity.tolist()
        == entity_model.fitted_.prepare(text, "en").bags.entity.tolist()
    )
    with pytest.warns(OmissionWarning, match="only names in 'en'"):
        explained = entity_model.explain(text[0], None, fallback_lang="en")
    assert [entity.spans for entity in explained.entities] == [[(0, len(text[0]))]]


def test_entities_without_a_name_in_a_training_language_are_dropped_and_counted(
    entity_model: TextClassifier,
) -> None:
    documents = entity_model.fitted_.prepare(
        ["国技館の紅白歌合戦。", "紅白歌合戦、紅白歌合戦", "東京"], "ja"
    )
    assert documents.n_dropped.tolist() == [1, 1, 0]
    assert np.diff(documents.bags.indptr).tolist() == [1, 0, 0]


def test_development_data_choose_in_place_of_folds(
    fit: Fit, kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    dev = {"X_dev": english(30, seed=4)[0], "y_dev": english(30, seed=4)[1]}
    for options in ({"kb": None}, {"kb": kb}, {"kb": kb, "preset": "mboe"}):
        model = TextClassifier(encoder, **options).fit(*english(), lang="en", **dev)
        head: Any = model.head_
        linear = getattr(head, "encoder_only", getattr(head, "linear", head))
        assert linear.chosen_by is ChosenBy.DEVELOPMENT
        assert np.isfinite(model.predict_proba(TEXTS, "ja")).all()
    turned = [*dev["y_dev"][1:], "sport"]
    with pytest.warns(OmissionWarning, match="1 of 30 development texts have a label"):
        model = TextClassifier(encoder, kb).fit(
            *english(), lang="en", X_dev=dev["X_dev"], y_dev=[*turned[:-1], "news"]
        )
    assert model.head_.mixture != fit().head_.mixture


def test_mixed_languages_are_linked_each_with_its_names(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    texts, labels = english()
    langs = ["en"] * len(texts) + ["jpn_Jpan"] * len(TEXTS)
    model = TextClassifier(encoder, kb).fit(
        texts + TEXTS, labels + [label for _, label in JAPANESE], lang=langs
    )
    assert model.langs_ == ("en", "ja")
    assert model.fitted_.prepare(["紅白歌合戦"], "ja").n_dropped.tolist() == [
        0
    ]  # Japanese is a training language
    texts = ["Toyota", "Уимблдон", "トヨタ", "ريال مدريد"]
    mixed = model.fitted_.prepare(texts, ["en", "ru", "ja", "en"])
    assert np.diff(mixed.bags.indptr).tolist() == [1, 1, 1, 0]
    with pytest.warns(OmissionWarning, match="1 of 2 texts have no known language"):
        found = model.fitted_.prepare(["世界銀行がまた語った。", "??"], "auto")
    assert found.langs == ["ja", None]


# Wrong values.


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"preset": "mboe-pls"}, "preset is 'mboe-pls'; did you mean 'mboe-plus'"),
        ({"tune": "all"}, "tune is 'all'; allowed: head"),
        ({"attention": "max"}, "attention is 'max'; .*allowed|did you mean"),
        ({"attention": False}, "attention is False; allowed: True, mean, sum"),
        ({"attention": []}, "attention is "),
        ({"init": "rnadom"}, "init is 'rnadom'; did you mean 'random'?"),
        ({"max_entities": 0}, "max_entities is 0; give a whole number, 1 to "),
        ({"min_link_prob": 1.5}, "min_link_prob is 1.5; a number in 0 to 1"),
        ({"min_commonness": -1}, "min_commonness is -1; a number in 0 to 1"),
    ],
    ids=str,
)
def test_wrong_options_are_refused_with_the_allowed_ones(
    kb: KnowledgeBase, encoder: FakeEncoder, option: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        TextClassifier(encoder, kb, **option).fit(*english(6), lang="en")


def test_pooling_is_checked_by_the_encoder(tiny_directory: Any) -> None:
    with pytest.raises(InputError, match="pooling"):
        TextClassifier(tiny_directory, pooling="average").fit(*english(6))


@pytest.mark.parametrize(
    ("X", "y", "lang", "message"),
    [
        (["a", "b"], ["x"], "en", "2 texts but 1 label;"),
        ([], [], "en", "there are no texts"),
        (["a", "b"], ["x", "x"], "en", "all 2 training labels are 'x'"),
        (["a", None], ["x", "y"], "en", "text 1 is NoneType"),
        (["a", "b"], ["x", None], "en", "label of text 1 is missing"),
        (["a", "b"], [1.0, float("nan")], "en", "label of text 1 is missing"),
        (["a", "b"], ["x", "y"], None, "language of the training texts is needed"),
        (["a", "b"], ["x", "y"], ["en"], "1 language for 2 texts; give one code"),
        (["a", "b"], ["x", "y"], "klingonisch", "klingonisch"),
    ],
)
def test_wrong_data_are_refused(
    kb: KnowledgeBase, encoder: FakeEncoder, X: Any, y: Any, lang: Any, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        TextClassifier(encoder, kb).fit(X, y, lang=lang)


def test_one_string_is_not_a_list_of_texts(model: TextClassifier) -> None:
    with pytest.raises(TypeError, match="one string"):
        model.predict("text", "en")


def test_half_of_the_development_data_is_refused(encoder: FakeEncoder) -> None:
    with pytest.raises(InputError, match="y_dev"):
        TextClassifier(encoder).fit(*english(6), X_dev=["a"])


def test_cut_texts_and_languages_without_names_are_said(fit: Fit) -> None:
    with pytest.warns(OmissionWarning, match="1 of 2 texts are longer"):
        fit().predict(["word " * 80, "short"], "en")
    with pytest.warns(OmissionWarning, match="no names in 'sw'"):
        fit().predict(["habari"], "sw")
    with pytest.warns(OmissionWarning, match="2 of 3 texts have no known language"):
        fit().predict(["a", "b", "c"], [None, "en", None])
