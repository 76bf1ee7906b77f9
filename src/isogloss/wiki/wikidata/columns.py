"""Blocks of lines of a Wikidata JSON dump to flat columns: names, articles, classes, redirects.

`parse_entities` depends on the block alone, so blocks may be parsed anywhere in any order. Reading
the dump is `lines`' work, one line's JSON `json`'s. What names mean for a
knowledge base is decided there.

Form of the dump: https://doc.wikimedia.org/Wikibase/master/php/docs_topics_json.html
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import chain, pairwise
from typing import Any, NamedTuple, Self

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, offsets_of
from isogloss.errors import InputError
from isogloss.storage.array_file import Arrays, packed, unpacked
from isogloss.text.languages import fallbacks, parse_language
from isogloss.wiki.site import language_prefixes
from isogloss.wiki.streams.decompression import GAP
from isogloss.wiki.wikidata.json import NOT_AN_ENTITY, Entity, number_of, parse_entity

LABEL, TITLE, ALIAS = 0, 1, 2
ANY_LANGUAGE = "mul"  # labels and aliases that hold for every language
BROKEN, GAPS = "broken lines", "gaps in the compressed file"
TOO_FEW_SITELINKS = "items with too few sitelinks"
UNKNOWN_LANGUAGE = "names in unknown languages"

# Wikimedia's own codes: of MediaWiki's LanguageCode::NON_STANDARD_LANGUAGE_CODE_MAPPING, and that
# of Wikipedia in simple English.
_WIKIMEDIA_CODES = {
    "als": "gsw", "bat-smg": "sgs", "be-x-old": "be-tarask", "cbk-zam": "cbk", "eml": "egl",
    "en-simple": "en", "fiu-vro": "vro", "nrm": "nrf", "roa-rup": "rup", "simple": "en",
    "sr-ec": "sr", "sr-el": "sr-Latn", "zh-classical": "lzh", "zh-min-nan": "nan",
    "zh-yue": "yue",
}  # fmt: skip
# Instances of these are pages of a wiki, not things of the world.
_PAGES_OF_WIKIS = frozenset(
    {
        4167410,  # disambiguation page
        22808320,  # human name disambiguation page
        4167836,  # category
        15407973,  # disambiguation category
        13406463,  # list article
        11266439,  # template
        19887878,  # infobox template
        15184295,  # module
        4663903,  # portal
        14204246,  # project page
        17442446,  # internal item
    }
)
_LEXEME, _PROPERTY = b'{"type":"lexeme"', b'{"type":"property"'
_NEW = -2  # a tag or site that was not met before in the block
_KINDS = {"lexeme": "lexemes", "property": "properties"}


class WikidataChoice(NamedTuple):
    """What is kept of a dump.

    Parameters
    ----------
    langs
        Languages of names; None: all that have a code. Their parents and variants come along.
    min_sitelinks
        Fewest Wikipedias with an article about an item.
    """

    langs: tuple[str, ...] | None = None
    min_sitelinks: int = 0


@dataclass(frozen=True)
class WikidataEntities:
    """Items of a block, by column, in the order of the dump.

    Parameters
    ----------
    ids : (n_items,)
        64 for Q64.
    n_sitelinks : (n_items,)
        Wikipedias with an article about it.
    name_offsets : (n_items + 1,)
        Rows of names of item i: ``name_offsets[i]`` to ``name_offsets[i + 1]``.
    name_lang : (n_names,)
        Index in `langs`.
    name_kind : (n_names,)
        `LABEL`, `TITLE` of an article or `ALIAS`.
    text, text_offsets : uint8, (n_names + 1,)
        The names, UTF-8, one after the other.
    class_offsets, classes : (n_items + 1,), (n_classes,)
        Numbers of the items that it is an instance of.
    redirects : (n_redirects, 2)
        Redirected number, and the one it leads to.
    langs
        BCP-47, or `ANY_LANGUAGE`.
    counts
        Lines by what became of them, and names in unknown languages.
    """

    ids: Ints1d
    n_sitelinks: Ints1d
    name_offsets: Ints1d
    name_lang: Ints1d
    name_kind: Bytes1d
    text: Bytes1d
    text_offsets: Ints1d
    class_offsets: Ints1d
    classes: Ints1d
    redirects: np.ndarray[tuple[int, int], np.dtype[np.int64]]
    langs: tuple[str, ...]
    counts: Counter[str]

    def names(self) -> list[str]:
        """Return the names."""
        data, ends = self.text.tobytes(), self.text_offsets.tolist()
        return [data[a:b].decode() for a, b in pairwise(ends)]

    @classmethod
    def joined(cls, blocks: Sequence[Self]) -> Self:
        """Return several blocks as one."""
        langs = list(dict.fromkeys(chain.from_iterable(block.langs for block in blocks)))
        number = {lang: i for i, lang in enumerate(langs)}
        columns: dict[str, list[Any]] = {name: [] for name in _ARRAYS}
        for block in blocks:
            for name in _ARRAYS:
                columns[name].append(getattr(block, name))
            own = np.array([number[lang] for lang in block.langs], np.int64)
            columns["name_lang"][-1] = own[block.name_lang]
        arrays: dict[str, Any] = {
            name: _joined_offsets(listed) if name.endswith("_offsets") else np.concatenate(listed)
            for name, listed in columns.items()
        }
        counts = sum((block.counts for block in blocks), Counter())
        return cls(**arrays, langs=tuple(langs), counts=counts)

    def stored(self, **facts: Any) -> tuple[Arrays, dict[str, Any]]:
        """Return what `isogloss.storage.array_file` writes, with further facts."""
        arrays = {name: getattr(self, name).astype(kind) for name, kind in _ARRAYS.items()}
        return arrays, {"langs": self.langs, "counts": self.counts, **facts}

    @classmethod
    def of_stored(cls, arrays: Arrays, facts: Mapping[str, Any]) -> Self:
        """Return what `stored` returned."""
        wide: dict[str, Any] = {
            name: array if name in ("text", "name_kind") else array.astype(np.int64)
            for name, array in arrays.items()
        }
        return cls(**wide, langs=tuple(facts["langs"]), counts=Counter(facts["counts"]))

    def to_bytes(self) -> bytes:
        """Return what `from_bytes` reads, in another process."""
        return packed(*self.stored())

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote."""
        return cls.of_stored(*unpacked(data))


