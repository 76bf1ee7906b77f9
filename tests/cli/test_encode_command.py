"""``isogloss encode``: each option does what it says."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import Run, World

from isogloss.encode import Encoder
from isogloss.encode.transforms import centring

TEXTS = ["東京は日本の首都です。", "", "Съешь же ещё", "कई भाषाएँ", "🙂 \0", "word " * 5]


@pytest.fixture
def encode(cli: Run, world: World, tmp_path: Path) -> Any:
    """Encode `TEXTS` with some options and return the array."""

    def run(*options: object) -> np.ndarray[Any, Any]:
        out = tmp_path / "v.npy"
        outcome = cli("encode", "-", "--encoder", world.encoder, "--out", out, "--overwrite",
                      *options, stdin="\n".join(TEXTS) + "\n")  # fmt: skip
        assert outcome.code == 0, outcome.err
        assert outcome.out == ""
        return np.load(out)

    return run


@pytest.mark.parametrize(
    ("words", "load", "call"),
    [
        ([], {}, {}),
        (["--layer", "0"], {}, {"layers": 0}),
        (["--layer", "-1"], {}, {"layers": 2}),
        (["--prefix", "query: "], {"prefix": "query: "}, {}),
        (["--normalize"], {"normalize": True}, {}),
        (["--no-normalize"], {"normalize": False}, {}),
        (["--pooling", "cls"], {"pooling": "cls"}, {}),
        (["--pooling", "pooler"], {"pooling": "pooler"}, {}),
        (["--dtype", "bfloat16", "--device", "cpu"], {"dtype": "bfloat16"}, {}),
        (["--threads", "1"], {"threads": 1}, {}),
    ],
)
def test_an_option_is_that_of_the_encoder(
    words: list[str], load: dict[str, Any], call: dict[str, Any], encode: Any, world: World
) -> None:
    expected = Encoder.load(world.encoder, device="cpu", **load).encode(TEXTS, **call)
    found = encode(*words)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert found.shape == (len(TEXTS), 32)
    changes = not {"--no-normalize", "--threads", "-1"} & set(words) and bool(words)
    plain = Encoder.load(world.encoder, device="cpu").encode(TEXTS)
    assert np.allclose(found, plain, atol=1e-6) != changes


def test_long_texts_are_read_in_windows_where_asked(cli: Run, world: World, tmp_path: Path) -> None:
    texts = ["word " * 60, "東京 " * 50, "short"]
    encoder, found = Encoder.load(world.encoder, device="cpu"), {}
    for mode in ("cut", "windows"):
        out = tmp_path / f"{mode}.npy"
        outcome = cli("encode", "-", "--encoder", world.encoder, "--out", out, "--long-texts",
                      mode, stdin="\n".join(texts) + "\n")  # fmt: skip
        assert outcome.code == 0, outcome.err
        found[mode] = np.load(out)
        wanted = encoder.encode_counted([text.strip() for text in texts], long_texts=mode)
        np.testing.assert_allclose(found[mode], wanted.vectors, atol=1e-5)
        said = "give --long-texts windows (long_texts='windows') to read them whole"
        assert (said in outcome.err) == (mode == "cut")
    assert not np.allclose(found["cut"][:2], found["windows"][:2], atol=1e-3)


def test_columns_are_joined(cli: Run, world: World, tmp_path: Path) -> None:
    table = 'title,body\n東京,"a, ""b"""\n'
    for out, words, text in (
        ("a.npy", ["--text", "title,body"], table),
        ("b.npy", [], '東京. a, "b"\n'),
    ):
        assert cli("encode", "--encoder", world.encoder, "--out", tmp_path / out, *words,
                   stdin=text).code == 0  # fmt: skip
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy"))


def test_cut_texts_are_counted_and_refused_under_strict(
    cli: Run, world: World, tmp_path: Path
) -> None:
    words = ["encode", "--encoder", world.encoder, "--out", tmp_path / "v.npy"]
    words += ["--long-texts", "cut"]
    strict = cli(*words, "--strict", stdin="word " * 99 + "\nshort\n")
    assert strict.code == 2
    assert "1 of 2 texts" in strict.talk[-1]
    assert cli(*words, stdin="word " * 99 + "\nshort\n").code == 0


def test_a_cache_keeps_vectors_and_gives_them_back(encode: Any, tmp_path: Path) -> None:
    first = encode("--cache", tmp_path / "cache")
    assert any(file.stat().st_size for file in (tmp_path / "cache").rglob("*") if file.is_file())
    np.testing.assert_array_equal(encode("--cache", tmp_path / "cache"), first)
    np.testing.assert_allclose(encode(), first, atol=1e-6)


def test_a_transform_from_a_file_is_applied(encode: Any, world: World, tmp_path: Path) -> None:
    encoder = Encoder.load(world.encoder, device="cpu")
    moved = encoder.with_transform(centring(encoder.encode(TEXTS)))
    assert moved.transform is not None
    moved.transform.save(tmp_path / "centring.safetensors")
    found = encode("--transform", tmp_path / "centring.safetensors")
    np.testing.assert_allclose(found, moved.encode(TEXTS), atol=1e-6)
