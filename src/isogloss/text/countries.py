"""Country codes and names given as a language: ``jp``, ``kr``, ``CHN``, ``denmark``.

The official languages of territories are those of Unicode CLDR, through Babel. A country is never
taken for its language: `languages` names the language in a hint.
"""

from functools import cache

from babel import Locale
from babel.core import get_global
from babel.languages import get_official_languages


def languages_of_country(name: str) -> tuple[str, ...]:
    """Return CLDR's codes of a country's official languages, the most spoken one first.

    Parameters
    ----------
    name
        ISO 3166 code of two or three letters, or the English name, in any case.

    Returns
    -------
    No code where there is no such country, or it has no official language.

    Examples
    --------
    >>> languages_of_country("jp"), languages_of_country("GRC"), languages_of_country("denmark")
    (('ja',), ('el',), ('da',))
    >>> languages_of_country("zz")
    ()
    """
    plain = name.strip()
    territory = _codes_of_names().get(plain.lower(), plain.upper())
    territory = get_global("territory_aliases").get(territory, [territory])[0]
    return tuple(get_official_languages(territory, de_facto=True))


@cache
def national_languages() -> frozenset[str]:
    """Return CLDR's codes of the languages that are official in a whole country."""
    countries = get_global("territory_languages")
    return frozenset(code for one in countries for code in get_official_languages(one))


@cache
def _codes_of_names() -> dict[str, str]:
    territories = Locale("en").territories
    return {name.lower(): code for code, name in territories.items() if code.isalpha()}
