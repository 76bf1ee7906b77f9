"""The part of the report that `probe neutrality` fills: how much of the language is left."""

from collections.abc import Mapping
from typing import NamedTuple

from isogloss.probe.neutrality.result import verb_of_gain
from isogloss.probe.neutrality.saved import NeutralityRows
from isogloss.probe.report.parts import (
    Measure,
    Rows,
    Section,
    curves_of,
    folded_heat,
    folded_tables,
    grouped,
    heat_of_languages,
    heat_of_leading,
    key_of,
    legend_of,
    names_of,
    points_of,
    shown_panel,
)
from isogloss.probe.report.sentences import (
    MOST_SENTENCES,
    Names,
    by_encoder,
    number,
    percent,
    value_of_last_layer,
    with_interval,
)
from isogloss.probe.report.variants import VariantCharts, charts_of
from isogloss.probe.saved import Row
from isogloss.report.figures import is_number
from isogloss.report.heat import HeatTable, HeatValue, heat_of

MOST_COLUMNS_OF_DIMENSIONS = 13  # wider cells than elsewhere

_PROBES = {
    "raw": "language_accuracy",
    "centred": "language_accuracy_centred",
    "nothing left": "language_accuracy_null",
}
_SEARCHES = {"raw": "retrieval", "centred": "retrieval_centred", "CSLS": "retrieval_csls"}
_HUBS = {"raw": "hubness", "centred": "hubness_centred", "CSLS": "hubness_csls"}
_COLUMNS = [
    "layer",
    *(
        f"{column}{end}"
        for column in (*_PROBES.values(), "cka", *_SEARCHES.values(), "centring_gain",
                       *_HUBS.values())
        for end in ("", "_low", "_high")
    ),
]  # fmt: skip
_CKA = Measure("cka", "CKA, mean over pairs", "CKA is {}")


class NeutralityPart(NamedTuple):
    """What the page shows of language neutrality.

    Attributes
    ----------
    scope
        Encoders and languages that all is about.
    headline
        What it says in short.
    """

    scope: str
    headline: list[str]
    sections: list[Section]


def neutrality_part(rows: NeutralityRows, among: Names) -> NeutralityPart:
    """Lay out all that the page shows of it; `among`: names of the whole page."""
    of_languages = Names(rows.languages, among)
    # Layers are of an encoder, whatever the languages.
    of_layers = Names(rows.layers, among)
    headline = [] if len(rows.layers) > MOST_SENTENCES else [
        *_advice(rows.layers, of_layers),
        *_about_probe(rows.layers, of_layers), *_about_centring(rows.layers, of_layers)
    ]  # fmt: skip
    return NeutralityPart(of_languages.all(), headline, _sections(rows, of_layers, of_languages))


GOOD_RETRIEVAL = 0.8  # of translations found in the best layer: vectors may be used as they are
_OF_ADVICE = (
    "retrieval", "language_accuracy_low", "chance", "language_accuracy_centred",
    "language_accuracy_null_high", "centring_gain_low",
)  # fmt: skip


def _advice(layers: Rows, names: Names) -> list[str]:
    """Say in plain words, of each encoder, what to do with its vectors."""
    said = []
    for series, rows in layers.items():
        known = [row for row in rows if all(is_number(row[name]) for name in _OF_ADVICE)]
        if not known:
            continue
        best = max(known, key=lambda row: float(row["retrieval"]))
        who = f"{names.encoder(series.encoder)}: " if len(layers) > 1 else ""
        tells = best["language_accuracy_low"] > best["chance"]
        left = best["language_accuracy_centred"] > best["language_accuracy_null_high"]
        first = "the language cannot be read off a vector"
        if tells and left:
            first = "the language can be read off a vector, even without each language's mean"
        elif tells:
            first = "the language can be read off a vector; without each language's mean it is gone"
        where = f"In layer {best['layer']}, the best, {first}. "
        if best["centring_gain_low"] > 0:
            advice = "Removing each language's mean finds more translations: do so."
        elif best["retrieval"] >= GOOD_RETRIEVAL:
            advice = "Translations are found all the same: use the vectors as they are."
        else:
            advice = "Many translations are not found: try another encoder, or tune this one."
        said.append(f"{who}{where}{advice}")
    return said


def _sections(rows: NeutralityRows, of_layers: Names, of_languages: Names) -> list[Section]:
    return [
        _identity(rows, of_layers, of_languages),
        _retrieval(rows, of_layers, of_languages),
        _similarity(rows, of_layers, of_languages),
        _shifts(rows, of_languages),
        Section(
            anchor="neutrality-figures",
            title="All figures of neutrality",
            lead="Means over languages or pairs of languages, by layer.",
            folded=folded_tables(rows.layers, _COLUMNS, of_layers),
        ),
    ]


def _identity(rows: NeutralityRows, of_layers: Names, of_languages: Names) -> Section:
    chance = sorted({row["chance"] for some in rows.layers.values() for row in some})
    level = chance[0] if len(chance) == 1 else None
    charts = _charts("Language probe, accuracy", rows, _PROBES, of_layers, level=level)
    said = " or ".join(percent(one) for one in chance)
    return Section(
        anchor="identity",
        title="Does a vector tell its language?",
        lead="A linear probe is trained to name the language of a sentence: from vectors as they "
        "are (raw), and behind the subtraction of each language's mean on other sentences "
        f"(centred). Chance is {said}, but means of few sentences are noisy, and the noise tells "
        "languages apart. So the same is done with languages that differ in nothing but their "
        "means: the translations of each sentence are exchanged among them (nothing left). "
        "Where the line of centred vectors lies above that band, more than the means differs.",
        key=f"{charts.key} Band: the 95 % interval; of nothing left, where one more value would "
        f"lie.{' Dotted line across: chance.' if level is not None else ''}",
        legend=charts.legend,
        panels=charts.panels,
        heats=[_heat(rows, "language_accuracy", "Share of sentences whose language the probe names",
                     of_languages)],
        folded=[folded_heat(_heat(rows, "language_accuracy_centred", "The same, centred",
                                  of_languages))],
    )  # fmt: skip


