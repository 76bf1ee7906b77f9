"""Curves of language neutrality over the layers as one figure of four panels."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from isogloss.probe.geometry.curves import draw_panels
from isogloss.probe.neutrality.layer import Kind, LayerNeutrality
from isogloss.probe.neutrality.result import CENTRED, CSLS, RAW, MeasuredNeutrality
from isogloss.statistics.intervals import Interval

IntervalOf = Callable[[LayerNeutrality], Interval]


def _accuracy(kind: Kind) -> IntervalOf:
    return lambda layer: layer.retrieval[kind].accuracy.interval


def _hubness(kind: Kind) -> IntervalOf:
    return lambda layer: layer.retrieval[kind].hubness


PANELS: Mapping[str, Mapping[str, IntervalOf]] = {
    "language probe, accuracy": {
        "raw": lambda layer: layer.recognised,
        "centred": lambda layer: layer.recognised_centred,
        "nothing left": lambda layer: layer.recognised_null,
    },
    "CKA, mean over pairs": {"": lambda layer: layer.cka},
    "retrieval, accuracy": {
        "raw": _accuracy(RAW), "centred": _accuracy(CENTRED), "CSLS": _accuracy(CSLS),
    },
    "hubness": {"raw": _hubness(RAW), "centred": _hubness(CENTRED), "CSLS": _hubness(CSLS)},
}  # fmt: skip


def draw_neutrality(measured: Sequence[MeasuredNeutrality], path: Path) -> None:
    """Write the curves of encoders as an SVG file, with intervals."""
    panels = {
        title: {
            ", ".join(filter(None, (one.encoder, name))): {
                layer.layer: interval_of(layer) for layer in one.layers
            }
            for one in measured
            for name, interval_of in curves.items()
        }
        for title, curves in PANELS.items()
    }
    draw_panels(panels, path, salt="neutrality")
