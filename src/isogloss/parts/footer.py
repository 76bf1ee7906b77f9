"""The footer of a part: what it was made of and by, so that it is known again and never made twice.

It is a JSON document with a checksum among the texts in the footer of the Parquet file, which comes
last: a file that has one was written to its end.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from isogloss.errors import InputError
from isogloss.limits import Count, NotNegative
from isogloss.storage.files import damage_in_one_sentence, parse_json
from isogloss.storage.sealed import checksum_of, refuse_changed, refuse_other_version, sealed
from isogloss.storage.typed import typed

KEY = "isogloss.part"
FORMAT, VERSION = "isogloss part", 1
REPAIR = "remove it, and it is made again"


class RunFacts(Struct, frozen=True):
    """What all parts of a folder have in common.

    Attributes
    ----------
    command
        ``"classify predict"``.
    made_by
        Name of the model, encoder or knowledge base.
    fingerprint
        Of it: another one gives other rows.
    settings
        Of the run: values of JSON; others give other rows.
    """

    command: str
    made_by: str
    fingerprint: str
    settings: dict[str, Any]

    @property
    def settings_hash(self) -> str:
        """The settings in 16 digits."""
        return checksum_of(self.settings)[:16]

    def difference(self, other: "RunFacts") -> str:
        """Say in what another run differs; "" where its parts would be the same.

        Examples
        --------
        >>> one = RunFacts("encode", "e5", "f1", {"layer": 3})
        >>> one.difference(RunFacts("encode", "e5", "f1", {"layer": 4}))
        'layer 3, not 4'
        """
        if self.command != other.command:
            return f"isogloss {self.command}, not isogloss {other.command}"
        if self.fingerprint != other.fingerprint:
            return f"{self.made_by} ({self.fingerprint}), not {other.made_by} ({other.fingerprint})"
        both = {**other.settings, **self.settings}
        found = [
            f"{name.replace('_', '-')} {_shown(self.settings.get(name))}, "
            f"not {_shown(other.settings.get(name))}"
            for name in both
            if self.settings.get(name) != other.settings.get(name)
        ]
        return "; ".join(found)


class SourceFacts(Struct, frozen=True):
    """By what the source of a part is known again."""

    name: str
    n_bytes: Count
    sha256: str


class PartFooter(Struct, frozen=True):
    """All that a footer holds behind its format, version and checksum."""

    source: SourceFacts
    run: RunFacts
    settings_hash: str
    versions: dict[str, str]
    n_rows: Count
    seconds: NotNegative
    facts: dict[str, Any]

    def entries(self) -> dict[str, str]:
        """Return it as an entry of a footer of Parquet."""
        document = {"format": FORMAT, "version": VERSION} | msgspec.to_builtins(self)
        return {KEY: json.dumps(sealed(document))}


def read_footer(path: Path) -> PartFooter | None:
    """Read the footer of a part; None where there is no such file.

    Raises
    ------
    InputError
        When it is no part of ours, or damaged.
    """
    import pyarrow
    from pyarrow import parquet

    if not path.is_file():
        return None
    try:
        of_file = parquet.read_metadata(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"is not a whole Parquet file; {REPAIR}", path=path) from error
    written = (of_file.metadata or {}).get(KEY.encode())
    if written is None:
        raise InputError("is no part that isogloss made; move it elsewhere", path=path)
    with damage_in_one_sentence(path, advice=REPAIR):
        document = parse_json(written)
        refuse_changed(document, path, advice=REPAIR)
        if document["format"] != FORMAT:
            raise ValueError(f"its format is {document['format']!r:.40}")
        refuse_other_version(document, VERSION, path, advice=REPAIR)
        footer = typed(document, PartFooter)
        if footer.n_rows != of_file.num_rows:
            raise ValueError(f"it has {of_file.num_rows:,} rows, not {footer.n_rows:,}")
        return footer


def _shown(value: Any) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
