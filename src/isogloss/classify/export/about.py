"""What is written beside an exported classifier, and said of it."""

from typing import Any

from isogloss.classify.export.entities import ENTITY_INPUTS
from isogloss.classify.export.forms import OUTPUT
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.head import Head
from isogloss.encode import Encoder
from isogloss.learn.objective import SOFTMAX

FORMAT, VERSION = "isogloss exported classifier", 1
MANIFEST = "manifest.json"
USES = {
    "sentence-transformers": """
from sentence_transformers import SentenceTransformer

logits = SentenceTransformer("FOLDER").encode(["a text"])  # labels: manifest.json
""",
    "onnx": """
import json

import numpy as np
from onnxruntime import InferenceSession
from tokenizers import Tokenizer

about = json.load(open("FOLDER/manifest.json"))  # labels, prefix, names of all inputs
found = Tokenizer.from_file("FOLDER/tokenizer.json").encode_batch([about["prefix"] + "a text"])
inputs = {
    "input_ids": np.array([one.ids for one in found], np.int64),
    "attention_mask": np.array([one.attention_mask for one in found], np.int64),
}
(logits,) = InferenceSession("FOLDER/model.onnx").run(None, inputs)
""",
}


def manifest_of(
    fitted: FittedClassifier, encoder: Encoder, head: Head, lang: str | None, *, is_graph: bool
) -> dict[str, Any]:
    """Return what ``manifest.json`` holds: labels in the order of the logits, how to read them.

    Parameters
    ----------
    head
        As it was written, without entities where they were left out.
    lang
        Language whose adaptation was written.
    """
    is_softmax = head.linear.objective is SOFTMAX
    inputs = ["input_ids", "attention_mask", *(ENTITY_INPUTS if head.uses_entities else ())]
    return {
        "format": FORMAT,
        "version": VERSION,
        "labels": fitted.classes.tolist(),
        "answers": "softmax" if is_softmax else "sigmoid",
        "thresholds": None if is_softmax else fitted.thresholds.tolist(),
        "lang": lang,
        "prefix": encoder.settings.prefix.value,
        "max_length": encoder.settings.max_length.value,
        **({"inputs": inputs, "output": OUTPUT} if is_graph else {}),
    }


def notes_on(fitted: FittedClassifier, head: Head, lang: str | None) -> list[str]:
    """Return sentences on what the classifier does and what was written does not."""
    notes = []
    options, settings = fitted.options, fitted.preparation.encoder.settings
    if (options.long_texts or settings.long_texts.value) == "windows":
        notes.append(
            f"texts of more than {settings.max_length.value:,} tokens are cut by what was written; "
            "the classifier reads them whole, in windows"
        )
    if fitted.head.uses_entities and not head.uses_entities:
        notes.append("entities are left out: answers are those to texts that name none")
    elif fitted.kb is not None and not fitted.head.uses_entities:
        notes.append("entities have no weight in the classifier, and none in what was written")
    others = ", ".join(sorted(set(fitted.corrections) - {lang}))
    if others:
        notes.append(
            f"the classifier corrects the vectors of {others}, what was written does not; --lang "
            "names a language to write"
        )
    if lang is not None:
        notes.append(f"what was written is for texts in {lang} alone")
    if options.multilabel:
        notes.append(
            "a label is given where the sigmoid of its logit reaches its threshold, which "
            f"{MANIFEST} names"
        )
    return notes
