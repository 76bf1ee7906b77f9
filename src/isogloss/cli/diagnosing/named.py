"""Models and knowledge bases that the user names: whole or not; encoders: steady or not."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from isogloss.classify.saving.load import load_classifier
from isogloss.classify.saving.manifest import MANIFEST
from isogloss.cli.diagnosing.findings import Finding, shown
from isogloss.encode import Encoder
from isogloss.encode.bundled.bundled import DIRECTORY, cache_directory, is_intact
from isogloss.encode.source import BUNDLED
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.storage.files import read_json
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
TOLERANCES = {"float32": 1e-4, "bfloat16": 5e-2, "float16": 5e-3}


def named(places: list[Path]) -> Iterator[Finding]:
    """Yield whether each place is whole, and whether its encoder is steady."""
    for place in places:
        try:
            said, encoder = _opened(place)
        except InputError as error:
            yield Finding("named", shown(place), shown(str(error)), is_broken=True)
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
    """Read all of a classifier, tagger or knowledge base, and the encoder that belongs to it."""
    if not (place / MANIFEST).is_file():
        kb = KnowledgeBase.open(place)
        kb.verify()
        languages = len(kb.languages)
        return f"a whole knowledge base, {kb.n_entities:,} entities, {languages} languages", None
    content = read_json(place / MANIFEST, what="a model")
    if isinstance(content, dict) and content.get("format") == FORMAT_OF_TAGGERS:
        tagger = load_tagger(place, encoder=None, kb=None, device="cpu", threads=None).fitted
        if tagger.names is not None:
            tagger.names.features.kb.verify()
        return f"a whole tagger, {len(tagger.tag_names)} tags", tagger.reading.encoder
    model = load_classifier(
        place, encoder=None, kb=None, device="cpu", threads=None, cache=None
    ).fitted
    if model.kb is not None:
        model.kb.verify()
    beside = "" if model.kb is None else ", and its knowledge base is whole"
    return f"a whole classifier, {len(model.classes)} labels{beside}", model.preparation.encoder
