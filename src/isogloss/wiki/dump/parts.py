"""From a dump to a folder of extracted parts, from which a stopped run resumes.

A part holds what `extract` reads of some blocks, in one file of arrays to be mapped, named by its
number. It says where in the dump its last block ends, so that a run that was killed goes on after
the last whole part. Parts are the same whatever the number of workers and however often the run was
stopped.
"""

import shutil
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice, takewhile
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.data.lines import STANDARD_INPUT
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.progress import logger
from isogloss.storage.array_file import Arrays, atomic_part, map_arrays, unpacked, write_arrays
from isogloss.storage.files import LOCK, damage_in_one_sentence, read_json, write_json
from isogloss.storage.work_folder import facts_of_file
from isogloss.wiki.dump.extract import DISAMBIGUATION, REDIRECT, joined, settings_of
from isogloss.wiki.dump.pages import BEGINNING_OF_PAGE, END_OF_DUMP
from isogloss.wiki.dump.reader import Block, Dump, Position
from isogloss.wiki.site import Site
from isogloss.workers import map_blocks

VERSION = 5  # of what is extracted, and how it is written
BLOCKS = 8  # of about 4 MB of XML in a part
LEFT_FOR_COUNTS = 1.5  # disk space by that of the parts, with what is counted beside them


@dataclass(frozen=True)
class Extraction:
    """The parts of a dump.

    Parameters
    ----------
    parts
        Their files, in the order of the dump.
    counts
        ``pages`` of the main namespace, ``redirects`` among them, ``disambiguations`` by template,
        ``links``, and what was left out on purpose.
    dropped
        What could not be read, by reason.
    site
        The wiki, as the dump describes it.
    """

    parts: list[Path]
    counts: Counter[str]
    dropped: Counter[str]
    site: Site

    def arrays(self) -> Iterator[Arrays]:
        """Yield the arrays of each part (`extract.Extracted`), mapped."""
        return (map_arrays(part)[0] for part in self.parts)


def extract_dump(
    dump: Path,
    folder: Path,
    *,
    code: str,
    workers: int = 1,
    limit: int | None = None,
    blocks_a_part: int | None = None,
    keeps_others: bool = True,
    room: float = LEFT_FOR_COUNTS,
) -> Extraction:
    """Extract a dump into parts, or what is missing of them.

    Parameters
    ----------
    dump
        XML of ``pages-articles``.
    folder
        Where the parts go; made if it is missing.
    code
        Code of the Wikipedia: ``"ja"``, ``"simple"``.
    workers
        Processes, and threads that decompress.
    limit
        Read the first pages only, of any namespace.
    blocks_a_part
        Blocks in a part, `BLOCKS` when None; fewer lose less in a stop and make more files.
    keeps_others
        Refuse a folder that holds the work on another dump, or with another `limit`; else it
        is emptied.
    room
        Disk space by that of the parts, which must be free for them and what is made of them.

    Raises
    ------
    InputError
        When the dump cannot be read, the folder holds parts of another, or the disk is too small.
    """
    work = _Work(dump, folder, code, limit, blocks_a_part or BLOCKS)
    work.prepare(keeps_others=keeps_others)
    if not work.is_done:
        with _opened(dump, code, workers, work) as opened:
            work.extract(opened, workers, room)
    return work.extraction


