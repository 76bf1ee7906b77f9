"""Texts of several languages linked together: a linker for each language, made when it is met."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.errors import counted
from isogloss.kb.base import KnowledgeBase
from isogloss.kb.link.linker import Linker, languages_to_link, say_missing_names
from isogloss.kb.link.mentions import Mention
from isogloss.totals import tell


@dataclass(frozen=True)
class LinkedRows:
    """Mentions of each text, and how many entities the pivot left out."""

    mentions: list[list[Mention]]
    n_dropped: int


class RowLinker:
    """Links texts by their languages.

    Parameters
    ----------
    kb
        The knowledge base.
    fallback_lang
        As in `Linker`; of a text of unknown language it is all there is.
    options
        Others that `Linker` takes.
    """

    def __init__(self, kb: KnowledgeBase, fallback_lang: str | None = None, **options: Any) -> None:
        self._kb, self._fallback, self._options = kb, fallback_lang, options
        self._linkers: dict[str | None, Linker | None] = {}

    def link(self, texts: Sequence[str], langs: Sequence[str | None]) -> LinkedRows:
        """Link texts.

        Warns
        -----
        OmissionWarning
            For languages without names, and for texts of unknown language.
        """
        linked: list[list[Mention]] = [[] for _ in texts]
        n_dropped = 0
        pairs = {code: languages_to_link(code, self._fallback) for code in dict.fromkeys(langs)}
        say_missing_names(self._kb, [pair for pair in pairs.values() if pair is not None])
        for code, pair in pairs.items():
            rows = [row for row, known in enumerate(langs) if known == code]
            linker = self._linker(code, pair)
            if linker is None:
                tell(_nothing_linked, len(rows))
                continue
            found = linker.link([texts[row] for row in rows])
            for position, row in enumerate(rows):
                linked[row] = found.mentions(position)
            n_dropped += found.n_dropped
        return LinkedRows(linked, n_dropped)

    def _linker(self, code: str | None, pair: tuple[str, str | None] | None) -> Linker | None:
        if code not in self._linkers:
            self._linkers[code] = None if pair is None else Linker(
                self._kb, pair[0], fallback_lang=pair[1], is_quiet=True, **self._options
            )  # fmt: skip
        return self._linkers[code]


def mention_record(mention: Mention) -> dict[str, Any]:
    """Return a mention as JSON shows it."""
    return {
        "start": mention.start,
        "end": mention.end,
        "surface": mention.surface,
        "lang": mention.lang,
        "candidates": [
            {
                "id": candidate.entity,
                "title": candidate.title,
                "link_prob": round(candidate.link_probability, 6),
                "commonness": round(candidate.commonness, 6),
            }
            for candidate in mention.candidates
        ],
    }


def _nothing_linked(n_texts: int) -> str:
    return f"nothing is linked in {counted(n_texts, 'text')} of unknown language"
