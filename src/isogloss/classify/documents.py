"""Texts with their languages → encoder vectors and bags of entities, each text once.

Languages are mixed freely: texts are linked language by language with that language's names, and
come back in the order they went in. A text whose language is not known is not linked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Ints1d
from isogloss.classify.vector_memo import encode_once
from isogloss.encode import Encoder
from isogloss.encode.settings import Pooling
from isogloss.errors import InputError, warn_loss
from isogloss.kb import EntityBags, KnowledgeBase, Linker
from isogloss.text.detect import detect_languages
from isogloss.text.languages import parse_language

Languages = str | Sequence[str | None] | None


@dataclass(frozen=True)
class LinkingOptions:
    """What is kept of what is found.

    Attributes
    ----------
    min_link_prob, min_commonness
        Candidates below either are left out.
    max_entities
        At most so many entities a document, the commonest first; None: no cap.
    nested
        Also names inside longer names.
    """

    min_link_prob: float
    min_commonness: float
    max_entities: int | None
    nested: bool


@dataclass(frozen=True)
class PreparedDocuments:
    """What a model takes of texts.

    Attributes
    ----------
    vectors
        float32 (n_documents, width).
    bags
        Their entities, those without a name in a training language left out; None without a
        knowledge base.
    langs
        Language of each, None where not known.
    truncated
        bool (n_documents,): which texts were cut by the encoder.
    n_dropped
        Entities left out because no training language names them, counted once a document.
    """

    vectors: Floats2d
    bags: EntityBags | None
    langs: list[str | None]
    truncated: Bools1d
    n_dropped: int


def resolve_languages(lang: Languages, texts: Sequence[str]) -> list[str | None]:
    """Return the canonical language of each text, None where it is not known.

    Parameters
    ----------
    lang
        One code for all texts; a code or None for each; ``"auto"``: detect each; None: none known.

    Raises
    ------
    InputError
        When the numbers differ or a code is not a language.
    """
    if lang is None:
        return [None] * len(texts)
    if isinstance(lang, str):
        if lang == "auto":
            return detect_languages(texts)
        return [parse_language(lang)] * len(texts)
    if len(lang) != len(texts):
        raise InputError(f"{len(lang)} languages are given for {len(texts)} texts")
    # Not equal to itself: NaN, by which tables mark a missing value.
    codes = [None if code is None or code != code else code for code in lang]
    for row, code in enumerate(codes):
        if code is not None and not isinstance(code, str):
            raise InputError(f"the language of text {row} is {code!r}, not a code such as 'en'")
    parsed = {code: parse_language(code) for code in set(codes) if code is not None}
    return [None if code is None else parsed[code] for code in codes]


def prepare_documents(
    texts: Sequence[str],
    langs: list[str | None],
    *,
    encoder: Encoder,
    pooling: Pooling | None,
    kb: KnowledgeBase | None,
    training_langs: tuple[str, ...],
    options: LinkingOptions,
    fallback_lang: str | None = None,
) -> PreparedDocuments:
    """Encode and link texts.

    Parameters
    ----------
    training_langs
        An entity is kept when one of these languages names it.
    fallback_lang
        Names of this language are linked too, where the text's own language names nothing.
    """
    encoded = encode_once(encoder, texts, pooling=pooling)
    bags, n_dropped = None, 0
    if kb is not None:
        found = _link(texts, langs, kb, options, fallback_lang)
        named = named_in(kb, training_langs)[found.entity]
        bags, n_dropped = found.keep(named), int((~named).sum())
        if options.max_entities is not None:
            bags = bags.cap(options.max_entities)
    return PreparedDocuments(encoded.vectors, bags, langs, encoded.truncated, n_dropped)


def named_in(kb: KnowledgeBase, langs: tuple[str, ...]) -> Bools1d:
    """Return bool (kb.n_entities,): which entities one of the languages names."""
    named = np.zeros(kb.n_entities, dtype=bool)
    for lang in langs:
        named |= kb.has_title(lang)
    return named


def linker_of(
    kb: KnowledgeBase, lang: str, options: LinkingOptions, *, fallback_lang: str | None
) -> Linker:
    """Return the linker of a language under a model's options."""
    return kb.linker(
        lang,
        fallback_lang=fallback_lang,
        min_link_prob=options.min_link_prob,
        min_commonness=options.min_commonness,
        nested=options.nested,
    )


def _link(
    texts: Sequence[str],
    langs: list[str | None],
    kb: KnowledgeBase,
    options: LinkingOptions,
    fallback_lang: str | None,
) -> EntityBags:
    parts, order = [], []
    for lang in dict.fromkeys(langs):
        rows = rows_of(langs, lang)
        order.append(rows)
        if lang is None:
            parts.append(EntityBags.empty(len(rows)))
        else:
            linker = linker_of(kb, lang, options, fallback_lang=fallback_lang)
            parts.append(linker.bags([texts[row] for row in rows.tolist()]))
    if not parts:
        return EntityBags.empty(0)
    return EntityBags.concatenate(parts).select(np.argsort(np.concatenate(order)))


def warn_of_languages(langs: Sequence[str | None], kb: KnowledgeBase | None) -> None:
    """Say how many texts have no known language and so no entities."""
    unknown = sum(lang is None for lang in langs)
    if kb is not None and unknown:
        warn_loss(
            f"{unknown} of {len(langs)} texts have no known language (too short or unsure): "
            "they are classified by the encoder alone"
        )


def rows_of(langs: Sequence[str | None], lang: str | None) -> Ints1d:
    """Return the rows of one language: int64 (n,)."""
    return np.array([row for row, code in enumerate(langs) if code == lang], dtype=np.int64)
