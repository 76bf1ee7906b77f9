"""Failures are noted one by one, at the end of a file, and put in order when the run is over."""

import errno
import itertools
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from counted_parts import job_of, write_parts

from isogloss.errors import InputError, warn_omitted
from isogloss.parts import folder, work
from isogloss.parts.executors import Serial
from isogloss.parts.finding import find_parts
from isogloss.parts.folder import FAILED, Failure, note_failure, read_failures, settle_failures
from isogloss.parts.run import run_parts


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


def test_warnings_of_any_kind_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = write_parts(tmp_path / "in", 1)
    run_part = work.run_part

    def warned(*given: Any, **how: Any) -> Any:
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
        warn_omitted("2 texts cut")
        return run_part(*given, **how)

    monkeypatch.setattr(work, "run_part", warned)
    with warnings.catch_warnings():
        warnings.simplefilter("default", RuntimeWarning)
        report = run_parts(
            job_of(), find_parts(str(inside), tmp_path / "out").parts, tmp_path / "out", Serial()
        )
    assert report.warnings.first == [
        "00.parquet: 2 texts cut", "00.parquet: RuntimeWarning: overflow",
    ]  # fmt: skip


def test_no_room_for_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note_failure(tmp_path, failure("a"))

    def full(_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder, "_n_whole", full)
    with pytest.raises(InputError, match=r"_failed\.jsonl: could not be written: No space left"):
        note_failure(tmp_path, failure("b"))
    assert read_failures(tmp_path) == [failure("a")]
