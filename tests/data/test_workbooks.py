"""Excel workbooks as tables of text, and what a stranger's workbook may not do."""

import logging
import random
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from written_xlsx import written_xlsx

from isogloss.data import workbooks
from isogloss.data.blocks import read_blocks
from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.workbooks import workbook_rows
from isogloss.errors import InputError

ROWS = [["id", "text", "note"], [1, "Grüße <b> & 港口 😀", 1.5], [None, None, None],
        [2.0, "two\nlines", True], ["", "=1+1", 1e20]]  # fmt: skip
TEXT = [("id", "text", "note"), ("1", "Grüße <b> & 港口 😀", "1.5"), ("", "", ""),
        ("2", "two\nlines", "TRUE"), ("", "=1+1", "1e+20")]  # fmt: skip


def read(path: Path, sheet: str | None = None) -> list[tuple[str, ...]]:
    return [fields for fields, _ in workbook_rows(path, sheet)]


def test_cells_are_text_and_rows_have_their_numbers(tmp_path: Path) -> None:
    path = written_xlsx(tmp_path / "a.xlsx", {"In": [*ROWS, [None], ["", " "[:0]]]})
    assert list(workbook_rows(path, None)) == [(row, n) for n, row in enumerate(TEXT, 1)]
    documents = read_documents(path, format=FileFormat(), needs_label=False)
    assert documents.texts == [row[1] for row in TEXT[1:]]
    assert (documents.ids, documents.lines) == (["1", None, "2", None], [2, 3, 4, 5])
    blocks = list(read_blocks(path, format=FileFormat(text=("3",)), rows=2))
    assert [text for block in blocks for text in block.texts] == [row[2] for row in TEXT]


def test_a_table_may_begin_anywhere_and_hold_dates_and_formulas(tmp_path: Path) -> None:
    data = (
        '<row r="3"><c r="B3"><v>1</v></c><c r="C3" t="e"><v>#N/A</v></c><c r="D3" s="1">'
        '<v>45000</v></c><c r="E3" t="str"><f>A1</f><v>hé</v></c><c r="F3"><f>1+1</f></c>'
        '<c r="G3" t="d"><v>2024-05-01T10:00:00</v></c></row>'
        '<row><c><v>7</v></c><c r="G4" t="str"><v>x</v></c></row>'
    )
    path = written_xlsx(tmp_path / "a.xlsx", {"In": data})
    assert list(workbook_rows(path, None)) == [
        (("", "1", "", "2023-03-15", "hé", "", "2024-05-01 10:00:00"), 3),
        (("7", "", "", "", "", "", "x"), 4),
    ]


def test_the_sheet_that_is_read_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    sheets = {"Old": [["text"], ["a"]], "Inbox": [["text"], ["b"]], "Déjà <vu>": [["text"], ["c"]]}
    path = written_xlsx(tmp_path / "a.xlsx", sheets, hidden=["Old"])
    assert [read(path, name)[1] for name in (None, "Old", "Déjà <vu>")] == [("b",), ("a",), ("c",)]
    assert caplog.messages == [
        f"{path}: sheet 'Inbox' is read; 2 others with --sheet: 'Old', 'Déjà <vu>'"
    ]
    with pytest.raises(InputError, match=r"has no sheet 'inbox'; did you mean 'Inbox'\?"):
        read(path, "inbox")
    (tmp_path / "a.csv").write_text("text\na\n")
    with pytest.raises(InputError, match=r"leave --sheet out, which is for \.xlsx"):
        read_documents(tmp_path / "a.csv", format=FileFormat(sheet="x"), needs_label=False)


@pytest.mark.parametrize(
    "cover", [[["Report of May"]], [["Report"], ["of May"]], [["a"], [], ["b"]]]
)
def test_a_sheet_without_the_column_names_the_others(
    tmp_path: Path, cover: list[list[str]]
) -> None:
    path = written_xlsx(tmp_path / "a.xlsx", {"Cover": cover, "Data": [["text"], ["b"]]})
    with pytest.raises(InputError, match=r"; its sheets, for --sheet: Cover, Data$"):
        read_documents(path, format=FileFormat(), needs_label=False)


