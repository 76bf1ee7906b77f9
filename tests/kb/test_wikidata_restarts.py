"""Builds from Wikidata that are stopped, killed or run twice; workers change no byte."""

import bz2
import gzip
import io
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from written_items import MANY, item, write_dump

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.build import wikidata_parts
from isogloss.kb.build.source import Source
from isogloss.kb.build.wikidata_source import work_folder
from isogloss.wiki.wikidata import lines as wikidata_lines
from isogloss.wiki.wikidata.columns import WikidataChoice


def contents(kb: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(kb)): path.read_bytes() for path in kb.rglob("*") if path.is_file()
    }


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wikidata_lines, "BLOCK", 2000)
    monkeypatch.setattr(wikidata_parts, "BLOCKS_PER_PART", 2)


@pytest.mark.usefixtures("small_parts")
def test_workers_and_compression_change_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = write_dump(tmp_path / "dump.json", *MANY)
    plain = dump.read_bytes()
    (tmp_path / "two").mkdir()
    (tmp_path / "gz").mkdir()
    (tmp_path / "two/dump.json").write_bytes(plain)
    (tmp_path / "gz/dump.json").write_bytes(gzip.compress(plain))
    expected = None
    for folder, workers in (("", 1), ("two", 2), ("gz", 1)):
        out = tmp_path / f"kb{folder}"
        build_knowledge_base([f"wikidata:{tmp_path / folder / 'dump.json'}"], out, workers=workers)
        expected = expected or contents(out)
        assert contents(out) == expected
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bz2.compress(plain))))
    build_knowledge_base(["wikidata:-"], tmp_path / "kb-", workers=1)
    piped, known = contents(tmp_path / "kb-"), dict(expected or {})
    assert piped.pop("manifest.json") != known.pop("manifest.json")  # the source's name
    assert piped == known
    assert not list(tmp_path.glob(".*"))


SCRIPT = """
import sys
from pathlib import Path
from isogloss.kb import build_knowledge_base
from isogloss.kb.build import wikidata_parts
from isogloss.wiki.wikidata import lines as wikidata_lines
wikidata_lines.BLOCK, wikidata_parts.BLOCKS_PER_PART = 2000, 2
build_knowledge_base([f"wikidata:{sys.argv[1]}"], Path(sys.argv[2]), workers=int(sys.argv[3]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.usefixtures("small_parts")
@pytest.mark.full
@pytest.mark.timeout(900)
def test_a_build_killed_twenty_times_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    n_kills = 20
    rng = random.Random(n_kills)
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    build_knowledge_base([f"wikidata:{dump}"], out, workers=1)
    expected = contents(out)
    n_parts = dump.stat().st_size // 4000  # a little less than there will be
    (tmp_path / "again").mkdir()
    out = tmp_path / "again/kb"
    command = [sys.executable, "-c", SCRIPT, str(dump), str(out)]
    n_killed = 0
    for least in sorted(rng.sample(range(n_parts - 2), n_kills)):
        process = subprocess.Popen([*command, str(rng.choice([1, 2]))])
        while process.poll() is None and len(list(out.parent.glob(".kb.*/0*"))) < least:
            time.sleep(0.001)
        time.sleep(rng.choice([0, 0, 0.01, 0.1]))
        process.kill()
        n_killed += process.wait() == -signal.SIGKILL
        if out.exists():  # it was too fast
            assert contents(out) == expected
            shutil.rmtree(out)
    assert n_killed
    subprocess.run([*command, "1"], check=True)
    assert contents(out) == expected
    assert not list(out.parent.glob(".kb.*/0*"))


@pytest.mark.usefixtures("small_parts")
def test_parts_are_used_again_only_for_the_same_dump_and_choice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    parsed: list[int] = []
    real = wikidata_parts.map_blocks

    def stopping(*arguments: Any, **options: Any) -> Any:
        for number, result in enumerate(real(*arguments, **options)):
            parsed.append(number)
            if len(parsed) == n_before_stop:
                raise KeyboardInterrupt
            yield result

    monkeypatch.setattr(wikidata_parts, "map_blocks", stopping)

    def run(**options: Any) -> int:
        parsed.clear()
        build_knowledge_base([f"wikidata:{dump}"], out, workers=1, overwrite=True, **options)
        return len(parsed)

    def interrupt() -> None:
        nonlocal n_before_stop
        n_before_stop = 11
        with pytest.raises(KeyboardInterrupt):
            run()
        n_before_stop = -1

    n_before_stop = -1
    whole = run()
    interrupt()
    assert run() == whole - 10
    interrupt()
    assert run(langs=["en"]) == whole
    interrupt()
    assert run(min_sitelinks=0) == whole
    interrupt()
    write_dump(dump, *MANY, item(999, {"en": ["new"]}, {"enwiki": "New"}))
    assert run() >= whole


@pytest.mark.usefixtures("small_parts")
def test_two_builds_do_not_share_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second is refused, and neither removes nor changes what the first has read."""
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    source, said, real = f"wikidata:{dump}", [], wikidata_parts.map_blocks
    folder = work_folder(out, Source.parse(source))

    def there() -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    def meeting(*arguments: Any, **options: Any) -> Any:
        for number, result in enumerate(real(*arguments, **options)):
            if number == 9:
                before = there()
                for langs in (None, ["en"]):
                    with pytest.raises(InputError) as error:
                        build_knowledge_base([source], out, langs=langs, workers=1)
                    said.append(str(error.value))
                assert there() == before
                assert wikidata_parts.part_files(folder)
            yield result

    build_knowledge_base([source], tmp_path / "alone", workers=1)
    with monkeypatch.context() as patch:
        patch.setattr(wikidata_parts, "map_blocks", meeting)
        build_knowledge_base([source], out, workers=1)
    refused = f"{folder}: is in use by another run; wait for its end, or give another --out"
    assert said == [refused] * 2
    assert contents(out) == contents(tmp_path / "alone")
    assert not folder.exists()


