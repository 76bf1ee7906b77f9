"""`mine filter` on the tiny encoder and the tiny classifier."""

import gzip
from pathlib import Path

import pytest
from cli_world import TRAIN, Refuse, Run, World

ROWS = [  # English, German
    ("A football match in Germany ended late.", "Das Spiel in Deutschland ging spät zu Ende."),
    ("A football match in Germany ended late!", "Das Spiel in Deutschland ging spät zu Ende"),
    ("The tax of 1999 angers the whole country.", "Die Steuer von 1998 ärgert das ganze Land."),
    ("Nobody likes a tax, says the bank.", ""),
    ("Tennis courts stay closed today.", "Tennisplätze bleiben heute geschlossen."),
    ("Fans of football sang in the rain.", "Die Fans sangen im Regen."),
]  # fmt: skip


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    file = tmp_path / "pairs.tsv"
    file.write_text("".join(f"{one}\t{other}\tx\n" for one, other in ROWS), "utf-8")
    return file


def test_each_rule_says_what_it_removed(cli: Run, pairs: Path, tmp_path: Path) -> None:
    words = ["mine", "filter", "--pairs", f"en-de={pairs}", "--out", tmp_path / "kept.tsv"]
    said = cli(*words, "--removed", tmp_path / "removed.tsv", "--json")
    counts = {row["rule"]: row["removed"] for row in said.json["removed"]}
    assert counts == {"empty": 1, "identical": 0, "repeated": 1, "length": 0, "numerals": 1,
                      "language": 0}  # fmt: skip
    assert (said.json["n"], said.json["n_kept"]) == (6, 3)
    assert "3 of 6 pairs kept" in said.err
    kept = [line.split("\t") for line in (tmp_path / "kept.tsv").read_text("utf-8").splitlines()]
    assert [tuple(row) for row in kept] == [ROWS[0], ROWS[4], ROWS[5]]
    removed = (tmp_path / "removed.tsv").read_text("utf-8").splitlines()
    assert [line.partition("\t")[0] for line in removed] == ["repeated", "numerals", "empty"]
    only = cli(*words, "--rules", "empty,numerals", "--overwrite")
    assert "numerals" in only.out
    assert "repeated" not in only.out
    assert "4 of 6 pairs kept" in only.err


def test_a_share_a_threshold_and_a_precision(
    cli: Run, world: World, pairs: Path, tmp_path: Path
) -> None:
    words = ["mine", "filter", "--pairs", f"en-de={pairs}", "--out", tmp_path / "kept.tsv",
             "--encoder", world.encoder, "--overwrite", "--json"]  # fmt: skip
    share = cli(*words, "--keep", 0.67)
    assert share.json["n_kept"] == 2
    assert share.json["removed"][-1] == {"rule": "score", "removed": 1, "share": 1 / 6}
    assert cli(*words, "--threshold", 1).json["n_kept"] == 0
    assert cli(*words, "--threshold", -1).json["n_kept"] == 3
    labelled = tmp_path / "labelled.tsv"
    sample = [(one, one, 1) for one, _ in ROWS[:4]] + [(ROWS[0][0], "東京 🙂", 0)]
    labelled.write_text("".join(f"{one}\t{other}\t{label}\n" for one, other, label in sample))
    chosen = cli(*words, "--precision", 1, "--labelled", labelled)
    assert "keeps 4 of 5 labelled pairs with a precision of 1.000 [" in chosen.err
    assert chosen.json["n_kept"] == 0  # none is as near as a sentence to itself


