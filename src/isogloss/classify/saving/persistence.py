"""A classifier as a directory: ``model.json`` (settings, labels, fingerprints), safetensors.

The encoder is named with its fingerprint, what tuning made of it lies in ``encoder`` or
``adapter``; the knowledge base by its path relative to the model, with its fingerprint;
``embed_kb`` puts a copy inside, and what is loaded with a copy is saved with it. Loading refuses
another encoder or knowledge base than the model was trained with.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from sklearn.utils.validation import check_is_fitted

from isogloss.arrays import Doubles1d
from isogloss.classify.adapt.shift import LanguageMove, ScoreReference
from isogloss.classify.heads.head import linear_part
from isogloss.classify.labels.columns import label_array
from isogloss.classify.options import FittedOptions, check_kind, check_options
from isogloss.classify.saving.heads import (
    Arrays,
    fitting_array,
    head_arrays,
    head_settings,
    read_head,
)
from isogloss.classify.saving.manifest import (
    ARRAYS,
    FORMAT,
    KB,
    LABELS,
    MANIFEST,
    PLACES,
    REPAIR,
    TRANSFORM,
    VECTORS,
    VERSION,
    check_files,
    checksums_of,
    classes_of,
    read_manifest,
)
from isogloss.classify.text_classifier import TextClassifier
from isogloss.classify.trust.trust import Trust
from isogloss.cores import check_threads
from isogloss.encode import Encoder
from isogloss.errors import InputError, warn_omitted
from isogloss.kb import KnowledgeBase
from isogloss.kb.matching.inflection import rules_fingerprint
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.tuned_encoder import TunedEncoder, read_adapter
from isogloss.learn.tuning_options import TuningOptions
from isogloss.storage.files import (
    atomic_directory,
    damage_in_one_sentence,
    is_there,
    resolved,
    saved_number,
    write_json,
)
from isogloss.storage.refusals import without_detours
from isogloss.storage.sealed import sealed
from isogloss.text.languages import parse_language
from isogloss.vectors import EntityVectors

SETTINGS = [field.name for field in fields(FittedOptions) if field.name != "init"]


def save_classifier(model: TextClassifier, path: Path, *, embed_kb: bool, overwrite: bool) -> None:
    """Write a fitted classifier; the directory appears whole or not at all.

    Raises
    ------
    InputError
        When `path` exists, cannot be written, or holds the encoder that the model needs; when the
        labels are no strings, numbers or booleans.
    """
    check_is_fitted(model, "head_")
    options = model.options_
    labels = model.classes_.tolist()
    for label in labels:
        if not isinstance(label, LABELS):
            raise InputError(
                f"a label is {label!r}; only strings, numbers and booleans can be saved"
            )
    _refuse_around_encoder(model, path)
    kb = model.kb_
    if kb is not None and resolved(kb.path).is_relative_to(resolved(path)):
        embed_kb = True  # replacing the model would delete its own knowledge base
    if kb is not None and (kb.path.parent / MANIFEST).is_file():
        embed_kb = True  # a model's own copy goes along with what is made of the model
    with atomic_directory(path, overwrite=overwrite) as folder:
        if kb is not None and embed_kb:
            shutil.copytree(kb.path, folder / KB)
        arrays = head_arrays(model.head_) | _move_arrays(model) | model.trust_.arrays()
        save_file(
            {name: np.ascontiguousarray(array) for name, array in arrays.items()},
            folder / ARRAYS,
        )
        if isinstance(options.init, EntityVectors):
            options.init.save(folder / VECTORS)
        if model.tuning_ is not None:
            _write_tuned(model, folder / PLACES[options.tune])
        if model.base_encoder_.transform is not None:
            model.base_encoder_.transform.save(folder / TRANSFORM)
        write_json(
            folder / MANIFEST,
            sealed({
                "format": FORMAT, "version": VERSION,
                "classes": labels, "langs": list(model.langs_),
                "n_training_documents": model.n_training_documents_,
                "thresholds": model.thresholds_.tolist(),
                "settings": {name: _plain(getattr(options, name)) for name in SETTINGS}
                | {"dtype": model.base_encoder_.dtype},
                "init": "file" if isinstance(options.init, EntityVectors) else options.init,
                "encoder": _about_base(model, path),
                "training": None if model.tuning_ is None else asdict(model.tuning_),
                "random_scale": model.random_scale_,
                "kb": None if kb is None else {
                    "path": KB if embed_kb else _way(kb.path, path),
                    "fingerprint": kb.fingerprint,
                    "rules": rules_fingerprint(),
                },
                "head": head_settings(model.head_),
                "trust": model.trust_.settings(),
                "moves": {
                    lang: {"contrast": move.contrast, "n_texts": move.n_texts}
                    for lang, move in model.moves_.items()
                },
                "sha256": checksums_of(folder),
            }),
        )  # fmt: skip


def load_classifier(
    path: str | Path,
    *,
    encoder: str | Path | Encoder | None,
    kb: str | Path | KnowledgeBase | None,
    device: str,
    threads: int | None,
    cache: str | Path | None,
) -> TextClassifier:
    """Read a classifier that `save_classifier` wrote.

    Parameters
    ----------
    encoder, kb
        Where the encoder or the knowledge base is now, when it is not where it was; another one
        than the model was trained with is refused.
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
        model = _model_of(path, manifest, encoder=encoder, kb=kb, device=device, threads=threads)
    if cache is not None:
        _keep_vectors(model, cache)
    return model


