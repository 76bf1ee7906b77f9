"""What class names add to few labelled texts, on intents and on topics: docs/few-labels.md.

English texts train; other languages are tested. Four tasks: messages to a support desk by intent
(`support_intents.tsv`, written for this measurement before any answer was seen: 8 intents, 24
English messages each, 10 German, Spanish and French ones that are translations of each other),
messages to a town hall (`town_intents.tsv`, made alike, after the rule for the weight was fixed),
news by topic (MasakhaNEWS: headline and 400 letters, French, Swahili, Yoruba test files) and
single sentences by topic (SIB-200, dev files of 14 languages). Rows: texts alone, names and
descriptions that count as 32 texts, and with the weight that `fit` chooses. Samples share texts
where a class has few. The rule for the weight was chosen on MasakhaNEWS dev files and on the
English messages that a sample leaves out (``--part rule``), after another rule had been seen to
fail on the translations: what stands here of the support desk is no clean confirmation. The
messages to a town hall were read by nobody's rule; what stands of them is one.

    python benchmarks/class_names.py --data DIR [--part intents town news topics rule]
"""

import argparse
import json
import warnings
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import few_labels
import few_labels_news
from evaluation_data import NEWS_LANGUAGES, SIB_LANGUAGES, find, rows_of_each_class
from isogloss import Encoder, TextClassifier
from isogloss.classify.fitting import class_names
from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from isogloss.statistics.bootstrap import resampled_means
from isogloss.statistics.seeds import interval_over_seeds

SAMPLES = {0: 1, 2: 5, 4: 5, 8: 5, 16: 5}  # by texts a class
MOST_TRAIN, MOST_TESTS = 40, 150  # texts a class to draw from, texts a language
INTENTS = {
    "billing": "invoice, payment, charge, receipt",
    "refund": "money back, reimbursement, return",
    "delivery": "parcel, shipping, tracking, courier",
    "cancel": "end the contract, terminate a subscription",
    "login": "password, account access, sign in",
    "defect": "broken, damaged, does not work",
    "address": "change of personal details, name, e-mail, phone",
    "question": "question about a product, size, material, compatibility",
}
TOWN = {
    "waste": "rubbish, recycling, bins, bulky items",
    "parking": "resident's permit, parking fine, towed car",
    "moving": "registration of a new address, arrival, departure",
    "documents": "passport, identity card, birth certificate",
    "building": "planning permission, fence, extension, demolition",
    "noise": "loud music, barking, quiet hours",
    "damage": "pothole, street lamp, broken, defect in public space",
    "childcare": "nursery, kindergarten, school, enrolment",
}
ALONE, FIXED, CHOSEN = "texts alone", "names, as 32 texts", "names, weight chosen"


@dataclass(frozen=True)
class Task:
    """English texts to learn from, and language to texts, labels and ids of its test."""

    train: tuple[list[str], list[str]]
    tests: dict[str, tuple[list[str], list[str], list[str | None]]]
    descriptions: dict[str, str]

    @property
    def names(self) -> dict[str, list[str]]:
        """Each label's names, as `fit` takes them."""
        return {label: [label, more] for label, more in self.descriptions.items()}


def intents(data: Path) -> Task:
    """Read the messages to a support desk."""
    return _messages("support_intents.tsv", INTENTS)


def town(data: Path) -> Task:
    """Read the messages to a town hall."""
    return _messages("town_intents.tsv", TOWN)


def _messages(name: str, descriptions: dict[str, str]) -> Task:
    path = Path(__file__).with_name(name)
    lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
    train = [(text, label) for _, lang, label, text in lines if lang == "en"]
    tests = {
        code: [(text, label, name) for name, lang, label, text in lines if lang == code]
        for code in ("de", "es", "fr")
    }
    return Task(*_columns(train, tests), descriptions)


def news(data: Path, split: str = "test") -> Task:
    """Read MasakhaNEWS, the six classes that English has; some articles of each language."""
    parts = [few_labels_news.read(data, "eng", name, letters=400) for name in ("dev", "test")]
    train = [
        (text, str(label))
        for texts, labels in parts
        for text, label in zip(texts, labels, strict=True)
    ]
    tests = {}
    for code in NEWS_LANGUAGES:
        texts, labels = few_labels_news.read(data, code, split, letters=400)
        chosen = np.random.default_rng(0).permutation(len(texts))[:MOST_TESTS]
        tests[code] = [(texts[row], str(labels[row]), None) for row in chosen.tolist()]
    return Task(*_columns(train, tests), few_labels_news.DESCRIPTIONS)


def topics(data: Path) -> Task:
    """Read SIB-200, every second of the usual languages."""

    def read(name: str) -> list[tuple[str, str, str | None]]:
        path = find(data / "sib200" / name)
        found = read_documents(path, format=FileFormat(quoting="csv"), needs_label=True)
        ids = found.ids or [None] * len(found.texts)
        labels = [str(label) for label in found.labels or []]
        return list(zip(found.texts, labels, ids, strict=True))

    train = [(text, label) for text, label, _ in read("eng_Latn/train.tsv")]
    tests = {code: read(f"{code}/dev.tsv") for code in SIB_LANGUAGES[::2]}
    return Task(*_columns(train, tests), few_labels.DESCRIPTIONS)


