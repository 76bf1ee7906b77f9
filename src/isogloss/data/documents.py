"""Documents of users: texts with labels, languages and ids, from any file of records.

The commands of `classify` and `encode` call it. Rows stay in order, empty texts included. What
cannot be used (a missing label, a text that is a number) is refused with its file and line. Where
labels are read, rows in which nothing stands are passed over.
`records` reads formats, `tables` settles quoting, `label_sets` parses label sets, `text.detect`
finds languages that no column gives.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from isogloss.data.label_sets import LabelSet, find_separator, label_sets, sets_of_columns
from isogloss.data.lines import STANDARD_INPUT
from isogloss.data.named_columns import find_column, first_there
from isogloss.data.records import (
    DEFAULT_COLUMN,
    MISSING,
    UNPACKED,
    Reading,
    Records,
    is_empty,
    read_records,
    shown_value,
    without_blank_rows,
)
from isogloss.data.tables import Quoting
from isogloss.errors import InputError, counted, refuse_twice, shown_lines, warn_omitted
from isogloss.text.languages import parse_language
from isogloss.totals import tell

LABEL_COLUMNS = ("label", "category")
LABEL_SET_COLUMNS = ("labels", "categories", *LABEL_COLUMNS)
ID_COLUMNS = ("id", "index_id", "sent_id")

_ENDS_OF_SENTENCES = tuple(".!?…。！？．｡؟۔।॥።፧։။។៕᠃")
_CLOSERS = " \t\r\n\u00a0\u202f\"'”’»›)]}）」』】〉》"


@dataclass(frozen=True)
class FileFormat:
    """Which columns hold what; where files differ, each is read by the first that it has.

    Parameters
    ----------
    text
        Columns whose texts are joined; ``None`` is ``text``. By name or, in a table without a
        header, by number from 1 (``"2"``).
    label
        Column of the label; ``None`` is ``label`` or ``category``, whichever is there
        (`multilabel`: ``labels`` or ``categories`` too). Several, with `multilabel`: one column a
        label, which says 0 or 1.
    lang_column
        Column of the language code of each text, or ``None``.
    quoting
        ``"csv"``, ``"none"``, or found out.
    multilabel
        A document has any number of labels.
    label_separator
        Separator of labels in one column; ``None``: detected, see `read_files`.
    or_text, or_label
        Other columns like `text` and `label`, for files that lack those.
    fixed_by
        The option that names the file, where none names its columns.
    id
        Column of the id; None: one of `ID_COLUMNS`, if there is one.
    encoding, sheet
        As `records.Reading` has them.
    """

    text: tuple[str, ...] | None = None
    label: str | tuple[str, ...] | None = None
    lang_column: str | None = None
    quoting: Quoting = "auto"
    multilabel: bool = False
    label_separator: str | None = None
    or_text: tuple[tuple[str, ...], ...] = ()
    or_label: tuple[str | tuple[str, ...], ...] = ()
    fixed_by: str | None = None
    id: str | None = None
    encoding: str | None = None
    sheet: str | None = None

    @property
    def reading(self) -> Reading:
        """How records are read of which these columns are taken."""
        return Reading(tuple(self.named), self.quoting, self.encoding, self.sheet)

    @property
    def named(self) -> list[str]:
        """Columns asked for, in the order of the options."""
        labels = [
            (one,) if isinstance(one, str) else one or () for one in (self.label, *self.or_label)
        ]
        groups = [self.text or (), *self.or_text, *labels]
        return [*chain(*groups), *(one for one in (self.lang_column, self.id) if one)]

    @property
    def finds_separator(self) -> bool:
        """Whether labels are in one column, and their separator is to be detected."""
        is_one_column = self.multilabel and not isinstance(self.label, tuple)
        return is_one_column and self.label_separator is None

    def with_separator(self, found: str | None) -> "FileFormat":
        """Return the format with the separator that was detected, if one was to be."""
        return replace(self, label_separator=found) if self.finds_separator else self

    def of_file(self, columns: Sequence[str], path: Path, *, needs_label: bool) -> "FileFormat":
        """Return the format of one file, which has these columns, without alternatives."""
        text, label = self.text, self.label
        if text is not None:
            option = self.fixed_by or "--text"
            text = first_there((text, *self.or_text), columns, option=option, path=path)
        if label is not None and needs_label:
            label = first_there((label, *self.or_label), columns, option="--label", path=path)
        return replace(self, text=text, label=label, or_text=(), or_label=())


@dataclass(frozen=True)
class Documents:
    """Texts of one file, and what the file says about each; all lists are of one length.

    Labels are strings (a whole number or boolean by ``str``) without blanks around them, or a tuple
    of them for each document with several. A column that was not asked for, or is not there, is
    None.
    """

    texts: list[str]  # empty ones among them
    labels: list[str] | list[LabelSet] | None
    langs: list[str | None] | None  # canonical codes; None: unknown, or the file gives none
    ids: list[str | None] | None  # of one of `ID_COLUMNS`; None where it is empty
    lines: list[int]  # line (Parquet: row) of each document, 1-based
    path: str  # for messages


def read_documents(path: Path | str, *, format: FileFormat, needs_label: bool) -> Documents:
    """Read the documents of a file.

    Parameters
    ----------
    path
        TSV, CSV, JSON Lines or plain text (one text a line), each also .gz or .zst, Parquet, .xlsx;
        ``"-"`` is standard input, whose format is found by its first line.
    format
        Which columns hold what.
    needs_label
        Read the labels, and refuse a document without one.

    Raises
    ------
    InputError
        Whatever is wrong with the file, in one sentence with file and line.

    Warns
    -----
    OmissionWarning
        When the language column holds unknown codes; these documents get no language. When labels
        are read and rows are passed over in which nothing stands, save at the end.
    UserWarning
        When quotes or label sets can be read in two ways.
    """
    return read_files([(path, format)], needs_label=needs_label)[0]


def read_files(
    files: Sequence[tuple[Path | str, FileFormat]],
    *,
    needs_label: bool,
    known_labels: Collection[str] | None = None,
) -> list[Documents]:
    """Read the documents of several files; what separates labels is settled over all of them.

    Parameters
    ----------
    files
        Each with its format; formats differ in their columns alone.
    known_labels
        Those of a model that reads the files: a separator is found only if no other one gives
        more texts whose labels are known.

    Other parameters, errors and warnings are those of `read_documents`.
    """
    read: list[tuple[Path, Records, FileFormat]] = []
    for place, asked in files:
        path = Path(place)
        records = read_records(path, asked.reading)
        read.append((path, records, asked.of_file(records.columns, path, needs_label=needs_label)))
    columns = [
        (path, records.values(_label_columns(records, format, path)[0]))
        for path, records, format in read
        if needs_label and format.finds_separator
    ]
    separator = find_separator(columns, known_labels=known_labels) if columns else None
    return [
        _documents(records, path, format.with_separator(separator), needs_label)
        for path, records, format in read
    ]


def documents_of(records: Records, path: Path, format: FileFormat) -> Documents:
    """Return the documents of a file's records, or of some of them, without their labels."""
    asked = format.of_file(records.columns, path, needs_label=False)
    return _documents(records, path, asked, needs_label=False)


