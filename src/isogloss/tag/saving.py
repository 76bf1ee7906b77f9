"""A tagger as a directory: ``model.json`` (tags, layers, fingerprints), its head in safetensors.

The encoder is named with its fingerprint, and another is refused; what tuning made of it lies in
``encoder`` or ``adapter``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from isogloss.cores import check_threads
from isogloss.encode import Encoder
from isogloss.encode.source import EncoderName
from isogloss.encode.words.token_pooling import WordPooling
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.learn.card import CARD
from isogloss.learn.linear_head import ChosenBy, LinearHead, Standardisation
from isogloss.learn.objective import SOFTMAX, LinearWeights
from isogloss.learn.saved_encoder import (
    PLACES,
    TRANSFORM,
    EncoderPlace,
    refuse_around_encoder,
    write_tuned,
)
from isogloss.learn.saved_kb import SavedKb
from isogloss.learn.tuned_encoder import read_adapter
from isogloss.learn.tuning_options import TuningOptions
from isogloss.limits import Count, Positive, Share
from isogloss.storage.files import (
    atomic_directory,
    damage_in_one_sentence,
    is_there,
    read_json,
    write_json,
)
from isogloss.storage.model_files import REPAIR, check_files, checksums_of
from isogloss.storage.sealed import checksum_of, refuse_changed, refuse_other_version, sealed
from isogloss.storage.typed import typed
from isogloss.tag.card import card_of
from isogloss.tag.fitted import FittedOptions, FittedTagger
from isogloss.tag.names import NameFeatures, NameVote
from isogloss.tag.options import check_options
from isogloss.tag.own_heads import ChosenHead, LanguageChoice
from isogloss.tag.schemes import Scheme, allowed_transitions
from isogloss.tag.word_features import Reading
from isogloss.text.languages import parse_language

FORMAT, VERSION = "isogloss token tagger", 2
MANIFEST, ARRAYS = "model.json", "model.safetensors"
Arrays = dict[str, np.ndarray[Any, Any]]
WHAT_TO_NAME = "name a directory that `isogloss tag fit` or `TokenTagger.save` made"


class SavedNames(Struct, frozen=True):
    """What is kept of names as evidence, beside their weights."""

    kb: SavedKb
    types: list[str]


class Manifest(Struct, frozen=True):
    """All that ``model.json`` holds behind its format, version and checksum."""

    tag_names: list[str]
    shares: list[Share]
    langs: list[str]
    n_training_words: Count
    layers: list[Count]
    pieces: WordPooling
    scheme: Scheme | None
    C: Positive
    chosen_by: ChosenBy
    detail: str
    settings: FittedOptions
    training: TuningOptions | None
    encoder: EncoderName
    names: SavedNames | None
    chosen_heads: list[LanguageChoice]
    sha256: dict[str, str]

    @property
    def fingerprint(self) -> str:
        """Say which model it is, in 16 digits: wherever it, its encoder and its names lie."""
        facts = msgspec.to_builtins(self)
        encoder, names = facts["encoder"], facts["names"]
        facts["encoder"] = {"fingerprint": encoder["fingerprint"], "options": encoder["options"]}
        if names is not None:
            del names["kb"]["path"]
        return checksum_of(facts)[:16]


@dataclass(frozen=True)
class Loaded:
    """A tagger that was read, and the parameters by which it can be fitted anew."""

    fitted: FittedTagger
    parameters: dict[str, Any]


def save_tagger(fitted: FittedTagger, path: Path, *, overwrite: bool) -> None:
    """Write a fitted tagger; the directory appears whole or not at all.

    Raises
    ------
    InputError
        When `path` exists, cannot be written, or holds the encoder that the model needs.
    """
    head, options, base = fitted.head, fitted.options, fitted.base
    if options.tune != "full":
        refuse_around_encoder(base, path)
    arrays = {
        "weight": head.weight, "bias": head.bias, "mean": head.standardisation.mean,
        "deviation": head.standardisation.deviation,
    }  # fmt: skip
    if fitted.names is not None:
        arrays["names"] = fitted.names.weight
    for lang, own in fitted.own_heads.items():
        arrays |= {f"weight.{lang}": own.weight, f"bias.{lang}": own.bias}
    with atomic_directory(path, overwrite=overwrite) as folder:
        save_file(
            {name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / ARRAYS
        )
        if fitted.training is not None:
            write_tuned(fitted.reading.encoder, folder / PLACES[options.tune])
        if base.transform is not None:
            base.transform.save(folder / TRANSFORM)
        manifest = Manifest(
            tag_names=list(fitted.tag_names),
            shares=fitted.shares.tolist(),
            langs=list(fitted.langs),
            n_training_words=fitted.n_training_words,
            layers=list(fitted.reading.layers),
            pieces=fitted.reading.pieces,
            scheme=fitted.scheme,
            C=head.C,
            chosen_by=head.chosen_by,
            detail=head.detail,
            settings=options,
            training=fitted.training,
            encoder=EncoderName(base.name, base.fingerprint, base.settings.options()).seen_from(
                path
            ),
            names=_saved_names(fitted.names, path),
            chosen_heads=[one.choice for one in fitted.chosen_heads],
            sha256=checksums_of(folder, PLACES.values()),
        )
        (folder / CARD).write_text(card_of(fitted), encoding="utf-8", newline="")
        facts = msgspec.to_builtins(manifest)
        write_json(folder / MANIFEST, sealed({"format": FORMAT, "version": VERSION} | facts))


def load_tagger(
    path: str | Path,
    *,
    encoder: str | Path | Encoder | None,
    kb: str | Path | KnowledgeBase | None,
    device: str,
    threads: int | None,
) -> Loaded:
    """Read a tagger; see `TokenTagger.load`."""
    check_threads(threads)
    path = Path(path)
    manifest = read_manifest(path)
    with damage_in_one_sentence(path / MANIFEST, advice=REPAIR):
        arrays = _arrays(path, manifest)
        head = _head(manifest, arrays)
        langs = tuple(parse_language(lang) for lang in manifest.langs)
        place = EncoderPlace(
            path, encoder, device, threads, manifest.settings.dtype, manifest.settings.tune
        )
        read_by, base = _encoders(manifest, place)
        if manifest.layers[-1] > read_by.n_layers or head.weight.shape[1] != read_by.width:
            raise ValueError("its head reads other vectors than its encoder gives")
        names = _names(manifest, arrays, place=path, kb=kb)
        chosen = tuple(_chosen(one, head, arrays) for one in manifest.chosen_heads)
    fitted = FittedTagger(
        Reading(read_by, tuple(manifest.layers), manifest.pieces), base, head,
        tuple(manifest.tag_names), np.array(manifest.shares), langs, manifest.n_training_words,
        manifest.settings, manifest.training, manifest.scheme, names, chosen,
    )  # fmt: skip
    settings = manifest.settings
    parameters = {
        "encoder": base, "kb": None if names is None else names.features.kb,
        "layer": settings.layer, "pieces": manifest.pieces, "scheme": settings.scheme,
        "tune": settings.tune, "training": manifest.training, "C": settings.C,
        "own_heads": settings.own_heads, "device": device, "dtype": settings.dtype,
        "random_state": settings.random_state,
    }  # fmt: skip
    return Loaded(fitted, parameters)


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the tagger in `path`.

    Raises
    ------
    InputError
        When there is none, it is of another format, has changed since it was written, or holds
        what no tagger has.
    """
    if not is_there(path):
        raise InputError(f"no such model directory; {WHAT_TO_NAME}", path=path)
    file = path / MANIFEST
    if path.is_dir() and not file.exists():
        raise InputError(f"not a tagger: it has no {file.name}; {WHAT_TO_NAME}", path=path)
    content = read_json(file, what="a tagger")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"not a tagger of isogloss; {WHAT_TO_NAME}", path=path)
    refuse_other_version(
        content, VERSION, path, advice="fit the model again with `isogloss tag fit`"
    )
    refuse_changed(content, file, advice=REPAIR)
    with damage_in_one_sentence(file, advice=REPAIR):
        return _checked(content)