@pytest.mark.usefixtures("small_parts")
def test_parts_of_another_version_are_read_again_and_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    dump, out = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "kb"
    source = f"wikidata:{dump}"
    folder = work_folder(out, Source.parse(source))
    with monkeypatch.context() as patch:
        patch.setattr(wikidata_parts, "_name", stopping_after(wikidata_parts._name, 9))
        with pytest.raises(KeyboardInterrupt):
            build_knowledge_base([source], out, workers=1)
    assert wikidata_parts.part_files(folder)
    monkeypatch.setattr(wikidata_parts, "VERSION", wikidata_parts.VERSION + 1)
    build_knowledge_base([source], out, workers=1)
    assert "going on after" not in caplog.text
    said = (
        f"{folder}: begins anew, since it held the work on another dump, with "
        "other options, or of another version of isogloss"
    )
    assert said in caplog.messages


@pytest.mark.usefixtures("small_parts")
def test_what_is_no_part_stays_when_the_parts_go(tmp_path: Path) -> None:
    dump, folder = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "parts"
    wikidata_parts.parse_to_parts(dump, folder, WikidataChoice(None, 0), workers=1)
    parts = wikidata_parts.part_files(folder)
    others = {"0.safetensors", "notes.txt", "000000.safetensors.bak", "lock"}
    for name in others:
        (folder / name).write_text("of somebody else")
    (folder / "000099.safetensors").write_bytes(b"behind a gap")
    (folder / "000003.safetensors.new").write_bytes(b"left by a kill")
    for name in ("a folder", "000098.safetensors"):
        (folder / name).mkdir()
        (folder / name / "x").touch()
    assert wikidata_parts.part_files(folder) == parts
    wikidata_parts.parse_to_parts(dump, folder, WikidataChoice(("en",), 0), workers=1)
    kept = {path.name for path in folder.iterdir()} - {path.name for path in parts}
    assert kept == others | {"plan.json", "a folder", "000098.safetensors"}
    assert (folder / "a folder" / "x").exists()
    assert all((folder / name).read_text() == "of somebody else" for name in others)


def test_a_build_that_fails_before_the_dump_leaves_no_folder(tmp_path: Path) -> None:
    dump, names = write_dump(tmp_path / "dump.json", *MANY), tmp_path / "names.jsonl"
    names.write_text("{}\n")
    with pytest.raises(InputError, match="names"):
        build_knowledge_base([f"names:{names}", f"wikidata:{dump}"], tmp_path / "kb", workers=1)
    assert {path.name for path in tmp_path.iterdir()} == {"dump.json", "names.jsonl"}


@pytest.mark.usefixtures("small_parts")
def test_a_pipe_that_changed_is_refused_with_the_folder_to_remove(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = write_dump(tmp_path / "dump.json", *MANY).read_bytes()
    out = tmp_path / "kb"

    def run(piped: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
        build_knowledge_base(["wikidata:-"], out, workers=1)

    with monkeypatch.context() as patch:
        patch.setattr(wikidata_parts, "_name", stopping_after(wikidata_parts._name, 9))
        with pytest.raises(KeyboardInterrupt):
            run(data)
    with pytest.raises(InputError, match=r"not what it was .*; to start anew, remove .*\.parts"):
        run(data.replace(b"Name3", b"Name4"))
    run(data)
    assert KnowledgeBase.open(out).n_entities == len(MANY)


def stopping_after(function: Callable[..., Any], n_calls: int) -> Callable[..., Any]:
    """Return the function, interrupted as by Ctrl-C after some calls."""
    left = iter(range(n_calls))

    def stopping(*arguments: Any) -> Any:
        if next(left, None) is None:
            raise KeyboardInterrupt
        return function(*arguments)

    return stopping
