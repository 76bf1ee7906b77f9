"""Aligning brings translations together, in whatever way a batch is computed."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import HELPERS
from safetensors.numpy import load_file
from sklearn.base import clone
from small_pairs import aligned, gradients, made_pairs
from tiny_models import build_chain, build_tiny

from isogloss.align import Pairs, SentenceAligner
from isogloss.align.training import dual_encoder
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


def weights(aligner: SentenceAligner) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in aligner.encoder_.weights.items()}


def assert_close(found: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare gradients: weights would differ by what Adam makes of rounding where one is 0."""
    assert found.keys() == expected.keys()
    assert "log_scale" in expected
    for name, value in expected.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-6, err_msg=name)


def accuracy(encoder: Encoder) -> float:
    """Return how many of the pairs learned from are found."""
    sources, targets, _ = made_pairs(60)
    one, other = (np.asarray(encoder.encode(side)) for side in (sources, targets))
    unit = [vectors / np.linalg.norm(vectors, axis=1, keepdims=True) for vectors in (one, other)]
    return float(((unit[0] @ unit[1].T).argmax(1) == np.arange(60)).mean())


def test_translations_come_together(tiny: Path) -> None:
    before = accuracy(Encoder.load(tiny))
    aligner = aligned(tiny, n=60, epochs=60, batch_size=30, learning_rate=3e-3)
    assert before < 0.2
    assert accuracy(aligner.encoder_) > 0.5
    assert aligner.ranked_[-1].accuracy > aligner.ranked_[0].accuracy + 0.3


def test_recomputed_micro_batches_have_the_gradients_of_those_kept(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = gradients(tiny, everything=True)
    monkeypatch.setattr(dual_encoder, "TOKENS_KEPT", {"cpu": 1})
    monkeypatch.setattr(dual_encoder, "TOKENS_OF_A_MICRO_BATCH", {"cpu": 40})
    assert_close(gradients(tiny, everything=True), kept)


PROGRAM = """
import os, socket, sys
from multiprocessing import get_context
from pathlib import Path
helpers, tiny, out, cached, everything = sys.argv[1:]
sys.path.insert(0, helpers)
import torch
from safetensors.torch import save_file
from small_pairs import gradients
from isogloss.align.training import dual_encoder
from isogloss.encode import Encoder
from isogloss.learn import tuned_encoder
Encoder.load(tiny)  # imports what the forks would import anew
torch.set_num_threads(1)
if cached == "True":
    dual_encoder.TOKENS_KEPT = {"cpu": 1}
    dual_encoder.TOKENS_OF_A_MICRO_BATCH = {"cpu": 60}
with socket.socket() as free:
    free.bind(("localhost", 0))
    port = free.getsockname()[1]
def work(rank, size):
    os.environ |= {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port),
                   "RANK": str(rank), "WORLD_SIZE": str(size)}
    found = gradients(Path(tiny), everything=everything == "True")
    save_file(found, f"{out}/{rank} of {size}")
forks = [get_context("fork").Process(target=work, args=a) for a in [(0, 1), (0, 2), (1, 2)]]
for fork in forks:
    fork.start()
for fork in forks:
    fork.join()
sys.exit(max(abs(fork.exitcode) for fork in forks))
"""  # what `torchrun` sets, without it: tests of `train` start it


@pytest.mark.parametrize(
    ("cached", "everything"),
    [(True, True), pytest.param(False, True, marks=pytest.mark.full),
     pytest.param(False, False, marks=pytest.mark.full)],
)  # fmt: skip
def test_two_processes_are_one(tmp_path: Path, tiny: Path, cached: bool, everything: bool) -> None:
    """Also with hard negatives, of which the processes have different numbers, and a teacher."""
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(HELPERS), str(tiny), str(tmp_path), str(cached),
         str(everything)],
        check=True, timeout=200,
    )  # fmt: skip
    assert_close(load_file(tmp_path / "0 of 2"), load_file(tmp_path / "0 of 1"))


def test_a_saved_encoder_gives_the_same_vectors(tmp_path: Path, tiny: Path) -> None:
    chain = build_chain(tiny, tmp_path / "chain", prompts={
        "prompts": {"query": "query: "}, "default_prompt_name": "query",
    })  # fmt: skip
    for number, base in enumerate((tiny, chain)):
        aligner = aligned(base)
        folder = tmp_path / f"saved{number}"
        aligner.save(folder)
        loaded = Encoder.load(folder)
        texts = made_pairs(20)[1]
        np.testing.assert_allclose(loaded.encode(texts), aligner.transform(texts), atol=1e-6)
        assert loaded.settings.normalize.value
        assert loaded.settings.max_length.value == Encoder.load(base).settings.max_length.value
        assert "xx, yy" in (folder / "README.md").read_text()


