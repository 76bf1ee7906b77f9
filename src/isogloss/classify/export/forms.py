"""The two forms that a classifier is written in; each gives back what runs its files.

A sentence-transformers directory is the encoder's own, with the head as a Dense module after it. An
ONNX graph is all of it, with entities as inputs.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isogloss.arrays import Floats2d
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.export.entities import inputs_of, tried_entities
from isogloss.classify.export.network import TransformedSentences, affine, network_of
from isogloss.classify.export.parts import folded, plain_network
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.head import Head
from isogloss.encode import Encoder
from isogloss.encode.dense import load_dense
from isogloss.learn.export.directory import (
    add_settings,
    append_dense,
    append_normalize,
    transformer_folder,
    write_encoder,
)
from isogloss.learn.export.graph import (
    N_AT_ONCE,
    Sentences,
    run_graph,
    write_graph,
    write_tokenizer,
)
from isogloss.learn.tuned_encoder import finished_full
from isogloss.storage.files import read_json, write_json

OUTPUT = "logits"

Answer = Callable[[list[str], EntityBatch | None], Floats2d]  # of texts: logits


def write_directory(fitted: FittedClassifier, encoder: Encoder, head: Head, made: Path) -> Answer:
    """Write modules of sentence-transformers: the encoder's own, perhaps its transform, the head.

    Parameters
    ----------
    encoder
        As `plain_encoder` gives it.
    head
        Whose linear part is written.
    """
    written = finished_full(encoder._with(dtype="float32"), plain_network(encoder))
    write_encoder(written, made)
    _in_float32(transformer_folder(made) / "config.json")
    read = Encoder.load(made, device="cpu", threads=encoder.threads, long_texts="cut")
    transform, normalize = fitted.preparation.encoder.transform, encoder.settings.normalize.value
    dense = []
    if transform is not None:
        dense.append(append_dense(made, *affine(transform)))
        if normalize:
            append_normalize(made)
    dense.append(append_dense(made, *folded(head.linear, temperature=fitted.trust.temperature)))
    add_settings(made, {"labels": fitted.classes.tolist(), "similarity_fn_name": None})

    def answer(texts: list[str], _: EntityBatch | None) -> Floats2d:
        vectors: Any = torch.from_numpy(np.asarray(read.encode_counted(texts).vectors))
        for number, place in enumerate(dense):
            if number and normalize:
                vectors = torch.nn.functional.normalize(vectors, dim=-1)
            with torch.inference_mode():
                vectors = load_dense(place)(vectors)
        logits: Floats2d = vectors.numpy()
        return logits

    return answer


def write_onnx(fitted: FittedClassifier, encoder: Encoder, head: Head, made: Path) -> Answer:
    """Write graph and tokenizer; the parameters are those of `write_directory`."""
    network, transform = plain_network(encoder), fitted.preparation.encoder.transform
    sentences = Sentences(network, encoder)
    reader = sentences if transform is None else TransformedSentences(
        sentences, transform, normalize=encoder.settings.normalize.value
    )  # fmt: skip
    module = network_of(reader, head, temperature=fitted.trust.temperature)
    more = {}
    if head.uses_entities:
        batch = tried_entities(fitted, 2)
        for name, array in ({} if batch is None else inputs_of(head, batch)).items():
            example = np.resize(array, (2, 3, *array.shape[2:]))  # an axis of 1 would stay 1
            more[name] = (torch.from_numpy(example), {1: "n_entities"})
    write_graph(module, made, max_length=encoder.settings.max_length.value, output=OUTPUT,
                more=more)  # fmt: skip
    write_tokenizer(encoder, network, made)

    def answer(texts: list[str], batch: EntityBatch | None) -> Floats2d:
        parts = None
        if head.uses_entities and batch is not None:
            starts = range(0, len(texts), N_AT_ONCE)
            rows = [np.arange(start, min(start + N_AT_ONCE, len(texts))) for start in starts]
            parts = [inputs_of(head, batch.select(some)) for some in rows]
        return run_graph(made, texts, prefix=encoder.settings.prefix.value, more=parts)

    return answer


def _in_float32(config: Path) -> None:
    """Say in a model's configuration that it is in float32 and needs no code of its own."""
    facts = read_json(config, what="an encoder")
    facts.pop("auto_map", None)
    names = [name for name in ("dtype", "torch_dtype") if name in facts]
    write_json(config, facts | dict.fromkeys(names, "float32"))
