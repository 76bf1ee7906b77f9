"""Train vectors of words and entities: Wikipedia2Vec's three models over one pair of matrices.

Links of entities, words in a window and words around an anchor are learned page by page, in a new
order each time (Yamada et al. 2016; 2020). What the pages are is left to `TrainingCorpus`.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from itertools import chain, islice, takewhile
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Floats2d, Ints1d
from isogloss.compiled import interrupts_wait
from isogloss.cores import check_threads
from isogloss.errors import InputError, counted
from isogloss.memory import bytes_available
from isogloss.progress import progress
from isogloss.vectors.corpus.corpus import TrainingCorpus
from isogloss.vectors.training.checkpoint import check_room, read_checkpoint, write_checkpoint
from isogloss.vectors.training.random_numbers import CERTAIN, AliasTable, Thresholds, seeded
from isogloss.vectors.training.schedule import Chunk, Schedule
from isogloss.vectors.training.skip_gram import sigmoid_table, train_pages
from isogloss.vectors.word_entity_vectors import ROWS_AT_ONCE, WordEntityVectors
from isogloss.workers import n_cores

logger = logging.getLogger("isogloss")

MOST = 100_000  # of a dimension, a window, …: more is a slip
WARM_UP_SECONDS, WARM_UP_SHARE = 1.5, 0.01  # whichever is less

_Learn = Callable[[Chunk], tuple[Chunk, int]]


@dataclass(frozen=True, kw_only=True)
class VectorTraining:
    """How to train; names in brackets are Wikipedia2Vec's, and so are the defaults.

    Attributes
    ----------
    width
        Dimensions of a vector (dim_size).
    window
        Words left and right at most; drawn from 1 … window for each word, whole around an anchor.
    epochs
        Passes over all pages (iteration).
    negatives
        Drawn for each pair (negative).
    sample
        Subsampling threshold of frequent words: one with a share f
        of all words is kept with probability min(1, (√(f/sample) + 1)·sample/f); 0 keeps all.
    word_neg_power, entity_neg_power
        Negatives are drawn as counts to this power.
    learning_rate, min_learning_rate
        Falls linearly with the pages, and never below `min_learning_rate` (init_alpha, min_alpha).
    entities_per_page
        Entities whose links are learned beside each page, in random order over all entities.
    link_graph
        Whether to learn links of entities.
    shared_negatives
        Draw negatives once for all words in a window: faster, see `skip_gram`.
    """

    width: int = 100
    window: int = 5
    epochs: int = 5
    negatives: int = 5
    sample: float = 1e-4
    word_neg_power: float = 0.75
    entity_neg_power: float = 0.0
    learning_rate: float = 0.025
    min_learning_rate: float = 0.0001
    entities_per_page: int = 10
    link_graph: bool = True
    shared_negatives: bool = False

    def __post_init__(self) -> None:
        for name in ("width", "window", "epochs", "negatives", "entities_per_page"):
            if not 1 <= getattr(self, name) <= MOST:
                raise InputError(f"{name} is {getattr(self, name)}; give 1 to {MOST:,}")
        for name in (
            "sample",
            "word_neg_power",
            "entity_neg_power",
            "learning_rate",
            "min_learning_rate",
        ):
            if not 0 <= getattr(self, name) < np.inf:
                raise InputError(f"{name} is {getattr(self, name)}; give a number of 0 or more")


def bytes_needed(n_rows: int, width: int, n_pages: int = 0) -> int:
    """Return the memory that training holds beside a mapped corpus, for a number of rows.

    Two matrices, tables to draw from and an order of entities; an order of pages and their sizes.
    """
    return n_rows * (8 * width + 12) + 40 * n_pages


def made_with(corpus: TrainingCorpus, training: VectorTraining, seed: int) -> dict[str, Any]:
    """Return what a checkpoint is known by, as JSON holds it: options, seed and sizes."""
    return {
        **asdict(training), "seed": seed, "n_rows": len(corpus.vocabulary),
        "n_tokens": len(corpus.tokens), "n_links": len(corpus.link_starts),
        "n_neighbours": len(corpus.graph_neighbours),
    }  # fmt: skip


def train_vectors(
    corpus: TrainingCorpus,
    training: VectorTraining | None = None,
    *,
    seed: int = 0,
    n_workers: int | None = None,
    lang: str | None = None,
    on_pairs: Callable[[int], None] | None = None,
    checkpoint: Path | None = None,
    says_time: bool = False,
) -> WordEntityVectors:
    """Train vectors of the words and entities of a corpus.

    Parameters
    ----------
    seed
        With one worker the result has the same bytes each time, on one kind of processor.
    n_workers
        Threads; all cores when None. Two write over each other now and then, without harm.
    lang
        Language of the titles, kept in `facts`.
    on_pairs
        Called with the number of (centre, target) pairs after each part of the work.
    checkpoint
        A file that is written after each epoch, as large as both matrices, and resumed from: the
        result is that of a training which was never stopped. While one is written, the one before
        stays: the disk must hold two.
    says_time
        Measure for a second or two, and say how long it will take.

    Raises
    ------
    InputError
        When the corpus holds no page or no pair, its vectors need more memory than there is or its
        checkpoints more disk, or the vectors grow without bound.
    """
    training = training or VectorTraining()
    if not corpus.n_pages:
        raise InputError("there is no page to train on")
    check_threads(n_workers, "n_workers")
    n_workers = n_workers or n_cores()
    _check_memory(corpus, training.width, n_workers)
    schedule = _schedule(corpus, training, np.random.default_rng(seed))
    inputs = np.empty((len(corpus.vocabulary), training.width), np.float32)
    outputs = np.zeros_like(inputs)
    known_by, total = made_with(corpus, training, seed), 0
    if checkpoint is not None:
        total = read_checkpoint(checkpoint, known_by, schedule, inputs, outputs) or 0
        n_to_write = training.epochs - 1 - schedule.epoch
        check_room(checkpoint, inputs.nbytes + outputs.nbytes, n_to_write)
    if not schedule.epoch:
        _draw(inputs, schedule.generator)
    learn = _learner(corpus, training, inputs, outputs, seed=seed)
    if says_time:
        n_left = training.epochs - schedule.epoch
        _say_time(_schedule(corpus, training, np.random.default_rng(0)), n_left, learn, n_workers)
    n_done = schedule.epoch
    if n_done:
        logger.info("resuming after epoch %d of %d", n_done, training.epochs)
    with progress("training", corpus.n_pages * (training.epochs - n_done), "pages") as advance:
        while schedule.epoch < training.epochs:
            for chunk, n_pairs in _run(schedule.chunks(), learn, n_workers):
                advance(len(chunk.pages))
                total += n_pairs
                if on_pairs is not None:
                    on_pairs(n_pairs)
            if not (all_finite(inputs) and all_finite(outputs)):
                raise InputError(
                    f"the vectors grew without bound; lower learning_rate {training.learning_rate}"
                )
            if checkpoint is not None and schedule.epoch < training.epochs:
                write_checkpoint(checkpoint, known_by, schedule, total, inputs, outputs)
    if not total:
        raise InputError(
            "there was nothing to learn: of what occurs often enough, no two words occur together "
            "and no page links to another; lower the minimum counts, or raise sample"
        )
    facts = {"training": asdict(training), "seed": seed, "n_workers": n_workers, "lang": lang,
             "n_pairs": total}  # fmt: skip
    return WordEntityVectors(corpus.vocabulary, inputs, facts)


def keep_probabilities(counts: Ints1d, sample: float) -> Thresholds:
    """Return how often each word is kept, of 2 ** 32; uint32 (n_words,)."""
    if not sample or not counts.any():
        return np.full(len(counts), CERTAIN, np.uint32)
    rare_enough = sample * counts.sum() / np.maximum(counts, 1)
    kept = np.minimum((np.sqrt(1 / rare_enough) + 1) * rare_enough, 1)
    return np.asarray(np.floor(kept * CERTAIN), np.uint32)


def all_finite(matrix: Floats2d) -> bool:
    """Whether all values are finite, asked in blocks."""
    starts = range(0, len(matrix), ROWS_AT_ONCE)
    return all(bool(np.isfinite(matrix[i : i + ROWS_AT_ONCE]).all()) for i in starts)


def _draw(inputs: Floats2d, generator: np.random.Generator) -> None:
    """Draw the first input vectors, uniform in ± 0.5 / width."""
    generator.random(out=inputs, dtype=np.float32)
    inputs -= np.float32(0.5)
    inputs /= np.float32(inputs.shape[1])


def _check_memory(corpus: TrainingCorpus, width: int, n_workers: int) -> None:
    """Say what memory is needed and free; stop where it is too little."""
    words, entities = len(corpus.vocabulary.words), len(corpus.vocabulary.entities)
    needed, free = bytes_needed(words + entities, width, corpus.n_pages), bytes_available()
    there = "" if free is None else f", where {free / 1e9:.1f} GB are free"
    logger.info(
        "training %d words and %d entities, width %d, %s: %.2f GB of memory%s",
        words, entities, width, counted(n_workers, "thread"), needed / 1e9, there,
    )  # fmt: skip
    if free is not None and needed > free:
        raise InputError(
            f"{needed / 1e9:.1f} GB of memory are needed{there}; give vectors of fewer dimensions "
            "or higher minimum counts"
        )


def _schedule(
    corpus: TrainingCorpus, training: VectorTraining, generator: np.random.Generator
) -> Schedule:
    n_chosen = training.entities_per_page if training.link_graph else 0
    rates = training.learning_rate, training.min_learning_rate
    return Schedule(corpus, training.epochs, n_chosen, *rates, generator)


def _say_time(trial: Schedule, n_epochs: int, learn: _Learn, n_workers: int) -> None:
    """Learn for a moment with steps of size 0, which change nothing, and say how long all takes."""
    still = (replace(chunk, rates=np.zeros_like(chunk.rates)) for chunk in trial.chunks())
    first = next(still)
    learn(first)  # compiles, or loads what was
    start = time.monotonic()
    total = trial.size * n_epochs
    n_chunks = int(WARM_UP_SHARE * total / first.size)
    moment = takewhile(lambda _: time.monotonic() - start < WARM_UP_SECONDS, still)
    done = list(_run(chain([first], islice(moment, n_chunks)), learn, n_workers))
    seconds = time.monotonic() - start
    times = total / sum(chunk.size for chunk, _ in done)
    n_pairs = sum(n for _, n in done)
    logger.info(
        "about %.0f million pairs, %.2f million a second: %s",
        times * n_pairs / 1e6, n_pairs / seconds / 1e6, _duration(times * seconds),
    )  # fmt: skip


def _duration(seconds: float) -> str:
    for unit, length in (("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} seconds"


def _learner(
    corpus: TrainingCorpus, training: VectorTraining, inputs: Floats2d, outputs: Floats2d, *,
    seed: int,
) -> _Learn:  # fmt: skip
    vocabulary = corpus.vocabulary
    words = AliasTable.of(vocabulary.word_counts, training.word_neg_power)
    entities = AliasTable.of(vocabulary.entity_counts, training.entity_neg_power)
    keep, sigmoid = keep_probabilities(vocabulary.word_counts, training.sample), sigmoid_table()

    def learn(chunk: Chunk) -> tuple[Chunk, int]:
        with interrupts_wait():
            n_pairs = train_pages(
                (chunk.pages, chunk.rates, chunk.chosen), corpus.arrays, words.arrays,
                entities.arrays, keep, training.window, training.negatives,
                training.shared_negatives, inputs, outputs, sigmoid, seeded(seed, chunk.number),
            )  # fmt: skip
        return chunk, int(n_pairs)

    return learn


def _run(chunks: Iterable[Chunk], learn: _Learn, n_workers: int) -> Iterator[tuple[Chunk, int]]:
    """Yield what is done; with more than one worker few chunks wait, and in no fixed order."""
    if n_workers == 1:
        yield from map(learn, chunks)
        return
    pending: set[Future[tuple[Chunk, int]]] = set()
    with ThreadPoolExecutor(n_workers) as pool:
        for chunk in chunks:
            pending.add(pool.submit(learn, chunk))
            if len(pending) > n_workers:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        for future in pending:
            yield future.result()
