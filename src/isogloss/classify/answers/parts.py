"""Answers to the rows of many files: what each process of `parts.run` does, and the summary."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from isogloss.classify.answers.answers import Answering
from isogloss.classify.answers.columns import AnswerColumns
from isogloss.classify.answers.files import AnswerTask
from isogloss.classify.answers.summary import (
    AnswerFacts,
    DataFacts,
    ModelFacts,
    Summary,
    audits_among,
    merged_languages,
)
from isogloss.classify.audit.saved import AuditedLanguage
from isogloss.classify.saving.manifest import Manifest, read_manifest
from isogloss.memory import without_collection
from isogloss.parts.footer import PartFooter
from isogloss.parts.summary import FooterTotals, facts_of
from isogloss.parts.work import TaskOptions, Work, working


class AnswerOptions(TaskOptions, frozen=True, kw_only=True):
    """A saved model, and how it is asked; as JSON it goes to each process.

    Attributes
    ----------
    model, encoder, kb, device, threads, cache
        As `load_classifier` takes them.
    fallback_lang, abstain_below, with_examples
        As `Answering` takes them.
    prefix, with_scores
        As `AnswerColumns` takes them.
    """

    places: ClassVar[tuple[str, ...]] = ("model", "encoder", "kb", "cache")

    model: str
    encoder: str | None = None
    kb: str | None = None
    device: str = "auto"
    threads: int | None = None
    cache: str | None = None
    fallback_lang: str | None = None
    abstain_below: float | None = None
    with_examples: bool = False
    prefix: str = ""
    with_scores: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """Those that an answer depends on, for `RunFacts`."""
        names = ("fallback_lang", "abstain_below", "with_examples", "prefix", "with_scores")
        return {name: getattr(self, name) for name in names}

    def columns(self, about: Manifest) -> AnswerColumns:
        """Return the columns of the answers of the model that `about` describes."""
        return AnswerColumns.of(
            about, prefix=self.prefix, with_scores=self.with_scores,
            with_examples=self.with_examples,
        )  # fmt: skip

    @without_collection()
    def task(self) -> AnswerTask:
        """Load the model."""
        from isogloss.classify.saving.load import load_classifier

        about = read_manifest(Path(self.model))
        fitted = load_classifier(
            self.model, encoder=self.encoder, kb=self.kb, device=self.device,
            threads=self.threads, cache=self.cache,
        ).fitted  # fmt: skip
        answering = Answering(
            fitted, self.fallback_lang, self.abstain_below, with_examples=self.with_examples
        )
        return AnswerTask(
            answering, self.columns(about), model_name=Path(self.model).resolve().name,
            settings=self.settings, needs_language=about.uses_language,
        )  # fmt: skip


def worker(settings: Mapping[str, Any]) -> Work:
    """Return what a process does with each ticket; the model is loaded here, once."""
    options = msgspec.convert(settings["task"], AnswerOptions)
    return working(options.task(), settings["work"])


def summary_of(
    footers: Iterable[PartFooter], *, name: str, labels: Sequence[str],
    audits: Mapping[str, AuditedLanguage],
) -> Summary:  # fmt: skip
    """Return the summary of all parts, as that of one file has it.

    Parameters
    ----------
    footers
        One at least.
    name
        Of the corpus.
    labels, audits
        Of the model.

    Raises
    ------
    InputError
        When another version of isogloss counted other things in a part.
    """
    totals = FooterTotals()
    languages = merged_languages(
        facts_of(one, AnswerFacts).languages for one in totals.through(footers)
    )
    first = totals.run
    return Summary(
        model=ModelFacts(first.made_by, first.fingerprint, list(labels)),
        versions=totals.versions,
        data=DataFacts(name, totals.sources_hash, totals.n_rows, totals.n_without_rows),
        settings=dict(first.settings),
        seconds=round(totals.seconds, 3),
        languages=languages,
        audits=audits_among(audits, languages),
    )
