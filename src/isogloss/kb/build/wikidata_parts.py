"""A Wikidata dump parsed into part files in a work folder, so that a killed build can go on.

Part files are numbered by their place in the dump and written whole or not at all. The folder
belongs to one dump and one choice of what is kept: with another the parts are removed.
"""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Any

from isogloss.data.lines import STANDARD_INPUT
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.progress import logger
from isogloss.storage.array_file import map_arrays, write_arrays
from isogloss.storage.files import open_regular, parse_json, write_json
from isogloss.wiki.wikidata.columns import (
    BROKEN,
    GAPS,
    WikidataChoice,
    WikidataEntities,
    parse_entities,
)
from isogloss.wiki.wikidata.lines import BEGINNING, DumpLines, LineBlock, Place
from isogloss.workers import map_blocks, n_cores

BLOCKS_PER_PART = 64  # of 4 MB each
TOO_LONG, NO_END = "lines that are too long", "end of the dump is missing"
DROPPED = (BROKEN, TOO_LONG, GAPS, NO_END)
VERSION = 2  # of the part files: another isogloss may read dumps otherwise
# Parts, and what a kill leaves of one that was being written.
_OURS = re.compile(r"\d{6,}\.safetensors(\.new)?")


def parse_to_parts(
    dump: Path, folder: Path, choice: WikidataChoice, *, workers: int | None = None
) -> Counter[str]:
    """Parse a dump into the part files of a folder, going on after those that are there.

    Memory: some blocks for each worker, and the results of a part (a few MB).

    Parameters
    ----------
    dump
        The dump; ``Path("-")`` is standard input, which must be the same again after a stop.
    folder
        The work folder; it is made. Parts of another dump, choice or version are removed.
    choice
        What is kept.
    workers
        Processes; None: all cores.

    Returns
    -------
    Lines of the dump by what became of them.

    Raises
    ------
    InputError
        A missing or unreadable file, one that holds no entities, or changed standard input.
    """
    workers = workers or n_cores()
    _prepare(folder, _plan(dump, choice))
    done = part_files(folder)
    facts: dict[str, Any] = {"end": BEGINNING, "is_last": False}
    if done:
        facts = map_arrays(done[-1])[1]
    if not facts["is_last"]:
        if done:
            logger.info("going on after %s", counted(len(done), "part that is there", "parts"))
        try:
            _go_on(dump, folder, choice, Place(*facts["end"]), len(done), workers)
        except InputError as error:
            if not done:
                raise
            raise InputError(f"{error}; to start anew, remove {folder}") from error
        finally:
            if not part_files(folder):
                shutil.rmtree(folder)
    counts = sum(
        (Counter(map_arrays(part)[1]["counts"]) for part in part_files(folder)), Counter[str]()
    )
    dropped = [f"{reason}: {counts[reason]:,}" for reason in DROPPED if counts[reason]]
    if dropped:
        warn_omitted(f"{dump}: {', '.join(dropped)}")
    return counts


def part_files(folder: Path) -> list[Path]:
    """Return the part files of a folder, in order, up to the first gap."""
    files = (folder / _name(number) for number in count())
    return list(takewhile(Path.is_file, files))


def read_parts(folder: Path) -> Iterator[WikidataEntities]:
    """Yield the parts of a folder, one in memory at a time."""
    for path in part_files(folder):
        yield WikidataEntities.of_stored(*map_arrays(path))


def _go_on(
    dump: Path, folder: Path, choice: WikidataChoice, start: Place, number: int, workers: int
) -> None:
    lines = DumpLines(dump, workers=workers, start=start)
    part: list[WikidataEntities] = []
    end = start

    def write(*, is_last: bool) -> None:
        nonlocal number
        whole = WikidataEntities.joined(part or [parse_entities(b"", choice)])
        whole.counts[NO_END] += is_last and lines.dropped.ends_early
        write_arrays(folder / _name(number), *whole.stored(end=end, is_last=is_last))
        number += 1
        part.clear()

    results = map_blocks(
        "isogloss.wiki.wikidata.columns", list(choice), lines.blocks(), _data_of, workers=workers
    )
    for block, result in results:
        parsed = WikidataEntities.from_bytes(result)
        parsed.counts[TOO_LONG] += block.n_too_long
        if not number and not part:
            _refuse_other_files(parsed.counts, dump)
        part.append(parsed)
        end = block.end
        if len(part) == BLOCKS_PER_PART:
            write(is_last=False)
    write(is_last=True)


def _data_of(block: LineBlock) -> bytes:
    return block.data


def _refuse_other_files(counts: Counter[str], dump: Path) -> None:
    """Stop at once, not after hours, where the first block holds no entity."""
    n_omitted = counts[BROKEN] + counts[TOO_LONG]
    if n_omitted and n_omitted == counts.total():
        raise InputError(
            "does not begin with Wikidata's entities as JSON, one a line; give a dump such as "
            "latest-all.json.bz2",
            path=dump,
        )


def _plan(dump: Path, choice: WikidataChoice) -> dict[str, Any]:
    """Return what the parts depend on."""
    plan = {"version": VERSION, "dump": str(dump), "langs": choice.langs}
    plan["min_sitelinks"] = choice.min_sitelinks
    if dump != STANDARD_INPUT and dump.exists():
        known = dump.stat()
        plan |= {"dump": str(dump.resolve()), "size": known.st_size, "changed": known.st_mtime_ns}
    return json.loads(json.dumps(plan))


def _prepare(folder: Path, plan: dict[str, Any]) -> None:
    file = folder / "plan.json"
    try:
        with open_regular(file) as opened:
            if parse_json(opened.read()) == plan:
                return
    except (OSError, ValueError, InputError):
        pass
    folder.mkdir(exist_ok=True)
    if part_files(folder):
        logger.info("%s: begins anew, since it held the work on another dump, with other options, "
                    "or of another version of isogloss", folder)  # fmt: skip
    file.unlink(missing_ok=True)  # first: else parts that are left would pass for this plan's
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.is_file():
            path.unlink()
    write_json(file, plan)


def _name(number: int) -> str:
    return f"{number:06d}.safetensors"
