"""Settings of an encoder (pooling, prefix, normalisation, length), each with its source.

`loading` calls it with a directory and the user's choices. It reads the JSON files of a
sentence-transformers directory, else falls back on defaults of the architecture.
"""

import re
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct

from isogloss.encode.foreign import (
    CONFIG,
    TOKENIZER_CONFIG,
    Size,
    TokenizerConfig,
    TransformerConfig,
    as_kind,
    inner_folder,
    read_file,
)
from isogloss.errors import InputError, InputKindError, did_you_mean

Pooling = Literal["mean", "cls", "pooler"]
POOLINGS: tuple[Pooling, ...] = ("mean", "cls", "pooler")
LongTexts = Literal["cut", "windows"]
LONG_TEXTS: tuple[LongTexts, ...] = ("cut", "windows")

# Positions of these start after the padding id, so two of them are never used.
POSITIONS_BEHIND_PADDING = (
    "roberta", "xlm-roberta", "xlm-roberta-xl", "roberta-prelayernorm", "camembert", "mpnet",
    "data2vec-text", "xmod", "longformer", "luke",
)  # fmt: skip
MODULES = "modules.json"
GIVEN = "given"  # source of a setting that the caller gave
WITHOUT_LIMIT = 1_000_000  # transformers writes a huge number where a tokenizer names no length
TO_READ_ALL = "--long-texts windows (long_texts='windows') to read them whole"  # of cut texts

Value = TypeVar("Value")


@dataclass(frozen=True)
class Setting(Generic[Value]):
    """A value and where it was found: a file name, "architecture", "given", or "guessed: …"."""

    value: Value
    source: str

    @property
    def is_guessed(self) -> bool:
        """Whether the value is a mere guess."""
        return self.source.startswith("guessed")

    def __str__(self) -> str:
        return f"{self.value!r} ({self.source})"


@dataclass(frozen=True)
class EncoderSettings:
    """How an encoder makes a vector of a text.

    Attributes
    ----------
    pooling
        ``mean`` over all tokens, special tokens and prefix included; ``cls``: the first token;
        ``pooler``: the model's own pooler over the first token.
    prefix
        Prepended to every text.
    normalize
        Whether vectors get unit length.
    max_length
        Most tokens of a text, special tokens included.
    long_texts
        Of a text with more: ``cut``: only its beginning is read; ``windows``: all of it, in
        windows whose vectors are averaged (see `isogloss.encode.windows`).
    """

    pooling: Setting[Pooling]
    prefix: Setting[str]
    normalize: Setting[bool]
    max_length: Setting[int]
    long_texts: Setting[LongTexts] = Setting("windows", "default")

    @property
    def limit(self) -> str:
        """The most tokens of a text, and the file or option that says so, for messages."""
        source = self.max_length.source  # "given" also where a saved model gives it
        place = "" if source == GIVEN else f": {source}"
        return f"{self.max_length.value:,} tokens (the encoder's limit{place})"

    def options(self) -> dict[str, Any]:
        """Return the values as keyword arguments of `Encoder.load`, for storing with a model."""
        return {name: getattr(self, name).value for name in self.__dataclass_fields__}


@dataclass(frozen=True)
class Chain:
    """The modules of a sentence-transformers directory, as far as they can be applied.

    Attributes
    ----------
    transformer
        Folder of the transformer itself.
    pooling, normalize
        As in `EncoderSettings`; None when the directory has no ``modules.json``.
    dense
        Folders of Dense modules, in order; they follow the pooling.
    """

    transformer: Path
    pooling: Setting[Pooling] | None = None
    normalize: Setting[bool] | None = None
    dense: tuple[Path, ...] = ()

    @property
    def root(self) -> Path:
        """Folder of the whole encoder, which may hold that of its transformer."""
        own, around = self.transformer, self.transformer.parent
        return around if (around / MODULES).is_file() and not (own / MODULES).is_file() else own


class Module(Struct):
    """A module in ``modules.json``: its class, and the folder of its files."""

    type: str
    path: str = ""

    @property
    def kind(self) -> str:
        """Name of the class without that of its package."""
        return self.type.rpartition(".")[2]


class TransformerOptions(Struct):
    """``sentence_bert_config.json``."""

    max_seq_length: Size | None = None
    do_lower_case: bool | None = None


class Prompts(Struct):
    """``config_sentence_transformers.json``."""

    prompts: dict[str, str] | None = None
    default_prompt_name: str | None = None


