import csv
import gzip
import io
import json
import re
import sys
import warnings
from dataclasses import replace

import pyarrow
import pytest
from pyarrow import parquet
from repository import ROOT
from written_xlsx import written_xlsx

from isogloss.data import parquet_files, tables
from isogloss.data.documents import FileFormat, join_texts, read_documents
from isogloss.errors import InputError, OmissionWarning

PLAIN = FileFormat()
NUMBERS = FileFormat(text=("2",), label="1")
NUMBERS_OF_ONE = FileFormat(text=("1",), label="1")
TEXTS = [
    "Überraschung im Hafen",
    "порт закрыт",
    "الميناء مغلق",
    "बंदरगाह बंद",
    "ท่าเรือปิด",
    "港口关闭",
    "항구 😀",
]


@pytest.fixture(scope="module")
def data():
    folder = ROOT / "../shared/data"
    if not folder.is_dir():
        pytest.skip("the shared evaluation data is not here")
    return folder


@pytest.fixture
def write(tmp_path):
    def writer(name, content):
        path = tmp_path / name
        raw = content if isinstance(content, bytes) else content.encode("utf-8")
        path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
        return path

    return writer


@pytest.fixture
def typed(monkeypatch):
    def setter(content):
        stream = io.TextIOWrapper(io.BytesIO(content.encode("utf-8")))
        monkeypatch.setattr(sys, "stdin", stream)

    return setter


def read(path, format=PLAIN, needs_label=True):
    return read_documents(path, format=format, needs_label=needs_label)


def fault(path, format=PLAIN, needs_label=True):
    with pytest.raises(InputError) as caught:
        read(path, format, needs_label)
    return str(caught.value)


def records():
    return [{"id": i, "text": text, "label": f"l{i % 2}"} for i, text in enumerate(TEXTS)]


def as_table(delimiter):
    rows = [delimiter.join(map(str, row.values())) for row in records()]
    return "\n".join([delimiter.join(("id", "text", "label")), *rows]) + "\n"


def as_json_lines():
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in records())


@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "b.csv", "a.jsonl", "a.ndjson", "a.parquet"])
@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_every_format_reads_the_same(write, tmp_path, name, ending):
    made = {
        "a.tsv": as_table("\t"),
        "a.csv": as_table(","),
        "b.csv": as_table(";"),
        "a.jsonl": as_json_lines(),
        "a.ndjson": as_json_lines(),
    }
    if name == "a.parquet":
        if ending:
            pytest.skip("Parquet compresses itself")
        path = tmp_path / name
        parquet.write_table(pyarrow.Table.from_pylist(records()), path)
    elif ending == ".zst":
        zstandard = pytest.importorskip("zstandard")
        path = write(name + ending, zstandard.compress(made[name].encode("utf-8")))
    else:
        path = write(name + ending, made[name])
    documents = read(path)
    assert documents.texts == TEXTS
    assert documents.labels == ["l0", "l1", "l0", "l1", "l0", "l1", "l0"]
    assert documents.ids == list("0123456")
    assert documents.langs is None
    assert documents.path == str(path)
    first = 2 if "json" not in name and "parquet" not in name else 1
    assert documents.lines == list(range(first, first + 7))


def test_one_text_a_line_keeps_empty_lines_and_unusual_breaks(write):
    documents = read(write("a.txt", "één\r\n\n港\u2028口\x0b\x00\nlast"), needs_label=False)
    assert documents.texts == ["één", "", "港\u2028口\x0b\x00", "last"]
    assert documents.labels is None
    assert "no column 'label'" in fault(write("b.txt", "één\n"))


def test_byte_order_mark_and_windows_line_ends(write):
    documents = read(write("a.tsv", "\ufefftext\tlabel\r\nпорт\tl\r\n"))
    assert (documents.texts, documents.labels) == (["порт"], ["l"])


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("a.tsv", ["text\tlabel", "порт\tl", "港\tm"]),
        ("a.csv", ["text,label", "порт,l", "港,m"]),
        ("a.csv", ["text,label", '"порт",l', '"港",m']),
        ("a.jsonl", ['{"text": "порт", "label": "l"}', '{"text": "港", "label": "m"}']),
        ("a", ["text\tlabel", "порт\tl", "港\tm"]),
        ("a.tsv.gz", ["text\tlabel", "порт\tl", "港\tm"]),
    ],
)
def test_lines_may_end_in_carriage_returns_alone(write, name, lines):
    for last in ("", "\r"):
        documents = read(write(name, "\ufeff" + "\r".join(lines) + last))
        assert (documents.texts, documents.labels) == (["порт", "港"], ["l", "m"])
    plain = read(write("a.txt", "порт\r\r港\r"), needs_label=False)
    assert (plain.texts, plain.lines) == (["порт", "", "港"], [1, 2, 3])


