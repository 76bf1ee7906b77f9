"""What transforms do to the baseline and IsoScore of each layer, in the report."""

from collections.abc import Iterable

from isogloss.probe.report.parts import Rows, Section, folded_heat
from isogloss.probe.report.sentences import Names
from isogloss.probe.report.variants import Variants, charts_of, table_of
from isogloss.probe.saved import Row
from isogloss.report.lines import Point

UNMOVED = "none"
MEASURES = {"baseline": "Baseline cosine", "isoscore": "IsoScore"}


def transforms_section(rows: Rows, names: Names) -> list[Section]:
    """Return the section, or nothing where no transform could be fitted."""
    if not rows:
        return []
    by_measure = {column: _means(rows, column, names) for column in MEASURES}
    charts = [
        charts_of(title, by_measure[column], variant="transform")
        for column, title in MEASURES.items()
    ]
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
                folded_heat(table_of(f"{title} behind each transform", by_measure[column]))
                for column, title in MEASURES.items()
            ],
        )
    ]


def _means(rows: Rows, column: str, names: Names) -> Variants:
    """Return means over the languages of an encoder in which a transform could be fitted."""
    found: dict[str, dict[str, dict[int, list[Row]]]] = {}
    for series, some in rows.items():
        of_encoder = found.setdefault(names.encoder(series.encoder), {})
        for row in some:
            of_kind = of_encoder.setdefault(_name(row["transform"]), {})
            of_kind.setdefault(row["layer"], []).append(row)
    return {
        encoder: {
            kind: [
                Point(layer, _mean(row[column] for row in of_kind[layer]))
                for layer in sorted(of_kind)
            ]
            for kind, of_kind in kinds.items()
        }
        for encoder, kinds in found.items()
    }


def _name(kind: str) -> str:
    return "no transform" if kind == UNMOVED else kind


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
