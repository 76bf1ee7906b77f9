"""The Containerfile names what is there, has no root, and takes what its page says."""

import inspect
import json
import re
import tomllib
from fnmatch import fnmatch

import pytest
from repository import ROOT

from isogloss.cli.serving.serve import PORT

KNOWN = {"ARG", "FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "ENTRYPOINT", "EXPOSE",
         "HEALTHCHECK", "CMD"}  # fmt: skip
PAGE = (ROOT / "docs" / "production.md").read_text("utf-8")


def instructions() -> list[tuple[str, str]]:
    """Return the words and arguments of the Containerfile's instructions, in their order."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text("utf-8"), flags=re.M)
    lines = [line.split(maxsplit=1) for line in text.replace("\\\n", " ").splitlines() if line]
    return [(word, rest) for word, rest in lines]


def last(word: str) -> str:
    """Return the arguments of the last instruction of that word."""
    return [rest for one, rest in instructions() if one == word][-1]


def kept(name: str) -> bool:
    """Say whether a file of the root is sent to the build, as the last rule that fits says."""
    rules = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    fitting = [rule for rule in rules if rule and fnmatch(name, rule.removeprefix("!"))]
    return fitting[-1].startswith("!")


def test_every_instruction_is_known_and_lists_are_json() -> None:
    assert {word for word, _ in instructions()} <= KNOWN
    for rest in (last("ENTRYPOINT"), last("CMD"), last("HEALTHCHECK").partition("CMD ")[2]):
        assert all(isinstance(one, str) for one in json.loads(rest))


def test_what_the_package_is_built_from_is_sent_and_nothing_else() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = ["src", "pyproject.toml", "constraints.txt", settings["readme"]]
    for name in [*needed, *settings["license-files"]]:
        assert kept(name), name
        assert (ROOT / name).exists(), name
    rules = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    assert all((ROOT / rule[1:]).exists() for rule in rules if rule.startswith("!"))
    assert not any(kept(name) for name in ("model", "kb", "token", ".git", ".venv", "src.zip"))


def test_it_is_not_run_by_root_and_the_page_names_its_user() -> None:
    runs = "\n".join(rest for word, rest in instructions() if word == "RUN")
    ((uid, name),) = re.findall(r"useradd .*--uid (\d+) (\w+)", runs)
    assert name == last("USER") != "root"
    assert f"user {uid}" in PAGE


def test_its_health_is_asked_where_the_server_answers() -> None:
    pytest.importorskip("fastapi")
    from isogloss.serve import application

    (port, path) = re.findall(r"http://127\.0\.0\.1:(\d+)(/\w+)", last("HEALTHCHECK"))[0]
    assert int(port) == int(last("EXPOSE")) == PORT
    assert f'"{path}"' in inspect.getsource(application)
    assert f"GET {path}" in PAGE


def test_the_page_names_its_arguments_and_volumes() -> None:
    names = {rest.partition("=")[0] for word, rest in instructions() if word == "ARG"}
    assert set(re.findall(r"--build-arg (\w+)=", PAGE)) == names
    assert json.loads(last("CMD"))[2] == "/model"
    assert ":/model:ro" in PAGE
    assert "--read-only --tmpfs /tmp --cap-drop all" in PAGE
    built, used = re.findall(
        r"NUMBA_CACHE_DIR=(\S+)", "\n".join(rest for _, rest in instructions())
    )
    assert f"cp -r {built} {used.rpartition('/')[0]} &&" in last("ENTRYPOINT")