_ARRAYS: dict[str, type[np.generic]] = {
    "ids": np.int64,
    "n_sitelinks": np.int32,
    "name_offsets": np.int64,
    "name_lang": np.uint16,
    "name_kind": np.uint8,
    "text": np.uint8,
    "text_offsets": np.int64,
    "class_offsets": np.int64,
    "classes": np.int64,
    "redirects": np.int64,
}


def parse_entities(block: bytes, choice: WikidataChoice) -> WikidataEntities:
    """Return the items of whole lines of a dump; whatever is left out is counted.

    Examples
    --------
    >>> line = b'{"type":"item","id":"Q64","labels":{"de":{"language":"de","value":"Berlin"}}},'
    >>> found = parse_entities(line, WikidataChoice())
    >>> found.ids, found.names(), found.langs
    (array([64]), ['Berlin'], ('de',))
    """
    columns = _Columns(choice)
    counts, add, view = columns.counts, columns.add, memoryview(block)
    for start, end in _lines(block):
        if block.startswith(_LEXEME, start):
            counts["lexemes"] += 1
            continue
        if block.startswith(_PROPERTY, start):
            counts["properties"] += 1
            continue
        try:
            add(parse_entity(view[start:end]))
        except NOT_AN_ENTITY:
            counts[GAPS if view[start:end] == _MISSING else BROKEN] += 1
    return columns.done()


def _lines(block: bytes) -> Iterator[tuple[int, int]]:
    """Yield where the entities begin and end, without brackets and commas around them."""
    place = 0
    while place < len(block):
        start, end = place, block.find(b"\n", place)
        end = len(block) if end < 0 else end
        place = end + 1
        while end > start and block[end - 1] in b",] \t\r":
            end -= 1
        while start < end and block[start] in b"[, \t\xef\xbb\xbf":
            start += 1
        if start < end:
            yield start, end


def worker(settings: Any) -> Any:
    """Return the function from block to bytes that a process of its own runs: see `workers`."""
    langs, min_sitelinks = settings
    choice = WikidataChoice(None if langs is None else tuple(langs), min_sitelinks)
    return lambda block: parse_entities(block, choice).to_bytes()


_MISSING = GAP.strip()


