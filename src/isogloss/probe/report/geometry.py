"""The part of the report that `probe geometry` fills: claims, layers, isotropy, words."""

from collections.abc import Sequence
from typing import NamedTuple

from isogloss.probe.geometry.saved import GeometryRows
from isogloss.probe.report.claims import ClaimLine, ShownClaim, shown_claims
from isogloss.probe.report.parts import (
    Measure,
    Rows,
    Section,
    are_many,
    curves_of,
    folded_heat,
    folded_tables,
    grouped,
    heat_of_languages,
    heat_of_leading,
    in_groups,
    key_of,
    leading_of,
    legend_of,
    names_of,
    shown_panel,
)
from isogloss.probe.report.sentences import MOST_SENTENCES, Names, percent
from isogloss.probe.report.transforms import transforms_section
from isogloss.probe.saved import Row, Series
from isogloss.report.heat import heat_of
from isogloss.report.page import name_of_language

_SHADED = 2  # of the measures by layer, whose tables are open; the others are folded
_ROGUE_COLUMNS = 13  # wider cells than elsewhere
_ROGUES = ("rogue_dimensions", "shares_of_cosine")

LAYERS = (
    Measure("baseline", "Baseline: cosine of random words",
            "two random words of different sentences have a cosine of {}"),
    Measure("self_similarity_adjusted", "Self-similarity, adjusted",
            "the cosine of two occurrences of a word, minus the baseline, is {}"),
    Measure("intra_similarity_adjusted", "Intra-sentence similarity, adjusted",
            "the cosine of a sentence's words with their mean, minus the baseline, is {}"),
    Measure("mev_adjusted", "Explained variance (MEV), adjusted",
            "the share of a word's variance that one direction explains, minus that of random "
            "words, is {}"),
    Measure("mev_centred_adjusted", "Explained variance about the mean, adjusted",
            "the share of a word's variance about its mean that one direction explains, minus "
            "that of random words, is {}"),
)  # fmt: skip
ISOTROPY = (
    Measure("isoscore", "IsoScore", "IsoScore is {}"),
    Measure("participation_ratio", "Participation ratio", "the participation ratio is {}"),
)
LENGTH = Measure("norm", "Length of vectors", "vectors of random words have a mean length of {}")


class WordList(NamedTuple):
    """The most and the least context-specific words, each with its self-similarity."""

    name: str
    lang: str
    most: list[tuple[str, float | None]]
    least: list[tuple[str, float | None]]


class GeometryPart(NamedTuple):
    """What the page shows of the geometry.

    Attributes
    ----------
    scope
        Encoders and languages that all is about.
    verdicts
        Encoder, or an empty name → encoder or language → a line a claim, None where it was not
        judged.
    """

    scope: str
    claims: list[ShownClaim]
    verdicts: dict[str, dict[str, list[ClaimLine | None]]]
    sections: list[Section]
    words: list[WordList]


def geometry_part(rows: GeometryRows, among: Names) -> GeometryPart:
    """Lay out all that the page shows of the geometry; `among`: names of the whole page."""
    names = Names(rows.layers, among)
    claims = shown_claims(rows.claims, names)
    return GeometryPart(
        scope=names.all(),
        claims=claims,
        verdicts={
            group: {
                label: [
                    next((line for line in claim.lines if line.series == series), None)
                    for claim in claims
                ]
                for label, series in lines.items()
            }
            for group, lines in in_groups(rows.layers, names).items()
        },
        sections=[
            _layers_section(rows.layers, names),
            _isotropy_section(rows, names),
            *transforms_section(rows.transforms, names),
        ],
        words=[_word_list(series, some, names) for series, some in rows.extremes.items()],
    )


