"""A file of rows answered: the task of `run_part`, and the summary beside what it made.

It knows nothing of who asks: the command line for one file, or a run over many parts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from isogloss.classify.answers.answers import Answering
from isogloss.classify.answers.columns import AnswerColumns
from isogloss.classify.answers.summary import (
    DataFacts,
    ModelFacts,
    Summary,
    SummaryCounts,
    audits_among,
    languages_of,
    summary_path,
)
from isogloss.classify.audit.saved import AuditedLanguage
from isogloss.data.blocks import RowBlock
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.data.row_files.head import OpenedRows
from isogloss.data.row_files.writing import RowTarget
from isogloss.data.row_languages import row_languages
from isogloss.parts.part import PartMade, run_part, shown_name
from isogloss.parts.source import RowSource
from isogloss.parts.summary import versions
from isogloss.storage.files import atomic_file


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
    audits
        Language to its last audit, for the summary.
    """

    answering: Answering
    columns: AnswerColumns
    model_name: str
    settings: Mapping[str, Any]
    needs_language: bool = True
    overwrite: bool = False
    audits: Mapping[str, AuditedLanguage] = field(default_factory=dict)

    @property
    def added(self) -> Sequence[Added]:
        """The columns of the answers."""
        return self.columns.added

    @property
    def model(self) -> ModelFacts:
        """The model, as a summary names it."""
        labels = [str(label) for label in self.columns.classes]
        return ModelFacts(self.model_name, self.columns.fingerprint, labels)

    def begin(self, source: RowSource) -> "AnswerWork":
        """Return the work on one file."""
        return AnswerWork(self, source)


class AnswerWork:
    """Answers to the rows of one file, and their counts."""

    def __init__(self, task: AnswerTask, source: RowSource) -> None:
        self._task, self._source = task, source
        self.counts = SummaryCounts()

    def cells(self, block: RowBlock) -> AddedCells:
        """Answer to some rows."""
        task, texts = self._task, block.documents.texts
        langs = row_languages(
            block.documents, self._source.lang, is_needed=task.needs_language,
            option=self._source.lang_option,
        )  # fmt: skip
        answers = task.answering.answer(texts, langs)
        self.counts.add(answers, texts)
        return task.columns.cells(answers)

    def facts(self) -> dict[str, Any]:
        """Return what came of each language, as JSON."""
        return {"languages": msgspec.to_builtins(self.counts.languages())}


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

    def write_summary(part: PartMade) -> None:
        with atomic_file(summary_path(target.path), overwrite=task.overwrite) as made:
            _summary(task, source, part).write(made)

    part = run_part(
        task, source, target, opened=opened, overwrite=task.overwrite, beside=write_summary
    )
    return _summary(task, source, part)


def _summary(task: AnswerTask, source: RowSource, part: PartMade) -> Summary:
    languages = languages_of(part.facts)
    return Summary(
        model=task.model,
        versions=versions(),
        data=DataFacts(shown_name(source.path), part.sha256, part.n_rows),
        settings=dict(task.settings),
        seconds=part.seconds,
        languages=languages,
        audits=audits_among(task.audits, languages),
    )
