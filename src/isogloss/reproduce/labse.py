"""Feng et al. (2022) again: LaBSE's benchmarks of retrieval, mining and similarity.

Tatoeba and the UN corpus have a cell a language, BUCC one a language and split, STS one a part.
Figures are those of `retrieve evaluate`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Floats2d
from isogloss.mine.pairs import mine_pairs
from isogloss.reproduce.cells import CellFile, CellKey
from isogloss.reproduce.data import data_set
from isogloss.reproduce.figures import Figure, figures
from isogloss.reproduce.lines import Line
from isogloss.reproduce.reading import Key, ReadSet, keys_of, read_set
from isogloss.reproduce.tasks import Asked, Found, Job, Task, sha256_of_all
from isogloss.retrieve.benchmark_files import (
    ENGLISH,
    Bitext,
    ComparableText,
    JudgedPairs,
    read_comparable,
    read_judged,
    read_tatoeba_pair,
    read_un_pair,
)
from isogloss.retrieve.benchmarks import (
    GROUPS,
    FoundTranslations,
    Similarity,
    Vectors,
    found_similarity,
    found_translations,
    mined_row,
    scored_similarity,
    scored_translations,
)
from isogloss.retrieve.published import (
    column,
    of_paper,
    sources,
    with_published_bucc,
    with_published_tatoeba,
)
from isogloss.retrieve.scored import Scored
from isogloss.statistics.intervals import Interval

THEIRS = "LaBSE"
GROUP_NAMES = {"XTREME's 36": "36 languages"}  # as the paper's table has it
NOT_BUILT = (
    "the pre-training of LaBSE and its training on six billion pairs are not built: `align "
    "pretrain` and `align fit` do both on what one machine holds",
    "accuracy in languages without training data: `retrieve evaluate --tatoeba --seen` tells it",
    "the UN corpus and STS stand without a published figure: none was at hand that is of the same "
    "files",
)


def tasks(asked: Asked) -> list[Task]:
    """Return the tasks: Tatoeba, UN, BUCC, STS."""
    return [_tatoeba(asked), _un(asked), _bucc(asked), _sts(asked)]


@dataclass(frozen=True)
class _Benchmark:
    """A benchmark whose every file, or set of files, is a cell."""

    asked: Asked
    name: str
    title: str
    settings: Mapping[str, Any]
    found: ReadSet[Any]
    sentences: Callable[[Any], Iterable[str]]
    measure: Callable[[Any], Found]
    lines: Callable[["_Benchmark", list[tuple[Key, Found]]], list[Line]]

    def task(self) -> Task:
        keys = {place: self._key(place, text) for place, text in self.found.texts.items()}
        places = {key.digest: place for place, key in keys.items()}

        def make(missing: Sequence[CellKey]) -> Iterator[tuple[CellKey, Found]]:
            for key in missing:
                yield key, self.measure(self.found.texts[places[key.digest]])

        def n_characters(missing: Sequence[CellKey]) -> int:
            return sum(
                len(one)
                for key in missing
                for one in self.sentences(self.found.texts[places[key.digest]])
            )

        def lines(kept: CellFile) -> list[Line]:
            some = [(place, kept[key].found) for place, key in keys.items() if key in kept]
            return self.lines(self, some) if some else []

        return Task(
            name=self.name, title=self.title, settings=self.settings if keys else {},
            jobs=[Job([key], n_characters, make) for key in keys.values()], lines=lines,
            sample=[one for text in self.found.texts.values() for one in self.sentences(text)],
            failures=self.found.failures, absent=self.found.lacks,
        )  # fmt: skip

    def _key(self, place: Key, text: Any) -> CellKey:
        lang, part = place
        settings = dict(self.settings) | ({} if part == "test" else {"part": part})
        content = sha256_of_all(self.sentences(text))
        return self.asked.key(self.name, lang, settings, data=sha256_of_all([content, repr(part)]))

    def differs(self, keys: Iterable[Key], *others: str) -> str:
        """Return what differs from the paper, first the encoder."""
        return self.asked.differs(THEIRS, self.found.differs(keys), *others)


def _vectors(asked: Asked) -> Vectors:
    def vectors(texts: list[str]) -> Floats2d:
        return asked.encoder.encode(texts, normalize=True)  # type: ignore[return-value]

    return vectors


def _both_sides(pair: Bitext) -> list[str]:
    return [*pair.sources, *pair.targets]


def _n_pairs(pair: Bitext) -> int:
    return len(pair.sources)


def _translations(asked: Asked, pair: Bitext) -> Found:
    found = found_translations(pair, _vectors(asked))
    return {"lang": found.lang, "to_en": found.to_en.tolist(), "from_en": found.from_en.tolist()}


def _scored(some: list[tuple[Key, Found]], groups: Mapping[str, frozenset[str]]) -> Scored:
    return scored_translations(
        [
            FoundTranslations(one["lang"], np.array(one["to_en"]), np.array(one["from_en"]))
            for _, one in some
        ],
        groups,
    )


def _tatoeba(asked: Asked) -> Task:
    def read(_: str, path: Path) -> Bitext:
        return read_tatoeba_pair(path)

    found = read_set(asked, "tatoeba", keys_of("tatoeba", "test"), read, _n_pairs)
    return _Benchmark(
        asked, "tatoeba", "Tatoeba", {"nearest by": "cosine"}, found, _both_sides,
        partial(_translations, asked), _tatoeba_lines,
    ).task()  # fmt: skip


def _tatoeba_lines(of: _Benchmark, some: list[tuple[Key, Found]]) -> list[Line]:
    found = with_published_tatoeba(_scored(some, GROUPS))
    lines = [
        Line("by language", "tatoeba", row["lang"], "accuracy, to English",
             _interval(row, "to_en"), _of_others(row), of.differs([(row["lang"], "test")]))
        for row in found.rows
    ]  # fmt: skip
    for row in found.means:
        name = GROUP_NAMES.get(row["group"], row["group"])
        name = f"{row['n']} languages" if name == "all" else name
        keys = [(lang, "test") for lang in found.groups[row["group"]]]
        lines += [
            Line(of.title, "tatoeba", name, f"accuracy, {title}", _interval(row, way),
                 published, of.differs(keys))
            for way, title, published in (
                ("mean", "both directions", figures("labse", "tatoeba", name)),
                ("to_en", "to English", _of_others(row)),
            )
        ]  # fmt: skip
    return lines


def _of_others(row: Mapping[str, Any]) -> list[Figure]:
    """Return the figures of result files, which are of accuracy to English."""
    found = []
    for model in ("LaBSE", "multilingual-e5-small"):
        name = column(model)
        if row.get(name) is not None:
            found.append(Figure(row[name], model, sources([{name: row[name]}])[0]))
    return found


def _un(asked: Asked) -> Task:
    def read(_: str, path: Path) -> Bitext:
        return read_un_pair(path)

    wanted = [key for key in keys_of("un", "test") if key[0] != ENGLISH]
    found = read_set(asked, "un", wanted, read, _n_pairs)
    return _Benchmark(
        asked, "un", "UN", {"nearest by": "cosine"}, found, _both_sides,
        partial(_translations, asked), _un_lines,
    ).task()  # fmt: skip


def _un_lines(of: _Benchmark, some: list[tuple[Key, Found]]) -> list[Line]:
    found = _scored(some, {})
    langs = [place for place, _ in some]
    rows = [(row["lang"], row, [(row["lang"], "test")]) for row in found.rows]
    rows += [(f"{row['n']} languages", row, langs) for row in found.means]
    return [
        Line(of.title, "un", name, f"precision at 1, {title}", _interval(row, way), (),
             of.differs(keys, "the test set alone, not the whole corpus"))
        for name, row, keys in rows
        for way, title in (("to_en", "to English"), ("from_en", "from English"))
    ]  # fmt: skip


def _bucc(asked: Asked) -> Task:
    def read(_: str, path: Path) -> ComparableText:
        return read_comparable(path)

    def sentences(text: ComparableText) -> list[str]:
        gold = sorted(map("\t".join, text.gold))
        return [*text.sources.values(), *text.targets.values(), *gold]

    def mine(firsts: list[str], seconds: list[str]) -> tuple[Any, Any, Any]:
        vectors = _vectors(asked)
        found = mine_pairs(vectors(firsts), vectors(seconds))
        return found.sources, found.targets, found.scores

    data = read_set(asked, "bucc2018", keys_of("bucc2018", "training", "test"), read,
                    lambda text: len(text.gold))  # fmt: skip
    return _Benchmark(
        asked, "bucc", "BUCC 2018", {"pairs by": "margin, 4 neighbours"}, data, sentences,
        lambda text: mined_row(text, mine), _bucc_lines,
    ).task()  # fmt: skip


def _bucc_lines(of: _Benchmark, some: list[tuple[Key, Found]]) -> list[Line]:
    found = with_published_bucc(Scored([row for _, row in some], []))
    return [
        Line(
            table=of.title, task=f"bucc, {row['split']}", langs=f"{row['lang']}-en", metric="F1",
            ours=row["f1"], published=_bucc_figures(row),
            differs=of.differs([(row["lang"], row["split"])],
                               "pairs by margin, not by cosine",
                               "threshold best on this split, so no interval"),
        )
        for row in found.rows
    ]  # fmt: skip


def _bucc_figures(row: Mapping[str, Any]) -> list[Figure]:
    found = [] if row["split"] != "training" else [*figures("labse", "bucc", row["lang"])]
    found += [
        Figure(value, name.partition(" (")[0], sources([{name: value}])[0])
        for name, value in row.items()
        if "(published" in name and value is not None and name != of_paper(THEIRS)
    ]
    return found


def _sts(asked: Asked) -> Task:
    def read(_: str, path: Path) -> JudgedPairs:
        return read_judged(path)

    def sentences(pairs: JudgedPairs) -> list[str]:
        return [*pairs.firsts, *pairs.seconds, *map(str, pairs.scores.tolist())]

    def measure(pairs: JudgedPairs) -> Found:
        found = found_similarity(pairs, _vectors(asked))
        return {"part": found.part, "cosines": found.cosines.tolist(),
                "judged": found.judged.tolist()}  # fmt: skip

    wanted = [(file.lang, file.split) for file in data_set("sts").files]
    found = read_set(asked, "sts", wanted, read, lambda pairs: len(pairs.scores) + pairs.n_unjudged)
    return _Benchmark(
        asked, "sts", "STS", {"similarity": "cosine"}, found, sentences, measure, _sts_lines
    ).task()


def _sts_lines(of: _Benchmark, some: list[tuple[Key, Found]]) -> list[Line]:
    parts = [
        Similarity(one["part"], np.array(one["cosines"]), np.array(one["judged"]))
        for _, one in some
    ]
    found = scored_similarity(parts)
    differs = of.differs([place for place, _ in some], "the parts of each year, one by one")
    return [
        Line(of.title, "sts", row.get("part") or f"mean of {row['n']} parts", title,
             _interval(row, way), (), differs)
        for row in [*found.rows, *found.means]
        for way, title in (("spearman", "rank correlation"), ("pearson", "Pearson correlation"))
    ]  # fmt: skip


def _interval(row: Mapping[str, Any], name: str) -> Interval | float:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return row[name] if low is None or high is None else Interval(row[name], low, high)
