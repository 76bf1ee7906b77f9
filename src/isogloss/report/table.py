"""Rows of a result with named columns: to the terminal, JSON, CSV, Parquet, Markdown, LaTeX.

Files hold every column in full precision. What people read (`to_markdown`, `to_latex`, `render`)
is rounded, all numbers of a column in one way, and a column ``x`` with ``x_low`` and ``x_high``
beside it is shown as one: ``0.781 [0.70, 0.85]``.
How the rows come about is not known here; HTML reports are made elsewhere.
"""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isogloss.errors import InputError, counted
from isogloss.storage.files import atomic_file

if TYPE_CHECKING:
    from rich.console import Console

    from isogloss.report.terminal import Column

ENDINGS = (".json", ".csv", ".parquet", ".md", ".tex")

_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
       "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}"}
)  # fmt: skip
_RESIDUE = 1e-12  # what is left of a difference of equal sums
_SMALLEST_ROUNDED = 0.0005  # below this three decimals would show a zero that is none


class Table:
    """Rows with named columns.

    Parameters
    ----------
    rows
        One mapping a row: column → text, number, boolean, list or ``None``. A missing key is
        ``None``, and so is NaN.
    columns
        Columns and their order; ``None`` takes all keys as they come.
    caption
        One sentence about the table.
    minor
        Columns that a narrow terminal leaves out, the first of these first.
    sparse
        Columns that a terminal shows only where one of their values is not 0.
    titles
        Column → its header on a terminal, in plain words; files keep the names.

    Examples
    --------
    >>> row = {"lang": "sw", "accuracy": 0.7812, "accuracy_low": 0.7, "accuracy_high": 0.85}
    >>> print(Table([row]).to_markdown(), end="")
    | lang | accuracy |
    | :--- | ---: |
    | sw | 0.781 [0.70, 0.85] |
    """

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        *,
        columns: Sequence[str] | None = None,
        caption: str = "",
        minor: Sequence[str] = (),
        sparse: Sequence[str] = (),
        titles: Mapping[str, str] | None = None,
    ) -> None:
        keys = dict.fromkeys(key for row in rows for key in row) if columns is None else columns
        self.columns = list(keys)
        self.rows = [{name: _plain(row.get(name)) for name in self.columns} for row in rows]
        self.caption = caption
        self.minor = tuple(minor)
        self.sparse = tuple(sparse)
        self.titles = dict(titles or {})

    def __repr__(self) -> str:
        return f"Table({counted(len(self.rows), 'row')}, columns={self.columns!r})"

    def to_json(self) -> str:
        """Return a JSON array of one object a row; NaN and infinity are null."""
        return json.dumps(self.rows, ensure_ascii=False, indent=2, allow_nan=False) + "\n"

    def to_csv(self) -> str:
        """Return comma-separated values with a header; ``None`` is an empty field."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_exact(row[name]) for name in self.columns] for row in self.rows)
        return text.getvalue()

    def to_markdown(self) -> str:
        """Return a Markdown table, numbers rounded, the caption below."""
        shown = self._shown_columns()
        if not shown:
            return ""
        marks = ["---:" if self._is_number(name) else ":---" for name in shown]
        lines = [[_escaped(name) for name in shown], marks]
        cells = [[_escaped(cell) for cell in self._cells(name)] for name in shown]
        lines += map(list, zip(*cells, strict=True))
        text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        return f"{text}\n{_escaped(self.caption)}\n" if self.caption else text

    def to_latex(self) -> str:
        """Return a table of the package booktabs, numbers rounded; XeLaTeX has all scripts."""
        columns = self.as_shown()
        if not columns:
            return ""
        kinds = "".join("r" if column.is_number else "l" for column in columns)
        lines = zip(*([one.name, *one.cells] for one in columns), strict=True)
        head, *body = [f"{{}}{' & '.join(map(_in_latex, line))} \\\\" for line in lines]
        # An empty group first: behind the end of a line, a bracket or star would be an option.
        rules = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head, r"\midrule", *body]
        made = [*rules, r"\bottomrule", r"\end{tabular}"]
        if self.caption:
            caption = rf"\caption{{{_in_latex(self.caption)}}}"
            made = [r"\begin{table}", r"\centering", *made, caption, r"\end{table}"]
        return "\n".join(made) + "\n"

    def to_parquet(self, path: Path, *, overwrite: bool = False) -> None:
        """Write a Parquet file; a column that mixes text and numbers becomes text.

        Raises
        ------
        InputError
            When `path` exists and `overwrite` is false, or its folder is missing.
        """
        import pyarrow
        from pyarrow import parquet

        arrays = {}
        for name in self.columns:
            values = [row[name] for row in self.rows]
            try:
                arrays[name] = pyarrow.array(values)
            except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
                arrays[name] = pyarrow.array(
                    [None if value is None else _exact(value) for value in values]
                )
        with atomic_file(path, overwrite=overwrite) as temporary:
            parquet.write_table(pyarrow.table(arrays), temporary)

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write the format that the file's name ends in, one of `ENDINGS`.

        Raises
        ------
        InputError
            Another ending; `path` exists and `overwrite` is false; its folder is missing.
        """
        path = Path(path)
        if path.suffix not in ENDINGS:
            raise InputError(f"a table is written to {', '.join(ENDINGS)}", path=path)
        if path.suffix == ".parquet":
            self.to_parquet(path, overwrite=overwrite)
            return
        ways = {".json": self.to_json, ".csv": self.to_csv, ".md": self.to_markdown,
                ".tex": self.to_latex}  # fmt: skip
        made = ways[path.suffix]()
        with atomic_file(path, overwrite=overwrite) as temporary:
            temporary.write_text(made, encoding="utf-8", newline="")

    def render(self, console: "Console") -> None:
        """Print to a terminal; what is too wide for it is made to fit, see `terminal`."""
        from isogloss.report.terminal import print_columns

        minor = [self.titles.get(name, name) for name in self.minor]
        print_columns(console, self.as_shown(), minor=minor, caption=self.caption)

    def as_shown(self) -> "list[Column]":
        """Return the columns with their cells as people read them, intervals in the cells."""
        from isogloss.report.terminal import Column

        return [
            Column(
                self.titles.get(name, name),
                self._cells(name),
                self._is_number(name),
            )
            for name in self._shown_columns()
            if name not in self.sparse or any(row[name] for row in self.rows)
        ]

    def _shown_columns(self) -> list[str]:
        """Return the columns without the ends of intervals."""
        ends = {end for name in self.columns for end in self._interval(name)}
        return [name for name in self.columns if name not in ends]

    def _interval(self, name: str) -> tuple[str, ...]:
        ends = (f"{name}_low", f"{name}_high")
        return ends if all(end in self.columns for end in ends) else ()

    def _is_number(self, name: str) -> bool:
        values = [row[name] for row in self.rows if row[name] is not None]
        return bool(values) and all(type(value) in (int, float) for value in values)

    def _cells(self, name: str) -> list[str]:
        """Return the cells of a column as people read them, its numbers written in one way."""
        values = [row[name] for row in self.rows]
        sizes = [abs(value) for value in values if isinstance(value, float)]
        as_powers = _RESIDUE <= max(sizes, default=0.0) < _SMALLEST_ROUNDED
        ends = self._interval(name)
        return [
            _with_interval(_rounded(row[name], as_powers=as_powers), [row[end] for end in ends])
            for row in self.rows
        ]


