"""No option of alignment is silently without effect beside others."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch
from small_pairs import aligned, made_pairs
from tiny_models import build_tiny
from torch import nn

from isogloss.align import AlignmentOptions, Pairs, SentenceAligner
from isogloss.align.training.dual_encoder import DualEncoder
from isogloss.align.training.freezing import set_dropout
from isogloss.align.useless_options import ALWAYS, NEEDS, NEVER
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


def test_every_option_says_what_it_needs() -> None:
    names = [field.name for field in fields(AlignmentOptions)]
    assert sorted(names) == sorted([*NEEDS, *ALWAYS, *NEVER])


ALONE = {"ranking_weight": 0}
USELESS = {
    "margin": ({"training": {"margin": 0.1} | ALONE, "teacher": "itself"}, {}),
    "scale": ({"training": {"scale": 9.0} | ALONE, "teacher": "itself"}, {}),
    "learns_scale": ({"training": {"learns_scale": True} | ALONE, "teacher": "itself"}, {}),
    "hard_negatives": ({"training": {"hard_negatives": 1} | ALONE, "teacher": "itself"}, {}),
    "negative_margin": ({"training": {"negative_margin": 0.1}}, {}),
    "ranking_weight": ({"training": {"ranking_weight": 2}}, {}),
    "distillation_weight": ({"training": {"distillation_weight": 2}}, {}),
    "batches": ({"training": {"batches": "one-language"}}, {}),
    "smoothing": ({"training": {"smoothing": 0.5}}, {"langs": ["xx"] * 10}),
    "embeddings": ({"training": {"embeddings": "rows"}, "tune": "lora"}, {}),
    "lora_rank": ({"training": {"lora_rank": 4}}, {}),
    "patience": ({"training": {"patience": 2}}, {}),
}


def test_every_need_is_tested() -> None:
    assert USELESS.keys() == NEEDS.keys()


@pytest.mark.parametrize("name", USELESS)
def test_an_option_without_effect_is_refused(tiny: Path, name: str) -> None:
    settings, more = USELESS[name]
    if "teacher" in settings:
        settings = settings | {"teacher": tiny}
    sources, targets, _ = made_pairs(10)
    with pytest.raises(InputError, match=f"^{name} is "):
        SentenceAligner(tiny, **settings).fit(sources, targets, **more)
    whole = AlignmentOptions(**settings["training"])  # given as such it is no other
    with pytest.raises(InputError, match=f"^{name} is "):
        SentenceAligner(tiny, **settings | {"training": whole}).fit(sources, targets, **more)


@pytest.mark.parametrize(
    ("settings", "more", "said"),
    [({"negatives_from": "x"}, {}, "give hard_negatives too"),
     ({}, {"dev": Pairs(["a"], ["b"], negatives=["c"])}, "dev has negatives"),
     ({"training": {"hard_negatives": 1}}, {"negatives": ["x"] * 10}, "leave one"),
     ({"training": {"distillation_weight": 0}, "teacher": "x"}, {}, "of no use"),
     ({"training": {"ranking_weight": 0}, "teacher": "x"}, {"negatives": ["x"] * 10}, "ranking")],
)  # fmt: skip
def test_what_is_given_in_vain_is_refused(
    tiny: Path, settings: dict[str, object], more: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        SentenceAligner(tiny, **settings).fit(*made_pairs(10), **more)


def test_a_preset_beside_settled_options_is_refused(tiny: Path) -> None:
    aligner = SentenceAligner(tiny, preset="labse", training=AlignmentOptions())
    with pytest.raises(InputError, match="settles all"):
        aligner.fit(*made_pairs(10))


def test_settled_options_get_the_learning_rate_of_the_method(tiny: Path) -> None:
    aligner = SentenceAligner(tiny, training=AlignmentOptions(batch_size=8))
    assert aligner.fit(*made_pairs(10)).options_.learning_rate == 1e-4


def test_a_length_beyond_the_encoder_is_refused_and_the_default_is_not(tiny: Path) -> None:
    encoder = Encoder.load(tiny, max_length=16)
    with pytest.raises(InputError, match="takes 16 at most"):
        SentenceAligner(encoder, training={"max_length": 17}).fit(*made_pairs(10))
    with pytest.warns(OmissionWarning, match="longer than 16 tokens"):
        SentenceAligner(encoder).fit(*made_pairs(10))


def test_dropout_needs_something_to_drop() -> None:
    with pytest.raises(InputError, match="has none to set"):
        set_dropout(nn.Linear(2, 2), 0.1)
    set_dropout(nn.Linear(2, 2), 0.0)


def test_pooling_that_cannot_be_written_is_refused_before_training(tmp_path: Path) -> None:
    folder = build_tiny(tmp_path / "pooled", kind="bert", with_pooler=True)
    with pytest.raises(InputError, match="pooler"):
        SentenceAligner(Encoder.load(folder, pooling="pooler")).fit(*made_pairs(10))


def test_embeddings_are_trained_beside_upper_layers_where_asked(tiny: Path) -> None:
    start = aligned(tiny, learning_rate=1e-30, epochs=1).encoder_.weights
    for embeddings in ("rows", "dense", "frozen", None):
        given = {} if embeddings is None else {"embeddings": embeddings}
        weights = aligned(tiny, upper_layers=1, **given).encoder_.weights
        changed = {
            name for name, value in start.items()
            if not np.allclose(value.numpy(), weights[name].numpy(), atol=1e-9)
        }  # fmt: skip
        words = {name for name in changed if "word_embeddings" in name}
        assert bool(words) == (embeddings in ("rows", "dense"))
        assert changed - words
        assert all("layer.1." in name for name in changed - words)


def test_threads_of_the_encoder_hold_in_training(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def noted(self: object, batch: object) -> torch.Tensor:
        seen.append(torch.get_num_threads())
        return loss(self, batch)

    loss = DualEncoder.loss
    monkeypatch.setattr(DualEncoder, "loss", noted)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        SentenceAligner(Encoder.load(tiny, threads=1)).fit(*made_pairs(10))
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)
    assert set(seen) == {1}


def test_a_run_of_other_development_pairs_is_another(tmp_path: Path, tiny: Path) -> None:
    pairs = made_pairs(10)
    for dev in (Pairs(*made_pairs(4)), Pairs(*made_pairs(5))):
        aligner = SentenceAligner(tiny)
        if len(dev) == 4:
            aligner.fit(*pairs, dev=dev, checkpoints=tmp_path / "run")
            continue
        with pytest.raises(InputError, match="another run"):
            aligner.fit(*pairs, dev=dev, checkpoints=tmp_path / "run")
