"""A sheet that was edited, sorted, saved by a spreadsheet or cut: read right, or refused by row."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from audit_sheets import CLASSES, TEXTS, made_key, write_sheet
from written_xlsx import written_xlsx

from isogloss.classify.audit.key import Key
from isogloss.classify.audit.label_studio import interface, tasks_bytes
from isogloss.classify.audit.reading import LEFT_UNSURE, UNLABELLED, labels_of
from isogloss.classify.audit.sheet import LONGEST_CELL, shown_text
from isogloss.errors import InputError

LABELS = ["sport", "money", "", "unsure", "Sport", " money ", "?", "UNSURE", "travel", "money",
          "", "sport"]  # fmt: skip
EXPECTED = [1, 0, UNLABELLED, LEFT_UNSURE, 1, 0, LEFT_UNSURE, LEFT_UNSURE, 2, 0, UNLABELLED, 1]
Rows = list[dict[str, str]]


@pytest.fixture
def filled(tmp_path: Path) -> tuple[Key, Path]:
    """A key, and its sheet with the labels above."""
    key, texts = made_key()
    path = write_sheet(tmp_path / "sheet.csv", key, texts)
    rows = rows_of(path)
    for row, label in zip(rows, LABELS, strict=True):
        row["label"] = label
    save(path, rows)
    return key, path


def rows_of(path: Path) -> Rows:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def save(path: Path, rows: Rows, *, mark: str = "\ufeff", **how: Any) -> None:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), **how)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes((mark + text.getvalue()).encode())


def test_the_sheet_has_its_columns_and_no_answer(tmp_path: Path) -> None:
    key, texts = made_key()
    rows = rows_of(write_sheet(tmp_path / "sheet.csv", key, texts))
    assert list(rows[0]) == ["row", "lang", "text", "label", "note"]
    assert [row["label"] for row in rows] == [""] * len(rows)
    assert [row["text"].removeprefix("'") for row in rows] == [
        text.removeprefix("'") for text in texts
    ]


def test_what_a_spreadsheet_would_compute_has_an_apostrophe(tmp_path: Path) -> None:
    key, texts = made_key(
        {"en": ["=1+1", "+4", "-5", "@me", "\tx", "007", "12/3", "a=1", "été", ""]}
    )
    rows = rows_of(write_sheet(tmp_path / "sheet.csv", key, texts))
    assert [row["text"][:1] == "'" for row in rows] == [True] * 7 + [False] * 3
    assert labels_of(tmp_path / "sheet.csv", key) == [UNLABELLED] * 10


def sorted_by_text(rows: Rows) -> Rows:
    return sorted(rows, key=lambda row: row["text"], reverse=True)


def with_more(rows: Rows) -> Rows:
    return [{"": "", "who": "Anna"} | row for row in rows] + [
        dict.fromkeys(["", "who", *rows[0]], "")
    ]


def other_order(rows: Rows) -> Rows:
    return [dict(reversed(row.items())) for row in rows]


def without_apostrophes(rows: Rows) -> Rows:
    return [
        row | {"text": row["text"].removeprefix("'")} for row in rows if row["text"][:4] != "'tis"
    ] + [row for row in rows if row["text"][:4] == "'tis"]


def other_line_ends(rows: Rows) -> Rows:
    return [row | {"text": row["text"].replace("\n", "\r\n") + "  "} for row in rows]


def numbers_as_floats(rows: Rows) -> Rows:
    return [row | {"row": row["row"] + ".0"} for row in rows]


def without_notes(rows: Rows) -> Rows:
    return [{name: cell for name, cell in row.items() if name != "note"} for row in rows]


def other_case(rows: Rows) -> Rows:
    return [{name.title() + " ": cell for name, cell in row.items()} for row in rows]


@pytest.mark.parametrize(
    "change",
    [sorted_by_text, with_more, other_order, without_apostrophes, other_line_ends,
     numbers_as_floats, without_notes, other_case],
    ids=lambda change: change.__name__,
)  # fmt: skip
@pytest.mark.parametrize(
    "how",
    [{}, {"delimiter": ";"}, {"delimiter": "\t"}, {"quoting": csv.QUOTE_ALL, "delimiter": ";"},
     {"mark": "", "lineterminator": "\n"}],
    ids=str,
)  # fmt: skip
def test_what_spreadsheets_and_people_do_is_read_right(
    filled: tuple[Key, Path], change: Callable[[Rows], Rows], how: dict[str, Any]
) -> None:
    key, path = filled
    assert labels_of(path, key) == EXPECTED
    save(path, change(rows_of(path)), **how)
    assert labels_of(path, key) == EXPECTED


def test_blank_columns_and_rows_of_a_saved_sheet_are_passed_over(filled: tuple[Key, Path]) -> None:
    """A spreadsheet writes all that was ever touched, also left and below."""
    key, path = filled
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    text = io.StringIO(newline="")
    csv.writer(text).writerows([[*row, "", ""] for row in rows] + [[""] * 7] * 3)
    path.write_text(text.getvalue(), "utf-8")
    assert labels_of(path, key) == EXPECTED


def drop_a_row(rows: Rows) -> Rows:
    return rows[:4] + rows[5:]


def cut(rows: Rows) -> Rows:
    return rows[:3]


def sort_one_column(rows: Rows) -> Rows:
    texts = sorted(row["text"] for row in rows)
    return [row | {"text": text} for row, text in zip(rows, texts, strict=True)]


def translate(rows: Rows) -> Rows:
    return [rows[0] | {"text": "a football match"}, *rows[1:]]


def repeat(rows: Rows) -> Rows:
    return [*rows, rows[2]]


def other_language(rows: Rows) -> Rows:
    return [*rows[:4], rows[4] | {"lang": "lo"}, *rows[5:]]


def foreign(rows: Rows) -> Rows:
    return [*rows, rows[0] | {"row": "4"}]


def no_number(rows: Rows) -> Rows:
    return [rows[0] | {"row": "x"}, *rows[1:]]


def misspelt(rows: Rows) -> Rows:
    return [rows[0] | {"label": "sprot"}, *rows[1:]]


def unknown(rows: Rows) -> Rows:
    return [*rows[:-1], rows[-1] | {"label": "weather"}]


def no_label_column(rows: Rows) -> Rows:
    return [{name.replace("label", "labels"): cell for name, cell in row.items()} for row in rows]


def two_label_columns(rows: Rows) -> Rows:
    return [row | {"Label": "money"} for row in rows]


REFUSED = {
    drop_a_row: "has 11 of the 12 rows that were drawn: row 31 is missing; put back",
    cut: "has 3 of the 12 rows that were drawn: row 24 is missing",
    sort_one_column: "has another text than the one that was drawn; sort and move whole rows",
    translate: ":2: row 3 has another text",
    repeat: "row 17 stands in line 4 too; remove one",
    other_language: ":6: row 31 has the language 'lo', and was drawn as 'th'; put that back",
    foreign: "row 4 was not drawn for this sheet; remove it",
    no_number: ":2: the column 'row' holds 'x', not the number of a row",
    misspelt: ":2: row 3 has the label 'sprot', which the model does not have; did you mean "
    "'sport'?",
    unknown: "row 80 has the label 'weather', which the model does not have; allowed: money, "
    "sport, travel, unsure",
    no_label_column: "has no column 'label' among row, lang, text, labels, note; rename 'labels'",
    two_label_columns: "has 2 columns 'label'; remove all but one",
}


@pytest.mark.parametrize("change", REFUSED, ids=lambda change: change.__name__)
def test_what_is_at_fault_is_refused_by_row(
    filled: tuple[Key, Path], change: Callable[[Rows], Rows]
) -> None:
    key, path = filled
    save(path, change(rows_of(path)))
    with pytest.raises(InputError) as caught:
        labels_of(path, key)
    assert REFUSED[change] in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_class_of_that_name_is_a_class(tmp_path: Path) -> None:
    key, texts = made_key({"en": ["a b", "c d", "e f"]}, classes=["sure", "Unsure"])
    path = write_sheet(tmp_path / "sheet.csv", key, texts)
    rows = rows_of(path)
    for row, label in zip(rows, ["unsure", "sure", "?"], strict=True):
        row["label"] = label
    save(path, rows)
    assert labels_of(path, key) == [1, 0, LEFT_UNSURE]


def test_case_is_no_matter_only_where_one_class_is_meant(tmp_path: Path) -> None:
    key, texts = made_key({"en": ["a b"]}, classes=["US", "us"])
    path = write_sheet(tmp_path / "sheet.csv", key, texts)
    for label, expected in (("US", 0), ("us", 1)):
        save(path, [rows_of(path)[0] | {"label": label}])
        assert labels_of(path, key) == [expected]
    save(path, [rows_of(path)[0] | {"label": "Us"}])
    with pytest.raises(InputError, match="has the label 'Us'"):
        labels_of(path, key)


def test_half_characters_and_very_long_texts_are_one_with_their_cells(tmp_path: Path) -> None:
    texts = [shown_text("half \ud800 one"), shown_text("long " * 20_000)]
    assert len(texts[1]) == LONGEST_CELL
    key, texts = made_key({"en": texts})
    path = write_sheet(tmp_path / "sheet.csv", key, texts)
    assert labels_of(path, key) == [UNLABELLED] * 2


def exported(path: Path, key: Key, texts: list[str], *, is_short: bool) -> Path:
    """Write what Label Studio exports of the tasks, as JSON or JSON-MIN."""
    tasks = json.loads(
        tasks_bytes(
            [(str(one.row), one.lang, text) for one, text in zip(key.rows, texts, strict=True)],
            with_answers=False,
        )
    )
    made = []
    for number, (task, label) in enumerate(zip(tasks, LABELS, strict=True), 1):
        choices = [label.strip()] if label else []
        if is_short:
            made.append(
                {"id": number, **task["data"], **({"label": choices[0]} if choices else {})}
            )
            continue
        results = [
            {"from_name": "note", "type": "textarea", "value": {"text": ["?"]}},
            *({"from_name": "label", "type": "choices", "value": {"choices": [one]}}
              for one in choices),
        ]  # fmt: skip
        skipped = {
            "was_cancelled": True,
            "result": [{"from_name": "label", "value": {"choices": ["x"]}}],
        }
        made.append({"id": number, "annotations": [skipped, {"result": results}], **task})
    path.write_text(json.dumps(made), "utf-8")
    return path


@pytest.mark.parametrize("is_short", [True, False])
def test_an_export_of_label_studio_is_read(tmp_path: Path, *, is_short: bool) -> None:
    key, texts = made_key()
    path = exported(tmp_path / "export.json", key, texts, is_short=is_short)
    assert labels_of(path, key) == EXPECTED


def test_two_annotations_with_different_labels_are_refused(tmp_path: Path) -> None:
    key, texts = made_key()
    path = exported(tmp_path / "export.json", key, texts, is_short=False)
    tasks = json.loads(path.read_text("utf-8"))
    other = {"result": [{"from_name": "label", "value": {"choices": ["money"]}}]}
    tasks[0]["annotations"].append(other)
    path.write_text(json.dumps(tasks), "utf-8")
    with pytest.raises(InputError, match="row 3 is labelled 'money' and 'sport' by two"):
        labels_of(path, key)


@pytest.mark.parametrize(
    "content",
    [
        "{}",
        '[{"data": {"row": 1}}]',
        '[{"data": 1}]',
        "[1]",
        "no",
        '[{"row": "x", "lang": "a", "text": "b"}]',
        '[{"row": 3, "lang": "ar", "text": "b", "label": ["a", "b"]}]',
    ],
)
def test_what_is_no_export_is_said(tmp_path: Path, content: str) -> None:
    path = tmp_path / "export.json"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=r"export\.json"):
        labels_of(path, made_key()[0])


def test_the_interface_names_all_choices() -> None:
    made = interface([*CLASSES, '<"&'], with_answers=True)
    assert '<Choice value="money"/>' in made
    assert "&lt;" in made
    assert "$answer" in made
    assert "$answer" not in interface(CLASSES, with_answers=False)
    assert len(TEXTS) == 4


def test_a_sheet_saved_as_a_workbook_or_in_another_encoding(
    filled: tuple[Key, Path], tmp_path: Path
) -> None:
    key, path = filled
    rows = rows_of(path)
    cells = [[float(cell) if cell.isdecimal() else cell for cell in row.values()] for row in rows]
    book = written_xlsx(tmp_path / "sheet.xlsx", {"sheet": [[*rows[0]], *cells, [None, ""]]})
    assert labels_of(book, key) == EXPECTED
    wide = tmp_path / "wide.csv"
    wide.write_bytes(path.read_text("utf-8-sig").encode("utf-16"))
    assert labels_of(wide, key) == EXPECTED
    french, texts = made_key({"fr": ["été, hiver", "Noël"]}, classes=["été", "sport"])
    sheet = write_sheet(tmp_path / "fr.csv", french, texts)
    filled_in = [row | {"label": "été"} for row in rows_of(sheet)]
    save(sheet, filled_in, delimiter=";")
    sheet.write_bytes(sheet.read_text("utf-8-sig").encode("cp1252"))
    assert labels_of(sheet, french, encoding="cp1252") == [0, 0]
    with pytest.raises(InputError, match="--encoding"):
        labels_of(sheet, french, encoding="utf-8")
