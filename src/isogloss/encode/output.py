"""Outputs of `Encoder.encode`: an array in memory, or a ``.npy`` file that appears when complete.

Both take blocks of (n_layers, n_texts, width) in the order of the texts.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from isogloss.arrays import Floats3d
from isogloss.storage.files import atomic_file

Write = Callable[[Floats3d], None]
HEADER_BYTES = 128


@contextlib.contextmanager
def filled_array(array: Floats3d) -> Iterator[Write]:
    """Yield a function that writes blocks into `array`, one after the other."""
    done = 0

    def write(block: Floats3d) -> None:
        nonlocal done
        array[:, done : done + block.shape[1]] = block
        done += block.shape[1]

    yield write


@contextlib.contextmanager
def npy_file(
    path: Path, *, n_layers: int | None, n_texts: int | None, width: int, overwrite: bool
) -> Iterator[Write]:
    """Yield a function that appends a block of float32 vectors to ``path``.

    Parameters
    ----------
    path
        The file; it appears when the block ends well, and not before.
    n_layers
        None: a matrix (n_texts, width) is written; else (n_layers, n_texts, width).
    n_texts
        How many texts will come; None: not known, for a matrix only.

    Raises
    ------
    InputError
        When `path` exists without `overwrite`, or cannot be written.
    """
    with (
        atomic_file(path, overwrite=overwrite) as temporary,
        temporary.open("wb") as file,
    ):
        done = 0

        def write(block: Floats3d) -> None:
            nonlocal done
            for layer, rows in enumerate(block):
                row = layer * (n_texts or 0) + done
                file.seek(HEADER_BYTES + row * width * 4)
                file.write(np.ascontiguousarray(rows, "<f4").data)
            done += block.shape[1]

        yield write
        shape = (done, width) if n_layers is None else (n_layers, done, width)
        _write_header(file, shape)


def _write_header(file: BinaryIO, shape: tuple[int, ...]) -> None:
    text = repr({"descr": "<f4", "fortran_order": False, "shape": shape}).encode()
    magic = b"\x93NUMPY\x01\x00" + (HEADER_BYTES - 10).to_bytes(2, "little")
    file.seek(0)
    file.write(magic + text.ljust(HEADER_BYTES - 11) + b"\n")
