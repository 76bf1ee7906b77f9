"""What is measured about an encoder: geometry of layers, neutrality, vector translation."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.probe.geometry.measure import measure_geometry, measure_vectors
    from isogloss.probe.geometry.result import GeometryOptions, GeometryResult
    from isogloss.probe.neutrality.measure import measure_neutrality
    from isogloss.probe.neutrality.result import NeutralityOptions, NeutralityResult
    from isogloss.probe.report.page import write_probe_report
    from isogloss.probe.translation.measure import measure_translation
    from isogloss.probe.translation.result import TranslationOptions, TranslationResult

__all__ = [
    "GeometryOptions", "GeometryResult", "NeutralityOptions", "NeutralityResult",
    "TranslationOptions", "TranslationResult", "measure_geometry", "measure_neutrality",
    "measure_translation", "measure_vectors", "write_probe_report",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "GeometryOptions": "geometry.result",
            "GeometryResult": "geometry.result",
            "NeutralityOptions": "neutrality.result",
            "NeutralityResult": "neutrality.result",
            "TranslationOptions": "translation.result",
            "TranslationResult": "translation.result",
            "measure_geometry": "geometry.measure",
            "measure_neutrality": "neutrality.measure",
            "measure_translation": "translation.measure",
            "measure_vectors": "geometry.measure",
            "write_probe_report": "report.page",
        },
    )
