"""Moving a language's vectors, estimated from unlabelled texts: the tables of docs/results.md.

Trains on English alone (SIB-200, MasakhaNEWS). A language's shift is estimated on one half of its
texts, without labels, and scored on the other half, and the reverse (inductive), over several
random halves; or estimated on the very texts that are scored (transductive). Everything was chosen
on half of the SIB-200 languages and the MasakhaNEWS dev files (--design); the other languages and
the test files are reported. The acceptance test is tried on texts that it should decline.

    python benchmarks/adaptation.py --data DIR --out benchmarks/out
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from evaluation_data import NEWS_LANGUAGES, SIB_LANGUAGES, find
from isogloss import Encoder, TextClassifier
from isogloss.classify.adaptation import FEWEST_TEXTS, reason_against
from isogloss.classify.heads.head import EncoderOnlyHead
from isogloss.classify.shift import ScoreReference, estimate_shift, scores_of
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.errors import OmissionWarning
from isogloss.learn.linear_head import LinearHead
from isogloss.report.table import Table
from isogloss.statistics.scores import interval_of_language_mean
from records import Record, add_json

UDHR = {"swa": "swh"}
N_UDHR_TEXTS = 60
SHORTEST_UDHR_TEXT = 30


@dataclass(frozen=True)
class Language:
    """Vectors (n_texts, width), the class of each (-1: English lacks it), and their ids."""

    vectors: np.ndarray
    gold: np.ndarray
    ids: list[str | None] | None


@dataclass(frozen=True)
class Dataset:
    """A classifier of English texts, what it learned from, and other languages."""

    model: TextClassifier
    vectors: np.ndarray
    y: np.ndarray
    languages: dict[str, Language]
    other_texts: dict[str, np.ndarray]  # of another kind: the Declaration of Human Rights

    @property
    def head(self) -> LinearHead:
        """The encoder-only classifier."""
        return self.model.head_.linear

    @property
    def reference(self) -> ScoreReference:
        """What other languages are compared with."""
        return self.model.fitted_.score_reference


Method = Callable[[Dataset, np.ndarray, np.ndarray], np.ndarray]


def nothing(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Return scores (n_tested, n_classes) of the classifier as it is."""
    return scores_of(data.head, tested)


