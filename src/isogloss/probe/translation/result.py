"""What `probe translation` was asked and what it gives: tables and notes.

`FORMAT` declares the tables of its manifest.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from isogloss.limits import LARGEST_SEED, check_count
from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import legend_of, panels_of
from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Row, Series, Text, Whole, by_series, spread
from isogloss.probe.translation.claims import CLAIMS
from isogloss.probe.translation.curves import MEASURES
from isogloss.probe.verdicts import VERDICTS, explained
from isogloss.report.picture import Group

_MINOR = ("n", "csls", "in_half", "held_out", "cosine", "accuracy_back", "optimism")
_PAIR = {"encoder": Text, "lang": Text, "other": Text}
FORMAT = Format(
    name="isogloss translation",
    version=1,
    command="isogloss probe translation",
    tables={
        "layers": _PAIR
        | {"layer": Whole, "n": Whole, "chance": float}
        | spread("accuracy", "accuracy_back", "without_offset", "cosine", "csls", "in_half",
                 "held_out", "optimism"),
        "claims": _PAIR
        | {"claim": Literal[CLAIMS], "verdict": Literal[VERDICTS], "measured": Text,
           "limit": float}
        | spread("value"),
    },
    unread=("searches",),
)  # fmt: skip


@dataclass(frozen=True)
class TranslationOptions:
    """What is measured, the same for every encoder and pair of languages.

    Parameters
    ----------
    max_pairs
        Most pairs of sentences of two languages, drawn at random: 5,000, as in the paper. The work
        and the memory grow with their square.
    n_neighbours
        k of CSLS.
    """

    max_pairs: int = 5000
    n_neighbours: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in {"max_pairs": 4, "n_neighbours": 1}.items():
            check_count(name, getattr(self, name), least=least)
        check_count("seed", self.seed, least=0, most=LARGEST_SEED)


@dataclass(frozen=True)
class MeasuredTranslation:
    """One encoder on the pairs of two languages.

    Attributes
    ----------
    tables
        Rows by the name of their table: ``layers``, ``searches`` and ``claims``.
    notes
        What must be known to read the figures.
    omissions
        What was left out, as it was said.
    """

    encoder: str
    lang: str
    other: str
    tables: dict[str, list[Row]]
    notes: list[str] = field(default_factory=list)
    omissions: list[str] = field(default_factory=list)

    @property
    def series(self) -> Series:
        """Whose rows they are."""
        return Series(self.encoder, self.lang, self.other)


class TranslationResult(ProbeResult):
    """Tables of one or several encoders and pairs of languages.

    Attributes
    ----------
    layers
        A row a layer: accuracy as in Figure 3, and with other directions, scores and offsets.
    searches
        A row a layer, offset, set of sentences and score, with both directions.
    claims
        Verdicts on what the paper says of the figure.
    """

    format = FORMAT

    def __init__(
        self, measured: Sequence[MeasuredTranslation], *, options: TranslationOptions
    ) -> None:
        notes = [note for one in measured for note in one.notes]
        super().__init__(measured, options=options, notes=notes)
        self.layers = self._add(
            "layers", measured, lambda one: one.tables["layers"],
            "accuracy: with the mean offset added, is the translation the nearest by L2? in_half "
            "and held_out: among half of the sentences.",
            minor=_MINOR,
        )  # fmt: skip
        self.searches = self._add("searches", measured, lambda one: one.tables["searches"], "")
        rows = [row for one in measured for row in one.tables["claims"]]
        self.claims = self._add(
            "claims", measured, lambda one: one.tables["claims"],
            explained({row["verdict"] for row in rows}),
        )  # fmt: skip

    def _curves(self) -> list[Group]:
        layers = by_series(self.layers.rows)
        panels = panels_of(layers, MEASURES, Names(layers))
        return [Group(legend_of(panels), panels)]
