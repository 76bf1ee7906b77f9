"""A tagger as a directory that transformers reads, for its ``token-classification`` pipeline.

That gives each token a tag, and a word the tag of its first token; so only a tagger of first pieces
in one layer can be exported. The model has as many layers as the tagger reads, its classifier is
the head with the standardisation folded in, and the encoder's prefix stands among the tokens that
the tokenizer adds. What was written is run beside the tagger before it is kept.

Schemes and names are not in it: of entities, each word has its likeliest tag by itself. Of several
heads it has one.
"""

import copy
from pathlib import Path
from typing import Any

import numpy as np
import torch

from isogloss.encode import Encoder
from isogloss.encode.foreign import library_faults
from isogloss.encode.model import quiet_transformers
from isogloss.encode.words.word_vectors import network_of
from isogloss.errors import InputError, warn_omitted
from isogloss.learn.card import CARD
from isogloss.learn.linear_head import LinearHead
from isogloss.storage.files import atomic_directory, write_json
from isogloss.storage.sealed import sealed
from isogloss.tag.card import card_of_export
from isogloss.tag.fitted import FittedTagger

PROBES = (
    ["The", "quick", "brown", "fox", "jumps", "over", "2", "dogs", "."],
    ["Die", "Katze", "schläft", "in", "Berlin", "!"],
    ["हिन्दी", "एक", "भाषा", "है", "।"],
    ["東京", "は", "日本", "の", "首都", "です", "。"],
)
TOLERANCE = 1e-3  # of log-probabilities
UNKNOWN = "und"  # a language without a head of its own
REFUSED = "cannot be exported:"


def export_tagger(
    fitted: FittedTagger, out: Path, *, lang: str | None = None, overwrite: bool
) -> None:
    """Write a directory for transformers; it appears whole or not at all.

    Parameters
    ----------
    lang
        Language whose own head is written; None: that of all languages.

    Raises
    ------
    InputError
        When the language has no head of its own; when the tagger takes another piece than the
        first, a mean of layers, or names; when transformers has no such model for words, or it
        answers otherwise.
    """
    layer = _exportable(fitted)
    head = _head(fitted, lang)
    encoder = fitted.reading.encoder
    with atomic_directory(out, overwrite=overwrite) as folder, quiet_transformers():
        with library_faults(None, "transformers has no such model for tags of words"):
            model = _model(encoder, layer, head, fitted.tag_names)
        tokenizer = _tokenizer(encoder)
        _compare(fitted, model, tokenizer, lang or UNKNOWN)
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        card = card_of_export(fitted, lang)
        (folder / CARD).write_text(card, encoding="utf-8", newline="")
        write_json(folder / "manifest.json", sealed({"format": "isogloss exported tagger"}))


def _exportable(fitted: FittedTagger) -> int:
    reading = fitted.reading
    if reading.pieces != "first":
        raise InputError(
            f"{REFUSED} it takes the {reading.pieces} of a word's pieces, and no pipeline of "
            "transformers does; fit with --pieces first"
        )
    if len(reading.layers) > 1 or not reading.layers[0]:
        shown = f"{reading.layers[0]}-{reading.layers[-1]}" if len(reading.layers) > 1 else "0"
        raise InputError(
            f"{REFUSED} it reads layers {shown}, and a model of transformers ends in one above "
            "the embeddings; fit with --layer 8, say"
        )
    if fitted.names is not None:
        raise InputError(f"{REFUSED} it has names of a knowledge base; fit without --kb")
    return reading.layers[0]


def _head(fitted: FittedTagger, lang: str | None) -> LinearHead:
    own = fitted.own_heads
    if lang is None:
        if own:
            warn_omitted(
                f"the head of all languages is written, not that of {', '.join(own)} alone; --lang "
                "names one"
            )
        return fitted.head
    if lang not in own:
        raise InputError(
            f"{REFUSED} {lang} has no head of its own; leave --lang out for that of all languages"
        )
    return own[lang]


def _model(encoder: Encoder, layer: int, head: LinearHead, tag_names: tuple[str, ...]) -> Any:
    """Return a model of transformers with the encoder's lower layers and the head."""
    from transformers import AutoModelForTokenClassification

    network = network_of(encoder)
    config = copy.deepcopy(network.model.config)
    vars(config).pop("auto_map", None)  # names code that is not written
    config.num_hidden_layers = layer
    config.id2label = dict(enumerate(tag_names))
    config.label2id = {name: number for number, name in enumerate(tag_names)}
    with torch.random.fork_rng(devices=[]):
        model: Any = AutoModelForTokenClassification.from_config(config, trust_remote_code=False)
    weights = {
        name: (value.to_dense() if value.is_mkldnn else value).float().cpu()
        for name, value in network.model.state_dict().items()
    }
    base = getattr(model, model.base_model_prefix)
    base.load_state_dict({name: weights[name] for name in base.state_dict()})
    if not isinstance(getattr(model, "classifier", None), torch.nn.Linear):
        raise ValueError("its classifier is more than a linear map")
    weight = head.weight / head.standardisation.deviation
    with torch.no_grad():
        model.classifier.weight.copy_(torch.from_numpy(weight))
        model.classifier.bias.copy_(
            torch.from_numpy(head.bias - weight @ head.standardisation.mean)
        )
    return model.float().eval()


def _tokenizer(encoder: Encoder) -> Any:
    """Return the encoder's tokenizer with its prefix among the tokens that are added."""
    from tokenizers import processors
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(
        str(encoder._chain.transformer), local_files_only=True, trust_remote_code=False
    )
    own = encoder.tokenizer
    backend = loaded.backend_tokenizer
    # Without the blank at its end, which stands before the first word.
    prefix = backend.encode(own.prefix.rstrip(" "), add_special_tokens=False).ids
    # Under names of their own: a template could not name a token such as ":".
    added = {"before": [*own.head, *prefix], "after": [*own.tail]}
    special = [
        {"id": name, "ids": ids, "tokens": [backend.id_to_token(one) for one in ids]}
        for name, ids in added.items()
        if ids
    ]
    single = [name for name in ("before", "$A", "after") if added.get(name, True)]
    backend.post_processor = processors.TemplateProcessing(single=single, special_tokens=special)
    loaded.model_max_length = own.max_length
    return loaded


def _compare(fitted: FittedTagger, model: Any, tokenizer: Any, lang: str) -> None:
    """Refuse a model whose log-probabilities are not the tagger's."""
    encoder = fitted.reading.encoder
    ours = fitted.answers(PROBES, [lang] * len(PROBES))
    starts = ours.starts.tolist()
    for at, words in enumerate(PROBES):
        given = tokenizer(words, is_split_into_words=True, truncation=True, return_tensors="pt")
        if given["input_ids"].shape[1] >= tokenizer.model_max_length:
            continue  # cut, where the tagger reads windows
        with torch.inference_mode():
            found = model(**given).logits[0].log_softmax(dim=1).double().numpy()
        first: dict[int, int] = {}
        for place, word in enumerate(given.word_ids()):
            if word is not None:
                first.setdefault(word, place)
        for word, place in first.items():
            token = encoder.tokenizer.backend.id_to_token(int(given["input_ids"][0, place]))
            row = ours.log_probabilities[starts[at] + word]
            if token.strip("▁Ġ") and not np.allclose(found[place], row, atol=TOLERANCE):
                raise InputError(
                    f"{REFUSED} its model in transformers gives '{words[word]}' other "
                    "probabilities than the tagger does"
                )
