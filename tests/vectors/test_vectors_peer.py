"""What the benchmark beside wikipedia2vec writes for both tools; the peer itself is not needed."""

import runpy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import ROOT
from written_dump import Written, write_dump

from isogloss.vectors.corpus.dump_corpus import DumpReading, corpus_of_dump

BENCHMARKS = ROOT / "benchmarks"


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    return runpy.run_path(str(BENCHMARKS / "vectors_peer.py"))


def test_the_planted_world_is_read_as_it_was_made(peer: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "planted.xml.bz2"
    peer["write_dump"](path, peer["planted_pages"](60, 0))
    reading = DumpReading(min_word_count=1, min_entity_count=1)
    found = corpus_of_dump(path, tmp_path / "w", reading, code="en", lang="en", workers=1)
    made = peer["planted_corpus"](n_pages=60, seed=0)
    words = {w.replace(":", "x"): n for w, n in zip(made.vocabulary.words,
             made.vocabulary.word_counts.tolist(), strict=True) if n}  # fmt: skip
    assert dict(zip(found.vocabulary.words, found.vocabulary.word_counts, strict=True)) == words
    entities = {f"E{t.replace(':', 'x')}": n for t, n in zip(made.vocabulary.entities,
                made.vocabulary.entity_counts.tolist(), strict=True) if n}  # fmt: skip
    counts = dict(zip(found.vocabulary.entities, found.vocabulary.entity_counts, strict=True))
    assert counts == entities
    assert (found.link_ends - found.link_starts == 1).all()
    assert found.link_starts.size == made.link_starts.size


def test_links_are_taken_out(peer: dict[str, Any], tmp_path: Path) -> None:
    text = " ".join(f"[[t{i}|n{i}]] and [[File:x.png]] [[de:y]] [[T{i}#part]]" for i in range(40))
    pages = [Written("A", [[text]]), Written("B", [["[[to|it]] [[T1]]"]]),
             Written("To", redirect="T1")]  # fmt: skip
    before = write_dump(tmp_path / "en.xml", "en", pages)
    held_out, known = peer["without_some_links"](before, tmp_path / "fewer.xml.bz2", 0)
    assert known == {"A": {f"T{i}" for i in range(40)}, "B": {"T1"}}
    assert len(held_out) == 4
    again, left = peer["without_some_links"](tmp_path / "fewer.xml.bz2", tmp_path / "b.bz2", 0)
    assert len(again) == 3
    for page, target in held_out:
        assert target not in left[page]


def test_ranks_leave_out_what_is_known(peer: dict[str, Any]) -> None:
    vocabulary = peer["Vocabulary"].of([], ["A", "B", "C", "D"])
    matrix = np.array([[1, 0], [1, 0.1], [1, 0.5], [0, 1]], np.float32)
    vectors = peer["WordEntityVectors"](vocabulary, matrix)
    known = {"A": {"B", "C"}}
    assert peer["ranked"](vectors, [("A", "C")], known, list(vocabulary.entities)) == [("A", 1)]
    assert peer["ranked"](vectors, [("A", "C")], {"A": {"C"}}, list(vocabulary.entities)) == [
        ("A", 2)]  # fmt: skip
    assert sys.modules.get("wikipedia2vec") is None
