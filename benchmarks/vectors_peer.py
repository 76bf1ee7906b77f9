"""Vectors of words and entities beside wikipedia2vec 2.0.0: speed, memory, and what they find.

    python benchmarks/vectors_peer.py speed --peer PYTHON --dump DUMP [--epochs 5 50]
    python benchmarks/vectors_peer.py memory --peer PYTHON
    python benchmarks/vectors_peer.py planted --peer PYTHON [--runs 3]
    python benchmarks/vectors_peer.py links --peer PYTHON --dump DUMP [--runs 3]

PYTHON is an interpreter with wikipedia2vec, which has wheels for Python 3.11 alone::

    python3.11 -m venv peer && peer/bin/pip install wikipedia2vec==2.0.0

Both train with Wikipedia2Vec's defaults but for what a line says, with the link graph and without
names detected in the text, on the same dump, one tool after the other. The peer's graph is padded:
it fails where the last entities have no link. Its compiled code does not count pairs, so
`vectors_peer_worker.py` plays one iteration through by its rules.

``speed``: CPU and wall seconds of the training as a process of its own, from its start to vectors
on disk, on a dump that is read already; pairs a second; the pairs of a further iteration (from the
difference of two numbers of iterations), where the start does not count. ``memory``: the same on a
dump of many words made by chance, where the two matrices are most of what is held. ``planted``: a
world made by chance (see `vectors_speed`), written as a dump. ``links``: a tenth of the links from
page to page are made plain text; the target of each is ranked among all entities by cosine to the
page, other targets of the page left out. Targets that the dump lacks get an empty page, since
isogloss makes entities of pages alone. Intervals are 95 % bootstrap intervals over pages.
"""

import argparse
import bz2
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import Interval
from isogloss.vectors import read_vectors
from isogloss.vectors.vocabulary import Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors
from isogloss.wiki.dump.reader import Dump
from records import Record, add_json
from vectors_speed import planted_corpus, planted_found

WORKER = Path(__file__).with_name("vectors_peer_worker.py")
OURS = {
    "isogloss": (),
    "isogloss, shared negatives": ("--shared-negatives",),
    "isogloss, window 1": ("--window=1",),  # what the peer's shrinks to
}
PEER = "wikipedia2vec"
MEASURES: dict[str, Callable[[Any], Any]] = {
    "mean reciprocal rank": lambda rank: 1 / rank,
    "among the first 10": lambda rank: (rank <= 10).astype(float),
}


def main() -> None:
    """Run one of the four."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("speed", "memory", "planted", "links"))
    parser.add_argument("--peer", required=True, help="interpreter with wikipedia2vec 2.0.0")
    parser.add_argument("--dump", type=Path, help="an English dump")
    parser.add_argument("--work", type=Path, help="folder to keep files in")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--epochs", type=int, nargs="+", default=[5, 50])
    parser.add_argument("--pages", type=int, default=2000, help="of the world made by chance")
    parser.add_argument("--words", type=int, default=800_000, help="of the dump of many words")
    add_json(parser)
    arguments = parser.parse_args()
    record = Record(arguments.json)
    if arguments.what in ("speed", "links") and arguments.dump is None:
        parser.error("give --dump")
    work = arguments.work or Path(tempfile.mkdtemp(prefix="vectors-peer-"))
    work.mkdir(parents=True, exist_ok=True)
    shown = {"planted": planted, "links": links}
    try:
        if arguments.what in shown:
            record.show(arguments.what, shown[arguments.what](arguments, work))
        else:
            {"speed": speed, "memory": memory}[arguments.what](arguments, work)
        record.write()
    finally:
        if arguments.work is None:
            shutil.rmtree(work)


@dataclass(frozen=True)
class Used:
    """What a process and those that it waited for used."""

    cpu: float
    wall: float
    peak: float  # bytes; of the largest of them

    def __str__(self) -> str:
        return f"{self.cpu:.1f} CPU s, {self.wall:.1f} s, {self.peak / 1e9:.2f} GB"


LAUNCHER = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True)
wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
failure = (done.stderr[-2000:] or "no message") if done.returncode else ""
cpu = used.ru_utime + used.ru_stime
print(json.dumps([failure, cpu, wall, used.ru_maxrss * 1024]))
"""


def run(command: Sequence[object]) -> Used:
    """Run a command to its end, from a small process: its peak would hold what that held before."""
    launched = [sys.executable, "-c", LAUNCHER, *map(str, command)]
    done = subprocess.run(launched, capture_output=True, text=True, check=True)
    failure, cpu, wall, peak = json.loads(done.stdout.splitlines()[-1])
    if failure:
        raise SystemExit(f"{' '.join(map(str, command))} failed: {failure}")
    return Used(cpu, wall, peak)


