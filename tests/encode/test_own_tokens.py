"""Vectors of a text's own tokens: the mean without special tokens and prefix, of any layer."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from isogloss.encode import Encoder
from isogloss.encode.batches import pad
from isogloss.encode.transforms import centring
from isogloss.errors import InputError

PREFIX = "query: "
TEXTS = [
    "The quick brown fox", "भारत एक विशाल देश है", "北京是中华人民共和国的首都。", "🙂 too", "fox",
]  # fmt: skip


def load(directory: Path, **options: object) -> Encoder:
    given = {"pooling": "mean", "prefix": PREFIX, "long_texts": "cut"} | options
    return Encoder.load(directory, device="cpu", threads=1, **given)


def slow(encoder: Encoder, directory: Path, text: str) -> np.ndarray:
    """Mean states of the tokens that come after the prefix, of the text alone."""
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.no_truncation()
    found = tokenizer.encode(PREFIX + text)
    ids = found.ids[:39] + found.ids[-1:] if len(found.ids) > 40 else found.ids
    is_own = [
        end > len(PREFIX) and not special
        for (_, end), special in zip(found.offsets, found.special_tokens_mask, strict=True)
    ]
    is_own = [*is_own[: len(ids) - 1], False]
    states = encoder.network.hidden_states(pad([np.array(ids, np.int32)], pad_id=0))
    return np.array([state[0].numpy()[is_own].mean(0) for state in states])


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_they_are_means_over_the_text_alone(tiny_models: dict[str, Path], kind: str) -> None:
    encoder = load(tiny_models[kind], normalize=False)
    texts = [*TEXTS, "brown " * 60]
    found = encoder.encode_counted(texts, layers="all", tokens="text")
    wanted = np.stack([slow(encoder, tiny_models[kind], text) for text in texts], axis=1)
    np.testing.assert_allclose(found.vectors, wanted, atol=2e-5)
    assert found.truncated.tolist() == [False] * 5 + [True]
    whole = encoder.encode_counted(texts, layers="all")
    assert np.abs(whole.vectors - found.vectors).max() > 0.01
    np.testing.assert_array_equal(whole.n_tokens, found.n_tokens)


def test_windows_weigh_by_their_own_tokens(tiny: Path) -> None:
    encoder = load(tiny, normalize=False, long_texts="windows", max_length=20)
    texts = ["fox", "the quick brown fox jumps over the lazy dog " * 3]
    found = encoder.encode_counted(texts, layers="all", tokens="text").vectors
    windows = encoder.tokenizer.windows(texts)
    assert (windows.text == 1).sum() > 1
    n_before = len(encoder.tokenizer.head) + len(encoder.tokenizer.prefix_ids)
    for at in (0, 1):
        states = [
            encoder.network.hidden_states(pad([ids], pad_id=0))
            for ids, text in zip(windows.ids, windows.text, strict=True) if text == at
        ]  # fmt: skip
        for layer in range(3):
            own = np.concatenate([one[layer][0, n_before:-1].numpy() for one in states])
            np.testing.assert_allclose(found[layer, at], own.mean(0), atol=2e-5)


def test_a_text_without_a_token_of_its_own_has_zeros(tiny: Path) -> None:
    found = load(tiny).encode_counted(["", "fox"], tokens="text").vectors
    assert not found[0].any()
    assert found[1].any()


def test_modules_after_the_pooling_are_left_out(tiny_chain: Callable[..., Path]) -> None:
    directory = tiny_chain(modules=("Transformer", "Pooling", "Dense", "Normalize"))
    encoder = load(directory)
    assert encoder.encode(TEXTS).shape == (5, 8)
    found = encoder.encode_counted(TEXTS, layers="all", tokens="text").vectors
    assert found.shape == (3, 5, 32)
    last = encoder.encode_counted(TEXTS, tokens="text").vectors
    np.testing.assert_allclose(last, found[-1], atol=1e-6)


def test_a_cache_keeps_them_apart(tiny: Path, tmp_path: Path) -> None:
    encoder = load(tiny).with_cache(tmp_path / "cache")
    whole = encoder.encode_counted(TEXTS).vectors
    own = encoder.encode_counted(TEXTS, tokens="text").vectors
    assert np.abs(whole - own).max() > 0.01
    np.testing.assert_array_equal(own, encoder.encode_counted(TEXTS, tokens="text").vectors)
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_what_does_not_go_with_them_is_refused(tiny: Path) -> None:
    encoder = load(tiny)
    with pytest.raises(InputError, match="is no pooling 'cls'; give mean"):
        encoder.encode_counted(TEXTS, pooling="cls", tokens="text")
    moved = encoder.with_transform(centring(encoder.encode(TEXTS)))
    with pytest.raises(InputError, match="fitted for the last layer"):
        moved.encode_counted(TEXTS, tokens="text")
