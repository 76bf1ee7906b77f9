"""What a model answers to texts: labels, probabilities, languages, states, evidence.

`Answering` is a model with all that its answers depend on; `answer` is a pure function of it and
some texts. Files of rows, servers and runs over parts ask it block by block.
"""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d, Ints1d
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.evaluate.evidence import EntityEvidence, entity_evidence
from isogloss.classify.evaluate.nearest import Example, nearest_examples
from isogloss.classify.fitted import FittedClassifier
from isogloss.data.row_languages import LangBy, RowLanguages

Status = Literal["empty", "cut", "abstained", "unknown_language"]
OK = "ok"
JOINT = "+"  # between the states of a row


@dataclass(frozen=True)
class Answers:
    """Answers to some texts, in their order.

    Attributes
    ----------
    probabilities
        p(c | D): (n_texts, n_classes).
    labels
        The label of each text, None where it is too unsure; a tuple where a text may have several.
    langs, lang_by
        Canonical code of each text, None where it is not known; and where it is from.
    states
        What is to be said of each text; nothing where all is well.
    is_linked
        In which texts an entity was found: (n_texts,); None without a knowledge base.
    entities
        Of each text, those with the largest share first; None where they were not asked for, or
        there is no knowledge base.
    support
        Share of the nearest training texts with the same label (`NearestExamples`): (n_texts,);
        None: the model keeps none.
    examples
        The nearest training texts of each text; None where they were not asked for, or the model
        keeps none.
    """

    probabilities: Doubles2d
    labels: list[Any]
    langs: list[str | None]
    lang_by: list[LangBy]
    states: list[tuple[Status, ...]]
    is_linked: Bools1d | None
    entities: list[list[EntityEvidence]] | None
    support: Doubles1d | None = None
    examples: list[list[Example]] | None = None

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.labels)

    @property
    def statuses(self) -> list[str]:
        """The states of each text as one word: ``ok``, or what applies, joined by ``+``."""
        return [JOINT.join(states) or OK for states in self.states]

    @property
    def best(self) -> Ints1d:
        """The likeliest class of each text, the first of equals: (n_texts,)."""
        best: Ints1d = self.probabilities.argmax(axis=1)
        return best

    @property
    def second(self) -> Ints1d:
        """The likeliest but one: (n_texts,); of two classes at least."""
        others = self.probabilities.copy()
        others[np.arange(len(others)), self.best] = -1.0
        second: Ints1d = others.argmax(axis=1)
        return second


@dataclass(frozen=True)
class Answering:
    """A model, and how it is asked.

    Parameters
    ----------
    fitted
        The model.
    fallback_lang
        As in `TextClassifier.predict`.
    abstain_below
        A text whose likeliest label is less probable gets none; None: every text gets one.
    with_entities
        Give the entities of each text as evidence, for which texts are linked once more.
    with_examples
        Give the nearest training texts of each text, where the model keeps them.
    """

    fitted: FittedClassifier
    fallback_lang: str | None = None
    abstain_below: float | None = None
    with_entities: bool = True
    with_examples: bool = False

    def answer(self, texts: list[str], langs: RowLanguages) -> Answers:
        """Answer to some texts.

        Warns
        -----
        OmissionWarning
            As `FittedClassifier.prepare` does, for texts that were cut or not linked.
        """
        documents = self.fitted.prepare(texts, langs.langs, fallback_lang=self.fallback_lang)
        return self.answer_prepared(texts, documents, langs)

    def answer_prepared(
        self, texts: list[str], documents: PreparedDocuments, langs: RowLanguages
    ) -> Answers:
        """Answer to texts that `FittedClassifier.prepare` prepared, by the same fallback."""
        fitted = self.fitted
        probabilities = fitted.probabilities(documents)
        is_unsure = np.zeros(len(texts), np.bool_)
        if self.abstain_below is not None:
            is_unsure = probabilities.max(axis=1) < self.abstain_below
        flags: dict[Status, list[bool]] = {
            "empty": [not text.strip() for text in texts],
            "cut": documents.truncated.tolist(),
            "abstained": is_unsure.tolist(),
            "unknown_language": [langs.is_asked and lang is None for lang in documents.langs],
        }
        entities = None
        if self.with_entities and fitted.kb is not None:
            entities = entity_evidence(fitted, texts, documents, fallback_lang=self.fallback_lang)
        near = None
        if fitted.examples is not None:
            near = nearest_examples(fitted, documents, probabilities)
        return Answers(
            probabilities,
            labels=[
                None if unsure else label
                for label, unsure in zip(
                    fitted.labels_of(probabilities).tolist(), flags["abstained"], strict=True
                )
            ],
            langs=documents.langs,
            lang_by=langs.by,
            states=[
                tuple(state for state, flag in zip(flags, row, strict=True) if flag)
                for row in zip(*flags.values(), strict=True)
            ],
            is_linked=None if documents.bags is None else np.diff(documents.bags.indptr) > 0,
            entities=entities,
            support=None if near is None else near.support,
            examples=near.examples if near is not None and self.with_examples else None,
        )
