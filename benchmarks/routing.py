"""Messages of any language to the right team: the tables of docs/routing.md.

Trains on English messages of eight product areas, answers held-back messages of 79 other languages
(`routing_data`): with the encoder alone, with a glossary of product names, with the names of CLDR
and the Open Multilingual Wordnet; the language given, or detected; then all once more with product
names masked in training and test. Each seed draws its own 2,000 training messages. Nothing is
chosen here: presets, limits and the glossary were fixed beforehand. The files that a company would
have are left in OUT/routing, vectors in OUT/vectors.

    python benchmarks/routing.py --data DIR --out benchmarks/out
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation_data import find
from isogloss import Encoder, KnowledgeBase, TextClassifier, build_knowledge_base
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.forecast import FEW, Forecast
from isogloss.report.table import Table
from isogloss.statistics.calibration import coverage_at
from isogloss.statistics.intervals import interval_of_accuracy
from isogloss.statistics.scores import interval_of_language_mean
from isogloss.text.detect import detect_languages
from routing_data import Messages, read_routing
from routing_products import area_named, masked, write_glossary
from routing_texts import Inbox, inbox_of, write_inbox, write_messages

N_TEST = 240
EXAMPLES = ("ar", "de", "es", "gd", "hi", "ja", "ko", "pl", "pt", "ru", "tr", "zh")  # on the page
N_EXAMPLES = 60  # of each
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FAR = 0.10  # a language so far below the mean of all should be flagged
LOOKED_UP = "a product named decides, else the encoder"
KNOWN, AUTO, AUTO_AMONG = "known", "auto", "auto among these"
Right = np.ndarray  # float64 (n_messages,): share of the seeds that get each message right


class Model(NamedTuple):
    """A classifier to fit, and how the languages of the messages are told to it."""

    name: str
    kb: str | None = None
    preset: str = "mboe-plus"
    fallback_lang: str | None = None
    langs: tuple[str, ...] = (KNOWN,)
    is_masked: bool = False


ALONE = Model("encoder alone")
MASKED = Model("encoder alone", is_masked=True)
GLOSSARY = Model("glossary", "kb-80", langs=(KNOWN, AUTO, AUTO_AMONG))
BOTH = Model("CLDR, wordnets and glossary", "kb-both", langs=(KNOWN, AUTO))
MODELS = (
    ALONE,
    MASKED,
    GLOSSARY,
    Model("glossary in English, `--fallback-lang en`", "kb", fallback_lang="en",
          langs=(KNOWN, AUTO)),
    Model("glossary, `--preset mboe`", "kb-80", preset="mboe"),
    Model("CLDR and wordnets", "kb-general"),
    BOTH,
)  # fmt: skip


class Way(NamedTuple):
    """One way to answer an inbox: the name of the model, and how languages are told."""

    name: str
    langs: str
    is_masked: bool

    @classmethod
    def of(cls, model: Model) -> "Way":
        """Return the way of a model that knows the languages."""
        return cls(model.name, KNOWN, model.is_masked)


@dataclass(frozen=True)
class Trust:
    """What the encoder alone says of its answers, of one seed.

    Attributes
    ----------
    confidence, right
        Of each message: float64 and bool (n_messages,).
    """

    confidence: np.ndarray
    right: np.ndarray
    forecast: Forecast


def knowledge_bases(data: Path, folder: Path, langs: list[str]) -> dict[str, KnowledgeBase]:
    """Write the glossaries and build what is linked with, where it is missing."""
    everywhere, english = folder / "products-80.csv", folder / "products.csv"
    write_glossary(everywhere, langs)
    write_glossary(english, ["en"])
    general = ["cldr", f"names:{find(data / 'names/omw.jsonl')}"]
    sources = {
        "kb": [f"names:{english}"],
        "kb-80": [f"names:{everywhere}"],
        "kb-general": general,
        "kb-both": [*general, f"names:{everywhere}"],
    }
    for name, listed in sources.items():
        if not (folder / name).exists():
            build_knowledge_base(listed, folder / name, langs=langs)
    return {name: KnowledgeBase.open(folder / name) for name in sources}


def fitted(
    encoder: Encoder, kb: KnowledgeBase | None, model: Model, training: Messages, seed: int
) -> TextClassifier:
    """Fit a model on the training messages of a seed."""
    texts = [masked(text) for text in training.texts] if model.is_masked else training.texts
    classifier = TextClassifier(encoder, kb, preset=model.preset, random_state=seed)
    return classifier.fit(texts, training.labels, "en")


def detected(inbox: Inbox) -> dict[str, list[str | None]]:
    """Return the languages of the messages as each way to tell them has it."""
    among = sorted(set(inbox.langs))
    return {
        KNOWN: [*inbox.langs],
        AUTO: detect_languages(inbox.texts),
        AUTO_AMONG: detect_languages(inbox.texts, langs=among),
    }


def run(
    encoder: Encoder,
    kbs: dict[str, KnowledgeBase],
    trainings: Sequence[Messages],
    inbox: Inbox,
    langs: dict[str, list[str | None]],
) -> tuple[dict[Way, Right], list[Trust]]:
    """Fit and answer in every way; return what is right, and the trust in the encoder alone."""
    right: dict[Way, Right] = {}
    trust: list[Trust] = []
    gold = np.array(inbox.labels)
    named = np.array([area_named(text) or "" for text in inbox.texts])
    for model in MODELS:
        tested = inbox.masked() if model.is_masked else inbox
        prepared: dict[str, PreparedDocuments] = {}  # linked once for all seeds
        for seed, training in enumerate(trainings):
            classifier = fitted(encoder, kbs.get(model.kb or ""), model, training, seed)
            for way in model.langs:
                if way not in prepared:
                    prepared[way] = classifier.fitted_.prepare(
                        tested.texts, langs[way], fallback_lang=model.fallback_lang
                    )
                probabilities = classifier.fitted_.probabilities(prepared[way])
                answers = classifier.fitted_.labels_of(probabilities)
                add(right, Way(model.name, way, model.is_masked), answers == gold, trainings)
            if model == ALONE:
                looked_up = np.where(named != "", named, answers)
                add(right, Way(LOOKED_UP, "known", False), looked_up == gold, trainings)
                forecast = classifier.forecast(inbox.texts, langs["known"])
                trust.append(Trust(probabilities.max(axis=1), answers == gold, forecast))
            print(f"{model.name}{' masked' if model.is_masked else ''}, seed {seed}", flush=True)
    return right, trust


def add(right: dict[Way, Right], way: Way, correct: np.ndarray, seeds: Sequence[Any]) -> None:
    """Add the answers of one seed to the shares of a way."""
    right[way] = right.get(way, np.zeros(len(correct))) + correct / len(seeds)


def mean_of(inbox: Inbox, values: Right, langs: Sequence[str]) -> dict[str, float]:
    """Return the mean over languages with its interval, equal messages drawn together."""
    by_language = {lang: values[inbox.rows_of(lang)] for lang in langs}
    ids = {lang: [inbox.ids[row] for row in inbox.rows_of(lang)] for lang in langs}
    found = interval_of_language_mean(by_language, ids, seed=0)
    return {"": found.value, "_low": found.low, "_high": found.high}


def accuracy_of(inbox: Inbox, values: Right, rows: np.ndarray) -> dict[str, float]:
    """Return the accuracy on some messages with its Wilson interval."""
    found = interval_of_accuracy(values[rows], [inbox.ids[row] for row in rows])
    return {"": found.value, "_low": found.low, "_high": found.high}


def named(name: str, interval: dict[str, float]) -> dict[str, float]:
    """Return an interval as columns of a table."""
    return {f"{name}{end}": value for end, value in interval.items()}


def overview(inbox: Inbox, right: dict[Way, Right], others: list[str]) -> Table:
    """Show each way: English, the mean of the other languages, the difference to the encoder."""
    rows = []
    for way, values in right.items():
        row: dict[str, Any] = {
            "answered by": way.name + (", names masked" if way.is_masked else ""),
            "language": way.langs,
            "en": float(values[inbox.rows_of("en")].mean()),
            **named("accuracy", mean_of(inbox, values, others)),
        }
        if way != Way.of(ALONE):
            row |= named("difference", mean_of(inbox, values - right[Way.of(ALONE)], others))
        rows.append(row)
    return Table(rows)


def effect_of_names(inbox: Inbox, right: dict[Way, Right]) -> Table:
    """Show what masking and the glossary change, where the English side names a product or not."""
    is_named, is_english = np.array(inbox.is_named), np.array(inbox.langs) == "en"
    plain, hidden = right[Way.of(ALONE)], right[Way.of(MASKED)]
    glossary, looked_up = right[Way.of(GLOSSARY)], right[Way(LOOKED_UP, KNOWN, False)]
    rows = []
    for what, is_kept in (
        ("English, a product named", is_english & is_named),
        ("English, none named", is_english & ~is_named),
        ("other languages, a product named", ~is_english & is_named),
        ("other languages, none named", ~is_english & ~is_named),
    ):
        kept = np.flatnonzero(is_kept)
        ids = {"": [inbox.ids[row] for row in kept]}

        def interval(values: Right, kept: np.ndarray = kept, ids: Any = ids) -> dict[str, float]:
            found = interval_of_language_mean({"": values[kept]}, ids, seed=0)
            return {"": found.value, "_low": found.low, "_high": found.high}

        rows.append(
            {
                "messages": what,
                "n": len(kept),
                **named("encoder alone", accuracy_of(inbox, plain, kept)),
                "with the glossary": float(glossary[kept].mean()),
                **named("difference", interval(glossary - plain)),
                "looked up": float(looked_up[kept].mean()),
                "names masked": float(hidden[kept].mean()),
                **named("what masking costs", interval(hidden - plain)),
            }
        )
    return Table(rows)


def detection(inbox: Inbox, langs: dict[str, list[str | None]], others: list[str]) -> Table:
    """Show how many messages get the right language, a wrong one, or none."""
    rows = []
    for way in (AUTO, AUTO_AMONG):
        for what, codes in (("en", ["en"]), (f"{len(others)} others", others)):
            kept = [row for code in codes for row in inbox.rows_of(code)]
            none = sum(langs[way][row] is None for row in kept) / len(kept)
            right = sum(langs[way][row] == inbox.langs[row] for row in kept) / len(kept)
            rows.append(
                {"language": way, "messages": what, "n": len(kept), "right": right, "none": none,
                 "wrong": 1 - right - none}
            )  # fmt: skip
    return Table(rows)


def abstaining(inbox: Inbox, trust: list[Trust], others: list[str]) -> Table:
    """Show share and accuracy of the messages that get a label, by the least probability."""
    rows = []
    for threshold in THRESHOLDS:
        row: dict[str, Any] = {"--abstain-below": threshold}
        for what, codes in (("en", ["en"]), ("others", others)):
            found = [
                coverage_at(one.confidence[kept], one.right[kept], threshold)
                for one in trust
                for code in codes
                for kept in [inbox.rows_of(code)]
            ]
            answered = [one.accuracy for one in found if one.accuracy is not None]
            row[f"{what}: answered"] = float(np.mean([one.coverage for one in found]))
            row[f"{what}: right"] = float(np.mean(answered)) if answered else None
        rows.append(row)
    return Table(rows)


def forecasts(
    inbox: Inbox, trust: list[Trust], others: list[str]
) -> tuple[dict[str, float], dict[str, Any]]:
    """Return language to expected accuracy, and how far the forecasts are off."""
    expected: dict[str, list[float]] = {lang: [] for lang in others}
    flags: Counter[str] = Counter()
    errors, covered, level = [], [], []
    for one in trust:
        forecast = {row["lang"]: row for row in one.forecast.rows}
        level.append(np.mean([one.right[inbox.rows_of(lang)].mean() for lang in others]))
        for lang in others:
            row, accuracy = forecast[lang], one.right[inbox.rows_of(lang)].mean()
            if row["expected"] is not None:  # of few texts there is an interval alone
                expected[lang].append(row["expected"])
                errors.append(abs(row["expected"] - accuracy))
            covered.append(row["low"] <= accuracy <= row["high"])
            flags[lang] += row["flag"] not in ("", FEW)
    accuracy = {
        lang: np.mean([one.right[inbox.rows_of(lang)].mean() for one in trust]) for lang in others
    }
    n = len(trust)
    return {lang: float(np.mean(values)) for lang, values in expected.items() if values}, {
        "training accuracy": float(np.mean([one.forecast.training_accuracy for one in trust])),
        "error": float(np.mean(errors)),
        "covered": float(np.mean(covered)),
        "error of the mean of all": float(
            np.mean([abs(accuracy[lang] - np.mean(level)) for lang in others])
        ),
        "far below": [lang for lang in others if accuracy[lang] < np.mean(level) - FAR],
        "flagged in most seeds": [lang for lang in others if 2 * flags[lang] > n],
    }


def by_language(
    inbox: Inbox,
    right: dict[Way, Right],
    langs: dict[str, list[str | None]],
    expected: dict[str, float],
    others: list[str],
) -> Table:
    """Show each language, the most accurate first."""
    rows = []
    for lang in others:
        kept = inbox.rows_of(lang)
        plain = right[Way.of(ALONE)]
        rows.append(
            {
                "lang": lang,
                "n": len(kept),
                **named("accuracy", accuracy_of(inbox, plain, kept)),
                "expected": expected.get(lang),
                "glossary": float(right[Way.of(GLOSSARY)][kept].mean()),
                "both": float(right[Way.of(BOTH)][kept].mean()),
                **named("masked", accuracy_of(inbox, right[Way.of(MASKED)], kept)),
                "detected": float(np.mean([langs[AUTO][row] == lang for row in kept])),
            }
        )
    return Table(sorted(rows, key=lambda row: -row["accuracy"]))


def main() -> None:
    """Write the files, run everything, print the tables and keep them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with parallel/ and names/")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--dtype", default="bfloat16")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    folder = options.out / "routing"
    folder.mkdir(parents=True, exist_ok=True)
    drawn = [
        read_routing(options.data / "parallel", n_test=N_TEST, seed=seed)
        for seed in range(options.seeds)
    ]
    inbox = inbox_of(drawn[0][1])
    others = [lang for lang in dict.fromkeys(inbox.langs) if lang != "en"]
    write_messages(folder / "messages.csv", drawn[0][0])
    write_inbox(folder / "inbox-80.csv", inbox)
    write_inbox(folder / "inbox.csv", inbox.first(N_EXAMPLES, EXAMPLES))
    kbs = knowledge_bases(options.data, folder, ["en", *others])
    encoder = Encoder.load(options.encoder, dtype=options.dtype, cache=options.out / "vectors")
    langs = detected(inbox)
    right, trust = run(encoder, kbs, [training for training, _ in drawn], inbox, langs)
    expected, judged = forecasts(inbox, trust, others)
    tables = {
        "overview": overview(inbox, right, others),
        "names": effect_of_names(inbox, right),
        "detection": detection(inbox, langs, others),
        "abstaining": abstaining(inbox, trust, others),
        "languages": by_language(inbox, right, langs, expected, others),
    }
    for table in tables.values():
        print(table.to_markdown())
    print(json.dumps(judged))
    kept = {name: table.rows for name, table in tables.items()} | {"forecast": judged}
    (options.out / "routing.json").write_text(json.dumps(kept, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
