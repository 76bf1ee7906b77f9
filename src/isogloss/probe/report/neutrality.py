"""The part of the report that `probe neutrality` fills: how much of the language is left."""

from typing import NamedTuple

from isogloss.probe.charts.names import Names, percent
from isogloss.probe.charts.panels import (
    Section,
    folded_heat,
    folded_tables,
    key_of,
    language_heat,
    leading_heat,
    legend_of,
    panels_of,
)
from isogloss.probe.neutrality.curves import (
    CKA,
    HUBS,
    PROBES,
    SEARCHES,
    chances,
    probe_charts,
    search_charts,
)
from isogloss.probe.saved import Rows, Tables, spread
from isogloss.report.figures import is_number
from isogloss.report.heat import HeatTable

MOST_ADVICE = 4  # encoders; of more there is no advice at the top of the page
GOOD_RETRIEVAL = 0.8  # of translations found in the best layer: vectors may be used as they are
_OF_ADVICE = (
    "retrieval", "language_accuracy_low", "chance", "language_accuracy_centred",
    "language_accuracy_null_high", "centring_gain_low",
)  # fmt: skip
_COLUMNS = [
    "layer",
    *spread(*PROBES.values(), "cka", *SEARCHES.values(), "centring_gain", *HUBS.values()),
]


class NeutralityPart(NamedTuple):
    """What the page shows of language neutrality."""

    scope: str  # encoders and languages that all is about
    headline: list[str]  # what to do with the vectors, an encoder a sentence
    sections: list[Section]


def neutrality_part(rows: Tables, among: Names) -> NeutralityPart:
    """Lay out all that the page shows of it; `among`: names of the whole page."""
    of_languages = Names(rows["languages"], among)
    # Layers are of an encoder, whatever the languages.
    of_layers = Names(rows["layers"], among)
    headline = [] if len(rows["layers"]) > MOST_ADVICE else _advice(rows["layers"], of_layers)
    return NeutralityPart(of_languages.all(), headline, _sections(rows, of_layers, of_languages))


def _advice(layers: Rows, names: Names) -> list[str]:
    """Say in plain words, of each encoder, what to do with its vectors."""
    said = []
    for series, rows in layers.items():
        known = [row for row in rows if all(is_number(row[name]) for name in _OF_ADVICE)]
        if not known:
            continue
        best = max(known, key=lambda row: float(row["retrieval"]))
        who = f"{names.encoder(series.encoder)}: in" if len(layers) > 1 else "In"
        tells = best["language_accuracy_low"] > best["chance"]
        left = best["language_accuracy_centred"] > best["language_accuracy_null_high"]
        first = "the language cannot be read off a vector"
        if tells and left:
            first = "the language can be read off a vector, even without each language's mean"
        elif tells:
            first = "the language can be read off a vector; without each language's mean it is gone"
        if best["centring_gain_low"] > 0:
            advice = "Removing each language's mean finds more translations: do so."
        elif best["retrieval"] >= GOOD_RETRIEVAL:
            advice = "Translations are found all the same: use the vectors as they are."
        else:
            advice = "Many translations are not found: try another encoder, or tune this one."
        said.append(f"{who} layer {best['layer']}, the best, {first}. {advice}")
    return said


def _sections(rows: Tables, of_layers: Names, of_languages: Names) -> list[Section]:
    return [
        _identity(rows, of_layers, of_languages),
        _retrieval(rows, of_layers, of_languages),
        _similarity(rows, of_layers, of_languages),
        _shifts(rows, of_languages),
        Section(
            anchor="neutrality-figures",
            title="All figures of neutrality",
            lead="Means over languages or pairs of languages, by layer.",
            folded=folded_tables(rows["layers"], _COLUMNS, of_layers),
        ),
    ]


def _identity(rows: Tables, of_layers: Names, of_languages: Names) -> Section:
    charts = probe_charts(rows["layers"], of_layers)
    chance = chances(rows["layers"])
    return Section(
        anchor="identity",
        title="Does a vector tell its language?",
        lead="A linear probe is trained to name the language of a sentence: from vectors as they "
        "are (raw), and after subtracting each language's mean on other sentences (centred). "
        f"Chance is {' or '.join(map(percent, chance))}, but means of few sentences are noisy, and "
        "the noise tells languages apart: so the same is done with translations exchanged among "
        "the languages (nothing left). Where the line of centred vectors lies above that band, "
        "more than the means differs.",
        key=f"{charts.key} Band: the 95 % interval; of nothing left, where one more value would "
        f"lie.{' Dotted line across: chance.' if len(chance) == 1 else ''}",
        legend=charts.legend,
        panels=charts.panels,
        heats=[_heat(rows, "language_accuracy", "Share of sentences whose language the probe names",
                     of_languages)],
        folded=[folded_heat(_heat(rows, "language_accuracy_centred", "The same, centred",
                                  of_languages))],
    )  # fmt: skip


def _retrieval(rows: Tables, of_layers: Names, of_languages: Names) -> Section:
    charts = search_charts(rows["layers"], of_layers)
    return Section(
        anchor="retrieval",
        title="Is the translation the nearest sentence?",
        lead="The share of sentences whose translation is the nearest neighbour among those of the "
        "other language: by cosine (raw), after subtracting each language's mean (centred), and by "
        "CSLS, which counts against sentences that are near to many. Hubness is the skewness of "
        "how often a sentence is among the nearest: 0 where all are equally often.",
        key=f"{charts.key} Band: the 95 % interval.",
        legend=charts.legend,
        panels=charts.panels,
        heats=[_heat(rows, "retrieval_from", "Share of a language's sentences whose translation "
                     "is found", of_languages)],
        folded=[folded_heat(_heat(rows, "retrieval_from_centred", "The same, centred",
                                  of_languages))],
    )  # fmt: skip


def _similarity(rows: Tables, of_layers: Names, of_languages: Names) -> Section:
    panels = panels_of(rows["layers"], [CKA], of_layers)
    return Section(
        anchor="cka",
        title="Do languages arrange sentences alike?",
        lead="CKA compares which sentences are near which in two languages: 1 where one "
        "arrangement is a rotation and scaling of the other, 0 where they have nothing in "
        "common. Centring does not change it.",
        key=key_of(rows["layers"], of_layers),
        legend=legend_of(panels),
        panels=panels,
        heats=[_heat(rows, "cka", "Mean CKA with the other languages", of_languages)],
    )


def _shifts(rows: Tables, names: Names) -> Section:
    title = "Distance of a language's mean from the mean of the others, in units of the spread"
    return Section(
        anchor="shifts",
        title="How far does each language lie from the others?",
        lead="The spread is that of sentences about the mean of their language. Where a few "
        "dimensions make most of a distance, they are what sets the language apart.",
        heats=[_heat(rows, "shift", title, names)],
        folded=[
            folded_heat(
                leading_heat(
                    rows["languages"], "dimensions_of_shift", "shares_of_shift",
                    "The dimension with the largest part in the distance, and what part", names,
                )
            )
        ],
    )  # fmt: skip


def _heat(rows: Tables, column: str, title: str, names: Names) -> HeatTable:
    return language_heat(rows["languages"], column, title, names)
