"""Texts found by what they say: an index to search, neighbours by cosine, benchmarks."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.retrieve.text_index import TextIndex

__all__ = ["TextIndex"]


def __getattr__(name: str) -> Any:
    # torch takes seconds to import, and neighbours of vectors need none of it.
    if name == "TextIndex":
        from isogloss.retrieve.text_index import TextIndex

        return TextIndex
    raise AttributeError(f"module 'isogloss.retrieve' has no attribute {name!r}")
