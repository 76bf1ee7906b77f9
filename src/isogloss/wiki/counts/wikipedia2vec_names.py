"""What a link's text is as a name, as wikipedia2vec has it: see `like_wikipedia2vec`."""

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.storage.array_file import packed_strings

LONGEST_NAME = 20  # characters


def names_of_links(text: Bytes1d, starts: Ints1d, ends: Ints1d) -> tuple[Bytes1d, Ints1d]:
    """Return the names that links at places of a text are; one that is too long is empty."""
    listed = [
        text[a:b].tobytes().decode("utf-8", "replace")
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return packed_strings(
        [name.lower().encode() if len(name) <= LONGEST_NAME else b"" for name in listed]
    )
