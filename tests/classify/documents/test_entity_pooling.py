"""The equations of the bag of entities, by hand."""

import numpy as np
import pytest
import torch

from isogloss.classify.documents.attention import EntityPairs, EntityPooling

VECTORS = torch.tensor([[3.0, 4.0], [0.0, 2.0], [-1.0, 0.0]], dtype=torch.float64)
DOCUMENTS = torch.tensor([[2.0, 0.0], [5.0, 5.0], [1.0, 1.0]], dtype=torch.float64)
# Document 0 holds entities 0 and 1, document 1 none, document 2 all three.
PAIRS = EntityPairs.of(
    np.array([0, 2, 2, 5]),
    np.array([0, 1, 0, 1, 2]),
    np.array([[0.5], [1.0], [0.25], [0.75], [0.0]]),
)
W_A = torch.tensor([2.0, 1.0], dtype=torch.float64)


def by_hand(attention: str) -> tuple[list[float], list[list[float]]]:
    """Return a and z, one document at a time, from the design's equations."""
    cosines = [0.6, 0.0, 1.4 / 2**0.5, 1 / 2**0.5, -1 / 2**0.5]
    commonness = [0.5, 1.0, 0.25, 0.75, 0.0]
    raised = [np.exp(2 * cos + p) for cos, p in zip(cosines, commonness, strict=True)]
    if attention == "learned":
        weights = [value / sum(raised[:2]) for value in raised[:2]]
        weights += [value / sum(raised[2:]) for value in raised[2:]]
    else:
        weights = [1 / 2] * 2 + [1 / 3] * 3 if attention == "mean" else [1.0] * 5
    a = weights
    return a, [
        [3 * a[0], 4 * a[0] + 2 * a[1]],
        [0.0, 0.0],
        [3 * a[2] - a[4], 4 * a[2] + 2 * a[3]],
    ]


@pytest.mark.parametrize("attention", ["learned", "mean", "sum"])
def test_weights_and_z_are_those_computed_by_hand(attention: str) -> None:
    pooling = EntityPooling(VECTORS, W_A, attention=attention)
    weights, z = by_hand(attention)
    np.testing.assert_allclose(pooling.weights(DOCUMENTS, PAIRS).detach(), weights, rtol=1e-12)
    np.testing.assert_allclose(pooling(DOCUMENTS, PAIRS).detach(), z, rtol=1e-12)


@pytest.mark.parametrize("attention", ["learned", "mean", "sum"])
def test_no_entities_give_zeros(attention: str) -> None:
    nothing = EntityPairs.of(np.zeros(4), np.zeros(0), np.zeros((0, 1)))
    for vectors in (VECTORS, VECTORS[:0]):
        pooling = EntityPooling(vectors, W_A, attention=attention)
        assert torch.equal(pooling(DOCUMENTS, nothing), torch.zeros_like(DOCUMENTS))


def test_a_projection_takes_v_to_the_width_of_the_documents() -> None:
    matrix = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]], dtype=torch.float64)
    wide = torch.tensor([[1.0, 0.0, 2.0], [0.0, 1.0, 3.0], [1.0, 1.0, 1.0]], dtype=torch.float64)
    projected = EntityPooling(wide, W_A, attention="learned", projection=matrix)
    plain = EntityPooling(wide @ matrix.T, W_A, attention="learned")
    np.testing.assert_allclose(
        projected(DOCUMENTS, PAIRS).detach(), plain(DOCUMENTS, PAIRS).detach(), rtol=1e-12
    )


def test_large_scores_do_not_overflow() -> None:
    pooling = EntityPooling(VECTORS, W_A * 1e4, attention="learned")
    weights = pooling.weights(DOCUMENTS, PAIRS).detach().numpy()
    np.testing.assert_allclose([weights[:2].sum(), weights[2:].sum()], 1.0)


@pytest.mark.parametrize("attention", ["learned", "mean", "sum"])
def test_gradients_agree_with_finite_differences(attention: str) -> None:
    matrix = torch.eye(2, dtype=torch.float64) + 0.1

    def z(v: torch.Tensor, w: torch.Tensor, m: torch.Tensor) -> torch.Tensor:
        pooling = EntityPooling(VECTORS, W_A, attention=attention, projection=matrix)
        parameters = {"vectors": v, "attention_weight": w, "projection": m}
        return torch.func.functional_call(pooling, parameters, (DOCUMENTS, PAIRS))

    inputs = [value.clone().requires_grad_() for value in (VECTORS, W_A, matrix)]
    assert torch.autograd.gradcheck(z, inputs)
