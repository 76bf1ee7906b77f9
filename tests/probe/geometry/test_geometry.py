"""The whole measurement against slow versions on tiny models of every kind."""

import json
import re
import tempfile
from collections import defaultdict
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from isogloss.encode import Encoder
from isogloss.encode import batches as encode_batches
from isogloss.encode.words.tokens_of_words import WordUnits
from isogloss.errors import InputError, InputKindError, OmissionWarning
from isogloss.probe import GeometryOptions, GeometryResult, measure_geometry
from isogloss.probe.geometry.result import Measured

SMALL = GeometryOptions(min_contexts=3)
KINDS = ("bert", "roberta", "xlm-roberta", "gpt2", "t5", "bart")


def load(directory: Path, **options: Any) -> Encoder:
    return Encoder.load(directory, device="cpu", pooling="mean", encoder_half=True, **options)


def measure(directory: Path, texts: list[str], **options: Any) -> Measured:
    return measure_geometry(load(directory), texts, lang="en", **({"options": SMALL} | options))


def reference(directory: Path, texts: list[str]) -> list[dict[str, list[np.ndarray]]]:
    """Return, for each layer, the vectors of each word: transformers, one text at a time."""
    tokenizer, model = (
        AutoTokenizer.from_pretrained(directory),
        AutoModel.from_pretrained(directory),
    )
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    found: list[dict[str, list[np.ndarray]]] = []
    for text in dict.fromkeys(" ".join(text.split()) for text in texts if text.strip()):
        coded = tokenizer(text, return_offsets_mapping=True, return_tensors="pt")
        with torch.inference_mode():
            states = model.eval()(coded["input_ids"], output_hidden_states=True).hidden_states
        found = found or [defaultdict(list) for _ in states]
        special = tokenizer.get_special_tokens_mask(
            coded["input_ids"][0].tolist(), already_has_special_tokens=True
        )
        offsets = coded["offset_mapping"][0].tolist()
        end = 0
        for name in WordUnits("en").names(text):
            start = text.index(name, end)
            end = start + len(name)
            own = [at for at, (first, last) in enumerate(offsets)
                   if first < end and last > start and not special[at]]  # fmt: skip
            for layer, state in enumerate(states):
                found[layer][name].append(state[0, own].mean(0).numpy())
    return found


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("kind", KINDS)
def test_words_of_every_kind_of_model(
    tiny_models: dict[str, Path], tiny_texts: list[str], kind: str
) -> None:
    measured = measure(tiny_models[kind], tiny_texts)
    slow = reference(tiny_models[kind], tiny_texts)
    words = measured.words
    assert {"the", "fox", "dog", "lazy"} <= set(words.words)
    assert len(measured.layers) == len(slow)
    for layer, vectors_of in enumerate(slow):
        for at, name in enumerate(words.words):
            vectors = vectors_of[name]
            assert words.counts[at] == len(vectors)
            pairs = [cosine(a, b) for a, b in combinations(vectors, 2)]
            assert words.self_similarity[layer, at] == pytest.approx(np.mean(pairs), abs=1e-5)
            squares = np.linalg.svd(np.array(vectors, np.float64), compute_uv=False) ** 2
            assert words.mev[layer, at] == pytest.approx(squares[0] / squares.sum(), abs=1e-5)


def test_layer_means_and_baseline(bert: Path, tiny_texts: list[str]) -> None:
    """All words are random words here, so that a slow version needs no draws."""
    measured = measure(bert, tiny_texts)
    sentences = dict.fromkeys(" ".join(text.split()) for text in tiny_texts if text.strip())
    slow = [reference(bert, [text]) for text in sentences]
    for layer in measured.layers:
        vectors = [
            np.array([vector for words in one[layer.layer].values() for vector in words])
            for one in slow
        ]
        across = [cosine(a, b) for one, two in combinations(vectors, 2) for a in one for b in two]
        assert layer.baseline.value == pytest.approx(np.mean(across), abs=1e-5)
        intra = [np.mean([cosine(v, one.mean(0)) for v in one]) for one in vectors]
        assert layer.intra_similarity.raw.value == pytest.approx(np.mean(intra), abs=1e-5)
        assert layer.intra_similarity.adjusted.value == pytest.approx(
            np.mean(intra) - np.mean(across), abs=1e-5
        )
        lengths = np.linalg.norm(np.concatenate(vectors), axis=1)
        assert (layer.norm, layer.norm_deviation) == pytest.approx(
            (lengths.mean(), lengths.std()), abs=1e-5
        )
        of_layer = measured.words.self_similarity[layer.layer]
        assert layer.self_similarity.raw.value == pytest.approx(of_layer.mean())  # words are equal
    assert len(measured.layers) == 3


