"""Taggers of a matrix, and others trained on altered text, tested on a text in several ways."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.probe.transfer.altered.alterations import AS_WRITTEN, MIXED, Alteration
from isogloss.probe.transfer.altered.result import ScriptResult
from isogloss.probe.transfer.matrix.controls import Candidate
from isogloss.probe.transfer.matrix.measure import measure_matrix
from isogloss.probe.transfer.matrix.options import TransferOptions
from isogloss.probe.transfer.matrix.runs import ALTERED
from isogloss.probe.transfer.matrix.saved import SavedMatrix
from isogloss.probe.transfer.matrix.sets import TaggedText, TrainingSet

COLON = ": "  # between a training set and how it was altered


@dataclass(frozen=True)
class ScriptOptions:
    """What was asked, beside the options of the matrix."""

    matrix: str
    lang: str
    romanise: bool
    switch: str
    dictionary: str | None
    kb: str | None
    into: str | None
    code_switched: str | None


def measure_script(
    saved: SavedMatrix,
    candidates: Iterable[Candidate],
    alterations: Sequence[Alteration],
    code_switched: dict[str, TaggedText],
    *,
    options: ScriptOptions,
    runs: Path,
) -> ScriptResult:
    """Test all training sets of a matrix on the text of one test language, as it is and altered.

    Where the matrix has a training set of that language alone, it is altered too: a tagger is
    trained on each altered form of it.

    Parameters
    ----------
    code_switched
        Name → the same text, of which words of one language are scored.
    runs
        Folder that keeps the runs, so that a stopped command resumes.

    Raises
    ------
    InputError
        When the language is not tested in the matrix, or a file is not what it was.
    """
    if options.lang not in saved.matrix.tests:
        raise InputError(
            f"--lang is '{options.lang}', which the matrix does not test; allowed: "
            f"{', '.join(saved.matrix.tests)}"
        )
    test = saved.read_tests()[options.lang]
    trains = saved.read_trains()
    own = [one for one in trains if one.name == options.lang]
    trains += [
        TrainingSet(f"{one.name}{COLON}{alteration.name}", [alteration.apply(one.parts[0])])
        for one in own
        for alteration in alterations
    ]
    texts = {AS_WRITTEN: test} | {one.name: one.apply(test) for one in alterations}
    texts |= {f"{MIXED}{name}": text for name, text in code_switched.items()}
    found = measure_matrix(
        candidates, trains, texts, options=options_of(saved), out=runs, kept_as=ALTERED
    )
    return ScriptResult(found.matrix, texts, options=options, notes=_notes(own, texts, options))


def options_of(saved: SavedMatrix) -> TransferOptions:
    """Return the options that a matrix was measured with."""
    kept: dict[str, Any] = dict(saved.options)
    return TransferOptions(
        task=saved.matrix.task, words=int(kept["words"]), seeds=int(kept["seeds"]),
        layer=str(kept["layer"]), pieces=kept["pieces"], seed=int(kept["seed"]),
    )  # fmt: skip


def _notes(
    own: Sequence[TrainingSet], texts: dict[str, TaggedText], options: ScriptOptions
) -> list[str]:
    notes = [f"the text is of '{options.lang}'"]
    if not own:
        notes.append(
            f"the matrix has no training set of '{options.lang}' alone, so no tagger is trained on "
            "altered text"
        )
    if options.romanise and options.lang.partition("-")[0] == "ja":
        notes.append("uroman reads Japanese kanji as Chinese: this is no romaji")
    notes += [
        f"{name}: {text.n_changed:,} of {text.n_words:,} words changed"
        for name, text in texts.items()
        if name != AS_WRITTEN and not name.startswith(MIXED)
    ]
    return notes
