"""From the cells of a comparison to its tables: means, deviations, paired differences.

What a score, an interval and a p-value are is in `scores`; the deviation is that of the
mean over the languages, over seeds. A language is better or worse than the encoder alone when its
p-value says so after Holm's correction for the number of languages that have part in the mean.
"""

import json
from importlib import resources
from typing import Any

import numpy as np

from isogloss.classify.compare.comparison import BASELINE, Comparison
from isogloss.classify.compare.scores import Scores, scores_of
from isogloss.errors import InputError, counted, did_you_mean
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import Interval
from isogloss.statistics.scores import holm
from isogloss.text.languages import UNKNOWN, in_order_of_codes

SIGNIFICANCE = 0.05
TITLES = {
    "micro_f1": "micro F1", "macro_f1": "macro F1", "macro_difference": "difference of macro F1",
    "sd_over_seeds": "deviation over seeds", "difference_sd_over_seeds": "its deviation",
    "languages_better": "better", "languages_worse": "worse", "fit_seconds": "seconds to fit",
}  # fmt: skip
BETTER, WORSE = " ▲", " ▼"


def summary(comparison: Comparison, details: Table) -> Table:
    """Return a line a row: dev, mean over the languages, and the difference to the baseline.

    Parameters
    ----------
    details
        From `by_language`, which takes the longest of the tables: for all of them once.
    """
    langs, scores = mean_languages(comparison), scores_of(comparison)
    lines = []
    for row in comparison.rows:
        found = scores.over(row, langs)
        first, *others = found.values.items()
        marks = [_mark(line) for line in details.rows if line["row"] == row]
        cells = [comparison.cells[row, seed] for seed in range(comparison.n_seeds)]
        dev = [cell.dev for cell in cells if cell.dev is not None]
        lines.append(
            {"row": row}
            | ({"dev": float(np.mean(dev))} if dev else {})
            | _spread(dict([first]))
            | {"sd_over_seeds": found.deviation}
            | _spread(dict(others) | found.gains)
            | {
                "difference_sd_over_seeds": found.deviation_of_gain,
                "languages_better": marks.count(BETTER),
                "languages_worse": marks.count(WORSE),
                "fit_seconds": float(np.median([cell.seconds for cell in cells])),
            }
        )
    minor = (
        "fit_seconds", "difference_sd_over_seeds", "sd_over_seeds", "dev", "macro_difference",
    )  # fmt: skip
    return Table(
        lines, caption=_caption(comparison, scores.title), minor=minor,
        sparse=("sd_over_seeds", "difference_sd_over_seeds", "languages_better", "languages_worse"),
        titles=TITLES,
    )  # fmt: skip


def by_language(comparison: Comparison) -> Table:
    """Return a line a row and language, in full; languages without part in the mean have no p."""
    scores, lines = scores_of(comparison), []
    for row in comparison.rows:
        p_holm = _corrected(comparison, scores, row)
        for lang in in_order_of_codes(comparison.ids):
            found = scores.over(row, [lang])
            first, *others = found.values.items()
            cells = [comparison.cells[row, seed] for seed in range(comparison.n_seeds)]
            line: dict[str, Any] = {"row": row, "lang": lang, "n": len(cells[0].correct[lang])}
            line |= _spread(dict([first])) | {"sd_over_seeds": found.deviation}
            line |= _spread(dict(others) | found.gains)
            line |= {"difference_sd_over_seeds": found.deviation_of_gain}
            line |= {"p_holm": p_holm.get(lang)}
            if "macro_f1" not in line:
                line["macro_f1"] = float(np.mean([cell.score(lang, "macro_f1") for cell in cells]))
            counts = ("n_unlinked", "n_unseen_label")
            lines.append(line | {name: cells[0].score(lang, name) for name in counts})
    return Table(lines)


def side_by_side(comparison: Comparison, details: Table) -> Table:
    """Return a line a language and a column a row: the score and its deviation over the seeds.

    Parameters
    ----------
    details
        From `by_language`.
    """
    name = scores_of(comparison).name
    langs = in_order_of_codes(comparison.ids)
    shown: dict[str, dict[str, Any]] = {lang: {"lang": lang} for lang in langs}
    for line in details.rows:
        deviation = f" ±{line['sd_over_seeds']:.3f}" if comparison.n_seeds > 1 else ""
        shown[line["lang"]][line["row"]] = f"{line[name]:.3f}{deviation}{_mark(line)}"
    what, test = "Accuracy", "sign-flip permutation test"
    if comparison.gold is not None:
        what, test = "Micro F1", "permutation test that swaps answers"
    if comparison.n_seeds > 1:
        test += " and t-test over seeds"
    return Table(
        list(shown.values()),
        caption=f"{what}, ± standard deviation over seeds. ▲ better, ▼ worse than the encoder "
        f"alone (p below .05, {test}, Holm's correction over languages).",
    )


