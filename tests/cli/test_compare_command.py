"""``isogloss classify compare``."""

from pathlib import Path
from typing import Any

import pytest
from cli_world import GERMAN, JAPANESE, TRAIN, Refuse, Run, World, write_tsv

from isogloss.classify.compare import comparison


@pytest.fixture(autouse=True)
def _same_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """A comparison made by other code is refused, and a developer may be editing."""
    monkeypatch.setattr(comparison, "sha256_of_package", lambda *_: "code")


@pytest.fixture
def compare(cli: Run, world: World, tmp_path: Path) -> Any:
    def run(*options: object) -> Any:
        return cli(
            "classify", "compare", "--train", f"en={world.train}", "--test",
            f"ja={world.japanese}", "--test", f"de={world.german}", "--kb", world.kb,
            "--encoder", world.encoder, "--out", tmp_path / "out", "--seeds", 1, *options,
        )  # fmt: skip

    return run


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_compare_prints_and_writes_its_tables(compare: Any, tmp_path: Path) -> None:
    outcome = compare("--rows=mboe-plus,-emb", "--published", "mldoc", "--json")
    assert outcome.code == 0, outcome.err
    rows = ["encoder", "mboe-plus", "mboe-plus -emb"]
    assert [line["row"] for line in outcome.json["summary"]] == rows
    assert {line["lang"] for line in outcome.json["languages"]} == {"ja", "de"}
    assert outcome.json["published"][0]["row"] == "M-BERT"
    assert (tmp_path / "out" / "summary.csv").read_text().startswith("row,accuracy,")
    shown = (tmp_path / "out" / "comparison.md").read_text()
    assert all(f"| {row} |" in shown for row in rows)
    assert "M-BERT + BoE" in shown
    again = compare("--rows=mboe-plus,-emb")
    assert again.code == 0, again.err
    assert "mboe-plus -emb" in again.out
    assert "on the mean (" in again.out  # the verdict in words
    assert "have a link." in again.out


def test_compare_refuses_before_it_works(compare: Any, tmp_path: Path) -> None:
    assert compare("--rows", "encoder").code == 2
    assert compare("--published", "mldo").code == 2
    assert not (tmp_path / "out").exists()


TUNED = ["--tune", "full"]


class CalledError(Exception):
    """What a command asked for is known."""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], {}),
        (["--pooling", "cls"], {"pooling": "cls"}),
        (["--long-texts", "windows"], {"long_texts": "windows"}),
        (["--tune", "full"], {"tune": "full", "training": {}}),
        (["--tune", "lora"], {"tune": "lora", "training": {}}),
        *(
            ([*TUNED, f"--{name.replace('_', '-')}", value],
             {"tune": "full", "training": {name: value}})
            for name, value in {
                "epochs": 2, "batch_size": 5, "learning_rate": 1e-3, "patience": 2,
                "dev_split": 0.3, "class_weights": "balanced", "max_length": 12,
                "embeddings": "rows", "accumulate": 2, "precision": "bfloat16",
                "average_checkpoints": 2,
            }.items()
        ),
    ],
)  # fmt: skip
def test_options_of_tuning_reach_every_cell(
    compare: Any, monkeypatch: pytest.MonkeyPatch, words: list[object], expected: dict[str, Any]
) -> None:
    asked = spied(monkeypatch)
    with pytest.raises(CalledError):
        compare("--rows=mboe", *words)
    assert asked["options"] == expected
    assert [row.name for row in asked["rows"]] == (
        ["encoder of mboe" if "--tune" in words else "encoder", "mboe"]
    )
    assert asked["fallback_lang"] is None


