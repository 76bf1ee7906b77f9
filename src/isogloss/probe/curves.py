"""Curves over the layers as one figure: baseline, self-similarity, intra-sentence similarity, MEV.

Relative depth would hide the input layer, so the axis is the layer's number.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from isogloss.probe.geometry_result import Measured
from isogloss.probe.layers import LayerMeasures
from isogloss.probe.sampled import Sampled

PANELS: dict[str, Callable[[LayerMeasures], Sampled]] = {
    "baseline cosine of random words": lambda one: one.baseline,
    "self-similarity, adjusted": lambda one: one.self_similarity.adjusted,
    "intra-sentence similarity, adjusted": lambda one: one.intra_similarity.adjusted,
    "MEV, adjusted": lambda one: one.mev.adjusted,
}


def draw_curves(measured: Sequence[Measured], path: Path) -> None:
    """Write the curves of encoders and languages as an SVG file, with intervals."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "geometry", "font.size": 9}):
        figure = Figure(figsize=(9, 6.4), layout="constrained")
        panels = zip(figure.subplots(2, 2).flat, PANELS.items(), strict=True)
        for axes, (title, sampled_of) in panels:
            for one in measured:
                numbers = [layer.layer for layer in one.layers]
                spans = [sampled_of(layer).interval for layer in one.layers]
                (line,) = axes.plot(numbers, [span.value for span in spans], marker=".",
                                    label=f"{one.encoder}, {one.lang}")  # fmt: skip
                axes.fill_between(numbers, [span.low for span in spans],
                                  [span.high for span in spans], color=line.get_color(), alpha=0.2,
                                  linewidth=0)  # fmt: skip
            axes.axhline(0, color="0.7", linewidth=0.8, zorder=0)
            axes.set(title=title, xlabel="layer")
        figure.axes[0].legend(fontsize="small")
        figure.savefig(path, format="svg", metadata={"Date": None})
