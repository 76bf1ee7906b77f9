"""The key of a sheet, ``sheet.key.json``: what the model answered, and to which texts.

Who labels does not need it and, in a blind audit, should not see it. By the hash of each text an
edited, sorted or cut sheet is read right, or refused with the row that is at fault.
"""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from isogloss.encode.source import way_to
from isogloss.errors import InputError
from isogloss.limits import Count, Share
from isogloss.storage.files import damage_in_one_sentence, read_json
from isogloss.storage.sealed import CHECKSUM, refuse_changed, refuse_other_version, sealed
from isogloss.storage.typed import typed

FORMAT, VERSION = "isogloss audit key", 1
ENDING = ".key.json"
_ADVICE = "take the one that `isogloss classify audit draw` wrote, or draw again"


class DrawnRow(Struct, frozen=True):
    """A row of the sheet."""

    row: Count  # of the file it was drawn from, from 1
    lang: str
    sha256: str  # of the text, see `hash_of`
    answer: Count  # position of the predicted class
    probability: Share | None = None  # of it; None: not kept


class Stratum(Struct, frozen=True):
    """Rows that were equally likely to be drawn."""

    lang: str
    answer: Count | None  # position of the predicted class; None: all answers
    n_rows: Count  # of the file


class ExpectedAccuracy(Struct, frozen=True):
    """What was forecast of a language; see `classify.forecast`."""

    expected: Share | None
    low: Share
    high: Share


class OtherRows(Struct, frozen=True):
    """Probabilities of the answers to the rows of a language that were not drawn."""

    n: Count
    mean: Share
    variance: Share


class Key(Struct, frozen=True):
    """All that is known of a sheet, but for its texts."""

    model: str  # the way to its folder from that of the key
    fingerprint: str
    classes: list[str]  # as they are written in a sheet
    data: str  # name of the file
    is_blind: bool
    seed: Count
    strata: list[Stratum]
    forecasts: dict[str, ExpectedAccuracy]
    rows: list[DrawnRow]
    others: dict[str, OtherRows] = {}  # language to its rows; none: they were not answered

    @property
    def by_class(self) -> bool:
        """Whether every answer was drawn equally often."""
        return any(stratum.answer is not None for stratum in self.strata)

    @property
    def is_assisted(self) -> bool:
        """Whether it says how sure the model is of its answers."""
        return all(row.probability is not None for row in self.rows)


def key_place(sheet: Path) -> Path:
    """Return where the key of a sheet is.

    Examples
    --------
    >>> key_place(Path("a/sheet.csv")).name
    'sheet.key.json'
    """
    return sheet.with_name(sheet.stem + ENDING)


def sealed_key(key: Key) -> dict[str, Any]:
    """Return a key as what its file holds."""
    return sealed({"format": FORMAT, "version": VERSION} | msgspec.to_builtins(key))


def read_key(path: Path) -> tuple[Key, str]:
    """Return a key and its checksum, by which the sheet is known.

    Raises
    ------
    InputError
        When there is none, it is of another kind or version, or was changed.
    """
    if not path.exists():
        raise InputError(
            "no such key of a sheet; put it beside the sheet under this name, or say where it is "
            "with --key",
            path=path,
        )
    content = read_json(path, what="the key of a sheet", advice=_ADVICE)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"not the key of a sheet; {_ADVICE}", path=path)
    refuse_other_version(content, VERSION, path, advice="draw again")
    refuse_changed(content, path, advice=_ADVICE)
    with damage_in_one_sentence(path, advice=_ADVICE):
        return _checked(typed(content, Key)), content[CHECKSUM]


def way_to_model(model: Path, key: Path) -> str:
    """Return how the folder of a model is reached from that of a key."""
    return way_to(model, key.parent)


def hash_of(text: str) -> str:
    """Return the SHA-256 of a text, whatever its line ends and the blanks around it are."""
    plain = "\n".join(text.splitlines()).strip()
    return hashlib.sha256(plain.encode("utf-8", "backslashreplace")).hexdigest()


def _checked(key: Key) -> Key:
    numbers = [row.row for row in key.rows]
    if not numbers or len(set(numbers)) < len(numbers):
        raise ValueError("its rows are none, or not each there once")
    known = {(stratum.lang, stratum.answer) for stratum in key.strata}
    for row in key.rows:
        if row.answer >= len(key.classes):
            raise ValueError(f"row {row.row} has the answer {row.answer}")
        if (row.lang, row.answer if key.by_class else None) not in known:
            raise ValueError(f"row {row.row} is of no stratum")
    return key
