"""Train a tagger on each training set, seed and system, and test it on all test sets.

Test sentences are encoded once for all taggers of a system, in the layers that any of them reads.
Runs that the folder holds are not made again.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from isogloss.encode import Encoder
from isogloss.encode.source import EncoderName
from isogloss.encode.words.token_pooling import WordPooling
from isogloss.errors import InputError, counted
from isogloss.learn.run_store import Experiment, Runs
from isogloss.probe.transfer.matrix.controls import Candidate
from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix, System, Task
from isogloss.probe.transfer.matrix.options import TransferOptions
from isogloss.probe.transfer.matrix.result import KeptEncoder, KeptRun
from isogloss.probe.transfer.matrix.runs import TRANSFER, TransferRun
from isogloss.probe.transfer.matrix.sets import SCHEME, TaggedText, TrainingSet
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.progress import progress, silent_parts
from isogloss.storage.files import sha256_of_package
from isogloss.tag.scores import EntityCounts, TagCounts
from isogloss.tag.token_tagger import TokenTagger
from isogloss.tag.word_features import features_of, stream_states


@dataclass(frozen=True)
class MeasuredMatrix:
    """A matrix, where its runs are kept, and of which encoders it is."""

    matrix: Matrix
    runs: list[KeptRun]
    encoders: list[KeptEncoder]


def measure_matrix(
    candidates: Iterable[Candidate],
    trains: Sequence[TrainingSet],
    tests: Mapping[str, TaggedText],
    *,
    options: TransferOptions,
    out: Path,
    kept_as: Experiment[TransferRun] = TRANSFER,
) -> MeasuredMatrix:
    """Measure what the folder `out` of runs does not hold yet.

    Parameters
    ----------
    kept_as
        Of which kind the folder is.

    Raises
    ------
    InputError
        When `out` holds runs of other options or something else, or another process is at work
        there; what fitting a tagger raises.
    """
    made_with = {
        "task": options.task,
        "options": {"words": options.words, "layer": options.layer, "pieces": options.pieces},
        "code of isogloss": sha256_of_package(".py"),
    }
    systems: list[System] = []
    kept: list[KeptRun] = []
    encoders: dict[str, KeptEncoder] = {}
    found: dict[tuple[str, Pair], list[TransferRun]] = {}
    with kept_as.held(out, made_with) as runs:
        for candidate in candidates:
            encoder, name = candidate.load(), candidate.system.encoder
            systems.append(candidate.system)
            if name not in encoders:  # before its controls, whose layers may be others
                seen = EncoderName(candidate.place, encoder.fingerprint, {}).seen_from(out)
                encoders[name] = KeptEncoder(name, seen.name, seen.is_directory, seen.fingerprint)
            task = _SystemTask(candidate, encoder, trains, tests, options, runs)
            task.run()
            for run in task.wanted:
                kept.append(run)
                found.setdefault((run.system, Pair(run.train, run.test)), []).append(
                    runs.read(run.key)
                )
    documents = {lang: test.documents for lang, test in tests.items()}
    matrix = Matrix.of(options.task, systems, found, documents, seed=options.seed)
    return MeasuredMatrix(matrix, kept, [*encoders.values()])


@dataclass(frozen=True)
class _SystemTask:
    """All runs of one system."""

    candidate: Candidate
    encoder: Encoder
    trains: Sequence[TrainingSet]
    tests: Mapping[str, TaggedText]
    options: TransferOptions
    runs: Runs[TransferRun]

    @cached_property
    def wanted(self) -> list[KeptRun]:
        """All runs, with the names under which they are kept: of all that makes them."""
        return [
            KeptRun(self.candidate.system.name, train.name, lang, seed,
                    self._key(train, seed, lang, test))
            for train in self.trains
            for seed in self.options.all_seeds
            for lang, test in self.tests.items()
        ]  # fmt: skip

    def run(self) -> None:
        """Make the runs that are missing."""
        missing = [run for run in self.wanted if not self.runs.file(run.key).exists()]
        if not missing:
            return
        of_train = {train.name: train for train in self.trains}
        name = self.candidate.system.name
        taggers: dict[tuple[str, int], TokenTagger] = {}
        wanted = list(dict.fromkeys((run.train, run.seed) for run in missing))
        with progress(f"{name}: fitting taggers", len(wanted), "taggers") as advance:
            for train, seed in wanted:
                with silent_parts():
                    taggers[train, seed] = fitted_tagger(
                        self.encoder, of_train[train], seed=seed, layer=self.candidate.layer,
                        options=self.options,
                    )  # fmt: skip
                advance(1)
        for lang, test in self.tests.items():
            some = [run for run in missing if run.test == lang]
            if some:
                self._test(some, test, taggers)

    def _test(
        self,
        missing: Sequence[KeptRun],
        test: TaggedText,
        taggers: Mapping[tuple[str, int], TokenTagger],
    ) -> None:
        some = [taggers[run.train, run.seed] for run in missing]
        made = runs_of_all(some, self.encoder, test, options=self.options)
        for run, one in zip(missing, made, strict=True):
            self.runs.write(run.key, one)

    def _key(self, train: TrainingSet, seed: int, lang: str, test: TaggedText) -> str:
        made_of = (
            self.encoder.fingerprint, self.encoder.dtype, str(self.candidate.layer),
            train.fingerprint, lang, test.fingerprint,
        )  # fmt: skip
        digest = hashlib.sha256(" ".join(made_of).encode()).hexdigest()[:20]
        return f"{digest}.{seed}"


def fitted_tagger(
    encoder: Encoder, train: TrainingSet, *, seed: int, layer: int | str, options: TransferOptions
) -> TokenTagger:
    """Fit a tagger of a frozen encoder on the words that a seed draws.

    Raises
    ------
    InputError
        When no sentence is short enough; what `TokenTagger.fit` raises.
    """
    text = train.drawn(options.n_words, seed=seed)
    if not text.sentences:
        raise InputError(
            f"--words {options.words}: no sentence of '{train.name}' is as short; give more words"
        )
    tagger = TokenTagger(
        encoder, layer=layer, pieces=options.pieces, own_heads="none", random_state=seed
    )
    langs = train.drawn_langs(options.n_words, seed=seed)
    return tagger.fit(text.sentences, text.tags, langs)


def runs_of_all(
    taggers: Sequence[TokenTagger], encoder: Encoder, test: TaggedText, *, options: TransferOptions
) -> list[TransferRun]:
    """Return what each of several taggers on one frozen encoder gets right in a test set."""
    found = tags_of_all(taggers, encoder, test.sentences, pieces=options.pieces)
    return [
        run_of(tagger, test, tags, task=options.task, n_without_piece=found.n_without_piece)
        for tagger, tags in zip(taggers, found.tags, strict=True)
    ]


def run_of(
    tagger: TokenTagger,
    test: TaggedText,
    predicted: Sequence[Sequence[str]],
    *,
    task: Task,
    n_without_piece: int,
) -> TransferRun:
    """Return what a tagger got right, by the tags that it gave."""
    known = set(tagger.tag_names_)
    return TransferRun(
        **sentence_counts(test, predicted, task),
        layers=list(tagger.layers_),
        C=tagger.C_,
        n_train_words=tagger.fitted_.n_training_words,
        n_without_piece=n_without_piece,
        n_unseen_tag=sum(tag not in known for of_one in test.tags for tag in of_one),
    )


class FoundTags(NamedTuple):
    """Tags of each sentence by each of several taggers, and how many words have no token."""

    tags: list[list[list[str]]]
    n_without_piece: int


def tags_of_all(
    taggers: Sequence[TokenTagger],
    encoder: Encoder,
    sentences: Sequence[Sequence[str]],
    *,
    pieces: WordPooling,
) -> FoundTags:
    """Return the tags that each of several taggers on one frozen encoder gives.

    Sentences are encoded once, in all layers that a tagger reads.
    """
    n_without_piece = 0
    layers = sorted({layer for tagger in taggers for layer in tagger.layers_})
    found: list[list[list[str]]] = [[] for _ in taggers]
    for states in stream_states(encoder, sentences, layers=layers, pieces=pieces):
        for tags, tagger in zip(found, taggers, strict=True):
            own = [layers.index(layer) for layer in tagger.layers_]
            answers = tagger.fitted_.answers_of(features_of(states, own))
            tags += tagger.fitted_.tags_of(answers)
        n_without_piece += int((~states.has_piece).sum())
    return FoundTags(found, n_without_piece)


def sentence_counts(
    test: TaggedText, predicted: Sequence[Sequence[str]], task: Task
) -> dict[str, list[int]]:
    """Return the numerators and denominators of `TransferRun`, of the words that are scored."""
    gold, found = test.tags, predicted
    if test.is_scored is not None:
        gold, found = (
            [[tag for tag, counts in zip(*two, strict=True) if counts]
             for two in zip(tags, test.is_scored, strict=True)]
            for tags in (gold, found)
        )  # fmt: skip
    if task == "upos":
        ratio = TagCounts.of(gold, found).ratio(METRICS[task])
    else:
        ratio = EntityCounts.of(gold, found, SCHEME).ratio(METRICS[task])
    return {
        "numerators": ratio.numerator.astype(int).tolist(),
        "denominators": ratio.denominator.astype(int).tolist(),
    }


def notes_on(matrix: Matrix, options: TransferOptions) -> list[str]:
    """Say how the matrix was measured."""
    words = f"{options.words:,} words" if options.words else "all words"
    few = "2 seeds say little of how far seeds differ, so intervals are wide; give more --seeds"
    return [
        f"frozen encoders with a linear head; trained on {words} of each training language, "
        f"{counted(options.seeds, 'seed')}; layer {options.layer}, {options.pieces} of a word's "
        "tokens",
        f"{counted(len(matrix.zero_shot), 'zero-shot pair')} of "
        f"{counted(len(matrix.trains), 'training set')} and "
        f"{counted(len(matrix.tests), 'test language')}",
        *([few] if options.seeds == 2 else []),
    ]
