"""How often `classify drift` flags what did not change, and what did: docs/drift.md.

A classifier that learned from English answers messages of several languages (`routing_data`), once.
Then two inboxes are drawn from the answers, 300 texts of each language in both, again and again:
*halves* are one inbox divided at random; in *labels* a fifth of the texts of one language, of later
ones, give way to texts with one label; in *language* all texts of one language give way to those of
another, still said to be in the first; in *new* a language takes the place of another.

    python benchmarks/drift.py --data DIR [--divisions 100] [--n 300] [--encoder ./tiny]
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder, TextClassifier
from isogloss.classify.answers.answers import Answering, Answers
from isogloss.classify.answers.drift import LanguageDrift, find_drift
from isogloss.classify.answers.summary import DataFacts, ModelFacts, Summary, SummaryCounts
from isogloss.data.row_languages import RowLanguages
from isogloss.report.table import Table
from records import Record, add_json
from routing_data import read_routing

LANGS = ("ar", "cy", "de", "es", "fi", "hi", "ja", "ru", "th", "tr")
SHIFT = 0.2  # share of the texts of a language that get another label


@dataclass(frozen=True)
class Answered:
    """Texts of one language, and their answers: those of an encoder alone, without a threshold."""

    texts: np.ndarray
    answers: Answers

    def __len__(self) -> int:
        """Return the number of texts."""
        return len(self.texts)

    def at(self, rows: np.ndarray) -> "Answered":
        """Return some of them."""
        answers = self.answers
        listed = {
            name: [getattr(answers, name)[row] for row in rows]
            for name in ("labels", "langs", "lang_by", "states")
        }
        taken = replace(answers, probabilities=answers.probabilities[rows], **listed)
        return Answered(self.texts[rows], taken)

    def spoken(self, lang: str) -> "Answered":
        """Return them as if they were in another language."""
        return replace(self, answers=replace(self.answers, langs=[lang] * len(self)))


Halves = dict[str, tuple[Answered, Answered]]


def main() -> None:
    """Answer, divide, write JSON to benchmarks/out, print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with parallel/")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--divisions", type=int, default=100)
    parser.add_argument("--n", type=int, default=300, help="texts of a language in each inbox")
    parser.add_argument("--training", type=int, default=1000, help="English training messages")
    parser.add_argument("--langs", type=lambda value: value.split(","), default=LANGS)
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    options.out.mkdir(parents=True, exist_ok=True)
    found = answered(options)
    rows = [row(name, changed, found, options) for name, changed in LATER.items()]
    (options.out / "drift.json").write_text(json.dumps(rows, indent=1), "utf-8")
    record.show("inboxes", Table(rows))
    record.write()


def answered(options: argparse.Namespace) -> dict[str, Answered]:
    """Return the answers to the messages of each language that has enough of them."""
    training, tests = read_routing(
        options.data / "parallel", n_training=options.training, n_test=2 * options.n,
        with_training_pairs=True,
    )  # fmt: skip
    encoder = Encoder.load(options.encoder, dtype=options.dtype, cache=options.out / "vectors")
    model = TextClassifier(encoder, random_state=0).fit(training.texts, training.labels, "en")
    found = {}
    for lang in options.langs:
        texts = tests[lang].texts
        if len(texts) == 2 * options.n:
            langs = RowLanguages([lang] * len(texts), "given", is_asked=True)
            answers = Answering(model.fitted_).answer(texts, langs)
            found[lang] = Answered(np.array(texts, object), answers)
        print(f"{lang}: {len(texts)} messages", flush=True)
    return found


def row(
    name: str,
    changed: Callable[[Halves, str, np.random.Generator], str] | None,
    found: dict[str, Answered],
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Return in how many divisions the language that changed is flagged, and any other."""
    generator = np.random.default_rng(0)
    n_hit = n_others = 0
    missed: list[str] = []
    for number in range(options.divisions):
        halves = {lang: divided(some, generator) for lang, some in found.items()}
        target = lang = None
        if changed is not None:
            lang = list(found)[number % len(found)]
            target = changed(halves, lang, generator)
        flagged = {one.lang for one in drift_of(halves) if one.flagged}
        n_hit += target is None or target in flagged
        n_others += bool(flagged - {target, lang})
        missed += [] if target is None or target in flagged else [target]
    made: dict[str, Any] = {"the later inbox": name, "divisions": options.divisions,
                            "languages": len(found), "n": options.n}  # fmt: skip
    return made | {
        "flagged": None if changed is None else n_hit,
        "others_flagged": n_others,
        "missed": ", ".join(sorted(set(missed))),
    }


def divided(some: Answered, generator: np.random.Generator) -> tuple[Answered, Answered]:
    """Divide texts at random into two halves."""
    order = generator.permutation(len(some))
    return some.at(order[: len(order) // 2]), some.at(order[len(order) // 2 :])


def shifted(halves: Halves, lang: str, generator: np.random.Generator) -> str:
    """Give a fifth of the later texts way to others among them with one label, drawn again."""
    before, now = halves[lang]
    labels = np.array(now.answers.labels)
    label = generator.choice(np.unique(labels))
    others, with_label = np.flatnonzero(labels != label), np.flatnonzero(labels == label)
    n, rows = min(round(SHIFT * len(now)), len(others)), np.arange(len(now))
    rows[generator.choice(others, n, replace=False)] = generator.choice(with_label, n)
    halves[lang] = before, now.at(rows)
    return lang


def replaced(halves: Halves, lang: str, generator: np.random.Generator) -> str:
    """Put later texts of another language in the place of one's, as if they were in it."""
    other = generator.choice([one for one in halves if one != lang])
    halves[lang] = halves[lang][0], halves[other][1].spoken(lang)
    return lang


def renamed(halves: Halves, lang: str, generator: np.random.Generator) -> str:
    """Let a language be gone, and its texts be in one that was not there."""
    before, now = halves[lang]
    halves[lang], halves["eo"] = (
        (before, now.at(np.arange(0))),
        (before.at(np.arange(0)), now.spoken("eo")),
    )
    return "eo"


def drift_of(halves: Halves) -> list[LanguageDrift]:
    """Compare the summaries of the two inboxes."""
    counts = SummaryCounts(), SummaryCounts()
    for pair in halves.values():
        for one, some in zip(counts, pair, strict=True):
            one.add(some.answers, some.texts.tolist())
    return find_drift(*map(summary, counts))


def summary(counts: SummaryCounts) -> Summary:
    """Return counts as the summary of a file."""
    languages = counts.languages()
    data = DataFacts("inbox", None, sum(one.n for one in languages))
    return Summary(ModelFacts("model", "0", []), {}, data, {}, 0.0, languages)


LATER = {  # what the later inbox is → what changes it
    "the other half, as it is": None,
    "in one language a fifth of the texts gave way to texts with one label": shifted,
    "the texts of one language gave way to those of another, said to be in the first": replaced,
    "one language is gone, one that was not there came": renamed,
}


if __name__ == "__main__":
    main()
