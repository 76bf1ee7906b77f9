import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.vectors.corpus.corpus import Link, Page, TrainingCorpus, corpus_of, link_graph

PAGES = [
    Page("Tokyo", [["tokyo", "is", "big"], ["see", "japan"]],
         [[Link(2, 3, "Big"), Link(0, 1, "Nippon")], [Link(1, 2, "Japan")]]),
    Page("Japan", [["japan", "is"]], [[Link(0, 1, "Tokyo")]]),
    Page("Lonely", [[]]),
]  # fmt: skip


def test_words_and_links_are_numbered() -> None:
    corpus = corpus_of(PAGES, min_word_count=2, redirects={"Nippon": "Old", "Old": "Japan"})
    vocabulary = corpus.vocabulary
    assert list(vocabulary.words) == ["is", "japan"]
    assert list(vocabulary.entities) == ["Japan", "Big", "Tokyo"]
    assert vocabulary.word_counts.tolist() == [2, 2]
    assert vocabulary.entity_counts.tolist() == [2, 1, 1]
    assert corpus.tokens.tolist() == [-1, 0, -1, -1, 1, 1, 0]
    assert corpus.section_offsets.tolist() == [0, 3, 5, 7, 7]
    assert corpus.page_sections.tolist() == [0, 2, 3, 4]
    assert corpus.link_starts.tolist() == [0, 2, 4, 5]
    assert corpus.link_ends.tolist() == [1, 3, 5, 6]
    assert corpus.link_entities.tolist() == [0, 1, 0, 2]
    assert corpus.page_links.tolist() == [0, 3, 4, 4]
    assert corpus.n_pages == 3


def test_what_is_left_out_is_known() -> None:
    vocabulary = corpus_of(PAGES, min_word_count=2, redirects={"Nippon": "Japan"}).vocabulary
    assert vocabulary.row("Nippon").name == "Japan"
    with pytest.raises(InputError, match="the word occurs 1 time, below the minimum count of 2"):
        vocabulary.row("see")
    with pytest.raises(InputError, match="linked 0 times, below the minimum count of 1"):
        vocabulary.row("Lonely")
    with pytest.raises(InputError, match="not in the dump"):
        vocabulary.row("Kyoto")


def test_the_graph_has_no_direction_no_doubles_and_a_fixed_size() -> None:
    corpus = corpus_of(PAGES, redirects={"Nippon": "Japan"})
    assert list(corpus.vocabulary.entities) == ["Japan", "Big", "Tokyo"]
    assert corpus.graph_offsets.tolist() == [0, 1, 2, 4]
    assert corpus.graph_neighbours.tolist() == [2, 2, 0, 1]
    offsets, neighbours = link_graph([(1, 0), (0, 1), (1, 0)], 4)
    assert (offsets.tolist(), neighbours.tolist()) == ([0, 1, 2, 2, 2], [1, 0])
    offsets, neighbours = link_graph([], 2)
    assert (offsets.tolist(), neighbours.size) == ([0, 0, 0], 0)


def test_redirects_in_a_circle_survive() -> None:
    page = Page("p", [["a"]], [[Link(0, 1, "x"), Link(0, 1, "z")]])
    corpus = corpus_of([page], redirects={"x": "y", "y": "x", "z": "x"})
    assert corpus.vocabulary.entity_counts.sum() == 2


@pytest.mark.parametrize(
    ("page", "message"),
    [
        (Page("p", [["a"]], [[Link(0, 2, "q")]]), "page 'p', section 1: a link over tokens 0 to 2"),
        (Page("p", [["a"], []], [[], [Link(1, 0, "q")]]), "section 2: a link over tokens 1 to 0"),
        (Page("p", [["a"]], [[], []]), "links of more sections than it has"),
        (Page("p", [[]]), "no word and no entity reaches the minimum count"),
    ],
)
def test_bad_pages(page: Page, message: str) -> None:
    with pytest.raises(InputError, match=message):
        corpus_of([page])


def test_arrays_that_do_not_fit() -> None:
    corpus = corpus_of(PAGES)
    with pytest.raises(InputError, match="do not fit each other"):
        TrainingCorpus(*corpus.arrays[:-1], np.zeros(1, np.int32), corpus.vocabulary)