class Both:
    """The two tools on one dump, with the same settings."""

    def __init__(
        self, arguments: argparse.Namespace, dump: Path, work: Path, *, dim_size: int = 100,
        min_word_count: int = 5, min_entity_count: int = 5,
    ) -> None:  # fmt: skip
        self.peer, self.dump, self.work = arguments.peer, dump, work
        self.options = {
            "dim_size": dim_size, "min_word_count": min_word_count,
            "min_entity_count": min_entity_count, "workers": arguments.workers,
        }  # fmt: skip

    def train_ours(
        self, iterations: int, seed: int = 0, more: Sequence[str] = ()
    ) -> tuple[Used, WordEntityVectors]:
        """Train from what is in the work folder, or from the dump; return the vectors too."""
        out = self.work / "ours.safetensors"
        words = [f"--{name.replace('_', '-')}={value}" for name, value in self.options.items()]
        used = run([
            Path(sys.executable).with_name("isogloss"), "vectors", "train",
            f"--source=wikipedia:en={self.dump}", f"--out={out}", f"--work={self.work / 'ours'}",
            "--overwrite", f"--epochs={iterations}", f"--seed={seed}", *words, *more,
        ])  # fmt: skip
        return used, read_vectors(out)

    def prepare_theirs(self) -> Used:
        """Let the peer read the dump."""
        return self._peer("prepare", self.dump, self._theirs, iterations=1)

    def train_theirs(self, iterations: int) -> tuple[Used, WordEntityVectors]:
        """Let the peer train; return its vectors too."""
        used = self._peer("train", self._theirs, iterations=iterations)
        matrix = np.load(self._theirs / "vectors.npy")
        names = json.loads((self._theirs / "names.json").read_text())
        rows = [sorted(names[kind], key=names[kind].__getitem__) for kind in ("words", "entities")]
        order = [names[kind][name] for kind, of in zip(names, rows, strict=True) for name in of]
        return used, WordEntityVectors(Vocabulary.of(*rows), matrix[order])

    def pairs_of_ours(self, iterations: int, more: Sequence[str]) -> tuple[Used, float]:
        """Train, and return the number of pairs too."""
        used, vectors = self.train_ours(iterations, 0, more)
        return used, float(vectors.facts["n_pairs"])

    def pairs_of_theirs(self, iterations: int) -> tuple[Used, float]:
        """Let the peer train; return the number of pairs too, from playing it through."""
        used, _ = self.train_theirs(iterations)
        options = json.dumps({**self.options, "iteration": iterations})
        command = [self.peer, str(WORKER), "pairs", str(self._theirs), options]
        done = subprocess.run(command, capture_output=True, check=True, text=True)
        counts = json.loads(done.stdout)
        return used, counts["words"] + counts["anchors"] + counts["links"]

    @property
    def _theirs(self) -> Path:
        return self.work / "theirs"

    def _peer(self, *words: object, iterations: int) -> Used:
        options = json.dumps({**self.options, "iteration": iterations})
        return run([self.peer, WORKER, *words, options])


def speed(arguments: argparse.Namespace, work: Path) -> None:
    """Compare seconds of training on a dump."""
    both = Both(arguments, arguments.dump, work)
    read, _ = both.train_ours(1)
    print(f"isogloss, dump to vectors, 1 iteration: {read}")
    read = both.prepare_theirs()
    print(f"wikipedia2vec, dump to dictionary and link graph: {read}", flush=True)
    ways: dict[str, Callable[[int], tuple[Used, float]]] = {
        name: partial(both.pairs_of_ours, more=more) for name, more in OURS.items()
    }
    for name, way in {**ways, PEER: both.pairs_of_theirs}.items():
        before: tuple[Used, float] | None = None
        for iterations in sorted(arguments.epochs):
            used, n_pairs = way(iterations)
            print(f"{name}, {iterations} iterations: {told(used, n_pairs)}", flush=True)
            if before is not None:
                cpu, wall = used.cpu - before[0].cpu, used.wall - before[0].wall
                further = Used(cpu, wall, used.peak)
                print(f"{name}, what is more: {told(further, n_pairs - before[1])}", flush=True)
            before = used, n_pairs


def told(used: Used, n_pairs: float) -> str:
    """Return seconds and rates."""
    return (
        f"{used}, {n_pairs / 1e6:.2f} M pairs: {n_pairs / used.cpu / 1e6:.3f} M a CPU-second, "
        f"{n_pairs / used.wall / 1e6:.3f} M a second"
    )


