"""One label of several, or any number of them: what differs between the two kinds of answer.

`SOFTMAX`: the classes exclude each other; y holds the class of each document. `SIGMOID`: each
label is there or not; y holds a row of yes and no for each document. `objective_of` tells by y
which is meant, and everything that learns here takes either. Both answer with log p(c | D).

The scores of an answer are what evidence is added to: log p for `SOFTMAX` (whose sum does not
matter), the log-odds log p / (1 - p) for `SIGMOID`.
"""

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

import numpy as np
import scipy

from isogloss.arrays import Bools2d, Doubles1d, Doubles2d, Ints1d

if TYPE_CHECKING:
    from torch import Tensor

Targets: TypeAlias = Ints1d | Bools2d

SMALLEST_LOG_PROBABILITY = float(np.log(1e-12))  # that of an impossible answer in a loss
N_STEPS = 2000
TOLERANCE = 1e-4  # of the largest gradient of the mean loss, as scikit-learn's


@dataclass(frozen=True)
class LinearWeights:
    """W: float64 (n_classes, width), and b: float64 (n_classes,)."""

    weight: Doubles2d
    bias: Doubles1d


@runtime_checkable
class Objective(Protocol):
    """A kind of answer; `y` is int64 (n_documents,) or bool (n_documents, n_labels)."""

    name: str

    def log_probabilities(self, scores: Doubles2d) -> Doubles2d:
        """Return log p(c | D) of scores (n_documents, n_classes), or of logits."""
        ...

    def scores(self, log_probabilities: Doubles2d) -> Doubles2d:
        """Return the scores of an answer, of its shape."""
        ...

    def prior(self, y: Targets, n_classes: int) -> Doubles1d:
        """Return the scores of the classes' shares in `y`: float64 (n_classes,)."""
        ...

    def fit(self, inputs: Doubles2d, y: Targets, n_classes: int, *, C: float) -> LinearWeights:
        """Fit W and b to inputs (n_documents, width), with an L2 penalty of strength 1 / C."""
        ...

    def can_learn(self, y: Targets) -> bool:
        """Return whether `y` holds anything to tell apart."""
        ...

    def loss(self, log_probabilities: Doubles2d, y: Targets) -> Doubles1d:
        """Return -log p of the right answer of each document: float64 (n_documents,)."""
        ...

    def quality(self, log_probabilities: Doubles2d, y: Targets) -> Doubles1d:
        """Return what C is chosen by, document by document: float64 (n_documents,)."""
        ...

    def summed_loss(self, logits: "Tensor", y: "Tensor") -> "Tensor":
        """Return the sum of `loss` over documents, with its gradient."""
        ...

    def squared_size(self, weight: "Tensor") -> "Tensor":
        """Return what the penalty takes of W (n_classes, width): a scalar."""
        ...


class _Softmax:
    """One class a document: cross-entropy, scikit-learn's logistic regression."""

    name = "softmax"

    def log_probabilities(self, scores: Doubles2d) -> Doubles2d:
        return scipy.special.log_softmax(scores, axis=-1)

    def scores(self, log_probabilities: Doubles2d) -> Doubles2d:
        # Log p as it is.
        return log_probabilities

    def prior(self, y: Targets, n_classes: int) -> Doubles1d:
        # 0 for a class that no document has.
        counts = np.bincount(y, minlength=n_classes)
        return np.log(np.where(counts > 0, counts / len(y), 1.0))

    def fit(self, inputs: Doubles2d, y: Targets, n_classes: int, *, C: float) -> LinearWeights:
        # A class without a document gets b = -inf, and never wins.
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=C, max_iter=N_STEPS, tol=TOLERANCE)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", "The number of unique classes", UserWarning)
            model.fit(inputs, y)
        weight = np.zeros((n_classes, inputs.shape[1]))
        bias = np.full(n_classes, -np.inf)
        coefficients, intercept = model.coef_, model.intercept_
        if len(model.classes_) == 2:  # scikit-learn keeps one row, for the second class
            coefficients = np.vstack([-coefficients, coefficients]) / 2
            intercept = np.hstack([-intercept, intercept]) / 2
        weight[model.classes_], bias[model.classes_] = coefficients, intercept
        return LinearWeights(weight, bias)

    def can_learn(self, y: Targets) -> bool:
        return len(np.unique(y)) > 1

    def loss(self, log_probabilities: Doubles2d, y: Targets) -> Doubles1d:
        # An impossible answer counts as p = 1e-12.
        right = log_probabilities[np.arange(len(y)), y]
        return -np.maximum(right, SMALLEST_LOG_PROBABILITY)

    def quality(self, log_probabilities: Doubles2d, y: Targets) -> Doubles1d:
        # 1 where the most likely class is the right one.
        return (log_probabilities.argmax(axis=1) == y).astype(np.float64)

    def summed_loss(self, logits: "Tensor", y: "Tensor") -> "Tensor":
        from torch.nn import functional

        return functional.cross_entropy(logits, y, reduction="sum")

    def squared_size(self, weight: "Tensor") -> "Tensor":
        # scikit-learn's two-class problem has one weight vector w; here it is split into -w/2 and
        # w/2, whose squares add up to half of w's.
        return weight.square().sum() * (2.0 if len(weight) == 2 else 1.0)