def test_blanks_around_a_label_are_no_part_of_it(write):
    table = write("a.tsv", "text\tlabel\na\tx\nb\tx \nc\t\u3000x\nd\tx y\n")
    assert read(table).labels == ["x", "x", "x", "x y"]
    lines = write("a.jsonl", '{"text": "a", "label": " x"}\n{"text": "b", "label": "x"}\n')
    assert read(lines).labels == ["x", "x"]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        (NUMBERS_OF_ONE, "text and label are both read from the column '1'; name another with"),
        (FileFormat(text=("label",)), "text and label are both read from the column 'label'"),
        (FileFormat(label="text"), "text and label are both read from the column 'text'"),
        (
            FileFormat(text=("text", "label")),
            "text and label are both read from the column 'label'",
        ),
        (
            FileFormat(label=("x", "y", "x"), multilabel=True),
            "--label 'x' is given twice; leave one out",
        ),
        (
            FileFormat(text=("x",), label=("y", "x"), multilabel=True),
            "text and label are both read from the column 'x'",
        ),
    ],
)
def test_columns_that_are_asked_for_twice(write, format, expected):
    path = write("a.tsv", "text\tlabel\tx\ty\na\tb\t0\t1\n")
    assert expected in fault(path, format)
    assert len(read(path, replace(format, label=None), needs_label=False).texts) in (1, 2)


def test_category_is_a_label_and_two_candidates_are_refused(write):
    assert read(write("a.tsv", "category\ttext\nx\tη\n")).labels == ["x"]
    both = write("b.tsv", "category\ttext\tlabel\nx\tη\ty\n")
    assert "say which with --label" in fault(both)
    assert read(both, FileFormat(label="label")).labels == ["y"]
    assert read(both, needs_label=False).labels is None


def test_empty_rows_at_the_end_of_a_labelled_table_are_not_read(write):
    table = "label;text;n\nx;a;1\nz;b;\ny;;2\n;;\n ;;\n\n"
    whole = read(write("a.csv", table))
    assert (whole.labels, whole.texts, whole.lines) == (["x", "z", "y"], ["a", "b", ""], [2, 3, 4])
    assert len(read(write("c.csv", table), needs_label=False).texts) == 5  # rows out are rows in


BLANKS = [["x", "a", "1"], ["", "", ""], ["y", "b", ""], [" ", "", "\u00a0"], ["z", "c", ""]]


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", ["a.csv", "lines.csv", "a.tsv", "a.jsonl", "a.parquet", "a.xlsx"])
def test_rows_in_which_nothing_stands_are_passed_over(write, tmp_path, name, multilabel):
    path, columns = tmp_path / name, ("label", "text", "n")
    if name == "a.xlsx":
        written_xlsx(path, {"In": [list(columns), *BLANKS]})
    elif name == "a.parquet":
        cells = ([cell.strip() or None for cell in column] for column in zip(*BLANKS, strict=True))
        parquet.write_table(pyarrow.table(dict(zip(columns, cells, strict=True))), path)
    elif name == "a.jsonl":
        objects = (dict(zip(columns, row, strict=True)) for row in BLANKS)
        write(name, "".join(json.dumps(one) + "\n" for one in objects))
    else:
        mark = "\t" if name == "a.tsv" else ";"
        lines = [mark.join(row) for row in (columns, *BLANKS)]
        if name == "lines.csv":
            lines = [line if line.strip("; \u00a0") else "" for line in lines]
        write(name, "\r\n".join(lines) + "\r\n")
    places = "lines 3, 5" if name in ("a.csv", "lines.csv", "a.tsv") else "rows 3, 5"
    places = {"a.jsonl": "lines 2, 4", "a.parquet": "rows 2, 4"}.get(name, places)
    format = FileFormat(multilabel=multilabel)
    with pytest.warns(OmissionWarning, match=rf"2 blank rows passed over \({places}\)") as told:
        documents = read(path, format)
    assert len(told) == 1
    assert documents.texts == ["a", "b", "c"]
    assert documents.labels == ([("x",), ("y",), ("z",)] if multilabel else ["x", "y", "z"])
    assert [line - documents.lines[0] for line in documents.lines] == [0, 2, 4]
    rows = read(path, format, needs_label=False)  # which may be written back
    assert [text.strip() for text in rows.texts] == ["a", "", "b", "", "c"]


