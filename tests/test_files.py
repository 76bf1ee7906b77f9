"""Writing is whole or not at all, and never at the cost of somebody's files."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import InputError
from isogloss.storage.files import (
    atomic_directory,
    atomic_file,
    damage_in_one_sentence,
    locked,
    parse_json,
    read_json,
    saved_number,
)

HOLDING = """
import sys, time
from pathlib import Path
from isogloss.storage.files import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(300)
"""


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def ours(folder: Path) -> Path:
    folder.mkdir()
    (folder / "model.json").write_text(json.dumps({"format": "isogloss text classifier"}))
    return folder


@pytest.mark.parametrize("manifest", [None, "{}", '{"format": "other"}', "not JSON", "[]"])
def test_overwrite_never_removes_a_foreign_folder(tmp_path: Path, manifest: str | None) -> None:
    thesis = tmp_path / "thesis"
    thesis.mkdir()
    (thesis / "chapter.txt").write_text("years of work")
    if manifest is not None:
        (thesis / "manifest.json").write_text(manifest)
    before = names(tmp_path)
    with (
        pytest.raises(InputError, match="did not make"),
        atomic_directory(thesis, overwrite=True),
    ):
        raise AssertionError("the block must not run")
    assert names(tmp_path) == before


def test_overwrite_replaces_ours_and_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (ours(tmp_path / "model"), tmp_path / "empty"):
        with atomic_directory(path, overwrite=True) as folder:
            (folder / "new").write_text("new")
        assert names(path) == ["new"]
    assert names(tmp_path) == ["empty", "empty/new", "model", "model/new"]


def test_a_broken_pipe_is_not_a_fault_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), atomic_directory(tmp_path / "out"):
        raise BrokenPipeError
    assert names(tmp_path) == []


@pytest.mark.parametrize("write", [atomic_file, atomic_directory])
def test_what_is_of_another_kind_is_never_replaced(tmp_path: Path, write: Any) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "notes.txt").write_text("hello")
    own = ours(tmp_path / "model")
    other = tmp_path / "notes.txt" if write is atomic_directory else own
    said = "is a file; a folder" if write is atomic_directory else "is a folder; a file"
    before = names(tmp_path)
    for path, why in (
        (tmp_path / "link", "device or a link"), (tmp_path / "pipe", "device or a link"),
        (Path("/dev/null"), "device or a link"), (Path("-"), "standard output"), (other, said),
    ):  # fmt: skip
        with pytest.raises(InputError, match=why), write(path, overwrite=True):
            raise AssertionError("the block must not run")
    assert names(tmp_path) == before
    assert (tmp_path / "notes.txt").read_text() == "hello"


def test_a_folder_is_held_by_one_run(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    said: list[str] = []

    def other() -> None:
        try:
            with locked(folder):
                said.append("held twice")
        except InputError as error:
            said.append(str(error))

    with locked(folder):
        other()
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert (
        said
        == [f"{folder}: is in use by another run; wait for its end, or give another --work"] * 2
    )
    with locked(folder):
        pass


def test_a_killed_process_lets_go(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDING, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(InputError, match="in use by another run"), locked(tmp_path):
            pass
        process.kill()
        process.wait()
        with locked(tmp_path):
            pass


BROKEN_JSON = ["", "{", "[" * 100_000, '{"a":' * 100_000, "9" * 5000]


@pytest.mark.parametrize("text", BROKEN_JSON)
def test_what_no_parser_takes_is_one_kind_of_fault(tmp_path: Path, text: str) -> None:
    for whole in (text, text.encode()):
        with pytest.raises(ValueError):
            parse_json(whole)
    (tmp_path / "model.json").write_text(text)
    with pytest.raises(InputError, match=r"model\.json: damaged: not JSON \(.*make a model again"):
        read_json(tmp_path / "model.json", what="a model")
    with (
        pytest.raises(InputError, match="did not make"),
        atomic_directory(tmp_path, overwrite=True),
    ):
        raise AssertionError("the block must not run")


@pytest.mark.parametrize("kind", ["pipe", "zero", "socket", "folder"])
def test_only_a_regular_file_is_read_as_ours(tmp_path: Path, kind: str) -> None:
    """A pipe would be waited for, and zeros read, without end."""
    file = tmp_path / "model.json"
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "zero":
        file.symlink_to("/dev/zero")
    elif kind == "folder":
        file.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as own:
            own.bind(os.path.relpath(file))  # the name of a socket may have 107 bytes
    with pytest.raises(InputError, match=r"model\.json: is a (pipe, a device|folder)"):
        read_json(file, what="a model")
    with (
        pytest.raises(InputError, match="did not make"),
        atomic_directory(tmp_path, overwrite=True),
    ):
        raise AssertionError("the block must not run")


def test_a_missing_file_is_named_where_its_folder_has_no_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InputError, match=r"^scores\.json: no such file to read an evaluation from$"
    ):
        read_json(Path("scores.json"), what="an evaluation")
    with pytest.raises(InputError, match=r"^model: not a classifier: it has no model\.json$"):
        read_json(Path("model/model.json"), what="a classifier")


def test_a_manifest_without_end_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "model.json").open("wb") as file:
        file.truncate(1 << 36)
    with pytest.raises(InputError, match="larger than any file of its kind; make a model again"):
        read_json(tmp_path / "model.json", what="a model")


def test_an_advice_stands_for_making_it_again(tmp_path: Path) -> None:
    (tmp_path / "cell.json").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"cell\.json: damaged: not JSON \(.*\); remove it$"):
        read_json(tmp_path / "cell.json", what="a cell", advice="remove it")


def test_a_number_too_large_for_a_float_is_damage(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"damaged.*; fit again"),
        damage_in_one_sentence(tmp_path, advice="fit again"),
    ):
        saved_number({"seconds": 10**400}, "seconds")


def test_our_own_files_are_parsed_in_one_place() -> None:
    """`json.loads` alone leaves a RecursionError; what follows is written by this very process."""
    own = re.compile(r"json\.loads\((?!task\)|settings\)|json\.dumps\(|backend\.to_str\()")
    package = Path(isogloss.__file__).parent
    users = {"data/label_sets.py"}  # which catches it
    found = {str(file.relative_to(package)) for file in package.rglob("*.py")
             if own.search(file.read_text("utf-8"))}  # fmt: skip
    assert found == {"storage/json_files.py", "classify/compare/tables.py", *users}
