"""Static encoders equal values computed by hand, and sentence-transformers where it has them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from static_encoders import write_static
from tiny_models import train_tokenizer

from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning

TABLE = np.array([[9, 9], [1, 0], [0, 1], [4, 4]], np.float32)
WORDS = {"[UNK]": 0, "пёс": 1, "犬": 2, "कुत्ता": 3}


def model2vec(directory: Path, *, config: dict[str, Any] | None = None, **tensors: Any) -> Path:
    """Write a directory as model2vec does."""
    settings = {"normalize": False} | (config or {})
    return write_static(directory, WORDS, settings, **({"embeddings": TABLE} | tensors))


def test_a_vector_is_the_mean_of_the_pieces(tmp_path: Path) -> None:
    encoder = Encoder.load(model2vec(tmp_path / "m"))
    assert (encoder.width, encoder.n_layers, encoder.device) == (2, 0, "cpu")
    texts = ["пёс 犬", "कुत्ता कुत्ता пёс", "unknown пёс", "", "unknown"]
    encoded = encoder.encode_counted(texts)
    wanted = [[0.5, 0.5], [3, 8 / 3], [1, 0], [0, 0], [0, 0]]
    np.testing.assert_allclose(encoded.vectors, wanted, atol=1e-6)
    assert encoded.vectors.dtype == np.float32
    assert encoded.n_tokens.tolist() == [2, 3, 1, 0, 0]
    np.testing.assert_array_equal(encoder.encode(texts, layers="all")[0], encoded.vectors)


def test_normalize_comes_from_the_configuration(tmp_path: Path) -> None:
    encoder = Encoder.load(model2vec(tmp_path / "m", config={"normalize": True}))
    assert str(encoder.settings.normalize) == "True (config.json)"
    np.testing.assert_allclose(encoder.encode(["कुत्ता"]), [[0.5**0.5] * 2], atol=1e-6)
    np.testing.assert_allclose(encoder.encode(["कुत्ता"], normalize=False), [[4, 4]])
    np.testing.assert_array_equal(encoder.encode([""]), [[0, 0]])


def test_weights_and_mapping(tmp_path: Path) -> None:
    directory = model2vec(
        tmp_path / "m",
        embeddings=np.array([[2, 0], [0, 2]], np.float16),
        mapping=np.array([0, 0, 1, 1]),
        weights=np.array([1, 0.5, 2, 1], np.float64),
    )
    vectors = Encoder.load(directory).encode(["пёс 犬 कुत्ता"])
    np.testing.assert_allclose(vectors, [[1 / 3, 2]], atol=1e-6)


def test_texts_are_cut_at_512_pieces_as_model2vec_does(tmp_path: Path) -> None:
    encoder = Encoder.load(model2vec(tmp_path / "m"), long_texts="cut")
    assert str(encoder.settings.max_length) == "512 (model2vec's default)"
    with pytest.warns(OmissionWarning, match="1 of 1 texts are longer than 512 tokens"):
        vectors = encoder.encode(["пёс " * 512 + "犬"])
    np.testing.assert_allclose(vectors, [[1, 0]], atol=1e-6)
    directory = model2vec(tmp_path / "shorter", config={"max_length": 3})
    shorter = Encoder.load(directory, long_texts="cut")
    assert shorter.encode_counted(["пёс " * 3 + "犬"]).truncated.tolist() == [True]
    longer = Encoder.load(tmp_path / "m", max_length=1000)
    assert longer.encode(["пёс " * 512 + "犬"])[0, 1] > 0


def test_windows_of_a_table_are_the_text_without_a_limit(tmp_path: Path) -> None:
    weights = np.array([1, 0.5, 2, 1], np.float64)
    directory = model2vec(tmp_path / "m", weights=weights, config={"normalize": True})
    texts = ["пёс 犬 unknown कुत्ता " * 300 + "犬 " * 40, "犬", ""]
    encoder = Encoder.load(directory)
    whole = Encoder.load(directory, max_length=10_000)
    np.testing.assert_allclose(encoder.encode(texts), whole.encode(texts), atol=1e-6)
    assert not encoder.encode_counted(texts).truncated.any()


def test_the_fingerprint_is_of_table_and_settings(tmp_path: Path) -> None:
    one = Encoder.load(model2vec(tmp_path / "a"))
    other = Encoder.load(model2vec(tmp_path / "b", embeddings=TABLE + 1))
    assert len({one.fingerprint, other.fingerprint}) == 2
    assert Encoder.load(tmp_path / "a", normalize=True).fingerprint != one.fingerprint
    assert Encoder.load(tmp_path / "a").fingerprint == one.fingerprint


def test_the_fingerprint_is_of_tokenizer_and_configuration(tmp_path: Path) -> None:
    one = Encoder.load(model2vec(tmp_path / "a"), cache=tmp_path / "cache")
    assert one.encode(["пёс"]).tolist() == [[1, 0]]
    file = model2vec(tmp_path / "b") / "tokenizer.json"
    text = file.read_text("utf-8").replace('"пёс": 1', '"пёс": 2').replace('"犬": 2', '"犬": 1')
    file.write_text(text, "utf-8")
    other = Encoder.load(tmp_path / "b", cache=tmp_path / "cache")
    assert other.fingerprint != one.fingerprint
    assert other.encode(["пёс"]).tolist() == [[0, 1]]
    third = Encoder.load(model2vec(tmp_path / "c", config={"embedding_dtype": "float32"}))
    assert third.fingerprint != one.fingerprint


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_static_embedding_equals_sentence_transformers(
    tmp_path: Path, texts: list[str], kind: str
) -> None:
    library = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.models")
    tokenizer, _ = train_tokenizer(kind)
    rng = np.random.default_rng(2)
    table = rng.normal(size=(tokenizer.get_vocab_size(), 6)).astype(np.float32)
    module = modules.StaticEmbedding(tokenizer, embedding_weights=table)
    whole = library.SentenceTransformer(modules=[module, modules.Normalize()], device="cpu")
    whole.save_pretrained(str(tmp_path / "st"))
    encoder = Encoder.load(tmp_path / "st")
    assert encoder.settings.normalize.value
    wanted = whole.encode(texts, show_progress_bar=False)
    np.testing.assert_allclose(encoder.encode(texts), wanted, atol=1e-6)


REFUSED: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "pooling": ({}, {"pooling": "cls"}, "no pooling 'cls'; it has mean only"),
    "dtype": ({}, {"dtype": "bfloat16"}, "not in bfloat16"),
    "device": ({}, {"device": "cuda"}, "on cuda"),
    "mapping": ({"mapping": np.array([0, 0, 1, 7])}, {}, "names rows"),
    "lengths": (
        {"mapping": np.array([0, 0, 1, 1]), "weights": np.ones(3)}, {}, "differ in length"
    ),
    "rows": ({"embeddings": TABLE[:2]}, {}, "not of one model"),
    "matrix": ({"embeddings": TABLE[0]}, {}, "no matrix 'embeddings'"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_one_sentence(tmp_path: Path, case: str) -> None:
    tensors, options, message = REFUSED[case]
    directory = model2vec(tmp_path / "m", **tensors)
    with pytest.raises(InputError, match=message) as error:
        Encoder.load(directory, **options)
    assert "\n" not in str(error.value)


def test_other_faults_are_refused(tmp_path: Path) -> None:
    directory = model2vec(tmp_path / "m")
    with pytest.raises(InputError, match="has no pooling 'cls'"):
        Encoder.load(directory).encode(["犬"], pooling="cls")
    modules = [
        {"path": ".", "type": f"sentence_transformers.models.{kind}"}
        for kind in ("StaticEmbedding", "Dense")
    ]
    (directory / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InputError, match="'StaticEmbedding Dense' cannot be applied"):
        Encoder.load(directory)
    (directory / "modules.json").unlink()
    (directory / "model.safetensors").write_bytes(b"x" * 99)
    with pytest.raises(InputError, match="not a table of vectors"):
        Encoder.load(directory)


OTHERS: tuple[Any, ...] = (None, "x", -1, [], {}, True, 0.5, float("nan"), [None])


@pytest.mark.parametrize("value", OTHERS, ids=repr)
@pytest.mark.parametrize(
    "place",
    ["config.json", "modules.json", "max_length", "normalize", "model_type", "architectures",
     "an entry", "type", "path"],
)  # fmt: skip
def test_any_damaged_value_works_or_is_refused_in_one_sentence(
    place: str, value: Any, tmp_path: Path
) -> None:
    directory = model2vec(tmp_path / "m")
    config = json.loads((directory / "config.json").read_text()) | {"max_length": 9}
    modules: Any = [{"path": "", "type": "sentence_transformers.models.StaticEmbedding"}]
    if place in config:
        config[place] = value
    elif place in modules[0]:
        modules[0][place] = value
    config = value if place == "config.json" else config
    modules = {"modules.json": value, "an entry": [value]}.get(place, modules)
    (directory / "config.json").write_text(json.dumps(config))
    (directory / "modules.json").write_text(json.dumps(modules))
    said = str(directory)
    try:
        assert Encoder.load(directory).encode(["пёс 犬"]).shape == (1, 2)
    except InputError as error:
        said = str(error)
    assert str(directory) in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("max_length", "9", "damaged \\(max_length is '9', not a whole number above 0\\); copy"),
        ("max_length", 0, "max_length is 0, not a whole number above 0"),
        ("normalize", 1, "damaged \\(normalize is 1, not true or false\\); copy the encoder anew"),
    ],
)
def test_what_is_said_of_a_damaged_configuration(
    name: str, value: Any, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=expected):
        Encoder.load(model2vec(tmp_path / "m", config={name: value}))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"max_length": "9"}, "max_length is '9', not a whole number"),
        ({"max_length": 2.5}, "max_length is 2.5, not a whole number"),
        ({"normalize": "yes"}, "normalize is 'yes', not True or False"),
        ({"prefix": 5}, "prefix is 5, not text"),
        ({"pooling": 1}, "no pooling '1'|pooling is 1, not text"),
    ],
)
def test_options_of_another_kind(options: dict[str, Any], expected: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=expected):
        Encoder.load(model2vec(tmp_path / "m"), **options)
