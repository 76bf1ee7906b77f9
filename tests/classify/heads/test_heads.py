"""What the heads compute from their parameters, and what their training minimises."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import approx_fprime, minimize
from scipy.special import log_softmax, softmax

from isogloss.classify.documents.attention import EntityPairs, EntityPooling
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import EntityMemory
from isogloss.classify.documents.trained_vectors import TrainedVectors
from isogloss.classify.heads import mboe
from isogloss.classify.heads.joint import train_together
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead, Mixture
from isogloss.classify.heads.vote import EntityVote, pair_weights
from isogloss.learn.linear_head import LinearHead, Standardisation

RNG = np.random.default_rng(5)
WIDTH, N_CLASSES = 4, 3
# Document 0: entities 10 and 20; 1: none; 2: 30, which training never saw, and 10.
BATCH = EntityBatch(
    offsets=np.array([0, 2, 2, 4]),
    columns=np.array([0, 1, 2, 0]),
    commonness=np.array([0.5, 1.0, 0.25, 0.75]),
    link_probability=np.ones(4),
    entities=np.array([10, 20, 30]),
    vectors=RNG.normal(size=(3, WIDTH)).astype(np.float32),
)
H = RNG.normal(size=(3, WIDTH)).astype(np.float32)
Y = np.array([0, 2, 1])
MEMORY = EntityMemory(
    entities=np.array([10, 20]),
    n_documents_with=np.array([3, 9]),
    n_documents=9,
    attention="learned",
    attention_weight=np.array([0.5, 1.5, 2.0], np.float32),
)
TRAINED = TrainedVectors(
    memory=replace(MEMORY, attention_weight=np.array([1.5, 0.5], np.float32)),
    vectors=RNG.normal(size=(2, WIDTH)).astype(np.float32),
    projection=None,
)
PRIORS = np.log([0.5, 0.3, 0.2])


def linear(*, width: int = WIDTH) -> LinearHead:
    rng = np.random.default_rng(width)
    scale = Standardisation(rng.normal(size=width), rng.uniform(0.5, 2, size=width))
    weight, bias = rng.normal(size=(N_CLASSES, width)), rng.normal(size=N_CLASSES)
    return LinearHead(scale, weight, bias, 0.7, "given")


def cosine(a: Any, b: Any) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def slow_softmax(scores: list[float]) -> Any:
    return softmax(scores) if scores else np.zeros(0)


def slow_linear(head: LinearHead, vector: Any) -> Any:
    scale = head.standardisation
    return log_softmax(head.weight @ ((vector - scale.mean) / scale.deviation) + head.bias)


def slow_vote_weights(w: Any, row: int, memory: EntityMemory = MEMORY) -> Any:
    """Return a of one document: softmax of W_a [cos; log commonness; log idf]."""
    idf = np.log((1 + 9) / (1 + np.array([3, 9, 0])))
    idf = np.maximum(idf, 0.05)
    scores = []
    for pair in range(BATCH.offsets[row], BATCH.offsets[row + 1]):
        column = BATCH.columns[pair]
        features = [cosine(H[row], BATCH.vectors[column]), np.log(BATCH.commonness[pair])]
        scores.append(w @ [*features, np.log(idf[column])])
    return slow_softmax(scores)


def slow_z(weights: Any, row: int, vectors: Any) -> Any:
    columns = BATCH.columns[BATCH.offsets[row] : BATCH.offsets[row + 1]]
    return sum((a * vectors[c] for a, c in zip(weights, columns, strict=True)), np.zeros(WIDTH))


def test_inverse_document_frequency_counts_unseen_entities_as_in_no_document() -> None:
    expected = np.log([10 / 4, 10 / 10, 10 / 1])
    np.testing.assert_allclose(MEMORY.inverse_document_frequency(BATCH), expected)


def test_unseen_entities_keep_their_initial_vector() -> None:
    found = TRAINED.of(BATCH)
    assert np.array_equal(found[:2], TRAINED.vectors)
    assert np.array_equal(found[2], BATCH.vectors[2])
    assert MEMORY.is_seen(BATCH.entities).tolist() == [True, True, False]


def test_memory_holds_the_entities_of_training_documents_only() -> None:
    selected = BATCH.select(np.array([0, 0, 1]))
    memory = EntityMemory.of(selected, attention="mean", initial_attention=(0.0,))
    assert memory.entities.tolist() == [10, 20]
    assert (memory.n_documents_with.tolist(), memory.n_documents) == ([2, 2], 3)
    start = TrainedVectors.initial(memory, selected, width=WIDTH, seed=0)
    assert np.array_equal(start.vectors, BATCH.vectors[:2])
    assert start.projection is None


def test_another_width_gets_an_orthogonal_projection_of_the_seed() -> None:
    def start(seed: int) -> Any:
        return TrainedVectors.initial(MEMORY, BATCH, width=3, seed=seed).projection

    projection = start(1)
    assert projection is not None
    np.testing.assert_allclose(projection @ projection.T, np.eye(3), atol=1e-6)
    assert np.array_equal(projection, start(1))
    assert not np.array_equal(projection, start(2))


def test_mboe_is_softmax_of_w_times_h_plus_z() -> None:
    head = MboeHead(linear(), TRAINED)
    vectors = TRAINED.of(BATCH)
    expected = []
    for row in range(3):
        pairs = range(BATCH.offsets[row], BATCH.offsets[row + 1])
        scores = [
            1.5 * cosine(H[row], vectors[BATCH.columns[pair]]) + 0.5 * BATCH.commonness[pair]
            for pair in pairs
        ]
        expected.append(
            slow_linear(head.linear, H[row] + slow_z(slow_softmax(scores), row, vectors))
        )
    np.testing.assert_allclose(head.log_probabilities(H, BATCH), expected, atol=1e-5)


@pytest.mark.parametrize("attention", ["learned", "mean", "sum"])
def test_vote_is_linear_in_the_weighted_vectors(attention: Any) -> None:
    memory = replace(MEMORY, attention=attention)
    vote = EntityVote(linear(), memory, PRIORS)
    expected, weights = [], []
    for row in range(3):
        n = int(BATCH.counts[row])
        a = {"sum": np.ones(n), "mean": np.ones(n) / max(n, 1)}.get(attention)
        a = slow_vote_weights(MEMORY.attention_weight, row) if a is None else a
        weights.extend(a)
        expected.append(slow_linear(vote.linear, slow_z(a, row, BATCH.vectors)))
    np.testing.assert_allclose(pair_weights(memory, H, BATCH), weights, rtol=1e-6)
    np.testing.assert_allclose(vote.log_evidence(H, BATCH), expected - PRIORS, rtol=1e-6)


def test_the_vote_takes_off_the_shares_of_the_linked_documents_it_was_fitted_on() -> None:
    vote = EntityVote.fit(MEMORY, [(H, BATCH)] * 2, np.array([0, 1, 2]), 4, C=1e-9)
    assert np.exp(vote.log_priors).tolist() == [0.5, 1.0, 0.5, 1.0]  # the second text is unlinked
    np.testing.assert_allclose(vote.log_evidence(H, BATCH), 0.0, atol=1e-6)


@pytest.mark.parametrize("rows", [[], [0], [0, 0, 1]])
def test_a_vote_without_two_classes_has_no_evidence(rows: list[int]) -> None:
    part = (H[rows], BATCH.select(np.array(rows, dtype=np.int64)))
    y = np.array([2] * len(rows), dtype=np.int64)
    vote = EntityVote.fit(MEMORY, [part], y, 3, C=1.0)
    assert np.array_equal(vote.log_evidence(H, BATCH), np.zeros((3, 3)))
    assert vote.learn_attention([part], y) is vote


def test_vectors_of_another_width_vote_without_a_cosine() -> None:
    wide = replace(BATCH, vectors=np.ones((3, WIDTH + 2), np.float32))
    without_cosine = replace(MEMORY, attention_weight=np.array([0.0, 1.5, 2.0], np.float32))
    np.testing.assert_allclose(
        pair_weights(MEMORY, H, wide), pair_weights(without_cosine, H, BATCH), rtol=1e-6
    )


def plus(mixture: Mixture) -> MboePlusHead:
    return MboePlusHead(linear(), EntityVote(replace(linear(), C=0.1), MEMORY, PRIORS), mixture)


def test_mboe_plus_mixes_by_the_number_of_entities() -> None:
    head = plus(Mixture(strength=1.5, half_count=3.0))
    alone = head.linear.log_probabilities(H)
    weight = 1.5 * 2 / (2 + 3)  # two entities
    expected = log_softmax(alone + weight * head.vote.log_evidence(H, BATCH), axis=1)
    found = head.log_probabilities(H, BATCH)
    np.testing.assert_allclose(found[[0, 2]], expected[[0, 2]], rtol=1e-9)
    assert np.array_equal(found[1], alone[1])


def test_mboe_plus_of_no_strength_is_the_encoder_alone() -> None:
    head = plus(Mixture(strength=0.0, half_count=3.0))
    assert np.array_equal(head.log_probabilities(H, BATCH), linear().log_probabilities(H))


@pytest.mark.parametrize("kind", ["mboe", "mboe-plus"])
def test_order_of_documents_and_entities_and_company_change_nothing(kind: str) -> None:
    head: Any = MboeHead(linear(), TRAINED) if kind == "mboe" else plus(Mixture(1.5, 3.0))
    expected = head.log_probabilities(H, BATCH)
    order = np.array([2, 0, 1])
    shuffled = head.log_probabilities(H[order], BATCH.select(order))
    np.testing.assert_allclose(shuffled, expected[order], atol=1e-6)
    swap = np.array([1, 0, 3, 2])
    swapped = replace(BATCH, columns=BATCH.columns[swap], commonness=BATCH.commonness[swap])
    np.testing.assert_allclose(head.log_probabilities(H, swapped), expected, atol=1e-6)
    for row in range(3):
        alone = head.log_probabilities(H[[row]], BATCH.select(np.array([row])))
        np.testing.assert_allclose(alone[0], expected[row], atol=1e-6)


# What training minimises.


class OneStep:
    """Stands in for L-BFGS: calls the closure once, and keeps value and gradients."""

    last: "OneStep"

    def __init__(self, parameters: list[torch.Tensor], **_: Any) -> None:
        self.parameters = parameters
        OneStep.last = self

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self, closure: Callable[[], torch.Tensor]) -> None:
        self.loss = float(closure().detach())
        self.gradients = [parameter.grad.numpy().ravel() for parameter in self.parameters]


@pytest.fixture
def one_step(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[OneStep]]:
    monkeypatch.setattr(torch.optim, "LBFGS", OneStep)
    return OneStep


def cross_entropy(logits: Any, y: Any) -> float:
    return -float(log_softmax(logits, axis=1)[np.arange(len(y)), y].sum())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_joint_objective_and_its_gradient(one_step: type[OneStep], n_classes: int) -> None:
    pairs = EntityPairs.of(BATCH.offsets, BATCH.columns, BATCH.commonness[:, None])
    v, documents = torch.from_numpy(BATCH.vectors.astype(np.float64)), torch.from_numpy(H).double()
    w_a = torch.tensor([0.5, 1.0], dtype=torch.float64)
    W, b = RNG.normal(size=(n_classes, WIDTH)), RNG.normal(size=n_classes)
    y, deviation = Y % n_classes, np.array([0.5, 1.0, 2.0, 4.0])
    start = [W, b, v.numpy(), w_a.numpy()]
    shapes = [np.shape(value) for value in start]

    def objective(flat: Any) -> float:
        parts = np.split(flat, np.cumsum([np.prod(shape, dtype=int) for shape in shapes])[:-1])
        W, b, moved, w = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
        pooling = EntityPooling(torch.tensor(moved), torch.tensor(w), attention="learned")
        inputs = H.astype(np.float64) + pooling(documents, pairs).detach().numpy()
        penalty = (2 if n_classes == 2 else 1) * (W**2).sum() + ((w - start[3]) ** 2).sum()
        penalty += (((moved - start[2]) / deviation) ** 2).sum()
        return cross_entropy(inputs @ W.T + b, y) + penalty / (2 * 0.3)

    pooling = EntityPooling(v, w_a, attention="learned")
    n_passes = 0

    def inputs() -> torch.Tensor:
        nonlocal n_passes
        n_passes += 1
        return documents + pooling(documents, pairs)

    train_together(
        inputs, pooling, torch.from_numpy(y),
        weight=torch.from_numpy(W), bias=torch.from_numpy(b), C=0.3,
        scales={"vectors": torch.from_numpy(deviation)},
    )  # fmt: skip
    flat = np.concatenate([np.ravel(value) for value in start])
    assert n_passes == 1  # all documents pass for L-BFGS alone, not for a report beside it
    assert one_step.last.loss == pytest.approx(objective(flat))
    numeric = approx_fprime(flat, objective, 1e-7)
    np.testing.assert_allclose(np.concatenate(one_step.last.gradients), numeric, atol=1e-4)


def test_joint_penalty_measures_vectors_in_deviations_from_their_start() -> None:
    """What the one-step test cannot see, as there every parameter is at its start."""
    pooling = EntityPooling(torch.zeros(1, 2).double(), torch.zeros(2).double(), attention="sum")
    documents = torch.zeros(2, 2).double()
    pairs = EntityPairs.of(np.array([0, 1, 1]), np.array([0]), np.zeros((1, 1)))
    scale, C = torch.tensor([0.1, 1.0]).double(), 5.0
    weight = torch.tensor([[1.0, 1.0], [-1.0, -1.0]]).double()
    result = train_together(
        lambda: documents + pooling(documents, pairs), pooling, torch.tensor([0, 1]),
        weight=weight, bias=torch.zeros(2).double(), C=C, scales={"vectors": scale},
    )  # fmt: skip

    def objective(flat: Any) -> float:
        v, W, b = flat[:2], flat[2:6].reshape(2, 2), flat[6:]
        penalty = 2 * (W**2).sum() + ((v / scale.numpy()) ** 2).sum()
        inputs = np.vstack([v, np.zeros(2)])
        return cross_entropy(inputs @ W.T + b, np.array([0, 1])) + penalty / (2 * C)

    v, parts = pooling.vectors.detach().numpy(), (weight.numpy(), np.zeros(2))
    before = np.concatenate([np.zeros(2), *map(np.ravel, parts)])
    after = np.concatenate([v.ravel(), result.weight.numpy().ravel(), result.bias.numpy()])
    assert objective(after) < objective(before)
    assert objective(after) == pytest.approx(minimize(objective, before).fun, rel=1e-4)
    assert abs(v[0, 0]) < abs(v[0, 1]) / 10  # the dimension of small deviation moves least


def test_mboe_measures_v_in_deviations_of_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def spy(*arguments: Any, scales: Any, **options: Any) -> Any:
        seen.append(scales["vectors"].numpy())
        return train_together(*arguments, scales=scales, **options)

    monkeypatch.setattr(mboe, "train_together", spy)
    head = MboeHead.fit(H, BATCH, Y, N_CLASSES, attention="mean", seed=0)
    np.testing.assert_allclose(seen[0], head.linear.standardisation.deviation, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_linear_head_is_already_at_the_joint_minimum(n_classes: int) -> None:
    """The penalty is scikit-learn's own: with nothing else to train, nothing moves."""
    rng = np.random.default_rng(1)
    vectors, y = rng.normal(size=(40, 3)), np.arange(40) % n_classes
    head = LinearHead.fit(vectors, y, n_classes, C=0.2)
    inputs = torch.from_numpy(head.standardisation(vectors))
    result = train_together(
        lambda: inputs, torch.nn.Module(), torch.from_numpy(y),
        weight=torch.from_numpy(head.weight), bias=torch.from_numpy(head.bias), C=0.2, scales={},
    )  # fmt: skip
    np.testing.assert_allclose(result.weight, head.weight, atol=1e-4)
    np.testing.assert_allclose(result.bias, head.bias, atol=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_vote_objective_and_its_gradient(one_step: type[OneStep], n_classes: int) -> None:
    y = Y % n_classes
    scale = linear().standardisation
    W, b = RNG.normal(size=(n_classes, WIDTH)), RNG.normal(size=n_classes)
    start = MEMORY.attention_weight.astype(np.float64)

    def objective(flat: Any) -> float:
        W_, b_, w = np.split(flat, np.cumsum([n_classes * WIDTH, n_classes]))
        W_ = W_.reshape(n_classes, WIDTH)
        penalty = (2 if n_classes == 2 else 1) * (W_**2).sum() + ((w - start) ** 2).sum()
        rows = [0, 2]  # those with an entity
        z = np.array([slow_z(slow_vote_weights(w, row), row, BATCH.vectors) for row in rows])
        logits = (z - scale.mean) / scale.deviation @ W_.T + b_
        return 2 * cross_entropy(logits, y[rows]) + penalty / (2 * 0.7)  # two copies

    head = LinearHead(scale, W, b, 0.7, "given")
    EntityVote(head, MEMORY, np.zeros(n_classes)).learn_attention([(H, BATCH)] * 2, y)
    flat = np.concatenate([W.ravel(), b, start])
    assert one_step.last.loss == pytest.approx(objective(flat), rel=1e-6)
    numeric = approx_fprime(flat, objective, 1e-7)
    np.testing.assert_allclose(np.concatenate(one_step.last.gradients), numeric, atol=1e-4)


def test_vote_of_equal_weights_has_no_attention_to_learn() -> None:
    vote = EntityVote(linear(), replace(MEMORY, attention="mean"), PRIORS)
    assert vote.learn_attention([(H, BATCH)], Y) is vote
