"""What a fitted transform does to retrieval and to classification: docs/results-transforms.md.

    python benchmarks/transform_tasks.py --data DIR --out DIR

Centring, z-scores, whitening and all-but-the-top behind the bundled encoder, each fitted on two
sets of unlabelled texts: the Universal Declaration of Human Rights (the first 20 lines in each of
all languages), and the 701 English training sentences of SIB-200. Tasks: Tatoeba (the first
200 pairs of a language, nearest sentence by cosine, mean of both directions), SIB-200 and
MasakhaNEWS (trained on English, frozen encoder). In bfloat16, articles cut at 128 tokens.

Languages are cut into two halves, the same for all tasks. A transform is chosen by its mean
accuracy on one half and scored on the other, and the other way round, so that each language has a
figure from a choice that did not see it. Vectors are kept under --out, and so is what each
transform answers.
"""

import argparse
import json
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder, TextClassifier
from isogloss.arrays import Doubles1d, Floats2d
from isogloss.data.labelled import LabelledTexts
from isogloss.data.lines import open_lines
from isogloss.encode.transforms import FITS, Transform
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from isogloss.statistics.intervals import Interval
from isogloss.statistics.scores import interval_of_language_mean
from isogloss.text.languages import parse_language
from records import Record, add_json
from zero_shot import datasets

N_REMOVED = (1, 4, 16, 64)
SOURCES = ("UDHR", "English")
N_LINES, N_PAIRS = 20, 200  # of each language: of the Declaration, of Tatoeba
TASKS = ("Tatoeba", "SIB-200", "MasakhaNEWS")
ALL = "all"

Right = dict[str, Doubles1d]  # language → whether each text is right; Tatoeba: halves too


@dataclass(frozen=True)
class Choice:
    """A transform that may be chosen; without a kind: none."""

    kind: str = ""
    source: str = ""
    n_removed: int | None = None

    @property
    def name(self) -> str:
        """Name in tables and of files."""
        if not self.kind:
            return "none"
        return f"{self.kind}{'' if self.n_removed is None else f' {self.n_removed}'}, {self.source}"

    def fit(self, vectors: Mapping[str, Floats2d]) -> Transform | None:
        """Fit it on the vectors of its source."""
        if not self.kind:
            return None
        options = {} if self.n_removed is None else {"n_removed": self.n_removed}
        return FITS[self.kind](vectors[self.source], **options)


NONE = Choice()


def choices() -> Iterator[Choice]:
    """Yield all that may be chosen."""
    yield NONE
    for source in SOURCES:
        yield Choice("centring", source)
        yield Choice("z-score", source)
        yield Choice("whitening", source)
        for n in N_REMOVED:
            yield Choice("all-but-the-top", source, n)


@dataclass(frozen=True)
class Tatoeba:
    """Pairs of sentences of each language and English."""

    pairs: dict[str, tuple[list[str], list[str]]]

    @classmethod
    def read(cls, data: Path) -> "Tatoeba":
        """Read all pairs."""
        pairs = {}
        for file in sorted((data / "tatoeba").glob("tatoeba.*-eng.eng*")):
            code = file.name.split(".")[1].removesuffix("-eng")
            other = file.with_name(file.name.replace("-eng.eng", f"-eng.{code}"))
            pairs[parse_language(code)] = (lines_of(other)[:N_PAIRS], lines_of(file)[:N_PAIRS])
        return cls(pairs)

    @property
    def ids(self) -> dict[str, list[str] | None]:
        """None for each language: its pairs are its own."""
        return dict.fromkeys(self.pairs)

    def right(self, encoder: Encoder) -> Right:
        """Return how often each pair is found, in the mean of both directions."""
        found: Right = {}
        for lang, (texts, english) in self.pairs.items():
            cosines = encoder.encode(texts) @ encoder.encode(english).T
            own = np.arange(len(texts))
            found[lang] = (
                (cosines.argmax(1) == own) + (cosines.argmax(0) == own).astype(float)
            ) / 2
        return found


