"""What every HTML report shares: one file, no network, no script; and how values are written.

Templates of `isogloss.report` are the frame, the style and the charts; a package further up brings
its own pages. Everything is escaped where it is put in.
"""

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from isogloss.data.spreadsheet_cells import MARK, with_apostrophe
from isogloss.errors import InputError
from isogloss.report.figures import decimal, is_number
from isogloss.storage.files import atomic_file
from isogloss.text.languages import UNKNOWN, is_right_to_left, language_name

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(e[+-]?\d+)?")
# What XML and HTML cannot hold: lone surrogates, controls but tab and line ends, non-characters.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def write_page(
    path: Path,
    template: str,
    values: Mapping[str, Any],
    *,
    package: str = "isogloss.report",
    overwrite: bool = False,
) -> None:
    """Fill a template of the folder ``templates`` of `package` and write it as one HTML file.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or it cannot be written.
    """
    page = _environment(package).get_template(template).render(values)
    with atomic_file(path, overwrite=overwrite) as temporary:
        temporary.write_text(_UNPRINTABLE.sub("\ufffd", page), encoding="utf-8", newline="\n")


def stylesheet(name: str = "base.css") -> str:
    """Return a style of isogloss's pages; ``base.css`` has what all share, light, dark and printed.

    That is colours and type, tables, folded parts, badges of verdicts, texts with marked names.
    """
    return _environment("isogloss.report").get_template(name).render()


def interval_of(row: Mapping[str, Any], name: str, *, digits: int = 2) -> str:
    """Return the interval of a column in brackets after a space, or nothing without one."""
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    signed = name == "difference"
    if not (is_number(low) and is_number(high)):
        return ""
    return f" [{decimal(low, digits, signed=signed)}, {decimal(high, digits, signed=signed)}]"


def name_of_language(lang: str) -> str:
    """Return the English name of a language, or the code as it is where it has none."""
    if lang == UNKNOWN:
        return "undetermined language"
    try:
        return language_name(lang)
    except InputError:
        return lang


def _data_link(table: str) -> str:
    """Return the address of a table that a person saves, and opens in a spreadsheet.

    Cells that a spreadsheet would compute get an apostrophe, as with ``--excel``. Not so in files
    that commands write without it (`Table.write`, ``predict --out``): programs read those, to which
    a changed text is a fault.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    for row in csv.reader(io.StringIO(table, newline="")):
        writer.writerow(cell if _NUMBER.fullmatch(cell) else with_apostrophe(cell) for cell in row)
    return f"data:text/csv;charset=utf-8,{quote(MARK + written.getvalue(), errors='replace')}"


def _count(value: Any) -> str:
    return f"{int(value):,}" if is_number(value) else "–"


def _direction(lang: str) -> str:
    try:
        return "rtl" if is_right_to_left(lang) else "ltr"
    except InputError:
        return "auto"


def _environment(package: str) -> Environment:
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("isogloss.report")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "decimal": decimal,
        "count": _count,
        "language": name_of_language,
        "direction": _direction,
        "data_link": _data_link,
    }
    environment.globals |= {"interval": interval_of, "is_number": is_number}
    return environment
