"""How much text each language has, and which characters occur: one pass, nothing held."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from isogloss.errors import InputError


@dataclass(frozen=True)
class TextCounts:
    """What there is of each language.

    Attributes
    ----------
    sizes
        Language to its number of characters.
    n_texts
        Language to its number of texts, empty ones included.
    characters
        How often each character occurs, over all languages.
    """

    sizes: dict[str, int]
    n_texts: dict[str, int]
    characters: Counter[str]


def count_texts(texts: Mapping[str, Iterable[str]], normalized: Callable[[str], str]) -> TextCounts:
    """Count texts as they are after normalisation.

    Raises
    ------
    InputError
        For a language without any text.
    """
    sizes: dict[str, int] = {}
    n_texts: dict[str, int] = {}
    characters: Counter[str] = Counter()
    for lang, some in texts.items():
        sizes[lang] = n_texts[lang] = 0
        for text in some:
            found = normalized(text)
            characters.update(found)
            sizes[lang] += len(found)
            n_texts[lang] += 1
        if not sizes[lang]:
            raise InputError(f"the texts of '{lang}' are empty; give others, or leave it out")
    return TextCounts(sizes, n_texts, characters)
