"""Sentences of semantic textual similarity, without their scores: the text of Ethayarajh (2019)."""

from collections.abc import Collection
from pathlib import Path

from isogloss.errors import InputError
from isogloss.retrieve.benchmark_files import sts_files, sts_rows

YEARS = range(2012, 2017)  # of the paper


def sentences_of_sts(
    folder: Path, *, years: Collection[int] = YEARS, only_scored: bool = False
) -> list[str]:
    """Return the sentences of all pairs, each once, in the order in which they are met.

    Parameters
    ----------
    folder
        With ``YEAR/PART.test.tsv``.
    only_scored
        Those of pairs with a score alone, as the paper's own preparation takes them (it keeps
        repeats, too).

    Raises
    ------
    InputError
        For a folder without files of these years, or a row that is none.
    """
    files = [file for file in sts_files(folder) if file.parent.name in set(map(str, years))]
    if not files:
        wanted = ", ".join(map(str, years))
        raise InputError(f"holds no part of the years {wanted}; add one", path=folder)
    kept = [
        pair for file in files for _, (score, *pair) in sts_rows(file)
        if score.strip() or not only_scored
    ]  # fmt: skip
    return list(dict.fromkeys(sentence for pair in kept for sentence in pair))
