"""Blank lines, blank rows, and rows without a text in files as a spreadsheet saves them."""

from pathlib import Path

import pytest
from cli_world import TRAIN, Refuse, Run, World, write_file

from isogloss.classify.saving.manifest import read_manifest
from isogloss.cli.classify.labelled import read_labelled
from isogloss.data.documents import FileFormat
from isogloss.data.records import Reading, read_records
from isogloss.errors import OmissionWarning

pytestmark = pytest.mark.usefixtures("loaded_once")


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    """The training rows with a blank line, a blank row, and two labels without a text."""
    rows = [f'{label};"{text}"' for label, text in TRAIN]
    (first, _), (last, _) = TRAIN[0], TRAIN[-1]
    lines = ["label;text", *rows[:2], "", *rows[2:4], ";", f"{first};", f"{last}; ", *rows[4:], ";"]
    return write_file(tmp_path / "tickets.csv", "\r\n".join([*lines, "", ""]))


def test_fit_learns_from_what_has_a_text_and_says_what_has_none(
    cli: Run, refuse: Refuse, world: World, tickets: Path, tmp_path: Path
) -> None:
    words = ["classify", "fit", "--train", f"en={tickets}", "--encoder", world.encoder]
    outcome = cli(*words, "--out", tmp_path / "model")
    assert outcome.code == 0, outcome
    said = outcome.err
    assert f"{tickets}: 2 blank rows passed over (lines 4, 7): nothing stands there" in said
    assert f"{tickets}: 2 rows without a text left out (lines 8, 9): the label teaches" in said
    assert "without a word" not in said
    about = read_manifest(tmp_path / "model")
    assert [file.rows for file in about.data] == [{"en": len(TRAIN)}]
    assert "2 blank rows passed over" in refuse(*words, "--out", tmp_path / "no", "--strict")


@pytest.mark.parametrize("option", ["--train", "--dev", "--test"])
def test_rows_without_a_text_are_scored_but_not_learned_from(option: str, tmp_path: Path) -> None:
    rows = '{"text": "", "label": "a", "id": 1}\n{"text": "b", "label": "b", "id": 2}\n'
    path = write_file(tmp_path / "a.jsonl", rows)

    def read() -> tuple[list[str], list[str], list[str | None], list[str | None]]:
        (found,) = read_labelled({option: [f"en={path}"]}, format=FileFormat(), lang=None)
        return found.columns()

    if option == "--test":
        assert read() == (["", "b"], ["a", "b"], ["en", "en"], ["1", "2"])
        return
    with pytest.warns(OmissionWarning, match=r"a\.jsonl: 1 row without a text left out \(line 1\)"):
        assert read() == (["b"], ["b"], ["en"], ["2"])


def test_rows_that_come_back_are_all_there(
    cli: Run, world: World, tickets: Path, tmp_path: Path
) -> None:
    out = tmp_path / "answered.csv"
    words = [
        "classify",
        "predict",
        world.model,
        tickets,
        "--lang",
        "en",
        "--out",
        out,
        "--prefix",
        "x_",
    ]
    assert cli(*words).code == 0
    records = read_records(out, Reading())
    columns = {name: records.values(at) for at, name in enumerate(records.columns)}
    at_rows = [row for row, status in enumerate(columns["x_status"]) if status == "empty"]
    assert at_rows == [2, 5, 6, 7, len(TRAIN) + 4]  # all but the blank lines at the end
    assert len(records.lines) == len(TRAIN) + 5
