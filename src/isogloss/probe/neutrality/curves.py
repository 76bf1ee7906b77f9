"""What is drawn of neutrality over the layers, in the report and in the picture of a folder."""

from collections.abc import Mapping

from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import Measure, points_of
from isogloss.probe.charts.variants import VariantCharts, charts_of
from isogloss.probe.saved import Rows

# Name of a line → its column.
PROBES = {
    "raw": "language_accuracy",
    "centred": "language_accuracy_centred",
    "nothing left": "language_accuracy_null",
}
SEARCHES = {"raw": "retrieval", "centred": "retrieval_centred", "CSLS": "retrieval_csls"}
HUBS = {"raw": "hubness", "centred": "hubness_centred", "CSLS": "hubness_csls"}
CKA = Measure("cka", "CKA, mean over pairs")


def chances(layers: Rows) -> list[float]:
    """Return the accuracies of a language probe by chance; several of different languages."""
    return sorted({row["chance"] for rows in layers.values() for row in rows})


def probe_charts(layers: Rows, names: Names) -> VariantCharts:
    """Return the charts of the language probe, with a line at chance where that is one number."""
    chance = chances(layers)
    level = chance[0] if len(chance) == 1 else None
    return _charts("Language probe, accuracy", layers, PROBES, names, level=level)


def search_charts(layers: Rows, names: Names) -> VariantCharts:
    """Return the charts of retrieval and of hubness."""
    found = _charts("Retrieval, accuracy", layers, SEARCHES, names)
    hubs = _charts("Hubness", layers, HUBS, names)
    return found._replace(panels=[*found.panels, *hubs.panels])


def _charts(
    title: str, layers: Rows, columns: Mapping[str, str], names: Names, *,
    level: float | None = None,
) -> VariantCharts:  # fmt: skip
    variants = {
        names.encoder(series.encoder): {
            kind: points_of(some, column) for kind, column in columns.items()
        }
        for series, some in layers.items()
    }
    return charts_of(title, variants, variant="kind of vectors or score", level=level)
