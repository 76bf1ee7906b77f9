"""Sentences of the report of probes: what figures show, in words and with their numbers.

Nothing is said that the numbers do not carry: values with intervals, the highest, the lowest, and
which encoder or language they are of.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from isogloss.probe.saved import Row, Series
from isogloss.report.figures import decimal, is_number
from isogloss.report.page import interval_of, name_of_language

MOST_NAMED = 6  # of languages or encoders in a sentence
MOST_SENTENCES = 4  # one an encoder; of more there is one sentence for all


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
        self.langs = list(dict.fromkeys(one.lang for one in self.series))
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
        encoder, language = self.encoder(series.encoder), name_of_language(series.lang)
        if len(self._among.langs) == 1:
            return encoder
        return language if len(self._among.encoders) == 1 else f"{encoder}, {language}"

    def all(self) -> str:
        """Return encoders and languages in a phrase: ``"bundled in 28 languages"``."""
        encoders = listed([self.encoder(one) for one in self.encoders], "encoders")
        return f"{encoders} in {listed([name_of_language(one) for one in self.langs], 'languages')}"


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


def number(value: float | None) -> str:
    """Write a value with three digits that say something.

    Examples
    --------
    >>> number(0.6504), number(5.144), number(72.66), number(None)
    ('0.650', '5.14', '72.7', '–')
    """
    size = abs(value) if is_number(value) else 0.0
    return decimal(value, 3 if size < 1 else 2 if size < 10 else 1)


def with_interval(row: Mapping[str, Any], column: str) -> str:
    """Return a value with its interval: ``"0.650 [0.64, 0.66]"``."""
    return f"{number(row[column])}{interval_of(row, column)}"


def percent(share: float) -> str:
    """Write a share as a whole number of percent.

    Examples
    --------
    >>> percent(0.534), percent(-0.04)
    ('53 %', '−4 %')
    """
    return f"{decimal(100 * share, 0)} %"


def by_encoder(rows: Mapping[Series, list[Row]]) -> dict[str, dict[Series, list[Row]]]:
    """Return rows of each encoder; all together, under an empty name, where encoders are many."""
    names = list(dict.fromkeys(one.encoder for one in rows))
    if len(names) > MOST_SENTENCES:
        return {"": dict(rows)}
    return {
        name: {series: some for series, some in rows.items() if series.encoder == name}
        for name in names
    }


def value_of_last_layer(rows: Mapping[Series, list[Row]], column: str, names: Names) -> str:
    """Return the value in the last layer: with its interval, or the range and what it is of."""
    last = {series: some[-1] for series, some in rows.items() if is_number(some[-1][column])}
    if not last:
        return ""
    if len(last) == 1:
        return with_interval(next(iter(last.values())), column)
    lowest = min(last, key=lambda one: last[one][column])
    highest = max(last, key=lambda one: last[one][column])
    low, high = number(last[lowest][column]), number(last[highest][column])
    if low == high:
        return f"{low} in each of {len(last)}"
    mean = number(sum(row[column] for row in last.values()) / len(last))
    own = Names(last) if len({one.encoder for one in last}) == 1 else names
    return (
        f"{mean} on average over {len(last)}, from {low} ({own.of(lowest)}) to {high} "
        f"({own.of(highest)})"
    )


def values_by_layer(rows: Mapping[Series, list[Row]], column: str) -> dict[int, list[float]]:
    """Return the values of encoders and languages in each layer, of those that have one."""
    found: dict[int, list[float]] = {}
    for row in (row for some in rows.values() for row in some):
        known = found.setdefault(row["layer"], [])
        if row[column] is not None:
            known.append(row[column])
    return dict(sorted(found.items()))


def mean(values: Sequence[float]) -> float | None:
    """Return the mean; of no values, None."""
    return sum(values) / len(values) if values else None


def extremes_by_layer(rows: Mapping[Series, list[Row]], column: str) -> str:
    """Return in which layers a measure, averaged over lines, is highest and lowest."""
    means = {
        layer: sum(values) / len(values)
        for layer, values in values_by_layer(rows, column).items() if values
    }  # fmt: skip
    if len(means) < 2:
        return ""
    lowest = min(means, key=lambda layer: means[layer])
    highest = max(means, key=lambda layer: means[layer])
    which = "The mean" if len(rows) > 1 else "It"
    if number(means[lowest]) == number(means[highest]):
        return f"{which} is {number(means[lowest])} in every layer."
    return (
        f"{which} is highest in layer {highest} ({number(means[highest])}) and lowest in layer "
        f"{lowest} ({number(means[lowest])})."
    )


def reading(rows: Mapping[Series, list[Row]], column: str, what: str, names: Names) -> list[str]:
    """Return what a figure of lines shows: the last layer, and where the measure is extreme.

    Parameters
    ----------
    rows
        A row a layer.
    what
        Sentence with a place for the value: ``"two random words have a cosine of {}"``.
    """
    said = []
    for encoder, some in by_encoder(rows).items():
        value = value_of_last_layer(some, column, names)
        if not value:
            continue
        layers = {one[-1]["layer"] for one in some.values()}
        layer = f" ({layers.pop()})" if len(layers) == 1 else ""
        who = f"{names.encoder(encoder)}: in" if encoder and len(names.encoders) > 1 else "In"
        sentence = f"{who} the last layer{layer}, {what.format(value)}."
        # Layers of different encoders are not the same.
        where = extremes_by_layer(some, column) if encoder or len(names.encoders) == 1 else ""
        said.append(f"{sentence} {where}".rstrip())
    return said