def _model_of(
    path: Path,
    manifest: dict[str, Any],
    *,
    encoder: str | Path | Encoder | None,
    kb: str | Path | KnowledgeBase | None,
    device: str,
    threads: int | None,
) -> TextClassifier:
    arrays = _read_arrays(path, manifest)
    init: Any = manifest["init"]
    if init == "file":
        init = EntityVectors.load(path / VECTORS)
    model = TextClassifier(
        init=init,
        device=device,
        **{name: manifest["settings"][name] for name in SETTINGS},
    )
    _set_options(model, manifest["training"])
    classes = classes_of(manifest)
    model.classes_ = label_array(classes)
    with _refusals_are_damage():
        model.langs_ = tuple(parse_language(lang) for lang in manifest["langs"])
    model.n_training_documents_ = saved_number(manifest, "n_training_documents", whole=True)
    model.thresholds_ = _thresholds(manifest, len(classes))
    model.head_ = read_head(manifest["head"], arrays, n_classes=len(classes))
    width = linear_part(model.head_).weight.shape[1]
    model.trust_ = Trust.of(manifest["trust"], arrays, n_classes=len(classes), width=width)
    model.reference_ = _reference(arrays, len(classes))
    model.moves_ = _moves(manifest["moves"], arrays, width)
    scale = manifest["random_scale"]
    model.random_scale_ = None if scale is None else saved_number(manifest, "random_scale")
    if manifest["kb"] is None and not isinstance(model.head_, LinearHead):
        raise ValueError("its head has entities, and it names no knowledge base")
    model.kb_ = None if manifest["kb"] is None else _kb(path, manifest["kb"], kb)
    _load_encoders(model, path, manifest["encoder"], encoder, threads)
    if width != model.encoder_.width:
        raise ValueError("its head reads vectors of another width than its encoder gives")
    model.kb = model.kb_
    return model


def _set_options(model: TextClassifier, training: dict[str, Any] | None) -> None:
    """Take the parameters as those of the fit; one that no fit takes is damage."""
    with _refusals_are_damage():
        model.tuning_ = None if training is None else TuningOptions(**training)
        model.training = model.tuning_  # so that a clone is tuned as the model was
        check_options(model.get_params(deep=False))
    if (model.tune == "head") != (training is None):
        raise ValueError(f"tune is {model.tune!r}, training is {training!r:.40}")
    model.options_ = FittedOptions.of(model.get_params(deep=False))


