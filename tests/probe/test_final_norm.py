"""Whether a last layer comes from behind one more step, in models that call it differently."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import transformers

from isogloss.encode import Encoder
from isogloss.probe.final_norm import has_final_norm

SIZES = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64,
    "max_position_embeddings": 64, "pad_token_id": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "more", "is_there"),
    [
        ("MegatronBert", {}, True),  # encoder.ln
        ("XLMRobertaXL", {}, True),  # encoder.LayerNorm
        ("Llama", {}, True),  # norm
        ("DebertaV2", {"relative_attention": True, "norm_rel_ebd": "layer_norm"}, False),  # has a
        ("Albert", {"embedding_size": 16}, False),  # LayerNorm in its encoder, for other things
    ],
)
def test_a_final_norm_is_found_whatever_its_name(
    tiny_models: dict[str, Path], tmp_path: Path, kind: str, more: dict[str, Any], is_there: bool
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(
        tiny_models["xlm-roberta"], folder, ignore=shutil.ignore_patterns("model*", "config.json")
    )
    of_folder = Encoder.load(tiny_models["xlm-roberta"], device="cpu").tokenizer
    n_tokens = of_folder.backend.get_vocab_size()
    config = getattr(transformers, f"{kind}Config")(vocab_size=n_tokens, **SIZES, **more)
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    encoder = Encoder.load(folder, device="cpu", pooling="mean")
    assert has_final_norm(encoder) is is_there
    n_hooks = count_hooks(encoder)
    assert has_final_norm(encoder) is is_there
    assert count_hooks(encoder) == n_hooks  # its own are gone; transformers keeps some


def count_hooks(encoder: Encoder) -> int:
    return sum(len(module._forward_hooks) for module in encoder.network.model.modules())
