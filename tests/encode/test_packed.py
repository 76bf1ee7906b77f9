"""Packed linear maps give what torch's own give, for any model, or are not used."""

import copy
import pickle
from pathlib import Path
from weakref import WeakValueDictionary

import numpy as np
import pytest

from isogloss.encode import Encoder, pickling
from isogloss.encode.weights import packed as module
from isogloss.encode.weights.packed import PackedLinear, pack


def n_packed(encoder: Encoder) -> int:
    return sum(isinstance(part, PackedLinear) for part in encoder.network.model.modules())


def encoders(directory: Path, dtype: str, monkeypatch: pytest.MonkeyPatch) -> list[Encoder]:
    """Return the encoder packed and as transformers made it."""
    found = Encoder.load(directory, device="cpu", dtype=dtype, pooling="mean", threads=1)
    with monkeypatch.context() as patch:
        patch.setattr(module, "MACHINES", ())
        plain = Encoder.load(directory, device="cpu", dtype=dtype, pooling="mean", threads=1)
    if not n_packed(found):
        pytest.skip("this processor or torch has no packed linear maps")
    assert n_packed(plain) == 0
    return [found, plain]


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize(("dtype", "atol"), [("float32", 1e-5), ("bfloat16", 5e-2)])
def test_packed_equals_plain(
    tiny_models: dict[str, Path], texts: list[str], kind: str, dtype: str, atol: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    fast, plain = encoders(tiny_models[kind], dtype, monkeypatch)
    assert n_packed(fast) == 2 * 6 + 1  # q, k, v, output, two of the feed-forward; the pooler
    for asked in ({"layers": "all"}, {"pooling": "pooler"}):
        wanted = plain.encode_counted(texts, **asked).vectors
        np.testing.assert_allclose(fast.encode_counted(texts, **asked).vectors, wanted, atol=atol)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_pickled_encoder_gives_the_same_vectors_to_the_bit(
    tiny: Path, texts: list[str], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast, plain = encoders(tiny, dtype, monkeypatch)
    twin = pickle.loads(pickle.dumps(fast))
    assert n_packed(twin) == n_packed(fast) > 0
    wanted = fast.encode_counted(texts).vectors
    assert np.array_equal(twin.encode_counted(texts).vectors, wanted)
    monkeypatch.setattr(module, "MACHINES", ())  # as if read on another processor
    monkeypatch.setattr(pickling, "_LOADED", WeakValueDictionary())
    elsewhere = pickle.loads(pickle.dumps(fast))
    assert n_packed(elsewhere) == 0
    wanted = plain.encode_counted(texts).vectors
    assert np.array_equal(elsewhere.encode_counted(texts).vectors, wanted)


@pytest.mark.parametrize("bias", [True, False])
def test_a_map_is_copied(bias: bool) -> None:
    import torch

    if not module.is_onednn_trusted(torch.float32):
        pytest.skip("this processor or torch has no packed linear maps")
    packed = PackedLinear(torch.nn.Linear(5, 3, bias=bias))
    inputs = torch.linspace(-1, 1, 20).reshape(4, 5)
    twin = copy.deepcopy(packed)
    with torch.inference_mode():
        assert torch.equal(twin(inputs), packed(inputs))


def test_only_plain_linear_maps_are_packed() -> None:
    import torch

    class Scaled(torch.nn.Linear):
        def forward(self, input: torch.Tensor) -> torch.Tensor:
            return 2 * super().forward(input)

    model = torch.nn.Sequential(torch.nn.Linear(4, 4, bias=False), Scaled(4, 4))
    inputs = torch.ones(3, 2, 4)
    with torch.inference_mode():
        wanted = model(inputs)
        n = pack(model, device="cpu", dtype="float32")
        torch.testing.assert_close(model(inputs), wanted)
    assert n in (0, 1)
    assert isinstance(model[1], Scaled)
    assert pack(model, device="cuda", dtype="float32") == 0
    assert pack(model, device="cpu", dtype="float16") == 0


@pytest.mark.parametrize("fault", ["another result", "missing operator"])
def test_an_operator_that_fails_is_not_used(
    tiny: Path, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def forward(self: PackedLinear, states: torch.Tensor) -> torch.Tensor:
        if fault == "missing operator":
            raise AttributeError("no such operator")
        return torch.zeros(*states.shape[:-1], self.out_features)

    monkeypatch.setattr(PackedLinear, "forward", forward)
    assert n_packed(Encoder.load(tiny, device="cpu", pooling="mean")) == 0
