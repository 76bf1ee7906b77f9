"""``model.json`` of a saved classifier: read on its own, before any encoder is loaded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.classify.trust.reference_lack import lack_of_reference
from isogloss.errors import InputError
from isogloss.storage.files import (
    damage_in_one_sentence,
    is_there,
    read_json,
    saved_text,
    sha256_of,
)
from isogloss.storage.sealed import refuse_changed

FORMAT, VERSION = "isogloss text classifier", 4
MANIFEST = "model.json"
TRANSFORM = "transform.safetensors"  # of the encoder's vectors, where it has one
PLACES = {"full": "encoder", "lora": "adapter"}  # of what tuning made, by method
ARRAYS, VECTORS, KB = "model.safetensors", "entity-vectors.safetensors", "kb"
PARTS = {MANIFEST, ARRAYS, VECTORS, KB, TRANSFORM, *PLACES.values()}
WHAT_TO_NAME = "name a directory that `isogloss classify fit` or `TextClassifier.save` made"
REPAIR = "copy the model anew or fit it again"
LABELS = (str, int, float, bool)  # what JSON gives back as it was


@dataclass(frozen=True)
class SavedClassifier:
    """What a manifest says of a saved classifier.

    Attributes
    ----------
    classes, multilabel
        Its labels, and whether it gives sets of them.
    moved_langs
        Languages that it is adapted to.
    lack
        Why it kept nothing that forecasts and adapting compare with; "" where it did.
    has_kb
        Whether it links texts to a knowledge base.
    """

    classes: list[Any]
    multilabel: bool
    moved_langs: list[str]
    lack: str
    has_kb: bool

    @property
    def uses_language(self) -> bool:
        """Whether an answer depends on the language of the text."""
        return self.has_kb or bool(self.moved_langs)


def about_classifier(path: Path) -> SavedClassifier:
    """Read the manifest of a saved classifier, and no more: no encoder is loaded.

    It is for the command line: advice names options as they are typed.

    Raises
    ------
    InputError
        When `path` is no classifier, or its manifest is damaged.
    """
    manifest = read_manifest(path)
    with damage_in_one_sentence(path / MANIFEST, advice=REPAIR):
        settings = manifest["settings"]
        lack = lack_of_reference(
            multilabel=settings["multilabel"],
            tune=settings["tune"],
            chosen_by=saved_text(manifest["head"]["linear"], "chosen_by"),
            frozen_by="--tune head",
        )
        return SavedClassifier(
            classes_of(manifest),
            settings["multilabel"],
            moved_langs=list(manifest["moves"]),
            lack="" if manifest["trust"]["reference"] is not None else lack,
            has_kb=manifest["kb"] is not None,
        )


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of the classifier in `path`: all as written, but no value is checked.

    Raises
    ------
    InputError
        When there is none, it is of another format, or has changed since it was written.
    """
    if not is_there(path):
        raise InputError(f"no such model directory; {WHAT_TO_NAME}", path=path)
    file = path / MANIFEST
    if path.is_dir() and not file.exists():
        raise InputError(f"not a classifier: it has no {file.name}; {WHAT_TO_NAME}", path=path)
    manifest = read_json(file, what="a classifier")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(f"not a classifier of isogloss; {WHAT_TO_NAME}", path=path)
    if manifest.get("version") != VERSION:
        raise InputError(
            f"was written in version {manifest.get('version')} of the format, this isogloss reads "
            f"version {VERSION}; fit the model again with `isogloss classify fit`",
            path=path,
        )
    refuse_changed(manifest, file, advice=REPAIR)
    return manifest


def checksums_of(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file of a model that its manifest answers for."""
    patterns = ["*.safetensors", *(f"{place}/**/*" for place in PLACES.values())]
    found = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    return {
        file.relative_to(folder).as_posix(): sha256_of(file) for file in found if file.is_file()
    }


def check_files(path: Path, manifest: dict[str, Any]) -> None:
    """Compare the files of a model with the checksums in its manifest.

    Raises
    ------
    InputError
        When a file is missing or another.
    ValueError, KeyError
        When the manifest names a file outside of the model, or lacks one.
    """
    if ARRAYS not in manifest["sha256"]:
        raise KeyError(ARRAYS)
    for name, checksum in manifest["sha256"].items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"it names the file {name!r:.60}, which is not in its folder")
        file = path / name
        if not file.is_file():
            raise InputError(f"the model is incomplete, this file is missing; {REPAIR}", path=file)
        if sha256_of(file) != checksum:
            raise InputError(f"damaged: its checksum is not the one written; {REPAIR}", path=file)


def classes_of(manifest: dict[str, Any]) -> list[Any]:
    """Return the labels of a manifest; `ValueError` when they are no labels."""
    classes: list[Any] = manifest["classes"]
    least = 1 if manifest["settings"]["multilabel"] else 2
    are_labels = isinstance(classes, list) and all(isinstance(one, LABELS) for one in classes)
    if not are_labels or len(classes) < least or len(set(classes)) < len(classes):
        raise ValueError(f"classes is {classes!r:.40}")
    return classes


def refuse_other_files(path: Path) -> None:
    """Refuse to write a model anew over itself where its folder holds more than its parts.

    Raises
    ------
    InputError
        Naming the first file that would be lost.
    """
    others = sorted(file.name for file in path.iterdir() if file.name not in PARTS)
    if others:
        raise InputError(
            f"holds {others[0]}, which is no part of the model and would be lost; move it away, or "
            "give --out",
            path=path,
        )
