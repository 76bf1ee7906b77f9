"""Counts of (name, entity) pairs as sorted runs on disk, merged two at a time.

A run is sorted by the names' hashes, and by their bytes where two hashes are equal, so merging is
one pass over mapped files, whatever their size. The order is the same for any cutting into runs.

==================================  ===========================================================
``hash``                            uint64, of each name, ascending
``name_offsets``, ``names``         UTF-8
``pair_offsets``                    entities of name i: ``pair_offsets[i]`` to ``[i + 1]``
``entity``                          int32, ascending for each name
``n_links``                         int64, links with this name to this entity; may be 0
``is_title``                        uint8, whether a title or redirect of the entity reads so
==================================  ===========================================================
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.storage.array_file import Arrays, map_arrays, new_arrays, taken
from isogloss.storage.string_index import hash_strings, index_strings

_COLUMNS = ("hash", "name_offsets", "names", "pair_offsets", "entity", "n_links", "is_title")
_TYPES = (np.uint64, np.int64, np.uint8, np.int64, np.int32, np.int64, np.uint8)


def run_of(
    names: Bytes1d, offsets: Ints1d, entity: Ints1d, n_links: Ints1d, is_title: Bytes1d
) -> Arrays:
    """Return the run of rows that say: this name was a link to this entity so often.

    Parameters
    ----------
    names, offsets
        The name of each row, UTF-8.
    entity, n_links, is_title
        Of each row.
    """
    _, first = index_strings(names, offsets)
    rows = np.flatnonzero(first == np.arange(first.size))
    hashes = hash_strings(names, offsets)[rows]
    rows, hashes = _in_order(rows, hashes, names, offsets)
    rank = np.empty(first.size, np.int64)
    rank[rows] = np.arange(rows.size)
    pair = (rank[first] << 32) | entity
    order = np.argsort(pair, kind="stable")
    pairs = pair[order]
    begins = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])) if pairs.size else order
    pairs = pairs[begins]
    pair_offsets = np.searchsorted(pairs >> 32, np.arange(rows.size + 1))
    name_bytes, name_offsets = taken(names, offsets, rows)
    return {
        "hash": hashes,
        "name_offsets": name_offsets,
        "names": name_bytes,
        "pair_offsets": pair_offsets.astype(np.int64),
        "entity": (pairs & 0xFFFFFFFF).astype(np.int32),
        "n_links": _reduced(np.add, n_links[order], begins).astype(np.int64),
        "is_title": _reduced(np.maximum, is_title[order], begins).astype(np.uint8),
    }


def merge_runs(paths: Sequence[Path], out: Path) -> None:
    """Merge runs into one file; the runs stay. Disk: as much again as they take, beside them.

    Memory does not grow with their size: everything is a mapped file.
    """
    level = list(paths)
    temporary: list[Path] = []
    while len(level) > 2:
        merged = []
        for pair in range(0, len(level), 2):
            if pair + 1 == len(level):
                merged.append(level[pair])
                continue
            path = paths[0].with_name(f"{out.name}.{len(level)}-{pair}")
            merge_two(level[pair], level[pair + 1], path)
            merged.append(path)
            temporary.append(path)
        for path in temporary:
            if path not in merged:
                path.unlink(missing_ok=True)
        level = merged
    merge_two(level[0], level[-1] if len(level) > 1 else None, out)
    for path in temporary:
        path.unlink(missing_ok=True)


def merge_two(left: Path, right: Path | None, out: Path) -> None:
    """Merge two runs, or copy one."""
    a = _columns(map_arrays(left)[0])
    b = _EMPTY if right is None else _columns(map_arrays(right)[0])
    none = tuple(np.zeros(0, kind) for kind in _TYPES)
    with interrupts_wait():
        n_names, n_bytes, n_pairs = _merge(a, b, none, False)
    sizes = (n_names, n_names + 1, n_bytes, n_names + 1, n_pairs, n_pairs, n_pairs)
    shapes = {name: (kind, n) for name, kind, n in zip(_COLUMNS, _TYPES, sizes, strict=True)}
    with new_arrays(out, shapes) as arrays:
        merged = tuple(arrays[name] for name in _COLUMNS)
        merged[1][0] = merged[3][0] = 0
        with interrupts_wait():
            _merge(a, b, merged, True)


def _columns(run: Arrays) -> tuple[Any, ...]:
    return tuple(run[name] for name in _COLUMNS)


def _read_only(array: Any) -> Any:
    array.setflags(write=False)  # as mapped arrays are: one compiled form for both
    return array


_EMPTY = tuple(
    _read_only(np.zeros(1 if name.endswith("offsets") else 0, kind))
    for name, kind in zip(_COLUMNS, _TYPES, strict=True)
)


def _in_order(rows: Ints1d, hashes: Any, names: Bytes1d, offsets: Ints1d) -> tuple[Ints1d, Any]:
    """Sort rows by hash, and by name where hashes are equal."""
    order = np.argsort(hashes, kind="stable")
    rows, hashes = rows[order], hashes[order]
    for value in np.unique(hashes[1:][hashes[1:] == hashes[:-1]]).tolist():
        first, last = np.searchsorted(hashes, np.array([value, value + 1], np.uint64))
        tied = sorted(
            rows[first:last].tolist(), key=lambda r: names[offsets[r] : offsets[r + 1]].tobytes()
        )
        rows[first:last] = tied
    return rows, hashes


def _reduced(ufunc: Any, values: Any, begins: Ints1d) -> Any:
    return ufunc.reduceat(values, begins) if begins.size else values[:0]


@compiled
def _order_of(a: Any, i: Any, b: Any, j: Any) -> Any:
    """Return -1, 0 or 1: which of two names comes first."""
    if a[0][i] != b[0][j]:
        return -1 if a[0][i] < b[0][j] else 1
    first, other = a[1][i], b[1][j]
    size, other_size = a[1][i + 1] - first, b[1][j + 1] - other
    for k in range(min(size, other_size)):
        if a[2][first + k] != b[2][other + k]:
            return -1 if a[2][first + k] < b[2][other + k] else 1
    return 0 if size == other_size else (-1 if size < other_size else 1)


@compiled
def _merge(a: Any, b: Any, out: Any, is_filled: Any) -> Any:
    """Merge the names and pairs of two runs; return the numbers of names, bytes and pairs."""
    i, j, n, n_bytes, n_pairs = 0, 0, 0, np.int64(0), np.int64(0)
    while i < a[0].size or j < b[0].size:
        side = -1 if j == b[0].size else (1 if i == a[0].size else _order_of(a, i, b, j))
        source, row = (a, i) if side <= 0 else (b, j)
        first, size = source[1][row], source[1][row + 1] - source[1][row]
        p, p_end = (a[3][i], a[3][i + 1]) if side <= 0 else (np.int64(0), np.int64(0))
        q, q_end = (b[3][j], b[3][j + 1]) if side >= 0 else (np.int64(0), np.int64(0))
        if is_filled:
            out[0][n] = source[0][row]
            for k in range(size):
                out[2][n_bytes + k] = source[2][first + k]
        while p < p_end or q < q_end:
            take_left = q == q_end or (p < p_end and a[4][p] <= b[4][q])
            take_right = p == p_end or (q < q_end and b[4][q] <= a[4][p])
            if is_filled:
                out[4][n_pairs] = a[4][p] if take_left else b[4][q]
                out[5][n_pairs] = (a[5][p] if take_left else 0) + (b[5][q] if take_right else 0)
                out[6][n_pairs] = (a[6][p] if take_left else 0) | (b[6][q] if take_right else 0)
            n_pairs += 1
            p += take_left
            q += take_right
        n_bytes += size
        n += 1
        if is_filled:
            out[1][n], out[3][n] = n_bytes, n_pairs
        i += side <= 0
        j += side >= 0
    return n, n_bytes, n_pairs
