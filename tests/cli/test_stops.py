"""SIGTERM and SIGHUP end a command as Ctrl-C does: cleaned up, said, by the code of the signal."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

RUN = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
import typer
from pathlib import Path
from isogloss.storage.atomic import atomic_directory
from isogloss.cli import main

def writes(out: Path):
    with atomic_directory(out) as folder:
        (folder / "part").write_text("some")
        print("writing", flush=True)
        time.sleep(60)

def hangs():
    from isogloss.cli import stops
    from isogloss.compiled import compiled, interrupts_wait

    @compiled
    def endless(n):
        while n > 0:
            n += 1 - n % 2
        return n

    endless(0)
    with interrupts_wait():
        print("writing", flush=True)
        endless(3)

def waits():
    print("writing", flush=True)
    time.sleep(1)

app = typer.Typer()
for command in (writes, hangs, waits):
    app.command(command.__name__)(command)
main.command_line = lambda words: typer.main.get_command(app)
inner = main.stops_raise
# Where it is to clean up, it has the time to, however busy the machine is.
seconds = 0.5 if sys.argv[1] == "hangs" else 60
main.stops_raise = lambda ends: inner(ends=ends, seconds=seconds)
sys.exit(main.main())
"""


def started(*words: str, before: str = "") -> subprocess.Popen[str]:
    process = subprocess.Popen(
        ["sh", "-c", f'{before} exec "$@"', "sh", sys.executable, "-c", RUN, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


@pytest.mark.parametrize(
    ("number", "by"),
    [(signal.SIGINT, "Ctrl-C"), (signal.SIGTERM, "SIGTERM"), (signal.SIGHUP, "SIGHUP")],
)
def test_a_stopped_command_cleans_up(tmp_path: Path, number: int, by: str) -> None:
    process = started("writes", str(tmp_path / "out"))
    assert len(list(tmp_path.iterdir())) == 1
    process.send_signal(number)
    _, talk = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert talk == f"isogloss: stopped by {by}; nothing is left half-written\n"
    assert list(tmp_path.iterdir()) == []


def test_several_signals_at_once_are_one(tmp_path: Path) -> None:
    process = started("writes", str(tmp_path / "out"))
    for _ in range(20):
        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGHUP)
    _, talk = process.communicate(timeout=30)
    by = {128 + one: one.name for one in (signal.SIGTERM, signal.SIGHUP)}[process.returncode]
    assert talk == f"isogloss: stopped by {by}; nothing is left half-written\n"
    assert list(tmp_path.iterdir()) == []


def test_signals_while_the_command_ends_change_nothing(tmp_path: Path) -> None:
    process = started("writes", str(tmp_path / "out"))
    while process.poll() is None:  # the first stops it; the others come while Python shuts down
        process.send_signal(signal.SIGHUP)
        time.sleep(0.001)
    assert process.communicate(timeout=30)[1].startswith("isogloss: stopped by SIGHUP")
    assert process.returncode == 128 + signal.SIGHUP


def test_an_ignored_signal_stays_ignored() -> None:
    process = started("waits", before="trap '' HUP;")
    process.send_signal(signal.SIGHUP)
    _, talk = process.communicate(timeout=30)
    assert (process.returncode, talk) == (0, "")


def test_no_compiled_loop_holds_a_stop_back_for_ever() -> None:
    process = started("hangs")
    process.send_signal(signal.SIGTERM)
    _, talk = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM
    assert talk.splitlines()[-1].startswith("isogloss: stopped in the middle of a computation")


def test_worker_processes_leave_the_stop_to_their_parent() -> None:
    code = [sys.executable, "-c", (
        "import sys; from isogloss import workers; "
        "workers.worker = lambda settings: (print('ready', file=sys.stderr, flush=True), bytes)[1];"
        "workers._serve('isogloss.workers', 'null')"
    )]  # fmt: skip
    with subprocess.Popen(code, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"ready\n"
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            os.kill(process.pid, number)
        time.sleep(0.2)
        assert process.poll() is None
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(30) == 0


def test_a_signal_in_the_midst_of_another_does_not_wait_for_it() -> None:
    """One comes at each line in turn of what the first does, also where that could hold a lock."""
    again = """
import signal, sys, time
from isogloss.cli.stops import Stopped, stops_raise

def stopped_with_another_at(line):
    n_lines = 0

    def trace(frame, event, argument):
        nonlocal n_lines
        if event == "line":
            n_lines += 1
            if n_lines == line:
                signal.raise_signal(signal.SIGHUP)
        return trace

    try:
        with stops_raise(ends=False, seconds=60):
            sys.settrace(trace)
            signal.raise_signal(signal.SIGTERM)
            time.sleep(60)
    except Stopped:
        sys.settrace(None)
    return n_lines

print(all(stopped_with_another_at(line) for line in range(1, 40)))
"""
    ran = subprocess.run(
        [sys.executable, "-c", again], capture_output=True, text=True, timeout=30, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "True\n", "")
