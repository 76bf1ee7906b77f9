"""What the papers measure about an encoder: the geometry of its layers."""

from isogloss.probe.geometry import measure_geometry, measure_vectors
from isogloss.probe.geometry_result import GeometryOptions, GeometryResult

__all__ = ["GeometryOptions", "GeometryResult", "measure_geometry", "measure_vectors"]
