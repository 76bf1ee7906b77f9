"""What the wikitext scanner must know of a wiki: tags, entities, prefixes, letters behind links.

Tags and entities are the same on every wiki. Prefixes (*Datei:*, *Kategorie:*, *fr:*) and the
letters behind a link are the wiki's own.
"""

import html.entities
from collections.abc import Iterable
from dataclasses import dataclass

from isogloss.arrays import Bytes1d
from isogloss.storage.word_table import WordTable
from isogloss.wiki import site as site_names
from isogloss.wiki.site import Site, language_prefixes
from isogloss.wiki.wikitext.link_trails import trail_letters, trail_table

# Families of words in the table.
TAG, ENTITY, PREFIX, SCHEME = ord("t"), ord("e"), ord("p"), ord("s")

# What a tag does; numbers from `HIDDEN` on count the tags whose content is skipped.
INLINE, BLOCK, SPACED, TABLE, REFERENCE, LITERAL, PREFORMATTED, HIDDEN = 1, 2, 3, 4, 5, 6, 7, 8

# What a prefix makes of a link.
FILE, MEDIA, CATEGORY, LANGUAGE, OTHER_WIKI = 1, 2, 3, 4, 5

_TAGS = {
    INLINE: "abbr b bdi bdo big caption cite code data del dfn em font i ins kbd mark noinclude "
    "onlyinclude poem q rb rp rt rtc ruby s samp section small span strike strong sub sup td "
    "templatestyles th time tt u var wbr",
    BLOCK: "blockquote center dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p tr ul",
    SPACED: "br",
    TABLE: "table",
    REFERENCE: "ref",
    LITERAL: "nowiki",
    PREFORMATTED: "pre",
}
_HIDDEN_TAGS = (
    "categorytree ce chem gallery graph hiero imagemap includeonly indicator inputbox mapframe "
    "maplink math references score source syntaxhighlight templatedata timeline"
)
_WITH_VARIANTS = (
    "ban crh gan iu kk ku mni sh shi sr tg tly uz wuu zgh zh"  # LanguageConverterFactory
)
_SCHEMES = (
    "bitcoin ftp ftps geo git gopher http https irc ircs magnet mailto mms news nntp redis sftp "
    "sip sips sms ssh svn tel telnet urn worldwind xmpp"
)


@dataclass(frozen=True, eq=False)
class WikitextRules:
    """The rules of one wiki; see `of_names` for what they hold.

    Attributes
    ----------
    words
        Tags, entities, prefixes and URL schemes.
    trail
        1 for each code point that continues a link it stands behind.
    has_variants
        Whether ``-{...}-`` chooses between scripts or regions, as in Chinese and Serbian.
    """

    words: WordTable
    trail: Bytes1d
    has_variants: bool

    @classmethod
    def of(cls, site: Site) -> "WikitextRules":
        """Return the rules of a site."""
        names = site.namespaces
        languages = site.interwiki & language_prefixes()
        return cls.of_names(
            site.language,
            files=names.get(site_names.FILE, ()),
            media=names.get(site_names.MEDIA, ()),
            categories=names.get(site_names.CATEGORY, ()),
            languages=languages,
            other_wikis=site.interwiki - languages,
        )

    @classmethod
    def of_names(
        cls,
        language: str,
        *,
        files: Iterable[str] = (),
        media: Iterable[str] = (),
        categories: Iterable[str] = (),
        languages: Iterable[str] = (),
        other_wikis: Iterable[str] = (),
    ) -> "WikitextRules":
        """Return the rules of a wiki whose prefixes are known.

        Parameters
        ----------
        language
            Code of the wiki's language, for the letters that may stand behind a link.
        files, media, categories
            Names of these namespaces, beside the English ones, which every wiki understands.
        languages, other_wikis
            Prefixes of the same wiki in other languages (``"fr"``), whose links are not part of
            the text, and of other wikis (``"wikt"``), whose links are.
        """
        prefixes: dict[bytes, int] = {}
        for number, english, names in (
            (OTHER_WIKI, [], other_wikis),
            (LANGUAGE, [], languages),
            (MEDIA, ["Media"], media),
            (FILE, ["File", "Image"], files),
            (CATEGORY, ["Category"], categories),
        ):
            for name in [*english, *names]:
                prefixes.update(dict.fromkeys(_spellings(name), number))
        families = {chr(PREFIX): prefixes, **_COMMON}
        has_variants = language.partition("-")[0] in _WITH_VARIANTS.split()
        return cls(WordTable.of(families), trail_table(trail_letters(language)), has_variants)


def _spellings(name: str) -> set[bytes]:
    """Return the ways to write a prefix that differ in more than ASCII capitals."""
    name = " ".join(name.replace("_", " ").split())
    forms = {name, name.lower(), name.upper(), name.capitalize(), name.title()}
    return {form.encode().lower() for form in forms}  # bytes.lower: ASCII alone


def _entities() -> dict[bytes, int]:
    """Return the one or two code points of each named entity: first + second * 2**24."""
    found = {}
    for name, value in html.entities.html5.items():
        if name.endswith(";"):
            second = ord(value[1]) << 24 if len(value) > 1 else 0
            found[name[:-1].encode()] = ord(value[0]) + second
    return found


def _tags() -> dict[bytes, int]:
    kinds = {name.encode(): kind for kind, names in _TAGS.items() for name in names.split()}
    hidden = {name.encode(): HIDDEN + i for i, name in enumerate(_HIDDEN_TAGS.split())}
    return kinds | hidden


_COMMON = {
    chr(TAG): _tags(),
    chr(ENTITY): _entities(),
    chr(SCHEME): {name.encode(): 1 for name in _SCHEMES.split()},
}
