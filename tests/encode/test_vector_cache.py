"""Cached vectors are those of the first run, whatever else happened to the files."""

import logging
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.encode import Encoder
from isogloss.encode.transforms import centring
from isogloss.encode.vector_cache import KEY, VectorCache, Vectors
from isogloss.errors import InputError

SOME = ["The fox", "собака", "犬", "小狗", ""]


@pytest.fixture
def encoder(tiny: Path) -> Encoder:
    return Encoder.load(tiny, device="cpu", threads=1, pooling="mean", long_texts="cut")


@pytest.fixture
def forwarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count the texts that go through a network."""
    from isogloss.encode.model import Network

    counts: list[int] = []
    forward = Network.pool

    def counting(self: Network, batch: Any, plan: Any) -> Any:
        counts.append(len(batch.ids))
        return forward(self, batch, plan)

    monkeypatch.setattr(Network, "pool", counting)
    return counts


def shelf(cache: Path) -> Path:
    (folder,) = (path for path in cache.iterdir() if path.is_dir())
    return folder


def test_what_was_encoded_is_not_encoded_again(
    encoder: Encoder, tiny: Path, texts: list[str], tmp_path: Path, forwarded: list[int]
) -> None:
    first = encoder.with_cache(tmp_path / "c").encode_counted([*texts, *texts])
    assert sum(forwarded) == len(texts)
    forwarded.clear()
    again = Encoder.load(tiny, device="cpu", pooling="mean", long_texts="cut", cache=tmp_path / "c")
    assert f"cache: {tmp_path / 'c'}" in repr(again)
    found = again.encode_counted([*texts, "new", *texts])
    assert sum(forwarded) == 1
    keep = [i for i in range(len(found.vectors)) if i != len(texts)]
    np.testing.assert_array_equal(found.vectors[keep], first.vectors)
    np.testing.assert_array_equal(found.n_tokens[keep], first.n_tokens)
    np.testing.assert_array_equal(found.truncated[keep], first.truncated)
    assert first.truncated.any()
    np.testing.assert_allclose(first.vectors[: len(texts)], encoder.encode_counted(texts).vectors,
                               atol=1e-5)  # fmt: skip
    assert again.fingerprint == encoder.fingerprint


def test_settings_never_share_a_vector(tiny: Path, tmp_path: Path, forwarded: list[int]) -> None:
    ways: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}), ({}, {"pooling": "cls"}), ({}, {"layers": 1}), ({}, {"layers": "all"}),
        ({}, {"normalize": True}), ({"prefix": "x: "}, {}), ({"max_length": 9}, {}),
        ({"dtype": "bfloat16"}, {}), ({"long_texts": "cut"}, {}),
        ({}, {"long_texts": "cut"}),
    ]  # fmt: skip
    wanted = []
    for options, asked in ways:
        plain = Encoder.load(tiny, device="cpu", **{"pooling": "mean"} | options)
        wanted.append(plain.encode(SOME, **asked))
        np.testing.assert_allclose(
            plain.with_cache(tmp_path / "c").encode(SOME, **asked), wanted[-1], atol=1e-5
        )
    assert len(list((tmp_path / "c").iterdir())) == len(ways)
    forwarded.clear()
    for (options, asked), vectors in zip(ways, wanted, strict=True):
        cached = Encoder.load(
            tiny, device="cpu", cache=tmp_path / "c", **{"pooling": "mean"} | options
        )
        np.testing.assert_allclose(cached.encode(SOME, **asked), vectors, atol=1e-5)
    assert forwarded == []


def test_a_transform_is_behind_the_cache(
    encoder: Encoder, tmp_path: Path, forwarded: list[int]
) -> None:
    cached = encoder.with_cache(tmp_path / "c")
    base = cached.encode(SOME)
    fitted = centring(base)
    forwarded.clear()
    moved = cached.with_transform(fitted).encode(SOME)
    np.testing.assert_array_equal(moved, fitted.transform(base))
    assert forwarded == []


@pytest.mark.parametrize("torn", ["keys.bin", "vectors.f4", "both", "a byte", "no keys"])
def test_a_torn_write_is_found_and_made_good(
    encoder: Encoder, tmp_path: Path, torn: str, forwarded: list[int]
) -> None:
    wanted = encoder.with_cache(tmp_path / "c").encode(SOME)
    folder = shelf(tmp_path / "c")
    for name in ("keys.bin", "vectors.f4"):
        path, content = folder / name, (folder / name).read_bytes()
        if torn in (name, "both"):
            path.write_bytes(content[:-5])
        if torn == "a byte" and name == "vectors.f4":
            path.write_bytes(bytes([content[0] ^ 1]) + content[1:])
        if torn == "no keys" and name == "keys.bin":
            path.unlink()
    forwarded.clear()
    for n_encoded in (len(SOME) if torn == "no keys" else 1, 0):
        forwarded.clear()
        found = encoder.with_cache(tmp_path / "c").encode(SOME)
        np.testing.assert_allclose(found, wanted, atol=1e-5)
        assert sum(forwarded) == n_encoded


def test_it_is_bounded_and_says_so(
    encoder: Encoder, tmp_path: Path, caplog: pytest.LogCaptureFixture, forwarded: list[int]
) -> None:
    room = 3 * (KEY.itemsize + 32 * 4) + 1
    cached = encoder.with_cache(tmp_path / "c", max_bytes=room)
    with caplog.at_level(logging.WARNING, logger="isogloss"):
        cached.encode(SOME)
        cached.encode([*SOME, "more"])
    (message,) = caplog.messages
    assert message == (
        f"{shelf(tmp_path / 'c')}: the cache is full (0 vectors); new ones are not kept; "
        "remove the folder, or give another --cache (in Python: with_cache, or more max_bytes)"
    )
    assert (shelf(tmp_path / "c") / "vectors.f4").stat().st_size == 3 * 32 * 4
    forwarded.clear()
    cached.encode(SOME)
    assert sum(forwarded) == 2


def test_a_disk_that_refuses_ends_the_keeping_only(
    encoder: Encoder, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    cached = encoder.with_cache(tmp_path / "c")
    (tmp_path / "c").rmdir()
    (tmp_path / "c").write_text("in the way")
    with caplog.at_level(logging.WARNING, logger="isogloss"):
        np.testing.assert_allclose(cached.encode(SOME), encoder.encode(SOME), atol=1e-5)
    assert "not cached any more" in caplog.text
    with pytest.raises(InputError, match="is a file, or lies in one"):
        encoder.with_cache(tmp_path / "c")


def test_a_failure_leaves_nothing_in_it(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cached = encoder.with_cache(tmp_path / "c")
    cached.encode(["known"])
    before = (shelf(tmp_path / "c") / "keys.bin").read_bytes()
    broken = np.full((1, 1, 32), np.nan, np.float32)
    monkeypatch.setattr(encoder.network, "pool", lambda batch, plan: broken)
    with pytest.raises(InputError, match="not finite for text 2 "):
        cached.encode(["known", "known", "новый"])
    assert (shelf(tmp_path / "c") / "keys.bin").read_bytes() == before


def fill_some(directory: Path, start: int) -> None:
    cache = VectorCache(directory)

    def encode(texts: list[str]) -> Vectors:
        values = np.array([float(text) for text in texts], np.float32)
        return Vectors(np.repeat(values, 8).reshape(1, -1, 8), np.full(len(texts), 3))

    for i in range(start, start + 40):
        texts = [str(number) for number in range(i, i + 5)]
        found = cache.fill(texts, encode, settings={}, shape=(1, 8))
        np.testing.assert_array_equal(found.vectors[0, :, 0], [float(text) for text in texts])


def test_two_processes_share_it(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=fill_some, args=(tmp_path, start)) for start in (0, 20)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    folder = shelf(tmp_path)
    keys = np.fromfile(folder / "keys.bin", KEY)
    assert len(keys) == len(np.unique(keys["digest"])) == 64
    stored = np.fromfile(folder / "vectors.f4", "<f4").reshape(-1, 8)
    assert sorted(stored[:, 0].tolist()) == list(range(64))


def test_nothing_is_cached_unasked(encoder: Encoder, tmp_path: Path) -> None:
    assert encoder.cache is None
    assert "cache" not in repr(encoder)


@pytest.mark.parametrize("link", ["folder", "vectors.f4", "lock"])
def test_nothing_is_written_through_a_link(
    encoder: Encoder, tmp_path: Path, link: str, caplog: pytest.LogCaptureFixture
) -> None:
    wanted = encoder.with_cache(tmp_path / "c").encode(SOME)
    folder = shelf(tmp_path / "c")
    place = folder if link == "folder" else folder / link
    outside = place.rename(tmp_path / "outside")
    place.symlink_to(outside)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    found = encoder.with_cache(tmp_path / "c").encode([*SOME, "another"])
    np.testing.assert_allclose(found[:-1], wanted, atol=1e-5)
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before
    assert [text for text in caplog.messages if f"{place}: is a link" in text]
