import bz2
import gzip
import io
import lzma
import random
import sys

import pytest

from isogloss.data import lines
from isogloss.data.lines import STANDARD_INPUT, open_lines, whole_lines
from isogloss.errors import InputError

TEXT = "één\r\nпорт\u2028x\n\n港\x0c口"


def read_text(path):
    return "".join(line for _, line in whole_lines(path))


@pytest.mark.parametrize("ending", ["txt", "txt.gz", "txt.zst"])
def test_lines_are_numbered_and_end_at_line_feeds_only(tmp_path, ending):
    raw = b"\xef\xbb\xbf" + TEXT.encode("utf-8")
    if ending == "txt.gz":
        raw = gzip.compress(raw[:9]) + gzip.compress(raw[9:])
    if ending == "txt.zst":
        zstandard = pytest.importorskip("zstandard")
        raw = zstandard.compress(raw[:9]) + zstandard.compress(raw[9:])
    path = tmp_path / f"a.{ending}"
    path.write_bytes(raw)
    assert list(open_lines(path)) == [(1, "één"), (2, "порт\u2028x"), (3, ""), (4, "港\x0c口")]
    assert read_text(path) == TEXT


@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        ("één\r\rпорт\r", ["één", "", "порт"]),
        ("één\r港", ["één", "港"]),
        ("één\u2028\x0b港\r", ["één\u2028\x0b港"]),
        ("один\rпорт\n", ["один\rпорт"]),  # a line feed says that this is no end of a line
        ("", []),
    ],
)
def test_a_carriage_return_ends_a_line_where_no_line_feed_does(tmp_path, ending, raw, lines):
    path = tmp_path / f"a.{ending}"
    data = b"\xef\xbb\xbf" + raw.encode("utf-8")
    path.write_bytes(gzip.compress(data) if ending == "txt.gz" else data)
    assert [line for _, line in open_lines(path)] == lines
    assert read_text(path) == raw


