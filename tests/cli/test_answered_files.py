"""``classify predict --out``: rows come back with answers, or one sentence and the old file."""

import csv
import gzip
import io
import json
import resource
from pathlib import Path
from typing import Any

import pytest
from cli_world import JAPANESE, Refuse, Run, World, write_file
from pyarrow import parquet
from written_xlsx import written_xlsx

from isogloss.classify.answers import files
from isogloss.classify.answers.summary import read_summary
from isogloss.classify.saving import load as saving
from isogloss.classify.saving.manifest import read_manifest
from isogloss.data.records import Reading, read_records
from isogloss.parts import source

TEXTS = [text for _, text in JAPANESE]
NEW = ["label", "probability", "second_label", "second_probability", "lang", "lang_by", "entities",
       "status", "model"]  # fmt: skip


pytestmark = pytest.mark.usefixtures("loaded_once")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "ROWS", 3)  # of a block


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """Seven rows in four languages, two of them unknown, one without a text."""
    rows = [["id", "from", "text", "note"]]
    rows += [[str(n), "jpn_Jpan", text, ""] for n, text in enumerate(TEXTS)]
    rows += [["4", "de", "Die neue\nSteuer, teuer", 'a "quoted" note'], ["5", "", "Bank", "=1+1"],
             ["6", "ja", " ", "-5"]]  # fmt: skip
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    return write_file(tmp_path / "inbox.csv", text.getvalue())


def columns_of(path: Path, **reading: Any) -> dict[str, list[Any]]:
    records = read_records(path, Reading(**reading))
    return {name: records.values(at) for at, name in enumerate(records.columns)}


def predict(world: World, *words: object) -> list[object]:
    return ["classify", "predict", world.model, *words]


@pytest.mark.parametrize("ending", [".csv", ".tsv.gz", ".jsonl", ".parquet"])
def test_rows_come_back_with_their_answers(
    cli: Run, world: World, inbox: Path, tmp_path: Path, ending: str
) -> None:
    out = tmp_path / f"answered{ending}"
    words = predict(world, inbox, "--lang-column", "from")
    printed = cli(*words)
    outcome = cli(*words, "--out", out)
    assert (outcome.code, outcome.out) == (0, "")
    before, after = columns_of(inbox), columns_of(out)
    assert list(after) == [*before, *NEW]
    assert {name: after[name] for name in before} == before
    assert after["label"] == [line.split("\t")[0] for line in printed.lines]
    assert [float(p) for p in after["probability"]] == pytest.approx(
        [float(line.split("\t")[1]) for line in printed.lines], abs=6e-5
    )
    unknown = None if ending in (".jsonl", ".parquet") else ""
    assert after["lang"] == ["ja"] * 4 + ["de", unknown, "ja"]
    assert after["lang_by"] == ["column"] * 5 + ["unknown", "column"]
    assert after["status"] == ["ok"] * 5 + ["unknown_language", "empty"]
    assert after["model"] == [read_manifest(world.model).fingerprint] * 7
    found = after["entities"][4]
    (tax,) = found if ending == ".jsonl" else json.loads(found)
    assert "Die neue\nSteuer, teuer"[tax["start"] : tax["end"]] == "Steuer"
    assert (tax["id"], tax["title"]) == ("Q8161", "tax")
    assert tax["weight"] in (0.0, 1.0)  # a random encoder may leave entities without weight
    said = f"isogloss: 7 rows → {out}, summary → {tmp_path / 'answered.summary.json'}"
    assert outcome.talk[-1] == said
    assert sorted(outcome.talk[:-1]) == sorted(printed.talk)


