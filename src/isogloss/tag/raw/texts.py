"""Text that is not cut into words: cut by ICU, punctuation kept, tagged, and placed in the text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.encode.words.tokens_of_words import WordUnits
from isogloss.errors import InputError, counted
from isogloss.tag.fitted import FittedTagger
from isogloss.tag.schemes import spans_of
from isogloss.totals import tell

TEXTS_AT_ONCE = 256
CHARACTERS_AT_ONCE = 1 << 20  # a word takes about a kilobyte until it is written


class TaggedTexts(NamedTuple):
    """Words and entities of texts.

    Attributes
    ----------
    rows
        A dictionary a text: ``tokens``, each with ``start`` and ``end`` in characters, ``tag`` and
        ``p``, the probability of that tag; and ``spans`` of entities, each with ``start``, ``end``
        and ``type``, where the tags are of entities.
    n_without_piece
        Words without a piece in the encoder.
    """

    rows: list[dict[str, Any]]
    n_without_piece: int


def texts_at_once(texts: Sequence[str], lines: Sequence[int], path: Path | str) -> Iterator[slice]:
    """Yield places of texts that are tagged together, so that memory is bounded.

    Parameters
    ----------
    lines, path
        Where the texts are from, for the message.

    Raises
    ------
    InputError
        When a text alone is too long, where that is reached.
    """
    first = n_characters = 0
    for at, (text, line) in enumerate(zip(texts, lines, strict=True)):
        if len(text) > CHARACTERS_AT_ONCE:
            raise InputError(
                f"the text has {len(text):,} characters, and a tagger takes up to "
                f"{CHARACTERS_AT_ONCE:,}; cut it into paragraphs", path=path, line=line,
            )  # fmt: skip
        n_characters += len(text)
        if at - first == TEXTS_AT_ONCE or n_characters > CHARACTERS_AT_ONCE:
            yield slice(first, at)
            first, n_characters = at, len(text)
    if first < len(texts):
        yield slice(first, len(texts))


def tagged_texts(fitted: FittedTagger, texts: Sequence[str], langs: Sequence[str]) -> TaggedTexts:
    """Return words and entities of texts with their places.

    Parameters
    ----------
    langs
        Of each text: its rules say where words begin and end; ``und``: rules for all languages.

    Raises
    ------
    InputError
        When ICU's package is not installed.
    """
    units = {lang: WordUnits(lang) for lang in dict.fromkeys(langs)}
    cuts = [list(units[lang].segments(text)) for text, lang in zip(texts, langs, strict=True)]
    words = [[text[start:end] for start, end in cut] for text, cut in zip(texts, cuts, strict=True)]
    answers = fitted.answers(words, langs)
    tags, shares = fitted.tags_of(answers), fitted.probabilities_of_tags(answers)
    found = []
    for cut, of_text, p in zip(cuts, tags, shares, strict=True):
        one: dict[str, Any] = {
            "tokens": [
                {"start": start, "end": end, "tag": tag, "p": share}
                for (start, end), tag, share in zip(cut, of_text, p, strict=True)
            ]
        }
        if fitted.scheme is not None:
            one["spans"] = [
                {"start": cut[span.start][0], "end": cut[span.end - 1][1], "type": span.type}
                for span in spans_of(of_text, fitted.scheme)
            ]
        found.append(one)
    return TaggedTexts(found, int((~answers.has_piece).sum()))


def say_without_piece(n: int) -> None:
    """Say how many words the encoder has no piece for, where there are any."""
    tell(_without_piece, n)


def _without_piece(n: int) -> str:
    return (
        f"{counted(n, 'word')} without a piece in the encoder: the commonest tag is a guess from "
        "nothing"
    )
