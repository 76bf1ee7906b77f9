"""What a fit gives: all that an answer needs, and the arithmetic of every answer.

`TextClassifier` keeps one and asks it; evaluation, forecasts, adaptation, explanations and files
take it and know of no estimator. It never changes: an adapted classifier is another one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.classify.documents.documents import Languages, PreparedDocuments, resolve_languages
from isogloss.classify.documents.odd_texts import warn_of_wordless
from isogloss.classify.examples import Examples
from isogloss.classify.heads.head import Head
from isogloss.classify.labels.columns import checked_texts
from isogloss.classify.labels.labelling import Array, Labelling, labelling_of
from isogloss.classify.options import FittedOptions
from isogloss.classify.preparation import Preparation
from isogloss.classify.shift import ScoreReference, ShiftCorrection
from isogloss.classify.trust.reference import ForecastReference
from isogloss.classify.trust.trust import Trust
from isogloss.data.data_files import DataFile
from isogloss.errors import counted
from isogloss.kb import KnowledgeBase
from isogloss.learn.linear_head import ChosenBy
from isogloss.learn.tuning_options import TuningOptions
from isogloss.progress import logger
from isogloss.statistics.calibration import tempered
from isogloss.text.languages import parse_language

N_PAIRS_AT_ONCE = 1 << 14  # of documents and entities; a vector each


@dataclass(frozen=True)
class FittedClassifier:
    """A fitted classifier.

    Attributes
    ----------
    preparation
        How texts are read, with the fine-tuned encoder where it was fine-tuned.
    head
        Gives p(c | D).
    classes
        Labels in the order of its columns: (n_classes,).
    thresholds
        From which probability on each label of a label set is given: float64 (n_classes,).
    trust
        Calibration.
    forecast_reference, score_reference
        What forecasts and adapting compare other languages with; None: label sets, a fine-tuned
        encoder, class names or too few texts.
    n_training_documents
        Texts that were learned from.
    tuning
        How the encoder was fine-tuned; None: it was not.
    corrections
        Language to how its vectors are corrected.
    examples
        The training texts, with what the linear part of the head reads of them; None: not kept.
    data
        The files that it was made of; none: it was not made of files.
    """

    preparation: Preparation
    head: Head
    classes: Array
    thresholds: Doubles1d
    trust: Trust
    forecast_reference: ForecastReference | None
    score_reference: ScoreReference | None
    n_training_documents: int
    tuning: TuningOptions | None = None
    corrections: Mapping[str, ShiftCorrection] = field(default_factory=dict)
    examples: Examples | None = None
    data: tuple[DataFile, ...] = ()

    @property
    def options(self) -> FittedOptions:
        """The parameters of the estimator, as the fit used them."""
        return self.preparation.options

    @property
    def kb(self) -> KnowledgeBase | None:
        """What texts are linked to; None: nothing."""
        return self.preparation.kb

    @property
    def langs(self) -> tuple[str, ...]:
        """The training languages."""
        return self.preparation.langs

    @property
    def labelling(self) -> Labelling:
        """One label a text, or a set of them."""
        return labelling_of(multilabel=self.options.multilabel)

    def prepare(
        self, X: Sequence[str], lang: Languages = None, *, fallback_lang: str | None = None
    ) -> PreparedDocuments:
        """Check, encode and link texts; the parameters are those of `TextClassifier.predict`."""
        texts = checked_texts(X)
        fallback_lang = None if fallback_lang is None else parse_language(fallback_lang)
        langs = self.languages_of(texts, lang)
        warn_of_wordless(texts)
        return self.preparation.documents(texts, langs, fallback_lang=fallback_lang)

    def languages_of(self, texts: Sequence[str], lang: Languages) -> list[str | None]:
        """Return the canonical language of each text, None where it is not known."""
        return resolve_languages(self.options.lang if lang is None else lang, texts)

    def log_probabilities(
        self, documents: PreparedDocuments, *, with_entities: bool = True
    ) -> Doubles2d:
        """Return log p(c | D) of prepared documents: float64 (n_documents, n_classes).

        The head reads the documents; those of a language with a correction once more, by the head
        with that; the temperature comes last.

        Parameters
        ----------
        with_entities
            False: as if nothing had been linked.
        """
        batch = self.preparation.entity_batch(documents)
        if batch is not None and not with_entities:
            batch = batch.thin(0.0, np.random.default_rng(0))
        answers = self.head.log_probabilities(documents.vectors, batch)
        langs = np.array(documents.langs, dtype=object)
        for lang, correction in self.corrections.items():
            rows = np.flatnonzero(langs == lang)
            if len(rows):
                texts = counted(correction.n_texts, "text")
                logger.info("%s: vectors corrected as learned from %s", lang, texts)
                own = None if batch is None else batch.select(rows)
                head = correction.apply(self.head)
                answers[rows] = head.log_probabilities(documents.vectors[rows], own)
        return tempered(answers, self.trust.temperature)

    def log_probabilities_without_each(self, documents: PreparedDocuments) -> Doubles2d:
        """Return log p(c | D) without each entity in turn: float64 (n_pairs, n_classes).

        In the order of the pairs of ``documents.bags``; some documents at a time, which bounds the
        memory.
        """
        batch = self.preparation.entity_batch(documents)
        assert batch is not None
        answers = np.zeros((len(batch.columns), len(self.classes)))
        part = batch.offsets[:-1] // N_PAIRS_AT_ONCE
        known = [lang if lang in self.corrections else None for lang in documents.langs]
        langs = np.array(known, dtype=object)
        for lang in dict.fromkeys(known):
            head = self.head if lang is None else self.corrections[lang].apply(self.head)
            for number in np.unique(part):
                rows = np.flatnonzero((part == number) & (langs == lang))
                own = batch.select(rows)
                pairs = np.isin(batch.documents, rows)
                answers[pairs] = head.log_probabilities_without_each(documents.vectors[rows], own)
        return tempered(answers, self.trust.temperature)

    def probabilities(self, documents: PreparedDocuments) -> Doubles2d:
        """Return p(c | D) of prepared documents: float64 (n_documents, n_classes)."""
        return np.exp(self.log_probabilities(documents))

    def labels_of(self, probabilities: Doubles2d) -> Array:
        """Return the label, or label set, that each row of p(c | D) (n_texts, n_classes) gives."""
        return self.labelling.answers(probabilities, self.classes, self.thresholds)

    def with_correction(self, lang: str, correction: ShiftCorrection | None) -> "FittedClassifier":
        """Return the same classifier with a correction of a language, or (None) without it."""
        others = {code: own for code, own in self.corrections.items() if code != lang}
        added = {} if correction is None else {lang: correction}
        return replace(self, corrections=others | added)

    def n_texts_behind(self, lang: str | None) -> int | None:
        """Return how many texts a language's correction was learned from; None: it has none."""
        correction = None if lang is None else self.corrections.get(lang)
        return None if correction is None else correction.n_texts

    def lack_of(self, reference: object) -> str:
        """Return why there is nothing to compare other languages with; "" where `reference` is."""
        if reference is not None:
            return ""
        options = self.options
        return lack_of_reference(
            multilabel=options.multilabel,
            tune=options.tune,
            chosen_by=self.head.linear.chosen_by,
        )


def lack_of_reference(
    *, multilabel: bool, tune: str, chosen_by: ChosenBy, frozen_by: str = "tune='head'"
) -> str:
    """Return why a model that has no reference has none, and what to fit instead.

    Parameters
    ----------
    multilabel, tune
        Options of the model.
    chosen_by
        That of the linear part of its head.
    frozen_by
        The option that keeps an encoder as it is, as the reader writes it.

    Examples
    --------
    >>> lack_of_reference(multilabel=False, tune="lora", chosen_by=ChosenBy.TUNING)
    "its encoder was fine-tuned; fit one with tune='head'"
    """
    if multilabel:
        return "it gives label sets; fit one of one label a text"
    if tune != "head":
        return f"its encoder was fine-tuned; fit one with {frozen_by}"
    if chosen_by is ChosenBy.CLASS_NAMES:
        return "it was fitted with class names; fit one on labelled texts without them"
    return "it was fitted on too few texts; fit one on more of each class"
