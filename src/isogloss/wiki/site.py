"""What a wiki says of itself: its language, namespaces and case rule, and the titles they make.

A dump's ``<siteinfo>`` holds the wiki's own names of namespaces, but neither the further names that
may be written for them (aliases) nor the prefixes of other wikis. ``namespaces.tsv`` adds the
aliases of files, categories, media and templates, and its first column is the list of Wikipedias.
Titles follow MediaWiki's `MediaWikiTitleCodec::splitTitleString` and `Language::ucfirst`.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Self
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree

MEDIA, SPECIAL, ARTICLE, FILE, TEMPLATE, CATEGORY = -2, -1, 0, 6, 10, 14

# Names that every MediaWiki knows beside its own, English (`NamespaceInfo::CANONICAL_NAMES`).
CANONICAL: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        MEDIA: ("Media",),
        SPECIAL: ("Special",),
        1: ("Talk",),
        2: ("User",),
        3: ("User talk",),
        4: ("Project",),
        5: ("Project talk",),
        FILE: ("File", "Image"),
        7: ("File talk", "Image talk"),
        8: ("MediaWiki",),
        9: ("MediaWiki talk",),
        TEMPLATE: ("Template",),
        11: ("Template talk",),
        12: ("Help",),
        13: ("Help talk",),
        CATEGORY: ("Category",),
        15: ("Category talk",),
    }
)
_WIKIPEDIA: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {
        4: ("Wikipedia",),
        5: ("Wikipedia talk",),
        100: ("Portal",),
        101: ("Portal talk",),
        828: ("Module",),
        829: ("Module talk",),
    }
)

# Wikipedias whose code is not the language's own, and codes that are read as theirs.
_WIKI_CODES = {
    "be-tarask": "be-x-old", "cbk": "cbk-zam", "cmn": "zh", "egl": "eml", "gsw": "als",
    "lzh": "zh-classical", "nan": "zh-min-nan", "nb": "no", "rup": "roa-rup", "sgs": "bat-smg",
    "vro": "fiu-vro", "yue": "zh-yue", "zh-hans": "zh", "zh-hant": "zh",
}  # fmt: skip
# Of Wikimedia's interwiki map: the other projects, and its old names for Wikipedias.
_PROJECTS = (
    "w wikipedia wikt wiktionary b wikibooks n wikinews q wikiquote s wikisource v wikiversity voy "
    "wikivoyage species wikispecies c commons d wikidata m meta metawikipedia mw mediawikiwiki "
    "foundation wmf incubator outreach phab phabricator gerrit bugzilla toollabs toolforge "
    "wikitech betawiki translatewiki doi rfc pmid arxiv google gutenberg imdb iso3166 "
    "cz dk epo jp minnan nah zh-cn zh-tw nb nan be-tarask"
)

_SPACES = re.compile("[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")
_DIRECTION_MARKS = re.compile("[\u200e\u200f\u202a-\u202e]+")
_ILLEGAL = re.compile("[\x00-\x1f<>\\[\\]{|}\x7f\ufffd]|%[0-9A-Fa-f]{2}|~~~")
_RELATIVE = re.compile(r"(^|/)\.{1,2}(/|$)")
# Most titles: words with one space between, nothing in them that means something.
_WORD = "[^\\s:#%_<>\\[\\]{}|~./\x00-\x1f\x7f\u180e\u200e\u200f\u202a-\u202e\ufffd]++"
_WORDS = re.compile(f"{_WORD}(?: {_WORD})*+")
_LONGEST_WORDS = 63  # characters, of at most four bytes
_LONGEST_TITLE = 255  # bytes of UTF-8, without the namespace

_DOTTED_I = frozenset({"az", "kaa", "tr"})
# PHP leaves these as they are: Roman numerals and circled letters are no letters to it.
_NO_CAPITAL = re.compile("[\u0345\u2170-\u217f\u24d0-\u24e9]")
_SITEINFO = re.compile(rb"<siteinfo[\s>].*?</siteinfo>", re.DOTALL)
_LANGUAGE = re.compile(rb"<mediawiki\b[^>]*\bxml:lang=[\"']([\w-]+)[\"']")


@dataclass(frozen=True)
class Site:
    """A wiki: what is needed to read its titles and links.

    Parameters
    ----------
    language
        Code of its language, such as ``"ja"``.
    name
        Its database's name, such as ``"jawiki"``; empty when unknown.
    namespaces
        Number -> its names, the wiki's own first, then those that may be written instead.
    case_sensitive
        Numbers of the namespaces whose titles keep a small first letter.
    interwiki
        Lower-case prefixes of other wikis.

    Examples
    --------
    >>> site = Site.default("de")
    >>> site.title(":bild:hansa_platz.jpg#Lage"), site.title("straße"), site.title("ßa")
    ('Datei:Hansa platz.jpg', 'Straße', 'ßa')
    >>> site.namespace_of("Kategorie:Berlin"), site.namespace_of("Star Trek: Picard")
    ((14, 'Berlin'), (0, 'Star Trek: Picard'))
    """

    language: str
    name: str = ""
    namespaces: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: dict(CANONICAL))
    case_sensitive: frozenset[int] = frozenset()
    interwiki: frozenset[str] = field(default_factory=lambda: interwiki_prefixes())

    @classmethod
    def default(cls, language: str) -> Self:
        """Return what is known of a language's Wikipedia without its dump."""
        return cls(language, "", _merged(_names_of(language), _WIKIPEDIA, CANONICAL))

    @classmethod
    def of_siteinfo(cls, header: bytes, language: str | None = None) -> Self:
        """Read a wiki's own description.

        Parameters
        ----------
        header
            The start of a dump, UTF-8, with its whole ``<siteinfo>``.
        language
            The language of the pages; when None: the database's, else the dump's ``xml:lang``.

        Raises
        ------
        ValueError
            When there is no siteinfo in it, or it is damaged.
        """
        found = _SITEINFO.search(header)
        if found is None:
            raise ValueError("there is no <siteinfo>")
        try:
            root = ElementTree.fromstring(found[0])  # a fragment: no entity can be declared in it
            entries = [(int(node.get("key", "")), node) for node in root.iter("namespace")]
        except (ElementTree.ParseError, ValueError) as error:
            raise ValueError(f"<siteinfo> is damaged ({error})") from error
        name = (root.findtext("dbname") or "").strip()
        language = language or _language_of(name, header)
        own = {number: (node.text.strip(),) for number, node in entries if node.text}
        if not own:
            raise ValueError("<siteinfo> names no namespaces")
        case = root.findtext("case")
        sensitive = {
            number for number, node in entries if node.get("case", case) == "case-sensitive"
        }
        namespaces = _merged(own, _names_of(language), CANONICAL)
        return cls(language, name, namespaces, frozenset(sensitive))

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Return the wiki whose `facts` these are."""
        namespaces = {number: tuple(names) for number, names in facts["namespaces"]}
        sensitive, interwiki = (frozenset(facts[name]) for name in ("case_sensitive", "interwiki"))
        return cls(facts["language"], facts["name"], namespaces, sensitive, interwiki)

    def facts(self) -> dict[str, Any]:
        """Return all that is known of the wiki, as JSON holds it."""
        return {
            "language": self.language,
            "name": self.name,
            "namespaces": [[number, list(names)] for number, names in self.namespaces.items()],
            "case_sensitive": sorted(self.case_sensitive),
            "interwiki": sorted(self.interwiki),
        }

    def title(self, raw: str) -> str:
        """Return the normal form of a title or link target; empty when no page can have it.

        Spaces for underscores, single and not at the ends; ``%41`` decoded; no leading colon, no
        ``#fragment``; namespace in the wiki's own words; first letter by the namespace's case rule.
        """
        is_plain = len(raw) <= _LONGEST_WORDS and _WORDS.fullmatch(raw)
        if is_plain and (raw.isascii() or unicodedata.is_normalized("NFC", raw)):
            return raw if ARTICLE in self.case_sensitive else self._capital(raw[0]) + raw[1:]
        number, rest = self.namespace_of(raw)
        if number:
            return f"{self.namespaces[number][0]}:{rest}" if rest else ""
        return rest

    def namespace_of(self, title: str) -> tuple[int, str]:
        """Return a title's namespace and, normalised as by `title`, what follows its prefix.

        A title of another wiki keeps its prefix, in small letters, and is in namespace 0.
        """
        text = _spaced(_decoded(title)).removeprefix(":").strip(" ")
        prefix, colon, rest = text.partition(":")
        number = self._numbers.get(prefix.rstrip(" ").lower()) if colon else None
        if number is not None:
            return number, self._page(rest, number)
        if colon and self.is_interwiki(prefix.rstrip(" ")):
            prefix = prefix.rstrip(" ").lower()
            if prefix in self._own_codes:
                return self.namespace_of(rest)
            rest = _legal(rest.partition("#")[0].strip(" "))
            return ARTICLE, f"{prefix}:{rest}" if rest else ""
        return ARTICLE, self._page(text, ARTICLE)

    def is_interwiki(self, prefix: str) -> bool:
        """Whether ``prefix:`` leads to another wiki or language (a namespace comes first)."""
        prefix = prefix.lower()
        return prefix in self.interwiki and prefix not in self._numbers

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Namespace of each prefix in small letters; the wiki's own names win over aliases."""
        found: dict[str, int] = {}
        for place in range(max(map(len, self.namespaces.values()), default=0)):
            for number, names in self.namespaces.items():
                if place < len(names):
                    found.setdefault(_spaced(names[place]).lower(), number)
        return found

    @cached_property
    def _own_codes(self) -> frozenset[str]:
        code = self.language.lower()
        return frozenset({code, _WIKI_CODES.get(code, code)})

    def _page(self, text: str, number: int) -> str:
        page = _legal(text.partition("#")[0].strip(" "))
        if page and number not in self.case_sensitive:
            return self._capital(page[0]) + page[1:]
        return page

    def _capital(self, letter: str) -> str:
        """Return a letter as MediaWiki begins titles with it: one title-case letter, or itself."""
        if letter == "i" and self._own_codes & _DOTTED_I:
            return "İ"
        title = letter.title()
        return title if len(title) == 1 and not _NO_CAPITAL.match(letter) else letter


