"""Texts tagged in the rows of many files: what each process of `parts.run` does."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from isogloss.data.blocks import RowBlock
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.data.row_files.cells import json_of
from isogloss.data.row_languages import row_languages
from isogloss.limits import Count
from isogloss.memory import without_collection
from isogloss.parts.source import RowSource
from isogloss.parts.work import TaskOptions, Work, working
from isogloss.tag.fitted import FittedTagger
from isogloss.tag.raw.texts import say_without_piece, tagged_texts, texts_at_once
from isogloss.tag.saving import load_tagger
from isogloss.text.languages import UNKNOWN

DECIMALS = 6


class LanguageTagCounts(Struct, frozen=True):
    """Texts and words of one language."""

    n: Count
    n_words: Count


class TagPartCounts(Struct, frozen=True):
    """The facts of a part."""

    languages: dict[str, LanguageTagCounts]
    n_without_piece: Count


class TagOptions(TaskOptions, frozen=True, kw_only=True):
    """A saved tagger, as `load_tagger` takes it; as JSON it goes to each process."""

    places: ClassVar[tuple[str, ...]] = ("model", "encoder", "kb")

    model: str
    encoder: str | None
    kb: str | None
    device: str
    threads: int | None

    @without_collection()
    def load(self) -> FittedTagger:
        """Load it."""
        return load_tagger(
            self.model, encoder=self.encoder, kb=self.kb, device=self.device, threads=self.threads
        ).fitted


class TagTask:
    """Adds to each row its language, and the words of its text with their tags as JSON.

    Spans of entities too, where the tags are of entities.
    """

    def __init__(self, fitted: FittedTagger) -> None:
        self.fitted = fitted

    @property
    def added(self) -> Sequence[Added]:
        """The columns, in their order."""
        spans = [] if self.fitted.scheme is None else [Added("spans", "json")]
        return [Added("lang", "text"), Added("tokens", "json"), *spans]

    def begin(self, source: RowSource) -> "TagWork":
        """Return the work on one file."""
        return TagWork(self, source)


class TagWork:
    """Tags in the rows of one file, and their counts by language."""

    def __init__(self, task: TagTask, source: RowSource) -> None:
        self._task, self._source = task, source
        self._names = [column.name for column in task.added if column.name != "lang"]
        self._counts: dict[str, dict[str, int]] = {}
        self._n_without_piece = 0

    def cells(self, block: RowBlock) -> AddedCells:
        """Tag some rows, a bounded number at a time, however many a block has."""
        texts, lines = block.documents.texts, block.documents.lines
        langs = row_languages(block.documents, self._source.lang).langs
        columns: list[list[Any]] = [[] for _ in self._names]
        for some in texts_at_once(texts, lines, self._source.path):
            tagged = tagged_texts(
                self._task.fitted, texts[some], [lang or UNKNOWN for lang in langs[some]]
            )
            say_without_piece(tagged.n_without_piece)
            self._n_without_piece += tagged.n_without_piece
            for lang, row in zip(langs[some], tagged.rows, strict=True):
                self._count(lang, row)
                for column, name in zip(columns, self._names, strict=True):
                    column.append(json_of(_rounded(row[name])))  # a tenth of what objects take
        return [langs, *columns]

    def _count(self, lang: str | None, row: Mapping[str, Any]) -> None:
        counts = self._counts.setdefault(lang or UNKNOWN, {"n": 0, "n_words": 0})
        counts["n"] += 1
        counts["n_words"] += len(row["tokens"])

    def facts(self) -> dict[str, Any]:
        """Return how many texts and words of each language there were."""
        return {"languages": self._counts, "n_without_piece": self._n_without_piece}


def worker(settings: Mapping[str, Any]) -> Work:
    """Return what a process does with each ticket; the model is loaded here, once."""
    options = msgspec.convert(settings["task"], TagOptions)
    return working(TagTask(options.load()), settings["work"])


def _rounded(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for one in records:
        if "p" in one:
            one["p"] = round(one["p"], DECIMALS)
    return records
