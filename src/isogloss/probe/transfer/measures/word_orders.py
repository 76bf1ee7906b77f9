"""Word order of languages after WALS, read from a CLDF folder (WALS Online, CC BY 4.0).

`read_word_orders` takes the folder of a CLDF download (https://github.com/cldf-datasets/wals, its
``cldf``) or any other with ``languages.csv``, ``values.csv`` and ``codes.csv``, each plain or
compressed. The six features are those of Pires et al. (2019).

WALS has codes of its own, and ISO 639-3 codes beside them. Of several WALS languages with one ISO
code (two sorts of Welsh, six of Tibetan) that with most of the six features is taken, of these the
one with the shortest name ("Welsh", not "Welsh (Colloquial)"), and `WordOrders.decided` says so.
Script and region of a code do not matter: ``zh-Hant`` and ``zh`` are Mandarin. Serbian, Croatian
and Bosnian are one language in WALS.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.data.lines import COMPRESSED
from isogloss.data.records import Reading, Records, read_records
from isogloss.errors import InputError, did_you_mean
from isogloss.text.languages import parse_language

FEATURES = {
    "81A": "order of subject, object and verb",
    "85A": "order of adposition and noun phrase",
    "86A": "order of genitive and noun",
    "87A": "order of adjective and noun",
    "88A": "order of demonstrative and noun",
    "89A": "order of numeral and noun",
}
SUBJECT_VERB_OBJECT, ADJECTIVE_NOUN = "81A", "87A"

_MACRO_LANGUAGES = {"sr": "sh", "hr": "sh", "bs": "sh"}  # as WALS has them
_COLUMNS = {
    "languages": ("ID", "Name", "ISO639P3code"),
    "values": ("Language_ID", "Parameter_ID", "Code_ID"),
    "codes": ("ID", "Name"),
}


@dataclass(frozen=True)
class WordOrder:
    """A language of WALS: which of the six features are known, and their values.

    Attributes
    ----------
    values
        Feature → name of its value; "No dominant order" is a value like others.
    """

    wals_code: str
    name: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class WordOrders:
    """The languages of WALS by the language part of their BCP-47 codes.

    Attributes
    ----------
    decided
        Language → the WALS languages that it could be, that which is taken first.
    """

    languages: Mapping[str, WordOrder]
    decided: Mapping[str, Sequence[WordOrder]]

    def of(self, lang: str) -> WordOrder | None:
        """Return the word order of a language, None where WALS has no such language."""
        language = parse_language(lang).partition("-")[0]
        found = self.languages.get(language)
        return found or self.languages.get(_MACRO_LANGUAGES.get(language, ""))


def read_word_orders(folder: Path) -> WordOrders:
    """Read the word order of all languages of a CLDF folder of WALS.

    Raises
    ------
    InputError
        When the folder or one of its files is missing, a file lacks a column, or a value has a
        language or code that the folder lacks.
    """
    names = dict(zip(*_read(folder, "codes"), strict=True))
    ids, titles, isos = _read(folder, "languages")
    values: dict[str, dict[str, str]] = {one: {} for one in ids}
    for lang, feature, code in zip(*_read(folder, "values"), strict=True):
        if feature not in FEATURES:
            continue
        for known, value, what in ((values, lang, "language"), (names, code, "code")):
            if value not in known:
                raise InputError(
                    f"has no {what} '{value:.40}', which values.csv names; give a whole CLDF "
                    "folder of WALS",
                    path=folder,
                )
        values[lang][feature] = names[code]
    found: dict[str, list[WordOrder]] = {}
    for one, title, iso in zip(ids, titles, isos, strict=True):
        if iso:
            found.setdefault(_language_of(iso), []).append(WordOrder(one, title, values[one]))
    for some in found.values():
        some.sort(key=lambda order: (-len(order.values), len(order.name), order.wals_code))
    return WordOrders(
        {lang: some[0] for lang, some in found.items()},
        {lang: some for lang, some in found.items() if len(some) > 1},
    )


def _language_of(iso: str) -> str:
    """Return the BCP-47 code of an ISO 639-3 code; itself where CLDR does not know it."""
    try:
        return parse_language(iso)
    except InputError:
        return iso


def _read(folder: Path, table: str) -> list[list[str]]:
    """Return the columns of a table that are used."""
    wanted = _COLUMNS[table]
    path = _file(folder, f"{table}.csv")
    records: Records = read_records(path, Reading(tuple(wanted), "csv"))
    for name in wanted:
        if name not in records.columns:
            raise InputError(
                f"has no column '{name}'; {did_you_mean(name, records.columns)}", path=path, line=1
            )
    return [records.values(records.columns.index(name)) for name in wanted]


def _file(folder: Path, name: str) -> Path:
    there = [path for ending in ("", *COMPRESSED) if (path := folder / f"{name}{ending}").is_file()]
    if not there:
        raise InputError(
            f"has no {name}; give the CLDF folder of WALS (https://github.com/cldf-datasets/wals, "
            "its folder cldf)",
            path=folder,
        )
    return there[0]
