"""``POST /v1/file``: the rows of a file with their answers, as ``predict --out`` writes them."""

import asyncio
import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from served_models import Open
from written_xlsx import written_xlsx

from isogloss.serve.served import ServedModel

ROWS = [["7", "サッカーの試合がドイツで行われた。", "ja"], ["8", "Tennis, in Tokyo", "en"],
        ["9", "", "xx"], ["10", "=1+1 🙂", ""]]  # fmt: skip


def table(rows: list[list[str]], header: str = "no,message,code") -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows([header.split(","), *rows])
    return written.getvalue().encode()


def send(client: Any, content: bytes, name: str = "inbox.csv", path: str = "/v1/file", **form: Any):
    return client.post(path, files={"file": (name, content)}, data=form)


def test_rows_come_back_with_their_answers(client: Any, served: ServedModel) -> None:
    reply = send(client, table(ROWS), text="message", lang_column="code")
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-disposition"] == 'attachment; filename="inbox.answered.csv"'
    found = list(csv.DictReader(io.StringIO(reply.content.decode())))
    assert [[row["no"], row["message"], row["code"]] for row in found] == ROWS
    assert [row["lang"] for row in found] == ["ja", "en", "", ""]
    assert [row["status"] for row in found] == [
        "ok", "ok", "empty+unknown_language", "unknown_language"
    ]  # fmt: skip
    fitted = served.fitted
    texts = [row[1] for row in ROWS]
    expected = fitted.probabilities(fitted.prepare(texts[:2], ["ja", "en"])).max(axis=1)
    assert [float(row["probability"]) for row in found[:2]] == pytest.approx(expected, abs=1e-5)
    assert all(0 <= float(row["support"]) <= 1 for row in found)
    assert {row["model"] for row in found} == {served.about.fingerprint}


def test_fields_of_the_form_do_what_they_say(client: Any) -> None:
    options = {"text": "message", "lang": "en", "prefix": "iso_", "scores": "true", "format": "tsv",
               "excel": "true"}  # fmt: skip
    reply = send(client, table(ROWS), **options)
    text = reply.content.decode()
    assert text.startswith("\ufeffno\tmessage\tcode\tiso_label\tiso_probability")
    assert "iso_score_sport" in text.splitlines()[0]
    assert "\t'=1+1 🙂\t" in text
    lines = send(client, table(ROWS), text="message", format="jsonl").content.decode().splitlines()
    assert json.loads(lines[0])["lang_by"] == "detected"
    near = send(client, table(ROWS), text="message", examples="true", format="jsonl")
    assert len(json.loads(near.content.decode().splitlines()[0])["examples"]) == 5
    latin = table([["1", "né à Kyōto".replace("ō", "o"), ""]]).decode().encode("cp1252")
    coded = send(client, latin, text="message", encoding="cp1252")
    assert "né à Kyoto" in coded.content.decode()


def test_a_workbook_is_read(client: Any, tmp_path: Path) -> None:
    path = written_xlsx(tmp_path / "b.xlsx", {"one": [["a"]], "two": [["message"], ["Tennis"]]})
    reply = send(client, path.read_bytes(), "My Book.xlsx", text="message", sheet="two")
    assert reply.status_code == 200, reply.text
    assert reply.content.decode().splitlines()[1].startswith("Tennis,")


