"""From the cells of a comparison to its tables: means, deviations, paired differences.

What a score, an interval and a p-value are is in `comparison_scores`; the deviation is that of the
mean over the seeds. A language is better or worse than the encoder alone when its p-value says so
after Holm's correction for the number of languages.
"""

from typing import Any

import numpy as np

from isogloss.classify.comparison import BASELINE, Comparison
from isogloss.classify.comparison_scores import Scores, scores_of
from isogloss.classify.scores import Interval, holm
from isogloss.errors import counted
from isogloss.report.table import Table

SIGNIFICANCE = 0.05


def summary(comparison: Comparison) -> Table:
    """Return a line a row: dev, mean over the languages, and the difference to the baseline."""
    langs, scores = mean_languages(comparison), scores_of(comparison)
    lines = []
    for row in comparison.rows:
        found = scores.over(row, langs)
        first, *others = found.values.items()
        better = {lang: scores.gain(row, lang) > 0 for lang in comparison.ids}
        sure = [lang for lang, p in _corrected(comparison, scores, row).items() if p < SIGNIFICANCE]
        cells = [comparison.cells[row, seed] for seed in range(comparison.n_seeds)]
        dev = [cell.dev for cell in cells if cell.dev is not None]
        lines.append(
            {"row": row}
            | ({"dev": float(np.mean(dev))} if dev else {})
            | _spread(dict([first]))
            | {"sd_over_seeds": _deviation(_means_of_seeds(comparison, scores, row, langs))}
            | _spread(dict(others) | found.gains)
            | {
                "languages_better": sum(better[lang] for lang in sure),
                "languages_worse": sum(not better[lang] for lang in sure),
                "fit_seconds": float(np.median([cell.seconds for cell in cells])),
            }
        )
    left_out = [lang for lang in comparison.ids if lang not in langs]
    without = f" (without {', '.join(left_out)}, a training language)" if left_out else ""
    caption = (
        f"{scores.title}, the mean of {counted(len(langs), 'test language')}{without}, "
        f"{counted(comparison.n_seeds, 'seed')}; differences to the encoder alone on the same "
        "documents, intervals at 95 %."
    )
    if any(base != BASELINE for base in comparison.baselines.values()):
        caption += " Tuning that rows share counts in the fit_seconds of each."
    minor = ("fit_seconds", "sd_over_seeds", "dev", "macro_difference")
    return Table(lines, caption=caption, minor=minor)


def by_language(comparison: Comparison) -> Table:
    """Return a line a row and language, in full."""
    scores, lines = scores_of(comparison), []
    for row in comparison.rows:
        p_holm = _corrected(comparison, scores, row)
        for lang in comparison.ids:
            found = scores.over(row, [lang], by_id=False)
            first, *others = found.values.items()
            seeds = range(comparison.n_seeds)
            cells = [comparison.cells[row, seed] for seed in seeds]
            of_seeds = [scores.of_seed(row, seed, lang) for seed in seeds]
            counts = cells[0].scores[lang]
            line: dict[str, Any] = {"row": row, "lang": lang, "n": len(cells[0].correct[lang])}
            line |= _spread(dict([first])) | {"sd_over_seeds": _deviation(of_seeds)}
            line |= _spread(dict(others) | found.gains) | {"p_holm": p_holm[lang]}
            if "macro_f1" not in line:
                macro_f1 = [cell.scores[lang]["macro_f1"] for cell in cells]
                line["macro_f1"] = float(np.mean(macro_f1))
            lines.append(line | {name: counts[name] for name in ("n_unlinked", "n_unseen_label")})
    return Table(lines)


def side_by_side(comparison: Comparison) -> Table:
    """Return a line a language and a column a row: the score and its deviation over the seeds."""
    name = scores_of(comparison).name
    shown: dict[str, dict[str, Any]] = {lang: {"lang": lang} for lang in comparison.ids}
    for line in by_language(comparison).rows:
        deviation = f" ±{line['sd_over_seeds']:.3f}" if comparison.n_seeds > 1 else ""
        mark = ""
        if line["p_holm"] < SIGNIFICANCE:
            mark = " ▲" if line["difference"] > 0 else " ▼"
        shown[line["lang"]][line["row"]] = f"{line[name]:.3f}{deviation}{mark}"
    what, test = "Accuracy", "sign-flip permutation test"
    if comparison.gold is not None:
        what, test = "Micro F1", "permutation test that swaps answers"
    return Table(
        list(shown.values()),
        caption=f"{what}, ± standard deviation over seeds. ▲ better, ▼ worse than the encoder "
        f"alone (p < .05, {test}, Holm's correction over languages).",
    )


def mean_languages(comparison: Comparison) -> list[str]:
    """Return the languages of the mean: those tested, training languages left out."""
    tested = [lang for lang in comparison.ids if lang not in comparison.training_langs]
    return tested or list(comparison.ids)


def _corrected(comparison: Comparison, scores: Scores, row: str) -> dict[str, float]:
    p_values = [scores.p_value(row, lang) for lang in comparison.ids]
    return dict(zip(comparison.ids, holm(p_values), strict=True))


def _means_of_seeds(
    comparison: Comparison, scores: Scores, row: str, langs: list[str]
) -> list[float]:
    return [
        float(np.mean([scores.of_seed(row, seed, lang) for lang in langs]))
        for seed in range(comparison.n_seeds)
    ]


def _deviation(values: list[float]) -> float | None:
    """Return the standard deviation of a sample; one value has none."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


def _spread(intervals: dict[str, Interval]) -> dict[str, float]:
    return {
        f"{name}{end}": value
        for name, interval in intervals.items()
        for end, value in (("", interval.value), ("_low", interval.low), ("_high", interval.high))
    }
