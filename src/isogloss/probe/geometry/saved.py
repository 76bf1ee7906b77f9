"""What `probe geometry --out` wrote, read back and checked: tables by encoder and language."""

from collections.abc import Sequence
from typing import NamedTuple

from isogloss.errors import InputError
from isogloss.probe.geometry.claims import CLAIMS, VERDICTS
from isogloss.probe.geometry.result import FORMAT, VERSION
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
    one_of,
    spread,
)

_LINE = {"encoder": is_text, "lang": is_text}
_LAYER = _LINE | {"layer": is_whole}
GEOMETRY = Format(
    name=FORMAT,
    version=VERSION,
    command="isogloss probe geometry",
    tables={
        "layers": _LAYER
        | spread("baseline", "self_similarity_adjusted", "intra_similarity_adjusted",
                 "mev_adjusted", "mev_centred_adjusted", "mev_released_adjusted")
        | {"norm": is_number_or_missing, "norm_deviation": is_number_or_missing},
        "isotropy": _LAYER
        | spread("baseline", "participation_ratio", "isoscore")
        | {"log10_partition": is_number_or_missing,
           "rogue_dimensions": list_of(is_whole),
           "shares_of_cosine": list_of(is_number_or_missing)},
        "transforms": _LAYER
        | {"transform": is_text, "baseline": is_number_or_missing,
           "isoscore": is_number_or_missing},
        "extremes": _LINE
        | {"context_specific": one_of("most", "least"), "word": is_text, "n": is_whole,
           "self_similarity": is_number_or_missing},
        "claims": _LINE
        | {"claim": one_of(*CLAIMS), "verdict": one_of(*VERDICTS), "measured": is_text,
           "limit": is_number}
        | spread("value"),
    },
)  # fmt: skip


class GeometryRows(NamedTuple):
    """The tables of one or several results, by encoder and language."""

    layers: dict[Series, list[Row]]
    isotropy: dict[Series, list[Row]]
    transforms: dict[Series, list[Row]]
    extremes: dict[Series, list[Row]]
    claims: dict[Series, list[Row]]


def geometry_rows(saved: Sequence[SavedProbe]) -> GeometryRows:
    """Join results of several folders.

    Raises
    ------
    InputError
        When two folders measured the same encoder in the same language; when tables of a folder
        are of different encoders, languages or layers.
    """
    for one in saved:
        _check(one)
    return GeometryRows(**{name: joined(saved, name) for name in GeometryRows._fields})


def _check(saved: SavedProbe) -> None:
    """Check that the tables of a folder are of the same encoders, languages and layers."""
    layers = saved.rows("layers")
    numbers = {series: [row["layer"] for row in rows] for series, rows in layers.items()}
    are_whole = all(some == list(range(len(some))) for some in numbers.values())
    isotropy = {
        series: [row["layer"] for row in rows] for series, rows in saved.rows("isotropy").items()
    }
    others = [saved.rows(name) for name in ("transforms", "extremes", "claims")]
    are_known = all(series in layers for rows in others for series in rows)
    are_within = (
        all(
            row["layer"] < len(numbers[series])
            for series, rows in others[0].items()
            for row in rows
        )
        if are_known
        else False
    )
    if not (layers and are_whole and isotropy == numbers and are_known and are_within):
        raise InputError(
            "damaged: its tables are not of the same encoders, languages and layers; measure again "
            f"with `{GEOMETRY.command}`",
            path=saved.folder / MANIFEST,
        )
