"""An exported encoder gives the vectors of the encoder, in every form that it is written in."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tiny_models import TEXTS, build_chain, build_tiny

from isogloss.align.export import CardFacts, Record, card_of, onnx_file, read_evaluation
from isogloss.align.export.exporter import export_encoder
from isogloss.align.export.onnx_file import vectors_of
from isogloss.encode import Encoder
from isogloss.encode.weights.int8 import INT8_FILE, SCALE, row_scales
from isogloss.errors import InputError
from isogloss.learn.export.samples import evenly, texts_in_ten_scripts
from isogloss.storage.sealed import sealed
from isogloss.text.languages import script_of

KINDS = ("bert", "roberta", "xlm-roberta")
PROMPTS = {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": "query"}


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("tiny")
    return {kind: build_tiny(folder / kind, kind=kind, with_pooler=False) for kind in KINDS}


def loaded(folder: Path, **settings: Any) -> Encoder:
    return Encoder.load(folder, threads=1, long_texts="cut", **settings)


def unit(encoder: Encoder, texts: list[str]) -> Any:
    return encoder.encode_counted(texts, normalize=True).vectors


@pytest.mark.parametrize("kind", KINDS)
def test_both_libraries_read_the_directory_alike(
    tmp_path: Path, tiny: dict[str, Path], kind: str
) -> None:
    from sentence_transformers import SentenceTransformer

    chain = build_chain(tiny[kind], tmp_path / "chain", prompts=PROMPTS)
    encoder = loaded(chain)
    made = export_encoder(encoder, tmp_path / "made", texts=TEXTS[:6])
    assert made.after.n_tokens < made.before.n_tokens
    assert made.after.n_bytes < made.before.n_bytes
    assert made.largest_difference is not None
    assert made.largest_difference <= 1e-5
    theirs = SentenceTransformer(str(tmp_path / "made"), device="cpu")
    np.testing.assert_allclose(theirs.encode(TEXTS[:6]), unit(encoder, TEXTS[:6]), atol=1e-5)
    assert theirs.prompts["passage"] == "passage: "
    ours = loaded(tmp_path / "made")
    np.testing.assert_allclose(unit(ours, TEXTS[:6]), unit(encoder, TEXTS[:6]), atol=1e-5)
    assert ours.settings.prefix.value == "query: "


def test_an_encoder_is_written_as_it_is(tmp_path: Path, tiny: dict[str, Path]) -> None:
    encoder = loaded(tiny["bert"], pooling="cls")
    made = export_encoder(encoder, tmp_path / "made")
    assert made.before.n_tokens == made.after.n_tokens
    after = loaded(tmp_path / "made")
    np.testing.assert_allclose(after.encode(TEXTS[:3]), encoder.encode(TEXTS[:3]), atol=1e-5)
    assert (after.settings.pooling.value, after.settings.normalize.value) == ("cls", False)
    assert not after.settings.pooling.is_guessed


@pytest.mark.parametrize("kind", KINDS)
def test_eight_bits_change_little(tmp_path: Path, tiny: dict[str, Path], kind: str) -> None:
    encoder = loaded(tiny[kind], normalize=True)
    made = export_encoder(encoder, tmp_path / "made", quantize="int8")
    assert made.largest_difference is None
    assert made.cosines.min() > 0.999
    after = loaded(tmp_path / "made")
    cosines = (unit(after, TEXTS) * unit(encoder, TEXTS)).sum(1)
    assert cosines.min() > 0.999
    assert cosines.min() < 1 - 1e-7  # they are no copies
    assert made.after.n_bytes < made.before.n_bytes / 2
    assert not (tmp_path / "made" / "model.safetensors").exists()
    assert "library_name: isogloss\n" in (tmp_path / "made" / "README.md").read_text("utf-8")
    assert after.fingerprint != encoder.fingerprint
    again = export_encoder(after, tmp_path / "again", texts=TEXTS[:2])
    assert again.largest_difference is not None  # what was in 8 bits is read like any other


def test_a_row_has_the_error_of_half_a_step(tmp_path: Path, tiny: dict[str, Path]) -> None:
    export_encoder(loaded(tiny["bert"]), tmp_path / "made", quantize="int8")
    before = load_file(tiny["bert"] / "model.safetensors")
    stored = load_file(tmp_path / "made" / INT8_FILE)
    for name, values in before.items():
        if values.ndim != 2:
            np.testing.assert_array_equal(stored[name], values)
            continue
        scales = stored[name + SCALE]
        np.testing.assert_allclose(scales, np.abs(values).max(1) / 127, rtol=1e-6)
        assert np.all(np.abs(stored[name] * scales[:, None] - values) <= scales[:, None] * 0.5001)
    assert row_scales(np.zeros((2, 3), np.float32)).tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    "damage", ["no scale", "a short scale", "nan", "another type", "two files"]
)
def test_damaged_eight_bits_are_refused(tmp_path: Path, tiny: dict[str, Path], damage: str) -> None:
    folder = tmp_path / "made"
    export_encoder(loaded(tiny["bert"]), folder, quantize="int8")
    tensors = load_file(folder / INT8_FILE)
    name = "embeddings.word_embeddings.weight"
    if damage == "no scale":
        del tensors[name + SCALE]
    elif damage == "a short scale":
        tensors[name + SCALE] = tensors[name + SCALE][:3]
    elif damage == "nan":
        tensors[name + SCALE][0] = np.nan
    elif damage == "another type":
        tensors[name] = tensors[name].astype(np.int16)
    else:
        save_file({"a": np.zeros(3, np.float32)}, folder / "model.safetensors")
    save_file(tensors, folder / INT8_FILE)
    with pytest.raises(InputError, match=r"8 bits|weights beside"):
        loaded(folder)


def test_rare_tokens_are_left_out_and_counted(tmp_path: Path, tiny: dict[str, Path]) -> None:
    encoder = loaded(tiny["bert"])
    texts = [*TEXTS[:1] * 5, *TEXTS[1:3]]
    whole = export_encoder(encoder, tmp_path / "whole", texts=texts)
    assert whole.n_changed == 0
    fewer = export_encoder(encoder, tmp_path / "fewer", texts=texts, min_count=3)
    assert fewer.after.n_tokens < whole.after.n_tokens
    assert 0 < fewer.n_changed <= 2
    assert fewer.largest_difference is None


def test_tokens_of_the_texts_alone_are_kept_in_bfloat16(
    tmp_path: Path, tiny: dict[str, Path]
) -> None:
    made = export_encoder(loaded(tiny["bert"], dtype="bfloat16"), tmp_path / "b", texts=TEXTS[:1])
    assert made.largest_difference == 0


def test_what_cannot_be_exported_is_refused(tmp_path: Path, tiny: dict[str, Path]) -> None:
    encoder = loaded(tiny["bert"])
    with pytest.raises(InputError, match="no text to count tokens in"):
        export_encoder(encoder, tmp_path / "a", texts=[])
    pooled = build_tiny(tmp_path / "pooled", kind="bert")
    with pytest.raises(InputError, match="no module for the pooling 'pooler'"):
        export_encoder(loaded(pooled, pooling="pooler"), tmp_path / "a")
    config = json.loads((tiny["bert"] / "config.json").read_text())
    other = build_chain(tiny["bert"], tmp_path / "other")
    (other / "config.json").write_text(json.dumps(config | {"vocab_size": 9999}))
    with pytest.raises(InputError):
        export_encoder(loaded(other), tmp_path / "a", texts=TEXTS[:1])
    assert not (tmp_path / "a").exists()


def test_a_record_is_kept_from_step_to_step(tmp_path: Path, tiny: dict[str, Path]) -> None:
    record = Record.of(str(tiny["bert"])).and_then("ranking", rows={"en-sw": 7, "en-zh-Hant": 2})
    assert record.base == "bert"
    export_encoder(loaded(tiny["bert"]), tmp_path / "one")
    record.write(tmp_path / "one")
    made = tmp_path / "two"
    export_encoder(loaded(tmp_path / "one"), made, texts=TEXTS[:1], quantize="int8")
    found = Record.of(str(made))
    assert found.steps[0].what == "ranking"
    assert "pruned" in found.steps[1].what
    assert found.rows == {"en-sw": 7, "en-zh-Hant": 2}
    assert "en, sw, zh-Hant" in (made / "README.md").read_text("utf-8")
    document = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(json.dumps(document | {"base": "other"}))
    with pytest.raises(InputError, match="damaged"):
        Record.of(str(made))
    for step in document["steps"]:
        del step["rows"]
    del document["checksum"]
    (made / "manifest.json").write_text(json.dumps(sealed(document)))
    with pytest.raises(InputError, match=r"manifest\.json: damaged: it lacks 'rows'"):
        Record.of(str(made))


def test_the_card_adds_no_rows_of_two_steps_up(tiny: dict[str, Path]) -> None:
    record = Record("bundled").and_then("first", rows={"en-sw": 300, "en": 5}, settings="epochs 2")
    settings = loaded(tiny["bert"]).settings
    text = card_of(record, CardFacts(), settings, width=32)
    assert "1. first, 305 rows (epochs 2)\n" in text
    assert "- Rows learned from: en 5, en-sw 300\n" in text
    text = card_of(record.and_then("second", rows={"en-sw": 300}), CardFacts(), settings, width=32)
    assert "- Rows learned from in step 1: en 5, en-sw 300\n" in text
    assert "- Rows learned from in step 2: en-sw 300\n" in text


def test_the_card_says_what_is_known(tmp_path: Path, tiny: dict[str, Path]) -> None:
    scores = {"tatoeba": {"rows": [{"lang": "deu", "mean": 0.5}], "means": []}}
    (tmp_path / "e.json").write_text(json.dumps(scores))
    facts = CardFacts(
        title="Mine", licence="mit", data=("parallel: 9 rows, GPL-2+",), langs=("de", "sw"),
        figures=read_evaluation(tmp_path / "e.json"),
    )  # fmt: skip
    encoder = loaded(tiny["bert"])
    text = card_of(Record("bundled"), facts, encoder.settings, width=32)
    for said in ("license: mit", "- de", "base_model: intfloat/multilingual-e5-small", "# Mine",
                 "parallel: 9 rows, GPL-2+", "| deu | 0.500 |", "32 dimensions"):  # fmt: skip
        assert said in text
    for bad in ("[]", "{}", '{"tatoeba": 3}', '{"tatoeba": {"rows": [1], "means": []}}'):
        (tmp_path / "e.json").write_text(bad)
        with pytest.raises(InputError, match="scores"):
            read_evaluation(tmp_path / "e.json")


def test_texts_to_compare_on_are_in_ten_scripts() -> None:
    texts = texts_in_ten_scripts()
    assert len(set(texts)) == 100
    assert len({script_of(code) for code in ("sw", "ru", "el", "ar", "he", "hi", "th", "zh", "ja",
                                             "ko")}) == 10  # fmt: skip
    assert evenly(list("abcde"), 3) == ["a", "c", "e"]
    assert evenly(["a"], 3) == ["a"]


@pytest.mark.parametrize("kind", [*KINDS[:1], *(pytest.param(kind, marks=pytest.mark.full)
                                                for kind in KINDS[1:])])  # fmt: skip
def test_a_graph_gives_the_same_vectors(tmp_path: Path, tiny: dict[str, Path], kind: str) -> None:
    chain = build_chain(
        tiny[kind], tmp_path / "chain", prompts=PROMPTS, dense={},
        modules=("Transformer", "Pooling", "Dense", "Normalize"),
    )  # fmt: skip
    encoder = loaded(chain)
    made = export_encoder(encoder, tmp_path / "made", form="onnx", texts=TEXTS[:6])
    assert made.parity is not None
    assert made.parity <= 1e-4
    assert {file.name for file in (tmp_path / "made").iterdir()} == {
        "model.onnx", "tokenizer.json", "README.md", "manifest.json"
    }  # fmt: skip
    for texts in (TEXTS[:1], TEXTS[:5]):  # any number, of any length
        found = vectors_of(tmp_path / "made", texts, prefix="query: ")
        np.testing.assert_allclose(found, unit(encoder, texts), atol=1e-4)
    assert "library_name: onnx\n" in (tmp_path / "made" / "README.md").read_text("utf-8")
    with pytest.raises(InputError, match="8 bits are for sentence-transformers"):
        export_encoder(encoder, tmp_path / "no", form="onnx", quantize="int8")


def test_a_graph_with_other_vectors_is_not_kept(
    tmp_path: Path, tiny: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def export(module: Any, example: Any, path: Path, **_: Any) -> None:
        path.write_bytes(b"")

    monkeypatch.setattr("torch.onnx.export", export)
    monkeypatch.setattr(onnx_file, "parity", lambda encoder, folder: float("nan"))
    with pytest.raises(InputError, match="differ by nan"):
        export_encoder(loaded(tiny["bert"]), tmp_path / "made", form="onnx")
    assert not (tmp_path / "made").exists()
