"""What few tagged sentences of the target are worth, alone and beside English.

    python benchmarks/tagging_few.py --data DIR [--lang hi ...] [--draws 1] [--vectors DIR]

Prints the table of docs/results-tagging.md. English is that of `tagging.py`, whose dev sentences
choose layers and penalty; all files are encoded once. Of the
1,000 PUD sentences 400 are drawn once. A draw takes 200 of them, of which the first 10 and 50 are
the smaller sets; the same in every language. Tested are the sentences from number 201 on that are
not among the 400. The heads:

- of English alone, and of both, each word counting alike (`own_heads="none"`);
- of both, weighed: 5,000 words of English, which together count as much as the target's; C = 0.1;
- of the target alone, at the C of the least out-of-fold log-loss;
- the one that `fit` chooses (`own_heads="auto"`), and how much oftener it is right than the best of
  English, both alike, and the target alone.

Starts and penalties to choose among were settled on the languages es, fr, id, pt and ru.
"""

import argparse
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder
from isogloss.arrays import Bools1d, Doubles2d, Ints1d
from isogloss.data.column_files import ColumnSentence
from isogloss.learn.linear_head import LinearHead, Standardisation
from isogloss.learn.objective import LinearWeights
from isogloss.learn.softmax_path import softmax_path
from isogloss.learn.threads import one_thread
from isogloss.report.table import Table
from isogloss.statistics.bootstrap import resampled_ratios
from isogloss.statistics.draws import columns_of
from isogloss.statistics.seeds import interval_over_seeds
from isogloss.tag.choice import HeldOutScore, near_best
from isogloss.tag.head_fitting import C_VALUES, Judged, chosen_layers
from isogloss.tag.heads import heads_of_words, scores_of, standardised
from isogloss.tag.own_heads import FewWords, chosen_head, heads_of_few
from isogloss.tag.word_features import Reading, WordFeatures
from records import Record, add_json
from tagging import read_task, tagged

LANGS = ("de", "hi", "ko", "tr", "zh")
SIZES = (10, 50, 200)
N_POOL = 400
FIRST_TESTED = 200
C_OF_WEIGHED, N_ENGLISH = 0.1, 5000
HEADS = ("english", "alike", "weighed", "alone", "chosen")


