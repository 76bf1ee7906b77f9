"""Writing is whole or not at all, and never at the cost of somebody's files."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import InputError
from isogloss.files import atomic_directory, atomic_file


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


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
def test_a_stop_between_the_renames_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: BaseException
) -> None:
    model = ours(tmp_path / "model")
    rename = Path.rename

    def interrupted(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise stop
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with (
        pytest.raises((KeyboardInterrupt, InputError)),
        atomic_directory(model, overwrite=True) as folder,
    ):
        (folder / "new").write_text("new")
    assert names(tmp_path) == ["model", "model/model.json"]


def test_a_broken_pipe_is_not_a_fault_of_the_disk(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), atomic_directory(tmp_path / "out"):
        raise BrokenPipeError
    assert names(tmp_path) == []


def test_what_is_written_can_be_read_by_others(tmp_path: Path) -> None:
    def closed(path: Path) -> None:  # as safetensors writes: a new file for its owner alone
        path.unlink(missing_ok=True)
        path.touch(0o600)

    with atomic_file(tmp_path / "file") as temporary:
        closed(temporary)
    with atomic_directory(tmp_path / "folder") as folder:
        closed(folder / "inside")
    for path in (tmp_path / "file", tmp_path / "folder" / "inside"):
        assert path.stat().st_mode & 0o777 == 0o644


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