BAD: dict[str, tuple[bytes, str, dict[str, str], int, str]] = {
    "no such column": (table(ROWS), "a.csv", {"text": "none"}, 422, "file"),
    "a column twice": (table(ROWS, "message,message,code"), "a.csv", {"text": "message"}, 422, ""),
    "taken": (table(ROWS, "label,message,code"), "a.csv", {"text": "message"}, 422, "file"),
    "another field": (table(ROWS), "a.csv", {"top": "3"}, 422, "form"),
    "not a boolean": (table(ROWS), "a.csv", {"scores": "perhaps"}, 422, "scores"),
    "no such format": (table(ROWS), "a.csv", {"text": "message", "format": "xml"}, 422, "format"),
    "no such language": (table(ROWS), "a.csv", {"text": "message", "lang": "kling"}, 422, "file"),
    "both languages": (table(ROWS), "a.csv",
                       {"text": "message", "lang": "en", "lang_column": "code"}, 422, "file"),
    "empty": (b"", "a.csv", {}, 422, "file"),
    "header only": (b"message\n", "a.csv", {"text": "message"}, 422, "file"),
    "ragged": (b"no,message\n1,a\n2,b,c,d\n", "a.csv", {"text": "message"}, 422, "line 3"),
    "bytes": (b"message\n\xff\xfe\xfd\n", "a.csv", {"text": "message"}, 422, ""),
    "no workbook": (b"PK\x03\x04 and no more", "a.xlsx", {"text": "message"}, 422, "file"),
    "no parquet": (b"PAR1 and no more", "a.parquet", {"text": "message"}, 422, "file"),
    "an old workbook": (b"\xd0\xcf\x11\xe0", "a.xls", {}, 415, "header Content-Type"),
    "compressed": (b"\x1f\x8b", "a.csv.gz", {}, 415, "header Content-Type"),
    "compressed under another name": (gzip.compress(table(ROWS)), "a.csv", {}, 415,
                                      "header Content-Type"),
    "a long text": (table([["1", "a" * 20_001, ""]]), "a.csv", {"text": "message"}, 413, "line 2"),
    "no name": (table(ROWS), "data", {}, 415, "header Content-Type"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_sentence(client: Any, name: str) -> None:
    content, file, form, status, where = BAD[name]
    reply = send(client, content, file, **form)
    error = reply.json()["error"]
    assert reply.status_code == status, error
    assert not where or error["where"] == where, error
    assert "/tmp" not in error["message"]
    assert "--" not in error["message"]


def test_no_file_and_no_form(client: Any) -> None:
    reply = client.post("/v1/file", data={"file": "text"}, files={"other": ("a.csv", b"a")})
    assert reply.status_code in (400, 422)
    reply = client.post("/v1/file", json={})
    assert reply.status_code == 415
    broken = {"content-type": "multipart/form-data; boundary=x"}
    for content in (b"", b"no boundary", b"--x\r\n"):
        assert 400 <= client.post("/v1/file", content=content, headers=broken).status_code < 500
    two = [("file", ("a.csv", b"message\na\n")), ("file", ("b.csv", b"message\nb\n"))]
    assert client.post("/v1/file", files=two).status_code == 400


def test_a_large_file_is_refused(opened: Open) -> None:
    client = opened(n_file_bytes=10_000)
    reply = send(client, b"message\n" + b"a" * 10_000, text="message")
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")
    assert send(client, table(ROWS), text="message").is_success


def test_a_workbook_that_swells_is_refused(client: Any, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.xlsx", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/sharedStrings.xml", b" " * (40 << 20))
    reply = send(client, (tmp_path / "a.xlsx").read_bytes(), "a.xlsx")
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")


def test_too_many_files_are_refused(opened: Open) -> None:
    reply = send(opened(n_files=0), table(ROWS), text="message")
    assert (reply.status_code, reply.headers["retry-after"]) == (429, "60")


@pytest.mark.parametrize("path", ["/v1/file", "/v1/columns"])
def test_a_file_that_does_not_come_leaves_its_place_to_others(opened: Open, path: str) -> None:
    client = opened(n_files=1, seconds=0.2)
    kind = (b"content-type", b"multipart/form-data; boundary=x")
    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"",
             "headers": [(b"host", b"127.0.0.1:8765"), kind]}  # fmt: skip
    sent: list[Any] = []

    async def ask() -> None:
        parts = iter([b"--x\r\n"])

        async def receive() -> Any:
            for part in parts:
                return {"type": "http.request", "body": part, "more_body": True}
            return await asyncio.Event().wait()

        async def send_to_us(message: Any) -> None:
            sent.append(message)

        await client.app(scope, receive, send_to_us)

    asyncio.run(asyncio.wait_for(ask(), 10))
    assert sent[0]["status"] == 408
    assert json.loads(sent[1]["body"])["error"]["code"] == "too_slow"
    assert send(client, table(ROWS), text="message").is_success


def test_a_long_name_is_cut(client: Any) -> None:
    reply = send(client, table(ROWS), "ö" * 120 + ".csv", text="message")
    assert reply.status_code == 200, reply.text
    assert reply.headers["content-disposition"].endswith("%C3%B6.answered.csv")


def test_columns_are_guessed(client: Any) -> None:
    found = send(client, table(ROWS), path="/v1/columns").json()
    assert found["columns"] == ["no", "message", "code"]
    assert found["rows"][1] == ROWS[1]
    assert (found["guess"]["text"], found["prefix"]) == ("message", "")
    for name in ("support", "entities", "score_sport"):  # names of columns that answers have
        taken = send(client, table(ROWS, f"{name},message,code"), path="/v1/columns").json()
        assert taken["prefix"] == "iso_", name
    reply = send(client, b"", path="/v1/columns")
    assert reply.status_code == 422


def test_nothing_stays_of_a_file(client: Any) -> None:
    import tempfile

    assert send(client, table(ROWS), text="message").is_success
    left = Path(tempfile.gettempdir()).glob("isogloss-serve-*/*/*")
    assert [*left] == []
