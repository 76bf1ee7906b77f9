"""The package in an empty environment: alone, with the extra of the demo, then with each other."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from newcomer import EXTRAS, LACKS, RUN, WALK, write_inputs
from repository import ROOT

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]


class Environment:
    """A new virtual environment, in which nothing of this one is seen."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        hidden = {"PYTHONPATH", "VIRTUAL_ENV", "PYTHONHOME"}
        self._env = {name: value for name, value in os.environ.items() if name not in hidden}
        self._env["XDG_CACHE_HOME"] = str(folder / "cache")

    def python(self, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        """Run its Python outside the clone."""
        return subprocess.run(
            [self._python, *words], cwd=self._folder, env=self._env, text=True,
            capture_output=True, check=False, input=given,
        )  # fmt: skip

    def run(self, *commands: list[str]) -> list[tuple[int, str, str]]:
        """Run commands of isogloss; return exit code, output and talk of each."""
        ended = self.python("-c", RUN, given=json.dumps(commands))
        assert ended.returncode == 0, ended.stderr
        return [tuple(one) for one in json.loads(ended.stdout)]

    def pip(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.python("-m", "pip", *words, "--quiet", "-c", str(ROOT / "constraints.txt"))


def test_the_package_alone_and_with_each_extra(tmp_path: Path) -> None:
    environment = Environment(tmp_path)
    if environment.pip("download", "--no-deps", "-d", str(tmp_path), "filelock").returncode:
        pytest.skip("no package index can be reached")
    installed = environment.pip("install", str(ROOT))
    assert installed.returncode == 0, installed.stderr
    walked = environment.python("-c", WALK)
    assert walked.returncode == 0, walked.stderr
    write_inputs(tmp_path)
    commands = {lack.extra: lack.words_in(tmp_path) for lack in LACKS}
    for lack, ended in zip(LACKS, environment.run(*commands.values()), strict=True):
        assert lack.is_said_by(*ended), ended
    for extra in EXTRAS:
        installed = environment.pip("install", f"{ROOT}[{extra}]")
        assert installed.returncode == 0, installed.stderr
        ((_, _, err),) = environment.run(commands[extra])
        assert "not installed" not in err
        if extra == "bundled":
            ((code, out, err),) = environment.run(["demo", "--out", str(tmp_path / "demo")])
            assert code == 0, err
            assert "An illustration, not a benchmark" in out
