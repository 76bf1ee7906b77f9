"""Words, tags and files as the packages conllu and udapi read them, on real treebanks."""

import gzip
from pathlib import Path

import pytest
from column_samples import CONLLU
from repository import DATA

from isogloss.data.column_files import read_column_file

TREEBANKS = sorted((DATA / "ud").glob("*.conllu.gz"))
ENTITIES = sorted((DATA / "uner").glob("*.iob2.gz"))
no_data = pytest.mark.skipif(not TREEBANKS, reason="the shared evaluation data is not here")


def check_round_trip(path: Path, format: str) -> None:
    raw = gzip.decompress(path.read_bytes())
    file = read_column_file(path)
    assert file.format == format
    is_same = file.with_tags(file.tags) == raw  # no difference of megabytes is shown
    assert is_same
    new = file.with_tags([[f"{tag}-" for tag in tags] for tags in file.tags]).decode()
    due, words, tags, at = [], [], [], file.column - 1
    for line in raw.decode().split("\n"):
        columns = line.split("\t")
        if columns[0].isdecimal():
            words.append(columns[1])
            tags.append(columns[at])
            columns[at] += "-"
        due.append("\t".join(columns))
    is_same = new == "\n".join(due)
    assert is_same
    is_same = words == [form for sentence in file.words for form in sentence]
    assert is_same
    is_same = tags == [tag for sentence in file.tags for tag in sentence]
    assert is_same


@no_data
@pytest.mark.parametrize("name", ["en_ewt-ud-test", "zh_pud-ud-test"])
def test_files_of_both_kinds_come_back(name: str) -> None:
    check_round_trip(DATA / f"ud/{name}.conllu.gz", "conllu")
    check_round_trip(DATA / f"uner/{name}.iob2.gz", "uner")


@no_data
@pytest.mark.full
def test_every_treebank_comes_back() -> None:
    for path in TREEBANKS:
        check_round_trip(path, "conllu")
    for path in ENTITIES:
        check_round_trip(path, "uner")
    assert (len(TREEBANKS), len(ENTITIES)) == (17, 5)


def check_conllu(path: Path) -> None:
    conllu = pytest.importorskip("conllu")
    text = gzip.decompress(path.read_bytes()).decode()
    theirs = conllu.parse(text)
    ours = read_column_file(path, misc=True).sentences
    assert len(ours) == len(theirs)
    for sentence, other in zip(ours, theirs, strict=True):
        words = [token for token in other if isinstance(token["id"], int)]
        assert sentence.id == other.metadata["sent_id"]
        assert sentence.words == [token["form"] for token in words]
        assert sentence.tags == [token["upos"] for token in words]
        assert [one == "_" for one in sentence.misc] == [token["misc"] is None for token in words]


def check_udapi(path: Path) -> None:
    document = pytest.importorskip("udapi.core.document").Document()
    document.load_conllu(str(path))
    trees = [bundle.get_tree() for bundle in document.bundles]
    file = read_column_file(path)
    assert len(file.sentences) == len(trees)
    for sentence, tree in zip(file.sentences, trees, strict=True):
        assert sentence.id == tree.sent_id
        assert sentence.words == [node.form for node in tree.descendants]
        assert sentence.tags == [node.upos for node in tree.descendants]


@pytest.mark.parametrize("check", [check_conllu, check_udapi])
def test_a_small_file_is_read_as_others_read_it(check, tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(CONLLU.encode()))
    check(path)


@no_data
@pytest.mark.full
@pytest.mark.parametrize("path", TREEBANKS, ids=lambda path: path.name)
def test_treebanks_are_read_as_others_read_them(path: Path) -> None:
    check_conllu(path)
    check_udapi(path)
