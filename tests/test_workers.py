"""Worker processes: faults are one sentence with any number of them; stages leave no scratch."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.storage.array_file import map_arrays, new_arrays, write_arrays
from isogloss.workers import make_of_parts, map_blocks, scratch_of

FAULTS = {
    "a full disk": ("raise OSError(28, 'No space left on device')", "^No space left on device; "),
    "a file": ("open('nowhere')", "^nowhere: No such file or directory; "),
    "a fault of the input": ("raise InputError('is odd', path='x')", "^x: is odd$"),
    "no memory": ("raise MemoryError", "give a smaller --workers"),
}


def module_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> str:
    (tmp_path / f"{name}.py").write_text(f"from isogloss.errors import InputError\n{text}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    return name


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("where", ["begin", "work"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_a_worker_is_one_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    workers: int,
    where: str,
    fault: str,
) -> None:
    statement, message = FAULTS[fault]
    in_work = f"        {statement}\n" if where == "work" else ""
    at_begin = f"    {statement}\n" if where == "begin" else ""
    text = f"def worker(_):\n{at_begin}    def work(block):\n{in_work}        return block\n"
    name = f"faulty_{where}_{list(FAULTS).index(fault)}_{workers}"
    module = module_of(tmp_path, monkeypatch, name, f"{text}    return work")
    # More than a pipe holds, so that a worker that ended at once does not read it.
    blocks = [b"a" * 300_000] * 5
    with pytest.raises(InputError, match=message):
        list(map_blocks(module, None, blocks, bytes, workers=workers))
    assert capfd.readouterr().err == ""


def test_a_bug_in_a_worker_is_no_fault_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    module = module_of(tmp_path, monkeypatch, "buggy", "def worker(_):\n    return lambda _: 1 / 0")
    with pytest.raises(RuntimeError, match="a worker process ended with exit status 1"):
        list(map_blocks(module, None, [b"a"], bytes, workers=2))
    assert "ZeroDivisionError" in capfd.readouterr().err


COUNTING = """
import json
from pathlib import Path
def worker(_):
    def work(task):
        number, out = json.loads(task)
        Path(out).write_text(str(number))
        return b""
    return work
"""


def sum_into(out: Path) -> Callable[[list[Path]], None]:
    def join(made: list[Path]) -> None:
        (made[0].parent / "on the way").write_text("x")
        temporary = out.with_name("sum.new")
        temporary.write_text(json.dumps(sum(int(path.read_text()) for path in made)))
        temporary.replace(out)

    return join


@pytest.mark.parametrize("name", ["unlink", "rmdir"])
def test_nothing_is_left_of_a_stage_wherever_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Stopped before each removal, which comes after the file that was to be made."""
    module = module_of(tmp_path, monkeypatch, "counting_up", COUNTING)
    out = tmp_path / "sum.bin"

    def make() -> None:
        tasks = [[number] for number in range(4)]
        make_of_parts(out, module, None, tasks, sum_into(out), workers=1, doing="adding")

    real, n_stops = getattr(os, name), 0
    while True:
        n_left = n_stops

        def stopping(*words: Any, **named: Any) -> None:
            nonlocal n_left
            n_left -= 1
            if n_left < 0:
                raise KeyboardInterrupt
            real(*words, **named)

        with monkeypatch.context() as patched:
            patched.setattr(os, name, stopping)
            try:
                make()
                break
            except KeyboardInterrupt:
                n_stops += 1
        assert out.read_text() == "6"
        make()
        assert not scratch_of(out).exists()
        out.unlink()
    assert n_stops == (5 if name == "unlink" else 1)


LIMITED = """
import resource, sys
from pathlib import Path
import numpy as np
from isogloss.errors import InputError
from isogloss.storage.array_file import new_arrays, write_arrays
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
path = Path(sys.argv[1])
try:
    if sys.argv[2] == "mapped":
        with new_arrays(path, {"a": (np.int64, 1_000_000)}) as arrays:
            arrays["a"][:] = 1
    else:
        write_arrays(path, {"a": np.ones(1_000_000, np.int64)})
except InputError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of files are Linux's")
@pytest.mark.parametrize("how", ["mapped", "written"])
def test_a_disk_that_is_full_is_one_sentence(tmp_path: Path, how: str) -> None:
    path = tmp_path / "x.bin"
    command = [sys.executable, "-c", LIMITED, str(path), how]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"{path}: could not be written: File too large; ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "posix_fallocate"), reason="room cannot be reserved")
def test_a_mapped_file_has_its_room_before_it_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where room lacks later, the process is killed."""
    sizes = {"a": (np.int64, 1_000_000)}
    with new_arrays(tmp_path / "x", sizes):
        (made,) = tmp_path.iterdir()
        assert made.stat().st_blocks * 512 >= 8_000_000
    (tmp_path / "x").unlink()

    def refusing(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refusing)
    with (
        pytest.raises(InputError, match="x: could not be written: No space left on device"),
        new_arrays(tmp_path / "x", sizes),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_file_systems_that_cannot_reserve_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_: Any) -> None:
        raise OSError(errno.EOPNOTSUPP, "not supported")

    monkeypatch.setattr(os, "posix_fallocate", refusing, raising=False)
    with new_arrays(tmp_path / "x", {"a": (np.int64, 3)}) as arrays:
        arrays["a"][:] = [1, 2, 3]
    assert map_arrays(tmp_path / "x")[0]["a"].tolist() == [1, 2, 3]
    (tmp_path / "y.new").mkdir()
    with pytest.raises(InputError, match="y: could not be written: Is a directory"):
        write_arrays(tmp_path / "y", {})