def interwiki_prefixes() -> frozenset[str]:
    """Return the lower-case prefixes of Wikimedia's other wikis: languages and projects."""
    return frozenset([*language_prefixes(), *_PROJECTS.split()])


@cache
def language_prefixes() -> frozenset[str]:
    """Return the lower-case prefixes of Wikipedias in other languages."""
    return frozenset([*_table(), *_WIKI_CODES])


def code_of_wikipedia(code: str) -> str:
    """Return the Wikipedia's own code for a language's: ``"no"`` for ``"nb"``."""
    return _WIKI_CODES.get(code, code)


def declared_language(header: bytes) -> str:
    """Return the ``xml:lang`` of a dump, or ``"und"``; many copies of dumps have a wrong one."""
    declared = _LANGUAGE.search(header)
    return declared[1].decode() if declared else "und"


@cache
def _table() -> dict[str, dict[int, tuple[str, ...]]]:
    text = (files("isogloss.wiki") / "namespaces.tsv").read_text(encoding="utf-8")
    found: dict[str, dict[int, tuple[str, ...]]] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            language, *cells = line.split("\t")
            pairs = [cell.split(":", 1) for cell in cells]
            found[language] = {int(number): tuple(names.split("|")) for number, names in pairs}
    return found


def _names_of(language: str) -> Mapping[int, tuple[str, ...]]:
    code = language.lower()
    return _table().get(_WIKI_CODES.get(code, code), {})