def columns_read(columns: Sequence[str], path: Path, format: FileFormat) -> list[str]:
    """Return the columns that give texts, ids and languages of a file with these columns."""
    others = (id_column(columns, format), format.lang_column)
    return [*text_columns(columns, path, format), *(name for name in others if name is not None)]


def text_columns(columns: Sequence[str], path: Path, format: FileFormat) -> tuple[str, ...]:
    """Return the columns that give the texts of a file with these columns."""
    return format.of_file(columns, path, needs_label=False).text or (DEFAULT_COLUMN,)


def id_column(columns: Collection[str], format: FileFormat) -> str | None:
    """Return the column that gives the ids of a file with these columns."""
    return format.id or next((name for name in ID_COLUMNS if name in columns), None)


def ids_of(records: Records, column: str, path: Path) -> list[str | None]:
    """Return the ids in a column; raises `InputError` for what is none."""
    at = records.columns.index(column)
    return [_id(value, column, path, line) for value, line in _values(records, at)]


def _documents(records: Records, path: Path, format: FileFormat, needs_label: bool) -> Documents:
    how: dict[str, Any] = {
        "is_asked": format.text is not None, "fixed_by": format.fixed_by, "has_label": needs_label,
    }  # fmt: skip
    refuse_twice(format.text or (), "--text")
    text_columns = [
        find_column(records, name, "--text", path, **how)
        for name in format.text or (DEFAULT_COLUMN,)
    ]
    labels: list[str] | list[LabelSet] | None = None
    if needs_label:
        label_columns = _label_columns(records, format, path)
        records, blank = without_blank_rows(records, label_columns)
        if blank:
            n, places = counted(len(blank), "blank row"), shown_lines_of(path, blank)
            warn_omitted(f"{path}: {n} passed over ({places}): nothing stands there")
        _refuse_shared(records, text_columns, label_columns, path)
        read = _label_sets if format.multilabel else _labels
        labels = read(records, label_columns, format, path)
    langs = None
    if format.lang_column is not None:
        column = find_column(records, format.lang_column, "--lang-column", path)
        langs = _langs(records, column, path)
    if format.id is not None:
        find_column(records, format.id, "--id", path)
    of_ids = id_column(records.columns, format)
    return Documents(
        texts=_texts(records, text_columns, path),
        labels=labels,
        langs=langs,
        ids=None if of_ids is None else ids_of(records, of_ids, path),
        lines=records.lines,
        path="standard input" if path == STANDARD_INPUT else str(path),
    )


def join_texts(parts: Sequence[str]) -> str:
    """Join the texts of several columns as sentences; empty ones are left out.

    Examples
    --------
    >>> join_texts(["Rain in Oslo", "", "It fell all day."]), join_texts(["雨。", "一日中。"])
    ('Rain in Oslo. It fell all day.', '雨。 一日中。')
    """
    joined = ""
    for part in parts:
        if not part.strip():
            continue
        if joined:
            ended = joined.rstrip(_CLOSERS).endswith(_ENDS_OF_SENTENCES)
            joined = joined.rstrip() + (" " if ended else ". ")
        joined += part
    return joined