def memory(arguments: argparse.Namespace, work: Path) -> None:
    """Compare what is held while vectors of many words are trained, with the matrices."""
    generator = np.random.default_rng(0)
    drawn = generator.permutation(np.repeat(np.arange(arguments.words), 3))
    texts = [" ".join(f"w{word}" for word in some) for some in np.array_split(drawn, 2000)]
    titles = [f"Page {i}" for i in range(len(texts))]
    dump = work / "words.xml.bz2"
    linked = [*titles[-1:], *titles[:-1]]
    pages = [
        (title, None, f"{text} [[{to}]]")
        for title, text, to in zip(titles, texts, linked, strict=True)
    ]
    write_dump(dump, pages)
    both = Both(arguments, dump, work, dim_size=300, min_word_count=1, min_entity_count=1)
    both.train_ours(1)
    used, vectors = both.train_ours(1)
    matrices = 2 * vectors.matrix.nbytes
    print(f"two matrices: {matrices / 1e9:.2f} GB")
    print(f"isogloss: {used}, {used.peak / matrices:.2f} times", flush=True)
    both.prepare_theirs()
    used, _ = both.train_theirs(1)
    print(f"wikipedia2vec: {used}, {used.peak / matrices:.2f} times")


def planted(arguments: argparse.Namespace, work: Path) -> Table:
    """Compare what is found of a world made by chance: the mean of the runs, and their range."""
    shares: dict[str, list[dict[str, float]]] = {}
    for seed in range(arguments.runs):
        folder = work / f"planted-{seed}"
        folder.mkdir(exist_ok=True)
        dump = folder / "planted.xml.bz2"
        write_dump(dump, planted_pages(arguments.pages, seed))
        both = Both(arguments, dump, folder, min_word_count=1, min_entity_count=1)
        both.prepare_theirs()
        found = {name: both.train_ours(5, seed, more)[1] for name, more in OURS.items()}
        found[PEER] = both.train_theirs(5)[1]
        for name, vectors in found.items():
            shares.setdefault(name, []).append(planted_found(named_as_planted(vectors)))
    rows = []
    for name in (PEER, *OURS):
        row: dict[str, Any] = {"vectors": name}
        for what in shares[name][0]:
            of_runs = [one[what] for one in shares[name]]
            row |= columns_of(what, Interval(float(np.mean(of_runs)), min(of_runs), max(of_runs)))
        rows.append(row)
    return Table(rows)


def planted_pages(n_pages: int, seed: int) -> list[tuple[str, None, str]]:
    """Return the pages of `planted_corpus`; a page has the title of the first entity it links."""
    corpus = planted_corpus(n_pages=n_pages, seed=seed)
    words = [word.replace(":", "x") for word in corpus.vocabulary.words]
    titles = [f"E{title.replace(':', 'x')}" for title in corpus.vocabulary.entities]
    free = dict.fromkeys(titles)
    pages: list[tuple[str, None, str]] = []
    bounds = corpus.section_offsets[corpus.page_sections].tolist()
    for page in range(n_pages):
        text = [words[token] for token in corpus.tokens[bounds[page] : bounds[page + 1]].tolist()]
        rows = range(*corpus.page_links[page : page + 2].tolist())
        for row in rows:
            at = int(corpus.link_starts[row]) - bounds[page]
            text[at] = f"[[{titles[int(corpus.link_entities[row])]}|{text[at]}]]"
        own = titles[int(corpus.link_entities[rows[0]])]
        pages.append((own if own in free else f"Page {page}", None, " ".join(text)))
        free.pop(own, None)
    return pages + [(title, None, "") for title in free]


def named_as_planted(vectors: WordEntityVectors) -> WordEntityVectors:
    """Return vectors under the names that `planted_found` expects."""
    vocabulary = vectors.vocabulary
    words = [word.replace("x", ":") for word in vocabulary.words]
    entities = [title[1:].replace("x", ":") for title in vocabulary.entities]
    return WordEntityVectors(Vocabulary.of(words, entities), vectors.matrix)


def links(arguments: argparse.Namespace, work: Path) -> Table:
    """Compare how well links that were taken out of a dump are found again."""
    ranks: dict[str, list[tuple[str, int]]] = {way: [] for way in (*OURS, PEER)}
    for seed in range(arguments.runs):
        folder = work / f"links-{seed}"
        folder.mkdir(exist_ok=True)
        dump = folder / "fewer.xml.bz2"
        held_out, known = without_some_links(arguments.dump, dump, seed)
        both = Both(arguments, dump, folder, min_entity_count=1)
        both.prepare_theirs()
        found = {name: both.train_ours(10, seed, more)[1] for name, more in OURS.items()}
        found[PEER] = both.train_theirs(10)[1]
        shared = sorted(set.intersection(*(set(of.vocabulary.entities) for of in found.values())))
        edges = [edge for edge in held_out if set(edge) <= set(shared)]
        print(
            f"seed {seed}: {len(edges):,} of {len(held_out):,} links, between {len(shared):,} "
            "entities that both have",
            flush=True,
        )
        for way, vectors in found.items():
            listed = ranked(vectors, edges, known, shared)
            ranks[way] += [(f"{seed} {page}", rank) for page, rank in listed]
    pages = [page for page, _ in ranks[PEER]]
    at = {way: np.array([rank for _, rank in listed]) for way, listed in ranks.items()}
    print(f"{len(pages):,} links")
    rows = []
    for way in (PEER, *OURS):
        row: dict[str, Any] = {"vectors": way}
        for what, measure in MEASURES.items():
            values, beside = measure(at[way]), measure(at[PEER])
            row |= columns_of(what, interval(values, pages))
            if way != PEER:
                row |= columns_of(f"{what}, less {PEER}", interval(values - beside, pages))
        rows.append(row)
    return Table(rows, columns=list(rows[-1]))