def _language_of(database: str, header: bytes) -> str:
    code = re.sub(r"wiki.*$", "", database).replace("_", "-")
    if code in _table():
        return code
    return declared_language(header)


def _merged(*tables: Mapping[int, tuple[str, ...]]) -> Mapping[int, tuple[str, ...]]:
    """Join tables of names, each name once, those of earlier tables first."""
    merged: dict[int, tuple[str, ...]] = {}
    for table in tables:
        for number, names in table.items():
            merged[number] = tuple(dict.fromkeys((*merged.get(number, ()), *names)))
    return dict(sorted(merged.items()))  # no proxy: a site is sent to other processes


def _decoded(title: str) -> str:
    if "%" not in title:
        return title
    try:
        return unquote_to_bytes(title).decode("utf-8")
    except UnicodeError:
        return title


def _spaced(title: str) -> str:
    title = _DIRECTION_MARKS.sub("", unicodedata.normalize("NFC", title))
    return _SPACES.sub(" ", title).strip(" ")


def _legal(page: str) -> str:
    """Return the title, or nothing when MediaWiki refuses it."""
    is_bad = (
        _ILLEGAL.search(page)
        or page.startswith(":")
        or ("." in page and _RELATIVE.search(page))
        or len(page) > _LONGEST_TITLE
        or len(page.encode("utf-8", "surrogatepass")) > _LONGEST_TITLE
    )
    return "" if is_bad else page
