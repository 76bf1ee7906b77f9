"""A command over parts killed in the midst of its work: the same command ends it as if unbroken."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_world import World
from killed_commands import AFTERWARDS, beside_parts, said_by, tables_in, wait_for

from isogloss.cli.main import main

N_PARTS, N_ROWS = 10, 300


@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGKILL")
def test_names_linked_after_a_kill_are_those_of_an_unbroken_run(
    world: World, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    for part in range(N_PARTS):
        rows = [f"{part}-{row},東京の税金 {row % 97}\n" for row in range(N_ROWS)]
        (tmp_path / "in" / f"{part}.csv").write_text("id,text\n" + "".join(rows), "utf-8")
    words = ["kb", "link", str(world.kb), str(tmp_path / "in"), "--lang", "ja", "--out"]
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert main([*words, str(whole)]) == 0
    command = [sys.executable, "-m", "isogloss", *words, str(out)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    wait_for(lambda: len(list(out.glob("*.parquet"))) >= 2, process)
    process.kill()
    assert process.wait() == -signal.SIGKILL, said_by(process)
    said_by(process)
    made, unbroken = tables_in(out), tables_in(whole)
    assert 2 <= len(made) < N_PARTS
    assert all(unbroken[name].equals(table) for name, table in made.items())
    kept = {name: (out / name).stat().st_ino for name in made}
    assert main([*words, str(out)]) == 0
    made = tables_in(out)
    assert made.keys() == unbroken.keys()
    assert all(unbroken[name].equals(table) for name, table in made.items())
    assert {name: (out / name).stat().st_ino for name in kept} == kept  # not made again
    assert beside_parts(out) == AFTERWARDS
