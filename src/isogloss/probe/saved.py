"""What a probe writes and reads back: the tables in ``manifest.json`` of its folder, checked.

The other files of the folder (CSV, pictures) are for people and other programs, and are not read.
What each probe's tables hold is said where the probe's result is.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from isogloss import __version__
from isogloss.errors import InputError
from isogloss.storage.files import damage_in_one_sentence, is_there, read_json, write_json
from isogloss.storage.sealed import refuse_changed, sealed

MANIFEST = "manifest.json"
LARGEST = 1e300  # of float64, in which figures are laid out
Row = dict[str, Any]
Check = Callable[[Any], bool]
# Options are numbers, choices and names; what else stands there is no option of ours.
_OPTION = (str, int, float, bool, type(None))


class Series(NamedTuple):
    """An encoder on a language: what one line of a chart shows."""

    encoder: str
    lang: str


def write_manifest(folder: Path, name: str, version: int, content: Mapping[str, Any]) -> None:
    """Write a probe's tables, with what it takes to know them again."""
    head = {"format": name, "version": version, "made_by": f"isogloss {__version__}"}
    write_json(folder / MANIFEST, sealed(head | dict(content)))


def refuse_repeated(measured: Iterable[Series]) -> None:
    """Refuse an encoder that is there twice in the same language: tables tell them by name.

    Raises
    ------
    InputError
        With the first that is.
    """
    met: set[Series] = set()
    for one in measured:
        if one in met:
            where = f" in '{one.lang}'" if one.lang else ""
            raise InputError(
                f"'{one.encoder:.60}'{where} is measured twice; leave one out, or give it another "
                "name"
            )
        met.add(one)


@dataclass(frozen=True)
class Format:
    """What a probe writes.

    Attributes
    ----------
    name, version
        ``format`` and ``version`` of its manifest.
    command
        What makes it, for error sentences.
    tables
        Table → column → whether a value is one.
    """

    name: str
    version: int
    command: str
    tables: Mapping[str, Mapping[str, Check]]


@dataclass(frozen=True)
class SavedProbe:
    """A folder that a probe wrote.

    Attributes
    ----------
    made_by
        The program that wrote it, with its version.
    tables
        Table → rows.
    """

    folder: Path
    format: str
    made_by: str
    options: dict[str, Any]
    notes: list[str]
    tables: dict[str, list[Row]]

    def rows(self, table: str) -> dict[Series, list[Row]]:
        """Return the rows of a table by encoder and language, in their order.

        The language is empty where the table has none. Nothing where there is no such table.
        """
        found: dict[Series, list[Row]] = {}
        for row in self.tables.get(table, ()):
            found.setdefault(Series(row["encoder"], row.get("lang", "")), []).append(row)
        return found


def read_saved(folder: Path, formats: Collection[Format]) -> SavedProbe:
    """Read the manifest of a folder.

    Parameters
    ----------
    formats
        Those that may be read.

    Raises
    ------
    InputError
        When there is no such folder, it is none of a probe, of another version, or damaged.
    """
    commands = " or ".join(f"`{one.command} --out`" for one in formats)
    if not is_there(folder):
        raise InputError(f"no such folder; name one that {commands} made", path=folder)
    manifest = read_json(folder / MANIFEST, what="results of a probe")
    known = {one.name: one for one in formats}
    name = manifest.get("format") if isinstance(manifest, dict) else None
    if not isinstance(name, str) or name not in known:
        raise InputError(f"holds no results of a probe; name one that {commands} made", path=folder)
    format = known[name]
    if manifest.get("version") != format.version:
        raise InputError(
            f"was written in version {manifest.get('version')!r:.40} of the format, this isogloss "
            f"reads version {format.version}; measure again with `{format.command}`",
            path=folder,
        )
    advice = f"measure again with `{format.command}`"
    refuse_changed(manifest, folder / MANIFEST, advice=advice)
    with damage_in_one_sentence(folder / MANIFEST, advice=advice):
        return SavedProbe(
            folder=folder,
            format=name,
            made_by=_made_by(manifest),
            options=_options(manifest["options"]),
            notes=_notes(manifest["notes"]),
            tables={
                table: _rows(table, manifest[table], columns)
                for table, columns in format.tables.items()
            },
        )


def joined(saved: Sequence[SavedProbe], table: str) -> dict[Series, list[Row]]:
    """Return the rows of a table of several folders.

    Raises
    ------
    InputError
        When two of them measured the same.
    """
    found: dict[Series, list[Row]] = {}
    folder_of: dict[Series, Path] = {}
    for one in saved:
        for series, rows in one.rows(table).items():
            if series in found:
                where = f" in '{series.lang}'" if series.lang else ""
                raise InputError(
                    f"measures '{series.encoder:.60}'{where}, as {folder_of[series]} does; leave "
                    "one out",
                    path=one.folder,
                )
            found[series], folder_of[series] = rows, one.folder
    return found


def is_text(value: Any) -> bool:
    """Whether a value is a string that says something."""
    return isinstance(value, str) and value != ""


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number of 0 or more."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_number(value: Any) -> bool:
    """Whether a value is a finite number, and none so large that sums of some are not."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST


def is_number_or_missing(value: Any) -> bool:
    """Whether a value is a finite number, or None, which stands for none."""
    return value is None or is_number(value)


def list_of(check: Check) -> Check:
    """Return the check of a list of such values."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def one_of(*allowed: str) -> Check:
    """Return the check of one of some strings."""
    return lambda value: isinstance(value, str) and value in allowed


def spread(*names: str) -> dict[str, Check]:
    """Return columns of numbers, each with the ends of its interval."""
    return {
        column: is_number_or_missing for name in names
        for column in (name, f"{name}_low", f"{name}_high")
    }  # fmt: skip


def _rows(table: str, rows: Any, columns: Mapping[str, Check]) -> list[Row]:
    if not isinstance(rows, list):
        raise TypeError(f"{table} is no list")
    for number, row in enumerate(rows, start=1):
        for column, check in columns.items():
            if not check(row[column]):
                raise ValueError(f"{table}, row {number}: {column} is {row[column]!r:.40}")
    return rows


def _options(options: Any) -> dict[str, Any]:
    if not isinstance(options, dict):
        raise TypeError("options is no object")
    for name, value in options.items():
        if not isinstance(value, _OPTION):
            raise TypeError(f"option {name!r:.40} is {value!r:.40}")
    return options


def _notes(notes: Any) -> list[str]:
    if not list_of(is_text)(notes):
        raise TypeError("notes is no list of sentences")
    return list(notes)


def _made_by(manifest: Mapping[str, Any]) -> str:
    made_by = manifest["made_by"]
    if not is_text(made_by):
        raise TypeError(f"made_by is {made_by!r:.40}")
    return str(made_by)
