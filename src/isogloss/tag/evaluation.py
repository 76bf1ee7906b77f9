"""Score a tagger on tagged sentences of some languages."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d
from isogloss.errors import counted, warn_omitted
from isogloss.tag.fitted import FittedTagger
from isogloss.tag.schemes import Place, Scheme, Where, found_scheme, in_scheme
from isogloss.tag.scores import EntityCounts, Scored, TagCounts, score_entities, score_tags

Lists = list[list[str]]


def evaluate_tagger(
    fitted: FittedTagger,
    sentences: Sequence[Sequence[str]],
    tags: Sequence[Sequence[str]],
    langs: Sequence[str],
    *,
    ids: Sequence[str | None] | None = None,
    where: Where | None = None,
    seed: int = 0,
) -> Scored:
    """Tag sentences and score the tags by language.

    Parameters
    ----------
    sentences, tags, langs
        Words of each sentence, the right tags, and the language.
    ids
        Of sentences; those with the same id in several languages are resampled together.
    where
        Gives the place of a word for errors.

    Raises
    ------
    InputError
        When the tagger's tags are of entities, and the right ones keep to no scheme.

    Warns
    -----
    OmissionWarning
        Words of a language have a right tag that training lacks, or no piece in the encoder.
    """
    rows: dict[str, list[int]] = {}
    for at, lang in enumerate(langs):
        rows.setdefault(lang, []).append(at)
    gold = [list(one) for one in tags]
    if fitted.scheme is not None:
        for of_lang in rows.values():
            _put_in_scheme(gold, of_lang, fitted.scheme, where)
    answers = fitted.answers(sentences, langs)
    predicted = fitted.tags_of(answers)
    without = _without_piece(rows, answers.has_piece, answers.starts.tolist())
    given = ids or [None] * len(gold)
    known = {
        lang: [str(given[at]) for at in of_lang]
        for lang, of_lang in rows.items()
        if all(given[at] is not None for at in of_lang)
    }
    how: dict[str, Any] = {
        "ids": known,
        "known": fitted.tag_names,
        "training_langs": fitted.langs,
        "further": {
            lang: {
                "n_without_piece": n,
                "n_windows": int((answers.n_windows[rows[lang]] > 1).sum()),
            }
            for lang, n in without.items()
        },
        "seed": seed,
    }
    pairs = {
        lang: ([gold[at] for at in of_lang], [predicted[at] for at in of_lang])
        for lang, of_lang in rows.items()
    }
    if fitted.scheme is None:
        counts = {lang: TagCounts.of(*pair) for lang, pair in pairs.items()}
        return score_tags(counts, **how)
    of_entities = {lang: EntityCounts.of(*pair, fitted.scheme) for lang, pair in pairs.items()}
    return score_entities(of_entities, **how)


def _put_in_scheme(gold: Lists, rows: list[int], scheme: Scheme, where: Where | None) -> None:
    """Put the right tags of a language into the scheme of the tagger, whatever theirs is."""
    place = None if where is None else partial(_place, where, rows)
    found = found_scheme([gold[at] for at in rows], where=place)
    if found != scheme:
        for at in rows:
            gold[at] = in_scheme(gold[at], found, scheme)


def _place(where: Where, rows: list[int], sentence: int, word: int) -> Place:
    return where(rows[sentence], word)


def _without_piece(
    rows: dict[str, list[int]], has_piece: Bools1d, starts: list[int]
) -> dict[str, int]:
    """Return how many words of each language have no piece, and say so."""
    found = {
        lang: sum(int(np.sum(~has_piece[starts[at] : starts[at + 1]])) for at in of_lang)
        for lang, of_lang in rows.items()
    }
    for lang, n in found.items():
        if n:
            warn_omitted(f"{lang}: {counted(n, 'word')} without a piece get the commonest tag")
    return found
