"""Sentences cut into words, their tags and languages: what a tagger is given, checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Ints1d, offsets_of
from isogloss.data.columns import column_of
from isogloss.errors import InputError, InputKindError
from isogloss.text.languages import parse_language


@dataclass(frozen=True)
class TaggedSentences:
    """Sentences of some languages with the right tag of each word.

    Attributes
    ----------
    sentences, tags
        Equally long lists, and of each sentence as many tags as words.
    langs
        Language of each sentence, in one spelling (`parse_language`).
    """

    sentences: list[list[str]]
    tags: list[list[str]]
    langs: list[str]

    @classmethod
    def of(
        cls, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]],
        lang: str | Sequence[str],
    ) -> "TaggedSentences":  # fmt: skip
        """Check what is given.

        Raises
        ------
        InputError
            When numbers differ, a word is no string or empty, or a language is not known.
        """
        words, found = checked_sentences(sentences), checked_sentences(tags, of="tags")
        if len(words) != len(found):
            raise InputError(f"{len(words)} sentences and {len(found)} lists of tags; give as many")
        for row, (of_words, of_tags) in enumerate(zip(words, found, strict=True)):
            if len(of_words) != len(of_tags):
                raise InputError(
                    f"sentence {row} has {len(of_words)} words and {len(of_tags)} tags; "
                    "give one tag a word"
                )
        return cls(words, found, checked_languages(lang, len(words)))

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def starts(self) -> Ints1d:
        """Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``."""
        return offsets_of([len(one) for one in self.sentences])

    @property
    def all_tags(self) -> list[str]:
        """The tags of all words, one sentence after the other."""
        return [tag for tags in self.tags for tag in tags]

    def select(self, rows: Ints1d) -> "TaggedSentences":
        """Return some sentences, in the order given."""
        places = rows.tolist()
        return TaggedSentences(
            [self.sentences[row] for row in places],
            [self.tags[row] for row in places],
            [self.langs[row] for row in places],
        )


def checked_sentences(sentences: Any, *, of: str = "words") -> list[list[str]]:
    """Return sentences as lists of strings.

    Raises
    ------
    InputError
        For text that is not cut into words, and for a word that is no string, or empty.
    """
    found = []
    for row, one in enumerate(column_of(sentences, "sentences", of=f"lists of {of}")):
        if isinstance(one, str):
            raise InputKindError(f"sentence {row} is one string ({one!r:.40}); give a list of {of}")
        values = column_of(one, f"sentence {row}", of=of)
        for place, value in enumerate(values):
            if not isinstance(value, str):
                raise InputKindError(
                    f"sentence {row} has {value!r:.40} at {place} among its {of}; give strings"
                )
            if not value:
                raise InputError(f"sentence {row} has an empty string at {place} among its {of}")
        found.append(values)
    return found


def checked_languages(lang: Any, n_sentences: int) -> list[str]:
    """Return the language of each sentence, from one code or one for each.

    Raises
    ------
    InputError
        When a code is not known, or their number is another.
    """
    if isinstance(lang, str):
        return [parse_language(lang)] * n_sentences
    codes = column_of(lang, "lang", of="language codes")
    if len(codes) != n_sentences:
        raise InputError(f"{n_sentences} sentences and {len(codes)} languages; give as many")
    known: dict[Any, str] = {}
    for code in codes:
        if code not in known:
            known[code] = parse_language(code)
    return [known[code] for code in codes]


def some_words(tagged: TaggedSentences, n_words: int, *, seed: int) -> Ints1d:
    """Return rows of sentences, drawn without order, that hold about so many words; ascending."""
    lengths = np.diff(tagged.starts)
    order = np.random.default_rng(seed).permutation(len(tagged))
    n_kept = int(np.searchsorted(np.cumsum(lengths[order]), n_words)) + 1
    return np.sort(order[:n_kept])
