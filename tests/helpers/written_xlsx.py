"""Workbooks as Excel writes them, made by hand: sheets of cells."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
# The second style of cells is a date.
_STYLES = (
    f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    "</styleSheet>"
)

Cell = str | float | bool | None


def written_xlsx(
    path: Path, sheets: Mapping[str, Sequence[Sequence[Cell]] | str], *, hidden: Sequence[str] = ()
) -> Path:
    """Write a workbook; a sheet is rows of values, or the XML inside its ``sheetData``."""
    names = list(sheets)
    numbers = range(1, len(names) + 1)
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPES}.worksheet+xml"/>'
        for n in numbers
    )
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{n}" r:id="rId{n}"'
        + (' state="hidden"' if name in hidden else "") + "/>"
        for n, name in zip(numbers, names, strict=True)
    )  # fmt: skip
    links = "".join(
        f'<Relationship Id="rId{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in numbers
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
        f"{overrides}</Types>",
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{links}'
        f'<Relationship Id="rId0" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": _STYLES,
    }
    for n, rows in zip(numbers, sheets.values(), strict=True):
        data = rows if isinstance(rows, str) else "".join(map(_row, range(1, len(rows) + 1), rows))
        parts[f"xl/worksheets/sheet{n}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{data}</sheetData></worksheet>'
        )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{part}')
    return path


def _row(number: int, cells: Sequence[Cell]) -> str:
    made = "".join(_cell(f"{_letter(at)}{number}", value) for at, value in enumerate(cells))
    return f'<row r="{number}">{made}</row>'


def _letter(at: int) -> str:
    return chr(ord("A") + at)


def _cell(place: str, value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, str):
        text = f'<is><t xml:space="preserve">{escape(value)}</t></is>'
        return f'<c r="{place}" t="inlineStr">{text}</c>'
    return f'<c r="{place}"><v>{value}</v></c>'
