"""The compiled training against plain code that draws from the same generator."""

import math
from typing import Any

import numpy as np
import pytest

from isogloss.vectors.corpus.corpus import Link, Page, TrainingCorpus, corpus_of
from isogloss.vectors.training.random_numbers import AliasTable, below, draw, next_bits, seeded
from isogloss.vectors.training.skip_gram import learn, push, sigmoid_table, train_pages
from isogloss.vectors.training.training import keep_probabilities


class PlainTraining:
    """The three models as the papers have them, one number at a time, in float64."""

    def __init__(self, corpus: TrainingCorpus, inputs: Any, outputs: Any, **options: Any) -> None:
        self.corpus, self.inputs, self.outputs = corpus, inputs, outputs
        self.window, self.n_negatives = options["window"], options["n_negatives"]
        self.shared, self.keep = options["shared"], options["keep"]
        self.tables, self.state = options["tables"], options["state"]
        self.n_words = len(corpus.vocabulary.words)
        self.n_pairs = 0

    def page(self, page: int, rate: float, chosen: list[int]) -> None:
        c = self.corpus
        for entity in chosen:
            near = c.graph_neighbours[c.graph_offsets[entity] : c.graph_offsets[entity + 1]]
            for start in range(0, len(near), 2 * self.window):
                group = [self.n_words + int(e) for e in near[start : start + 2 * self.window]]
                self.learn(self.n_words + entity, group, rate, "entity")
        links = list(range(c.page_links[page], c.page_links[page + 1]))
        for section in range(c.page_sections[page], c.page_sections[page + 1]):
            begin, end = (int(place) for place in c.section_offsets[section : section + 2])
            for i in range(begin, end):
                if c.tokens[i] < 0 or self.is_dropped(c.tokens[i]):
                    continue
                reach = 1 + int(below(self.window, np.uint64(next_bits(self.state))))
                near = [j for j in range(i - reach, i + reach + 1) if begin <= j < end and j != i]
                self.learn(int(c.tokens[i]), self.words(near), rate, "word", shared=self.shared)
            for link in links:
                left, right = int(c.link_starts[link]), int(c.link_ends[link])
                if not begin <= left <= right <= end:
                    continue
                entity = self.n_words + int(c.link_entities[link])
                near = [*range(left - self.window, left), *range(right, right + self.window)]
                words = self.words([j for j in near if begin <= j < end])
                self.learn(entity, words, rate, "word")
                for word in words:
                    self.learn(word, [entity], rate, "entity")

    def words(self, places: list[int]) -> list[int]:
        words = [int(self.corpus.tokens[place]) for place in places]
        return [word for word in words if word >= 0 and not self.is_dropped(word)]

    def is_dropped(self, word: int) -> bool:
        if self.keep[word] == 2**32 - 1:
            return False
        return (int(next_bits(self.state)) >> 32) > int(self.keep[word])

    def learn(
        self, centre: int, targets: list[int], rate: float, kind: str, shared: bool = False
    ) -> None:
        self.n_pairs += len(targets)
        first = 0 if kind == "word" else self.n_words
        move = np.zeros(self.inputs.shape[1])
        for target in targets:
            self.push(centre, target, 1, rate, move)
            if not shared:
                for _ in range(self.n_negatives):
                    row = first + int(draw(*self.tables[kind], self.state))
                    if row != target:
                        self.push(centre, row, 0, rate, move)
                self.inputs[centre] += move
                move[:] = 0
        if shared and targets:
            for _ in range(self.n_negatives):
                row = first + int(draw(*self.tables[kind], self.state))
                n_times = sum(row != target for target in targets)
                self.push(centre, row, 0, rate * n_times, move)
            self.inputs[centre] += move

    def push(self, centre: int, row: int, label: int, step: float, move: Any) -> None:
        product = float(self.inputs[centre] @ self.outputs[row])
        if abs(product) >= 6:
            return
        lower_end = math.floor((product + 6) / 12 * 1000) / 1000 * 12 - 6
        slope = (label - 1 / (1 + math.exp(-lower_end))) * step
        move += slope * self.outputs[row]
        self.outputs[row] += slope * self.inputs[centre]


