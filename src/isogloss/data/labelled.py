"""Labelled texts of several files as columns of one length, for `classify fit` and `evaluate`."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

import numpy as np

from isogloss.data.data_files import DataFile
from isogloss.data.documents import Documents, shown_lines_of
from isogloss.errors import counted, warn_omitted


@dataclass
class LabelledTexts:
    """Rows of several files, one after the other; all lists are of one length.

    A language is None where it is not known. Equal ids are the same document in several languages.
    Beside the rows stands which files they are of.
    """

    texts: list[str] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    langs: list[str | None] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    files: list[DataFile] = field(default_factory=list)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.texts)

    def rows_in(self, langs: "set[str | None]") -> "LabelledTexts":
        """Return the rows in any of the languages, in their order."""
        return self.rows(np.flatnonzero([lang in langs for lang in self.langs]).tolist())

    def rows(self, numbers: Iterable[int]) -> "LabelledTexts":
        """Return the rows of these numbers, in the order given."""
        kept = list(numbers)
        return LabelledTexts(*([column[row] for row in kept] for column in self.columns()))

    def columns(self) -> tuple[list[Any], list[Any], list[Any], list[Any]]:
        """Return texts, labels, languages and ids."""
        return self.texts, self.labels, self.langs, self.ids


def with_words(documents: Documents) -> Documents:
    """Return the documents of a file to learn from without blank texts, whose labels teach nothing.

    Warns
    -----
    OmissionWarning
        With their number and lines.
    """
    is_kept = [bool(text.strip()) for text in documents.texts]
    if all(is_kept):
        return documents
    lines = [line for line, kept in zip(documents.lines, is_kept, strict=True) if not kept]
    warn_omitted(
        f"{documents.path}: {counted(len(lines), 'row')} without a text left out "
        f"({shown_lines_of(documents.path, lines)}): the label teaches nothing"
    )
    labels: list[Any] = list(compress(documents.labels or [], is_kept))
    return replace(
        documents,
        texts=list(compress(documents.texts, is_kept)),
        labels=labels,
        langs=None if documents.langs is None else list(compress(documents.langs, is_kept)),
        ids=None if documents.ids is None else list(compress(documents.ids, is_kept)),
        lines=list(compress(documents.lines, is_kept)),
    )
