"""Texts with their languages → encoder vectors and bags of entities, each text once.

Languages are mixed freely: texts are linked language by language with that language's names, and
come back in the order they went in. A text whose language is not known is not linked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Ints1d
from isogloss.classify.documents.entity_source import EntitySource, named_in
from isogloss.data.columns import column_of, is_missing
from isogloss.encode import Encoder
from isogloss.encode.settings import LongTexts, Pooling
from isogloss.errors import InputError, counted
from isogloss.kb import EntityBags, KnowledgeBase, Linker
from isogloss.kb.link.linker import languages_to_link, say_missing_names
from isogloss.learn.objective import Targets
from isogloss.learn.vector_memo import Encoded, encode_once
from isogloss.progress import logger
from isogloss.text.detect import languages_of_texts
from isogloss.text.languages import parse_language
from isogloss.totals import tell

Languages = str | Sequence[str | None] | None


@dataclass(frozen=True)
class LinkingOptions:
    """What is kept of what is found."""

    min_link_prob: float  # candidates below are left out
    min_commonness: float  # candidates below are left out
    # at most so many entities a document, the commonest first; None: no cap
    max_entities: int | None
    nested: bool  # also names inside longer names


@dataclass(frozen=True)
class PreparedDocuments:
    """What a model takes of texts."""

    vectors: Floats2d  # float32 (n_documents, width)
    # their entities that have a name in a training language and a vector; None without a knowledge
    # base
    bags: EntityBags | None
    langs: list[str | None]  # language of each, None where not known
    truncated: Bools1d  # bool (n_documents,): which texts were cut by the encoder
    # int64 (n_documents,): entities left out because no training language names them
    n_dropped: Ints1d
    n_without_vector: int  # different entities left out because they have no vector

    def select(self, rows: Ints1d) -> "PreparedDocuments":
        """Return the documents `rows`, in that order."""
        return replace(
            self,
            vectors=self.vectors[rows],
            bags=None if self.bags is None else self.bags.select(rows),
            langs=[self.langs[row] for row in rows],
            truncated=self.truncated[rows],
            n_dropped=self.n_dropped[rows],
        )


@dataclass(frozen=True)
class Part:
    """Texts to fit on, or to choose by."""

    texts: list[str]
    documents: PreparedDocuments  # the same texts, prepared
    y: Targets  # their classes or labels

    def select(self, rows: Ints1d) -> "Part":
        """Return some texts, in the order given."""
        texts = [self.texts[row] for row in rows.tolist()]
        return Part(texts, self.documents.select(rows), self.y[rows])

    def encoded_by(self, encoder: Encoder) -> "Part":
        """Return the texts with the vectors of another encoder."""
        encoded = encode_once(encoder, self.texts, pooling=None)
        return replace(self, documents=replace(self.documents, vectors=encoded.vectors))


def resolve_languages(lang: Languages, texts: Sequence[str]) -> list[str | None]:
    """Return the canonical language of each text, None where it is not known.

    Parameters
    ----------
    lang
        One code for all texts; a code or None for each; ``"auto"``: detect each; ``"auto:es,tr"``:
        detect each among these; None: none known.

    Raises
    ------
    InputError
        When the numbers differ or a code is not a language.
    """
    if lang is None:
        return [None] * len(texts)
    if isinstance(lang, str):
        return languages_of_texts(texts, lang)
    given = column_of(lang, "lang", of="codes, or one code for all texts")
    if len(given) != len(texts):
        raise InputError(
            f"{counted(len(given), 'language')} for {counted(len(texts), 'text')}; give one code, "
            "or one for each text"
        )
    codes = [None if is_missing(code) else code for code in given]
    for row, code in enumerate(codes):
        if code is not None and not isinstance(code, str):
            raise InputError(f"the language of text {row} is {code!r}, not a code such as 'en'")
    parsed = {code: parse_language(code) for code in set(codes) if code is not None}
    return [None if code is None else parsed[code] for code in codes]


def prepare_documents(
    texts: Sequence[str],
    langs: list[str | None],
    *,
    encoder: Encoder | None,
    pooling: Pooling | None,
    long_texts: LongTexts | None,
    kb: KnowledgeBase | None,
    source: EntitySource | None,
    training_langs: tuple[str, ...],
    options: LinkingOptions,
    fallback_lang: str | None = None,
) -> PreparedDocuments:
    """Encode and link texts; `say_what_was_left_out` tells of the result.

    Parameters
    ----------
    encoder
        None: link only; the vectors then have no width.
    pooling, long_texts
        As in `Encoder.encode`.
    source
        Where vectors of entities come from; needed with a knowledge base.
    training_langs
        An entity is kept when one of these languages names it and it has a vector.
    fallback_lang
        Names of this language are linked too, where the text's own language names nothing or is
        not known.
    """
    encoded = Encoded(np.zeros((len(texts), 0), np.float32), np.zeros(len(texts), np.bool_))
    if encoder is not None:
        encoded = encode_once(encoder, texts, pooling=pooling, long_texts=long_texts)
    bags = None
    n_dropped, n_without_vector = np.zeros(len(texts), np.int64), 0
    if kb is not None and source is not None:
        found = _link(texts, langs, kb, options, fallback_lang)
        named = found.keep(named_in(kb, training_langs)[found.entity])
        n_dropped = np.diff(found.indptr) - np.diff(named.indptr)
        entities, pairs = np.unique(named.entity.astype(np.int64), return_inverse=True)
        known = source.known(entities)
        n_without_vector = int((~known).sum())
        bags = named.keep(known[pairs])
        if options.max_entities is not None:
            bags = bags.cap(options.max_entities)
    return PreparedDocuments(
        encoded.vectors, bags, langs, encoded.truncated, n_dropped, n_without_vector
    )


def linker_of(
    kb: KnowledgeBase, lang: str, options: LinkingOptions, *, fallback_lang: str | None
) -> Linker:
    """Return the linker of a language under a model's options; it says nothing itself."""
    return Linker(
        kb,
        lang,
        fallback_lang=fallback_lang,
        min_link_prob=options.min_link_prob,
        min_commonness=options.min_commonness,
        nested=options.nested,
        is_quiet=True,
    )


