"""Texts found by what they say: an index to search, neighbours by cosine, benchmarks."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.retrieve.text_index import TextIndex

__all__ = ["TextIndex"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(__name__, {"TextIndex": "text_index"})
