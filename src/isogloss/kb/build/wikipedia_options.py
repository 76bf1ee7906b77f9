"""How dumps of Wikipedias are read: options alone, so that a command starts without the readers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.errors import InputError, did_you_mean
from isogloss.limits import check_count
from isogloss.text.languages import parse_language
from isogloss.wiki.site import code_of_wikipedia, language_prefixes

Files = Mapping[str, Path]
FOR_WIKIPEDIAS = "is for wikipedia:LANG=DUMP sources; give one"
FOR_WIKIDATA = "is for wikidata:DUMP sources; give one"


@dataclass(frozen=True)
class WikipediaOptions:
    """How dumps of Wikipedias are read.

    Parameters
    ----------
    work
        Folder of the parts and counts, kept when it is given; None: one beside the knowledge base,
        which is removed when that is made.
    page_props, langlinks
        Code of the wiki → its SQL table: Wikidata items and disambiguation pages; pages in other
        languages.
    sitelinks
        Wikidata's table ``wb_items_per_site``: the items of all wikis.
    limit
        Read the first pages of each dump only.
    min_link_count
        Leave out what a name means by fewer links, unless it is a title.
    keep_disambiguations
        Let disambiguation pages be entities.
    keep_red_links
        Let titles be entities that no page has and so many links lead to; None: none of them.
    """

    work: Path | None = None
    page_props: Files = field(default_factory=dict)
    langlinks: Files = field(default_factory=dict)
    sitelinks: Path | None = None
    limit: int | None = None
    min_link_count: int = 1
    keep_disambiguations: bool = False
    keep_red_links: int | None = None

    def __post_init__(self) -> None:
        for name in ("limit", "min_link_count", "keep_red_links"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))


def checked_code(code: str) -> str:
    """Return the code of a Wikipedia in small letters; raises `InputError` when there is none."""
    code = code.strip().lower().replace("_", "-")
    if code not in language_prefixes():
        close = _meant(code) or did_you_mean(code, sorted(language_prefixes()), n_shown=5)
        raise InputError(f"'{code}' is the code of no Wikipedia, as ja or simple are; {close}")
    return code


def _meant(code: str) -> str:
    """Return advice for the name of a database, an address, or another code of a language."""
    short = code.removesuffix("wiki").rstrip("-").removeprefix("https://").partition(".")[0]
    try:
        language = parse_language(short)
    except InputError:
        language = short
    for found in (short, code_of_wikipedia(language)):
        if found in language_prefixes():
            return f"did you mean '{found}'?"
    return ""


def hidden_folder(out: Path) -> Path:
    """Return the work folder of a knowledge base where no other is given."""
    return out.parent / f".{out.name}.wikipedia"