def read_chain(directory: Path) -> Chain:
    """Read ``modules.json`` and the configurations it names.

    Raises
    ------
    InputError
        For a module, an order or a pooling that cannot be applied exactly.
    """
    path = directory / MODULES
    if not path.is_file():
        return Chain(directory)
    modules = read_modules(path)
    kinds = [module.kind for module in modules]
    for kind in kinds:
        if kind not in ("Transformer", "Pooling", "Dense", "Normalize"):
            raise InputError(
                f"the module {kind} cannot be applied (Transformer, Pooling, Dense and Normalize "
                "can); choose another encoder",
                path=path,
            )
    order = " ".join(kinds)
    if not re.fullmatch(r"Transformer Pooling( Dense)*( Normalize)?", order):
        raise InputError(
            f"modules in the order '{order}' cannot be applied; expected Transformer, Pooling, "
            "any Dense, at most one Normalize",
            path=path,
        )
    return Chain(
        transformer=inner_folder(directory, modules[0].path, path=path),
        pooling=_read_pooling(directory, modules[1].path, path=path),
        normalize=Setting("Normalize" in kinds, "modules.json"),
        dense=tuple(
            inner_folder(directory, module.path, path=path)
            for module in modules
            if module.kind == "Dense"
        ),
    )


def read_modules(path: Path) -> "list[Module]":
    """Read ``modules.json``, the modules of an encoder in their order.

    Raises
    ------
    InputError
        When it is damaged, or names a class that is not of sentence-transformers.
    """
    modules = read_file(path, list[Module])
    for module in modules:
        if not module.type.startswith("sentence_transformers."):
            raise InputError(
                f"the module {module.type:.60} is Python code of its own, which isogloss never "
                "runs; choose another encoder",
                path=path,
            )
    return modules


def find_settings(
    directory: Path, chain: Chain, *, name: str, config: Any, given: dict[str, Any]
) -> EncoderSettings:
    """Settle each setting: what was given, else the files, else the architecture, else a guess.

    Parameters
    ----------
    directory
        The model's directory; `chain` was read from it.
    name
        The encoder's name as the user gave it; with the folder's and the configuration's it
        tells E5 and LaBSE.
    config
        Configuration of the transformer.
    given
        The options of `Encoder.load` that are settings; None: not given.
    """
    known = _known_architecture(_names(directory, chain.transformer, name))
    chosen: dict[str, Setting[Any]] = {
        "pooling": chain.pooling
        or known.get("pooling")
        or Setting("mean", f"guessed: no 1_Pooling/config.json in {directory}"),
        "normalize": chain.normalize
        or known.get("normalize")
        or Setting(False, f"guessed: no modules.json in {directory}"),
        "prefix": _read_prompt(directory)
        or known.get("prefix")
        or Setting("", "no prompt in config_sentence_transformers.json"
                   if (directory / "config_sentence_transformers.json").is_file()
                   else f"guessed: no config_sentence_transformers.json in {directory}"),
        "max_length": _find_max_length(chain.transformer, config),
    }  # fmt: skip
    return with_given(chosen, given, limit=_positions(config))


def with_given(
    chosen: dict[str, Setting[Any]], given: dict[str, Any], *, limit: int | None
) -> EncoderSettings:
    """Return the settings that were chosen, with those that were given (not None) in their place.

    Raises
    ------
    InputError
        For a value out of range; `limit` is the model's own maximum length.
    """
    for option, value in given.items():
        if value is not None:
            chosen[option] = Setting(_checked(option, value, limit=limit), GIVEN)
    return EncoderSettings(**chosen)


def check_pooling(value: Any) -> Pooling:
    """Return `value` when it is a pooling.

    Raises
    ------
    InputError
        When it is none, with the nearest name.
    """
    if not isinstance(value, str):
        shown = " ".join(repr(value).split())
        raise InputKindError(f"pooling is {shown:.40}; {did_you_mean('', POOLINGS)}")
    for pooling in POOLINGS:
        if value == pooling:
            return pooling
    raise InputError(f"no pooling '{value}'; {did_you_mean(value, POOLINGS)}")


def check_long_texts(value: Any) -> LongTexts:
    """Return `value` when it says what becomes of long texts.

    Raises
    ------
    InputError
        When it does not, with the nearest name.
    """
    for name in LONG_TEXTS:
        if isinstance(value, str) and value == name:
            return name
    shown = " ".join(repr(value).split())
    raise InputError(f"long_texts is {shown:.40}; {did_you_mean(str(value), LONG_TEXTS)}")


def transformer_options(directory: Path) -> TransformerOptions:
    """Return what ``sentence_bert_config.json`` says; nothing where there is none."""
    path = directory / "sentence_bert_config.json"
    return read_file(path, TransformerOptions) if path.is_file() else TransformerOptions()


