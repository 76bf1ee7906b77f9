"""Data sets of the papers: found in their published layouts, read, counted; and damaged ones.

All files are made by hand (`published_layouts`); no sentence of the data sets is here.
"""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from published_layouts import N_SENTENCES, write_all, write_one

from isogloss.errors import InputError
from isogloss.reproduce.data import (
    DATA_SETS,
    bucc,
    conll_ner,
    data_set,
    encoding_of,
    find,
    mldoc,
    sentences_of_sts,
    shinra,
    size_of,
    sts,
    tatoeba,
    ud,
    un,
)
from isogloss.tag.schemes import found_scheme

FOLDERS = [one.folder for one in DATA_SETS]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_all(tmp_path_factory.mktemp("data"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_all_files_of_a_layout_are_found_and_none_is_the_published_one(
    data: Path, folder: str
) -> None:
    found = find(data_set(folder), data)
    assert found.is_whole
    assert found.others == []
    assert list(found.files) == [(file.lang, file.split) for file in found.data_set.files]
    for (lang, split), path in found.files.items():
        assert path.is_file()
        size = size_of(found, lang, split)
        assert size.n > 0
        assert size.is_published is not True
        assert ("published" in str(size)) == (size.n_published is not None)


def test_a_data_set_says_whose_it_is() -> None:
    assert {paper for one in DATA_SETS for paper in one.papers} == {
        "pires", "boe", "geometry", "labse",
    }  # fmt: skip
    for one in DATA_SETS:
        assert one.licence
        assert one.source
        assert one.layout.endswith(".")
        assert len({(file.lang, file.split) for file in one.files}) == len(one.files)
    assert data_set("mldoc").languages == ["en", "de", "es", "fr", "it", "ja", "ru", "zh"]
    with pytest.raises(InputError, match="did you mean 'mldoc'"):
        data_set("ml-doc")


def test_pairs_of_tatoeba_are_those_that_were_counted() -> None:
    files = data_set("tatoeba").files
    assert (len(files), sum(file.n or 0 for file in files)) == (112, 88877)


def test_every_missing_file_is_named(data: Path, tmp_path: Path) -> None:
    for one in DATA_SETS:
        found = find(one, tmp_path)
        assert (found.files, len(found.missing)) == ({}, len(one.files))
        assert not found.is_whole
        assert {missing.why for missing in found.missing} == {"is not there"}
    assert str(find(data_set("un"), tmp_path).missing[0]) == (
        f"{tmp_path}/un/UNv1.0.testset.en: is not there"
    )
    for nowhere in (tmp_path / "no", data / "un/UNv1.0.testset.en"):
        with pytest.raises(InputError, match="give the folder that holds the data sets"):
            find(DATA_SETS[0], nowhere)


def test_files_are_found_packed_and_without_their_own_folder(tmp_path: Path) -> None:
    home = write_one(tmp_path, "mldoc")
    path = home / "english/english.dev"
    (home / "english.dev.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    found = find(data_set("mldoc"), tmp_path)
    assert found.files["en", "dev"] == home / "english.dev.gz"
    assert size_of(found, "en", "dev").n == 2 * N_SENTENCES


def test_files_of_no_data_set_are_told_and_read_mes_are_not(tmp_path: Path) -> None:
    home = write_one(tmp_path, "mldoc")
    (home / "english/english.train.10000").write_text("CCAT\tx\n")
    for name in ("README.md", "LICENSE.txt", ".DS_Store"):
        (home / name).write_text("x")
    assert find(data_set("mldoc"), tmp_path).others == [home / "english/english.train.10000"]


def test_what_lies_in_the_place_of_a_file_is_said(tmp_path: Path) -> None:
    home = write_one(tmp_path, "conll2002")
    for name in ("esp.train", "esp.testa", "ned.train", "ned.testa"):
        (home / name).rename(home / f"{name}.own")
    (home / "esp.train").mkdir()
    (home / "esp.testa").symlink_to(home / "nothing")
    (home / "ned.train").symlink_to(home / "ned.train.own")  # a link is as good as a file
    os.mkfifo(home / "ned.testa")
    found = find(data_set("conll2002"), tmp_path)
    assert [(one.lang, one.split, one.why) for one in found.missing] == [
        ("es", "train", "is a folder; put the file there"),
        ("es", "dev", "is a link that leads nowhere"),
        ("nl", "dev", "is no file"),
    ]
    assert size_of(found, "nl", "train").n == N_SENTENCES


def test_a_file_without_the_other_side_is_missing_and_two_dumps_are_one_too_many(
    tmp_path: Path,
) -> None:
    home = write_one(tmp_path, "tatoeba")
    (home / "tatoeba.deu-eng.eng").unlink()
    (missing,) = find(data_set("tatoeba"), tmp_path).missing
    assert missing.why == "is read with tatoeba.deu-eng.eng, which is not there"
    home = write_one(tmp_path, "shinra2020-ml")
    (home / "dewiki-20200101-cirrussearch-content.json").write_text("{}\n")
    (missing,) = find(data_set("shinra2020-ml"), tmp_path).missing
    assert (missing.lang, missing.split) == ("de", "texts")
    assert missing.why == (
        "could be dewiki-20190121-cirrussearch-content.json, "
        "dewiki-20200101-cirrussearch-content.json; leave one of them there"
    )


def test_a_size_is_said_beside_the_published_one(tmp_path: Path) -> None:
    home = write_one(tmp_path, "mldoc")
    path = home / "english/english.dev"
    found = find(data_set("mldoc"), tmp_path)
    said = []
    for n in (946, 1000, 1001):
        path.write_text("CCAT\tshares\n" * n)
        said.append((size_of(found, "en", "dev").is_published, str(size_of(found, "en", "dev"))))
    assert said == [
        (False, "english.dev: 946 of 1,000 documents; not the published file"),
        (True, "english.dev: 1,000 documents, as published"),
        (False, "english.dev: 1,001 documents, where the published file has 1,000"),
    ]
    write_one(tmp_path, "ud")
    size = size_of(find(data_set("ud"), tmp_path), "en", "train")
    assert (size.is_published, str(size)) == (None, "en_ewt-ud-train.conllu: 12 sentences")


@pytest.mark.parametrize(
    ("name", "scheme", "words"),
    [("conll2002/esp.train", "IOB2", {"Ana", "visitó"}), ("conll2002/ned.train", "IOB2", {"Jan"}),
     ("conll2003/eng.train", "IOB1", {"York"}), ("conll2003/deu.testb", "IOB1", {"Jörg", "Köln"})],
)  # fmt: skip
def test_entities_are_in_the_last_column_however_many_there_are(
    data: Path, name: str, scheme: str, words: set[str]
) -> None:
    read = conll_ner(data / name)
    assert len(read.sentences) == N_SENTENCES  # -DOCSTART- is none
    assert words <= {word for sentence in read.words for word in sentence}
    assert read.tags is not None
    assert found_scheme(read.tags) in (scheme, "IOB1")


def test_conll_is_read_as_latin_1_only_where_it_is_no_utf_8(data: Path, tmp_path: Path) -> None:
    path = data / "conll2003/deu.train"
    assert encoding_of(path) == "latin-1"
    own = tmp_path / "deu.train.gz"
    own.write_bytes(gzip.compress(path.read_bytes().decode("latin-1").encode()))
    assert encoding_of(own) == "utf-8"
    assert conll_ner(own).words == conll_ner(path).words
    # A character cut off by the end of a block of the file is no fault.
    long = tmp_path / "long"
    long.write_bytes(b"x" + "é".encode() * (1 << 20))
    assert encoding_of(long) == "utf-8"
    long.write_bytes("é".encode()[:1])
    assert encoding_of(long) == "latin-1"


def test_texts_of_mldoc_are_the_same_from_python_2_and_3(tmp_path: Path) -> None:
    texts = ['It\'s "so".', "Büro \\ 東京\ttab", "b'x", "line\nbreak"]
    path = tmp_path / "german.dev"
    path.write_text("".join(f"ECAT\t{text.encode()}\n" for text in texts))
    read = mldoc(path)
    assert (read.texts, read.labels) == (texts, ["ECAT"] * 4)
    path.write_text("MCAT\tBüro 'x' \"y\"\nGCAT\tb. is no bytes\n", "utf-8")
    assert mldoc(path).texts == ["Büro 'x' \"y\"", "b. is no bytes"]
    assert read.lines == [1, 2, 3, 4]


def test_the_other_readers_give_what_the_package_takes(data: Path) -> None:
    assert {pair.lang for pair in tatoeba(data / "tatoeba")} == set(data_set("tatoeba").languages)
    assert [pair.lang for pair in un(data / "un")] == ["ar", "es", "fr", "ru", "zh"]
    german = next(text for text in bucc(data / "bucc2018") if text.lang == "de")
    assert (german.split, len(german.sources), len(german.gold)) == ("training", 12, 6)
    part = next(sts(data / "sts"))
    assert (part.part, len(part.scores), part.n_unjudged) == ("2012/MSRpar", 9, 3)
    treebank = ud(data / "ud/UD_Hindi-HDTB/hi_hdtb-ud-test.conllu")
    assert treebank.tags is not None
    assert treebank.tags[0][-2:] == ["VERB", "PUNCT"]
    files = find(data_set("shinra2020-ml"), data).files
    pages = shinra(files["th", "labels"], files["th", "texts"])
    assert (len(pages.texts), pages.labels and pages.labels[1]) == (12, ("1.5.1.1",))


def test_sentences_of_sts_come_once_in_the_order_of_their_files(data: Path) -> None:
    every = sentences_of_sts(data / "sts")
    assert len(set(every)) == len(every)
    assert every[:2] == ['2012/MSRpar "0" runs fast', "2012/MSRpar dog 0 sleeps"]
    assert every[-1].startswith("2016/")
    some = sentences_of_sts(data / "sts", years=[2013])
    assert {one[:4] for one in some} == {"2013"}
    scored = sentences_of_sts(data / "sts", years=[2013], only_scored=True)
    assert len(scored) == len(some) * 3 // 4
    with pytest.raises(InputError, match="holds no part of the years 1999"):
        sentences_of_sts(data / "sts", years=[1999])


LATIN_1 = "Köln".encode("latin-1")
Read = Callable[[Path], Any]


def all_of(read: Read) -> Read:
    """Return a reader of a folder that reads the folder of a file to the end."""
    return lambda path: list(read(path.parent))


@pytest.mark.parametrize(
    ("read", "name", "content", "said"),
    [
        (conll_ner, "esp.train", b"Ana B-PER\nvive O O\n", "esp.train:2: has 3 columns"),
        (conll_ner, "esp.train", b"Ana\nvive\n", "esp.train:1: has no tags in column"),
        (conll_ner, "eng.train", b"Ann NNP I-NP\n\nran V I-VP\n", "eng.train:1: the tag 'I-NP' is"),
        (conll_ner, "esp.train", b"", "esp.train: has no words"),
        (conll_ner, "esp.train", b"-DOCSTART- -X- O\n\n", "esp.train: has no words"),
        (conll_ner, "esp.train", "Ana B-PER\n".encode("utf-16"), "esp.train: is UTF-16"),
        (ud, "en.conllu", b"1\tfox\t_\tNOUN\n", "en.conllu:1: "),
        (ud, "en.conllu", b"1\t" + LATIN_1 + b"\t_\tNOUN" + b"\t_" * 6, "en.conllu:1: is not UTF"),
        (ud, "en.conllu", b"# a comment\n", "en.conllu: has no words"),
        (mldoc, "english.dev", b"CCAT\tshares\nCCAT\n", "english.dev:2: has 1 "),
        (mldoc, "english.dev", b"CCAT\ta\tb\n", "english.dev:1: has 3 columns"),
        (mldoc, "english.dev", b"no label\n", "english.dev:1: has 1 column"),
        (mldoc, "english.dev", b"SPORT\tshares\n", "english.dev:1: the label is 'SPORT'"),
        (mldoc, "english.dev", b"CCAT\tx\n\tshares\n", "english.dev:2: has no label"),
        (mldoc, "english.dev", b"CCAT\tb'shar\n", "english.dev:1: the text begins as b'"),
        (mldoc, "english.dev", b"CCAT\tx\nCCAT\tb'\\xff'\n", "english.dev:2: the text is not"),
        (mldoc, "english.dev", b"CCAT\tb'" + b"(" * 9999 + b"\n", "english.dev:1: the text begins"),
        (mldoc, "english.dev", b"CCAT\t" + LATIN_1 + b"\n", "english.dev:1: is not UTF-8"),
        (mldoc, "english.dev", b"", "english.dev: "),
        (all_of(sts), "2012/x.test.tsv", b"1\ta\n", "x.test.tsv:1: has 2 columns"),
        (all_of(sts), "2012/x.test.tsv", b"", "x.test.tsv: has fewer than 3 rows"),
        (all_of(un), "UNv1.0.testset.fr", b"x\n", "UNv1.0.testset.en: no such file"),
        (all_of(tatoeba), "tatoeba.deu-eng.deu", LATIN_1, "tatoeba.deu-eng.deu:1: is not UTF-8"),
        (all_of(bucc), "de-en.training.gold", b"a\tb\n", "de-en.training.de: no such file"),
    ],
)  # fmt: skip
def test_damage_gets_one_sentence_with_file_and_line(
    read: Read, name: str, content: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    if path.parent != tmp_path:
        path = path.parent
    with pytest.raises(InputError) as caught:
        read(path)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("read", [conll_ner, mldoc, ud])
def test_what_is_no_file_gets_one_sentence(read: Read, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read(tmp_path / "esp.train")
    (tmp_path / "esp.dev").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path / "esp.dev")
    (tmp_path / "esp.train").write_bytes(gzip.compress(b"CCAT\tB-PER\n" * 99)[:-9])
    with pytest.raises(InputError, match="is gzip, cut off or damaged"):
        read(tmp_path / "esp.train")


def test_an_id_of_bucc_that_is_met_twice_is_refused(tmp_path: Path) -> None:
    home = write_one(tmp_path, "bucc2018") / "de-en"
    (home / "de-en.training.de").write_text("de-1\ta\nde-2\tb\nde-1\tc\n")
    with pytest.raises(InputError, match=r"de-en\.training\.de:3: the id 'de-1' is met a second"):
        list(bucc(home))
