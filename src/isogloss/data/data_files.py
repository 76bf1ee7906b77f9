"""Files that a model was made of: their names, checksums, and rows by language."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from isogloss.limits import Count
from isogloss.storage.files import sha256_of
from isogloss.text.languages import UNKNOWN, in_order_of_codes

Part = Literal["training", "development", "class names"]


class DataFile(Struct, frozen=True):
    """A file that a model was made of.

    Attributes
    ----------
    name
        Without its folder.
    sha256
        Of its bytes; None: standard input, or a pipe.
    rows
        Language to its number of rows.
    """

    part: Part
    name: str
    sha256: str | None
    rows: dict[str, Count]

    @classmethod
    def of(cls, path: Path, part: Part, langs: Sequence[str | None]) -> "DataFile":
        """Return what is known of a file whose rows have these languages.

        Raises
        ------
        InputError
            When it cannot be read any more.
        """
        is_piped = str(path) == "-" or not path.is_file()  # cannot be read a second time
        counts = Counter(lang or UNKNOWN for lang in langs)
        return cls(
            part,
            "standard input" if str(path) == "-" else path.name,
            None if is_piped else sha256_of(path),
            {lang: counts[lang] for lang in in_order_of_codes(list(counts))},
        )
