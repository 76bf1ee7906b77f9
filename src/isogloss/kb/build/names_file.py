"""Read a names file: entities as JSON Lines (plain, .gz or .zst), or a CSV or TSV table of names.

The format is described in ``docs/knowledge-base.md``. Bad lines are refused with file and line, or
counted. What a table's columns are is decided in `table_header`.
"""

import csv
import json
import logging
from collections.abc import Callable, Collection, Iterator
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from isogloss.data.lines import COMPRESSED, open_lines
from isogloss.data.records import shown_value
from isogloss.data.tables import guess_delimiter
from isogloss.errors import InputError, counted, nearest, warn_omitted
from isogloss.kb.build.gathered import Gathered, SourceReport
from isogloss.kb.stored.table_header import ID, LANG, NAME, TYPE, column_name, language_columns
from isogloss.storage.files import parse_json

logger = logging.getLogger(__name__)
LONGEST_NAME = 200
Number = Annotated[float, Meta(ge=0, le=1e300)]
Share = Annotated[float, Meta(ge=0, le=1)]


class Entity(Struct):
    """An entity on a line; names, counts and link probabilities by language."""

    id: str = ""
    names: dict[str, list[str]] = {}
    keywords: dict[str, list[str]] = {}
    types: list[str] = []
    same_as: list[str] = []
    counts: dict[str, dict[str, Number]] = {}
    link_prob: dict[str, dict[str, Share]] = {}
    popularity: Number | UnsetType = UNSET


# Of each field, what it may hold.
ALLOWED = {
    "id": "a string without spaces",
    "names": 'an object of language tag to names, as {"en": ["name"]},',
    "keywords": 'an object of language tag to names, as {"en": ["name"]},',
    "types": 'a list of strings, as ["a", "b"],',
    "same_as": 'a list of ids, as ["Q64"],',
    "counts": 'a number in 0 to 1e300 by language tag and name, as {"en": {"name": 3}},',
    "link_prob": 'a number in 0 to 1 by language tag and name, as {"en": {"name": 0.5}},',
    "popularity": "a number in 0 to 1e300",
}


def gather_names_file(
    path: Path, gathered: Gathered, *, keywords: bool = False, skip_bad: bool = False
) -> SourceReport:
    """Add the entities of one names file.

    Parameters
    ----------
    path
        ``.jsonl``, ``.csv`` (with commas, semicolons or tabs) or ``.tsv``, each also with ``.gz``
        or ``.zst``.
    keywords
        Take the weaker names in ``keywords`` too.
    skip_bad
        Count bad lines instead of refusing them.

    Raises
    ------
    InputError
        A missing, truncated, wrongly encoded or empty file; a bad line unless `skip_bad`.
    """
    report = SourceReport(f"names:{path.name}", "not stated in the file")
    ending = _ending(path)
    if ending not in (".jsonl", ".csv", ".tsv"):
        raise InputError(
            f"a names file whose name ends in '{ending}'; name it .jsonl, .csv or .tsv, with "
            ".gz or .zst behind it if it is compressed",
            path=path,
        )
    add = _TableReader if ending != ".jsonl" else _LinesReader
    reader = add(path, gathered, report, keywords=keywords)
    for line, read in reader.rows():
        try:
            read()
        except InputError as error:
            if not skip_bad:
                sentence = f"{error} (--skip-bad leaves such lines out)"
                raise InputError(sentence, path=path, line=line) from error
            report.n_bad_lines += 1
    report.n_entities = len(reader.known)
    if not report.n_entities:
        raise InputError("holds no entities; each line needs an id and names", path=path)
    _say_misspelt(report, reader.optional, path)
    return report


def _say_misspelt(report: SourceReport, optional: Collection[str], path: Path) -> None:
    """Warn of a field that is not used and is called like one that would be."""
    for field, n_lines in report.unused_fields.items():
        near = nearest(field, optional)
        if near is not None and field not in ALLOWED:
            times = counted(n_lines, "line")
            warn_omitted(
                f"{path}: '{field}' of {times} is not used; did you mean '{near}'? rename it, or "
                "take it out"
            )


