"""What is said of a part is said with its name, whoever makes it; of many parts the first few."""

import logging
import os
import sys
from pathlib import Path

import pytest
from counted_parts import job_of, write_parts
from repository import HELPERS

from isogloss.parts.executors import Executor, Processes, Serial
from isogloss.parts.finding import find_parts
from isogloss.parts.run import run_parts
from isogloss.progress import logger, talk_noted

OFF = "an apostrophe before 2 cells (--excel puts it) was taken off"


@pytest.fixture(autouse=True)
def _heard(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "isogloss")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*sys.path, str(HELPERS)]))


def said_by(executor: Executor, folder: Path, out: Path) -> list[str]:
    """Return the notes of a run, without where its parts lie."""
    parts = find_parts(str(folder), out).parts
    report = run_parts(job_of(), parts, out, executor)
    assert report.states == {"made": len(parts)}
    return [note.replace(f"{folder}/", "") for note in (*report.talk.first, *report.warnings.first)]


def test_no_note_is_lost_with_workers(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = write_parts(tmp_path / "in", 1)
    (folder / "a.csv").write_text("text\n'=1\nb\n'-2\n", "utf-8-sig")
    (folder / "b.jsonl").write_text('{"id": "\\ud800", "text": "half"}\n', "utf-8")
    alone = said_by(Serial(), folder, tmp_path / "alone")
    assert alone[0] == f"a.csv: a.csv: {OFF}"
    assert alone[1].startswith("b.jsonl: ")
    assert len(alone) == 2
    assert caplog.messages.count(f"a.csv: {folder}/a.csv: {OFF}") == 1  # with its name alone
    caplog.clear()
    assert said_by(Processes(2), folder, tmp_path / "two") == alone
    assert caplog.messages.count(f"a.csv: {folder}/a.csv: {OFF}") == 1


def test_talk_does_not_take_the_place_of_what_was_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "in").mkdir()
    for number in range(5):
        (tmp_path / "in" / f"{number}.csv").write_text("text\n'=1\n'-2\n", "utf-8-sig")
    (tmp_path / "in" / "z.jsonl").write_text('{"id": "\\ud800", "text": "half"}\n', "utf-8")
    said = said_by(Serial(), tmp_path / "in", tmp_path / "out")
    assert [note[:2] for note in said] == ["0.", "1.", "2.", "z."]
    assert "… and 2 more such notes" in caplog.messages


def test_what_is_no_information_is_said_at_once(caplog: pytest.LogCaptureFixture) -> None:
    level = logger.level
    with talk_noted() as noted:
        logger.info("kept %d", 1)
        logger.warning("at once")
        logging.getLogger("isogloss.compiling").warning("compiling")
    logger.warning("after")
    assert (noted, logger.level) == (["kept 1"], level)
    assert caplog.messages == ["at once", "compiling", "after"]
