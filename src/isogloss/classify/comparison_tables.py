"""From the cells of a comparison to its tables: means, deviations, paired differences.

A document counts with the share of seeds that get it right. Intervals are over documents (drawn
jointly where languages share them), the deviation is that of the mean over the seeds. A language
is better or worse than the encoder alone when a sign-flip permutation test of its paired
differences says so after Holm's correction for the number of languages.
"""

from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.comparison import Comparison
from isogloss.classify.scores import holm, interval_of_language_mean, interval_of_mean
from isogloss.report.table import Table

N_PERMUTATIONS = 10_000
SIGNIFICANCE = 0.05


def summary(comparison: Comparison) -> Table:
    """Return a line a row: dev, mean over the languages, and the difference to the baseline."""
    langs = mean_languages(comparison)
    lines = []
    for row in comparison.rows:
        right = share_right(comparison, row)
        base = share_right(comparison, comparison.baselines[row])
        gains = {lang: right[lang] - base[lang] for lang in right}
        overall = _over_languages(comparison, right, langs)
        gain = _over_languages(comparison, gains, langs)
        p_holm = _corrected(gains)
        dev = [comparison.cells[row, seed].dev for seed in range(comparison.n_seeds)]
        known = [value for value in dev if value is not None]
        lines.append(
            {"row": row}
            | ({"dev": float(np.mean(known))} if known else {})
            | _spread("accuracy", overall)
            | {"sd_over_seeds": _deviation(_means_of_seeds(comparison, row, langs))}
            | _spread("difference", gain)
            | {
                "languages_better": sum(
                    p < SIGNIFICANCE and gains[lang].mean() > 0 for lang, p in p_holm.items()
                ),
                "languages_worse": sum(
                    p < SIGNIFICANCE and gains[lang].mean() < 0 for lang, p in p_holm.items()
                ),
                "fit_seconds": float(
                    np.median(
                        [comparison.cells[row, seed].seconds for seed in range(comparison.n_seeds)]
                    )
                ),
            }
        )
    left_out = [lang for lang in comparison.ids if lang not in langs]
    without = f" (without {', '.join(left_out)}, a training language)" if left_out else ""
    seeds = f"{comparison.n_seeds} seed" + ("s" if comparison.n_seeds > 1 else "")
    return Table(
        lines,
        caption=f"Accuracy, the mean of {len(langs)} test language"
        f"{'s' if len(langs) > 1 else ''}{without}, {seeds}; differences to the encoder alone on "
        "the same documents, intervals at 95 %.",
        minor=("fit_seconds", "sd_over_seeds", "dev"),
    )


def by_language(comparison: Comparison) -> Table:
    """Return a line a row and language, in full."""
    lines = []
    for row in comparison.rows:
        right = share_right(comparison, row)
        base = share_right(comparison, comparison.baselines[row])
        gains = {lang: right[lang] - base[lang] for lang in right}
        p_holm = _corrected(gains)
        for lang in right:
            seeds = range(comparison.n_seeds)
            of_seeds = [float(np.mean(comparison.cells[row, seed].correct[lang])) for seed in seeds]
            scores = [comparison.cells[row, seed].scores[lang] for seed in seeds]
            lines.append(
                {"row": row, "lang": lang, "n": len(right[lang])}
                | _spread("accuracy", interval_of_mean(right[lang], seed=0))
                | {"sd_over_seeds": _deviation(of_seeds)}
                | _spread("difference", interval_of_mean(gains[lang], seed=0))
                | {
                    "p_holm": p_holm[lang],
                    "macro_f1": float(np.mean([score["macro_f1"] for score in scores])),
                    "n_unlinked": scores[0]["n_unlinked"],
                    "n_unseen_label": scores[0]["n_unseen_label"],
                }
            )
    return Table(lines)


def side_by_side(comparison: Comparison) -> Table:
    """Return a line a language and a column a row: accuracy and its deviation over the seeds."""
    shown: dict[str, dict[str, Any]] = {lang: {"lang": lang} for lang in comparison.ids}
    for line in by_language(comparison).rows:
        deviation = f" ±{line['sd_over_seeds']:.3f}" if comparison.n_seeds > 1 else ""
        mark = ""
        if line["p_holm"] < SIGNIFICANCE:
            mark = " ▲" if line["difference"] > 0 else " ▼"
        shown[line["lang"]][line["row"]] = f"{line['accuracy']:.3f}{deviation}{mark}"
    return Table(
        list(shown.values()),
        caption="Accuracy, ± standard deviation over seeds. ▲ better, ▼ worse than the encoder "
        "alone (p < .05, sign-flip permutation test, Holm's correction over languages).",
    )


def share_right(comparison: Comparison, row: str) -> dict[str, Doubles1d]:
    """Return language to float (n_documents,): the share of seeds that get each right."""
    runs = [comparison.cells[row, seed].correct for seed in range(comparison.n_seeds)]
    return {lang: np.mean([run[lang] for run in runs], axis=0) for lang in runs[0]}


def mean_languages(comparison: Comparison) -> list[str]:
    """Return the languages of the mean: those tested, training languages left out."""
    tested = [lang for lang in comparison.ids if lang not in comparison.training_langs]
    return tested or list(comparison.ids)


def sign_flip_p(differences: Doubles1d) -> float:
    """Return the two-sided p-value of a sign-flip permutation test of a mean of 0.

    Parameters
    ----------
    differences
        float (n,): paired, one a document.
    """
    nonzero = differences[differences != 0]
    if not len(nonzero):
        return 1.0
    generator, target = np.random.default_rng(0), abs(nonzero.sum()) - 1e-9
    extreme = 0
    for _ in range(N_PERMUTATIONS // 100):  # in parts: test sets may be large
        signs = generator.choice([-1.0, 1.0], size=(100, len(nonzero)))
        extreme += int((np.abs(signs @ nonzero) >= target).sum())
    return (1 + extreme) / (1 + N_PERMUTATIONS)


def _corrected(gains: dict[str, Doubles1d]) -> dict[str, float]:
    return dict(zip(gains, holm([sign_flip_p(gain) for gain in gains.values()]), strict=True))


def _means_of_seeds(comparison: Comparison, row: str, langs: list[str]) -> list[float]:
    return [
        float(np.mean([np.mean(comparison.cells[row, seed].correct[lang]) for lang in langs]))
        for seed in range(comparison.n_seeds)
    ]


def _over_languages(comparison: Comparison, values: dict[str, Doubles1d], langs: list[str]) -> Any:
    chosen = {lang: values[lang] for lang in langs}
    return interval_of_language_mean(chosen, {lang: comparison.ids[lang] for lang in langs}, seed=0)


def _deviation(values: list[float]) -> float | None:
    """Return the standard deviation of a sample; one value has none."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def _spread(name: str, interval: Any) -> dict[str, float]:
    return {name: interval.value, f"{name}_low": interval.low, f"{name}_high": interval.high}
