"""Every word of a table is found, in its family alone."""

import numpy as np

from isogloss.storage.word_table import WordTable, find_word


def find(table: WordTable, family: str, word: str, any_case: bool = False) -> int:
    letters = np.frombuffer(f"[{word}]".encode(), np.uint8)
    return find_word(ord(family), letters, 1, letters.size - 1, any_case, table)


def test_words_of_two_families() -> None:
    words = {f"wörd {i}".encode(): i for i in range(3000)}
    table = WordTable.of({"a": words, "b": {b"only": 7, b"w": 0}})
    assert all(find(table, "a", word.decode()) == number for word, number in words.items())
    assert find(table, "b", "wörd 1") == -1
    assert find(table, "a", "only") == -1
    assert find(table, "b", "only") == 7
    assert find(table, "b", "w") == 0
    assert find(table, "b", "") == -1


def test_capitals_and_underscores_are_folded_when_asked() -> None:
    table = WordTable.of({"a": {"ärger ÄB c".encode().lower(): 1}})
    assert find(table, "a", "ärger_ÄB C", any_case=True) == 1
    assert find(table, "a", "ärger ÄB C") == -1
    assert find(table, "a", "Ärger ÄB C", any_case=True) == -1  # beyond ASCII as it stands
