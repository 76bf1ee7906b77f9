"""Vectors equal a slow reference, whatever the batch, order, chunk, layer or destination."""

import contextlib
import copy
import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from isogloss.encode import Encoder, batches, forward
from isogloss.encode import encoder as module
from isogloss.encode.output import npy_file
from isogloss.errors import InputError, OmissionWarning
from isogloss.progress import progress

KINDS = ["bert", "roberta", "xlm-roberta"]


@pytest.fixture(params=KINDS)
def directory(request: pytest.FixtureRequest, tiny_models: dict[str, Path]) -> Path:
    return tiny_models[request.param]


@pytest.fixture
def encoder(tiny: Path) -> Encoder:
    return Encoder.load(tiny, device="cpu", threads=1, pooling="mean")


def slow_states(directory: Path, text: str, *, prefix: str = "") -> list[np.ndarray[Any, Any]]:
    """Hidden states of one text alone, by transformers' own tokenizer and truncation."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(directory)
    model = AutoModel.from_pretrained(directory).eval()
    inputs = tokenizer(prefix + text, truncation=True, max_length=40, return_tensors="pt")
    with torch.no_grad():
        output = model(
            inputs.input_ids, attention_mask=inputs.attention_mask, output_hidden_states=True
        )
    states = [state[0].numpy() for state in output.hidden_states]
    return [*states, output.pooler_output[0].numpy()]


def test_every_tokenizer_pooling_and_layer_equals_one_text_at_a_time(
    directory: Path, texts: list[str]
) -> None:
    encoder = Encoder.load(directory, device="cpu", pooling="mean", prefix="é: ", long_texts="cut")
    slow = [slow_states(directory, text, prefix="é: ") for text in texts]
    for pooling, reduce in (("mean", lambda s: s.mean(0)), ("cls", lambda s: s[0])):
        wanted = np.array([[reduce(state) for state in states[:3]] for states in slow])
        got = encoder.encode_counted(texts, pooling=pooling, layers="all").vectors
        np.testing.assert_allclose(got, wanted.transpose(1, 0, 2), atol=2e-5)
        got = encoder.encode_counted(texts, pooling=pooling).vectors
        np.testing.assert_allclose(got, wanted[:, -1], atol=2e-5)
    pooled = encoder.encode_counted(texts, pooling="pooler").vectors
    np.testing.assert_allclose(pooled, [states[-1] for states in slow], atol=2e-5)


def test_batch_order_and_padding_change_nothing(
    encoder: Encoder, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = encoder.encode_counted(texts).vectors
    alone = [encoder.encode_counted([text]).vectors[0] for text in texts]
    np.testing.assert_allclose(alone, wanted, atol=1e-5)
    order = np.random.default_rng(5).permutation(len(texts))
    shuffled = encoder.encode_counted([texts[i] for i in order]).vectors
    np.testing.assert_allclose(shuffled, wanted[order], atol=1e-5)
    monkeypatch.setitem(batches.BUDGETS, ("cpu", "float32"), 70)
    monkeypatch.setattr(batches, "N_TEXTS_PER_CHUNK", 3)
    np.testing.assert_allclose(encoder.encode_counted(texts).vectors, wanted, atol=1e-5)


def test_normalize_and_float32(encoder: Encoder) -> None:
    plain, unit = (encoder.encode(["ਪੰਜਾਬੀ"], normalize=on) for on in (False, True))
    assert plain.dtype == unit.dtype == np.float32
    np.testing.assert_allclose(unit, plain / np.linalg.norm(plain), atol=1e-6)
    assert abs(np.linalg.norm(plain) - 1) > 0.1


def test_layers_select_from_one_forward(encoder: Encoder) -> None:
    some = ["uno", "два", "三"]
    every = encoder.encode(some, layers="all")
    assert every.shape == (3, 3, 32)
    np.testing.assert_array_equal(encoder.encode(some, layers=[2, 0]), every[[2, 0]])
    np.testing.assert_array_equal(encoder.encode(some, layers=1), every[1])
    np.testing.assert_array_equal(encoder.encode(some, layers=-1), encoder.encode(some))
    assert encoder.encode(some, layers=[-1]).shape == (1, 3, 32)
    for wrong in (3, -4, [0, 9]):
        with pytest.raises(InputError, match=r"no layer .* 0 \(embeddings\) to 2"):
            encoder.encode(some, layers=wrong)
    with pytest.raises(InputError, match="no layer was asked for"):
        encoder.encode(some, layers=[])
    with pytest.raises(InputError, match="no layers 'last'"):
        encoder.encode(some, layers="last")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="pooler belongs to the last layer"):
        encoder.encode(some, layers=1, pooling="pooler")


def test_out_streams_an_iterator_to_a_file(
    encoder: Encoder, texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "N_TEXTS_PER_CHUNK", 4)
    wanted = encoder.encode_counted(texts).vectors
    out = tmp_path / "vectors.npy"
    encoded = encoder.encode_counted((text for text in texts), out=out)
    assert isinstance(encoded.vectors, np.memmap)
    np.testing.assert_array_equal(encoded.vectors, wanted)
    np.testing.assert_array_equal(np.load(out, allow_pickle=False), wanted)
    with pytest.raises(InputError, match="already exists"):
        encoder.encode(texts, out=out)
    every = encoder.encode_counted(iter(texts), out=out, layers="all", overwrite=True).vectors
    np.testing.assert_array_equal(every, encoder.encode_counted(texts, layers="all").vectors)
    assert encoder.encode([], out=out, overwrite=True).shape == (0, 32)
    assert [path.name for path in tmp_path.iterdir()] == ["vectors.npy"]


def test_a_chunk_is_written_before_the_next_is_read(
    encoder: Encoder, texts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "N_TEXTS_PER_CHUNK", 4)
    n_read, n_read_at_write = 0, []

    def source() -> Any:
        nonlocal n_read
        for text in texts:
            n_read += 1
            yield text

    @contextlib.contextmanager
    def recorder(path: Path, **options: Any) -> Any:
        with npy_file(path, **options) as write:
            yield lambda block: n_read_at_write.append(n_read) or write(block)

    monkeypatch.setattr(module, "npy_file", recorder)
    encoder.encode_counted(source(), out=tmp_path / "vectors.npy")
    assert n_read_at_write == [4, 8, 12, len(texts)]


def test_a_failure_leaves_no_file(encoder: Encoder, tmp_path: Path) -> None:
    def breaking() -> Any:
        yield "første"
        raise RuntimeError("the source broke")

    with pytest.raises(RuntimeError, match="the source broke"):
        encoder.encode(breaking(), out=tmp_path / "vectors.npy")
    assert list(tmp_path.iterdir()) == []


def test_rows_out_are_rows_in_whatever_a_row_holds(directory: Path) -> None:
    encoder = Encoder.load(directory, device="cpu", pooling="mean")
    odd = [
        "",
        " ",
        "\0",
        "a\0b",
        "\ud800",
        "x\udfffy",
        "\ud83d\ude00",
        "ไทย" * 33_334,
        "\u200d" * 9,
    ]
    encoded = encoder.encode_counted(odd)
    assert encoded.vectors.shape == (len(odd), 32)
    assert np.isfinite(encoded.vectors).all()
    joined, lone = encoder.encode(["😀", "x\ufffdy"])
    np.testing.assert_allclose(encoded.vectors[6], joined, atol=1e-5)
    np.testing.assert_allclose(encoded.vectors[5], lone, atol=1e-5)
    assert encoder.encode([]).shape == (0, 32)
    assert encoder.encode([], layers="all").shape == (3, 0, 32)


def test_cut_texts_are_counted_and_said_once(encoder: Encoder) -> None:
    mixed = ["word " * 60, "коротко", "word " * 38]
    encoded = encoder.encode_counted(mixed, long_texts="cut")
    assert encoded.truncated.tolist() == [True, False, False]
    assert encoded.n_tokens[0] == 62
    assert encoded.n_tokens[2] == 40
    share = 22 / encoded.n_tokens.sum()
    with pytest.warns(
        OmissionWarning, match=rf"1 of 3 texts .* 40 tokens .* {share:.1%}"
    ) as caught:
        encoder.encode(mixed, long_texts="cut")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    one = ["word " * 38 + "другое слово"]
    cut = encoder.encode_counted(one, long_texts="cut").vectors
    np.testing.assert_allclose(cut, encoder.encode(["word " * 38]), atol=1e-5)


def test_prefix_and_maximum_length_have_their_effect(tiny: Path, encoder: Encoder) -> None:
    prefixed = Encoder.load(tiny, device="cpu", pooling="mean", prefix="The ")
    np.testing.assert_allclose(
        prefixed.encode(["lazy dog"]), encoder.encode(["The lazy dog"]), atol=1e-6
    )
    short = Encoder.load(tiny, device="cpu", pooling="mean", max_length=4)
    cut = short.encode_counted(["The lazy dog jumps"], long_texts="cut")
    assert cut.truncated.tolist() == [True]
    assert len({encoder.fingerprint, prefixed.fingerprint, short.fingerprint}) == 3


def test_fingerprint_holds_weights_and_settings_only(tiny: Path, tmp_path: Path) -> None:
    from tiny_models import build_tiny

    first = Encoder.load(tiny, device="cpu", threads=1)
    same = Encoder.load(tiny, device="cpu", dtype="bfloat16", threads=2)
    assert first.fingerprint == same.fingerprint
    for option in ({"pooling": "cls"}, {"normalize": True}):
        assert Encoder.load(tiny, device="cpu", **option).fingerprint != first.fingerprint
    other = build_tiny(tmp_path / "other", kind="bert", seed=8)
    assert Encoder.load(other, device="cpu").fingerprint != first.fingerprint
    options = first.settings.options()
    assert Encoder.load(tiny, device="cpu", **options).fingerprint == first.fingerprint


def test_another_tokenizer_or_configuration_is_another_encoder(
    tiny_chain: Callable[..., Path], tmp_path: Path
) -> None:
    chain = tiny_chain(modules=("Transformer", "Pooling", "Dense"))
    first = Encoder.load(chain, device="cpu", cache=tmp_path / "cache")
    wanted = first.encode(["The fox"])

    def changed(file: str, old: str, new: str) -> Encoder:
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(chain, copy)
        text = (copy / file).read_text("utf-8")
        assert old in text
        (copy / file).write_text(text.replace(old, new), "utf-8")
        return Encoder.load(copy, device="cpu", cache=tmp_path / "cache")

    for change in (
        ("tokenizer.json", '"lowercase": false', '"lowercase": true'),
        ("sentence_bert_config.json", '"do_lower_case": false', '"do_lower_case": true'),
        ("config.json", '"hidden_act": "gelu"', '"hidden_act": "relu"'),
        ("2_Dense/config.json", "activation.Tanh", "activation.ReLU"),
    ):
        other = changed(*change)
        assert other.fingerprint != first.fingerprint, change
        assert not np.array_equal(other.encode(["The fox"]), wanted), change
    for change in (
        ("config.json", '"transformers_version": "', '"transformers_version": "9.'),
        ("config.json", '"BertModel"', '"BertForMaskedLM"'),
        ("config.json", "{", '{"_name_or_path": "elsewhere",'),
    ):
        assert changed(*change).fingerprint == first.fingerprint, change


def test_a_single_string_and_other_things_are_refused(encoder: Encoder) -> None:
    for single in ("text", b"text"):
        with pytest.raises(TypeError, match="give a list of texts"):
            encoder.encode(single)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"text 1 .* NoneType"):
        encoder.encode(["ja", None])  # type: ignore[list-item]


def test_threads_are_capped_and_given_back(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    encoder = Encoder.load(tiny, device="cpu", threads=1)
    seen = []
    forward = encoder.network.pool
    monkeypatch.setattr(
        encoder.network,
        "pool",
        lambda *args: seen.append(torch.get_num_threads()) or forward(*args),
    )
    torch.set_num_threads(2)
    encoder.encode(["a"])
    assert seen == [1]
    assert torch.get_num_threads() == 2
    assert not encoder.tokenizer.is_parallel


def test_loading_leaves_the_random_state(tiny: Path) -> None:
    import torch

    torch.manual_seed(1)
    wanted = torch.rand(1)
    torch.manual_seed(1)
    Encoder.load(tiny, device="cpu")
    assert torch.equal(torch.rand(1), wanted)


def test_copies_are_the_encoder_itself(encoder: Encoder) -> None:
    assert copy.deepcopy(encoder) is encoder
    assert copy.copy(encoder) is encoder
    assert clone(StandardScaler(with_mean=encoder)).with_mean is encoder


def test_a_broken_model_names_the_text(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = encoder.network.pool

    def broken(batch: batches.PaddedBatch, plan: Any) -> Any:
        vectors = forward(batch, plan)
        vectors[:, batch.ids.shape[1] - batch.mask.sum(1) > 0] = np.nan
        return vectors

    monkeypatch.setattr(encoder.network, "pool", broken)
    with pytest.raises(InputError, match=r"not finite for text 1 "):
        encoder.encode(["The quick brown fox", "The"])


def test_progress_counts_tokens(
    encoder: Encoder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(forward, "N_TOKENS_WORTH_A_BAR", 0)
    monkeypatch.setattr("isogloss.progress.SECONDS_BETWEEN_LINES", 0.0)
    with caplog.at_level(logging.INFO, logger="isogloss"):
        encoded = encoder.encode_counted(["The lazy dog", "ძაღლი"])
    total = encoded.n_tokens.sum()
    assert f"encoding texts 1 to 2: {total} of {total} tokens" in caplog.text


def test_slow_work_is_told_in_seconds_of_each(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Steps of four seconds were told as 0 per second."""
    clock = iter([0.0, 20.0, 21.0, 40.0])
    monkeypatch.setattr("isogloss.progress.time", SimpleNamespace(monotonic=lambda: next(clock)))
    with caplog.at_level(logging.INFO, logger="isogloss"), progress("tuning", 10, "steps") as done:
        for n in (5, 1, 4):
            done(n)
    assert caplog.messages == ["tuning: 5 of 10 steps, 4.0 s each, 20 s left",
                               "tuning: 10 of 10 steps, 4.0 s each, 0 s left"]  # fmt: skip


def test_batches_are_sorted_within_the_budget() -> None:
    lengths = np.array([3, 0, 9, 4, 9, 200, 1])
    found = [batch.tolist() for batch in batches.budgeted_batches(lengths, budget=20)]
    assert found == [[5], [2, 4], [3, 0, 6]]
