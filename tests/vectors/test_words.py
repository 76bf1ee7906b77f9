import random
import re
import sys

import numpy as np
import pytest

from isogloss.vectors.words import MOST_GROWTH, _letters, split_words


def words_of(*texts: str, **options: bool) -> list[str]:
    encoded = [text.encode() for text in texts]
    data = np.frombuffer(b"".join(encoded), np.uint8)
    offsets = np.concatenate([[0], np.cumsum([len(text) for text in encoded])]).astype(np.int64)
    found = split_words(data, offsets, **options)
    whole = found.data.tobytes()
    return [whole[a:b].decode() for a, b in zip(found.offsets[:-1], found.offsets[1:], strict=True)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []), ("...", []), ("\u0301 x", ["x"]), ("a-b_c d'e", ["a", "b", "c", "d", "e"]),
        ("ÀÉ É²", ["àé", "é²"]), ("Ⱥ ẞ İ ΣΑΣ", ["ⱥ", "ß", "i", "σασ"]),
        ("東京タワー", ["東", "京", "タワー"]), ("한국어 책을", ["한국어", "책을"]),
        ("ไทย", ["ไท", "ย"]), ("हिन्दी में", ["हिन्दी", "में"]), ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("\U00020000\U0001f600x", ["\U00020000", "x"]), ("24.12.2018", ["24", "12", "2018"]),
        ("ကို", ["ကို"]), ("👍🏽ok", ["ok"]), ("\u1039က", ["က"]),
    ],
)  # fmt: skip
def test_words_by_script(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_no_word_crosses_a_text() -> None:
    assert words_of("ab", "cd", "", "e") == ["ab", "cd", "e"]
    assert words_of() == []


def test_letters_are_kept_or_made_small() -> None:
    assert words_of("Der IGLU", lowercase=False) == ["Der", "IGLU"]
    assert words_of("IĞDIR İzmir", turkic=True) == ["ığdır", "izmir"]
    assert words_of("IZMIR") == ["izmir"]


@pytest.mark.parametrize("turkic", [False, True])
@pytest.mark.parametrize("lowercase", [False, True])
def test_no_character_outgrows_the_room_for_it(lowercase: bool, turkic: bool) -> None:
    """What is written past the room would overwrite other memory: every code point is asked."""
    letters = _letters(lowercase, turkic)
    codes = np.arange(sys.maxunicode + 1)
    written = np.concatenate([letters, codes[letters.size :]])  # as they are from there on
    ends = [0x80, 0x800, 0x10000]
    n_before, n_after = (1 + np.searchsorted(ends, some, "right") for some in (codes, written))
    assert (n_after <= MOST_GROWTH * n_before).all()
    if lowercase:
        assert (n_after > n_before).any()


def test_capitals_that_grow() -> None:
    n = 3_000_000
    capitals = np.frombuffer(b"I" * n, np.uint8)
    found = split_words(capitals, np.array([0, n]), turkic=True)
    assert found.offsets.tolist() == [0, 2 * n]
    assert found.data.tobytes() == "ı".encode() * n
    assert words_of("Ⱥ" * 99 + " " + "I" * 99, turkic=True) == ["ⱥ" * 99, "ı" * 99]


def test_places_give_the_words_back() -> None:
    """Any text: words are what stands at their places, in order, and nothing else has letters."""
    rng = random.Random(0)
    alphabet = "aB1 _-'\n\u0301éßЖ字かカーไท\u200d한𠀀😀\u1039က"
    for _ in range(300):
        texts = ["".join(rng.choices(alphabet, k=rng.randint(0, 20))) for _ in range(3)]
        data = "".join(texts).encode()
        offsets = np.cumsum([0, *(len(text.encode()) for text in texts)])
        found = split_words(np.frombuffer(data, np.uint8), offsets, lowercase=False)
        spans = list(zip(found.start.tolist(), found.end.tolist(), strict=True))
        assert b"".join(data[a:b] for a, b in spans) == found.data.tobytes()
        assert sorted(spans) == spans
        between = [data[a:b].decode() for (_, a), (b, _) in
                   zip([(0, 0), *spans], [*spans, (len(data), 0)], strict=True)]  # fmt: skip
        assert not re.search(r"[^\W_ー]", "".join(between))  # a mark alone is no word
