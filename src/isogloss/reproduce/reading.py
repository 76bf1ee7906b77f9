"""The files of a data set that are there, read: what is wrong with one is said, the others go on.

A file that is not there is no fault, whatever the data set: nobody has to have all languages. It is
named, and what needs it is left out. A file of another size than the published one is read too, and
said in every row that rests on it.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from isogloss.errors import counted
from isogloss.reproduce.data import NOT_THERE, Found, Size, data_set, find
from isogloss.reproduce.tasks import Asked, sentences_into

N_NAMED = 5  # files that a sentence names
Text = TypeVar("Text")
Key = tuple[str, str]  # language and split


@dataclass(frozen=True)
class ReadSet(Generic[Text]):
    """What was read of a data set.

    Attributes
    ----------
    found
        What is there.
    texts
        (language, split) → its text.
    failures
        One sentence for each file that cannot be read, or has something else in its place.
    other_sizes
        (language, split) → what is not as published.
    lacks
        What is not there, in one sentence; "" where all is.
    """

    found: Found
    texts: dict[Key, Text] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    other_sizes: dict[Key, str] = field(default_factory=dict)
    lacks: str = ""

    def of_split(self, split: str) -> dict[str, Text]:
        """Return the texts of a split by language."""
        return {lang: text for (lang, other), text in self.texts.items() if other == split}

    def differs(self, keys: Iterable[Key]) -> str:
        """Say which of some files are not as published; "" where all are, as far as is known."""
        said = list(dict.fromkeys(self.other_sizes[key] for key in keys if key in self.other_sizes))
        if len(said) > 1:
            said[1:] = [f"and {counted(len(said) - 1, 'more file')} like it"]
        return "; ".join(said)


def keys_of(name: str, *splits: str) -> list[Key]:
    """Return the languages and splits of a data set's files, of some splits."""
    return [(file.lang, file.split) for file in data_set(name).files if file.split in splits]


def read_set(
    asked: Asked,
    name: str,
    wanted: Collection[Key],
    read: Callable[[str, Path], Text],
    count: Callable[[Text], int],
) -> ReadSet[Text]:
    """Read files of a data set.

    Parameters
    ----------
    name
        Of its folder.
    wanted
        Languages and splits of the files, as `keys_of` gives those of some splits.
    read
        From language and file to its text.
    count
        From a text to the number of its units, which is compared with that of the published file.
    """
    sizes = {(file.lang, file.split): file.n for file in data_set(name).files}
    found = find(data_set(name), asked.data)
    made: ReadSet[Text] = ReadSet(found)
    for key in wanted:
        if key in found.files:
            with sentences_into(made.failures):
                text = made.texts[key] = read(key[0], found.files[key])
                size = Size(found.files[key], count(text), sizes[key], found.data_set.unit)
                if size.is_published is False:
                    made.other_sizes[key] = str(size)
                if size.is_published is None:
                    made.other_sizes[key] = f"{size}, the published number is not known"
    missing = [one for one in found.missing if (one.lang, one.split) in wanted]
    made.failures.extend(str(one) for one in missing if one.why != NOT_THERE)
    missing = [one for one in missing if one.why == NOT_THERE]
    is_there = any(key in found.files for key in wanted)
    named = [f"{one.lang} ({one.split})" for one in missing]
    files = ", ".join(named[:N_NAMED])
    if len(named) > N_NAMED:
        files += f" and {len(named) - N_NAMED:,} more"
    place = asked.data / found.data_set.folder
    lacks = f"{found.data_set.name}: {place} lacks {files if is_there else 'all files'}"
    lacks = lacks if missing else ""
    return ReadSet(found, made.texts, made.failures, made.other_sizes, lacks)
