"""What vectors are trained on: pages as arrays of word numbers, links in them, and the link graph.

`corpus_of` makes one from tokenised texts in memory. A reader of dumps makes the arrays on disk and
maps them; training does not see the difference.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Ints1d, SmallInts1d, offsets_of
from isogloss.errors import InputError
from isogloss.vectors.vocabulary import Vocabulary


@dataclass(frozen=True, eq=False)
class TrainingCorpus:
    """Pages to train on; the arrays may be mapped files.

    Attributes
    ----------
    tokens
        int32 (n_tokens,): word numbers, -1 for a word without a vector, of all pages.
    section_offsets
        int64 (n_sections + 1,): section i is ``tokens[section_offsets[i]:section_offsets[i + 1]]``.
        No window crosses a section's end.
    page_sections
        int64 (n_pages + 1,): the sections of a page.
    link_starts, link_ends
        int64 (n_links,): first token of a link's text and the one after the last, as places in
        `tokens`; by place within a page, each within one section; equal for a text without a word.
    link_entities
        int32 (n_links,): the entity linked to; links to entities without a vector are left out.
    page_links
        int64 (n_pages + 1,): the links of a page.
    graph_offsets, graph_neighbours
        The undirected link graph without doubles, int64 (n_entities + 1,) and int32: neighbours of
        entity e are ``graph_neighbours[graph_offsets[e]:graph_offsets[e + 1]]``.
    vocabulary
        Words and entities with their counts.

    Raises
    ------
    InputError
        When the sizes of the arrays do not fit. Their values are not read.
    """

    tokens: SmallInts1d
    section_offsets: Ints1d
    page_sections: Ints1d
    link_starts: Ints1d
    link_ends: Ints1d
    link_entities: SmallInts1d
    page_links: Ints1d
    graph_offsets: Ints1d
    graph_neighbours: SmallInts1d
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        n_links = {len(self.link_starts), len(self.link_ends), len(self.link_entities)}
        fits = (
            len(n_links) == 1
            and len(self.page_links) == len(self.page_sections) > 0
            and self.section_offsets[-1] == len(self.tokens)
            and self.page_sections[-1] == len(self.section_offsets) - 1
            and self.page_links[-1] == len(self.link_starts)
            and len(self.graph_offsets) == len(self.vocabulary.entities) + 1
            and self.graph_offsets[-1] == len(self.graph_neighbours)
        )
        if not fits:
            raise InputError("the arrays of the corpus do not fit each other; make it again")

    @property
    def n_pages(self) -> int:
        """Number of pages."""
        return self.page_sections.size - 1

    @property
    def arrays(self) -> tuple[Any, ...]:
        """The arrays in the order in which compiled code takes them."""
        return (
            self.tokens, self.section_offsets, self.page_sections, self.link_starts,
            self.link_ends, self.link_entities, self.page_links, self.graph_offsets,
            self.graph_neighbours,
        )  # fmt: skip


@dataclass(frozen=True)
class Link:
    """A link in a section: its text is tokens `start` to `end` - 1, its target a title."""

    start: int
    end: int
    target: str


@dataclass(frozen=True)
class Page:
    """A page with tokenised sections, and the links of each."""

    title: str
    sections: Sequence[Sequence[str]]
    links: Sequence[Sequence[Link]] = ()


def corpus_of(
    pages: Sequence[Page],
    *,
    min_word_count: int = 1,
    min_entity_count: int = 1,
    redirects: Mapping[str, str] | None = None,
) -> TrainingCorpus:
    """Count words and links of tokenised pages and number them.

    Parameters
    ----------
    pages
        Words as they are to be kept: tokenising and lower-casing are done.
    min_word_count, min_entity_count
        Words that occur and entities that are linked less often get no vector.
    redirects
        Title to title, followed to the end; links count for the last title.

    Raises
    ------
    InputError
        When a link lies outside its section, or nothing reaches the minimum counts.
    """
    final = _Redirects(redirects or {})
    word_counts = Counter(word for page in pages for words in page.sections for word in words)
    linked = [[final(link.target) for link in _links_of(page)] for page in pages]
    entity_counts = Counter(dict.fromkeys((final(page.title) for page in pages), 0))
    entity_counts.update(title for titles in linked for title in titles)
    words, rare_words = _split(word_counts, min_word_count)
    entities, rare_entities = _split(entity_counts, min_entity_count)
    if not words and not entities:
        raise InputError("no word and no entity reaches the minimum count; lower the minimum")
    vocabulary = Vocabulary.of(
        list(words), list(entities),
        word_counts=list(words.values()), entity_counts=list(entities.values()),
        redirects={title: final(title) for title in redirects or {}},
        rare_words=rare_words, rare_entities=rare_entities,
        min_word_count=min_word_count, min_entity_count=min_entity_count,
    )  # fmt: skip
    return _number(pages, linked, vocabulary, list(words), list(entities), final)


class _Redirects:
    """Follows redirects to the end; a cycle ends where it began."""

    def __init__(self, redirects: Mapping[str, str]) -> None:
        self._redirects = redirects

    def __call__(self, title: str) -> str:
        seen = {title}
        target = title
        while target in self._redirects:
            target = self._redirects[target]
            if target in seen:
                return title
            seen.add(target)
        return target


def _links_of(page: Page) -> Iterator[Link]:
    if len(page.links) > len(page.sections):
        raise InputError(f"page '{page.title}': links of more sections than it has")
    for number, (words, links) in enumerate(zip(page.sections, page.links, strict=False), 1):
        for link in links:
            if not 0 <= link.start <= link.end <= len(words):
                raise InputError(
                    f"page '{page.title}', section {number}: a link over tokens {link.start} to "
                    f"{link.end} of {len(words)}"
                )
            yield link


def _split(counts: Mapping[str, int], minimum: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return what reaches the minimum, the most frequent first, and the rest."""
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    kept = {name: counts[name] for name in ordered if counts[name] >= max(minimum, 1)}
    return kept, {name: counts[name] for name in ordered[len(kept) :]}


