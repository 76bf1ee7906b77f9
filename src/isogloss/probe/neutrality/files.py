"""The folder of `probe neutrality --out`: written, and read back as tables.

`FORMAT` declares the tables of its manifest that are read.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from isogloss.probe.charts.names import Names
from isogloss.probe.charts.panels import legend_of, panels_of
from isogloss.probe.neutrality.curves import CKA, probe_charts, search_charts
from isogloss.probe.neutrality.result import TABLES, NeutralityResult
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

_LAYER = {"encoder": Text, "layer": Whole}
FORMAT = Format(
    name="isogloss neutrality",
    version=3,
    command="isogloss probe neutrality",
    tables={
        "layers": _LAYER
        | {"chance": float}
        | spread("language_accuracy", "language_accuracy_centred", "language_accuracy_null",
                 "cka", "retrieval", "retrieval_centred", "centring_gain", "retrieval_csls",
                 "hubness", "hubness_centred", "hubness_csls"),
        "languages": _LAYER
        | {"lang": Text, "dimensions_of_shift": list[Whole], "shares_of_shift": list[Number]}
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


def write_neutrality(result: NeutralityResult, path: Path, *, overwrite: bool = False) -> None:
    """Write a folder: each table as CSV, curves as SVG.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or it cannot be written.
    """
    with atomic_directory(path, overwrite=overwrite) as folder:
        write_manifest(folder, FORMAT, result.to_json())
        for name in TABLES:
            getattr(result, name).write(folder / f"{name}.csv")
        layers = by_series(result.layers.rows)
        names = Names(layers)
        cka = panels_of(layers, [CKA], names)
        groups = [
            Group(some.legend, some.panels)
            for some in (probe_charts(layers, names), search_charts(layers, names))
        ]
        write_picture(folder / "layers.svg", [*groups, Group(legend_of(cka), cka)])


def neutrality_rows(saved: Sequence[SavedProbe]) -> NeutralityRows:
    """Join results of several folders.

    Raises
    ------
    InputError
        When two folders measured the same encoder.
    """
    return NeutralityRows(joined(saved, "layers"), joined(saved, "languages"))