def _link(
    texts: Sequence[str],
    langs: list[str | None],
    kb: KnowledgeBase,
    options: LinkingOptions,
    fallback_lang: str | None,
) -> EntityBags:
    parts, order = [], []
    linked_by = {lang: languages_to_link(lang, fallback_lang) for lang in dict.fromkeys(langs)}
    say_missing_names(kb, [pair for pair in linked_by.values() if pair is not None])
    for lang, pair in linked_by.items():
        rows = rows_of(langs, lang)
        order.append(rows)
        if pair is None:
            parts.append(EntityBags.empty(len(rows)))
        else:
            linker = linker_of(kb, pair[0], options, fallback_lang=pair[1])
            parts.append(linker.bags([texts[row] for row in rows.tolist()]))
    if not parts:
        return EntityBags.empty(0)
    return EntityBags.concatenate(parts).select(np.argsort(np.concatenate(order)))


def say_what_was_left_out(
    documents: PreparedDocuments,
    training_langs: tuple[str, ...],
    fallback_lang: str | None = None,
    *,
    limit: str,
    how_to_read_all: str,
) -> None:
    """Warn of what was lost of the texts; log what is no loss: entities that training cannot know.

    Parameters
    ----------
    limit
        The most tokens of a text, in words.
    how_to_read_all
        What follows where texts were cut: what to do about it; "" where nothing can be done.

    Warns
    -----
    OmissionWarning
        For texts of no known language, texts that were cut, and entities without a vector.
    """
    n_texts = len(documents.langs)
    n_unknown = sum(lang is None for lang in documents.langs)
    linked = (
        f"only names in '{fallback_lang}' are linked in them"
        if fallback_lang
        else "no entity is linked in them"
    )
    if documents.bags is not None:
        tell(
            lambda n, n_all: f"{n} of {n_all} texts have no known language: {linked}",
            n_unknown, n_texts,
        )  # fmt: skip
    tell(
        lambda n, n_all: (
            f"{n} of {n_all} texts are longer than {limit}; only their beginning was "
            f"read{how_to_read_all}"
        ),
        int(documents.truncated.sum()), n_texts,
    )  # fmt: skip
    tell(
        lambda n: (
            f"{counted(n, 'linked entity', 'linked entities')} left out: no vector among those "
            "given as init"
        ),
        documents.n_without_vector,
    )
    tell(
        lambda n, n_where: (
            f"{counted(n, 'entity', 'entities')} in {counted(n_where, 'text')} left out: not named "
            f"in a training language ({', '.join(training_langs)})"
        ),
        int(documents.n_dropped.sum()), int(np.count_nonzero(documents.n_dropped)),
        by=logger.info,
    )  # fmt: skip


def rows_of(langs: Sequence[str | None], lang: str | None) -> Ints1d:
    """Return the rows of one language: int64 (n,)."""
    return np.array([row for row, code in enumerate(langs) if code == lang], dtype=np.int64)
