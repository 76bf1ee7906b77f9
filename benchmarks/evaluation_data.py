"""Languages of the evaluation data, where a file lies, samples of rows: what benchmarks share."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

_SIB_CODES = (
    "fra_Latn deu_Latn spa_Latn ita_Latn por_Latn tur_Latn vie_Latn ind_Latn swh_Latn yor_Latn "
    "fin_Latn rus_Cyrl ukr_Cyrl hin_Deva npi_Deva arb_Arab pes_Arab zho_Hans jpn_Jpan kor_Hang "
    "tha_Thai ell_Grek heb_Hebr tam_Taml ben_Beng kat_Geor amh_Ethi"
)
SIB_LANGUAGES = tuple(_SIB_CODES.split())  # of SIB-200, beside English
NEWS_LANGUAGES = ("fra", "swa", "yor")  # of MasakhaNEWS, beside English


def find(path: Path) -> Path:
    """Return the file, or its gzipped twin where there is no such file."""
    return path if path.exists() else path.with_name(f"{path.name}.gz")


def rows_of_each_class(labels: Sequence[str], n: int, *, seed: int) -> list[int]:
    """Draw `n` rows of each class, or all it has; the classes come in the order of their names."""
    of_rows, generator = np.array(labels), np.random.default_rng(seed)
    rows: list[int] = []
    for label in sorted(set(labels)):
        own = np.flatnonzero(of_rows == label)
        rows += generator.choice(own, min(n, len(own)), replace=False).tolist()
    return rows