@dataclass(frozen=True)
class Classification:
    """English training texts and the tests of other languages."""

    train: LabelledTexts
    tests: LabelledTexts

    def right(self, encoder: Encoder) -> Right:
        """Return which texts a classifier on the frozen encoder answers rightly."""
        model = TextClassifier(encoder, random_state=0)
        model.fit(self.train.texts, self.train.labels, self.train.langs)
        answers = model.predict(self.tests.texts, self.tests.langs)
        is_right = np.array([a == b for a, b in zip(answers, self.tests.labels, strict=True)])
        langs = np.array(self.tests.langs)
        return {
            lang: is_right[langs == lang].astype(float) for lang in dict.fromkeys(langs.tolist())
        }

    @property
    def ids(self) -> dict[str, list[str] | None]:
        """Ids of each language's texts, where they are translations of each other."""
        langs = np.array(self.tests.langs)
        ids: dict[str, list[str] | None] = {}
        for lang in dict.fromkeys(self.tests.langs):
            own = [self.tests.ids[at] for at in np.flatnonzero(langs == lang)]
            ids[lang] = None if None in own else [str(one) for one in own]
        return ids


class Runner:
    """Fills cells: what a transform answers in a task; each is kept in a file."""

    def __init__(self, data: Path, out: Path, threads: int | None) -> None:
        self.out = out
        self.encoder = Encoder.load(
            "bundled", threads=threads, dtype="bfloat16", max_length=128, long_texts="cut"
        ).with_cache(out / "vectors")
        labelled = datasets(data)
        self.tasks: dict[str, Tatoeba | Classification] = {
            "Tatoeba": Tatoeba.read(data),
            "SIB-200": Classification(*labelled["sib200"]),
            "MasakhaNEWS": Classification(*labelled["masakhanews"]),
        }
        texts = {"UDHR": udhr(data), "English": labelled["sib200"][0].texts}
        self.n_texts = {name: len(some) for name, some in texts.items()}
        self.vectors = {name: self.encoder.encode(some) for name, some in texts.items()}
        self.topics = np.array(labelled["sib200"][0].labels)  # of the English texts

    def fill(self, task: str, choice: Choice) -> Right:
        """Return what is right, made now where it is not kept."""
        name = choice.name.replace(", ", "-").replace(" ", "-")
        file = self.out / f"{task}-{name}.json"
        if not file.exists():
            moved = self.encoder.with_transform(choice.fit(self.vectors))
            right = {lang: row.tolist() for lang, row in self.tasks[task].right(moved).items()}
            file.with_suffix(".part").write_text(json.dumps(right), "utf-8")
            file.with_suffix(".part").replace(file)
        return {lang: np.array(row) for lang, row in json.loads(file.read_text("utf-8")).items()}

    def topic_share(self, choice: Choice) -> float:
        """Return what share of the English sentences' variance lies between their topics."""
        moved = self.encoder.with_transform(choice.fit(self.vectors))
        vectors = moved.encode(self.tasks["SIB-200"].train.texts).astype(np.float64)
        centred = vectors - vectors.mean(0)
        between = sum(
            (self.topics == topic).sum() * (centred[self.topics == topic].mean(0) ** 2).sum()
            for topic in set(self.topics.tolist())
        )
        return float(between / (centred**2).sum())


