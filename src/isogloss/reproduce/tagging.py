"""Taggers of each training language on each test language: the cells of a matrix.

On a frozen encoder the sentences of a test language are encoded once for all taggers; a fine-tuned
one is fitted, and asked at once. Both are kept as `probe transfer` keeps its runs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from isogloss.learn.tuning_options import TuningOptions
from isogloss.probe.transfer.matrix.matrix import Matrix, System, Task
from isogloss.probe.transfer.matrix.measure import fitted_tagger, run_of, runs_of_all
from isogloss.probe.transfer.matrix.options import TransferOptions
from isogloss.probe.transfer.matrix.runs import TransferRun
from isogloss.probe.transfer.matrix.sets import TaggedText, TrainingSet
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.progress import progress, silent_parts
from isogloss.reproduce.cells import CellFile, CellKey
from isogloss.reproduce.tasks import WAY_BACK, Asked, Found, Job, sha256_of_all
from isogloss.storage.typed import untyped
from isogloss.tag.token_tagger import TokenTagger


@dataclass(frozen=True)
class Place:
    """Which tagger a cell is of, and what it is tested on."""

    train: str
    test: str
    seed: int


@dataclass(frozen=True)
class Taggers:
    """The taggers of a task.

    Attributes
    ----------
    trains, tests
        Language → its sentences.
    """

    asked: Asked
    name: str
    task: Task
    trains: Mapping[str, TaggedText]
    tests: Mapping[str, TaggedText]

    @property
    def options(self) -> TransferOptions:
        """As `probe transfer` has them: all words, and a word's first token, as in the paper."""
        return TransferOptions(self.task, words=0, seeds=self.asked.seeds or 1, pieces="first")

    @property
    def tuning(self) -> TuningOptions | None:
        """How the encoder is fine-tuned; None: it is frozen."""
        return self.asked.tuning

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All that the cells depend on beside texts and encoder."""
        kept = ("words", "layer", "pieces")
        how = {name: value for name, value in asdict(self.options).items() if name in kept}
        return {"tune": self.asked.tune} | how | self.asked.tuning_settings

    @cached_property
    def places(self) -> dict[str, tuple[CellKey, Place]]:
        """Digest → cell and its place: by seed, training language and test language."""
        found = {}
        for seed in self.options.all_seeds:
            for train, text in self.trains.items():
                for lang, test in self.tests.items():
                    key = self.asked.key(
                        self.name, f"{train} → {lang}", self.settings, seed=seed,
                        data=sha256_of_all([text.fingerprint, test.fingerprint]),
                    )  # fmt: skip
                    found[key.digest] = (key, Place(train, lang, seed))
        return found

    @property
    def jobs(self) -> list[Job]:
        """One for all taggers of a frozen encoder; of a fine-tuned one, one for each."""
        by_fit: dict[tuple[str, int], list[CellKey]] = {}
        for key, place in self.places.values():
            fit = ("", 0) if self.tuning is None else (place.train, place.seed)
            by_fit.setdefault(fit, []).append(key)
        make = self._frozen if self.tuning is None else self._tuned
        return [Job(cells, self._n_characters, make) for cells in by_fit.values()]

    def matrix(self, kept: CellFile) -> Matrix | None:
        """Return what is kept, of pairs with all seeds; None where there is no such pair."""
        runs: dict[Pair, list[TransferRun]] = {}
        for key, place in self.places.values():
            if key in kept:
                run = kept.record(key, TransferRun)
                runs.setdefault(Pair(place.train, place.test), []).append(run)
        whole = {("", pair): some for pair, some in runs.items()
                 if len(some) == self.options.seeds}  # fmt: skip
        if not whole:
            return None
        documents = {lang: test.documents for lang, test in self.tests.items()}
        return Matrix.of(self.task, [System("")], whole, documents, seed=self.options.seed)

    def _frozen(self, missing: Sequence[CellKey]) -> Iterator[tuple[CellKey, Found]]:
        encoder, options = self.asked.encoder, self.options
        places = [self.places[key.digest] for key in missing]
        fits = list(dict.fromkeys((place.train, place.seed) for _, place in places))
        taggers: dict[tuple[str, int], TokenTagger] = {}
        with progress(f"{self.name}: fitting taggers", len(fits), "taggers") as advance:
            for train, seed in fits:
                with silent_parts():
                    taggers[train, seed] = fitted_tagger(
                        encoder, TrainingSet(train, [self.trains[train]]), seed=seed,
                        layer=options.layer, options=options,
                    )  # fmt: skip
                advance(1)
        for lang, test in self.tests.items():
            of_test = [(key, place) for key, place in places if place.test == lang]
            some = [taggers[place.train, place.seed] for _, place in of_test]
            if some:
                runs = runs_of_all(some, encoder, test, options=options)
                for (key, _), run in zip(of_test, runs, strict=True):
                    yield key, untyped(run)

    def _tuned(self, missing: Sequence[CellKey]) -> Iterator[tuple[CellKey, Found]]:
        places = [self.places[key.digest][1] for key in missing]
        train = self.trains[places[0].train]
        tagger = TokenTagger(
            self.asked.encoder, layer=self.options.layer, pieces=self.options.pieces,
            tune=self.asked.tune, training=self.tuning, own_heads="none",
            random_state=places[0].seed,
        ).fit(train.sentences, train.tags, train.lang)  # fmt: skip
        for key, place in zip(missing, places, strict=True):
            test = self.tests[place.test]
            answers = tagger.answers(test.sentences, test.lang)
            run = run_of(
                tagger, test, tagger.fitted_.tags_of(answers), task=self.task,
                n_without_piece=int((~answers.has_piece).sum()),
            )  # fmt: skip
            yield key, untyped(run)

    def _n_characters(self, missing: Sequence[CellKey]) -> int:
        places = [self.places[key.digest][1] for key in missing]
        fits = {(place.train, place.seed) for place in places}
        passes = 1 if self.tuning is None else WAY_BACK * self.tuning.epochs
        n_train = passes * sum(_n_characters_of(self.trains[train]) for train, _ in fits)
        tests = [place.test for place in places]
        read = set(tests) if self.tuning is None else tests
        return n_train + sum(_n_characters_of(self.tests[lang]) for lang in read)


def _n_characters_of(text: TaggedText) -> int:
    return sum(len(word) + 1 for sentence in text.sentences for word in sentence)
