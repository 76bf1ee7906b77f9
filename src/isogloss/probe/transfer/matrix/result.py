"""What `probe transfer` gives: the matrix, means over pairs, each system beside its controls.

`FORMAT` declares the tables of its manifest, which `probe overlap`, `typology`, `script` and
`rank-sources` read again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from isogloss.data.column_files import ColumnFormat
from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Row, Text, Whole, spread
from isogloss.probe.transfer.matrix.charts import matrix_charts
from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix, System
from isogloss.probe.transfer.measures.pairs import Pair, grouped
from isogloss.report.picture import Group
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of
from isogloss.text.languages import script_of

_PAIR = {"system": Text, "train": Text, "test": Text}
FORMAT = Format(
    name="isogloss transfer",
    version=2,
    command="isogloss probe transfer",
    tables={
        "systems": {"system": Text, "control_of": str | None, "encoder": Text, "n_pairs": Whole,
                    "n_in_language": Whole}
        | spread("zero_shot", "in_language", "gain"),
        "matrix": _PAIR
        | {"is_zero_shot": bool, "n_sentences": Whole, "n_train_words": Whole}
        | spread("score"),
        "means": {"system": Text, "by": Text, "train": Text, "test": Text, "n_pairs": Whole}
        | spread("score"),
        "runs": _PAIR | {"seed": Whole, "key": Text},
        "files": {"role": Text, "train": str, "lang": Text, "path": Text, "sha256": Text,
                  "column": str | None, "format": Text, "encoding": Text},
        "documents": {"lang": Text, "ids": list[Text]},
        "encoders": {"encoder": Text, "place": Text, "is_directory": bool, "fingerprint": Text},
    },
    file="transfer.json",
)  # fmt: skip


@dataclass(frozen=True)
class SetFile:
    """A file of a training or test set, and what it was when it was read."""

    role: str  # "train" or "test"
    train: str  # the training set that it is of; "" for a test set
    lang: str
    path: str
    sha256: str
    column: str | None  # as in `sets.ReadAs`, and so are the next
    format: Literal["auto"] | ColumnFormat
    encoding: str


@dataclass(frozen=True)
class KeptEncoder:
    """An encoder as the folder of the matrix names it, see `encode.source.EncoderName`.

    Attributes
    ----------
    place
        Its name or, of a directory, the way to it from the folder.
    """

    encoder: str
    place: str
    is_directory: bool
    fingerprint: str


@dataclass(frozen=True)
class KeptRun:
    """Where the run of a tagger on a test set is kept."""

    system: str
    train: str
    test: str
    seed: int
    key: str


class TransferResult(ProbeResult):
    """Tables of a transfer matrix.

    Attributes
    ----------
    systems
        A row a system: the mean over zero-shot pairs, that over tests in the training language,
        and what the encoder scores above it on the zero-shot pairs.
    matrix
        A row a system and pair, with the interval.
    means
        Means over zero-shot pairs: by training set, by test language, and by the scripts of
        training and test language (Pires et al. 2019, Table 4).
    """

    format = FORMAT
    picture = "transfer.svg"

    def __init__(
        self,
        matrix: Matrix,
        *,
        options: Any,
        notes: Sequence[str] = (),
        files: Sequence[SetFile] = (),
        runs: Sequence[KeptRun] = (),
        encoders: Sequence[KeptEncoder] = (),
    ) -> None:
        left_out = grouped(matrix.trains, matrix.tests, _script).left_out
        said = [f"in no group of scripts: {', '.join(left_out)}"] if left_out else []
        super().__init__([], options=options, notes=[*notes, *said])
        self.measured = matrix
        metric = METRICS[matrix.task]
        self.tables["systems"] = Table(
            list(_system_rows(matrix)),
            caption=f"{metric}, means over pairs. Gain: of the encoder over its control.",
            minor=("encoder", "n_in_language"),
        )
        self.tables["matrix"] = Table(
            list(_matrix_rows(matrix)),
            caption=f"{metric}, the mean over seeds; not zero-shot: in no mean.",
            minor=("n_train_words", "n_sentences"),
            sparse=("n_without_piece", "n_unseen_tag"),
        )
        self.tables["means"] = Table(
            list(_mean_rows(matrix)), caption=f"{metric}: means over zero-shot pairs."
        )
        self._kept = {
            "runs": [asdict(run) for run in runs],
            "files": [asdict(file) for file in files],
            "encoders": [asdict(encoder) for encoder in encoders],
            "documents": [
                {"lang": lang, "ids": list(ids)} for lang, ids in matrix.documents.items()
            ],
        }

    @property
    def systems(self) -> Table:
        """A row a system."""
        return self.tables["systems"]

    @property
    def matrix(self) -> Table:
        """A row a system and pair."""
        return self.tables["matrix"]

    @property
    def means(self) -> Table:
        """Means over zero-shot pairs."""
        return self.tables["means"]

    def to_json(self) -> dict[str, Any]:
        """Return the options, the notes and all tables, as JSON values."""
        shown = {name: table.rows for name, table in self.tables.items()}
        return {"options": asdict(self.options), "notes": self.notes, **shown, **self._kept}

    def _curves(self) -> list[Group]:
        return matrix_charts(self.matrix.rows, METRICS[self.measured.task])


def _system_row(matrix: Matrix, system: System) -> Row:
    """Return the means of a system, beside the encoder that it is the control of."""
    pairs = matrix.zero_shot
    own = [Pair(train, train) for train in matrix.alone if train in matrix.tests]
    row: Row = {
        "system": system.name, "control_of": system.control_of, "encoder": system.encoder,
        "n_pairs": len(pairs),
    }  # fmt: skip
    row |= columns_of("zero_shot", matrix.mean(system.name, pairs)) if pairs else _none("zero_shot")
    row["n_in_language"] = len(own)
    row |= columns_of("in_language", matrix.mean(system.name, own)) if own else _none("in_language")
    if system.control_of is None or not pairs:
        return row | _none("gain")
    gain = matrix.difference(system.control_of, system.name, pairs)
    return row | columns_of("gain", gain)


def _system_rows(matrix: Matrix) -> Iterator[Row]:
    for system in matrix.systems:
        yield _system_row(matrix, system)


def _matrix_rows(matrix: Matrix) -> Iterator[Row]:
    for system in matrix.systems:
        for train in matrix.trains:
            for test in matrix.tests:
                pair = Pair(train, test)
                yield {
                    "system": system.name,
                    "train": train,
                    "test": test,
                    "is_zero_shot": pair.is_zero_shot,
                    **columns_of("score", matrix.mean(system.name, [pair])),
                    "deviation_over_seeds": _deviation(matrix, system.name, pair),
                    "n_sentences": len(matrix.documents[test]),
                    "n_train_words": round(matrix.n_train_words.get(train, 0)),
                    **_left_out(matrix, system.name, pair),
                    "layers": sorted({"-".join(map(str, sorted({some[0], some[-1]})))
                                      for some in matrix.layers.get((system.name, train), [])}),
                }  # fmt: skip


def _mean_rows(matrix: Matrix) -> Iterator[Row]:
    pairs = matrix.zero_shot
    for system in matrix.systems:
        for by, names in (("train", matrix.trains), ("test", matrix.tests)):
            for name in names:
                some = [pair for pair in pairs if getattr(pair, by) == name]
                if some:
                    yield {
                        "system": system.name,
                        "by": f"{by}ing set" if by == "train" else "test language",
                        "train": name if by == "train" else "all",
                        "test": name if by == "test" else "all",
                        "n_pairs": len(some),
                        **columns_of("score", matrix.mean(system.name, some)),
                    }
        for (train, test), (score, n_pairs) in matrix.group_means(system.name, _script).items():
            yield {
                "system": system.name, "by": "script", "train": train, "test": test,
                "n_pairs": n_pairs, **columns_of("score", score),
            }  # fmt: skip


def _left_out(matrix: Matrix, system: str, pair: Pair) -> Row:
    found = matrix.n_left_out.get((system, pair))
    return {} if found is None else found._asdict()


def _script(lang: str) -> str | None:
    found = script_of(lang)
    return None if found == "Zzzz" else found


def _deviation(matrix: Matrix, system: str, pair: Pair) -> float | None:
    scores = matrix.counts[system, pair].scores
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else None


def _none(name: str) -> Row:
    return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
