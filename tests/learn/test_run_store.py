"""Runs on disk: one process at a time, none made with something else, none damaged or half-made."""

import json
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.learn import run_store
from isogloss.learn.run_store import Experiment, Runs
from isogloss.storage.files import LOCK, locked
from isogloss.storage.sealed import sealed


class Counted(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tagger might keep of a run."""

    hits: list[int]
    score: float | None = None


TAGGING = Experiment("tagging", 1, Counted, {"train": "training sentences"})
MADE_WITH = {"train": "a", "options": {"C": 1.0}}
OTHER = {"train": "b", "options": {"C": 1.0}}
CELL = Counted([1, 0, 2], 0.5)


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Return a folder with one run."""
    with TAGGING.held(tmp_path / "out", MADE_WITH) as runs:
        runs.write("crf plain.0", CELL)
    return tmp_path / "out"


def read(out: Path, made_with: Any = MADE_WITH) -> Counted:
    with TAGGING.held(out, made_with) as runs:
        return runs.read("crf plain.0")


def test_a_run_is_read_as_it_was_written(out: Path) -> None:
    assert read(out) == CELL
    TAGGING.check_place(out)
    assert Runs(TAGGING, out, MADE_WITH).file("crf plain.0").name == "crfplain.0.json"


def test_numbers_of_numpy_are_kept_as_numbers(out: Path) -> None:
    with TAGGING.held(out, MADE_WITH) as runs:
        runs.write("crf plain.0", Counted([np.int64(3)], np.float64(0.25)))
    assert read(out) == Counted([3], 0.25)


def test_a_second_process_is_refused_while_one_is_at_work(tmp_path: Path) -> None:
    out = tmp_path / "out"
    sentence = "out: is in use by another run; wait for its end, or give another --out"
    with TAGGING.held(out, MADE_WITH):
        for made_with in (MADE_WITH, OTHER):
            with pytest.raises(InputError, match=sentence), TAGGING.held(out, made_with):
                pass
        with pytest.raises(InputError, match=sentence):
            TAGGING.check_place(out)


def test_runs_made_with_something_else_are_not_mixed_in(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="holds a tagging that differs in training sentences; na"):
        read(out, OTHER)
    monkeypatch.setattr(run_store, "locked", lambda *_, **__: nullcontext())
    (tmp_path / "new").mkdir()  # the lock would make it
    with TAGGING.held(tmp_path / "new", OTHER) as late:
        with TAGGING.held(tmp_path / "new", MADE_WITH) as runs:
            runs.write("crf.0", CELL)
        with pytest.raises(InputError, match="differs in training sentences"):
            late.write("crf.0", CELL)  # where no lock holds


def test_a_run_copied_from_another_folder_is_refused(out: Path, tmp_path: Path) -> None:
    with TAGGING.held(tmp_path / "other", OTHER) as runs:
        runs.write("crf plain.0", CELL)
    shutil.copytree(tmp_path / "other" / "cells", out / "cells", dirs_exist_ok=True)
    with pytest.raises(InputError, match=r"crfplain\.0\.json: is a cell of another.*remove it"):
        read(out)


def test_what_a_killed_run_leaves_does_not_block(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / LOCK).touch()
    TAGGING.check_place(out)
    with TAGGING.held(out, MADE_WITH) as runs:
        runs.write("crf plain.0", CELL)
    shutil.rmtree(out / "cells")  # killed behind the manifest
    with TAGGING.held(out, MADE_WITH) as runs:
        runs.write("crf plain.0", CELL)
    assert read(out) == CELL


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(InputError, match="something else"):
        TAGGING.check_place(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["thesis.txt"]
    with pytest.raises(InputError, match="does not exist"):
        TAGGING.check_place(tmp_path / "none" / "out")
    with pytest.raises(InputError, match="standard output is no place"):
        TAGGING.check_place(Path("-"))


@pytest.mark.parametrize("is_there", [False, True])
def test_a_refused_fit_leaves_nothing_behind(tmp_path: Path, is_there: bool) -> None:
    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    with pytest.raises(InputError, match="two classes"), TAGGING.held(out, MADE_WITH):
        raise InputError("two classes are needed")
    assert out.exists() == is_there
    assert not is_there or not any(out.iterdir())


@pytest.mark.parametrize("text", [json.dumps({"format": "isogloss tagging 1"}), '{"format": ', "["])
def test_a_damaged_manifest_is_named(out: Path, text: str) -> None:
    (out / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json: damaged.*name another --out"):
        read(out)


@pytest.mark.parametrize(
    "change", [{"hits": ["1"]}, {"hits": None}, {"score": "x"}, {"further": 1}, {"made_with": 1}]
)
def test_a_run_of_other_kinds_of_values_is_refused(out: Path, change: dict[str, Any]) -> None:
    file = out / "cells" / "crfplain.0.json"
    file.write_text(json.dumps(sealed(json.loads(file.read_text()) | change)))
    with pytest.raises(InputError, match=r"crfplain\.0\.json: .*; remove it, and it is made again"):
        read(out)


@pytest.mark.parametrize("text", ["", '"x"', "null", '{"hits": [1]}', "[" * 100_000])
def test_a_file_that_is_no_run_is_refused(out: Path, text: str) -> None:
    (out / "cells" / "crfplain.0.json").write_text(text)
    with pytest.raises(InputError, match=r"0\.json: damaged.*remove it, and it is made again"):
        read(out)


def test_the_folder_in_use_is_refused_before_long_work(tmp_path: Path) -> None:
    with locked(tmp_path / "out"), pytest.raises(InputError, match="in use by another run"):
        TAGGING.check_place(tmp_path / "out")
