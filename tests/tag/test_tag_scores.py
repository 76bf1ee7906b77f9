"""Accuracy, F1, means and differences of taggers: values, counts, and intervals over sentences."""

import itertools
import json
import random

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score
from tag_sequences import any_tags, legal_tags

from isogloss.errors import InputError, OmissionWarning
from isogloss.tag.scores import (
    EntityCounts,
    Scored,
    TagCounts,
    difference_of_taggers,
    interval_of_score,
    p_of_taggers,
    score_entities,
    score_tags,
)

Tags = list[list[str]]
POS = ["NOUN", "VERB", "ADJ", "PUNCT"]


def tagged(seed: int, n: int = 40, wrong: float = 0.2) -> tuple[Tags, Tags]:
    """Return gold and predicted tags; some sentences are easier than others."""
    rng = random.Random(seed)
    gold = [[rng.choice(POS) for _ in range(rng.randint(1, 12))] for _ in range(n)]
    predicted = []
    for tags in gold:
        share = min(1.0, rng.expovariate(1 / wrong)) if wrong else 0.0
        predicted.append([rng.choice(POS) if rng.random() < share else tag for tag in tags])
    return gold, predicted


def words(seed: int, n: int = 40, wrong: float = 0.2) -> TagCounts:
    return TagCounts.of(*tagged(seed, n, wrong))


def entities(seed: int, n: int = 40) -> EntityCounts:
    rng = random.Random(seed)
    gold = legal_tags(rng, "IOB2", n_sentences=n)
    others = any_tags(rng, "IOB2", [len(tags) for tags in gold], n_types=3)
    pairs = zip(gold, others, strict=True)
    return EntityCounts.of(gold, [rng.choice(pair) for pair in pairs], "IOB2")


def flat(tags: Tags) -> list[str]:
    return list(itertools.chain(*tags))


def test_accuracy_and_macro_f1_are_over_words() -> None:
    gold, predicted = tagged(1)
    predicted[3][0] = "X"  # in no gold: it counts in the mean of F1
    counts = TagCounts.of(gold, predicted)
    sides = flat(gold), flat(predicted)
    assert counts.ratio("accuracy").value == pytest.approx(accuracy_score(*sides))
    assert counts.macro_f1 == pytest.approx(f1_score(*sides, average="macro", zero_division=0))
    labels = sorted(counts.by_label)
    assert [counts.by_label[tag].f1 for tag in labels] == pytest.approx(
        f1_score(*sides, average=None, labels=labels, zero_division=0)
    )


def test_entities_and_their_confusions_are_counted() -> None:
    gold = [["B-PER", "I-PER", "O", "B-LOC", "B-ORG"], ["O", "O"], ["B-LOC", "O", "O"]]
    predicted = [["B-PER", "I-PER", "O", "B-ORG", "I-ORG"], ["B-LOC", "O"], ["B-ORG", "I-LOC", "O"]]
    counts = EntityCounts.of(gold, predicted, "IOB2")
    # Of the last sentence `I-LOC` is no entity if read strictly.
    assert counts.strict.tolist() == [[1, 2, 3], [0, 1, 0], [0, 1, 1]]
    assert counts.conll.tolist() == [[1, 2, 3], [0, 1, 0], [0, 2, 1]]
    assert counts.confusions == {
        ("PER", "PER"): 1, ("LOC", None): 1, ("ORG", None): 1, (None, "ORG"): 1, (None, "LOC"): 1,
        ("LOC", "ORG"): 1,
    }  # fmt: skip
    assert list(counts.by_label) == ["LOC", "ORG", "PER"]
    assert counts.by_label["LOC"] == (0, 1, 2)
    assert counts.by_label_conll["LOC"] == (0, 2, 2)
    assert counts.ratio("f1_strict").value == pytest.approx(2 / 8)
    assert counts.ratio("f1_conll").value == pytest.approx(2 / 9)
    assert counts.ratio("precision").value == pytest.approx(1 / 4)
    assert counts.ratio("recall").value == pytest.approx(1 / 4)