def test_a_wrong_byte_is_found_by_lines_that_end_in_carriage_returns(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\rcaf\xe9\r")
    with pytest.raises(InputError, match=r"a\.txt:2: is not UTF-8 \(byte 4 of the line"):
        read_text(path)


def test_wrong_encoding_names_line_and_byte(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("порт\n".encode() + b"caf\xe9\n")
    lines = open_lines(path)
    assert next(lines) == (1, "порт")
    with pytest.raises(InputError, match=r"a\.txt:2: is not UTF-8 \(byte 4 of the line is 0xe9\)"):
        next(lines)


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_truncated_while_reading(tmp_path, ending):
    compress = gzip.compress if ending == "gz" else pytest.importorskip("zstandard").compress
    path = tmp_path / f"a.{ending}"
    path.write_bytes(compress(TEXT.encode("utf-8") * 99)[:-12])
    with pytest.raises(InputError, match="cut off or damaged; copy or download it again"):
        list(open_lines(path))


@pytest.mark.parametrize("name", ["t.tsv", "t.tsv.gz", "t.tsv.zst"])
@pytest.mark.parametrize(("kind", "module"), [("gzip", "gzip"), ("zstd", "zstandard")])
def test_damage_is_told_by_the_bytes_not_by_the_name(tmp_path, name, kind, module):
    path, raw = tmp_path / name, pytest.importorskip(module).compress(TEXT.encode("utf-8") * 99)
    head, beyond = {"gzip": (3, 40), "zstd": (6, 40)}[kind]
    damaged = [
        raw[:-9], raw[:5], raw[:head] + b"\xff" * (len(raw) - head), raw + b"not a frame",
        raw[:beyond] + b"\0" * 30 + raw[beyond + 30 :],
    ]  # fmt: skip
    for data in damaged:
        path.write_bytes(data)
        with pytest.raises(InputError) as error:
            read_text(path)
        said = f"{path}: is {kind}, cut off or damaged; copy or download it again"
        assert str(error.value) == said


def test_faults_inside_a_compressed_file_keep_line_and_byte(tmp_path):
    path = tmp_path / "t.tsv"
    path.write_bytes(gzip.compress("порт\n".encode() + b"caf\xe9\n"))
    with pytest.raises(InputError, match=r"t\.tsv:2: is not UTF-8 \(byte 4 of the line is 0x"):
        read_text(path)


def test_a_missing_zstandard_is_asked_for_by_the_file(tmp_path, monkeypatch):
    path = tmp_path / "t.tsv"
    path.write_bytes(b"\x28\xb5\x2f\xfd and more")
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(InputError) as error:
        read_text(path)
    assert str(error.value) == (
        f"{path}: reading zstd needs the package 'zstandard', which is not installed; it comes "
        "with the extra 'zstd': pip install '.[zstd]' -c constraints.txt in a clone of isogloss, "
        "elsewhere pip install zstandard"
    )


@pytest.mark.parametrize("name", ["a.txt", "a", "a.gz", "a.zst"])
def test_compression_is_known_by_the_bytes(tmp_path, name):
    path, raw = tmp_path / name, TEXT.encode("utf-8")
    for kind in ("gzip", "zstandard"):
        path.write_bytes(pytest.importorskip(kind).compress(raw))
        assert read_text(path) == TEXT
        assert [line for _, line in open_lines(path)] == ["één", "порт\u2028x", "", "港\x0c口"]
    path.write_bytes(raw)
    if path.suffix in (".gz", ".zst"):
        with pytest.raises(InputError, match="is not compressed as its name says"):
            read_text(path)
    else:
        assert read_text(path) == TEXT


def test_what_is_not_unpacked_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    for module, kind in ((bz2, "bzip2"), (lzma, "xz")):
        path.write_bytes(module.compress(TEXT.encode("utf-8")))
        with pytest.raises(InputError, match=f"is compressed as {kind}, which is not read"):
            read_text(path)
    piped = io.TextIOWrapper(io.BytesIO(gzip.compress(b"x")))
    monkeypatch.setattr(sys, "stdin", piped)
    with pytest.raises(InputError, match="is compressed as gzip, which is not read here; unpack"):
        read_text(STANDARD_INPUT)
    path.write_text("BZh is a word\nPK too\n7z\n", "utf-8")
    assert read_text(path) == "BZh is a word\nPK too\n7z\n"


def test_zst_is_read_in_blocks(tmp_path):
    zstandard = pytest.importorskip("zstandard")
    rng = random.Random(0)
    lines = [rng.randbytes(rng.randrange(200)).hex() for _ in range(3000)]
    half = "\n".join(lines).encode()
    path = tmp_path / "a.zst"
    path.write_bytes(zstandard.compress(half) + zstandard.compress(b"") + zstandard.compress(half))
    assert path.stat().st_size > 4 * 65536
    assert read_text(path).encode() == half + half
    path.write_bytes(b"")
    assert list(open_lines(path)) == []


def test_a_missing_file_is_named_with_its_folder(tmp_path):
    with pytest.raises(InputError, match=r"no such file in .*; check its name"):
        read_text(tmp_path / "a.txt")


@pytest.mark.parametrize("kind", ["plain", "packed", "/dev/zero"])
def test_a_line_has_a_bound(tmp_path, monkeypatch, kind):
    """A few bytes may be unpacked to a line larger than memory."""
    monkeypatch.setattr(lines, "LONGEST_LINE", 1 << 20)
    path = tmp_path / "a.txt.gz"
    whole, fits = b"short\n" + b"x" * (1 << 21), b"short\n" + b"x" * (1 << 20) + b"\nshort"
    if kind == "/dev/zero":
        path = tmp_path / "zero.txt"
        path.symlink_to(kind)
    else:
        write = gzip.compress if kind == "packed" else bytes
        path = path if kind == "packed" else tmp_path / "a.txt"
        path.write_bytes(write(fits[:-7]))
        read_text(path)
        path.write_bytes(write(whole))
    line = 1 if kind == "/dev/zero" else 2
    with pytest.raises(InputError, match=rf":{line}: the line is longer than 1 MB; break it up"):
        read_text(path)
