"""Distillation from a teacher (Reimers and Gurevych 2020): its vectors, and the loss.

Equation 1 of the paper, for N pairs with the teacher's vector t of a source and the student's
vectors x and y of source and target:

    L = 1/N Σ_i ( ‖t_i - x_i‖² + ‖t_i - y_i‖² )

All vectors have unit length, as those of the trained encoder do. The squares are summed over the
dimensions: a term is 2 - 2 cos, whatever the width. (The paper's code takes their mean, which is
this divided by the width: a smaller weight.)
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from isogloss.arrays import Floats2d, Ints1d
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.progress import activity

BYTES_IN_MEMORY = 1 << 28  # of the teacher's vectors; more are memory-mapped


def distillation_losses(sources: Tensor, targets: Tensor, teacher: Tensor) -> Tensor:
    """Return the loss of each pair: float (n_pairs,); see the module.

    Parameters
    ----------
    sources, targets
        The student's unit vectors, (n_pairs, width).
    teacher
        The teacher's unit vectors of the sources, (n_pairs, width).
    """
    found: Tensor = (teacher - sources).square().sum(1) + (teacher - targets).square().sum(1)
    return found


@dataclass(frozen=True)
class TeacherVectors:
    """The teacher's unit vectors of all sources.

    Attributes
    ----------
    vectors
        float32 (n_sentences, width): of the different sentences; maybe memory-mapped.
    places
        int64 (n_pairs,): which of them the source of each pair has.
    """

    vectors: Floats2d
    places: Ints1d

    def of(self, rows: Sequence[int]) -> Floats2d:
        """Return the vectors of the sources of some pairs: (n_rows, width)."""
        chosen: Floats2d = np.array(self.vectors[self.places[rows]])
        return chosen


@contextmanager
def teacher_vectors(
    teacher: Encoder,
    sources: Sequence[str],
    *,
    width: int,
    bytes_in_memory: int = BYTES_IN_MEMORY,
) -> Iterator[TeacherVectors]:
    """Encode the sources once, each different sentence once.

    Parameters
    ----------
    width
        Of the student.
    bytes_in_memory
        Vectors that take more are written to a temporary file, which is there within this block,
        and memory-mapped.

    Raises
    ------
    InputError
        When the teacher's vectors have another width.
    """
    if teacher.width != width:
        raise InputError(
            f"the teacher {teacher.name} gives vectors of {teacher.width} dimensions, the encoder "
            f"of {width}; choose a teacher of {width}"
        )
    numbers: dict[str, int] = {}
    places = np.array([numbers.setdefault(text, len(numbers)) for text in sources], np.int64)
    is_large = len(numbers) * width * 4 > bytes_in_memory
    with tempfile.TemporaryDirectory(prefix="isogloss-teacher-") as folder:
        out = Path(folder) / "vectors.npy" if is_large else None
        with activity(f"encoding {len(numbers):,} sources with the teacher"):
            vectors = teacher.encode(list(numbers), normalize=True, out=out)
        yield TeacherVectors(vectors, places)  # type: ignore[arg-type]