def test_rows_without_a_label_are_counted_in_one_sentence(write):
    rows = ["x\ta", "\tb", "y\tc", " \td", "\te"]
    message = fault(write("a.tsv", "\n".join(["label\ttext", *rows])))
    assert message.endswith(
        "a.tsv: 3 rows have no label in 'label' (lines 3, 5, 6); label them or take them out"
    )
    many = fault(write("b.tsv", "label\ttext\n" + "\ta\n" * 1200))
    assert "1,200 rows have no label in 'label' (lines 2, 3, 4, 5, 6, 7, 8, 9 and 1,192" in many


def test_a_column_with_capitals_is_suggested(write):
    path = write("a.csv", "TEXT,Label\nη,x\n")
    assert "among TEXT, Label; did you mean 'TEXT'? say --text TEXT" in fault(path)
    assert "did you mean 'Label'? say --label Label" in fault(path, FileFormat(text=("TEXT",)))
    assert "did you mean 'TEXT'?" in fault(path, FileFormat(text=("text",)))


def test_several_text_columns_are_joined_as_sentences(write):
    path = write("a.tsv", "h\tb\nRain\tAll day.\n雨。\t一日中\n\tनमस्ते\nWhy?\t\n")
    documents = read(path, FileFormat(text=("h", "b")), needs_label=False)
    assert documents.texts == ["Rain. All day.", "雨。 一日中", "नमस्ते", "Why?"]
    assert join_texts(["« Vraiment ? »", "Oui"]) == "« Vraiment ? » Oui"
    assert join_texts(["「本当！」", "はい"]) == "「本当！」 はい"
    assert join_texts(["", " "]) == ""


def test_numbers_mean_there_is_no_header(write):
    path = write("a.tsv", "CCAT\tпорт\nECAT\t港\n")
    documents = read(path, NUMBERS)
    assert (documents.texts, documents.labels) == (["порт", "港"], ["CCAT", "ECAT"])
    assert documents.lines == [1, 2]
    assert "up to 2" in fault(path, FileFormat(text=("3",), label="1"))
    named = write("b.tsv", "1\t2\nECAT\t港\n")
    assert read(named, NUMBERS).texts == ["港"]


def test_language_column(write):
    rows = "text\tlang\nη\tell_Grek\nx\tpt_BR\ny\t\nz\tklingonish\n"
    with pytest.warns(
        OmissionWarning, match=r"1 document.*a\.tsv:5: unknown language 'klingonish'"
    ):
        documents = read(write("a.tsv", rows), FileFormat(lang_column="lang"), needs_label=False)
    assert documents.langs == ["el", "pt-BR", None, None]


def test_values_of_json_and_parquet(write, tmp_path):
    lines = '{"text": null, "label": 3, "id": null}\n\n{"text": "\\u0000é", "label": true}\n'
    documents = read(write("a.jsonl", lines))
    assert documents.texts == ["", "\0é"]
    assert documents.labels == ["3", "True"]
    assert documents.ids == [None, None]
    assert documents.lines == [1, 3]
    path = tmp_path / "a.parquet"
    parquet.write_table(pyarrow.table({"text": ["ท", None], "label": [1, 2]}), path)
    assert (read(path).texts, read(path).labels) == (["ท", ""], ["1", "2"])


@pytest.mark.parametrize(
    ("content", "format", "texts"),
    [
        ('{"text": "порт"}\n', PLAIN, ["порт"]),
        ("{not json\nпорт\n", PLAIN, ["{not json", "порт"]),
        ("id\ttext\n1\tпорт, да\n", PLAIN, ["порт, да"]),
        ('id,text\n1,"порт, да"\n', PLAIN, ["порт, да"]),
        ("text\nпорт\n", PLAIN, ["порт"]),
        ("Il pleut, encore\nпорт\n", PLAIN, ["Il pleut, encore", "порт"]),
        ("l\tпорт\n", FileFormat(text=("2",)), ["порт"]),
    ],
)
def test_standard_input_is_known_by_its_first_line(typed, content, format, texts):
    typed(content)
    documents = read("-", format, needs_label=False)
    assert documents.texts == texts
    assert documents.path == "standard input"