def tiny_corpus() -> TrainingCorpus:
    generator = np.random.default_rng(0)
    pages = []
    for number in range(4):
        sections = [[f"w{generator.integers(12)}" for _ in range(n)] for n in (9, 0, 1, 14)]
        links = [[Link(2, 4, "A"), Link(6, 6, "B")], [], [Link(0, 1, "C")],
                 [Link(0, 1, "A"), Link(12, 14, f"page {number}"), Link(13, 14, "D")]]  # fmt: skip
        pages.append(Page(f"page {number}", sections, links))
    return corpus_of(pages, min_word_count=4, redirects={"D": "A"})


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("sample", [0.0, 0.02])
def test_training_is_that_of_plain_code(shared: bool, sample: float) -> None:
    corpus = tiny_corpus()
    assert (corpus.tokens < 0).any()
    n_entities = len(corpus.vocabulary.entities)
    generator = np.random.default_rng(1)
    inputs = generator.normal(size=(len(corpus.vocabulary), 7)).astype(np.float32)
    outputs = generator.normal(size=inputs.shape).astype(np.float32)
    inputs[0] *= 5  # some products beyond 6
    keep = keep_probabilities(corpus.vocabulary.word_counts, sample)
    assert (keep == 2**32 - 1).all() == (sample == 0)
    words = AliasTable.of(corpus.vocabulary.word_counts, 0.75)
    entities = AliasTable.of(corpus.vocabulary.entity_counts, 0.0)
    plain = PlainTraining(
        corpus, inputs.astype(float), outputs.astype(float), window=2, n_negatives=3, keep=keep,
        shared=shared, tables={"word": words.arrays, "entity": entities.arrays},
        state=seeded(5, 0),
    )  # fmt: skip
    chosen = generator.integers(n_entities, size=(4, 2)).astype(np.int32)
    pages, rates = np.array([2, 0, 3, 1]), np.array([0.1, 0.05, 0.025, 0.01], np.float32)
    for page, rate, some in zip(pages, rates, chosen, strict=True):
        plain.page(int(page), float(rate), some.tolist())
    state = seeded(5, 0)
    n_pairs = train_pages(
        (pages, rates, chosen), corpus.arrays, words.arrays, entities.arrays, keep, 2, 3, shared,
        inputs, outputs, sigmoid_table(), state,
    )  # fmt: skip
    assert n_pairs == plain.n_pairs > 100
    assert state[0] == plain.state[0]
    assert inputs == pytest.approx(plain.inputs, abs=2e-5)
    assert outputs == pytest.approx(plain.outputs, abs=2e-5)


def test_one_step_follows_the_gradient() -> None:
    """Loss -log σ(v·u): dL/dv = (σ - 1)·u, dL/du = (σ - 1)·v."""
    generator = np.random.default_rng(0)
    inputs, outputs = generator.normal(size=(2, 1, 16)).astype(np.float32) / 2
    v, u = inputs[0].astype(float), outputs[0].astype(float)
    work = np.zeros(16, np.float32)
    sigmoid = 1 / (1 + np.exp(-v @ u))
    push(0, 0, np.float32(1), np.float32(0.1), inputs, outputs, work, sigmoid_table())
    step_of_table = 12 / 1000 / 4  # the slope of σ is at most a quarter
    assert work == pytest.approx(0.1 * (1 - sigmoid) * u, abs=0.1 * step_of_table * 2)
    assert outputs[0] - u == pytest.approx(0.1 * (1 - sigmoid) * v, abs=0.1 * step_of_table * 2)
    assert inputs[0] == pytest.approx(v)


@pytest.mark.parametrize("product", [6.0, -6.0, 6.5, -40.0, np.nan, np.inf])
@pytest.mark.parametrize("label", [0, 1])
def test_a_product_of_6_or_more_is_skipped(product: float, label: int) -> None:
    inputs, outputs = np.ones((1, 1), np.float32), np.full((1, 1), product, np.float32)
    work = np.zeros(1, np.float32)
    push(0, 0, np.float32(label), np.float32(1), inputs, outputs, work, sigmoid_table())
    assert work[0] == 0
    assert outputs[0, 0] == product or np.isnan(product)


def test_a_shared_negative_counts_for_every_target_but_itself() -> None:
    """One word to draw, which is one of three targets: as a negative it counts twice."""
    inputs, outputs = np.ones((1, 1), np.float32), np.zeros((3, 1), np.float32)
    targets, nothing = np.array([0, 1, 2]), np.zeros(0, np.uint32)
    learn(
        0, targets, 3, np.float32(0.1), (0, 1, nothing, np.zeros(0, np.int32)), 1, True,
        inputs, outputs, np.zeros(1, np.float32), sigmoid_table(), seeded(0, 0),
    )  # fmt: skip
    assert outputs[:, 0] == pytest.approx([0.05 - 2 * 0.0512, 0.05, 0.05], abs=1e-3)


def test_the_window_is_drawn_anew_for_each_word() -> None:
    """wikipedia2vec 2.0 lets it shrink to 1 within a page; the mean over words is (1 + 5) / 2."""
    n = 4000
    corpus = corpus_of([Page("p", [[f"w{i % 50}" for i in range(n)]])])
    vocabulary = corpus.vocabulary
    inputs = np.zeros((len(vocabulary), 1), np.float32)
    n_pairs = train_pages(
        (np.array([0]), np.full(1, 0.1, np.float32), np.zeros((1, 0), np.int32)), corpus.arrays,
        AliasTable.of(vocabulary.word_counts, 0.75).arrays,
        AliasTable.of(vocabulary.entity_counts, 0).arrays,
        keep_probabilities(vocabulary.word_counts, 0), 5, 5, False, inputs, inputs.copy(),
        sigmoid_table(), seeded(0, 0),
    )  # fmt: skip
    assert n_pairs / n / 2 == pytest.approx(3.0, abs=0.1)
