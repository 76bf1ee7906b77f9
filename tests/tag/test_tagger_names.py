"""Names of a knowledge base as evidence: what they add, and that they add nothing elsewhere."""

import json
from pathlib import Path

import numpy as np
import pytest

from isogloss import InputError, KnowledgeBase, TokenTagger, build_knowledge_base
from isogloss.errors import OmissionWarning
from isogloss.tag.names import NameFeatures
from isogloss.tag.raw.texts import tagged_texts

SYLLABLES = ("ba", "ko", "ri", "tu", "me", "la", "zo", "fi")
TOWNS = [f"{one}{other}".capitalize() for one in SYLLABLES for other in SYLLABLES]
Lists = list[list[str]]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    root = tmp_path_factory.mktemp("kb")
    entities = [
        {"id": f"Q{n}", "types": ["town"], "names": {"en": [town], "de": [f"{town} am See"]}}
        for n, town in enumerate(TOWNS)
    ]
    entities.append({"id": "Q900", "types": ["person"], "names": {"en": [TOWNS[0]]}})
    file = root / "names.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in entities), "utf-8")
    build_knowledge_base([f"names:{file}"], root / "kb")
    return KnowledgeBase.open(root / "kb")


def corpus(towns: list[str], *, seed: int) -> tuple[Lists, Lists]:
    """Sentences in which nothing but names tells a town from what is none."""
    rng = np.random.default_rng(seed)
    others = [f"{one}{other}{one}" for one in SYLLABLES for other in SYLLABLES]
    sentences, tags = [], []
    for town in towns:
        words = [str(rng.choice(others)), town, "the", str(rng.choice(others))]
        order = rng.permutation(4)
        sentences.append([words[at] for at in order])
        tags.append([("NOUN", "PROPN", "DET", "NOUN")[at] for at in order])
    return sentences, tags


@pytest.fixture(scope="module")
def models(tiny_models: dict[str, Path], kb: KnowledgeBase) -> dict[str, TokenTagger]:
    sentences, tags = corpus(TOWNS[:48] * 4, seed=1)
    how = {"layer": 2, "C": 0.001}
    return {
        name: TokenTagger(tiny_models["bert"], given, **how).fit(sentences, tags, "en")
        for name, given in (("with", kb), ("without", None))
    }


def test_features_say_part_senses_and_types(kb: KnowledgeBase) -> None:
    sentences = [["in", TOWNS[0], "and", TOWNS[1]], [TOWNS[2], "am", "See", "!"]]
    features = NameFeatures.of(kb, sentences, ["en", "de"])
    assert features.types == ("town", "person")
    found = features(sentences, ["en", "de"])
    named = [[features.names[at] for at in np.flatnonzero(row)] for row in found]
    assert named == [
        [], ["begins, several senses", "begins, town", "begins, person"], [],
        ["begins, one sense", "begins, town"],
        ["begins, one sense", "begins, town"], ["goes on, one sense", "goes on, town"],
        ["goes on, one sense", "goes on, town"], [],
    ]  # fmt: skip


def test_names_that_training_never_saw_are_told(models: dict[str, TokenTagger]) -> None:
    sentences, tags = corpus(TOWNS[48:], seed=2)
    scores = {name: model.score(sentences, tags, "en") for name, model in models.items()}
    assert scores["with"] > scores["without"] + 0.1, scores
    assert models["with"].fitted_.names is not None
    assert models["without"].fitted_.names is None


def test_where_nothing_links_the_answer_is_the_encoders(models: dict[str, TokenTagger]) -> None:
    sentences, _ = corpus(TOWNS[48:], seed=2)
    ours, theirs = (models[name].answers(sentences, "en") for name in ("with", "without"))
    vote = models["with"].fitted_.names
    assert vote is not None
    linked = vote.features(sentences, ["en"] * len(sentences)).any(axis=1)
    assert linked.any()
    assert not linked.all()
    assert np.array_equal(ours.log_probabilities[~linked], theirs.log_probabilities[~linked])
    assert not np.allclose(ours.log_probabilities[linked], theirs.log_probabilities[linked])
    with pytest.warns(OmissionWarning, match="has no names in 'sw'"):
        ours = models["with"].answers(sentences, "sw")
    assert np.array_equal(ours.log_probabilities, theirs.log_probabilities)


def test_in_texts_of_an_unknown_language_nothing_is_linked(
    models: dict[str, TokenTagger], recwarn: pytest.WarningsRecorder
) -> None:
    with_names, alone = (models[name].fitted_ for name in ("with", "without"))
    texts = [f"the {TOWNS[50]}"] * 2
    rows = tagged_texts(with_names, texts, ["und", "en"]).rows
    plain = tagged_texts(alone, texts, ["und", "en"]).rows
    assert rows[0] == plain[0]
    assert rows[1] != plain[1]
    assert not recwarn.list


def test_names_that_do_not_help_get_no_weight(
    tiny_models: dict[str, Path], kb: KnowledgeBase, sentences: Lists, tags: Lists
) -> None:
    with pytest.warns(OmissionWarning, match="get no weight"):
        model = TokenTagger(tiny_models["bert"], kb, layer=1).fit(sentences, tags, "en")
    assert model.fitted_.names is None


def test_a_saved_model_finds_its_knowledge_base(
    models: dict[str, TokenTagger], kb: KnowledgeBase, tmp_path: Path
) -> None:
    sentences, _ = corpus(TOWNS[48:], seed=2)
    models["with"].save(tmp_path / "model")
    for given in (None, kb):
        loaded = TokenTagger.load(tmp_path / "model", kb=given)
        found = loaded.answers(sentences, "en").log_probabilities
        assert np.array_equal(found, models["with"].answers(sentences, "en").log_probabilities)
    file = tmp_path / "names.jsonl"
    file.write_text(json.dumps({"id": "Q1", "names": {"en": ["x"]}}) + "\n", "utf-8")
    build_knowledge_base([f"names:{file}"], tmp_path / "kb")
    with pytest.raises(InputError, match="was trained with another knowledge base"):
        TokenTagger.load(tmp_path / "model", kb=tmp_path / "kb")
    models["without"].save(tmp_path / "alone")
    with pytest.raises(InputError, match="links no names"):
        TokenTagger.load(tmp_path / "alone", kb=kb)