def _label_column(records: Records, format: FileFormat, usual: tuple[str, ...], path: Path) -> int:
    if isinstance(format.label, str):
        return find_column(records, format.label, "--label", path)
    found = [name for name in usual if name in records.columns]
    if len(found) > 1:
        advice = "say which with --label" if format.fixed_by is None else "remove one"
        raise InputError(f"has columns {' and '.join(found)}; {advice}", path=path)
    name = found[0] if found else usual[0]
    return find_column(records, name, "--label", path, is_asked=False, fixed_by=format.fixed_by)


def _label_columns(records: Records, format: FileFormat, path: Path) -> list[int]:
    """Return the position of the label's column, or of several."""
    if not isinstance(format.label, tuple):
        usual = LABEL_SET_COLUMNS if format.multilabel else LABEL_COLUMNS
        return [_label_column(records, format, usual, path)]
    if not format.multilabel:
        raise InputError("several label columns need --multilabel; or name one with --label")
    refuse_twice(format.label, "--label")
    return [find_column(records, name, "--label", path) for name in format.label]


def _refuse_shared(records: Records, texts: list[int], labels: list[int], path: Path) -> None:
    """Refuse labels that are read from a column of the text: they would be told by themselves."""
    for column in labels:
        if column in texts:
            name = records.columns[column]
            raise InputError(
                f"text and label are both read from the column '{name}'; name another with --text "
                "or --label",
                path=path,
            )


def _texts(records: Records, columns: list[int], path: Path) -> list[str]:
    parts = [
        [_text(value, records.columns[at], path, line) for value, line in _values(records, at)]
        for at in columns
    ]
    if len(parts) == 1:
        return parts[0]
    return [join_texts(row) for row in zip(*parts, strict=True)]


def _text(value: Any, name: str, path: Path, line: int) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if value is MISSING:
        raise InputError(f"has no field '{name}'; give every record a text", path=path, line=line)
    raise InputError(
        f"'{name}' is {shown_value(value)}, not text; put it in quotes", path=path, line=line
    )


def _label_sets(
    records: Records, columns: list[int], format: FileFormat, path: Path
) -> list[LabelSet]:
    if isinstance(format.label, tuple):
        named = {records.columns[column]: records.values(column) for column in columns}
        return sets_of_columns(named, path=path, lines=records.lines)
    return label_sets(
        records.values(columns[0]),
        records.columns[columns[0]],
        separator=format.label_separator,
        path=path,
        lines=records.lines,
    )


def _labels(records: Records, columns: list[int], format: FileFormat, path: Path) -> list[str]:
    column = columns[0]
    name = records.columns[column]
    labels: list[str] = []
    unlabelled: list[int] = []
    for value, line in _values(records, column):
        if is_empty(value):
            unlabelled.append(line)
        elif not isinstance(value, str | int):
            raise InputError(
                f"the label in '{name}' is {shown_value(value)}; it may be text, a whole number or "
                "a boolean" + ("; say --multilabel for lists" if isinstance(value, list) else ""),
                path=path,
                line=line,
            )
        else:
            labels.append(str(value).strip())
    if len(unlabelled) == 1:
        raise InputError(
            f"has no label in '{name}'; label it or leave it out", path=path, line=unlabelled[0]
        )
    if unlabelled:
        raise InputError(
            f"{len(unlabelled):,} rows have no label in '{name}' "
            f"({shown_lines_of(path, unlabelled)}); label them or take them out",
            path=path,
        )
    return labels


def shown_lines_of(path: Path | str, lines: Sequence[int]) -> str:
    """Return the first of a file's lines, or of its rows where it has no lines, for a message."""
    return shown_lines(lines, are_rows=str(path).endswith(UNPACKED))


def _langs(records: Records, column: int, path: Path) -> list[str | None]:
    langs: list[str | None] = []
    unknown: list[str] = []
    for value, line in _values(records, column):
        code = "" if value is None or value is MISSING else str(value)
        try:
            langs.append(parse_language(code) if code.strip() else None)
        except InputError as error:
            langs.append(None)
            unknown.append(f"first at {path}:{line}: {error}")
    tell(_without_language, len(unknown), tuple(unknown[:1]))
    return langs


def _without_language(n_documents: int, places: tuple[str, ...]) -> str:
    return f"{n_documents} document(s) with an unknown language get none; {''.join(places[:1])}"


def _id(value: Any, name: str, path: Path, line: int) -> str | None:
    if value is None or value is MISSING or value == "" or value != value:
        return None
    if isinstance(value, float) and value.is_integer():  # of a table that lacks some
        return str(int(value))
    if isinstance(value, str | int) and not isinstance(value, bool):
        return str(value)
    raise InputError(
        f"the id in '{name}' is {shown_value(value)}; it may be text or a whole number",
        path=path,
        line=line,
    )


def _values(records: Records, column: int) -> Iterator[tuple[Any, int]]:
    return zip(records.values(column), records.lines, strict=True)
