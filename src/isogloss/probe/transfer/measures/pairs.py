"""Pairs of a training and a test language, and their groups (Pires et al. 2019, Tables 4 and 5).

A pair is zero-shot where the test language is none of the training languages; only such pairs are
in means. Script and region do not make another language: ``pt-BR`` is no zero-shot test of ``pt``.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

JOINT = "+"  # between the languages of a training set of several


class Pair(NamedTuple):
    """A training set, by its languages, and a test language."""

    train: str
    test: str

    @property
    def is_zero_shot(self) -> bool:
        """Whether the test language is none of the training languages.

        Examples
        --------
        >>> Pair("hi+en", "en-GB").is_zero_shot, Pair("hi+en", "ur").is_zero_shot
        (False, True)
        """
        return _language(self.test) not in map(_language, self.train.split(JOINT))

    @property
    def is_joint(self) -> bool:
        """Whether several languages are trained on."""
        return JOINT in self.train


class Groups(NamedTuple):
    """Zero-shot pairs by the groups of their languages, and the languages that are in none."""

    pairs: dict[tuple[str, str], list[Pair]]  # groups of training and test language
    left_out: list[str]


def zero_shot_pairs(trains: Iterable[str], tests: Sequence[str]) -> list[Pair]:
    """Return the pairs in which nothing was trained in the test language."""
    pairs = [Pair(train, test) for train in trains for test in tests]
    return [pair for pair in pairs if pair.is_zero_shot]


def grouped(
    trains: Sequence[str], tests: Sequence[str], group_of: Callable[[str], str | None]
) -> Groups:
    """Return the zero-shot pairs of single training languages by group, groups as they come.

    Parameters
    ----------
    group_of
        Language → its group; None: it is in none, and its pairs are left out.
    """
    alone = [train for train in trains if JOINT not in train]
    langs = list(dict.fromkeys([*alone, *tests]))
    group = {lang: found for lang in langs if (found := group_of(lang)) is not None}
    pairs: dict[tuple[str, str], list[Pair]] = {}
    for pair in zero_shot_pairs(alone, tests):
        if pair.train in group and pair.test in group:
            pairs.setdefault((group[pair.train], group[pair.test]), []).append(pair)
    return Groups(pairs, [lang for lang in langs if lang not in group])


def _language(code: str) -> str:
    return code.partition("-")[0]
