"""More rows for an audit that was too small: what is labelled comes along, with its labels.

With the same file and seed the rows drawn are the first of one random order, so more of them hold
the fewer that were drawn before (`drawing.draw`): together they are a random sample again.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.classify.audit.key import Key, hash_of, read_key
from isogloss.classify.audit.reading import LEFT_UNSURE, labels_of, unsure_word
from isogloss.classify.audit.sheet import shown_text
from isogloss.errors import InputError
from isogloss.text.languages import UNKNOWN


@dataclass(frozen=True)
class SheetBefore:
    """The sheet that is extended: its key, its labels as `labels_of` has them, and its place."""

    key: Key
    labels: list[int]
    path: Path


def read_sheet_before(
    path: Path, key_file: Path, fingerprint: str, *, encoding: str | None = None
) -> SheetBefore:
    """Read a sheet to extend.

    Parameters
    ----------
    fingerprint
        Of the model that the new sheet is drawn for.

    Raises
    ------
    InputError
        When the sheet was drawn for another model; as `read_key` and `labels_of`.
    """
    key, _ = read_key(key_file)
    if key.fingerprint != fingerprint:
        raise InputError("the sheet to extend was drawn for another model; leave out --extend",
                         path=key_file)  # fmt: skip
    return SheetBefore(key, labels_of(path, key, encoding=encoding), path)


def refuse_other_drawing(
    before: SheetBefore,
    texts: Sequence[str],
    langs: Sequence[str | None],
    *,
    n: int,
    by_class: bool,
) -> None:
    """Raise `InputError` where the rows of a sheet cannot be among those to be drawn.

    Parameters
    ----------
    texts, langs
        Of the file that is drawn from.
    n, by_class
        As `make.Sampling` has them.
    """
    key, path = before.key, before.path
    if key.by_class != by_class:
        advice = "give" if key.by_class else "leave out"
        raise InputError(f"was drawn otherwise; {advice} --by-class", path=path)
    most = max(Counter(row.lang for row in key.rows).values())
    if n < most:
        raise InputError(f"has {most} rows of a language, and --n counts these too; give more",
                         path=path)  # fmt: skip
    for row in key.rows:
        at = row.row - 1
        if (
            at >= len(texts)
            or hash_of(shown_text(texts[at])) != row.sha256
            or (langs[at] or UNKNOWN) != row.lang
        ):
            raise _not_this_file(before, row.row)


def labels_that_come_along(key: Key, before: SheetBefore) -> dict[int, str]:
    """Return number of a row → its label as a sheet has it, of the rows that have one.

    Parameters
    ----------
    key
        Of the sheet that is made.

    Raises
    ------
    InputError
        When a row of the sheet before was not drawn again: the file has other rows beside it.
    """
    drawn = {row.row for row in key.rows}
    words = {LEFT_UNSURE: unsure_word(key.classes)} | dict(enumerate(key.classes))
    for row in before.key.rows:
        if row.row not in drawn:
            raise _not_this_file(before, row.row)
    pairs = zip(before.key.rows, before.labels, strict=True)
    return {row.row: words[label] for row, label in pairs if label in words}


def _not_this_file(before: SheetBefore, row: int) -> InputError:
    return InputError(
        f"was drawn from another file than this, as row {row} tells; give {before.key.data} as it "
        "was, or draw without --extend",
        path=before.path,
    )
