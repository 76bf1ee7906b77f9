"""What of a classifier is exported: its encoder in float32, and its head as one linear map.

The standardisation of a head and the temperature are folded into W and b, so that the softmax of
the logits W h + b is what `predict_proba` gives; of label sets it is the sigmoid.
"""

from dataclasses import replace
from typing import NamedTuple

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.head import Head
from isogloss.encode import Encoder
from isogloss.encode.model import Network, load_network
from isogloss.encode.settings import Setting
from isogloss.errors import InputError
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.tuned_encoder import TunedEncoder

REFUSED = "cannot be exported:"


class Linear(NamedTuple):
    """W: float64 (n_classes, width), and b: float64 (n_classes,)."""

    weight: Doubles2d
    bias: Doubles1d


def folded(linear: LinearHead, *, temperature: float = 1.0) -> Linear:
    """Return the map of vectors as they are that gives a head's logits at a temperature."""
    scale = linear.standardisation
    weight = linear.weight / scale.deviation
    bias = linear.bias - weight @ scale.mean
    return Linear(weight / temperature, bias / temperature)


def head_of(fitted: FittedClassifier, lang: str | None) -> Head:
    """Return the head of an adapted language, or (None) that of all others.

    Raises
    ------
    InputError
        When the classifier is not adapted to the language.
    """
    if lang is None:
        return fitted.head
    correction = fitted.corrections.get(lang)
    if correction is None:
        adapted = ", ".join(sorted(fitted.corrections)) or "none"
        raise InputError(
            f"{REFUSED} the model is not adapted to {lang} (adapted: {adapted}); leave --lang out, "
            "its answers to that language are those of all others"
        )
    return correction.apply(fitted.head)


def plain_encoder(fitted: FittedClassifier) -> Encoder:
    """Return the encoder as the classifier reads with it, before any transform of its vectors.

    Its texts are cut at the maximum length.

    Raises
    ------
    InputError
        For a table of word vectors, and for pooling by the model's own pooler.
    """
    encoder, pooling = fitted.preparation.encoder, fitted.options.pooling
    if not isinstance(encoder.network, Network):
        raise InputError(
            f"{REFUSED} {encoder.name} is a table of word vectors, not a transformer; fit with "
            "another encoder"
        )
    settings = replace(encoder.settings, long_texts=Setting("cut", "export"))
    if pooling is not None:
        settings = replace(settings, pooling=Setting(pooling, "model"))
    return encoder._with(settings=settings, transform=None, cache=None)


def plain_network(encoder: Encoder) -> Network:
    """Load an encoder's network in float32 on the processor, with what tuning made of it."""
    network = load_network(encoder._chain, device="cpu", dtype="float32")
    if isinstance(encoder, TunedEncoder) and isinstance(encoder.network, Network):
        pairs = zip(
            [network.model, *network.dense],
            [encoder.network.model, *encoder.network.dense],
            strict=True,
        )
        for own, tuned in pairs:
            own.load_state_dict(
                {
                    name: (value.to_dense() if value.is_mkldnn else value).float().cpu()
                    for name, value in tuned.state_dict().items()
                }
            )
    return network
