"""The cells of a comparison on disk, as they are made, so that one that was stopped goes on."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError
from isogloss.files import (
    atomic_file,
    damage_in_one_sentence,
    read_json,
    refuse_unwritable,
    write_json,
)
from isogloss.text.languages import UNKNOWN

FORMAT = "isogloss comparison"


@dataclass(frozen=True)
class Cell:
    """What a classifier of one row and seed got right.

    Attributes
    ----------
    correct
        Language to bool (n_documents,), in the order of the test rows; of label sets: whole ones.
    scores
        Language to its accuracy_seen, macro_f1, n_unlinked and n_unseen_label.
    dev
        Mean accuracy (of label sets: micro F1) over the languages of the development data; None
        without.
    seconds
        Of the fit. Tuning that was done for another cell counts as if it were done again; texts
        that another cell has met are not encoded again.
    losses
        What was said to be lost, so that a comparison that goes on says it again.
    given
        Language to the label set of each document; None of one label a text.
    """

    correct: dict[str, list[bool]]
    scores: dict[str, dict[str, Any]]
    dev: float | None
    seconds: float
    losses: list[str]
    given: dict[str, list[list[Any]]] | None = None


def check_place(out: Path) -> dict[str, Any] | None:
    """Return with what the comparison in `out` was made, by name; None where there is none yet.

    Raises
    ------
    InputError
        When `out` holds something else, or its parent folder is missing.
    """
    file = out / "manifest.json"
    if out.is_dir():
        refuse_unwritable(file, makes="file")
    else:
        refuse_unwritable(out, makes="folder")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None
    if out.is_dir() and not file.exists():
        raise InputError("holds files of something else; name another --out", path=out)
    manifest = read_json(file, what="a comparison")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError("is not a comparison of isogloss; name another --out", path=out)
    with damage_in_one_sentence(file, advice="name another --out"):
        return dict(manifest["made_with"])


def check_store(out: Path, made_with: Mapping[str, Any]) -> None:
    """Raise `InputError` where `out` holds a comparison made with something else, or none."""
    kept = check_place(out)
    if kept is None:
        return
    with damage_in_one_sentence(out / "manifest.json", advice="name another --out"):
        other = [name for name, value in made_with.items() if kept[name] != value]
    if other:
        raise InputError(
            f"holds a comparison with another {', '.join(other)}; name another --out", path=out
        )


def start_store(out: Path, made_with: Mapping[str, Any]) -> None:
    """Make the folder for cells, and write with what they are made."""
    (out / "cells").mkdir(parents=True, exist_ok=True)
    with atomic_file(out / "manifest.json", overwrite=True) as temporary:
        write_json(temporary, {"format": FORMAT, "made_with": made_with})


def cell_file(out: Path, row: str, seed: int) -> Path:
    """Return where the cell of a row and seed is kept."""
    return out / "cells" / f"{row.replace(' ', '')}.{seed}.json"


def write_cell(file: Path, cell: Cell) -> None:
    """Write a cell; of two processes that make the same one the later replaces the earlier."""
    with atomic_file(file, overwrite=True) as temporary:
        write_json(temporary, asdict(cell))


def read_cell(file: Path, tests: LabelledTexts, *, multilabel: bool) -> Cell:
    """Read a cell of the documents `tests`.

    Raises
    ------
    InputError
        When it is damaged, or of other documents.
    """
    facts = read_json(file, what="a cell of a comparison")
    with damage_in_one_sentence(file, advice="remove this file and run again"):
        cell = Cell(**facts)
        expected = Counter(lang or UNKNOWN for lang in tests.langs)
        if {lang: len(right) for lang, right in cell.correct.items()} != expected:
            raise ValueError("its documents are not those of the tests")
        given = {lang: len(sets) for lang, sets in (cell.given or {}).items()}
        if given != (expected if multilabel else {}):
            raise ValueError("its label sets are not those of the tests")
        if not all(isinstance(loss, str) for loss in cell.losses):
            raise ValueError("its losses are no sentences")
        if set(cell.scores) != set(expected) or not isinstance(cell.seconds, float):
            raise ValueError("it lacks scores")
    return cell
