"""Distillation draws both sides to the teacher's vector of the source, as in its equation."""

from pathlib import Path

import numpy as np
import pytest
import torch
from small_pairs import aligned, dual_encoder, examples, made_pairs
from tiny_models import build_tiny

from isogloss.align import SentenceAligner
from isogloss.align.training.distillation import distillation_losses, teacher_vectors
from isogloss.encode import Encoder
from isogloss.errors import InputError


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("teacher")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.5)


def units(n: int, seed: int) -> torch.Tensor:
    vectors = torch.from_numpy(np.random.default_rng(seed).normal(size=(n, 5)))
    return torch.nn.functional.normalize(vectors, dim=1)


def test_the_loss_is_the_equation() -> None:
    x, y, t = (units(6, seed) for seed in range(3))
    expected = [
        sum((float(t[i, d] - side[i, d])) ** 2 for side in (x, y) for d in range(5))
        for i in range(6)
    ]
    found = distillation_losses(x, y, t)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-12)
    cosines = [float(t[i] @ side[i]) for i in range(6) for side in (x, y)]
    assert float(found.sum()) == pytest.approx(sum(2 - 2 * one for one in cosines))
    x, y = x.requires_grad_(), y.requires_grad_()
    assert torch.autograd.gradcheck(lambda *sides: distillation_losses(*sides, t), (x, y))


@pytest.mark.parametrize("weights", [(0.0, 2.0), (0.5, 3.0), (1.0, 0.0)])
def test_gradients_are_those_of_both_objectives_by_hand(
    tiny: Path, weights: tuple[float, float]
) -> None:
    """The gradient at the vectors is written out in float64 and drawn back through the encoder."""
    ranking, distillation = weights
    module, base = dual_encoder(
        tiny, learns_scale=False, ranking_weight=ranking, distillation_weight=distillation
    )
    module.eval()
    batch = examples(base, 9, has_teacher=True).collate(list(range(9)))
    module.loss(batch).backward()
    found = {name: one.grad.clone() for name, one in module.named_parameters()
             if one.grad is not None}  # fmt: skip
    module.zero_grad()
    vectors = module.vectors(batch.ids)
    x, y = vectors.detach().double().numpy().reshape(2, 9, -1)
    t = batch.teacher.double().numpy()
    gradient = np.stack([2 * distillation * (x - t), 2 * distillation * (y - t)])
    margin, scale = 0.1, 5.0
    for one, other, sides in ((x, y, (0, 1)), (y, x, (1, 0))):
        for i in range(9):
            logits = np.array([scale * (one[i] @ other[n] - margin * (n == i)) for n in range(9)])
            shares = np.exp(logits) / np.exp(logits).sum()
            shares[i] -= 1
            for n in range(9):
                gradient[sides[0], i] += ranking * scale * shares[n] * other[n]
                gradient[sides[1], n] += ranking * scale * shares[n] * one[i]
    vectors.backward(torch.from_numpy(gradient.reshape(18, -1)).float())
    for name, one in module.named_parameters():
        if one.grad is not None:
            np.testing.assert_allclose(found[name], one.grad, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("bytes_in_memory", [0, 1 << 28])
def test_each_source_is_encoded_once_in_memory_or_mapped(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, bytes_in_memory: int
) -> None:
    encoder = Encoder.load(tiny)
    seen: list[str] = []
    encode = Encoder.encode
    monkeypatch.setattr(Encoder, "encode", lambda self, texts, **how: (
        seen.extend(texts), encode(self, texts, **how))[1])  # fmt: skip
    sources = ["fox dog", "forest", "fox dog", "school"]
    with teacher_vectors(
        encoder, sources, width=encoder.width, bytes_in_memory=bytes_in_memory
    ) as found:
        assert isinstance(found.vectors, np.memmap) == (bytes_in_memory == 0)
        rows = found.of([2, 3, 0])
        place = Path(found.vectors.filename) if bytes_in_memory == 0 else None
    assert sorted(seen) == ["forest", "fox dog", "school"]
    expected = encode(encoder, [sources[2], sources[3], sources[0]], normalize=True)
    np.testing.assert_allclose(rows, expected, atol=1e-6)
    assert place is None or not place.exists()


def test_distillation_alone_draws_both_sides_to_the_teacher(tiny: Path, teacher: Path) -> None:
    sources, targets, _ = made_pairs(41)
    wanted = Encoder.load(teacher).encode(sources, normalize=True)

    def nearness(encoder: Encoder) -> list[float]:
        return [
            float(np.mean(np.sum(encoder.encode(side, normalize=True) * wanted, axis=1)))
            for side in (sources, targets)
        ]

    aligner = SentenceAligner(
        tiny, teacher=teacher,
        training={"ranking_weight": 0, "epochs": 30, "batch_size": 16, "learning_rate": 3e-3},
    )  # fmt: skip
    after = nearness(aligner.fit(sources, targets).encoder_)
    before = nearness(Encoder.load(tiny))
    assert all(new > old + 0.2 for old, new in zip(before, after, strict=True))
    assert aligner.ranked_ == []  # nothing was ranked


def test_a_weight_changes_what_is_learned(tiny: Path, teacher: Path) -> None:
    found = []
    for more in ({}, {"distillation_weight": 5.0}, {"ranking_weight": 0}):
        aligner = SentenceAligner(tiny, teacher=teacher, training=more)
        found.append(aligner.fit(*made_pairs(20)).encoder_.weights)
    found.append(aligned(tiny, n=20, epochs=1, batch_size=256, learning_rate=1e-4).encoder_.weights)
    for one in range(4):
        for other in range(one):
            assert any(
                not torch.equal(value, found[other][name]) for name, value in found[one].items()
            )


def test_a_teacher_of_another_width_is_refused(tiny: Path) -> None:
    with (
        pytest.raises(InputError, match="gives vectors of 32 dimensions, the encoder of 16"),
        teacher_vectors(Encoder.load(tiny), ["fox"], width=16),
    ):
        pass


def test_a_run_with_another_teacher_is_another(tmp_path: Path, tiny: Path, teacher: Path) -> None:
    SentenceAligner(tiny, teacher=tiny).fit(*made_pairs(10), checkpoints=tmp_path / "run")
    with pytest.raises(InputError, match="teacher"):
        SentenceAligner(tiny, teacher=teacher).fit(*made_pairs(10), checkpoints=tmp_path / "run")
