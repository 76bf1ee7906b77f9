"""Wikipedia2Vec's side of `vectors_peer.py`, run by the interpreter that has wikipedia2vec 2.0.0.

    PYTHON vectors_peer_worker.py prepare DUMP FOLDER OPTIONS
    PYTHON vectors_peer_worker.py train FOLDER OPTIONS
    PYTHON vectors_peer_worker.py pairs FOLDER OPTIONS

OPTIONS is JSON: ``dim_size``, ``iteration``, ``min_word_count``, ``min_entity_count`` and
``workers``.

``prepare`` writes dump database, dictionary and link graph. ``train`` trains, and writes the
vectors (``vectors.npy``) with their names (``names.json``). ``pairs`` counts what one iteration
trains, by the rules of `_train_page` in ``wikipedia2vec.py``, its window that only shrinks within a
page among them; the compiled code does not count.
"""

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
from wikipedia2vec import Wikipedia2Vec
from wikipedia2vec.dictionary import Dictionary
from wikipedia2vec.dump_db import DumpDB
from wikipedia2vec.link_graph import LinkGraph
from wikipedia2vec.utils.tokenizer import get_tokenizer
from wikipedia2vec.utils.wiki_dump_reader import WikiDumpReader

WINDOW, NEGATIVE, SAMPLE, ENTITIES_PER_PAGE = 5, 5, 1e-4, 10
CHUNK = 100


def main() -> None:
    """Do one of the three."""
    what, *places, options = sys.argv[1:]
    folder = Path(places[-1])
    chosen = json.loads(options)
    if what == "prepare":
        prepare(places[0], folder, chosen)
    elif what == "train":
        train(folder, chosen)
    else:
        print(json.dumps(count_pairs(folder, chosen)))


def prepare(dump: str, folder: Path, options: dict[str, Any]) -> None:
    """Write what a training reads."""
    workers = options["workers"]
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("db", "db-lock"):
        (folder / name).unlink(missing_ok=True)
    DumpDB.build(WikiDumpReader(dump), str(folder / "db"), pool_size=workers, chunk_size=CHUNK)
    database = DumpDB(str(folder / "db"))
    dictionary = Dictionary.build(
        database, get_tokenizer("regexp"), lowercase=True,
        min_word_count=options["min_word_count"], min_entity_count=options["min_entity_count"],
        min_paragraph_len=5, category=False, disambi=False, pool_size=workers, chunk_size=CHUNK,
        progressbar=False,
    )  # fmt: skip
    dictionary.save(str(folder / "dictionary"))
    graph = LinkGraph.build(database, dictionary, workers, CHUNK, progressbar=False)
    graph.save(str(folder / "graph"))


def opened(folder: Path) -> tuple[DumpDB, Dictionary, LinkGraph]:
    """Open it; the graph with rows for the last entities too, without which training fails."""
    database = DumpDB(str(folder / "db"))
    dictionary = Dictionary.load(str(folder / "dictionary"))
    graph = LinkGraph.load(str(folder / "graph"), dictionary, mmap=False)
    n_missing = dictionary.entity_size + 1 - len(graph._indptr)
    graph._indptr = np.append(graph._indptr, [graph._indptr[-1]] * n_missing).astype(np.int32)
    return database, dictionary, graph


def train(folder: Path, options: dict[str, Any]) -> None:
    """Train, with the defaults but for the options."""
    database, dictionary, graph = opened(folder)
    model = Wikipedia2Vec(dictionary)
    model.train(
        database, graph, None, get_tokenizer("regexp"), None, dim_size=options["dim_size"],
        init_alpha=0.025, min_alpha=0.0001, window=WINDOW, negative=NEGATIVE, word_neg_power=0.75,
        entity_neg_power=0.0, sample=SAMPLE, iteration=options["iteration"],
        entities_per_page=ENTITIES_PER_PAGE, pool_size=options["workers"], chunk_size=CHUNK,
        progressbar=False,
    )  # fmt: skip
    np.save(folder / "vectors.npy", model.syn0)
    names = {
        "words": {word.text: int(word.index) for word in dictionary.words()},
        "entities": {entity.title: int(entity.index) for entity in dictionary.entities()},
    }
    (folder / "names.json").write_text(json.dumps(names))


def count_pairs(folder: Path, options: dict[str, Any]) -> dict[str, float]:
    """Return the pairs of all iterations, from one that is played through."""
    database, dictionary, graph = opened(folder)
    tokenizer, rng = get_tokenizer("regexp"), random.Random(0)
    keep = Wikipedia2Vec(dictionary)._build_word_sampling_table(SAMPLE) / float(2**32)
    n_words, n_anchors, n_tokens, n_centres = 0, 0, 0, 0
    titles = list(database.titles())
    for title in titles:
        window = WINDOW
        for paragraph in database.get_paragraphs(title):
            tokens = tokenizer.tokenize(paragraph.text)
            if len(tokens) < 5:
                continue
            found = [dictionary.get_word_index(token.text.lower()) for token in tokens]
            n_tokens += len(found)
            for i, word in enumerate(found):
                if word == -1 or keep[word] < rng.random():
                    continue
                n_centres += 1
                window = rng.randrange(window) + 1  # the fault: it was 5 before, and stays small
                for j in range(max(0, i - window), min(len(found), i + window + 1)):
                    other = found[j]
                    n_words += other != -1 and i != j and keep[other] >= rng.random()
            for link in paragraph.wiki_links:
                if dictionary.get_entity_index(link.title) == -1:
                    continue
                first, last = spanned(tokens, link.start, link.end)
                window = rng.randrange(window) + 1
                for j in range(max(0, first - window), min(len(found), last + window)):
                    other = found[j]
                    is_near = other != -1 and not first <= j < last
                    n_anchors += 2 * (is_near and keep[other] >= rng.random())
    n_edges = len(graph._indices)
    n_iterations = options["iteration"]
    n_turns = len(titles) * ENTITIES_PER_PAGE * n_iterations / max(dictionary.entity_size, 1)
    counts = {
        "words": n_words * n_iterations, "anchors": n_anchors * n_iterations,
        "links": n_edges * n_turns, "tokens": n_tokens * n_iterations,
        "pairs_a_centre": n_words / max(n_centres, 1),
        "n_words": dictionary.word_size, "n_entities": dictionary.entity_size,
    }  # fmt: skip
    return {name: float(count) for name, count in counts.items()}


def spanned(tokens: list[Any], start: int, end: int) -> tuple[int, int]:
    """Return the tokens of a link's text as the peer finds them."""
    first = max((i for i, token in enumerate(tokens) if token.start <= start), default=0)
    place = max(0, end - 1)
    last = max((i for i, token in enumerate(tokens) if token.start <= place), default=0)
    return first, last + 1


if __name__ == "__main__":
    main()