def test_where_there_is_no_entity_scores_are_0() -> None:
    counts = EntityCounts.of([["O"]], [["O"]], "IOB2")
    row = score_entities({"zh": counts}).rows[0]
    assert (row["f1_strict"], row["f1_conll"], row["precision"], row["n_entities"]) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        ([["O"]], [], "1 sentence with gold tags, 0 with predicted ones"),
        ([["O"], ["O", "O"]], [["O"], ["O"]], "sentence 2 has 2 gold tags and 1 predicted"),
        ([[], []], [[], []], "no word to score"),
        ([], [], "no word to score"),
    ],
)
def test_what_cannot_be_compared_is_refused(gold: Tags, predicted: Tags, message: str) -> None:
    for compare in (TagCounts.of, lambda *sides: EntityCounts.of(*sides, "IOB2")):
        with pytest.raises(InputError, match=message):
            compare(gold, predicted)


def test_rows_of_tags() -> None:
    scored = score_tags({"zh": words(1), "de": words(2, 30)}, known=POS)
    assert [row["lang"] for row in scored.rows] == ["de", "zh"]
    assert list(scored.rows[0]) == [
        "lang", "n", "n_words", "accuracy", "accuracy_low", "accuracy_high", "macro_f1",
        "n_unseen_tag",
    ]  # fmt: skip
    de, zh = scored.rows
    assert (de["n"], zh["n"], de["n_words"]) == (30, 40, len(words(2, 30).right))
    assert de["accuracy_low"] < de["accuracy"] < de["accuracy_high"]
    assert scored.mean["accuracy"] == pytest.approx((de["accuracy"] + zh["accuracy"]) / 2)
    assert scored.mean["macro_f1"] == pytest.approx((de["macro_f1"] + zh["macro_f1"]) / 2)
    assert scored.mean["n_words"] == de["n_words"] + zh["n_words"]
    assert scored.mean["langs"] == ["de", "zh"]
    shown = scored.table().to_markdown()
    assert "mean of 2" in shown
    assert f"{de['accuracy']:.3f} [{de['accuracy_low']:.2f}" in shown
    assert json.loads(json.dumps(scored.as_json()))["rows"][0]["lang"] == "de"


def test_rows_of_entities() -> None:
    scored = score_entities({"de": entities(1), "zh": entities(2)})
    assert list(scored.rows[0]) == [
        "lang", "n", "n_words", "n_entities", "f1_strict", "f1_strict_low", "f1_strict_high",
        "f1_conll", "precision", "recall",
    ]  # fmt: skip
    de, zh = scored.rows
    assert de["f1_strict_low"] < de["f1_strict"] < de["f1_strict_high"]
    assert de["f1_conll"] == entities(1).ratio("f1_conll").value
    for name in ("f1_strict", "f1_conll", "precision", "recall"):
        assert scored.mean[name] == pytest.approx((de[name] + zh[name]) / 2)
    assert scored.mean["n_entities"] == de["n_entities"] + zh["n_entities"]


def test_tables_of_labels_and_confusions_add_up() -> None:
    for scored, counts in (
        (score_tags({"de": words(1), "zh": words(2)}), words(2)),
        (score_entities({"de": entities(1), "zh": entities(2)}), entities(2)),
    ):
        rows = [row for row in scored.confusions.rows if row["lang"] == "zh"]
        assert [row["n"] for row in rows] == sorted((row["n"] for row in rows), reverse=True)
        assert {(row["gold"], row["predicted"]): row["n"] for row in rows} == counts.confusions
        for row in scored.by_label.rows:
            if row["lang"] == "zh":
                label = row.get("tag", row.get("type"))
                of_gold = sum(one["n"] for one in rows if one["gold"] == label)
                given = sum(one["n"] for one in rows if one["predicted"] == label)
                assert (row["n"], row["n_predicted"]) == (of_gold, given)


