"""Names for array types: the element kind and the number of axes, as style and mypy want them.

Nothing else lives here; shapes are given in the docstrings of what takes or returns an array.
"""

from typing import TypeAlias

import numpy as np

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