class _Work:
    """The folder of a dump's parts."""

    def __init__(
        self, dump: Path, folder: Path, code: str, limit: int | None, blocks_a_part: int
    ) -> None:
        self.dump, self.folder, self.limit, self.code = dump, folder, limit, code
        self.blocks_a_part = blocks_a_part
        self._end = folder / "extraction.json"

    def prepare(self, *, keeps_others: bool) -> None:
        """Make the folder; refuse the work on another dump, or remove it unless `keeps_others`."""
        about = self.folder / "dump.json"
        is_piped = _is_piped(self.dump)
        source = {
            "version": VERSION, "dump": self.dump.name, "code": self.code, "limit": self.limit,
            "file": None if is_piped else facts_of_file(self.dump),
            "blocks_a_part": self.blocks_a_part,
        }  # fmt: skip
        self.folder.mkdir(parents=True, exist_ok=True)
        if keeps_others and not about.exists():
            self._refuse_foreign_files()
        if about.exists() and read_json(about, what="a work folder") != source:
            if keeps_others:
                raise InputError(
                    "holds the work on another dump, with another --limit, or of another version "
                    "of isogloss; remove it, or give another --work",
                    path=self.folder,
                )
            self._begin_anew("it held the work on another dump, or with other options")
            about.unlink()
        if not about.exists():
            with atomic_part(about) as temporary:
                write_json(temporary, source)
        elif is_piped:
            # No pipe can be known again.
            self._begin_anew(f"{_named(self.dump)} cannot be compared with what was read before")

    def _refuse_foreign_files(self) -> None:
        ours = (LOCK, "dump.json.new")  # the latter is what a kill leaves
        if any(path.name not in ours for path in self.folder.iterdir()):
            raise InputError(
                "holds files that isogloss did not make; remove them, or give another --work",
                path=self.folder,
            )

    def _begin_anew(self, why: str) -> None:
        """Remove what came of another dump or pipe, and the later stages."""
        others = [path for path in self.folder.iterdir() if path.name not in ("dump.json", LOCK)]
        if others:
            logger.info("%s: begins anew, since %s", self.folder, why)
        self._end.unlink(missing_ok=True)  # first: without it nothing passes for whole
        for path in others:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)

    @property
    def is_done(self) -> bool:
        return self._end.exists()

    @property
    def parts(self) -> list[Path]:
        files = (self.folder / f"{number:06}.part" for number in count())
        return list(takewhile(Path.exists, files))

    @property
    def extraction(self) -> Extraction:
        end = read_json(self._end, what="a work folder")
        parts = self.parts
        with damage_in_one_sentence(self._end, advice="remove it, and build again"):
            n_parts, site = end["n_parts"], Site.of_facts(end["site"])
            counts, dropped = Counter[str](), +Counter[str](end["dropped"])
        if len(parts) != n_parts:
            raise InputError(
                "lacks some of its parts; remove it, and build again", path=self.folder
            )
        for part in parts:
            facts = map_arrays(part)[1]
            counts.update(facts["counts"])
            dropped.update(facts["dropped"])
        return Extraction(parts, counts, +dropped, site)

    @cached_property
    def last(self) -> dict[str, Any] | None:
        """What the last whole part says of itself when the run begins."""
        parts = self.parts
        return map_arrays(parts[-1])[1] if parts else None

    def extract(self, opened: Dump, workers: int, room: float) -> None:
        number = n_before = len(self.parts)
        n_seen = 0 if self.last is None else self.last["n_seen"]
        if number:
            logger.info("%s: going on after %s", self.dump, counted(number, "part"))
        watch = _Watch(opened, self.folder, room)
        read_blocks = map_blocks(
            "isogloss.wiki.dump.extract",
            settings_of(opened.site, self.code),
            watch.blocks(_limited(opened.blocks(), n_seen, self.limit)),
            lambda read: read.block.data,
            workers=workers,
        )
        results = ((_place_after(read), data) for read, data in read_blocks)
        while group := list(islice(results, self.blocks_a_part)):
            path = self.folder / f"{number:06}.part"
            _write_part(path, [data for _, data in group], group[-1][0])
            watch.part_written(path, group[-1][0].n_bytes)
            number += 1
        dropped = Counter(opened.dropped.pages)
        # Nothing is left to read, and nothing missing, where the last part has the dump's end.
        was_whole = number == n_before and self.last is not None and self.last["is_end"]
        if self.limit is None and opened.dropped.ends_early and not was_whole:
            dropped["ends of files"] += 1
        with atomic_part(self._end) as temporary:
            write_json(
                temporary, {"n_parts": number, "dropped": dropped, "site": opened.site.facts()}
            )
        dropped = self.extraction.dropped
        if dropped:
            told = ", ".join(f"{n:,} {reason}" for reason, n in sorted(dropped.items()))
            warn_omitted(f"{self.dump}: lost: {told}")


class _Read(NamedTuple):
    """A block that was read, the pages so far, and the bytes of the file."""

    block: Block
    n_seen: int
    n_bytes: int