def _plain(value: Any) -> Any:
    """Return what JSON can hold: NumPy scalars and arrays unpacked, NaN and infinity as None."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value if value is None or isinstance(value, str | int) else str(value)


def _exact(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _rounded(value: Any, *, as_powers: bool = False) -> str:
    """Return a value as people read it; `as_powers`: numbers as ``1.2e-05``."""
    if isinstance(value, float):
        if abs(value) < _RESIDUE:
            return "0.000"
        if as_powers:
            return f"{value:.1e}"
        if abs(value) < _SMALLEST_ROUNDED:
            return "<0.001" if value > 0 else ">-0.001"
        return f"{value:.3f}"
    if isinstance(value, list):
        return ", ".join(_rounded(part, as_powers=as_powers) for part in value)
    return _exact(value)


def _with_interval(value: str, ends: Sequence[Any]) -> str:
    if not value or not ends or not all(isinstance(end, int | float) for end in ends):
        return value
    return f"{value} [{ends[0]:.2f}, {ends[1]:.2f}]"


def _in_latex(cell: str) -> str:
    """Escape what LaTeX would take as its own."""
    return " ".join(cell.translate(_LATEX).split())


def _escaped(cell: str) -> str:
    """Keep a cell in its cell: bars, line breaks and tags of the user's text are only text."""
    cell = cell.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return "<br>".join(cell.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
