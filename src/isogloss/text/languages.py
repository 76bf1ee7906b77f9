"""Parse language codes into one spelling: BCP-47, as short as possible.

`parse_language` understands BCP-47, ISO 639-1 to 639-3 and FLORES codes and returns one spelling.
Aliases, likely scripts and English names are those of Unicode CLDR, through Babel; the small
tables here hold only what CLDR leaves open. Which language a text is in: see `detect`; where words
begin and end: see `scripts`.

What the spelling is:

- An individual language becomes its macro-language where CLDR says so: ``arb`` is ``ar``,
  ``cmn`` is ``zh``, ``npi`` is ``ne``, ``tgl`` and ``tl`` are ``fil``, ``twi`` is ``ak``.
- Old codes are renewed: ``iw`` is ``he``, ``in`` is ``id``. ``no`` is ``nb``, which is what text
  marked ``no`` is nearly always in. ``sh`` stays, as wordnets and Wikipedia use it.
- The script is left out where it is the likely one of the language (``zh`` is Hans), and given
  where it is not, even when the region implies it: ``zh-TW`` is ``zh-Hant-TW``.
- The region is kept: ``pt_BR`` is ``pt-BR``.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import TypeVar

from babel import Locale
from babel.core import get_global

from isogloss.errors import InputError, InputKindError, did_you_mean
from isogloss.text.countries import languages_of_country, national_languages

UNKNOWN = "und"  # BCP-47's code for an undetermined language
LanguageOrNone = TypeVar("LanguageOrNone", str, str | None)

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3})"
    r"(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|[0-9]{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)"
)
_OWN_ALIASES = {"no": "nb", "nor": "nb", "sh": "sh", "hbs": "sh"}
_NOT_A_LANGUAGE = {UNKNOWN, "mul", "zxx"}
# Codes of a part or of the whole of a writing system that mean the whole in FLORES and others.
_SCRIPT_ALIASES = {
    ("ko", "Hang"): "Kore",
    ("zh", "Hani"): "Hans",
    ("yue", "Hani"): "Hant",
    ("ja", "Hani"): "Jpan",
    ("ja", "Hrkt"): "Jpan",
}
_WIDER = {
    "nb": ["no"],
    "yue": ["zh-Hant", "zh"],
    "lzh": ["zh-Hant", "zh"],
    **{code: ["zh"] for code in ("wuu", "hak", "nan", "gan", "hsn", "cdo", "cjy")},
    **{
        code: ["ar"]
        for code in ("acm", "acq", "aeb", "afb", "apc", "apd", "arq", "ars", "ary", "arz")
    },
}
_UNKNOWN_SCRIPT = "Zzzz"
_RIGHT_TO_LEFT = {
    "Adlm",
    "Arab",
    "Aran",
    "Hebr",
    "Mand",
    "Mend",
    "Nkoo",
    "Rohg",
    "Samr",
    "Syrc",
    "Thaa",
}


@dataclass(frozen=True)
class LanguageFile:
    """A file and the language of its texts, from a ``LANG=FILE`` argument.

    Parameters
    ----------
    lang
        Canonical code.
    path
        The file; ``Path("-")`` is standard input.
    """

    lang: str
    path: Path


def parse_language(code: str) -> str:
    """Return the one spelling of a language code: BCP-47, as short as it gets.

    Parameters
    ----------
    code
        BCP-47 (``"pt-BR"``), ISO 639 (``"por"``) or FLORES (``"por_Latn"``), in any case.

    Raises
    ------
    InputError
        When the code is not known; an English language name is answered with its code.

    Examples
    --------
    >>> [parse_language(code) for code in ("eng_Latn", "zho_Hant", "pes", "pt_BR", "iw")]
    ['en', 'zh-Hant', 'fa', 'pt-BR', 'he']
    >>> parse_language("german")
    Traceback (most recent call last):
    isogloss.errors.InputError: unknown language 'german'; did you mean 'de'?
    """
    if not isinstance(code, str):
        raise InputKindError(f"a language is {type(code).__name__}; give one code, such as 'pt'")
    return _parsed(code)


@lru_cache(maxsize=4096)
def _parsed(code: str) -> str:
    plain = code.strip().replace("_", "-").lower()
    match = _TAG.fullmatch(plain)
    if match is None:
        raise _unknown(code)
    language, script, region, variants = match.group("language", "script", "region", "variants")
    alias = _OWN_ALIASES.get(language) or get_global("language_aliases").get(language, language)
    language, *implied = alias.split("_")
    if language not in _known_languages():
        raise _unknown(code)
    for part in implied:  # fa_AF for prs
        if len(part) == 4:
            script = script or part
        else:
            region = region or part
    script = _known_script(language, script, code) if script else None
    region = _known_region(region, code) if region else None
    return _spell(language, script, region) + variants


def fallbacks(code: str) -> list[str]:
    """Return the codes to look under, from the language itself to wider ones.

    The last may be in another script (``zh`` for ``zh-Hant``) or the macro-language (``ar`` for
    ``arz``): better than nothing for looking up names.

    Examples
    --------
    >>> fallbacks("zh-HK")
    ['zh-Hant-HK', 'zh-Hant', 'zh']
    >>> fallbacks("nb")
    ['nb', 'no']
    """
    parts = parse_language(code).split("-")
    cut = [parse_language("-".join(parts[:length])) for length in range(len(parts), 0, -1)]
    return list(dict.fromkeys(cut + _WIDER.get(parts[0], [])))


def language_name(code: str) -> str:
    """Return the English name of a language, or its code where English has none.

    Examples
    --------
    >>> language_name("zh-Hant"), language_name("sr-Latn-ME"), language_name("yor")
    ('Traditional Chinese', 'Serbian (Latin, Montenegro)', 'Yoruba')
    """
    tag = parse_language(code)
    names = _english().languages
    if tag.replace("-", "_") in names:
        return str(names[tag.replace("-", "_")])
    language, *rest = tag.split("-")
    details = ", ".join(
        str(_english().scripts.get(part.title()) or _english().territories.get(part, part))
        for part in rest
    )
    name = str(names.get(language, language))
    return f"{name} ({details})" if details else name


def has_english_name(word: str) -> bool:
    """Whether a code, or a word that is no code, is that of a language which English names.

    Examples
    --------
    >>> has_english_name("yo"), has_english_name("German"), has_english_name("sku")
    (True, True, False)
    """
    return word.lower() in _codes_of_names() or word in _codes_of_names().values()


def country_hint(code: str) -> str | None:
    """Return a hint for a language of which nothing is known, where a country may be meant.

    Parameters
    ----------
    code
        Canonical, as `parse_language` returns it. The national language of a country is what it
        says: nobody who writes ``ar`` means Argentina.

    Examples
    --------
    >>> country_hint("kr")
    "if South Korea is meant, Korean is 'ko'"
    >>> print(country_hint("ar"), country_hint("yo"))
    None None
    """
    meant = None if len(code) > 2 or code in national_languages() else _language_of_country(code)
    if meant is None or meant == code:
        return None
    country = _english().territories[code.upper()]
    return f"if {country} is meant, {language_name(meant)} is '{meant}'"


def script_of(code: str) -> str:
    """Return the ISO 15924 code of the script a language is written in.

    ``"Jpan"`` and ``"Kore"`` are the mixed systems of Japanese and Korean, ``"Zzzz"`` says that
    the script is not known.

    Examples
    --------
    >>> script_of("hi"), script_of("zh-TW"), script_of("sr-Latn")
    ('Deva', 'Hant', 'Latn')
    """
    language, *rest = parse_language(code).split("-")
    script = next((part for part in rest if len(part) == 4 and part.isalpha()), None)
    return script or _likely_script(language) or _UNKNOWN_SCRIPT


def is_right_to_left(code: str) -> bool:
    """Return whether the script of a language runs from right to left.

    Examples
    --------
    >>> is_right_to_left("ar"), is_right_to_left("az"), is_right_to_left("az-IR")
    (True, False, True)
    """
    return script_of(code) in _RIGHT_TO_LEFT


def in_order_of_codes(langs: Iterable[LanguageOrNone]) -> list[LanguageOrNone]:
    """Return each language once, in the order of codes; the unknown one, None or und, comes last.

    Examples
    --------
    >>> in_order_of_codes(["und", "sw", "de", "sw"]), in_order_of_codes(["sw", None, "de"])
    (['de', 'sw', 'und'], ['de', 'sw', None])
    """
    return sorted(set(langs), key=lambda lang: (lang in (None, UNKNOWN), lang or ""))


def parse_language_file(value: str) -> LanguageFile:
    """Read a ``LANG=FILE`` argument; the file itself is not looked at.

    Raises
    ------
    InputError
        When ``=``, the language or the file is missing, or the language is not known.

    Examples
    --------
    >>> parse_language_file("jpn=news=2024.tsv")
    LanguageFile(lang='ja', path=PosixPath('news=2024.tsv'))
    """
    language, equals, file = value.partition("=")
    if not equals:
        raise InputError(f"'{value}' does not say its language; write LANG=FILE, as in en={value}")
    if not language.strip():
        raise InputError(f"'{value}' has no language before '='; write LANG=FILE, as in en{value}")
    if not file:
        raise InputError(f"'{value}' has no file after '='; write LANG=FILE, as in {value}news.tsv")
    return LanguageFile(lang=parse_language(language), path=Path(file))


def _spell(language: str, script: str | None, region: str | None) -> str:
    """Leave the script out only where the tag without it means the same."""
    usual = _likely_script(language)
    here = (_likely_script(f"{language}_{region}") if region else None) or usual
    script = script or here
    keep_script = script is not None and (script != usual or script != here)
    return "-".join(part for part in (language, script if keep_script else None, region) if part)


def _likely_script(tag: str) -> str | None:
    likely = get_global("likely_subtags").get(tag)
    if likely is None:
        return "Latn" if tag == "sh" else None
    return str(likely.split("_")[1])


def _known_script(language: str, script: str, code: str) -> str:
    script = script.title()
    script = _SCRIPT_ALIASES.get((language, script), script)
    if script not in _english().scripts:
        raise InputError(
            f"unknown script '{script}' in language '{code}'; "
            + did_you_mean(script, _english().scripts)
        )
    return script


def _known_region(region: str, code: str) -> str:
    region = region.upper()
    region = get_global("territory_aliases").get(region, [region])[0]
    if region not in _english().territories:
        raise InputError(
            f"unknown region '{region}' in language '{code}'; leave it out, or give an ISO 3166 "
            "code such as 'BR'"
        )
    return region


def _unknown(code: str) -> InputError:
    """Suggest the code for a language's or country's name, misspelt or cut; never take it."""
    meant = _meant_by(code.strip().lower())
    if meant is not None:
        return InputError(f"unknown language '{code}'; did you mean '{meant}'?")
    return InputError(
        f"unknown language '{code}'; give a BCP-47, ISO 639-3 or FLORES code, such as 'en', "
        "'zh-Hant', 'yor' or 'eng_Latn'"
    )


def _meant_by(plain: str) -> str | None:
    names = _codes_of_names()
    if plain in names:
        return names[plain]
    of_country = _language_of_country(plain)
    if of_country is not None:
        return of_country
    if len(plain) == 2:  # sp for Spanish
        begun = {known for name, known in names.items() if name.startswith(plain)}
        return begun.pop() if len(begun) == 1 else None
    near = get_close_matches(plain, names, n=1, cutoff=0.75) if len(plain) > 4 else []
    return names[near[0]] if near else None


def _language_of_country(name: str) -> str | None:
    """Return the most spoken official language of a country, in its usual script."""
    official = languages_of_country(name)
    if not official:
        return None
    bare = official[0].partition("_")[0]
    return parse_language(bare if bare in official else official[0])


@cache
def _english() -> Locale:
    return Locale("en")


@cache
def _known_languages() -> frozenset[str]:
    codes = [*get_global("likely_subtags"), *_english().languages, *_OWN_ALIASES.values()]
    return frozenset(code for code in codes if "_" not in code) - _NOT_A_LANGUAGE


@cache
def _codes_of_names() -> dict[str, str]:
    """Return English names in lower case → canonical code, the modern languages first."""
    return {
        name.lower(): parse_language(code)
        for code, name in _english().languages.items()
        if code not in _NOT_A_LANGUAGE
    }
