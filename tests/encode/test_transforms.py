"""Transforms equal slow references, and an encoder with one says, keeps and checks it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from isogloss.encode import Encoder, transforms
from isogloss.encode.transforms import (
    FITS,
    FORMAT,
    VERSION,
    Transform,
    all_but_the_top,
    centring,
    whitening,
    z_score,
)
from isogloss.errors import InputError
from isogloss.storage.sealed import arrays_checksum


@pytest.fixture
def vectors() -> np.ndarray[Any, Any]:
    rng = np.random.default_rng(4)
    mixed = rng.normal(size=(300, 6)) @ rng.normal(size=(6, 6)) + rng.normal(size=6)
    return mixed.astype(np.float32)


@pytest.fixture
def encoder(tiny: Path) -> Encoder:
    return Encoder.load(tiny, device="cpu", threads=1, pooling="mean", normalize=True)


def test_centring_and_z_scores(vectors: np.ndarray[Any, Any]) -> None:
    wanted = vectors - vectors.mean(0)
    np.testing.assert_allclose(centring(vectors).transform(vectors), wanted, atol=1e-5)
    vectors[:, 2] = 7
    wanted = vectors - vectors.mean(0)
    wanted[:, [0, 1, 3, 4, 5]] /= vectors[:, [0, 1, 3, 4, 5]].std(0)
    np.testing.assert_allclose(z_score(vectors).transform(vectors), wanted, atol=1e-5)


def test_whitened_vectors_have_covariance_one(vectors: np.ndarray[Any, Any]) -> None:
    whitened = whitening(vectors, shrinkage=0.0).transform(vectors)
    np.testing.assert_allclose(np.cov(whitened.T, bias=True), np.eye(6), atol=1e-4)
    np.testing.assert_allclose(whitened.mean(0), 0, atol=1e-5)
    full = whitening(vectors, shrinkage=1.0).transform(vectors)  # a scaling in all directions
    centred = vectors - vectors.mean(0)
    scale = np.sqrt((centred**2).sum() / len(vectors) / 6)
    np.testing.assert_allclose(full, centred / scale, atol=1e-4)


def test_shrinkage_is_ledoit_and_wolfs(vectors: np.ndarray[Any, Any]) -> None:
    from sklearn.covariance import ledoit_wolf

    for some in (vectors, vectors[:5]):
        wanted, shrinkage = ledoit_wolf(some.astype(np.float64))
        fitted = whitening(some)
        assert fitted.options["shrinkage"] == pytest.approx(shrinkage, rel=1e-6)
        matrix = fitted.matrix.astype(np.float64)
        np.testing.assert_allclose(matrix @ wanted @ matrix, np.eye(6), atol=1e-3)


def test_the_top_directions_are_gone(vectors: np.ndarray[Any, Any]) -> None:
    centred = (vectors - vectors.mean(0)).astype(np.float64)
    _, _, directions = np.linalg.svd(centred, full_matrices=False)
    top = directions[:2]
    wanted = centred - (centred @ top.T) @ top
    fitted = all_but_the_top(vectors, n_removed=2)
    np.testing.assert_allclose(fitted.transform(vectors), wanted, atol=1e-4)
    assert all_but_the_top(np.tile(vectors, 50)[:, :300]).options == {"n_removed": 3}
    assert all_but_the_top(vectors).options == {"n_removed": 1}


@pytest.mark.parametrize("kind", FITS)
def test_parts_change_nothing_and_files_come_back(
    vectors: np.ndarray[Any, Any], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = FITS[kind](vectors)
    assert fitted.kind == kind
    monkeypatch.setattr(transforms, "N_ROWS_AT_ONCE", 7)
    parted = FITS[kind](vectors)
    np.testing.assert_allclose(parted.transform(vectors), fitted.transform(vectors), atol=1e-4)
    fitted.save(tmp_path / "t")
    read = Transform.load(tmp_path / "t")
    np.testing.assert_array_equal(read.transform(vectors), fitted.transform(vectors))
    assert (str(read), read.fingerprint) == (str(fitted), fitted.fingerprint)
    assert read.fingerprint != FITS[kind](vectors + vectors[0]).fingerprint
    with pytest.raises(InputError, match="already exists"):
        fitted.save(tmp_path / "t")


def test_order_is_encode_transform_normalise(encoder: Encoder, texts: list[str]) -> None:
    base = encoder.encode_counted(texts).vectors
    fitted = whitening(base)
    moved = encoder.with_transform(fitted)
    wanted = fitted.transform(base)
    plain = moved.encode_counted(texts, normalize=False).vectors
    np.testing.assert_allclose(plain, wanted, atol=1e-4)
    unit = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
    np.testing.assert_allclose(moved.encode_counted(texts).vectors, unit, atol=1e-4)
    assert moved.encode_counted(texts[:2], layers=[-1]).vectors.shape == (1, 2, 32)
    np.testing.assert_array_equal(encoder.encode_counted(texts).vectors, base)
    again = moved.with_transform(None)
    assert again.fingerprint == encoder.fingerprint != moved.fingerprint
    for asked in ({"layers": 1}, {"layers": "all"}, {"pooling": "cls"}):
        with pytest.raises(InputError, match=r"fitted for the last layer, 2, .* 'mean'"):
            moved.encode(texts, **asked)


def test_it_is_shown_saved_and_bound_to_its_encoder(
    encoder: Encoder, tiny: Path, tmp_path: Path
) -> None:
    some = ["uno", "два", "三", "چهار"]
    moved = encoder.with_transform(all_but_the_top(encoder.encode(some), n_removed=2))
    assert "transform: all-but-the-top, n_removed 2 (fitted on 4 vectors)" in repr(moved)
    assert moved.transform is not None
    moved.transform.save(tmp_path / "t.safetensors")
    options = {"device": "cpu", "threads": 1, "pooling": "mean", "normalize": True}
    read = Encoder.load(tiny, transform=tmp_path / "t.safetensors", **options)
    assert read.fingerprint == moved.fingerprint
    np.testing.assert_array_equal(read.encode(some), moved.encode(some))
    with pytest.raises(InputError, match="belongs to another encoder"):
        Encoder.load(tiny, transform=tmp_path / "t.safetensors", **options | {"pooling": "cls"})
    with pytest.raises(InputError, match="takes vectors of 6 dimensions"):
        encoder.with_transform(centring(np.ones((2, 6), np.float32)))


def test_faults_are_one_sentence(vectors: np.ndarray[Any, Any], tmp_path: Path) -> None:
    (tmp_path / "no").write_bytes(b"x" * 50)
    np_nan = np.full((3, 2), np.nan, np.float32)
    for call, message in (
        (lambda: centring(vectors[:1]), "2 vectors or more"),
        (lambda: centring(vectors[0]), "2 vectors or more"),
        (lambda: z_score(np_nan), "not finite"),
        (lambda: whitening(vectors, shrinkage=1.5), "not from 0 to 1"),
        (lambda: whitening(vectors[:4], shrinkage=0.0), "do not vary in all 6"),
        (lambda: all_but_the_top(vectors, n_removed=6), "6 directions of 6"),
        (lambda: centring(vectors).transform(vectors[:, :2]), "takes vectors of 6"),
        (lambda: Transform.load(tmp_path / "no"), "not a transform"),
        (lambda: Transform.load(tmp_path / "missing"), "not a transform"),
    ):
        with pytest.raises(InputError, match=message) as error:
            call()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("about", "arrays"),
    [
        ({"n_vectors": "x"}, {}),
        ({"options": "[]"}, {}),
        ({"options": "{"}, {}),
        ({"n_vectors": "-1"}, {}),
        ({"options": '{"shrinkage": null}'}, {}),
        ({"options": '{"shrinkage": NaN}'}, {}),
        ({"kind": "centering"}, {}),
        ({}, {"mean": np.zeros(4)}),
        ({}, {"matrix": np.ones((4, 4, 1), np.float32)}),
        ({"kind": None}, {}),
        ({}, {"mean": np.zeros((2, 2), np.float32)}),
        ({}, {"mean": np.full(4, np.nan, np.float32)}),
        ({}, {"matrix": np.eye(3, dtype=np.float32)}),
    ],
)
def test_a_damaged_file_is_refused_in_one_sentence(
    about: dict[str, Any], arrays: dict[str, Any], tmp_path: Path
) -> None:
    whole = {"format": FORMAT, "version": VERSION, "kind": "centring", "n_vectors": "3",
             "options": "{}", "encoder": ""} | about  # fmt: skip
    file = tmp_path / "t.safetensors"
    held = {"mean": np.zeros(4, np.float32)} | arrays
    metadata = {name: value for name, value in whole.items() if value is not None}
    metadata["checksum"] = arrays_checksum(held, metadata)
    save_file(held, file, metadata=metadata)
    with pytest.raises(InputError, match="damaged"):
        Transform.load(file)
