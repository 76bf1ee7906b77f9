"""Romanised and code-switched text."""

from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from written_names import write_lines

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.probe.transfer.script.code_switching import code_switched
from isogloss.probe.transfer.script.dictionary import (
    Dictionary,
    dictionary_of_names,
    read_dictionary,
)
from isogloss.probe.transfer.script.romanising import romanised

HINDI = [["मैंने", "अच्छा", "काम", "किया", "।"], ["अच्छा", "काम", "OK", "123", ""]]


def test_romanised_words_are_as_many_and_in_latin_letters() -> None:
    found = romanised(HINDI, "hi")
    assert found.sentences == [
        ["maimne", "acchaa", "kaam", "kiyaa", "."], ["acchaa", "kaam", "OK", "123", ""],
    ]  # fmt: skip
    assert (found.n_changed, found.n_kept) == (7, 0)


def test_languages_have_their_own_rules() -> None:
    word = "Володимир"
    assert romanised([[word]], "uk").sentences != romanised([[word]], "ru").sentences


def test_kanji_are_read_as_chinese() -> None:
    assert romanised([["日本"]], "ja").sentences == [["riben"]]


def test_a_word_of_which_nothing_is_left_stays() -> None:
    found = romanised([["\u200d\u200d", "\u064b"]], "ar")
    assert [len(words) for words in found.sentences] == [2]
    assert all(word for words in found.sentences for word in words)


# -- code-switching

ENGLISH = Dictionary({"अच्छा": "good", "काम": "work", "मैंने": "I", "ok": "fine"})


def test_all_words_of_the_dictionary_are_switched() -> None:
    found = code_switched(HINDI, ENGLISH, share=1.0, seed=0)
    assert found.sentences == [
        ["I", "good", "work", "किया", "।"], ["good", "work", "fine", "123", ""],
    ]  # fmt: skip
    assert (found.n_words, found.n_known, found.n_switched) == (10, 6, 6)
    assert found.is_switched[0] == [True, True, True, False, False]


@pytest.mark.parametrize("seed", range(5))
def test_words_of_a_smaller_share_are_among_those_of_a_larger(seed: int) -> None:
    quarter, half, all_of_them = (
        code_switched(HINDI, ENGLISH, share=share, seed=seed) for share in (0.25, 0.5, 1.0)
    )
    assert [one.n_switched for one in (quarter, half, all_of_them)] == [2, 3, 6]
    for less, more in ((quarter, half), (half, all_of_them)):
        pairs = zip(chain(*less.is_switched), chain(*more.is_switched), strict=True)
        assert all(more or not less for less, more in pairs)
    assert quarter.sentences == code_switched(HINDI, ENGLISH, share=0.25, seed=seed).sentences


def test_another_seed_switches_other_words() -> None:
    drawn = {
        str(code_switched(HINDI, ENGLISH, share=0.5, seed=seed).is_switched) for seed in range(8)
    }
    assert len(drawn) > 3


def test_nothing_is_switched_at_no_share() -> None:
    assert code_switched(HINDI, ENGLISH, share=0.0, seed=0).sentences == HINDI


def test_a_dictionary_is_read_with_its_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "hi-en.tsv"
    path.write_text("# note\nअच्छा\tgood\r\nअच्छा\tfine\n\nचाय\tcup of tea\n")
    found = read_dictionary(path)
    assert (found.translations, found.n_several) == ({"अच्छा": "good"}, 1)
    for line in ("no tab", "a\tb\tc", "\tempty", "x\t "):
        path.write_text(f"a\tb\n{line}\n")
        with pytest.raises(InputError, match=r"hi-en\.tsv:2: is no entry of a dictionary"):
            read_dictionary(path)
    path.write_text("चाय\tcup of tea\n")
    with pytest.raises(InputError, match="no entry of one word for one"):
        read_dictionary(path)


def test_names_of_a_knowledge_base_translate(tmp_path: Path) -> None:
    def record(name: str, **names: Any) -> dict[str, Any]:
        return {"id": f"x:{name}", "names": names}

    source = write_lines(
        tmp_path / "names.jsonl",
        record("dog", de=["Hund"], en=["dog", "hound"]),
        record("tea", de=["Tee"], en=["cup of tea"]),
        record("only", de=["Nur"], fr=["seul"]),
        record("house", de=["Haus"], en=["house"]),
    )
    build_knowledge_base([f"names:{source}"], tmp_path / "kb")
    knowledge_base = KnowledgeBase.open(tmp_path / "kb")
    words = ["Hund", "Tee", "Nur", "Haus", "Hundehaus", "", "Hund"]
    found = dictionary_of_names(knowledge_base, words, lang="de", into="en")
    assert (found.translations, found.n_several) == ({"Hund": "dog", "Haus": "house"}, 1)
