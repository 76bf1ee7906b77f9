"""A pruned tokenizer cuts the texts it was made for as before, whatever kind it is."""

import json
from pathlib import Path
from typing import Any

import pytest
from tiny_models import TEXTS, train_tokenizer
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from isogloss.align.export.vocabulary import needed_ids, pruned, vocabulary_of
from isogloss.errors import InputError


def cut(tokenizer: Any, texts: list[str]) -> tuple[Any, list[int]]:
    """Return the tokenizer pruned to some texts, and the old ids of its tokens."""
    document = json.loads(tokenizer.to_str())
    used = {number for text in texts for number in tokenizer.encode(text).ids}
    kept = needed_ids(document, used)
    return Tokenizer.from_str(json.dumps(pruned(document, kept))), kept


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("number", range(0, 9, 2))
def test_texts_have_the_same_tokens(kind: str, number: int) -> None:
    tokenizer, names = train_tokenizer(kind)
    texts = TEXTS[number : number + 2]
    smaller, kept = cut(tokenizer, texts)
    assert len(kept) < tokenizer.get_vocab_size()
    for text in texts:
        old, new = tokenizer.encode(text), smaller.encode(text)
        assert [kept[place] for place in new.ids] == old.ids
        assert new.tokens == old.tokens
    for name in names.values():
        assert smaller.token_to_id(name) is not None


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
def test_other_text_is_cut_finer_and_not_lost(kind: str) -> None:
    tokenizer, names = train_tokenizer(kind)
    smaller, _ = cut(tokenizer, TEXTS[:1])
    unknown = smaller.token_to_id(names["unk_token"])
    before, after = tokenizer.encode("съешь булок"), smaller.encode("съешь булок")
    assert len(after.ids) >= len(before.ids)
    assert unknown not in after.ids


def test_an_unknown_word_stays_unknown() -> None:
    """'ab' was left out with the unknown word it begins, and 'a', '##bc' made another cut."""
    vocabulary = {"[UNK]": 0, "a": 1, "ab": 2, "##bc": 3, "##b": 4, "x": 5}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    document = json.loads(tokenizer.to_str())
    used = set(tokenizer.encode("abc xbc").ids)
    plain = Tokenizer.from_str(json.dumps(pruned(document, needed_ids(document, used))))
    assert "[UNK]" not in plain.encode("abc").tokens
    kept = needed_ids(document, used, unknown_words={"abc"})
    careful = Tokenizer.from_str(json.dumps(pruned(document, kept)))
    assert careful.encode("abc xbc").tokens == tokenizer.encode("abc xbc").tokens


def test_every_way_to_a_merged_token_is_kept() -> None:
    vocabulary = {token: n for n, token in enumerate(["a", "b", "c", "ab", "bc", "abc", "ca"])}
    merges = [("b", "c"), ("a", "b"), ("ab", "c"), ("a", "bc"), ("c", "a")]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    smaller, kept = cut(tokenizer, ["abc"])
    assert smaller.encode("abc").tokens == ["abc"]
    assert set(smaller.get_vocab()) == {"a", "b", "c", "ab", "bc", "abc"}
    assert kept == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "processor",
    [
        processors.BertProcessing(("[SEP]", 9), ("[CLS]", 8)),
        processors.RobertaProcessing(("[SEP]", 9), ("[CLS]", 8)),
        processors.Sequence(
            [processors.TemplateProcessing(
                single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 8), ("[SEP]", 9)]
            )]
        ),
    ],
)  # fmt: skip
def test_tokens_around_a_text_have_their_new_ids(processor: Any) -> None:
    vocabulary = {token: n for n, token in enumerate([*"abcdefgh", "[CLS]", "[SEP]"])}
    words = {"aa": 10, "bb": 11, "[UNK]": 12}
    tokenizer = Tokenizer(models.WordLevel(vocabulary | words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processor
    smaller, kept = cut(tokenizer, ["bb"])
    assert smaller.encode("bb").tokens == ["[CLS]", "bb", "[SEP]"]
    assert smaller.encode("bb").ids == [8, 10, 9]
    assert 10 not in kept


def test_a_tokenizer_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match="its tokenizer is 'Other'"):
        vocabulary_of({"model": {"type": "Other"}})


def test_the_lowest_score_stays_from_which_that_of_the_unknown_follows(tmp_path: Path) -> None:
    tokenizer, _ = train_tokenizer("xlm-roberta")
    smaller, _ = cut(tokenizer, TEXTS[:1])
    lowest = [
        min(score for _, score in json.loads(each.to_str())["model"]["vocab"])
        for each in (tokenizer, smaller)
    ]
    assert lowest[0] == lowest[1]
