"""Files of encoders that others wrote: nothing in them runs; damage is one sentence."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import build_chain

from isogloss.encode import Encoder
from isogloss.encode.foreign import library_faults
from isogloss.errors import InputError

CODE = """import pathlib
pathlib.Path(__file__).with_name("PWNED").touch()
from transformers import BertConfig, BertModel
class EvilConfig(BertConfig):
    model_type = "evil"
class EvilModel(BertModel):
    config_class = EvilConfig
"""
AUTO_MAP = {"AutoConfig": "evil.EvilConfig", "AutoModel": "evil.EvilModel"}
Spoil = Callable[[Path], Any]


def changed(name: str, **fields: Any) -> Spoil:
    """Return what changes fields of a JSON file."""

    def change(directory: Path) -> None:
        file = directory / name
        value = json.loads(file.read_text()) if file.is_file() else {}
        file.write_text(json.dumps(value | fields))

    return change


def written(name: str, content: str) -> Spoil:
    return lambda directory: (directory / name).write_text(content)


def in_tokenizer(change: Callable[[dict[str, Any]], Any]) -> Spoil:
    def spoil(directory: Path) -> None:
        file = directory / "tokenizer.json"
        value = json.loads(file.read_text())
        change(value)
        file.write_text(json.dumps(value))

    return spoil


def with_index(directory: Path, file: str) -> None:
    (directory / "model.safetensors").unlink()
    index = {"weight_map": {"embeddings.word_embeddings.weight": file}}
    (directory / "model.safetensors.index.json").write_text(json.dumps(index))


def without_tokenizer_json(directory: Path) -> None:
    (directory / "tokenizer.json").unlink()
    (directory / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n")
    changed("tokenizer_config.json", auto_map={"AutoTokenizer": ["evil.EvilTokenizer", None]},
            tokenizer_class="EvilTokenizer")(directory)  # fmt: skip


@pytest.fixture
def spoiled(tiny: Path, tmp_path: Path) -> Callable[[Spoil], Path]:
    """Return what spoils a copy of a sentence-transformers directory."""

    def make(spoil: Spoil) -> Path:
        directory = build_chain(tiny, tmp_path / "spoiled", prompts={"prompts": {}})
        (directory / "evil.py").write_text(CODE)
        spoil(directory)
        return directory

    return make


RUNS_CODE: dict[str, tuple[Spoil, str]] = {
    "a model of its own": (
        changed("config.json", model_type="evil", auto_map=AUTO_MAP),
        r"needs Python code of its own \(evil.EvilConfig, evil.EvilModel\), which .* never runs",
    ),
    "a model of another repository": (
        changed("config.json", model_type="x", auto_map={"AutoModel": "o/r--m.Model"}),
        r"Python code of its own \(o/r--m.Model\)",
    ),
    "a tokenizer of its own": (without_tokenizer_json, r"its tokenizer is Python code of its own"),
    "a module of its own": (
        written("modules.json", '[{"type": "evil.Transformer"}, {"type": "evil.Pooling"}]'),
        r"the module evil.Transformer is Python code of its own",
    ),
    "a kernel of the hub": (
        changed("config.json", attn_implementation="owner/kernel"), r"code of the hub is never run",
    ),
    "an adapter": (written("adapter_config.json", "{}"), r"holds an adapter"),
    "an inner model": (
        changed("config.json", inner=[{"backbone": "owner/model"}]), r"has no backbone",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", RUNS_CODE)
def test_no_code_of_an_encoder_runs(
    kind: str, spoiled: Callable[[Spoil], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("a question was asked"))
    spoil, message = RUNS_CODE[kind]
    directory = spoiled(spoil)
    with pytest.raises(InputError, match=message) as error:
        Encoder.load(directory, device="cpu")
    assert "\n" not in str(error.value)
    assert not (directory / "PWNED").exists()


def test_code_beside_a_known_architecture_is_passed_over(
    spoiled: Callable[[Spoil], Path], tiny: Path
) -> None:
    directory = spoiled(changed("config.json", auto_map=AUTO_MAP))
    vectors = Encoder.load(directory, device="cpu", prefix="", normalize=False).encode(["a word"])
    assert np.array_equal(vectors, Encoder.load(tiny, device="cpu").encode(["a word"]))
    assert not (directory / "PWNED").exists()


def test_weights_that_hold_more_than_the_known_architecture_are_refused(
    spoiled: Callable[[Spoil], Path],
) -> None:
    directory = spoiled(changed("config.json", num_hidden_layers=1))
    with pytest.raises(InputError, match=r"weights hold 16 tensors, 'encoder.layer.1.* vectors"):
        Encoder.load(directory, device="cpu")


def embedding_of_id(tokenizer: dict[str, Any], number: int) -> None:
    tokenizer["model"]["vocab"]["the"] = number


DAMAGED: dict[str, tuple[Spoil, str]] = {
    "tokenizer: syntax": (
        in_tokenizer(lambda t: t.pop("model")), r"tokenizer.json: not a tokenizer that can be read",
    ),
    "tokenizer: a panic of Rust": (
        in_tokenizer(lambda t: t.update(
            normalizer={"type": "Precompiled", "precompiled_charsmap": "AAAA"}
        )),
        r"not a tokenizer that can be read.*precompiled_charsmap",
    ),
    "tokenizer: an id of 2^31": (
        in_tokenizer(lambda t: embedding_of_id(t, 2**31)), r"tokenizer has 2147483649 tokens",
    ),
    "tokenizer: an id beyond the table": (
        in_tokenizer(lambda t: embedding_of_id(t, 5_000)), r"has 5001 tokens, but the model knows",
    ),
    "no width": (changed("config.json", hidden_size=0), r"Expected `int` >= 1.*hidden_size"),
    "no heads": (changed("config.json", num_attention_heads=0), r"int` >= 1.*attention_heads"),
    "heads that do not divide": (changed("config.json", num_attention_heads=5), r"cannot build"),
    "activation": (changed("config.json", hidden_act="nil"), r"cannot build its model.*nil"),
    "padding beyond the table": (changed("config.json", pad_token_id=10**6), r"cannot build"),
    "quantised": (changed("config.json", quantization_config={"quant_method": "gptq"}),
                  r"quantised weights are not read"),
    "model_type a list": (changed("config.json", model_type=["bert"]), r"Expected `str \| null`"),
    "another kind": (changed("config.json", layer_norm_eps="x"), r"config.json"),
    "no architecture of texts": (changed("config.json", model_type="timm_wrapper"), r"spoiled: "),
    "an encoder-decoder": (changed("config.json", model_type="t5"), r"spoiled: "),
    "layers without end": (changed("config.json", num_hidden_layers=10**9),
                           r"num_hidden_layers is 1000000000, and the weights have 39 tensors"),
    "labels without end": (changed("config.json", num_labels=10**9), r"num_labels is 10000000"),
    "numbers without end": (changed("config.json", intermediate_size=10**9),
                            r"its model has 1\d\d,\d{3},\d{3},\d{3} numbers, and the weights hold"),
    "config: a list": (written("config.json", "[]"), r"config.json: is not what an encoder has"),
    "sentence_bert_config: a list": (written("sentence_bert_config.json", "[]"), r"Expected"),
    "prompt: an object": (changed("config_sentence_transformers.json", default_prompt_name={}),
                          r"Expected `str \| null`"),
    "tokenizer_config: a list": (
        lambda d: [(d / "sentence_bert_config.json").unlink(),
                   written("tokenizer_config.json", "[]")(d)],
        r"tokenizer_config.json: is not what",
    ),
    "a length that is text": (
        lambda d: [(d / "sentence_bert_config.json").unlink(),
                   changed("tokenizer_config.json", model_max_length="q")(d)],
        r"Expected `float \| null`, got `str`",
    ),
    "pooling: a list": (written("1_Pooling/config.json", "[]"), r"Expected `object`, got `array`"),
    "modules: an object": (written("modules.json", "{}"), r"Expected `array`"),
    "a module elsewhere": (
        written("modules.json", json.dumps([
            {"type": "sentence_transformers.models.Transformer", "path": "../bert"},
            {"type": "sentence_transformers.models.Pooling", "path": "1_Pooling"},
        ])),
        r"names the folder '../bert', which is not in the encoder's directory",
    ),
    "an index without its files": (lambda d: with_index(d, "a.safetensors"), r"no safetensors"),
    "an index to elsewhere": (lambda d: with_index(d, "../a.safetensors"), r"no safetensors file"),
    "an index to a pickle": (lambda d: with_index(d, "a.bin"), r"names 'a.bin', which is no safe"),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_or_foreign_file_is_one_sentence(
    kind: str, spoiled: Callable[[Spoil], Path]
) -> None:
    spoil, message = DAMAGED[kind]
    directory = spoiled(spoil)
    with pytest.raises(InputError, match=message) as error:
        Encoder.load(directory, device="cpu")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600


def test_faults_of_libraries_are_told_from_our_own_and_from_stops() -> None:
    for error in (Exception("bad"), OverflowError("bad"), MemoryError("bad")):
        with pytest.raises(InputError, match=r"^x: cannot be read \(bad\)$"), _faults():
            raise error
    for other in (KeyboardInterrupt(), InputError("itself"), UserWarning("loss")):
        with pytest.raises(type(other)) as caught, _faults():
            raise other
        assert caught.value is other


def _faults() -> library_faults:
    return library_faults(Path("x"), "cannot be read")


@pytest.mark.full
@pytest.mark.parametrize("value", [None, "x", -1, 0, 10**12, [], {}, 0.5, float("nan"), [None]])
def test_any_field_made_something_else_works_or_is_refused(
    value: Any, spoiled: Callable[[Spoil], Path]
) -> None:
    directory = spoiled(lambda directory: None)
    faults = []
    for file in sorted(directory.rglob("*.json")):
        whole = file.read_text()
        for field in fields_of(json.loads(whole)):
            document = json.loads(whole)
            inner = document
            for key in field[:-1]:
                inner = inner[key]
            inner[field[-1]] = value
            file.write_text(json.dumps(document))
            try:
                Encoder.load(directory, device="cpu").encode(["a word", "東京"])
            except Exception as error:  # noqa: BLE001 (to find those that are no InputError)
                if not isinstance(error, InputError) or "\n" in str(error):
                    faults.append(f"{file.name} {field}: {type(error).__name__}: {error}")
        file.write_text(whole)
    assert not faults, "\n".join(faults)


def fields_of(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to each field, at most four deep, of lists the first two."""
    if not isinstance(value, dict | list) or len(way) == 4:
        return []
    parts = list(value.items()) if isinstance(value, dict) else list(enumerate(value[:2]))
    own = [(*way, key) for key, _ in parts[:40]]
    return own + [inner for key, part in parts[:40] for inner in fields_of(part, (*way, key))]
