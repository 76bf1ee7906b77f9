"""Which columns of a table hold texts, labels and languages, guessed by names, then by cells.

A guess is for who tries something out, and is said: commands that are part of a routine name their
columns.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.data.records import Records
from isogloss.errors import InputError
from isogloss.text.languages import parse_language

NAMES_OF_TEXTS = (
    "text", "message", "body", "content", "description", "sentence", "comment", "question",
    "review", "utterance", "document", "ticket", "article", "query", "title", "subject",
)  # fmt: skip
NAMES_OF_LABELS = (
    "label", "category", "class", "topic", "intent", "queue", "tag", "target", "team", "department",
    "type",
)  # fmt: skip
NAMES_OF_LANGUAGES = ("lang", "language", "lang_code", "language_code", "locale")
MOST_LABELS = 200
LONGEST_LABEL = 80  # characters


@dataclass(frozen=True)
class GuessedColumns:
    """Names of columns, None where none looks like it; `why` says by what each is known."""

    text: str | None
    label: str | None
    lang: str | None
    why: dict[str, str]


@dataclass(frozen=True)
class _Column:
    name: str
    cells: list[str]  # that are not empty

    @property
    def length(self) -> float:
        """Mean number of letters."""
        letters = (sum(map(str.isalpha, cell)) for cell in self.cells)
        return sum(letters) / max(1, len(self.cells))

    @property
    def n_different(self) -> int:
        return len(set(self.cells))


def guess_columns(records: Records) -> GuessedColumns:
    """Guess by the names and the cells of some rows.

    Examples
    --------
    >>> from isogloss.data.records import Records
    >>> rows = [["7", "The printer is on fire", "it"], ["8", "My salary is late", "hr"]] * 3
    >>> records = Records(["no", "what happened", "goes to"],
    ...     lambda at: [row[at] for row in rows], list(range(6)))
    >>> guess = guess_columns(records)
    >>> guess.text, guess.label, guess.lang
    ('what happened', 'goes to', None)
    """
    columns = [_Column(name, _texts(records.values(at))) for at, name in enumerate(records.columns)]
    why: dict[str, str] = {}
    named = _by_name(columns, NAMES_OF_LANGUAGES, _are_languages)
    lang = _noted(why, "lang", named, "by its name") or _noted(
        why, "lang", _first(columns, _are_different_languages), "its cells are language codes"
    )
    rest = [column for column in columns if column.name != lang]
    named = _by_name(rest, NAMES_OF_TEXTS, lambda column: bool(column.cells))
    text = _noted(why, "text", named, "by its name") or _noted(
        why, "text", _longest(rest), "its cells are the longest"
    )
    rest = [column for column in rest if column.name != text]
    named = _by_name(rest, NAMES_OF_LABELS, _are_labels)
    label = _noted(why, "label", named, "by its name") or _noted(
        why, "label", _fewest(rest), "a few short texts come again and again"
    )
    return GuessedColumns(text, label, lang, why)


def _noted(why: dict[str, str], what: str, column: _Column | None, reason: str) -> str | None:
    if column is None:
        return None
    why[what] = reason
    return column.name


def _by_name(columns: Sequence[_Column], names: Sequence[str], fits: Any) -> _Column | None:
    """Return the column with the first of these names, in any case, that fits."""
    folded = {column.name.strip().casefold().replace(" ", "_"): column for column in columns}
    found = (folded[name] for name in names if name in folded)
    return next((column for column in found if fits(column)), None)


def _first(columns: Iterable[_Column], fits: Any) -> _Column | None:
    return next((column for column in columns if fits(column)), None)


def _longest(columns: Sequence[_Column]) -> _Column | None:
    """Return the column with most letters a cell; None: no column has letters."""
    found = max(columns, key=lambda column: column.length, default=None)
    return found if found is not None and found.length >= 1 else None


def _fewest(columns: Sequence[_Column]) -> _Column | None:
    """Return the column of labels, in words if there is one, with the fewest different ones."""
    fitting = [column for column in columns if _are_labels(column)]
    fitting = [column for column in fitting if column.length >= 1] or fitting
    return min(fitting, key=lambda column: column.n_different, default=None)


def _are_labels(column: _Column) -> bool:
    n, different = len(column.cells), column.n_different
    comes_again = different <= min(MOST_LABELS, max(2, n // 2))
    return different >= 2 and comes_again and max(map(len, column.cells)) <= LONGEST_LABEL


def _are_languages(column: _Column) -> bool:
    """Whether most cells are codes of languages."""
    codes = set(column.cells)
    n_known = sum(map(_is_language, codes))
    return bool(codes) and n_known >= 0.8 * len(codes)


def _are_different_languages(column: _Column) -> bool:
    """Whether all are, short ones, of which few words of other columns could be taken."""
    short = all(2 <= len(cell) <= 10 for cell in column.cells)
    many = column.n_different >= 3 and column.n_different < max(4, len(column.cells))
    return short and many and all(map(_is_language, set(column.cells)))


def _is_language(code: str) -> bool:
    try:
        parse_language(code)
    except InputError:
        return False
    return True


def _texts(values: Iterable[Any]) -> list[str]:
    cells = (str(value).strip() for value in values if isinstance(value, str | int))
    return [cell for cell in cells if cell]
