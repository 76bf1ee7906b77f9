"""Claims on planted vectors, and intervals against a known spread."""

from collections.abc import Callable

import numpy as np
import pytest

from isogloss.probe import GeometryOptions, measure_vectors
from isogloss.probe.geometry.vector_file import LayerVectors
from isogloss.probe.verdicts import Claim, explained, judged_of_all, verdict_of
from isogloss.statistics.draws import Resampling, Sampled, greatest, least

WIDTH, N_WORDS, N_SENTENCES = 60, 12, 80


def planted(common: list[float], own: list[float]) -> dict[str, Claim]:
    """Claims about layers in which words share a direction, and each has its own, so strongly."""
    rng = np.random.default_rng(0)
    words = [f"w{(start + i) % N_WORDS}" for start in range(N_SENTENCES) for i in range(5)]
    number = np.array([int(word[1:]) for word in words])
    layers = []
    for of_all, of_word in zip(common, own, strict=True):
        directions = rng.normal(size=(N_WORDS, WIDTH)) / np.sqrt(WIDTH)
        noise = rng.normal(size=(len(words), WIDTH)) / np.sqrt(WIDTH)
        layer = noise + of_word * directions[number]
        layer[:, 0] += of_all
        layers.append(layer.astype(np.float32))
    vectors = LayerVectors(layers, words, np.arange(0, len(words) + 1, 5))
    measured = measure_vectors(vectors, name="planted", lang="en", options=GeometryOptions())
    return {
        f"{claim.claim} {claim.measured.partition(', ')[2]}": claim for claim in measured.claims
    }


def find(claims: dict[str, Claim], word: str) -> Claim:
    """Return the claim with the whole word: "centred" is not in "uncentred"."""
    return next(claim for name, claim in claims.items() if f" {word} " in f" {name} ")


def test_what_the_paper_says_holds_where_it_was_planted() -> None:
    claims = planted([0, 1, 1, 1], [3, 2, 1, 0.3])
    assert find(claims, "isotropic").verdict == "holds"
    assert find(claims, "isotropic").value == pytest.approx(0.17, abs=0.1)
    assert find(claims, "above the baseline").verdict == "holds"
    assert find(claims, "upper layers").verdict == "holds"
    assert "layers 3 minus 1" in find(claims, "upper layers").measured
    assert find(claims, "uncentred").verdict == "does not hold"
    centred = find(claims, "centred")
    assert (centred.measured, centred.limit) == ("largest adjusted MEV, centred", 0.05)


def test_and_not_where_the_contrary_was() -> None:
    claims = planted([1, 0, 0, 0], [0, 0, 1, 3])
    assert find(claims, "isotropic").verdict != "holds"
    assert find(claims, "above the baseline").verdict != "holds"
    assert find(claims, "upper layers").verdict == "does not hold"
    calm = planted([0, 1, 1], [0, 0, 0])
    assert find(calm, "uncentred").verdict == "holds"
    assert find(calm, "uncentred").value == pytest.approx(0, abs=0.03)


def test_noisy_layers_do_not_refute_a_claim_that_holds() -> None:
    """The smallest of twelve layers, each half an error above the limit, is below it by chance."""
    rng = np.random.default_rng(0)
    verdicts = []
    for _ in range(50):
        values = 0.5 + rng.normal(size=12)
        layers = [Sampled(value, value + rng.normal(size=1000)) for value in values.tolist()]
        verdicts.append(judged_of_all("", "", layers, 0.0, is_above=True).verdict)
    assert verdicts.count("does not hold") <= 3
    below = [*layers, Sampled(-9.0, rng.normal(-9, size=1000))]
    assert judged_of_all("", "", below, 0.0, is_above=True).verdict == "does not hold"


@pytest.mark.parametrize(("n_layers", "n_claims"), [(1, 1), (2, 5), (3, 6)])
def test_claims_need_their_layers(n_layers: int, n_claims: int) -> None:
    assert len(planted([1.0] * n_layers, [1.0] * n_layers)) == n_claims


def test_verdicts() -> None:
    assert verdict_of(0.01, 0.04, 0.05, is_above=False) == "holds"
    assert verdict_of(0.06, 0.08, 0.05, is_above=False) == "does not hold"
    assert verdict_of(0.04, 0.08, 0.05, is_above=False) == "undecided"
    assert verdict_of(-0.2, -0.1, 0, is_above=True) == "does not hold"
    assert verdict_of(4e-16, 5e-16, 0, is_above=True) == "undecided"
    assert verdict_of(np.nan, np.nan, 0, is_above=True) == "undecided"


def test_an_interval_of_a_mean_is_as_wide_as_it_should_be() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(size=400)
    found = Resampling.of(400, rng).mean(values).interval
    assert found.value == pytest.approx(values.mean())
    assert (found.high - found.low) / 2 == pytest.approx(1.96 / 20, rel=0.15)


def test_values_that_are_missing_are_left_out() -> None:
    resampling = Resampling.of(3, np.random.default_rng(0))
    assert resampling.mean(np.array([1.0, np.nan, 3.0])).value == 2
    assert np.isfinite(resampling.mean(np.array([1.0, np.nan, 3.0])).draws).all()
    assert np.isnan(resampling.mean(np.full(3, np.nan)).value)


@pytest.mark.parametrize(("which", "of"), [(least, np.min), (greatest, np.max)])
def test_extremes_are_those_of_each_resampling(which: Callable, of: Callable) -> None:
    rng = np.random.default_rng(0)
    resampling = Resampling.of(20, rng)
    means = [resampling.mean(rng.normal(size=20)) for _ in range(4)]
    found = which(means)
    assert found.value == of([one.value for one in means])
    np.testing.assert_array_equal(found.draws, of([one.draws for one in means], axis=0))


def test_baselines_drawn_for_each_number_are_weighted_by_the_words() -> None:
    resampling = Resampling.of(4, np.random.default_rng(0))
    drawn = np.array([[1.0, 3.0], [10.0, 10.0]])
    found = resampling.mean_of_drawn_means(drawn, np.array([0, 0, 0, 1]), np.ones((1000, 2)))
    assert found.value == pytest.approx(0.75 * 2 + 0.25 * 10)
    assert found.draws.mean() == pytest.approx(found.value, abs=0.2)


def test_verdicts_that_are_shown_are_explained() -> None:
    assert explained({"undecided"}).startswith("Undecided: neither")
    assert explained({"does not hold"}).startswith("Does not hold: the whole interval lies on the")
    assert [word for word in ("Holds:", "Does not hold:", "Undecided:")
            if word in explained(["undecided", "holds"])] == ["Holds:", "Undecided:"]  # fmt: skip
