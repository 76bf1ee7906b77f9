"""Link texts: find the names of a knowledge base in them, with every entity a name may mean.

Nothing is disambiguated, on purpose: the model's attention weighs the candidates.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from isogloss.arrays import Ints1d, SmallInts1d, offsets_of
from isogloss.data.columns import texts_of
from isogloss.errors import InputError, warn_omitted
from isogloss.kb.base import KnowledgeBase
from isogloss.kb.link.bags import EntityBags, bags_of
from isogloss.kb.link.mentions import LinkedTexts
from isogloss.kb.link.search import (
    Candidates,
    Found,
    Search,
    concatenated,
    cover,
    interleaved,
    merged,
)
from isogloss.progress import logger
from isogloss.text.languages import country_hint, parse_language
from isogloss.totals import tell

CHARACTERS_AT_ONCE = 1_000_000  # folded at 20 bytes each; more leave the processor's cache


def languages_to_link(lang: str | None, fallback_lang: str | None) -> tuple[str, str | None] | None:
    """Return a text's language and fallback to link it by; None: nothing can be linked.

    Of a text of unknown language the fallback is all there is.
    """
    if lang is not None:
        return lang, fallback_lang
    return None if fallback_lang is None else (fallback_lang, None)


def say_missing_names(
    knowledge_base: KnowledgeBase, pairs: Iterable[tuple[str, str | None]]
) -> None:
    """Say for which languages a knowledge base has no names, each thing once for all of them.

    Parameters
    ----------
    pairs
        Languages of texts, each with its fallback or None.

    Warns
    -----
    OmissionWarning
        When texts are not linked, or a fallback language has no names.
    """
    dropped: dict[str, list[str]] = {}
    for lang, fallback_lang in pairs:
        has_fallback = (
            fallback_lang is not None and knowledge_base.language_of(fallback_lang) is not None
        )
        if fallback_lang is not None and not has_fallback:
            dropped.setdefault("no fallback names are linked", []).append(fallback_lang)
        if knowledge_base.language_of(lang) is None:
            only = f"only names in '{fallback_lang}' are linked"
            dropped.setdefault(only if has_fallback else "nothing is linked", []).append(lang)
    for what, langs in dropped.items():
        # What a fallback is there for is no omission.
        by = logger.info if what.startswith("only") else warn_omitted
        tell(partial(_no_names, knowledge_base, what), tuple(dict.fromkeys(langs)), by=by)


def _no_names(knowledge_base: KnowledgeBase, what: str, langs: tuple[str, ...]) -> str:
    named = ", ".join(f"'{lang}'" for lang in langs)
    hints = [hint for lang in langs if (hint := country_hint(lang))]
    return "; ".join(
        [f"the knowledge base {knowledge_base.path} has no names in {named}: {what}", *hints]
    )


class Linker:
    """Find the names of one language, and perhaps of a second, in texts.

    Parameters
    ----------
    knowledge_base
        Where the names are from.
    lang
        Language of the texts.
    fallback_lang
        A second language whose names are looked for where the first has none.
    pivot
        Language in which an entity must have a name; others are dropped and counted.
    min_link_prob, min_commonness
        Names and candidates below these are left out; with `min_commonness` above 1/n a name of n
        equally common entities has none left. Both in 0 to 1.
    nested
        Report all names, not only the longest at each place.
    inflection
        Find names with an ending or particle written to them too, by the rules of the language
        (`isogloss.kb.matching.inflection`).
    is_quiet
        Leave it to the caller to say for which languages there are no names
        (`say_missing_names`).

    Raises
    ------
    InputError
        An unknown language, or a threshold outside 0 to 1.

    Attributes
    ----------
    has_names : bool
        Whether the knowledge base has any names in `lang`; if not, it is said once, and only
        names of `fallback_lang` are found.
    """

    def __init__(
        self,
        knowledge_base: KnowledgeBase,
        lang: str,
        *,
        fallback_lang: str | None = None,
        pivot: str | None = None,
        min_link_prob: float = 0.01,
        min_commonness: float = 0.05,
        nested: bool = False,
        inflection: bool = True,
        is_quiet: bool = False,
    ) -> None:
        for option, value in (("min_link_prob", min_link_prob), ("min_commonness", min_commonness)):
            if not 0.0 <= value <= 1.0:
                raise InputError(f"{option} is {value}; a number in 0 to 1 is allowed")
        self.knowledge_base = knowledge_base
        self.lang = parse_language(lang)
        self.fallback_lang = None if fallback_lang is None else parse_language(fallback_lang)
        self.pivot = None if pivot is None else parse_language(pivot)
        self.min_link_prob = min_link_prob
        self.min_commonness = min_commonness
        self.nested = nested
        self.inflection = inflection
        self._langs = tuple(tag for tag in (self.lang, self.fallback_lang) if tag is not None)
        served = [knowledge_base.language_of(tag) for tag in self._langs]
        self._searches = [
            Search(knowledge_base, language, i, min_link_prob, min_commonness, nested, inflection)
            for i, language in enumerate(served)
            if language is not None and language not in served[:i]
        ]
        self.has_names = served[0] is not None
        if not is_quiet:
            say_missing_names(knowledge_base, [(self.lang, self.fallback_lang)])
        self._has_pivot = None if self.pivot is None else knowledge_base.has_title(self.pivot)

    def link(self, texts: Sequence[str]) -> LinkedTexts:
        """Find the names in texts.

        Parameters
        ----------
        texts
            A list of strings; each gets its mentions, in order, whatever it holds.

        Raises
        ------
        InputKindError
            For one string, a table, or an element that is no string.
        """
        texts = texts_of(texts, "texts")
        parts = [self._link_block(block) for block in _blocks(texts)]
        return self._joined(tuple(texts), parts)

    def bags(self, texts: Sequence[str]) -> EntityBags:
        """Find the names in texts, and return the entities of each text, each once."""
        linked = self.link(texts)
        return bags_of(
            text_offsets=linked.text_offsets,
            candidate_offsets=linked.candidate_offsets,
            entity=linked.entity,
            link_probability=linked.link_probability,
            commonness=linked.commonness,
            n_dropped=linked.n_dropped,
        )

    def _link_block(self, texts: Sequence[str]) -> "Found":
        """Search texts in each language in turn; a later one may not touch what is found."""
        found: list[Found] = []
        lengths = np.array([len(text) for text in texts], np.int64)
        origin = np.concatenate([[0], np.cumsum(lengths)])
        covered = np.zeros(int(origin[-1]), np.uint8) if len(self._searches) > 1 else None
        for search in self._searches:
            part = search.run(texts, covered if found else None, origin)
            found.append(part)
            if covered is not None and search is not self._searches[-1]:
                cover(covered, part, origin)
        return found[0] if len(found) == 1 else merged(found, len(texts))

    def _joined(self, texts: tuple[str, ...], parts: "list[Found]") -> LinkedTexts:
        """Put blocks together, expand rows to candidates, drop those without a pivot name."""
        whole = concatenated(parts)
        per_search = [Candidates(whole, search) for search in self._searches]
        mention, entity, link, common = interleaved(per_search)
        owner = np.repeat(np.arange(len(texts)), whole.n_mentions)
        n_dropped = 0
        if self._has_pivot is not None and entity.size:
            keep = self._has_pivot[entity]
            n_dropped = _n_pairs(owner[mention[~keep]], entity[~keep])
            mention, entity, link, common = mention[keep], entity[keep], link[keep], common[keep]
        per_mention = np.bincount(mention, minlength=whole.start.size)
        kept = per_mention > 0
        return LinkedTexts(
            texts=texts,
            langs=self._langs,
            text_offsets=offsets_of(np.bincount(owner[kept], minlength=len(texts))),
            start=whole.start[kept],
            end=whole.end[kept],
            language=whole.language[kept],
            candidate_offsets=offsets_of(per_mention[kept]),
            entity=entity,
            link_probability=link,
            commonness=common,
            n_dropped=n_dropped,
            knowledge_base=self.knowledge_base,
            pivot=self.pivot,
        )


def _blocks(texts: Sequence[str]) -> Iterator[list[str]]:
    block: list[str] = []
    n_characters = 0
    for text in texts:
        if block and n_characters + len(text) > CHARACTERS_AT_ONCE:
            yield block
            block, n_characters = [], 0
        block.append(text)
        n_characters += len(text)
    if block:
        yield block


def _n_pairs(owner: Ints1d, entity: SmallInts1d) -> int:
    return int(np.unique(owner * np.int64(1 << 32) + entity).size)
