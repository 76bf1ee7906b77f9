"""The part of the report that `probe geometry` fills: claims, layers, isotropy, words."""

from collections.abc import Sequence
from typing import NamedTuple

from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import (
    Section,
    are_many,
    folded_heat,
    folded_tables,
    in_groups,
    key_of,
    language_heat,
    leading_heat,
    legend_of,
    means_by_layer,
    panels_of,
)
from isogloss.probe.charts.variants import Variants, charts_of, table_of
from isogloss.probe.geometry.curves import ISOTROPY, LAYERS, LENGTH
from isogloss.probe.report.claims import ShownClaim, shown_claims
from isogloss.probe.saved import Row, Rows, Series, Tables, spread
from isogloss.report.lines import Point

_SHADED = 2  # of the measures by layer, whose tables are open; the others are folded
_LAYER_COLUMNS = [
    "layer", *spread(*(measure.column for measure in LAYERS), "mev_released_adjusted"), "norm",
    "norm_deviation",
]  # fmt: skip
_ISOTROPY_COLUMNS = [
    "layer", *spread("baseline", "participation_ratio", "isoscore"), "log10_partition",
    "rogue_dimensions", "shares_of_cosine",
]  # fmt: skip


class WordList(NamedTuple):
    """The most and the least context-specific words, each with its self-similarity."""

    name: str
    lang: str
    most: list[tuple[str, float | None]]
    least: list[tuple[str, float | None]]


class GeometryPart(NamedTuple):
    """What the page shows of the geometry."""

    scope: str  # encoders and languages that all is about
    claims: list[ShownClaim]
    groups: dict[str, dict[str, Series]]  # of encoders and languages; see `in_groups`
    sections: list[Section]
    words: list[WordList]


def geometry_part(rows: Tables, among: Names) -> GeometryPart:
    """Lay out all that the page shows of the geometry; `among`: names of the whole page."""
    names = Names(rows["layers"], among)
    return GeometryPart(
        scope=names.all(),
        claims=shown_claims(rows["claims"]),
        groups=in_groups(rows["layers"], names),
        sections=[
            _layers_section(rows["layers"], names),
            _isotropy_section(rows, names),
            *_transforms_section(rows["transforms"], names),
        ],
        words=[_word_list(series, some, names) for series, some in rows["extremes"].items()],
    )


def _layers_section(rows: Rows, names: Names) -> Section:
    panels = panels_of(rows, LAYERS, names)
    heats = [language_heat(rows, measure.column, measure.title, names) for measure in LAYERS]
    return Section(
        anchor="layers",
        title="Layer by layer",
        lead="Layer 0 is the input, before the first layer. The baseline is what vectors of words "
        "have in common whatever the words, so the other measures are shown minus theirs "
        "(adjusted).",
        key=key_of(rows, names),
        legend=legend_of(panels),
        panels=panels,
        heats=heats[:_SHADED] if are_many(rows) else [],
        folded=[folded_heat(heat) for heat in heats[_SHADED:]]
        if are_many(rows) else folded_tables(rows, _LAYER_COLUMNS, names),
    )  # fmt: skip


def _isotropy_section(rows: Tables, names: Names) -> Section:
    isotropy = rows["isotropy"]
    panels = [*panels_of(isotropy, ISOTROPY, names), *panels_of(rows["layers"], [LENGTH], names)]
    drawn = [*((isotropy, measure) for measure in ISOTROPY), (rows["layers"], LENGTH)]
    return Section(
        anchor="isotropy",
        title="How evenly the space is filled",
        lead="IsoScore and the participation ratio are about the mean, and do not see what all "
        "vectors have in common: the baseline does. A rogue dimension is one that makes a large "
        "part of the baseline cosine; parts are given where the interval of the baseline excludes "
        "0.",
        key=key_of(isotropy, names),
        legend=legend_of(panels),
        panels=panels,
        heats=[
            leading_heat(
                isotropy, "rogue_dimensions", "shares_of_cosine",
                "The dimension with the largest part in the baseline cosine, and what part", names,
            )
        ],
        folded=[
            folded_heat(language_heat(of, measure.column, measure.title, names))
            for of, measure in drawn
        ] if are_many(isotropy) else folded_tables(isotropy, _ISOTROPY_COLUMNS, names),
    )  # fmt: skip


def _transforms_section(rows: Rows, names: Names) -> list[Section]:
    """Return the section, or nothing where no transform could be fitted."""
    if not rows:
        return []
    measures = {"Baseline cosine": "baseline", "IsoScore": "isoscore"}
    values = {title: _by_transform(rows, column, names) for title, column in measures.items()}
    charts = [charts_of(title, some, variant="transform") for title, some in values.items()]
    return [
        Section(
            anchor="transforms",
            title="What transforms do",
            lead="Each is fitted on random words of one half of the sentences and measured on the "
            "other half: centring takes the mean away, z-scores also the scale of each "
            "dimension, whitening the correlations too, all-but-the-top the mean and the "
            "strongest directions."
            + (" Values are means over languages." if len(names.langs) > 1 else ""),
            key=charts[0].key,
            legend=charts[0].legend,
            panels=[panel for chart in charts for panel in chart.panels],
            folded=[
                folded_heat(table_of(f"{title} after each transform", some))
                for title, some in values.items()
            ],
        )
    ]


def _by_transform(rows: Rows, column: str, names: Names) -> Variants:
    """Return means over the languages of an encoder in which a transform could be fitted."""
    found: dict[str, dict[str, list[Row]]] = {}
    for series, some in rows.items():
        of_encoder = found.setdefault(names.encoder(series.encoder), {})
        for row in some:
            kind = "no transform" if row["transform"] == "none" else row["transform"]
            of_encoder.setdefault(kind, []).append(row)
    return {
        encoder: {
            kind: [Point(mean.x, mean.value) for mean in means_by_layer(some, column)]
            for kind, some in kinds.items()
        }
        for encoder, kinds in found.items()
    }


def _word_list(series: Series, rows: Sequence[Row], names: Names) -> WordList:
    most, least = (
        [(row["word"], row["self_similarity"]) for row in rows if row["context_specific"] == kind]
        for kind in ("most", "least")
    )
    return WordList(names.of(series), series.lang, most, least)