def verdicts(comparison: Comparison, summary: Table, details: Table) -> list[str]:
    """Say of each row in words whether it is better than its baseline, and where.

    Parameters
    ----------
    summary, details
        From the functions of these names.
    """
    langs, said = mean_languages(comparison), []
    for line in summary.rows:
        row = line["row"]
        if comparison.baselines[row] == row:
            continue
        of_row = [one for one in details.rows if one["row"] == row and one["lang"] in langs]
        value, low, high = (line[f"difference{end}"] for end in ("", "_low", "_high"))
        verb = "helps" if low > 0 else "hurts" if high < 0 else "makes no clear difference"
        better, worse = line["languages_better"], line["languages_worse"]
        n_texts = sorted({one["n"] for one in of_row})
        each = f"{n_texts[0]:,}" if len(n_texts) == 1 else f"{n_texts[0]:,} to {n_texts[-1]:,}"
        one_by_one = f"{better} of {counted(len(langs), 'language')} clearly better, {worse} worse"
        if not better and not worse:
            one_by_one = f"no single language is clear with {each} texts"
        n, n_unlinked = (sum(one[name] for one in of_row) for name in ("n", "n_unlinked"))
        said.append(
            f"{row} {verb} on the mean ({value:+.3f} [{low:.2f}, {high:.2f}]); {one_by_one}; "
            f"{n - n_unlinked:,} of {counted(n, 'text')} have a link."
        )
    return said


def published_table(name: str) -> Table:
    """Return the printed scores of a data set: a line a row of the paper, a column a language.

    Parameters
    ----------
    name
        ``"mldoc"`` (Table 3) or ``"shinra2020-ml"`` (Table 4).

    Raises
    ------
    InputError
        When there is no such data set in the paper.
    """
    file = resources.files("isogloss.classify.compare") / "published.json"
    known = json.loads(file.read_text(encoding="utf-8"))
    if name not in known:
        raise InputError(f"--published is '{name}'; {did_you_mean(name, known)}")
    found = known[name]
    lines = [{"row": row} | scores for row, scores in found["rows"].items()]
    caption = f"Published {found['metric']} on {found['dataset']} ({found['source']}): "
    return Table(lines, caption=caption + found["note"] + ".")


def mean_languages(comparison: Comparison) -> list[str]:
    """Return the languages of the mean: those tested, without training languages and unknown."""
    left_out = {*comparison.training_langs, UNKNOWN}  # texts of no known language are no language
    tested = [lang for lang in comparison.ids if lang not in left_out]
    return tested or list(comparison.ids)


def _mark(line: dict[str, Any]) -> str:
    """Return whether a line of `by_language` is better or worse than its baseline, or ""."""
    if line["p_holm"] is None or line["p_holm"] >= SIGNIFICANCE:
        return ""
    return BETTER if line["difference"] > 0 else WORSE


def _corrected(comparison: Comparison, scores: Scores, row: str) -> dict[str, float]:
    """Return the corrected p-value of each language of the mean."""
    langs = mean_languages(comparison)
    p_values = [scores.p_value(row, lang) for lang in langs]
    return dict(zip(langs, holm(p_values), strict=True))


def _caption(comparison: Comparison, title: str) -> str:
    langs = mean_languages(comparison)
    left_out = [
        f"{lang}, {'texts of unknown language' if lang == UNKNOWN else 'a training language'}"
        for lang in comparison.ids
        if lang not in langs
    ]
    without = f" (without {'; '.join(left_out)})" if left_out else ""
    seeds = counted(comparison.n_seeds, "seed")
    over = "documents and seeds" if comparison.n_seeds > 1 else "documents"
    caption = (
        f"{title}, the mean of {counted(len(langs), 'test language')}{without}, {seeds}; "
        f"differences to the encoder alone on the same documents, intervals at 95 % over {over}."
    )
    if any(base != BASELINE for base in comparison.baselines.values()):
        caption += " Tuning that rows share counts in the fit_seconds of each."
    return caption


def _spread(intervals: dict[str, Interval]) -> dict[str, float]:
    return {
        column: value
        for name, interval in intervals.items()
        for column, value in columns_of(name, interval).items()
    }
