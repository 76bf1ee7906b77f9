"""Text in other encodings: said, or known by a mark; and what is told of wrong bytes."""

import codecs
import gzip
import io
import sys
import warnings
from pathlib import Path

import pytest

from isogloss.data.blocks import read_blocks
from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.lines import STANDARD_INPUT, whole_lines
from isogloss.errors import InputError

TEXTS = ["Überraschung", "порт, закрыт", "الميناء", "", "港口 😀", 'a "quoted" word', "two\nlines"]


def table(texts: list[str]) -> str:
    cells = [f'"{text.replace(chr(34), 2 * chr(34))}"' for text in texts]
    return "".join(f"{row},{cell}\r\n" for row, cell in enumerate(["text", *cells]))


def texts_of(path: Path, **format: str) -> list[str]:
    return read_documents(path, format=FileFormat(**format), needs_label=False).texts  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"])
def test_a_mark_says_the_encoding(tmp_path: Path, name: str, codec: str) -> None:
    raw = ("\ufeff" + table(TEXTS)).encode(codec)
    path = tmp_path / name
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    assert texts_of(path) == texts_of(path, encoding="utf-8") == TEXTS
    blocks = list(read_blocks(path, format=FileFormat(), rows=2))
    assert [text for block in blocks for text in block.texts] == TEXTS
    if codec != "utf-8":
        assert texts_of(path, encoding=codec) == texts_of(path, encoding=codec[:6]) == TEXTS


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_of_standard_input_and_of_old_macs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    raw = "\ufefftext\rпорт\r港".encode(codec)
    (tmp_path / "a.txt").write_bytes(raw)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    read = [(1, "text\r"), (2, "порт\r"), (3, "港")]
    assert list(whole_lines(tmp_path / "a.txt")) == list(whole_lines(STANDARD_INPUT)) == read


@pytest.mark.parametrize(
    ("encoding", "codec", "text"),
    [("cp1252", "cp1252", "“Café” – 5 €"), ("latin-1", "latin-1", "één"),
     ("KOI8-R", "koi8-r", "порт"), ("shift_jis", "shift_jis", "表示ソ"), ("gbk", "gbk", "港口关闭"),
     ("utf-16-le", "utf-16-le", "港口 😀")],
)  # fmt: skip
def test_an_encoding_is_said(tmp_path: Path, encoding: str, codec: str, text: str) -> None:
    (tmp_path / "a.csv").write_bytes(table([text, "b"]).encode(codec))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert texts_of(tmp_path / "a.csv", encoding=encoding) == [text, "b"]


@pytest.mark.parametrize(
    ("raw", "encoding", "said"),
    [
        (b"text\ncaf\xe9\n", None, ":2: is not UTF-8 (byte 4 of the line is 0xe9); save it"),
        (b"text\ncaf\xe9\n", "utf-8", "save it as UTF-8, or give its --encoding, such as cp1252"),
        (b"text\n\xe9\x81\n", "cp1252", ":2: is not cp1252 (byte 2 of the line is 0x81); save it"),
        ("text\nx\n".encode("utf-16-be"), None, "UTF-16 without its byte-order mark; save it as"),
        ("text\nx\n".encode("utf-16-le"), "utf-8", "mark; say --encoding utf-16-le"),
        ("\ufefftext\n\nx".encode("utf-16-le")[:-1], None, ":3: is not UTF-16-LE (truncated data)"),
        ("\ufefftext\n".encode("utf-16-le") + b"\x00\xd8a\0", None, ":2: is not UTF-16-LE (ill"),
        ("\ufefftext\nx\n".encode("utf-16-le"), "cp1252", "mark of UTF-16; leave --encoding out"),
        ("\ufefftext\nx\n".encode(), "cp1252", "mark of UTF-8; leave --encoding out"),
        (b"text\nx\n", "windows1252", "'windows1252'; did you mean 'windows_1252'?"),
        (b"text\nx\n", "elvish", "unknown encoding 'elvish'; give one such as utf-8, cp1252"),
        (b"text\nx\n", "iso2022_jp", "encoding iso2022_jp is not read; save the file as UTF-8"),
        (b"text\nx\n", "unicode_escape", "encoding unicode-escape is not read"),
        (b"text\nx\n", "base64", "unknown encoding 'base64'"),
        (codecs.BOM_UTF16_LE, None, "is empty"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("error")
def test_wrong_bytes_have_their_line(
    tmp_path: Path, raw: bytes, encoding: str | None, said: str
) -> None:
    (tmp_path / "a.csv").write_bytes(raw)
    with pytest.raises(InputError) as caught:
        read_documents(tmp_path / "a.csv", format=FileFormat(encoding=encoding), needs_label=False)
    assert said in str(caught.value)


def test_utf8_read_in_another_encoding_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text\nCafé\nпорт\n", "utf-8")
    with pytest.warns(UserWarning, match=r"is read as cp1251, but is UTF-8 by its bytes"):
        assert texts_of(tmp_path / "a.csv", encoding="cp1251")[0] == "CafГ©"
    (tmp_path / "a.csv").write_bytes("text\nCafé\n\nпорт\n".encode()[:-1] + b"\xff\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        texts_of(tmp_path / "a.csv", encoding="latin-1")


def test_a_file_without_an_encoding_takes_none(tmp_path: Path) -> None:
    form = FileFormat(encoding="cp1252")
    for name in ("a.parquet", "a.xlsx"):
        path = tmp_path / name
        path.write_bytes(b"x")
        with pytest.raises(InputError, match="has no encoding; leave --encoding out"):
            next(read_blocks(path, format=form))
        with pytest.raises(InputError, match="has no encoding; leave --encoding out"):
            read_documents(path, format=form, needs_label=False)


def test_utf16_without_its_mark_where_one_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,goal\n", "utf-8")
    with pytest.raises(InputError, match=r"a\.csv:1: is not UTF-16 with a byte-order mark; leave"):
        list(whole_lines(path, encoding="utf-16"))
