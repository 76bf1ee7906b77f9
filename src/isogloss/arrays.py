"""Names for array types: the element kind and the number of axes, as style and mypy want them.

Shapes are given in the docstrings of what takes or returns an array. Rows of different sizes
lie one behind another, with the offsets that `offsets_of` makes of their sizes.
"""

from typing import Any, TypeAlias

import numpy as np

Halfs2d: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float16]]
Floats1d: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float32]]
Floats2d: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float32]]
Floats3d: TypeAlias = np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
Doubles1d: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]
Doubles2d: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Doubles3d: TypeAlias = np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
Ints1d: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int64]]
Ints2d: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int64]]
SmallInts1d: TypeAlias = np.ndarray[tuple[int], np.dtype[np.int32]]
Bools1d: TypeAlias = np.ndarray[tuple[int], np.dtype[np.bool_]]
Bools2d: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
Bools3d: TypeAlias = np.ndarray[tuple[int, int, int], np.dtype[np.bool_]]
Bytes1d: TypeAlias = np.ndarray[tuple[int], np.dtype[np.uint8]]


def offsets_of(sizes: Any) -> Ints1d:
    """Return where parts that follow one another begin, and where the last ends, from their sizes.

    Examples
    --------
    >>> offsets_of([2, 0, 3])
    array([0, 2, 2, 5])
    """
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