def test_only_what_the_options_say_is_trained(tiny: Path) -> None:
    start = weights(aligned(tiny, learning_rate=1e-30))
    upper = weights(aligned(tiny, upper_layers=1))
    changed = {name for name in start if not np.allclose(start[name], upper[name], atol=1e-9)}
    assert changed
    assert all("layer.1." in name for name in changed)
    frozen = weights(aligned(tiny, embeddings="frozen"))
    name = next(name for name in start if "word_embeddings" in name)
    assert np.array_equal(start[name], frozen[name])


def test_a_stopped_run_resumes(tmp_path: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also with negatives that were mined and a teacher, which are found anew."""
    pairs = made_pairs(41)
    base = Encoder.load(tiny, threads=1)
    training = {
        "epochs": 2, "batch_size": 16, "learning_rate": 1e-3, "hard_negatives": 1,
        "learns_scale": True, "dropout": 0.1,
    }  # fmt: skip

    def aligner(**more: object) -> SentenceAligner:
        return SentenceAligner(base, teacher=base, training=training | more)

    whole = aligner().fit(*pairs)
    folder = tmp_path / "run"
    loss, n_steps = dual_encoder.DualEncoder.loss, []

    def stopped(self: object, batch: object) -> object:
        n_steps.append(1)
        if len(n_steps) == 5:  # in the second epoch, which has three steps as the first
            raise KeyboardInterrupt
        return loss(self, batch)

    monkeypatch.setattr(dual_encoder.DualEncoder, "loss", stopped)
    with pytest.raises(KeyboardInterrupt):
        aligner().fit(*pairs, checkpoints=folder)
    for n_done in (8, 8):  # what is left of the second epoch; then nothing
        again = aligner().fit(*pairs, checkpoints=folder)
        assert len(n_steps) == n_done
        for name, value in weights(whole).items():
            assert np.array_equal(value, weights(again)[name]), name
    with pytest.raises(InputError, match=r"another run \(margin differ\)"):
        aligner(margin=0.1).fit(*pairs, checkpoints=folder)


def test_the_development_pairs_choose_the_epoch(tiny: Path) -> None:
    sources, targets, langs = made_pairs(60)
    dev = Pairs(*made_pairs(20, seed=9))
    aligner = SentenceAligner(
        Encoder.load(tiny), training={"epochs": 3, "batch_size": 16, "learning_rate": 1e-3}
    )
    aligner.fit(sources, targets, langs, dev=dev)
    scores = [epoch.score[0] for epoch in aligner.result_.epochs]
    best = aligner.result_.best_steps[0]
    assert scores[[epoch.step for epoch in aligner.result_.epochs].index(best)] == max(scores)


def test_it_is_an_estimator(tiny: Path) -> None:
    aligner = SentenceAligner(tiny, training={"epochs": 1})
    assert clone(aligner).get_params() == aligner.get_params()


def test_empty_and_repeated_pairs_are_counted(tiny: Path) -> None:
    sources, targets, langs = made_pairs(20)
    with pytest.warns(
        OmissionWarning, match="1 pair with an empty side and 2 repeated pairs of 23"
    ):
        aligner = SentenceAligner(tiny).fit(
            [*sources, " ", *sources[:2]], [*targets, "x", *targets[:2]], [*langs, "xx", "xx", "yy"]
        )
    assert aligner.n_pairs_ == 20


@pytest.mark.parametrize(
    ("given", "said"),
    [({"margin": 2}, "margin is 2"), ({"batch_size": 1}, "batch_size is 1"),
     ({"accumulate": 2}, "whole batches"), ({"smoothing": 2}, "smoothing is 2"),
     ({"batches": "both"}, "mixed"), ({"upper_layers": 9}, "has 2 layers"),
     ({"marjin": 1}, "margin"), ({"scale": 0}, "scale is 0")],
)  # fmt: skip
def test_bad_options_get_one_sentence(tiny: Path, given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        SentenceAligner(tiny, training=given).fit(*made_pairs(10))


def test_sides_of_different_lengths_are_refused(tiny: Path) -> None:
    with pytest.raises(InputError, match="2 targets for 1 source"):
        SentenceAligner(tiny).fit(["a"], ["b", "c"])
    with pytest.raises(InputError, match="two or more"):
        SentenceAligner(tiny).fit(["a"], ["b"])
    with pytest.raises(InputError, match="dev holds no pairs"):
        SentenceAligner(tiny).fit(*made_pairs(4), dev=Pairs([], []))


def test_pairs_that_differ_in_punctuation_are_two(tiny: Path) -> None:
    aligner = SentenceAligner(tiny).fit(["5.1 km", "51 km"], ["5,1 km", "51 km"])
    assert aligner.n_pairs_ == 2
