"""Do entities help *you*? The same data with and without them, over several seeds.

Every row of the comparison is one way to use entities, or none; every cell is a classifier of one
row and one seed, fitted and scored on the user's own files, and kept on disk (`learn.run_store`).
What follows from them is in `tables`.
"""

import hashlib
import json
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from isogloss.classify.compare.cells import COMPARISON, Cell, LanguageScores
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.classify.evaluate.evaluation import evaluate
from isogloss.classify.fitting.training_data import check_training
from isogloss.classify.options import PRESETS
from isogloss.classify.text_classifier import TextClassifier
from isogloss.data.labelled import LabelledTexts
from isogloss.encode import Encoder
from isogloss.errors import (
    InputError,
    OmissionWarning,
    counted,
    did_you_mean,
    omissions_are_errors,
    warn_omitted,
)
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_memo import remember_tuning, seconds_spared
from isogloss.progress import logger
from isogloss.storage.files import sha256_of_package
from isogloss.text.languages import UNKNOWN
from isogloss.vectors import EntityVectors

BASELINE = "encoder"
ABLATIONS: dict[str, dict[str, Any]] = {
    "-emb": {"init": "random"},
    "-att": {"attention": "sum"},
    "mean": {"attention": "mean"},
}


@dataclass(frozen=True)
class ComparedRow:
    """One way to use entities."""

    name: str  # ``"encoder"``, a preset, or a preset and its ablation: ``"mboe -emb"``
    options: Mapping[str, Any]  # options of `TextClassifier` that make it so
    # name of the row that it is compared with; its own where it has no entities
    baseline: str = BASELINE

    @property
    def has_entities(self) -> bool:
        """Whether it has a knowledge base."""
        return self.name != self.baseline


@dataclass(frozen=True)
class Comparison:
    """All cells, with what their tables need."""

    rows: list[str]  # names, the baselines first
    baselines: dict[str, str]  # name to that of the row it is compared with
    n_seeds: int  # seeds 0 to ``n_seeds - 1``
    training_langs: list[str]  # left out of the mean over languages
    ids: dict[str, list[str] | None]  # language to the ids of its test documents, or None
    cells: dict[tuple[str, int], Cell]  # (row, seed) to its cell
    # language to the label sets of its test documents; None of one label a text
    gold: dict[str, list[Any]] | None = None


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
    if is_tuned:
        alone = {preset: f"{BASELINE} of {preset}" for preset in presets}
        rows = [ComparedRow(name, {"preset": preset}, name) for preset, name in alone.items()]
    else:
        alone = dict.fromkeys(presets, BASELINE)
        rows = [ComparedRow(BASELINE, {})]
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
        or something else, or another run is at work there; for an option of the wrong kind.
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
        "options": _as_json(options),
        "device": str(encoder.device) if options.get("tune", "head") != "head" else None,
    }
    task = Compared(train, tests, dev, encoder, kb, fallback_lang, options)
    cells, said = {}, set[str]()
    with COMPARISON.held(out, made_with) as runs:
        keys = {(row.name, seed): f"{row.name}.{seed}" for row in rows for seed in range(n_seeds)}
        n_kept = sum(runs.file(key).exists() for key in keys.values())
        if n_kept:
            logger.info("%d of %s kept from before", n_kept, counted(len(keys), "cell"))
        for seed in range(n_seeds):
            # Rows that tune the same stand together, so that the encoder is tuned once for them.
            for row in sorted(rows, key=lambda row: row.baseline):
                key = keys[row.name, seed]
                if not runs.file(key).exists():
                    runs.write(key, run_cell(row, seed, task))
                cell = cells[row.name, seed] = runs.read(key)
                for omission in cell.omissions:
                    # Said once, for a row with entities; each is an error under --strict.
                    if omissions_are_errors() or (
                        row.has_entities and not seed and omission not in said
                    ):
                        said.add(omission)
                        warn_omitted(omission)
    langs = dict.fromkeys(tests.langs)
    gold = {lang or UNKNOWN: tests.rows_in({lang}).labels for lang in langs}
    return Comparison(
        rows=[row.name for row in rows],
        baselines={row.name: row.baseline for row in rows},
        n_seeds=n_seeds,
        training_langs=sorted({lang for lang in train.langs if lang is not None}),
        ids={lang or UNKNOWN: _ids_in(tests, lang) for lang in langs},
        cells=cells,
        gold=gold if options.get("multilabel") else None,
    )


