"""The columns that an answered file has behind its own, and their cells.

==================  ==============================================================================
column              what it holds
==================  ==============================================================================
label               the label; label sets are joined by ``|``; empty where the model abstains
probability         of the label, or of the likeliest where the model abstains; of label sets those
                    of their labels, joined by ``|``
second_label,       the likeliest label but one, of a model that gives one label a text; empty where
second_probability  it abstains
lang, lang_by       the language the text was read in, and where that is from
support             share of the nearest training texts with the same label; of a model that keeps
                    training texts
examples            JSON: text, label, lang, similarity of each of the nearest training texts, where
                    they are asked for
entities            JSON: id, title, start, end, weight, adds, raises, raises_by, link of each name;
                    null without a knowledge base
status              ``ok``, or what applies of empty, cut, abstained, unknown_language
model               fingerprint of the model
score_LABEL         probability of each label, where they are asked for
==================  ==============================================================================
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.answers.answers import Answers
from isogloss.classify.evaluate.evidence import EntityEvidence
from isogloss.classify.evaluate.nearest import Example
from isogloss.classify.saving.manifest import Manifest
from isogloss.data.label_sets import SEPARATORS, written_labels
from isogloss.data.row_files.added import Added, AddedKind

DECIMALS = 6  # of probabilities and weights; further ones differ by how texts are batched


@dataclass(frozen=True)
class AnswerColumns:
    """Which columns there are.

    Parameters
    ----------
    classes
        Labels of the model.
    fingerprint
        Of the model.
    multilabel
        Whether a text may have several labels.
    prefix
        Before each name.
    with_scores
        A column for each class too.
    with_support
        Whether the model keeps training texts.
    with_examples
        A column with the nearest of them too.
    """

    classes: Sequence[Any]
    fingerprint: str
    multilabel: bool = False
    prefix: str = ""
    with_scores: bool = False
    with_support: bool = False
    with_examples: bool = False

    @classmethod
    def of(
        cls, about: Manifest, *, prefix: str, with_scores: bool, with_examples: bool
    ) -> "AnswerColumns":
        """Return those of a saved model."""
        return cls(
            about.classes, about.fingerprint, multilabel=about.multilabel, prefix=prefix,
            with_scores=with_scores, with_support=about.keeps_examples, with_examples=with_examples,
        )  # fmt: skip

    @property
    def added(self) -> list[Added]:
        """The columns in their order."""
        number: AddedKind = "text" if self.multilabel else "number"
        kinds: dict[str, AddedKind] = {"label": "text", "probability": number}
        if not self.multilabel:
            kinds |= {"second_label": "text", "second_probability": "number"}
        kinds |= {"lang": "text", "lang_by": "text"}
        if self.with_support:
            kinds["support"] = "number"
        if self.with_examples:
            kinds["examples"] = "json"
        kinds |= {"entities": "json", "status": "text", "model": "text"}
        added = [Added(self.prefix + name, kind) for name, kind in kinds.items()]
        if self.with_scores:
            added += [Added(f"{self.prefix}score_{label}", "number") for label in self.classes]
        return added

    def cells(self, answers: Answers) -> list[Sequence[Any]]:
        """Return the cells of each column, one for each answer."""
        labels = [self._written(label) for label in answers.labels]
        if self.multilabel:
            cells: list[Sequence[Any]] = [labels, self._probabilities_of_sets(answers)]
        else:
            cells = [labels, *self._of_two_labels(answers)]
        cells += [answers.langs, answers.lang_by]
        if self.with_support:
            support = answers.support
            cells.append([None] * len(answers) if support is None else _rounded(support))
        if self.with_examples:
            examples = answers.examples or [[] for _ in answers.labels]
            cells.append([[example_record(one) for one in of_row] for of_row in examples])
        found = answers.entities
        cells.append([None] * len(answers) if found is None else [*map(mentions_of, found)])
        cells += [answers.statuses, [self.fingerprint] * len(answers)]
        if self.with_scores:
            cells += [_rounded(column) for column in answers.probabilities.T]
        return cells

    def _written(self, label: Any) -> str | None:
        if self.multilabel:
            return written_labels(label, all_labels=self.classes)
        return None if label is None else str(label)

    def _of_two_labels(self, answers: Answers) -> list[list[Any]]:
        """Return probability, second label and its probability."""
        rows = np.arange(len(answers))
        seconds = [
            None if label is None else str(self.classes[second])
            for label, second in zip(answers.labels, answers.second.tolist(), strict=True)
        ]
        probabilities = _rounded(answers.probabilities[rows, answers.second])
        return [
            _rounded(answers.probabilities[rows, answers.best]),
            seconds,
            [
                None if second is None else probability
                for second, probability in zip(seconds, probabilities, strict=True)
            ],
        ]

    def _probabilities_of_sets(self, answers: Answers) -> list[str]:
        column = {label: at for at, label in enumerate(self.classes)}
        return [
            SEPARATORS[0].join(str(value) for value in _rounded(row[[column[one] for one in set_]]))
            for set_, row in zip(answers.labels, answers.probabilities, strict=True)
        ]


def example_record(example: Example) -> dict[str, Any]:
    """Return a training text as JSON shows it."""
    return asdict(example) | {"similarity": round(example.similarity, DECIMALS)}


def mentions_of(entities: Sequence[EntityEvidence]) -> list[dict[str, Any]]:
    """Return a record for each name in the text, from left to right."""
    found = [
        {
            "id": entity.id,
            "title": entity.title,
            "start": start,
            "end": end,
            "weight": round(entity.share, DECIMALS),
            "adds": round(entity.adds, DECIMALS),
            "raises": entity.raises,
            "raises_by": round(entity.raises_by, DECIMALS),
            "link": entity.link,
        }
        for entity in entities
        for start, end in entity.spans
    ]
    return sorted(found, key=lambda one: (one["start"], one["end"]))


def _rounded(values: Doubles1d) -> list[float]:
    rounded: list[float] = np.round(values, DECIMALS).tolist()
    return rounded
