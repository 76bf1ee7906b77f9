"""The part of the report that `probe translation` fills: one offset that translates."""

from collections import Counter
from typing import NamedTuple

from isogloss.probe.charts.names import Names, listed
from isogloss.probe.charts.panels import (
    Folded,
    Section,
    are_many,
    folded_heat,
    folded_tables,
    language_heat,
    legend_of,
    panels_of,
)
from isogloss.probe.saved import Rows, Tables, spread
from isogloss.probe.translation.curves import MEASURES
from isogloss.probe.verdicts import VERDICTS
from isogloss.report.table import Table

_COLUMNS = [
    "layer", "n", "chance",
    *spread(*(measure.column for measure in MEASURES), "in_half", "optimism"),
]  # fmt: skip


class TranslationPart(NamedTuple):
    """What the page shows of vector translation."""

    scope: str  # encoders and pairs of languages that all is about
    headline: list[str]  # which claims hold
    sections: list[Section]


def translation_part(rows: Tables, among: Names) -> TranslationPart:
    """Lay out all that the page shows of it; `among`: names of the whole page."""
    layers = rows["layers"]
    names = Names(layers, among)
    encoders = listed([names.encoder(one) for one in names.encoders], "encoders")
    pairs = listed(names.langs, "pairs of languages")
    return TranslationPart(f"{encoders} on {pairs}", _headline(rows["claims"]), [
        _section(layers, rows["claims"], names)
    ])  # fmt: skip


def _section(layers: Rows, claims: Rows, names: Names) -> Section:
    panels = panels_of(layers, MEASURES, names)
    heats = [language_heat(layers, measure.column, measure.title, names) for measure in MEASURES]
    key = "Band: the 95 % interval."
    if are_many(layers):
        key = "A line is the mean over the pairs, its band goes from the lowest to the highest."
    chance = sorted({row["n"] for rows in layers.values() for row in rows})
    return Section(
        anchor="translation",
        title="Does one offset translate sentences?",
        lead="A sentence's vector is the mean over its tokens. The mean difference of two languages"
        " is added to each vector of the first: the share of sentences whose translation is then "
        "the nearest of the second (Pires et al. 2019). Without that offset languages may lie "
        "apart; the other direction moves the second to the first. Chance is 1 in "
        f"{' or '.join(f'{n:,}' for n in chance)}. An offset of other pairs is tested among half "
        "of the sentences, which is easier: to be compared with the column in_half.",
        key=key,
        legend=legend_of(panels),
        panels=panels,
        heats=heats[:1] if are_many(layers) else [],
        folded=[
            *([_folded_claims(claims, names)] if claims else []),
            *([folded_heat(heat) for heat in heats[1:]] if are_many(layers)
              else folded_tables(layers, _COLUMNS, names)),
        ],
    )  # fmt: skip


def _folded_claims(claims: Rows, names: Names) -> Folded:
    rows = [{"measured on": names.of(series), **row} for series, some in claims.items()
            for row in some]  # fmt: skip
    columns = ["measured on", "claim", "verdict", "measured", *spread("value"), "limit"]
    return Folded("What the paper says of its Figure 3", table=Table(rows, columns=columns))


def _headline(claims: Rows) -> list[str]:
    """Return which claims hold, a sentence a verdict; of several pairs, of how many."""
    found = Counter((row["verdict"], row["claim"]) for some in claims.values() for row in some)
    said = []
    for verdict in VERDICTS:
        parts = [
            claim + ("" if n == len(claims) else f" ({n} of {len(claims)})")
            for (judged, claim), n in found.items()
            if judged == verdict
        ]
        said += [f"{verdict.capitalize()}: {'; '.join(parts)}."] if parts else []
    return said
