"""What long work says: a bar or a spinner on a terminal, lines elsewhere."""

import sys

import pytest

from isogloss.progress import activity


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
