"""Files of one command that differ: the language said before a file, columns of other names."""

import json
from pathlib import Path

import pytest
from cli_world import GERMAN, JAPANESE, TRAIN, Refuse, Run, World, write_tsv

from isogloss.cli.classify.labelled import read_labelled
from isogloss.cli.options import LabelledColumns
from isogloss.data.documents import FileFormat
from isogloss.errors import InputError

FIT = ["classify", "fit", "--encoder", "ENCODER", "--out", "model"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """English messages and an inbox of two languages, with other names of columns."""
    monkeypatch.chdir(tmp_path)
    write_tsv(Path("messages.tsv"), TRAIN, "intent\tmessage")
    rows = [("ja", *row) for row in JAPANESE] + [("de", *row) for row in GERMAN]
    keys = ("lang", "label", "text")
    lines = [json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows]
    Path("inbox.jsonl").write_text("".join(lines), "utf-8")


def test_a_language_before_a_file_wins_over_the_column_of_the_others() -> None:
    columns = LabelledColumns(
        text=["message", "text"], label=["intent", "label"], lang_column="lang"
    )
    format = columns.format_of(multilabel=False, separator=None)
    values = {"--train": ["en=messages.tsv"], "--test": ["inbox.jsonl"]}
    train, test = read_labelled(values, format=format, lang=None)
    assert train.langs == ["en"] * len(TRAIN)
    assert test.langs == ["ja"] * len(JAPANESE) + ["de"] * len(GERMAN)
    assert (train.labels, train.texts) == tuple(map(list, zip(*TRAIN, strict=True)))
    assert test.texts == [text for _, text in JAPANESE + GERMAN]


def test_a_language_before_a_file_wins_over_the_language_of_the_others() -> None:
    write_tsv(Path("x=y.tsv"), GERMAN)
    write_tsv(Path("ja.tsv"), JAPANESE)
    values = {"--test": ["x=y.tsv", "ja=ja.tsv"]}  # a name that holds = is a name
    (test,) = read_labelled(values, format=FileFormat(), lang="de")
    assert test.langs == ["de", "de", "ja", "ja", "ja", "ja"]
    values = {"--test": ["data/a=b.tsv"]}
    with pytest.raises(InputError, match=r"data/a=b\.tsv: no such file"):
        read_labelled(values, format=FileFormat(), lang="de")


def test_compare_of_an_english_file_with_one_of_many_languages(
    cli: Run, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = cli(
        "classify", "compare", "--train", "en=messages.tsv", "--test", "inbox.jsonl",
        "--lang-column", "lang", "--text", "message", "--text", "text", "--label", "intent",
        "--label", "label", "--kb", world.kb, "--encoder", world.encoder, "--rows", "encoder,mboe",
        "--seeds", 1, "--out", "results", "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert {row["lang"] for row in outcome.json["languages"]} >= {"ja", "de"}
    assert "messages.tsv: --text is 'message'" in caplog.messages
    assert "inbox.jsonl: --label is 'label'" in caplog.messages


def test_columns_that_no_file_has(refuse: Refuse, world: World) -> None:
    words = ["classify", "evaluate", world.model, "--test", "inbox.jsonl", "--lang-column", "lang"]
    said = refuse(*words, "--text", "mesage", "--text", "txt")
    assert said == (
        "isogloss: inbox.jsonl: none of the columns 'mesage', 'txt' of --text is among "
        "lang, label, text; did you mean 'text'?"
    )
    said = refuse(*words, "--text", "a", "--text", "a")
    assert said == "isogloss: --text 'a' is given twice; leave one out"


def test_both_columns_in_a_file(cli: Run, world: World, caplog: pytest.LogCaptureFixture) -> None:
    Path("both.tsv").write_text("body\ttext\nKein Fußball\tSteuer\n", "utf-8")
    words = ["classify", "predict", world.model, "both.tsv", "--lang", "de"]
    outcome = cli(*words, "--text", "body", "--text", "text")
    assert "both.tsv: --text is 'body'; 'text' is there too" in caplog.messages
    assert outcome.out == cli(*words, "--text", "body").out != cli(*words).out


def test_columns_by_number_and_by_name(cli: Run, world: World) -> None:
    Path("bare.tsv").write_text("sport\tA match\nmoney\tA tax\n", "utf-8")
    words = ["--train", "en=bare.tsv", "--train", "en=messages.tsv", "--encoder", world.encoder]
    columns = ["--text", "2", "--text", "message", "--label", "1", "--label", "intent"]
    outcome = cli("classify", "fit", *words, *columns, "--out", "model")
    assert outcome.code == 0, outcome.err
    assert "isogloss: en: 14 texts" in outcome.talk


@pytest.mark.parametrize("option", ["--lang=de", "--lang-column=lang"])
def test_an_option_for_other_files_where_there_is_none(
    refuse: Refuse, world: World, option: str
) -> None:
    said = refuse("classify", "evaluate", world.model, "--test", "ja=inbox.jsonl", option)
    name = option.partition("=")[0]
    expected = f"{name} is for files given without LANG=, and there is none; leave it out"
    assert said == f"isogloss: {expected}"


def test_the_language_is_asked_for_only_where_it_matters(
    cli: Run, refuse: Refuse, world: World
) -> None:
    words = ["classify", "predict", world.alone, "inbox.jsonl"]
    assert cli(*words).out == cli(*words, "--lang-column", "lang").out != ""
    assert cli(*words).talk == ["isogloss: 6 texts, 0 cut"]
    shown = cli("classify", "explain", world.alone, "Die Steuer", "--json").json
    with_lang = cli("classify", "explain", world.alone, "Die Steuer", "--lang", "de", "--json").json
    assert shown["probabilities"] == with_lang["probabilities"]
    for command in (["predict", world.model, "inbox.jsonl"], ["explain", world.model, "a text"]):
        assert "the language is missing" in refuse("classify", *command)
