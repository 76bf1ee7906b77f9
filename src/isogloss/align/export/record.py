"""``manifest.json`` of an encoder that isogloss trained or exported: what it was made of.

It marks the folder as ours, which ``--overwrite`` needs, and keeps from one step to the next what
the model card says. Nothing that changes a vector is in it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec import Struct

from isogloss.encode.foreign import REPAIR
from isogloss.errors import InputError
from isogloss.limits import Count
from isogloss.storage.files import damage_in_one_sentence, read_json, write_json
from isogloss.storage.sealed import refuse_changed, sealed
from isogloss.storage.typed import typed
from isogloss.text.languages import UNKNOWN

RECORD = "manifest.json"
_LANGUAGE = re.compile("[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-[A-Z]{2})?")
FORMAT, VERSION = "isogloss encoder", 1


class Step(Struct, frozen=True):
    """Something that was done to an encoder.

    Attributes
    ----------
    what
        A phrase: "translation ranking (Feng et al. 2022)".
    settings
        Of what was done, in words.
    rows
        Language, or pair of languages, to the number of rows learned from; none where nothing was.
    """

    what: str
    settings: str = ""
    rows: dict[str, Count] = msgspec.field(default_factory=dict)


def in_words(settings: Mapping[str, Any]) -> str:
    """Return settings as a card says them; what is off or not chosen is not said.

    Examples
    --------
    >>> in_words({"epochs": 2, "dropout": None, "stacking": True, "stage_shares": (0.2, 0.8)})
    'epochs 2, stacking, stage_shares 0.2/0.8'
    """
    said = []
    for name, value in settings.items():
        if value is True:
            said.append(name)
        elif value is not None and value is not False:
            shown = "/".join(map(str, value)) if isinstance(value, tuple | list) else value
            said.append(f"{name} {shown}")
    return ", ".join(said)


@dataclass(frozen=True)
class Record:
    """What an encoder was made of: the encoder at the start, and each step since."""

    base: str
    steps: tuple[Step, ...] = ()

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the record in the folder that an encoder's name leads to, or a new one.

        Raises
        ------
        InputError
            When there is a record and it was changed.
        """
        path = Path(name) / RECORD
        if not path.is_file():
            return cls(Path(name).name if Path(name).is_dir() else name)
        raw = read_json(path, what="an encoder", advice=REPAIR)
        if not isinstance(raw, dict) or raw.get("format") != FORMAT:
            return cls(Path(name).name)
        refuse_changed(raw, path, advice=REPAIR)
        with damage_in_one_sentence(path, advice=REPAIR):
            stored = typed(raw, _Stored)
        if stored.version != VERSION:
            raise InputError(
                f"has version {stored.version} of its format, not {VERSION}; export the encoder "
                "with this isogloss",
                path=path,
            )
        return cls(stored.base, tuple(stored.steps))

    def and_then(
        self, what: str, *, settings: str = "", rows: Mapping[str, int] | None = None
    ) -> "Record":
        """Return the record with one more step."""
        return replace(self, steps=(*self.steps, Step(what, settings, dict(rows or {}))))

    @property
    def rows(self) -> dict[str, int]:
        """Language, or pair of languages, to the number of rows of all steps, added up."""
        total: dict[str, int] = {}
        for step in self.steps:
            for lang, n in step.rows.items():
                total[lang] = total.get(lang, 0) + n
        return total

    @property
    def langs(self) -> list[str]:
        """The languages of the rows, those of pairs such as en-zh-Hant one by one."""
        found = {lang for one in self.rows for lang in _LANGUAGE.findall(one)}
        return sorted(found - {UNKNOWN})

    def write(self, folder: Path) -> None:
        """Write it into the folder of an encoder."""
        document = msgspec.to_builtins(_Stored(FORMAT, VERSION, self.base, list(self.steps)))
        write_json(folder / RECORD, sealed(document))


class _Stored(Struct, kw_only=False):
    format: str
    version: int
    base: str
    steps: list[Step]
