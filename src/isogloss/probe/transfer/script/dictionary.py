"""Dictionaries for code-switching: a word of one language → a word of another.

One word for one, so that the tags of a text still fit: translations of several words are left out
and counted. Of several translations of a word the first counts.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from isogloss.data.lines import whole_lines
from isogloss.errors import InputError
from isogloss.kb.base import KnowledgeBase
from isogloss.kb.link.linker import Linker


@dataclass(frozen=True)
class Dictionary:
    """Translations of words, one each.

    Attributes
    ----------
    n_several
        Entries that were left out, as a side of them has several words.
    """

    translations: dict[str, str]
    n_several: int = 0

    def of(self, word: str) -> str | None:
        """Return the translation of a word as it is written, else of it in lower case."""
        return self.translations.get(word) or self.translations.get(word.lower())


def read_dictionary(path: Path) -> Dictionary:
    """Read a dictionary: word, a tab, translation, a line each; lines that begin with # are notes.

    Raises
    ------
    InputError
        With the line that has no tab or more than one, or an empty side; when there is no entry.
    """
    translations: dict[str, str] = {}
    n_several = 0
    for number, line in whole_lines(path):
        text = line.rstrip("\r\n")
        if not text.strip() or text.startswith("#"):
            continue
        sides = [side.strip() for side in text.split("\t")]
        if len(sides) != 2 or not all(sides):
            raise InputError(
                "is no entry of a dictionary; write a word, a tab and its translation",
                path=path, line=number,
            )  # fmt: skip
        if any(len(side.split()) > 1 for side in sides):
            n_several += 1
        else:
            translations.setdefault(*sides)
    if not translations:
        raise InputError(
            "has no entry of one word for one; write a word, a tab and its translation", path=path
        )
    return Dictionary(translations, n_several)


def dictionary_of_names(
    knowledge_base: KnowledgeBase, words: Iterable[str], *, lang: str, into: str
) -> Dictionary:
    """Translate words by the names of a knowledge base.

    A word that is a name in `lang` becomes the first name in `into` of the entity that the name
    means most often; of equally common ones the first that has such a name, in the order of ids.
    """
    asked = list(dict.fromkeys(word for word in words if word))
    linked = Linker(knowledge_base, lang, pivot=into, inflection=False).link(asked)
    translations: dict[str, str] = {}
    n_several = 0
    for at, word in enumerate(asked):
        whole = [one for one in linked.mentions(at) if one.surface == word]
        candidates = [one for mention in whole for one in mention.candidates if one.title]
        if not candidates:
            continue
        best = max(candidates, key=lambda one: (one.commonness, -one.index))
        title = best.title or ""
        if len(title.split()) > 1:
            n_several += 1
        else:
            translations[word] = title
    return Dictionary(translations, n_several)
