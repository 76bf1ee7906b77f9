"""What a probe writes and reads back: the tables in the manifest of its folder.

The other files of the folder (CSV, pictures) are for humans and other programs, and are not read.
The tables of each probe are declared in its ``files.py``.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct

from isogloss import __version__
from isogloss.errors import InputError
from isogloss.storage.files import damage_in_one_sentence, is_there, read_json, write_json
from isogloss.storage.sealed import refuse_changed, refuse_other_version, sealed

MANIFEST = "manifest.json"
Row = dict[str, Any]

Text = Annotated[str, Meta(min_length=1)]
Whole = Annotated[int, Meta(ge=0)]
# float64, and none so large that sums of some are not; None: there is no value
Number = Annotated[float, Meta(ge=-1e300, le=1e300)] | None


class Series(NamedTuple):
    """An encoder on a language, or on a pair of two: what one line of a chart shows."""

    encoder: str
    lang: str
    other: str = ""

    @property
    def languages(self) -> "list[Series]":
        """The encoder on each of its languages; none where there is no language."""
        return [Series(self.encoder, lang) for lang in self[1:] if lang]

    @property
    def where(self) -> str:
        """Words for the end of a sentence: in which language."""
        langs = "-".join(lang for lang in self[1:] if lang)
        return f" in '{langs}'" if langs else ""


Rows = dict[Series, list[Row]]
Tables = dict[str, Rows]  # by name


class Head(Struct, frozen=True):
    """What every manifest holds beside its tables."""

    made_by: Text
    options: dict[str, str | float | bool | None]
    notes: list[Text]


@dataclass(frozen=True)
class Format:
    """What a probe writes: table → column → type, of those that are read.

    Where the first is ``layers``, all have encoders, languages and layers of it.
    """

    name: str
    version: int
    command: str  # what makes it, for error sentences
    tables: Mapping[str, Mapping[str, Any]]
    unread: tuple[str, ...] = ()  # other tables of the manifest
    file: str = MANIFEST  # its name; another where a folder of runs has a manifest of its own

    @property
    def kept(self) -> tuple[str, ...]:
        """Tables of the manifest."""
        return (*self.tables, *self.unread)

    def check(self, manifest: Mapping[str, Any]) -> None:
        """Check all fields; raises what `damage_in_one_sentence` puts into words."""
        rows = {
            table: GenericAlias(list, msgspec.defstruct(table, list(columns.items())))
            for table, columns in self.tables.items()
        }
        msgspec.convert(manifest, msgspec.defstruct(self.name, list(rows.items()), bases=(Head,)))
        if "layers" in self.tables:
            self._check_layers(manifest)

    def _check_layers(self, manifest: Mapping[str, Any]) -> None:
        layers = manifest["layers"]
        numbers: dict[Series, list[int]] = {}
        for row in layers:
            numbers.setdefault(series_of(row), []).append(row["layer"])
        if not numbers or any(some != sorted(set(some)) for some in numbers.values()):
            raise ValueError("its layers are not ascending")
        for table, columns in self.tables.items():
            shared = [name for name in ("encoder", "lang", "other", "layer")
                      if name in columns and name in self.tables["layers"]]  # fmt: skip
            known = {tuple(row[name] for name in shared) for row in layers}
            if any(tuple(row[name] for name in shared) not in known for row in manifest[table]):
                raise ValueError("its tables are not of the same encoders, languages and layers")


@dataclass(frozen=True)
class SavedProbe:
    """A folder that a probe wrote."""

    folder: Path
    format: Format
    made_by: str
    options: dict[str, Any]
    notes: list[str]
    tables: dict[str, list[Row]]


def spread(*names: str) -> dict[str, Any]:
    """Return columns of numbers, each with the ends of its interval."""
    return {f"{name}{end}": Number for name in names for end in ("", "_low", "_high")}


def series_of(row: Row) -> Series:
    """Return whose row it is; languages are empty where the table has none."""
    return Series(row["encoder"], row.get("lang", ""), row.get("other", ""))


def by_series(rows: Iterable[Row]) -> Rows:
    """Return rows by encoder and language, or pair of languages, in their order."""
    found: Rows = {}
    for row in rows:
        found.setdefault(series_of(row), []).append(row)
    return found


def refuse_repeated(measured: Iterable[Series]) -> None:
    """Refuse an encoder that is there twice in the same language: tables tell them by name."""
    met: set[Series] = set()
    for one in measured:
        if one in met:
            raise InputError(
                f"'{one.encoder:.60}'{one.where} is measured twice; leave one out, or give it "
                "another name"
            )
        met.add(one)


def write_manifest(folder: Path, format: Format, content: Mapping[str, Any]) -> None:
    """Write a probe's tables, with what it takes to know them again."""
    head = {
        "format": format.name, "version": format.version, "made_by": f"isogloss {__version__}",
    }  # fmt: skip
    write_json(folder / format.file, sealed(head | dict(content)))


def read_saved(folder: Path, formats: Collection[Format]) -> SavedProbe:
    """Read the manifest of a folder, of one of these formats.

    Raises
    ------
    InputError
        When there is no such folder, it is none of a probe, of another version, or damaged.
    """
    commands = " or ".join(f"`{one.command} --out`" for one in formats)
    if len(formats) > 2:
        commands = "a command of `isogloss probe`"
    if not is_there(folder):
        raise InputError(f"no such folder; name one that {commands} made", path=folder)
    files = dict.fromkeys([*(one.file for one in formats if one.file != MANIFEST), MANIFEST])
    file = next((path for name in files if (path := folder / name).exists()), folder / MANIFEST)
    manifest = read_json(file, what="results of a probe", advice="measure again")
    name = manifest.get("format") if isinstance(manifest, dict) else None
    format = next((one for one in formats if one.name == name), None)
    if format is None:
        raise InputError(f"holds no results of a probe; name one that {commands} made", path=folder)
    advice = f"measure again with `{format.command}`"
    refuse_other_version(manifest, format.version, folder, advice=advice)
    refuse_changed(manifest, file, advice=advice)
    with damage_in_one_sentence(file, advice=advice):
        format.check(manifest)
    return SavedProbe(
        folder, format, manifest["made_by"], manifest["options"], manifest["notes"],
        {table: manifest[table] for table in format.tables},
    )  # fmt: skip


def joined(saved: Sequence[SavedProbe]) -> Tables:
    """Return the tables of several folders of one format: rows by encoder and language.

    Raises
    ------
    InputError
        When two of them measured the same.
    """
    folder_of: dict[Series, Path] = {}
    for one in saved:
        for series in by_series(one.tables["layers"]):
            if series in folder_of:
                raise InputError(
                    f"measures '{series.encoder:.60}'{series.where}, as {folder_of[series]} does; "
                    "leave one out",
                    path=one.folder,
                )
            folder_of[series] = one.folder
    return {
        table: by_series(row for one in saved for row in one.tables[table])
        for table in saved[0].format.tables
    }
