"""Runs that are killed, that meet, or find no room: what is there in the end is the whole run's."""

import errno
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from counted_parts import hidden_in, job_of, rows_in, write_parts
from repository import HELPERS

from isogloss.errors import InputError
from isogloss.parts import folder, footer, locks, source
from isogloss.parts.executors import Executor, Processes, Serial
from isogloss.parts.finding import find_parts
from isogloss.parts.folder import SUMMARY
from isogloss.parts.run import RunReport, run_parts
from isogloss.storage import atomic
from isogloss.storage.files import read_json

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="it has no fork")
N_PARTS, PAUSE = 8, 0.01
AFTERWARDS = ["_run.json", "_summary.json"]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "ROWS", 10)  # of a block
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*sys.path, str(HELPERS)]))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "in", N_PARTS)


def make(corpus: Path, out: Path, executor: Executor | None = None, pause: float = 0) -> RunReport:
    parts = find_parts(str(corpus), out).parts
    return run_parts(job_of(pause=pause), parts, out, executor or Serial())


def started(
    corpus: Path, out: Path, executor: Executor | None = None, *, pause: float = PAUSE
) -> int:
    """Start a run in another process, which does not need Python to start anew."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setpgid(0, 0)
            make(corpus, out, executor, pause)
            code = 0
        finally:
            os._exit(code)
    return child


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def children_of(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in listed.read_text("ascii").split()] if listed.exists() else []


def test_kills_at_ten_random_moments(corpus: Path, tmp_path: Path) -> None:
    start = time.monotonic()
    make(corpus, tmp_path / "whole", pause=PAUSE)
    seconds = time.monotonic() - start
    moments = random.Random(7)
    n_killed = 0
    for number in range(10):
        out = tmp_path / "out" if number % 2 else tmp_path / f"out{number}"
        child = started(corpus, out)
        time.sleep(moments.uniform(0, seconds))
        os.kill(child, signal.SIGKILL)
        n_killed += ended(child) == -signal.SIGKILL
        report = None
        if number % 2 == 0 or number == 9:
            report = make(corpus, out)
        if report is not None:
            assert sum(report.states.values()) == N_PARTS
            assert rows_in(out) == rows_in(tmp_path / "whole")
            assert hidden_in(out) == AFTERWARDS
            assert read_json(out / SUMMARY, what="", advice="")["n"] == N_PARTS * 40
    assert n_killed >= 5


@pytest.mark.full
def test_a_worker_that_is_killed(corpus: Path, tmp_path: Path) -> None:
    make(corpus, tmp_path / "whole")
    child = started(corpus, tmp_path / "out", Processes(2))
    end = time.monotonic() + 60
    while not (workers := children_of(child)) and time.monotonic() < end:
        time.sleep(0.01)
    while not list((tmp_path / "out").glob("*.parquet")) and time.monotonic() < end:
        time.sleep(0.001)
    os.kill(workers[0], signal.SIGKILL)
    assert ended(child) == 1  # a sentence, or the run was over
    make(corpus, tmp_path / "out", Processes(2))
    assert rows_in(tmp_path / "out") == rows_in(tmp_path / "whole")
    assert hidden_in(tmp_path / "out") == AFTERWARDS


def test_a_worker_that_was_killed_is_said(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")  # ends at once, with 1
    with pytest.raises(RuntimeError, match="a worker process ended with exit status"):
        make(corpus, tmp_path / "out", Processes(2))
    assert hidden_in(tmp_path / "out") == ["_run.json"]


def test_two_runs_at_once(corpus: Path, tmp_path: Path) -> None:
    make(corpus, tmp_path / "whole")
    for number, pause in enumerate([PAUSE, 0.0, 0.0, 0.0]):  # without one they meet everywhere
        out = tmp_path / f"out{number}"
        children = [started(corpus, out, pause=pause) for _ in range(3)]
        assert [ended(child) for child in children] == [0, 0, 0]
        assert rows_in(out) == rows_in(tmp_path / "whole")
        assert hidden_in(out) == AFTERWARDS


def test_the_summary_of_two_runs_that_end_together_is_of_all_parts(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second run makes its parts when the first has read the footers, and has not written."""
    out, footers, others = tmp_path / "out", folder.footers, []

    def read_and_wait(*given: Any) -> Iterator[footer.PartFooter]:
        yield from footers(*given)
        if others:
            return
        monkeypatch.setattr(folder, "footers", footers)
        others.append(started(corpus, out, pause=0))
        end = time.monotonic() + 30
        while len(list(out.glob("*.parquet"))) < N_PARTS and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(0.5)  # for its summary

    monkeypatch.setattr(folder, "footers", read_and_wait)
    run_parts(job_of(), find_parts(str(corpus), out).parts[:2], out, Serial())
    assert [ended(other) for other in others] == [0]
    assert read_json(out / SUMMARY, what="a summary")["n_parts"] == N_PARTS
    assert hidden_in(out) == AFTERWARDS


def test_a_folder_that_is_removed_meanwhile(corpus: Path, tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match="out: was removed while its parts were made"),
        locks.part_lock(tmp_path / "out", "a", waits=True),
    ):
        pass