class Results:
    """What all cells found."""

    def __init__(self, found: Mapping[Choice, dict[str, Right]], runner: Runner) -> None:
        self.found = dict(found)
        self.topic_shares = {choice: runner.topic_share(choice) for choice in found}
        self.tasks = list(found[NONE])
        self.ids = {task: runner.tasks[task].ids for task in self.tasks}
        langs = sorted({lang for texts in runner.tasks.values() for lang in texts.ids})
        self.half = {lang: at % 2 for at, lang in enumerate(langs)}

    def gain(self, choice: Choice, task: str, half: int | None = None) -> float:
        """Return the gain over none in points of accuracy, over the languages of a half."""
        own, none = self.found[choice][task], self.found[NONE][task]
        langs = [lang for lang in own if half is None or self.half[lang] == half]
        return 100 * float(np.mean([own[lang].mean() - none[lang].mean() for lang in langs]))

    def chosen(self, task: str, half: int) -> Choice:
        """Return the best of a half, by the mean gain over the tasks where all are asked for."""
        tasks = self.tasks if task == ALL else (task,)
        means = {one: np.mean([self.gain(one, of, half) for of in tasks]) for one in self.found}
        return max(means, key=lambda one: means[one])

    def held_out(self, by: str, task: str) -> Interval:
        """Return the gain in a task, each language with the choice of the other half."""
        of_half = {half: self.found[self.chosen(by, 1 - half)][task] for half in (0, 1)}
        gains = {
            lang: of_half[self.half[lang]][lang] - self.found[NONE][task][lang]
            for lang in self.ids[task]
        }
        return interval_of_language_mean(_points(gains), self.ids[task], seed=0)

    def of_choices(self) -> Table:
        """Show the gain of every transform over all languages; nothing is chosen by it."""
        rows: list[dict[str, Any]] = []
        for choice, found in self.found.items():
            row: dict[str, Any] = {"transform": choice.name}
            for task in self.tasks:
                own = found[task]
                gains = {lang: own[lang] - self.found[NONE][task][lang] for lang in own}
                shown = own if choice == NONE else gains
                spread = interval_of_language_mean(_points(shown), self.ids[task], seed=0)
                row |= _spread(task, spread)
            row["between topics"] = self.topic_shares[choice]
            rows.append(row)
        return Table(rows, caption="None: accuracy in per cent; others: the difference in points.")

    def of_held_out(self) -> Table:
        """Show what is chosen by each task, and what that does to all of them."""
        rows = []
        for by in (*self.tasks, ALL):
            names = [self.chosen(by, half).name for half in (0, 1)]
            row: dict[str, Any] = {"chosen by": by, "half A chose": names[0], "B": names[1]}
            for task in self.tasks:
                row |= _spread(task, self.held_out(by, task))
            rows.append(row)
        return Table(rows, caption="Difference to none, in points; no language chose its own.")

    def of_languages(self, choice: Choice) -> Table:
        """Show the gain of a transform in each language."""
        langs = sorted(self.half, key=lambda lang: (self.half[lang], lang))
        rows = []
        for lang in langs:
            row: dict[str, Any] = {"lang": lang, "half": "AB"[self.half[lang]]}
            for task in self.tasks:
                if lang in self.ids[task]:
                    own, none = self.found[choice][task][lang], self.found[NONE][task][lang]
                    row |= {f"{task}, none": 100 * none.mean(), task: 100 * (own - none).mean()}
            rows.append(row)
        return Table(rows, caption=choice.name)


def udhr(data: Path) -> list[str]:
    """Return the first lines of the Declaration in all languages, each once."""
    files = sorted((data / "udhr").glob("*.txt*"))
    lines = [[line for line in lines_of(file) if line][:N_LINES] for file in files]
    return list(dict.fromkeys(line for some in lines for line in some))


def lines_of(file: Path) -> list[str]:
    """Return the lines of a file without blanks around them."""
    return [line.strip() for _, line in open_lines(file)]


def _points(rows: Right) -> Right:
    return {lang: 100 * row for lang, row in rows.items()}


def _spread(name: str, interval: Interval) -> dict[str, float]:
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}


def main() -> None:
    """Run what is missing and show the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/transform_tasks"))
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=TASKS)
    parser.add_argument("--threads", type=int)
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    warnings.filterwarnings("ignore", category=OmissionWarning)  # long articles are cut
    options.out.mkdir(parents=True, exist_ok=True)
    runner = Runner(options.data, options.out, options.threads)
    found: dict[Choice, dict[str, Right]] = {choice: {} for choice in choices()}
    for task in options.tasks:
        for choice in found:
            found[choice][task] = runner.fill(task, choice)
    results = Results(found, runner)
    print("Fitted on texts:", runner.n_texts)
    record.show("transforms", results.of_choices())
    record.show("held out", results.of_held_out())
    best = {results.chosen(ALL, half) for half in (0, 1)} - {NONE}
    for choice in sorted(best, key=lambda one: one.name):
        record.show(choice.name, results.of_languages(choice))
    record.write()


if __name__ == "__main__":
    main()