def without_some_links(
    dump: Path, out: Path, seed: int
) -> tuple[list[tuple[str, str]], dict[str, set[str]]]:
    """Write a dump without a tenth of its links; return those, and the others by page."""
    with Dump(dump, language="en") as opened:
        site = opened.site
        pages = [
            (page.title, page.redirect, page.text.decode("utf-8", "replace"))
            for page in opened.pages(namespaces={0})
        ]
    redirects = {title: site.title(to) for title, to, _ in pages if to}

    def target_of(raw: str) -> str:
        number, rest = site.namespace_of(raw)
        prefix, colon, _ = rest.partition(":")
        if number or (colon and site.is_interwiki(prefix)):
            return ""
        title = site.title(raw)
        for _ in range(5):
            title = redirects.get(title, title)
        return title

    link = re.compile(r"\[\[([^\[\]|#]+)(?:\|([^\[\]|]*))?\]\]")
    edges = sorted(
        {
            (title, target)
            for title, redirect, text in pages
            if not redirect
            for raw, _ in link.findall(text)
            if (target := target_of(raw)) and target != title
        }
    )
    held_out = set(random.Random(seed).sample(edges, len(edges) // 10))

    def cut(found: re.Match[str], title: str) -> str:
        is_out = (title, target_of(found[1])) in held_out
        return (found[2] or found[1]) if is_out else found[0]

    written = [
        (title, redirect, "" if redirect else link.sub(partial(cut, title=title), text))
        for title, redirect, text in pages
    ]
    missing = {target for _, target in edges} - {title for title, _, _ in pages}
    written += [(title, None, "") for title in sorted(missing)]
    write_dump(out, written)
    known: dict[str, set[str]] = {}
    for page_title, target in edges:
        known.setdefault(page_title, set()).add(target)
    return sorted(held_out), known


def ranked(
    vectors: WordEntityVectors, edges: Sequence[tuple[str, str]], known: dict[str, set[str]],
    candidates: Sequence[str],
) -> list[tuple[str, int]]:  # fmt: skip
    """Return the page and the rank of the target of each link that was taken out."""
    matrix, is_known = vectors.lookup_entities(list(candidates))
    assert is_known.all()
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-12)
    place = {title: row for row, title in enumerate(candidates)}
    found = []
    for page, target in edges:
        cosines = matrix @ matrix[place[page]]
        others = [place[title] for title in known[page] - {target} | {page} if title in place]
        at = cosines[place[target]]
        cosines[others] = -np.inf
        found.append((page, 1 + int((cosines > at).sum())))
    return found


def interval(values: "np.ndarray[Any, Any]", pages: Sequence[str]) -> Interval:
    """Return the mean and its bootstrap interval over pages."""
    numbers = {page: number for number, page in enumerate(dict.fromkeys(pages))}
    row = np.array([numbers[page] for page in pages])
    sums = np.bincount(row, weights=values)
    sizes = np.bincount(row)
    drawn = np.random.default_rng(0).integers(len(sums), size=(2000, len(sums)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(float(values.mean()), float(low), float(high))


def write_dump(path: Path, pages: Sequence[tuple[str, str | None, str]]) -> None:
    """Write title, redirect and wikitext of pages as a dump that both tools read."""
    head = (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" '
        'xml:lang="en">\n<siteinfo><sitename>Wikipedia</sitename><dbname>enwiki</dbname>'
        '<case>first-letter</case><namespaces><namespace key="0" case="first-letter" />'
        "</namespaces></siteinfo>\n"
    )
    with bz2.open(path, "wt", encoding="utf-8") as file:
        file.write(head)
        for number, (title, redirect, text) in enumerate(pages, 1):
            to = f"<redirect title={quoteattr(redirect)} />" if redirect else ""
            file.write(
                f"<page>\n<title>{escape(title)}</title>\n<ns>0</ns>\n<id>{number}</id>\n{to}\n"
                f"<revision>\n<id>{number}</id>\n<model>wikitext</model>\n"
                f"<format>text/x-wiki</format>\n<text>{escape(text)}</text>\n</revision>\n"
                "</page>\n"
            )
        file.write("</mediawiki>\n")


if __name__ == "__main__":
    main()
