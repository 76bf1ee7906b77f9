"""The model of a server: questions to answers, as a pure function but for what is then known."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.classify.answers.answers import Answering, Answers
from isogloss.classify.answers.columns import AnswerColumns, example_record, mentions_of
from isogloss.classify.audit.saved import audits_of
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.saving.manifest import Manifest
from isogloss.data.row_languages import LangBy, RowLanguages
from isogloss.kb import KnowledgeBase
from isogloss.learn.vector_memo import unremembered
from isogloss.serve.asking import Question
from isogloss.serve.batching import BATCH
from isogloss.serve.known import KnownLanguages
from isogloss.serve.messages import Answer, Mention, ModelName, NearText, WithoutEntities
from isogloss.text.detect import detect_languages
from isogloss.totals import untold

PREFIX = "iso_"


@dataclass(frozen=True)
class NotedAnswering(Answering):
    """Answers as `Answering`, keeps no text, and takes note for what is known of languages."""

    known: KnownLanguages | None = None

    def answer(self, texts: list[str], langs: RowLanguages) -> Answers:
        """Answer to some texts."""
        return self.answer_prepared(texts, self.prepared(texts, langs), langs)

    def prepared(self, texts: list[str], langs: RowLanguages) -> PreparedDocuments:
        """Return texts prepared."""
        with unremembered():
            return self.fitted.prepare(texts, langs.langs, fallback_lang=self.fallback_lang)

    def answer_prepared(
        self, texts: list[str], documents: PreparedDocuments, langs: RowLanguages
    ) -> Answers:
        """Answer to texts that are prepared."""
        answers = super().answer_prepared(texts, documents, langs)
        if self.known is not None:
            self.known.add(texts, documents.langs, documents.vectors)
        return answers


@dataclass(frozen=True)
class ServedModel:
    """A model that is served.

    Attributes
    ----------
    about
        What its manifest says.
    name
        That of its folder.
    known
        What is known of languages.
    """

    fitted: FittedClassifier
    about: Manifest
    name: str
    known: KnownLanguages

    @classmethod
    def of(cls, fitted: FittedClassifier, about: Manifest, path: Path) -> "ServedModel":
        """Return a loaded model, with the audits beside it.

        Raises
        ------
        InputError
            When these are damaged, or another model's.
        """
        return cls(fitted, about, path.resolve().name, KnownLanguages(fitted, audits_of(path)))

    def with_names(self, kb: Path) -> "ServedModel":
        """Return the same model with its knowledge base opened anew, where it now is."""
        preparation = replace(self.fitted.preparation, kb=KnowledgeBase.open(kb))
        return replace(self, fitted=replace(self.fitted, preparation=preparation))

    @property
    def told(self) -> ModelName:
        """Which model it is."""
        return ModelName(self.name, self.about.fingerprint, list(self.about.classes))

    def columns(
        self, *, prefix: str = "", with_scores: bool = False, with_examples: bool = False
    ) -> AnswerColumns:
        """Return the columns that a file gets; see `AnswerColumns`."""
        return AnswerColumns.of(
            self.about, prefix=prefix, with_scores=with_scores, with_examples=with_examples
        )

    def prefix_for(self, names: Iterable[str]) -> str:
        """Return what to put before new names: nothing, where a file has none of them already."""
        new = {one.name for one in self.columns(with_scores=True).added}
        return PREFIX if new.intersection(names) else ""

    def warm_up(self) -> None:
        """Answer to a batch of made-up texts: what is compiled or allocated once is, before any."""
        # No two are alike, as texts that come again are not encoded again.
        texts = [f"London {at} euros " * (1 + 12 * at // BATCH) for at in range(BATCH)]
        answering = NotedAnswering(self.fitted, with_examples=True)
        with untold():
            answering.answer(texts, RowLanguages(["en"] * len(texts), "given", is_asked=True))

    def answer(self, questions: list[Question]) -> list[Answer]:
        """Answer to some questions at once."""
        if not questions:
            return []
        texts = [question.text for question in questions]
        langs, by = _languages(questions)
        explained = any(question.explain for question in questions)
        answering = NotedAnswering(
            self.fitted, with_entities=explained, with_examples=explained, known=self.known
        )
        rows = RowLanguages(langs, "detected", is_asked=True)
        with untold():  # the status of each text says it
            documents = answering.prepared(texts, rows)
            answers = answering.answer_prepared(texts, documents, rows)
            without = None
            if explained and self.fitted.kb is not None:
                logs = self.fitted.log_probabilities(documents, with_entities=False)
                without = np.exp(logs)
        return [
            self._answer(question, answers, row, by[row], without)
            for row, question in enumerate(questions)
        ]

    def _answer(
        self,
        question: Question,
        answers: Answers,
        row: int,
        lang_by: LangBy,
        without: Doubles2d | None,
    ) -> Answer:
        entities = alone = examples = None
        if question.explain and answers.entities is not None and without is not None:
            entities = [Mention(**mention) for mention in mentions_of(answers.entities[row])]
            label = self.fitted.labels_of(without[row : row + 1]).tolist()[0]
            alone = WithoutEntities(*self._told(label, without[row]))
        if question.explain and answers.examples is not None:
            examples = [NearText(**example_record(one)) for one in answers.examples[row]]
        label, probability, probabilities = self._told(
            answers.labels[row], answers.probabilities[row]
        )
        return Answer(
            id=question.id,
            status=answers.statuses[row],
            lang=answers.langs[row],
            lang_by=lang_by,
            label=label,
            probability=probability,
            probabilities=probabilities,
            support=None if answers.support is None else float(answers.support[row]),
            entities=entities,
            without_entities=alone,
            examples=examples,
            known=self.known.of(answers.langs[row]),
        )

    def _told(
        self, label: Any, probabilities: Doubles1d
    ) -> tuple[Any, float | None, dict[str, float]]:
        """Return label or labels, its probability, and that of each class, as JSON has them."""
        named = _named(self.fitted.classes.tolist(), probabilities)
        if self.about.multilabel:
            return list(label), None, named
        return label, float(probabilities.max()), named


def _named(classes: list[Any], probabilities: Doubles1d) -> dict[str, float]:
    return {str(one): value for one, value in zip(classes, probabilities.tolist(), strict=True)}


def _languages(questions: list[Question]) -> tuple[list[str | None], list[LangBy]]:
    """Return the language of each text, and where it is from."""
    asked = [question.text for question in questions if question.lang is None]
    detected = iter(detect_languages(asked))
    langs = [next(detected) if one.lang is None else one.lang for one in questions]
    sources: Mapping[bool, LangBy] = {True: "detected", False: "given"}
    return langs, [
        "unknown" if lang is None else sources[question.lang is None]
        for question, lang in zip(questions, langs, strict=True)
    ]
