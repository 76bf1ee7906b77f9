"""What is wrong with a column file is one sentence with file and line."""

import io
from pathlib import Path

import pytest
from column_samples import CONLL2003, CONLLU, UNER, WIKIANN, read

from isogloss.data.column_files import read_column_file
from isogloss.errors import InputError


def edited(text: str, line: int, new: str | None) -> str:
    """Return a text with one line replaced, or removed (None)."""
    lines = text.split("\n")
    lines[line - 1 : line] = [] if new is None else new.split("\n")
    return "\n".join(lines)


def word(number: str | int, form: str = "w", tag: str = "X") -> str:
    return f"{number}\t{form}\t_\t{tag}" + "\t_" * 6


def many(*lines: str) -> str:
    return "\n".join(lines)


FAULTS = {
    "too few columns": (
        edited(CONLLU, 8, "4\tmar\tmar\tNOUN"),
        8,
        "has 4 columns, but CoNLL-U has 10",
    ),
    "too many columns": (
        edited(CONLLU, 8, word(4) + "\t_"),
        8,
        "has 11 columns, but CoNLL-U has 10",
    ),
    "a ragged range": (edited(CONLLU, 5, "2-3\tal"), 5, "has 2 columns, but CoNLL-U has 10"),
    "ragged UNER": (
        edited(UNER, 4, "2\tin\tO"),
        4,
        "has 3 columns, but the first word, in line 3, has 5",
    ),
    "ragged CoNLL": (
        edited(CONLL2003, 4, "rejects VBZ"),
        4,
        "has 2 columns, but the first word, in line 3, has 4",
    ),
    "ragged WikiANN": (edited(WIKIANN, 2, "en:x\tO\tO"), 2, "has 3 columns"),
    "blanks for tabs in a line": (
        edited(CONLLU, 8, word(4).replace("\t", " ")),
        8,
        "has blanks between its columns, other lines have tabs; put tabs",
    ),
    "blanks for tabs in CoNLL-U": (
        CONLLU.replace("\t", " "),
        4,
        "has blanks between its columns, CoNLL-U has tabs; put tabs",
    ),
    "blanks for tabs in UNER": (
        UNER.replace("\t", " "),
        3,
        "has blanks between its columns, UNER has tabs",
    ),
    "blanks for tabs in WikiANN": (
        WIKIANN.replace("\t", " "),
        1,
        "has blanks between its columns, WikiANN has tabs",
    ),
    "columns after words alone": ("EU\nrejects VBZ O\n", 2, "has 3 columns, but the first word"),
    "a tab for blanks": (
        edited(CONLL2003, 4, "rejects\tVBZ I-VP O"),
        4,
        "has a tab, other lines have blanks",
    ),
    "an empty form": (edited(CONLLU, 8, word(4, "")), 8, "the word is empty"),
    "a blank form": (edited(CONLLU, 8, word(4, " ")), 8, "the word is empty"),
    "an empty form of WikiANN": (edited(WIKIANN, 2, "en:\tO"), 2, "the word is empty"),
    "an empty form of CoNLL": ("a\tO\n\tO\n", 2, "the word is empty"),
    "a form lost among blanks": ("a O\n O\n", 2, "the word is empty"),
    "an empty sentence": (f"# sent_id = a\n\n{word(1)}\n", 1, "the sentence 'a' has no words"),
    "an empty last sentence": (f"{word(1)}\n\n# sent_id = a", 3, "the sentence 'a' has no words"),
    "a sentence of empty nodes": (f"{word('0.1')}\n\n{word(1)}\n", 1, "no words, only empty nodes"),
    "a range that overlaps": (
        many(word("1-2"), word(1), word("2-3"), word(2), word(3)),
        3,
        "the range 2-3 overlaps with 1-2",
    ),
    "a range twice": (
        many(word("1-2"), word("1-2"), word(1), word(2)),
        2,
        "the range 1-2 overlaps with 1-2",
    ),
    "a range without its last word": (
        many(word(1), word("2-3"), word(2), "", word(1)),
        2,
        "the range 2-3 lacks words: the sentence has 2 words",
    ),
    "a range without words": (
        many(word(1), word("2-3")),
        2,
        "the range 2-3 lacks words: the sentence has 1 word;",
    ),
    "a range after its first word": (
        many(word(1), word("1-2"), word(2)),
        2,
        "the range 1-2 stands before word 2; put it before word 1",
    ),
    "a range too early": (
        many(word("2-3"), word(1), word(2), word(3)),
        1,
        "the range 2-3 stands before word 1; put it before word 2",
    ),
    "a range turned round": (
        many(word(1), word(2), word("4-3"), word(3)),
        3,
        "the range 4-3 ends before it begins",
    ),
    "an empty node out of place": (
        many(word(1), word("2.1"), word(2)),
        2,
        "the empty node is 2.1, where 1.1 is due",
    ),
    "empty nodes out of order": (
        many(word(1), word("1.1"), word("1.1")),
        3,
        "the empty node is 1.1, where 1.2 is due",
    ),
    "a number left out": (many(word(1), word(3)), 2, "the word is number 3, where 2 is due"),
    "a blank line left out": (
        many(word(1), word(2), word(1)),
        3,
        "the word is number 1, where 3 is due; mend the number, or put a blank line",
    ),
    "no number": (many(word(1), word("x")), 2, "the number of the word is 'x', where 2 is due"),
    "digits that are none": (many(word(1), word("²")), 2, "the number of the word is '²'"),
    "an endless number": (many(word(1), word("9" * 5000)), 2, "the word is number 9{20}, where 2"),
    "an endless range": (
        many(word(1), word("2-" + "9" * 5000)),
        2,
        "the number of the word is '2-9{18}', where",
    ),
    "a tag missing": (
        edited(CONLLU, 8, word(4, "mar", "_")),
        8,
        "has no tag in column 4, as have 1 of 7 words",
    ),
    "a tag of UNER missing": (
        edited(UNER, 4, "2\tin\t\t-\t-"),
        4,
        "has no tag in column 3, as have 1 of 4 words",
    ),
    "a tag that cannot be seen": (
        "a\tO\nb\tO\x07\n",
        2,
        "the tag 'O.x07' has a character that cannot be seen",
    ),
    "two sentences of one id": (
        CONLLU.replace("a-2", "a-1"),
        11,
        "the sent_id 'a-1' is that of line 2 too",
    ),
    "two ids of a sentence": (edited(UNER, 2, "# sent_id = x"), 2, "a second sent_id, after 'e-1'"),
    "a comment within a sentence": (
        edited(CONLLU, 5, "# sent_id = b"),
        5,
        "a comment within a sentence",
    ),
    "mixed languages": (
        edited(WIKIANN, 4, "de:x\tO"),
        4,
        "the language is 'de', of the lines before 'en'",
    ),
    "no language": (edited(WIKIANN, 4, "Hafen\tO"), 4, "no language before 'Hafen'"),
    "too many numbered columns": (
        "1\ta\t_\t_\t_\t_\tO\n2\tb\t_\t_\t_\t_\tO\n",
        1,
        "numbers its words, but has 7 columns",
    ),
    "one column of numbers": ("1\n2\n3\n", 1, None),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_said_with_its_line(fault: str, tmp_path: Path) -> None:
    text, line, said = FAULTS[fault]
    path = tmp_path / "a.txt"
    path.write_text(text, "utf-8")
    if said is None:
        assert read_column_file(path).words == [["1", "2", "3"]]
        return
    with pytest.raises(InputError, match=said) as error:
        read_column_file(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert (error.value.line, error.value.path) == (line, str(path))
    assert "\n" not in str(error.value)


def test_a_range_of_one_word_is_no_fault() -> None:
    """The validator of Universal Dependencies allows ``72-72``; its line is kept."""
    raw = "\n".join([*(word(n) for n in range(1, 72)), word("72-72"), word(72), word(73)]).encode()
    file = read(raw)
    assert file.n_words == 73
    assert file.with_tags(file.tags) == raw


@pytest.mark.parametrize(("text", "column", "said"), [
    (CONLLU, "upso", "-:4: no column 'upso' in CoNLL-U; did you mean 'upos'?"),
    (CONLLU, "ner", "-:4: no column 'ner' in CoNLL-U; allowed: upos, xpos, a number from 1 to 10"),
    (UNER, "upos", "-:3: no column 'upos' in UNER; allowed: ner, a number from 1 to 5"),
    (CONLL2003, "nre", "-:3: no column 'nre' in CoNLL; did you mean 'ner'?"),
    (CONLLU, 11, "-:4: no column 11; columns are numbered from 1 to 10"),
    (CONLL2003, "5", "-:3: no column 5; columns are numbered from 1 to 4"),
    (WIKIANN, 3, "-:1: no column 3; columns are numbered from 1 to 2"),
    (CONLLU, 0, "-:4: no column 0; columns are numbered from 1 to 10"),
    (CONLLU, True, "-:4: no column True; columns are numbered from 1 to 10"),
    (CONLLU, 2, "-:4: column 2 holds the words; give the column of the tags"),
    (UNER, 1, "-:3: column 1 holds the numbers; give the column of the tags"),
    (CONLL2003, 1, "-:3: column 1 holds the words; give the column of the tags"),
])  # fmt: skip
def test_a_column_that_is_not_there(text: str, column: str | int, said: str) -> None:
    with pytest.raises(InputError) as error:
        read(text, column=column)
    assert str(error.value) == said


@pytest.mark.parametrize(("text", "format", "said"), [
    (UNER, "conllu", "-:3: has 5 columns, but CoNLL-U has 10; mend the line"),
    (CONLL2003, "conllu", "-:3: has blanks between its columns, CoNLL-U has tabs; put tabs between "
     "them, or say format conll if this is no CoNLL-U"),
    (CONLL2003.replace(" ", "\t"), "uner", "-:1: the number of the word is '-DOCSTART-', "
     "where 1 is due; mend it"),
    ("a\nb\n", "uner", "-:1: has 1 column, UNER has a number, a tab and the word; mend the line"),
    ("a\tO\n", "wikiann", "-:1: no language before 'a'; WikiANN has 'en:word', a tab and the tag"),
    (UNER, "unre", "format is 'unre'; did you mean 'uner'?"),
])  # fmt: skip
def test_another_format_than_the_one_that_is_said(text: str, format: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        read(text, format=format)
    assert str(error.value) == said


@pytest.mark.parametrize(
    "raw", [b"", b"\n\n", b"\xef\xbb\xbf", b"# only\n# comments\n", b"-DOCSTART- O\n"]
)
def test_a_file_without_words(raw: bytes) -> None:
    with pytest.raises(InputError, match="has no words; give a file with a word"):
        read(raw)


def test_wrong_encodings() -> None:
    latin = CONLL2003.encode("latin-1")
    with pytest.raises(InputError) as error:
        read(latin)
    assert str(error.value) == (
        "-:9: is not UTF-8 (byte 4 of the line is 0xfa); save it as UTF-8, or give its --encoding, "
        "such as latin-1"
    )
    assert read(latin, encoding="latin-1").words[1] == ["Perú"]
    with pytest.raises(
        InputError, match=r"-:9: is not euc_jp \(byte 4 of the line .* another --enc"
    ):
        read(latin, encoding="euc-jp")
    with pytest.raises(InputError, match="begins with the byte-order mark of UTF-8; leave out"):
        read(b"\xef\xbb\xbfa O\n", encoding="latin-1")
    with pytest.raises(InputError, match="unknown encoding 'latin-11'; did you mean 'latin1'"):
        read(b"a O\n", encoding="latin-11")
    with pytest.raises(InputError, match="unknown encoding 'zz'; give one such as utf-8"):
        read(b"a O\n", encoding="zz")
    for encoding in ("utf-16", "utf-7", "cp037", "iso2022_jp", "unicode_escape"):
        with pytest.raises(InputError, match=r"is not read( in column files)?; save the file as"):
            read(b"a O\n", encoding=encoding)
    with pytest.raises(InputError, match="unknown encoding 'rot13'"):
        read(b"a O\n", encoding="rot13")
    with pytest.raises(InputError, match="is UTF-16; save it as UTF-8"):
        read("a\tO\n".encode("utf-16"))
    assert read(b"\xef\xbb\xbfa O\n", encoding="utf-8-sig").words == [["a"]]


@pytest.mark.parametrize(("tags", "said"), [
    ([["O"]], "has 2 sentences, but tags are given for 1; give a list of tags for each sentence"),
    ([["O"] * 3, ["O"] * 2], "9: the sentence that begins here has 1 word, but 2 tags; give one"),
    ([["O"] * 3, []], "9: the sentence that begins here has 1 word, but 0 tags"),
    ([["O", "", "O"], ["O"]], "4: the tag '' cannot be a column of the file"),
    ([["O", "_", "O"], ["O"]], "4: the tag '_' cannot be a column of the file"),
    ([["O", "B LOC", "O"], ["O"]], "4: the tag 'B LOC' cannot be a column of the file"),
    ([["O", "B\tLOC", "O"], ["O"]], r"4: the tag 'B\\tLOC' cannot be a column of the file"),
    ([["O", "O", "O"], ["地"]], "9: the encoding iso8859-1 lacks a character of the tag '地'"),
])  # fmt: skip
def test_tags_that_the_file_cannot_hold(tags: list[list[str]], said: str) -> None:
    file = read(CONLL2003.encode("latin-1"), encoding="latin-1")
    with pytest.raises(InputError, match=said):
        file.with_tags(tags)


def test_a_tag_with_a_blank_fits_between_tabs() -> None:
    file = read(UNER)
    new = [["O", "B LOC", "O"], ["O"]]
    assert read(file.with_tags(new)).tags == new
    with pytest.raises(InputError, match="cannot be a column"):
        file.with_tags([["O", "O ", "O"], ["O"]])


def test_missing_and_damaged_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.conllu: no such file in"):
        read_column_file(tmp_path / "a.conllu")
    with pytest.raises(InputError, match="is a folder"):
        read_column_file(tmp_path)
    (tmp_path / "a.gz").write_bytes(b"\x1f\x8b\x08\x00 and no more")
    with pytest.raises(InputError, match="is gzip, cut off or damaged"):
        read_column_file(tmp_path / "a.gz")
    with pytest.raises(InputError, match="is compressed as gzip, which is not read here"):
        read_column_file(io.BytesIO(b"\x1f\x8b\x08\x00"))
