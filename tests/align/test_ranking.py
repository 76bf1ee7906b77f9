"""The ranking loss is its equation, gradients included, with masks and hard negatives."""

import math

import numpy as np
import pytest
import torch

from isogloss.align.training.pairs import sentence_numbers
from isogloss.align.training.ranking import Sentences, ranking_losses


def by_hand(
    x: np.ndarray, y: np.ndarray, margin: float, scale: float, masked: np.ndarray
) -> list[float]:
    """Return the loss of each pair, written out as in the paper."""
    found = []
    for i in range(len(x)):
        total = 0.0
        for one, other in ((x, y), (y, x)):
            right = math.exp(scale * (float(one[i] @ other[i]) - margin))
            wrong = sum(
                math.exp(scale * float(one[i] @ other[n]))
                for n in range(len(x))
                if n != i and not masked[i, n]
            )
            total -= math.log(right / (right + wrong))
        found.append(total)
    return found


def units(n: int, seed: int) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(n, 5))
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize(("margin", "scale"), [(0.0, 1.0), (0.3, 20.0), (-0.1, 7.5)])
def test_the_loss_is_the_equation(margin: float, scale: float) -> None:
    x, y = units(6, 0), units(6, 1)
    masked = np.zeros((6, 6), bool)
    masked[0, 2] = masked[2, 0] = masked[4, 5] = masked[5, 4] = True
    found = ranking_losses(
        torch.from_numpy(x), torch.from_numpy(y), margin=margin, scale=scale,
        is_no_negative=torch.from_numpy(masked),
    )  # fmt: skip
    np.testing.assert_allclose(found.numpy(), by_hand(x, y, margin, scale, masked), rtol=1e-9)


def test_gradients_are_those_of_finite_differences() -> None:
    x = torch.from_numpy(units(4, 0)).requires_grad_()
    y = torch.from_numpy(units(4, 1)).requires_grad_()
    scale = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)

    def loss(x: torch.Tensor, y: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return ranking_losses(x, y, margin=0.2, scale=scale).sum()

    assert torch.autograd.gradcheck(loss, (x, y, scale))


def test_equal_sentences_are_no_negatives_on_whichever_side() -> None:
    sources, targets = sentence_numbers(
        ["Hello!", "hello", "One", "Two", "drei"], ["Hallo", "Servus", "Eins", "eins.", "two"]
    )
    masked = Sentences(torch.from_numpy(sources), torch.from_numpy(targets)).is_no_negative()
    found = {tuple(sorted(place)) for place in masked.nonzero().tolist()}
    assert found == {(0, 1), (2, 3), (3, 4)}
    assert not masked.diagonal().any()


def test_hard_negatives_add_to_the_wrong_answers_of_sources() -> None:
    x, y, further = (torch.from_numpy(units(n, seed)) for n, seed in ((3, 0), (3, 1), (2, 2)))
    plain = ranking_losses(x, y, margin=0.0, scale=5.0)
    with_all = ranking_losses(x, y, margin=0.0, scale=5.0, negatives=further)
    masked = torch.ones(3, 2, dtype=torch.bool)
    assert (with_all > plain).all()
    alike = ranking_losses(x, y, margin=0.0, scale=5.0, negatives=further, negatives_masked=masked)
    assert torch.allclose(alike, plain)


@pytest.mark.parametrize(
    ("text", "other", "is_same"),
    [("Ｆｕｌｌ width", "full-width!", True), ("…", "...", False), ("a b", "ab", True),
     ("１２", "12", True), ("!", "?", False), ("की", "का", False), ("ที่", "ที", False)],
)  # fmt: skip
def test_sentences_are_the_same_by_letters_and_digits(text: str, other: str, is_same: bool) -> None:
    (numbers,) = sentence_numbers([text, other])
    assert bool(numbers[0] == numbers[1]) == is_same
