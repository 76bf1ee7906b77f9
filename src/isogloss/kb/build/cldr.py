"""The names that come with Babel: territories, languages, scripts, currencies and cities.

CLDR has no Wikidata ids, so the ids are its own (``cldr:territory/DE``); a names file can join them
to others with ``same_as``. Codes themselves are no names. Where CLDR gives a city no name of its
own, scripts that are Latin use the one in the time zone's id, as CLDR prescribes. A city that is
its territory (*Jamaica*, *Canarias*) is one entity with it.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError, localedata
from babel.core import get_global

from isogloss.kb.build.gathered import Gathered, LanguageChoice, SourceReport
from isogloss.text.languages import fallbacks

LICENCE = "Unicode License V3 (Unicode CLDR, through Babel)"

_NO_TERRITORY = frozenset({"001", "QO", "XA", "XB", "ZZ"})
_NO_LANGUAGE = frozenset({"mul", "und", "zxx", "mis", "root"})
_PARTS_OF_SCRIPTS = frozenset({"Bopo", "Brai", "Hang", "Hani", "Hira", "Kana"})
_ADJECTIVES = frozenset({"Hans", "Hant"})  # their names are "simplified" and "traditional"
_NO_CURRENCY = frozenset({"XXX", "XTS"})
_CITY_AREAS = ("Africa/", "America/", "Asia/", "Atlantic/", "Australia/", "Europe/", "Indian/",
               "Pacific/")  # fmt: skip
# Parts of territories whose names hold that of a territory which is another place: without them,
# *Northern Ireland* is found as *Ireland*. Babel has no subdivisions.
_PARTS = ("gbnir", "usnm", "usnj", "cnnm")
_NAMES_OF_PARTS = {
    "ar": ("أيرلندا الشمالية", "نيو مكسيكو", "نيو جيرسي", "منغوليا الداخلية"),
    "cs": ("Severní Irsko", "Nové Mexiko", "New Jersey", "Vnitřní Mongolsko"),
    "de": ("Nordirland", "New Mexico", "New Jersey", "Innere Mongolei"),
    "en": ("Northern Ireland", "New Mexico", "New Jersey", "Inner Mongolia"),
    "es": ("Irlanda del Norte", "Nuevo México", "Nueva Jersey", "Mongolia Interior"),
    "fr": ("Irlande du Nord", "Nouveau-Mexique", "New Jersey", "Mongolie-Intérieure"),
    "id": ("Irlandia Utara", "New Mexico", "New Jersey", "Mongolia Dalam"),
    "it": ("Irlanda del Nord", "Nuovo Messico", "New Jersey", "Mongolia Interna"),
    "ja": ("北アイルランド", "ニューメキシコ", "ニュージャージー", "内モンゴル"),
    "ko": ("북아일랜드", "뉴멕시코", "뉴저지", "내몽골"),
    "nl": ("Noord-Ierland", "New Mexico", "New Jersey", "Binnen-Mongolië"),
    "pl": ("Irlandia Północna", "Nowy Meksyk", "New Jersey", "Mongolia Wewnętrzna"),
    "pt": ("Irlanda do Norte", "Novo México", "Nova Jersey", "Mongólia Interior"),
    "ru": ("Северная Ирландия", "Нью-Мексико", "Нью-Джерси", "Внутренняя Монголия"),
    "sv": ("Nordirland", "New Mexico", "New Jersey", "Inre Mongoliet"),
    "tr": ("Kuzey İrlanda", "New Mexico", "New Jersey", "İç Moğolistan"),
    "uk": ("Північна Ірландія", "Нью-Мексико", "Нью-Джерсі", "Внутрішня Монголія"),
    "vi": ("Bắc Ireland", "New Mexico", "New Jersey", "Nội Mông"),
    "zh": ("北爱尔兰", "新墨西哥", "新泽西", "内蒙古"),
    "zh-Hant": ("北愛爾蘭", "新墨西哥", "紐澤西", "內蒙古"),
}
_BRACKETED = re.compile(r"^(.+?)\s*[(（]([^()（）]+)[)）]$")


def gather_cldr(gathered: Gathered) -> SourceReport:
    """Add CLDR's names in every language that is wanted and that Babel has."""
    report = SourceReport("cldr", LICENCE)
    known: set[int] = set()
    same = [  # the territory's id comes first, and stays
        (gathered.entity(f"cldr:territory/{territory}"), gathered.entity(f"cldr:city/{zone}"))
        for zone, territory in _cities_that_are_territories().items()
    ]
    gathered.same_as.extend(same)
    for language, locale in _locales(gathered.choose):
        seen: set[tuple[int, str]] = set()
        parts = zip(_PARTS, _NAMES_OF_PARTS.get(language, ()), strict=False)
        of_parts = [("subdivision", code, name) for code, name in parts]
        for kind, code, name in (*_names(locale), *of_parts):
            entity = gathered.entity(f"cldr:{kind}/{code}")
            if not name.strip() or name == code or (entity, name) in seen:
                continue
            seen.add((entity, name))
            gathered.add_type(entity, kind)
            known.add(entity)
            report.n_names += gathered.add_names(language, entity, [name.strip()])
    report.n_entities = len(known - {city for _, city in same})
    return report


