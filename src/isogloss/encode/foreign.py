"""Checks of foreign encoder files before `loading` uses them: fields by type, no code ever run.

An encoder directory may name Python files of its own (``auto_map``), modules of a package of its
own (``modules.json``), quantised weights or another model that is fetched. `refuse_code` and
`TransformerConfig` say so before any library sees the directory; `library_faults` turns what a
library raises over a damaged file into one sentence.
"""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, Struct

from isogloss.errors import InputError
from isogloss.storage.files import read_json

REPAIR = "copy the encoder anew, or choose another"
CONFIG, TOKENIZER_CONFIG = "config.json", "tokenizer_config.json"
Size = Annotated[int, Meta(ge=1, lt=2**31)]
Id = Annotated[int, Meta(ge=-1, lt=2**31)]
Read = TypeVar("Read")

# What libraries raise over files that are damaged or not theirs, beside classes of their own.
_FAULTS = (
    OSError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError,
    ImportError, RuntimeError, MemoryError, EOFError,
)  # fmt: skip
_LIBRARIES = (
    "huggingface_hub", "peft", "safetensors", "safetensors_rust", "tokenizers", "torch",
    "transformers", "pyo3_runtime",  # a panic of Rust
)  # fmt: skip


class TransformerConfig(Struct):
    """Fields of a transformer's ``config.json`` that every architecture has in the same kind."""

    model_type: str | None = None
    architectures: list[str] | None = None
    name_or_path: str | None = msgspec.field(default=None, name="_name_or_path")
    hidden_size: Size | list[Size] | None = None
    intermediate_size: Size | list[Size] | None = None
    num_hidden_layers: Annotated[int, Meta(ge=0)] | None = None
    num_attention_heads: Size | list[Size] | None = None
    max_position_embeddings: Annotated[int, Meta(ge=-1)] | None = None
    vocab_size: Size | None = None
    type_vocab_size: Annotated[int, Meta(ge=0)] | None = None
    pad_token_id: Id | None = None
    auto_map: dict[str, Any] | None = None


class TokenizerConfig(Struct):
    """Fields of ``tokenizer_config.json``."""

    tokenizer_class: str | None = None
    model_max_length: Annotated[float, Meta(ge=1)] | None = None
    auto_map: dict[str, Any] | list[Any] | None = None


def read_file(path: Path, kind: type[Read]) -> Read:
    """Read a JSON file of an encoder as a type of msgspec; fields that the type lacks are ignored.

    Raises
    ------
    InputError
        When it is missing, not JSON, or a field is of another kind.
    """
    return as_kind(read_json(path, what="an encoder", advice=REPAIR), kind, path=path)


def as_kind(value: Any, kind: type[Read], *, path: Path) -> Read:
    """Return a value of a JSON file as a type of msgspec; raises as `read_file` does."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"is not what an encoder has there ({error}); {REPAIR}", path=path) from (
            error
        )


def inner_folder(directory: Path, place: str, *, path: Path) -> Path:
    """Return the folder that a file of an encoder names inside its directory.

    Raises
    ------
    InputError
        When it lies outside.
    """
    way = PurePosixPath(place)
    if way.is_absolute() or ".." in way.parts or "\0" in place:
        raise InputError(
            f"names the folder {place!r:.60}, which is not in the encoder's directory; {REPAIR}",
            path=path,
        )
    return directory / place


def refuse_code(directory: Path) -> TransformerConfig:
    """Read ``config.json`` of a transformer; refuse what would run code or read another model.

    An ``auto_map`` beside a ``model_type`` that transformers itself has is no reason to refuse:
    the library's own class reads the weights, and `model.load_network` checks that they fit it.

    Raises
    ------
    InputError
        Naming the value found.
    """
    path = directory / CONFIG
    if not path.is_file():
        raise InputError("not an encoder: it has no config.json", path=directory)
    raw = read_json(path, what="an encoder", advice=REPAIR)
    config = as_kind(raw, TransformerConfig, path=path)
    if config.auto_map and not is_known_type(config.model_type):
        raise InputError(
            f"needs Python code of its own ({_shown(config.auto_map)}), which isogloss never runs; "
            f"{_OTHER}",
            path=directory,
        )
    if (directory / "adapter_config.json").exists():
        raise InputError(
            "holds an adapter (adapter_config.json), which needs another model; merge it into "
            "its model, save that, and give its directory",
            path=directory,
        )
    for name, value in _fields(raw):
        reason = _reason_to_refuse(name, value)
        if reason:
            raise InputError(f"{name} is {value!r:.60}: {reason}; {_OTHER}", path=path)
    return config


def refuse_tokenizer_code(directory: Path) -> None:
    """Refuse a directory whose tokenizer is Python code of its own, and nothing else.

    Raises
    ------
    InputError
        Naming the code.
    """
    path = directory / TOKENIZER_CONFIG
    if not path.is_file():
        return
    config = read_file(path, TokenizerConfig)
    if config.auto_map:
        raise InputError(
            f"its tokenizer is Python code of its own ({_shown(config.auto_map)}), which isogloss "
            "never runs; save a fast tokenizer as tokenizer.json, or choose another encoder",
            path=directory,
        )


def is_known_type(model_type: str | None) -> bool:
    """Whether transformers itself has an architecture of that name."""
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES

    return model_type in CONFIG_MAPPING_NAMES


class library_faults:  # noqa: N801 (a context manager, used as a function)
    """Turn what a library raises over foreign files into an `InputError`.

    Parameters
    ----------
    path
        What was read; None where that is not known any more.
    said
        Start of the sentence; the library's reason follows in brackets.
    """

    def __init__(self, path: Path | None, said: str) -> None:
        self.path, self.said = path, said

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        if error is None or isinstance(error, InputError) or not _is_of_library(error):
            return
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise InputError(f"{self.said} ({reason})", path=self.path) from error


_OTHER = "choose another encoder"
_KERNELS = ("attn_implementation", "_attn_implementation", "experts_implementation")


def _is_of_library(error: BaseException) -> bool:
    kind = type(error)
    is_their_own = kind.__module__.partition(".")[0] in _LIBRARIES
    return is_their_own or kind is Exception or isinstance(error, _FAULTS)  # tokenizers raises it


def _fields(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field of a JSON document, those of inner configurations too."""
    parts = [value]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            yield from part.items()
            parts += part.values()
        elif isinstance(part, list):
            parts += part


def _reason_to_refuse(name: str, value: Any) -> str:
    if name == "quantization_config" and value is not None:
        return "quantised weights are not read"
    if name in _KERNELS and "/" in str(value):
        return "code of the hub is never run"
    if name in ("backbone", "use_timm_backbone", "backbone_config") and value:
        return "an encoder of texts has no backbone, which would be another model"
    if name == "configuration_files":
        return "a configuration that names others is not read"
    return ""


def _shown(auto_map: Any) -> str:
    values = auto_map.values() if isinstance(auto_map, dict) else auto_map
    return ", ".join(dict.fromkeys(str(value) for value in values if value))[:100]
