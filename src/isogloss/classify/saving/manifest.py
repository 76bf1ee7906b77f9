"""``model.json`` of a saved classifier: its fields, read on their own before any encoder is loaded.

Kinds and ranges of its fields are checked here, those of fields with arrays in `parts`, and what
has to fit an encoder or a knowledge base where that is opened.
"""

from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from isogloss.classify.fitted import lack_of_reference
from isogloss.classify.options import FittedOptions
from isogloss.classify.saving.card import is_as_written
from isogloss.classify.trust.trust import Trust
from isogloss.data.data_files import DataFile
from isogloss.encode.source import EncoderName
from isogloss.errors import InputError
from isogloss.learn.card import CARD
from isogloss.learn.linear_head import ChosenBy
from isogloss.learn.saved_encoder import PLACES, TRANSFORM
from isogloss.learn.saved_kb import SavedKb
from isogloss.learn.tuning_options import TuningOptions
from isogloss.limits import Count, NotNegative, Share
from isogloss.storage.files import damage_in_one_sentence, is_there, read_json
from isogloss.storage.model_files import REPAIR
from isogloss.storage.sealed import checksum_of, refuse_changed, refuse_other_version
from isogloss.storage.typed import typed

FORMAT, VERSION = "isogloss text classifier", 6
MANIFEST = "model.json"
ARRAYS, VECTORS, KB = "model.safetensors", "entity-vectors.safetensors", "kb"
PARTS = {MANIFEST, ARRAYS, VECTORS, KB, TRANSFORM, CARD, *PLACES.values()}
WHAT_TO_NAME = "name a directory that `isogloss classify fit` or `TextClassifier.save` made"
SETTINGS = [field.name for field in fields(FittedOptions) if field.name != "init"]
HeadKind = Literal["encoder-only", "mboe", "mboe-plus"]
LABELS = (str, int, float, bool)  # what JSON gives back as it was


class Manifest(Struct, frozen=True):
    """All that ``model.json`` holds behind its format, version and checksum."""

    classes: list[str | int | float | bool]
    langs: list[str]
    n_training_documents: Count
    thresholds: list[Share]
    settings: dict[str, Any]
    init: Literal["encoder", "random", "file"]
    encoder: EncoderName
    training: TuningOptions | None
    random_scale: NotNegative | None
    kb: SavedKb | None
    trust: Trust
    head_kind: HeadKind
    head: dict[str, Any]
    forecast_reference: dict[str, Any] | None
    score_reference: dict[str, Any] | None
    corrections: dict[str, dict[str, Any]]
    examples: dict[str, Any] | None
    sha256: dict[str, str]
    data: list[DataFile] = []

    @property
    def fingerprint(self) -> str:
        """Say which model it is, in 16 digits: wherever it, its encoder and its names lie.

        It is another as soon as an answer may be: a language was adapted to, a head was fitted
        again.
        """
        facts = msgspec.to_builtins(self)
        del facts["data"]  # what a file is called changes no answer
        encoder, kb = facts["encoder"], facts["kb"]
        facts["encoder"] = {"fingerprint": encoder["fingerprint"], "options": encoder["options"]}
        facts["kb"] = None if kb is None else {name: kb[name] for name in ("fingerprint", "rules")}
        return checksum_of(facts)[:16]

    @property
    def uses_language(self) -> bool:
        """Whether an answer depends on the language of the text."""
        return self.has_kb or bool(self.corrections)

    @property
    def has_kb(self) -> bool:
        """Whether texts are linked to a knowledge base."""
        return self.kb is not None

    @property
    def keeps_examples(self) -> bool:
        """Whether training texts lie in the model."""
        return self.examples is not None

    @property
    def multilabel(self) -> bool:
        """Whether the classifier gives sets of labels."""
        return bool(self.settings["multilabel"])

    @property
    def lack(self) -> str:
        """Why nothing that forecasts and adapting compare with was kept; "" where it was.

        It is for the command line: advice names options as they are typed.
        """
        if self.forecast_reference is not None:
            return ""
        return lack_of_reference(
            multilabel=self.multilabel,
            tune=self.settings["tune"],
            chosen_by=self.chosen_by,
            frozen_by="--tune head",
        )

    @property
    def chosen_by(self) -> ChosenBy:
        """How the C of the linear part of the head was chosen."""
        return ChosenBy(self.head["linear"]["chosen_by"])


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the classifier in `path`.

    Raises
    ------
    InputError
        When there is none, it is of another format, has changed since it was written, or holds
        what no classifier has.
    """
    if not is_there(path):
        raise InputError(f"no such model directory; {WHAT_TO_NAME}", path=path)
    file = path / MANIFEST
    if path.is_dir() and not file.exists():
        raise InputError(f"not a classifier: it has no {file.name}; {WHAT_TO_NAME}", path=path)
    content = read_json(file, what="a classifier")
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"not a classifier of isogloss; {WHAT_TO_NAME}", path=path)
    refuse_other_version(
        content, VERSION, path, advice="fit the model again with `isogloss classify fit`"
    )
    refuse_changed(content, file, advice=REPAIR)
    with damage_in_one_sentence(file, advice=REPAIR):
        return _checked(content)


def _checked(content: Mapping[str, Any]) -> Manifest:
    manifest = typed(content, Manifest)
    classes, settings, _ = manifest.classes, manifest.settings, manifest.chosen_by
    if not isinstance(settings["multilabel"], bool) or not isinstance(settings["tune"], str):
        raise ValueError("its settings are of other kinds")
    if len(classes) < (1 if manifest.multilabel else 2) or len(set(classes)) < len(classes):
        raise ValueError(f"classes is {classes!r:.40}")
    if len(manifest.thresholds) != len(classes):
        raise ValueError(f"it has {len(manifest.thresholds)} thresholds for {len(classes)} labels")
    if manifest.kb is None and manifest.head_kind != "encoder-only":
        raise ValueError("its head has entities, and it names no knowledge base")
    if (settings["tune"] == "head") != (manifest.training is None):
        raise ValueError(f"tune is {settings['tune']!r}, training is {manifest.training!r:.40}")
    return manifest


def refuse_other_files(path: Path) -> None:
    """Refuse to write a model anew over itself where its folder holds more than its parts.

    Raises
    ------
    InputError
        Naming the first file that would be lost.
    """
    others = sorted(file.name for file in path.iterdir() if file.name not in PARTS)
    card = path / CARD
    if card.is_file() and not is_as_written(card.read_text("utf-8", errors="replace")):
        raise InputError(
            f"its {CARD} was edited and would be written anew; move it away, or give --out",
            path=path,
        )
    if others:
        raise InputError(
            f"holds {others[0]}, which is no part of the model and would be lost; move it away, or "
            "give --out",
            path=path,
        )
