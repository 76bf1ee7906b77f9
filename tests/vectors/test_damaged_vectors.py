"""Damaged vectors of isogloss are one sentence: by their checksum, or where they are made up."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.storage.tensor_file import map_sealed, write_sealed
from isogloss.vectors import (
    EntityVectors,
    Vocabulary,
    WordEntityVectors,
    read_vectors,
    write_vectors,
)

MATRIX = np.arange(8, dtype=np.float32).reshape(4, 2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    vocabulary = Vocabulary.of(["beer", "京"], ["Berlin", "Bern"], redirects={"Bärn": "Bern"})
    write_vectors(WordEntityVectors(vocabulary, MATRIX, {"lang": "en"}), tmp_path / "v", "native")
    return tmp_path / "v"


def test_any_flipped_byte_is_refused(path: Path, tmp_path: Path) -> None:
    EntityVectors(["Q1", "Q2"], MATRIX[:2]).save(tmp_path / "entities")
    draw = np.random.default_rng(0)
    for file in (path, tmp_path / "entities"):
        content = file.read_bytes()
        for at in range(0, len(content), 5):
            flipped = content[at] ^ 1 << int(draw.integers(8))
            file.write_bytes(content[:at] + bytes([flipped]) + content[at + 1 :])
            with pytest.raises(InputError):
                read_vectors(file)
        file.write_bytes(content)
        read_vectors(file)


def _at(name: str, place: Any, value: float) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name][place] = value

    return change


def _as(name: str, dtype: Any) -> Callable[[dict[str, Any]], None]:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name].astype(dtype)

    return change


@pytest.mark.parametrize(
    "change",
    [
        _at("words.offsets", 1, 1 << 40), _at("words.offsets", 1, 5), _at("words.offsets", 0, 1),
        _at("words.order", 0, 2), _at("words.order", 0, -1), _at("words.bytes", -1, 0xFF),
        _at("redirects.counts", 0, 2), _at("redirects.counts", 0, -1),
        _at("vectors", (0, 0), np.nan), _at("vectors", (3, 1), np.inf),
        _as("words.offsets", np.float32), _as("words.order", np.int32),
        _as("words.counts", np.float32), _as("entities.bytes", np.int32), _as("vectors", np.int32),
    ],
)  # fmt: skip
def test_made_up_arrays_with_the_right_checksum_are_refused(
    path: Path, change: Callable[[dict[str, Any]], None]
) -> None:
    mapped, metadata = map_sealed(path, advice="")
    arrays = {name: array.copy() for name, array in mapped.items()}
    change(arrays)
    write_sealed(path, arrays, metadata)
    with pytest.raises(InputError, match=r"damaged|not finite"):
        read_vectors(path)


@pytest.mark.parametrize("facts", ["[]", "1", '{"lang": 1}', "{"])
def test_made_up_facts_are_refused(path: Path, facts: str) -> None:
    arrays, metadata = map_sealed(path, advice="")
    arrays = {name: array.copy() for name, array in arrays.items()}
    write_sealed(path, arrays, {**metadata, "facts": facts})
    with pytest.raises(InputError, match="damaged"):
        read_vectors(path)


def test_vectors_that_are_not_finite_are_not_written(tmp_path: Path) -> None:
    vectors = WordEntityVectors(Vocabulary.of(["a", "b"]), np.array([[0.0], [np.nan]]))
    with pytest.raises(InputError, match="the vector of 'b' is not finite"):
        write_vectors(vectors, tmp_path / "v", "native")


def test_an_older_format_is_said(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"entity vectors 2", b"entity vectors 1"))
    with pytest.raises(InputError, match="make it again"):
        read_vectors(path)
