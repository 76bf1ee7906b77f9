"""CKA against its definition with n × n matrices, and what it must not see."""

import numpy as np
import pytest

from isogloss.probe.neutrality import cka as module
from isogloss.probe.neutrality.cka import language_cka
from isogloss.statistics.jackknife import groups_of, jackknife_interval


def made(n_langs: int, n: int, width: int, noise: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, width))
    return (shared + noise * rng.normal(size=(n_langs, n, width)) + 3).astype(np.float32)


def unbiased_hsic(first: np.ndarray, second: np.ndarray) -> float:
    """Song et al. 2012, equation 5, as it is written."""
    n = len(first)
    k, m = first @ first.T, second @ second.T
    np.fill_diagonal(k, 0)
    np.fill_diagonal(m, 0)
    ones = np.ones(n)
    total = np.trace(k @ m) + ones @ k @ ones * (ones @ m @ ones) / (n - 1) / (n - 2)
    return float((total - 2 / (n - 2) * ones @ k @ m @ ones) / (n * (n - 3)))


def direct(first: np.ndarray, second: np.ndarray) -> float:
    x, y = first.astype(float), second.astype(float)
    return unbiased_hsic(x, y) / np.sqrt(unbiased_hsic(x, x) * unbiased_hsic(y, y))


@pytest.mark.parametrize(("n", "width"), [(9, 40), (30, 5), (60, 4)])
@pytest.mark.parametrize("form", ["_by_sentence", "_by_feature"])
def test_both_forms_are_the_definition(
    n: int, width: int, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = getattr(module, form)
    monkeypatch.setattr(module, "_by_sentence", wanted)
    monkeypatch.setattr(module, "_by_feature", wanted)
    monkeypatch.setattr(module, "N_NUMBERS_AT_ONCE", 100)
    vectors = made(3, n, width)
    groups = np.arange(n) % 4
    found = language_cka(vectors, groups)
    for one in range(3):
        for other in range(3):
            expected = direct(vectors[one], vectors[other])
            assert found.value[one, other] == pytest.approx(expected, abs=1e-9)
            for group in range(4):
                kept = groups != group
                expected = direct(vectors[one, kept], vectors[other, kept])
                assert found.left_out[group, one, other] == pytest.approx(expected, abs=1e-9)


def test_the_cheaper_form_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = []
    for form in ("_by_sentence", "_by_feature"):
        function = getattr(module, form)
        monkeypatch.setattr(
            module, form, lambda *given, f=function, name=form: (taken.append(name), f(*given))[1]
        )
    language_cka(made(2, 10, 50), np.arange(10) % 2)
    language_cka(made(2, 400, 3), np.arange(400) % 2)
    assert taken == ["_by_sentence", "_by_feature"]


def test_identical_independent_and_noisy_vectors() -> None:
    rng = np.random.default_rng(0)
    groups = groups_of(300, rng)
    same = made(1, 300, 20)[[0, 0]]
    assert language_cka(same, groups).value[0, 1] == pytest.approx(1)
    independent = rng.normal(size=(2, 300, 100)).astype(np.float32)
    found = language_cka(independent, groups)
    assert found.value[0, 1] == pytest.approx(0, abs=0.02)  # biased it would be 0.25
    interval = jackknife_interval(float(found.value[0, 1]), found.left_out[:, 0, 1])
    assert interval.low < 0 < interval.high
    # Covariances: I across, 2 I within, so ‖I‖² / ‖2 I‖² = 1 / 4.
    noisy = language_cka(made(2, 3000, 50), groups_of(3000, rng)).value[0, 1]
    assert noisy == pytest.approx(0.25, abs=0.02)


def test_rotation_scale_and_translation_change_nothing() -> None:
    rng = np.random.default_rng(1)
    vectors = made(2, 80, 12)
    rotation = np.linalg.qr(rng.normal(size=(12, 12)))[0]
    moved = vectors.copy()
    moved[1] = 7 * vectors[1] @ rotation + rng.normal(size=12) * 5
    groups = groups_of(80, rng)
    assert language_cka(moved, groups).value == pytest.approx(
        language_cka(vectors, groups).value, abs=1e-5
    )
    stretched = vectors.copy()
    stretched[1, :, 0] *= 30
    assert abs(language_cka(stretched, groups).value[0, 1]
               - language_cka(vectors, groups).value[0, 1]) > 0.05  # fmt: skip


def test_equal_vectors_have_no_cka() -> None:
    vectors = made(2, 20, 5)
    vectors[0] = vectors[0, 0]
    found = language_cka(vectors, np.arange(20) % 5)
    assert np.isnan(found.value[0, 1])
    assert found.value[1, 1] == pytest.approx(1)


def test_the_jackknife_of_a_mean_is_its_standard_error() -> None:
    values = np.random.default_rng(0).normal(size=20)
    left_out = (values.sum() - values) / 19
    found = jackknife_interval(values.mean(), left_out)
    error = values.std(ddof=1) / np.sqrt(20)
    assert found.high - found.value == pytest.approx(2.093 * error, rel=1e-3)
    assert found.value - found.low == pytest.approx(2.093 * error, rel=1e-3)


def test_groups_are_of_equal_size() -> None:
    rng = np.random.default_rng(0)
    assert set(np.bincount(groups_of(45, rng))) == {2, 3}
    assert np.bincount(groups_of(7, rng)).tolist() == [1] * 7
