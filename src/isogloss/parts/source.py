"""A file of rows that a part is made of, and which of its columns go along."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.data.documents import ID_COLUMNS, FileFormat
from isogloss.data.row_files.added import Added
from isogloss.data.row_files.head import OpenedRows, open_rows
from isogloss.data.row_files.selected import with_columns
from isogloss.data.row_languages import LANG

ROWS = 1024  # of a block; the vectors of so many are a second to half a minute of work


@dataclass(frozen=True)
class RowSource:
    """A file of rows.

    Parameters
    ----------
    path
        As `open_rows` takes it.
    format
        Which columns hold what.
    lang
        As `row_languages` takes it.
    kept
        Of a part: columns that go along, behind those of ids and of the language; it may have no
        rows, as a part of a warehouse's export. None: of one file, whose columns all go along.
    lang_option
        What says `lang` on the command line, for advice.
    """

    path: Path
    format: FileFormat
    lang: str | None = None
    kept: tuple[str, ...] | None = None
    lang_option: str = LANG

    def opened(self, added: Sequence[Added] = ()) -> OpenedRows:
        """Return it ready to be read.

        Parameters
        ----------
        added
            Columns to come; the column of the language stays behind where one has its name, which
            says the same.

        Raises
        ------
        InputError
            What `open_rows` does; also where a column that goes along is not there.
        """
        if self.kept is None:
            return open_rows(self.path, format=self.format, rows=ROWS)
        taken = {column.name for column in added}
        lang = self.format.lang_column
        more = [*([] if lang is None or lang in taken else [lang]), *self.kept]
        rows = open_rows(
            self.path, format=self.format, rows=ROWS, may_be_empty=True,
            beside=[*ID_COLUMNS, *more],
        )  # fmt: skip
        names = [name for name in ID_COLUMNS if name in rows.head.names]
        return with_columns(rows, [*dict.fromkeys([*names, *more])])
