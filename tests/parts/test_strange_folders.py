"""Output folders that hold what no run put there: a sentence, no wait, and nothing else is lost."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from counted_parts import job_of, write_parts
from msgspec.structs import replace
from pyarrow import parquet

from isogloss.errors import InputError
from isogloss.parts.executors import Serial
from isogloss.parts.finding import find_parts
from isogloss.parts.folder import FAILED, begin, read_failures
from isogloss.parts.footer import KEY, read_footer
from isogloss.parts.locks import LOCKS, clear_locks
from isogloss.parts.run import run_parts


def make(given: Path, out: Path) -> None:
    run_parts(job_of(), find_parts(str(given), out).parts, out, Serial())


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "in", 2, rows=3)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no pipes that are files")
def test_failures_that_are_a_pipe_or_without_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FAILED)
    with pytest.raises(InputError, match="is a pipe, a device or a socket, not a file"):
        read_failures(tmp_path)
    (tmp_path / FAILED).unlink()
    (tmp_path / FAILED).symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is a pipe, a device or a socket, not a file"):
        read_failures(tmp_path)


def test_another_run_was_begun_and_made_nothing(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    begin(out, replace(job_of().run, fingerprint="other"))
    with pytest.raises(InputError, match=r"another run was begun in it .* has no part yet; remove"):
        make(corpus, out)


def test_locks_that_are_no_folder(corpus: Path, tmp_path: Path) -> None:
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    make(corpus, out)
    elsewhere.mkdir()
    (elsewhere / "theirs.lock").touch()
    locks = out / LOCKS
    for place in (elsewhere, tmp_path / "none"):
        locks.symlink_to(place)
        clear_locks(out)
        with pytest.raises(InputError, match="is a link or a file, and locks lie in a folder"):
            make(corpus, out)
        locks.unlink()
    assert (elsewhere / "theirs.lock").exists()
    locks.touch()
    with pytest.raises(InputError, match="is a link or a file, and locks lie in a folder"):
        make(corpus, out)


def test_a_copy_of_a_part_is_not_counted_twice(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(corpus, out)
    shutil.copy(out / "00.parquet", out / "copy.parquet")
    with pytest.raises(InputError, match=r"copy.parquet: is the part of 00.parquet, under another"):
        make(corpus, out)


def test_a_part_with_other_rows_than_its_footer_says(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    make(corpus, out)
    path = out / "00.parquet"
    entry = parquet.read_metadata(path).metadata[KEY.encode()]
    fewer = parquet.read_table(path).slice(1)
    with parquet.ParquetWriter(path, fewer.schema) as writer:
        writer.write_table(fewer)
        writer.add_key_value_metadata({KEY: entry.decode()})
    with pytest.raises(InputError, match=r"damaged \(it has 2 rows, not 3\); remove it"):
        read_footer(path)


def test_a_linked_folder_among_those_of_parts(corpus: Path, tmp_path: Path) -> None:
    """The summary enters no links, and would lack what is made there."""
    (corpus / "deep").mkdir()
    shutil.copy(corpus / "00.parquet", corpus / "deep" / "x.parquet")
    out, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    make(corpus, out)
    elsewhere.mkdir()
    shutil.rmtree(out / "deep")
    (out / "deep").symlink_to(elsewhere)
    with pytest.raises(InputError, match="deep: is a link, and parts are made in folders of --out"):
        make(corpus, out)
    assert not list(elsewhere.iterdir())
