"""What pre-training starts from: an encoder with its head, or a new one of a tokenizer's ids.

A new encoder is written into a temporary folder first, like any other: what comes after need not
tell the two apart.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from isogloss.align.pretraining.masking import Vocabulary, beginnings
from isogloss.align.pretraining.options import EncoderShape
from isogloss.encode import Encoder
from isogloss.encode.foreign import TOKENIZER_CONFIG, TokenizerConfig, library_faults, read_file
from isogloss.encode.model import Network, quiet_transformers
from isogloss.encode.settings import WITHOUT_LIMIT
from isogloss.encode.tokenizer import TextTokenizer, load_tokenizer
from isogloss.encode.weights.files import INT8_FILE
from isogloss.errors import InputError
from isogloss.learn.tuned_encoder import check_untuned
from isogloss.memory import bytes_available
from isogloss.storage.files import read_json, write_json

SPECIALS = ("mask_token", "pad_token", "unk_token", "cls_token", "sep_token", "bos_token",
            "eos_token")  # fmt: skip
LONGEST_NEW = 512  # positions of a new encoder whose length nobody gave
ADVICE = "train one with align tokenizer"
# A parameter is 4 bytes: in the encoder, in the model that is trained, its gradient, two moments.
BYTES_MADE, BYTES_TRAINED = 8, 20


def new_encoder(
    tokenizer: Path,
    folder: Path,
    shape: EncoderShape,
    *,
    max_length: int | None,
    seed: int,
    device: str = "cpu",
) -> Path:
    """Write a BERT of random weights with its tokenizer into an empty folder, and return it.

    Parameters
    ----------
    device
        Where it will be trained: on the processor that takes memory too.

    Raises
    ------
    InputError
        When `tokenizer` is no folder of a tokenizer with the special tokens that BERT needs, or
        memory is too small for the shape.
    """
    from transformers import BertConfig, BertForMaskedLM

    path = tokenizer / TOKENIZER_CONFIG
    if not path.is_file():
        raise InputError(f"not a tokenizer: it has no {TOKENIZER_CONFIG}; {ADVICE}", path=tokenizer)
    stated = read_file(path, TokenizerConfig).model_max_length
    longest = int(stated) if stated is not None and stated <= WITHOUT_LIMIT else LONGEST_NEW
    length = min(max_length or longest, longest)
    backend = load_tokenizer(tokenizer)
    names = _special_names(tokenizer)
    pad_id = backend.token_to_id(names.get("pad_token", ""))
    if pad_id is None:
        raise InputError(f"the tokenizer names no padding token; {ADVICE}", path=tokenizer)
    found = TextTokenizer(backend, prefix="", max_length=length)
    _refuse_too_large(shape.n_parameters(found.highest_id + 1, length), device)
    config = BertConfig(
        vocab_size=found.highest_id + 1, hidden_size=shape.width, num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads, intermediate_size=4 * shape.width,
        max_position_embeddings=length, pad_token_id=pad_id,
    )  # fmt: skip
    with (
        quiet_transformers(),
        torch.random.fork_rng(devices=[]),
        library_faults(None, "no such encoder can be made"),
    ):
        torch.manual_seed(seed)
        BertForMaskedLM(config).save_pretrained(folder)
    backend.save(str(folder / "tokenizer.json"))
    facts: dict[str, Any] = read_json(path, what="a tokenizer", advice=ADVICE)
    write_json(folder / TOKENIZER_CONFIG, facts | {"model_max_length": length})
    modules = ("Transformer", ""), ("Pooling", "1_Pooling"), ("Normalize", "2_Normalize")
    write_json(folder / "modules.json", [
        {"idx": at, "name": str(at), "path": place, "type": f"sentence_transformers.models.{kind}"}
        for at, (kind, place) in enumerate(modules)
    ])  # fmt: skip
    for _, place in modules[1:]:
        (folder / place).mkdir()
    write_json(folder / "1_Pooling" / "config.json", {
        "word_embedding_dimension": shape.width, "pooling_mode_mean_tokens": True,
    })  # fmt: skip
    write_json(folder / "config_sentence_transformers.json", {"similarity_fn_name": "cosine"})
    return folder


def _refuse_too_large(n_parameters: int, device: str) -> None:
    """Compare the memory that training takes, texts not counted, with what is free."""
    needed = n_parameters * (BYTES_TRAINED if device == "cpu" else BYTES_MADE)
    free = bytes_available()
    if free is not None and needed > free:
        raise InputError(
            f"an encoder of {n_parameters / 1e6:,.0f} million parameters needs "
            f"{needed / 1e9:,.1f} GB of memory to be trained, where {free / 1e9:,.1f} GB are free; "
            "give fewer layers or a smaller width"
        )


@dataclass(frozen=True)
class Start:
    """An encoder and its masked language model.

    Attributes
    ----------
    base
        The encoder.
    model
        The model with its head, of `transformers`.
    has_own_head
        Whether the encoder's files held the head; else it is new, its output tied to the
        embeddings.
    vocabulary
        Its ids, for masking.
    folder
        Where a new encoder lies until it is trained.
    """

    base: Encoder
    model: Any
    has_own_head: bool
    vocabulary: Vocabulary
    folder: "TemporaryDirectory[str] | None" = None


def start_from(base: Encoder, *, seed: int, whole_words: bool, device: str) -> Start:
    """Load an encoder's weights anew, with its head for masked tokens or a new one.

    Raises
    ------
    InputError
        For an encoder that is no transformer, or whose architecture has no such head, or whose
        tokenizer no mask token.
    """
    from transformers import AutoModelForMaskedLM
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING

    check_untuned(base)
    if not isinstance(base.network, Network) or base.encoder_half:
        raise InputError(f"{base.name} is no transformer that reads both ways; choose another")
    if base.transform is not None:
        raise InputError(f"{base.name} has a transform fitted to it as it is; leave that out")
    if base.settings.pooling.value == "pooler":
        raise InputError(
            f"{base.name} pools by a layer of its own, which masked tokens do not train; give "
            "pooling cls or mean"
        )
    folder = base._chain.transformer
    if (folder / INT8_FILE).is_file():
        raise InputError(
            "its weights are in 8 bits, which are not trained further; give the encoder that it "
            "was exported from, or export it anew without --quantize: align export",
            path=folder,
        )
    config = base.network.model.config
    if type(config) not in MODEL_FOR_MASKED_LM_MAPPING or config.is_encoder_decoder:
        raise InputError(f"transformers has no masked language model of type {config.model_type}",
                         path=folder)  # fmt: skip
    with (
        quiet_transformers(),
        torch.random.fork_rng(devices=[]),
        library_faults(folder, "transformers cannot load it"),
    ):
        torch.manual_seed(seed)
        model, info = AutoModelForMaskedLM.from_pretrained(
            str(folder), local_files_only=True, trust_remote_code=False, use_safetensors=True,
            output_loading_info=True, dtype=torch.float32,
        )  # fmt: skip
    below = f"{model.base_model_prefix}."
    lacking = [name for name in info["missing_keys"] if not name.startswith(below)]
    if lacking and not model.config.tie_word_embeddings:
        raise InputError(
            "its configuration keeps output and input embeddings apart (tie_word_embeddings), and "
            "it has no head; set it to true",
            path=folder / "config.json",
        )
    return Start(
        base, model.to(device), not lacking, _vocabulary(base, folder, whole_words=whole_words)
    )


def _vocabulary(base: Encoder, folder: Path, *, whole_words: bool) -> Vocabulary:
    backend = base.tokenizer.backend
    names = _special_names(folder)
    mask = names.get("mask_token", "[MASK]")
    mask_id = backend.token_to_id(mask)
    if mask_id is None:
        raise InputError(f"the tokenizer has no mask token '{mask}'; choose another encoder",
                         path=folder)  # fmt: skip
    document = json.loads(backend.to_str())
    special = [one["id"] for one in document.get("added_tokens", []) if one.get("special")]
    special += [*base.tokenizer.head, *base.tokenizer.tail]
    special += [found for name in names.values()
                if (found := backend.token_to_id(name)) is not None]  # fmt: skip
    n_ids = base.tokenizer.highest_id + 1
    is_special = np.zeros(n_ids, np.bool_)
    is_special[special] = True
    begins = None
    if whole_words:
        begins = beginnings(backend.get_vocab(), document["model"], n_ids)
    return Vocabulary(mask_id, is_special, begins)


def _special_names(folder: Path) -> dict[str, str]:
    """Return the special tokens that a tokenizer's files name."""
    found: dict[str, str] = {}
    for file in ("special_tokens_map.json", TOKENIZER_CONFIG):
        if (folder / file).is_file():
            stated: Mapping[str, Any] = read_file(folder / file, dict[str, Any])
            for name in SPECIALS:
                value = stated.get(name)
                value = value.get("content") if isinstance(value, Mapping) else value
                if isinstance(value, str):
                    found[name] = value
    return found