def test_texts_of_one_language_and_a_classifier(cli: Run, world: World, tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("\n".join([*(text for _, text in TRAIN), "Short", "see www.example.org now"]))
    words = ["mine", "filter", "--mono", f"en={file}", "--out", tmp_path / "kept.txt", "--json"]
    assert cli(*words).json["n_kept"] == len(TRAIN)
    assert (tmp_path / "kept.txt").read_text().splitlines() == [text for _, text in TRAIN]
    by_model = [*words, "--overwrite", "--model", world.alone]
    labels = {
        label: cli(*by_model, "--keep-label", label).json["n_kept"] for label in ("sport", "money")
    }
    assert sum(labels.values()) == len(TRAIN)
    assert min(labels.values()) > 0
    found = cli("classify", "predict", world.alone, tmp_path / "kept.txt", "--lang", "en")
    assert {line.split("\t")[0] for line in found.lines} == {"money"}


def test_sides_in_another_order_are_said(cli: Run, pairs: Path, tmp_path: Path) -> None:
    words = ["mine", "filter", "--out", tmp_path / "o", "--rules", "language", "--overwrite"]
    said = "most pairs are surely in another language than was said"
    assert said in cli(*words, "--pairs", f"de-en={pairs}").err
    assert said not in cli(*words, "--pairs", f"en-de={pairs}").err


def test_a_language_that_cannot_be_told_is_said(cli: Run, pairs: Path, tmp_path: Path) -> None:
    said = cli("mine", "filter", "--pairs", f"en-tw={pairs}", "--out", tmp_path / "o", "--json")
    assert said.json["n_language_unknown"] == 3
    assert "language of 3 pairs was not looked at" in said.err


def test_what_cannot_be_done_is_one_sentence(
    refuse: Refuse, world: World, pairs: Path, tmp_path: Path
) -> None:
    out = ["--out", tmp_path / "o"]
    words = ["mine", "filter", "--pairs", f"en-de={pairs}", *out]
    assert "give what to filter" in refuse("mine", "filter", *out)
    assert "give what to filter" in refuse(*words, "--mono", f"en={pairs}")
    assert "--keep and --threshold both say" in refuse(*words, "--keep", 0.5, "--threshold", 0.5)
    assert "with --labelled FILE" in refuse(*words, "--precision", 0.8)
    assert "give --precision too" in refuse(*words, "--labelled", pairs)
    assert "--encoder is for scores of pairs" in refuse(*words, "--encoder", world.encoder)
    assert "--model is for texts of one language" in refuse(*words, "--model", world.alone)
    assert "no rule 'lenth'; did you mean 'length'" in refuse(*words, "--rules", "lenth")
    mono = ["mine", "filter", "--mono", f"en={pairs}", *out]
    assert "give --keep-label" in refuse(*mono, "--model", world.alone)
    assert "give --model too" in refuse(*mono, "--keep-label", "sport")
    assert "--keep is for pairs" in refuse(*mono, "--keep", 0.5)
    said = refuse(*mono, "--model", world.alone, "--keep-label", "main")
    assert "gives money, sport" in said
    assert "is --out too" in refuse(*words, "--removed", tmp_path / "o")
    assert "choose another --removed" in refuse(*words, "--removed", pairs, "--overwrite")


@pytest.mark.parametrize("what", ["--pairs en-de", "--mono en"])
def test_an_empty_file_is_refused(refuse: Refuse, tmp_path: Path, what: str) -> None:
    (tmp_path / "empty.txt").touch()
    option, name = what.split()
    said = refuse("mine", "filter", option, f"{name}={tmp_path / 'empty.txt'}", "--out",
                  tmp_path / "o", "--removed", tmp_path / "r")  # fmt: skip
    assert "empty.txt: holds no pair to filter" in said or "empty.txt: is empty" in said
    assert not (tmp_path / "o").exists()


def test_a_compressed_side_is_never_replaced(refuse: Refuse, tmp_path: Path) -> None:
    for name in ("en", "de"):
        (tmp_path / f"m.{name}.gz").write_bytes(gzip.compress(b"fox\n"))
    said = refuse("mine", "filter", "--pairs", f"en-de={tmp_path / 'm'}", "--out",
                  tmp_path / "m.de.gz", "--overwrite")  # fmt: skip
    assert "is read by this command" in said
    assert "is a folder" in refuse("mine", "filter", "--pairs", "en-de=/", "--out", tmp_path / "o")