def _columns(train: list[Any], tests: dict[str, list[Any]]) -> tuple[Any, Any]:
    kept = rows_of_each_class([label for _, label in train], MOST_TRAIN, seed=1)
    chosen = [train[row] for row in kept]
    columns = {code: tuple(map(list, zip(*rows, strict=True))) for code, rows in tests.items()}
    return ([text for text, _ in chosen], [label for _, label in chosen]), columns


PARTS = {"intents": intents, "town": town, "news": news, "topics": topics}


def fitted(
    encoder: Encoder, task: Task, n: int, seed: int, row: str, *, m: int = 32
) -> TextClassifier:
    """Fit on a sample; `m` is the weight of names where it is fixed."""
    texts, labels = task.train
    rows = rows_of_each_class(labels, n, seed=100 + seed) if n else []
    sample = [texts[at] for at in rows], [labels[at] for at in rows]
    model = TextClassifier(encoder, random_state=seed)
    if row == ALONE:
        return model.fit(*sample, "en")
    if row == FIXED:
        given = class_names.Weight(m, "given")
        with patch.object(class_names, "_weight", lambda *_, **__: given):
            return model.fit(*sample, "en", class_names=task.names)
    return model.fit(*sample, "en", class_names=task.names)


def cells(name: str, values: dict[str, Any], task: Task, *, least: float) -> dict[str, float]:
    """Return the mean over languages and samples with its interval."""
    ids = {code: test[2] for code, test in task.tests.items() if test[2][0] is not None}
    found = interval_over_seeds(resampled_means(values, ids, seed=0), least=least)
    return {name: found.value, f"{name}_low": found.low, f"{name}_high": found.high}


def measured(encoder: Encoder, task: Task, part: str) -> list[dict[str, Any]]:
    """Return the rows of the table of one task."""
    shown = []
    for n, n_samples in SAMPLES.items():
        right: dict[str, dict[str, Any]] = {}
        weights: dict[str, Counter[str]] = {}
        for row in (CHOSEN,) if not n else (ALONE, FIXED, CHOSEN):
            models = [fitted(encoder, task, n, seed, row) for seed in range(n_samples)]
            weights[row] = Counter(weight_of(model) for model in models)
            right[row] = {
                code: np.transpose(
                    [model.predict(texts) == np.array(labels) for model in models]
                ).astype(float)
                for code, (texts, labels, _) in task.tests.items()
            }
            line = {"task": part, "texts a class": n, "row": row}
            line |= cells("accuracy", right[row], task, least=0)
            if row == CHOSEN:
                line["weights"] = ", ".join(f"{k}: {v}" for k, v in weights[row].items())
            for other in (ALONE, FIXED):
                if row != other and other in right:
                    gains = {code: right[row][code] - right[other][code] for code in task.tests}
                    line |= cells(f"minus {other}", gains, task, least=-1)
            shown.append(line)
            print(json.dumps(line, ensure_ascii=False), flush=True)
    return shown


def weight_of(model: TextClassifier) -> str:
    """Return how many texts a name counts as, from how the head was chosen."""
    chosen_by = model.head_.linear.describe()
    if class_names.WITHOUT_NAMES in chosen_by:
        return "0"
    return chosen_by.partition("counting as ")[2].partition(" ")[0]


def fixed_weights(encoder: Encoder, tasks: dict[str, Task]) -> list[dict[str, Any]]:
    """Return how names of each weight do where the rule may look.

    On the tests of a task, or on the texts of a sample's language that it leaves out.
    """
    shown = []
    for name, task in tasks.items():
        texts, labels = task.train
        for n in list(SAMPLES)[1:]:
            right: dict[int, list[float]] = {}
            for seed in range(SAMPLES[n]):
                used = set(rows_of_each_class(labels, n, seed=100 + seed))
                rest = [row for row in range(len(texts)) if row not in used]
                left = ([texts[row] for row in rest], [labels[row] for row in rest], [])
                for m in (32, 16, 8, 4, 2, 1, 0):
                    model = fitted(encoder, task, n, seed, ALONE if m == 0 else FIXED, m=m)
                    scores = [
                        np.mean(model.predict(some) == np.array(gold))
                        for some, gold, _ in (task.tests or {"en": left}).values()
                    ]
                    right.setdefault(m, []).append(float(np.mean(scores)))
            line = {f"as {m} texts": float(np.mean(found)) for m, found in right.items()}
            shown.append({"task": name, "texts a class": n} | line)
            print(json.dumps(shown[-1]), flush=True)
    return shown


def main() -> None:
    """Measure, write JSON to benchmarks/out, print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--part", nargs="+", choices=[*PARTS, "rule"], default=list(PARTS))
    options = parser.parse_args()
    warnings.filterwarnings("ignore", category=OmissionWarning)
    options.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load("bundled", cache=options.out / "vectors")
    rows = []
    for part in options.part:
        if part == "rule":
            english = replace(intents(options.data), tests={})
            tasks = {"news, dev files": news(options.data, "dev"), "intents, English": english}
            found = fixed_weights(encoder, tasks)
            (options.out / "class_names-rule.json").write_text(json.dumps(found, indent=1), "utf-8")
            print(Table(found).to_markdown())
            continue
        rows += measured(encoder, PARTS[part](options.data), part)
        file = options.out / f"class_names-{part}.json"
        file.write_text(json.dumps([row for row in rows if row["task"] == part], indent=1), "utf-8")
    if rows:
        print(Table(rows).to_markdown())


if __name__ == "__main__":
    main()