@contextmanager
def _refusals_are_damage() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise ValueError(str(error)) from error


def _thresholds(manifest: dict[str, Any], n_classes: int) -> Doubles1d:
    values = {f"threshold {at}": value for at, value in enumerate(manifest["thresholds"])}
    if len(values) != n_classes:
        raise ValueError(f"it has {len(values)} thresholds for {n_classes} labels")
    thresholds = [saved_number(values, name) for name in values]
    if max(thresholds) > 1:
        raise ValueError(f"a threshold is {max(thresholds)}, more than 1")
    return np.array(thresholds, dtype=np.float64)


def _moves(settings: dict[str, Any], arrays: Arrays, width: int) -> dict[str, LanguageMove]:
    moved = {name.removeprefix("move.") for name in arrays if name.startswith("move.")}
    if moved != set(settings):
        raise ValueError("its moves are not those of its arrays")
    return {
        lang: LanguageMove(
            fitting_array(arrays, f"move.{lang}", width),
            contrast=saved_number(move, "contrast", positive=True),
            n_texts=saved_number(move, "n_texts", whole=True),
        )
        for lang, move in settings.items()
    }


def _refuse_around_encoder(model: TextClassifier, path: Path) -> None:
    """Refuse to replace a folder in which the encoder lies that the model names."""
    base = model.base_encoder_
    if model.options_.tune == "full" and base is model.encoder_:
        return  # the tuned one is copied
    name = Path(base.name)
    if name.is_dir() and path.exists() and resolved(name).is_relative_to(resolved(path)):
        raise InputError(
            f"the model needs its encoder {name}, which would be replaced; choose another folder",
            path=path,
        )


def _about_base(model: TextClassifier, path: Path) -> dict[str, Any]:
    """Return how a model in `path` names its encoder, before any tuning."""
    base = model.base_encoder_
    about = {"options": base.settings.options(), "fingerprint": base.fingerprint}
    name = Path(base.name)
    if model.options_.tune == "full" and base is model.encoder_:  # loaded without its base
        about, name = model.about_base_, Path(model.about_base_["name"])
    return {
        **about,
        "name": _way(name, path) if name.is_dir() else str(name),
        "is_directory": name.is_dir(),
    }


def _way(target: Path, path: Path) -> str:
    """Return how `target` is reached from the model, whatever links lead to either."""
    return os.path.relpath(resolved(target), resolved(path))


def _write_tuned(model: TextClassifier, folder: Path) -> None:
    if isinstance(model.encoder_, TunedEncoder):
        folder.mkdir()
        model.encoder_.write(folder)
    else:  # read from a model's directory, as it was written
        shutil.copytree(model.encoder_.name, folder)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _read_arrays(path: Path, manifest: dict[str, Any]) -> Arrays:
    check_files(path, manifest)
    file = path / ARRAYS
    try:
        arrays: Arrays = load_file(file)
    except SafetensorError as error:
        raise InputError(
            f"damaged: not a safetensors file ({error}); {REPAIR}", path=file
        ) from error
    return arrays


def _load_encoders(
    model: TextClassifier,
    path: Path,
    saved: dict[str, Any],
    given: str | Path | Encoder | None,
    threads: int | None,
) -> None:
    """Set the model's encoder, and the one that encodes names of entities.

    A fully tuned encoder stands for itself; its base is read where names need it only, and is else
    the parameter by its name, so that a clone is tuned from it and not from what tuning made.
    """
    options = model.options_
    names_are_encoded = model.kb_ is not None and options.init == "encoder"
    if options.tune == "full":
        folder = path / PLACES["full"]
        if not folder.is_dir():
            raise InputError(f"the model is incomplete, this is missing; {REPAIR}", path=folder)
        if given is not None and not names_are_encoded:
            raise InputError(
                "the model has its whole encoder in it, tuned, and reads no other; leave --encoder "
                "(encoder=) out",
                path=path,
            )
        model.encoder_ = Encoder.load(
            folder, device=model.device, dtype=model.dtype, threads=threads, **saved["options"]
        )
        if not names_are_encoded:
            model.base_encoder_ = model.encoder_
            is_directory = saved["is_directory"]
            name = os.path.normpath(path / saved["name"]) if is_directory else saved["name"]
            model.encoder, model.about_base_ = name, saved | {"name": name}
            return
    model.encoder = model.base_encoder_ = _encoder(path, saved, given, model, threads)
    if options.tune == "lora":
        model.encoder_ = read_adapter(model.base_encoder_, path / PLACES["lora"])
    elif options.tune == "head":
        model.encoder_ = model.base_encoder_


