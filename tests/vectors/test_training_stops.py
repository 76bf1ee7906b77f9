"""Trainings on a dump that are stopped, killed, refused, or meet others in their work folder."""

import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from written_dump import Written, some_pages, write_dump

from isogloss.errors import InputError
from isogloss.kb import build_knowledge_base
from isogloss.storage.files import locked
from isogloss.vectors.corpus import dump_corpus
from isogloss.vectors.corpus.corpus import Page, corpus_of
from isogloss.vectors.corpus.dump_corpus import DumpReading, corpus_of_dump
from isogloss.vectors.on_dump import train_on_dump
from isogloss.vectors.training import training
from isogloss.vectors.training.training import VectorTraining, train_vectors
from isogloss.wiki.dump import reader as dumps

QUICK = VectorTraining(width=8, epochs=3)
ALL = DumpReading(min_word_count=1, min_entity_count=1, min_paragraph_len=1)


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "BLOCK", 3000)
    monkeypatch.setattr("isogloss.wiki.dump.parts.BLOCKS", 1)
    monkeypatch.setattr(training, "WARM_UP_SECONDS", 0.0)


def stop_after_removing(patched: pytest.MonkeyPatch, n_files: int) -> None:
    """Interrupt, as by Ctrl-C, what removes more files than so many."""
    n_left, unlink = n_files, Path.unlink

    def stopping(self: Path, missing_ok: bool = False) -> None:
        nonlocal n_left
        n_left -= 1
        if n_left < 0:
            raise KeyboardInterrupt
        unlink(self, missing_ok)

    patched.setattr(Path, "unlink", stopping)


@pytest.fixture
def source(tmp_path: Path) -> str:
    return f"wikipedia:en={write_dump(tmp_path / 'en.xml', 'en', some_pages(25, 1))}"


def names_in(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def free_disk(monkeypatch: pytest.MonkeyPatch, n_bytes: float) -> None:
    usage = type("Usage", (), {"free": n_bytes})
    monkeypatch.setattr("shutil.disk_usage", lambda _: usage)


def stop_after_first_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    write = training.write_checkpoint

    def stopping(*all_: Any) -> None:
        write(*all_)
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "write_checkpoint", stopping)


