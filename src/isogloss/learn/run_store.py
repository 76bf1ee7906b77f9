"""The cells of a comparison on disk, as they are made, from which a stopped one resumes."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError
from isogloss.storage.files import (
    LOCK,
    atomic_file,
    damage_in_one_sentence,
    locked,
    read_json,
    refuse_unwritable,
    saved_number,
    write_json,
)
from isogloss.storage.sealed import CHECKSUM, refuse_changed, sealed
from isogloss.text.languages import UNKNOWN

FORMAT = "isogloss comparison 2"
MANIFEST = "manifest.json"
ADVICE = "remove it, and it is made again"
OTHER_PLACE = "name another --out"
_LABEL = str | int | float
_NOUNS = {
    "train": "training texts", "dev": "development texts", "tests": "test texts",
    "kb": "knowledge base", "fallback_lang": "fallback language",
}  # fmt: skip


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
        without. The head's hyper-parameters were chosen by these texts, and of a tuned encoder
        the epoch, C, mixture and temperature, so it is higher than new texts would give.
    seconds
        Of the fit. Tuning that was done for another cell counts as if it were done again; texts
        that another cell has met are not encoded again.
    losses
        Omissions warned of, so that a resumed comparison repeats the warnings.
    given
        Language to the label set of each document; None of one label a text.
    """

    correct: dict[str, list[bool]]
    scores: dict[str, dict[str, Any]]
    dev: float | None
    seconds: float
    losses: list[str]
    given: dict[str, list[list[Any]]] | None = None


def check_place(out: Path) -> None:
    """Refuse, before long work, a folder that cannot hold a comparison, or in which one is made.

    Raises
    ------
    InputError
        When `out` holds something else or is held by another run, or its parent folder is missing.
    """
    if str(out) == "-":
        raise InputError("standard output is no place for a folder; name one with --out")
    _made_with(out)
    if (out / LOCK).exists():
        with locked(out, option="--out"):
            pass


@contextmanager
def held_store(out: Path, made_with: Mapping[str, Any]) -> Iterator[None]:
    """Hold the folder of a comparison; one without a cell, of a fit that is refused, goes again.

    Raises
    ------
    InputError
        When another run holds it, it holds a comparison made with something else or no
        comparison, or its parent folder is missing.
    """
    _refuse_other(out, made_with)
    is_new = not out.exists()
    with locked(out, option="--out"):
        try:
            _refuse_other(out, made_with)  # what a run may have left that ended meanwhile
            yield
        finally:
            if not (out / MANIFEST).exists():
                (out / LOCK).unlink(missing_ok=True)
                if is_new:
                    with suppress(OSError):  # somebody has put something there
                        out.rmdir()


def start_store(out: Path, made_with: Mapping[str, Any]) -> None:
    """Write with what the cells are made, once, and make their folder.

    Raises
    ------
    InputError
        As `held_store`: on some network disks no lock holds.
    """
    if _refuse_other(out, made_with) is None:
        with atomic_file(out / MANIFEST, overwrite=True) as temporary:
            write_json(temporary, sealed({"format": FORMAT, "made_with": made_with}))
    (out / "cells").mkdir(exist_ok=True)


def cell_file(out: Path, row: str, seed: int) -> Path:
    """Return where the cell of a row and seed is kept."""
    return out / "cells" / f"{row.replace(' ', '')}.{seed}.json"


def write_cell(file: Path, cell: Cell, made_with: Mapping[str, Any]) -> None:
    """Write a cell and the fingerprint of the run that it belongs to."""
    with atomic_file(file, overwrite=True) as temporary:
        write_json(temporary, sealed({"made_with": _fingerprint(made_with)} | asdict(cell)))