@dataclass
class _Columns:
    """The columns of a block while they grow."""

    choice: WikidataChoice
    ids: list[int] = field(default_factory=list)
    n_sitelinks: list[int] = field(default_factory=list)
    n_names: list[int] = field(default_factory=list)
    name_code: list[int] = field(default_factory=list)  # 3 * language + kind
    texts: list[str] = field(default_factory=list)
    n_classes: list[int] = field(default_factory=list)
    classes: list[int] = field(default_factory=list)
    redirects: list[tuple[int, int]] = field(default_factory=list)
    langs: dict[str, int] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    by_tag: dict[str, int] = field(default_factory=dict)
    by_site: dict[str, int | None] = field(default_factory=dict)

    def add(self, entity: Entity) -> None:
        """Take an item in, or count why it is left out.

        Raises
        ------
        ValueError
            When it has no number.
        """
        if entity.redirect:
            pair = (number_of(entity.entity), number_of(entity.redirect))
            self.counts["redirects"] += 1
            self.redirects.append(pair)
            return
        if entity.type != "item":
            self.counts[_KINDS.get(entity.type, "entities of other kinds")] += 1
            return
        number = number_of(entity.id)
        if entity.redirects is not None:
            self.redirects.append((number_of(entity.redirects.origin), number))
        titles = self._titles(entity)
        if len(titles) < self.choice.min_sitelinks:
            self.counts[TOO_FEW_SITELINKS] += 1
            return
        classes = entity.classes()
        if not _PAGES_OF_WIKIS.isdisjoint(classes):
            self.counts["items about pages of wikis"] += 1
            return
        self.counts["items"] += 1
        n_before = len(self.texts)
        self._add_names(entity, titles)
        self.ids.append(number)
        self.n_sitelinks.append(len(titles))
        self.n_names.append(len(self.texts) - n_before)
        self.n_classes.append(len(classes))
        self.classes += classes

    def _titles(self, entity: Entity) -> list[tuple[int, str]]:
        """Return the articles in Wikipedias, by number of the language (-1: not wanted)."""
        titles: list[tuple[int, str]] = []
        known = self.by_site
        if entity.sitelinks:
            for site, link in entity.sitelinks.items():
                lang = known.get(site, _NEW)
                if lang == _NEW:
                    lang = known[site] = self._of_site(site)
                if lang is not None:
                    titles.append((lang, link.title))
        return titles

    def _add_names(self, entity: Entity, titles: list[tuple[int, str]]) -> None:
        code, texts, known = self.name_code, self.texts, self.by_tag
        if entity.labels:
            for tag, label in entity.labels.items():
                if (lang := known.get(tag, _NEW)) == _NEW:
                    lang = self._of_tag(tag, 1)
                if lang >= 0:
                    code.append(3 * lang + LABEL)
                    texts.append(label.value)
        for lang, title in titles:
            if lang >= 0:
                code.append(3 * lang + TITLE)
                texts.append(title)
        if entity.aliases:
            for tag, aliases in entity.aliases.items():
                if (lang := known.get(tag, _NEW)) == _NEW:
                    lang = self._of_tag(tag, len(aliases))
                if lang >= 0:
                    code += [3 * lang + ALIAS] * len(aliases)
                    texts += [alias.value for alias in aliases]

    def _of_tag(self, tag: str, n_names: int) -> int:
        """Return the number of a language, -1 when not wanted; count names in unknown ones."""
        lang = self._numbered(code_of_tag(tag))
        if lang is None:
            self.counts[UNKNOWN_LANGUAGE] += n_names
            return -1
        self.by_tag[tag] = lang
        return lang

    def _of_site(self, site: str) -> int | None:
        """Return the number of a Wikipedia's language, -1 when not wanted; None: no Wikipedia."""
        is_wikipedia, tag = wikipedia_of(site)
        lang = self._numbered(tag)
        return (-1 if lang is None else lang) if is_wikipedia else None

    def _numbered(self, tag: str | None) -> int | None:
        if tag is None:
            return None
        if not is_wanted(tag, self.choice.langs):
            return -1
        return self.langs.setdefault(tag, len(self.langs))

    def done(self) -> WikidataEntities:
        encoded = [text.encode() for text in self.texts]
        code = np.array(self.name_code, np.int64)
        return WikidataEntities(
            ids=np.array(self.ids, np.int64),
            n_sitelinks=np.array(self.n_sitelinks, np.int64),
            name_offsets=offsets_of(self.n_names),
            name_lang=code // 3,
            name_kind=(code % 3).astype(np.uint8),
            text=np.frombuffer(b"".join(encoded), np.uint8),
            text_offsets=offsets_of([len(text) for text in encoded]),
            class_offsets=offsets_of(self.n_classes),
            classes=np.array(self.classes, np.int64),
            redirects=np.array(self.redirects, np.int64).reshape(-1, 2),
            langs=tuple(self.langs),
            counts=self.counts,
        )


@cache
def code_of_tag(tag: str) -> str | None:
    """Return the code of a language of Wikimedia, or None when it has none here.

    Examples
    --------
    >>> [code_of_tag(tag) for tag in ("zh-hk", "be-x-old", "sr-el", "mul", "tokipona")]
    ['zh-Hant-HK', 'be-tarask', 'sr-Latn', 'mul', None]
    """
    if tag == ANY_LANGUAGE:
        return ANY_LANGUAGE
    try:
        return parse_language(_WIKIMEDIA_CODES.get(tag, tag))
    except InputError:
        return None


@cache
def wikipedia_of(site: str) -> tuple[bool, str | None]:
    """Return whether a site id is a Wikipedia, and the code of its language if it has one.

    Examples
    --------
    >>> [wikipedia_of(site) for site in ("zh_yuewiki", "commonswiki", "enwikiquote")]
    [(True, 'yue'), (False, None), (False, None)]
    """
    if not site.endswith("wiki"):
        return False, None
    prefix = site[: -len("wiki")].replace("_", "-")
    lang = code_of_tag(prefix)
    return lang is not None or prefix in language_prefixes(), lang


@cache
def is_wanted(lang: str, wanted: tuple[str, ...] | None) -> bool:
    """Whether names in a language may serve one that is wanted: same language, parent, variant."""
    if wanted is None or lang == ANY_LANGUAGE:
        return True
    ours = {tag.split("-")[0] for one in wanted for tag in fallbacks(one)}
    return any(tag.split("-")[0] in ours for tag in fallbacks(lang))


def _joined_offsets(listed: list[Ints1d]) -> Ints1d:
    sizes = [np.diff(offsets) for offsets in listed]
    return offsets_of(np.concatenate(sizes))
