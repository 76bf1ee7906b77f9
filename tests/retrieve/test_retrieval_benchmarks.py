"""Benchmarks in their published layouts, on made files whose right answers are known."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from repository import DATA
from scipy.stats import pearsonr, spearmanr

from isogloss.errors import InputError
from isogloss.mine.pairs import mine_pairs
from isogloss.retrieve.benchmarks import (
    XTREME,
    best_f1,
    evaluate_bucc,
    evaluate_sts,
    evaluate_tatoeba,
    evaluate_un,
)

CODES = {"one": 0, "two": 1, "three": 2, "eins": 0, "zwei": 1, "drei": 2, "trois": 1, "deux": 2}


def vectors(texts: list[str]) -> np.ndarray:
    """Return a unit vector of each word's meaning; 'trois' and 'deux' are taken for each other."""
    return np.eye(8, dtype=np.float32)[[CODES.get(text, 7) for text in texts]]


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", "-").replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


def test_tatoeba_counts_both_directions_of_each_language(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "t", tatoeba_deu__eng_deu="eins\nzwei\ndrei\n",
        tatoeba_deu__eng_eng="one\ntwo\nthree\n",
    )  # fmt: skip
    for side, text in (("fra", "eins\ntrois\nunbekannt\n"), ("eng", "one\ntwo\nthree\n")):
        (folder / f"tatoeba.fra-eng.{side}.gz").write_bytes(gzip.compress(text.encode()))
    found = evaluate_tatoeba(folder, vectors)
    rows = {row["lang"]: row for row in found.rows}
    assert rows["deu"]["to_en"] == rows["deu"]["from_en"] == rows["deu"]["mean"] == 1.0
    assert rows["deu"]["mean_low"] < 0.5  # three of three is little
    assert rows["fra"]["to_en"] == rows["fra"]["from_en"] == pytest.approx(2 / 3)
    assert found.means[0]["mean"] == pytest.approx(5 / 6)
    assert found.means[0]["n"] == 2


def test_languages_of_xtreme_have_a_mean_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    for lang in [*XTREME, "zzz"]:
        text = "eins\nzwei\n" if lang != "zzz" else "zwei\neins\n"
        (folder / f"tatoeba.{lang}-eng.{lang}").write_text(text)
        (folder / f"tatoeba.{lang}-eng.eng").write_text("one\ntwo\n")
    means = {row["group"]: row for row in evaluate_tatoeba(folder, vectors).means}
    assert means["XTREME's 36"]["mean"] == 1.0
    assert means["all"]["mean"] == pytest.approx(36 / 37)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [("tatoeba.deu-eng.eng", "one\n", "has 3 lines, and its English side 1"),
     ("tatoeba.deu-eng.eng", None, "no such file")],
)  # fmt: skip
def test_sides_that_do_not_match_are_refused(
    tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    (tmp_path / "tatoeba.deu-eng.deu").write_text("eins\nzwei\ndrei\n")
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=said):
        evaluate_tatoeba(tmp_path, vectors)


def test_folders_without_a_benchmark_are_refused(tmp_path: Path) -> None:
    for measure in (evaluate_tatoeba, evaluate_un, evaluate_sts):
        with pytest.raises(InputError, match="holds no"):
            measure(tmp_path, vectors)
    with pytest.raises(InputError, match="holds no"):
        evaluate_bucc(tmp_path, lambda one, other: ((), (), ()))


def test_the_un_corpus_is_read_by_line(tmp_path: Path) -> None:
    write(tmp_path, **{"UNv1.0.testset.en": "one\ntwo\n", "UNv1.0.testset.de": "eins\nzwei\n",
                       "UNv1.0.testset.fr": "trois\ndeux\n"})  # fmt: skip
    rows = {row["lang"]: row for row in evaluate_un(tmp_path, vectors).rows}
    assert (rows["de"]["to_en"], rows["fr"]["to_en"], rows["fr"]["from_en"]) == (1.0, 0.0, 0.5)


