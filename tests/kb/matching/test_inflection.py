"""Names with endings, particles and prefixes written to them."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.kb import KnowledgeBase, Linker
from isogloss.kb.matching.inflection import _all_rules, _expanded, inflection_of

MakeKb = Callable[..., KnowledgeBase]


def found(make_kb: MakeKb, lang: str, names: list[str], text: str, **options: Any) -> list[str]:
    records = [{"id": f"e:{i}", "names": {lang: [name]}} for i, name in enumerate(names)]
    linked = Linker(make_kb(*records), lang, **options).link([text])
    for mention in linked.mentions(0):
        assert text[mention.start : mention.end] == mention.surface
    return [mention.surface for mention in linked.mentions(0)]


@pytest.mark.parametrize(
    ("lang", "name", "text", "expected"),
    [
        ("ko", "도쿄", "도쿄는 도쿄에서도 도쿄들에게, 신도쿄는 도쿄발", ["도쿄"] * 3),
        ("tr", "Ankara", "Ankarada Ankara'nın Ankaranın Ankaralar Ankarax", ["Ankara"] * 4),
        ("tr", "kitap", "kitaplarından kitabı KİTABIN", ["kitap", "kitabı", "KİTABIN"]),
        ("tr", "renk", "rengi renkte", ["rengi", "renk"]),
        ("fi", "talo", "talossa talon taloonkin taloja", ["talo", "talo", "talo"]),
        ("fi", "Helsinki", "Helsingissä Helsinkiin helsingissä", ["Helsingissä", "Helsinki"]),
        ("fi", "suomalainen", "suomalaisten suomalaisia", ["suomalaisten", "suomalaisia"]),
        ("ta", "மரம்", "மரத்தில் மரங்களை மரமும்", ["மரத்தில்", "மரங்களை", "மரமும்"]),
        ("ta", "ஜப்பான்", "ஜப்பானில் ஜப்பானுக்கு", ["ஜப்பானில்", "ஜப்பானுக்கு"]),
        ("ta", "இந்தியா", "இந்தியாவில்", ["இந்தியா"]),
        ("ru", "Москва", "в Москве, Москвой; москве", ["Москве", "Москвой"]),
        ("uk", "Україна", "в Україні", ["Україні"]),
        ("ka", "ქალაქი", "ქალაქში", ["ქალაქში"]),
        ("el", "χώρα", "χώρες", ["χώρες"]),
        ("hi", "किताब", "किताबों", ["किताबों"]),
        ("bn", "ভারত", "ভারতের ভারতকে", ["ভারতের", "ভারত"]),
        ("ne", "नेपाल", "नेपालको", ["नेपाल"]),
        ("ar", "مدينة", "والمدينة", ["مدينة"]),
        ("he", "מדינה", "המדינה ובמדינה", ["מדינה", "מדינה"]),
        ("am", "ኢትዮጵያ", "በኢትዮጵያ", ["ኢትዮጵያ"]),
        ("fa", "کتاب", "کتاب\u200cهای", ["کتاب"]),
        ("sw", "nyumba", "nyumbani", ["nyumba"]),
        ("id", "rumah", "rumahnya", ["rumah"]),
        ("en", "boat", "boats Boat", ["Boat"]),
        ("ja", "東京", "東京は", ["東京"]),
    ],
)
def test_names_are_found_with_what_is_written_to_them(
    make_kb: MakeKb, lang: str, name: str, text: str, expected: list[str]
) -> None:
    assert found(make_kb, lang, [name], text) == expected


def test_without_the_rules_only_the_bare_name_is_found(make_kb: MakeKb) -> None:
    assert found(make_kb, "ko", ["도쿄"], "도쿄는 도쿄", inflection=False) == ["도쿄"]
    assert found(make_kb, "ar", ["مدينة"], "المدينة مدينة", inflection=False) == ["مدينة"]


def test_another_language_has_no_such_endings(make_kb: MakeKb) -> None:
    assert found(make_kb, "vi", ["Ankara"], "Ankarada") == []
    assert inflection_of("vi").endings is None


def test_the_whole_word_and_the_longer_name_come_first(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"id": "e:snow", "names": {"tr": ["karlar"]}},
        {"id": "e:snows", "names": {"tr": ["karlarda"]}},
    )
    texts = ["karlarda", "karlardan"]
    ids = [[m.candidates[0].entity for m in Linker(kb, "tr").link([t]).mentions(0)] for t in texts]
    assert ids == [["e:snows"], ["e:snow"]]
    assert found(make_kb, "tr", ["Yeni Delhi", "Yeni"], "Yeni Delhide Yeni") == [
        "Yeni Delhi", "Yeni",
    ]  # fmt: skip


def test_too_short_a_name_is_not_found_with_an_ending(make_kb: MakeKb) -> None:
    assert found(make_kb, "tr", ["oda"], "odasın odada oda") == ["oda", "oda"]
    assert found(make_kb, "he", ["כד"], "הכד כד") == ["כד"]


def test_function_words_are_never_taken_apart(make_kb: MakeKb) -> None:
    assert found(make_kb, "tr", ["bun"], "bunu bundan") == []
    assert found(make_kb, "tr", ["birlik"], "birlikte birlikten") == ["birlik"]
    assert found(make_kb, "he", ["ללא", "גלל"], "בגלל") == []


def test_capitals_are_asked_for_all_the_same(make_kb: MakeKb) -> None:
    assert found(make_kb, "fi", ["Turku", "NATO"], "turkussa Turkussa NATOssa Natossa") == [
        "Turku", "NATO",
    ]  # fmt: skip


def test_nested_names_have_endings_too(make_kb: MakeKb) -> None:
    names, text = ["New York", "York"], "New Yorkissa"
    assert found(make_kb, "fi", names, text, nested=True) == ["New York", "York"]


def test_a_decomposed_text_keeps_its_places(make_kb: MakeKb) -> None:
    text = "Go\u0308teborgissa"
    assert found(make_kb, "fi", ["Göteborg"], text) == ["Go\u0308teborg"]


@pytest.mark.parametrize("follower", ["", "σ", "σίγμα εδώ", "ς"])
def test_an_ending_never_reaches_into_the_next_text(make_kb: MakeKb, follower: str) -> None:
    linker = Linker(make_kb({"id": "e:0", "names": {"el": ["νόμος"]}}), "el")
    alone, together = linker.link(["ο νόμο"]), linker.link(["ο νόμο", follower])
    assert together.mentions(0) == alone.mentions(0)
    assert [mention.surface for mention in alone.mentions(0)] == ["νόμο"]


def test_entries_expand() -> None:
    assert _expanded("k{a,o}{n,ssa}>kk{1}") == [
        ("kan", "kka"), ("kassa", "kka"), ("kon", "kko"), ("kossa", "kko"),
    ]  # fmt: skip
    assert _expanded("{,s}a") == [("a", ""), ("sa", "")]


def test_the_rules_are_sound() -> None:
    for lang, rules in _all_rules().items():
        assert inflection_of(lang).endings is not None
        for rule in rules.endings + rules.prefixes:
            assert rule.written, lang
            assert not set("{}>^= ") & set(rule.written + rule.named), (lang, rule)
            assert not any(c.isupper() for c in rule.written + rule.named), (lang, rule)
        assert not any(rule.named for rule in rules.prefixes), lang


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_the_compiled_search_equals_a_slow_one(turkish: Linker, data: Any) -> None:
    word = data.draw(st.sampled_from(NAMES)) + data.draw(st.text("aeınlrdğ", max_size=7))
    mentions = turkish.link([word]).mentions(0)
    assert [candidate.entity for m in mentions for candidate in m.candidates] == slow_match(word)


NAMES = ["kalan", "kal", "kalank", "kala"]


def slow_match(word: str) -> list[str]:
    """Return the name of a word by trying every name with every ending."""
    rules = [("", "", 0), *_all_rules()["tr"].endings]
    fitting = []
    for name in NAMES:
        for written, named, letters in rules:
            stem = name.removesuffix(named) if name.endswith(named) else None
            if stem is not None and len(stem) >= letters and stem + written == word:
                fitting.append((len(stem), not named, f"e:{name}"))
    return [max(fitting)[2]] if fitting else []


@pytest.fixture
def turkish(make_kb: MakeKb) -> Linker:
    return Linker(make_kb(*({"id": f"e:{n}", "names": {"tr": [n]}} for n in NAMES)), "tr")