def test_a_lock_whose_name_is_another_file_now_keeps_nobody_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, acquire = locks.lock_file(tmp_path, "a"), locks.FileLock.acquire
    n_replaced = 0

    def replaced(lock: Any, *given: Any, **how: Any) -> Any:
        nonlocal n_replaced
        got = acquire(lock, *given, **how)
        if n_replaced < 2:
            n_replaced += 1
            path.rename(tmp_path / f"old{n_replaced}")  # its inode is not used again
            path.touch()
        return got

    monkeypatch.setattr(locks.FileLock, "acquire", replaced)
    with locks.part_lock(tmp_path, "a", waits=True) as is_held:
        assert is_held
        assert n_replaced == 2  # so it was taken a third time
        path.unlink()
        path.touch()
    assert path.exists()  # that of another run
    n_replaced = 1
    locks.clear_locks(tmp_path)
    assert path.exists()
    locks.clear_locks(tmp_path)
    assert not path.parent.exists()


def test_no_room_for_a_part(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(corpus, tmp_path / "whole")
    sync = atomic._sync

    def full(path: Path) -> None:
        if path.name == "03.parquet":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        sync(path)

    with monkeypatch.context() as patch:
        patch.setattr(atomic, "_sync", full)
        with pytest.raises(InputError, match=r"03\.parquet: could not be written: No space left"):
            make(corpus, tmp_path / "out")
    assert len(rows_in(tmp_path / "out")) == 3
    assert hidden_in(tmp_path / "out") == ["_run.json"]
    assert make(corpus, tmp_path / "out").states == {"kept": 3, "made": 5}
    assert rows_in(tmp_path / "out") == rows_in(tmp_path / "whole")


def test_a_file_that_may_not_grow(corpus: Path, tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handled = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, before[1]))
        with pytest.raises(InputError, match="could not be written: "):
            make(corpus, tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handled)
    assert rows_in(tmp_path / "out") == {}
    assert len(make(corpus, tmp_path / "out").states) == 1


def test_a_folder_that_is_read_only(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(corpus, tmp_path / "out")

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "mkdir", read_only)
        with pytest.raises((InputError, OSError), match="Read-only file system"):
            make(corpus, tmp_path / "out")


def test_a_part_that_was_damaged_is_told(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(corpus, out)
    whole = (out / "00.parquet").read_bytes()
    (out / "00.parquet").write_bytes(whole[:-20])
    with pytest.raises(InputError, match="is not a whole Parquet file; remove it, and it is made"):
        make(corpus, out)
    (out / "00.parquet").write_bytes(whole.replace(b'"n_rows": 40', b'"n_rows": 41'))
    with pytest.raises(InputError, match=r"00\.parquet: damaged"):
        make(corpus, out)
    (out / "00.parquet").unlink()
    assert make(corpus, out).states == {"made": 1, "kept": N_PARTS - 1}
    (out / "_run.json").unlink()
    with pytest.raises(InputError, match="holds files that isogloss did not make"):
        make(corpus, out)


def test_a_part_of_another_run_is_refused(corpus: Path, tmp_path: Path) -> None:
    parts = find_parts(str(corpus), tmp_path / "out").parts
    run_parts(job_of(size=1), parts[:1], tmp_path / "other", Serial())
    make(corpus, tmp_path / "out")
    name = parts[0].target
    (tmp_path / "out" / name).write_bytes((tmp_path / "other" / name).read_bytes())
    with pytest.raises(InputError, match=r"is of another run \(size 1, not none\)"):
        make(corpus, tmp_path / "out")
    assert footer.read_footer(tmp_path / "out" / "none.parquet") is None


def test_a_part_of_another_run_without_a_source_is_not_counted(
    corpus: Path, tmp_path: Path
) -> None:
    parts = find_parts(str(corpus), tmp_path / "out").parts
    run_parts(job_of(size=1), parts[:1], tmp_path / "other", Serial())
    make(corpus, tmp_path / "out")
    stray = tmp_path / "out" / "stray.parquet"
    stray.write_bytes((tmp_path / "other" / parts[0].target).read_bytes())
    with pytest.raises(InputError, match=r"stray\.parquet: is of another run \(size 1, not none\)"):
        make(corpus, tmp_path / "out")
    stray.unlink()
    assert make(corpus, tmp_path / "out").states == {"kept": N_PARTS}


def test_nobody_waits_for_workers_when_a_run_ends_early(corpus: Path, tmp_path: Path) -> None:
    (corpus / "00.parquet").write_bytes(b"no")
    parts = find_parts(str(corpus), tmp_path / "out").parts
    start = time.monotonic()
    with pytest.raises(InputError, match="the run ends here under --strict"):
        run_parts(job_of(pause=60, is_strict=True), parts, tmp_path / "out", Processes(2))
    assert time.monotonic() - start < 50
    assert rows_in(tmp_path / "out") == {}
    assert hidden_in(tmp_path / "out") == ["_failed.jsonl", "_run.json"]
