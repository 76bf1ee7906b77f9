"""Static encoders as model2vec writes them: a vector for each word."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers


def write_static(
    directory: Path, words: Mapping[str, int], config: Mapping[str, Any], **tensors: Any
) -> Path:
    """Write one; words are those between blanks, and `config` goes beside what names the format."""
    directory.mkdir()
    tokenizer = Tokenizer(models.WordLevel(dict(words), unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(directory / "tokenizer.json"))
    settings = {"model_type": "model2vec", "architectures": ["StaticModel"]}
    (directory / "config.json").write_text(json.dumps({**settings, **config}), "utf-8")
    save_file(tensors, directory / "model.safetensors")
    return directory
