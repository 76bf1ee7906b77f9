"""What long work says: a bar or a spinner on a terminal, lines elsewhere."""

import sys

import pytest

from isogloss.progress import activity, progress, silent_parts


def test_activity_is_a_line_where_there_is_no_terminal(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="isogloss")
    with activity("learning [it]"):
        assert [record.message for record in caplog.records] == ["learning [it]"]
    assert len(caplog.records) == 1


def test_activity_is_shown_and_wiped_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", logger="isogloss")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with activity("learning it"):
        pass
    shown = capsys.readouterr()
    assert "learning it" in shown.err
    assert shown.out == ""
    assert caplog.records == []


@pytest.mark.parametrize("is_terminal", [False, True])
def test_parts_of_a_work_are_silent(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    is_terminal: bool,
) -> None:
    caplog.set_level("INFO", logger="isogloss")
    monkeypatch.setattr("isogloss.progress.SECONDS_BETWEEN_LINES", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal)
    with progress("all", 2, "parts") as advance:
        with silent_parts(), activity("a part"), progress("tokens", 9, "tokens") as inside:
            inside(9)
        advance(1)
    assert "a part" not in capsys.readouterr().err
    said = [record.message for record in caplog.records]
    assert [one.partition(",")[0] for one in said] == ([] if is_terminal else ["all: 1 of 2 parts"])
