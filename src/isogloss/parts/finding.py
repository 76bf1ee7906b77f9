"""Parts of a corpus: the files of a folder or a glob, by their names in it.

A name that begins with a dot or an underscore is none of data, as Spark and Hive have it
(``_SUCCESS``); how many are left out for it is said. Linked folders are not entered; a link to a
file that is a part already is left out, or its rows would come twice.
"""

import glob
import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isogloss.data.lines import COMPRESSED
from isogloss.errors import InputError, counted
from isogloss.parts.listing import refuse_unlisted, refuse_unlisted_of
from isogloss.storage.files import resolved
from isogloss.storage.left_over import LONGEST_NAME, holding_name

PART_ENDINGS = (".parquet", ".jsonl", ".ndjson", ".csv", ".tsv")


@dataclass(frozen=True)
class Part:
    """A file of a corpus, and its name there: a relative path, with ``/``."""

    path: Path
    name: str

    @property
    def target(self) -> str:
        """Name of the part that is made of it.

        Examples
        --------
        >>> Part(Path("in/a.csv.gz"), "a.csv.gz").target
        'a.csv.gz.parquet'
        """
        return self.name if self.name.endswith(".parquet") else f"{self.name}.parquet"

    @property
    def fault_of_name(self) -> str:
        """Why no part can be made of a file of this name, and what to do; "" where one can."""
        made = Path(self.target).name
        try:
            str(self.path).encode()  # as it goes to other processes, in JSON
        except UnicodeEncodeError:
            return "the path is not UTF-8; rename it"
        n_bytes = len(holding_name(made).encode())
        if n_bytes > LONGEST_NAME:
            return (
                f"the name of its part is {counted(n_bytes - LONGEST_NAME, 'byte')} too long for a "
                "file; give it a shorter one"
            )
        return ""


@dataclass(frozen=True)
class FoundParts:
    """Parts in the order of their names, and what was passed over, in words."""

    root: Path
    parts: list[Part]
    passed_over: list[str]


@dataclass(frozen=True)
class Shard:
    """One of several shares of the parts; each part is in one, whatever other parts there are.

    Parameters
    ----------
    number
        Of the share, from 1.
    of
        How many there are.
    """

    number: int
    of: int

    def __contains__(self, part: object) -> bool:
        """Whether a part is in this share."""
        if not isinstance(part, Part):
            return False
        hashed = hashlib.sha256(part.name.encode(errors="surrogateescape")).digest()
        return int.from_bytes(hashed) % self.of == self.number - 1


def is_many(given: str) -> bool:
    """Whether a value names a folder, or is a glob pattern that is no file itself."""
    path = Path(given)
    try:
        return path.is_dir() or (glob.has_magic(given) and not path.exists())
    except OSError:  # a name too long for any file
        return False


def find_parts(given: str, out: Path, *, advice: str = "") -> FoundParts:
    """Find the parts that a folder or a glob pattern names.

    Parameters
    ----------
    out
        Where parts are made, which must not be among them.
    advice
        Where there is none: what to do with files of another kind.

    Raises
    ------
    InputError
        When there is none, a folder cannot be listed, or `out` is where they are read from.
    """
    root = _root(given)
    passed_over: list[str] = []
    files = sorted(_walked(root, passed_over) if Path(given).is_dir() else _matched(given))
    named = [path for path in files if not _is_hidden(path, root)]
    data = [path for path in named if _is_data(path)]
    n_hidden = sum(map(_is_data, files)) - len(data)
    if n_hidden:
        passed_over.append(f"{counted(n_hidden, 'file')} whose name or folder begins with . or _")
    _refuse_inside(Path(given), data, out)
    if len(data) < len(named):
        others = counted(len(named) - len(data), "file")
        passed_over.append(f"{others} of other kinds than {', '.join(PART_ENDINGS)}")
    parts: list[Part] = []
    met: dict[Path, Path] = {}
    for path in sorted(data, key=lambda one: (one.is_symlink(), one)):
        first = met.setdefault(Path(os.path.realpath(path)), path)
        if first != path:
            passed_over.append(f"{path}, a link to {first}")
            continue
        parts.append(Part(path, path.relative_to(root).as_posix()))
    if not parts:
        raise InputError(
            f"names no part; a part is a file that ends in one of {', '.join(PART_ENDINGS)}, each "
            f"but .parquet also with .gz or .zst{advice}",
            path=given,
        )
    return FoundParts(root, sorted(parts, key=lambda part: part.name), passed_over)


def _root(given: str) -> Path:
    """Return the folder that holds all parts: what is before the first pattern."""
    path = Path(given)
    if path.is_dir():
        return path
    before = []
    for part in path.parts[:-1]:
        if glob.has_magic(part):
            break
        before.append(part)
    return Path(*before)


def _walked(root: Path, passed_over: list[str]) -> Iterator[Path]:
    for folder, names, files in os.walk(root, onerror=refuse_unlisted):
        links = (Path(folder, name) for name in names)
        passed_over += [f"{path}, a link to a folder" for path in links if path.is_symlink()]
        yield from (Path(folder, file) for file in files)


def _matched(given: str) -> Iterator[Path]:
    refuse_unlisted_of(given)
    for found in glob.glob(given, recursive=True):  # noqa: PTH207  (pathlib's enters no "a/**")
        if not os.path.isdir(found):  # noqa: PTH112 (Path fails where nothing may be entered)
            yield Path(found)


def _is_hidden(path: Path, root: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(root).parts)


def _is_data(path: Path) -> bool:
    if path.suffix == ".parquet":
        return True
    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    return name.suffix in PART_ENDINGS and name.suffix != ".parquet"


def _refuse_inside(given: Path, data: list[Path], out: Path) -> None:
    place = resolved(out)
    around = [given] if given.is_dir() else []
    if any(place.is_relative_to(resolved(folder)) for folder in around):
        raise InputError(f"lies in {given}, which this command reads; choose another --out",
                         path=out)  # fmt: skip
    # Not `resolved`: a link that leads back to itself is one part that cannot be read.
    real = ((path, Path(os.path.realpath(path))) for path in data)
    inside = next((path for path, at in real if at.is_relative_to(place)), None)
    if inside is not None:
        raise InputError(f"holds {inside}, which this command reads; choose another --out",
                         path=out)  # fmt: skip
