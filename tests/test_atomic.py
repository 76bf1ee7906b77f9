"""What is made takes its place at once, with the permissions of the umask, whatever is killed."""

import errno
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import InputError
from isogloss.storage import atomic, left_over
from isogloss.storage.atomic import atomic_directory, atomic_file, exchange
from isogloss.storage.files import is_there, read_json, refuse_existing

MANIFEST = '{"format": "isogloss text classifier", "is": "%s"}'


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ours(folder: Path) -> Path:
    folder.mkdir()
    (folder / "model.json").write_text(MANIFEST % "old")
    return folder


def killed(model: Path, moment: int, way: str) -> int:
    """Replace a model in a process that is killed at a moment; return its exit status.

    Moments are those that a kill could strike, counted in renames, removals and flushes.
    """
    child = os.fork()
    if child == 0:
        try:
            _replace_and_be_killed(model, moment, way)
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _replace_and_be_killed(model: Path, moment: int, way: str) -> None:
    past = 0

    def counted(function: Any) -> Any:
        def run(*given: Any, **named: Any) -> Any:
            nonlocal past
            if past == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            past += 1
            return function(*given, **named)

        return run

    with pytest.MonkeyPatch.context() as patch:
        if way == "renames":
            patch.setattr(atomic, "exchange", lambda one, other: False)
        for owner, name in (
            (Path, "rename"), (atomic, "_sync"), (atomic, "_swap"), (left_over.shutil, "rmtree"),
        ):  # fmt: skip
            patch.setattr(owner, name, counted(getattr(owner, name)))
        with atomic_directory(model, overwrite=True) as folder:
            (folder / "model.json").write_text(MANIFEST % "new")
            (folder / "inner").mkdir()
            (folder / "inner" / "file").write_text("new")


@pytest.mark.parametrize(
    ("umask", "of_file", "of_folder"), [(0o077, 0o600, 0o700), (0o002, 0o664, 0o775)]
)
def test_permissions_are_what_the_umask_leaves(
    tmp_path: Path, umask: int, of_file: int, of_folder: int
) -> None:
    def closed(path: Path) -> None:  # as safetensors writes: a new file for its owner alone
        path.unlink(missing_ok=True)
        path.touch(0o600)

    before = os.umask(umask)
    try:
        with atomic_file(tmp_path / "file") as temporary:
            closed(temporary)
        with atomic_directory(tmp_path / "folder") as folder:
            (folder / "inner").mkdir(0o700)
            closed(folder / "inner" / "file")
    finally:
        os.umask(before)
    for path in (tmp_path / "file", tmp_path / "folder" / "inner" / "file"):
        assert path.stat().st_mode & 0o777 == of_file
    for path in (tmp_path / "folder", tmp_path / "folder" / "inner"):
        assert path.stat().st_mode & 0o777 == of_folder


def test_two_folders_change_places(tmp_path: Path) -> None:
    """Or this file system has no such step, and the rest is tested on renames alone."""
    one, other = ours(tmp_path / "one"), tmp_path / "other"
    other.mkdir()
    if not exchange(one, other):
        pytest.skip("no exchange of two names here")
    assert names(one) == []
    assert names(other) == ["model.json"]


@pytest.mark.parametrize("way", ["exchange", "renames"])
def test_a_kill_at_any_moment(tmp_path: Path, way: str) -> None:
    """The old one or the new one is there for the next reader; the next run leaves nothing else."""
    moment = 0
    ends = []
    while True:
        model = ours(tmp_path / f"model{moment}")
        status = killed(model, moment, way)
        assert is_there(model)
        found = read_json(model / "model.json", what="a model")["is"]
        ends.append(found)
        with atomic_directory(model, overwrite=True) as folder:
            (folder / "model.json").write_text(MANIFEST % "newer")
        assert names(tmp_path) == [model.name], "something was left behind"
        assert names(model) == ["model.json"]
        model.rename(tmp_path.parent / f"{tmp_path.name}-{moment}")
        if status != -signal.SIGKILL:
            break
        moment += 1
    assert status == 0
    assert moment >= 6
    assert ends == sorted(ends, reverse=True)  # old, old, …, new
    assert set(ends) == {"old", "new"}


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

    monkeypatch.setattr(atomic, "exchange", lambda *_: False)
    monkeypatch.setattr(Path, "rename", interrupted)
    with (
        pytest.raises((KeyboardInterrupt, InputError)),
        atomic_directory(model, overwrite=True) as folder,
    ):
        (folder / "new").write_text("new")
    assert names(tmp_path) == ["model"]
    assert names(model) == ["model.json"]


def test_what_another_holds_or_made_stays(tmp_path: Path) -> None:
    others = [".k.isogloss-0123abcd.part.txt", ".k.0123abcd.part", ".kb.isogloss-0123abcd.part"]
    for name in others:
        (tmp_path / name).mkdir()
    (tmp_path / ".k.isogloss-0123abcf.part").write_text("a file")
    (tmp_path / ".k.isogloss-0123abcd.part").mkdir()
    with left_over.held_folder(tmp_path / "k") as held:
        refuse_existing(tmp_path / "k", overwrite=False, makes="folder")
        assert names(tmp_path) == sorted([*others, ".k.isogloss-0123abcf.part", held.name])


def test_a_command_that_finds_a_model_moved_away_puts_it_back(tmp_path: Path) -> None:
    ours(tmp_path / ".model.isogloss-0123abcd.old")
    with pytest.raises(InputError, match="already exists"):
        refuse_existing(tmp_path / "model", overwrite=False, makes="folder")
    assert names(tmp_path) == ["model"]


def test_a_model_that_cannot_be_put_back_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    ours(tmp_path / ".model.isogloss-0123abcd.old")
    monkeypatch.setattr(Path, "rename", refused)
    with pytest.raises(InputError, match=r"the old one is .*abcd\.old and cannot"):
        is_there(tmp_path / "model")


def test_a_fault_inside_names_the_place_that_was_chosen(tmp_path: Path) -> None:
    out = tmp_path / "o.npy"
    with (
        pytest.raises(InputError) as caught,
        atomic_file(out) as temporary,
        atomic_file(temporary, overwrite=True),
    ):
        raise OSError(errno.EFBIG, "File too large")
    assert str(caught.value) == f"{out}: could not be written: File too large; nothing was kept"
    assert names(tmp_path) == []


@pytest.mark.parametrize("way", [atomic_directory, atomic_file])
def test_what_appears_while_another_is_made_is_not_replaced(tmp_path: Path, way: Any) -> None:
    path = tmp_path / "made"
    with pytest.raises(InputError, match="made: "), way(path) as mine:  # noqa: PT012
        with way(path) as other:
            (other / "a" if other.is_dir() else other).write_text("first")
        (mine / "a" if mine.is_dir() else mine).write_text("second")
    assert (path / "a" if path.is_dir() else path).read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
