"""The link graph of a dump: edges of the parts in, neighbours of all entities out, on disk.

Memory does not grow with the dump: entities are taken in ranges of `EDGES_AT_ONCE` edges.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from isogloss.arrays import Ints1d, SmallInts1d
from isogloss.progress import progress
from isogloss.storage.array_file import Arrays, map_arrays, new_arrays

EDGES_AT_ONCE = 1 << 25  # 8 bytes each, sorted in memory
_ENTITY = np.int64(0xFFFFFFFF)


def edges_of(part: Arrays, number_of_title: SmallInts1d) -> Ints1d:
    """Return the links between entities of a part, both ways, sorted, each once.

    Parameters
    ----------
    part
        Of `isogloss.vectors.corpus.dump_pages.read_part`.

    Returns
    -------
    int64: one entity's number in the high half, the other's in the low half.
    """
    own_title = np.repeat(part["page_entity"], np.diff(part["page_links"]))
    own = np.where(own_title < 0, -1, number_of_title[own_title])
    to = number_of_title[part["link_entity"]]
    is_edge = (own >= 0) & (to >= 0) & (own != to)
    own, to = own[is_edge].astype(np.int64), to[is_edge].astype(np.int64)
    return np.unique(np.concatenate([own << 32 | to, to << 32 | own]))


def write_graph(parts: Sequence[Path], n_entities: int, out: Path) -> None:
    """Write ``offsets`` (int64) and ``neighbours`` (int32) of the graph without doubles.

    Parameters
    ----------
    parts
        Files with the array ``edges`` of `edges_of`.
    """
    edges = [map_arrays(path)[0]["edges"] for path in parts]
    n_edges = np.zeros(n_entities, np.int64)
    for some in edges:
        linked, n_times = np.unique(some >> 32, return_counts=True)
        n_edges[linked] += n_times
    bounds = list(pairwise(_bounds(n_edges)))
    raw = out.with_name(f"{out.name}.raw")
    offsets = np.zeros(n_entities + 1, np.int64)
    with raw.open("wb") as file, progress("link graph", n_entities, "entities") as advance:
        for first, last in bounds:
            ends = np.array([first, last], np.int64) << 32
            slices = [some[slice(*np.searchsorted(some, ends))] for some in edges]
            found = np.unique(np.concatenate(slices))
            sizes = np.bincount((found >> 32) - first, minlength=last - first)
            offsets[first + 1 : last + 1] = sizes
            file.write((found & _ENTITY).astype(np.int32).tobytes())
            advance(last - first)
    np.cumsum(offsets, out=offsets)
    n_neighbours = int(offsets[-1])
    shapes = {"offsets": (np.int64, offsets.size), "neighbours": (np.int32, n_neighbours)}
    with new_arrays(out, shapes) as arrays:
        arrays["offsets"][:] = offsets
        if n_neighbours:
            arrays["neighbours"][:] = np.memmap(raw, np.int32, "r")
    raw.unlink()


def _bounds(n_edges: Ints1d) -> Iterator[int]:
    """Yield the ends of ranges of entities with few enough edges together."""
    total = np.cumsum(n_edges)
    first = 0
    yield first
    while first < n_edges.size:
        before = int(total[first - 1]) if first else 0
        last = int(np.searchsorted(total, before + EDGES_AT_ONCE, "right"))
        first = min(max(first + 1, last), n_edges.size)
        yield first
