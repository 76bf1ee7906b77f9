"""Tiny random models of many architectures: encoders, decoders, encoder-decoders."""

from pathlib import Path
from typing import Any

from tiny_models import build_tiny, train_tokenizer

LAYERED = ("bert", "xlm-roberta", "deberta-v2", "modernbert", "gpt2")  # one of each sort
SIZES: dict[str, Any] = {"hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 64}


def build_kind(directory: Path, kind: str, *, seed: int = 7, spread: float = 0.3) -> Path:
    """Write a random model of 2 or 3 layers, width 32, with its tokenizer, as transformers does."""
    if kind in ("bert", "roberta", "xlm-roberta"):
        return build_tiny(directory, kind=kind, seed=seed, spread=spread)
    import torch
    from transformers import PreTrainedTokenizerFast

    is_of_bytes = kind in ("gpt2", "modernbert")
    tokenizer, names = train_tokenizer("roberta" if is_of_bytes else "xlm-roberta")
    if kind == "gpt2":
        from tokenizers import processors

        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _model(kind, tokenizer.get_vocab_size(), spread)
    model.save_pretrained(directory)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=40, **names)
    fast.save_pretrained(directory)
    return directory


def _model(kind: str, n_ids: int, spread: float) -> Any:
    import transformers as library

    if kind == "gpt2":
        return library.GPT2Model(
            library.GPT2Config(vocab_size=n_ids, n_embd=32, n_layer=3, n_head=4, n_positions=40,
                               bos_token_id=0, eos_token_id=0, initializer_range=spread)
        )  # fmt: skip
    if kind == "deberta-v2":
        return library.DebertaV2Model(
            library.DebertaV2Config(vocab_size=n_ids, num_hidden_layers=3, pad_token_id=1, **SIZES,
                                    max_position_embeddings=40, relative_attention=True,
                                    pos_att_type=["p2c", "c2p"], position_buckets=8,
                                    norm_rel_ebd="layer_norm", type_vocab_size=0,
                                    conv_kernel_size=3, initializer_range=spread)
        )  # fmt: skip
    if kind == "modernbert":
        return library.ModernBertModel(
            library.ModernBertConfig(vocab_size=n_ids, num_hidden_layers=3, pad_token_id=1, **SIZES,
                                     max_position_embeddings=40, bos_token_id=0, cls_token_id=0,
                                     eos_token_id=2, sep_token_id=2, local_attention=8,
                                     global_attn_every_n_layers=2, initializer_range=spread)
        )  # fmt: skip
    if kind == "t5":
        return library.T5Model(
            library.T5Config(vocab_size=n_ids, d_model=32, d_kv=8, d_ff=64, num_layers=2,
                             num_heads=4, decoder_start_token_id=1, pad_token_id=1)
        )  # fmt: skip
    return library.BartModel(
        library.BartConfig(vocab_size=n_ids, d_model=32, encoder_layers=2, decoder_layers=1,
                           encoder_attention_heads=4, decoder_attention_heads=4,
                           encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=64,
                           pad_token_id=1, init_std=spread)
    )  # fmt: skip
