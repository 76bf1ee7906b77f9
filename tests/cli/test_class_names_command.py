"""``isogloss classify fit --classes``: a model from names, with and without labelled texts."""

from pathlib import Path

import pytest
from cli_world import JAPANESE, Refuse, Run, World, write_tsv

from isogloss import TextClassifier

NAMES = [("sport", "sports"), ("sport", "football and tennis"), ("money", "tax, banks and prices")]


@pytest.fixture
def classes(tmp_path: Path) -> Path:
    return write_tsv(tmp_path / "classes.tsv", NAMES)


def test_names_alone_make_a_model(cli: Run, world: World, classes: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    outcome = cli("classify", "fit", "--classes", classes, "--encoder", world.encoder, "--out", out)
    assert outcome.code == 0, outcome.err
    assert "trained on: names of the classes alone" in outcome.err
    expected = TextClassifier(world.encoder).fit(
        [], [], class_names={"sport": ["sports", "football and tennis"], "money": [NAMES[2][1]]}
    )
    texts = [text for _, text in JAPANESE]
    loaded = TextClassifier.load(out)
    assert loaded.predict_proba(texts).tolist() == expected.predict_proba(texts).tolist()
    test = write_tsv(tmp_path / "test.tsv", JAPANESE)
    assert cli("classify", "evaluate", out, "--test", f"ja={test}").code == 0


def test_names_count_beside_texts(cli: Run, world: World, classes: Path, tmp_path: Path) -> None:
    out = tmp_path / "model"
    words = ["classify", "fit", "--train", f"en={world.train}", "--encoder", world.encoder]
    outcome = cli(*words, "--classes", classes, "--out", out)
    assert outcome.code == 0, outcome.err
    assert "(chosen out-of-fold)" in outcome.err
    assert TextClassifier.load(out).n_training_documents_ == 12


@pytest.mark.parametrize(
    ("rows", "options", "parts"),
    [
        (None, [], ["--train", "--classes"]),
        ([("sport", "sports"), ("money", " ")], [], ["classes.tsv", "3", "'money' has no name"]),
        ([("sport", "sports")], [], ["two classes"]),
        (NAMES, ["--dev", "en=TRAIN"], ["development texts"]),
        (
            NAMES,
            ["--kb", "KB", "--train", "en=TRAIN"],
            ["with --classes the encoder alone answers, without entities; leave --kb out"],
        ),
        (
            [("a", "one"), ("b", "two")],
            ["--train", "en=TRAIN"],
            ["train.tsv:2: ", "'sport' has no name in --classes", "allowed: a, b"],
        ),
    ],
)
def test_bad_words_are_refused(
    refuse: Refuse, world: World, tmp_path: Path, rows: list[tuple[str, str]] | None,
    options: list[str], parts: list[str],
) -> None:  # fmt: skip
    places = {"en=TRAIN": f"en={world.train}", "KB": str(world.kb)}
    words = [places.get(word, word) for word in options]
    if rows is not None:
        words += ["--classes", write_tsv(tmp_path / "classes.tsv", rows)]
    words += ["--encoder", world.encoder, "--out", tmp_path / "model"]
    sentence = refuse("classify", "fit", *words, talk=True)
    assert all(part in sentence for part in parts), sentence
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("header", "advice"),
    [
        ("label\ttxt", "of --classes it has this name; rename 'txt'"),
        ("labels\ttext", "of --classes it has this name; rename 'labels'"),
        ("label\tname", "of --classes it has this name; write it into the first line"),
    ],
)
def test_a_misspelt_header_names_no_option_that_the_file_cannot_take(
    refuse: Refuse, world: World, tmp_path: Path, header: str, advice: str
) -> None:
    file = write_tsv(tmp_path / "classes.tsv", NAMES, header)
    words = ["classify", "fit", "--encoder", world.encoder, "--out", tmp_path / "m"]
    said = refuse(*words, "--classes", file)
    assert said.endswith(advice)
    assert "--text" not in said
    assert "--label" not in said
