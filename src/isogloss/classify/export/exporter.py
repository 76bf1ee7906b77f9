"""From a classifier to a directory for others: sentence-transformers, or an ONNX graph.

What was written is run on 100 texts in ten scripts and compared with the classifier before it
appears under its name.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy

from isogloss.arrays import Doubles2d, Floats2d
from isogloss.classify.export.about import MANIFEST, USES, manifest_of, notes_on
from isogloss.classify.export.entities import tried_entities
from isogloss.classify.export.forms import Answer, write_directory, write_onnx
from isogloss.classify.export.parts import REFUSED, head_of, plain_encoder, plain_network
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.head import EncoderOnlyHead, Head
from isogloss.classify.saving.card import card_of_export
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.learn.card import CARD
from isogloss.learn.export.directory import refuse_pooler
from isogloss.learn.export.graph import refuse_without_onnx
from isogloss.learn.export.samples import texts_in_ten_scripts
from isogloss.learn.objective import SOFTMAX
from isogloss.learn.tuned_encoder import finished_full
from isogloss.statistics.calibration import tempered
from isogloss.storage.files import atomic_directory, write_json
from isogloss.storage.sealed import sealed

Form = Literal["sentence-transformers", "onnx"]
PARITY = 1e-4  # largest difference of a probability


@dataclass(frozen=True)
class Exported:
    """What came out.

    Attributes
    ----------
    difference
        Largest, of a probability, on 100 texts in ten scripts.
    notes
        Sentences on what the classifier does and the export does not.
    """

    difference: float
    notes: list[str]


def export_classifier(
    fitted: FittedClassifier,
    folder: Path,
    *,
    form: Form = "sentence-transformers",
    lang: str | None = None,
    without_entities: bool = False,
    overwrite: bool = False,
) -> Exported:
    """Write a classifier as a directory for others; it appears whole or not at all.

    Parameters
    ----------
    form
        ``"sentence-transformers"``: ``SentenceTransformer(folder).encode`` gives logits.
        ``"onnx"``: a graph and the tokenizer, see `learn.export.graph`; entities are inputs
        (`entities.entity_inputs`).
    lang
        Language whose adaptation is written; None: the model as it answers to all others.
    without_entities
        Leave entities out: the answers are those to texts in which nothing is linked.

    Raises
    ------
    InputError
        When `folder` exists and `overwrite` is false; when the classifier has what the form
        cannot hold, or the probabilities of what was written are others.
    """
    if form == "onnx":
        refuse_without_onnx()
    head = head_of(fitted, lang)
    if without_entities or not head.uses_entities:
        head = EncoderOnlyHead(head.linear)
    elif form == "sentence-transformers":
        raise InputError(
            f"{REFUSED} sentence-transformers has no place for the entities of a knowledge base; "
            "leave them out with --without-entities, or give --format onnx"
        )
    encoder = plain_encoder(fitted)
    if form == "sentence-transformers":
        refuse_pooler(encoder.settings.pooling.value)
    with atomic_directory(folder, overwrite=overwrite) as made:
        write = write_onnx if form == "onnx" else write_directory
        answer = write(fitted, encoder, head, made)
        difference = _difference(fitted, encoder, head, answer)
        if not difference <= PARITY:
            raise InputError(
                f"the probabilities of what was written differ by {difference:.1e} from the "
                "classifier's; nothing is kept"
            )
        manifest = manifest_of(fitted, encoder, head, lang, is_graph=form == "onnx")
        write_json(made / MANIFEST, sealed(manifest))
        notes = notes_on(fitted, head, lang)
        card = card_of_export(fitted, library=form, use=USES[form], notes=notes)
        (made / CARD).write_text(card, encoding="utf-8", newline="")
    return Exported(difference, notes)


def _difference(fitted: FittedClassifier, encoder: Encoder, head: Head, answer: Answer) -> float:
    """Return the largest difference of a probability on texts in ten scripts."""
    texts = texts_in_ten_scripts()
    batch = tried_entities(fitted, len(texts)) if head.uses_entities else None
    if encoder.dtype != "float32":  # what is written computes in float32
        encoder = finished_full(encoder._with(dtype="float32"), plain_network(encoder))
    encoder = encoder._with(transform=fitted.preparation.encoder.transform)
    vectors: Any = encoder.encode_counted(texts).vectors
    ours = tempered(head.log_probabilities(vectors, batch), fitted.trust.temperature)
    theirs = _log_probabilities(head, answer(texts, batch))
    return float(np.abs(np.exp(ours) - np.exp(theirs)).max())


def _log_probabilities(head: Head, logits: Floats2d) -> Doubles2d:
    doubles = logits.astype(np.float64)
    if head.linear.objective is SOFTMAX:
        found: Doubles2d = scipy.special.log_softmax(doubles, axis=1)
        return found
    return np.asarray(scipy.special.log_expit(doubles), np.float64)
