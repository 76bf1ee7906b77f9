"""Load the parts of an encoder by its name, for `Encoder.load`: settings, tokenizer, network."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.cores import check_threads
from isogloss.encode import model as networks
from isogloss.encode.foreign import CONFIG, read_file
from isogloss.encode.settings import (
    Chain,
    EncoderSettings,
    find_settings,
    read_chain,
    transformer_options,
)
from isogloss.encode.source import content_hash, find_directory
from isogloss.encode.static import StaticFiles, StaticNetwork, find_static
from isogloss.encode.tokenizer import VOCABULARIES, TextTokenizer, load_tokenizer
from isogloss.encode.weights.files import check_weights
from isogloss.errors import InputError
from isogloss.memory import without_collection

# Of a configuration: who wrote it, not what the model computes.
WITHOUT_EFFECT = ("_name_or_path", "transformers_version", "torch_dtype", "dtype", "architectures")
# What transformers makes a tokenizer of, where there is no tokenizer.json.
TOKENIZER_FILES = (
    *VOCABULARIES, "merges.txt", "tokenizer_config.json", "special_tokens_map.json",
    "added_tokens.json",
)  # fmt: skip


@dataclass(frozen=True)
class Parts:
    """What an encoder is made of."""

    chain: Chain
    network: networks.Network | StaticNetwork
    tokenizer: TextTokenizer
    settings: EncoderSettings


@without_collection()
def load_parts(
    name: str | Path,
    given: dict[str, Any],
    *,
    device: str,
    dtype: str,
    threads: int | None,
    encoder_half: bool = False,
    fetch: bool = True,
) -> Parts:
    """Find, check and load an encoder's parts; see `Encoder.load`.

    Parameters
    ----------
    given
        The settings that the user gave, or None for each.
    """
    check_threads(threads)
    directory = find_directory(name, fetch=fetch)
    static = find_static(directory)
    if static:
        return _static_parts(static, given, device=device, dtype=dtype, threads=threads)
    return _transformer_parts(
        directory, str(name), given, device=device, dtype=dtype, threads=threads,
        encoder_half=encoder_half,
    )  # fmt: skip


def refuse_no_encoder(name: str | Path) -> None:
    """Refuse, before long work, a name that leads to no directory with the files of an encoder.

    Raises
    ------
    InputError
        As `load_parts`, of what can be seen without reading weights.
    """
    directory = find_directory(name)
    if not find_static(directory):
        read_file(read_chain(directory).transformer / CONFIG, dict[str, Any])


def content_of(chain: Chain) -> list[Any]:
    """Return what a directory's vectors depend on, as JSON values: hashes and configurations.

    Weights, tokenizer, and the configuration of each module; settings are not among them.
    """
    folder = chain.transformer
    tokenizer = [folder / "tokenizer.json"]
    if not tokenizer[0].is_file():
        tokenizer = sorted({file for kind in TOKENIZER_FILES for file in folder.glob(kind)})
    folders = (folder, *chain.dense)
    return [
        [content_hash(file) for one in folders for file in check_weights(one)],
        [content_hash(file) for file in tokenizer],
        bool(transformer_options(folder).do_lower_case),
        [_configuration(one / "config.json") for one in folders],
    ]


def _configuration(path: Path) -> dict[str, Any]:
    if not path.is_file():  # a static encoder may do without
        return {}
    found = read_file(path, dict[str, Any])
    return {key: value for key, value in found.items() if key not in WITHOUT_EFFECT}


def _transformer_parts(
    directory: Path,
    name: str,
    given: dict[str, Any],
    *,
    device: str,
    dtype: str,
    threads: int | None,
    encoder_half: bool,
) -> Parts:
    from isogloss.encode.weights.packed import pack  # it imports torch, which takes seconds

    device = networks.choose_device(device)
    networks.check_dtype(dtype, device=device)
    chain = read_chain(directory)
    config = networks.load_config(chain.transformer, encoder_half=encoder_half)
    settings = find_settings(directory, chain, name=name, config=config, given=given)
    tokenizer = TextTokenizer(
        load_tokenizer(chain.transformer),
        prefix=settings.prefix.value,
        max_length=settings.max_length.value,
        is_parallel=threads != 1,
    )
    network = networks.load_network(chain, device=device, dtype=dtype)
    pack(network.model, device=device, dtype=dtype)
    return Parts(chain, network, tokenizer, settings)


def _static_parts(
    static: StaticFiles, given: dict[str, Any], *, device: str, dtype: str, threads: int | None
) -> Parts:
    if device not in ("auto", "cpu") or dtype != "float32":
        raise InputError(
            f"a static encoder is a table, read in float32 on the processor, not in {dtype} on "
            f"{device}; leave out --device and --dtype",
            path=static.folder,
        )
    settings = static.settings(given)
    tokenizer = static.tokenizer(settings, is_parallel=threads != 1)
    return Parts(Chain(static.folder), static.network(), tokenizer, settings)
