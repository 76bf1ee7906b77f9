"""What is known of a data set before any of its files is there."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Paper = Literal["pires", "boe", "geometry", "labse"]


@dataclass(frozen=True)
class PublishedFile:
    """A file as it is published.

    Attributes
    ----------
    lang
        Its language: a code of two letters, but of three in Tatoeba, as that has them; ``"mul"`` of
        a file of all languages.
    split
        ``"train"``, ``"dev"``, ``"test"``, or what the data set has in their place.
    names
        Where it may lie in the folder of the data set, the published place first; each also with
        ``.gz``. A ``*`` stands for a date or the like.
    beside
        Names in the same folder of files that are read with it.
    n
        How many units the published file has; None: not checked at its source, or other in each
        release.
    """

    lang: str
    split: str
    names: tuple[str, ...]
    beside: tuple[str, ...] = ()
    n: int | None = None


@dataclass(frozen=True)
class DataSet:
    """A data set of a paper.

    Attributes
    ----------
    name
        ``"MLDoc"``.
    papers
        Those that it is needed for.
    licence
        Its terms, in a few words.
    source
        Where to get it, or whom to ask.
    folder
        Where it goes, under the folder of all data.
    layout
        One sentence on its files.
    unit
        What the numbers of its files count: ``"sentence"``.
    files
        As they are published.
    count
        From a file to its number of units, by the reader of the data set; raises as that does.
    """

    name: str
    papers: tuple[Paper, ...]
    licence: str
    source: str
    folder: str
    layout: str
    unit: str
    files: tuple[PublishedFile, ...]
    count: Callable[[Path], int]

    @property
    def languages(self) -> list[str]:
        """Languages of its files, in their order."""
        return list(dict.fromkeys(file.lang for file in self.files))