def _ending(path: Path) -> str:
    """Return the ending of a name without that of compression."""
    return Path(path.stem if path.suffix in COMPRESSED else path.name).suffix


class _LinesReader:
    """Entities as JSON objects, one a line."""

    def __init__(
        self, path: Path, gathered: Gathered, report: SourceReport, *, keywords: bool
    ) -> None:
        self.path, self.gathered, self.report = path, gathered, report
        self.fields = set(Entity.__struct_fields__) - (set() if keywords else {"keywords"})
        self.optional = self.fields - {"id"}
        self.known: set[str] = set()

    def rows(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Yield line numbers and what reads the line."""
        for number, line in open_lines(self.path):
            if line.strip():
                yield number, lambda line=line: self._read(line)  # type: ignore[misc]

    def _read(self, line: str) -> None:
        try:
            record = parse_json(line)
        except ValueError as error:
            why = str(error)
            if isinstance(error, json.JSONDecodeError):
                why = f"{error.msg} at column {error.colno}"  # its line is 1: it saw no other
            raise InputError(f"not JSON: {why}; each line is one object") from error
        if not isinstance(record, dict):
            raise InputError('not a JSON object; write an entity a line, as {"id": …, "names": …}')
        used = {key: value for key, value in record.items() if key in self.fields}
        found = _entity(used)
        entity_id = _checked_id(found.id)
        if entity_id in self.known:
            raise InputError(f"the id '{entity_id}' was given before; put its names on one line")
        names = _checked_names(found.names)
        if not names:
            near = next((one for one in record if nearest(one, ["names"])), "names")
            hint = "" if near == "names" else f"; did you mean 'names' by '{near}'?"
            raise InputError(f"no names; each entity needs at least one in 'names'{hint}")
        weaker = _checked_names(found.keywords)
        counts, link_prob = _checked_numbers(found.counts), _checked_numbers(found.link_prob)
        others = [_checked_id(other) for other in found.same_as]
        # Every language tag is checked before anything is kept, so that a bad line leaves no trace.
        for tag in {*names, *weaker, *counts, *link_prob}:
            self.gathered.choose(tag)
        self.known.add(entity_id)
        entity = self.gathered.entity(entity_id)
        for kind in found.types:
            self.gathered.add_type(entity, kind)
        for other in others:
            self.gathered.same_as.append((entity, self.gathered.entity(other)))
        if found.popularity is not UNSET:
            self.gathered.popularity[entity] = found.popularity
        for key in record:
            if key not in used:
                self.report.unused_fields[key] = self.report.unused_fields.get(key, 0) + 1
        self._keep(entity, names, weaker, counts, link_prob)

    def _keep(
        self,
        entity: int,
        names: dict[str, list[str]],
        weaker: dict[str, list[str]],
        counts: dict[str, dict[str, float]],
        link_prob: dict[str, dict[str, float]],
    ) -> None:
        add = self.gathered.add_names
        for tag, listed in names.items():
            self.report.n_names += add(tag, entity, listed, counts=counts.get(tag))
        for tag, numbers in counts.items():
            known = names.get(tag, [])
            more = [name for name in numbers if name not in known]
            self.report.n_names += add(tag, entity, more, counts=numbers)
        for tag, listed in weaker.items():
            self.report.n_names += add(tag, entity, listed, is_keyword=True)
        for tag, numbers in link_prob.items():
            columns = self.gathered.language(tag)
            if columns is not None:
                columns.prob_names.extend(numbers)
                columns.link_prob.extend(numbers.values())


class _TableReader:
    """Names in a table: one a row, with its language, or a column a language."""

    def __init__(
        self, path: Path, gathered: Gathered, report: SourceReport, *, keywords: bool
    ) -> None:
        self.path, self.gathered, self.report = path, gathered, report
        self.known: set[str] = set()
        self.optional: set[str] = set()
        self.languages: list[str] = []  # columns; none where each row says its language
        self.unused: list[str] = []

    def rows(self) -> Iterator[tuple[int, Callable[[], None]]]:
        """Yield line numbers and what reads the row."""
        lines = (f"{line}\n" for _, line in open_lines(self.path))
        first = next(lines, "")
        delimiter = "\t" if _ending(self.path) == ".tsv" else guess_delimiter(first)
        reader = csv.DictReader(chain([first], lines), delimiter=delimiter, strict=True)
        try:
            header = [column_name(name) for name in reader.fieldnames or ()]
            if not any(header):
                raise InputError("is empty; name its columns first, as id,en,de", path=self.path)
            reader.fieldnames = header
            self._settle(header)
            for row in reader:
                if any(row.values()):  # spreadsheets end in rows of empty cells
                    yield reader.line_num, lambda row=row: self._read(row)  # type: ignore[misc]
        except csv.Error as error:
            raise InputError(
                f"not a table: {error}; put fields with quotes in quotes, and double their own",
                path=self.path,
                line=reader.reader.line_num,
            ) from error

    def _settle(self, header: list[str]) -> None:
        self.languages = language_columns(header, self.path, wanted=self.gathered.choose.wanted)
        if self.languages:
            logger.info("%s: names in the columns %s", self.path, ", ".join(self.languages))
        self.optional = {TYPE} - set(header)
        used = {ID, TYPE, *(self.languages or (LANG, NAME))}
        self.unused = [name for name in header if name not in used]

    def _read(self, row: dict[str | None, Any]) -> None:
        if None in row or None in row.values():
            raise InputError(
                "more or fewer fields than the header; put a field that holds a delimiter in quotes"
            )
        entity_id = _checked_id(row[ID])
        names = self._names(row)
        for tag in names:
            self.gathered.choose(tag)  # an unknown language leaves no trace
        entity = self.gathered.entity(entity_id)
        self.known.add(entity_id)
        if row.get(TYPE):
            self.gathered.add_type(entity, row[TYPE])
        for key in self.unused:
            self.report.unused_fields[key] = self.report.unused_fields.get(key, 0) + 1
        for tag, listed in names.items():
            self.report.n_names += self.gathered.add_names(tag, entity, listed)

    def _names(self, row: dict[str | None, Any]) -> dict[str, list[str]]:
        """Return language to names; a cell of a wide table holds several, with | between them."""
        if not self.languages:
            return {row[LANG]: [_checked_name(row[NAME])]}
        names = _checked_names(
            {tag: [name for name in row[tag].split("|") if name.strip()] for tag in self.languages}
        )
        if not names:
            raise InputError("no names; each entity needs one in a column of a language")
        return names


def _entity(record: dict[str, Any]) -> Entity:
    """Return the fields of a line by their types; refuse the first that is of another."""
    try:
        return msgspec.convert(record, Entity)
    except msgspec.ValidationError as error:
        kinds = {field.name: field.type for field in msgspec.structs.fields(Entity)}
        name = next(name for name in record if not _fits(record[name], kinds[name]))
        value = shown_value(_misfit(record[name], kinds[name]))
        raise InputError(f"'{name}' has {value}; {ALLOWED[name]} is allowed") from error


def _misfit(value: Any, kind: Any) -> Any:
    """Return the innermost value that is not of its type, where the whole is not."""
    if get_origin(kind) is not type(value):  # not the list or object that the type says
        return value
    inner = get_args(kind)[-1]
    parts = value.values() if isinstance(value, dict) else value
    return _misfit(next(part for part in parts if not _fits(part, inner)), inner)


def _fits(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _checked_id(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or any(c.isspace() for c in value):
        raise InputError("no id; each entity needs one, a string without spaces")
    return value


def _checked_name(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError("an empty name, or one that is not a string; mend it or take it out")
    if len(value) > LONGEST_NAME:
        raise InputError(f"a name of {len(value)} characters; shorten it to {LONGEST_NAME}")
    return value.strip()


def _checked_names(listed: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return each name once; a language without any is left out."""
    return {tag: list(dict.fromkeys(map(_checked_name, own))) for tag, own in listed.items() if own}


def _checked_numbers(listed: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    return {
        tag: {_checked_name(name): number for name, number in own.items()}
        for tag, own in listed.items()
    }
