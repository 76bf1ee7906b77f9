"""Models, knowledge bases, indexes and encoders that are named: whole or not, steady or not."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from isogloss.classify.saving.load import load_classifier
from isogloss.classify.saving.manifest import MANIFEST
from isogloss.cli.diagnosing.findings import Finding, shown
from isogloss.encode import Encoder
from isogloss.encode.bundled.bundled import DIRECTORY, cache_directory, is_intact
from isogloss.encode.foreign import CONFIG
from isogloss.encode.settings import MODULES
from isogloss.encode.source import BUNDLED
from isogloss.errors import InputError, counted
from isogloss.kb import KnowledgeBase
from isogloss.kb.stored.manifest import FORMAT as FORMAT_OF_KBS
from isogloss.kb.stored.manifest import MANIFEST as MANIFEST_OF_KB
from isogloss.retrieve import TextIndex
from isogloss.retrieve.index_files import FORMAT as FORMAT_OF_INDEXES
from isogloss.storage.files import read_json
from isogloss.storage.model_files import REPAIR
from isogloss.tag.saving import FORMAT as FORMAT_OF_TAGGERS
from isogloss.tag.saving import load_tagger

# Of several lengths, so that a batch pads them.
TEXTS = (
    "Hello",
    "Guten Morgen, wie geht es dir heute?",
    "今日は良い天気です。",
    "مرحبا بالعالم",
    "x " * 60,
)
_NONE = "no model, knowledge base, index or encoder"
TOLERANCES = {"float32": 1e-4, "bfloat16": 5e-2, "float16": 5e-3}


def named(places: list[Path]) -> Iterator[Finding]:
    """Yield whether each place is whole, and whether its encoder is steady."""
    for place in places:
        try:
            said, encoder = _opened(place)
        except OSError as error:  # of a folder that may not be read, before Python 3.14
            said = f"{error.strerror or error}; check its permissions"
            yield Finding("named", shown(place), said, is_broken=True)
            continue
        except InputError as error:
            said = str(error).removeprefix(f"{place}: ")
            yield Finding("named", shown(place), shown(said), is_broken=True)
            continue
        yield Finding("named", shown(place), said)
        if encoder is not None:
            yield steady(shown(place), encoder)


def bundled() -> Iterator[Finding]:
    """Yield whether the bundled encoder is steady, where its copy is there."""
    if is_intact(cache_directory() / DIRECTORY, is_read=True):
        try:
            yield steady(BUNDLED, Encoder.load(BUNDLED))
        except InputError as error:
            yield Finding("vectors", BUNDLED, shown(str(error)), is_broken=True)


def steady(name: str, encoder: Encoder) -> Finding:
    """Say whether a text gets the same vector alone and in a batch, within the tolerance."""
    texts = list(TEXTS)
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    apart = float(np.abs(together - alone).max()) / max(float(np.abs(alone).max()), 1e-30)
    is_same = apart <= TOLERANCES[encoder.dtype]
    verdict = "alone and in a batch: the same" if is_same else "alone and in a batch: NOT the same"
    said = f"{verdict} (largest difference {apart:.0e})"
    return Finding("vectors", name, said, is_broken=not is_same)


def _opened(place: Path) -> tuple[str, Encoder | None]:
    """Read all of a model, knowledge base, index or encoder, and the encoder that belongs to it."""
    if (place / MANIFEST).is_file():
        content = read_json(place / MANIFEST, what="a model", advice=REPAIR)
        is_tagger = isinstance(content, dict) and content.get("format") == FORMAT_OF_TAGGERS
        return _tagger(place) if is_tagger else _classifier(place)
    if any((place / name).is_file() for name in (CONFIG, MODULES)):
        encoder = Encoder.load(place)
        return f"an encoder of {encoder.width} dimensions", encoder
    if not (place / MANIFEST_OF_KB).is_file():
        raise InputError(f"{_why_none(place)}; name another folder", path=place)
    content = read_json(place / MANIFEST_OF_KB, what="a knowledge base")
    says = content.get("format") if isinstance(content, dict) else None
    if says == FORMAT_OF_INDEXES:
        return _index(place)
    if isinstance(says, str) and says != FORMAT_OF_KBS:
        raise InputError(
            f"is {_NONE}: its {MANIFEST_OF_KB} says format '{says:.60}'; name another folder",
            path=place,
        )
    kb = KnowledgeBase.open(place)
    kb.verify()
    languages = counted(len(kb.languages), "language")
    return f"a whole knowledge base, {kb.n_entities:,} entities, {languages}", None


def _why_none(place: Path) -> str:
    if place.is_dir():
        files = f"{MANIFEST}, {MANIFEST_OF_KB} or {CONFIG}"
        return f"is {_NONE}: it has no {files}"
    return "is a file, not a folder" if place.exists() else "no such folder"


def _classifier(place: Path) -> tuple[str, Encoder]:
    model = load_classifier(
        place, encoder=None, kb=None, device="cpu", threads=None, cache=None
    ).fitted
    labels = counted(len(model.classes), "label")
    return f"a whole classifier, {labels}{_beside(model.kb)}", model.preparation.encoder


def _tagger(place: Path) -> tuple[str, Encoder]:
    tagger = load_tagger(place, encoder=None, kb=None, device="cpu", threads=None).fitted
    kb = None if tagger.names is None else tagger.names.features.kb
    tags = counted(len(tagger.tag_names), "tag")
    return f"a whole tagger, {tags}{_beside(kb)}", tagger.reading.encoder


def _index(place: Path) -> tuple[str, Encoder]:
    index = TextIndex.open(place, verified=True)
    return f"a whole index of {counted(len(index), 'text')}", index.encoder


def _beside(kb: KnowledgeBase | None) -> str:
    if kb is None:
        return ""
    kb.verify()
    return ", and its knowledge base is whole"