def test_a_type_that_only_one_reading_finds_has_a_row() -> None:
    counts = EntityCounts.of([["O", "O"]], [["O", "I-LOC"]], "IOB2")
    (row,) = score_entities({"zh": counts}).by_label.rows
    assert (row["type"], row["n"], row["n_predicted"], row["f1_strict"]) == ("LOC", 0, 0, 0)


def test_gold_tags_that_training_lacks_are_wrong_counted_and_said() -> None:
    gold, predicted = tagged(1)
    for tags in gold:
        tags[0] = "SYM"
    with pytest.warns(OmissionWarning, match=r"zh: 40 of \d+ words have a tag .* \(SYM\); they"):
        scored = score_tags({"zh": TagCounts.of(gold, predicted)}, known=POS)
    assert scored.rows[0]["n_unseen_tag"] == scored.mean["n_unseen_tag"] == 40
    assert scored.rows[0]["accuracy"] == accuracy_score(flat(gold), flat(predicted))
    counts = EntityCounts.of([["B-NEW", "I-NEW"]], [["O", "O"]], "IOB2")
    with pytest.warns(OmissionWarning, match=r"B-NEW, I-NEW"):
        assert score_entities({"zh": counts}, known=["O"]).rows[0]["n_unseen_tag"] == 2


def test_further_counts_are_in_rows_and_summed() -> None:
    further = {"de": {"n_without_token": 2}, "zh": {"n_without_token": 5}}
    scored = score_tags({"zh": words(1), "de": words(2)}, further=further)
    assert [row["n_without_token"] for row in scored.rows] == [2, 5]
    assert scored.mean["n_without_token"] == 7


def test_training_languages_and_the_unknown_one_are_not_in_the_mean() -> None:
    counts = {lang: words(number) for number, lang in enumerate(("zh", "en", "und", "de"))}
    scored = score_tags(counts, training_langs=["en"])
    assert [row["lang"] for row in scored.rows] == ["de", "en", "zh", "und"]
    assert scored.mean["langs"] == ["de", "zh"]
    assert "without en, und" in scored.table().caption
    assert score_tags({"en": words(1)}, training_langs=["en"]).mean["langs"] == ["en"]


def ids(n: int, prefix: str = "s") -> list[str]:
    return [f"{prefix}{number}" for number in range(n)]


def plain_interval(counts: dict[str, TagCounts | EntityCounts], name: str) -> np.ndarray:
    """Return the percentiles of the mean over languages, sentence by sentence resampled."""
    rng = np.random.default_rng(7)
    ratios = [one.ratio(name) for one in counts.values()]
    n = len(ratios[0].numerator)
    drawn = []
    for _ in range(2000):
        at = rng.integers(0, n, size=n)
        drawn.append(
            np.mean([one.numerator[at].sum() / max(one.denominator[at].sum(), 1) for one in ratios])
        )
    return np.quantile(drawn, [0.025, 0.975])


@pytest.mark.parametrize("name", ["accuracy", "f1_strict", "f1_conll", "precision", "recall"])
def test_intervals_of_means_are_of_sentences_resampled_jointly(name: str) -> None:
    make = words if name == "accuracy" else entities
    counts = {"de": make(1, 150), "zh": make(2, 150)}
    found = interval_of_score(
        {lang: [one] for lang, one in counts.items()}, name, dict.fromkeys(counts, ids(150))
    )
    assert [found.low, found.high] == pytest.approx(plain_interval(counts, name), abs=0.02)
    if name != "accuracy":  # whose interval in one language is Wilson's
        found = interval_of_score({"de": [counts["de"]]}, name, {})
        plain = plain_interval({"de": counts["de"]}, name)
        assert [found.low, found.high] == pytest.approx(plain, abs=0.02)