def test_standard_input_without_the_column_asked_for(typed):
    typed("sentence\tlabel\nпорт\tl\n")
    assert "did you mean 'sentence'?" in fault("-", FileFormat(text=("sentense",)))


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.tsv", "", "a.tsv: is empty"),
        ("a.txt", "", "a.txt: is empty"),
        *(
            (f"a{ending}", "\ufeff", f"a{ending}: is empty")
            for ending in ("", ".txt", ".txt.gz", ".tsv", ".csv", ".jsonl", ".ndjson")
        ),
        ("a.jsonl", "\n", "a.jsonl: is empty"),
        ("a.tsv", "text\tlabel\n", "has the columns text, label and no rows"),
        ("a.tsv", "txt\tlabel\nx\ty\n", "no column 'text' among txt, label; did you mean 'txt'?"),
        ("a.tsv", "phrase\temotion\nx\ty\n", "--text 2 --label 1"),
        ("a.tsv", "text\ttext\tlabel\na\tb\tc\n", "has 2 columns 'text'"),
        ("a.tsv", "text\tlabel\nx\ty\nη\t\n", "a.tsv:3: has no label in 'label'"),
        ("a.tsv", "text\tlabel\nx\ty\nη\n", "a.tsv:3: has 1 field(s), but the first row has 2"),
        ("a.tsv", 'text\tlabel\n"x\ny"\tl\nz\n', "a.tsv:4: has 1 field(s) when read with CSV"),
        ("a.csv", 'text,label\n"x" y,l\n', "a.csv:2: the row that begins here breaks CSV quoting"),
        ("a.csv", 'text,label\nu,l\n"x,l\n', "a.csv:3: the row that begins here"),
        ("a.tsv", b"text\tlabel\nok\tl\ncaf\xe9\tl\n", "a.tsv:3: is not UTF-8 (byte 4 of the line"),
        ("a.tsv.gz", b"text\n\xff", "a.tsv.gz:2: is not UTF-8 (byte 1"),
        ("a.jsonl", '{"text": "a"}\n{"text"\n', "a.jsonl:2: is not JSON"),
        ("a.jsonl", '{"text": "a", "label": "x"}\n[1]\n', "a.jsonl:2: is not a JSON object"),
        ("a.jsonl", '{"text": 5, "label": "x"}\n', "a.jsonl:1: 'text' is 5, not text"),
        ("a.jsonl", '{"text": "a", "label": "x"}\n{"label": "x"}\n', "a.jsonl:2: has no field"),
        ("a.jsonl", '{"text": "a", "label": ["x"]}\n', "a.jsonl:1: the label in 'label' is ['x']"),
        ("a.jsonl", '{"text": "a", "label": 1.5}\n', "may be text, a whole number or a boolean"),
        ("a.parquet", "PAR2", "is not a Parquet file"),
        ("a.xlsx", "x", "is not an Excel workbook, or is damaged"),
        ("a.xls", "x", "is an .xls workbook; save it as .xlsx or .csv"),
        ("a.xlsx.gz", "x", "is of an unknown kind"),
        ("a.json.gz", "x", "is of an unknown kind"),
        ("a.parquet.gz", "x", "is of an unknown kind"),
    ],
)
def test_faults_are_one_sentence_with_their_place(write, name, content, said):
    message = fault(write(name, content))
    assert said in message
    assert "\n" not in message


def test_files_that_cannot_be_opened(tmp_path, write):
    write("dev.tsv.gz", "text\nx\n")
    assert "no such file; did you mean 'dev.tsv.gz'?" in fault(tmp_path / "dev.tsv")
    assert "there is no folder" in fault(tmp_path / "nowhere" / "dev.tsv")
    (tmp_path / "folder.parquet").mkdir()
    assert "is a folder" in fault(tmp_path / "folder.parquet")
    assert "is a folder" in fault(tmp_path)


