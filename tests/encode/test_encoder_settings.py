"""Where settings come from, the module chain, and every refusal in one sentence."""

import json
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import build_tiny

from isogloss.encode import Encoder
from isogloss.encode.batches import BUDGETS
from isogloss.encode.model import DTYPES, check_dtype, choose_device
from isogloss.errors import InputError

DENSE = ("Transformer", "Pooling", "Dense", "Normalize")


def load(name: str | Path, **options: Any) -> Encoder:
    return Encoder.load(name, device="cpu", **options)


def one_sentence(error: pytest.ExceptionInfo[InputError]) -> None:
    message = str(error.value)
    assert "\n" not in message
    assert len(message) < 600


def test_files_of_sentence_transformers_come_first(tiny_chain: Callable[..., Path]) -> None:
    directory = tiny_chain(
        pooling={"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False},
        prompts={"prompts": {"q": "frage: "}, "default_prompt_name": "q"},
        sentence_bert={"max_seq_length": 24},
    )
    settings = load(directory).settings
    assert settings.options() == {
        "pooling": "cls", "prefix": "frage: ", "normalize": True, "max_length": 24,
        "long_texts": "windows",
    }  # fmt: skip
    assert settings.pooling.source == "1_Pooling/config.json"
    assert settings.prefix.source == "config_sentence_transformers.json, prompt 'q'"
    assert settings.normalize.source == "modules.json"
    assert settings.max_length.source == "sentence_bert_config.json"


def test_what_is_given_overrides_the_files(tiny_chain: Callable[..., Path]) -> None:
    given = {"pooling": "cls", "prefix": "x: ", "normalize": False, "max_length": 9,
             "long_texts": "cut"}  # fmt: skip
    directory = tiny_chain()
    settings = load(directory, **given).settings
    assert settings.options() == given
    assert settings.limit == "9 tokens (the encoder's limit)"
    shown = load(directory).settings.limit
    assert shown == "40 tokens (the encoder's limit: sentence_bert_config.json)"
    assert {getattr(settings, option).source for option in given} == {"given"}


def test_names_tell_e5_and_labse(tiny: Path, tmp_path: Path) -> None:
    for folder, wanted in {
        "multilingual-e5-small": ("mean", "query: ", True),
        "multilingual-e5-large-instruct": ("mean", "", False),
        "LaBSE": ("pooler", "", True),
        "models--intfloat--e5-base/snapshots/0a1b": ("mean", "query: ", True),
        "bert-base-multilingual-cased": ("mean", "", False),
    }.items():
        shutil.copytree(tiny, tmp_path / folder)
        options = load(tmp_path / folder).settings.options()
        assert (options["pooling"], options["prefix"], options["normalize"]) == wanted


def test_a_guess_is_said(tiny_models: dict[str, Path], caplog: pytest.LogCaptureFixture) -> None:
    directory = tiny_models["xlm-roberta"]
    with caplog.at_level(logging.WARNING, logger="isogloss"):
        encoder = load(directory)
    assert caplog.messages == [f"pooling: mean (guessed: no 1_Pooling/config.json in {directory})"]
    assert "pooling: 'mean' (guessed" in repr(encoder)
    caplog.clear()
    load(directory, pooling="mean")
    assert caplog.messages == []


def test_positions_behind_the_padding_are_left_out(
    tiny: Path, tiny_models: dict[str, Path]
) -> None:
    for kind in ("bert", "roberta", "xlm-roberta"):
        path = tiny_models[kind]
        assert load(path).settings.max_length.value == 40
        with pytest.raises(InputError, match="41 tokens exceeds the model's 40") as error:
            load(path, max_length=41)
        one_sentence(error)


def test_length_falls_back_to_the_positions(tiny: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(tiny, tmp_path / "copy")
    (directory / "tokenizer_config.json").unlink()
    setting = load(directory).settings.max_length
    assert (setting.value, setting.source) == (40, "architecture: positions in config.json")


@pytest.mark.parametrize("activation", ["activation.Tanh", "linear.Identity", "activation.GELU"])
def test_chain_with_dense_equals_sentence_transformers(
    tiny_chain: Callable[..., Path], texts: list[str], activation: str
) -> None:
    sentence_transformers = pytest.importorskip("sentence_transformers")
    directory = tiny_chain(
        modules=DENSE,
        dense={"activation_function": f"torch.nn.modules.{activation}"},
        prompts={"prompts": {"q": "The "}, "default_prompt_name": "q"},
    )
    encoder = load(directory)
    assert encoder.width == 8
    model = sentence_transformers.SentenceTransformer(str(directory), device="cpu")
    wanted = model.encode(texts, show_progress_bar=False)
    np.testing.assert_allclose(
        encoder.encode_counted(texts, long_texts="cut").vectors, wanted, atol=1e-5
    )


def test_dense_belongs_to_the_last_layer(tiny_chain: Callable[..., Path]) -> None:
    encoder = load(tiny_chain(modules=DENSE))
    assert encoder.encode(["ა"], layers=[-1]).shape == (1, 1, 8)
    with pytest.raises(InputError, match="Dense modules belong to the last layer"):
        encoder.encode(["ა"], layers="all")


def test_lower_case_of_sentence_transformers(tiny_chain: Callable[..., Path]) -> None:
    encoder = load(tiny_chain(sentence_bert={"do_lower_case": True}))
    upper, lower = encoder.encode(["THE FOX", "the fox"])
    np.testing.assert_allclose(upper, lower, atol=1e-6)


def test_a_vocabulary_without_tokenizer_json(tiny: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(tiny, tmp_path / "copy")
    vocabulary = json.loads((tiny / "tokenizer.json").read_text())["model"]["vocab"]
    (directory / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)))
    (directory / "tokenizer.json").unlink()
    config = {"tokenizer_class": "BertTokenizer", "do_lower_case": False, "strip_accents": False}
    (directory / "tokenizer_config.json").write_text(json.dumps(config))
    some = ["The lazy dog", "булок"]
    np.testing.assert_allclose(load(directory).encode(some), load(tiny).encode(some), atol=1e-6)


def without_pooler(directory: Path) -> None:
    shutil.rmtree(directory)
    build_tiny(directory, kind="bert", with_pooler=False)


def pickled(directory: Path) -> None:
    (directory / "model.safetensors").rename(directory / "pytorch_model.bin")


def without_a_tensor(directory: Path) -> None:
    from safetensors.numpy import load_file, save_file

    state = load_file(directory / "model.safetensors")
    del state["encoder.layer.1.output.dense.weight"]
    save_file(state, directory / "model.safetensors", metadata={"format": "pt"})


def breaks_off(directory: Path) -> None:
    path = directory / "tokenizer.json"
    path.write_bytes(path.read_bytes()[:-9])


def of_another_model(directory: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.add_tokens([f"новое{i}" for i in range(20)])
    tokenizer.save(str(directory / "tokenizer.json"))


REFUSED: dict[str, tuple[Callable[[Path], object], dict[str, Any], str]] = {
    "no config": (lambda d: (d / "config.json").unlink(), {}, "no config.json"),
    "config": (lambda d: (d / "config.json").write_text('{"model_type": "?"}'), {}, "config.json"),
    "no weights": (lambda d: (d / "model.safetensors").unlink(), {}, "no model.safetensors"),
    "weights": (lambda d: (d / "model.safetensors").write_bytes(b"x" * 99), {}, "not a safe"),
    "pickle": (pickled, {}, "pytorch_model.bin, a pickle.*save_pretrained"),
    "tensor": (without_a_tensor, {}, r"lack 1 tensors .*encoder\.layer\.1\.output\.dense\.weight"),
    "no tokenizer": (lambda d: [f.unlink() for f in d.glob("token*")], {}, "no tokenizer.json"),
    "tokenizer": (breaks_off, {}, "tokenizer.json: damaged"),
    "two models": (of_another_model, {}, "not of one model"),
    "modules": (lambda d: (d / "modules.json").write_text("[{"), {}, "modules.json: damaged"),
    "no pooler": (without_pooler, {"pooling": "pooler"}, "has no pooler"),
    "pooling": (lambda d: None, {"pooling": "meen"}, "did you mean 'mean'"),
    "pooling of another kind": (lambda d: None, {"pooling": 5}, "pooling is 5, not text"),
    "length": (lambda d: None, {"max_length": 0}, "leaves nothing"),
    "room": (lambda d: None, {"max_length": 2}, "no room beside the 2 special ones; give 3"),
    "threads": (lambda d: None, {"threads": 0}, "threads is 0; give 1 to 1024"),
    "dtype": (lambda d: None, {"dtype": "float23"}, "did you mean 'float32'"),
    "float16": (lambda d: None, {"dtype": "float16"}, "float16 is not for a processor"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_is_one_sentence(tiny: Path, tmp_path: Path, case: str) -> None:
    spoil, options, message = REFUSED[case]
    directory = shutil.copytree(tiny, tmp_path / "spoiled")
    spoil(directory)
    with pytest.raises(InputError, match=message) as error:
        load(directory, **options)
    one_sentence(error)


CHAINS: dict[str, tuple[dict[str, Any], str]] = {
    "module": ({"modules": ("Transformer", "Pooling", "LSTM")}, "module LSTM cannot be applied"),
    "order": ({"modules": ("Transformer", "Dense", "Pooling")}, "in the order"),
    "max": ({"pooling": {"pooling_mode_max_tokens": True}}, "pooling by max cannot"),
    "last": ({"pooling": {"pooling_mode": "lasttoken"}}, "pooling by lasttoken cannot"),
    "two": (
        {"pooling": {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}},
        r"pooling by cls \+ mean",
    ),
    "prompt": (
        {"pooling": {"pooling_mode_mean_tokens": True, "include_prompt": False}},
        "without the prompt's tokens",
    ),
    "no prompt": ({"prompts": {"default_prompt_name": "q", "prompts": {"p": ""}}}, "only: p"),
    "activation": ({"modules": DENSE, "dense": {"activation_function": "x.Tahn"}}, "mean 'Tanh'"),
    "residual": ({"modules": DENSE, "dense": {"use_residual": True}}, "with a residual"),
}


@pytest.mark.parametrize("case", CHAINS)
def test_what_cannot_be_applied_is_refused(tiny_chain: Callable[..., Path], case: str) -> None:
    options, message = CHAINS[case]
    with pytest.raises(InputError, match=message) as error:
        load(tiny_chain(**options))
    one_sentence(error)


def test_pickled_dense_weights_are_refused(tiny_chain: Callable[..., Path]) -> None:
    directory = tiny_chain(modules=DENSE)
    (directory / "2_Dense/model.safetensors").rename(directory / "2_Dense/pytorch_model.bin")
    with pytest.raises(InputError, match=r"2_Dense.*a pickle"):
        load(directory)


def test_weights_that_this_user_may_not_read_are_named(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda place, mode: Path(place).suffix != ".safetensors")
    with pytest.raises(InputError, match=r"model\.safetensors: this user may not read it"):
        Encoder.load(tiny)


def test_a_path_never_goes_to_the_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def network(*args: Any, **options: Any) -> str:
        raise AssertionError("the network was used")

    monkeypatch.setattr("huggingface_hub.snapshot_download", network)
    for name in (tmp_path / "no", Path("org/model"), "./model", "a/b/c", str(tmp_path / "no")):
        with pytest.raises(InputError, match="no such directory"):
            load(name)
    with pytest.raises(InputError, match="did you mean 'bundled'"):
        load("bundeld")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        load(tmp_path / "file")


def test_a_hub_name_is_asked_for_safe_files_only(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from huggingface_hub.errors import LocalEntryNotFoundError

    asked: dict[str, Any] = {}
    monkeypatch.setattr(
        "huggingface_hub.snapshot_download",
        lambda name, **options: asked.update(options, name=name) or str(tiny),
    )
    encoder = load("intfloat/multilingual-e5-base")
    assert asked["name"] == encoder.name == "intfloat/multilingual-e5-base"
    assert not any(
        pattern.endswith(("bin", "pt", "pkl", "py")) for pattern in asked["allow_patterns"]
    )
    assert encoder.settings.prefix.value == "query: "

    def offline(name: str, **options: Any) -> str:
        raise LocalEntryNotFoundError("cannot reach the hub\nmore")

    monkeypatch.setattr("huggingface_hub.snapshot_download", offline)
    with pytest.raises(InputError, match="hub does not give a model of that name") as error:
        load("org/model")
    one_sentence(error)


def test_devices_are_checked(tiny: Path) -> None:
    import torch

    with pytest.raises(InputError, match="did you mean 'cuda'"):
        Encoder.load(tiny, device="cdua")
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="'cuda' is not there"):
            Encoder.load(tiny, device="cuda")
        assert Encoder.load(tiny).device in ("cpu", "mps")


def test_mps_is_taken_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its choice, dtypes and batches only: no such machine was at hand."""
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert choose_device("auto") == choose_device("mps") == "mps"
    for dtype in DTYPES:
        assert check_dtype(dtype, device="mps") == dtype
        assert BUDGETS["mps", dtype] > 0
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(InputError, match="'mps' is not there"):
        choose_device("mps")
