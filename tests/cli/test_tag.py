"""``isogloss tag``: fit, predict and evaluate on column files, and tags of raw text."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Refuse, Run, World, write_file

TAG_OF = {"the": "DET", "a": "DET", "fox": "NOUN", "dog": "NOUN", "lazy": "ADJ", "quick": "ADJ",
          "jumps": "VERB", "首都": "NOUN", "北京": "PROPN", ".": "PUNCT"}  # fmt: skip
ENTITY_OF = {"the": "O", "fox": "B-PER", "dog": "I-PER", "北京": "B-LOC", "jumps": "O"}


def conllu(tag_of: dict[str, str], n: int, *, seed: int = 1) -> str:
    rng, words = np.random.default_rng(seed), list(tag_of)
    lines = []
    for sentence in range(n):
        lines.append(f"# sent_id = s{sentence}")
        for place, word in enumerate(rng.choice(words, size=rng.integers(2, 7)), 1):
            tag = tag_of[str(word)]
            lines.append(f"{place}\t{word}\t{word.lower()}\t{tag}\t_\t_\t0\troot\t_\t_")
        lines.append("")
    return "\n".join(lines) + "\n"


def entities(n: int) -> str:
    rng, runs = np.random.default_rng(3), [["the"], ["jumps"], ["fox", "dog"], ["fox"], ["北京"]]
    sentences = []
    for _ in range(n):
        words = [word for at in rng.integers(5, size=4) for word in runs[at]]
        sentences.append("\n".join(f"{word} {ENTITY_OF[word]}" for word in words))
    return "\n\n".join(sentences) + "\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tagged")
    write_file(folder / "train.conllu", conllu(TAG_OF, 40))
    write_file(folder / "test.conllu", conllu(TAG_OF, 12, seed=2))
    write_file(folder / "train.conll", entities(60))
    write_file(folder / "test.conll", entities(20))
    return folder


@pytest.fixture(scope="module")
def models(files: Path, world: World) -> dict[str, Path]:
    from isogloss.cli.main import main

    made = {}
    for kind, ending in (("pos", "conllu"), ("ner", "conll")):
        made[kind] = files / kind
        words = ["tag", "fit", "--train", f"en={files / f'train.{ending}'}", "--layer", "0-1",
                 "--encoder", str(world.encoder), "--out", str(made[kind])]  # fmt: skip
        assert main(words) == 0
    return made


@pytest.fixture(scope="module")
def of_two(files: Path, world: World) -> dict[str, Path]:
    """Models of a language, and of a few sentences of one that names the tags otherwise."""
    from isogloss.cli.main import main

    other = write_file(files / "few.conllu", conllu(dict.fromkeys(TAG_OF, "X"), 8))
    made = {how: files / f"own-heads-{how}" for how in ("auto", "none")}
    for how, out in made.items():
        words = ["tag", "fit", "--train", f"en={files / 'train.conllu'}", "--train", f"sw={other}",
                 "--layer", "0", "--encoder", str(world.encoder), "--out", str(out)]  # fmt: skip
        assert main(words if how == "auto" else [*words, "--own-heads", how]) == 0
    return made


def test_a_language_with_few_words_has_a_head_of_its_own(
    cli: Run, files: Path, of_two: dict[str, Path]
) -> None:
    def tags(how: str, lang: str) -> list[str]:
        outcome = cli("tag", "predict", of_two[how], files / "test.conllu", "--lang", lang)
        return [line.split("\t")[3] for line in outcome.lines if "\t" in line]

    assert {*tags("auto", "sw")} == {"X"}
    assert tags("auto", "de") == tags("none", "de") == tags("none", "sw") != tags("auto", "sw")


def test_fit_says_which_head_a_language_has_and_why(
    cli: Run, files: Path, world: World, of_two: dict[str, Path], refuse: Refuse
) -> None:
    words = ["tag", "fit", "--train", f"en={files / 'train.conllu'}", "--train",
             f"sw={files / 'few.conllu'}", "--encoder", world.encoder, "--layer", "0"]  # fmt: skip
    outcome = cli(*words, "--out", files / "said")
    assert "isogloss: languages: en, sw" in outcome.err
    assert "isogloss: sw (8 sentences, " in outcome.err
    assert "its own head, " in outcome.err
    assert "out-of-fold log-loss: corrected " in outcome.err
    said = refuse(*words, "--own-heads", "auto", "--tune", "full", "--out", files / "not")
    assert "--own-heads is for --tune head; a tuned encoder has one head" in said


def test_predict_gives_the_file_back_but_for_one_column(
    cli: Run, files: Path, models: dict[str, Path]
) -> None:
    before = (files / "test.conllu").read_text("utf-8")
    blank = "".join(
        "\t".join([*cut[:3], "_", *cut[4:]]) if len(cut := line.split("\t")) == 10 else line
        for line in before.splitlines(keepends=True)
    )
    outcome = cli("tag", "predict", models["pos"], "--lang", "de", "-", stdin=blank)
    assert outcome.code == 0, outcome
    cut = [line.split("\t") for line in outcome.lines if "\t" in line]
    gold = [line.split("\t") for line in before.splitlines() if "\t" in line]
    assert [one[:3] + one[4:] for one in cut] == [one[:3] + one[4:] for one in gold]
    assert np.mean([one[3] == other[3] for one, other in zip(cut, gold, strict=True)]) > 0.8


def test_the_score_of_the_predicted_file_is_the_score(
    cli: Run, files: Path, models: dict[str, Path]
) -> None:
    test = files / "test.conllu"
    predicted = cli("tag", "predict", models["pos"], test, "--lang", "zh").out
    pairs = [
        (one.split("\t")[3], other.split("\t")[3])
        for one, other in zip(predicted.splitlines(), test.read_text("utf-8").splitlines(),
                              strict=True)
        if "\t" in one
    ]  # fmt: skip
    found = cli("tag", "evaluate", models["pos"], "--test", f"zh={test}", "--json").json
    (row,) = found["rows"]
    assert row["accuracy"] == pytest.approx(np.mean([one == other for one, other in pairs]))
    assert row["accuracy_low"] < row["accuracy"] <= row["accuracy_high"]
    assert (row["lang"], row["n"], row["n_words"]) == ("zh", 12, len(pairs))
    assert row["n_without_piece"] == row["n_unseen_tag"] == row["n_windows"] == 0
    assert found["mean"]["langs"] == ["zh"]


def test_entities_are_scored_and_written(
    cli: Run, files: Path, models: dict[str, Path], tmp_path: Path
) -> None:
    test = files / "test.conll"
    out = tmp_path / "scores"
    words = ["tag", "evaluate", models["ner"], "--test", f"de={test}", "--test", f"zh={test}"]
    assert "both name this file" not in cli(*words).err
    copy = write_file(tmp_path / "zh.conll", test.read_bytes())
    words[-1] = f"zh={copy}"
    outcome = cli(*words, "--json", "--out", out)
    assert outcome.code == 0, outcome
    for row in outcome.json["rows"]:
        assert 0.5 < row["f1_strict"] <= row["f1_conll"] + 0.5
        assert row["n_entities"] > 10
    made = json.loads((out / "manifest.json").read_text())
    assert (made["rows"], made["mean"]) == (outcome.json["rows"], outcome.json["mean"])
    assert (out / "by_label.csv").read_text().startswith("lang,type,")
    assert (out / "confusions.csv").is_file()
    assert "zh" in cli(*words).out
    assert "exists" in cli(*words, "--out", out).err
    assert cli(*words, "--out", out, "--overwrite").code == 0


@pytest.mark.parametrize(("kind", "column"), [("pos", "4"), ("ner", "2")])
def test_sentences_that_are_read_in_windows_are_counted(
    cli: Run, models: dict[str, Path], tmp_path: Path, kind: str, column: str
) -> None:
    words, tag = ["the", "fox", "jumps", "."] * 100, {"the": "DET", "fox": "NOUN", "jumps": "VERB"}
    if kind == "pos":
        rows = [f"{n}\t{word}\t_\t{tag.get(word, 'PUNCT')}" + "\t_" * 6
                for n, word in enumerate(words, 1)]  # fmt: skip
    else:
        rows = [f"{word} {'B-PER' if word == 'fox' else 'O'}" for word in words]
    text = "\n".join([*rows, "", *rows[:4], "", *rows, ""]) + "\n"
    test = write_file(tmp_path / "long", text)
    found = cli("tag", "evaluate", models[kind], "--test", f"de={test}", "--column", column,
                "--json").json  # fmt: skip
    assert found["rows"][0]["n_windows"] == found["mean"]["n_windows"] == 2
    assert found["rows"][0]["n_words"] == 804
    assert "windows" in cli("tag", "evaluate", models[kind], "--test", f"de={test}").out


def test_a_file_in_another_scheme_is_scored_alike(
    cli: Run, files: Path, models: dict[str, Path], tmp_path: Path
) -> None:
    from isogloss.data.column_files import read_column_file
    from isogloss.tag.schemes import in_scheme

    read = read_column_file(files / "test.conll", needs_tags=True)
    assert read.tags is not None
    made = read.with_tags([in_scheme(tags, "IOB2", "BIOES") for tags in read.tags])
    other = write_file(tmp_path / "bioes.conll", made)
    rows = [
        cli("tag", "evaluate", models["ner"], "--test", f"de={file}", "--json").json["rows"]
        for file in (files / "test.conll", other)
    ]
    assert rows[0] == rows[1]


def test_raw_text_is_cut_and_each_span_is_its_surface(
    cli: Run, models: dict[str, Path], tmp_path: Path
) -> None:
    texts = ["The fox, dog jumps.", "", "北京 🙂 jumps"]
    file = write_file(tmp_path / "raw.txt", "\n".join(texts) + "\n")
    outcome = cli("tag", "predict", models["ner"], file, "--lang", "en", "--raw")
    found: list[Any] = [json.loads(line) for line in outcome.lines]
    assert len(found) == 3
    cut = [[text[one["start"] : one["end"]] for one in row["tokens"]]
           for text, row in zip(texts, found, strict=True)]  # fmt: skip
    assert cut == [["The", "fox", ",", "dog", "jumps", "."], [], ["北京", "🙂", "jumps"]]
    for text, row in zip(texts, found, strict=True):
        assert all(0 < one["p"] <= 1 for one in row["tokens"])
        for span in row["spans"]:
            assert text[span["start"] : span["end"]].strip() != ""
            assert span["type"] in ("PER", "LOC")
    of_words = cli("tag", "predict", models["pos"], file, "--lang", "en", "--raw")
    assert "spans" not in json.loads(of_words.lines[0])


def test_probabilities_go_elsewhere(
    cli: Run, files: Path, models: dict[str, Path], tmp_path: Path
) -> None:
    test, made = files / "test.conllu", tmp_path / "p.jsonl"
    words = ["tag", "predict", models["pos"], test, "--lang", "en", "--probabilities", made]
    predicted = cli(*words).out
    rows = [json.loads(line) for line in made.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [f"s{n}" for n in range(12)]
    tags = [tag for row in rows for tag in row["tags"]]
    assert tags == [line.split("\t")[3] for line in predicted.splitlines() if "\t" in line]
    for row in rows:
        for tag, p in zip(row["tags"], row["p"], strict=True):
            assert sum(p.values()) == pytest.approx(1)
            assert max(p, key=lambda name: p[name]) == tag
    assert "exists" in cli(*words).err
    assert cli(*words, "--overwrite").code == 0


def test_words_without_a_piece_are_said_and_nothing_is_kept_under_strict(
    cli: Run, models: dict[str, Path], tmp_path: Path
) -> None:
    test = write_file(tmp_path / "blank.conll", "fox NOUN\n\u200b X\n")
    words = ["tag", "predict", models["pos"], "--lang", "de"]
    made = tmp_path / "p.jsonl"
    outcome = cli(*words, test, "--probabilities", made, "--strict")
    assert (outcome.code, outcome.out, made.exists()) == (2, "", False)
    outcome = cli(*words, test, "--probabilities", made)
    assert "1 word without a piece in the encoder" in outcome.err
    assert made.exists()
    raw = cli(*words, "--raw", stdin="fox \u200b\n")
    assert len(raw.lines) == 1
    assert "1 word without a piece in the encoder" in raw.err
    assert cli(*words, "--raw", "--strict", stdin="fox \u200b\n").code == 2


def test_the_options_of_a_fit_are_those_of_the_model(
    cli: Run, files: Path, world: World, tmp_path: Path
) -> None:
    out = tmp_path / "model"
    outcome = cli(
        "tag", "fit", "--train", f"en={files / 'train.conllu'}", "--dev",
        f"en={files / 'test.conllu'}", "--column", "4", "--format", "conllu", "--pieces", "last",
        "--scheme", "none", "--encoder", world.encoder, "--seed", "3", "--out", out,
    )  # fmt: skip
    assert outcome.code == 0, outcome
    made = json.loads((out / "model.json").read_text())
    assert (made["pieces"], made["chosen_by"]) == ("last", "development-data")
    assert made["settings"]["random_state"] == 3
    assert made["scheme"] is None
    assert made["tag_names"] == sorted({*TAG_OF.values()})
    assert "(chosen)" in outcome.err


def test_what_is_wrong_is_said_in_one_sentence(
    refuse: Refuse, files: Path, world: World, models: dict[str, Path], tmp_path: Path
) -> None:
    fit = ["tag", "fit", "--encoder", world.encoder, "--out", tmp_path / "new"]
    train = f"en={files / 'train.conllu'}"
    said = refuse(*fit, "--train", train, "--layer", "13", talk=True)
    assert "layer is 13; this encoder's layers are 0 to 2" in said
    assert "no such file" in refuse(*fit, "--train", "en=none.conllu")
    assert "both name this file" in refuse(*fit, "--train", train, "--dev", train)
    mixed = write_file(tmp_path / "mixed.conll", "a B-PER\nb O\n\nc S-PER\nd I-PER\n")
    assert f"{mixed}:" in refuse(*fit, "--train", f"en={mixed}")
    said = refuse(*fit, "--train", f"en={files / 'train.conll'}", "--scheme", "BILOU")
    assert "train.conll:" in said
    lines = (files / "train.conllu").read_text("utf-8").splitlines()
    ragged = write_file(tmp_path / "r.conllu", "\n".join([*lines[:2], "2\ta"]) + "\n")
    assert "r.conllu:3:" in refuse(*fit, "--train", f"en={ragged}")
    ask = ["tag", "predict", models["pos"], files / "test.conllu"]
    assert "xx" in refuse(*ask, "--lang", "xx-bad")
    said = refuse(*ask, "--lang", "en", "--raw", "--column", "upos")
    assert "--column is for column files" in said
    said = refuse("tag", "evaluate", world.model, "--test", f"de={files / 'test.conllu'}")
    assert "not a tagger of isogloss" in said
    said = refuse("tag", "evaluate", models["pos"], "--test", f"de={files / 'test.conllu'}",
                  "--overwrite")  # fmt: skip
    assert "--overwrite is for --out" in said


def test_an_unknown_tag_counts_as_wrong_and_is_said(
    cli: Run, refuse: Refuse, models: dict[str, Path], tmp_path: Path
) -> None:
    other = write_file(tmp_path / "x.conllu", conllu({"the": "X", "dog": "NOUN"}, 8))
    words = ["tag", "evaluate", models["pos"], "--test", f"de={other}", "--json"]
    outcome = cli(*words)
    assert outcome.json["rows"][0]["n_unseen_tag"] > 0
    assert "a tag that training lacks (X)" in outcome.err
    assert "a tag that training lacks" in refuse(*words, "--strict", talk=True)
