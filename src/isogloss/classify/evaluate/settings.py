"""The settings of a fitted model in words, for the report and for who fits."""

from pathlib import Path

import numpy as np

from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.errors import counted

FEATURES = ("cosine", "commonness", "inverse document frequency")  # of attention, in its order


def describe(fitted: FittedClassifier) -> dict[str, str]:
    """Return the settings of a fitted model in words."""
    head = fitted.head
    settings = {
        "encoder": fitted.preparation.base_encoder.name,
        "trained on": f"{counted(fitted.n_training_documents, 'text')} in "
        + (", ".join(fitted.langs) or "a language that was not named")
        if fitted.n_training_documents
        else "names of the classes alone",
        "labels": ", ".join(str(label) for label in fitted.classes.tolist()),
        "knowledge base": "none" if fitted.kb is None else Path(fitted.kb.path).name,
    }
    if fitted.options.multilabel:
        settings["labels of a text"] = f"any number, from a probability of {_thresholds(fitted)}"
    if fitted.corrections:
        settings["corrected languages"] = ", ".join(
            f"{lang} (learned from {counted(correction.n_texts, 'text')})"
            for lang, correction in fitted.corrections.items()
        )
    if fitted.examples is not None:
        kept = counted(len(fitted.examples), "training text")
        settings["examples"] = f"{kept}, kept in the model; they go wherever it goes"
    settings["probabilities"] = _calibration(fitted)
    if head.memory is None:
        return settings | {"head": f"encoder only, {head.linear.describe()}"}
    settings["preset"] = f"{fitted.options.preset}, attention {head.memory.attention}"
    if head.memory.attention == "learned":
        weights = zip(FEATURES, head.memory.attention_weight, strict=False)
        settings["attention to"] = ", ".join(f"{name} {weight:.2f}" for name, weight in weights)
    settings["entities seen in training"] = str(len(head.memory.entities))
    if not isinstance(head, MboePlusHead):
        return settings | {"head": head.linear.describe()}
    mixture = head.mixture
    weight = f"C = {head.vote.linear.C}, weight {mixture.strength:.2f} · K / (K + "
    weight += f"{mixture.half_count:.0f}) with K entities in a text"
    if fitted.trust.is_calibrated:
        one = float(mixture.weights(np.ones(1, np.int64))[0]) / fitted.trust.temperature
        weight += f", and 1 / T of that in probabilities: {one:.2f} with one"
    if mixture.strength == 0.0:
        weight = "no weight: they did not help on held-out training texts"
    return settings | {"head": f"encoder only, {head.linear.describe()}", "entities": weight}


def _thresholds(fitted: FittedClassifier) -> str:
    shown = [f"{threshold:.2f}" for threshold in fitted.thresholds]
    if len(set(shown)) == 1:
        return f"{shown[0]} each"
    pairs = zip(fitted.classes.tolist(), shown, strict=True)
    return ", ".join(f"{label} {threshold}" for label, threshold in pairs)


def _calibration(fitted: FittedClassifier) -> str:
    trust = fitted.trust
    if trust.is_calibrated:
        return f"calibrated on {trust.describe()}, T = {trust.temperature:.2f}"
    return trust.describe()