def read_cell(
    file: Path, tests: LabelledTexts, made_with: Mapping[str, Any], *, multilabel: bool
) -> Cell:
    """Read a cell of the documents `tests`.

    Raises
    ------
    InputError
        When it is damaged, of other documents, or made with something else.
    """
    facts = read_json(file, what="a cell of a comparison", advice=ADVICE)
    n_documents = Counter(lang or UNKNOWN for lang in tests.langs)
    refuse_changed(facts, file, advice=ADVICE)
    with damage_in_one_sentence(file, advice=ADVICE):
        del facts[CHECKSUM]
        if facts.pop("made_with") != _fingerprint(made_with):
            raise InputError(f"is a cell of another comparison; {ADVICE}", path=file)
        cell = Cell(**facts)
        _check_documents(cell, n_documents, multilabel=multilabel)
        _check_scores(cell, n_documents)
        saved_number(facts, "seconds")
        if (cell.dev is None) != (made_with["dev"] is None):
            raise ValueError("its score of development data is missing, or there are none")
        if cell.dev is not None:
            _check_share(facts, "dev")
        if not isinstance(cell.losses, list) or not all(isinstance(x, str) for x in cell.losses):
            raise ValueError("its losses are no sentences")
    return cell


def _made_with(out: Path) -> dict[str, Any] | None:
    """Return with what the comparison in `out` was made, by name; None where there is none yet."""
    file = out / MANIFEST
    if out.is_dir():
        refuse_unwritable(file)
    else:
        refuse_unwritable(out)
    if not out.exists():
        return None
    if out.is_dir() and not file.exists():
        if all(other.name == LOCK or other.suffix == ".part" for other in out.iterdir()):
            return None
        raise InputError(f"holds files of something else; {OTHER_PLACE}", path=out)
    manifest = read_json(file, what="a comparison", advice=OTHER_PLACE)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(
            f"is not a comparison of this version of isogloss; {OTHER_PLACE}", path=out
        )
    refuse_changed(manifest, file, advice=OTHER_PLACE)
    with damage_in_one_sentence(file, advice=OTHER_PLACE):
        return dict(manifest["made_with"])


def _refuse_other(out: Path, made_with: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what `_made_with` does; raise `InputError` where it is something else."""
    kept = _made_with(out)
    if kept is None:
        return None
    with damage_in_one_sentence(out / MANIFEST, advice=OTHER_PLACE):
        other = [_NOUNS.get(name, name) for name in made_with if kept[name] != made_with[name]]
    if other:
        raise InputError(
            f"holds a comparison that differs in {', '.join(other)}; {OTHER_PLACE}", path=out
        )
    return kept


def _fingerprint(made_with: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(made_with, sort_keys=True).encode()).hexdigest()


def _check_documents(cell: Cell, n_documents: Mapping[str, int], *, multilabel: bool) -> None:
    """Raise `ValueError` unless all documents of `n_documents` have an answer and no other."""
    if {lang: len(right) for lang, right in cell.correct.items()} != n_documents:
        raise ValueError("its documents are not those of the tests")
    for lang, right in cell.correct.items():
        if not all(isinstance(value, bool) for value in right):
            raise ValueError(f"correct of {lang} is not true or false for each document")
    if (cell.given is not None) != multilabel:
        raise ValueError("its labels are not of the kind of the tests")
    if cell.given is None:
        return
    if {lang: len(sets) for lang, sets in cell.given.items()} != n_documents:
        raise ValueError("its label sets are not those of the tests")
    for lang, sets in cell.given.items():
        for labels in sets:
            if not isinstance(labels, list) or not all(isinstance(x, _LABEL) for x in labels):
                raise ValueError(f"given of {lang} is not a list of labels for each document")


def _check_scores(cell: Cell, n_documents: Mapping[str, int]) -> None:
    """Raise `ValueError` or `KeyError` unless every language has its scores, in their range."""
    if cell.scores.keys() != n_documents.keys():
        raise ValueError("it lacks scores")
    for lang, scores in cell.scores.items():
        _check_share(scores, "macro_f1")
        if scores["accuracy_seen"] is not None:
            _check_share(scores, "accuracy_seen")
        for name in ("n_unlinked", "n_unseen_label"):
            if saved_number(scores, name, whole=True) > n_documents[lang]:
                raise ValueError(f"{name} of {lang} is more than its documents")


def _check_share(facts: Mapping[str, Any], name: str) -> None:
    if saved_number(facts, name) > 1:
        raise ValueError(f"{name} is {facts[name]!r:.40}, not in 0 to 1")
