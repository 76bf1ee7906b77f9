"""What `probe neutrality` was asked and what it gives: tables and notes.

`FORMAT` declares the tables of its manifest.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from isogloss.limits import LARGEST_SEED, check_count
from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import legend_of, panels_of
from isogloss.probe.neutrality.curves import CKA, probe_charts, search_charts
from isogloss.probe.neutrality.layer import LayerNeutrality
from isogloss.probe.neutrality.searches import Kind
from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Number, Row, Series, Text, Whole, by_series, spread
from isogloss.report.picture import Group
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of, row_of

RAW, CENTRED, CSLS = Kind("raw", "cosine"), Kind("centred", "cosine"), Kind("raw", "CSLS")
_MINOR_OF_LAYERS = (
    "hubness_csls", "hubness_centred", "hubness", "retrieval_csls", "language_accuracy_null",
)  # fmt: skip
_MINOR_OF_LANGUAGES = (
    "dimensions_for_half", "retrieval_to_centred", "retrieval_from_centred", "retrieval_to",
    "shares_of_shift", "language_accuracy_null", "language_accuracy_centred",
)  # fmt: skip
_LAYER = {"encoder": Text, "layer": Whole}
FORMAT = Format(
    name="isogloss neutrality",
    version=3,
    command="isogloss probe neutrality",
    tables={
        "layers": _LAYER
        | {"chance": float}
        | spread("language_accuracy", "language_accuracy_centred", "language_accuracy_null",
                 "cka", "retrieval", "retrieval_centred", "centring_gain", "retrieval_csls",
                 "hubness", "hubness_centred", "hubness_csls"),
        "languages": _LAYER
        | {"lang": Text, "dimensions_of_shift": list[Whole], "shares_of_shift": list[Number]}
        | spread("shift", "language_accuracy", "language_accuracy_centred",
                 "language_accuracy_null", "cka", "retrieval_from", "retrieval_from_centred"),
    },
    unread=("retrieval", "cka"),
)  # fmt: skip


@dataclass(frozen=True)
class NeutralityOptions:
    """What is measured, the same for every encoder.

    Parameters
    ----------
    max_sentences
        Most sentences of each language, drawn at random; the work grows with their square.
    n_neighbours
        k of CSLS and of hubness.
    all_pairs
        Search in all pairs of languages, not only those with the first.
    """

    max_sentences: int = 2000
    n_neighbours: int = 10
    all_pairs: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in {"max_sentences": 8, "n_neighbours": 1}.items():
            check_count(name, getattr(self, name), least=least)
        check_count("seed", self.seed, least=0, most=LARGEST_SEED)


@dataclass(frozen=True, eq=False)
class MeasuredNeutrality:
    """One encoder on parallel text, with what must be known to read its figures."""

    encoder: str
    langs: list[str]
    n_sentences: int
    layers: list[LayerNeutrality]
    notes: list[str] = field(default_factory=list)

    @property
    def series(self) -> Series:
        """Whose rows they are, of no single language."""
        return Series(self.encoder, "")

    @property
    def best(self) -> LayerNeutrality:
        """The layer of the highest accuracy of retrieval by cosine; the first of several."""
        return max(self.layers, key=lambda layer: layer.retrieval[RAW].accuracy.value)


class NeutralityResult(ProbeResult):
    """Tables of one or several encoders on the same parallel text.

    Attributes
    ----------
    layers
        A row a layer: language probe, CKA, retrieval, hubness, with intervals.
    languages
        A row a layer and language: shift and its dimensions, language probe, CKA, retrieval.
    shown_languages
        The rows of `languages` in the best layer of retrieval, and in the last.
    retrieval
        A row a layer, kind of vectors and score.
    cka
        A row a layer and pair of languages.
    """

    format = FORMAT

    def __init__(
        self, measured: Sequence[MeasuredNeutrality], *, options: NeutralityOptions
    ) -> None:
        notes = [note for one in measured for note in one.notes]
        readings = (reading_of(one) for one in measured)
        super().__init__(measured, options=options, notes=[*notes, *readings])
        self.layers = self._add(
            "layers", measured, _by_layer(_layer_rows),
            "Centred: minus each language's mean on other sentences; null: centred languages that "
            "differ in nothing else.",
            minor=_MINOR_OF_LAYERS,
        )  # fmt: skip
        self.languages = self._add(
            "languages", measured, _by_layer(_language_rows), "Shift: in units of the spread."
        )
        shown = {(one.encoder, at.layer) for one in measured for at in (one.best, one.layers[-1])}
        self.shown_languages = Table(
            [row for row in self.languages.rows if (row["encoder"], row["layer"]) in shown],
            caption="The layer of the best retrieval, and the last. Shift: in units of the spread.",
            minor=_MINOR_OF_LANGUAGES,
        )
        self.retrieval = self._add(
            "retrieval", measured, _by_layer(_retrieval_rows), "Means over pairs of languages."
        )
        self.cka = self._add("cka", measured, _by_layer(_cka_rows), "Linear CKA, debiased.")

    def _curves(self) -> list[Group]:
        layers = by_series(self.layers.rows)
        names = Names(layers)
        cka = panels_of(layers, [CKA], names)
        charts = (probe_charts(layers, names), search_charts(layers, names))
        return [*(Group(some.legend, some.panels) for some in charts), Group(legend_of(cka), cka)]


def reading_of(one: MeasuredNeutrality) -> str:
    """Return the figures of the best layer of retrieval in one line."""
    best, chance = one.best, 1 / len(one.langs)
    found, probe = best.retrieval[RAW].accuracy, best.language_accuracy
    gain = best.retrieval[CENTRED].accuracy.minus(found).interval
    left, null = best.language_accuracy_centred, best.language_accuracy_null
    return (
        f"{one.encoder}, layer {best.layer}, the best of retrieval: translations found "
        f"{found.value:.1%}, by centring {gain.value:+.1%} [{gain.low:+.1%}, {gain.high:+.1%}]; "
        f"language named {probe.value:.1%} [{probe.low:.1%}, {probe.high:.1%}], chance "
        f"{chance:.1%}; after centring {left.value:.1%}, where nothing is left {null.low:.1%} to "
        f"{null.high:.1%}"
    )


def _by_layer(
    rows_of: Callable[[LayerNeutrality], Iterator[Row]],
) -> Callable[[MeasuredNeutrality], Iterator[Row]]:
    return lambda one: (
        {"layer": layer.layer} | row for layer in one.layers for row in rows_of(layer)
    )


def _layer_rows(layer: LayerNeutrality) -> Iterator[Row]:
    raw, centred, csls = (layer.retrieval[kind] for kind in (RAW, CENTRED, CSLS))
    yield {
        **columns_of("language_accuracy", layer.language_accuracy),
        **columns_of("language_accuracy_centred", layer.language_accuracy_centred),
        **columns_of("language_accuracy_null", layer.language_accuracy_null),
        "chance": 1 / len(layer.languages),
        **columns_of("cka", layer.cka),
        **columns_of("retrieval", raw.accuracy.interval),
        **columns_of("retrieval_centred", centred.accuracy.interval),
        **columns_of("centring_gain", centred.accuracy.minus(raw.accuracy).interval),
        **columns_of("retrieval_csls", csls.accuracy.interval),
        **columns_of("hubness", raw.hubness),
        **columns_of("hubness_centred", centred.hubness),
        **columns_of("hubness_csls", csls.hubness),
    }


def _language_rows(layer: LayerNeutrality) -> Iterator[Row]:
    return map(row_of, layer.languages)


def _retrieval_rows(layer: LayerNeutrality) -> Iterator[Row]:
    for kind, found in layer.retrieval.items():
        yield {"vectors": kind.vectors, "score": kind.score, **row_of(found)}


def _cka_rows(layer: LayerNeutrality) -> Iterator[Row]:
    return map(row_of, layer.pairs)
