"""``isogloss classify predict`` of several blocks: lines as they are ready, totals once."""

from pathlib import Path

import pytest
from cli_world import Run, World

from isogloss.cli.classify.predict import ROWS

TEXTS = ["Steuer und Preise", "Fußball"] * (ROWS // 2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two blocks; each has an empty text and a text of no known language."""
    rows = [("de", text) for text in [*TEXTS[:-2], "", "Tennis", *TEXTS[:2], ""]]
    rows[0] = rows[-2] = ("", "Bank")
    lines = "".join(f"{lang}\t{text}\n" for lang, text in rows)
    (tmp_path / "texts.tsv").write_text(f"lang\ttext\n{lines}", "utf-8")
    return tmp_path / "texts.tsv"


def test_blocks_change_no_answer_and_warnings_come_once(cli: Run, world: World, file: Path) -> None:
    words = ["classify", "predict", world.model, file, "--lang-column", "lang"]
    lines = cli(*words)
    whole = cli(*words, "--json")
    rows = whole.json["rows"]
    assert lines.code == 0, lines.err
    assert len(lines.lines) == len(rows) == ROWS + 3
    assert [line.partition("\t")[0] for line in lines.lines] == [row["label"] for row in rows]
    assert sorted(lines.talk) == sorted(whole.talk)
    assert "2 texts empty: the label is a guess from nothing" in lines.err
    assert f"2 of {ROWS + 3} texts have no known language" in lines.err


def test_what_was_read_before_a_fault_is_printed(cli: Run, world: World, file: Path) -> None:
    file.write_text(file.read_text("utf-8") + "de\ttoo\tmany\n", "utf-8")
    outcome = cli("classify", "predict", world.model, file, "--lang-column", "lang")
    assert outcome.code == 2
    assert len(outcome.lines) == ROWS - 1  # the header is a line of the first block
    assert outcome.talk[-1].startswith(f"isogloss: {file}:{ROWS + 5}: ")


def test_strict_prints_nothing_of_the_block_with_an_omission(
    cli: Run, world: World, file: Path
) -> None:
    text = file.read_text("utf-8").replace("\n\tBank", "\nde\tBank", 1)  # of the first block
    file.write_text(text, "utf-8")
    words = ["classify", "predict", world.model, file, "--lang-column", "lang", "--strict"]
    outcome = cli(*words)
    assert outcome.code == 2
    assert len(outcome.lines) == ROWS - 1
    assert "1 of 4 texts have no known language" in outcome.talk[-1]
    assert cli(*words, "--json").out == ""
