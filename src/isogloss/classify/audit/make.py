"""Make an audit: rows are drawn and answered, and the key of their sheet is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.classify.audit.answering import answer_texts, class_names
from isogloss.classify.audit.drawing import draw
from isogloss.classify.audit.key import DrawnRow, Key, OtherRows, Stratum, hash_of
from isogloss.classify.audit.sheet import shown_text
from isogloss.classify.fitted import FittedClassifier
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.statistics.assisted import Moments
from isogloss.text.languages import UNKNOWN


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """Which rows are drawn; see `drawing.draw`.

    Parameters
    ----------
    n
        Of each language.
    by_class
        Draw every answer of a language equally often; all rows are answered for it.
    assist
        Answer all rows, and keep how sure the model is of those that are not drawn.
    """

    n: int = 50
    seed: int = 0
    by_class: bool = False
    assist: bool = False


@dataclass(frozen=True, kw_only=True)
class Origin:
    """What a key says of model and file; see `key.Key`."""

    model: str
    fingerprint: str
    data: str
    is_blind: bool = True


def make_audit(
    fitted: FittedClassifier,
    texts: Sequence[str],
    langs: Sequence[str | None],
    origin: Origin,
    sampling: Sampling,
    *,
    fallback_lang: str | None = None,
) -> tuple[Key, list[str]]:
    """Return the key of a sheet, and the texts of its rows as they stand in the sheet.

    Raises
    ------
    InputError
        When no row has a text; as `draw` and `class_names`.

    Warns
    -----
    OmissionWarning
        When rows have no text: there is nothing to label.
    """
    names = class_names(fitted)
    kept = rows_with_text(texts)
    n, seed = sampling.n, sampling.seed
    drawn = None if sampling.by_class else draw(langs, n, seed=seed, kept=kept)
    rows = kept if drawn is None or sampling.assist else drawn.rows
    answers = answer_texts(
        fitted, [texts[row] for row in rows], [langs[row] for row in rows],
        fallback_lang=fallback_lang,
    )  # fmt: skip
    of_row = dict(zip(rows, answers.classes, strict=True))
    sure = dict(zip(rows, answers.probabilities, strict=True))
    if drawn is None:
        of_all = [of_row.get(row, 0) for row in range(len(texts))]
        drawn = draw(langs, n, seed=seed, answers=of_all, kept=kept)
    shown = [shown_text(texts[row]) for row in drawn.rows]
    key = Key(
        **vars(origin),
        classes=names,
        seed=seed,
        strata=[Stratum(lang, answer, size) for (lang, answer), size in drawn.sizes.items()],
        forecasts=answers.forecasts,
        rows=[
            DrawnRow(
                row + 1, langs[row] or UNKNOWN, hash_of(text), of_row[row],
                sure[row] if sampling.assist else None,
            )
            for row, text in zip(drawn.rows, shown, strict=True)
        ],
        others=_others(langs, sure, drawn.rows) if sampling.assist else {},
    )  # fmt: skip
    return key, shown


def _others(
    langs: Sequence[str | None], sure: Mapping[int, float], drawn: Sequence[int]
) -> dict[str, OtherRows]:
    """Return what is said of the rows of each language that were answered and not drawn."""
    of_lang: dict[str, list[float]] = {}
    for row in sorted(sure.keys() - set(drawn)):
        of_lang.setdefault(langs[row] or UNKNOWN, []).append(sure[row])
    moments = {lang: Moments.of(np.array(some)) for lang, some in of_lang.items()}
    return {lang: OtherRows(one.n, one.mean, one.variance) for lang, one in moments.items()}


def rows_with_text(texts: Sequence[str]) -> list[int]:
    """Return the rows that can be labelled; raises and warns as `make_audit`."""
    kept = [row for row, text in enumerate(texts) if text.strip()]
    if not kept:
        raise InputError("there is no text to draw from")
    if len(kept) < len(texts):
        n_empty = counted(len(texts) - len(kept), "row")
        warn_omitted(f"{n_empty} without a text cannot be drawn; the audit is of the others")
    return kept
