"""Scores of a transfer matrix, and the tables that are made of it."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.probe.saved import read_saved
from isogloss.probe.transfer.explained.typology import FORMAT as TYPOLOGY
from isogloss.probe.transfer.explained.typology import TypologyResult
from isogloss.probe.transfer.matrix.matrix import Matrix
from isogloss.probe.transfer.matrix.measure import sentence_counts
from isogloss.probe.transfer.matrix.result import FORMAT, TransferResult
from isogloss.probe.transfer.matrix.runs import TransferRun
from isogloss.probe.transfer.matrix.scores import PairCounts, mean_difference, mean_score
from isogloss.probe.transfer.matrix.sets import TaggedText
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.probe.transfer.measures.word_orders import read_word_orders
from isogloss.probe.transfer.ranked.result import (
    Ranked,
    RankResult,
    scores_of,
    scores_on_others,
)

PAIR = Pair("en", "de")


@dataclass(frozen=True)
class Options:
    task: str = "upos"
    seed: int = 0


def run(numerators: list[int], denominators: list[int]) -> TransferRun:
    return TransferRun(numerators, denominators, [1], 1.0, 10, 0, 0)


# -- scores


def test_score_is_a_ratio_of_sums() -> None:
    found = PairCounts.of([run([3, 4], [5, 5]), run([1, 0], [5, 5])])
    assert found.scores == pytest.approx([0.7, 0.1])
    assert PairCounts.of([run([0, 0], [0, 0])]).scores == [0.0]


def text(tags: list[list[str]], is_scored: list[list[bool]] | None = None) -> TaggedText:
    words = [["w"] * len(some) for some in tags]
    return TaggedText("de", Path(), "", words, tags, None, is_scored=is_scored)


def test_words_and_entities_are_counted_by_sentence() -> None:
    gold = text([["NOUN", "VERB"], ["DET"]])
    assert sentence_counts(gold, [["NOUN", "NOUN"], ["DET"]], "upos") == {
        "numerators": [1, 1], "denominators": [2, 1],
    }  # fmt: skip
    some = text([["NOUN", "VERB"], ["DET"]], [[False, True], [True]])
    assert sentence_counts(some, [["NOUN", "NOUN"], ["DET"]], "upos") == {
        "numerators": [0, 1], "denominators": [1, 1],
    }  # fmt: skip
    entities = text([["B-LOC", "I-LOC", "B-PER"]])
    assert sentence_counts(entities, [["B-LOC", "O", "B-PER"]], "ner") == {
        "numerators": [2], "denominators": [4],
    }  # fmt: skip


def test_a_mean_is_over_pairs_and_seeds(matrix: Matrix) -> None:
    pairs = [Pair("en", "de"), Pair("ja", "zh")]
    scores = [np.mean(matrix.counts["enc", pair].scores) for pair in pairs]
    found = matrix.mean("enc", pairs)
    assert found.value == pytest.approx(np.mean(scores))
    assert found.low < found.value < found.high


def documents(*names: str, n: int = 40) -> dict[str, list[str]]:
    return {name: [f"{name} {at}" for at in range(n)] for name in names}


def test_translations_are_no_new_evidence(square: Matrix) -> None:
    """Hard sentences are hard in every language: resampled jointly the interval is wider."""
    pairs = {pair: square.counts["enc", pair] for pair in square.zero_shot}
    same = dict.fromkeys(pairs, next(iter(pairs.values())))
    joint = mean_score(same, square.documents, seed=0)
    apart = mean_score(same, documents(*square.tests), seed=0)
    assert joint.value == pytest.approx(apart.value)
    assert joint.high - joint.low > 1.5 * (apart.high - apart.low)


def test_a_difference_is_paired(matrix: Matrix) -> None:
    ours = matrix.counts["enc", PAIR]
    better = replace(ours, numerators=np.minimum(ours.numerators + 1, ours.denominators))
    found = mean_difference({PAIR: better}, {PAIR: ours}, matrix.documents, seed=0)
    alone = mean_score({PAIR: ours}, matrix.documents, seed=0)
    assert found.value == pytest.approx(np.mean(better.scores) - np.mean(ours.scores))
    assert found.high - found.low < 0.5 * (alone.high - alone.low)
    nothing = mean_difference({PAIR: ours}, {PAIR: ours}, matrix.documents, seed=0)
    assert (nothing.value, nothing.low, nothing.high) == pytest.approx((0, 0, 0))


def test_one_sentence_that_is_right_is_no_proof() -> None:
    one = np.ones((1, 1))
    found = mean_score({PAIR: PairCounts(one, one)}, documents("de", n=1), seed=0)
    assert (found.value, found.low < 0.3) == (1.0, True)


# -- tables


def test_the_diagonal_is_marked_and_in_no_mean(matrix: Matrix) -> None:
    result = TransferResult(matrix, options=Options())
    marked = {(row["train"], row["test"]) for row in result.matrix.rows if not row["is_zero_shot"]}
    assert marked == {("en", "en"), ("ja", "ja"), ("en+ja", "en"), ("en+ja", "ja")}
    encoder, control = result.systems.rows
    pairs = [("en", "de"), ("en", "ja"), ("en", "zh"), ("ja", "en"), ("ja", "de"), ("ja", "zh"),
             ("en+ja", "de"), ("en+ja", "zh")]  # fmt: skip
    scores = [matrix.score("enc", Pair(*pair)) for pair in pairs]
    assert (encoder["n_pairs"], encoder["n_in_language"]) == (8, 2)
    assert encoder["zero_shot"] == pytest.approx(np.mean(scores))
    own = [matrix.score("enc", Pair(lang, lang)) for lang in ("en", "ja")]
    assert encoder["in_language"] == pytest.approx(np.mean(own))
    assert encoder["gain"] is None
    assert control["gain"] == pytest.approx(encoder["zero_shot"] - control["zero_shot"])
    assert control["gain_low"] > 0


def test_means_are_by_training_set_test_language_and_script(matrix: Matrix) -> None:
    rows = {(row["by"], row["train"], row["test"]): row
            for row in TransferResult(matrix, options=Options()).means.rows
            if row["system"] == "enc"}  # fmt: skip

    def mean(*pairs: tuple[str, str]) -> Any:
        return pytest.approx(np.mean([matrix.score("enc", Pair(*pair)) for pair in pairs]))

    assert rows["training set", "en+ja", "all"]["score"] == mean(("en+ja", "de"), ("en+ja", "zh"))
    assert rows["test language", "all", "zh"]["n_pairs"] == 3
    scripts = {key[1:]: row["n_pairs"] for key, row in rows.items() if key[0] == "script"}
    assert scripts == {("Latn", "Latn"): 1, ("Latn", "Jpan"): 1, ("Latn", "Hans"): 1,
                       ("Jpan", "Latn"): 2, ("Jpan", "Hans"): 1}  # fmt: skip
    assert rows["script", "Jpan", "Latn"]["score"] == mean(("ja", "en"), ("ja", "de"))


def test_the_folder_is_read_again(matrix: Matrix, tmp_path: Path) -> None:
    result = TransferResult(matrix, options=Options())
    result.write(tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"transfer.json", "systems.csv", "matrix.csv", "means.csv", "transfer.svg"}
    saved = read_saved(tmp_path / "out", [FORMAT])
    assert saved.tables["matrix"] == result.matrix.rows
    assert json.dumps(result.to_json())  # no NaN, no numpy
    assert "test language" in (tmp_path / "out" / "transfer.svg").read_text("utf-8")


# -- typology


def test_word_order_goes_with_transfer_where_it_was_planted(cldf: Path, square: Matrix) -> None:
    result = TypologyResult(square, read_word_orders(cldf), options=Options())
    rows = [row for row in result.pairs.rows if row["system"] == "enc"]
    assert {(row["train"], row["test"]): (row["n_shared"], row["n_known"]) for row in rows} == {
        ("en", "de"): (2, 3), ("de", "en"): (2, 3), ("en", "ja"): (1, 3), ("ja", "en"): (1, 3),
        ("en", "zh"): (1, 1), ("zh", "en"): (1, 1), ("en", "cy"): (1, 2), ("cy", "en"): (1, 2),
        ("de", "ja"): (1, 3), ("ja", "de"): (1, 3), ("zh", "cy"): (1, 1), ("cy", "zh"): (1, 1),
    }  # fmt: skip
    by_system = {row["system"]: row for row in result.correlations.rows}
    assert by_system["enc"]["n_permutations"] == 120
    assert by_system["enc"]["n_pairs"] == 12


def test_means_by_order_are_those_of_their_pairs(cldf: Path, square: Matrix) -> None:
    result = TypologyResult(square, read_word_orders(cldf), options=Options())
    rows = {(row["by"], row["train"], row["test"]): row for row in result.means.rows
            if row["system"] == "enc"}  # fmt: skip
    pairs = [(one, other) for one in ("en", "zh", "cy") for other in ("en", "zh", "cy")
             if one != other]  # fmt: skip
    found = rows["verb order", "SVO", "SVO"]
    assert found["n_pairs"] == 6
    assert found["score"] == pytest.approx(
        np.mean([square.score("enc", Pair(*pair)) for pair in pairs])
    )
    assert rows["verb order", "SOV", "SVO"]["n_pairs"] == 3
    assert ("verb order", "SOV", "SOV") not in rows  # Japanese alone
    assert rows["adjective order", "NA", "AN"]["n_pairs"] == 3
    notes = " ".join(result.notes)
    assert "in no group of verb order: de" in notes
    assert "'cy' is Welsh in WALS; not taken: Welsh (Colloquial)" in notes
    assert "left out as in Figure 2: 8" in notes


def test_typology_is_written_and_read(cldf: Path, matrix: Matrix, tmp_path: Path) -> None:
    result = TypologyResult(matrix, read_word_orders(cldf), options=Options())
    result.write(tmp_path / "out")
    assert read_saved(tmp_path / "out", [TYPOLOGY]).tables["means"] == result.means.rows
    with pytest.raises(InputError, match="holds no results of a probe"):
        read_saved(tmp_path / "out", [FORMAT])


# -- rankings


def test_a_target_has_no_part_in_the_score_on_others(square: Matrix) -> None:
    changed = replace(square, counts={
        key: replace(counts, numerators=counts.numerators * 0) if key[1].test == "ja" else counts
        for key, counts in square.counts.items()
    })  # fmt: skip
    assert scores_on_others(changed, "enc", "ja") == scores_on_others(square, "enc", "ja")
    assert scores_on_others(changed, "enc", "zh") != scores_on_others(square, "enc", "zh")
    assert "ja" not in scores_of(square, "enc", "ja")
    assert max(scores_on_others(square, "enc", "zh").items(), key=lambda one: one[1])[0] == "en"


def test_rankings_are_scored_where_transfer_was_measured(square: Matrix, tmp_path: Path) -> None:
    numbers = {"overlap": np.array([0.1, 0.3, np.nan]), "nearest": np.array([0.5, 0.2, 0.3])}
    ranked = [
        Ranked("zh", ["en", "de", "ja"], np.array([0.9, 0.7, 0.5]), numbers),
        Ranked("sw", ["en", "de", "ja"], None, numbers),
    ]
    result = RankResult(square, ranked, options=Options())
    rows = {row["ranker"]: row for row in result.rankers.rows}
    assert list(rows) == ["overlap", "nearest", "agreed"]
    assert rows["overlap"]["regret"] == pytest.approx(0.2)
    assert (rows["nearest"]["regret"], rows["nearest"]["n_best"]) == (0.0, 1)
    assert rows["agreed"]["regret"] == 0.0
    sources = {(row["target"], row["source"]): row for row in result.sources.rows}
    assert [row["source"] for row in result.sources.rows][:3] == ["en", "de", "ja"]
    assert sources["zh", "ja"]["overlap"] is None
    # What is not known counts as the lowest: ranks .5 2 .5 and 2 0 1.
    assert [sources["zh", lang]["agreed"] for lang in ("en", "de", "ja")] == [1.25, 1.0, 0.75]
    assert sources["sw", "en"]["score"] is None
    assert "an illustration" in result.notes[0]
    result.write(tmp_path / "out")
