"""Measures that may explain transfer, each against a slow, obvious version."""

from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import spearmanr

from isogloss.encode.encoder import Encoder
from isogloss.errors import InputError
from isogloss.probe.transfer.measures.nearest_tokens import nearest_shares
from isogloss.probe.transfer.measures.overlap import overlap, token_types, unknown_id
from isogloss.probe.transfer.measures.pairs import Pair, grouped, zero_shot_pairs
from isogloss.probe.transfer.measures.ranking import agreed, ndcg_at_3, regret
from isogloss.probe.transfer.measures.typology import (
    adjective_order,
    shared_features,
    verb_order,
)
from isogloss.probe.transfer.measures.word_orders import (
    WordOrder,
    WordOrders,
    read_word_orders,
)
from isogloss.statistics.language_matrices import matrix_correlation


@pytest.fixture(scope="module")
def orders(cldf: Path) -> WordOrders:
    return read_word_orders(cldf)


def test_codes_of_users_become_those_of_wals(orders: WordOrders) -> None:
    wals = {lang: found.wals_code for lang in ("en", "deu", "zh", "zh-Hant", "cmn_Hans", "ja", "sr")
            if (found := orders.of(lang))}  # fmt: skip
    assert wals == {"en": "eng", "deu": "ger", "zh": "mnd", "zh-Hant": "mnd", "cmn_Hans": "mnd",
                    "ja": "jpn", "sr": "scr"}  # fmt: skip
    assert orders.of("fr") is None


def test_of_several_the_best_known_is_taken_and_said(orders: WordOrders) -> None:
    decided = {lang: [one.wals_code for one in some] for lang, some in orders.decided.items()}
    assert decided == {"cy": ["wel", "wec"], "afb": ["arg", "arj"]}  # equal: the shorter name
    assert orders.of("cy").wals_code == "wel"


def test_only_the_six_features_are_read(orders: WordOrders) -> None:
    assert orders.of("ja").values == {
        "81A": "SOV", "85A": "Postpositions", "87A": "Adjective-Noun",
    }  # fmt: skip


def test_no_dominant_order_is_a_value(orders: WordOrders) -> None:
    german, serbian, english = (orders.of(lang) for lang in ("de", "sh", "en"))
    assert shared_features(german, serbian).n_shared == 1
    found = shared_features(german, english)
    assert (found.n_shared, found.n_known) == (2, 3)
    assert verb_order(german) is None
    assert verb_order(english) == "SVO"
    assert (adjective_order(german), adjective_order(orders.of("cy"))) == ("AN", "NA")
    assert verb_order(None) is adjective_order(None) is None


def test_a_pair_that_shares_none_is_not_shown(orders: WordOrders) -> None:
    found = shared_features(orders.of("zh"), orders.of("sh"))
    assert (found.n_shared, found.n_known, found.is_shown, found.share) == (0, 1, False, 0.0)
    nothing = WordOrder("xyz", "Nameless", {})
    assert np.isnan(shared_features(orders.of("zh"), nothing).share)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda at: (at / "codes.csv").unlink(), "has no codes.csv; give the CLDF folder of WALS"),
        (lambda at: (at / "codes.csv").write_text("ID,Title\n81A-1,SOV\n"), "no column 'Name'"),
        (lambda at: (at / "codes.csv").write_text("ID,Name\n81A-1,SOV\n"), "has no code '81A-2'"),
        (lambda at: (at / "languages.csv").write_text("ID,Name,ISO639P3code\neng,English,eng\n"),
         "has no language 'ger'"),
        (lambda at: (at / "codes.csv").write_text(""), "is empty"),
    ],
)  # fmt: skip
def test_a_folder_of_something_else_is_refused(
    cldf: Path, tmp_path: Path, damage: Any, said: str
) -> None:
    for file in cldf.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    damage(tmp_path)
    with pytest.raises(InputError, match=said):
        read_word_orders(tmp_path)


# -- pairs


def test_zero_shot_is_of_another_language_whatever_its_script() -> None:
    pairs = zero_shot_pairs(["pt", "hi+en"], ["pt-BR", "en", "zh-Hant", "hi"])
    assert pairs == [
        Pair("pt", "en"), Pair("pt", "zh-Hant"), Pair("pt", "hi"), Pair("hi+en", "pt-BR"),
        Pair("hi+en", "zh-Hant"),
    ]  # fmt: skip