def test_languages_of_names_and_of_a_column_reach_every_cell(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = spied(monkeypatch)
    rows = [(*row, lang) for lang, some in (("ja", JAPANESE), ("de", GERMAN)) for row in some]
    test = write_tsv(tmp_path / "test.tsv", rows, header="label\ttext\tl")
    train = write_tsv(tmp_path / "t.tsv", [(*row, "en") for row in TRAIN], header="label\ttext\tl")
    with pytest.raises(CalledError):
        cli(
            "classify", "compare", "--train", train, "--test", test, "--lang-column", "l",
            "--kb", world.kb, "--encoder", world.encoder, "--out", tmp_path / "out",
            "--fallback-lang", "eng",
        )  # fmt: skip
    assert asked["fallback_lang"] == "en"
    assert asked["tests"].langs == ["ja"] * len(JAPANESE) + ["de"] * len(GERMAN)


def spied(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what will be asked of `compare`, which does nothing."""
    asked: dict[str, Any] = {}

    def spy(train: Any, tests: Any, **arguments: Any) -> Any:
        asked.update(arguments, train=train, tests=tests)
        raise CalledError

    monkeypatch.setattr(comparison, "compare", spy)
    return asked


def sets(rows: list[tuple[str, str]], encoding: str, path: Path) -> Path:
    """Write label sets: those of the rows, and 'world' where a place is named."""
    both = [
        [label, "world"] if any(name in text for name in ("Tokyo", "Germany", "東京")) else [label]
        for label, text in rows
    ]
    if encoding == "columns":
        names = ("money", "sport", "world")
        flags = [tuple(str(int(name in one)) for name in names) for one in both]
        made = [(text, *flag) for flag, (_, text) in zip(flags, rows, strict=True)]
        return write_tsv(path, made, header="text\t" + "\t".join(names))
    made = [("|".join(one), text) for one, (_, text) in zip(both, rows, strict=True)]
    return write_tsv(path, made, header="labels\ttext")


def test_standard_output_is_no_folder(refuse: Refuse, world: World) -> None:
    words = ["--train", f"en={world.train}", "--test", f"ja={world.japanese}", "--kb", world.kb]
    sentence = refuse("classify", "compare", *words, "--encoder", world.encoder, "--out", "-")
    assert "standard output is no place for a folder" in sentence


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
@pytest.mark.parametrize(
    ("encoding", "rows", "n_rows"),
    [("separator", "mboe,mboe-plus,-emb,-att,mean", 9), ("columns", "mboe-plus", 2)],
)
def test_label_sets_are_compared_by_f1(
    cli: Run, world: World, tmp_path: Path, encoding: str, rows: str, n_rows: int
) -> None:
    train, dev, japanese, german = (
        sets(labelled, encoding, tmp_path / f"{name}.tsv")
        for name, labelled in (("train", TRAIN), ("dev", TRAIN), ("ja", JAPANESE), ("de", GERMAN))
    )
    words = [
        "classify", "compare", "--train", f"en={train}", "--test", f"ja={japanese}", "--test",
        f"de={german}", "--kb", world.kb, "--encoder", world.encoder, "--out", tmp_path / "out",
        "--seeds", 2, "--rows", rows, "--multilabel", "--thresholds",
        "tuned", "--dev", f"en={dev}", *(["--label", "money,sport,world"]
        if encoding == "columns" else ["--label-separator", "|"]),
    ]  # fmt: skip
    outcome = cli(*words, "--json")
    assert outcome.code == 0, outcome.err
    lines = {line["row"]: line for line in outcome.json["summary"]}
    assert len(lines) == n_rows
    for line in lines.values():
        for name in ("micro_f1", "macro_f1", "difference", "macro_difference"):
            assert line[f"{name}_low"] <= line[name] <= line[f"{name}_high"]
        assert 0 <= line["dev"] <= 1
        assert "accuracy" not in line
    alone = lines["encoder"]
    assert (alone["difference"], alone["macro_difference"]) == (0, 0)
    gain = lines["mboe-plus"]["micro_f1"] - alone["micro_f1"]
    assert lines["mboe-plus"]["difference"] == pytest.approx(gain)
    assert {line["lang"] for line in outcome.json["languages"]} == {"ja", "de"}
    shown = (tmp_path / "out" / "comparison.md").read_text("utf-8")
    assert "Micro and macro F1" in shown
    made = {file: file.read_bytes() for file in (tmp_path / "out" / "cells").iterdir()}
    next(iter(made)).unlink()
    outcome_again = cli(*words, "--json")
    assert outcome_again.code == 0, outcome_again.err
    again = outcome_again.json
    kept = [{**line, "fit_seconds": 0} for line in again["summary"]]
    assert kept == [{**line, "fit_seconds": 0} for line in outcome.json["summary"]]
    plain = cli(*(word for word in words if word not in ("--multilabel", "--thresholds", "tuned",
                                                         "--label-separator", "|")))  # fmt: skip
    assert plain.code == 2  # the same folder is not mixed with labels of another kind