def _keep_vectors(model: TextClassifier, cache: str | Path) -> None:
    """Give the model's encoders a cache on disk; one that is both stays one."""
    base, encoder = model.base_encoder_, model.encoder_
    model.encoder_ = encoder.with_cache(cache)
    model.base_encoder_ = model.encoder_ if base is encoder else base.with_cache(cache)
    if model.encoder is base:
        model.encoder = model.base_encoder_


def _encoder(
    path: Path,
    saved: dict[str, Any],
    given: str | Path | Encoder | None,
    model: TextClassifier,
    threads: int | None,
) -> Encoder:
    if isinstance(given, Encoder):
        found = given
    else:
        own = without_detours(path / saved["name"]) if saved["is_directory"] else saved["name"]
        name = given or own
        if given is None and saved["is_directory"] and not Path(name).is_dir():
            raise InputError(
                f"the model's encoder is not at {name} any more; name it with --encoder",
                path=path,
            )
        transform = path / TRANSFORM if (path / TRANSFORM).is_file() else None
        options = {"device": model.device, "dtype": model.dtype, **saved["options"]}
        found = Encoder.load(
            name, threads=threads, transform=transform, fetch=given is not None, **options
        )
    if found.fingerprint != saved["fingerprint"]:
        raise InputError(
            f"the model was trained with another encoder ({saved['name']}, fingerprint "
            f"{saved['fingerprint'][:12]}) than {found.name} ({found.fingerprint[:12]}); "
            "name the right one with --encoder or fit the model again",
            path=path,
        )
    return found


def _kb(
    path: Path, saved: dict[str, Any], given: str | Path | KnowledgeBase | None
) -> KnowledgeBase:
    place = without_detours(path / saved["path"])
    if given is None and not is_there(place):
        raise InputError(
            f"the model's knowledge base is not at {place} any more; name it with --kb", path=path
        )
    found = given if isinstance(given, KnowledgeBase) else KnowledgeBase.open(given or place)
    if found.fingerprint != saved["fingerprint"]:
        raise InputError(
            f"the model was trained with another knowledge base (fingerprint "
            f"{saved['fingerprint'][:12]}) than {found.path} ({found.fingerprint[:12]}); "
            "name the right one with --kb or fit the model again",
            path=path,
        )
    if saved["rules"] != rules_fingerprint():
        warn_omitted(
            f"{path} was fitted with other rules for finding names than this isogloss has: texts "
            "may name other entities than they did; fit the model again"
        )
    return found


def _move_arrays(model: TextClassifier) -> Arrays:
    arrays: Arrays = {f"move.{lang}": move.offset for lang, move in model.moves_.items()}
    if model.reference_ is not None:
        arrays |= {f"reference.{name}": array for name, array in vars(model.reference_).items()}
    return arrays


def _reference(arrays: Arrays, n_classes: int) -> ScoreReference | None:
    if "reference.centres" not in arrays:
        return None
    return ScoreReference(
        centres=fitting_array(arrays, "reference.centres", n_classes, n_classes),
        spread=fitting_array(arrays, "reference.spread", n_classes, n_classes),
        shares=fitting_array(arrays, "reference.shares", n_classes),
    )