def check_rows(
    rows: Sequence[ComparedRow],
    train: LabelledTexts,
    dev: LabelledTexts | None,
    *,
    encoder: str,
    kb: KnowledgeBase,
    options: Mapping[str, Any],
) -> None:
    """Refuse, before an encoder is loaded, what the fit of a row would refuse.

    Parameters
    ----------
    encoder
        Its name; the others are those of `compare`.
    """
    for row in rows:
        chosen = {**options, **row.options}
        model = TextClassifier(encoder, kb if row.has_entities else None, **chosen)
        columns = train.columns()[:3]
        check_training(model.get_params(deep=False), *columns, **_held_out(dev))


def fingerprint_of(documents: LabelledTexts) -> str:
    """Return the SHA-256 of texts, labels, languages and ids in their order."""
    rows = json.dumps([list(map(str, column)) for column in documents.columns()])
    return hashlib.sha256(rows.encode()).hexdigest()


def _as_json(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a classifier as a manifest holds them, vectors by their checksum."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, EntityVectors):
            return value.fingerprint()
        raise InputError(f"an option is {value!r:.40}; options are numbers, names and vectors")

    found: dict[str, Any] = msgspec.to_builtins(options, enc_hook=plain)
    return found


@dataclass(frozen=True)
class Compared:
    """What every cell is made with; without a knowledge base a row can have no entities."""

    train: LabelledTexts
    tests: LabelledTexts
    dev: LabelledTexts | None
    encoder: Encoder
    kb: KnowledgeBase | None
    fallback_lang: str | None
    options: Mapping[str, Any]


def run_cell(row: ComparedRow, seed: int, task: Compared) -> Cell:
    """Fit a classifier of a row and seed, and score it; what `compare` keeps of it."""
    train, dev = task.train, task.dev
    model = TextClassifier(
        task.encoder,
        task.kb if row.has_entities else None,
        random_state=seed,
        **{**task.options, **row.options},
    )
    score = "micro_f1" if model.multilabel else "accuracy"
    with warnings.catch_warnings(record=True) as caught:
        if not omissions_are_errors():
            warnings.simplefilter("always", OmissionWarning)
        start, spared = time.perf_counter(), seconds_spared()
        model.fit(train.texts, train.labels, train.langs, **_held_out(dev))
        seconds = time.perf_counter() - start + seconds_spared() - spared
        result = _evaluated(model, task.tests, task)
        judged = None if dev is None else _evaluated(model, dev, task)
    omissions = []
    for warning in caught:
        if issubclass(warning.category, OmissionWarning):
            omissions.append(str(warning.message))
        else:
            warnings.showwarning(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    logger.info("%s, seed %d: %s %.3f", row.name, seed, score, result.mean[score])
    return Cell(
        correct={lang: right.tolist() for lang, right in result.correct.items()},
        scores={
            line["lang"]: LanguageScores(
                **{name: line[name] for name in LanguageScores.__struct_fields__}
            )
            for line in result.rows
        },
        dev=None if judged is None else float(np.mean([line[score] for line in judged.rows])),
        seconds=seconds,
        omissions=list(dict.fromkeys(omissions)),
        given={lang: list(map(list, sets)) for lang, sets in result.answers.items()}
        if model.multilabel
        else None,
    )


def _evaluated(model: TextClassifier, tests: LabelledTexts, task: Compared) -> Evaluation:
    return evaluate(
        model.fitted_,
        tests.texts,
        tests.labels,
        tests.langs,
        ids=tests.ids,
        fallback_lang=task.fallback_lang,
    )


def _held_out(dev: LabelledTexts | None) -> dict[str, Any]:
    if dev is None:
        return {}
    return {"X_dev": dev.texts, "y_dev": dev.labels, "lang_dev": dev.langs}


def _ids_in(tests: LabelledTexts, lang: str | None) -> list[str] | None:
    ids = tests.rows_in({lang}).ids
    return None if any(entry is None for entry in ids) else [str(entry) for entry in ids]