class _Place(NamedTuple):
    """Where a block ends in the dump, as `_Read` has it, and whether the dump does."""

    end: Position
    n_seen: int
    n_bytes: int
    is_end: bool


def _place_after(read: _Read) -> _Place:
    """Return what is kept of a block once it is extracted: its XML would fill the memory."""
    is_end = read.block.data.rstrip().endswith(END_OF_DUMP)
    return _Place(read.block.end, read.n_seen, read.n_bytes, is_end)


def _is_piped(dump: Path) -> bool:
    """Say whether a dump can be read once only: standard input, or a named pipe."""
    if dump == STANDARD_INPUT:
        return True
    if not dump.exists() or dump.is_dir():
        raise InputError("no such file; give a dump of pages-articles", path=dump)
    return not dump.is_file()


def _named(dump: Path) -> str:
    return "standard input" if dump == STANDARD_INPUT else f"the pipe {dump}"


def _opened(dump: Path, code: str, workers: int, work: _Work) -> Dump:
    start = None if work.last is None else Position(*work.last["end"])
    return Dump(dump, language=code, workers=workers, start=start)


def _limited(
    blocks: Iterable[Block], n_seen: int, limit: int | None
) -> Iterator[tuple[Block, int]]:
    """Yield the blocks up to the limit with the pages seen until then; the last may be cut."""
    if limit is not None and n_seen >= limit:
        return
    for block in blocks:
        if limit is None:
            yield block, 0
            continue
        begins = [found.start() for found in BEGINNING_OF_PAGE.finditer(block.data)]
        n_seen += len(begins)
        if n_seen > limit:
            data = block.data[: begins[limit - n_seen]]
            yield Block(data, block.end), limit
            return
        yield block, n_seen
        if n_seen == limit:
            return


def _write_part(path: Path, results: list[bytes], last: _Place) -> None:
    read = [unpacked(result) for result in results]
    arrays = joined([found for found, _ in read])
    dropped, counts = Counter[str](), Counter[str]()
    for _, facts in read:
        dropped.update(facts["dropped"])
        counts.update(facts["others"])
    flags = arrays["page_flags"]
    counts["pages"] = flags.size
    counts["redirects"] = int((flags & REDIRECT != 0).sum())
    counts["disambiguations"] = int((flags & DISAMBIGUATION != 0).sum())
    counts["links"] = arrays["link_target"].size
    facts = {
        "end": last.end, "n_seen": last.n_seen, "counts": counts, "dropped": dropped,
        "is_end": last.is_end,
    }  # fmt: skip
    write_arrays(path, arrays, facts)


class _Watch:
    """Say after the first part how long the dump will take and how much disk space."""

    def __init__(self, opened: Dump, folder: Path, room: float) -> None:
        self._opened, self._folder, self._room = opened, folder, room
        self._start = time.monotonic()
        self._first: int | None = None
        self._is_said = _is_piped(opened.path)

    def blocks(self, blocks: Iterable[tuple[Block, int]]) -> Iterator[_Read]:
        for block, n_seen in blocks:
            n_bytes = self._opened.n_read
            self._first = n_bytes if self._first is None else self._first
            yield _Read(block, n_seen, n_bytes)

    def part_written(self, part: Path, n_bytes: int) -> None:
        if self._is_said or self._first is None or n_bytes <= self._first:
            return
        self._is_said = True
        left = self._opened.path.stat().st_size - n_bytes
        times = left / (n_bytes - self._first)
        minutes = times * (time.monotonic() - self._start) / 60
        n_needed = int(times * part.stat().st_size * self._room)
        n_free = shutil.disk_usage(self._folder).free
        logger.info(
            "%s: about %.0f minutes to read the rest, and %.1f GB in %s, where %.1f GB are free",
            self._opened.path, minutes, n_needed / 1e9, self._folder, n_free / 1e9,
        )  # fmt: skip
        if n_needed > n_free:
            raise InputError(
                f"about {n_needed / 1e9:.0f} GB are needed here and {n_free / 1e9:.0f} GB are "
                "free; give --work on a larger disk",
                path=self._folder,
            )
