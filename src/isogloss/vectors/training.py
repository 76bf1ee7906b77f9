"""Train vectors of words and entities: Wikipedia2Vec's three models over one pair of matrices.

Links of entities, words in a window and words around an anchor are learned page by page, in a new
order each time (Yamada et al. 2016; 2020). What the pages are is left to `TrainingCorpus`.
"""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass

import numpy as np

from isogloss.arrays import Floats1d, Floats2d, Ints1d, SmallInts1d
from isogloss.errors import InputError
from isogloss.progress import progress
from isogloss.text.compiled import interrupts_wait
from isogloss.vectors.chance import CERTAIN, AliasTable, Thresholds, seeded
from isogloss.vectors.corpus import TrainingCorpus
from isogloss.vectors.skip_gram import sigmoid_table, train_pages
from isogloss.vectors.word_entity_vectors import ROWS_AT_ONCE, WordEntityVectors
from isogloss.wiki.workers import n_cores

logger = logging.getLogger("isogloss")

TOKENS_AT_ONCE = 50_000  # a fraction of a second, after which Ctrl-C is heard
PAGES_AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class VectorTraining:
    """How to train; names in brackets are Wikipedia2Vec's, and so are the defaults.

    Attributes
    ----------
    width
        Dimensions of a vector (dim_size).
    window
        Words left and right at most; drawn from 1 … window for each word, whole around an anchor.
    iterations
        Times over all pages (iteration).
    negatives
        Drawn for each pair (negative).
    sample
        Frequent words are dropped by chance: a share f of all words is kept with probability
        min(1, (√(f/sample) + 1)·sample/f); 0 keeps all.
    word_neg_power, entity_neg_power
        Negatives are drawn as counts to this power.
    init_alpha, min_alpha
        Step size, falling linearly with the pages to no less than `min_alpha`.
    entities_per_page
        Entities whose links are learned beside each page, in random order over all entities.
    link_graph
        Whether to learn links of entities.
    shared_negatives
        Draw negatives once for all words in a window: faster, see `isogloss.vectors.skip_gram`.
    """

    width: int = 100
    window: int = 5
    iterations: int = 5
    negatives: int = 5
    sample: float = 1e-4
    word_neg_power: float = 0.75
    entity_neg_power: float = 0.0
    init_alpha: float = 0.025
    min_alpha: float = 0.0001
    entities_per_page: int = 10
    link_graph: bool = True
    shared_negatives: bool = False

    def __post_init__(self) -> None:
        for name in ("width", "window", "iterations", "negatives", "entities_per_page"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} is {getattr(self, name)}; give 1 or more")
        for name in ("sample", "word_neg_power", "entity_neg_power", "init_alpha", "min_alpha"):
            if not 0 <= getattr(self, name) < np.inf:
                raise InputError(f"{name} is {getattr(self, name)}; give a number of 0 or more")


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Pages that one thread learns from in one call."""

    number: int
    pages: Ints1d
    alphas: Floats1d
    chosen: "np.ndarray[tuple[int, int], np.dtype[np.int32]]"


def bytes_needed(n_rows: int, width: int) -> int:
    """Return the memory that training holds beside a mapped corpus, for so many rows."""
    return n_rows * (8 * width + 12)  # two matrices; tables to draw from, an order of entities


def train_vectors(
    corpus: TrainingCorpus,
    training: VectorTraining | None = None,
    *,
    seed: int = 0,
    n_workers: int | None = None,
    lang: str | None = None,
    on_pairs: Callable[[int], None] | None = None,
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

    Raises
    ------
    InputError
        When the corpus holds no page.
    """
    training = training or VectorTraining()
    if not corpus.n_pages:
        raise InputError("there is no page to train on")
    n_workers = n_workers or n_cores()
    n_rows = len(corpus.vocabulary)
    logger.info(
        "training %d words and %d entities, width %d: %.1f GB of memory, %s",
        len(corpus.vocabulary.words), len(corpus.vocabulary.entities), training.width,
        bytes_needed(n_rows, training.width) / 1e9, f"{n_workers} threads",
    )  # fmt: skip
    generator = np.random.default_rng(seed)
    inputs = _initial(n_rows, training.width, generator)
    learn = _learner(corpus, training, inputs, seed=seed)
    total = corpus.n_pages * training.iterations
    with progress("training vectors", total, "pages") as advance:
        for chunk, n_pairs in _run(_chunks(corpus, training, generator), learn, n_workers):
            advance(len(chunk.pages))
            if on_pairs is not None:
                on_pairs(n_pairs)
    if not all_finite(inputs):
        raise InputError(f"the vectors grew without bound; lower init_alpha {training.init_alpha}")
    facts = {"training": asdict(training), "seed": seed, "n_workers": n_workers, "lang": lang}
    return WordEntityVectors(corpus.vocabulary, inputs, facts)


