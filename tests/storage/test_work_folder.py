"""Work folders: never that of another dump, nothing old served for a pipe."""

import os
import threading
from pathlib import Path

import pytest
from written_dumps import Written, dump_of

from isogloss.encode.vector_cache import VectorCache
from isogloss.errors import InputError
from isogloss.storage.array_file import strings_of
from isogloss.storage.files import locked
from isogloss.storage.work_folder import facts_of_file
from isogloss.wiki.dump.parts import Extraction, extract_dump

ONE = [Written(1, "А", "[[Б]]"), Written(2, "Б", "[[А]]")]
OTHER = [Written(1, "В", "[[Г]]"), Written(2, "Г", "[[В]]")]


def titles_of(extraction: Extraction) -> list[str]:
    parts = extraction.arrays()
    return [t for part in parts for t in strings_of(part["titles"], part["title_offsets"])]


def test_a_file_is_known_by_its_ends(tmp_path: Path) -> None:
    whole = bytearray(os.urandom(5 << 20))
    path, copy = tmp_path / "a", tmp_path / "b"
    path.write_bytes(whole)
    copy.write_bytes(whole)
    assert facts_of_file(path) == facts_of_file(copy)
    for place in (0, (1 << 20) - 1, -1, -(1 << 20)):
        changed = bytearray(whole)
        changed[place] ^= 1
        copy.write_bytes(changed)
        assert facts_of_file(path) != facts_of_file(copy), place
    copy.write_bytes(whole + b"x")
    assert facts_of_file(path) != facts_of_file(copy)


def test_a_dump_of_the_same_name_and_size_is_another(tmp_path: Path) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_of(ONE))
    size = path.stat().st_size
    assert titles_of(extract_dump(path, tmp_path / "work", code="bg")) == ["А", "Б"]
    path.write_bytes(dump_of(OTHER))
    assert path.stat().st_size == size
    with pytest.raises(InputError, match="holds the work on another dump"):
        extract_dump(path, tmp_path / "work", code="bg")


def test_a_missing_dump_leaves_no_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "late.xml", tmp_path):
        with pytest.raises(InputError, match="give a dump of pages-articles"):
            extract_dump(path, tmp_path / "work", code="bg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("is_done", [True, False])
def test_a_pipe_begins_anew(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, is_done: bool
) -> None:
    pipe, work = tmp_path / "pipe", tmp_path / "work"
    os.mkfifo(pipe)

    def piped(pages: list[Written]) -> list[str]:
        writer = threading.Thread(target=lambda: pipe.write_bytes(dump_of(pages)))
        writer.start()
        found = titles_of(extract_dump(pipe, work, code="bg"))
        writer.join()
        return found

    assert piped(ONE) == ["А", "Б"]
    if not is_done:
        (work / "extraction.json").unlink()
    (work / "links.bin").write_bytes(b"of the first")
    (work / "vectors").mkdir()
    (work / "vectors" / "000000.tokens").write_bytes(b"of the first")
    (work / "lock").touch()
    caplog.set_level("INFO", "isogloss")
    assert piped(OTHER) == ["В", "Г"]
    names = {path.name for path in work.iterdir()}
    assert names == {"dump.json", "extraction.json", "000000.part", "lock"}
    assert f"{work}: begins anew, since the pipe {pipe} cannot be compared" in caplog.text


def test_a_file_that_changed_in_the_middle_is_another(tmp_path: Path) -> None:
    file = tmp_path / "dump"
    content = bytearray(os.urandom(8 << 20))
    file.write_bytes(content)
    before = facts_of_file(file)
    assert facts_of_file(file) == before
    content[3 << 20 : 5 << 20] = bytes(2 << 20)
    file.write_bytes(content)
    assert facts_of_file(file) != before


@pytest.mark.parametrize("mark", ["model.json", "manifest.json", "config.json"])
def test_no_run_works_inside_a_model(tmp_path: Path, mark: str) -> None:
    (tmp_path / mark).write_text("{}")
    for make in (lambda: locked(tmp_path).__enter__(), lambda: VectorCache(tmp_path)):
        with pytest.raises(InputError, match=f"holds {mark}, so it is a model"):
            make()
    assert [file.name for file in tmp_path.iterdir()] == [mark]
