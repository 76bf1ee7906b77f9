"""Tiny random models of each kind: encoders, a decoder, encoder-decoders; and texts for them."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from repository import HELPERS

TINY = runpy.run_path(str(HELPERS / "tiny_models.py"))


@pytest.fixture(scope="session")
def tiny_texts() -> list[str]:
    """Texts of several scripts, some of them twice, none cut off, with words in several."""
    some = [text for text in TINY["TEXTS"] if len(text.encode()) < 44 and "<s>" not in text]
    more = [
        "the fox is quick", "a lazy dog and the fox", "the dog jumps over the brown fox",
        "the 🙂 fox too", "is the fox lazy?", "The fox, the dog.", "quick dog, lazy fox",
    ]  # fmt: skip
    return [*some, *more, *more[:2], "  the  fox is quick "]


@pytest.fixture(scope="session")
def long_texts() -> list[str]:
    return list(TINY["TEXTS"])


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("tiny")
    models = {
        kind: TINY["build_tiny"](root / kind, kind=kind)
        for kind in ("bert", "roberta", "xlm-roberta")
    }
    return models | {kind: _build(root / kind, kind) for kind in ("gpt2", "t5", "bart")}


@pytest.fixture(scope="session")
def bert(tiny_models: dict[str, Path]) -> Path:
    return tiny_models["bert"]


def _build(directory: Path, kind: str) -> Path:
    import torch
    from transformers import (
        BartConfig,
        BartModel,
        GPT2Config,
        GPT2Model,
        PreTrainedTokenizerFast,
        T5Config,
        T5Model,
    )

    tokenizer, names = TINY["train_tokenizer"]("roberta" if kind == "gpt2" else "xlm-roberta")
    if kind == "gpt2":
        from tokenizers import processors

        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    n_vocabulary = tokenizer.get_vocab_size()
    config: Any
    if kind == "gpt2":
        config = GPT2Config(vocab_size=n_vocabulary, n_embd=32, n_layer=3, n_head=4, n_positions=40,
                            bos_token_id=0, eos_token_id=0, initializer_range=0.3)  # fmt: skip
    elif kind == "t5":
        config = T5Config(vocab_size=n_vocabulary, d_model=32, d_kv=8, d_ff=64, num_layers=2,
                          num_heads=4, decoder_start_token_id=1, pad_token_id=1)  # fmt: skip
    else:
        config = BartConfig(vocab_size=n_vocabulary, d_model=32, encoder_layers=2, decoder_layers=1,
                            encoder_attention_heads=4, decoder_attention_heads=4,
                            encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64,
                            pad_token_id=1, init_std=0.3)  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model = {"gpt2": GPT2Model, "t5": T5Model, "bart": BartModel}[kind](config)
    model.save_pretrained(directory)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=40, **names)
    fast.save_pretrained(directory)
    return directory
