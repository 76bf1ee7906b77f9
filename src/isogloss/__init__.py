"""Label text in one language, classify it in a hundred others, with entities as evidence."""

__version__ = "0.1.0"
