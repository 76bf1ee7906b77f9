"""How far forecasts of accuracy are off, language by language: the tables of docs/trust.md.

Trains on English, forecasts other languages without their labels, and compares with their
accuracy, on three sets: SIB-200 (the class priors are the same in every language), MasakhaNEWS
(languages lack whole classes) and messages by product area (`routing_data`; shares differ). The
forecast has no coefficient to fit, so nothing has to be left out of it. Beside it stand guesses
that know more: the mean accuracy of the other languages of the set, for which they must be
labelled. Vectors are kept in --out.

    python benchmarks/forecast.py --data DIR --dtype bfloat16
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from evaluation_data import NEWS_LANGUAGES, SIB_LANGUAGES, find
from isogloss import Encoder
from isogloss.classify.adaptation import reason_against
from isogloss.classify.forecast import (
    BELOW_OTHERS,
    FAR_BELOW_TRAINING,
    FEW,
    ForecastReference,
    flag_rows,
    interval_of_forecast,
)
from isogloss.classify.heads.head import EncoderOnlyHead
from isogloss.classify.shift import ScoreReference, estimate_shift
from isogloss.data.documents import FileFormat, read_documents
from isogloss.learn.linear_head import fit_with_search, folds_of, out_of_fold
from isogloss.report.table import Table
from isogloss.statistics.calibration import expected_calibration_error, fit_temperature, tempered
from routing_data import read_routing

FAR = 0.10  # a language so far below the mean of its set must be flagged
N_ROUTING_TEST = 240
N_RESAMPLES = 4
N_HALVES = 4
Labelled = tuple[list[str], list[str]]


class Case(NamedTuple):
    """A language of a set."""

    name: str
    n: int
    accuracy: float
    expected: float
    agreement: float
    confidence: float
    training_accuracy: float
    n_training: int
    same_shares: float  # 1 - total variation of predicted and training shares
    error_before: float  # of calibration
    error_after: float


def sets(data: Path) -> dict[str, tuple[Labelled, dict[str, Labelled]]]:
    """Read the training texts and the test texts of each set."""

    def read(path: str, format: FileFormat) -> Labelled:
        documents = read_documents(find(data / path), format=format, needs_label=True)
        return documents.texts, documents.labels or []

    sib, news = FileFormat(quoting="csv"), FileFormat(text=("headline", "text"), quoting="csv")
    english = [read(f"masakhanews/eng/{split}.tsv", news) for split in ("dev", "test")]
    training, routing = read_routing(
        data / "parallel", n_test=N_ROUTING_TEST, with_training_pairs=True
    )
    return {
        "SIB-200": (
            read("sib200/eng_Latn/train.tsv", sib),
            {code: read(f"sib200/{code}/dev.tsv", sib) for code in SIB_LANGUAGES},
        ),
        "MasakhaNEWS": (
            (english[0][0] + english[1][0], english[0][1] + english[1][1]),
            {
                f"{code} {split}": read(f"masakhanews/{code}/{split}.tsv", news)
                for code in NEWS_LANGUAGES
                for split in ("dev", "test")
            },
        ),
        "routing": (
            (training.texts, training.labels),
            {lang: (part.texts, part.labels) for lang, part in routing.items()},
        ),
    }


def cases(
    train: Labelled, tests: dict[str, Labelled], vectors: dict[str, np.ndarray], *, shifted: bool
) -> list[Case]:
    """Fit on the training vectors and judge each language, or resamples of other shares."""
    classes = sorted(set(train[1]))
    number = {label: index for index, label in enumerate(classes)}
    y = np.array([number[label] for label in train[1]])
    head = fit_with_search(vectors["train"], y, len(classes), seed=0)
    folds = folds_of(y, seed=0)
    assert folds is not None
    held_out = out_of_fold(vectors["train"], y, len(classes), folds, C=head.C)
    temperature = fit_temperature(held_out, y)
    reference = ForecastReference.fit(vectors["train"], y, len(classes), C=head.C, seed=0)
    assert reference is not None
    shares = np.bincount(y, minlength=len(classes)) / len(y)
    generator = np.random.default_rng(1)
    found = []
    for name, (_, labels) in tests.items():
        gold = np.array([number.get(label, -1) for label in labels])
        answers = head.log_probabilities(vectors[name])
        agreement = reference.agreement_on(vectors[name])
        for _ in range(N_RESAMPLES if shifted else 1):
            rows = resampled(gold, generator) if shifted else np.arange(len(gold))
            chosen, after = answers[rows], tempered(answers[rows], temperature)
            predicted = chosen.argmax(axis=1)
            right = predicted == gold[rows]
            said = np.bincount(predicted, minlength=len(classes)) / len(rows)
            mean = float(agreement[rows].mean())
            sure = [np.exp(scores.max(axis=1)) for scores in (chosen, after)]
            found.append(
                Case(
                    name.split(" ")[0], len(rows), float(right.mean()),
                    reference.expected_accuracy(mean), mean, float(sure[1].mean()),
                    reference.accuracy, len(y),
                    1 - float(np.abs(said - shares).sum() / 2),
                    *(expected_calibration_error(values, right) for values in sure),
                )
            )  # fmt: skip
    return found


def under_corrections(
    name: str, train: Labelled, tests: dict[str, Labelled], vectors: dict[str, np.ndarray]
) -> dict[str, Any]:
    """Measure forecasts of adapted languages: from vectors as they were, and from corrected ones.

    Corrections are learned on one half of a language's texts, all is measured on the other half.
    """
    classes = sorted(set(train[1]))
    y = np.array([classes.index(label) for label in train[1]])
    head = fit_with_search(vectors["train"], y, len(classes), seed=0)
    reference = ForecastReference.fit(vectors["train"], y, len(classes), C=head.C, seed=0)
    scores = ScoreReference.of(head, vectors["train"], y, seed=0)
    assert reference is not None
    assert scores is not None
    scale, found, langs = head.standardisation, [], []
    for lang, (_, labels) in tests.items():
        gold = np.array([classes.index(one) if one in classes else -1 for one in labels])
        generator = np.random.default_rng(0)
        for _ in range(N_HALVES):
            halves = np.array_split(generator.permutation(len(gold)), 2)
            for texts, rows in (halves, halves[::-1]):
                estimated = estimate_shift(head, scores, vectors[lang][texts])
                if reason_against(estimated):
                    continue
                correction, tested = estimated.correction, vectors[lang][rows]
                corrected = (scale(tested) - correction.offset) / correction.scale
                corrected = (corrected * scale.deviation + scale.mean).astype(np.float32)
                accuracy = [
                    float((one.log_probabilities(tested).argmax(axis=1) == gold[rows]).mean())
                    for one in (head, correction.apply(EncoderOnlyHead(head)))
                ]
                forecasts = [
                    reference.expected_accuracy(float(reference.agreement_on(given).mean()))
                    for given in (tested, corrected)
                ]
                found.append([*accuracy, *forecasts])
                langs.append(lang)
    before, after, as_they_were, from_corrected = np.array(found).T
    # A resample is of languages: their texts, of other documents or of translations, stay together.
    change = {lang: (after - before)[np.array(langs) == lang] for lang in dict.fromkeys(langs)}
    means = np.array([gains.mean() for gains in change.values()])
    drawn = np.random.default_rng(0).choice(means, (10_000, len(means))).mean(axis=1)
    return {
        "set": name,
        "cases": len(found),
        "languages": len(means),
        "change": float(means.mean()),
        "change_low": float(np.quantile(drawn, 0.025)),
        "change_high": float(np.quantile(drawn, 0.975)),
        "languages worse": int((means < 0).sum()),
        "accuracy before": float(before.mean()),
        "accuracy after": float(after.mean()),
        "forecast as they were": float(as_they_were.mean()),
        "forecast, corrected": float(from_corrected.mean()),
        "error as they were": float(np.abs(as_they_were - after).mean()),
        "error, corrected": float(np.abs(from_corrected - after).mean()),
    }


def resampled(gold: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return rows in which classes are missing and the others have random shares."""
    present = np.unique(gold[gold >= 0])
    n_kept = generator.integers((len(present) + 1) // 2, len(present) + 1)
    kept = generator.choice(present, size=n_kept, replace=False)
    shares = generator.dirichlet(np.full(len(kept), 2.0))
    rows = []
    for label, share in zip(kept, shares, strict=True):
        own = generator.permutation(np.flatnonzero(gold == label))
        rows.append(own[: max(1, round(share * 100))])
    return np.concatenate(rows)


def guesses(found: list[Case], signal: Callable[[Case], float] | None) -> np.ndarray:
    """Guess each language from the labels of the others: their mean, or a line over a signal."""
    guessed = []
    for case in found:
        others = [other for other in found if other.name != case.name]
        accuracy = np.array([other.accuracy for other in others])
        if signal is None:
            guessed.append(accuracy.mean())
        else:
            slope, base = np.polyfit([signal(other) for other in others], accuracy, 1)
            guessed.append(base + slope * signal(case))
    return np.array(guessed)


def drop_of(found: list[Case]) -> float:
    """Return how far the languages of a set lie below its training language."""
    return float(np.mean([case.training_accuracy - case.accuracy for case in found]))


def flags_of(found: list[Case]) -> np.ndarray:
    """Return the flag that the product gives each case, among the others of its set."""
    rows: list[dict[str, Any]] = [
        {"lang": case.name, "n": case.n, "expected": case.expected, "flag": ""} for case in found
    ]
    flag_rows(rows, training_accuracy=found[0].training_accuracy, training_langs=())
    return np.array([row["flag"] for row in rows])


def row_of(name: str, found: list[Case], drop: float) -> dict[str, Any]:
    """Return a set's errors of the forecast and of the guesses; `drop`: that of the other sets."""
    accuracy = np.array([case.accuracy for case in found])
    expected = np.array([case.expected for case in found])
    noise = np.array([np.sqrt(a * (1 - a) / case.n) for a, case in zip(accuracy, found)])  # noqa: B905
    low_ends, high_ends = np.transpose(
        [
            interval_of_forecast(
                case.expected,
                case.n,
                training_accuracy=case.training_accuracy,
                n_training=case.n_training,
            )
            for case in found
        ]
    )
    training_accuracy = found[0].training_accuracy
    flags = flags_of(found)
    flagged, far = flags == BELOW_OTHERS, accuracy < accuracy.mean() - FAR
    flagged_any, low = (
        ~np.isin(flags, ("", FEW)),
        accuracy < (1 - FAR_BELOW_TRAINING) * training_accuracy,
    )

    def error(guess: np.ndarray) -> float:
        return float(np.abs(guess - accuracy).mean())

    return {
        "set": name,
        "cases": len(found),
        "training accuracy": training_accuracy,
        "mean accuracy": float(accuracy.mean()),
        "forecast": error(expected),
        "root mean square": float(np.sqrt(((expected - accuracy) ** 2).mean())),
        "bias": float((expected - accuracy).mean()),
        "correlation": float(np.corrcoef(expected, accuracy)[0, 1]),
        "covered": float(((low_ends <= accuracy) & (accuracy <= high_ends)).mean()),
        "noise": float((noise * np.sqrt(2 / np.pi)).mean()),
        "drop as in other sets": error(training_accuracy - np.full(len(found), drop)),
        "others' mean": error(guesses(found, None)),
        "line: agreement": error(guesses(found, lambda case: case.agreement)),
        "line: confidence": error(guesses(found, lambda case: case.confidence)),
        "line: class priors": error(guesses(found, lambda case: case.same_shares)),
        "far below": int(far.sum()),
        "of these flagged": int((far & flagged).sum()),
        "flagged besides": int((flagged & ~far).sum()),
        "below 3/4 of training": int(low.sum()),
        "of these with a flag": int((low & flagged_any).sum()),
        "with a flag besides": int((flagged_any & ~low).sum()),
        "ECE before": float(np.mean([case.error_before for case in found])),
        "ECE after": float(np.mean([case.error_after for case in found])),
    }


def main() -> None:
    """Encode what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--dtype", default="float32")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load(
        arguments.encoder,
        dtype=arguments.dtype,
        long_texts="cut",
        cache=arguments.out / "vectors",
    )
    natural, shifted, adapted = {}, {}, []
    for name, (train, tests) in sets(arguments.data).items():
        parts = {"train": train[0]} | {lang: texts for lang, (texts, _) in tests.items()}
        vectors = {part: encoder.encode(texts) for part, texts in parts.items()}
        natural[name] = cases(train, tests, vectors, shifted=False)
        shifted[name] = cases(train, tests, vectors, shifted=True)
        adapted.append(under_corrections(name, train, tests, vectors))
    rows = []
    for name in natural:
        drop = np.mean([drop_of(found) for other, found in natural.items() if other != name])
        rows.append(row_of(name, natural[name], float(drop)))
        rows.append(row_of(f"{name}, other shares", shifted[name], float(drop)))
    by_language = {
        name: [
            case._asdict() | {"flag": str(flag)}
            for case, flag in zip(found, flags_of(found), strict=True)
        ]
        for name, found in natural.items()
    }
    print(Table(rows).to_markdown())
    print(Table(adapted).to_markdown())
    (arguments.out / "forecast.json").write_text(
        json.dumps({"sets": rows, "adapted": adapted, **by_language}, indent=1)
    )


if __name__ == "__main__":
    main()
