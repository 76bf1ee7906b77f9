"""Safetensors files of an encoder: which they are, and what they hold, read from their heads.

A configuration that asks for more layers or numbers than the weights hold is refused here, before
a model of that size is built.
"""

import os
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

from isogloss.encode.foreign import REPAIR, library_faults, read_file
from isogloss.errors import InputError, counted

ONE_FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
INT8_FILE = "isogloss-int8.safetensors"  # see `int8`
MOST_LAYERS = 1_000  # more than any encoder has; a model of them is built in seconds
MOST_PARTS = 1_000_000  # of heads, labels, experts: what a model makes a list of
SPARE = 2  # times the numbers in the files, as a pooler that is missing may be built

Shapes = Mapping[str, tuple[int, ...]]


def check_weights(directory: Path) -> list[Path]:
    """Return the safetensors files of a directory.

    Raises
    ------
    InputError
        When there are none, or not those that the index names, or one may not be read; weights that
        are pickled are never read.
    """
    files = sorted(file for file in directory.glob("*.safetensors") if file.is_file())
    if len(files) > 1 and directory / INT8_FILE in files:
        raise InputError(f"has weights beside {INT8_FILE}; remove one or the other", path=directory)
    if not (directory / ONE_FILE).is_file() and (directory / INDEX).is_file():
        _check_index(directory / INDEX, {file.name for file in files})
    for file in files:
        if not os.access(file, os.R_OK):  # of which safetensors says that there is no such file
            raise InputError("this user may not read it; allow it (chmod a+r)", path=file)
    if files:
        return files
    pickled = sorted(path.name for path in directory.glob("pytorch_model*.bin"))
    if pickled:
        raise InputError(
            f"has its weights only as {pickled[0]}, a pickle, which can run code and is not read; "
            "if you trust it, load it with transformers' AutoModel.from_pretrained and write it "
            "again with save_pretrained(DIRECTORY, safe_serialization=True)",
            path=directory,
        )
    raise InputError("not an encoder: it has no model.safetensors", path=directory)


def shapes_in(directory: Path) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor in a directory's weights, which are not read.

    Raises
    ------
    InputError
        When a file is damaged.
    """
    from safetensors import safe_open

    shapes: dict[str, tuple[int, ...]] = {}
    for path in check_weights(directory):
        with (
            library_faults(path, "not a safetensors file that can be read"),
            safe_open(path, framework="numpy") as file,
        ):
            for name in file.keys():  # noqa: SIM118
                shapes[name] = tuple(file.get_slice(name).get_shape())
    return shapes


def refuse_too_many_parts(config: Mapping[str, Any], shapes: Shapes, *, path: Path) -> None:
    """Refuse a configuration with more layers, heads or labels than a model can be built of.

    Parameters
    ----------
    config
        As ``config.json`` has it.
    path
        That file.

    Raises
    ------
    InputError
        Naming the field.
    """
    for name, number in _numbers(config):
        is_layers = "layer" in name or name in ("depth", "depths")
        most = max(MOST_LAYERS, len(shapes)) if is_layers else MOST_PARTS
        is_counted = is_layers or name.startswith(("num_", "n_")) or name.endswith("_num")
        if is_counted and number > most:
            raise InputError(
                f"{name} is {number}, and the weights have {counted(len(shapes), 'tensor')}; "
                f"{REPAIR}",
                path=path,
            )


def refuse_too_large(config: Any, shapes: Shapes, *, path: Path) -> None:
    """Refuse a configuration whose model holds many more numbers than the weights.

    The model is built without its numbers, in milliseconds.

    Raises
    ------
    InputError
        With both numbers.
    """
    import torch
    from transformers import AutoModel

    with library_faults(path, "transformers cannot build its model"), torch.device("meta"):
        model = AutoModel.from_config(config, trust_remote_code=False)
        n_of_model = sum(part.numel() for part in (*model.parameters(), *model.buffers()))
    n_of_weights = sum(prod(shape) for shape in shapes.values())
    if n_of_model > SPARE * n_of_weights + MOST_PARTS:
        raise InputError(
            f"its model has {n_of_model:,} numbers, and the weights hold {n_of_weights:,}; "
            f"{REPAIR}",
            path=path,
        )


def _check_index(path: Path, there: set[str]) -> None:
    index = read_file(path, dict[str, Any])
    named = index.get("weight_map")
    if not isinstance(named, dict) or not named:
        raise InputError(f"names no weights; {REPAIR}", path=path)
    for name in named.values():
        if not isinstance(name, str) or name not in there:
            raise InputError(
                f"names {name!r:.60}, which is no safetensors file beside it; {REPAIR}", path=path
            )


def _numbers(config: Any) -> Iterator[tuple[str, int]]:
    parts = [config]
    while parts:
        part = parts.pop()
        if isinstance(part, dict):
            for name, value in part.items():
                if isinstance(value, int):
                    yield name, value
            parts += part.values()
