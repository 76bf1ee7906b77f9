"""Label sets in every usual encoding, and one sentence for those that are none."""

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from isogloss.data.documents import FileFormat, read_documents, read_files
from isogloss.data.label_sets import written_labels
from isogloss.errors import InputError

SETS = [("joy", "fear"), (), ("anger",), ("fear", "joy")]
TEXTS = ["Überraschung im Hafen", "порт закрыт", "ท่าเรือปิด", "항구 😀"]


def read(path: Path, **format: Any) -> list[Any]:
    given = FileFormat(**{"multilabel": True} | format)
    return list(read_documents(path, format=given, needs_label=True).labels or [])


def write(path: Path, content: str) -> Path:
    path.write_text(content, encoding="utf-8")
    return path


def table(path: Path, header: str, fields: list[str]) -> Path:
    rows = [f"{text}\t{field}" for text, field in zip(TEXTS, fields, strict=True)]
    return write(path, "\n".join([f"text\t{header}", *rows]) + "\n")


@pytest.mark.parametrize("mark", ["|", ";", ",", ", ", " ; "])
def test_a_separator_is_found_from_the_whole_column(tmp_path: Path, mark: str) -> None:
    file = table(tmp_path / "a.tsv", "labels", [mark.join(labels) for labels in SETS])
    assert read(file) == SETS


@pytest.mark.parametrize("column", ["labels", "categories", "label", "category"])
def test_the_usual_names_of_the_column_are_known(tmp_path: Path, column: str) -> None:
    assert read(table(tmp_path / "a.tsv", column, ["x|y", "x", "", "y"]))[0] == ("x", "y")


def test_a_column_without_any_separator_holds_one_label_each(tmp_path: Path) -> None:
    file = table(tmp_path / "a.tsv", "labels", ["very sad", "", "joy", "joy"])
    assert read(file) == [("very sad",), (), ("joy",), ("joy",)]


def test_several_separators_are_said_and_one_can_be_told(tmp_path: Path) -> None:
    file = table(tmp_path / "a.tsv", "labels", ["crime, law;tax", "tax", "", "tax;sea"])
    with pytest.warns(UserWarning, match="hold ';' and ','; taken as separator is ';'"):
        assert read(file)[0] == ("crime, law", "tax")
    assert read(file, label_separator=",")[0] == ("crime", "law;tax")
    assert read(file, label_separator=";")[0] == ("crime, law", "tax")


def test_one_separator_is_found_over_all_files(tmp_path: Path) -> None:
    english = table(tmp_path / "en.tsv", "labels", ["food, drink|sport", "sport", "", "sport"])
    french = table(tmp_path / "fr.tsv", "labels", ["food, drink", "", "sport", ""])
    format = FileFormat(multilabel=True)
    with pytest.warns(UserWarning, match=r"fr.tsv: the labels hold '\|' and ','; taken .* '\|'"):
        files = read_files([(french, format), (english, format)], needs_label=True)
    assert [next(iter(file.labels or [])) for file in files] == [
        ("food, drink",),
        ("food, drink", "sport"),
    ]
    assert read(french)[0] == ("food", "drink")


def test_a_separator_that_a_model_speaks_against_is_not_guessed(tmp_path: Path) -> None:
    french = table(tmp_path / "fr.tsv", "labels", ["food, drink", "new", "food, drink", ""])
    known = ["food, drink", "sport"]

    def labels(known: list[str], **format: Any) -> list[Any]:
        (file,) = read_files(
            [(french, FileFormat(multilabel=True, **format))], needs_label=True,
            known_labels=known,
        )  # fmt: skip
        return list(file.labels or [])

    with pytest.raises(InputError, match=r"fr.tsv: with ',' .* of 1 text, with '\|' those of 3"):
        labels(known)
    assert labels(known, label_separator="|")[0] == ("food, drink",)
    assert labels(["food", "drink"])[0] == labels(["other"])[0] == ("food", "drink")


def test_blanks_separate_when_told(tmp_path: Path) -> None:
    file = table(tmp_path / "a.tsv", "labels", ["1 4", "7", "", "4 1"])
    assert read(file, label_separator=" ") == [("1", "4"), ("7",), (), ("4", "1")]