def main() -> None:
    """Measure all and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/")
    parser.add_argument("--lang", nargs="+", default=LANGS, help="PUD languages")
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--vectors", type=Path, help="existing folder that keeps the vectors")
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    cpu = time.process_time()
    data = read_task(options.data, "pos")
    names = sorted({tag for one in data["train"] for tag in one.tags})
    reading = reading_of(Encoder.load(options.encoder, threads=options.threads), data, names)
    texts = {
        name: Text.of(data[name], names, reading, options.vectors and options.vectors / name)
        for name in ("train", "dev", *options.lang)
    }
    print(f"- seconds of processors to encode: {time.process_time() - cpu:.0f}")
    few = Few(texts["train"], texts["dev"], len(names), options.draws)
    found = [few.measured(lang, texts[lang]) for lang in options.lang]
    rows = [row for n in SIZES for row in scored(n, {one.lang: one for one in found})]
    record.show("heads", Table(rows))
    print(f"- English dev: {few.on_dev('english'):.4f}, of both alike {few.on_dev('alike'):.4f}")
    print(f"- seconds of processors of a choice: {few.seconds_in_words()}")
    print(f"- seconds of processors in all: {time.process_time() - cpu:.0f}")
    record.write()


def reading_of(
    encoder: Encoder, data: dict[str, list[ColumnSentence]], names: list[str]
) -> Reading:
    """Choose the layers as `fit` does from English alone."""
    english = Judged(tagged(data["train"], "en"), tagged(data["dev"], "en"), is_split=False)
    layers = chosen_layers(encoder, english, names, "mean", seed=0)
    print(f"- layers: {layers[0]}-{layers[-1]}")
    return Reading(encoder, layers, "mean")


@dataclass(frozen=True)
class Text:
    """Encoded sentences: features of words, the numbers of their tags, and ids."""

    features: WordFeatures
    y: Ints1d
    ids: list[str]

    @classmethod
    def of(
        cls, sentences: list[ColumnSentence], names: list[str], reading: Reading, file: Path | None
    ) -> "Text":
        """Encode sentences, or read their vectors again."""
        number = {name: place for place, name in enumerate(names)}
        y = np.array([number.get(tag, -1) for one in sentences for tag in one.tags or []])
        kept = None if file is None else file.with_suffix(".npz")
        if kept is not None and kept.exists():
            with np.load(kept) as arrays:
                features = WordFeatures(**arrays)
        else:
            features = reading.all([one.words for one in sentences])
            if kept is not None:
                np.savez(kept, **features._asdict())
        return cls(features, y, [str(one.id) for one in sentences])

    def select(self, sentences: Ints1d) -> "Text":
        """Return some sentences; words with a tag that English lacks stay."""
        starts = self.features.starts
        words = np.concatenate([np.arange(starts[one], starts[one + 1]) for one in sentences])
        return Text(
            some_features(self.features, sentences, words), self.y[words],
            [self.ids[one] for one in sentences],
        )  # fmt: skip

    def known(self) -> "Text":
        """Return what can be learned from: words whose tag English has count as with a piece."""
        has_piece = self.features.has_piece & (self.y >= 0)
        return Text(self.features._replace(has_piece=has_piece), self.y, self.ids)

    def by_sentence(self, right: Bools1d) -> Ints1d:
        """Return how many words of each sentence are right."""
        ends = np.concatenate([[0], np.cumsum(right)])
        return ends[self.features.starts[1:]] - ends[self.features.starts[:-1]]


def some_features(features: WordFeatures, sentences: Ints1d, words: Ints1d) -> WordFeatures:
    """Return the features of some sentences, which have these words."""
    lengths = np.diff(features.starts)[sentences]
    changed = {
        "vectors": features.vectors[words], "has_piece": features.has_piece[words],
        "starts": np.concatenate([[0], np.cumsum(lengths)]),
    }  # fmt: skip
    rest = {name: getattr(features, name)[sentences] for name in {*features._fields} - {*changed}}
    return WordFeatures(**changed, **rest)


def joined(one: Text, other: Text) -> Text:
    """Return the sentences of both."""
    pairs = {
        name: np.concatenate([getattr(one.features, name), getattr(other.features, name)])
        for name in one.features._fields
        if name != "starts"
    }
    starts = [one.features.starts, one.features.starts[-1] + other.features.starts[1:]]
    features = WordFeatures(**pairs, starts=np.concatenate(starts))
    return Text(features, np.concatenate([one.y, other.y]), one.ids + other.ids)


@dataclass
class Measured:
    """Of a language: right words of each tested sentence by head and size, a column a draw."""

    lang: str
    ids: list[str]
    n_words: Doubles2d  # (n_sentences, 1)
    right: dict[tuple[str, int], Doubles2d]  # (n_sentences, n_draws)
    starts: Counter[tuple[int, str | None]]


class Few:
    """English, and what is measured of each language beside it."""

    def __init__(self, english: Text, dev: Text, n_tags: int, n_draws: int) -> None:
        self.english, self.dev, self.n_tags, self.n_draws = english, dev, n_tags, n_draws
        with one_thread():
            heads = heads_of_words(english.features, english.y, n_tags, C_VALUES)
        right = [right_words(one, dev) for one in heads]
        scores = [HeldOutScore.accuracy(one, dev.features.starts) for one in right]
        self.head = heads[near_best(scores)[0]]
        print(f"- C of English: {self.head.C}")
        self.of_dev: dict[str, list[float]] = {"english": [], "alike": []}
        self.seconds: dict[int, float] = {}  # of one choice, by size

    def measured(self, lang: str, text: Text) -> Measured:
        """Fit all heads on each draw of each size, and test them."""
        pool = np.random.default_rng(0).permutation(len(text.ids))[:N_POOL]
        in_order = np.argsort(text.ids, kind="stable")  # the same sentences in every language
        tested = np.setdiff1d(np.arange(FIRST_TESTED, len(text.ids)), pool)
        test = text.select(in_order[tested])
        right: dict[tuple[str, int], list[Ints1d]] = {}
        chosen: Counter[tuple[int, str | None]] = Counter()
        for draw in range(self.n_draws):
            drawn = np.random.default_rng(draw + 1).permutation(pool)[: max(SIZES)]
            for n in SIZES:
                heads, start = self.heads(text.select(in_order[drawn[:n]]).known(), seed=draw)
                chosen[n, start] += 1
                for name, head in heads.items():
                    of_words = right_words(head, test)
                    right.setdefault((name, n), []).append(test.by_sentence(of_words))
        n_words = np.diff(test.features.starts)[:, None].astype(np.float64)
        columns = {key: np.array(rows, np.float64).T for key, rows in right.items()}
        return Measured(lang, test.ids, n_words, columns, chosen)

    def heads(self, few: Text, *, seed: int) -> tuple[dict[str, LinearHead], str | None]:
        """Return all heads that a draw gives, and the start of the one that is chosen.

        The head of the others is that of English in each, and is not fitted again as `fit` does.
        """
        both = joined(self.english, few)
        inputs, y = of_words(few, self.head.standardisation)
        sentence = np.repeat(np.arange(len(few.ids)), np.diff(few.features.starts))
        words = FewWords.of(inputs, y, sentence[few.features.has_piece], seed=seed)
        with one_thread():
            (alike,) = heads_of_words(both.features, both.y, self.n_tags, (self.head.C,))
            others = LinearWeights(self.head.weight, self.head.bias)
            own = chosen_head("few", words, others, self.head)
            C_alone = own.choice.alone.C
            (alone,) = heads_of_words(few.features, few.y, self.n_tags, (C_alone,))
            weighed = self.weighed(few, seed=seed)
        if len(few.ids) not in self.seconds:
            self.seconds[len(few.ids)] = self.seconds_of_fit(both, alike, n_few=len(few.ids))
        heads = {
            "english": self.head, "alike": alike, "weighed": weighed, "alone": alone,
            "chosen": own.head or alike,
        }  # fmt: skip
        for name, accuracies in self.of_dev.items():
            accuracies.append(float(right_words(heads[name], self.dev).mean()))
        return heads, own.choice.start

    def seconds_of_fit(self, both: Text, alike: LinearHead, *, n_few: int) -> float:
        """Return how long `fit` takes for the choice."""
        langs = ["en"] * (len(both.ids) - n_few) + ["few"] * n_few
        began = time.process_time()
        heads_of_few(both.features, both.y, langs, alike, seed=0)
        return time.process_time() - began

    def weighed(self, few: Text, *, seed: int) -> LinearHead:
        """Fit both, in which some words of English together count as much as all of the others."""
        scale = self.head.standardisation
        own, y = of_words(few, scale)
        others, y_others = of_words(self.english, scale)
        some = np.random.default_rng(seed).permutation(len(y_others))[:N_ENGLISH]
        weights = np.concatenate([np.ones(len(y)), np.full(len(some), len(y) / len(some))])
        (found,) = softmax_path(
            np.concatenate([own, others[some]]), np.concatenate([y, y_others[some]]),
            self.n_tags, (C_OF_WEIGHED,), weights=weights.astype(np.float32),
        )  # fmt: skip
        return LinearHead(scale, found.weight, found.bias, C_OF_WEIGHED)

    def on_dev(self, name: str) -> float:
        """Return the mean accuracy of English dev sentences."""
        return float(np.mean(self.of_dev[name]))

    def seconds_in_words(self) -> str:
        """Return how long one choice of each size took."""
        return ", ".join(f"{n} sentences {one:.1f}" for n, one in self.seconds.items())


def right_words(head: LinearHead, text: Text) -> Bools1d:
    """Return which words a head answers right; one without a piece is not."""
    found: Ints1d = scores_of(head, text.features).argmax(axis=1)
    return (found == text.y) & text.features.has_piece


def of_words(text: Text, scale: Standardisation) -> tuple[np.ndarray, Ints1d]:
    """Return the words with a piece, standardised, and their tags."""
    has_piece = text.features.has_piece
    return standardised(text.features.vectors[has_piece], scale), text.y[has_piece]


def scored(n: int, found: dict[str, Measured]) -> list[dict[str, Any]]:
    """Return the accuracy of each head with `n` sentences, by language and their mean."""
    groups = {lang: [lang] for lang in found} | {"mean": list(found)}
    rows = []
    for name, langs in groups.items():
        some = [found[lang] for lang in langs]
        ids = {one.lang: one.ids for one in some}
        sizes = {one.lang: one.n_words for one in some}
        row = {"lang": name, "sentences": n}
        means = {}
        for head in HEADS:
            right = {one.lang: one.right[head, n] for one in some}
            scores = resampled_ratios(right, sizes, ids, seed=0)
            row |= columns_of(head, interval_over_seeds(scores, least=0))
            means[head] = float(scores.values.mean())
        best = max(("english", "alike", "alone"), key=lambda head: means[head])
        gains = {one.lang: one.right["chosen", n] - one.right[best, n] for one in some}
        scores = resampled_ratios(gains, sizes, ids, seed=0)
        row |= {"best": best} | columns_of("gain", interval_over_seeds(scores, least=-1))
        starts = Counter[str | None]()
        for one in some:
            starts += Counter({start: k for (size, start), k in one.starts.items() if size == n})
        row["starts"] = ", ".join(f"{start or 'of all'} {k}" for start, k in starts.most_common())
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
