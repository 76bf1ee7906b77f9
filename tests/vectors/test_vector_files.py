"""Files of vectors: golden bytes of each form, round trips, and what is wrong with them."""

import bz2
import gzip
import lzma
import pickle
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from isogloss.errors import InputError, OmissionWarning
from isogloss.vectors import (
    EntityVectors,
    Vocabulary,
    WordEntityVectors,
    read_vectors,
    write_vectors,
)
from isogloss.vectors.formats.files import FORMATS
from isogloss.vectors.names import PackedStrings

WORDS = ["beer", "snake_case", "東京", "ไทย"]
TITLES = ["New York City", "東京 (曖昧さ回避)", "C++"]
GOLDEN = {
    "wikipedia2vec": "beer\t0.5 -1\nENTITY/New York\t3 0.25\n",
    "word2vec": "2 2\nbeer 0.5 -1\nENTITY/New_York 3 0.25\n",
    "glove": "beer 0.5 -1\nENTITY/New_York 3 0.25\n",
}


@pytest.fixture
def vectors() -> WordEntityVectors:
    matrix = np.random.default_rng(0).normal(size=(7, 5)).astype(np.float32)
    matrix[0] = [1e-12, -3e30, 1 / 3, 0, -0.0]
    return WordEntityVectors(Vocabulary.of(WORDS, TITLES), matrix)


def small() -> WordEntityVectors:
    matrix = np.array([[0.5, -1], [3, 0.25]], np.float32)
    return WordEntityVectors(Vocabulary.of(["beer"], ["New York"]), matrix)


@pytest.mark.parametrize("form", GOLDEN)
def test_golden_text(form: Any, tmp_path: Path) -> None:
    write_vectors(small(), tmp_path / "v", form)
    assert (tmp_path / "v").read_bytes() == GOLDEN[form].encode()


def test_golden_binary(tmp_path: Path) -> None:
    write_vectors(small(), tmp_path / "v", "word2vec-binary")
    assert (tmp_path / "v").read_bytes() == (
        b"2 2\nbeer " + struct.pack("<2f", 0.5, -1) + b"\n"
        b"ENTITY/New_York " + struct.pack("<2f", 3, 0.25) + b"\n"
    )


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_reads_back_to_the_same_bits(
    form: Any, vectors: WordEntityVectors, tmp_path: Path
) -> None:
    write_vectors(vectors, tmp_path / "v.bin", form)
    read = read_vectors(tmp_path / "v.bin")
    assert list(read.vocabulary.words) == WORDS
    assert list(read.vocabulary.entities) == TITLES
    assert read.matrix.tobytes() == vectors.matrix.tobytes()
    with pytest.raises(InputError, match="already exists"):
        write_vectors(vectors, tmp_path / "v.bin", form)
    write_vectors(vectors, tmp_path / "v.bin", form, overwrite=True)


@pytest.mark.parametrize("form", ["wikipedia2vec", "word2vec", "glove", "word2vec-binary"])
def test_one_row_alone(form: Any, tmp_path: Path) -> None:
    """wikipedia2vec's own reader fails on a file of one line."""
    one = WordEntityVectors(Vocabulary.of(["beer"]), np.array([[1, 2, 3]], np.float32))
    write_vectors(one, tmp_path / "v", form)
    assert read_vectors(tmp_path / "v").matrix.tolist() == [[1, 2, 3]]


def test_binary_without_line_breaks_after_rows(tmp_path: Path) -> None:
    rows = b"".join(b"w%d " % i + struct.pack("<2f", i, 0.1) for i in range(3))
    (tmp_path / "v").write_bytes(b"3 2\n" + rows)
    assert list(read_vectors(tmp_path / "v").vocabulary.words) == ["w0", "w1", "w2"]


