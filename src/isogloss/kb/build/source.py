"""The sources of a knowledge base as they are given, each taken apart once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from isogloss.errors import InputError, did_you_mean, refuse_twice
from isogloss.kb.build.wikipedia_options import checked_code
from isogloss.wiki.wikidata.columns import wikipedia_of

Kind = Literal["cldr", "names", "wikidata", "wikipedia"]
_FORMS = ("cldr", "names:FILE", "wikidata:DUMP", "wikipedia:LANG=DUMP")


@dataclass(frozen=True)
class Source:
    """A source of names.

    Attributes
    ----------
    text
        As it was given: ``"wikipedia:ja=DUMP"``.
    kind
        Which reader it is for.
    path
        Its file; standard input is ``Path("-")``. CLDR, which has none, has ``Path()``.
    code, lang
        Of a Wikipedia: its code, such as ``"simple"``, and the language of its names.
    """

    text: str
    kind: Kind
    path: Path = Path()
    code: str = ""
    lang: str = ""

    @classmethod
    def parse(cls, text: str) -> "Source":
        """Take a source apart.

        Raises
        ------
        InputError
            When there is none of that form, no such Wikipedia, or it has no language.

        Examples
        --------
        >>> found = Source.parse("wikipedia:simple=dump.xml.bz2")
        >>> found.kind, found.code, found.lang, str(found.path)
        ('wikipedia', 'simple', 'en', 'dump.xml.bz2')
        """
        kind, _, place = text.partition(":")
        if text == "cldr":
            return cls(text, "cldr")
        if kind == "names" and place:
            return cls(text, "names", Path(place))
        if kind == "wikidata" and place:
            return cls(text, "wikidata", Path(place))
        if kind != "wikipedia":
            raise InputError(f"no source '{text}'; {did_you_mean(text, _FORMS)}")
        code, _, dump = place.partition("=")
        if not dump:
            raise InputError(f"the source '{text}' names no language; write wikipedia:ja=DUMP")
        code = checked_code(code)
        lang = wikipedia_of(f"{code.replace('-', '_')}wiki")[1]
        if lang is None:
            raise InputError(f"the Wikipedia '{code}' has no language code; leave it out")
        return cls(text, "wikipedia", Path(dump), code, lang)


def parse_sources(texts: Sequence[str]) -> list[Source]:
    """Take sources apart; raises `InputError` as `Source.parse` does, and for one given twice."""
    if isinstance(texts, str):
        raise InputError(f"sources is a list, such as ['{texts}'], not a string")
    sources = [Source.parse(text) for text in texts]
    refuse_twice(texts, "the source")
    return sources


def of_kind(sources: Sequence[Source], kind: Kind) -> list[Source]:
    """Return the sources of one kind, in order."""
    return [source for source in sources if source.kind == kind]
