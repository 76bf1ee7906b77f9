"""How often each title of a wiki is linked to, whether a page has it or not: parts in, one run out.

Titles linked to that no page has ("red links") can be entities too, where so many links agree.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.storage.array_file import Arrays, map_arrays, taken, write_arrays
from isogloss.wiki.counts.runs import merge_runs, run_of
from isogloss.wiki.counts.titles import RedLinks
from isogloss.wiki.dump.extract import TO_ARTICLE
from isogloss.wiki.dump.parts import Extraction
from isogloss.workers import make_of_parts


def write_targets(extraction: Extraction, out: Path, *, workers: int = 1) -> None:
    """Count the links to each title of the main namespace into one run (`runs`) of the entity 0.

    A file that is there is taken as it is; a stopped count goes on.
    """
    tasks = [[str(part)] for part in extraction.parts]
    make_of_parts(
        out, __name__, None, tasks, lambda runs: merge_runs(runs, out),
        workers=workers, doing="counting links to titles",
    )  # fmt: skip


def worker(_: Any) -> Any:
    """Return the function that counts a part in a process of its own: see `workers`."""

    def work(task: bytes) -> bytes:
        part, out = json.loads(task)
        write_arrays(Path(out), targets_of_part(map_arrays(Path(part))[0]))
        return b""

    return work


def targets_of_part(part: Arrays) -> Arrays:
    """Return the run of one part: title, entity 0, links to it."""
    n_links = np.bincount(part["link_target"], minlength=part["target_kind"].size)
    rows = np.flatnonzero((part["target_kind"] == TO_ARTICLE) & (n_links > 0))
    names, offsets = taken(part["targets"], part["target_offsets"], rows)
    none = np.zeros(rows.size, np.int64)
    return run_of(names, offsets, none, n_links[rows].astype(np.int64), none.astype(np.uint8))


def frequent_targets(run: Arrays, min_links: int) -> RedLinks:
    """Return the titles with so many links, for `write_titles`, which keeps those without a page.

    Parameters
    ----------
    run
        Of `write_targets`.
    """
    rows = np.flatnonzero(run["n_links"] >= min_links)
    return taken(run["names"], run["name_offsets"], rows)