def mean_offset(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Put the mean of the texts on that of training (Pires et al. 2019)."""
    offset = scores_of(data.head, texts).mean(axis=0)
    return nothing(data, texts, tested) - offset + scores_of(data.head, data.vectors).mean(axis=0)


def shrunk_offset(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Shrink that by the noise of the mean (positive part of James and Stein)."""
    scores = scores_of(data.head, texts)
    offset = scores.mean(axis=0) - scores_of(data.head, data.vectors).mean(axis=0)
    noise = scores.var(axis=0).sum() / len(scores)
    return nothing(data, texts, tested) - max(0.0, 1 - noise / (offset @ offset)) * offset


def class_shares(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Estimate the shares of the classes alone, by EM (Saerens et al. 2002)."""
    known, temperature = data.reference.priors, data.model.trust_.temperature
    scores = scores_of(data.head, texts) / temperature  # EM needs probabilities that are true
    shares = known
    for _ in range(100):
        weights = np.exp(scores - scores.max(axis=1, keepdims=True)) * shares / known
        weights /= weights.sum(axis=1, keepdims=True)
        shares = np.maximum(weights.mean(axis=0), 1e-4)
    return nothing(data, texts, tested) / temperature + np.log(shares / known)


def class_means(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Estimate one shift of all class means and the priors, by EM; without a scale."""
    scores, reference = scores_of(data.head, texts), data.reference
    shift, shares = scores.mean(axis=0) - reference.mean, reference.priors
    for _ in range(200):
        rest = (scores - shift)[:, None] - reference.centres
        likely = -np.einsum("ncd,de,nce->nc", rest, reference.precision, rest) / 2 + np.log(shares)
        weights = np.exp(likely - likely.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        shares = np.maximum(weights.mean(axis=0), 1e-4)
        shift = (scores - weights @ reference.centres).mean(axis=0)
    return nothing(data, texts, tested) - shift


def whitened(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Put mean and covariance on those of training (CORAL, Sun et al. 2016), shrunk by 0.9."""
    standardise, parts = data.head.standardisation, []
    for vectors in (texts, data.vectors):
        covariance = np.cov(standardise(vectors).T)
        flat = np.trace(covariance) / len(covariance) * np.eye(len(covariance))
        parts.append(np.linalg.eigh(0.1 * covariance + 0.9 * flat))
    (own, own_axes), (known, known_axes) = parts
    colour = (own_axes / np.sqrt(own)) @ own_axes.T @ (known_axes * np.sqrt(known)) @ known_axes.T
    inputs = (standardise(tested) - standardise(texts).mean(axis=0)) @ colour
    return inputs @ data.head.weight.T + data.head.bias


def self_trained(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Move by the mean, then train the head again with its own answers as labels."""
    standardise = data.head.standardisation
    own, offset = standardise(texts), standardise(texts).mean(axis=0)
    guessed = mean_offset(data, texts, texts).argmax(axis=1)
    model = LogisticRegression(C=data.head.C, max_iter=2000)
    inputs = np.vstack([standardise(data.vectors), own - offset])
    model.fit(inputs, np.concatenate([data.y, guessed]))
    return np.asarray(model.decision_function(standardise(tested) - offset))


def corrected(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Correct by `estimate_shift`, whatever the acceptance test says."""
    found = estimate_shift(data.head, data.reference, texts)
    return scores_of(found.correction.apply(EncoderOnlyHead(data.head)).linear, tested)


def guarded(data: Dataset, texts: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Do the same where the acceptance test accepts it, as `adapt` does."""
    if not accepted(data, texts):
        return nothing(data, texts, tested)
    return corrected(data, texts, tested)


METHODS: dict[str, Method] = {
    "none": nothing,
    "mean offset": mean_offset,
    "mean offset, shrunk": shrunk_offset,
    "class priors (EM), no shift": class_shares,
    "class means and priors (EM)": class_means,
    "whitening (CORAL, shrunk)": whitened,
    "mean offset + self-training": self_trained,
    "shift, scale and priors (EM)": corrected,
    "the same with the acceptance test: `adapt`": guarded,
}


def accepted(data: Dataset, texts: np.ndarray) -> bool:
    """Return whether the acceptance test accepts these texts of a language."""
    enough = len(texts) >= FEWEST_TEXTS
    return enough and not reason_against(estimate_shift(data.head, data.reference, texts))


def datasets(data: Path, encoder: Encoder, *, design: bool) -> dict[str, Dataset]:
    """Read, encode and fit both data sets."""
    sib = FileFormat(quoting="csv")
    news = FileFormat(text=("headline", "text"), quoting="csv")

    def read(path: str, format: FileFormat) -> Documents:
        return read_documents(find(data / path), format=format, needs_label=True)

    split = "dev" if design else "test"
    return {
        "sib200": dataset(
            [read("sib200/eng_Latn/train.tsv", sib)],
            {
                code: read(f"sib200/{code}/dev.tsv", sib)
                for code in sorted(SIB_LANGUAGES)[0 if design else 1 :: 2]
            },
            encoder,
            data,
        ),
        "masakhanews": dataset(
            [read(f"masakhanews/eng/{part}.tsv", news) for part in ("dev", "test")],
            {code: read(f"masakhanews/{code}/{split}.tsv", news) for code in NEWS_LANGUAGES},
            encoder,
            data,
        ),
    }


def dataset(
    train: list[Documents], tests: dict[str, Documents], encoder: Encoder, data: Path
) -> Dataset:
    """Fit the encoder-only classifier and encode the texts of other languages."""
    texts = [text for part in train for text in part.texts]
    labels = [str(label) for part in train for label in part.labels or []]
    model = TextClassifier(encoder).fit(texts, labels, "en")
    number = {label: index for index, label in enumerate(model.classes_.tolist())}
    languages, other = {}, {}
    for code, part in tests.items():
        gold = np.array([number.get(str(label), -1) for label in part.labels or []])
        languages[code] = Language(model.fitted_.prepare(part.texts).vectors, gold, part.ids)
        file = data / "udhr" / f"{UDHR.get(code, code[:3])}.txt.gz"
        if file.exists():
            lines = read_documents(file, format=FileFormat(), needs_label=False).texts
            lines = [line for line in lines if len(line) > SHORTEST_UDHR_TEXT]
            other[code] = model.fitted_.prepare(lines[:N_UDHR_TEXTS]).vectors
    return Dataset(
        model, model.fitted_.prepare(texts).vectors, np.array([number[one] for one in labels]),
        languages, other,
    )  # fmt: skip


def halves(n: int, n_splits: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield rows to estimate on and rows to score, each half in each part, over random splits."""
    for seed in range(n_splits):
        order = np.random.default_rng(seed).permutation(n)
        first, second = order[: n // 2], order[n // 2 :]
        yield first, second
        yield second, first


def inductive(data: Dataset, method: Method, n_splits: int) -> dict[str, np.ndarray]:
    """Return language to the share of splits that get each text right."""
    shares = {}
    for code, language in data.languages.items():
        right = np.zeros(len(language.gold))
        for texts, tested in halves(len(language.gold), n_splits):
            scores = method(data, language.vectors[texts], language.vectors[tested])
            right[tested] += scores.argmax(axis=1) == language.gold[tested]
        shares[code] = right / n_splits
    return shares


def transductive(data: Dataset, method: Method) -> dict[str, np.ndarray]:
    """Return language to which texts are right when they are estimated on themselves."""
    return {
        code: (
            method(data, language.vectors, language.vectors).argmax(axis=1) == language.gold
        ).astype(np.float64)
        for code, language in data.languages.items()
    }


def methods_table(data: Dataset, n_splits: int, named: tuple[str, ...]) -> Table:
    """Compare the methods: means over languages with intervals paired to no correction."""
    ids = {code: language.ids for code, language in data.languages.items()}
    base = inductive(data, nothing, n_splits)
    rows = []
    for name, method in METHODS.items():
        right = inductive(data, method, n_splits)
        overall = interval_of_language_mean(right, ids, seed=0)
        gain = interval_of_language_mean(
            {code: right[code] - base[code] for code in right}, ids, seed=0
        )
        itself = np.mean([values.mean() for values in transductive(data, method).values()])
        rows.append(
            {
                "correction": name,
                "accuracy": overall.value,
                "accuracy_low": overall.low,
                "accuracy_high": overall.high,
                "difference": gain.value,
                "difference_low": gain.low,
                "difference_high": gain.high,
                **{code: float(right[code].mean()) for code in named},
                "transductive": float(itself),
            }
        )
    return Table(rows)


def languages_table(data: Dataset, n_splits: int) -> Table:
    """Show each language: before and after, and what was estimated on all of its texts."""
    before, after = (inductive(data, method, n_splits) for method in (nothing, guarded))
    rows = []
    for code, language in data.languages.items():
        gain = interval_of_language_mean(
            {code: after[code] - before[code]}, {code: language.ids}, seed=0
        )
        found = estimate_shift(data.head, data.reference, language.vectors)
        rows.append(
            {
                "lang": code,
                "none": float(before[code].mean()),
                "`adapt`": float(after[code].mean()),
                "difference": gain.value,
                "difference_low": gain.low,
                "difference_high": gain.high,
                "distance": found.distance,
                "scale": found.correction.scale,
                "separation": found.separation,
                "prior shift": found.prior_shift,
            }
        )
    return Table(rows)


def guard_table(data: Dataset, n_splits: int) -> Table:
    """Show what happens with few texts, other classes and another kind of text."""
    kinds: dict[str, list[tuple[bool, float, float, float]]] = {}
    for code, language in data.languages.items():
        for seed, (texts, tested) in enumerate(halves(len(language.gold), n_splits)):
            for name, own, scored in harder(language, texts, tested, seed):
                add_trial(kinds, name, data, language.vectors[own], language, scored)
        if code in data.other_texts:
            everything = np.arange(len(language.gold))
            other = data.other_texts[code]
            add_trial(kinds, "another kind of text (UDHR)", data, other, language, everything)
    return Table(
        [
            {
                "texts": name,
                "trials": len(trials),
                "accepted": float(np.mean([trial[0] for trial in trials])),
                "mean offset": float(np.mean([trial[1] for trial in trials])),
                "without the acceptance test": float(np.mean([trial[2] for trial in trials])),
                "`adapt`": float(np.mean([trial[3] for trial in trials])),
                "`adapt`, the worst tenth": float(
                    np.quantile([trial[3] for trial in trials], 0.1)
                ),
            }
            for name, trials in kinds.items()
        ]
    )  # fmt: skip


def harder(
    language: Language, texts: np.ndarray, tested: np.ndarray, seed: int
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield names of trials, rows to estimate on and rows to score."""
    generator, gold = np.random.default_rng(seed), language.gold
    yield "half of the language's texts", texts, tested
    for n in (10, 20, 40):
        yield f"{n} texts", texts[:n], tested
    known = np.unique(gold[gold >= 0])
    for n in (3, 2, 1):
        kept = generator.choice(known, n, replace=False)
        rows, scored = (side[np.isin(gold[side], kept)] for side in (texts, tested))
        if min(len(rows), len(scored)) >= 10:
            noun = "class" if n == 1 else "classes"
            yield f"texts of {n} {noun} only, to estimate and to score", rows, scored
    thinned = generator.dirichlet(np.full(gold.max() + 2, 2.0))
    kept = generator.random(len(gold)) < (thinned / thinned.max())[gold]
    rows, scored = texts[kept[texts]], tested[kept[tested]]
    if min(len(rows), len(scored)) >= 10:
        yield "classes thinned at random, in both", rows, scored


def add_trial(
    kinds: dict[str, list[tuple[bool, float, float, float]]],
    name: str,
    data: Dataset,
    own: np.ndarray,
    language: Language,
    scored: np.ndarray,
) -> None:
    """Add whether the acceptance test accepts, and three gains over no correction."""
    tested, gold = language.vectors[scored], language.gold[scored]
    accuracies = [
        float((method(data, own, tested).argmax(axis=1) == gold).mean())
        for method in (nothing, mean_offset, corrected, guarded)
    ]
    first, second, third = (value - accuracies[0] for value in accuracies[1:])
    kinds.setdefault(name, []).append((accepted(data, own), first, second, third))


def main() -> None:
    """Print the tables of both data sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="see docs/results.md")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--design", action="store_true", help="what everything was chosen on")
    add_json(parser)
    arguments = parser.parse_args()
    record = Record(arguments.json)
    warnings.filterwarnings("ignore", category=OmissionWarning)  # cut texts
    encoder = Encoder.load("bundled", dtype=arguments.dtype, long_texts="cut")
    for title, data in datasets(arguments.data, encoder, design=arguments.design).items():
        named = tuple(code for code in data.languages if code in (*NEWS_LANGUAGES, "por_Latn"))
        record.show(f"{title}, methods", methods_table(data, arguments.splits, named))
        record.show(f"{title}, languages", languages_table(data, arguments.splits))
        record.show(f"{title}, guard", guard_table(data, arguments.splits))
    record.write()


if __name__ == "__main__":
    main()
