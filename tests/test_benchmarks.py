"""The benchmarks ask for their data: no folder is taken without being named."""

import runpy
import shutil
import subprocess
import sys

import numpy as np
import pytest
from repository import ROOT


@pytest.mark.parametrize(
    "name",
    [
        "adaptation",
        "align",
        "align_ablations",
        "align_memory",
        "align_speed",
        "audit_coverage",
        "dictionary_speed",
        "drift",
        "dump_speed",
        "encode_speed",
        "encoder_kinds_speed",
        "encoder_kinds_tasks",
        "endings",
        "few_labels",
        "few_labels_news",
        "few_labels_tuning",
        "forecast",
        "geometry",
        "geometry_languages",
        "link_equality",
        "link_speed",
        "link_speed_peer",
        "mining",
        "model_series",
        "multilabel",
        "near_duplicates",
        "neutrality",
        "oracle",
        "routing",
        "search_news",
        "support",
        "tagging",
        "tagging_few",
        "tagging_shift",
        "tagging_speed",
        "transfer",
        "transform_tasks",
        "translation",
        "tuned_zero_shot",
        "tuning_speed",
        "vectors_disk",
        "wikidata_speed",
        "wikitext_speed",
        "words_speed",
        "zero_shot",
    ],
)
def test_a_benchmark_without_data_says_so(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if name.startswith("enco"):
        pytest.importorskip("sentence_transformers")
    if name == "align_speed":
        pytest.importorskip("datasets")  # its trainer's, of the extra 'bench'
    monkeypatch.setattr(sys, "argv", [name])
    monkeypatch.syspath_prepend(ROOT / "benchmarks")  # as when it is run: one imports another
    with pytest.raises(SystemExit) as stop:
        runpy.run_path(str(ROOT / "benchmarks" / f"{name}.py"), run_name="__main__")
    assert stop.value.code == 2
    assert "the following arguments are required: --data" in capsys.readouterr().err


def test_make_bench_without_data_says_so() -> None:
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    ended = subprocess.run(
        ["make", "bench", "DATA="], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "make bench DATA=DIR" in ended.stdout
    assert "pip" not in ended.stdout  # nothing was installed for it


def test_auroc_of_answers_is_that_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    made = runpy.run_path(str(ROOT / "benchmarks" / "support.py"))
    generator = np.random.default_rng(2)
    scores, right = generator.integers(0, 5, 40) / 10, generator.random(40) < 0.6
    weights = generator.integers(0, 3, (4, 40)).astype(float)
    for drawn, found in zip(weights, made["auroc"](scores, right, weights), strict=True):
        pairs = [
            (drawn[i] * drawn[j], np.sign(scores[i] - scores[j]) / 2 + 0.5)
            for i in np.flatnonzero(right)
            for j in np.flatnonzero(~right)
        ]
        times, won = np.array(pairs).T
        assert found == pytest.approx(np.average(won, weights=times))