def _checked(content: Mapping[str, Any]) -> Manifest:
    manifest = typed(content, Manifest)
    names, layers = manifest.tag_names, manifest.layers
    if len(names) < 2 or sorted(set(names)) != names or len(manifest.shares) != len(names):
        raise ValueError(f"tag_names is {names!r:.40}")
    if manifest.scheme is not None:
        allowed_transitions(names, manifest.scheme)
    if not layers or layers != list(range(layers[0], layers[-1] + 1)):
        raise ValueError(f"layers is {layers!r:.40}")
    settings = manifest.settings
    if (settings.tune == "head") != (manifest.training is None):
        raise ValueError(f"tune is {settings.tune!r}, training is {manifest.training!r:.40}")
    chosen = [one.lang for one in manifest.chosen_heads]
    if len(set(chosen)) < len(chosen) or not {*chosen} <= {*manifest.langs}:
        raise ValueError(f"languages with few words are {chosen!r:.40}")
    check_options(vars(settings) | {"pieces": manifest.pieces, "encoder": "bundled", "kb": None})
    return manifest


def _saved_names(names: NameVote | None, path: Path) -> SavedNames | None:
    if names is None:
        return None
    return SavedNames(SavedKb.of(names.features.kb, path), list(names.features.types))


def _names(
    manifest: Manifest, arrays: Arrays, *, place: Path, kb: str | Path | KnowledgeBase | None
) -> NameVote | None:
    if manifest.names is None:
        if kb is not None:
            raise InputError("the model links no names; leave --kb (kb=) out", path=place)
        return None
    opened = manifest.names.kb.open(place, kb)
    features = NameFeatures(opened, tuple(manifest.names.types))
    weight, shape = arrays["names"], (len(manifest.tag_names), len(features.names))
    if weight.shape != shape or weight.dtype != np.float64 or not np.isfinite(weight).all():
        raise ValueError(f"names holds {weight.dtype} of the shape {weight.shape}, not {shape}")
    return NameVote(features, weight)


