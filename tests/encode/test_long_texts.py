"""Long texts in windows: equal to each window alone, averaged, whatever is asked and batched."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.encode import Encoder, batches
from isogloss.encode.batches import pad
from isogloss.encode.plan import make_plan
from isogloss.encode.windows import equal_parts
from isogloss.errors import InputError

LONG = [
    "The quick brown fox jumps over the lazy dog. " * 9,
    "short",
    "東京は日本の首都です。カタカナも読みます。" * 7,
    "Съешь же ещё этих мягких французских булок. " * 5,
    "",
    "भारत एक विशाल देश है और यहाँ कई भाषाएँ हैं। " * 6,
]
PREFIX = "query: "


def slow(encoder: Encoder, text: str, **asked: Any) -> np.ndarray[Any, Any]:
    """Cut the tokens by hand, encode each window alone, average by tokens, normalise."""
    backend = encoder.tokenizer.backend
    whole = backend.encode(encoder.settings.prefix.value + text).ids
    n_head, n_tail = len(encoder.tokenizer.head), len(encoder.tokenizer.tail)
    prefix, before = (
        backend.encode(encoder.settings.prefix.value + tail, add_special_tokens=False).ids
        for tail in ("", "a")
    )
    tokens = whole[n_head : len(whole) - n_tail]
    while before[: len(prefix)] != prefix:  # a blank at its end, which the text takes
        prefix = prefix[:-1]
    n_same = len(prefix)
    while tokens[:n_same] != prefix[:n_same]:  # the prefix melts into this text
        n_same -= 1
    own = tokens[n_same:]
    n_around = n_head + len(prefix) + n_tail
    longest = encoder.settings.max_length.value
    n_windows = 1 if len(whole) <= longest else -(-len(own) // (longest - n_around))
    windows = [
        own[w * len(own) // n_windows : (w + 1) * len(own) // n_windows] for w in range(n_windows)
    ]
    unit = asked.pop("normalize", encoder.settings.normalize.value)
    plan = make_plan(
        encoder.settings, n_layers=encoder.n_layers, has_pooler=encoder.network.has_pooler,
        has_dense=bool(encoder.network.dense), **asked,
    )  # fmt: skip
    vectors = []
    for number, window in enumerate(windows):
        before = prefix if number else tokens[:n_same]
        ids = [*whole[:n_head], *before, *window, *whole[len(whole) - n_tail :]]
        batch = pad([np.array(ids, np.int32)], pad_id=0)
        vectors.append(encoder.network.pool(batch, plan)[:, 0].astype(np.float64))
    weights = [len(window) for window in windows] if len(windows) > 1 else None
    mean = np.average(vectors, axis=0, weights=weights)
    if unit:
        mean /= np.linalg.norm(mean, axis=-1, keepdims=True)
    return mean if plan.is_stacked else mean[0]


def load(directory: Path, **options: Any) -> Encoder:
    given = {"pooling": "mean", "prefix": PREFIX, "long_texts": "windows"} | options
    return Encoder.load(directory, device="cpu", threads=1, **given)


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize(
    "asked",
    [{}, {"pooling": "cls"}, {"pooling": "pooler"}, {"layers": "all"}, {"normalize": True}],
    ids=str,
)
def test_each_window_alone_averaged_by_tokens(
    kind: str, asked: dict[str, Any], tiny_models: dict[str, Path]
) -> None:
    encoder = load(tiny_models[kind])
    wanted = np.array([slow(encoder, text, **asked) for text in LONG])
    if wanted.ndim == 3:
        wanted = wanted.transpose(1, 0, 2)
    np.testing.assert_allclose(encoder.encode(LONG, **asked), wanted, atol=2e-5)


def test_dense_modules_come_before_the_mean_and_normalisation_behind_it(
    tiny_chain: Callable[..., Path],
) -> None:
    encoder = load(tiny_chain(modules=("Transformer", "Pooling", "Dense", "Normalize")))
    assert encoder.settings.normalize.value
    wanted = [slow(encoder, text) for text in LONG]
    np.testing.assert_allclose(encoder.encode(LONG), wanted, atol=2e-5)


def test_batch_order_chunk_and_destination_change_nothing(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = load(tiny)
    wanted = encoder.encode(LONG)
    alone = [encoder.encode([text])[0] for text in LONG]
    np.testing.assert_allclose(alone, wanted, atol=1e-5)
    np.testing.assert_allclose(encoder.encode(LONG[::-1]), wanted[::-1], atol=1e-5)
    most: list[int] = []
    pool = encoder.network.pool
    monkeypatch.setattr(
        encoder.network,
        "pool",
        lambda batch, plan: most.append(batch.ids.size) or pool(batch, plan),
    )
    monkeypatch.setitem(batches.BUDGETS, ("cpu", "float32"), 70)
    monkeypatch.setattr(batches, "N_TEXTS_PER_CHUNK", 2)
    found = encoder.encode(iter(LONG), out=tmp_path / "v.npy")
    np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert max(most) <= 70  # the longest text is never in one batch
    half = load(tiny, dtype="bfloat16").encode(LONG)
    assert ((half * wanted).sum(1) / np.linalg.norm(half, axis=1)
            / np.linalg.norm(wanted, axis=1)).min() > 0.999  # fmt: skip


def test_nothing_is_cut_or_said_and_short_texts_keep_their_vectors(tiny: Path) -> None:
    encoder, cutting = load(tiny), load(tiny, long_texts="cut")
    of_windows, of_cut = encoder.encode_counted(LONG), cutting.encode_counted(LONG)
    assert not of_windows.truncated.any()
    np.testing.assert_array_equal(of_windows.n_tokens, of_cut.n_tokens)
    short = ~of_cut.truncated
    assert short.tolist() == [False, True, False, False, True, False]
    np.testing.assert_allclose(of_windows.vectors[short], of_cut.vectors[short], atol=1e-5)
    assert np.abs(of_windows.vectors - of_cut.vectors)[~short].max(axis=1).min() > 1e-2
    encoder.encode(LONG)  # a loss would be an error here
    asked = cutting.encode(LONG, long_texts="windows")
    np.testing.assert_allclose(asked, of_windows.vectors, atol=1e-5)
    assert encoder.fingerprint != cutting.fingerprint


def test_windows_are_as_few_and_equal_as_can_be() -> None:
    sizes = [[end - start for start, end in equal_parts(n, most=10)] for n in (0, 10, 11, 31)]
    assert sizes == [[0], [10], [5, 6], [7, 8, 8, 8]]


def test_every_token_is_in_one_window_behind_prefix_and_specials(tiny: Path) -> None:
    tokenizer = load(tiny).tokenizer
    windows = tokenizer.windows(LONG)
    around = [*tokenizer.head, *tokenizer.prefix_ids]
    for number, text in enumerate(LONG):
        own: list[int] = []
        for at in np.flatnonzero(windows.text == number):
            ids = windows.ids[at].tolist()
            assert ids[: len(around)] == around
            assert ids[-1:] == tokenizer.tail
            assert len(ids) <= 40
            own += ids[len(around) : -1]
        assert own == tokenizer.backend.encode(PREFIX + text).ids[len(around) : -1]
        assert windows.n_own[windows.text == number].sum() == len(own)


def test_a_prefix_that_melts_into_the_text_is_whole_from_the_second_window_on(
    tiny_models: dict[str, Path],
) -> None:
    encoder = load(tiny_models["roberta"], prefix="wo")  # "wo" + "rd" is one token
    tokenizer = encoder.tokenizer
    text = "rd " + "word " * 99
    windows = tokenizer.windows([text])
    own = tokenizer.backend.encode("wo" + text, add_special_tokens=False).ids
    read = [windows.ids[0].tolist()[1:-1]]
    read += [ids.tolist()[1 + len(tokenizer.prefix_ids) : -1] for ids in windows.ids[1:]]
    assert [token for part in read for token in part] == own
    assert max(len(ids) for ids in windows.ids) <= 40


def test_no_room_for_a_window_is_refused(tiny: Path) -> None:
    encoder = load(tiny, max_length=4)
    with pytest.raises(InputError, match=r"4 tokens leaves no room for windows beside the \d+ of"):
        encoder.encode(["The lazy dog"])
    for wrong in ("window", None, True):
        with pytest.raises(InputError, match="long_texts is "):
            load(tiny, long_texts=wrong or 1)
    with pytest.raises(InputError, match="did you mean 'windows'"):
        encoder.encode(["a"], long_texts="window")  # type: ignore[arg-type]
