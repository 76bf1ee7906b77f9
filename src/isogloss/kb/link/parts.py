"""Names linked in the rows of files: the task of `run_part`, and what each process does."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec import Struct

from isogloss.data.blocks import RowBlock
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.data.row_languages import row_languages
from isogloss.kb.base import KnowledgeBase
from isogloss.kb.link.rows import RowLinker, mention_record
from isogloss.limits import Count
from isogloss.parts.source import RowSource
from isogloss.parts.work import TaskOptions, Work, working

ADDED = (Added("lang", "text"), Added("mentions", "json"))
UNKNOWN = "unknown"  # in the facts, of a text whose language is not known


class LanguageLinkCounts(Struct, frozen=True):
    """Texts of one language, and those of them in which a name was found."""

    n: Count
    linked: Count


class LinkCounts(Struct, frozen=True):
    """The facts of a part."""

    languages: dict[str, LanguageLinkCounts]
    n_dropped: Count


class LinkOptions(TaskOptions, frozen=True, kw_only=True):
    """A knowledge base, and how texts are linked to it; as JSON it goes to each process."""

    places: ClassVar[tuple[str, ...]] = ("kb",)

    kb: str
    fallback_lang: str | None
    pivot: str | None
    inflection: bool
    min_link_prob: float
    min_commonness: float
    nested: bool

    @property
    def settings(self) -> dict[str, Any]:
        """Those that links depend on."""
        return {name: value for name, value in msgspec.structs.asdict(self).items() if name != "kb"}

    def linker(self, opened: KnowledgeBase | None = None) -> RowLinker:
        """Return what links, by the knowledge base where it is open already."""
        kb = KnowledgeBase.open(Path(self.kb)) if opened is None else opened
        return RowLinker(kb, **self.settings)


class LinkTask:
    """Adds to each row its language, and the names linked in its text as JSON."""

    added = ADDED

    def __init__(self, linker: RowLinker) -> None:
        self.linker = linker

    def begin(self, source: RowSource) -> "LinkWork":
        """Return the work on one file."""
        return LinkWork(self.linker, source)


class LinkWork:
    """Links in the rows of one file, and their counts by language."""

    def __init__(self, linker: RowLinker, source: RowSource) -> None:
        self._linker, self._source = linker, source
        self._counts: dict[str, dict[str, int]] = {}
        self._n_dropped = 0

    def cells(self, block: RowBlock) -> AddedCells:
        """Link some rows."""
        langs = row_languages(block.documents, self._source.lang).langs
        linked = self._linker.link(block.documents.texts, langs)
        self._n_dropped += linked.n_dropped
        for lang, mentions in zip(langs, linked.mentions, strict=True):
            counts = self._counts.setdefault(lang or UNKNOWN, {"n": 0, "linked": 0})
            counts["n"] += 1
            counts["linked"] += bool(mentions)
        return [langs, [[mention_record(one) for one in of_row] for of_row in linked.mentions]]

    def facts(self) -> dict[str, Any]:
        """Return how many texts of each language there were, and in how many a name was found."""
        return {"languages": self._counts, "n_dropped": self._n_dropped}


def worker(settings: Mapping[str, Any]) -> Work:
    """Return what a process does with each ticket; the knowledge base is mapped, not copied."""
    options = msgspec.convert(settings["task"], LinkOptions)
    return working(LinkTask(options.linker()), settings["work"])
