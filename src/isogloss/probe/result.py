"""What every probe gives: tables and notes, as JSON, and as a folder of files.

The probes say which tables they have and what their `Format` keeps in the manifest.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Protocol

from isogloss.probe.saved import Format, Row, Series, refuse_repeated, write_manifest
from isogloss.report.picture import Group, write_picture
from isogloss.report.table import Table
from isogloss.storage.files import atomic_directory, atomic_file


class Measured(Protocol):
    """One encoder, on one language or several; `series` is what tells its rows from others."""

    @property
    def series(self) -> Series:
        """The encoder, and the language where there is one."""
        ...


class ProbeResult:
    """Tables of one or several encoders.

    Attributes
    ----------
    notes
        What must be known to read the figures.

    Raises
    ------
    InputError
        When an encoder is there twice, in the same language.
    """

    format: ClassVar[Format]
    picture: ClassVar[str] = "layers.svg"

    def __init__(self, measured: Sequence[Measured], *, options: Any, notes: Iterable[str]) -> None:
        refuse_repeated(one.series for one in measured)
        self.options, self.notes = options, list(dict.fromkeys(notes))
        self.tables: dict[str, Table] = {}

    def to_json(self) -> dict[str, Any]:
        """Return the options, the notes and the tables of the manifest, as JSON values."""
        kept = {name: self.tables[name].rows for name in self.format.kept}
        return {"options": asdict(self.options), "notes": self.notes, **kept}

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a folder: each table as CSV, claims as Markdown too, charts as SVG.

        Raises
        ------
        InputError
            When `path` exists and `overwrite` is false, or it cannot be written.
        """
        with atomic_directory(path, overwrite=overwrite) as folder:
            self.write_into(folder)

    def write_into(self, folder: Path) -> None:
        """Write the files of `write` into an empty folder."""
        write_manifest(folder, self.format, self.to_json())
        for name, table in self.tables.items():
            table.write(folder / f"{name}.csv")
        if "claims" in self.tables:
            self.tables["claims"].write(folder / "claims.md")
        write_picture(folder / self.picture, self._curves())

    def write_beside_runs(self, folder: Path) -> None:
        """Write the files of `write` into a folder that holds the runs, over those before.

        Raises
        ------
        InputError
            When they cannot be written.
        """
        with TemporaryDirectory() as made:
            self.write_into(Path(made))
            # What other commands read comes last.
            for file in sorted(Path(made).iterdir(), key=lambda one: one.name == self.format.file):
                with atomic_file(folder / file.name, overwrite=True) as place:
                    place.write_bytes(file.read_bytes())

    def _curves(self) -> list[Group]:
        raise NotImplementedError

    def _add(
        self, name: str, measured: Sequence[Any], rows_of: Callable[[Any], Iterable[Row]],
        caption: str, *, minor: Sequence[str] = (),
    ) -> Table:  # fmt: skip
        """Make a table of the rows of each encoder."""
        rows = [
            {key: value for key, value in one.series._asdict().items() if value} | row
            for one in measured
            for row in rows_of(one)
        ]
        self.tables[name] = Table(rows, caption=caption, minor=minor)
        return self.tables[name]