def _layers_section(rows: Rows, names: Names) -> Section:
    heats = [heat_of_languages(rows, measure, names) for measure in LAYERS]
    columns = ["layer", *(f"{measure.column}{end}" for measure in LAYERS
                          for end in ("", "_low", "_high")),
               "mev_released_adjusted", "mev_released_adjusted_low", "mev_released_adjusted_high",
               "norm", "norm_deviation"]  # fmt: skip
    return Section(
        anchor="layers",
        title="Layer by layer",
        lead="Layer 0 is the input, before the first layer. The baseline is what vectors of words "
        "have in common whatever the words: cosines are to be read as differences from it, and "
        "so the other measures are shown minus their baseline (adjusted).",
        key=key_of(rows, names),
        legend=legend_of(names_of(curves_of(rows, LAYERS[0].column, names))),
        panels=[shown_panel(rows, measure, names) for measure in LAYERS],
        heats=heats[:_SHADED] if are_many(rows) else [],
        folded=[folded_heat(heat) for heat in heats[_SHADED:]]
        if are_many(rows) else folded_tables(rows, columns, names),
    )  # fmt: skip


def _isotropy_section(rows: GeometryRows, names: Names) -> Section:
    isotropy = rows.isotropy
    columns = ["layer",
               *(f"{column}{end}" for column in ("baseline", "participation_ratio", "isoscore")
                 for end in ("", "_low", "_high")),
               "log10_partition", "rogue_dimensions", "shares_of_cosine"]  # fmt: skip
    drawn = [*((measure, isotropy) for measure in ISOTROPY), (LENGTH, rows.layers)]
    return Section(
        anchor="isotropy",
        title="How evenly the space is filled",
        lead="IsoScore is 0 where vectors lie on a line and 1 where they fill a ball; the "
        "participation ratio is the number of directions they use. Both are estimated without the "
        "bias that few vectors make, are about the mean, and do not see what all vectors have in "
        "common: the baseline does. A rogue dimension is one that makes a large part of the "
        "baseline cosine; parts are given where the interval of the baseline excludes 0.",
        key=key_of(isotropy, names),
        legend=legend_of(names_of(curves_of(isotropy, "isoscore", names))),
        panels=[shown_panel(of, measure, names) for measure, of in drawn],
        readings=_about_rogues(isotropy, names),
        heats=[
            heat_of(
                "The dimension with the largest part in the baseline cosine, and what part",
                grouped(isotropy, names, lambda row: heat_of_leading(row, *_ROGUES)),
                most_columns=_ROGUE_COLUMNS,
            )
        ],
        folded=[
            folded_heat(heat_of_languages(of, measure, names)) for measure, of in drawn
        ] if are_many(isotropy) else folded_tables(isotropy, columns, names),
    )  # fmt: skip


def _leading(row: Row) -> tuple[int, float] | None:
    return leading_of(row, *_ROGUES)


def _about_rogues(rows: Rows, names: Names) -> list[str]:
    """Say which dimension has the largest part, an encoder a sentence; of many, nothing."""
    sentences: list[str] = []
    for encoder in names.encoders if len(names.encoders) <= MOST_SENTENCES else ():
        own = {series: some for series, some in rows.items() if series.encoder == encoder}
        who = f"{names.encoder(encoder)}: in" if len(names.encoders) > 1 else "In"
        known = [
            (series, row["layer"], *found)
            for series, some in own.items() for row in some if (found := _leading(row))
        ]  # fmt: skip
        if not known:
            continue
        series, layer, dimension, share = max(known, key=lambda one: one[3])
        where = f" of {name_of_language(series.lang)}" if len(own) > 1 else ""
        sentences.append(
            f"{who} layer {layer}{where}, dimension {dimension} makes {percent(share)} of the mean "
            "cosine of random words, the largest part of any dimension in any layer."
        )
        if len(own) > 1:
            sentences.append(_shared_rogue(own))
    return sentences


def _shared_rogue(rows: Rows) -> str:
    """Say in how many languages the same dimension has the largest part of the last layer."""
    last = [found[0] for some in rows.values() if (found := _leading(some[-1]))]
    most = max(last, key=lambda dimension: (last.count(dimension), -dimension), default=None)
    if most is None:
        return "In the last layer it is not known."
    return (
        f"In the last layer the largest is dimension {most} in {last.count(most)} of {len(last)} "
        "languages."
    )


def _word_list(series: Series, rows: Sequence[Row], names: Names) -> WordList:
    def words(kind: str) -> list[tuple[str, float | None]]:
        return [
            (row["word"], row["self_similarity"]) for row in rows if row["context_specific"] == kind
        ]

    return WordList(names.of(series), series.lang, words("most"), words("least"))
