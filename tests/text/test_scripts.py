import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.text.folding import compose_with_places, fold_texts
from isogloss.text.scripts import BEGIN, END, Kind, kind_of


def cut(text: str) -> list[str]:
    """Cut a text at every place where a name may begin or end."""
    folded = fold_texts([text])
    units = folded.strings()[0]
    places = np.flatnonzero(folded.boundary).tolist()
    return [units[a:b] for a, b in zip([0, *places], [*places, len(units)], strict=True) if a < b]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("l’Allemagne d'ici", ["l", "'", "allemagne", " ", "d", "'", "ici"]),
        ("Ένας ΜΎΘΟΣ", ["ένασ", " ", "μύθοσ"]),
        ("COVID-19 H2O", ["covid", "-", "19", " ", "h2o"]),
        ("東京タワーへ", ["東", "京", "タワー", "へ"]),
        ("ロマンス・カー", ["ロマンス", "・", "カー"]),
        ("らーめん きゃく 人々", ["らー", "め", "ん", " ", "きゃ", "く", " ", "人々"]),
        ("KBS는 한국어", ["kbs", "는", " ", "한국어"]),
        ("iPhoneを2台", ["iphone", "を", "2", "台"]),
        ("การเดินทาง", ["กา", "ร", "เดิ", "น", "ทา", "ง"]),
        ("ភាសាខ្មែរ", ["ភា", "សា", "ខ្មែ", "រ"]),
        ("हिन्दी में", ["हिन्दी", " ", "में"]),
        ("தமிழ், ความ", ["தமிழ்", ",", " ", "ค", "วา", "ม"]),
        ("བོད་སྐད", ["བོད", "་", "སྐད"]),
        ("👍🏽!", ["👍🏽", "!"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("", []),
    ],
)
def test_names_begin_and_end_where_a_reader_would_cut(text: str, parts: list[str]) -> None:
    assert cut(text) == parts


def test_a_mark_is_never_parted_from_its_base_in_any_script() -> None:
    for code in range(0x20000):
        mark = chr(code)
        if unicodedata.category(mark)[0] == "M":
            boundary = fold_texts([f"x{mark}y"]).boundary.tolist()
            assert boundary == [BEGIN, *[0] * (len(boundary) - 2), END], f"U+{code:04X}"


def test_kinds() -> None:
    text = {"ж": Kind.WORD, "字": Kind.FREE, "ロ": Kind.KATAKANA, "한": Kind.HANGUL, "๓": Kind.FREE}
    assert {character: kind_of(character) for character in text} == text
    assert kind_of("\U0002a6d6") is Kind.FREE
    assert kind_of("\u3000") is Kind.SPACE


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Straße STRASSE", "straße strasse"),
        ("ẞ ς Σ Ǆ", "ß σ σ ǆ"),
        ("İstanbul ISPARTA", "istanbul isparta"),
        ("が か ガ", "が か ガ"),
        ("יֵשׁוּת", "ישות"),
        (
            "\u0643\u064a\u0652\u0646\u064f\u0648\u0646\u0629 مـد",
            "\u06a9\u06cc\u0646\u0648\u0646\u0629 مد",
        ),
        ("کتاب كتاب علي علی", "کتاب کتاب علی علی"),
        ("Ｗｉｄｅ\u3000ｘ", "wide x"),
        ("a\u00ad\u200bb  \n c", "ab c"),
        ("м’ята", "м'ята"),
        ("\ud800 \x00", "\ud800 \x00"),
    ],
)
def test_folding(text: str, folded: str) -> None:
    assert fold_texts([text]).strings() == [folded]


def test_turkish_keeps_its_two_letters_i() -> None:
    assert fold_texts(["Iğdır İzmir"], turkic=True).strings() == ["ığdır izmir"]


@given(st.lists(st.text(max_size=30), max_size=5))
def test_units_stand_for_places_of_the_original_in_order(texts: list[str]) -> None:
    folded = fold_texts(texts)
    assert folded.offsets.size == len(texts) + 1
    for i, text in enumerate(texts):
        part = slice(folded.offsets[i], folded.offsets[i + 1])
        start, end = folded.start[part], folded.end[part]
        assert np.all(np.diff(start) >= 0)
        assert np.all((start >= 0) & (end <= len(text)))


@given(st.text(alphabet="aé\u0301\u0323\u1100\u1161\u11a8가か\u3099\u0958\u093cก😀", max_size=12))
def test_composing_keeps_places(text: str) -> None:
    composed, places = compose_with_places(text)
    assert composed == unicodedata.normalize("NFC", text)
    assert len(places) == len(composed) + 1
    assert places[-1] == len(text)


@given(st.text(max_size=20))
def test_equivalent_spellings_fold_alike(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert fold_texts([text]).strings() == fold_texts([decomposed]).strings()
