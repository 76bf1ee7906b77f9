"""Data sets of the four papers in their published layouts, made by hand: no line is of the sets."""

from itertools import pairwise
from pathlib import Path

SUBJECTS = ("the fox", "a dog", "the quick fox", "a lazy dog", "the brown fox")
VERBS = ("jumps over the dog", "is in the text", "jumps", "is quick", "is lazy")


def write_sts(folder: Path, *, years: tuple[int, ...] = (2012, 2015)) -> Path:
    """Write ``sts/YEAR/made.test.tsv``: equal verbs are judged alike."""
    pairs = [
        (5.0 if verb == other else 1.0, f"{subject} {verb} .", f"{second} {other} .")
        for subject, second in pairwise(SUBJECTS)
        for verb in VERBS
        for other in (verb, VERBS[0])
    ]
    for year in years:
        place = folder / "sts" / str(year)
        place.mkdir(parents=True)
        lines = "".join(f"{score}\t{one}\t{two}\n" for score, one, two in pairs)
        (place / "made.test.tsv").write_text(lines + "\tnot judged\tat all\n", "utf-8")
    return folder
