"""Do entities help *you*? The same data with and without them, over several seeds.

Every row of the comparison is one way to use entities, or none; every cell is a classifier of one
row and one seed, fitted and scored on the user's own files. Cells are kept on disk as they are
made, so a comparison that was stopped goes on where it was. What follows from the cells is in
`comparison_tables`.
"""

import hashlib
import json
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.classify.evaluation import evaluate
from isogloss.classify.options import PRESETS
from isogloss.classify.text_classifier import TextClassifier
from isogloss.classify.tuning_memo import remember_tuning
from isogloss.data.labelled import LabelledTexts
from isogloss.encode import Encoder
from isogloss.errors import InputError, LossWarning, did_you_mean, losses_are_errors, warn_loss
from isogloss.files import (
    atomic_file,
    damage_in_one_sentence,
    read_json,
    sha256_of_package,
    write_json,
)
from isogloss.kb import KnowledgeBase
from isogloss.progress import logger
from isogloss.text.languages import UNKNOWN

BASELINE = "encoder"
ABLATIONS: dict[str, dict[str, Any]] = {
    "-emb": {"init": "random"},
    "-att": {"attention": "sum"},
    "mean": {"attention": "mean"},
}
FORMAT = "isogloss comparison"


@dataclass(frozen=True)
class ComparedRow:
    """One way to use entities.

    Attributes
    ----------
    name
        ``"encoder"``, a preset, or a preset and its ablation: ``"mboe -emb"``.
    options
        Options of `TextClassifier` that make it so.
    baseline
        Name of the row that it is compared with; its own where it has no entities.
    """

    name: str
    options: Mapping[str, Any]
    baseline: str = BASELINE

    @property
    def has_entities(self) -> bool:
        """Whether it has a knowledge base."""
        return self.name != self.baseline


@dataclass(frozen=True)
class Cell:
    """What a classifier of one row and seed got right.

    Attributes
    ----------
    correct
        Language to bool (n_documents,), in the order of the test rows.
    scores
        Language to its accuracy_seen, macro_f1, n_unlinked and n_unseen_label.
    dev
        Mean accuracy over the languages of the development data; None without.
    seconds
        Of the fit, in which texts that another cell has met are not encoded again.
    losses
        What was said to be lost, so that a comparison that goes on says it again.
    """

    correct: dict[str, list[bool]]
    scores: dict[str, dict[str, Any]]
    dev: float | None
    seconds: float
    losses: list[str]


@dataclass(frozen=True)
class Comparison:
    """All cells, with what their tables need.

    Attributes
    ----------
    rows
        Names, the baselines first.
    baselines
        Name to that of the row it is compared with.
    n_seeds
        Seeds 0 to ``n_seeds - 1``.
    training_langs
        Left out of the mean over languages.
    ids
        Language to the ids of its test documents, or None.
    cells
        (row, seed) to its cell.
    """

    rows: list[str]
    baselines: dict[str, str]
    n_seeds: int
    training_langs: list[str]
    ids: dict[str, list[str] | None]
    cells: dict[tuple[str, int], Cell]


def compared_rows(names: Sequence[str], *, is_tuned: bool = False) -> list[ComparedRow]:
    """Return the rows that names ask for; the encoder alone is always the first.

    Parameters
    ----------
    names
        ``encoder``, presets (`PRESETS`), and ablations (`ABLATIONS`) of every preset named.
    is_tuned
        Presets tune the encoder in different ways (pooling, where W starts): each then has an
        encoder alone of its own to be compared with.

    Raises
    ------
    InputError
        When a name is not known, or an ablation has no preset to be one of.
    """
    allowed = (BASELINE, *PRESETS, *ABLATIONS)
    for name in names:
        if name not in allowed:
            raise InputError(f"--rows has '{name}'; {did_you_mean(name, allowed)}")
    presets = [name for name in PRESETS if name in names]
    ablations = [name for name in ABLATIONS if name in names]
    if not presets:
        raise InputError(
            f"--rows compares nothing with the encoder alone; add {' or '.join(PRESETS)}"
        )
    alone = {preset: f"{BASELINE} of {preset}" if is_tuned else BASELINE for preset in presets}
    rows = [
        ComparedRow(name, {"preset": preset} if is_tuned else {}, name)
        for name, preset in {name: preset for preset, name in alone.items()}.items()
    ]
    for preset in presets:
        for ablation in ("", *ablations):
            options = {"preset": preset} | ABLATIONS.get(ablation, {})
            rows.append(ComparedRow(f"{preset} {ablation}".rstrip(), options, alone[preset]))
    return rows


