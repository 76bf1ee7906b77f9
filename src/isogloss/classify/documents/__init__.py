"""Texts made ready for a classifier: encoded, linked, their entities pooled by attention."""