def _number(
    pages: Sequence[Page], linked: Sequence[Sequence[str]], vocabulary: Vocabulary,
    words: Sequence[str], entities: Sequence[str], final: _Redirects,
) -> TrainingCorpus:  # fmt: skip
    word_number = {word: number for number, word in enumerate(words)}
    entity_number = {title: number for number, title in enumerate(entities)}
    tokens: list[int] = []
    links: list[tuple[int, int, int]] = []
    sections, page_sections, page_links = [0], [0], [0]
    edges: list[tuple[int, int]] = []
    for page, titles in zip(pages, linked, strict=True):
        of_page: list[tuple[int, int]] = []
        for number, section in enumerate(page.sections):
            of_section = page.links[number] if number < len(page.links) else ()
            of_page += [(len(tokens) + link.start, len(tokens) + link.end) for link in of_section]
            tokens += [word_number.get(word, -1) for word in section]
            sections.append(len(tokens))
        known = [
            (*span, entity_number[title])
            for span, title in zip(of_page, titles, strict=True)
            if title in entity_number
        ]
        links += sorted(known)
        own = entity_number.get(final(page.title))
        edges += [(own, entity) for *_, entity in known if own is not None and own != entity]
        page_sections.append(len(sections) - 1)
        page_links.append(len(links))
    starts, ends, targets = (list(column) for column in zip(*links, strict=True)) if links else (
        [], [], [])  # fmt: skip
    return TrainingCorpus(
        np.array(tokens, np.int32), np.array(sections, np.int64), np.array(page_sections, np.int64),
        np.array(starts, np.int64), np.array(ends, np.int64), np.array(targets, np.int32),
        np.array(page_links, np.int64), *link_graph(edges, len(entities)), vocabulary,
    )  # fmt: skip


def link_graph(edges: Iterable[tuple[int, int]], n_entities: int) -> tuple[Ints1d, SmallInts1d]:
    """Return offsets and neighbours of the undirected graph of pairs of entities, no doubles.

    Entities without an edge have no neighbours, also those after the last that has one.
    """
    pairs = np.array(list(edges), np.int64).reshape(-1, 2)
    both = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    offsets = offsets_of(np.bincount(both[:, 0], minlength=n_entities))
    return offsets, both[:, 1].astype(np.int32)
