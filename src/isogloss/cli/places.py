"""Where a command writes: checked before all work, also against what the same command reads."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from isogloss.data.pairs import PairFile
from isogloss.errors import InputError
from isogloss.storage.files import Kind, refuse_existing, refuse_read, resolved

_NAMES = ("bundled", "encoder", "random")  # values that stand for no file, whatever lies there


def refuse_place(
    path: Path, *reads: object, overwrite: bool, makes: Kind, option: str = "--out"
) -> None:
    """Refuse a place that is taken, cannot be written, or is read by the command.

    Parameters
    ----------
    reads
        Values of arguments and options: a path, ``LANG=FILE``, the name of an encoder, a list of
        them, or None.
    """
    refuse_piped_twice(reads)
    refuse_read(path, places_read(reads), option=option)
    refuse_existing(path, overwrite=overwrite, makes=makes, option=option)


def refuse_piped_twice(values: Iterable[object]) -> None:
    """Raise `InputError` when standard input is named twice, whose second reader finds nothing."""
    piped = [value for value in _each(values) if value == "-" or value.endswith("=-")]
    if len(piped) > 1:
        raise InputError(
            f"standard input can be read once, and {' and '.join(piped)} both name it; name a file "
            "for one of them"
        )


def refuse_inside(path: Path, *, option: str = "--out", **folders: Path | None) -> None:
    """Refuse folders that a command keeps, at or in what it makes: that takes their place.

    `folders` are given by the names of their options.
    """
    made = resolved(path)
    for name, folder in folders.items():
        if folder is not None and resolved(folder).is_relative_to(made):
            raise InputError(f"is {option} or in it; give --{name} another place", path=folder)


def refuse_same_file(places: Iterable[tuple[str, Path]]) -> None:
    """Refuse a file that stands twice, under two names too.

    In one option its texts would count twice, or be in two languages; in two, a model would be
    chosen by, or scored on, the texts that it learned from or was chosen by.

    Parameters
    ----------
    places
        Options with each of their files.
    """
    met: dict[Path, tuple[str, Path]] = {}
    for option, path in places:
        real = resolved(path)
        if real not in met:
            met[real] = (option, path)
            continue
        of_first, first = met[real]
        same = "" if first == path else f", as {first}"
        if of_first == option:
            raise InputError(f"{option} names this file twice{same}; leave one out", path=path)
        raise InputError(
            f"{of_first} and {option} both name this file{same}; give {option} other texts",
            path=path,
        )


def refuse_same_pairs(files: Mapping[str, Iterable[PairFile]]) -> None:
    """Refuse a file of which the same two languages are read twice: a table may hold others too.

    Parameters
    ----------
    files
        Option to its files.
    """
    by_langs: dict[frozenset[str], list[tuple[str, Path]]] = {}
    for option, of_option in files.items():
        for file in of_option:
            langs = frozenset((file.first, file.second))
            by_langs.setdefault(langs, []).append((option, file.path))
    for some in by_langs.values():
        refuse_same_file(some)


def places_read(values: Iterable[object]) -> Iterator[Path]:
    """Yield the paths that values of arguments and options may name."""
    for value in values:
        if isinstance(value, Path):
            yield value
        elif isinstance(value, str) and value not in _NAMES:
            file = Path(value.partition("=")[2])
            yield from [Path(value), file] if file.is_file() else [Path(value)]
        elif isinstance(value, list):
            yield from places_read(value)


def _each(values: Iterable[object]) -> Iterator[str]:
    """Yield values of arguments and options as they were written, also those of lists."""
    for value in values:
        if isinstance(value, list):
            yield from _each(value)
        elif value is not None:
            yield str(value)
