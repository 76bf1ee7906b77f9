"""Read a classifier that `save` wrote: checked, with its own encoder and knowledge base.

Another encoder or knowledge base than the model was trained with is refused.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.labels.columns import label_array
from isogloss.classify.options import FittedOptions, check_kind, check_options
from isogloss.classify.preparation import Preparation
from isogloss.classify.saving.manifest import (
    ARRAYS,
    MANIFEST,
    SETTINGS,
    VECTORS,
    Manifest,
    read_manifest,
)
from isogloss.classify.saving.parts import Arrays, Parts, together
from isogloss.cores import check_threads
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.learn.saved_encoder import PLACES, EncoderPlace
from isogloss.learn.tuned_encoder import read_adapter
from isogloss.storage.files import damage_in_one_sentence
from isogloss.storage.model_files import REPAIR, check_files
from isogloss.text.languages import parse_language
from isogloss.vectors import EntityVectors


@dataclass(frozen=True)
class Loaded:
    """A classifier that was read, and the parameters by which it can be fitted anew."""

    fitted: FittedClassifier
    parameters: dict[str, Any]


def load_classifier(
    path: str | Path,
    *,
    encoder: str | Path | Encoder | None,
    kb: str | Path | KnowledgeBase | None,
    device: str,
    threads: int | None,
    cache: str | Path | None,
) -> Loaded:
    """Read a classifier.

    Parameters
    ----------
    encoder, kb
        Where the encoder or the knowledge base is now, when it is not where it was.
    cache
        Folder that keeps vectors between runs, as in `Encoder.load`; None: nothing is kept.

    Raises
    ------
    InputError
        When `path` is no classifier, is damaged, or its encoder or knowledge base is another; when
        an argument is of another kind than it may be.
    """
    given = {"path": path, "kb": kb, "device": device, "cache": cache}
    for name, value in (given if encoder is None else given | {"encoder": encoder}).items():
        check_kind(name, value)
    check_threads(threads)
    path = Path(path)
    manifest = read_manifest(path)
    with damage_in_one_sentence(path / MANIFEST, advice=REPAIR):
        fitted = _classifier_of(manifest, _Where(path, encoder, kb, device, threads))
    if cache is not None:
        fitted = replace(fitted, preparation=_keeping_vectors(fitted.preparation, cache))
    preparation = fitted.preparation
    parameters = vars(fitted.options) | {
        # So that a clone is fine-tuned as the model was, and from what it was made of.
        "encoder": preparation.base_encoder
        if preparation.base_name is None
        else preparation.base_name.name,
        "training": fitted.tuning,
        "kb": preparation.kb,
        "device": device,
    }
    return Loaded(fitted, parameters)


@dataclass(frozen=True)
class _Where:
    """The model's folder, and what the caller says of the encoder and the knowledge base."""

    path: Path
    encoder: str | Path | Encoder | None
    kb: str | Path | KnowledgeBase | None
    device: str
    threads: int | None


def _classifier_of(manifest: Manifest, where: _Where) -> FittedClassifier:
    arrays = _read_arrays(where.path, manifest)
    with _refusals_are_damage():
        options = _options(manifest, where)
        langs = tuple(parse_language(lang) for lang in manifest.langs)
    facts = {field.name: getattr(manifest, field.name) for field in fields(Parts)}
    parts = together(manifest.head_kind, facts, arrays)
    parts.check_shapes(len(manifest.classes))
    kb = None if manifest.kb is None else manifest.kb.open(where.path, where.kb)
    preparation = _preparation(manifest, where, kb, langs, options)
    if parts.head.linear.weight.shape[1] != preparation.encoder.width:
        raise ValueError("its head reads vectors of another width than its encoder gives")
    return FittedClassifier(
        preparation,
        classes=label_array(manifest.classes),
        thresholds=np.array(manifest.thresholds, dtype=np.float64),
        trust=manifest.trust,
        n_training_documents=manifest.n_training_documents,
        tuning=manifest.training,
        data=tuple(manifest.data),
        **vars(parts),
    )


def _options(manifest: Manifest, where: _Where) -> FittedOptions:
    """Return the parameters of the fit; one that no fit takes is refused."""
    init: Any = manifest.init
    if init == "file":
        init = EntityVectors.load(where.path / VECTORS)
    others = {"encoder": "bundled", "kb": None, "device": where.device, "init": init}
    parameters = {name: manifest.settings[name] for name in SETTINGS} | others
    check_options(parameters | {"training": manifest.training})
    return FittedOptions.of(parameters)


@contextmanager
def _refusals_are_damage() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise ValueError(str(error)) from error


def _read_arrays(path: Path, manifest: Manifest) -> Arrays:
    check_files(path, manifest.sha256, needed=ARRAYS)
    file = path / ARRAYS
    try:
        arrays: Arrays = load_file(file)
    except SafetensorError as error:
        raise InputError(
            f"damaged: not a safetensors file ({error}); {REPAIR}", path=file
        ) from error
    return arrays


def _preparation(
    manifest: Manifest,
    where: _Where,
    kb: KnowledgeBase | None,
    langs: tuple[str, ...],
    options: FittedOptions,
) -> Preparation:
    """Load the model's encoder, and the one that encodes names of entities.

    A fully tuned encoder stands for itself; its base is read where names need it only, and is else
    known by its name, so that a clone is tuned from it and not from what tuning made.
    """
    saved, path, base_name = manifest.encoder, where.path, None
    names_are_encoded = kb is not None and options.init == "encoder"
    place = EncoderPlace(
        path, where.encoder, where.device, where.threads, options.dtype, options.tune
    )
    if options.tune == "full":
        if not names_are_encoded:
            place.refuse_useless()
        encoder = place.fully_tuned(saved)
        base = place.base(saved) if names_are_encoded else encoder
        if not names_are_encoded:
            name = os.path.normpath(path / saved.name) if saved.is_directory else saved.name
            base_name = replace(saved, name=name)
    else:
        encoder = base = place.base(saved)
        if options.tune == "lora":
            encoder = read_adapter(base, path / PLACES["lora"])
    return Preparation(encoder, base, kb, langs, options, manifest.random_scale, base_name)


def _keeping_vectors(preparation: Preparation, cache: str | Path) -> Preparation:
    """Give the encoders a cache on disk; one that is both stays one."""
    base, encoder = preparation.base_encoder, preparation.encoder
    cached = encoder.with_cache(cache)
    cached_base = cached if base is encoder else base.with_cache(cache)
    return replace(preparation, encoder=cached, base_encoder=cached_base)
