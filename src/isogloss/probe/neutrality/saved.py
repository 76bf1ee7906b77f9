"""What `probe neutrality --out` wrote, read back and checked: tables by encoder and language."""

from collections.abc import Sequence
from typing import NamedTuple

from isogloss.errors import InputError
from isogloss.probe.neutrality.result import FORMAT, VERSION
from isogloss.probe.saved import (
    MANIFEST,
    Format,
    Row,
    SavedProbe,
    Series,
    is_number,
    is_number_or_missing,
    is_text,
    is_whole,
    joined,
    list_of,
    spread,
)

_LAYER = {"encoder": is_text, "layer": is_whole}
NEUTRALITY = Format(
    name=FORMAT,
    version=VERSION,
    command="isogloss probe neutrality",
    tables={
        "layers": _LAYER
        | {"chance": is_number}
        | spread("language_accuracy", "language_accuracy_centred", "language_accuracy_null",
                 "cka", "retrieval", "retrieval_centred", "centring_gain", "retrieval_csls",
                 "hubness", "hubness_centred", "hubness_csls"),
        "languages": _LAYER
        | {"lang": is_text, "dimensions_of_shift": list_of(is_whole),
           "shares_of_shift": list_of(is_number_or_missing)}
        | spread("shift", "language_accuracy", "language_accuracy_centred",
                 "language_accuracy_null", "cka", "retrieval_from", "retrieval_from_centred"),
    },
)  # fmt: skip


class NeutralityRows(NamedTuple):
    """The tables of one or several results.

    Attributes
    ----------
    layers
        By encoder; the language of a `Series` is empty.
    languages
        By encoder and language.
    """

    layers: dict[Series, list[Row]]
    languages: dict[Series, list[Row]]


def neutrality_rows(saved: Sequence[SavedProbe]) -> NeutralityRows:
    """Join results of several folders.

    Raises
    ------
    InputError
        When two folders measured the same encoder; when tables of a folder are of different
        encoders or layers.
    """
    for one in saved:
        _check(one)
    return NeutralityRows(joined(saved, "layers"), joined(saved, "languages"))


def _check(saved: SavedProbe) -> None:
    """Check that the tables of a folder are of the same encoders and layers.

    Of an encoder with a pooler, or modules behind the pooling, only the last layer is measured.
    """
    languages = saved.rows("languages")
    numbers = {
        series.encoder: [row["layer"] for row in rows]
        for series, rows in saved.rows("layers").items()
    }
    are_ascending = all(some == sorted(set(some)) for some in numbers.values())
    are_same = {series.encoder for series in languages} == set(numbers) and all(
        [row["layer"] for row in rows] == numbers[series.encoder]
        for series, rows in languages.items()
    )
    if not (numbers and are_ascending and are_same):
        raise InputError(
            "damaged: its tables are not of the same encoders and layers; measure again with "
            f"`{NEUTRALITY.command}`",
            path=saved.folder / MANIFEST,
        )
