"""What forecasts compare other languages with: pairs of heads, and how far they agree in training.

The forecast itself, and why this is kept: `forecast`.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Doubles2d, Doubles3d, Floats2d, Floats3d, Ints1d
from isogloss.learn.linear_head import LinearHead, folds_of, out_of_fold
from isogloss.limits import Positive, Share
from isogloss.statistics.calibration import fit_temperature, tempered


@dataclass(frozen=True)
class ForecastReference:
    """The training language, which other languages are compared with."""

    accuracy: Share  # of held-out training documents
    agreement: Positive  # of the pairs of heads on these
    # of held-out answers of the encoder-only classifier (`calibration`); the heads share it
    temperature: Positive
    # The heads, a pair after the other, which take vectors as they are:
    # float32 (n_heads, n_classes, width) and (n_heads, n_classes).
    weight: Floats3d = field(repr=False)
    bias: Floats2d = field(repr=False)

    @classmethod
    def fit(
        cls,
        vectors: Floats2d,
        y: Ints1d,
        n_classes: int,
        *,
        C: float,
        seed: int,
    ) -> "ForecastReference | None":
        """Fit on training vectors (n_documents, width) and classes; None: too few to tell.

        Each fold's documents are judged by heads that saw none of them.
        """
        folds = folds_of(y, seed=seed)
        if folds is None:
            return None
        held_out = out_of_fold(vectors, y, n_classes, folds, C=C)
        temperature = fit_temperature(held_out, y)
        generator = np.random.default_rng(seed)
        heads: list[LinearHead] = []
        agreement = np.empty(len(y))
        for fold in folds:
            for half in np.array_split(generator.permutation(fold.train), 2):
                head = LinearHead.fit_where_possible(vectors[half], y[half], n_classes, C=C)
                heads.append(head)
            pair = [head.log_probabilities(vectors[fold.test]) for head in heads[-2:]]
            agreement[fold.test] = _agreement(np.stack(pair), temperature)
        if not agreement.any():  # heads of a few texts that never agree tell nothing
            return None
        return cls(
            accuracy=float((held_out.argmax(axis=1) == y).mean()),
            agreement=float(agreement.mean()),
            temperature=temperature,
            weight=np.array([_slope(head) for head in heads], dtype=np.float32),
            bias=np.array([_offset(head) for head in heads], dtype=np.float32),
        )

    def agreement_on(self, vectors: Floats2d) -> Doubles1d:
        """Return how far pairs agree on vectors (n_documents, width): float64 (n_documents,)."""
        logits = np.einsum("nd,hcd->hnc", vectors, self.weight) + self.bias[:, None]
        log_probabilities = scipy.special.log_softmax(logits.astype(np.float64), axis=2)
        return _agreement(log_probabilities, self.temperature)

    def expected_accuracy(self, agreement: float) -> float:
        """Return the accuracy to expect where the pairs agree so far on average."""
        return self.accuracy * min(1.0, agreement / self.agreement)


def _agreement(log_probabilities: Doubles3d, temperature: float) -> Doubles1d:
    """Return the mean over pairs of Σ_c p(c | D) p'(c | D), of heads (n_heads, n_documents, …)."""
    probabilities = np.exp(tempered(log_probabilities, temperature))
    same: Doubles1d = (probabilities[::2] * probabilities[1::2]).sum(axis=2).mean(axis=0)
    return same


def _slope(head: LinearHead) -> Doubles2d:
    slope: Doubles2d = head.weight / head.standardisation.deviation
    return slope


def _offset(head: LinearHead) -> np.ndarray[Any, Any]:
    return head.bias - _slope(head) @ head.standardisation.mean