@pytest.mark.parametrize("compressor", ["gzip", "zstandard"])
def test_truncated_and_misnamed_compression(write, tmp_path, compressor):
    module = pytest.importorskip(compressor)
    ending = {"gzip": "gz", "zstandard": "zst"}[compressor]
    whole = module.compress(as_table("\t").encode("utf-8") * 50)
    path = tmp_path / f"a.tsv.{ending}"
    path.write_bytes(whole[: len(whole) // 2])
    assert "cut off or damaged; copy or download it again" in fault(path)
    path.write_bytes(b"text\tlabel\nx\ty\n")
    assert "not compressed as its name says" in fault(path)


@pytest.mark.parametrize("split", ["train", "dev"])
def test_sib200_reads_right(data, split):
    paths = sorted((data / "sib200").glob(f"*/{split}.tsv*"))
    documents = [read(path) for path in paths]
    assert {len(part.texts) for part in documents} == {701 if split == "train" else 99}
    assert all(len(set(part.labels)) == 7 for part in documents)
    assert len({tuple(sorted(part.ids)) for part in documents}) == 1
    for path, part in zip(paths, documents, strict=True):
        with (
            path.open(encoding="utf-8", newline="")
            if path.suffix == ".tsv"
            else gzip.open(path, "rt", encoding="utf-8", newline="") as file
        ):
            assert part.texts == [row["text"] for row in csv.DictReader(file, delimiter="\t")]


def test_masakhanews_reads_right(data):
    counts = {"eng/dev": 472, "eng/test": 948, "fra/dev": 211, "fra/test": 250, "yor/dev": 206}
    for name, count in counts.items():
        path = data / "masakhanews" / f"{name}.tsv.gz"
        documents = read(path, FileFormat(text=("headline", "text")))
        assert len(documents.texts) == count
        assert set(documents.labels) <= {
            "business", "entertainment", "health", "politics", "religion", "sports", "technology"
        }  # fmt: skip


def test_xed_and_sts_read_right_without_being_told(data):
    counts = {"ar": 3591, "en": 17528, "fi": 14449, "ru": 2378, "tr": 9203}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for lang, count in counts.items():
            columns = ("phrase", "emotion") if lang == "tr" else ("1", "2")
            documents = read(
                data / "xed" / f"{lang}.tsv.gz", FileFormat(text=columns[:1], label=columns[1])
            )
            assert len(documents.texts) == count
            assert all(re.fullmatch(r"[1-8](, [1-8])*", label) for label in documents.labels)
        headlines = data / "sts" / "2015" / "headlines.test.tsv.gz"
        assert len(read(headlines, FileFormat(text=("2",)), needs_label=False).texts) == 1500


def test_a_field_and_a_cell_have_a_bound(tmp_path, monkeypatch):
    for module in (tables, parquet_files):
        monkeypatch.setattr(module, "LONGEST_LINE", 1 << 20)
    text = "x" * (1 << 21)
    (tmp_path / "a.csv").write_text(
        'text,label\nshort,a\n"' + "\n".join([text[:999]] * 2100) + '",b\n'
    )
    table = pyarrow.table({"text": ["short", text], "label": ["a", "b"]})
    parquet.write_table(table, tmp_path / "a.parquet")
    for name, said in (
        ("a.csv", r"a\.csv:3: .*field larger"),
        ("a.parquet", r"a\.parquet:2: the cell of 'text' is longer than 1 MB"),
    ):
        with pytest.raises(InputError, match=said):
            read_documents(tmp_path / name, format=FileFormat(), needs_label=False)


@pytest.mark.parametrize(
    ("name", "content", "format", "said"),
    [
        ("a.csv", "label|text\nx|y\n", PLAIN, "a bar: write sep=| as its first line"),
        ("a.csv", "label|text\nx|y, z\n", PLAIN, "a bar: write sep=| as its first line"),
        ("a.csv", "label|body\nx|y\n", PLAIN, "a bar: write sep=| as its first line"),
        ("a.csv.gz", "label|text\nx|y\n", PLAIN, "a bar: write sep=| as its first line"),
        ("a.csv", "x|y\n", NUMBERS, "a bar: write sep=| as its first line"),
        ("a.csv", 'id;"text";a, b, c\n1;y;z, z, z\n', PLAIN, "a semicolon: write sep=; as its"),
        (
            "a.csv",
            "text\tlabel\ta, b, c\nx\ty\tz, z, z\n",
            PLAIN,
            "a tab: let its name end in .tsv",
        ),
        ("a.tsv", "label,text\nx,y\n", PLAIN, "a comma: let its name end in .csv"),
        ("a.tsv", "label|text\nx|y\n", PLAIN, "a bar: let its name end in .csv and write"),
    ],
)
def test_a_table_with_another_delimiter_says_which(tmp_path, name, content, format, said):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    assert f"its delimiter seems to be {said}" in fault(path, format)


def test_a_bar_in_the_name_of_a_column_is_no_delimiter(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("label|id,body\nx,y\n")
    assert "delimiter" not in fault(path)
    (tmp_path / "said.csv").write_text("sep=|\nlabel|text\nx|y\n")
    read = read_documents(tmp_path / "said.csv", format=PLAIN, needs_label=True)
    assert (read.texts, read.labels) == (["y"], ["x"])