@pytest.mark.parametrize("lines", ["a 1 2 \nb 3 4 \n", "a 1 2\r\nb 3 4\r\n", "\ufeffa 1 2\nb 3 4"])
def test_line_ends_of_other_tools(lines: str, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_bytes(lines.encode())
    read = read_vectors(tmp_path / "v.txt")
    assert (list(read.vocabulary.words), read.matrix.tolist()) == (["a", "b"], [[1, 2], [3, 4]])


def test_a_first_line_before_tabs_and_odd_names(tmp_path: Path) -> None:
    text = "4 1\n. .\t1\nENTITY/\t2\nENTITY/a_b\t3\n\u2028\u00a0\t4\n"
    (tmp_path / "v").write_bytes(text.encode())
    read = read_vectors(tmp_path / "v")
    assert list(read.vocabulary.words) == [". .", "ENTITY/", "\u2028\u00a0"]
    assert list(read.vocabulary.entities) == ["a b"]


def test_names_with_spaces_in_forms_without_tabs(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("one 1 2\n. . . 3 4\n")
    assert list(read_vectors(tmp_path / "v").vocabulary.words) == ["one", ". . ."]


@pytest.mark.parametrize("kind", ["gzip", "zstandard"])
@pytest.mark.parametrize("form", ["word2vec-binary", "wikipedia2vec", "word2vec", "glove"])
def test_compressed_vectors_are_known_by_their_bytes(form: Any, kind: str, tmp_path: Path) -> None:
    write_vectors(small(), tmp_path / "plain", form)
    packed = pytest.importorskip(kind).compress((tmp_path / "plain").read_bytes())
    plain = read_vectors(tmp_path / "plain")
    for name in ("v.txt.gz", "v.txt", "v.bin", "v", "v.zst", "v.bz2"):
        (tmp_path / name).write_bytes(packed)
        found = read_vectors(tmp_path / name)
        assert found.matrix.tobytes() == plain.matrix.tobytes()
        assert list(found.vocabulary.words) == list(plain.vocabulary.words)
    (tmp_path / name).write_bytes(packed[:-9])
    with pytest.raises(InputError, match=r"is (gzip|zstd), cut off or damaged; copy"):
        read_vectors(tmp_path / name)


def test_compressed_vectors_that_are_not_read(tmp_path: Path) -> None:
    write_vectors(small(), tmp_path / "native", "native")
    for content, message in (
        (gzip.compress((tmp_path / "native").read_bytes()), "is safetensors, compressed or"),
        (gzip.compress(pickle.dumps({"syn0": 1})), "is a pickle, which can run code"),
        (bz2.compress(b"a 1 2\n"), "is compressed as bzip2, which is not read here; unpack it"),
        (lzma.compress(b"a 1 2\n"), "is compressed as xz, which"),
    ):
        for name in ("v.txt", "v.bin"):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(InputError, match=message):
                read_vectors(tmp_path / name)


def test_of_two_rows_with_one_name_the_first_counts(tmp_path: Path) -> None:
    (tmp_path / "v").write_text("a 1\nENTITY/b_c 2\nENTITY/b c 3\na 4\nd 5\n")
    with pytest.warns(OmissionWarning, match="2 rows left out whose name came before"):
        read = read_vectors(tmp_path / "v")
    assert read.matrix.tolist() == [[1], [5], [2]]


def test_many_rows_keep_their_order(tmp_path: Path) -> None:
    n = 40_000
    lines = [f"{'ENTITY/' if i % 3 == 0 else ''}{i} {i} {i % 7}" for i in range(n)]
    (tmp_path / "v").write_text("\n".join(lines))
    read = read_vectors(tmp_path / "v")
    names = [*read.vocabulary.words, *read.vocabulary.entities]
    assert read.matrix[:, 0].tolist() == [float(name) for name in names]


def test_frequent_rows_come_first_in_text(tmp_path: Path) -> None:
    vocabulary = Vocabulary.of(["a", "b"], ["c"], word_counts=[1, 3], entity_counts=[2])
    write_vectors(WordEntityVectors(vocabulary, np.eye(3)), tmp_path / "v", "glove")
    assert [line.split()[0] for line in (tmp_path / "v").read_text().splitlines()] == [
        "b", "ENTITY/c", "a"]  # fmt: skip


def test_the_native_form_keeps_all_and_is_mapped(tmp_path: Path) -> None:
    vocabulary = Vocabulary.of(
        ["a"], ["B", "C"], word_counts=[7], entity_counts=[3, 2], redirects={"D": "C", "E": "F"},
        rare_words={"x": 1}, rare_entities={"F": 1}, min_word_count=2, min_entity_count=2,
    )  # fmt: skip
    vocabulary = replace(vocabulary, entity_ids=PackedStrings.of(["Q1", ""]))
    made = WordEntityVectors(vocabulary, np.eye(3), {"lang": "tr"})
    write_vectors(made, tmp_path / "v", "native")
    read = read_vectors(tmp_path / "v")
    assert isinstance(read.matrix.base, np.ndarray)
    assert not read.matrix.flags.writeable
    assert read.facts == {"lang": "tr"}
    assert read.vocabulary.row("D").name == "C"
    assert read.vocabulary.row("Q1").name == "B"
    assert read.vocabulary.entity_counts.tolist() == [3, 2]
    with pytest.raises(InputError, match="redirects to 'F', which is linked 1 time"):
        read.vocabulary.row("E")
    with pytest.raises(InputError, match="the word occurs 1 time, below the minimum count of 2"):
        read.vocabulary.row("x")
    assert load_file(tmp_path / "v")["vectors"].tolist() == np.eye(3).tolist()


def test_entity_vectors_of_isogloss_are_read_too(tmp_path: Path) -> None:
    EntityVectors(["Q64", "Q90"], np.eye(2)).save(tmp_path / "v")
    read = read_vectors(tmp_path / "v")
    assert read["Q90"].tolist() == [0, 1]
    assert read["ENTITY/Q90"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "v: is empty"),
        (b"3 2\n", "is cut off or damaged: its first line says 3 rows, and 0 follow"),
        (b"2 2\na 1 2\n", "is cut off or damaged: its first line says 2 rows, and 1 follow"),
        (b"0 2\n", "holds no vectors"),
        (b"a 1 2\nb 1\n", "v:2: a row of 1 value where 2 are due"),
        (b"a\t1 2\nb\t1 2 3\n", "v:2: a row of 3 values where 2 are due"),
        (b"a 1 2\n\nb 1 2\n", "v:2: a row of 0 values where 2 are due"),
        (b"a 1 2\nb 1 x\n", "v:2: 'b': could not convert string to float: 'x'"),
        (b"2 2\na 1 2\nb 1 x\n", "v:3: 'b': could not convert string to float: 'x'"),
        (b"a 1 2\nb 1 nan\n", "v:2: the vector of 'b' is not finite"),
        (b"a 1 2\nb 1_0 2\n", "v:2: 'b': could not convert string to float: '1_0'"),
        ("a 1 2\nb 1 ١\n".encode(), "v:2: 'b': could not convert string to float: '١'"),
        (b"a 1 2\nb 1 1e99\n", "v:2: the vector of 'b' is not finite"),
        (b"a 1 2\n\xe4 1 2\n", "v:2: is not UTF-8"),
        (b"a 1 2\n 1 2\n", "v:2: a row without a name"),
        (b"5 99999999999999999999\nfoo 1 2\n", "v:1: its first line holds no two sizes"),
        (b"5 " + b"9" * 5000 + b"\nfoo 1 2\n", "v:1: its first line holds no two sizes"),
        (b"2 0\nfoo \nbar \n", "v:1: its first line says 0 values a row; 1 to 100,000"),
        (b"5 99999999999\nfoo \0\0\0\0", "v:1: its first line says 99999999999 values a row"),
        (b"5 " + b"9" * 200 + b"\nfoo \0\0\0\0", "v:1: its first line holds no two sizes"),
        (b"label\ttext\n", "v:1: holds no numbers after a name; a file of vectors is text of"),
        (pickle.dumps({"syn0": 1}), "is a pickle, which can run code and is never read"),
        (b"2 2\na " + struct.pack("<2f", 1, 2) + b"\nb \0\0", "is cut off or damaged in row 2"),
        (b"1 1\n\xe4 " + struct.pack("<f", 1), "the name of row 1 is not UTF-8"),
        (b"1 1\na " + struct.pack("<f", 1) + b"\nmore", "holds more than the 1 rows"),
        (b"1 2\na " + struct.pack("<2f", 1, np.nan), "the vector of 'a', row 1 is not finite"),
    ],
)
def test_a_bad_file_in_one_sentence(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_vectors(tmp_path / "v")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bad_native_file_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file of vectors"):
        read_vectors(tmp_path / "none")
    save_file({"weight": np.eye(2, dtype=np.float32)}, tmp_path / "other")
    with pytest.raises(InputError, match="holds no entity vectors or words of isogloss"):
        read_vectors(tmp_path / "other")
    write_vectors(small(), tmp_path / "v", "native")
    whole = (tmp_path / "v").read_bytes()
    (tmp_path / "cut").write_bytes(whole[:-4])
    with pytest.raises(InputError, match="is cut off"):
        read_vectors(tmp_path / "cut")
    (tmp_path / "odd").write_bytes(whole.replace(b'"words.order"', b'"words.odder"'))
    with pytest.raises(InputError, match="damaged: its bytes are not those that were written"):
        read_vectors(tmp_path / "odd")


@pytest.mark.parametrize("form", FORMATS)
def test_vectors_are_not_written_under_a_compressed_name(form: Any, tmp_path: Path) -> None:
    for name in ("v.gz", "v.zst"):
        with pytest.raises(InputError, match="vectors are not compressed; name the file without"):
            write_vectors(small(), tmp_path / name, form)
    assert not [*tmp_path.iterdir()]


def test_names_that_no_line_can_hold(tmp_path: Path) -> None:
    odd = WordEntityVectors(Vocabulary.of(["a\nb"]), np.eye(1))
    with pytest.raises(InputError, match="does not fit a line; write the native form"):
        write_vectors(odd, tmp_path / "v", "glove")
    assert list(tmp_path.iterdir()) == []
    write_vectors(odd, tmp_path / "v", "native")
    assert list(read_vectors(tmp_path / "v").vocabulary.words) == ["a\nb"]
    spaced = WordEntityVectors(Vocabulary.of(["a b"]), np.eye(1))
    with pytest.warns(OmissionWarning, match="the spaces in 1 word are written '_' and stay so"):
        write_vectors(spaced, tmp_path / "w", "glove")
    with pytest.raises(InputError, match="form is 'text'; allowed: native"):
        write_vectors(spaced, tmp_path / "x", "text")  # type: ignore[arg-type]
