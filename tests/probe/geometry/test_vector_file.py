"""Vectors of other programs, and static vectors of words."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from isogloss.errors import InputError
from isogloss.probe import GeometryOptions, measure_vectors
from isogloss.probe.geometry import measure as geometry
from isogloss.probe.geometry import vector_file as module
from isogloss.probe.geometry.static_words import StaticWords, main_direction
from isogloss.probe.geometry.vector_file import read_layer_vectors
from isogloss.vectors import read_vectors

SENTENCES = [
    "the fox runs .", "the dog runs , 東京", "a fox sleeps", "the dog sleeps", "the fox", "the dog",
    "the fox runs .",
]  # fmt: skip
OPTIONS = GeometryOptions(min_contexts=2)


def arrays_of(sentences: list[str], width: int = 6, n_layers: int = 3) -> dict[str, np.ndarray]:
    words = [word for sentence in sentences for word in sentence.split()]
    rng = np.random.default_rng(0)
    numbers = [at for at, sentence in enumerate(sentences) for _ in sentence.split()]
    return {
        "words": np.frombuffer("\n".join(words).encode(), np.uint8),
        "sentences": np.array(numbers),
        **{
            f"layer_{at}": rng.normal(size=(len(words), width)).astype(np.float32) + at
            for at in range(n_layers)
        },
    }


def write(path: Path, **changes: Any) -> Path:
    arrays = arrays_of(SENTENCES) | changes
    save_file({name: array for name, array in arrays.items() if array is not None}, path)
    return path


@pytest.mark.parametrize("n_at_once", [1, 5, 4096])
def test_vectors_of_a_file(tmp_path: Path, n_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "N_ROWS_AT_ONCE", n_at_once)
    vectors = read_layer_vectors(write(tmp_path / "v"))
    measured = measure_vectors(vectors, name="elmo", lang="eng", options=OPTIONS)
    assert (measured.encoder, measured.lang, len(measured.layers)) == ("elmo", "en", 3)
    assert measured.words.words == ["dog", "fox", "runs", "sleeps", "the"]
    assert measured.words.counts.tolist() == [3, 3, 2, 2, 5]  # the last sentence was met before
    arrays = arrays_of(SENTENCES)
    words = [word for sentence in SENTENCES[:-1] for word in sentence.split()]
    of_fox = arrays["layer_1"][: len(words)][[word == "fox" for word in words]]
    units = of_fox / np.linalg.norm(of_fox, axis=1, keepdims=True)
    expected = (units @ units.T)[np.triu_indices(3, 1)].mean()
    assert measured.words.self_similarity[1, 1] == pytest.approx(expected, abs=1e-6)
    assert "1 met before" in measured.notes[-1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"words": None}, "has no array 'words'"),
        ({"sentences": None}, "has no array 'sentences'"),
        ({"layer_1": None}, "has no array 'layer_1'"),
        ({"layer_2": np.ones((23, 5), np.float32)}, "'layer_2' is float32 of shape"),
        ({"layer_0": np.ones((23, 6), np.int32)}, "'layer_0' is int32"),
        ({"layer_0": np.ones((23, 6))}, "its tensor 'layer_0' is F64; F32"),
        ({"sentences": np.ones(23, np.int16)}, "its tensor 'sentences' is I16; "),
        ({"layer_0": np.ones((), np.float32)}, "'layer_0' is float32 of shape"),
        ({"words": np.frombuffer(b"a\xff", np.uint8)}, "'words' is not UTF-8"),
        ({"words": np.ones(23, np.int32)}, "'words' is int32, not uint8"),
        ({"words": np.frombuffer(b"a\nb", np.uint8)}, "fits its 2 words"),
        ({"sentences": np.ones(3, np.int64)}, "'sentences' is int64 of shape"),
        ({"sentences": np.arange(23) % 2}, "do not stand together"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_layer_vectors(write(tmp_path / "v", **changes))


def test_other_arrays_are_left_out(tmp_path: Path) -> None:
    more = {"layer_norm": np.ones(3, np.float32), "notes": np.ones(3, np.uint8)}
    assert len(read_layer_vectors(write(tmp_path / "v", **more)).layers) == 3


def test_what_is_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_layer_vectors(tmp_path / "none")
    (tmp_path / "v").write_text("words")
    with pytest.raises(InputError, match="is not a safetensors file"):
        read_layer_vectors(tmp_path / "v")
    for header in (b'{"__metadata__": null}', b"[" * 200_000, b'{"__metadata__": 5}', b"[]"):
        (tmp_path / "v").write_bytes(len(header).to_bytes(8, "little") + header)
        with pytest.raises(InputError, match="is not a safetensors file"):
            read_layer_vectors(tmp_path / "v")
    whole = write(tmp_path / "v").read_bytes()
    (tmp_path / "v").write_bytes(whole[:-9])
    with pytest.raises(InputError, match="cut off"):
        read_layer_vectors(tmp_path / "v")


@pytest.mark.parametrize(("value", "said"), [(np.nan, "not finite"), (0, "all zeros")])
def test_a_vector_without_a_direction(tmp_path: Path, value: float, said: str) -> None:
    layer = arrays_of(SENTENCES)["layer_1"]
    layer[1] = value
    vectors = read_layer_vectors(write(tmp_path / "v", layer_1=layer))
    told = rf"{tmp_path / 'v'}: row 1 of 'layer_1' .*, the vector of 'fox', is {said}"
    with pytest.raises(InputError, match=told) as error:
        measure_vectors(vectors, name="v", lang="en", options=OPTIONS)
    assert "model" not in str(error.value)


def test_vectors_without_numbers(tmp_path: Path) -> None:
    empty = {f"layer_{at}": np.zeros((len(arrays_of(SENTENCES)["sentences"]), 0), np.float32)
             for at in range(3)}  # fmt: skip
    with pytest.raises(InputError, match=r"its vectors have no numbers \(width 0\)"):
        read_layer_vectors(write(tmp_path / "v", **empty))


def test_static_vectors(tmp_path: Path) -> None:
    vectors = read_layer_vectors(write(tmp_path / "v"))
    made = StaticWords(tmp_path / "static", layer=2)
    measure_vectors(vectors, name="v", lang="en", options=OPTIONS, static=made)
    assert not (tmp_path / "static").exists()
    with made.written() as written:
        assert len(written) == 5
    static = read_vectors(tmp_path / "static")
    assert list(static.vocabulary.words) == ["dog", "fox", "runs", "sleeps", "the"]
    assert static.vocabulary.word_counts.tolist() == [3, 3, 2, 2, 5]
    assert static.facts == {"lang": "en", "made_from": "v", "layer": 2}
    assert np.linalg.norm(static.matrix, axis=1) == pytest.approx(np.ones(5))
    words = [word for sentence in SENTENCES[:-1] for word in sentence.split()]
    of_dog = vectors.layers[2][: len(words)][[word == "dog" for word in words]].astype(float)
    values, directions = np.linalg.eigh(of_dog.T @ of_dog)
    assert abs(static["dog"] @ directions[:, -1]) == pytest.approx(1)
    assert static["dog"] @ of_dog.mean(0) > 0
    assert values[-1] > values[0]


def test_the_main_direction_is_on_the_side_of_the_mean() -> None:
    vectors = np.random.default_rng(0).normal(size=(9, 4)).astype(np.float32) + 2
    np.testing.assert_allclose(main_direction(vectors), -main_direction(-vectors), atol=1e-6)


def test_static_vectors_of_a_layer_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choose(*_: object) -> None:
        raise AssertionError("it was measured in vain")

    monkeypatch.setattr(geometry, "_choice", choose)
    vectors = read_layer_vectors(write(tmp_path / "v"))
    with pytest.raises(InputError, match=r"no layer 3 in v; its layers are 0 \(the input\) to 2"):
        measure_vectors(vectors, name="v", lang="en", options=OPTIONS,
                        static=StaticWords(tmp_path / "static", layer=3))  # fmt: skip
    with pytest.raises(InputError, match="already exists; choose another --static or"):
        StaticWords(tmp_path / "v")


def test_static_vectors_replace_nothing_of_another_kind(tmp_path: Path) -> None:
    """They once replaced any file, a text to measure on too."""
    (tmp_path / "notes").write_text("mine")
    (tmp_path / "empty").touch()
    for name in ("notes", "empty", write(tmp_path / "v").name):
        before = (tmp_path / name).read_bytes()
        with pytest.raises(InputError, match="holds no vectors of isogloss, and is not replaced"):
            StaticWords(tmp_path / name, overwrite=True)
        assert (tmp_path / name).read_bytes() == before


def test_static_vectors_stay_away_when_the_rest_fails(tmp_path: Path) -> None:
    vectors = read_layer_vectors(write(tmp_path / "v"))
    made = StaticWords(tmp_path / "static")
    measure_vectors(vectors, name="v", lang="en", options=OPTIONS, static=made)
    with pytest.raises(InputError, match="nothing was kept"), made.written():
        raise InputError("could not be written; nothing was kept")
    assert [path.name for path in tmp_path.iterdir()] == ["v"]
