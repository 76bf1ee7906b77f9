"""How encoders, languages and figures are written in charts and in the report of probes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from isogloss.probe.saved import Series
from isogloss.report.figures import decimal, is_number
from isogloss.report.page import interval_of, name_of_language

MOST_NAMED = 6  # of languages or encoders in a phrase


class Names:
    """How encoders and languages are called in a report: as short as keeps them apart.

    A directory goes by its last part where no other encoder has that name. What all lines share is
    left out of their names.

    Parameters
    ----------
    series
        Encoders and languages of a part of the report.
    among
        Those of all parts, to be kept apart from; None: there is one part.

    Examples
    --------
    >>> names = Names([Series("models/a", "en"), Series("models/a", "ja")])
    >>> names.of(Series("models/a", "ja")), names.encoder("models/a")
    ('Japanese', 'a')
    """

    def __init__(self, series: Iterable[Series], among: "Names | None" = None) -> None:
        self.series = list(series)
        self.encoders = list(dict.fromkeys(one.encoder for one in self.series))
        self.langs = list(dict.fromkeys(map(name_of_languages, self.series)))
        self._among: Names = among or self
        encoders = self._among.encoders
        parts = [PurePath(encoder).name or encoder for encoder in encoders]
        self._short = {
            encoder: part if parts.count(part) == 1 else encoder
            for encoder, part in zip(encoders, parts, strict=True)
        }

    def encoder(self, encoder: str) -> str:
        """Return the short name of an encoder."""
        return self._short[encoder]

    def of(self, series: Series) -> str:
        """Return what tells one line from the others."""
        encoder, language = self.encoder(series.encoder), name_of_languages(series)
        if len(self._among.langs) == 1:
            return encoder
        return language if len(self._among.encoders) == 1 else f"{encoder}, {language}"

    def all(self) -> str:
        """Return encoders and languages in a phrase: ``"bundled in 28 languages"``."""
        encoders = listed([self.encoder(one) for one in self.encoders], "encoders")
        return f"{encoders} in {listed(self.langs, 'languages')}"


def name_of_languages(series: Series) -> str:
    """Return the English name of a language, or of both of a pair.

    Examples
    --------
    >>> name_of_languages(Series("a", "en", "de")), name_of_languages(Series("a", "ja"))
    ('English–German', 'Japanese')
    """
    first = name_of_language(series.lang)
    return f"{first}–{name_of_language(series.other)}" if series.other else first


def listed(names: Sequence[str], many: str) -> str:
    """Return names in a row, or how many there are where that would be long.

    Examples
    --------
    >>> listed(["Thai"], "languages"), listed(["Thai", "Lao"], "languages")
    ('Thai', 'Thai and Lao')
    """
    if len(names) > MOST_NAMED:
        return f"{len(names)} {many}"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def with_interval(row: Mapping[str, Any], column: str) -> str:
    """Return a value of three digits with its interval.

    Examples
    --------
    >>> with_interval({"a": 5.144, "a_low": 5.0, "a_high": 5.25}, "a")
    '5.14 [5.00, 5.25]'
    """
    size = abs(row[column]) if is_number(row[column]) else 0.0
    digits = 3 if size < 1 else 2 if size < 10 else 1
    return f"{decimal(row[column], digits)}{interval_of(row, column)}"


def percent(share: float) -> str:
    """Write a share as a whole number of percent.

    Examples
    --------
    >>> percent(0.534), percent(-0.04)
    ('53 %', '−4 %')
    """
    return f"{decimal(100 * share, 0)} %"
