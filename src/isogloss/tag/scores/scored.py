"""Rows of scores by language and their mean: what `tag evaluate` prints, and the tables beside it.

The mean leaves out the training languages, as `classify evaluate` does: it is zero-shot.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from isogloss.errors import counted, warn_omitted
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of
from isogloss.statistics.scores import holm
from isogloss.tag.scores.counts import EntityCounts, Outcome, TagCounts
from isogloss.tag.scores.intervals import (
    Counts,
    Ids,
    difference_of_taggers,
    interval_of_score,
    p_of_taggers,
)
from isogloss.text.languages import UNKNOWN, in_order_of_codes

TITLES = {
    "lang": "language", "n": "sentences", "n_words": "words", "n_entities": "entities",
    "macro_f1": "macro F1", "f1_strict": "F1", "f1_conll": "F1 as conlleval",
    "n_unseen_tag": "unknown tags", "n_without_piece": "words without token",
    "n_windows": "sentences in windows", "p_value": "p", "p_holm": "p corrected",
}  # fmt: skip
MINOR = ("p_value", "n_unseen_tag", "f1_conll", "recall", "precision", "n_words", "macro_f1")
N_NAMED = 5  # tags that a warning names

Rows: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True)
class Scored:
    """Scores by language.

    Attributes
    ----------
    rows
        A dictionary a language, in the order of codes: of tags ``lang``, ``n`` (sentences),
        ``n_words``, ``accuracy`` and its interval, ``macro_f1``; of entities ``n_entities``,
        ``f1_strict`` and its interval, ``f1_conll``, ``precision``, ``recall`` instead. Then
        ``n_unseen_tag`` where the tags of training are known, the caller's further counts, and
        the difference to a second tagger, ``difference`` with its interval, ``p_value``,
        ``p_holm``.
    mean
        The same over ``langs``: means of scores, sums of counts. Without training languages and
        texts of no known one, if any other is there.
    by_label
        A row a language and tag, or type of entities.
    confusions
        A row a language and pair of gold and predicted tag, or type of entities, and how many have
        it; None: no entity of the other side has the same words.
    """

    rows: Rows
    mean: dict[str, Any]
    by_label: Table
    confusions: Table

    def table(self) -> Table:
        """Return the rows and their mean, as people read them."""
        last = {**self.mean, "lang": f"mean of {len(self.mean['langs'])}"}
        langs = last.pop("langs")
        others = [row["lang"] for row in self.rows if row["lang"] not in langs]
        without = f", without {', '.join(others)}" if others else ""
        sparse = [name for name in self.rows[0] if name.startswith("n_")]
        return Table(
            [*self.rows, last], columns=list(self.rows[0]), minor=MINOR, sparse=sparse,
            titles=TITLES, caption=f"The mean is over {', '.join(langs)}{without}.",
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Return ``{"rows": […], "mean": {…}}``, ready for `json`."""
        return {"rows": self.rows, "mean": self.mean}


def score_tags(
    counts: Mapping[str, TagCounts],
    *,
    ids: Ids | None = None,
    known: Collection[str] | None = None,
    training_langs: Collection[str] = (),
    versus: Mapping[str, TagCounts] | None = None,
    further: Mapping[str, Mapping[str, int]] | None = None,
    seed: int = 0,
) -> Scored:
    """Score words, each of which has one tag: accuracy and macro F1.

    Parameters
    ----------
    counts
        Language to its words; one language or more.
    ids
        Language to the ids of its sentences; equal ids are one sentence in several languages.
    known
        The tags of training; others are counted and said. None: not known.
    versus
        A second tagger's words, of the same languages and sentences.
    further
        Language to more counts for its row, by the names of their columns.

    Warns
    -----
    OmissionWarning
        Words of a language have a gold tag that training lacks.
    """
    ids = ids or {}
    rows = [
        {
            "lang": lang,
            "n": len(one.sizes),
            "n_words": len(one.right),
            **columns_of("accuracy", interval_of_score({lang: [one]}, "accuracy", ids, seed=seed)),
            "macro_f1": one.macro_f1,
        }
        for lang, one in counts.items()
    ]
    labels = [
        {"lang": lang, "tag": tag, **_of_label(outcome), "f1": outcome.f1}
        for lang, one in counts.items()
        for tag, outcome in one.by_label.items()
    ]
    _count(rows, counts, known, further or {})
    mean = _mean(rows, counts, "accuracy", ids, training_langs, seed)
    if versus is not None:
        _add_differences(rows, mean, (counts, versus), "accuracy", ids, seed)
    return Scored(_in_order(rows), mean, Table(_in_order(labels)), _confusions(counts))


