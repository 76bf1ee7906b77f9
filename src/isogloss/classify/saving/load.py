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
    PLACES,
    REPAIR,
    SETTINGS,
    TRANSFORM,
    VECTORS,
    Manifest,
    SavedKb,
    check_files,
    read_manifest,
)
from isogloss.classify.saving.parts import Arrays, Parts, together
from isogloss.cores import check_threads
from isogloss.encode import Encoder
from isogloss.encode.settings import Setting
from isogloss.encode.source import EncoderName
from isogloss.errors import InputError, warn_omitted
from isogloss.kb import KnowledgeBase
from isogloss.kb.matching.inflection import rules_fingerprint
from isogloss.learn.tuned_encoder import read_adapter, with_settings
from isogloss.storage.files import damage_in_one_sentence, is_there
from isogloss.storage.refusals import without_detours
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
    kb = None if manifest.kb is None else _kb(manifest.kb, where)
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
    check_files(path, manifest)
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
    if options.tune == "full":
        folder = path / PLACES["full"]
        if not folder.is_dir():
            raise InputError(f"the model is incomplete, this is missing; {REPAIR}", path=folder)
        if where.encoder is not None and not names_are_encoded:
            raise InputError(
                "the model has its whole encoder in it, tuned, and reads no other; leave --encoder "
                "(encoder=) out",
                path=path,
            )
        encoder = Encoder.load(
            folder,
            device=where.device,
            dtype=options.dtype,
            threads=where.threads,
            **saved.options,
        )
        base = _base_encoder(saved, options, where) if names_are_encoded else encoder
        if not names_are_encoded:
            name = os.path.normpath(path / saved.name) if saved.is_directory else saved.name
            base_name = replace(saved, name=name)
    else:
        encoder = base = _base_encoder(saved, options, where)
        if options.tune == "lora":
            encoder = read_adapter(base, path / PLACES["lora"])
    return Preparation(encoder, base, kb, langs, options, manifest.random_scale, base_name)


def _base_encoder(saved: EncoderName, options: FittedOptions, where: _Where) -> Encoder:
    path, given = where.path, where.encoder
    if isinstance(given, Encoder):
        found = given
        if options.tune != "head":
            names = ("pooling", "normalize", "max_length")
            settings = {name: saved.options[name] for name in names}
            found = with_settings(_restored(given), **settings)
    else:
        own = without_detours(path / saved.name) if saved.is_directory else saved.name
        name = given or own
        if given is None and saved.is_directory and not Path(name).is_dir():
            raise InputError(
                f"the model's encoder is not at {name} any more; name it with --encoder",
                path=path,
            )
        found = Encoder.load(
            name,
            threads=where.threads,
            transform=path / TRANSFORM if (path / TRANSFORM).is_file() else None,
            fetch=given is not None,
            **{"device": where.device, "dtype": options.dtype, **saved.options},
        )
        found = _restored(found)
    if found.fingerprint != saved.fingerprint:
        raise InputError(
            f"the model was trained with another encoder ({saved.name}, fingerprint "
            f"{saved.fingerprint[:12]}) than {found.name} ({found.fingerprint[:12]}); "
            "name the right one with --encoder or fit the model again",
            path=path,
        )
    return found


def _restored(encoder: Encoder) -> Encoder:
    """Return the encoder, what it does with long texts no longer being a wish of the caller's.

    A clone of a loaded classifier may be fine-tuned, which cuts them whatever was saved.
    """
    setting = Setting(encoder.settings.long_texts.value, "saved model")
    return encoder._with(settings=replace(encoder.settings, long_texts=setting))


def _keeping_vectors(preparation: Preparation, cache: str | Path) -> Preparation:
    """Give the encoders a cache on disk; one that is both stays one."""
    base, encoder = preparation.base_encoder, preparation.encoder
    cached = encoder.with_cache(cache)
    cached_base = cached if base is encoder else base.with_cache(cache)
    return replace(preparation, encoder=cached, base_encoder=cached_base)


def _kb(saved: SavedKb, where: _Where) -> KnowledgeBase:
    path, given = where.path, where.kb
    place = without_detours(path / saved.path)
    if given is None and not is_there(place):
        raise InputError(
            f"the model's knowledge base is not at {place} any more; name it with --kb", path=path
        )
    found = given if isinstance(given, KnowledgeBase) else KnowledgeBase.open(given or place)
    if found.fingerprint != saved.fingerprint:
        raise InputError(
            f"the model was trained with another knowledge base (fingerprint "
            f"{saved.fingerprint[:12]}) than {found.path} ({found.fingerprint[:12]}); "
            "name the right one with --kb or fit the model again",
            path=path,
        )
    if saved.rules != rules_fingerprint():
        warn_omitted(
            f"{path} was fitted with other rules for finding names than this isogloss has: texts "
            "may name other entities than they did; fit the model again"
        )
    return found
