"""Every array of a saved model, made something else: one sentence says so, before it answers."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import FakeEncoder, english
from safetensors.numpy import load_file, save_file

from isogloss.classify import TextClassifier
from isogloss.classify.shift import ShiftCorrection
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.storage.files import sha256_of
from isogloss.storage.sealed import sealed
from isogloss.vectors import EntityVectors

Arrays = dict[str, np.ndarray[Any, Any]]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def with_first(value: float) -> Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    def change(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        made = array.copy()
        made.flat[0] = value
        return made

    return change


DAMAGE: dict[str, Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]] = {
    "nan": with_first(float("nan")),
    "infinite": with_first(float("inf")),
    "shortened": lambda array: array[:-1],
    "narrowed": lambda array: array[..., :-1],
    "with another axis": lambda array: array[None],
    "of integers": lambda array: np.ones(array.shape, np.int32),
    "of booleans": lambda array: np.ones(array.shape, bool),
}
DAMAGE_OF_INTEGERS: dict[str, Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]] = {
    "negative": with_first(-1),
    "beyond": with_first(2**62),
    "shortened": lambda array: array[:-1],
    "of floats": lambda array: array.astype(np.float64),
    "of short integers": lambda array: array.astype(np.int32),
}


def write(folder: Path, arrays: Arrays) -> None:
    file, manifest = folder / "model.safetensors", folder / "model.json"
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, file)
    facts = json.loads(manifest.read_text())
    facts["sha256"][file.name] = sha256_of(file)
    manifest.write_text(json.dumps(sealed(facts)))


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param("encoder only", marks=pytest.mark.full),
        "mboe",
        "mboe-plus",
        pytest.param("mboe, projected", marks=pytest.mark.full),
        "encoder only, examples",
    ],
)
def test_any_array_of_a_model(
    kind: str, kb: KnowledgeBase, encoder: FakeEncoder, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"kb": None if kind.startswith("encoder only") else kb}
    options["keep_examples"] = kind.endswith("examples")
    if kind == "mboe, projected":
        ids = [kb.entity_id(index) for index in range(kb.n_entities)]
        vectors = np.random.default_rng(0).standard_normal((len(ids), 5)).astype(np.float32)
        options["init"] = EntityVectors(ids, vectors)
    if kind.startswith("mboe"):
        options["preset"] = kind.partition(",")[0]
    model = TextClassifier(encoder, **options).fit(*english(), lang="en")
    model.fitted_ = model.fitted_.with_correction("ja", ShiftCorrection(np.zeros(12), 0.9, 50))
    folder = tmp_path / "model"
    model.save(folder)
    whole: Arrays = load_file(folder / "model.safetensors")
    wrong = []
    for name, array in whole.items():
        kinds = DAMAGE_OF_INTEGERS if array.dtype.kind == "i" else DAMAGE
        if array.dtype.kind == "u":  # which holds no nan
            kinds = {name: kinds[name] for name in ("shortened", "of integers", "of booleans")}
        for damage, change in {**kinds, "missing": None}.items():
            made = {**whole, name: array if change is None else change(array)}
            if change is None:
                del made[name]
            write(folder, made)
            try:
                TextClassifier.load(folder, encoder=encoder)
            except InputError as error:
                if "model.json: damaged" in str(error) and "\n" not in str(error):
                    continue
                wrong.append(f"{name} {damage}: {error}")
            else:
                wrong.append(f"{name} {damage}: loaded")
    assert not wrong, "\n".join(wrong)
    write(folder, whole)
    TextClassifier.load(folder, encoder=encoder)