def _arrays(path: Path, manifest: Manifest) -> Arrays:
    check_files(path, manifest.sha256, needed=ARRAYS)
    try:
        arrays: Arrays = load_file(path / ARRAYS)
    except SafetensorError as error:
        raise InputError(
            f"damaged: not a safetensors file ({error}); {REPAIR}", path=path / ARRAYS
        ) from error
    return arrays


def _head(manifest: Manifest, arrays: Arrays) -> LinearHead:
    weight, mean = arrays["weight"], arrays["mean"]
    shapes = {
        "weight": (len(manifest.tag_names), mean.size), "bias": (len(manifest.tag_names),),
        "mean": (mean.size,), "deviation": (mean.size,),
    }  # fmt: skip
    for name, shape in shapes.items():
        array = arrays[name]
        if array.shape != shape or array.dtype != np.float64:
            raise ValueError(f"{name} holds {array.dtype} of the shape {array.shape}, not {shape}")
        if not np.isfinite(array).all() or (name == "deviation" and (array <= 0).any()):
            raise ValueError(f"{name} holds numbers that no head has")
    scale = Standardisation(mean, arrays["deviation"])
    return LinearHead(
        scale, weight, arrays["bias"], manifest.C, manifest.chosen_by, SOFTMAX, manifest.detail
    )


def _chosen(choice: LanguageChoice, of_all: LinearHead, arrays: Arrays) -> ChosenHead:
    """Return a choice with the head that it is of."""
    if choice.start is None:
        return ChosenHead(choice, None)
    weight, bias = arrays[f"weight.{choice.lang}"], arrays[f"bias.{choice.lang}"]
    for array, expected in ((weight, of_all.weight), (bias, of_all.bias)):
        if array.shape != expected.shape or array.dtype != np.float64:
            raise ValueError(f"{choice.lang} has {array.dtype} of the shape {array.shape}")
    # A tag that the words of the language lack has the bias -inf, where they are alone.
    if not np.isfinite(weight).all() or not (bias < np.inf).all() or not np.isfinite(bias).any():
        raise ValueError(f"the head of {choice.lang} holds numbers that no head has")
    return ChosenHead(choice, choice.head(LinearWeights(weight, bias), of_all))


def _encoders(manifest: Manifest, place: EncoderPlace) -> tuple[Encoder, Encoder]:
    """Return the encoder that reads words, and the one before tuning."""
    if manifest.settings.tune == "full":
        place.refuse_useless()
        tuned = place.fully_tuned(manifest.encoder)
        return tuned, tuned
    base = place.base(manifest.encoder)
    if manifest.settings.tune == "lora":
        return read_adapter(base, place.path / PLACES["lora"]), base
    return base, base
