"""What is measured about an encoder: the geometry of its layers, their language neutrality."""

from isogloss.probe.geometry.measure import measure_geometry, measure_vectors
from isogloss.probe.geometry.result import GeometryOptions, GeometryResult
from isogloss.probe.neutrality.measure import measure_neutrality
from isogloss.probe.neutrality.result import NeutralityOptions, NeutralityResult
from isogloss.probe.report.page import write_probe_report

__all__ = [
    "GeometryOptions", "GeometryResult", "NeutralityOptions", "NeutralityResult",
    "measure_geometry", "measure_neutrality", "measure_vectors", "write_probe_report",
]  # fmt: skip
