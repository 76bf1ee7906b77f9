"""Weights of a transformer in 8 bits: each row of a matrix as whole numbers and one scale.

    row = scale * numbers,   numbers from -127 to 127,   scale = largest absolute value / 127

Written by the export of encoders, read by `model.load_network`, which computes in floating point:
what shrinks is the file. It has a name of its own, so that no other library takes the numbers for
weights. Vectors of one axis (biases, norms) stay float32.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from isogloss.arrays import Floats2d
from isogloss.encode.foreign import REPAIR, library_faults
from isogloss.encode.weights.files import INT8_FILE
from isogloss.errors import InputError

if TYPE_CHECKING:
    import torch

SCALE = ".row_scale"  # behind the name of a matrix
LARGEST = 127


def write_int8(tensors: "Mapping[str, torch.Tensor]", folder: Path) -> None:
    """Write the weights of a transformer, its matrices row by row in 8 bits."""
    from safetensors.numpy import save_file

    made: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]] = {}
    for name, tensor in tensors.items():
        values = tensor.detach().float().cpu().numpy()
        if values.ndim != 2:
            made[name] = np.ascontiguousarray(values, np.float32)
            continue
        scales = row_scales(values)
        rounded = np.rint(values / np.maximum(scales, np.finfo(np.float32).tiny)[:, None])
        made[name] = rounded.astype(np.int8)
        made[name + SCALE] = scales
    save_file(made, folder / INT8_FILE, metadata={"format": "pt"})


def row_scales(values: Floats2d) -> "np.ndarray[tuple[int], np.dtype[np.float32]]":
    """Return what one step of 8 bits is worth in each row of a matrix; 0 for a row of zeros."""
    return (np.abs(values).max(axis=1, initial=0.0) / LARGEST).astype(np.float32)


def read_int8(folder: Path) -> "dict[str, torch.Tensor]":
    """Read what `write_int8` wrote, as float32.

    Raises
    ------
    InputError
        When a matrix has not one finite scale a row, or a tensor is of another type.
    """
    import torch
    from safetensors.torch import load_file

    path = folder / INT8_FILE
    with library_faults(path, "not a safetensors file that can be read"):
        stored = load_file(path)
    weights = {}
    for name, tensor in stored.items():
        if name.endswith(SCALE) and name.removesuffix(SCALE) in stored:
            continue
        if tensor.dtype == torch.float32:
            weights[name] = tensor
            continue
        scales = stored.get(name + SCALE)
        if (
            tensor.dtype != torch.int8 or tensor.ndim != 2 or scales is None
            or scales.dtype != torch.float32 or scales.shape != tensor.shape[:1]
            or not bool(torch.isfinite(scales).all())
        ):  # fmt: skip
            raise InputError(
                f"its tensor {name:.60} is no matrix of 8 bits with a scale for each row; {REPAIR}",
                path=path,
            )
        weights[name] = tensor.float() * scales[:, None]
    return weights