def _checked(option: str, value: Any, *, limit: int | None) -> Any:
    kind: Any = {"normalize": bool, "max_length": Integral}.get(option, str)
    if not isinstance(value, kind) or (option == "max_length" and isinstance(value, bool)):
        word = {bool: "True or False", Integral: "a whole number"}.get(kind, "text")
        raise InputError(f"{option} is {value!r:.40}, not {word}")
    if option == "max_length" and value < 1:
        raise InputError(f"a maximum length of {value} tokens leaves nothing; give 1 or more")
    if option == "max_length" and limit is not None and value > limit:
        raise InputError(f"a maximum length of {value} tokens exceeds the model's {limit}")
    checks = {"pooling": check_pooling, "long_texts": check_long_texts}
    return checks[option](value) if option in checks else value


def _read_pooling(directory: Path, folder: str, *, path: Path) -> Setting[Pooling]:
    path = inner_folder(directory, folder, path=path) / CONFIG
    config = read_file(path, dict[str, Any])
    modes = config.get("pooling_mode")
    if modes is None:
        prefix, suffix = "pooling_mode_", "_tokens"
        modes = [
            key.removeprefix(prefix).removesuffix(suffix).removesuffix("_token")
            for key, is_on in config.items()
            if key.startswith(prefix) and is_on
        ]
    modes = as_kind([modes] if isinstance(modes, str) else modes, list[str], path=path)
    if modes not in (["mean"], ["cls"]):
        raise InputError(
            f"pooling by {' + '.join(modes) or 'nothing'} cannot be applied (mean and cls can); "
            "choose another encoder",
            path=path,
        )
    if config.get("include_prompt") is False:
        raise InputError("pooling without the prompt's tokens cannot be applied", path=path)
    return Setting(check_pooling(modes[0]), f"{folder}/config.json")


def _read_prompt(directory: Path) -> Setting[str] | None:
    path = directory / "config_sentence_transformers.json"
    if not path.is_file():
        return None
    config = read_file(path, Prompts)
    default = config.default_prompt_name
    if default is None:
        return None
    prompts = config.prompts or {}
    if default not in prompts:
        raise InputError(
            f"default_prompt_name is '{default}', but prompts has only: {', '.join(prompts)}",
            path=path,
        )
    return Setting(prompts[default], f"{path.name}, prompt '{default}'")


def _names(directory: Path, transformer: Path, name: str) -> str:
    """Return the names that may tell the architecture; folders above the model's say nothing."""
    directory = directory.resolve()
    config = read_file(transformer / CONFIG, TransformerConfig)
    names = [directory.name, config.name_or_path or ""]
    if directory.parent.name == "snapshots":  # the hub's cache: models--OWNER--NAME/snapshots/HASH
        names.append(directory.parent.parent.name)
    return " ".join(Path(one).name for one in (*names, name))


def _known_architecture(names: str) -> dict[str, Setting[Any]]:
    names = names.lower()
    if re.search(r"(^|[^a-z0-9])e5-(small|base|large)", names) and "instruct" not in names:
        source = "architecture: E5, by its name"
        return {
            "pooling": Setting("mean", source), "prefix": Setting("query: ", source),
            "normalize": Setting(True, source),
        }  # fmt: skip
    if re.search(r"(^|[^a-z0-9])labse", names):
        source = "architecture: LaBSE, by its name"
        return {
            "pooling": Setting("pooler", source), "prefix": Setting("", source),
            "normalize": Setting(True, source),
        }  # fmt: skip
    return {}


def _find_max_length(transformer: Path, config: Any) -> Setting[int]:
    found = transformer_options(transformer).max_seq_length
    source = "sentence_bert_config.json"
    if found is None:
        path = transformer / TOKENIZER_CONFIG
        named = read_file(path, TokenizerConfig).model_max_length if path.is_file() else None
        found = int(named) if named is not None and named <= WITHOUT_LIMIT else None
        source = TOKENIZER_CONFIG
    limit = _positions(config)
    if limit is not None and (found is None or found > limit):
        return Setting(limit, "architecture: positions in config.json")
    return (
        Setting(512, "guessed: no length in any file") if found is None else Setting(found, source)
    )


def _positions(config: Any) -> int | None:
    positions = getattr(config, "max_position_embeddings", None)
    if positions is None or positions < 1:
        return None
    if config.model_type in POSITIONS_BEHIND_PADDING:
        return int(positions) - 1 - int(config.pad_token_id or 0)
    return int(positions)
