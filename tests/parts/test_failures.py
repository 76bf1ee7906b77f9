"""Failures are noted one by one, at the end of a file, and put in order when the run is over."""

import errno
import itertools
import os
from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.parts import folder
from isogloss.parts.folder import FAILED, Failure, note_failure, read_failures, settle_failures


def failure(part: str, sentence: str = "no") -> Failure:
    return Failure(part, None, sentence)


def test_the_last_failure_of_each_part_is_kept_in_order(tmp_path: Path) -> None:
    for part, sentence in (("b", "1"), ("a", "2"), ("b", "3"), ("c", "4")):
        note_failure(tmp_path, failure(part, sentence))
    found = [failure("a", "2"), failure("b", "3"), failure("c", "4")]
    assert read_failures(tmp_path) == found
    assert len((tmp_path / FAILED).read_bytes().splitlines()) == 4
    settle_failures(tmp_path, ["c", "none"])
    assert read_failures(tmp_path) == found[:2]
    assert len((tmp_path / FAILED).read_bytes().splitlines()) == 2
    settle_failures(tmp_path, ["a", "b"])
    assert not (tmp_path / FAILED).exists()
    settle_failures(tmp_path, ["a"])


def test_a_failure_is_written_without_those_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read(_: Path) -> list[Failure]:
        raise AssertionError("all would be read for each")

    monkeypatch.setattr(folder, "read_failures", read)
    lengths = []
    for number in range(20):
        note_failure(tmp_path, failure(f"{number:02}"))
        lengths.append((tmp_path / FAILED).stat().st_size)
    assert len({after - before for before, after in itertools.pairwise(lengths)}) == 1


def test_a_torn_last_line_is_none_and_is_written_over(tmp_path: Path) -> None:
    for torn in (b'{"part": "a', b"{"):
        note_failure(tmp_path, failure("a"))
        whole = (tmp_path / FAILED).read_bytes()
        (tmp_path / FAILED).write_bytes(whole + torn)
        assert read_failures(tmp_path) == [failure("a")]
        note_failure(tmp_path, failure("b"))
        assert read_failures(tmp_path) == [failure("a"), failure("b")]
        (tmp_path / FAILED).write_bytes(torn)
        settle_failures(tmp_path, [])
        assert not (tmp_path / FAILED).exists()


def test_no_room_for_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note_failure(tmp_path, failure("a"))

    def full(_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder, "_n_whole", full)
    with pytest.raises(InputError, match=r"_failed\.jsonl: could not be written: No space left"):
        note_failure(tmp_path, failure("b"))
    assert read_failures(tmp_path) == [failure("a")]
