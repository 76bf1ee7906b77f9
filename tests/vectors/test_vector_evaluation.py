"""KORE and WikiSim in their published forms; the files here are made by hand, and tiny."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from isogloss.errors import InputError
from isogloss.vectors import Vocabulary, WordEntityVectors
from isogloss.vectors.evaluation import (
    evaluate_kore,
    evaluate_wikisim,
    read_kore,
    read_wikisim,
    spearman,
)

# Made by hand in the form of rankedrelatedentities.txt.
KORE = (
    "Sun\n\tStar\n\tMoon\n\tNo vector\n\tCabbage\nNobody\n\tMoon\n\tStar\nMoon\n\tSun\n\tCabbage\n"
)
# Made by hand in the form of WikiSim-353; quotes as some titles of the published file have them.
WIKISIM = (
    "termA\tidA\tmatchA\ttermB\tidB\tmatchB\trelatedness\n"
    "sun\t1\tSun\tstar\t2\tStar\t0.9\n"
    "sun\t1\tSun\tmoon\t3\tMoon\t0.6\n"
    "moon\t3\tMoon\tleaf\t4\tCabbage_(leaf)\t0.2\n"
    'star\t2\tStar\tleaf\t4\t"Cabbage_(leaf)"\t0.1\n'
    "sun\t1\tSun\tlad\tnull\tnull\t0.1\n"
    "sun\t1\tSun\tx\t9\tNo_vector\t0.1\n"
)


@pytest.fixture
def vectors() -> WordEntityVectors:
    matrix = np.array([[1, 0], [1, 0.1], [1, 0.5], [0, 1], [9, 9]], np.float32)
    titles = ["Sun", "Star", "Moon", "Cabbage (leaf)"]
    vocabulary = Vocabulary.of(["sun"], titles, redirects={"Cabbage": "Cabbage (leaf)"})
    return WordEntityVectors(vocabulary, matrix[[4, 0, 1, 2, 3]])


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


def test_kore(vectors: WordEntityVectors, tmp_path: Path) -> None:
    result = evaluate_kore(vectors, write(tmp_path / "k", KORE))
    assert (result.spearman, result.n, result.n_missing) == (pytest.approx(1.0), 5, 3)
    assert (result.spearman_low, result.spearman_high) == (pytest.approx(1.0), pytest.approx(1.0))
    turned = KORE.replace("\tSun\n\tCabbage\n", "\tCabbage\n\tSun\n")
    assert evaluate_kore(vectors, write(tmp_path / "k", turned)).spearman == pytest.approx(0.0)


def test_wikisim(vectors: WordEntityVectors, tmp_path: Path) -> None:
    result = evaluate_wikisim(vectors, write(tmp_path / "w", WIKISIM))
    assert (result.n, result.n_missing, result.n_without_article) == (4, 1, 1)
    assert result.spearman == pytest.approx(1.0)
    assert result.spearman_low <= result.spearman <= result.spearman_high + 1e-9
    assert evaluate_wikisim(vectors, tmp_path / "w", seed=1) == evaluate_wikisim(
        vectors, tmp_path / "w", seed=1
    )


def test_nothing_to_compare(vectors: WordEntityVectors, tmp_path: Path) -> None:
    none = WordEntityVectors(Vocabulary.of(["a"]), np.eye(1))
    kore = evaluate_kore(none, write(tmp_path / "k", KORE))
    wikisim = evaluate_wikisim(none, write(tmp_path / "w", WIKISIM))
    assert np.isnan([kore.spearman, kore.spearman_low, wikisim.spearman_high]).all()
    assert (kore.n_missing, wikisim.n_missing, wikisim.n) == (8, 5, 0)


def test_spearman_is_that_of_scipy() -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        a, b = generator.integers(5, size=(2, 12)).astype(float)
        assert spearman(a, b) == pytest.approx(spearmanr(a, b)[0])
    assert np.isnan(spearman(np.ones(3), np.arange(3.0)))


def test_interval_covers_what_was_planted(tmp_path: Path) -> None:
    """A correlation of 0.7 by construction lies in the interval, and 0 does not."""
    generator = np.random.default_rng(0)
    cosines = generator.uniform(size=200)
    angles = np.arccos(cosines)
    matrix = np.concatenate([[[1, 0]], np.stack([np.cos(angles), np.sin(angles)], 1)])
    noisy = cosines + generator.normal(scale=0.3, size=200)
    rows = [f"a\t1\tA\tb\t2\tB{i}\t{noisy[i]}\n" for i in range(200)]
    header = WIKISIM.splitlines(keepends=True)[0]
    vectors = WordEntityVectors(Vocabulary.of([], ["A", *(f"B{i}" for i in range(200))]), matrix)
    result = evaluate_wikisim(vectors, write(tmp_path / "w", header + "".join(rows)))
    assert 0.55 < result.spearman_low < result.spearman < result.spearman_high < 0.8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\tStar\n", ":1: a candidate before the first seed"),
        ("Sun\nStar\n", "is not KORE's form: no line begins with a tab"),
        ("", "is not KORE's form"),
    ],
)
def test_bad_kore(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_kore(write(tmp_path / "k", text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b c\n", ":1: is not WikiSim's form; the first line is termA idA"),
        (WIKISIM + "a\t1\tA\tb\t2\tB\tx\n", ":8: is no pair with a score: seven columns"),
        (WIKISIM + "a\t1\n", ":8: is no pair with a score"),
        (WIKISIM + "a\t1\tA\tb\t2\tB\tnan\n", ":8: is no pair with a score"),
        (WIKISIM + "a\t1\tA\tb\t2\tB\tinf\n", ":8: is no pair with a score"),
        (WIKISIM.splitlines()[0] + "\n", "holds no pair"),
        ("", "holds no pair"),
    ],
)
def test_bad_wikisim(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_wikisim(write(tmp_path / "w", text))
