"""Multinomial logistic regression of very many examples, at one strength of penalty after another.

`objective` solves for texts, of which there are thousands; words are tens of thousands, and their
layers a dozen. Here the inputs stay in float32, each fit starts from the one before (warm start),
and the coordinates are turned so that the curvature is about the same in every direction. The
minimum is that of scikit-learn's ``LogisticRegression``: C times the sum of losses + ‖W‖² / 2.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Doubles2d, Floats1d, Floats2d, Ints1d
from isogloss.learn.objective import N_STEPS, LinearWeights

TOLERANCE = 5e-4  # of the largest gradient of the mean loss, in the turned coordinates
SMALLEST_COUNT = 0.5  # of a class without an example, for where the search starts


def softmax_path(
    inputs: Floats2d,
    y: Ints1d,
    n_classes: int,
    C_values: Sequence[float],
    *,
    weights: Floats1d | None = None,
    towards: LinearWeights | None = None,
) -> list[LinearWeights]:
    """Fit W and b at each C, in the order given; ascending ones are quickest.

    Parameters
    ----------
    inputs
        Standardised, (n_examples, width).
    y
        Class of each example; one without an example gets b = -inf and never wins.
    C_values
        Inverse strengths of the L2 penalty, which is on W alone.
    weights
        How much each example counts; None: 1 each.
    towards
        W₀ and b₀, finite: the penalty is on the distance from them, b's too, so that little changes
        where examples are few, and a class without one keeps its own (Chelba and Acero 2006).
        None: from W = 0.

    Examples
    --------
    >>> inputs = np.array([[-1.0], [1.0]] * 5, dtype=np.float32)
    >>> (fitted,) = softmax_path(inputs, np.array([0, 1] * 5), 2, [1.0])
    >>> bool(fitted.weight[1, 0] > fitted.weight[0, 0])
    True
    """
    problem = _Problem(inputs, y, n_classes, weights, towards)
    weight = np.zeros((n_classes, inputs.shape[1]))
    path = []
    if towards is not None:
        bias = np.zeros(n_classes)
        for C in C_values:
            weight, bias = problem.solve(weight, bias, C=C)
            path.append(LinearWeights(towards.weight + weight, towards.bias + bias))
        return path
    bias = np.log(np.maximum(problem.counts, SMALLEST_COUNT) / problem.total)
    absent = problem.counts <= 0
    for C in C_values:
        weight, bias = problem.solve(weight, bias, C=C)
        known = np.where(absent, -np.inf, bias)
        path.append(LinearWeights(np.where(absent[:, None], 0.0, weight), known))
    return path


class _Problem:
    """The examples, and what does not depend on C."""

    def __init__(
        self, inputs: Floats2d, y: Ints1d, n_classes: int, weights: Floats1d | None,
        towards: LinearWeights | None,
    ) -> None:  # fmt: skip
        self.inputs, self.y, self.n_classes = inputs, y, n_classes
        self.share = np.ones(len(y), np.float32) if weights is None else weights
        self.total = float(self.share.sum(dtype=np.float64))
        self.share = (self.share / self.total).astype(np.float32)
        self.counts = np.bincount(y, weights, minlength=n_classes).astype(np.float64)
        self.curvature = (inputs.T @ (inputs * self.share[:, None])).astype(np.float64)
        self.rows = np.arange(len(y))
        self.offset = None if towards is None else _scores(inputs, towards.weight, towards.bias)

    def solve(self, weight: Doubles2d, bias: Doubles1d, *, C: float) -> tuple[Doubles2d, Doubles1d]:
        """Return W and b of the minimum, searched from those given."""
        penalty = 1 / (C * self.total)
        shares = self.counts / self.total
        spread = max(float((shares * (1 - shares)).mean()), 1e-7)
        lower = np.linalg.cholesky(spread * self.curvature + penalty * np.eye(weight.shape[1]))
        # W = U A, with the unit matrix for U's curvature at the start.
        turned: Doubles2d = scipy.linalg.solve_triangular(lower, np.eye(len(lower)), lower=True)
        even = self.inputs @ turned.T.astype(np.float32)
        found = scipy.optimize.minimize(
            self._loss,
            np.concatenate([(weight @ lower).ravel(), bias]),
            args=(even, turned, penalty),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": N_STEPS, "gtol": TOLERANCE, "ftol": np.finfo(np.float32).eps},
        )
        n_classes = self.n_classes
        return found.x[:-n_classes].reshape(n_classes, -1) @ turned, found.x[-n_classes:]

    def _loss(
        self, parameters: Doubles1d, even: Floats2d, turned: Doubles2d, penalty: float
    ) -> tuple[float, Doubles1d]:
        """Return the weighted mean loss with its penalty, and its gradient."""
        n_classes = self.n_classes
        inner, bias = parameters[:-n_classes].reshape(n_classes, -1), parameters[-n_classes:]
        weight = inner @ turned
        scores = _scores(even, inner, bias)
        if self.offset is not None:
            scores += self.offset
        scores -= scores.max(axis=1, keepdims=True)
        right = scores[self.rows, self.y]
        np.exp(scores, out=scores)
        sums = scores.sum(axis=1)
        value = float(np.sum(self.share * (np.log(sums) - right), dtype=np.float64))
        scores /= sums[:, None]
        scores[self.rows, self.y] -= 1
        scores *= self.share[:, None]
        gradient = (scores.T @ even).astype(np.float64) + penalty * weight @ turned.T
        value += penalty / 2 * float((weight**2).sum())
        of_bias = scores.sum(axis=0, dtype=np.float64)
        if self.offset is not None:
            of_bias += penalty * bias
            value += penalty / 2 * float((bias**2).sum())
        return value, np.concatenate([gradient.ravel(), of_bias])


def _scores(inputs: Floats2d, weight: Doubles2d, bias: Doubles1d) -> Floats2d:
    scores: Floats2d = inputs @ weight.T.astype(np.float32) + bias.astype(np.float32)
    return scores
