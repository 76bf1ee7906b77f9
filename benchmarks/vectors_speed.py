"""Measure how fast vectors of words and entities are trained, and what they find of a known world.

    python benchmarks/vectors_speed.py [--pages N] [--seeds N] [--width N] [--epochs N]

The corpus is random. Each page is of a topic; each stretch of 20 words in it of a group of
that topic, with a link to an entity of the group. Words come, by Zipf's law, from those of all
pages, of the topic and of the group. The link graph knows topics alone. So it is known which words
and entities belong together. No data is read.

Printed for new negatives each pair and for shared ones, on one thread and on all: pairs and words a
second of wall and of CPU time, and three shares: of the nearest entities that are of an entity's
topic; of entities, and of words, whose nearest is of their group.
"""

import argparse
import os
import time

import numpy as np

from isogloss.vectors.corpus.corpus import TrainingCorpus, link_graph
from isogloss.vectors.training.training import VectorTraining, train_vectors
from isogloss.vectors.vocabulary import Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors

N_GROUPS = 10  # of a topic
WORDS_A_GROUP = 5
ENTITIES_A_GROUP = 2
STRETCH = 20  # tokens


def main() -> None:
    """Train and print one line a setting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000, help="of 400 words each")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--epochs", type=int, default=5)
    arguments = parser.parse_args()
    small = planted_corpus(n_pages=40, seed=0)
    train_vectors(small, VectorTraining(epochs=1), n_workers=1)  # compiles, or loads what was
    for seed in range(arguments.seeds):
        corpus = planted_corpus(n_pages=arguments.pages, seed=seed)
        for n_workers in sorted({1, os.cpu_count() or 1}):
            for shared in (False, True):
                training = VectorTraining(
                    width=arguments.width, epochs=arguments.epochs, shared_negatives=shared
                )
                print(measured(corpus, training, n_workers=n_workers, seed=seed), flush=True)


def measured(corpus: TrainingCorpus, training: VectorTraining, *, n_workers: int, seed: int) -> str:
    """Train once; return a line with speed and quality."""
    n_pairs: list[int] = []
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = train_vectors(
        corpus, training, seed=seed, n_workers=n_workers, on_pairs=n_pairs.append
    )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    pairs, words = sum(n_pairs) / 1e6, training.epochs * len(corpus.tokens) / 1e6
    kind = "shared" if training.shared_negatives else "each pair"
    found = ", ".join(f"{name} {share:.3f}" for name, share in planted_found(vectors).items())
    return (
        f"negatives {kind:9} threads {n_workers} seed {seed}: {pairs / wall:.2f} M pairs/s, "
        f"{pairs / cpu:.2f} M pairs/cpu-s, {words / cpu:.3f} M words/cpu-s ({pairs:.1f} M pairs); "
        f"{found}"
    )


def planted_corpus(
    *, n_pages: int, seed: int, n_topics: int = 20, n_tokens: int = 400, n_words: int = 200
) -> TrainingCorpus:
    """Make pages about topics.

    Names are ``topic:group:number`` for words and for entities of a group, ``topic:number`` for
    words of a topic (`n_words` of them), ``number`` for words of all pages.
    """
    generator = np.random.default_rng(seed)
    groups = [f"{topic}:{group}" for topic in range(n_topics) for group in range(N_GROUPS)]
    words = [f"{group}:{i}" for group in groups for i in range(WORDS_A_GROUP)]
    first_topic = len(words)
    words += [f"{topic}:{i}" for topic in range(n_topics) for i in range(n_words)]
    first_common, n_common = len(words), 10 * n_words
    words += [str(i) for i in range(n_common)]
    entities = [f"{group}:{i}" for group in groups for i in range(ENTITIES_A_GROUP)]
    shape, n_stretches = (n_pages, n_tokens), n_tokens // STRETCH
    topic = (np.arange(n_pages) % n_topics)[:, None]
    group = topic * N_GROUPS + generator.integers(N_GROUPS, size=(n_pages, n_stretches))
    in_group = np.repeat(group, STRETCH, axis=1) * WORDS_A_GROUP
    in_group += generator.integers(WORDS_A_GROUP, size=shape)
    in_topic = first_topic + topic * n_words + zipf(n_words, shape, generator)
    common = first_common + zipf(n_common, shape, generator)
    kind = generator.random(shape)
    tokens = np.where(kind < 0.25, in_group, np.where(kind < 0.5, in_topic, common))
    linked = group * ENTITIES_A_GROUP + generator.integers(ENTITIES_A_GROUP, size=group.shape)
    starts = np.arange(0, n_pages * n_tokens, STRETCH) + STRETCH // 2
    own = np.broadcast_to(linked[:, :1], linked.shape)  # the page's own entity: the first linked
    edges = np.stack([own, linked], axis=2).reshape(-1, 2)
    vocabulary = Vocabulary.of(
        words, entities,
        word_counts=np.bincount(tokens.ravel(), minlength=len(words)).tolist(),
        entity_counts=np.bincount(linked.ravel(), minlength=len(entities)).tolist(),
    )  # fmt: skip
    return TrainingCorpus(
        tokens.ravel().astype(np.int32), np.arange(2 * n_pages + 1) * (n_tokens // 2),
        np.arange(n_pages + 1) * 2, starts, starts + 1, linked.ravel().astype(np.int32),
        np.arange(n_pages + 1) * n_stretches,
        *link_graph(edges[edges[:, 0] != edges[:, 1]].tolist(), len(entities)), vocabulary,
    )  # fmt: skip


def planted_found(vectors: WordEntityVectors) -> dict[str, float]:
    """Return the shares of what is found."""
    entities = [f"ENTITY/{title}" for title in vectors.vocabulary.entities]
    near = [[other.label for other in vectors.similar(name, k=5, kind="entity")]
            for name in entities]  # fmt: skip
    words = [word for word in vectors.vocabulary.words if word.count(":") == 2]
    nearest = [vectors.similar(word, k=1, kind="word")[0].label for word in words]
    return {
        "topic": float(np.mean([_parts(other, 1) == _parts(name, 1)
                                for name, some in zip(entities, near, strict=True)
                                for other in some])),
        "group": float(np.mean([_parts(some[0], 2) == _parts(name, 2)
                                for name, some in zip(entities, near, strict=True)])),
        "group of words": float(np.mean([_parts(other, 2) == _parts(word, 2)
                                         for word, other in zip(words, nearest, strict=True)])),
    }  # fmt: skip


def _parts(name: str, n: int) -> list[str]:
    return name.split(":")[:n]


def zipf(
    n: int, shape: tuple[int, int], generator: np.random.Generator
) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    """Draw 0 … n - 1 with probabilities that fall as 1 / (i + 1)."""
    ends = np.cumsum(1 / np.arange(1, n + 1))
    return np.searchsorted(ends, generator.random(shape) * ends[-1]).clip(max=n - 1)


if __name__ == "__main__":
    main()
