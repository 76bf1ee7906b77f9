"""The folder of `probe geometry --out`: written, and read back as tables by encoder and language.

`FORMAT` declares the tables of its manifest.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import legend_of, panels_of
from isogloss.probe.geometry.claims import CLAIMS, VERDICTS
from isogloss.probe.geometry.curves import LAYERS
from isogloss.probe.geometry.result import GeometryResult
from isogloss.probe.saved import (
    Format,
    Number,
    Row,
    SavedProbe,
    Series,
    Text,
    Whole,
    by_series,
    joined,
    spread,
    write_manifest,
)
from isogloss.report.picture import Group, write_picture
from isogloss.storage.files import atomic_directory

_LINE = {"encoder": Text, "lang": Text}
_LAYER = _LINE | {"layer": Whole}
FORMAT = Format(
    name="isogloss geometry",
    version=3,
    command="isogloss probe geometry",
    tables={
        "layers": _LAYER
        | spread("baseline", "self_similarity_adjusted", "intra_similarity_adjusted",
                 "mev_adjusted", "mev_centred_adjusted", "mev_released_adjusted")
        | {"norm": Number, "norm_deviation": Number},
        "isotropy": _LAYER
        | spread("baseline", "participation_ratio", "isoscore")
        | {"log10_partition": Number, "rogue_dimensions": list[Whole],
           "shares_of_cosine": list[Number]},
        "transforms": _LAYER | {"transform": Text, "baseline": Number, "isoscore": Number},
        "extremes": _LINE
        | {"context_specific": Literal["most", "least"], "word": Text, "n": Whole,
           "self_similarity": Number},
        "claims": _LINE
        | {"claim": Literal[CLAIMS], "verdict": Literal[VERDICTS], "measured": Text,
           "limit": float}
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


def write_geometry(result: GeometryResult, path: Path, *, overwrite: bool = False) -> None:
    """Write a folder: each table as CSV, the claims as Markdown too, curves as SVG.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or it cannot be written.
    """
    with atomic_directory(path, overwrite=overwrite) as folder:
        write_manifest(folder, FORMAT, result.to_json())
        for name in (*FORMAT.tables, "words"):
            getattr(result, name).write(folder / f"{name}.csv")
        result.claims.write(folder / "claims.md")
        rows = by_series(result.layers.rows)
        panels = panels_of(rows, LAYERS, Names(rows))
        write_picture(folder / "layers.svg", [Group(legend_of(panels), panels)])


def geometry_rows(saved: Sequence[SavedProbe]) -> GeometryRows:
    """Join results of several folders.

    Raises
    ------
    InputError
        When two folders measured the same encoder in the same language.
    """
    return GeometryRows(**{name: joined(saved, name) for name in GeometryRows._fields})