def _locales(choose: LanguageChoice) -> Iterator[tuple[str, Locale]]:
    """Yield language and locale: those wanted, or all of Babel's that name no region."""
    identifiers = {name.replace("_", "-"): name for name in localedata.locale_identifiers()}
    wanted = choose.wanted
    if wanted is None:
        wanted = [
            tag for tag in sorted(identifiers) if not any(len(p) < 4 for p in tag.split("-")[1:])
        ]
    for language in wanted:
        found = next((tag for tag in fallbacks(language) if tag in identifiers), None)
        if found is not None:
            try:
                yield language, Locale.parse(identifiers[found])
            except UnknownLocaleError:
                continue


def _names(locale: Locale) -> Iterator[tuple[str, str, str]]:
    """Yield kind, code and name, the title of each entity first."""
    yield from _territories(locale.territories)
    for code, name in sorted(locale.languages.items()):
        if code not in _NO_LANGUAGE:
            yield "language", code.replace("_", "-"), name
    for code, name in sorted(locale.scripts.items()):
        if code in _scripts_in_use():
            yield "script", code, name
    # The data that Babel has no public accessor for: plural names of currencies, cities of zones.
    data: Mapping[str, Any] = locale._data
    plural = data["currency_names_plural"]
    for code, name in sorted(locale.currencies.items()):
        if code not in _NO_CURRENCY:
            yield "currency", code, name
            forms = sorted(set(plural.get(code, {}).values()))
            yield from (("currency", code, form) for form in forms)
    yield from _cities(data["time_zones"], is_latin=_is_latin(locale))


def _territories(names: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the names, and both parts of *Myanmar (Burma)*.

    What stands in brackets is left out where it tells two territories apart: *(США)*.
    """
    matches = {code: _BRACKETED.match(name) for code, name in sorted(names.items())}
    inner = [match[2] for match in matches.values() if match]
    for code, match in matches.items():
        if code in _NO_TERRITORY:
            continue
        if match:
            yield "territory", code, match[1]
            if inner.count(match[2]) == 1 and match[2] not in names.values():
                yield "territory", code, match[2]
        yield "territory", code, names[code]


@lru_cache(maxsize=1)
def _scripts_in_use() -> frozenset[str]:
    """Return the scripts that Babel's languages are mostly written in, and parts of these.

    The names of the others (*Moon*, *Shavian*) are more often words of the language.
    """
    likely = get_global("likely_subtags")
    languages = [tag for tag in localedata.locale_identifiers() if "_" not in tag]
    scripts = {likely[tag].split("_")[1] for tag in languages if tag in likely}
    return frozenset(scripts | _PARTS_OF_SCRIPTS) - _ADJECTIVES


def _cities(zones: Mapping[str, Any], *, is_latin: bool) -> Iterator[tuple[str, str, str]]:
    for zone in _zones_with_city():
        name = zones[zone].get("city") if zone in zones else None
        if name is None and is_latin:
            name = zone.rpartition("/")[2].replace("_", " ")
        if name is not None:
            yield "city", zone, name


@lru_cache(maxsize=1)
def _zones_with_city() -> list[str]:
    """Return the zones that some well-covered locales name a city for."""
    zones = {zone for tag in ("ja", "ru", "ar") for zone in Locale.parse(tag)._data["time_zones"]}
    return sorted(zone for zone in zones if zone.startswith(_CITY_AREAS))


@lru_cache(maxsize=1)
def _cities_that_are_territories() -> dict[str, str]:
    """Return the territory of each zone whose city is the whole of it: an island, a city state.

    Japanese and Korean write both the same way just there; Russian and Arabic write Tunis as
    Tunisia too.
    """
    found = {}
    for locale in (Locale.parse("ja"), Locale.parse("ko")):
        codes = {name: code for code, name in locale.territories.items() if len(code) == 2}
        for zone in _zones_with_city():
            city = locale._data["time_zones"].get(zone, {}).get("city")
            if city in codes:
                found[zone] = codes[city]
    return found


def _is_latin(locale: Locale) -> bool:
    sample = (
        locale.languages.get("de") or locale.languages.get("en") or locale.territories.get("DE")
    )
    return sample is not None and max(sample) < "\u0250"
