"""A filled sheet against its key: the label of each drawn row, or the row that is at fault."""

from collections.abc import Sequence
from pathlib import Path

from isogloss.classify.audit.key import Key, hash_of
from isogloss.classify.audit.label_studio import read_export
from isogloss.classify.audit.sheet import SheetRow, possible_texts, read_sheet
from isogloss.errors import InputError, counted, did_you_mean

UNSURE = "unsure"
UNSURE_MARK = "?"  # also where a class is named "unsure"
UNLABELLED, LEFT_UNSURE = -1, -2  # in place of a class


def unsure_word(classes: Sequence[str]) -> str:
    """Return what is written where no class can be told: "?" where a class is named "unsure"."""
    taken = any(name.casefold() == UNSURE for name in classes)
    return UNSURE_MARK if taken else UNSURE


def labels_of(path: Path, key: Key, *, encoding: str | None = None) -> list[int]:
    """Return the label of each row of the key, in its order.

    Parameters
    ----------
    path
        A table, or what Label Studio exports (.json).
    encoding
        Of a table; None: UTF-8.

    Returns
    -------
    Positions of classes, `UNLABELLED` where there is none, `LEFT_UNSURE` where it says so.

    Raises
    ------
    InputError
        For a row that was not drawn, is missing, stands twice, or has another text or language;
        for a label that is no class of the model.
    """
    is_export = path.suffix == ".json"
    rows = read_export(path) if is_export else read_sheet(path, encoding=encoding)
    drawn = {one.row: at for at, one in enumerate(key.rows)}
    classes = _Classes(key.classes)
    labels: dict[int, int] = {}
    first: dict[int, int] = {}
    for row in rows:
        if row.row not in drawn:
            raise _fault(row, path, "was not drawn for this sheet; remove it, or name its own key "
                         "with --key")  # fmt: skip
        if row.row in first:
            raise _fault(row, path, f"stands in line {first[row.row]} too; remove one")
        first[row.row] = row.line
        at = drawn[row.row]
        _refuse_changed(row, key.rows[at].sha256, key.rows[at].lang, path)
        labels[at] = classes.of(row, path)
    missing = [one.row for at, one in enumerate(key.rows) if at not in labels]
    if missing:
        raise InputError(
            f"has {len(labels):,} of the {counted(len(key.rows), 'row')} that were drawn: row "
            f"{missing[0]} is missing; put back what is, or leave a label empty instead of "
            "removing its row",
            path=path,
        )
    return [labels[at] for at in range(len(key.rows))]


def _refuse_changed(row: SheetRow, sha256: str, lang: str, path: Path) -> None:
    if all(hash_of(text) != sha256 for text in possible_texts(row.text)):
        raise _fault(
            row, path,
            "has another text than the one that was drawn; sort and move whole rows only, and put "
            "the text back",
        )  # fmt: skip
    if row.lang.strip() != lang:
        raise _fault(
            row, path,
            f"has the language {row.lang.strip()!r:.20}, and was drawn as {lang!r}; put that back, "
            "and say it in the note",
        )  # fmt: skip


class _Classes:
    """How labels may be written: as they are, or in other case where one class is meant."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._exact = {name: at for at, name in enumerate(names)}
        folded: dict[str, list[int]] = {}
        for at, name in enumerate(names):
            folded.setdefault(name.casefold(), []).append(at)
        self._folded = {name: some[0] for name, some in folded.items() if len(some) == 1}

    def of(self, row: SheetRow, path: Path) -> int:
        """Return what a row's label stands for; raises `InputError` for no class."""
        for label in (one.strip() for one in possible_texts(row.label)):
            at = self._exact.get(label, self._folded.get(label.casefold()))
            if at is not None:
                return at
            if label.casefold() in (UNSURE, UNSURE_MARK):
                return LEFT_UNSURE
        label = row.label.strip()
        if not label:
            return UNLABELLED
        hint = did_you_mean(label, [*self._names, unsure_word(self._names)])
        raise _fault(
            row, path, f"has the label {label!r:.40}, which the model does not have; {hint}"
        )


def _fault(row: SheetRow, path: Path, what: str) -> InputError:
    return InputError(f"row {row.row} {what}", path=path, line=row.line)