def test_lists_of_json_lines_and_parquet(tmp_path: Path) -> None:
    rows = [{"text": t, "labels": list(s)} for t, s in zip(TEXTS, SETS, strict=True)]
    lines = write(tmp_path / "a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    assert read(lines) == SETS
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet") == SETS


def test_numbers_in_lists_are_labels_and_null_is_the_empty_set(tmp_path: Path) -> None:
    lines = '{"text": "a", "labels": [4, 1]}\n{"text": "b", "labels": null}\n'
    assert read(write(tmp_path / "a.jsonl", lines)) == [("4", "1"), ()]


def test_a_json_list_in_a_column_of_a_table(tmp_path: Path) -> None:
    file = table(tmp_path / "a.tsv", "labels", ['["a, b", "c"]', "[]", '["c"]', ""])
    assert read(file, quoting="none") == [("a, b", "c"), (), ("c",), ()]


@pytest.mark.parametrize(
    "yes_no", [("1", "0"), ("true", "false"), ("True", "False"), ("1.0", "0.0")]
)
def test_one_column_of_zero_and_one_for_each_label(tmp_path: Path, yes_no: tuple[str, str]) -> None:
    yes, no = yes_no
    file = write(tmp_path / "a.csv", f"joy,text,fear\n{yes},a,{yes}\n{no},b,{no}\n{no},c,{yes}\n")
    assert read(file, label=("joy", "fear")) == [("joy", "fear"), (), ("fear",)]


def test_columns_by_number_and_of_real_booleans(tmp_path: Path) -> None:
    file = write(tmp_path / "a.tsv", "a\t1\t0\nb\t0\t1\n")
    assert read(file, text=("1",), label=("2", "3")) == [("2",), ("3",)]
    columns = {"text": ["a", "b"], "joy": [True, False], "fear": [1, 0]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "a.parquet")
    assert read(tmp_path / "a.parquet", label=("joy", "fear")) == [("joy", "fear"), ()]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ('{"text": "b"}', "has no field 'labels'; write an empty list"),
        ('{"text": "b", "labels": {"a": 1}}', "the labels in 'labels' are {'a': 1}; write a list"),
        ('{"text": "b", "labels": true}', "the labels in 'labels' are True"),
        ('{"text": "b", "labels": [0.5]}', "a label in 'labels' is 0.5"),
        ('{"text": "b", "labels": [null]}', "a label in 'labels' is None"),
        ('{"text": "b", "labels": [true, false]}', "a label in 'labels' is True; labels are text"),
        ('{"text": "b", "labels": ["a", false]}', "a label in 'labels' is False; labels are text"),
        ('{"text": "b", "labels": "[true]"}', "a label in 'labels' is True; labels are text"),
        ('{"text": "b", "labels": [NaN]}', "a label in 'labels' is nan; labels are text"),
        ('{"text": "b", "labels": [["a"]]}', "a label in 'labels' is ['a']; labels are text"),
        ('{"text": "b", "labels": [{"a": 1}]}', "a label in 'labels' is {'a': 1}; labels are text"),
        ('{"text": "b", "labels": ["a", " "]}', "a label in 'labels' is empty"),
        ('{"text": "b", "labels": ["a", "a"]}', "'labels' names the label 'a' twice"),
        ('{"text": "b", "labels": "a||c"}', "a label in 'labels' is empty, in ['a', '', 'c']"),
        ('{"text": "b", "labels": "[\'a\' \'c\']"}', "a list that is not JSON; write"),
        (json.dumps({"text": "b", "labels": "[" * 9999 + "]" * 9999}), "a list that is not JSON"),
    ],
)
def test_what_is_no_label_set_gets_a_sentence_with_its_line(
    tmp_path: Path, line: str, sentence: str
) -> None:
    file = write(tmp_path / "a.jsonl", '{"text": "a", "labels": ["a"]}\n' + line + "\n")
    with pytest.raises(InputError) as caught:
        read(file)
    assert sentence in str(caught.value)
    assert caught.value.line == 2


@pytest.mark.parametrize("flag", [True, None, 0.5, ["a"]], ids=str)
def test_a_list_of_parquet_holds_text_or_whole_numbers(tmp_path: Path, flag: Any) -> None:
    parquet.write_table(
        pyarrow.table({"text": ["a", "b"], "labels": pyarrow.array([[], [flag]])}),
        tmp_path / "a.parquet",
    )
    with pytest.raises(InputError, match=r"a label in 'labels' is .*; labels are text") as caught:
        read(tmp_path / "a.parquet")
    assert caught.value.line == 2


@pytest.mark.parametrize(("value", "shown"), [("2", "'2'"), ("", "missing"), ("yes", "'yes'")])
def test_what_is_neither_zero_nor_one_gets_a_sentence(
    tmp_path: Path, value: str, shown: str
) -> None:
    file = write(tmp_path / "a.tsv", f"text\tjoy\tfear\na\t1\t0\nb\t{value}\t0\n")
    with pytest.raises(InputError) as caught:
        read(file, label=("joy", "fear"))
    assert f"'joy' is {shown}; with one column a label, each is 0 or 1" in str(caught.value)
    assert caught.value.line == 3


def test_without_multilabel_lists_and_several_columns_say_what_to_do(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", '{"text": "a", "label": ["x"]}\n')
    with pytest.raises(InputError, match="say --multilabel for lists"):
        read(file, multilabel=False)
    with pytest.raises(InputError, match="several label columns need --multilabel"):
        read(file, multilabel=False, label=("x", "y"))


@pytest.mark.parametrize("name", ["english.train.1000", "english.dev", "german.test", "a.10000.gz"])
def test_mldoc_as_extracted(tmp_path: Path, name: str) -> None:
    import gzip

    content = b'CCAT\tFirm says "no".\nGCAT\tRain, rain.\nMCAT\tGold\nECAT\tJobs\n'
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    format = FileFormat(text=("2",), label="1", quoting="none")
    documents = read_documents(path, format=format, needs_label=True)
    assert documents.labels == ["CCAT", "GCAT", "MCAT", "ECAT"]
    assert documents.texts == ['Firm says "no".', "Rain, rain.", "Gold", "Jobs"]


@pytest.mark.parametrize(
    "odd",
    [
        "a|b",
        "a, b",
        "a;b",
        "[a]",
        '"a"',
        'say "a"',
        " a ",
        "a\tb",
        "a\nb",
        "a\\b",
        "ก|ข",
        "12",
        "a  b",
    ],
)
def test_what_is_written_is_read_back(tmp_path: Path, odd: str) -> None:
    sets = [(odd, "fear"), (), (odd,), ("fear",)]
    fields = [written_labels(labels, all_labels=["fear", odd]) for labels in sets]
    assert not any("\n" in field or "\t" in field for field in fields)
    assert read(table(tmp_path / "a.tsv", "labels", fields)) == sets


def test_plain_labels_are_written_plainly() -> None:
    assert written_labels(["a b", "ก"], all_labels=["a b", "ก", 12]) == "a b|ก"
    assert written_labels([12], all_labels=["a b", "ก", 12]) == "12"