def test_columns_without_a_name_are_not_listed(tmp_path: Path) -> None:
    rows = [["Report of May", "", ""], ["id", "text", "label"], ["1", "a", "b"]]
    path = written_xlsx(tmp_path / "a.xlsx", {"Data": rows})
    with pytest.raises(InputError, match="no column 'text' among Report of May; name one"):
        read_documents(path, format=FileFormat(), needs_label=False)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c>'
         "</row>", "1,048,576 rows of 16,384 columns"),
        ('<row r="1"><c r="XFD1"><v>1</v></c></row><row r="1048576"><c><v>1</v></c></row>',
         "1,048,576 rows of 16,384 columns"),
        ('<row r="1"><c r="XFC1"/><c/><c/></row><x:row r="9999999"><x:c r="A9999999"/></x:row>',
         "rows of 16,385 columns"),
        ('<row r="1"><c r="A99999999"><v>1</v></c></row>', "not an Excel workbook, or is damaged"),
        ('<row r="x"><c><v>1</v></c></row>', "not an Excel workbook, or is damaged"),
        ("<row>", "not an Excel workbook, or is damaged"),
    ],
)  # fmt: skip
def test_cells_far_apart_do_not_fill_the_memory(tmp_path: Path, data: str, said: str) -> None:
    """Two cells in opposite corners ended the process: calamine lays out all cells between."""
    path = written_xlsx(tmp_path / "a.xlsx", {"In": data})
    if "x:row" in data:
        with zipfile.ZipFile(path) as file:
            parts = {name: file.read(name).decode() for name in file.namelist()}
        with zipfile.ZipFile(path, "w") as file:
            for name, part in parts.items():
                file.writestr(name, part.replace("<worksheet", '<worksheet xmlns:x="x"'))
    with pytest.raises(InputError, match=said):
        read(path)


def test_cells_in_a_part_of_another_name_are_refused(tmp_path: Path) -> None:
    path = written_xlsx(tmp_path / "a.xlsx", {"In": ROWS})
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("media/image.png", b"x" * 40 + b"<sheetData/>")
    with pytest.raises(InputError, match="is damaged"):
        read(path)


def test_a_workbook_has_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written_xlsx(tmp_path / "a.xlsx", {"In": [["text"], ["x" * 30_000]]})
    monkeypatch.setattr(workbooks, "LARGEST_WORKBOOK", 1 << 14)
    with pytest.raises(InputError, match=r"holds more than 0 MB; save the sheet as \.csv"):
        read(path)


@pytest.mark.parametrize("n_cells", [5, 6])
def test_a_text_that_many_cells_share_does_not_fill_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_cells: int
) -> None:
    monkeypatch.setattr(workbooks, "MOST_TEXT", 5000)
    cells = "".join(
        f'<row r="{n}"><c r="A{n}" t="s"><f>A10</f><v>1</v></c></row>' for n in range(n_cells)
    )
    path = written_xlsx(tmp_path / "a.xlsx", {"In": cells.replace("A0", "B1")})
    with zipfile.ZipFile(path, "a") as file:
        texts = "".join(f"<si><r><t>{'x' * n}</t></r></si>" for n in (50_000, 1000))
        file.writestr("xl/SharedStrings.xml", f"<sst>{texts}</sst>")
    if n_cells == 6:
        with pytest.raises(InputError, match="holds more than 5,000 characters in its cells"):
            read(path)
    else:
        workbooks._refuse_dangerous(path)


OLD = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (OLD, r"is a workbook of Excel 97 to 2003 \(\.xls\); save it as \.xlsx or \.csv"),
        (OLD + "EncryptedPackage".encode("utf-16-le"), "is encrypted; save it without a password"),
        (b"", "is not an Excel workbook"),
        (b"text,label\n", "is not an Excel workbook"),
        (b"PK\3\4 and no more", "is not an Excel workbook, or is damaged"),
    ],
)
def test_what_is_no_workbook(tmp_path: Path, raw: bytes, said: str) -> None:
    (tmp_path / "a.xlsx").write_bytes(raw)
    with pytest.raises(InputError, match=said):
        read(tmp_path / "a.xlsx")


def test_a_workbook_without_cells_is_empty(tmp_path: Path) -> None:
    path = written_xlsx(tmp_path / "a.xlsx", {"In": ""})
    with pytest.raises(InputError, match="is empty; give a file with texts"):
        read_documents(path, format=FileFormat(), needs_label=False)


def test_a_workbook_named_csv_is_told(tmp_path: Path) -> None:
    path = written_xlsx(tmp_path / "a.csv", {"In": ROWS})
    with pytest.raises(InputError, match=r"compressed as zip.*name it \.xlsx if it is a workbook"):
        read_documents(path, format=FileFormat(), needs_label=False)


def test_the_package_is_asked_for_by_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written_xlsx(tmp_path / "a.xlsx", {"In": ROWS})
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(InputError, match=r"needs the package 'python_calamine'.*'excel'"):
        read(path)


def test_random_damage_is_one_sentence(tmp_path: Path) -> None:
    whole = written_xlsx(tmp_path / "a.xlsx", {"In": ROWS, "Two": [["x"]]}).read_bytes()
    chosen, path = random.Random(0), tmp_path / "b.xlsx"
    for _ in range(150):
        raw = bytearray(whole)
        raw[chosen.randrange(len(raw))] ^= 1 << chosen.randrange(8)
        path.write_bytes(raw[: chosen.choice([len(raw), chosen.randrange(len(raw))])])
        with suppress(InputError):
            read(path)
