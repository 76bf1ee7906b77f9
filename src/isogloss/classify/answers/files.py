"""A file of rows answered: read, answered and written block by block, its summary beside it.

It knows nothing of who asks: the command line for one file, or a run over many parts.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.classify.answers.answers import Answering
from isogloss.classify.answers.columns import AnswerColumns
from isogloss.classify.answers.summary import (
    DataFacts,
    ModelFacts,
    Summary,
    SummaryCounts,
    summary_path,
    versions,
)
from isogloss.data.documents import FileFormat
from isogloss.data.lines import STANDARD_INPUT
from isogloss.data.row_files.head import OpenedRows, open_rows, state_of
from isogloss.data.row_files.writing import RowTarget
from isogloss.data.row_languages import row_languages
from isogloss.errors import InputError
from isogloss.storage.atomic import sync
from isogloss.storage.files import atomic_file, sha256_of

ROWS = 1024  # of a block; the vectors of so many are a second to half a minute of work


@dataclass(frozen=True)
class RowSource:
    """A file of rows to answer.

    Parameters
    ----------
    path
        As `open_rows` takes it.
    format
        Which columns hold what.
    lang
        As `row_languages` takes it.
    """

    path: Path
    format: FileFormat
    lang: str | None = None

    def opened(self) -> OpenedRows:
        """Return it ready to be read; raises what `open_rows` does."""
        return open_rows(self.path, format=self.format, rows=ROWS)


@dataclass(frozen=True)
class AnswerTask:
    """What is done with a file of rows.

    Parameters
    ----------
    answering
        The model, and how it is asked.
    columns
        Which columns the answers have.
    model_name
        Of the model, for the summary.
    settings
        Of the run, for the summary: values of JSON.
    needs_language
        Whether an answer depends on the language of its text.
    overwrite
        Replace what is there.
    """

    answering: Answering
    columns: AnswerColumns
    model_name: str
    settings: Mapping[str, Any]
    needs_language: bool = True
    overwrite: bool = False


def answer_file(
    task: AnswerTask, source: RowSource, target: RowTarget, *, opened: OpenedRows | None = None
) -> Summary:
    """Write the rows of a file with their answers, and the summary; both are there or neither.

    Parameters
    ----------
    opened
        The source, where it is open already.

    Raises
    ------
    InputError
        When the file cannot be read to its end, has a column of a name that an answer needs, or
        the target cannot be written. What was there before stays then.
    """
    rows = source.opened() if opened is None else opened
    added = task.columns.added
    target.refuse_misfit(rows, added)
    counts, n_rows, start = SummaryCounts(), 0, time.monotonic()
    sha256 = None if rows.state is None else sha256_of(source.path)
    with atomic_file(target.path, overwrite=task.overwrite) as made:
        with target.opened(made, rows.head, added) as writer:
            for block in rows.blocks:
                langs = row_languages(block.documents, source.lang, is_needed=task.needs_language)
                answers = task.answering.answer(block.documents.texts, langs)
                writer.write(block.records, task.columns.cells(answers))
                counts.add(answers)
                n_rows += len(answers)
        if state_of(source.path) != rows.state:
            raise InputError("was changed while it was read; answer it again", path=source.path)
        summary = Summary(
            model=ModelFacts(
                task.model_name,
                task.columns.fingerprint,
                [str(label) for label in task.columns.classes],
            ),
            versions=versions(),
            data=DataFacts(_shown(source.path), sha256, n_rows),
            settings=dict(task.settings),
            seconds=round(time.monotonic() - start, 3),
            languages=counts.languages(),
        )
        sync(made)  # a summary must not come before its rows are sure to
        with atomic_file(summary_path(target.path), overwrite=task.overwrite) as made_summary:
            summary.write(made_summary)
    return summary


def _shown(path: Path) -> str:
    return "standard input" if path == STANDARD_INPUT else path.name
