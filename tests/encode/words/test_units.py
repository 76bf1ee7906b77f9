"""Words and tokens: by script, by place, whatever a text holds."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.encode import Encoder
from isogloss.encode.words.tokens_of_words import TokenUnits, WordUnits, tokens_of


@pytest.mark.parametrize(
    ("lang", "text", "words"),
    [
        ("en", "Don't stop, e-mail 3.5 😀x!", ["Don't", "stop", "e", "mail", "3.5", "x"]),
        ("fr", "Où est passée la forêt ?", ["Où", "est", "passée", "la", "forêt"]),
        ("ru", "Съешь ещё «булок».", ["Съешь", "ещё", "булок"]),
        ("ar", "ذهب الولد، ٣", ["ذهب", "الولد", "٣"]),
        ("hi", "भारत एक देश है।", ["भारत", "एक", "देश", "है"]),
        ("th", "กรุงเทพมหานครเป็นเมืองหลวง", ["กรุงเทพมหานคร", "เป็น", "เมือง", "หลวง"]),
        ("zh", "北京是首都。", ["北京", "是", "首都"]),
        ("ja", "東京は日本の首都です", ["東京", "は", "日本", "の", "首都", "です"]),
        ("ko", "서울은 수도입니다.", ["서울은", "수도입니다"]),
        ("xx", "👩‍👩‍👧 \ud800a", ["a"]),
        ("en", " \t\n ", []),
        ("en", "", []),
    ],
)
def test_words_of_a_language(lang: str, text: str, words: list[str]) -> None:
    assert WordUnits(lang).names(text) == words


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "gpt2"])
def test_a_word_has_the_pieces_that_overlap_it(
    tiny_models: dict[str, Path], long_texts: list[str], kind: str
) -> None:
    tokenizer = Encoder.load(tiny_models[kind], device="cpu", prefix="query: ").tokenizer
    units = WordUnits("en")
    for text, tokens in zip(long_texts, tokens_of(tokenizer, long_texts), strict=True):
        names = units.names(text)
        parts = units.parts(text, tokens)
        assert set(parts.units) == set(range(len(names)))
        assert (tokens.ends[parts.tokens] > 0).all()  # none is of the prefix
        spans = np.array(list(units._spans(text))).reshape(-1, 2)
        overlap = (tokens.starts < spans[:, 1:]) & (tokens.ends > spans[:, :1])
        assert np.array_equal(np.stack(parts), np.nonzero(overlap))
        end = 0
        for at, name in enumerate(names):
            start = text.index(name, end)
            end = start + len(name)
            own = parts.tokens[parts.units == at]
            assert (np.diff(own) == 1).all()
            assert name in text[max(tokens.starts[own[0]], 0) : tokens.ends[own[-1]]]
            assert (tokens.starts[own] < end).all()
            assert (tokens.ends[own] > start).all()


def test_pieces_are_named_as_the_vocabulary_does(bert: Path) -> None:
    tokenizer = Encoder.load(bert, device="cpu", prefix="query: ").tokenizer
    units = TokenUnits(tokenizer)
    text = "The jumping dog."
    (tokens,) = tokens_of(tokenizer, [text])
    names = units.names(text)
    assert [name.removeprefix("##") for name in names] == [
        text[tokens.starts[at] : tokens.ends[at]] for at in units.parts(text, tokens).tokens
    ]
    assert "".join(name.removeprefix("##") for name in names) == "Thejumpingdog"


def test_one_core_gives_the_same_pieces(bert: Path, long_texts: list[str]) -> None:
    many = tokens_of(Encoder.load(bert, device="cpu").tokenizer, long_texts)
    one = tokens_of(Encoder.load(bert, device="cpu", threads=1).tokenizer, long_texts)
    for a, b in zip(many, one, strict=True):
        assert a.ids.tolist() == b.ids.tolist()
        assert a.starts.tolist() == b.starts.tolist()
