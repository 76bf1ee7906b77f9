"""Accuracy of an audit: Wilson's interval or that of strata, a verdict, what is left to label."""

import math

import numpy as np
import pytest
from audit_sheets import made_key

from isogloss.classify.audit.agreement import agreements, disputes
from isogloss.classify.audit.estimates import LanguageAudit, Mistake, audit_languages
from isogloss.classify.audit.key import ExpectedAccuracy
from isogloss.classify.audit.reading import LEFT_UNSURE, UNLABELLED
from isogloss.statistics.intervals import Interval, interval_of_share, interval_of_strata


def audited(n_right: int, n: int) -> LanguageAudit:
    key, _ = made_key({"th": [f"text {at}" for at in range(n)]})
    (found,) = audit_languages(key, [0] * n_right + [1] * (n - n_right))
    return found


@pytest.mark.parametrize(("n_right", "n"), [(40, 50), (50, 50), (0, 50), (1, 3), (1, 1)])
def test_the_interval_of_a_language_is_wilsons(n_right: int, n: int) -> None:
    found, wilsons = audited(n_right, n).accuracy, interval_of_share(n_right, n)
    assert (found.value, found.low, found.high) == pytest.approx(
        (wilsons.value, wilsons.low, wilsons.high)
    )


def test_what_is_unsure_or_unlabelled_does_not_count() -> None:
    key, _ = made_key({"th": list("abcde"), "sw": list("fg")})
    th, sw = audit_languages(key, [0, 1, LEFT_UNSURE, UNLABELLED, 0, UNLABELLED, UNLABELLED])
    assert (th.n, th.n_unsure, th.n_unlabelled, th.n_rows) == (3, 1, 1, 50)
    assert th.accuracy.value == pytest.approx(2 / 3)
    assert (sw.n, sw.n_unlabelled, sw.mistake) == (0, 2, None)
    assert math.isnan(sw.accuracy.value)


def test_the_most_frequent_mistake_is_told() -> None:
    key, _ = made_key({"th": list("abcdef")}, [0, 0, 0, 1, 1, 2])
    (found,) = audit_languages(key, [0, 1, 1, 2, 1, 0])
    assert found.mistake == Mistake("money", "sport", 2)


def test_a_forecast_stays_beside_its_language() -> None:
    expected = ExpectedAccuracy(0.8, 0.7, 0.9)
    key, _ = made_key(forecasts={"th": expected})
    found = {one.lang: one.expected for one in audit_languages(key, [0] * len(key.rows))}
    assert found == {"ar": None, "hi": None, "th": expected, "und": None}


@pytest.mark.parametrize(
    ("n_right", "target", "verdict"),
    [(49, 0.85, "above"), (44, 0.85, "open"), (20, 0.85, "below"), (50, 0.93, "open"),
     (42, 0.85, "open"), (0, 0.0, "above"), (50, 1.0, "open")],
)  # fmt: skip
def test_the_verdict_is_that_of_the_whole_interval(
    n_right: int, target: float, verdict: str
) -> None:
    assert audited(n_right, 50).verdict(target) == verdict


@pytest.mark.parametrize(("n_right", "n"), [(44, 50), (40, 50), (9, 10), (50, 50), (36, 50)])
@pytest.mark.parametrize("target", [0.84, 0.95])
def test_so_many_labels_settle_it_and_no_fewer(n_right: int, n: int, target: float) -> None:
    found = audited(n_right, n)
    more = found.n_more(target)
    assert more is not None
    if found.verdict(target) != "open":
        assert more == 0
        return

    def leaves_out(n_all: int) -> bool:
        interval = interval_of_strata(
            np.ones(1), np.array([n_right / n * n_all]), np.array([float(n_all)])
        )
        return not interval.low <= target <= interval.high

    assert leaves_out(n + more)
    assert not leaves_out(n + more - 1) or more == 1


def test_an_accuracy_at_the_target_is_never_settled() -> None:
    assert audited(40, 50).n_more(0.8) is None
    assert audited(40, 50).n_more(0.8 + 1e-7) is None
    assert audited(50, 50).n_more(1.0) is None


def test_by_class_answers_count_as_often_as_they_are_in_the_file() -> None:
    """90 % of the rows got the first answer, which is always right; the second never is."""
    texts = {"th": [f"text {at}" for at in range(20)]}
    key, _ = made_key(texts, [0] * 10 + [1] * 10, sizes={("th", 0): 900, ("th", 1): 100})
    (found,) = audit_languages(key, [0] * 20)
    assert found.accuracy.value == pytest.approx(0.9)
    assert 0.62 < found.accuracy.low < 0.72  # ten texts cannot tell that all of 900 are right
    assert found.accuracy.high < 0.94
    assert found.n_rows == 1000
    more = found.n_more(0.8)
    assert more is not None
    assert more > 20


def test_the_mistake_by_class_is_the_most_frequent_one_of_the_file() -> None:
    texts = {"th": [f"text {at}" for at in range(20)]}
    key, _ = made_key(texts, [0] * 10 + [1] * 10, sizes={("th", 0): 900, ("th", 1): 100})
    (found,) = audit_languages(key, [0] * 8 + [2] * 2 + [0] * 10)
    assert found.mistake == Mistake("money", "travel", 2)


def test_a_stratum_without_labels_may_be_anything() -> None:
    found = interval_of_strata(np.array([0.5, 0.5]), np.array([10.0, 0.0]), np.array([10.0, 0.0]))
    assert found.value == 1.0
    assert found.low < 0.5
    assert interval_of_strata(np.ones(2), np.zeros(2), np.zeros(2)).value != 0


@pytest.mark.parametrize("shares", [(0.8, 0.8), (0.95, 0.3), (1.0, 0.6)])
def test_the_interval_of_strata_holds(shares: tuple[float, float]) -> None:
    generator = np.random.default_rng(0)
    weights, n = np.array([0.85, 0.15]), np.array([25.0, 25.0])
    truth = float(weights @ shares)
    held = 0
    for _ in range(800):
        found = interval_of_strata(weights, generator.binomial(25, shares).astype(float), n)
        held += found.low <= truth <= found.high
    assert held / 800 >= 0.93


def test_kappa_and_disputes_of_two_sheets() -> None:
    key, _ = made_key({"th": list("abcd"), "sw": list("efgh")})
    first = [0, 1, 2, LEFT_UNSURE, 0, 0, UNLABELLED, 0]
    second = [0, 1, 1, 0, 0, 0, 1, 0]
    th, sw, both = agreements(key, first, second)
    assert (th.lang, th.n, th.agreed) == ("th", 3, pytest.approx(2 / 3))
    assert th.kappa == pytest.approx((2 / 3 - 3 / 9) / (1 - 3 / 9))  # by hand
    assert (sw.n, sw.agreed) == (3, 1.0)
    assert math.isnan(sw.kappa)
    assert (both.lang, both.n) == ("all", 6)
    (dispute,) = disputes(key, first, second)
    assert (dispute.row, dispute.lang, dispute.first, dispute.second) == (
        17,
        "th",
        "travel",
        "sport",
    )


def test_nothing_labelled_by_both_is_no_agreement() -> None:
    key, _ = made_key({"th": ["a"]})
    (found,) = agreements(key, [UNLABELLED], [0])
    assert found.n == 0
    assert math.isnan(found.agreed)
    assert isinstance(audited(1, 1).accuracy, Interval)
