"""The files by which sentence-transformers reads an encoder: its modules, pooling and prompts."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.encode.settings import EncoderSettings, Pooling
from isogloss.errors import InputError
from isogloss.learn.tuned_encoder import TunedEncoder
from isogloss.storage.files import read_json, write_json

MODULES = "sentence_transformers.models."
PROMPT = "query"
PROMPTS = "config_sentence_transformers.json"


def write_encoder(encoder: TunedEncoder, made: Path) -> None:
    """Write weights, tokenizer, and the settings that make vectors what they are.

    Parameters
    ----------
    encoder
        Tuned as a whole; an adapter has to be merged first.
    made
        An empty folder.
    """
    encoder.write(made)
    _write_settings(encoder.settings, made, width=encoder.network.hidden_size)


def append_dense(folder: Path, weight: Doubles2d, bias: Doubles1d) -> Path:
    """Put a linear map W x + b after the last module, and return the folder of its files.

    Parameters
    ----------
    weight, bias
        W: (n_out, n_in), and b: (n_out,); written in float32.
    """
    from safetensors.numpy import save_file

    n_out, n_in = weight.shape
    made = _append(folder, "Dense")
    config = {
        "in_features": n_in, "out_features": n_out, "bias": True,
        "activation_function": "torch.nn.modules.linear.Identity",
    }  # fmt: skip
    write_json(made / "config.json", config)
    tensors = {"linear.weight": weight, "linear.bias": bias}
    save_file(
        {name: np.ascontiguousarray(array, np.float32) for name, array in tensors.items()},
        made / "model.safetensors",
    )
    return made


def append_normalize(folder: Path) -> None:
    """Give vectors unit length after the last module."""
    _append(folder, "Normalize")


def add_settings(folder: Path, more: Mapping[str, Any]) -> None:
    """Put entries that sentence-transformers passes over into its settings."""
    write_json(folder / PROMPTS, read_json(folder / PROMPTS, what="an encoder") | dict(more))


def transformer_folder(folder: Path) -> Path:
    """Return where a sentence-transformers directory has its transformer."""
    return folder / str(_modules(folder)[0]["path"])


def refuse_pooler(pooling: Pooling) -> None:
    """Raise `InputError` for pooling by the model's own pooler: it cannot be written."""
    if pooling == "pooler":
        raise InputError(
            "sentence-transformers has no module for the pooling 'pooler'; choose cls or mean"
        )


def _write_settings(settings: EncoderSettings, folder: Path, *, width: int) -> None:
    modules = _modules(folder)
    transformer = folder / modules[0]["path"]
    pooling = folder / modules[1]["path"]
    pooling.mkdir(exist_ok=True)
    mode = settings.pooling.value
    write_json(
        pooling / "config.json",
        {
            "word_embedding_dimension": width,
            "pooling_mode_cls_token": mode == "cls",
            "pooling_mode_mean_tokens": mode == "mean",
            "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False,
        },
    )
    is_last = modules[-1]["type"].endswith("Normalize")
    if settings.normalize.value and not is_last:
        modules.append(_module(len(modules), f"{len(modules)}_Normalize", "Normalize"))
        (folder / modules[-1]["path"]).mkdir(exist_ok=True)
    elif is_last and not settings.normalize.value:
        shutil.rmtree(folder / modules.pop()["path"], ignore_errors=True)
    write_json(folder / "modules.json", modules)
    length = {"max_seq_length": settings.max_length.value}
    write_json(transformer / "sentence_bert_config.json", _kept(transformer) | length)
    write_json(folder / PROMPTS, _prompts(folder, settings.prefix.value))


def prompts_of(folder: Path) -> dict[str, str]:
    """Return the prompts of a directory by their names; none where it has none."""
    path = folder / PROMPTS
    found = read_json(path, what="an encoder").get("prompts") if path.is_file() else None
    return dict(found or {})


def _prompts(folder: Path, prefix: str) -> dict[str, Any]:
    """Return the prompts that the directory has, with the encoder's prefix as the default."""
    settings: dict[str, Any] = {"similarity_fn_name": "cosine"}
    prompts = prompts_of(folder)
    if not prefix:
        return settings | ({"prompts": prompts} if prompts else {})
    name = next((name for name, prompt in prompts.items() if prompt == prefix), PROMPT)
    return settings | {"prompts": prompts | {name: prefix}, "default_prompt_name": name}


def _modules(folder: Path) -> list[dict[str, Any]]:
    """Return the modules that the encoder's own directory names, or those of a plain one."""
    path = folder / "modules.json"
    if path.is_file():
        found: list[dict[str, Any]] = read_json(path, what="an encoder")
        return found
    return [_module(0, "", "Transformer"), _module(1, "1_Pooling", "Pooling")]


def _module(number: int, path: str, kind: str) -> dict[str, Any]:
    return {"idx": number, "name": str(number), "path": path, "type": f"{MODULES}{kind}"}


def _append(folder: Path, kind: str) -> Path:
    modules = _modules(folder)
    made = folder / f"{len(modules)}_{kind}"
    made.mkdir()
    write_json(folder / "modules.json", [*modules, _module(len(modules), made.name, kind)])
    return made


def _kept(transformer: Path) -> dict[str, Any]:
    path = transformer / "sentence_bert_config.json"
    if not path.is_file():
        return {"do_lower_case": False}
    found: dict[str, Any] = read_json(path, what="an encoder")
    return found
