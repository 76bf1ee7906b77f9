"""Entity vectors: where they come from and how they are stored."""

from isogloss.vectors.entity_vectors import EntityVectors

__all__ = ["EntityVectors"]