def test_groups_leave_out_the_diagonal_joint_training_and_languages_without_one() -> None:
    order = {"en": "SVO", "fr": "SVO", "ja": "SOV"}
    found = grouped(["en", "ja", "de", "hi+en"], ["en", "fr", "ja", "de"], order.get)
    assert found.pairs == {
        ("SVO", "SVO"): [Pair("en", "fr")],
        ("SVO", "SOV"): [Pair("en", "ja")],
        ("SOV", "SVO"): [Pair("ja", "en"), Pair("ja", "fr")],
    }
    assert found.left_out == ["de"]


# -- overlap

SENTENCES = [["The", "quick", "fox"], ["the", "lazy", "dog", "."]]
TAGS = [["O", "B-ANIMAL", "I-ANIMAL"], ["O", "O", "U-ANIMAL", "O"]]


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "gpt2"])
def test_token_types_are_those_of_words_alone(tiny_models: dict[str, Path], kind: str) -> None:
    tokenizer = Encoder.load(tiny_models[kind], prefix="query: ").tokenizer

    def slow(chosen: list[list[bool]]) -> set[int]:
        found = set()
        for words, wanted in zip(SENTENCES, chosen, strict=True):
            text = "query: " + " ".join(words)
            encoding = tokenizer.backend.encode(text, add_special_tokens=False)
            start = len("query: ")
            for word, is_wanted in zip(words, wanted, strict=True):
                end = start + len(word)
                for one, (first, last) in zip(encoding.ids, encoding.offsets, strict=True):
                    if is_wanted and first < end and last > start:
                        found.add(one)
                start = end + 1
        return found - {unknown_id(tokenizer.backend)}

    everything = [[True] * len(words) for words in SENTENCES]
    assert token_types(tokenizer, SENTENCES) == slow(everything)
    inside = [[tag != "O" for tag in tags] for tags in TAGS]
    assert token_types(tokenizer, SENTENCES, tags=TAGS) == slow(inside)
    assert token_types(tokenizer, SENTENCES, tags=TAGS) < token_types(tokenizer, SENTENCES)


def test_the_unknown_token_is_shared_by_nobody(bert: Path) -> None:
    tokenizer = Encoder.load(bert).tokenizer
    unknown = unknown_id(tokenizer.backend)
    assert unknown is not None
    assert unknown in tokenizer.backend.encode("㐀㐁").ids
    assert token_types(tokenizer, [["㐀㐁"]]) == frozenset()


def test_overlap_of_nothing_is_not_a_number() -> None:
    assert overlap(frozenset({1}), frozenset()) == 0
    assert np.isnan(overlap(frozenset(), frozenset()))


# -- rankings


def slow_ndcg(scores: list[float], ranking: list[float]) -> float:
    n = len(scores)
    relevance = [max(0, 10 - sum(other > one for other in scores)) for one in scores]

    def dcg(order: Any) -> float:
        return sum((2 ** relevance[one] - 1) / np.log2(at + 2) for at, one in enumerate(order[:3]))

    possible = [
        order
        for order in permutations(range(n))
        if all(ranking[one] >= ranking[other] for one, other in pairwise(order))
    ]
    ideal = dcg(sorted(range(n), key=lambda one: -relevance[one]))
    return float(np.mean([dcg(order) for order in possible])) / ideal


def slow_regret(scores: list[float], ranking: list[float]) -> float:
    tied = [score for score, at in zip(scores, ranking, strict=True) if at == max(ranking)]
    return max(scores) - sum(tied) / len(tied)


@pytest.mark.parametrize("seed", range(20))
def test_regret_and_ndcg_equal_the_slow_ones(seed: int) -> None:
    generator = np.random.default_rng(seed)
    n = int(generator.integers(2, 7))
    scores = generator.integers(0, 5, n) / 5  # with ties
    ranking = generator.integers(0, 3, n).astype(float)
    assert regret(scores, ranking) == pytest.approx(slow_regret(list(scores), list(ranking)))
    assert ndcg_at_3(scores, ranking) == pytest.approx(slow_ndcg(list(scores), list(ranking)))


