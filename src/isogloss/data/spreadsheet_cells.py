"""Cells of a table that a spreadsheet would take for formulas: an apostrophe before them, and back.

Excel and LibreOffice compute a cell of a CSV file that begins with ``=``, ``+``, ``-``, ``@``, a
tab or a carriage return, whoever wrote it. With an apostrophe before it, it is text. So that
reading back gives every cell as it was, one that has an apostrophe there gets another.
"""

import re

MARK = "\ufeff"  # by which Excel knows UTF-8, and reading knows that apostrophes were put

_FORMULA = re.compile("'*[=+\\-@\t\r]")
_ESCAPED = re.compile("'+[=+\\-@\t\r]")


def with_apostrophe(cell: str) -> str:
    """Return a cell as text for a spreadsheet.

    Examples
    --------
    >>> [with_apostrophe(cell) for cell in ("=1+1", "'=1", "'tis", "a=1", "")]
    ["'=1+1", "''=1", "'tis", 'a=1', '']
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell


def without_apostrophe(cell: str) -> str:
    """Return the cell of which `with_apostrophe` made this one.

    Examples
    --------
    >>> [without_apostrophe(cell) for cell in ("'=1+1", "''=1", "'tis", "=1")]
    ['=1+1', "'=1", "'tis", '=1']
    """
    return cell[1:] if _ESCAPED.match(cell) else cell
