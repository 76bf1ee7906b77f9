"""A byte that changed in a file of our own is found; white space and the order of keys are none."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from isogloss.encode.vector_cache import VectorCache
from isogloss.errors import InputError
from isogloss.storage.array_file import map_arrays
from isogloss.storage.sealed import arrays_checksum, refuse_changed, sealed

DOCUMENT = {"format": "x", "rate": 0.1, "names": ["Tōkyō", "\ud800", None], "none": float("nan")}


def test_any_other_value_is_refused(tmp_path: Path) -> None:
    text = json.dumps(sealed(DOCUMENT), indent=1)
    refuse_changed(json.loads(text), tmp_path, advice="make it again")
    for change in ({"rate": 0.2}, {"rate": 1}, {"checksum": ""}, {"more": None}):
        with pytest.raises(InputError, match=r"damaged: its content .*; make it again"):
            refuse_changed(json.loads(text) | change, tmp_path, advice="make it again")
    for other in ([], None, DOCUMENT):
        with pytest.raises(InputError, match="damaged"):
            refuse_changed(other, tmp_path, advice="make it again")


def test_every_flipped_bit_of_a_document_is_found_or_says_nothing(tmp_path: Path) -> None:
    text = json.dumps(sealed(DOCUMENT)).encode()
    n_same = 0
    for place in range(8 * len(text)):
        changed = bytearray(text)
        changed[place // 8] ^= 1 << place % 8
        try:
            document = json.loads(changed)
            refuse_changed(document, tmp_path, advice="make it again")
        except ValueError:
            continue
        assert str(document) == str(sealed(DOCUMENT))
        n_same += 1
    assert n_same < 20  # white space for white space, an escape in upper case


def test_arrays_are_known_by_name_type_shape_and_bytes() -> None:
    whole = np.arange(6, dtype=np.float32)
    others = [
        ({"a": whole}, {}), ({"b": whole}, {}), ({"a": whole.reshape(2, 3)}, {}),
        ({"a": whole.astype(np.float64)}, {}), ({"a": whole + 1}, {}), ({"a": whole}, {"n": "1"}),
        ({"a": np.zeros(0)}, {}), ({"a": torch.zeros(6, dtype=torch.bfloat16)}, {}),
        ({"a": torch.ones(6, dtype=torch.bfloat16)}, {}), ({"a": torch.tensor(1)}, {}),
    ]  # fmt: skip
    assert len({arrays_checksum(arrays, about) for arrays, about in others}) == len(others)
    again = arrays_checksum({"a": whole[::1]}, {"checksum": "anything"})
    assert again == arrays_checksum({"a": whole}, {})


@pytest.mark.parametrize("data", [b"", b"\0" * 4, b"\0" * 64])
def test_an_empty_file_of_arrays_has_the_advice_of_a_damaged_one(
    tmp_path: Path, data: bytes
) -> None:
    (tmp_path / "links.bin").write_bytes(data)
    with pytest.raises(InputError, match=rf"links\.bin: .*; remove {tmp_path} and run again$"):
        map_arrays(tmp_path / "links.bin")


def test_a_cache_that_is_a_file_is_told_from_a_full_disk(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "cache"):
        with pytest.raises(InputError, match="is a file, or lies in one; a cache is a folder"):
            VectorCache(place)
