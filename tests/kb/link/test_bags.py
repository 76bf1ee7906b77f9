from collections.abc import Callable

import numpy as np
import pytest

from isogloss.kb import EntityBags, KnowledgeBase, Linker

MakeKb = Callable[..., KnowledgeBase]


@pytest.fixture
def bags(make_kb: MakeKb) -> EntityBags:
    kb = make_kb(
        {"id": "e:0", "names": {"en": ["river bank"], "ja": ["川岸"]}},
        {"id": "e:1", "names": {"en": ["bank", "river"]}, "counts": {"en": {"bank": 6}}},
        {"id": "e:2", "names": {"en": ["bank"]}, "counts": {"en": {"bank": 2}}},
        {"id": "e:3", "names": {"en": ["shore"]}, "link_prob": {"en": {"shore": 0.5}}},
    )
    return Linker(kb, "en").bags(["bank, river, bank", "", "shore of the river bank", "bank shore"])


def test_each_entity_is_there_once_with_its_best_evidence(bags: EntityBags) -> None:
    assert bags.indptr.tolist() == [0, 2, 2, 4, 7]
    assert bags.entity.tolist() == [1, 2, 0, 3, 1, 2, 3]
    assert bags.commonness.tolist() == [1.0, 0.25, 1.0, 1.0, 0.75, 0.25, 1.0]
    assert bags.link_probability.tolist() == [1, 1, 1, 0.5, 1, 1, 0.5]
    assert bags.n_mentions.tolist() == [3, 2, 1, 1, 1, 1, 1]
    assert (bags.n_texts, bags.n_dropped) == (4, 0)
    kinds = (bags.indptr.dtype, bags.entity.dtype, bags.commonness.dtype, bags.n_mentions.dtype)
    assert kinds == (np.int64, np.int32, np.float32, np.int32)


def test_select_takes_rows_in_the_order_given(bags: EntityBags) -> None:
    chosen = bags.select([3, 1, 0, 3])
    assert chosen.indptr.tolist() == [0, 3, 3, 5, 8]
    assert chosen.entity.tolist() == [1, 2, 3, 1, 2, 1, 2, 3]
    assert bags.select([]).n_texts == 0


def test_cap_keeps_the_commonest_then_likeliest_then_first(bags: EntityBags) -> None:
    assert bags.cap(1).entity.tolist() == [1, 0, 3]
    assert bags.cap(2).entity.tolist() == [1, 2, 0, 3, 1, 3]
    assert bags.cap(0).entity.size == 0
    assert bags.cap(9).entity.tolist() == bags.entity.tolist()
    with pytest.raises(ValueError, match="at least 0"):
        bags.cap(-1)


def test_empty_bags() -> None:
    empty = EntityBags.empty(3)
    assert (empty.n_texts, empty.entity.size) == (3, 0)
    assert empty.cap(5).select([0, 2]).n_texts == 2