def test_a_right_ranking_has_no_regret() -> None:
    scores = np.array([0.3, 0.9, 0.5, 0.7])
    assert (regret(scores, scores), ndcg_at_3(scores, scores)) == (0.0, pytest.approx(1.0))
    assert regret(scores, -scores) == pytest.approx(0.6)
    assert ndcg_at_3(np.array([0.4]), np.array([1.0])) == 1.0
    with pytest.raises(ValueError, match="finite"):
        regret(scores, np.array([1, np.nan, 2, 3]))


def test_rankings_agree_by_mean_rank() -> None:
    found = agreed([np.array([1.0, 2.0, 3.0]), np.array([50.0, 50.0, 7.0])])
    assert found.tolist() == [0.75, 1.25, 1.0]


def test_shares_of_nearest_tokens_equal_a_loop() -> None:
    generator = np.random.default_rng(0)
    target = generator.normal(size=(40, 6)).astype(np.float32)
    sources = {lang: generator.normal(size=(15, 6)).astype(np.float32) for lang in "abc"}

    def cosine(x: Any, y: Any) -> float:
        return float(x @ y / np.linalg.norm(x) / np.linalg.norm(y))

    nearest = [max(sources, key=lambda lang: max(cosine(x, y) for y in sources[lang]))
               for x in target]  # fmt: skip
    found = nearest_shares(target, sources, seed=0)
    assert found == {lang: nearest.count(lang) / 40 for lang in "abc"}


def test_a_language_with_many_tokens_is_not_nearer_for_that() -> None:
    generator = np.random.default_rng(0)
    target, few = (generator.normal(size=(n, 4)).astype(np.float32) for n in (400, 50))
    many = generator.normal(size=(5000, 4)).astype(np.float32)
    found = nearest_shares(target, {"few": few, "many": many}, seed=1)
    assert 0.4 < found["many"] < 0.6
    assert found == nearest_shares(target, {"few": few, "many": many}, seed=1)
    assert found != nearest_shares(target, {"few": few, "many": many}, seed=2)


# -- matrices of languages


def without_diagonal(matrix: Any) -> Any:
    return np.where(np.eye(*matrix.shape) > 0, np.nan, matrix)


def test_correlation_is_spearmans_over_pairs() -> None:
    generator = np.random.default_rng(0)
    first, second = (without_diagonal(generator.normal(size=(5, 8))) for _ in range(2))
    known = np.isfinite(first)
    found = matrix_correlation(first, second, are_same=False, seed=0)
    assert found.value == pytest.approx(spearmanr(first[known], second[known]).statistic)
    assert (found.n_pairs, found.n_permutations) == (35, 10_000)


@pytest.mark.parametrize("are_same", [True, False])
def test_p_value_equals_that_of_all_permutations(are_same: bool) -> None:
    generator = np.random.default_rng(3)
    shape = (5, 5) if are_same else (3, 4)
    first = generator.normal(size=shape)
    second = first + generator.normal(size=shape)
    if are_same:
        first, second = without_diagonal(first), without_diagonal(second)
    found = matrix_correlation(first, second, are_same=are_same, seed=0)

    def absolute(permuted: Any) -> float:
        known = np.isfinite(first) & np.isfinite(permuted)
        return abs(spearmanr(first[known], permuted[known]).statistic)

    orders = [
        (list(rows), list(columns))
        for rows in permutations(range(shape[0]))
        for columns in ([rows] if are_same else permutations(range(shape[1])))
    ]
    least = absolute(second) - 1e-9
    drawn = [absolute(second[rows][:, columns]) >= least for rows, columns in orders]
    assert found.p_value == pytest.approx(np.mean(drawn))
    assert found.n_permutations == len(drawn)


def test_p_value_is_uniform_where_nothing_goes_together() -> None:
    generator = np.random.default_rng(1)
    n_small = 0
    for _ in range(60):
        # Languages differ as a whole, so pairs are no independent observations.
        first, second = (
            without_diagonal(generator.normal(size=5)[:, None] + generator.normal(size=5))
            for _ in range(2)
        )
        n_small += matrix_correlation(first, second, are_same=True, seed=0).p_value < 0.2
    assert 4 <= n_small <= 22


def test_what_cannot_be_told_is_not_a_number() -> None:
    flat = np.full((3, 3), 0.5)
    found = matrix_correlation(flat, np.arange(9.0).reshape(3, 3), are_same=True, seed=0)
    assert np.isnan(found.value)
    assert np.isnan(found.p_value)
    assert np.isnan(matrix_correlation(flat[:1, :2], flat[:1, :2], are_same=False, seed=0).value)
