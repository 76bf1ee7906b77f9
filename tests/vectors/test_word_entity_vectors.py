import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.vectors import Vocabulary, WordEntityVectors
from isogloss.vectors import word_entity_vectors as module


@pytest.fixture
def vectors() -> WordEntityVectors:
    vocabulary = Vocabulary.of(
        ["a", "b", "zero"], ["A", "B"], word_counts=[5, 4, 3], redirects={"R": "A"}
    )
    matrix = np.array([[1, 0], [1, 1], [0, 0], [2, 0.1], [-1, 0]], np.float32)
    return WordEntityVectors(vocabulary, matrix)


def test_nearest_by_cosine_against_a_plain_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    matrix = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    names = [str(i) for i in range(50)]
    vectors = WordEntityVectors(Vocabulary.of(names[:30], names[30:]), matrix)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    expected = np.argsort(-(unit @ unit[3]))
    expected = expected[expected != 3][:10]
    near = vectors.similar("3")
    assert [vectors.vocabulary.row(other.label).row for other in near] == expected.tolist()
    assert [other.cosine for other in near] == pytest.approx((unit @ unit[3])[expected], abs=1e-6)


def test_kinds_counts_and_itself(vectors: WordEntityVectors) -> None:
    near = vectors.similar("a")
    assert [(other.label, other.kind, other.count) for other in near] == [
        ("ENTITY/A", "entity", 0), ("b", "word", 4), ("zero", "word", 3), ("ENTITY/B", "entity", 0),
    ]  # fmt: skip
    assert [other.label for other in vectors.similar("a", kind="word")] == ["b", "zero"]
    assert [other.label for other in vectors.similar("R", kind="entity")] == ["ENTITY/B"]
    assert [other.label for other in vectors.similar("b", k=1)] == ["ENTITY/A"]


def test_equal_cosines_come_in_order() -> None:
    vectors = WordEntityVectors(Vocabulary.of([str(i) for i in range(9)]), np.ones((9, 2)))
    assert [other.label for other in vectors.similar("4", k=3)] == ["0", "1", "2"]


def test_a_vector_of_zeros_is_near_to_nothing(vectors: WordEntityVectors) -> None:
    assert {other.cosine for other in vectors.similar("zero")} == {0.0}


def test_look_ups(vectors: WordEntityVectors) -> None:
    assert vectors["R"].tolist() == pytest.approx([2, 0.1])
    found, known = vectors.lookup_entities(["B", "C", "R"])
    assert known.tolist() == [True, False, True]
    assert found[:2].tolist() == [[-1, 0], [0, 0]]
    with pytest.raises(InputError, match="no vector for 'C'"):
        vectors["C"]
    assert repr(vectors) == "WordEntityVectors(3 words, 2 entities, width 2)"


def test_the_matrix_must_fit() -> None:
    with pytest.raises(InputError, match="1 words and entities do not fit a matrix of shape"):
        WordEntityVectors(Vocabulary.of(["a"]), np.eye(2))