class _Sigmoid:
    """Any number of labels a document: binary cross-entropy, summed over the labels."""

    name = "sigmoid"

    def log_probabilities(self, scores: Doubles2d) -> Doubles2d:
        return np.asarray(scipy.special.log_expit(scores), dtype=np.float64)

    def scores(self, log_probabilities: Doubles2d) -> Doubles2d:
        # Log p - log(1 - p), accurate at both ends.
        return log_probabilities - _log_of_rest(log_probabilities)

    def prior(self, y: Targets, n_classes: int) -> Doubles1d:
        # A share is (k + 1/2) / (n + 1), so that none is 0 or 1.
        return np.asarray(
            scipy.special.logit((y.sum(axis=0) + 0.5) / (len(y) + 1)), dtype=np.float64
        )

    def fit(self, inputs: Doubles2d, y: Targets, n_classes: int, *, C: float) -> LinearWeights:
        # The labels are independent problems, solved side by side: Σ BCE + ‖W‖² / 2C by L-BFGS over
        # all documents, in coordinates in which the curvature is about the same in every direction.
        # A label that all documents or none have keeps its share, whatever the text.
        weight, bias = np.zeros((n_classes, inputs.shape[1])), self.prior(y, n_classes)
        varies = np.flatnonzero(y.any(axis=0) & ~y.all(axis=0))
        to_weight = _even_coordinates(inputs, bias[varies], C)
        start = np.concatenate([weight[varies].ravel(), bias[varies]])
        found = scipy.optimize.minimize(
            _mean_loss,
            start,
            args=(inputs @ to_weight.T, y[:, varies], to_weight, C),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": N_STEPS, "gtol": TOLERANCE, "ftol": 64 * np.finfo(float).eps},
        )
        split = len(varies) * inputs.shape[1]
        weight[varies] = found.x[:split].reshape(len(varies), -1) @ to_weight
        bias[varies] = found.x[split:]
        return LinearWeights(weight, bias)

    def can_learn(self, y: Targets) -> bool:
        return bool((y.any(axis=0) & ~y.all(axis=0)).any())

    def loss(self, log_probabilities: Doubles2d, y: Targets) -> Doubles1d:
        # Summed over the labels.
        right = np.where(y, log_probabilities, _log_of_rest(log_probabilities))
        return -np.maximum(right, SMALLEST_LOG_PROBABILITY).sum(axis=1)

    def quality(self, log_probabilities: Doubles2d, y: Targets) -> Doubles1d:
        # Minus `loss`: no threshold enters, and empty sets count.
        return -self.loss(log_probabilities, y)

    def summed_loss(self, logits: "Tensor", y: "Tensor") -> "Tensor":
        from torch.nn import functional

        return functional.binary_cross_entropy_with_logits(
            logits, y.to(logits.dtype), reduction="sum"
        )

    def squared_size(self, weight: "Tensor") -> "Tensor":
        return weight.square().sum()


SOFTMAX, SIGMOID = _Softmax(), _Sigmoid()
OBJECTIVES: dict[str, Objective] = {SOFTMAX.name: SOFTMAX, SIGMOID.name: SIGMOID}


def objective_of(y: "Targets | Tensor") -> Objective:
    """Return what `y` asks for: a class for each document, or a row of labels."""
    return SOFTMAX if y.ndim == 1 else SIGMOID


def _log_of_rest(log_probabilities: Doubles2d) -> Doubles2d:
    """Return log(1 - p), -inf where p is 1."""
    with np.errstate(divide="ignore"):
        return np.log(-np.expm1(log_probabilities))


def _even_coordinates(inputs: Doubles2d, bias: Doubles1d, C: float) -> Doubles2d:
    """Return A, square, such that W = U A has about the unit matrix for its curvature in U.

    At the start the curvature of a label with share s is s (1 - s) XᵀX / n + I / Cn; the labels
    share one A, made with their mean.
    """
    n_documents, width = inputs.shape
    spread = float((scipy.special.expit(bias) * scipy.special.expit(-bias)).mean())
    curvature = (spread * inputs.T @ inputs + np.eye(width) / C) / n_documents
    lower = np.linalg.cholesky(curvature)
    return np.asarray(
        scipy.linalg.solve_triangular(lower, np.eye(width), lower=True), dtype=np.float64
    )


def _mean_loss(
    parameters: Doubles1d, inputs: Doubles2d, y: Bools2d, to_weight: Doubles2d, C: float
) -> tuple[float, Doubles1d]:
    """Return the objective of `_Sigmoid.fit` over the number of documents, and its gradient.

    Parameters
    ----------
    parameters
        U, row by row, and b.
    inputs
        X Aᵀ: (n_documents, width).
    to_weight
        A.
    """
    n_documents, n_labels = y.shape
    even, bias = parameters[:-n_labels].reshape(n_labels, -1), parameters[-n_labels:]
    weight = even @ to_weight
    logits = inputs @ even.T + bias
    losses = np.logaddexp(0.0, logits) - logits * y
    residuals = (scipy.special.expit(logits) - y) / n_documents
    gradient = residuals.T @ inputs + weight @ to_weight.T / (C * n_documents)
    penalty = float((weight**2).sum()) / (2 * C * n_documents)
    value = float(losses.sum()) / n_documents + penalty
    return value, np.concatenate([gradient.ravel(), residuals.sum(axis=0)])