@remember_tuning()
def compare(
    train: LabelledTexts,
    tests: LabelledTexts,
    *,
    encoder: Encoder,
    kb: KnowledgeBase,
    rows: Sequence[ComparedRow],
    n_seeds: int,
    out: Path,
    dev: LabelledTexts | None = None,
    fallback_lang: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Fit and score every cell that `out` does not hold yet.

    Parameters
    ----------
    rows
        From `compared_rows`.
    out
        Directory of the cells; made when missing.
    options
        Further options of `TextClassifier`, the same for every row.

    Raises
    ------
    InputError
        When `out` holds a comparison of other data, another encoder, knowledge base or options,
        or something else.
    """
    options = dict(options or {})
    made_with = {
        "code of isogloss": sha256_of_package(".py", ".txt"),
        "train": fingerprint_of(train),
        "dev": None if dev is None else fingerprint_of(dev),
        "tests": fingerprint_of(tests),
        "encoder": encoder.fingerprint,
        "dtype": encoder.dtype,
        "kb": kb.fingerprint,
        "fallback_lang": fallback_lang,
        "options": options,
        "device": str(encoder.device) if options.get("tune", "head") != "head" else None,
    }
    _check_store(out, made_with)
    cells, said = {}, set[str]()
    for seed in range(n_seeds):
        # Rows that tune the same stand together, so that the encoder is tuned once for them.
        for row in sorted(rows, key=lambda row: row.baseline):
            file = out / "cells" / f"{row.name.replace(' ', '')}.{seed}.json"
            if not file.exists():
                cell = _run(row, seed, train, tests, dev, encoder, kb, fallback_lang, options)
                _start_store(out, made_with)  # not before: a refused fit leaves nothing behind
                # Two processes at once make the same cell: the later one replaces the earlier.
                with atomic_file(file, overwrite=True) as temporary:
                    write_json(temporary, asdict(cell))
            cells[row.name, seed] = cell = _read_cell(file, tests)
            for loss in cell.losses:
                # Said once, for a row with entities; each is an error under --strict.
                if losses_are_errors() or (row.has_entities and not seed and loss not in said):
                    said.add(loss)
                    warn_loss(loss)
    return Comparison(
        rows=[row.name for row in rows],
        baselines={row.name: row.baseline for row in rows},
        n_seeds=n_seeds,
        training_langs=sorted({lang for lang in train.langs if lang is not None}),
        ids={lang or UNKNOWN: _ids_in(tests, lang) for lang in dict.fromkeys(tests.langs)},
        cells=cells,
    )


def merged(parts: Sequence[Comparison]) -> Comparison:
    """Return the rows of several comparisons of the same texts and seeds as one."""
    first = parts[0]
    return replace(
        first,
        rows=list(dict.fromkeys(row for part in parts for row in part.rows)),
        baselines={row: base for part in parts for row, base in part.baselines.items()},
        cells={key: cell for part in parts for key, cell in part.cells.items()},
    )


def fingerprint_of(documents: LabelledTexts) -> str:
    """Return the SHA-256 of texts, labels, languages and ids in their order."""
    rows = json.dumps([list(map(str, column)) for column in documents.columns()])
    return hashlib.sha256(rows.encode()).hexdigest()


def _run(
    row: ComparedRow,
    seed: int,
    train: LabelledTexts,
    tests: LabelledTexts,
    dev: LabelledTexts | None,
    encoder: Encoder,
    kb: KnowledgeBase,
    fallback_lang: str | None,
    options: Mapping[str, Any],
) -> Cell:
    model = TextClassifier(
        encoder,
        kb if row.has_entities else None,
        random_state=seed,
        **{**options, **row.options},
    )
    held_out: dict[str, Any] = {} if dev is None else {
        "X_dev": dev.texts, "y_dev": dev.labels, "lang_dev": dev.langs,
    }  # fmt: skip
    with warnings.catch_warnings(record=True) as caught:
        if not losses_are_errors():
            warnings.simplefilter("always", LossWarning)
        start = time.perf_counter()
        model.fit(train.texts, train.labels, train.langs, **held_out)
        seconds = time.perf_counter() - start
        result = evaluate(
            model, tests.texts, tests.labels, tests.langs, ids=tests.ids,
            fallback_lang=fallback_lang,
        )  # fmt: skip
        on_dev = None
        if dev is not None:
            judged = evaluate(model, dev.texts, dev.labels, dev.langs)
            on_dev = float(np.mean([line["accuracy"] for line in judged.rows]))
    losses = []
    for warning in caught:
        if issubclass(warning.category, LossWarning):
            losses.append(str(warning.message))
        else:
            warnings.showwarning(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    logger.info("%s, seed %d: accuracy %.3f", row.name, seed, result.mean["accuracy"])
    kept = ("accuracy_seen", "macro_f1", "n_unlinked", "n_unseen_label")
    return Cell(
        correct={lang: right.tolist() for lang, right in result.correct.items()},
        scores={line["lang"]: {key: line[key] for key in kept} for line in result.rows},
        dev=on_dev,
        seconds=seconds,
        losses=list(dict.fromkeys(losses)),
    )


def _check_store(out: Path, made_with: dict[str, Any]) -> None:
    if not out.parent.is_dir():
        raise InputError(f"the folder {out.parent} does not exist; make it first", path=out)
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    file = out / "manifest.json"
    if out.is_dir() and not file.exists():
        raise InputError("holds files of something else; name another --out", path=out)
    manifest = read_json(file, what="a comparison")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError("is not a comparison of isogloss; name another --out", path=out)
    with damage_in_one_sentence(file, advice="name another --out"):
        kept = manifest["made_with"]
        other = [name for name, value in made_with.items() if kept[name] != value]
    if other:
        raise InputError(
            f"holds a comparison with another {', '.join(other)}; name another --out", path=out
        )


def _start_store(out: Path, made_with: dict[str, Any]) -> None:
    (out / "cells").mkdir(parents=True, exist_ok=True)
    with atomic_file(out / "manifest.json", overwrite=True) as temporary:
        write_json(temporary, {"format": FORMAT, "made_with": made_with})


def _read_cell(file: Path, tests: LabelledTexts) -> Cell:
    facts = read_json(file, what="a cell of a comparison")
    with damage_in_one_sentence(file, advice="remove this file and run again"):
        cell = Cell(**facts)
        expected = Counter(lang or UNKNOWN for lang in tests.langs)
        if {lang: len(right) for lang, right in cell.correct.items()} != expected:
            raise ValueError("its documents are not those of the tests")
        if not all(isinstance(loss, str) for loss in cell.losses):
            raise ValueError("its losses are no sentences")
        if set(cell.scores) != set(expected) or not isinstance(cell.seconds, float):
            raise ValueError("it lacks scores")
    return cell


def _ids_in(tests: LabelledTexts, lang: str | None) -> list[str] | None:
    ids = tests.rows_in({lang}).ids
    return None if any(entry is None for entry in ids) else [str(entry) for entry in ids]
