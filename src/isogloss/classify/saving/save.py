"""Write a classifier as a directory: ``model.json`` (settings, labels, fingerprints), safetensors.

A card (`card`) tells people of it.

The encoder is named with its fingerprint, what fine-tuning made of it lies in ``encoder`` or
``adapter``; the knowledge base by its path relative to the model, with its fingerprint;
``embed_kb`` puts a copy inside, and what is loaded with a copy is saved with it.
"""

import shutil
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.saving.card import card_of
from isogloss.classify.saving.manifest import (
    ARRAYS,
    FORMAT,
    KB,
    LABELS,
    MANIFEST,
    SETTINGS,
    VECTORS,
    VERSION,
    Manifest,
)
from isogloss.classify.saving.parts import HEADS, Arrays, Parts, apart
from isogloss.errors import InputError
from isogloss.learn.card import CARD
from isogloss.learn.saved_encoder import PLACES, TRANSFORM, refuse_around_encoder, write_tuned
from isogloss.learn.saved_kb import SavedKb
from isogloss.storage.files import atomic_directory, resolved, write_json
from isogloss.storage.model_files import checksums_of
from isogloss.storage.sealed import sealed
from isogloss.storage.typed import untyped
from isogloss.vectors import EntityVectors


def save_classifier(
    fitted: FittedClassifier, path: Path, *, embed_kb: bool, overwrite: bool
) -> None:
    """Write a fitted classifier; the directory appears whole or not at all.

    Raises
    ------
    InputError
        When `path` exists, cannot be written, or holds the encoder that the model needs; when the
        labels are no strings, numbers or booleans.
    """
    options, base, kb = fitted.options, fitted.preparation.base_encoder, fitted.kb
    for label in fitted.classes.tolist():
        if not isinstance(label, LABELS):
            raise InputError(
                f"a label is {label!r}; only strings, numbers and booleans can be saved"
            )
    if fitted.preparation.base_name is None:  # else the fine-tuned one is copied
        refuse_around_encoder(base, path)
    if kb is not None:
        # Replacing the model would delete a knowledge base inside it; and a model's own copy goes
        # along with what is made of the model.
        inside = resolved(kb.path).is_relative_to(resolved(path))
        embed_kb = embed_kb or inside or (kb.path.parent / MANIFEST).is_file()
    arrays: Arrays = {}
    parts = Parts(
        fitted.head,
        fitted.forecast_reference,
        fitted.score_reference,
        dict(fitted.corrections),
        fitted.examples,
    )
    facts = apart(parts, "", arrays)
    with atomic_directory(path, overwrite=overwrite) as folder:
        saved_kb = None
        if kb is not None:
            if embed_kb:
                shutil.copytree(kb.path, folder / KB)
            saved_kb = SavedKb.of(kb, path, place=KB if embed_kb else None)
        save_file(
            {name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / ARRAYS
        )
        if isinstance(options.init, EntityVectors):
            options.init.save(folder / VECTORS)
        if fitted.tuning is not None:
            write_tuned(fitted.preparation.encoder, folder / PLACES[options.tune])
        if base.transform is not None:
            base.transform.save(folder / TRANSFORM)
        manifest = Manifest(
            classes=fitted.classes.tolist(),
            langs=list(fitted.langs),
            n_training_documents=fitted.n_training_documents,
            thresholds=fitted.thresholds.tolist(),
            settings={name: getattr(options, name) for name in SETTINGS} | {"dtype": base.dtype},
            init="file" if isinstance(options.init, EntityVectors) else options.init,
            encoder=fitted.preparation.base.seen_from(path),
            training=fitted.tuning,
            random_scale=fitted.preparation.random_scale,
            kb=saved_kb,
            trust=fitted.trust,
            head_kind=next(kind for kind, head in HEADS.items() if isinstance(fitted.head, head)),
            **facts,
            sha256=checksums_of(folder, PLACES.values()),
            data=list(fitted.data),
        )
        (folder / CARD).write_text(card_of(fitted), encoding="utf-8", newline="")
        facts = untyped(manifest)
        write_json(folder / MANIFEST, sealed({"format": FORMAT, "version": VERSION} | facts))