def test_bucc_takes_the_threshold_that_is_best(tmp_path: Path) -> None:
    folder = tmp_path / "de-en"
    folder.mkdir()
    (folder / "de-en.training.de").write_text("d1\teins\nd2\tzwei\nd3\tnichts\n")
    (folder / "de-en.training.en").write_text("e1\tone\ne2\ttwo\ne3\tthree\n")
    (folder / "de-en.training.gold").write_text("d1\te1\nd2\te2\n")

    def mine(firsts: list[str], seconds: list[str]) -> tuple[object, object, object]:
        return tuple(mine_pairs(vectors(firsts), vectors(seconds), margin="cosine"))  # type: ignore[return-value]

    (row,) = evaluate_bucc(tmp_path, mine).rows
    assert (row["lang"], row["split"], row["f1"]) == ("de", "training", 1.0)
    (folder / "de-en.training.gold").write_text("d1\te9\n")
    with pytest.raises(InputError, match=r"gold:1: a row is two ids"):
        evaluate_bucc(tmp_path, mine)


def test_f1_is_that_of_the_best_threshold() -> None:
    scores = np.array([0.9, 0.8, 0.8, 0.1])
    found = best_f1(scores, np.array([True, True, False, False]), n_gold=2)
    assert found == {"precision": 2 / 3, "recall": 1.0, "f1": 0.8, "threshold": 0.8}
    assert best_f1(scores[:0], np.zeros(0, bool), n_gold=2)["f1"] == 0.0


def test_correlations_are_those_of_scipy(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    points = generator.normal(size=(30, 2))
    (tmp_path / "2012").mkdir()
    lines = [f"{points[i, 0]:.3f}\ta{i}\tb{i}" for i in range(30)] + ["\tunjudged\tpair"]
    (tmp_path / "2012/part.test.tsv").write_text("\n".join(lines) + "\n")
    cosines = np.tanh(points[:, 0] + points[:, 1])

    def planted(texts: list[str]) -> np.ndarray:
        turned = [cosines[int(text[1:])] if text[0] == "b" else 1.0 for text in texts]
        return np.array([[cos, (1 - cos**2) ** 0.5] for cos in turned], np.float32)

    found = evaluate_sts(tmp_path, planted)
    (row,) = found.rows
    judged = np.round(points[:, 0], 3)
    assert row["n"] == 30
    assert row["spearman"] == pytest.approx(float(spearmanr(cosines, judged).statistic), abs=1e-6)
    assert row["pearson"] == pytest.approx(float(pearsonr(cosines, judged).statistic), abs=1e-6)
    assert row["spearman_low"] < row["spearman"] < row["spearman_high"]
    assert found.means[0]["spearman"] == row["spearman"]


@pytest.mark.parametrize("line", ["1\tonly", "high\ta\tb"])
def test_rows_of_sts_that_are_none_are_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "2012").mkdir()
    (tmp_path / "2012/part.test.tsv").write_text(f"1\ta\tb\n{line}\n")
    with pytest.raises(InputError, match=r"part\.test\.tsv:2"):
        evaluate_sts(tmp_path, vectors)


@pytest.mark.skipif(not (DATA / "tatoeba").is_dir(), reason="needs the evaluation data")
def test_the_published_files_are_read() -> None:
    def blind(texts: list[str]) -> np.ndarray:
        return np.ones((len(texts), 2), np.float32)

    rows = {row["lang"]: row["n"] for row in evaluate_tatoeba(DATA / "tatoeba", blind).rows}
    assert rows.keys() == XTREME
    assert (rows["deu"], rows["jav"], rows["swh"]) == (1000, 205, 390)
    parts = {row["part"]: row["n"] for row in evaluate_sts(DATA / "sts", blind).rows}
    assert (parts["2013/FNWN"], parts["2015/belief"]) == (189, 375)