def test_other_trainings_leave_a_stopped_one_its_checkpoint(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    work, out = tmp_path / "w", tmp_path / "v"

    def train(reading: DumpReading = ALL, quick: VectorTraining = QUICK, seed: int = 0) -> bytes:
        train_on_dump(
            source, out, reading, quick, work=work, workers=1, seed=seed, overwrite=True
        )  # fmt: skip
        return out.read_bytes()

    whole = train()
    with monkeypatch.context() as patched:
        stop_after_first_checkpoint(patched)
        with pytest.raises(KeyboardInterrupt):
            train()
    checkpoint = set(work.rglob("training-*"))
    assert len(checkpoint) == 1
    train(seed=1)
    train(quick=replace(QUICK, window=2))
    train(replace(ALL, min_word_count=3))
    train(replace(ALL, lowercase=False))
    assert "resuming after epoch" not in caplog.text
    assert set(work.rglob("training-*")) == checkpoint
    assert train() == whole
    assert "resuming after epoch 1 of 3" in caplog.text
    assert not list(work.rglob("training-*"))


@pytest.mark.parametrize("before", [None, 0, dump_corpus.VERSION + 1])
def test_the_work_of_another_version_is_refused_or_done_again(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    before: int | None,
) -> None:  # fmt: skip
    """Refused where ``--work`` asks to keep it, done again where the folder is a hidden one."""
    caplog.set_level("INFO")
    work, hidden, out = tmp_path / "w", tmp_path / ".v.work", tmp_path / "v"
    whole = train_on_dump(source, out, ALL, QUICK, workers=1, work=work).matrix
    out.unlink()
    with monkeypatch.context() as patched:
        stop_after_first_checkpoint(patched)
        for folder in (work, None):
            with pytest.raises(KeyboardInterrupt):
                train_on_dump(source, out, ALL, QUICK, workers=1, work=folder)
    for folder in (work, hidden):
        options = folder / "en" / "vectors" / "options.json"
        facts = json.loads(options.read_text("utf-8"))
        assert facts.pop("version") == dump_corpus.VERSION
        options.write_text(json.dumps(facts if before is None else {"version": before, **facts}))
    there = {name: (work / name).read_bytes() for name in names_in(work)}
    with pytest.raises(InputError) as error:
        train_on_dump(source, out, ALL, QUICK, workers=1, work=work)
    assert str(error.value) == (
        f"{work / 'en' / 'vectors'}: holds the work of another version of isogloss; remove it, or "
        "give another --work"
    )
    assert {name: (work / name).read_bytes() for name in names_in(work)} == there
    caplog.clear()
    again = train_on_dump(source, out, ALL, QUICK, workers=1)
    assert again.matrix.tobytes() == whole.tobytes()
    said = f"{hidden / 'en' / 'vectors'}: begins anew, since another version of isogloss made it"
    assert caplog.messages.count(said) == 1
    assert "resuming after epoch" not in caplog.text  # nor from its checkpoint


def test_what_no_run_made_stays_in_a_work_folder(source: str, tmp_path: Path) -> None:
    """Both where other options clear the way, and at the end of a run."""
    path, stages = Path(source.partition("=")[2]), tmp_path / "w" / "en" / "vectors"

    def read(reading: DumpReading, *, keep: bool) -> list[bytes]:
        corpus = corpus_of_dump(
            path, tmp_path / "w", reading, code="en", lang="en", workers=1, keep=keep
        )
        return [array.tobytes() for array in corpus.arrays]

    first = read(ALL, keep=True)
    ours = names_in(stages)
    others = {"notes.txt", "my.tokens", "my.edges", "words.bin.old", "my.bin", "training-1.csv"}
    for name in others:
        (stages / name).write_text("of somebody else")
    (stages / "a folder").mkdir()
    (stages / "a folder" / "x").touch()
    left = {"000000.edges", "words.bin.16-2", "graph.bin.raw", "numbers.bin.new"}  # by a kill
    for name in left:
        (stages / name).touch()
    others.add("a folder/x")
    assert read(replace(ALL, lowercase=False), keep=True) != first
    assert names_in(stages) == ours | others
    assert read(ALL, keep=False) == first
    of_parts = {name for name in ours if name.endswith((".tokens", ".words"))}
    assert names_in(stages) == ours - of_parts | others
    assert len(of_parts) > 2


def test_damaged_options_of_a_work_folder(source: str, tmp_path: Path) -> None:
    path = Path(source.partition("=")[2])
    options = tmp_path / "en" / "vectors" / "options.json"
    options.parent.mkdir(parents=True)
    for damage in ("[1]", "{", '"version"'):
        options.write_text(damage)
        with pytest.raises(InputError, match="damaged"):
            corpus_of_dump(path, tmp_path, ALL, code="en", lang="en", workers=1)


@pytest.mark.parametrize("is_kept", [True, False])
def test_one_run_at_a_time(source: str, tmp_path: Path, is_kept: bool) -> None:
    work = tmp_path / "w" if is_kept else tmp_path / ".v.work"
    with locked(work), pytest.raises(InputError, match="is in use by another run"):
        train_on_dump(
            source, tmp_path / "v", ALL, QUICK, workers=1, work=work if is_kept else None
        )  # fmt: skip
    assert work.exists()
    assert not (tmp_path / "v").exists()


def test_a_stop_before_anything_is_removed_leaves_nothing_behind(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the rename of a result and the removal of what it was made of."""
    path = Path(source.partition("=")[2])

    def read(work: Path, *, keep: bool) -> None:
        corpus_of_dump(path, work, ALL, code="en", lang="en", workers=1, keep=keep)

    for keep in (True, False):
        read(tmp_path / f"whole {keep}", keep=keep)
        wanted = names_in(tmp_path / f"whole {keep}")
        assert any(name.endswith(".tokens") for name in wanted) == keep
        assert any(name.endswith(".words") for name in wanted) == keep
        n_stops = 0
        while True:
            work = tmp_path / f"{keep} {n_stops}"
            with monkeypatch.context() as patched:
                stop_after_removing(patched, n_stops)
                try:
                    read(work, keep=keep)
                    break
                except KeyboardInterrupt:
                    n_stops += 1
            read(work, keep=keep)
            assert names_in(work) == wanted
        assert n_stops > (5 if keep else 15)


def test_a_stop_while_other_options_clear_the_way(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the first options again: what is left half way must not pass for whole."""
    path, work = Path(source.partition("=")[2]), tmp_path / "w"

    def read(reading: DumpReading) -> list[bytes]:
        corpus = corpus_of_dump(path, work, reading, code="en", lang="en", workers=1)
        return [array.tobytes() for array in corpus.arrays]

    wanted = read(ALL)
    for n_removed in range(8):
        with monkeypatch.context() as patched:
            stop_after_removing(patched, n_removed)
            with pytest.raises(KeyboardInterrupt):
                read(replace(ALL, min_paragraph_len=9))
        assert read(ALL) == wanted


def test_the_disk_must_hold_two_checkpoints(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a checkpoint is written, the one before stays."""
    corpus = corpus_of([Page("p", [["a", "b", "c"] * 20])])
    size, path = 2 * 4 * 8 * 3, tmp_path / "c"

    def train(n_free: int, epochs: int) -> None:
        free_disk(monkeypatch, n_free)
        options = replace(QUICK, epochs=epochs, sample=0)
        train_vectors(corpus, options, n_workers=1, checkpoint=path)

    def refused(n_free: int, epochs: int) -> None:
        with pytest.raises(
            InputError, match=r"are needed for checkpoints of the training, where .* give --work on"
        ):
            train(n_free, epochs)

    train(0, 1)  # the only epoch writes none
    refused(size - 1, 2)
    refused(2 * size - 1, 3)
    assert not path.exists()
    train(size, 2)
    path.unlink()
    train(2 * size, 3)
    refused(size - 1, 9)
    train(size, 9)  # one is there
    monkeypatch.undo()
    monkeypatch.setattr(training, "check_room", lambda *_: None)
    free_disk(monkeypatch, 100)
    with pytest.raises(InputError, match=r"needed for v, where 0\.0 GB are free; give --out on a"):
        train_on_dump(source, tmp_path / "v", ALL, QUICK, workers=1, work=tmp_path / "w")


def test_room_for_all_stages(source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    extract = dump_corpus.extract_dump

    def asking(*given: Any, **options: Any) -> Any:
        asked.append(options["room"])
        return extract(*given, **options)

    monkeypatch.setattr(dump_corpus, "extract_dump", asking)
    train_on_dump(source, tmp_path / "v", ALL, QUICK, workers=1, work=tmp_path / "w")
    n_of_parts = sum(file.stat().st_size for file in (tmp_path / "w").rglob("*.part"))
    stages = (tmp_path / "w/en/vectors").iterdir()
    n_of_stages = sum(file.stat().st_size for file in stages)
    assert asked == [dump_corpus.ROOM]
    assert 1 + n_of_stages / n_of_parts < 4 * dump_corpus.ROOM  # heads weigh much in small files


def test_vectors_that_grow_without_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said after the epoch in which it happens, before it is kept."""
    corpus = corpus_of([Page("p", [["a", "b", "c"] * 20])])
    train, n_calls = training.train_pages, 0

    def growing(*given: Any) -> int:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 2:
            given[8][0, 0] = np.inf  # inputs
        return train(*given)

    monkeypatch.setattr(training, "train_pages", growing)
    with pytest.raises(InputError, match=r"grew without bound; lower learning_rate 0\.025"):
        train_vectors(corpus, QUICK, n_workers=1, checkpoint=tmp_path / "c")
    assert n_calls == 2
    monkeypatch.undo()
    going_on = train_vectors(corpus, QUICK, n_workers=1, checkpoint=tmp_path / "c")
    whole = train_vectors(corpus, QUICK, n_workers=1)
    assert going_on.matrix.tobytes() == whole.matrix.tobytes()


def test_names_of_which_one_meaning_is_common_enough(tmp_path: Path) -> None:
    """*Mercury* means the planet in three links of four: sure, without what is rarer."""
    planet, god = ("Mercury (planet)", "Mercury"), ("Mercury (god)", "Mercury")
    path = write_dump(tmp_path / "en.xml", "en", [
        Written("Mercury (planet)", [["It is near the sun, and small"]]),
        Written("Mercury (god)", [["He was fast and had wings"]]),
        Written("Tale", [[planet, "and", planet, "and", planet, "and", god, "are here"]]),
        Written("Song", [["It is a song of Mercury alone"]]),
    ])  # fmt: skip
    build_knowledge_base([f"wikipedia:en={path}"], tmp_path / "kb", workers=1)

    def n_links(**thresholds: float) -> int:
        reading = replace(ALL, kb=tmp_path / "kb", **thresholds)
        corpus = corpus_of_dump(path, tmp_path / "w", reading, code="en", lang="en", workers=1)
        return corpus.link_entities.size

    assert [n_links(), n_links(min_commonness=0.2), n_links(min_commonness=0.3)] == [4, 4, 5]
    assert n_links(min_commonness=0.3, min_link_prob=1.0) == 4


SCRIPT = """
import sys
from pathlib import Path
from isogloss.cli.main import main
from isogloss.wiki.dump import parts, reader
reader.BLOCK, parts.BLOCKS = 3000, 1
sys.exit(main([
    "vectors", "train", "--source", sys.argv[1], "--out", sys.argv[2], "--workers", "1",
    "--dim-size", "8", "--epochs", "60", "--min-word-count", "1", "--min-entity-count", "1",
]))
"""
MOMENTS = ["*.part", "titles.bin", "*.tokens", "vocabulary.bin*", "numbers.bin*", "graph.bin*",
           "training-*"]  # fmt: skip


def is_there(folder: Path, pattern: str) -> bool:
    try:
        return any(folder.rglob(pattern))
    except FileNotFoundError:  # a folder that another process removed meanwhile
        return False


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
@pytest.mark.full
@pytest.mark.timeout(900)
def test_killed_trainings_go_on_to_the_same_bytes(source: str, tmp_path: Path) -> None:
    rng = random.Random(0)
    quick = VectorTraining(width=8, epochs=60)
    train_on_dump(source, tmp_path / "whole", replace(ALL, min_paragraph_len=5), quick, workers=1)
    whole, out, n_killed = (tmp_path / "whole").read_bytes(), tmp_path / "v", 0
    command = [sys.executable, "-c", SCRIPT, source]
    for moment in MOMENTS * 3:
        process = subprocess.Popen([*command, out])
        while process.poll() is None and not is_there(tmp_path / ".v.work", moment):
            time.sleep(0.001)
        time.sleep(rng.choice([0, 0, 0.01, 0.05]))
        process.kill()
        n_killed += process.wait() == -signal.SIGKILL
        if out.exists():  # it was too fast
            assert out.read_bytes() == whole
            out.unlink()
    assert n_killed >= len(MOMENTS)
    subprocess.run([*command, out], check=True)
    assert out.read_bytes() == whole
    assert not list(tmp_path.glob(".v*"))
