"""Text that is not cut into words: cut by ICU, punctuation kept, tagged, and placed in the text."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from isogloss.encode.words.tokens_of_words import WordUnits
from isogloss.tag.fitted import FittedTagger
from isogloss.tag.schemes import spans_of


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


def tagged_texts(fitted: FittedTagger, texts: Sequence[str], lang: str) -> TaggedTexts:
    """Return words and entities of texts with their places.

    Parameters
    ----------
    lang
        Of the texts: its rules say where words begin and end.

    Raises
    ------
    InputError
        When ICU's package is not installed.
    """
    units = WordUnits(lang)
    cuts = [list(units.segments(text)) for text in texts]
    words = [[text[start:end] for start, end in cut] for text, cut in zip(texts, cuts, strict=True)]
    answers = fitted.answers(words, [lang] * len(words))
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
