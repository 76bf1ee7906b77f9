"""Classifiers with and without entities, each row and seed on each language: cells of a comparison.

A fit is scored on all languages that it lacks; what is kept is what `classify compare` keeps of it,
a language a cell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from isogloss.classify.compare.cells import Cell
from isogloss.classify.compare.comparison import (
    Compared,
    ComparedRow,
    Comparison,
    fingerprint_of,
    run_cell,
)
from isogloss.data.labelled import LabelledTexts
from isogloss.kb import KnowledgeBase
from isogloss.reproduce.cells import CellFile, CellKey
from isogloss.reproduce.tasks import WAY_BACK, Asked, Found, Job, sha256_of_all
from isogloss.storage.typed import untyped


@dataclass(frozen=True)
class Place:
    """Which classifier a cell is of, and the language that it is tested on."""

    row: ComparedRow
    seed: int
    lang: str


@dataclass(frozen=True)
class Classifiers:
    """The classifiers of a task.

    Attributes
    ----------
    rows
        The encoder alone first.
    tests
        Language → its texts.
    multilabel
        Whether a text has a set of labels.
    """

    asked: Asked
    name: str
    rows: Sequence[ComparedRow]
    n_seeds: int
    train: LabelledTexts
    dev: LabelledTexts | None
    tests: Mapping[str, LabelledTexts]
    kb: KnowledgeBase | None = None
    multilabel: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """All that the cells of all rows depend on beside texts and encoder."""
        return {"tune": self.asked.tune, "multilabel": self.multilabel} | self.asked.tuning_settings

    @property
    def options(self) -> dict[str, Any]:
        """The options of `TextClassifier` of all rows."""
        found: dict[str, Any] = {"multilabel": True} if self.multilabel else {}
        if self.asked.tune != "head":
            found |= {"tune": self.asked.tune, "training": dict(self.asked.training)}
        return found

    @cached_property
    def places(self) -> dict[str, tuple[CellKey, Place]]:
        """Digest → cell and its place."""
        learned = [fingerprint_of(self.train), "" if self.dev is None else fingerprint_of(self.dev)]
        data = {lang: sha256_of_all([*learned, fingerprint_of(texts)])
                for lang, texts in self.tests.items()}  # fmt: skip
        found = {}
        for row in self.rows:
            settings = self.settings | {"row": row.name}
            if row.has_entities and self.kb is not None:
                settings["kb"] = self.kb.fingerprint
            for seed in range(self.n_seeds):
                for lang in self.tests:
                    key = self.asked.key(
                        self.name, f"en → {lang}", settings, seed=seed, data=data[lang]
                    )
                    found[key.digest] = (key, Place(row, seed, lang))
        return found

    @property
    def jobs(self) -> list[Job]:
        """One for each row and seed; rows that tune the encoder alike stand together."""
        by_fit: dict[tuple[int, str, str], list[CellKey]] = {}
        for key, place in self.places.values():
            row = place.row
            fit = (place.seed, "" if self.asked.tuning is None else row.baseline, row.name)
            by_fit.setdefault(fit, []).append(key)
        cells = [by_fit[fit] for fit in sorted(by_fit, key=lambda fit: fit[:2])]
        return [Job(some, self._n_characters, self._make) for some in cells]

    def comparison(self, kept: CellFile) -> Comparison | None:
        """Return what is kept, of languages with all rows and seeds; None where there is none."""
        found: dict[tuple[str, int], dict[str, Cell]] = {}
        for key, place in self.places.values():
            if key in kept:
                of_fit = found.setdefault((place.row.name, place.seed), {})
                of_fit[place.lang] = kept.record(key, Cell)
        rows = [
            row for row in self.rows
            if all((row.name, seed) in found for seed in range(self.n_seeds))
        ]  # fmt: skip
        fits = {(row.name, seed): found[row.name, seed]
                for row in rows for seed in range(self.n_seeds)}  # fmt: skip
        langs = [lang for lang in self.tests if all(lang in cells for cells in fits.values())]
        if not rows or not langs:
            return None
        return Comparison(
            rows=[row.name for row in rows],
            baselines={row.name: row.baseline for row in rows},
            n_seeds=self.n_seeds, training_langs=["en"],
            ids={lang: _ids_of(self.tests[lang]) for lang in langs},
            cells={fit: _merged([cells[lang] for lang in langs]) for fit, cells in fits.items()},
            gold={lang: self.tests[lang].labels for lang in langs} if self.multilabel else None,
        )  # fmt: skip

    def _make(self, missing: Sequence[CellKey]) -> Iterator[tuple[CellKey, Found]]:
        places = [self.places[key.digest][1] for key in missing]
        tests = LabelledTexts()
        for place in places:
            for column, more in zip(tests.columns(), self.tests[place.lang].columns(), strict=True):
                column += more
        task = Compared(
            self.train, tests, self.dev, self.asked.encoder, self.kb, None, self.options
        )
        cell = run_cell(places[0].row, places[0].seed, task)
        for key, place in zip(missing, places, strict=True):
            yield key, _of_language(cell, place.lang)

    def _n_characters(self, missing: Sequence[CellKey]) -> int:
        """Of a frozen encoder, whose vectors all rows share, the first fit counts alone."""
        places = [self.places[key.digest][1] for key in missing]
        learned = sum(map(len, [*self.train.texts, *(self.dev.texts if self.dev else ())]))
        tested = sum(len(text) for place in places for text in self.tests[place.lang].texts)
        if self.asked.tuning is not None:
            return WAY_BACK * self.asked.tuning.epochs * learned + tested
        first = places[0].row.name == self.rows[0].name and places[0].seed == 0
        return learned + tested if first else 0


def _of_language(cell: Cell, lang: str) -> Found:
    """Return what is kept of a language."""
    given = None if cell.given is None else {lang: cell.given[lang]}
    own = msgspec.structs.replace(
        cell, correct={lang: cell.correct[lang]}, scores={lang: cell.scores[lang]}, given=given
    )
    found: Found = untyped(own)
    return found


def _merged(cells: Sequence[Cell]) -> Cell:
    """Return the cell of a fit from those of its languages."""
    given: dict[str, Any] | None = None
    if cells[0].given is not None:
        given = {lang: sets for cell in cells for lang, sets in (cell.given or {}).items()}
    return msgspec.structs.replace(
        cells[0],
        correct={lang: right for cell in cells for lang, right in cell.correct.items()},
        scores={lang: scores for cell in cells for lang, scores in cell.scores.items()},
        given=given,
    )


def _ids_of(texts: LabelledTexts) -> list[str] | None:
    known = [one for one in texts.ids if one is not None]
    return known if len(known) == len(texts) else None
