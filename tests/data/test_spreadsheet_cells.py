"""Apostrophes before formulas: taken off where a mark says that they were put."""

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.spreadsheet_cells import with_apostrophe, without_apostrophe

CELLS = st.text(alphabet="'=+-@\t\r\nab1 ", max_size=6)


@given(CELLS)
def test_every_cell_comes_back(cell: str) -> None:
    made = with_apostrophe(cell)
    assert without_apostrophe(made) == cell
    assert made[:1] not in set("=+-@\t\r")


@pytest.mark.parametrize("name", ["a.csv", "a.tsv"])
def test_reading_takes_them_off_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    caplog.set_level(logging.INFO)
    path, delimiter = tmp_path / name, "," if name == "a.csv" else "\t"
    lines = [["'=id", "text"], ["'-1", "'=1+1"], ["2", "''@home"], ["3", "'tis"], ["4", '"x"']]
    plain = "".join(delimiter.join(cells) + "\n" for cells in lines)
    format = FileFormat(quoting="csv", id="=id")
    path.write_text("\ufeff" + plain, "utf-8")
    documents = read_documents(path, format=format, needs_label=False)
    assert documents.texts == ["=1+1", "'@home", "'tis", "x"]
    assert documents.ids == ["-1", "2", "3", "4"]
    assert caplog.messages == [
        f"{path}: an apostrophe before 4 cells (--excel puts it) was taken off"
    ]
    path.write_text(plain, "utf-8")  # of somebody else
    documents = read_documents(path, format=FileFormat(quoting="csv", id="'=id"), needs_label=False)
    assert documents.texts[:3] == ["'=1+1", "''@home", "'tis"]
