"""Curves over the layers as one figure: baseline, self-similarity, intra-sentence similarity, MEV.

Relative depth would hide the input layer, so the axis is the layer's number.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from isogloss.probe.geometry.layers import LayerMeasures
from isogloss.probe.geometry.result import Measured
from isogloss.statistics.draws import Sampled
from isogloss.statistics.intervals import Interval

PANELS: dict[str, Callable[[LayerMeasures], Sampled]] = {
    "baseline cosine of random words": lambda one: one.baseline,
    "self-similarity, adjusted": lambda one: one.self_similarity.adjusted,
    "intra-sentence similarity, adjusted": lambda one: one.intra_similarity.adjusted,
    "MEV, adjusted": lambda one: one.mev.adjusted,
}


def draw_curves(measured: Sequence[Measured], path: Path) -> None:
    """Write the curves of encoders and languages as an SVG file, with intervals."""
    panels = {
        title: {
            f"{one.encoder}, {one.lang}": {
                layer.layer: sampled_of(layer).interval for layer in one.layers
            }
            for one in measured
        }
        for title, sampled_of in PANELS.items()
    }
    draw_panels(panels, path, salt="geometry")


def draw_panels(
    panels: Mapping[str, Mapping[str, Mapping[int, Interval]]], path: Path, *, salt: str
) -> None:
    """Write four panels as an SVG file, the same bytes for the same curves.

    Parameters
    ----------
    panels
        Title → name of a curve → layer → value with its interval.
    salt
        Of the ids within the file.
    """
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": salt, "font.size": 9}):
        figure = Figure(figsize=(9, 6.4), layout="constrained")
        drawn = zip(figure.subplots(2, 2).flat, panels.items(), strict=True)
        named: list[str] = []  # by the last legend, which holds for panels of the same curves
        for axes, (title, curves) in drawn:
            for name, spans in curves.items():
                layers = list(spans)
                values = [span.value for span in spans.values()]
                (line,) = axes.plot(layers, values, marker=".", label=name)
                axes.fill_between(layers, [span.low for span in spans.values()],
                                  [span.high for span in spans.values()], color=line.get_color(),
                                  alpha=0.2, linewidth=0)  # fmt: skip
            axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
            axes.set(title=title, xlabel="layer")
            if list(curves) != named:
                named = list(curves)
                axes.legend(fontsize="small")
        figure.savefig(path, format="svg", metadata={"Date": None})
