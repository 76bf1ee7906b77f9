"""Which rows of a file an audit shows: a random sample of each language, perhaps by answer.

A stratum is a language or, by class, the rows of a language that got the same answer. Its rows are
equally likely to be drawn. The rows of a language do not depend on those of another, and come in
random order, so that whoever labels only the first of them has labelled a random sample too.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.errors import InputError, counted
from isogloss.text.languages import UNKNOWN, in_order_of_codes

LEAST_OF_STRATUM = 2  # rows drawn, where it has as many


@dataclass(frozen=True)
class Drawn:
    """The rows that an audit shows.

    Attributes
    ----------
    rows
        Positions in the file, language by language.
    sizes
        How many rows each stratum has: (language, answer or None) → number.
    """

    rows: list[int]
    sizes: dict[tuple[str, int | None], int]


def draw(
    langs: Sequence[str | None],
    n: int,
    *,
    seed: int,
    answers: Sequence[int] | None = None,
    kept: Sequence[int] | None = None,
) -> Drawn:
    """Draw `n` rows of each language, or all of a language with fewer.

    Parameters
    ----------
    langs
        Of each row of the file; rows of no known language are one more.
    answers
        Position of the predicted class of each row: every answer of a language is drawn equally
        often, as far as it has rows. None: rows of a language are equally likely.
    kept
        Rows to draw from; None: all.

    Raises
    ------
    InputError
        When `n` is too small for two rows of every answer of a language.

    Examples
    --------
    >>> drawn = draw(["th", "th", "sw", "th"], 2, seed=0)
    >>> sorted(drawn.sizes.items()), len(drawn.rows)
    ([(('sw', None), 1), (('th', None), 3)], 3)
    """
    strata: dict[str, dict[int | None, list[int]]] = defaultdict(lambda: defaultdict(list))
    for row in range(len(langs)) if kept is None else kept:
        answer = None if answers is None else answers[row]
        strata[langs[row] or UNKNOWN][answer].append(row)
    rows: list[int] = []
    sizes: dict[tuple[str, int | None], int] = {}
    for lang in in_order_of_codes(list(strata)):
        generator = np.random.default_rng([seed, *str(lang).encode()])
        of_lang = dict(sorted(strata[lang].items(), key=lambda item: item[0] or 0))
        shares = allocation([len(some) for some in of_lang.values()], n, lang=lang)
        drawn = [
            some[at]
            for some, n_drawn in zip(of_lang.values(), shares, strict=True)
            for at in generator.permutation(len(some))[:n_drawn]
        ]
        rows += [drawn[at] for at in generator.permutation(len(drawn))]
        sizes |= {(lang, answer): len(some) for answer, some in of_lang.items()}
    return Drawn(rows, sizes)


def allocation(sizes: Sequence[int], n: int, *, lang: str = UNKNOWN) -> list[int]:
    """Return how many rows of each stratum are drawn: as equal as their sizes allow.

    Raises
    ------
    InputError
        When `n` is less than `LEAST_OF_STRATUM` of each.

    Examples
    --------
    >>> allocation([100, 3, 40], 20)
    [9, 3, 8]
    """
    least = sum(min(size, LEAST_OF_STRATUM) for size in sizes)
    if len(sizes) > 1 and n < min(least, sum(sizes)):
        raise InputError(
            f"--n {n} is too small for {counted(len(sizes), 'different answer')} in {lang}, of "
            f"which {LEAST_OF_STRATUM} rows each are needed; give {least} or more"
        )
    drawn = [0] * len(sizes)
    while sum(drawn) < min(n, sum(sizes)):
        # The stratum with the fewest drawn that has more; the first of equals.
        at = min((at for at, size in enumerate(sizes) if drawn[at] < size), key=drawn.__getitem__)
        drawn[at] += 1
    return drawn
