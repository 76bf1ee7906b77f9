"""What `probe neutrality` was asked and what it gives: tables and notes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from isogloss.limits import LARGEST_SEED, check_count
from isogloss.probe.neutrality.layer import Kind, LayerNeutrality
from isogloss.probe.saved import Series, refuse_repeated
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of

RAW, CENTRED, CSLS = Kind("raw", "cosine"), Kind("centred", "cosine"), Kind("raw", "CSLS")
TABLES = ("layers", "languages", "retrieval", "cka")
_MINOR_OF_LAYERS = (
    "hubness_csls", "hubness_centred", "hubness", "retrieval_csls", "language_accuracy_null",
)  # fmt: skip
_MINOR_OF_LANGUAGES = (
    "dimensions_for_half", "retrieval_to_centred", "retrieval_from_centred", "retrieval_to",
    "shares_of_shift", "language_accuracy_null", "language_accuracy_centred",
)  # fmt: skip

_RowsOf = Callable[[LayerNeutrality], Iterator[dict[str, Any]]]


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
    seed
        Of everything that is drawn.

    Raises
    ------
    InputError
        For a number out of range.
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
    """One encoder on parallel text.

    Attributes
    ----------
    notes
        What must be known to read the figures.
    """

    encoder: str
    langs: list[str]
    n_sentences: int
    layers: list[LayerNeutrality]
    notes: list[str] = field(default_factory=list)

    @property
    def best(self) -> LayerNeutrality:
        """The layer of the highest accuracy of retrieval by cosine; the first of several."""
        return max(self.layers, key=lambda layer: layer.retrieval[RAW].accuracy.value)


class NeutralityResult:
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
    notes
        What must be known to read the figures, and a reading of the best layer.

    Raises
    ------
    InputError
        When an encoder is there twice.
    """

    def __init__(
        self, measured: Sequence[MeasuredNeutrality], *, options: NeutralityOptions
    ) -> None:
        self.measured = list(measured)
        refuse_repeated(Series(one.encoder, "") for one in self.measured)
        self.options = options
        said = [note for one in measured for note in one.notes]
        self.notes = [*dict.fromkeys(said), *(reading_of(one) for one in measured)]
        self.layers = self._table(
            _layer_rows,
            "Centred: minus each language's mean on other sentences; null: centred languages that "
            "differ in nothing else.",
            minor=_MINOR_OF_LAYERS,
        )  # fmt: skip
        self.languages = self._table(_language_rows, "Shift: in units of the spread.")
        shown = {(one.encoder, at.layer) for one in measured for at in (one.best, one.layers[-1])}
        self.shown_languages = Table(
            [row for row in self.languages.rows if (row["encoder"], row["layer"]) in shown],
            caption="The layer of the best retrieval, and the last. Shift: in units of the spread.",
            minor=_MINOR_OF_LANGUAGES,
        )
        self.retrieval = self._table(_retrieval_rows, "Means over pairs of languages.")
        self.cka = self._table(_cka_rows, "Linear CKA, debiased.")

    def to_json(self) -> dict[str, Any]:
        """Return all tables as JSON values."""
        return {
            "options": asdict(self.options),
            "notes": self.notes,
            **{name: getattr(self, name).rows for name in TABLES},
        }

    def _table(self, rows_of: _RowsOf, caption: str, *, minor: Sequence[str] = ()) -> Table:
        rows = [
            {"encoder": one.encoder, "layer": layer.layer, **row}
            for one in self.measured
            for layer in one.layers
            for row in rows_of(layer)
        ]
        return Table(rows, caption=caption, minor=minor)


def reading_of(one: MeasuredNeutrality) -> str:
    """Say in words what the best layer of retrieval is like."""
    best, chance = one.best, 1 / len(one.langs)
    found, probe = best.retrieval[RAW].accuracy, best.recognised
    gain = best.retrieval[CENTRED].accuracy.minus(found).interval
    change = "makes no clear difference to that"
    if verb := verb_of_gain(gain.low, gain.high):
        change = f"{verb} that by {abs(gain.value):.1%}"
    tells = "tells"
    if probe.low <= chance:
        tells = "is not shown to tell" if chance <= probe.high else "does not tell"
    left, null = best.recognised_centred.value, best.recognised_null
    return (
        f"{one.encoder}: in layer {best.layer}, the best of retrieval, the translation is the "
        f"nearest in {found.value:.1%}; centring {change}; a linear probe {tells} the language "
        f"({probe.value:.1%} right, chance {chance:.1%}; after centring {left:.1%}, "
        f"{'more than' if left > null.high else 'not more than'} the {null.low:.1%} to "
        f"{null.high:.1%} of languages that differ in their means alone)"
    )


def verb_of_gain(low: float, high: float) -> str:
    """Return what centring does to retrieval by the interval of the gain; empty: nothing clear.

    Examples
    --------
    >>> verb_of_gain(0.01, 0.03), verb_of_gain(-0.03, -0.01), verb_of_gain(-0.01, 0.01)
    ('raises', 'lowers', '')
    """
    return "raises" if low > 0 else "lowers" if high < 0 else ""


def _layer_rows(layer: LayerNeutrality) -> Iterator[dict[str, Any]]:
    raw, centred, csls = (layer.retrieval[kind] for kind in (RAW, CENTRED, CSLS))
    yield {
        **columns_of("language_accuracy", layer.recognised),
        **columns_of("language_accuracy_centred", layer.recognised_centred),
        **columns_of("language_accuracy_null", layer.recognised_null),
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


def _language_rows(layer: LayerNeutrality) -> Iterator[dict[str, Any]]:
    for one in layer.languages:
        yield {
            "lang": one.lang,
            **columns_of("shift", one.shift),
            "dimensions_of_shift": one.dimensions,
            "shares_of_shift": one.shares,
            "dimensions_for_half": one.n_for_half,
            **columns_of("language_accuracy", one.recognised),
            **columns_of("language_accuracy_centred", one.recognised_centred),
            **columns_of("language_accuracy_null", one.recognised_null),
            **columns_of("cka", one.cka),
            **columns_of("retrieval_from", one.queries),
            **columns_of("retrieval_from_centred", one.queries_centred),
            **columns_of("retrieval_to", one.targets),
            **columns_of("retrieval_to_centred", one.targets_centred),
        }


def _retrieval_rows(layer: LayerNeutrality) -> Iterator[dict[str, Any]]:
    for kind, found in layer.retrieval.items():
        yield {
            "vectors": kind.vectors,
            "score": kind.score,
            **columns_of("accuracy", found.accuracy.interval),
            **columns_of("accuracy_forwards", found.forwards.interval),
            **columns_of("accuracy_back", found.back.interval),
            **columns_of("hubness", found.hubness),
        }


def _cka_rows(layer: LayerNeutrality) -> Iterator[dict[str, Any]]:
    for pair in layer.pairs:
        yield {"lang": pair.lang, "other": pair.other, **columns_of("cka", pair.cka)}
