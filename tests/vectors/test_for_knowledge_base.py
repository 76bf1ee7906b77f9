import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.vectors import (
    EntityVectors,
    Vocabulary,
    WordEntityVectors,
    entity_vectors_for,
    read_vectors,
    write_vectors,
)
from isogloss.vectors.for_knowledge_base import read_entity_vectors, with_ids
from isogloss.vectors.names import PackedStrings

ENTITIES: list[dict[str, Any]] = [
    {"id": "Q1490", "names": {"en": ["Tokyo"], "ja": ["東京"]}},
    {"id": "Q64", "names": {"de": ["Berlin"], "en": ["Berlin"]}},
    {"id": "Q90", "names": {"en": ["Jordan"]}},
    {"id": "Q91", "names": {"en": ["Jordan"]}},
    {"id": "Q60", "names": {"en": ["The Big Apple"], "de": ["New York"]}},
    {"id": "Q5", "names": {"ja": ["人間"]}},
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    folder = tmp_path_factory.mktemp("kb")
    lines = [json.dumps(entity, ensure_ascii=False) + "\n" for entity in ENTITIES]
    (folder / "names.jsonl").write_text("".join(lines), "utf-8")
    build_knowledge_base([f"names:{folder / 'names.jsonl'}"], folder / "kb")
    return KnowledgeBase.open(folder / "kb")


@pytest.fixture
def vectors() -> WordEntityVectors:
    titles = ["Jordan", "Tokyo", "New York City", "東京"]
    vocabulary = Vocabulary.of(["word"], titles, redirects={"The Big Apple": "New York City"})
    return WordEntityVectors(vocabulary, np.arange(10, dtype=np.float32).reshape(5, 2))


def rows(found: EntityVectors) -> dict[str, float]:
    return {entity: float(found[entity][0]) for entity in found.ids}


def test_titles_and_redirects_of_the_first_language(
    kb: KnowledgeBase, vectors: WordEntityVectors
) -> None:
    with pytest.warns(
        OmissionWarning, match="2 entities without a vector, for another entity has the"
    ):
        found = entity_vectors_for(vectors, kb, ["en", "ja"])
    assert rows(found) == {"Q1490": 4, "Q60": 6}
    assert rows(entity_vectors_for(vectors, kb, ["ja", "de"])) == {"Q1490": 8}


def test_the_language_that_the_vectors_know_comes_first(
    kb: KnowledgeBase, vectors: WordEntityVectors
) -> None:
    vectors.facts["lang"] = "ja"
    assert rows(entity_vectors_for(vectors, kb, ["en"])) == {"Q1490": 8}


def test_ids_come_before_titles(kb: KnowledgeBase, vectors: WordEntityVectors) -> None:
    ids = PackedStrings.of(["Q64", "", "Q5", ""])
    known = WordEntityVectors(replace(vectors.vocabulary, entity_ids=ids), vectors.matrix)
    assert rows(entity_vectors_for(known, kb, ["en"])) == {"Q64": 2, "Q5": 6}


def test_ids_are_added_and_kept(
    kb: KnowledgeBase, vectors: WordEntityVectors, tmp_path: Path
) -> None:
    named = with_ids(vectors, kb, ["ja"])
    write_vectors(named, tmp_path / "v", "native")
    read = read_vectors(tmp_path / "v")
    assert list(read.vocabulary.entity_ids or ()) == ["", "", "", "Q1490"]
    assert rows(read_entity_vectors(tmp_path / "v", kb, ["en"])) == {"Q1490": 8}


def test_files_of_every_form(kb: KnowledgeBase, vectors: WordEntityVectors, tmp_path: Path) -> None:
    for form in ("wikipedia2vec", "word2vec-binary", "native"):
        write_vectors(vectors, tmp_path / form, form)  # type: ignore[arg-type]
        assert rows(read_entity_vectors(tmp_path / form, kb, ["ja"])) == {"Q1490": 8}
    EntityVectors(["Q7", "Q64"], np.eye(2)).save(tmp_path / "own")
    assert read_entity_vectors(tmp_path / "own", None, []).ids == ["Q7", "Q64"]


def test_what_cannot_be_looked_up(
    kb: KnowledgeBase, vectors: WordEntityVectors, tmp_path: Path
) -> None:
    write_vectors(vectors, tmp_path / "v", "glove")
    with pytest.raises(InputError, match="v: holds titles, which are looked up in a knowledge bas"):
        read_entity_vectors(tmp_path / "v", None, ["en"])
    expected = "v: none of the 6 entities of the knowledge base has a vector by its title in de; "
    with pytest.raises(InputError, match=expected):
        read_entity_vectors(tmp_path / "v", kb, ["de"])


@pytest.mark.parametrize(("least", "advice"), [(0, "ENTITY/ in front"), (5, "--min-entity-count")])
def test_vectors_of_words_alone_are_no_question_of_the_language(
    kb: KnowledgeBase, tmp_path: Path, least: int, advice: str
) -> None:
    vocabulary = Vocabulary.of(["tokyo", "berlin"], min_entity_count=least)
    words = WordEntityVectors(vocabulary, np.ones((2, 2), np.float32))
    write_vectors(words, tmp_path / "v", "native")
    with pytest.raises(InputError, match=rf"v: holds no entity, only 2 words; .*{advice}"):
        read_entity_vectors(tmp_path / "v", kb, ["en"])
    with pytest.raises(InputError, match="holds no entity"):
        with_ids(words, kb, ["en"])
