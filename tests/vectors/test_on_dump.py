"""From the dump of a Wikipedia to vectors: against a slow count, with stops, with few bytes."""

import hashlib
import mmap
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from written_dump import Written, slow_pages, some_pages, write_dump

from isogloss import memory
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import build_knowledge_base
from isogloss.vectors import Vocabulary, WordEntityVectors
from isogloss.vectors.corpus import graph_file
from isogloss.vectors.corpus.corpus import TrainingCorpus, corpus_of
from isogloss.vectors.corpus.dump_corpus import DumpReading, corpus_of_dump
from isogloss.vectors.formats.native_file import read_native
from isogloss.vectors.on_dump import _say_alike, train_on_dump
from isogloss.vectors.training import training
from isogloss.vectors.training.training import VectorTraining
from isogloss.wiki.dump import reader as dumps

QUICK = VectorTraining(width=8, epochs=3)
ALL = DumpReading(min_word_count=1, min_entity_count=1, min_paragraph_len=1)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "BLOCK", 3000)
    monkeypatch.setattr("isogloss.wiki.dump.parts.BLOCKS", 1)
    monkeypatch.setattr(training, "WARM_UP_SECONDS", 0.0)


def read(path: Path, work: Path, reading: DumpReading = ALL, workers: int = 1) -> TrainingCorpus:
    return corpus_of_dump(path, work, reading, code="en", lang="en", workers=workers)


def assert_same(one: TrainingCorpus, other: TrainingCorpus) -> None:
    for mine, slow in zip(one.arrays, other.arrays, strict=True):
        assert mine.tolist() == slow.tolist()
    for name in ("words", "entities"):
        assert list(getattr(one.vocabulary, name)) == list(getattr(other.vocabulary, name))
    assert one.vocabulary.word_counts.tolist() == other.vocabulary.word_counts.tolist()
    assert one.vocabulary.entity_counts.tolist() == other.vocabulary.entity_counts.tolist()
    for name in ("redirects", "rare_words", "rare_entities"):
        mine, slow = getattr(one.vocabulary, name), getattr(other.vocabulary, name)
        counts = [dict(zip(of.names, of.counts.tolist(), strict=True)) for of in (mine, slow)]
        assert counts[0] == counts[1]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("min_words", "min_entities"), [(1, 1), (4, 3)])
def test_a_dump_becomes_the_corpus_of_its_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, min_words: int, min_entities: int
) -> None:
    monkeypatch.setattr(graph_file, "EDGES_AT_ONCE", 20)
    pages = some_pages(40, seed)
    path = write_dump(tmp_path / "en.xml", "en", pages)
    reading = DumpReading(
        min_word_count=min_words, min_entity_count=min_entities, min_paragraph_len=1
    )
    found = read(path, tmp_path / "work", reading)
    assert len(list((tmp_path / "work").rglob("*.part"))) > 3
    listed, redirects = slow_pages(pages)
    slow = corpus_of(
        listed, min_word_count=min_words, min_entity_count=min_entities, redirects=redirects
    )
    assert_same(found, slow)
    if seed == 0 and min_words > 1:  # processes start slowly
        assert_same(read(path, tmp_path / "two", reading, workers=2), slow)


def test_short_sections_give_entities_but_no_words(tmp_path: Path) -> None:
    pages = [
        Written("A", [["one two ", ("B", "three")], ["four"]]),
        Written("B", [[("A", "one")]]),
    ]
    path = write_dump(tmp_path / "en.xml", "en", pages)
    corpus = read(path, tmp_path / "w", DumpReading(
        min_word_count=1, min_entity_count=1, min_paragraph_len=3))  # fmt: skip
    assert sorted(corpus.vocabulary.words) == ["1", "four", "heading", "one", "three", "two"]
    assert dict(zip(corpus.vocabulary.entities, corpus.vocabulary.entity_counts, strict=True)) == {
        "A": 1, "B": 1}  # fmt: skip
    assert corpus.link_entities.size == 1  # B's own section is too short for an anchor
    assert corpus.graph_neighbours.tolist() == [1, 0]
    assert corpus.page_sections.tolist() == [0, 2, 2]


