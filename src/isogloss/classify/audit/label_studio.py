"""Sheets for Label Studio: tasks, the labelling interface, and what it exports as JSON or JSON-MIN.

https://labelstud.io/guide/export: a task of JSON has annotations, each with results by the name of
their control; one of JSON-MIN has the values of a single annotation beside the data.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from isogloss.classify.audit.sheet import ANSWER, LABEL, LANG, NOTE, ROW, TEXT, SheetRow
from isogloss.errors import InputError
from isogloss.storage.files import read_json

_ADVICE = "export it again as JSON"


def tasks_bytes(rows: Sequence[Sequence[str]], *, with_answers: bool) -> bytes:
    """Return the tasks of rows of row, lang, text and, `with_answers`, the model's answer."""
    names = (ROW, LANG, TEXT, *([ANSWER] if with_answers else []))
    tasks = [{"data": dict(zip(names, row, strict=True))} for row in rows]
    return (json.dumps(tasks, ensure_ascii=False, indent=1) + "\n").encode()


def interface(choices: Sequence[str], *, with_answers: bool) -> str:
    """Return the labelling interface that asks for one of the choices."""
    shown = [f'<Header value="The model answers: ${ANSWER}"/>'] if with_answers else []
    lines = [
        f'<Header value="${LANG}, row ${ROW}"/>',
        f'<Text name="{TEXT}" value="${TEXT}"/>',
        *shown,
        f'<Choices name="{LABEL}" toName="{TEXT}" choice="single" showInline="true">',
        *(f"  <Choice value={quoteattr(choice)}/>" for choice in choices),
        "</Choices>",
        f'<TextArea name="{NOTE}" toName="{TEXT}" rows="1" placeholder="{NOTE}"/>',
    ]
    return "\n".join(["<View>", *(f"  {line}" for line in lines), "</View>", ""])


def read_export(path: Path) -> list[SheetRow]:
    """Read the rows of an export.

    Raises
    ------
    InputError
        When it is no export of such tasks, or annotations of a task give it different labels.
    """
    tasks = read_json(path, what="an export of Label Studio", advice=_ADVICE)
    if not isinstance(tasks, list):
        raise InputError(f"is no list of tasks; {_ADVICE}", path=path)
    return [_row(task, number, path) for number, task in enumerate(tasks, 1)]


def _row(task: Any, number: int, path: Path) -> SheetRow:
    data = task.get("data", task) if isinstance(task, dict) else None
    if not isinstance(data, dict) or not {ROW, LANG, TEXT} <= data.keys():
        raise InputError(
            f"task {number} has no {ROW}, {LANG} and {TEXT}; export the tasks that were drawn",
            path=path,
        )
    row = str(data[ROW])
    if not row.isascii() or not row.isdecimal() or len(row) > 12:
        raise InputError(f"task {number} has the {ROW} {row!r:.40}, not a number", path=path)
    given = {_as_label(data.get(LABEL), number, path)}
    if "annotations" in task:
        given = {_label_of(one, number, path) for one in _listed(task["annotations"])}
    given.discard(None)
    if len(given) > 1:
        shown = " and ".join(sorted(repr(label) for label in given if label))
        raise InputError(
            f"row {row} is labelled {shown} by two annotations; export those of one person",
            path=path,
        )
    label = next(iter(given), None)
    return SheetRow(int(row), str(data[LANG]), str(data[TEXT]), label or "", number)


def _label_of(annotation: Any, number: int, path: Path) -> str | None:
    if not isinstance(annotation, Mapping) or annotation.get("was_cancelled"):
        return None
    for result in _listed(annotation.get("result")):
        if isinstance(result, Mapping) and result.get("from_name") == LABEL:
            value = result.get("value")
            return _as_label(value.get("choices") if isinstance(value, Mapping) else None,
                             number, path)  # fmt: skip
    return None


def _as_label(value: Any, number: int, path: Path) -> str | None:
    if isinstance(value, list):
        if len(value) > 1:
            raise InputError(f"task {number} has {len(value)} labels; give it one", path=path)
        value = value[0] if value else None
    return None if value is None or value == "" else str(value)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
