"""Column files that are bad or only odd: each is read right, or refused in one sentence."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from cli_world import Refuse, Run, World, write_file
from repository import HELPERS

TINY = runpy.run_path(str(HELPERS / "tiny_models.py"))
TAG_OF = {"the": "DET", "fox": "NOUN", "dog": "NOUN", "jumps": "VERB", ".": "PUNCT"}
SENTENCES = [["the", "fox", "jumps", "."], ["the", "dog", "jumps"], ["the", "fox", "."]] * 4
ENTITIES = "the O\nfox B-PER\ndog I-PER\njumps O\n\nfox B-PER\n. O\n\n" * 4


def word(number: int | str, form: str, tag: str | None = None) -> str:
    return f"{number}\t{form}\t_\t{tag or TAG_OF.get(form, 'X')}" + "\t_" * 6


def conllu(*first: str, id: str = "s0") -> str:
    """Return sentences of CoNLL-U, before them one of the lines that are given."""
    lines = [f"# sent_id = {id}", *first, ""] if first else []
    for at, sentence in enumerate(SENTENCES, 1):
        rows = [word(n, form) for n, form in enumerate(sentence, 1)]
        lines += [f"# sent_id = s{at}", *rows, ""]
    return "\n".join(lines) + "\n"


GOOD = conllu(word(1, "the"), word(2, "fox"), word(3, "jumps"))
JUMPS = word(3, "jumps")
LATIN = ENTITIES.replace("dog", "forêt")

# What is wrong → content, the line that is at fault (None: of the file), and what is said of it.
REFUSED: dict[str, tuple[str | bytes, int | None, str]] = {
    "too few columns": (conllu(word(1, "the"), "2\tfox"), 3, "has 2 columns, but CoNLL-U has 10"),
    "too many columns": (conllu(word(1, "the") + "\t_"), 2, "has 11 columns, but CoNLL-U has 10"),
    "ragged CoNLL": ("the O\nfox NN O\ndog O\n", 2, "has 3 columns, but the first word"),
    "blanks for tabs in a line": (
        conllu(word(1, "the"), word(2, "fox").replace("\t", " ")), 3,
        "has blanks between its columns, other lines have tabs",
    ),
    "blanks for tabs": (GOOD.replace("\t", " "), 2, "has blanks between its columns, CoNLL-U has"),
    "a tab for blanks": (ENTITIES.replace("fox B", "fox\tB", 1), 2, "has a tab, other lines have"),
    "an empty sentence": ("# sent_id = a\n\n" + conllu(), 1, "the sentence 'a' has no words"),
    "a sentence of empty nodes": (conllu(word("0.1", "the")), 2, "no words, only empty nodes"),
    "an empty form": (conllu(word(1, "the"), word(2, "")), 3, "the word is empty"),
    "an empty form of CoNLL": ("the\tO\n\tO\n", 2, "the word is empty"),
    "ranges that overlap": (
        conllu(word("1-2", "x"), word(1, "the"), word("2-3", "y"), word(2, "fox"), word(3, ".")),
        4, "the range 2-3 overlaps with 1-2",
    ),
    "a range that lacks words": (
        conllu(word(1, "the"), word("2-3", "x"), word(2, "fox")), 3, "the range 2-3 lacks words",
    ),
    "a word left out": (conllu(word(1, "the"), word(3, "fox")), 3, "is number 3, where 2 is due"),
    "a sentence that does not end": (
        conllu(word(1, "the"), word(1, "fox")), 3, "put a blank line before it if a sentence",
    ),
    "clashing ids": (conllu(word(1, "the"), id="s2"), 10, "the sent_id 's2' is that of line 1 too"),
    "tags for some words": (conllu(word(1, "the", "_")), 2, "has no tag in column 4, as have 1 of"),
    "Latin-1": (LATIN.encode("latin-1"), 3, "is not UTF-8 (byte 4 of the line is 0xea)"),
    "UTF-16": (GOOD.encode("utf-16"), None, "is UTF-16; save it as UTF-8"),
    "two languages": ("en:the\tO\nde:der\tO\n", 2, "the language is 'de', of the lines before"),
    "no words": ("# nothing\n\n", None, "has no words"),
    "no file of text": (bytes(range(256)) * 4, None, ""),
}  # fmt: skip

# What is odd → content as a user's editor may leave it; the tags are those of the plain file.
READ: dict[str, bytes] = {
    "CRLF": GOOD.replace("\n", "\r\n").encode(),
    "old Mac's line ends": GOOD.replace("\n", "\r").encode(),
    "a byte-order mark": b"\xef\xbb\xbf" + GOOD.encode(),
    "no last blank line": GOOD.removesuffix("\n\n").encode() + b"\n",
    "no last line end": GOOD.removesuffix("\n\n").encode(),
    "several blank lines": b"\n\n" + GOOD.replace("\n\n", "\n \n\n\n").encode(),
    "no ids": "".join(
        line for line in GOOD.splitlines(keepends=True) if line[0] != "#"
    ).encode(),
    "a range of one word": GOOD.replace(JUMPS, word("3-3", "x") + "\n" + JUMPS).encode(),
    "an empty node": GOOD.replace(JUMPS, word("2.1", "x") + "\n" + JUMPS).encode(),
}  # fmt: skip


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory, world: World) -> Path:
    return _fitted(tmp_path_factory.mktemp("pos"), world, GOOD)


@pytest.fixture(scope="module")
def entities(tmp_path_factory: pytest.TempPathFactory, world: World) -> Path:
    return _fitted(tmp_path_factory.mktemp("ner"), world, ENTITIES)


def _fitted(folder: Path, world: World, text: str) -> Path:
    from isogloss.cli.main import main

    train = write_file(folder / "train", text)
    words = ["tag", "fit", "--train", f"en={train}", "--layer", "1", "--encoder",
             str(world.encoder), "--out", str(folder / "model")]  # fmt: skip
    assert main(words) == 0
    return folder / "model"


@pytest.mark.parametrize("what", REFUSED)
def test_it_is_refused_with_file_and_line(
    refuse: Refuse, world: World, model: Path, tmp_path: Path, what: str
) -> None:
    content, line, said = REFUSED[what]
    file = write_file(tmp_path / "bad.txt", content)
    place = f"isogloss: {file}: " if line is None else f"isogloss: {file}:{line}: "
    fit = ["tag", "fit", "--encoder", world.encoder, "--out", tmp_path / "new", "--train"]
    commands: list[list[Any]] = [
        [*fit, f"en={file}"],
        ["tag", "evaluate", model, "--test", f"de={file}", "--out", tmp_path / "new"],
        ["tag", "predict", model, file, "--lang", "de", "--probabilities", tmp_path / "new"],
    ]
    for command in commands:
        sentence = refuse(*command)
        assert said in sentence
        assert sentence.startswith(place if said else f"isogloss: {file}:")


@pytest.mark.parametrize("what", READ)
def test_it_is_read_as_the_plain_file_is(cli: Run, model: Path, tmp_path: Path, what: str) -> None:
    plain, odd = write_file(tmp_path / "plain", GOOD), write_file(tmp_path / "odd", READ[what])
    scores = [
        cli("tag", "evaluate", model, "--test", f"de={file}", "--json") for file in (plain, odd)
    ]
    assert scores[0].json["rows"][0]["n_words"] == sum(map(len, SENTENCES)) + 3
    assert scores[0].json == scores[1].json
    assert scores[1].err == ""
    found = [cli("tag", "predict", model, file, "--lang", "de").out for file in (plain, odd)]
    tags = [
        [row.split("\t")[3] for row in text.splitlines() if row[:1].isdigit() and _is_word(row)]
        for text in found
    ]
    assert tags[0] == tags[1]
    assert "X" not in tags[0]


def _is_word(row: str) -> bool:
    return row.split("\t")[0].isdecimal()


def test_latin_1_is_read_where_it_is_said(
    cli: Run, refuse: Refuse, entities: Path, tmp_path: Path
) -> None:
    latin = write_file(tmp_path / "latin", LATIN.encode("latin-1"))
    utf_8 = write_file(tmp_path / "utf-8", LATIN)
    ask = ["tag", "evaluate", entities, "--json", "--test"]
    scores = cli(*ask, f"fr={latin}", "--encoding", "latin-1").json
    assert scores == cli(*ask, f"fr={utf_8}").json
    said = cli(*ask, f"fr={utf_8}", "--encoding", "latin-1").err
    assert "is read as iso8859-1, but is UTF-8 by its bytes; leave --encoding out" in said
    assert "unknown encoding 'latn-1'" in refuse(*ask, f"fr={latin}", "--encoding", "latn-1")


def test_latin_1_comes_back_in_latin_1(
    capsysbinary: pytest.CaptureFixture[bytes], entities: Path, tmp_path: Path
) -> None:
    from isogloss.cli.main import main

    latin = write_file(tmp_path / "latin", LATIN.encode("latin-1"))
    words = ["tag", "predict", str(entities), str(latin), "--lang", "fr", "--encoding", "latin-1"]
    assert main(words) == 0
    out = capsysbinary.readouterr().out
    assert [row.split(b" ")[0] for row in out.split(b"\n")] == [
        row.split(" ")[0].encode("latin-1") for row in LATIN.split("\n")
    ]


def test_mixed_schemes_and_tags_without_prefix(
    cli: Run, refuse: Refuse, world: World, entities: Path, tmp_path: Path
) -> None:
    ask = ["tag", "evaluate", entities, "--test"]
    fit = ["tag", "fit", "--encoder", world.encoder, "--out", tmp_path / "new", "--train"]
    mixed = write_file(tmp_path / "mixed", "a O\nfox I-PER\n\ndog B-PER\na O\n\nfox B-LOC\n")
    alone = write_file(tmp_path / "alone", ENTITIES.replace("I-PER", "PER", 1))
    for command in (ask, fit):
        said = refuse(*command, f"en={mixed}")
        assert said.startswith(f"isogloss: {mixed}:2: I-PER after O is not IOB2")
        assert f"{mixed}:4" in said
        said = refuse(*command, f"en={alone}")
        assert said.startswith(f"isogloss: {alone}:3: tag 'PER' has no prefix")
    probe = ["probe", "transfer", "--task", "ner", "--encoder", world.encoder, "--seeds", "1",
             "--out", tmp_path / "new", "--train"]  # fmt: skip
    assert f"{mixed}:2: " in refuse(*probe, f"en={mixed}", "--test", f"de={alone}")
    assert f"{alone}:3: " in refuse(*probe, f"en={alone}", "--test", f"de={mixed}")
    all_alone = write_file(tmp_path / "all", ENTITIES.replace("B-", "").replace("I-", ""))
    outcome = cli(*fit, f"en={all_alone}", "--layer", "1")
    assert outcome.code == 0
    assert "tags have O, but none a prefix (PER, …): each word is tagged by itself" in outcome.err
    assert "tags: 2\n" in outcome.err
    said = refuse(*ask, f"en={all_alone}", talk=True)
    assert said.startswith(f"isogloss: {all_alone}:2: tag 'PER' has no prefix")


def test_a_tag_that_training_lacks_is_no_error(cli: Run, model: Path, tmp_path: Path) -> None:
    test = write_file(tmp_path / "x", GOOD.replace("\tVERB\t", "\tAUX\t"))
    outcome = cli("tag", "evaluate", model, "--test", f"de={test}", "--json")
    assert outcome.code == 0
    assert outcome.json["rows"][0]["n_unseen_tag"] == GOOD.count("VERB")
    assert outcome.err.count("a tag that training lacks (AUX)") == 1


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--column", "11"], ":2: no column 11; columns are numbered from 1 to 10"),
        (["--column", "ner"], ":2: no column 'ner' in CoNLL-U; allowed: upos, xpos"),
        (["--column", "2"], ":2: column 2 holds the words; give the column of the tags"),
        (["--column", "5"], ":2: has no tags in column 5; name the column that holds them"),
        (["--format", "uner"], ":2: "),
        (["--layer", "13"], "layer is 13; this encoder's layers are 0 to 2"),
        (["--layer", "2-1"], "layer is '2-1'; give 'auto'"),
        (["--scheme", "IOB2"], ":2: tag 'DET' has no prefix"),
    ],
)
def test_options_that_do_not_go_with_the_file(
    refuse: Refuse, world: World, tmp_path: Path, more: list[str], said: str
) -> None:
    train = write_file(tmp_path / "train", GOOD)
    fit = ["tag", "fit", "--encoder", world.encoder, "--train", f"en={train}"]
    sentence = refuse(*fit, "--out", tmp_path / "new", *more, talk=True)
    assert said in sentence
    assert sentence.startswith(f"isogloss: {train}:2: ") == said.startswith(":2: ")


def test_another_encoder_is_refused(
    refuse: Refuse, model: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    test = write_file(tmp_path / "test", GOOD)
    other = TINY["build_tiny"](tmp_path_factory.mktemp("other") / "encoder", kind="roberta")
    said = refuse("tag", "evaluate", model, "--test", f"de={test}", "--encoder", other, talk=True)
    assert "was trained with another encoder" in said
    assert str(model) in said


def test_a_file_in_another_language_is_said(cli: Run, entities: Path, tmp_path: Path) -> None:
    rows = ["\t".join([f"de:{row.split()[0]}", row.split()[1]]) if row else ""
            for row in ENTITIES.split("\n")]  # fmt: skip
    test = write_file(tmp_path / "wikiann", "\n".join(rows))
    ask = ["tag", "evaluate", entities, "--json", "--test"]
    assert cli(*ask, f"de={test}").err == ""
    outcome = cli(*ask, f"zh={test}")
    assert outcome.code == 0
    assert "is read as 'zh', but its words are in 'de' ('de:' stands before them)" in outcome.err
    assert outcome.json["rows"][0]["n_entities"] == 8
    odd = write_file(tmp_path / "odd", test.read_text().replace("de:", "simple:"))
    assert cli(*ask, f"en={odd}").err == ""
    predicted = cli("tag", "predict", entities, test, "--lang", "zh")
    assert "its words are in 'de'" in predicted.err