def keep_chances(counts: Ints1d, sample: float) -> Thresholds:
    """Return how often each word is kept, of 2 ** 32; uint32 (n_words,)."""
    if not sample or not counts.any():
        return np.full(len(counts), CERTAIN, np.uint32)
    rare_enough = sample * counts.sum() / np.maximum(counts, 1)
    chances = np.minimum((np.sqrt(1 / rare_enough) + 1) * rare_enough, 1)
    return np.asarray(np.floor(chances * CERTAIN), np.uint32)


def all_finite(matrix: Floats2d) -> bool:
    """Whether all values are finite, asked in blocks."""
    starts = range(0, len(matrix), ROWS_AT_ONCE)
    return all(bool(np.isfinite(matrix[i : i + ROWS_AT_ONCE]).all()) for i in starts)


def _initial(n_rows: int, width: int, generator: np.random.Generator) -> Floats2d:
    """Draw the input vectors, uniform in ± 0.5 / width."""
    inputs = np.empty((n_rows, width), np.float32)
    generator.random(out=inputs, dtype=np.float32)
    inputs -= np.float32(0.5)
    inputs /= np.float32(width)
    return inputs


def _learner(
    corpus: TrainingCorpus, training: VectorTraining, inputs: Floats2d, *, seed: int
) -> Callable[[_Chunk], tuple[_Chunk, int]]:
    vocabulary = corpus.vocabulary
    outputs = np.zeros_like(inputs)
    words = AliasTable.of(vocabulary.word_counts, training.word_neg_power)
    entities = AliasTable.of(vocabulary.entity_counts, training.entity_neg_power)
    keep, sigmoid = keep_chances(vocabulary.word_counts, training.sample), sigmoid_table()

    def learn(chunk: _Chunk) -> tuple[_Chunk, int]:
        with interrupts_wait():
            n_pairs = train_pages(
                chunk.pages, chunk.alphas, chunk.chosen, corpus.arrays, words.arrays,
                entities.arrays, keep,
                training.window, training.negatives, training.shared_negatives, inputs, outputs,
                sigmoid, seeded(seed, chunk.number),
            )  # fmt: skip
        return chunk, int(n_pairs)

    return learn


def _chunks(
    corpus: TrainingCorpus, training: VectorTraining, generator: np.random.Generator
) -> Iterator[_Chunk]:
    """Yield the pages of all iterations, each in a new order, with step size and entities."""
    n_entities = len(corpus.vocabulary.entities)
    n_chosen = training.entities_per_page if training.link_graph and n_entities else 0
    entities = _endless(n_entities, generator)
    n_tokens = np.diff(corpus.section_offsets[corpus.page_sections])
    total = corpus.n_pages * training.iterations
    number = n_done = 0
    for _ in range(training.iterations):
        order = generator.permutation(corpus.n_pages)
        sizes = np.cumsum(n_tokens[order] + TOKENS_AT_ONCE // PAGES_AT_ONCE)
        first = 0
        while first < len(order):
            before = sizes[first - 1] if first else 0
            last = max(first + 1, int(np.searchsorted(sizes, before + TOKENS_AT_ONCE, "right")))
            pages = order[first:last]
            done = np.arange(n_done, n_done + len(pages)) / total
            alphas = np.maximum(training.init_alpha * (1 - done), training.min_alpha)
            chosen = entities(len(pages) * n_chosen).reshape(len(pages), n_chosen)
            yield _Chunk(number, pages, alphas.astype(np.float32), chosen)
            number, n_done, first = number + 1, n_done + len(pages), last


def _endless(n: int, generator: np.random.Generator) -> Callable[[int], SmallInts1d]:
    """Return a function that takes the next numbers of random orders of 0 … n - 1, one by one."""
    left = np.zeros(0, np.int32)

    def take(n_wanted: int) -> SmallInts1d:
        nonlocal left
        taken = [left[:n_wanted]]
        left = left[n_wanted:]
        missing = n_wanted - len(taken[0])
        while missing:
            order = generator.permutation(np.arange(n, dtype=np.int32))
            taken.append(order[:missing])
            left = order[missing:]
            missing -= len(taken[-1])
        return np.concatenate(taken)

    return take


def _run(
    chunks: Iterator[_Chunk], learn: Callable[[_Chunk], tuple[_Chunk, int]], n_workers: int
) -> Iterator[tuple[_Chunk, int]]:
    """Yield what is done; with more than one worker few chunks wait, and in no fixed order."""
    if n_workers == 1:
        yield from map(learn, chunks)
        return
    pending: set[Future[tuple[_Chunk, int]]] = set()
    with ThreadPoolExecutor(n_workers) as pool:
        for chunk in chunks:
            pending.add(pool.submit(learn, chunk))
            if len(pending) > n_workers:
                done, pending = wait(pending, return_when=FIRST_COMPLETED)
                yield from (future.result() for future in done)
        for future in pending:
            yield future.result()
