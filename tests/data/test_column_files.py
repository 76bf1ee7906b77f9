"""Column files of each format are read, and written back with one column replaced."""

import gzip
import io
import random
import sys
import warnings
from pathlib import Path

import pytest
from column_samples import (
    CONLL2003,
    CONLLU,
    DUTCH,
    MULTICONER,
    UNER,
    WIKIANN,
    read,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.data.column_files import read_column_file, write_tagged
from isogloss.errors import InputError


def test_conllu_words_are_lines_with_a_plain_number() -> None:
    file = read(CONLLU)
    assert (file.format, file.column, file.n_words, file.lang) == ("conllu", 4, 7, None)
    assert file.words == [["Vamos", "a", "el", "mar"], ["港口", "20 000", "#"]]
    assert file.tags == [["VERB", "ADP", "DET", "NOUN"], ["NOUN", "NUM", "SYM"]]
    assert [sentence.id for sentence in file.sentences] == ["a-1", "a-2"]
    assert [sentence.lines for sentence in file.sentences] == [[4, 6, 7, 8], [13, 14, 15]]
    assert file.sentences[0].misc is None


def test_conllu_columns_by_name_and_number() -> None:
    assert read(CONLLU, column="upos").tags == read(CONLLU, column=4).tags == read(CONLLU).tags
    assert read(CONLLU, column=8).tags[0] == ["root", "case", "det", "obl"]
    assert read(CONLLU, column="8").tags == read(CONLLU, column=8).tags
    no_xpos = CONLLU.replace("SYM\t_", "SYM\tS")
    assert read(no_xpos, column="xpos").tags == [["V", "E", "D", "N"], ["N", "M", "S"]]


def test_misc_is_kept_where_asked() -> None:
    first, second = read(CONLLU, misc=True).sentences
    assert first.misc == ["_", "Lang=es", "_", "SpaceAfter=No"]
    assert second.misc == ["_", "_", "_"]
    with pytest.raises(InputError, match="is UNER, and CoNLL-U alone has a column MISC"):
        read(UNER, misc=True)


def test_uner() -> None:
    file = read(UNER)
    assert (file.format, file.column) == ("uner", 3)
    assert file.words == [["Ob", "in", "Kyoto"], ["#"]]
    assert file.tags == [["O", "O", "B-LOC"], ["O"]]
    assert [sentence.id for sentence in file.sentences] == ["e-1", "e-2"]
    assert read(UNER, column="ner").tags == file.tags
    assert read(UNER, column=5).tags == [["-", "-", "anna"], ["-"]]


def test_conll_2003_has_blanks_documents_and_the_tag_last() -> None:
    file = read(CONLL2003)
    assert (file.format, file.column, file.layout.separator) == ("conll", 4, " ")
    assert file.words == [["EU", "rejects", "#"], ["Perú"]]
    assert file.tags == [["I-ORG", "O", "O"], ["I-LOC"]]
    assert read(CONLL2003, column=2).tags == [["NNP", "VBZ", "#"], ["NNP"]]
    tabs = CONLL2003.replace(" ", "\t")
    assert read(tabs).tags == file.tags
    assert read(tabs).layout.separator == "\t"


def test_conll_2002_has_latin_1_and_documents_without_a_blank_line() -> None:
    file = read(DUTCH.replace("tekst", "één"), encoding="latin-1")
    assert file.words == [["De", "één"], ["Gent"]]
    assert file.encoding == "iso8859-1"


def test_comments_of_conll_have_other_columns_than_words() -> None:
    file = read(MULTICONER)
    assert file.words == [["der", "Hafen"], ["#"]]
    assert file.tags == [["O", "B-LOC"], ["O"]]
    text = "# sent_id = a\nOb X O\n\n# text = O\n# = O\n"
    assert read(text).words == [["Ob"], ["#"]]
    assert [sentence.id for sentence in read(text).sentences] == ["a", None]


def test_wikiann_has_a_language_before_each_word() -> None:
    file = read(WIKIANN)
    assert (file.format, file.column, file.lang) == ("wikiann", 2, "en")
    assert file.words == [["Kyoto", ":"], ["#", "de:x"]]
    assert file.tags == [["B-LOC", "O"], ["O", "O"]]
    assert read("zh-min-nan:台\tO\n").lang == "zh-min-nan"


@pytest.mark.parametrize(
    "words", ["1\tO\n7\tO\n\n9\tO\n", "http://a O\nb O\nc O\n", "A:\tO\nen:\tO\n"]
)
def test_a_first_column_of_words_is_conll(words: str) -> None:
    assert read(words).format == "conll"


def test_a_format_that_is_said_is_not_searched() -> None:
    assert read("1\ta\tO\n2\tb\tO\n", format="conll").words == [["1", "2"]]
    assert read(UNER, format="uner").tags == read(UNER).tags
    wide = "".join(f"{n}\tw\t_\t_\tN\t" + "_\t" * 8 + "_\n" for n in (1, 2, 3))
    assert read(wide, format="uner", column=5).tags == [["N", "N", "N"]]


SAMPLES = [CONLLU, UNER, CONLL2003, DUTCH, MULTICONER, WIKIANN]


@pytest.mark.parametrize("text", SAMPLES)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("n_last", [0, 1, 2, 3])
def test_a_file_comes_back_byte_for_byte(text: str, mark: bytes, end: str, n_last: int) -> None:
    """With or without byte-order mark, whatever ends lines, however many blank lines end it."""
    raw = mark + (text.rstrip("\n") + "\n" * n_last).replace("\n", end).encode()
    file = read(raw)
    assert file.words == read(text).words
    assert file.tags == read(text).tags
    assert file.with_tags(file.tags) == raw
    new = [[f"{tag}é" for tag in tags] for tags in file.tags]
    written = file.with_tags(new)
    assert written != raw
    assert read(written).tags == new
    assert read(written).with_tags(file.tags) == raw


def test_nothing_but_the_column_is_replaced() -> None:
    file = read(CONLLU)
    new = file.with_tags([["A", "B", "C", "D"], ["E", "F", "G"]]).decode()
    changed = [
        (one.split("\t"), other.split("\t"))
        for one, other in zip(CONLLU.split("\n"), new.split("\n"), strict=True)
        if one != other
    ]
    assert [other[3] for _, other in changed] == list("ABCDEFG")
    assert all(one[:3] + one[4:] == other[:3] + other[4:] for one, other in changed)


def test_blanks_stay_as_they_are() -> None:
    raw = b"Ob   PRON  O \nin ADP O\n   \nx NOUN O\n"
    file = read(raw)
    assert file.words == [["Ob", "in"], ["x"]]
    assert file.with_tags([["B-LOC", "O"], ["O"]]) == raw.replace(b"PRON  O ", b"PRON  B-LOC ")
    assert read(b"Ob  \n in\n").words == read(b"Ob \tO\n in\tO\n").words == [["Ob", "in"]]
    file = read(raw, column=2)
    assert file.with_tags([["A", "B"], ["C"]]) == b"Ob   A  O \nin B O\n   \nx C O\n"


@pytest.mark.parametrize(
    "text",
    [
        "Ob\nin\n\nKyoto",
        "en:Ob\nen:in\n\nen:Kyoto",
        "1\tOb\n2\tin\n\n1\tKyoto",
        "# first\n# id 5\nOb\nin\n\n# id 6\tx=y\nKyoto",
    ],
)
def test_words_alone_get_a_column(text: str) -> None:
    file = read(text)
    assert file.tags is None
    assert file.words == [["Ob", "in"], ["Kyoto"]]
    written = file.with_tags([["O", "O"], ["B-LOC"]])
    assert written.decode() == text.replace("Ob", "Ob\tO").replace("in", "in\tO") + "\tB-LOC"
    again = read(written)
    assert (again.format, again.words) == (file.format, file.words)
    assert again.tags == [["O", "O"], ["B-LOC"]]


@pytest.mark.parametrize("no_tag", ["_", ""])
def test_tags_may_be_absent(no_tag: str) -> None:
    text = "\n".join(
        "\t".join([*line.split("\t")[:3], no_tag, *line.split("\t")[4:]]) if "\t" in line else line
        for line in CONLLU.split("\n")
    )
    file = read(text)
    assert file.tags is None
    assert all(sentence.tags is None for sentence in file.sentences)
    new = [["VERB", "ADP", "DET", "NOUN"], ["NOUN", "NUM", "SYM"]]
    assert read(file.with_tags(new)).tags == new
    with pytest.raises(InputError, match="-:4: has no tags in column 4; name the column"):
        read(text, needs_tags=True)
    assert read(CONLLU, needs_tags=True).tags is not None


@pytest.mark.parametrize(
    "encoding", ["latin-1", "cp1252", "cp1251", "shift_jis", "gb18030", "big5"]
)
def test_other_encodings_come_back_byte_for_byte(encoding: str) -> None:
    word = {"cp1251": "Порт", "shift_jis": "表港口", "gb18030": "港口", "big5": "港口功"}.get(
        encoding, "één"
    )
    raw = f"{word}\tO\n{word}{word}\tB-LOC\r\n".encode(encoding)
    file = read_column_file(io.BytesIO(raw), encoding=encoding)
    assert file.words == [[word, word * 2]]
    assert file.with_tags(file.tags) == raw
    assert file.with_tags([["O", "O"]]) == raw.replace(b"B-LOC", b"O")


def test_utf8_that_is_read_as_latin_1_is_said() -> None:
    with pytest.warns(UserWarning, match="is read as iso8859-1, but is UTF-8 by its bytes"):
        read_column_file(io.BytesIO("één\tO\n".encode()), encoding="latin-1")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_column_file(io.BytesIO(b"een\tO\n"), encoding="latin-1")


def test_files_streams_and_compression_are_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = b"\xef\xbb\xbf" + CONLLU.encode()
    plain, packed = tmp_path / "a.conllu", tmp_path / "a.conllu.gz"
    plain.write_bytes(raw)
    packed.write_bytes(gzip.compress(raw))
    (tmp_path / "packed").write_bytes(gzip.compress(raw))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
    files = [read_column_file(one) for one in (plain, str(packed), tmp_path / "packed", "-")]
    with plain.open("rb") as stream:
        files.append(read_column_file(stream))
    for file in files:
        assert file.words == read(CONLLU).words
        assert file.with_tags(file.tags) == raw
    assert [str(file.path) for file in files[3:]] == ["-", str(plain)]


def test_tags_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file = read(UNER)
    new = [["O", "O", "O"], ["B-LOC"]]
    for name in ("a.iob2", "a.iob2.gz", "a.iob2.zst"):
        if name.endswith("zst"):
            pytest.importorskip("zstandard")
        write_tagged(file, new, tmp_path / name)
        assert read_column_file(tmp_path / name).tags == new
    with pytest.raises(InputError, match="exists"):
        write_tagged(file, new, tmp_path / "a.iob2")
    write_tagged(file, file.tags, tmp_path / "a.iob2", overwrite=True)
    assert (tmp_path / "a.iob2").read_text("utf-8") == UNER
    with pytest.raises(InputError):
        write_tagged(file, [["O"]], tmp_path / "b.iob2")
    assert not (tmp_path / "b.iob2").exists()
    stream = io.BytesIO()
    write_tagged(file, new, stream)
    assert stream.getvalue() == file.with_tags(new)


FORMS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters=" "),
    min_size=1, max_size=6,
).filter(lambda form: not form.startswith("-DOCSTART-"))  # fmt: skip
TAGS = st.sampled_from(["O", "B-PER", "I-LOC", "X"])


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.tuples(FORMS, TAGS), min_size=1, max_size=4), min_size=1, max_size=4),
    st.sampled_from(["conllu", "uner", "wikiann", "conll"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_words_are_read_as_they_are_written(some, format: str, end: str) -> None:
    lines = []
    for sentence in some:
        for number, (form, tag) in enumerate(sentence, 1):
            lines.append({
                "conllu": f"{number}\t{form}\t_\t{tag}" + "\t_" * 6, "conll": f"{form}\t{tag}",
                "uner": f"{number}\t{form}\t{tag}\t-\t-", "wikiann": f"ja:{form}\t{tag}",
            }[format])  # fmt: skip
        lines.append("")
    if format == "conll" and lines[0].startswith("#"):
        return  # the first word settles the number of columns
    raw = end.join(lines).encode()
    file = read_column_file(io.BytesIO(raw), format=format)
    assert file.words == [[form for form, _ in sentence] for sentence in some]
    assert file.tags == [[tag for _, tag in sentence] for sentence in some]
    assert file.with_tags(file.tags) == raw
    for sentence in file.sentences:
        for word, number in zip(sentence.words, sentence.lines, strict=True):
            assert word in raw.decode().split(end)[number - 1]


def test_a_damaged_file_is_refused_or_comes_back() -> None:
    """Whatever is put into a file, or left out of it: no other error, no other words."""
    random_ = random.Random(0)
    parts = [
        *"\t \n\r#1_",
        "\n\n",
        "1-2",
        "2.1",
        "-DOCSTART-",
        "en:",
        "\xa0",
        "\u2028",
        "\0",
        "B-X",
    ]
    n_read = 0
    for text in random_.choices(SAMPLES, k=1500):
        for _ in range(random_.randint(1, 3)):
            start = random_.randrange(len(text))
            end = start + random_.choice([0, 0, 1, 1, 5, 40])
            text = text[:start] + random_.choice([*parts, text[start:end] * 2]) + text[end:]
        try:
            file = read(text)
        except InputError:
            continue
        n_read += 1
        again = read(
            file.with_tags([["Q"] * len(words) for words in file.words]), format=file.format
        )
        assert again.words == file.words
        if file.tags is not None:
            assert again.with_tags(file.tags) == file.with_tags(file.tags)
            assert file.with_tags(file.tags).replace(b" ", b"") == text.replace(" ", "").encode()
    assert 100 < n_read < 1400


@pytest.mark.full
def test_a_million_words_are_read_fast() -> None:
    """Slower than a third of the promised 300,000 a CPU-second only where the machine is."""
    import time

    words = random.Random(0).choices(["Kyoto", "港口", "порт", "the"], k=1_000_000)
    lines = (f"{at % 20 + 1}\t{word}\t_\tX" + "\t_" * 6 + "\n" * (1 + (at % 20 == 19))
             for at, word in enumerate(words))  # fmt: skip
    raw = "".join(lines).encode()
    start = time.process_time()
    file = read_column_file(io.BytesIO(raw))
    assert file.n_words / (time.process_time() - start) > 100_000
    assert file.with_tags(file.tags) == raw