def test_the_summary_lies_beside_and_is_what_json_prints(
    cli: Run, world: World, inbox: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answered.csv"
    printed = cli(*predict(world, inbox, "--lang-column", "from")).lines
    middle = sorted(float(line.split("\t")[1]) for line in printed)[3]
    words = ["--lang-column", "from", "--abstain-below", middle, "--fallback-lang", "en"]
    outcome = cli(*predict(world, inbox, *words, "--out", out, "--json"))
    summary = read_summary(tmp_path / "answered.summary.json")
    assert outcome.json["languages"][1]["n"] == 5
    content = json.loads((tmp_path / "answered.summary.json").read_text("utf-8"))
    assert outcome.json == {name: content[name] for name in outcome.json}
    assert content.keys() - outcome.json.keys() == {"format", "version", "checksum"}
    assert summary.model.fingerprint == read_manifest(world.model).fingerprint
    assert (summary.data.name, summary.data.n_rows) == ("inbox.csv", 7)
    assert summary.settings == {
        "text": None, "lang": None, "lang_column": "from", "fallback_lang": "en",
        "abstain_below": middle,
    }  # fmt: skip
    rows = columns_of(out)
    for one in summary.languages:
        of_lang = [row for row in range(7) if (rows["lang"][row] or None) == one.lang]
        labels = [rows["label"][row] for row in of_lang]
        assert one.n == len(of_lang)
        assert one.status.get("abstained", 0) == labels.count("")
        assert one.labels == {label: labels.count(label) for label in sorted({*labels} - {""})}
    n_unsure = sum(one.status.get("abstained", 0) for one in summary.languages)
    assert 0 < n_unsure < 7
    assert "without a label" in outcome.err


def test_scores_and_prefix(cli: Run, world: World, inbox: Path, tmp_path: Path) -> None:
    words = [inbox, "--lang-column", "from", "--scores", "--prefix", "iso_"]
    assert cli(*predict(world, *words, "--out", tmp_path / "a.parquet")).code == 0
    table = parquet.read_table(tmp_path / "a.parquet")
    names = [f"iso_{name}" for name in [*NEW, "score_money", "score_sport"]]
    assert table.column_names[4:] == names
    for row in table.to_pylist():
        scores = {"money": row["iso_score_money"], "sport": row["iso_score_sport"]}
        assert scores[row["iso_label"]] == row["iso_probability"] == max(scores.values())
        assert scores[row["iso_second_label"]] == row["iso_second_probability"]
        assert sum(scores.values()) == pytest.approx(1, abs=2e-6)
    again = cli(*predict(world, tmp_path / "a.parquet", "--lang", "ja", "--prefix", "again_",
                         "--out", tmp_path / "b.parquet"))  # fmt: skip
    assert again.code == 0, again.err
    after = parquet.read_table(tmp_path / "b.parquet")
    assert after.select(table.column_names).equals(table)
    assert set(after["again_lang_by"].to_pylist()) == {"given"}


def test_excel_and_back(
    cli: Run, world: World, inbox: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    out = tmp_path / "answered.csv"
    assert cli(*predict(world, inbox, "--lang", "auto", "--out", out, "--excel")).code == 0
    assert "an apostrophe put before 2 cells that a spreadsheet would compute" in caplog.messages
    caplog.clear()
    raw = out.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfid,")
    assert b"'=1+1" in raw
    assert b"'-5" in raw
    assert columns_of(out)["note"] == columns_of(inbox)["note"]
    words = ["--lang", "auto", "--prefix", "x_", "--out", tmp_path / "b.csv"]
    assert cli(*predict(world, out, *words)).code == 0
    said = f"{out}: an apostrophe before 2 cells (--excel puts it) was taken off"
    assert said in caplog.messages
    assert columns_of(tmp_path / "b.csv")["note"] == columns_of(inbox)["note"]
    assert {"detected", "unknown"} == set(columns_of(out)["lang_by"])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_standard_input(cli: Run, world: World, tmp_path: Path, kind: str) -> None:
    text = (
        "text,n\n" + "".join(f"{text},{n}\n" for n, text in enumerate(TEXTS))
        if kind == "csv"
        else "".join(json.dumps({"text": text, f"n{n}": n}) + "\n" for n, text in enumerate(TEXTS))
    )  # fmt: skip
    out = tmp_path / "answered.csv"
    outcome = cli(*predict(world, "-", "--lang", "ja", "--out", out), stdin=text)
    assert outcome.code == 0, outcome.err
    assert columns_of(out)["text"] == TEXTS
    data = read_summary(tmp_path / "answered.summary.json").data
    assert (data.name, data.sha256, data.n_rows) == ("standard input", None, 4)


def test_a_workbook_of_several_sheets(cli: Run, world: World, tmp_path: Path) -> None:
    sheets = {"Notes": [["a"]], "Inbox": [["text", "n"], *([text, 1.0] for text in TEXTS)]}
    book = written_xlsx(tmp_path / "in.xlsx", sheets)
    words = predict(world, book, "--lang", "ja", "--sheet", "Inbox", "--out", tmp_path / "o.tsv")
    assert cli(*words).code == 0
    assert columns_of(tmp_path / "o.tsv")["n"] == ["1"] * 4


def test_overwrite_is_asked_for_the_summary_too(
    cli: Run, refuse: Refuse, world: World, inbox: Path, tmp_path: Path
) -> None:
    out, summary = tmp_path / "answered.csv", tmp_path / "answered.summary.json"
    words = predict(world, inbox, "--lang-column", "from", "--out", out)
    write_file(summary, "mine")
    assert f"{summary}: already exists; choose another --out or add --overwrite" in refuse(*words)
    assert cli(*words, "--overwrite").code == 0
    assert f"{out}: already exists" in refuse(*words)


def test_a_model_without_a_knowledge_base_needs_no_language(
    cli: Run, world: World, inbox: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answered.csv"
    assert cli("classify", "predict", world.alone, inbox, "--out", out).code == 0
    rows = columns_of(out)
    assert rows["status"] == ["ok"] * 6 + ["empty"]
    assert set(rows["lang_by"]) == {"unknown"}
    assert set(rows["lang"]) == set(rows["entities"]) == {""}
    (one,) = read_summary(tmp_path / "answered.summary.json").languages
    assert (one.lang, one.share_linked) == (None, None)


OLD_EXCEL = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(504)
LINE = "税金"
# Name, content, more words, and what is said; None: all rows come back.
BAD: dict[str, tuple[str, str | bytes, list[str], str | None]] = {
    "empty": ("a.csv", "", [], "is empty"),
    "mark alone": ("a.csv", "\ufeff", [], "is empty"),
    "header only": ("a.csv", "text,id\n", [], "has the columns text, id and no rows"),
    "no text column": ("a.csv", "txt,id\na,1\n", [], "did you mean 'txt'?"),
    "text column twice": ("a.csv", "text,text\na,b\n", [], "has 2 columns 'text'"),
    "other column twice": ("a.csv", f"text,x,x\n{LINE},b,c\n", [], None),
    "twice, in JSON": ("a.jsonl", '{"text": "a", "text": "b"}\n', [], "stands twice in one object"),
    "label is taken": ("a.csv", "text,label\na,b\n", [], "--prefix iso_"),
    "prefix is taken": ("a.csv", "text,iso_model\na,b\n", ["--prefix", "iso_"], "'iso_model'"),
    "taken in the last line": (
        "a.jsonl", '{"text": "a"}\n' * 9 + '{"text": "a", "status": 1}\n', [], "'status' already",
    ),
    "blank lines": ("a.csv", "\n\n", [], "a.csv:1: begins with a blank line"),
    "Excel's first line": ("a.csv", f"sep=;\ntext;id\n{LINE};1\n", [], None),
    "long text without quotes": ("a.csv", "text,id\na, b,1\n", [], "a comma in it is put in"),
    "long row": ("a.csv", "text,id\na,1\nb,2,3\n", [], "a.csv:3: has 3 field(s)"),
    "short row": ("a.csv", "text,id\n" + "a,1\n" * 9 + "b\n", [], "a.csv:11: has 1 field(s)"),
    "open quote": ("a.csv", 'text,id\na,1\nb,2\nc,3\n"d,4\n', [], "a.csv:5: the row that begins"),
    "cp1252": ("a.csv", "text,id\ncafé,1\n".encode("cp1252"), [], "--encoding, such as cp1252"),
    "cp1252 said": ("a.csv", "text,id\ncafé “x”,1\n".encode("cp1252"), ["--encoding", "cp1252"],
                    None),
    "UTF-16": ("a.csv", f"\ufefftext,id\n{LINE},1\n".encode("utf-16-le"), [], None),
    "UTF-16 without its mark": ("a.csv", "text,id\na,1\n".encode("utf-16-le"), [], "utf-16-le"),
    "formulas": ("a.csv", "text,id\n=1+1,-1\n@a,+2\n", ["--excel"], None),
    "cell of 1 MB": ("a.csv", f"text,id\n{LINE * 170_000},1\n{LINE},2\n", [], None),
    "NUL": ("a.csv", f"text,id\n{LINE}\0x,\0\n", [], None),
    "half a character": ("a.jsonl", '{"text": "\\ud83d 税金"}\n', [], None),
    "line breaks of all kinds": (
        "a.csv", f'text,id\r\n"{LINE}\r\n\u2028\x0b\x85",1\r\n"a\nb","\n"\r\n', [], None,
    ),
    "no JSON": ("a.jsonl", '{"text": "a"}\n{"text"\n', [], "a.jsonl:2: is not JSON"),
    "text is a number": ("a.jsonl", '{"text": 5}\n', [], "a.jsonl:1: 'text' is 5, not text"),
    "gzip cut off": ("a.csv.gz", gzip.compress(b"text\n" + bytes(range(65, 91)) * 99)[:-9], [],
                     "cut off or damaged"),
    "no Parquet": ("a.parquet", "PAR1", [], "is not a Parquet file"),
    "xls": ("a.xls", OLD_EXCEL, [], "save it as .xlsx or .csv"),
    "xls named xlsx": ("a.xlsx", OLD_EXCEL, [], "is a workbook of Excel 97 to 2003"),
    "encrypted xlsx": ("a.xlsx", OLD_EXCEL + "EncryptedPackage".encode("utf-16-le"), [],
                       "is encrypted; save it without a password"),
    "damaged xlsx": ("a.xlsx", b"PK\3\4 and no more", [], "is damaged"),
    "xlsx named csv": ("a.csv", b"PK\3\4 and no more", [], "name it .xlsx"),
    "no such file": ("b.csv", "text\na\n", [], "no such file; did you mean 'b.csv'?"),
    "no such sheet": ("a.csv", "text\na\n", ["--sheet", "x"], "has no sheets"),
    "no such encoding": ("a.csv", "text\na\n", ["--encoding", "elvish"], "unknown encoding"),
    "encoding of Windows": ("a.csv", "text\na\n", ["--encoding", "ANSI"], "such as utf-8, cp1252"),
    "written over itself": ("a.csv", f"text\n{LINE}\n", ["--out", "a.csv"], "is read by this"),
    "written over itself by a link": ("a.csv", f"text\n{LINE}\n", ["--out", "link.csv"],
                                      "is read by this"),
    "summary over itself": ("a.summary.json", "text\n", ["--out", "a.csv"], "is read by this"),
    "to no folder": ("a.csv", f"text\n{LINE}\n", ["--out", "no/b.csv"], "does not exist"),
    "to a workbook": ("a.csv", f"text\n{LINE}\n", ["--out", "b.xlsx"], "write .csv with --excel"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Rows out are rows in, or one sentence says why not and the old file is intact."""
    monkeypatch.chdir(tmp_path)
    file, content, more, said = BAD[name]
    write_file(Path(file), content)
    Path("link.csv").symlink_to("a.csv")
    for old in ("out.csv", "out.summary.json"):
        write_file(Path(old), "old")
    source = "a.csv" if file == "b.csv" else file
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.exists()}
    outcome = cli(*predict(world, source, "--lang", "ja", "--overwrite", "--out", "out.csv", *more))
    assert "Traceback" not in outcome.err
    if said is not None:
        assert (outcome.code, outcome.out) == (2, "")
        assert said in outcome.talk[-1]
        assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.exists()} == before
        return
    assert outcome.code == 0, outcome.err
    encoding = "cp1252" if "--encoding" in more else None
    rows, answered = columns_of(Path(file), encoding=encoding), columns_of(Path("out.csv"))
    n = len(answered["status"])
    assert n == len(rows["text"]) == read_summary(Path("out.summary.json")).data.n_rows
    if name != "half a character":
        assert {column: answered[column] for column in rows} == rows


@pytest.mark.parametrize("ending", [".csv", ".jsonl.gz", ".parquet"])
@pytest.mark.parametrize("fault", ["full at the end", "full on the way"])
def test_a_full_disk_leaves_the_old_file(
    cli: Run, world: World, tmp_path: Path, request: pytest.FixtureRequest, ending: str, fault: str
) -> None:
    source = write_file(tmp_path / "a.csv", "text\n" + "".join(f"{n:x}{LINE}\n" for n in range(99)))
    old = [write_file(tmp_path / f"out{end}", "old") for end in (ending, ".summary.json")]
    words = ["classify", "predict", world.alone, source, "--overwrite", "--out", old[0]]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    if fault == "full at the end":
        request.getfixturevalue("no_space_at_the_end")
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, limits[1]))
    try:
        outcome = cli(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert outcome.code == 2
    assert f"{old[0]}: could not be written: " in outcome.talk[-1]
    assert "nothing was kept" in outcome.talk[-1]
    assert [path.read_text() for path in old] == ["old", "old"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["a.csv", *(path.name for path in old)]
    )


@pytest.mark.parametrize(
    ("name", "last"), [("a.csv", "x,y,z"), ("a.tsv", "x\ty"), ("a.jsonl", '{"text": 5}')]
)
def test_a_fault_of_the_last_row_is_said_before_any_work(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str,
    last: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(saving, "load_classifier", lambda *_, **__: pytest.fail("it was loaded"))
    first = '{"text": "a"}\n' if name == "a.jsonl" else "text\n"
    path = write_file(tmp_path / name, first + first * 9 + last + "\n")
    words = predict(world, path, "--lang", "ja", "--out", tmp_path / "answered.csv")
    assert f"{path}:11: " in refuse(*words)


def test_what_is_said_of_a_file_is_said_once(
    cli: Run, world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    path = write_file(tmp_path / "a.tsv", '\ufefftext\tfrom\n"x" y\txx-\n"a\t\'=1\n')
    words = predict(world, path, "--lang-column", "from", "--out", tmp_path / "answered.csv")
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    said = [*outcome.talk, *caplog.messages]
    for part in ("with an unknown language get none; first at", "was taken off"):
        assert len([line for line in said if part in line]) == 1, said
    assert "2 document(s) with an unknown language get none" in outcome.err


def test_strict_leaves_nothing(refuse: Refuse, world: World, inbox: Path, tmp_path: Path) -> None:
    words = predict(world, inbox, "--lang-column", "from", "--strict")
    said = refuse(*words, "--out", tmp_path / "answered.csv", talk=True)
    assert "texts have no known language" in said


def test_a_file_that_changes_meanwhile_is_told(
    refuse: Refuse, world: World, inbox: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files.row_languages

    def change(*given: Any, **options: Any) -> Any:
        with inbox.open("a", encoding="utf-8") as file:
            file.write("7,ja,x,\r\n")
        return before(*given, **options)

    monkeypatch.setattr(files, "row_languages", change)
    words = predict(world, inbox, "--lang-column", "from", "--out", tmp_path / "answered.csv")
    assert "was changed while it was read; run it again" in refuse(*words, talk=True)