def test_letters_and_minimum_counts(tmp_path: Path) -> None:
    path = write_dump(tmp_path / "en.xml", "en", [Written("A", [["Big big ", ("A", "Big")]])])
    kept = read(path, tmp_path / "a", DumpReading(
        lowercase=False, min_word_count=2, min_entity_count=1, min_paragraph_len=1))  # fmt: skip
    assert list(kept.vocabulary.words) == ["Big"]
    with pytest.raises(InputError, match="reaches the minimum count"):
        read(path, tmp_path / "b", DumpReading(min_word_count=9, min_entity_count=9))


def test_a_look_up_says_why(tmp_path: Path) -> None:
    pages = [
        Written("Oslo", [["in", ("Norway", "Norway"), "and", ("Norge", "Norway"), "lies"]]),
        Written("Norway", [["a", ("Nowhere", "land"), "in the north"]]),
        Written("Norge", redirect="Norway"),
        Written("Christiania", redirect="Oslo"),
        Written("Double", [["{{disambig}}", ("Oslo", "one"), "two three four five"]]),
    ]
    path = write_dump(tmp_path / "en.xml", "en", pages)
    reading = DumpReading(min_word_count=2, min_entity_count=2)
    all_words = replace(QUICK, sample=0)
    train_on_dump(f"wikipedia:en={path}", tmp_path / "v", reading, all_words, workers=1)
    vocabulary = read_native(tmp_path / "v").vocabulary
    assert vocabulary.row("Norge").label == "ENTITY/Norway"
    for name, why in {
        "Christiania": "redirects to 'Oslo', which is linked 1 time, below the minimum count of 2",
        "Oslo": "it is a title, which is linked 1 time, below",
        "Nowhere": "it is not in the dump: no page or redirect has this title",
        "Double": "it is not in the dump",
        "north": "the word occurs 1 time, below the minimum count of 2",
    }.items():
        with pytest.raises(InputError, match=why):
            vocabulary.row(name)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_stop_at_any_write_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped before each rename in turn, which is where a kill leaves something half done."""
    path = write_dump(tmp_path / "en.xml", "en", some_pages(25, 1))
    source = f"wikipedia:en={path}"

    def made(out: Path) -> str:
        train_on_dump(source, out, ALL, QUICK, workers=1, overwrite=True)
        return digest(out)

    whole = made(tmp_path / "whole")
    rename, n_stops = Path.replace, 0
    trained: list[int] = []
    write = training.write_checkpoint

    def counting(path: Path, *rest: Any) -> None:
        write(path, *rest)
        trained.append(n_stops)

    monkeypatch.setattr(training, "write_checkpoint", counting)
    while True:
        n_left = n_stops

        def stopping(self: Path, target: Path) -> Path:
            nonlocal n_left
            n_left -= 1
            if n_left < 0:
                raise KeyboardInterrupt
            return rename(self, target)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "replace", stopping)
            try:
                made(tmp_path / "v")
                break
            except KeyboardInterrupt:
                n_stops += 1
        assert made(tmp_path / "v") == whole
        assert not list(tmp_path.glob(".v*"))
    assert n_stops > 12
    assert trained.count(n_stops - 1) < 2 * (QUICK.epochs - 1)  # it went on, not anew


def test_a_checkpoint_of_another_training_is_passed_over(tmp_path: Path) -> None:
    path = write_dump(tmp_path / "en.xml", "en", some_pages(15, 0))
    corpus = read(path, tmp_path / "w")
    checkpoint, wanted = tmp_path / "c", {}
    for seed in (0, 1):
        wanted[seed] = training.train_vectors(corpus, QUICK, seed=seed, n_workers=1).matrix
        training.train_vectors(corpus, QUICK, seed=0, n_workers=1, checkpoint=checkpoint)
        again = training.train_vectors(
            corpus, QUICK, seed=seed, n_workers=1, checkpoint=checkpoint, says_time=True
        )
        assert again.matrix.tobytes() == wanted[seed].tobytes()
    longer = replace(QUICK, epochs=4)
    on = training.train_vectors(corpus, longer, n_workers=1, checkpoint=checkpoint)
    assert (
        on.facts["n_pairs"] == training.train_vectors(corpus, longer, n_workers=1).facts["n_pairs"]
    )


def test_other_options_use_what_still_serves(tmp_path: Path) -> None:
    path = write_dump(tmp_path / "en.xml", "en", some_pages(25, 2))
    work, folder = tmp_path / "w", tmp_path / "w" / "en"
    first = read(path, work)
    times = {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}
    rarer = read(path, work, DumpReading(min_word_count=3, min_entity_count=2, min_paragraph_len=1))
    assert len(rarer.vocabulary) < len(first.vocabulary)
    assert all(
        file.stat().st_mtime_ns == times[file]
        for file in folder.rglob("*") if file.suffix in (".part", ".tokens", ".words")
    )  # fmt: skip
    again = read(path, work, DumpReading(min_word_count=1, min_entity_count=1, min_paragraph_len=9))
    assert len(again.tokens) < len(first.tokens)
    assert_same(read(path, work), first)


def test_limit(tmp_path: Path) -> None:
    pages = some_pages(25, 3)
    path = write_dump(tmp_path / "en.xml", "en", pages)
    reading = DumpReading(limit=10, min_word_count=1, min_entity_count=1, min_paragraph_len=1)
    assert read(path, tmp_path / "w", reading).n_pages == sum(not p.redirect for p in pages[:10])


def test_too_little_memory_stops_before_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_dump(tmp_path / "en.xml", "en", some_pages(15, 0))
    monkeypatch.setattr(training, "bytes_available", lambda: 1000)
    with pytest.raises(
        InputError, match=r"are needed, where 0\.0 GB are free; give vectors of fewer"
    ):
        train_on_dump(f"wikipedia:en={path}", tmp_path / "v", ALL, QUICK, workers=1)
    assert list((tmp_path / ".v.work").rglob("*.part"))  # kept for the next try
    monkeypatch.setattr(training, "bytes_available", lambda: None)
    train_on_dump(f"wikipedia:en={path}", tmp_path / "v", ALL, QUICK, workers=1)
    assert not (tmp_path / ".v.work").exists()


def test_memory_that_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def written(name: str, text: str) -> Path:
        (tmp_path / name).write_text(text)
        return tmp_path / name

    monkeypatch.setattr(memory, "MACHINE", written("m", "MemTotal: 9 kB\nMemAvailable:   5 kB\n"))
    monkeypatch.setattr(memory, "CONTAINERS", ())
    assert memory.bytes_available() == 5 * 1024
    stat = written("stat", "anon 100\nfile 99999\n")
    monkeypatch.setattr(memory, "CONTAINERS", ((written("max", "1000\n"), stat, "anon"),))
    assert memory.bytes_available() == 900
    monkeypatch.setattr(memory, "CONTAINERS", ((written("max", "max\n"), stat, "anon"),))
    assert memory.bytes_available() == 5 * 1024
    monkeypatch.setattr(memory, "MACHINE", tmp_path / "none")
    assert memory.bytes_available() is None


@pytest.mark.parametrize("spread", [0.1, 1.0])
def test_words_that_are_all_alike_are_said(spread: float, caplog: pytest.LogCaptureFixture) -> None:
    names = [f"w{i}" for i in range(50)]
    matrix = 1 + spread * np.random.default_rng(0).normal(size=(50, 8))
    _say_alike(WordEntityVectors(Vocabulary.of(names, []), matrix.astype(np.float32)))
    assert ("too little text" in caplog.text) == (spread < 1)


def test_sources_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no Wikipedia; write wikipedia:ja=DUMP"):
        train_on_dump("cldr", tmp_path / "v")
    redirects = write_dump(tmp_path / "en.xml", "en", [Written("A", redirect="B")])
    with pytest.raises(InputError, match="has no page with a text"):
        train_on_dump(f"wikipedia:en={redirects}", tmp_path / "v", workers=1)
    (tmp_path / "no.xml").write_text("<html></html>")
    with pytest.raises(InputError):
        train_on_dump(f"wikipedia:en={tmp_path / 'no.xml'}", tmp_path / "v", workers=1)
    assert not (tmp_path / ".v.work").exists() or list((tmp_path / ".v.work").rglob("*.part"))


NAMED = [
    Written("Mercury (planet)", [["The planet is near", ("Sun", "the Sun"), ". Sun and Mercury."]]),
    Written("Mercury (god)", [["A god of", ("Rome", "Rome"), "and of Mercury the Sun"]]),
    Written("Sun", [["Near it is", ("Mercury (planet)", "Mercury"), ", Mercury, then no Rome"]]),
    Written("Rome", [["It has", ("Mercury (god)", "Mercury"), ", Mercury, éé Sun."]]),
    Written("Both", [["Of", ("Mercury (god)", "Mercury"), ("Mercury (planet)", "that planet"),
                      "Mercury", ("Sun", "Sun")]]),
]  # fmt: skip


def test_names_of_a_knowledge_base_are_links_where_they_are_sure(tmp_path: Path) -> None:
    path = write_dump(tmp_path / "en.xml", "en", NAMED)
    build_knowledge_base([f"wikipedia:en={path}"], tmp_path / "kb", workers=1)
    reading = DumpReading(
        kb=tmp_path / "kb", min_word_count=1, min_entity_count=1, min_paragraph_len=1
    )
    plain, named = read(path, tmp_path / "a"), read(path, tmp_path / "b", reading)
    vocabulary = named.vocabulary
    assert list(vocabulary.entities) == list(plain.vocabulary.entities)
    assert vocabulary.entity_counts.tolist() == plain.vocabulary.entity_counts.tolist()
    assert named.graph_neighbours.tolist() == plain.graph_neighbours.tolist()
    found = []
    for page in range(named.n_pages):
        of_page = slice(*named.page_links[page : page + 2].tolist())
        found.append([
            (" ".join(map(vocabulary.words.__getitem__, named.tokens[a:b].tolist())),
             vocabulary.entities[int(e)])
            for a, b, e in zip(named.link_starts[of_page], named.link_ends[of_page],
                               named.link_entities[of_page], strict=True)
        ])  # fmt: skip
    planet, god = "Mercury (planet)", "Mercury (god)"
    assert found == [
        [("the sun", "Sun"), ("sun", "Sun"), ("mercury", planet)],
        [("rome", "Rome"), ("mercury", god), ("the sun", "Sun")],
        [("mercury", planet), ("mercury", planet), ("rome", "Rome")],
        [("mercury", god), ("mercury", god), ("sun", "Sun")],
        [("mercury", god), ("that planet", planet), ("sun", "Sun")],  # either god or planet
    ]
    rarely = DumpReading(
        kb=tmp_path / "kb", min_link_prob=1.0, min_word_count=1, min_entity_count=1,
        min_paragraph_len=1,
    )  # fmt: skip
    assert read(path, tmp_path / "b", rarely).link_entities.size < named.link_entities.size
    german = write_dump(tmp_path / "de.xml", "de", NAMED)
    with pytest.raises(InputError, match="has no names in 'de'"):
        corpus_of_dump(german, tmp_path / "c", reading, code="de", lang="de", workers=1)


def test_the_arrays_are_mapped(tmp_path: Path) -> None:
    corpus = read(write_dump(tmp_path / "en.xml", "en", some_pages(9, 0)), tmp_path / "w")
    assert corpus.tokens.dtype == np.int32
    for array in corpus.arrays:
        while isinstance(array, np.ndarray):
            array = array.base
        assert isinstance(array, mmap.mmap)


def test_a_stopped_training_names_what_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    dump = write_dump(tmp_path / "en.xml", "en", some_pages(3, 0))
    rare = DumpReading(min_word_count=10**6, min_entity_count=10**6)
    with pytest.raises(InputError):
        train_on_dump(f"wikipedia:en={dump}", tmp_path / "v", rare, workers=1)
    assert (tmp_path / ".v.work").exists()
    assert ".v.work keeps what was read" in caplog.text


def test_a_dump_of_another_wiki_is_said(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "en.xml", "en", some_pages(3, 0))
    head = (
        "<siteinfo><dbname>enwiki</dbname><namespaces>"
        '<namespace key="0" /><namespace key="6">File</namespace></namespaces></siteinfo>'
    )
    whole = dump.read_text("utf-8")
    dump.write_text(whole.replace("\n", head, 1), "utf-8")
    reading, training = DumpReading(min_word_count=1), VectorTraining(width=2, epochs=1)
    with pytest.warns(
        OmissionWarning, match="says that it is enwiki, and is read as the Wikipedia"
    ):
        train_on_dump(f"wikipedia:ja={dump}", tmp_path / "v", reading, training, workers=1)


UNLINKED = [Written(title, [["it is a word of words here"]]) for title in ("A", "B", "C")]


@pytest.mark.parametrize(
    ("pages", "options", "said"),
    [
        (UNLINKED, {}, "no entity has a vector: no link leads to an entity; read more pages, or "
                       "give a dump pages-articles"),
        ([*UNLINKED, Written("D", [["it is", ("A", "a"), "word"]])], {"min_entity_count": 2},
         "no entity has a vector: 1 entity is linked less than 2 times; lower --min-entity-count, "
         "or read more pages"),
        ([Written("A", [["one", ("A", "one"), "one"]])], {"min_word_count": 9},
         "no word has a vector: 1 word occurs less than 9 times; lower --min-word-count, or read "
         "more pages"),
        ([Written("A", [["one", ("A", "one"), "one"]])], {"min_paragraph_len": 9},
         "no word has a vector: no section has enough words; lower --min-paragraph-len, or read "
         "more pages"),
    ],
)  # fmt: skip
def test_why_nothing_has_a_vector(
    tmp_path: Path, pages: list[Written], options: dict[str, int], said: str
) -> None:
    source = f"wikipedia:en={write_dump(tmp_path / 'en.xml', 'en', pages)}"
    with pytest.raises(OmissionWarning) as error:  # as under --strict, before training
        train_on_dump(source, tmp_path / "v", replace(ALL, **options), QUICK, workers=1)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (
            "min_entity_count",
            r"no entity has a vector: \d+ entities are linked less than 9999 times",
        ),
        ("min_word_count", r"no word has a vector: \d+ words occur less than 9999 times"),
    ],
)
def test_vectors_without_entities_or_words_are_warned_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, said: str
) -> None:
    source = f"wikipedia:en={write_dump(tmp_path / 'en.xml', 'en', some_pages(20, 1))}"
    reading = replace(ALL, **{option: 9999})
    with pytest.warns(OmissionWarning, match=said) as warned:
        train_on_dump(source, tmp_path / "v", reading, QUICK, workers=1)
    assert len(warned) == 1
    assert (tmp_path / "v").exists()
    monkeypatch.setattr(
        "isogloss.vectors.on_dump.train_vectors", lambda *_, **__: pytest.fail("late")
    )
    with pytest.raises(OmissionWarning, match=said):  # as under --strict, before training
        train_on_dump(source, tmp_path / "w", reading, QUICK, workers=1)
    assert not (tmp_path / "w").exists()
