"""The header of a table of names: one name a row, or one column a language.

``id,lang,name,type`` is the one, ``id,type,en,de,pt-BR`` the other. Which columns are languages is
decided here; rows are read in `names_file`.
"""

from collections.abc import Collection, Sequence
from pathlib import Path

from isogloss.errors import InputError
from isogloss.text.languages import has_english_name, parse_language

ID, TYPE, LANG, NAME = "id", "type", "lang", "name"
_EITHER_FORM = "name columns id, lang and name, or id and a column a language, as id,en,de"


def column_name(cell: str) -> str:
    """Return the name of a column, which spreadsheets may begin with a capital."""
    name = cell.strip()
    return name.lower() if name.lower() in (ID, TYPE, LANG, NAME) else name


def language_columns(
    header: Sequence[str], path: Path, *, wanted: Collection[str] | None
) -> list[str]:
    """Return the columns that are languages; none where a row is one name.

    Parameters
    ----------
    header
        Names of the columns, without blanks around them; the four known ones in small letters.
    wanted
        Languages of the knowledge base, which settle what a rare code is; None: not said.

    Raises
    ------
    InputError
        When the header is neither form, or can be read in two ways.
    """
    known = ", ".join(f"'{name}'" for name in header[:12])
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        advice = "write Indonesian as 'ind'" if twice == ID else "keep one"
        raise InputError(f"has the column '{twice}' twice; {advice}", path=path, line=1)
    if ID not in header:
        raise InputError(f"no column 'id' among {known}; {_EITHER_FORM}", path=path, line=1)
    if {LANG, NAME} <= set(header):
        return []
    columns = [one for one in header if one not in (ID, TYPE) and _is_language(one, path, wanted)]
    if not columns:
        lacking = next(one for one in (LANG, NAME) if one not in header)
        raise InputError(f"no column '{lacking}' among {known}; {_EITHER_FORM}", path=path, line=1)
    unclear = next((one for one in header if one in (LANG, NAME)), None)
    if unclear is not None:
        raise InputError(
            f"has the column '{unclear}' beside '{columns[0]}', which is a language; rename it to "
            "the language of its names, or take it out", path=path, line=1,
        )  # fmt: skip
    _refuse_same(columns, path)
    return columns


def _is_language(column: str, path: Path, wanted: Collection[str] | None) -> bool:
    try:
        code = parse_language(column)
    except InputError as error:
        if has_english_name(column):
            raise InputError(f"column '{column}': {error}", path=path, line=1) from error
        return False
    if not has_english_name(code) and code not in (wanted or ()):  # sku is spoken in Vanuatu
        raise InputError(
            f"the column '{column}' may be a language or something else; rename it, or name it in "
            "--langs if it is a language", path=path, line=1,
        )  # fmt: skip
    return True


def _refuse_same(columns: Sequence[str], path: Path) -> None:
    met: dict[str, str] = {}
    for column in columns:
        first = met.setdefault(parse_language(column), column)
        if first != column:
            raise InputError(
                f"the columns '{first}' and '{column}' are the same language; put their names in "
                "one, with | between them", path=path, line=1,
            )  # fmt: skip