def score_entities(
    counts: Mapping[str, EntityCounts],
    *,
    ids: Ids | None = None,
    known: Collection[str] | None = None,
    training_langs: Collection[str] = (),
    versus: Mapping[str, EntityCounts] | None = None,
    further: Mapping[str, Mapping[str, int]] | None = None,
    seed: int = 0,
) -> Scored:
    """Score entities: F1 read strictly and as `conlleval` reads; precision and recall are strict.

    Parameters and warnings are those of `score_tags`.
    """
    ids = ids or {}
    rows = [
        {
            "lang": lang,
            "n": len(one.strict),
            "n_words": one.gold_tags.total(),
            "n_entities": int(one.strict[:, 2].sum()),
            **columns_of(
                "f1_strict", interval_of_score({lang: [one]}, "f1_strict", ids, seed=seed)
            ),
            **{name: one.ratio(name).value for name in ("f1_conll", "precision", "recall")},
        }
        for lang, one in counts.items()
    ]
    labels = [
        {
            "lang": lang,
            "type": kind,
            **_of_label(one.by_label.get(kind, Outcome(0, 0, 0))),
            "f1_strict": one.by_label.get(kind, Outcome(0, 0, 0)).f1,
            "f1_conll": as_conll.f1,
        }
        for lang, one in counts.items()
        for kind, as_conll in one.by_label_conll.items()
    ]
    _count(rows, counts, known, further or {})
    mean = _mean(rows, counts, "f1_strict", ids, training_langs, seed)
    if versus is not None:
        _add_differences(rows, mean, (counts, versus), "f1_strict", ids, seed)
    return Scored(_in_order(rows), mean, Table(_in_order(labels)), _confusions(counts))


def _of_label(outcome: Outcome) -> dict[str, float]:
    return {
        "n": outcome.n_gold,
        "n_predicted": outcome.n_predicted,
        "precision": outcome.precision,
        "recall": outcome.recall,
    }


def _count(
    rows: Rows,
    counts: Mapping[str, Counts],
    known: Collection[str] | None,
    further: Mapping[str, Mapping[str, int]],
) -> None:
    """Add the counts of each language to its row, and say which tags training lacks."""
    for row in rows:
        lang = row["lang"]
        if known is not None:
            gold = counts[lang].gold_tags
            unseen = [tag for tag, _ in gold.most_common() if tag not in known]
            row["n_unseen_tag"] = sum(gold[tag] for tag in unseen)
            if unseen:
                more = f" and {len(unseen) - N_NAMED} more" if len(unseen) > N_NAMED else ""
                warn_omitted(
                    f"{lang}: {row['n_unseen_tag']:,} of {counted(row['n_words'], 'word')} have a "
                    f"tag that training lacks ({', '.join(unseen[:N_NAMED])}{more}); they count "
                    "as wrong"
                )
        row |= further.get(lang, {})


def _mean(
    rows: Rows,
    counts: Mapping[str, Counts],
    main: str,
    ids: Ids,
    training_langs: Collection[str],
    seed: int,
) -> dict[str, Any]:
    left_out = {*training_langs, UNKNOWN}  # sentences of no known language are no language
    held = [row for row in rows if row["lang"] not in left_out] or rows
    langs = in_order_of_codes(row["lang"] for row in held)
    found = interval_of_score({lang: [counts[lang]] for lang in langs}, main, ids, seed=seed)
    scores: dict[str, Any] = {}
    for name in list(held[0])[1:]:
        values = [row[name] for row in held]
        is_count = all(isinstance(value, int) for value in values)
        scores[name] = sum(values) if is_count else float(np.mean(values))
    return {"langs": langs, **scores, **columns_of(main, found)}


def _add_differences(
    rows: Rows,
    mean: dict[str, Any],
    sides: tuple[Mapping[str, Counts], Mapping[str, Counts]],
    main: str,
    ids: Ids,
    seed: int,
) -> None:
    """Add what the first side gains over the second, in the score that counts."""
    ours, theirs = ({lang: [one] for lang, one in side.items()} for side in sides)
    p_values = [
        p_of_taggers(ours[row["lang"]], theirs[row["lang"]], main, ids.get(row["lang"]), seed=seed)
        for row in rows
    ]
    for row, p_value, p_holm in zip(rows, p_values, holm(p_values), strict=True):
        lang = row["lang"]
        one, other = {lang: ours[lang]}, {lang: theirs[lang]}
        row |= columns_of("difference", difference_of_taggers(one, other, main, ids, seed=seed))
        row |= {"p_value": p_value, "p_holm": p_holm}
    kept = {lang: ours[lang] for lang in mean["langs"]}
    mean |= columns_of("difference", difference_of_taggers(kept, theirs, main, ids, seed=seed))


def _confusions(counts: Mapping[str, Counts]) -> Table:
    """Return the pairs of each language, the commonest first."""
    return Table(
        [
            {"lang": lang, "gold": gold, "predicted": predicted, "n": n}
            for lang in in_order_of_codes(counts)
            for (gold, predicted), n in sorted(
                counts[lang].confusions.items(), key=lambda pair: (-pair[1], str(pair[0]))
            )
        ],
        columns=("lang", "gold", "predicted", "n"),
    )


def _in_order(rows: Rows) -> Rows:
    order = in_order_of_codes(row["lang"] for row in rows)
    return sorted(rows, key=lambda row: order.index(row["lang"]))