def test_the_accuracy_of_one_language_has_wilsons_interval_over_sentences() -> None:
    """Words of a sentence that are right together are worth less than as many apart."""
    together = TagCounts.of([["A"] * 10] * 40, [["A"] * 10] * 20 + [["B"] * 10] * 20)
    found = interval_of_score({"zh": [together]}, "accuracy", {})
    assert found.high - found.low == pytest.approx(0.30, abs=0.02)  # of 40, not 400
    right = TagCounts.of([["A"] * 10] * 40, [["A"] * 10] * 40)
    assert interval_of_score({"zh": [right]}, "accuracy", {}).low == pytest.approx(40 / 43.84, 1e-3)


@pytest.mark.parametrize("name", ["accuracy", "f1_strict"])
def test_translations_are_no_new_evidence(name: str) -> None:
    one = words(1, 100) if name == "accuracy" else entities(1, 100)
    both = {"de": [one], "zh": [one]}
    joint = interval_of_score(both, name, {"de": ids(100), "zh": ids(100)})
    apart = interval_of_score(both, name, {"de": ids(100), "zh": ids(100, "t")})
    alone = interval_of_score(both, name, {"de": ids(100), "zh": None})
    of_one = interval_of_score({"de": [one]}, name, {})
    width = of_one.high - of_one.low
    assert joint.high - joint.low == pytest.approx(width, rel=0.12)
    assert apart.high - apart.low == pytest.approx(width / np.sqrt(2), rel=0.12)
    assert alone.high - alone.low == pytest.approx(width / np.sqrt(2), rel=0.12)


def test_a_resample_without_sentences_of_a_language_changes_nothing() -> None:
    counts = {"de": [words(1, 100)], "zh": [words(2, 2, wrong=0.5)]}
    found = interval_of_score(counts, "accuracy", {"de": ids(100), "zh": ids(2, "t")})
    assert found.low > 0.2  # half the mean were 0 in every seventh resample


def test_sentences_that_repeat_in_one_language_are_one() -> None:
    counts = entities(1, 60)
    twice = EntityCounts(
        np.vstack([counts.strict] * 2), np.vstack([counts.conll] * 2), counts.by_label,
        counts.by_label_conll, counts.confusions, counts.gold_tags,
    )  # fmt: skip
    once = interval_of_score({"zh": [counts]}, "f1_strict", {})
    found = interval_of_score({"zh": [twice]}, "f1_strict", {"zh": ids(60) * 2})
    assert found.high - found.low == pytest.approx(once.high - once.low, rel=0.1)


def test_an_f1_of_1_is_not_certain() -> None:
    gold = [["B-PER"]] * 20
    found = interval_of_score({"zh": [EntityCounts.of(gold, gold, "IOB2")]}, "f1_strict", {})
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(20 / 23.84, abs=1e-3)


@pytest.mark.parametrize("name", ["accuracy", "f1_strict"])
def test_seeds_that_agree_are_one_and_those_that_differ_widen(name: str) -> None:
    make = words if name == "accuracy" else entities
    one = {lang: [make(1, 80)] for lang in ("de", "zh")}
    same = {lang: some * 3 for lang, some in one.items()}
    found, of_one = interval_of_score(same, name, {}), interval_of_score(one, name, {})
    assert [found.low, found.high] == pytest.approx([of_one.low, of_one.high])
    gold, predicted = tagged(1, 80)
    if name == "accuracy":
        other = TagCounts.of(gold, [["NOUN"] * len(tags) for tags in predicted])
        runs = {"de": [one["de"][0], other, one["de"][0]]}
        found = interval_of_score(runs, name, {})
        values = [run.ratio(name).value for run in runs["de"]]
        assert found.value == pytest.approx(np.mean(values))
        assert found.high - found.low > 0.3


@pytest.mark.parametrize("name", ["accuracy", "f1_strict", "f1_conll"])
def test_no_difference_to_itself_is_not_certain(name: str) -> None:
    make = words if name == "accuracy" else entities
    runs = {"de": [make(1)], "zh": [make(2)]}
    for some in (runs, {"de": runs["de"]}):
        found = difference_of_taggers(some, some, name, {})
        assert found.value == 0
        assert found.low < 0 < found.high
    assert p_of_taggers(runs["de"], runs["de"], name) == 1