def _retrieval(rows: NeutralityRows, of_layers: Names, of_languages: Names) -> Section:
    found = _charts("Retrieval, accuracy", rows, _SEARCHES, of_layers)
    hubs = _charts("Hubness", rows, _HUBS, of_layers)
    return Section(
        anchor="retrieval",
        title="Is the translation the nearest sentence?",
        lead="Retrieval is right where a sentence's translation is its nearest neighbour among "
        "those of the other language: by cosine (raw), behind the subtraction of each language's "
        "mean (centred), and by CSLS, which counts against sentences that are near to many. "
        "Hubness is the skewness of how often a sentence is among the nearest: 0 where all are "
        "equally often.",
        key=f"{found.key} Band: the 95 % interval.",
        legend=found.legend,
        panels=[*found.panels, *hubs.panels],
        readings=_about_centring(rows.layers, of_layers),
        heats=[_heat(rows, "retrieval_from", "Share of a language's sentences whose translation "
                     "is found", of_languages)],
        folded=[folded_heat(_heat(rows, "retrieval_from_centred", "The same, centred",
                                  of_languages))],
    )  # fmt: skip


def _similarity(rows: NeutralityRows, of_layers: Names, of_languages: Names) -> Section:
    return Section(
        anchor="cka",
        title="Do languages arrange sentences alike?",
        lead="CKA compares which sentences are near which in two languages: 1 where one "
        "arrangement is a rotation and scaling of the other, 0 where they have nothing in "
        "common. Centring does not change it.",
        key=key_of(rows.layers, of_layers),
        legend=legend_of(names_of(curves_of(rows.layers, "cka", of_layers))),
        panels=[shown_panel(rows.layers, _CKA, of_layers)],
        heats=[_heat(rows, "cka", "Mean CKA with the other languages", of_languages)],
    )


def _shifts(rows: NeutralityRows, names: Names) -> Section:
    title = "Distance of a language's mean from the mean of the others, in units of the spread"
    return Section(
        anchor="shifts",
        title="How far does each language lie from the others?",
        lead="The spread is that of sentences about the mean of their language. Where a few "
        "dimensions make most of a distance, they are what sets the language apart.",
        readings=[
            f"{f'{names.encoder(encoder)}: in' if encoder and len(names.encoders) > 1 else 'In'} "
            f"the last layer the distance is {value_of_last_layer(some, 'shift', names)}."
            for encoder, some in by_encoder(rows.languages).items()
            if value_of_last_layer(some, "shift", names)
        ],
        heats=[_heat(rows, "shift", title, names)],
        folded=[
            folded_heat(
                heat_of(
                    "The dimension with the largest part in the distance, and what part",
                    grouped(rows.languages, names, _leading_dimension),
                    most_columns=MOST_COLUMNS_OF_DIMENSIONS,
                )
            )
        ],
    )


def _charts(
    title: str, rows: NeutralityRows, columns: Mapping[str, str], names: Names, *,
    level: float | None = None,
) -> VariantCharts:  # fmt: skip
    variants = {
        names.encoder(series.encoder): {
            kind: points_of(some, column) for kind, column in columns.items()
        }
        for series, some in rows.layers.items()
    }
    return charts_of(title, variants, variant="kind of vectors or score", level=level)


def _heat(rows: NeutralityRows, column: str, title: str, names: Names) -> HeatTable:
    return heat_of_languages(rows.languages, Measure(column, title, "{}"), names)


def _about_probe(layers: Rows, names: Names) -> list[str]:
    """Say how much of the language the last layer shows, with and without the means."""
    sentences = []
    for series, rows in layers.items():
        last = rows[-1]
        who = f"{names.encoder(series.encoder)}: a" if len(layers) > 1 else "A"
        sentences.append(
            f"{who} linear probe names the language in the last layer ({last['layer']}) with "
            f"accuracy {with_interval(last, 'language_accuracy')}, centred "
            f"{with_interval(last, 'language_accuracy_centred')}, with nothing left but means "
            f"{with_interval(last, 'language_accuracy_null')}; chance is "
            f"{number(last['chance'])}."
        )
    return sentences


def _about_centring(layers: Rows, names: Names) -> list[str]:
    """Say what centring does to retrieval in the layer where retrieval is best."""
    sentences = []
    for rows in layers.values():
        known = [row for row in rows if is_number(row["retrieval"])]
        if not known:
            continue
        best = max(known, key=lambda row: row["retrieval"])
        who = f"{names.encoder(best['encoder'])}: retrieval" if len(layers) > 1 else "Retrieval"
        sentences.append(
            f"{who} is best in layer {best['layer']}, {with_interval(best, 'retrieval')}; "
            f"{_change(best)}."
        )
    return sentences


def _change(row: Row) -> str:
    gain, low, high = (row[f"centring_gain{end}"] for end in ("", "_low", "_high"))
    if not (is_number(gain) and is_number(low) and is_number(high)):
        return "what centring changes is not known"
    if verb := verb_of_gain(low, high):
        return f"centring {verb} it there: {with_interval(row, 'centring_gain')}"
    return f"centring makes no clear difference there ({with_interval(row, 'centring_gain')})"


def _leading_dimension(row: Row) -> HeatValue:
    return heat_of_leading(row, "dimensions_of_shift", "shares_of_shift")
