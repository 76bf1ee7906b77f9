"""Each rule removes what it says and leaves what is near to it, in every script."""

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.mine.filter.pair_rules import RULES, PairFilter, numerals_differ
from isogloss.mine.filter.text_rules import RULES as RULES_OF_TEXTS
from isogloss.mine.filter.text_rules import TextFilter

ENGLISH = "The government said on Monday that the schools will stay closed until next week."
SWAHILI = "Serikali ilisema Jumatatu kwamba shule zitaendelea kufungwa hadi wiki ijayo."
PAIRS = [
    ("empty", "Good morning", " \t"),
    ("identical", "Firefox 3 — Web!", "firefox 3 web"),
    ("length", ENGLISH, "Shule."),
    ("numerals", "There were 25 people.", "Kulikuwa na watu 52 na 1."),
    ("language", ENGLISH, "Die Regierung sagte am Montag, dass die Schulen bis Freitag bleiben."),
    (None, ENGLISH, SWAHILI),
    ("repeated", ENGLISH.upper(), f" {SWAHILI}"),
]  # fmt: skip


def columns() -> tuple[list[str], list[str]]:
    return [one for _, one, _ in PAIRS], [other for _, _, other in PAIRS]


def test_every_rule_removes_its_pair_and_counts_it() -> None:
    rules = PairFilter("en", "sw")
    assert rules.removed_by(*columns()) == [rule for rule, _, _ in PAIRS]
    assert rules.counts == dict.fromkeys(RULES, 1)
    assert rules.n_language_unknown == 0


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_alone_removes_no_pair_of_another(rule: str) -> None:
    found = PairFilter("en", "sw", rules=[rule]).removed_by(*columns())
    assert set(found) == {None, rule}
    assert found[[name for name, _, _ in PAIRS].index(rule)] == rule
    assert found[5] is None


def test_blocks_change_nothing() -> None:
    rules = PairFilter("en", "sw")
    found = [rules.removed_by([one], [other])[0] for _, one, other in PAIRS]
    assert found == [rule for rule, _, _ in PAIRS]


def test_the_length_is_that_of_the_languages() -> None:
    english = [f"{number} {'word ' * (3 + number % 9)}".strip() for number in range(150)]
    chinese = [f"{number} {'字' * (3 + number % 9)}" for number in range(150)]
    rules = PairFilter("en", "zh", rules=["length"])
    assert set(rules.removed_by(english, chinese)) == {None}
    longer = "字" * 120
    assert rules.removed_by(english[:2], [chinese[0], longer]) == [None, "length"]


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [("1,000 men", "١٠٠٠ رجل", False), ("in 2020", "в 2021", True), ("a 7", "b 7 7", True),
     ("3 men", "drei", False), ("30 men", "dreißig", True), ("5.5", "5,5", False),
     ("no", "none", False), ("๒๕", "25", False)],
)  # fmt: skip
def test_numerals(one: str, other: str, differ: bool) -> None:
    assert numerals_differ(one, other) is differ


def test_a_language_that_the_identifier_does_not_know_is_counted() -> None:
    rules = PairFilter("en", "tw", rules=["language"])
    assert rules.removed_by([ENGLISH] * 3, [SWAHILI] * 3) == [None] * 3
    assert rules.n_language_unknown == 3


def test_near_languages_and_short_texts_are_not_removed() -> None:
    rules = PairFilter("id", "nb", rules=["language"])
    malay = (
        "Kerajaan berkata pada hari Isnin bahawa sekolah akan terus ditutup sehingga minggu depan."
    )
    danish = "Regeringen sagde i mandags, at skolerne forbliver lukkede indtil næste uge."
    assert rules.removed_by([malay, "Bonjour"], [danish, "Merci"]) == [None, None]


def test_an_unknown_rule_is_told() -> None:
    with pytest.raises(InputError, match="no rule 'lenght'; did you mean 'length'"):
        PairFilter("en", "sw", rules=["lenght"])


TEXTS = [
    ("length", "Too short"),
    ("length", "long " * 1001),
    ("letters", "12 + 30 = 42, 17:45 — 18:30 (7/8)"),
    ("markup", "Menu | | | Home and more words"),
    ("markup", "Bold <b>words</b> of a page"),
    ("markup", "function() { return word }"),
    ("address", "Read more at www.example.org today"),
    ("address", "Write to someone@example.org today"),
    (None, ENGLISH),
    (None, "She paid 25 <euros at least> for it, they say."[:27] + "it."),
    ("repeated", ENGLISH.lower()),
    ("language", SWAHILI),
]


def test_every_rule_of_texts_removes_its_text() -> None:
    rules = TextFilter("en")
    found = rules.removed_by([text for _, text in TEXTS])
    assert found == [rule for rule, _ in TEXTS]
    assert set(rules.counts) == set(RULES_OF_TEXTS)
    assert sum(rules.counts.values()) == len(TEXTS) - 2


@pytest.mark.parametrize(
    "text",
    [
        "वह किताबें पढ़ती है और गाने गाती है।",
        "กรุงเทพมหานครเป็นเมืองหลวง",
        "ذهب الولد إلى المدرسة",
        "東京は日本の首都です。とても大きい。",
    ],
)
def test_letters_of_every_script_with_their_marks_are_letters(text: str) -> None:
    assert TextFilter("en", rules=["letters", "length"]).removed_by([text]) == [None]


def test_a_filter_is_used_from_python() -> None:
    firsts, seconds = columns()
    kept = np.array([rule is None for rule in PairFilter("en", "sw").removed_by(firsts, seconds)])
    assert np.flatnonzero(kept).tolist() == [5]
