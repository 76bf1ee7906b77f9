"""Which files of a data set are there, which are missing and why, and how large they are."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.errors import InputError, counted
from isogloss.reproduce.data.data_set import DataSet, PublishedFile

Key = tuple[str, str]  # language and split
PACKED = ".gz"
NOT_THERE = "is not there"
READ_ME = ("readme", "licen", "copying", "00-readme")  # how names of files begin that are no data


@dataclass(frozen=True)
class Missing:
    """A file that cannot be read.

    Attributes
    ----------
    path
        Where it is expected.
    why
        `NOT_THERE`, or what is there in its place.
    """

    lang: str
    split: str
    path: Path
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


@dataclass(frozen=True)
class Found:
    """What is there of a data set.

    Attributes
    ----------
    files
        (language, split) → its file, in the order of the data set; where several are read together,
        the one that the data set names first.
    missing
        The other files.
    others
        Files of the folder that are none of the data set, and are not read.
    """

    data_set: DataSet
    files: dict[Key, Path]
    missing: list[Missing]
    others: list[Path] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether no file is missing."""
        return not self.missing


@dataclass(frozen=True)
class Size:
    """How many units a file has, beside the published one.

    Attributes
    ----------
    n_published
        None: not known.
    """

    path: Path
    n: int
    n_published: int | None
    unit: str

    @property
    def is_published(self) -> bool | None:
        """Whether the file is as large as the published one; None: that is not known."""
        return None if self.n_published is None else self.n == self.n_published

    def __str__(self) -> str:
        """Say it: ``english.dev: 946 of 1,000 documents; not the published file``."""
        has = counted(self.n, self.unit)
        if self.n_published is None:
            return f"{self.path.name}: {has}"
        if self.n == self.n_published:
            return f"{self.path.name}: {has}, as published"
        of = counted(self.n_published, self.unit)
        if self.n < self.n_published:
            return f"{self.path.name}: {self.n:,} of {of}; not the published file"
        return f"{self.path.name}: {has}, where the published file has {self.n_published:,}"


def find(data_set: DataSet, folder: Path) -> Found:
    """Look for the files of a data set; none is opened.

    Parameters
    ----------
    folder
        That of all data: the files are looked for in ``folder / data_set.folder``.

    Raises
    ------
    InputError
        When the folder of all data is not there, or is none.
    """
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "no such folder"
        raise InputError(f"{what}; give the folder that holds the data sets", path=folder)
    home = folder / data_set.folder
    files: dict[Key, Path] = {}
    missing, known = [], set()
    for file in data_set.files:
        path, why = _place(file, home)
        if why:
            missing.append(Missing(file.lang, file.split, path, why))
        else:
            files[file.lang, file.split] = path
        known |= {path, *(_packed_or_plain(path.with_name(name)) for name in file.beside)}
    others = [path for path in _all_files(home) if path not in known]
    return Found(data_set, files, missing, others)


def size_of(found: Found, lang: str, split: str) -> Size:
    """Count the units of a file that was found, which reads it whole.

    Raises
    ------
    InputError
        What the reader of the data set says of a damaged file.
    """
    path = found.files[lang, split]
    published = next(
        file.n for file in found.data_set.files if (file.lang, file.split) == (lang, split)
    )
    return Size(path, found.data_set.count(path), published, found.data_set.unit)


def _place(file: PublishedFile, home: Path) -> tuple[Path, str]:
    """Return where a file lies and nothing, or where it should and what is wrong."""
    for name in file.names:
        there = list(_named(home, name))
        if len(there) > 1:
            names = ", ".join(sorted(path.name for path in there))
            return home / name, f"could be {names}; leave one of them there"
        if there:
            return there[0], _wrong(there[0]) or _wrong_beside(there[0], file.beside)
    return home / file.names[0], NOT_THERE


def _named(home: Path, name: str) -> Iterator[Path]:
    """Yield the files of a name; a file hides its packed twin."""
    for one in (name, name + PACKED):
        found = sorted(home.glob(one)) if "*" in one else [home / one]
        there = [path for path in found if path.exists() or path.is_symlink()]
        yield from there
        if there:
            return


def _wrong(path: Path) -> str:
    if path.is_file():
        return ""
    if path.is_dir():
        return "is a folder; put the file there"
    return "is a link that leads nowhere" if path.is_symlink() else "is no file"


def _wrong_beside(path: Path, names: tuple[str, ...]) -> str:
    for name in names:
        other = _packed_or_plain(path.with_name(name))
        why = _wrong(other) if other.exists() or other.is_symlink() else NOT_THERE
        if why:
            return f"is read with {name}, which {why}"
    return ""


def _packed_or_plain(path: Path) -> Path:
    packed = path.with_name(path.name + PACKED)
    return packed if packed.exists() and not path.exists() else path


def _all_files(home: Path) -> list[Path]:
    found = [path for path in home.rglob("*") if not path.is_dir()]
    return sorted(path for path in found if not path.name.lower().startswith((".", *READ_ME)))