def test_mev_s_baseline_is_of_as_many_random_words_as_the_word_has(
    bert: Path, tiny_texts: list[str]
) -> None:
    small = measure(bert, tiny_texts, options=GeometryOptions(min_contexts=3, max_contexts=2))
    assert set(small.words.n_vectors) == {2}
    large = measure(bert, tiny_texts)
    assert small.words.counts.tolist() == large.words.counts.tolist()
    np.testing.assert_array_equal(small.words.self_similarity, large.words.self_similarity)
    for few, many in zip(small.layers, large.layers, strict=True):
        assert few.mev.baseline.value > many.mev.baseline.value  # at least 1 / n
        assert few.mev_centred.raw.value == pytest.approx(1)  # two points lie on a line
        assert few.mev_centred.baseline.value == pytest.approx(1)
        assert few.mev_released.baseline.value == many.mev_released.baseline.value  # of all words
        assert few.mev_released.raw.value < few.mev_centred.raw.value


@pytest.mark.parametrize("budget", [1, 60])
def test_batches_do_not_change_the_figures(
    bert: Path, tiny_texts: list[str], budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = GeometryResult([measure(bert, tiny_texts)], options=SMALL)
    monkeypatch.setitem(encode_batches.BUDGETS, ("cpu", "float32"), budget)
    parts = GeometryResult([measure(bert, tiny_texts)], options=SMALL)
    for one, other in zip(whole.layers.rows, parts.layers.rows, strict=True):
        numbers = {key: value for key, value in one.items() if isinstance(value, float)}
        assert {key: other[key] for key in numbers} == pytest.approx(numbers, abs=1e-5)


def test_the_same_seed_gives_the_same_bytes(
    bert: Path, tiny_texts: list[str], tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        options = GeometryOptions(min_contexts=3, max_words=5, n_random=9, seed=4)
        one = measure(bert, tiny_texts, options=options)
        result = GeometryResult([one], options=options)
        result.write(tmp_path / folder)
    files = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert files == [
        "claims.csv", "claims.md", "extremes.csv", "isotropy.csv", "layers.csv", "layers.svg",
        "manifest.json", "transforms.csv", "words.csv",
    ]  # fmt: skip
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    other = GeometryOptions(min_contexts=3, max_words=5, n_random=9, seed=5)
    again = measure(bert, tiny_texts, options=other)
    assert again.layers[1].baseline.value != one.layers[1].baseline.value


def test_pieces_as_units(bert: Path, tiny_texts: list[str]) -> None:
    measured = measure(bert, tiny_texts, unit="token")
    assert any(name.startswith("##") for name in measured.words.words)
    assert not any(name.startswith("[") for name in measured.words.words)  # no special ones
    assert "token" in measured.notes[0]


@pytest.mark.parametrize(
    ("kind", "note"),
    [("gpt2", "final normalisation"), ("t5", "the encoder of an encoder-decoder"),
     ("t5", "final normalisation"), ("bart", "the encoder of an encoder-decoder")],
)  # fmt: skip
def test_what_a_model_s_layers_are_is_said(
    tiny_models: dict[str, Path], tiny_texts: list[str], kind: str, note: str
) -> None:
    assert any(note in one for one in measure(tiny_models[kind], tiny_texts).notes)


@pytest.mark.parametrize("kind", ["bert", "bart"])
def test_no_final_norm_is_claimed_where_there_is_none(
    tiny_models: dict[str, Path], tiny_texts: list[str], kind: str
) -> None:
    assert not any("final norm" in one for one in measure(tiny_models[kind], tiny_texts).notes)


def test_an_encoder_decoder_is_refused_where_its_half_is_not_asked_for(
    tiny_models: dict[str, Path],
) -> None:
    with pytest.raises(InputError, match="is an encoder-decoder"):
        Encoder.load(tiny_models["t5"], device="cpu")


def test_words_beyond_the_maximum_length_are_counted(bert: Path, tiny_texts: list[str]) -> None:
    encoder = load(bert, max_length=6)
    with pytest.warns(
        OmissionWarning, match=r"^\d+ of \d+ words to measure have no vector: \d+ lie"
    ):
        measured = measure_geometry(encoder, tiny_texts, lang="en", options=SMALL)
    whole = measure(bert, tiny_texts)
    assert measured.words.counts.sum() < whole.words.counts.sum()
    assert all(np.isfinite(layer.mev.adjusted.value) for layer in measured.layers)


def test_all_cut_off_is_an_error(bert: Path) -> None:
    texts = [f"{'dog ' * 30} {word} fox" for word in ("a", "b", "c")]
    with (
        pytest.warns(OmissionWarning, match="no vector"),
        pytest.raises(InputError, match="all were cut off"),
    ):
        measure_geometry(load(bert, max_length=3), texts, lang="en", options=SMALL)


@pytest.mark.parametrize(
    ("n_random", "seed", "n_cut"),
    [(2, 4, 2), (2, 1, 1), (6, 1, 4)],
    ids=["none left", "one left", "fewer left than a word has vectors"],
)
def test_too_few_random_words_before_the_maximum_length_are_an_error(
    bert: Path, n_random: int, seed: int, n_cut: int
) -> None:
    texts = [f"dog {word} {'fox ' * 4}" for word in "abcdefgh"]
    options = GeometryOptions(min_contexts=3, max_contexts=6, n_random=n_random, seed=seed)
    said = rf"^of {n_random} random words {n_cut} were beyond .* larger --random-words$"
    with pytest.warns(OmissionWarning, match="no vector"), pytest.raises(InputError, match=said):
        measure_geometry(load(bert, max_length=5), texts, lang="en", options=options)


def test_an_encoder_twice_in_a_language_is_refused(bert: Path, tiny_texts: list[str]) -> None:
    one = measure(bert, tiny_texts)
    with pytest.raises(InputError, match=r"' in 'en' is measured twice; leave one out"):
        GeometryResult([one, one], options=SMALL)
    other = replace(one, lang="de")
    assert len(GeometryResult([one, other], options=SMALL).layers.rows) == 2 * len(one.layers)


def test_a_static_encoder_has_no_layers(tmp_path: Path, tiny_texts: list[str]) -> None:
    from safetensors.numpy import save_file

    (tmp_path / "tokenizer.json").write_text(json.dumps(json.loads(_tokenizer_of_words())), "utf-8")
    save_file({"embeddings": np.ones((3, 4), np.float32)}, tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text('{"model_type": "model2vec"}')
    with pytest.raises(InputError, match="is a static encoder"):
        measure_geometry(Encoder.load(tmp_path, device="cpu"), tiny_texts, lang="en")


def _tokenizer_of_words() -> str:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "the": 1, "fox": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer.to_str()


def test_texts_are_a_list(bert: Path) -> None:
    wrong = {"texts": "the fox", "is an iterator": iter(["the fox"]),
             r"text 1 \(counted from 0\) is a NoneType": ["the fox", None]}  # fmt: skip
    for said, texts in wrong.items():
        with pytest.raises(InputKindError, match=said):
            measure_geometry(load(bert), texts, lang="en")  # type: ignore[arg-type]


def test_a_broken_model_is_said(tiny_models: dict[str, Path], tiny_texts: list[str]) -> None:
    encoder = load(tiny_models["roberta"])
    with torch.no_grad():
        encoder.network.model.encoder.layer[1].output.LayerNorm.bias[3] = float("nan")
    with pytest.raises(InputError, match=r"in layer 2 the vector of '\w+' is not finite"):
        measure_geometry(encoder, tiny_texts, lang="en", options=SMALL)


def test_the_scratch_file_is_gone_and_needs_room(
    bert: Path, tiny_texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    measure(bert, tiny_texts)
    assert list(tmp_path.iterdir()) == []
    room = type("Usage", (), {"free": 1000})
    monkeypatch.setattr("isogloss.probe.geometry.sums.shutil.disk_usage", lambda _: room)
    with pytest.raises(InputError, match=r"the scratch file may take 0\.0 GB"):
        measure(bert, tiny_texts)
    assert list(tmp_path.iterdir()) == []


def test_options_out_of_range() -> None:
    for name in ("min_contexts", "max_words", "max_contexts", "n_random"):
        with pytest.raises(InputError, match=f"{name} is 0; give"):
            GeometryOptions(**{name: 0})


def test_tables_hold_every_encoder_and_language(
    tiny_models: dict[str, Path], tiny_texts: list[str]
) -> None:
    some = [measure(tiny_models[kind], tiny_texts) for kind in ("bert", "gpt2")]
    result = GeometryResult(some, options=SMALL)
    assert [(row["lang"], row["layer"]) for row in result.layers.rows] == [
        ("en", layer) for n in (3, 4) for layer in range(n)
    ]
    assert len(result.transforms.rows) == 5 * 7
    assert len(result.words.rows) == sum(len(one.words.words) * len(one.layers) for one in some)
    assert re.search("gpt2.*final normalisation", " ".join(result.notes))
    row = result.layers.rows[1]
    assert row["self_similarity_adjusted"] == pytest.approx(
        row["self_similarity"] - row["baseline"]
    )
    assert row["baseline_low"] <= row["baseline"] <= row["baseline_high"]
    most = [
        row["self_similarity"] for row in result.extremes.rows if row["encoder"] == some[0].encoder
    ]
    half = len(most) // 2
    assert most[:half] == sorted(most[:half])
    assert max(most[:half]) <= min(most[half:])
    json.dumps(result.to_json(), allow_nan=False)
