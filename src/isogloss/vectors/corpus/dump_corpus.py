"""From a dump to a corpus on disk, in stages: each is a file, so that a stopped run resumes.

The dump is extracted (`wiki.dump.parts`), titles are resolved, the parts are read into numbers
(`dump_pages`), names counted, the parts numbered anew and joined. Memory: one part in each process;
then, to rank them, about 40 bytes and its letters for each distinct word, frequent or not, and 60
bytes and its letters for each title.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Ints1d, SmallInts1d, offsets_of
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.limits import check_count
from isogloss.progress import activity, logger, progress
from isogloss.storage.array_file import Arrays, atomic_part, map_arrays, new_arrays, write_arrays
from isogloss.storage.files import damage_in_one_sentence, read_json, write_json
from isogloss.text.folding import TURKIC
from isogloss.vectors.corpus.corpus import TrainingCorpus
from isogloss.vectors.corpus.detected_names import write_entities_of
from isogloss.vectors.corpus.dump_pages import NOWHERE, PageRules
from isogloss.vectors.corpus.dump_vocabulary import DumpVocabulary, count_names
from isogloss.vectors.corpus.graph_file import edges_of, write_graph
from isogloss.vectors.vocabulary import Vocabulary
from isogloss.vectors.vocabulary_arrays import arrays_of, minimums_of, vocabulary_of
from isogloss.vectors.words import TOKENIZER
from isogloss.wiki.counts.titles import read_titles, write_titles
from isogloss.wiki.dump.other_wiki import warn_of_other_wiki
from isogloss.wiki.dump.parts import Extraction, extract_dump
from isogloss.workers import run_tasks

VERSION = 2  # of what is made of the parts, and of checkpoints; the parts have one of their own
ROOM = 3.0  # disk space by that of the parts, with all stages at their largest
_OFFSETS = ("section_offsets", "page_sections", "page_links")  # of `TrainingCorpus`
_LINKS = ("link_starts", "link_ends", "link_entities")
# Files of stages and checkpoints, and what a kill leaves half written beside them.
_OURS = re.compile(
    r"(?:(?:titles|entities|words|vocabulary|numbers|graph)\.bin|\d{6,}\.(?:tokens|words|edges)"
    r"|training-[0-9a-f]{16}\.bin|options\.json)(?:\.new|\.raw|\.\d+-\d+(?:\.new)?)?"
)
_THRESHOLDS = ("min_link_prob", "min_commonness")  # of names of a knowledge base


@dataclass(frozen=True, kw_only=True)
class DumpReading:
    """How a dump becomes a corpus; names and defaults are Wikipedia2Vec's where it has them.

    Attributes
    ----------
    lowercase
        Whether words are in small letters.
    min_word_count, min_entity_count
        Words that occur, and entities that are linked, less often get no vector.
    min_paragraph_len
        Sections of fewer words are left out.
    limit
        Read the first pages of the dump only.
    kb
        A knowledge base whose names, found in the text, are taken for links (`detected_names`).
    min_link_prob, min_commonness
        Of those names, and of what they mean (min_prior_prob); without `kb` they say nothing.
    """

    lowercase: bool = True
    min_word_count: int = 5
    min_entity_count: int = 5
    min_paragraph_len: int = 5
    limit: int | None = None
    kb: Path | None = None
    min_link_prob: float = 0.2
    min_commonness: float = 0.01

    def __post_init__(self) -> None:
        for name in ("min_word_count", "min_entity_count", "min_paragraph_len"):
            check_count(name, getattr(self, name))
        if self.limit is not None:
            check_count("limit", self.limit)

    def facts(self) -> dict[str, Any]:
        """Return what is to be known of vectors made so, as JSON holds it."""
        facts = {**asdict(self), "tokenizer": TOKENIZER}
        if self.kb is None:
            return {name: facts[name] for name in facts if name not in _THRESHOLDS}
        return {**facts, "kb": KnowledgeBase.open(self.kb).fingerprint}


def corpus_of_dump(
    dump: Path, work: Path, reading: DumpReading, *, code: str, lang: str, workers: int,
    keep: bool = True,
) -> TrainingCorpus:  # fmt: skip
    """Bring a dump through all stages, or what is missing of them.

    Parameters
    ----------
    work
        Folder of the stages; its parts are those of ``kb build --work``.
    code, lang
        Of the Wikipedia, and of its texts: ``"zh-yue"`` and ``"yue"``.
    keep
        Whether to keep what is read of each part, for a corpus with other minimum counts, and to
        refuse a folder with the work on another dump; else it is emptied.

    Raises
    ------
    InputError
        When the dump cannot be read, a stage finds nothing for the next, no name of the knowledge
        base is known, or another version of isogloss made the stages, and they are kept.
    """
    extraction = extract_dump(
        dump, work / code, code=code, workers=workers, limit=reading.limit,
        keeps_others=keep, room=ROOM,
    )  # fmt: skip
    warn_of_other_wiki(dump, code, extraction.site.name)
    stages = _Stages(extraction, stages_in(work, code), reading, lang, workers)
    if not extraction.counts["pages"] - extraction.counts["redirects"]:
        raise InputError("has no page with a text in its main namespace", path=dump)
    stages.prepare(keeps_others=keep)
    if not stages.are_done:
        stages.read_parts()
        stages.count()
        stages.number()
    stages.tidy(keep=keep)
    return stages.corpus()


def stages_in(work: Path, code: str) -> Path:
    """Return the folder of what is made of the parts, and of checkpoints of training."""
    return work / code / "vectors"


@dataclass(frozen=True)
class _Stages:
    """The files of a corpus."""

    extraction: Extraction
    folder: Path
    reading: DumpReading
    lang: str
    workers: int

    def prepare(self, *, keeps_others: bool) -> None:
        """Make the folder, and remove what was made with other options; the parts serve any.

        Checkpoints stay: each is known by its options, and resumes when they are given again. What
        another version of isogloss made serves nothing: it is refused if `keeps_others`.
        """
        facts = self.reading.facts()
        counts = {name: facts.pop(name) for name in ("min_word_count", "min_entity_count")}
        wanted = {"version": VERSION, "parts": facts, "counts": counts}
        about = self.folder / "options.json"
        before = read_json(about, what="a work folder") if about.exists() else {}
        if before == wanted:
            return
        with damage_in_one_sentence(about, advice="remove the work folder"):
            is_of_us = not before or before.get("version") == VERSION
            has_same_parts = is_of_us and before.get("parts") == facts
        if not is_of_us and keeps_others:
            raise InputError(
                "holds the work of another version of isogloss; remove it, or give another --work",
                path=self.folder,
            )
        if not is_of_us:
            logger.info("%s: begins anew, since another version of isogloss made it", self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        about.unlink(missing_ok=True)  # first: else what is left half way would pass for whole
        serve = ["training-*"] if is_of_us else []
        if has_same_parts:
            serve += ["titles.bin", "entities.bin", "*.tokens", "*.words"]
        for file in _ours_in(self.folder):
            if not any(file.match(pattern) for pattern in serve):
                file.unlink()
        with atomic_part(about) as temporary:
            write_json(temporary, wanted)

    @property
    def _titles(self) -> Path:
        return self.folder / "titles.bin"

    @property
    def _vocabulary(self) -> Path:
        return self.folder / "vocabulary.bin"

    @property
    def _numbers(self) -> Path:
        return self.folder / "numbers.bin"

    @property
    def _graph(self) -> Path:
        return self.folder / "graph.bin"

    @property
    def are_done(self) -> bool:
        """Whether all that training reads is there; the graph is written last."""
        return self._graph.exists()

    def _of_parts(self, ending: str) -> list[Path]:
        return [self.folder / f"{part.stem}.{ending}" for part in self.extraction.parts]

    def read_parts(self) -> None:
        """Cut the parts into words, and place their links, in all processes."""
        if not self._titles.exists():
            counts = write_titles(self.extraction, self._titles)
            logger.info("%d entities, %d redirects", counts["entities"], counts["redirects"])
        rules = PageRules(
            self.reading.lowercase, self.lang.partition("-")[0] in TURKIC,
            self.reading.min_paragraph_len,
        )  # fmt: skip
        tokens, words = self._of_parts("tokens"), self._of_parts("words")
        tasks = [
            [i, *map(str, (part, tokens[i], words[i]))]
            for i, part in enumerate(self.extraction.parts)
            if not tokens[i].exists()
        ]
        settings = [str(self._titles), list(rules), self._detection()]
        run_tasks(
            "isogloss.vectors.corpus.dump_pages", settings, tasks, workers=self.workers,
            doing="cutting texts into words",
        )  # fmt: skip

    def _detection(self) -> dict[str, Any] | None:
        reading = self.reading
        if reading.kb is None:
            return None
        entities = self.folder / "entities.bin"
        if not entities.exists():
            kb = KnowledgeBase.open(reading.kb)
            write_entities_of(kb, self.lang, read_titles(self._titles)[0], entities)
        return {
            "kb": str(reading.kb), "lang": self.lang, "entities": str(entities),
            "min_link_prob": reading.min_link_prob, "min_commonness": reading.min_commonness,
        }  # fmt: skip

    def count(self) -> None:
        """Choose the words and entities that get a vector."""
        if self._vocabulary.exists():
            return
        with activity("counting words and entities"):
            found = count_names(
                self._of_parts("words"), self._of_parts("tokens"), read_titles(self._titles)[0],
                self.folder / "words.bin", self.reading.min_word_count,
                self.reading.min_entity_count,
            )  # fmt: skip
        vocabulary = found.vocabulary
        logger.info(
            "%d words (%d more too rare), %d entities (%d more), %d redirects",
            len(vocabulary.words), len(vocabulary.rare_words.names), len(vocabulary.entities),
            len(vocabulary.rare_entities.names), len(vocabulary.redirects.names),
        )  # fmt: skip
        if not len(vocabulary):
            raise InputError("no word and no entity reaches the minimum count; lower the minimum")
        arrays = {**arrays_of(vocabulary), "number_of_title": found.number_of_title}
        write_arrays(self._vocabulary, arrays, {"vocabulary": minimums_of(vocabulary)})

    def number(self) -> None:
        """Give all words and links their final numbers, in one file; write the link graph."""
        vocabulary, number_of_title = self._read_vocabulary()
        joined = _Joined(self._of_parts("tokens"), self._of_parts("words"), number_of_title)
        if not self._numbers.exists():
            joined.write(self._numbers, DumpVocabulary(vocabulary, number_of_title))
        edges = self._of_parts("edges")
        with progress("reading links between entities", len(edges), "parts") as advance:
            for path, part in zip(edges, joined.parts(), strict=True):
                if not path.exists():
                    write_arrays(path, {"edges": edges_of(part, number_of_title)})
                advance(1)
        write_graph(edges, len(vocabulary.entities), self._graph)

    def tidy(self, *, keep: bool) -> None:
        """Remove what was made on the way, also where a kill came between it and its result."""
        of_parts = () if keep else ("*.tokens", "*.words")
        passing = ("*.edges", "words.bin*", "graph.bin.*", *of_parts)
        for file in _ours_in(self.folder):
            if any(file.match(pattern) for pattern in passing):
                file.unlink()

    def _read_vocabulary(self) -> tuple[Vocabulary, SmallInts1d]:
        arrays, facts = map_arrays(self._vocabulary)
        with damage_in_one_sentence(self._vocabulary, advice="remove the work folder"):
            return vocabulary_of(arrays, facts["vocabulary"]), arrays["number_of_title"]

    def corpus(self) -> TrainingCorpus:
        """Map all that training reads."""
        numbers, _ = map_arrays(self._numbers)
        graph, _ = map_arrays(self._graph)
        return TrainingCorpus(
            **{name: numbers[name] for name in ("tokens", *_OFFSETS, *_LINKS)},
            graph_offsets=graph["offsets"], graph_neighbours=graph["neighbours"],
            vocabulary=self._read_vocabulary()[0],
        )  # fmt: skip


def _ours_in(folder: Path) -> list[Path]:
    """Return the files of a folder that a run makes; what else lies there is left alone."""
    return [file for file in folder.iterdir() if _OURS.fullmatch(file.name) and file.is_file()]


@dataclass(frozen=True)
class _Joined:
    """The parts of a corpus, to be numbered and joined."""

    tokens: Sequence[Path]
    words: Sequence[Path]
    number_of_title: SmallInts1d

    def parts(self) -> list[Arrays]:
        return [map_arrays(path)[0] for path in self.tokens]

    def write(self, out: Path, vocabulary: DumpVocabulary) -> None:
        parts = self.parts()
        n = Counter({name: sum(part[name].size for part in parts) for name in ("tokens",)})
        for name in ("section_offsets", "page_sections"):
            n[name] = 1 + sum(part[name].size - 1 for part in parts)
        n["page_links"] = n["page_sections"]
        shapes: dict[str, tuple[Any, int]] = {name: (np.int64, n[name]) for name in _OFFSETS}
        shapes["tokens"] = np.int32, n["tokens"]
        n_links = sum(
            int(_is_kept(part, what, self.number_of_title).sum())
            for part in parts for what in ("link", "name")
        )  # fmt: skip
        kinds = np.int64, np.int64, np.int32
        shapes |= {name: (kind, n_links) for name, kind in zip(_LINKS, kinds, strict=True)}
        at = Counter[str]()
        with new_arrays(out, shapes) as arrays, progress("numbering", len(parts), "parts") as done:
            for part, words in zip(parts, self.words, strict=True):
                self._append(arrays, at, part, vocabulary.numbers_of_words(map_arrays(words)[0]))
                done(1)

    def _append(
        self, arrays: Arrays, at: Counter[str], part: Arrays, number_of_word: SmallInts1d
    ) -> None:
        n_before = at["tokens"]
        starts, ends, entities, page_links = _anchors(part, self.number_of_title)
        n_links, n_sections = at["link_starts"], at["section_offsets"]
        tokens = part["tokens"]
        _put(arrays, at, "tokens", number_of_word[tokens] if tokens.size else tokens)
        _put(arrays, at, "link_starts", starts + n_before)
        _put(arrays, at, "link_ends", ends + n_before)
        _put(arrays, at, "link_entities", entities)
        _put(arrays, at, "section_offsets", part["section_offsets"][1:] + n_before, first=1)
        _put(arrays, at, "page_sections", part["page_sections"][1:] + n_sections, first=1)
        _put(arrays, at, "page_links", page_links[1:] + n_links, first=1)


def _put(arrays: Arrays, at: Counter[str], name: str, values: Any, first: int = 0) -> None:
    begin = first + at[name]
    arrays[name][begin : begin + values.size] = values
    at[name] += values.size


def _is_kept(part: Arrays, what: str, number_of_title: SmallInts1d) -> Bools1d:
    """Say of each of a part's links or names whether its entity has a vector, its text a place."""
    is_there: Bools1d = part[f"{what}_start"] != NOWHERE
    return is_there & (number_of_title[part[f"{what}_entity"]] >= 0)


def _anchors(
    part: Arrays, number_of_title: SmallInts1d
) -> tuple[Ints1d, Ints1d, SmallInts1d, Ints1d]:
    """Return start, end and entity of a part's links and names with a vector, and their pages."""
    pages, columns = [], []
    for what in ("link", "name"):
        is_kept = _is_kept(part, what, number_of_title)
        number = number_of_title[part[f"{what}_entity"]]
        start, end = part[f"{what}_start"], part[f"{what}_end"]
        offsets = part[f"page_{what}s"]
        pages.append(np.repeat(np.arange(offsets.size - 1), np.diff(offsets))[is_kept])
        columns.append((start[is_kept], end[is_kept], number[is_kept]))
    start, end, number = (np.concatenate(both) for both in zip(*columns, strict=True))
    page = np.concatenate(pages)
    order = np.lexsort((end, start, page))
    page_links = offsets_of(np.bincount(page, minlength=part["page_sections"].size - 1))
    return start[order], end[order], number[order], page_links
