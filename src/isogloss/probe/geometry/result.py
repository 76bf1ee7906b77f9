"""What `probe geometry` was asked and what it gives: tables and notes.

`FORMAT` declares the tables of its manifest.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from isogloss.limits import LARGEST_SEED, check_count
from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import legend_of, panels_of
from isogloss.probe.geometry.claims import CLAIMS
from isogloss.probe.geometry.curves import LAYERS
from isogloss.probe.geometry.layers import LayerMeasures, WordMeasures
from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Number, Series, Text, Whole, by_series, spread
from isogloss.probe.verdicts import VERDICTS, Claim, explained
from isogloss.report.picture import Group
from isogloss.statistics.draws import columns_of

N_EXTREMES = 10
_MINOR = (
    "norm_deviation", "norm", "mev_released", "mev_centred_baseline", "mev_baseline",
    "mev_centred", "mev", "intra_similarity", "self_similarity",
)  # fmt: skip
_LINE = {"encoder": Text, "lang": Text}
_LAYER = _LINE | {"layer": Whole}
FORMAT = Format(
    name="isogloss geometry",
    version=3,
    command="isogloss probe geometry",
    tables={
        "layers": _LAYER
        | spread("baseline", "self_similarity_adjusted", "intra_similarity_adjusted",
                 "mev_adjusted", "mev_centred_adjusted", "mev_released_adjusted")
        | {"norm": Number, "norm_deviation": Number},
        "isotropy": _LAYER
        | spread("baseline", "participation_ratio", "isoscore")
        | {"log10_partition": Number, "rogue_dimensions": list[Whole],
           "shares_of_cosine": list[Number]},
        "transforms": _LAYER | {"transform": Text, "baseline": Number, "isoscore": Number},
        "extremes": _LINE
        | {"context_specific": Literal["most", "least"], "word": Text, "n": Whole,
           "self_similarity": Number},
        "claims": _LINE
        | {"claim": Literal[CLAIMS], "verdict": Literal[VERDICTS], "measured": Text,
           "limit": float}
        | spread("value"),
    },
)  # fmt: skip


@dataclass(frozen=True)
class GeometryOptions:
    """What is drawn of a text, the same for every encoder.

    Parameters
    ----------
    min_contexts
        Least number of different sentences of a word, 2 or more.
    max_contexts
        Most occurrences of a word for MEV; self-similarity is over all.
    """

    min_contexts: int = 5
    max_words: int = 1000
    max_contexts: int = 50
    n_random: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        bounds = {"min_contexts": 2, "max_words": 1, "max_contexts": 2, "n_random": 2}
        for name, least in bounds.items():
            check_count(name, getattr(self, name), least=least)
        check_count("seed", self.seed, least=0, most=LARGEST_SEED)


@dataclass(frozen=True, eq=False)
class Measured:
    """One encoder on one language, with what must be known to read its figures."""

    encoder: str
    lang: str
    layers: list[LayerMeasures]
    words: WordMeasures
    claims: list[Claim]
    notes: list[str] = field(default_factory=list)

    @property
    def series(self) -> Series:
        """Whose rows they are."""
        return Series(self.encoder, self.lang)


class GeometryResult(ProbeResult):
    """Tables of one or several encoders and languages.

    Attributes
    ----------
    layers
        A row a layer: baseline, self-similarity, intra-sentence similarity and MEV, each raw and
        minus its baseline, with intervals; norms.
    isotropy
        A row a layer: participation ratio, IsoScore, I(W), rogue dimensions.
    transforms
        A row a layer and transform.
    words
        A row a word and layer.
    extremes
        The words whose self-similarity, averaged over the layers above the input, is least (most
        context-specific) and greatest.
    claims
        The paper's claims, each with a verdict.
    """

    format = FORMAT

    def __init__(self, measured: Sequence[Measured], *, options: GeometryOptions) -> None:
        notes = (note for one in measured for note in one.notes)
        super().__init__(measured, options=options, notes=notes)
        self.layers = self._add(
            "layers", measured, _layer_rows, "Adjusted: minus the baseline.", minor=_MINOR
        )
        self.isotropy = self._add(
            "isotropy", measured, _isotropy_rows,
            "Of the vectors of random words. Shares only where the baseline's interval excludes 0.",
        )  # fmt: skip
        self.transforms = self._add(
            "transforms", measured, _transform_rows,
            "Fitted on random words of one half of the sentences, measured on the other.",
        )  # fmt: skip
        self.words = self._add("words", measured, _word_rows, "A row a word and layer.")
        self.extremes = self._add(
            "extremes", measured, _extreme_rows, "Self-similarity: mean of the layers above 0."
        )
        self.claims = self._add(
            "claims", measured, lambda one: map(asdict, one.claims),
            explained({claim.verdict for one in measured for claim in one.claims}),
        )  # fmt: skip

    def _curves(self) -> list[Group]:
        rows = by_series(self.layers.rows)
        panels = panels_of(rows, LAYERS, Names(rows))
        return [Group(legend_of(panels), panels)]


def _layer_rows(one: Measured) -> list[dict[str, Any]]:
    return [
        {
            "layer": layer.layer,
            **columns_of("baseline", layer.baseline.interval),
            **columns_of("self_similarity", layer.self_similarity.raw.interval),
            **columns_of("self_similarity_adjusted", layer.self_similarity.adjusted.interval),
            **columns_of("intra_similarity", layer.intra_similarity.raw.interval),
            **columns_of("intra_similarity_adjusted", layer.intra_similarity.adjusted.interval),
            "mev": layer.mev.raw.value,
            "mev_baseline": layer.mev.baseline.value,
            **columns_of("mev_adjusted", layer.mev.adjusted.interval),
            "mev_centred": layer.mev_centred.raw.value,
            "mev_centred_baseline": layer.mev_centred.baseline.value,
            **columns_of("mev_centred_adjusted", layer.mev_centred.adjusted.interval),
            "mev_released": layer.mev_released.raw.value,
            **columns_of("mev_released_adjusted", layer.mev_released.adjusted.interval),
            "norm": layer.norm,
            "norm_deviation": layer.norm_deviation,
        }
        for layer in one.layers
    ]


def _isotropy_rows(one: Measured) -> list[dict[str, Any]]:
    return [
        {
            "layer": layer.layer,
            **columns_of("baseline", layer.baseline.interval),
            **columns_of("participation_ratio", layer.isotropy.participation_ratio),
            **columns_of("isoscore", layer.isotropy.isoscore),
            "log10_partition": layer.isotropy.log10_partition,
            **_rogue_columns(layer),
        }
        for layer in one.layers
    ]


def _rogue_columns(layer: LayerMeasures) -> dict[str, list[float]]:
    """Return dimensions and shares of the baseline; of one that may be 0 there are no shares."""
    baseline, found = layer.baseline.interval, layer.isotropy
    rogues = found.rogues if baseline.low > 0 or baseline.high < 0 else []
    return {
        "rogue_dimensions": [one.dimension for one in rogues],
        "shares_of_cosine": [one.share.value for one in rogues],
        "shares_of_cosine_low": [one.share.low for one in rogues],
        "shares_of_cosine_high": [one.share.high for one in rogues],
    }


def _transform_rows(one: Measured) -> list[dict[str, Any]]:
    return [
        {"layer": layer.layer, **asdict(effect)}
        for layer in one.layers
        for effect in layer.transforms
    ]


def _word_rows(one: Measured) -> list[dict[str, Any]]:
    words = one.words
    return [
        {
            "layer": layer.layer,
            "word": name,
            "n": words.counts[at],
            "self_similarity": words.self_similarity[layer.layer, at],
            "self_similarity_adjusted": words.self_similarity[layer.layer, at]
            - layer.baseline.value,
            "n_mev": words.n_vectors[at],
            "mev": words.mev[layer.layer, at],
            "mev_centred": words.mev_centred[layer.layer, at],
            "mev_released": words.mev_released[layer.layer, at],
        }
        for layer in one.layers
        for at, name in enumerate(words.words)
    ]


def _extreme_rows(one: Measured) -> list[dict[str, Any]]:
    means = one.words.self_similarity[1:].mean(0) if len(one.layers) > 1 else (
        one.words.self_similarity[0]
    )  # fmt: skip
    order = np.argsort(means, kind="stable")
    n_shown = min(N_EXTREMES, len(order) // 2) or len(order)
    rows = []
    for kind, some in (("most", order[:n_shown]), ("least", order[::-1][:n_shown])):
        rows += [
            {"context_specific": kind, "word": one.words.words[at], "n": one.words.counts[at],
             "self_similarity": means[at]}
            for at in some
        ]  # fmt: skip
    return rows
