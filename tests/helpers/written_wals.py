"""A small WALS in a CLDF folder, with a column that is not used, and one file compressed."""

import csv
import gzip
from pathlib import Path
from typing import Any

LANGUAGES = [
    ("eng", "English", "eng"), ("ger", "German", "deu"), ("jpn", "Japanese", "jpn"),
    ("mnd", "Mandarin", "cmn"), ("wec", "Welsh (Colloquial)", "cym"), ("wel", "Welsh", "cym"),
    ("arg", "Arabic (Gulf)", "afb"), ("arj", "Arabic (Kuwait)", "afb"), ("scr", "Serbian", "hbs"),
    ("xyz", "Nameless", ""),
]  # fmt: skip
VALUES = {
    "eng": {"81A": 2, "85A": 2, "87A": 1}, "ger": {"81A": 7, "85A": 2, "87A": 1},
    "jpn": {"81A": 1, "85A": 1, "87A": 1, "82A": 1}, "mnd": {"81A": 2}, "wec": {"87A": 2},
    "wel": {"81A": 2, "87A": 2}, "arg": {"81A": 2}, "arj": {"81A": 1}, "scr": {"81A": 7},
}  # fmt: skip
NAMES = {
    "81A": ["SOV", "SVO", "VSO", "VOS", "OVS", "OSV", "No dominant order"],
    "85A": ["Postpositions", "Prepositions"],
    "87A": ["Adjective-Noun", "Noun-Adjective"],
    "82A": ["SV"],
}


def write_wals(folder: Path) -> Path:
    """Write the files of `LANGUAGES`, `VALUES` and `NAMES`, and return their folder."""
    _write_table(
        folder / "languages.csv",
        [{"ID": one, "Name": name, "Family": "X, Y", "ISO639P3code": iso}
         for one, name, iso in LANGUAGES],
    )  # fmt: skip
    _write_table(
        folder / "codes.csv",
        [{"ID": f"{feature}-{at}", "Parameter_ID": feature, "Name": name}
         for feature, names in NAMES.items() for at, name in enumerate(names, 1)],
    )  # fmt: skip
    _write_table(
        folder / "values.csv.gz",
        [{"ID": f"{feature}-{lang}", "Language_ID": lang, "Parameter_ID": feature, "Value": value,
          "Code_ID": f"{feature}-{value}"}
         for lang, values in VALUES.items() for feature, value in values.items()],
    )  # fmt: skip
    return folder


def _write_table(path: Path, rows: list[dict[str, Any]]) -> None:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
