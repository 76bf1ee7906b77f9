"""A classifier keeps the fitted transform of its encoder, and loading puts it back."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from planted import english

from isogloss.classify import TextClassifier
from isogloss.encode import Encoder
from isogloss.encode.transforms import whitening
from isogloss.errors import InputError


def test_a_saved_model_has_the_transform(tiny_directory: Path, tmp_path: Path) -> None:
    plain = Encoder.load(tiny_directory, device="cpu", threads=1, pooling="mean")
    texts, labels = english()
    encoder = plain.with_transform(whitening(plain.encode(texts)))
    model = TextClassifier(encoder, kb=None).fit(texts, labels, lang="en")
    model.save(tmp_path / "model")
    read = TextClassifier.load(tmp_path / "model", device="cpu")
    assert read.encoder_.transform is not None
    assert read.encoder_.fingerprint == encoder.fingerprint
    np.testing.assert_allclose(
        read.predict_proba(texts, lang="en"), model.predict_proba(texts, lang="en"), atol=1e-5
    )
    with pytest.raises(InputError, match="another encoder"):
        TextClassifier.load(tmp_path / "model", encoder=plain)
    shutil.copy(tmp_path / "model/model.safetensors", tmp_path / "model/transform.safetensors")
    with pytest.raises(InputError, match=r"transform\.safetensors: damaged"):
        TextClassifier.load(tmp_path / "model")
