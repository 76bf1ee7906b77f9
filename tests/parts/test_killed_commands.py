"""`classify predict` of parts, killed, stopped, twice at once, on a full disk: as the unbroken run.

The real command, as a process; moments are drawn over the measured time of the unbroken run.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from killed_commands import (
    AFTERWARDS,
    N_PARTS,
    Task,
    beside_parts,
    children_of,
    made_task,
    refuse_other,
    said_by,
    tables_in,
    wait_for,
)

from isogloss.cli.main import main

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]
ROWS = 8000  # of a part


@dataclass(frozen=True)
class Unbroken:
    """A run to its end."""

    task: Task
    out: Path
    seconds: float


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Unbroken:
    root = tmp_path_factory.mktemp("unbroken")
    task = made_task(root, rows=ROWS)
    start = time.monotonic()
    assert task.run(root / "out")[0] == 0
    return Unbroken(task, root / "out", time.monotonic() - start)


def finish(whole: Unbroken, out: Path, *more: object) -> None:
    """Run the same command to its end, here: its start takes no time; compare what it made."""
    assert main(whole.task.words(out, *more)) == 0
    refuse_other(out, whole.out)


def made_by(said: str) -> int:
    found = re.search(r"(\d+) made", said)
    return 0 if found is None else int(found[1])


def refuse_broken(out: Path, whole: Unbroken) -> int:
    """Compare the parts that are there; return their number."""
    found, its = tables_in(out), tables_in(whole.out)
    for name, table in found.items():
        assert its[name].equals(table)
    return len(found)


def test_kills_of_the_command_at_ten_random_moments(whole: Unbroken, tmp_path: Path) -> None:
    draws, n_killed, n_in_work = random.Random(11), 0, 0
    for number in range(10):
        out = tmp_path / f"out{number}"
        process = whole.task.start(out)
        time.sleep(draws.uniform(0, whole.seconds))
        process.kill()
        n_killed += process.wait() == -signal.SIGKILL
        said_by(process)
        n_in_work += 0 < refuse_broken(out, whole) < N_PARTS
        finish(whole, out)
        shutil.rmtree(out)
    assert n_killed >= 8
    assert n_in_work >= 1


def test_one_run_that_is_killed_again_and_again(whole: Unbroken, tmp_path: Path) -> None:
    """What every start leaves adds up: each run continues what all before left."""
    out, draws = tmp_path / "out", random.Random(5)
    for _ in range(10):
        process = whole.task.start(out, *(["--workers", 2] if draws.random() < 0.3 else []))
        time.sleep(draws.uniform(0.3, 0.6) * whole.seconds)
        process.kill()
        process.wait()
        said_by(process)
    finish(whole, out)


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_of_a_worker_at_five_random_moments(
    whole: Unbroken, tmp_path: Path, seed: int
) -> None:
    draws, n_killed = random.Random(seed), 0
    for number in range(5):
        out = tmp_path / f"out{number}"
        process = whole.task.start(out, "--workers", 2)
        time.sleep(draws.uniform(0, whole.seconds))
        wait_for(lambda: len(children_of(process.pid)) == 2, process)  # noqa: B023
        if workers := children_of(process.pid):
            os.kill(draws.choice(workers), signal.SIGKILL)
        code, said = process.wait(), said_by(process)
        assert code in (0, 2), said
        n_killed += code == 2
        if code == 2:
            assert "a worker process was killed (signal 9), perhaps for lack of memory" in said
            assert "Traceback" not in said
            assert not {*beside_parts(out)} - {"_run.json"}
        refuse_broken(out, whole)
        finish(whole, out)
    assert n_killed >= 3


@pytest.mark.parametrize(
    ("number", "code", "by"),
    [(signal.SIGTERM, 143, "SIGTERM"), (signal.SIGINT, 130, "Ctrl-C"), (signal.SIGHUP, 129, "S")],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_signals_that_stop(
    whole: Unbroken, tmp_path: Path, number: signal.Signals, code: int, by: str, workers: int
) -> None:
    out, draws = tmp_path / "out", random.Random(workers)
    process = whole.task.start(out, "--workers", workers)
    wait_for((out / "_run.json").exists, process)
    time.sleep(draws.uniform(0, whole.seconds / 2))
    process.send_signal(number)
    ended, said = process.wait(), said_by(process)
    assert (ended, f"isogloss: stopped by {by}" in said) == (code, True), said
    assert "nothing is left half-written, and the same command resumes" in said
    assert beside_parts(out) == ["_run.json"]
    assert refuse_broken(out, whole) < N_PARTS
    finish(whole, out)


def test_a_killed_command_whose_workers_are_still_at_it(whole: Unbroken, tmp_path: Path) -> None:
    """They end their part; a run that comes meanwhile waits for it."""
    for number in range(3):
        out = tmp_path / f"out{number}"
        process = whole.task.start(out, "--workers", 2)
        wait_for(lambda: list(out.glob(".*.isogloss-*")), process)  # noqa: B023
        workers = children_of(process.pid)
        process.kill()
        process.wait()
        finish(whole, out)
        said_by(process)
        end = time.monotonic() + 30
        while any(Path(f"/proc/{one}").exists() for one in workers):  # they have nothing to do
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.mark.parametrize("workers", [1, 2])
def test_two_runs_on_the_same_folder_at_once(whole: Unbroken, tmp_path: Path, workers: int) -> None:
    processes = [whole.task.start(tmp_path / "out", "--workers", workers) for _ in range(2)]
    codes = [process.wait() for process in processes]
    said = [said_by(process) for process in processes]
    assert codes == [0, 0], said
    refuse_other(tmp_path / "out", whole.out)
    assert sum(map(made_by, said)) == N_PARTS
    assert all(f"{N_PARTS} parts: " in one for one in said)


def test_two_shards_at_once(whole: Unbroken, tmp_path: Path) -> None:
    out = tmp_path / "out"
    processes = [whole.task.start(out, "--shard", f"{share}/2") for share in (1, 2)]
    codes = [process.wait() for process in processes]
    said = [said_by(process) for process in processes]
    assert codes == [0, 0], said
    refuse_other(out, whole.out)
    assert sum(map(made_by, said)) == N_PARTS
    assert all(f"of {N_PARTS}: " in one for one in said)


@contextmanager
def small_disk(place: Path, options: str) -> Iterator[Path]:
    """Mount a file system of a given size; skips where that is not allowed."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    if os.geteuid() or shutil.which("mount") is None or subprocess.run(mount).returncode:
        pytest.skip("may not mount")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def remount(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_full_disk(whole: Unbroken, tmp_path: Path, workers: int) -> None:
    of_part = max(path.stat().st_size for path in whole.out.glob("*.parquet"))
    with small_disk(tmp_path / "disk", f"size={int(3.5 * of_part) >> 10}k") as disk:
        code, said = whole.task.run(disk / "out", "--workers", workers)
        assert code == 2, said
        assert re.search(r"\d\.parquet: could not be written: .*nothing was kept", said), said
        assert "No space left on device" in said
        assert "Traceback" not in said
        assert beside_parts(disk / "out") == ["_run.json"]
        assert 0 < refuse_broken(disk / "out", whole) < N_PARTS
        shutil.copytree(disk / "out", tmp_path / "elsewhere")
        remount(disk, "size=64m")
        finish(whole, disk / "out")
    finish(whole, tmp_path / "elsewhere")


def test_a_disk_that_is_full_at_any_point(
    whole: Unbroken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of each size up to that of the whole: also where a file beside the parts has no room."""
    n_bytes = sum(path.stat().st_size for path in whole.out.iterdir())
    sizes = [4096, 8192, *(n_bytes * share // 10 for share in range(5, 13)), n_bytes - 3000]
    for number, size in enumerate(sizes):
        with small_disk(tmp_path / f"disk{number}", f"size={size}") as disk:
            out = disk / "out"
            capsys.readouterr()
            code, said = main(whole.task.words(out)), capsys.readouterr().err
            if code:
                assert code == 2, said
                assert "No space left on device" in said, said
                assert len(said.splitlines()[-1]) < 400
                assert not {*beside_parts(out)} - {*AFTERWARDS}, said
            remount(disk, "size=64m")
            finish(whole, out)


def test_no_room_for_names(
    whole: Unbroken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A disk may be full of files, whatever their size."""
    for n_names in range(3, 18, 2):
        with small_disk(tmp_path / f"disk{n_names}", f"size=64m,nr_inodes={n_names}") as disk:
            out = disk / "out"
            capsys.readouterr()
            code, said = main(whole.task.words(out)), capsys.readouterr().err
            if code:
                assert code == 2, said
                assert "No space left on device" in said, said
                assert not {*beside_parts(out)} - {*AFTERWARDS}, said
            remount(disk, "nr_inodes=1000")
            finish(whole, out)


def test_a_folder_that_is_read_only(
    whole: Unbroken, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_disk(tmp_path / "disk", "size=64m") as disk:
        process = whole.task.start(disk / "out")
        wait_for(lambda: len(list((disk / "out").glob("*.parquet"))) >= 2, process)
        process.kill()
        process.wait()
        said_by(process)
        remount(disk, "ro")
        before = sorted(disk.rglob("*"))
        capsys.readouterr()
        for words in (whole.task.words(disk / "out"), whole.task.words(disk / "new")):
            assert main(words) == 2
            said = capsys.readouterr().err
            assert "is not writable (Read-only file system); choose another --out" in said, said
        assert sorted(disk.rglob("*")) == before
        shutil.copytree(disk / "out", tmp_path / "elsewhere")
        remount(disk, "rw")
        finish(whole, disk / "out")
    finish(whole, tmp_path / "elsewhere")


def test_a_file_that_may_not_grow(whole: Unbroken, tmp_path: Path) -> None:
    """The same without a disk of its own, which not everyone may mount."""
    of_part = min(path.stat().st_size for path in whole.out.glob("*.parquet"))
    limit = f'ulimit -f {of_part // 2048}; exec "$@"'
    words = whole.task.words(tmp_path / "out")
    command = ["bash", "-c", limit, "bash", sys.executable, "-m", "isogloss", *words]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert ended.returncode == 2, ended.stderr
    assert re.search(r"0\.parquet: could not be written: .*File too large", ended.stderr)
    assert beside_parts(tmp_path / "out") == ["_run.json"]
    finish(whole, tmp_path / "out")


def test_the_summary_counts_each_row_once(whole: Unbroken) -> None:
    summary = json.loads((whole.out / "_summary.json").read_text("utf-8"))
    assert summary["data"]["n_rows"] == N_PARTS * ROWS
    ids = [one for table in tables_in(whole.out).values() for one in table["id"].to_pylist()]
    assert ids == list(range(N_PARTS * ROWS))
