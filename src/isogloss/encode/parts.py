"""Vectors of the rows of many files: what each process of `parts.run` does."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from isogloss.data.blocks import RowBlock
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.encode.encoder import Encoder
from isogloss.encode.settings import TO_READ_ALL, LongTexts, Pooling
from isogloss.errors import counted
from isogloss.limits import Count
from isogloss.parts.source import RowSource
from isogloss.parts.work import TaskOptions, Work, working
from isogloss.totals import tell

COLUMN = "vector"


class EncodeOptions(TaskOptions, frozen=True, kw_only=True):
    """An encoder as `Encoder.load` takes it, and the layer; as JSON it goes to each process."""

    places: ClassVar[tuple[str, ...]] = ("name", "transform", "cache")

    name: str
    device: str
    dtype: str
    threads: int | None
    cache: str | None
    pooling: Pooling | None
    long_texts: LongTexts | None
    prefix: str | None
    normalize: bool | None
    transform: str | None
    layer: int | None

    def load(self) -> Encoder:
        """Load it; the last one is held, so that a process that asks twice loads once."""
        return _loaded(self)


@lru_cache(maxsize=1)
def _loaded(options: EncodeOptions) -> Encoder:
    given = msgspec.structs.asdict(options)
    del given["layer"]
    return Encoder.load(**given)


def let_go() -> None:
    """Hold no encoder: other processes have theirs."""
    _loaded.cache_clear()


class EncodeCounts(Struct, frozen=True):
    """The facts of a part."""

    n: Count
    n_cut: Count


class EncodeTask:
    """Adds the vector of each text, as float32."""

    def __init__(self, encoder: Encoder, layer: int | None) -> None:
        self.encoder, self.layer = encoder, layer
        # Of a layer before a Dense module it is another than the encoder's.
        self._width = encoder.encode_counted(["a"], layers=layer).vectors.shape[-1]

    @property
    def added(self) -> Sequence[Added]:
        """The one column."""
        return [Added(COLUMN, "vector", width=self._width)]

    def begin(self, source: RowSource) -> "EncodeWork":
        """Return the work on one file."""
        return EncodeWork(self)


class EncodeWork:
    """Vectors of the rows of one file."""

    def __init__(self, task: EncodeTask) -> None:
        self._task = task
        self._n = self._n_cut = 0

    def cells(self, block: RowBlock) -> AddedCells:
        """Encode some rows."""
        texts = block.documents.texts
        encoded = self._task.encoder.encode_counted(texts, layers=self._task.layer)
        n_cut = int(encoded.truncated.sum())
        self._n, self._n_cut = self._n + len(texts), self._n_cut + n_cut
        tell(_cut, n_cut)
        return [encoded.vectors]

    def facts(self) -> dict[str, Any]:
        """Return how many texts there were, and how many were cut."""
        return {"n": self._n, "n_cut": self._n_cut}


def worker(settings: Mapping[str, Any]) -> Work:
    """Return what a process does with each ticket; the encoder is loaded here, once."""
    options = msgspec.convert(settings["task"], EncodeOptions)
    return working(EncodeTask(options.load(), options.layer), settings["work"])


def _cut(n: int) -> str:
    return f"{counted(n, 'text')} longer than the encoder takes: cut; give {TO_READ_ALL}"
