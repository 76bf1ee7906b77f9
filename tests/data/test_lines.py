import gzip
import random

import pytest

from isogloss.data.lines import open_lines, read_text
from isogloss.errors import InputError

TEXT = "één\r\nпорт\u2028x\n\n港\x0c口"


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
    with pytest.raises(InputError, match="is cut off or damaged"):
        list(open_lines(path))


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