def test_a_better_tagger_is_better_beyond_chance() -> None:
    gold, good = tagged(5, 200, wrong=0.1)
    rng = random.Random(1)
    bad = [[rng.choice(POS) if rng.random() < 0.3 else tag for tag in tags] for tags in good]
    ours, theirs = ({"zh": TagCounts.of(gold, side)} for side in (good, bad))
    scored = score_tags(ours, versus=theirs)
    (row,) = scored.rows
    gain = row["accuracy"] - score_tags(theirs).rows[0]["accuracy"]
    assert row["difference"] == pytest.approx(gain)
    assert 0 < row["difference_low"] < row["difference"] < row["difference_high"]
    assert row["p_value"] == row["p_holm"] < 0.01
    assert list(row)[-5:] == [
        "difference",
        "difference_low",
        "difference_high",
        "p_value",
        "p_holm",
    ]
    back = score_tags(theirs, versus=ours).rows[0]
    assert back["difference"] == pytest.approx(-gain)
    assert back["p_value"] == pytest.approx(row["p_value"])
    assert scored.mean["difference"] == pytest.approx(gain)
    assert score_tags({**ours, "de": words(1)}, versus={**theirs, "de": words(1)}).mean[
        "difference"
    ] == pytest.approx(gain / 2)


def test_differences_of_f1_are_paired_over_sentences() -> None:
    """Both taggers are as good, and fail in the same sentences but one."""
    ours = entities(3, 120)
    shifted = ours.strict.copy()
    at = int(np.flatnonzero(shifted[:, 0])[0])
    shifted[at, 0] -= 1
    theirs = EntityCounts(
        shifted, ours.conll, ours.by_label, ours.by_label_conll, ours.confusions, ours.gold_tags
    )
    alone = interval_of_score({"zh": [ours]}, "f1_strict", {})
    found = difference_of_taggers({"zh": [ours]}, {"zh": [theirs]}, "f1_strict", {})
    assert found.value > 0
    assert found.high - found.low < (alone.high - alone.low) / 5
    assert p_of_taggers([ours], [theirs], "f1_strict") == 1  # one sentence: either side may win
    scored: Scored = score_entities({"zh": ours}, versus={"zh": theirs})
    assert scored.rows[0]["difference"] == pytest.approx(found.value)


def test_the_test_of_a_difference_is_that_of_all_swaps() -> None:
    """Of eight sentences all 256 swaps can be looked at."""
    gold = [["B-PER", "O", "B-LOC"]] * 8
    best = [["B-PER", "O", "B-LOC"]] * 7 + [["O", "O", "B-LOC"]]
    worse = [["B-PER", "O", "O"]] * 5 + [["B-PER", "B-ORG", "B-LOC"]] * 3
    ours, theirs = (EntityCounts.of(gold, side, "IOB2") for side in (best, worse))

    def gain(swapped: tuple[bool, ...]) -> float:
        swap = np.array(swapped)[:, None]
        sides = (
            np.where(swap, theirs.strict, ours.strict),
            np.where(swap, ours.strict, theirs.strict),
        )
        (one, other) = (
            2 * sums[0] / (sums[1] + sums[2]) for sums in (side.sum(0) for side in sides)
        )
        return abs(one - other)

    seen = gain((False,) * 8)
    swaps = [gain(swap) >= seen - 1e-9 for swap in itertools.product((False, True), repeat=8)]
    assert p_of_taggers([ours], [theirs], "f1_strict") == pytest.approx(np.mean(swaps), abs=0.015)


def test_a_score_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no score 'f1'; allowed: f1_strict"):
        interval_of_score({"zh": [entities(1)]}, "f1", {})
    with pytest.raises(ValueError, match="no score 'f1_strict'; allowed: accuracy"):
        interval_of_score({"zh": [words(1)]}, "f1_strict", {})
