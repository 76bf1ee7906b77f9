import json
import pickle
import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, LinkedTexts, Linker, build_knowledge_base

MakeKb = Callable[..., KnowledgeBase]


def surfaces(linker: Linker, text: str) -> list[str]:
    linked = linker.link([text])
    for mention in linked.mentions(0):
        assert text[mention.start : mention.end] == mention.surface
    return [mention.surface for mention in linked.mentions(0)]


def found(make_kb: MakeKb, lang: str, names: list[str], text: str, **options: Any) -> list[str]:
    records = [{"id": f"e:{i}", "names": {lang: [name]}} for i, name in enumerate(names)]
    return surfaces(Linker(make_kb(*records), lang, **options), text)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "The University of Tokyo, in Tokyo.", ["University of Tokyo", "Tokyo"]),
        ("en", "Tokyoite, pretokyo, Tokyo_x tokyo TOKYO", ["Tokyo", "TOKYO"]),
        ("fr", "de l’Allemagne, d'Allemagne", ["Allemagne", "Allemagne"]),
        ("ja", "私は東京大学と東大と東京にいた。", ["東京大学", "東大", "東京"]),
        ("ja", "ドイツ人がドイツへ、ノルドイツ", ["ドイツ", "ドイツ"]),
        ("zh", "在东京大学，人类", ["东京大学", "人类"]),
        ("ko", "도쿄 도쿄는 신도쿄", ["도쿄", "도쿄"]),
        ("ru", "в Токио, токио и Токиоград", ["Токио"]),
        ("ar", "وألمانيا في ألمانيا", ["ألمانيا", "ألمانيا"]),
        ("he", "גרמניה, גֶּרְמַנְיָה", ["גרמניה", "גֶּרְמַנְיָה"]),
        ("th", "ไปโตเกียวแล้ว", ["โตเกียว"]),
        ("hi", "टोक्यो में टोक्योा", ["टोक्यो"]),
        ("vi", "ở Đông Kinh", ["Đông Kinh"]),
        ("ka", "გერმანია ᲒᲔᲠᲛᲐᲜᲘᲐ", ["გერმანია", "ᲒᲔᲠᲛᲐᲜᲘᲐ"]),
        ("am", "ፀሐይ፡ፀሐይ", ["ፀሐይ", "ፀሐይ"]),
        ("en", "☀ and sun-dried Sun", ["☀", "sun", "Sun"]),
        ("en", "", []),
        ("en", "\x00\ud800 Tokyo\udc00", ["Tokyo"]),
    ],
)
def test_names_are_found_in_every_script(
    world: KnowledgeBase, lang: str, text: str, expected: list[str]
) -> None:
    assert surfaces(Linker(world, lang), text) == expected


def test_decomposed_text_matches_and_spans_index_it(world: KnowledgeBase) -> None:
    text = "Ủy ban ở Đo\u0302ng Kinh"
    assert surfaces(Linker(world, "vi"), text) == ["Đo\u0302ng Kinh"]


def test_a_decomposed_name_matches_composed_text(make_kb: MakeKb) -> None:
    assert found(make_kb, "ja", ["か\u3099くせい"], "がくせい、かくせい") == ["がくせい"]


def test_a_match_never_ends_before_a_combining_mark(make_kb: MakeKb) -> None:
    assert found(make_kb, "en", ["cafe"], "cafe\u0301 cafe\u0336 cafe") == ["cafe"]


def test_arabic_names_are_found_after_the_article(make_kb: MakeKb) -> None:
    text = "المدينة وبالمدينة للمدينة ومدينة"
    assert found(make_kb, "ar", ["مدينة"], text) == ["مدينة"] * 4
    assert found(make_kb, "ar", ["المدينة"], "والمدينة") == ["المدينة"]
    assert found(make_kb, "fa", ["مدينة"], "المدينة") == []


def test_turkish_capitals(make_kb: MakeKb) -> None:
    assert found(make_kb, "tr", ["ışık", "iyi su"], "IŞIK Işık İYİ SU") == [
        "IŞIK",
        "Işık",
        "İYİ SU",
    ]
    assert found(make_kb, "en", ["iris"], "IRIS") == ["IRIS"]


class TestCase:
    def test_lower_case_names_match_any_case(self, make_kb: MakeKb) -> None:
        assert found(make_kb, "en", ["river"], "River river RIVER rIVER") == [
            "River", "river", "RIVER", "rIVER",
        ]  # fmt: skip

    def test_a_capital_is_required(self, make_kb: MakeKb) -> None:
        assert found(make_kb, "en", ["Turkey"], "turkey Turkey TURKEY") == ["Turkey", "TURKEY"]

    def test_capitals_throughout_are_required(self, make_kb: MakeKb) -> None:
        assert found(make_kb, "en", ["WHO", "AIDS"], "Who who WHO aids AIDS") == ["WHO", "AIDS"]

    def test_capitals_mean_the_acronym_alone(self, make_kb: MakeKb) -> None:
        kb = make_kb(
            {"id": "e:help", "names": {"en": ["aids"]}},
            {"id": "e:illness", "names": {"en": ["AIDS"]}},
        )
        ids = [
            [c.entity for c in m.candidates]
            for m in Linker(kb, "en").link(["aids AIDS"]).mentions(0)
        ]
        assert ids == [["e:help"], ["e:illness"]]

    def test_a_capital_in_the_text_means_both(self, make_kb: MakeKb) -> None:
        kb = make_kb(
            {"id": "e:bird", "names": {"en": ["turkey"]}},
            {"id": "e:state", "names": {"en": ["Turkey"]}},
        )
        mentions = Linker(kb, "en").link(["turkey Turkey"]).mentions(0)
        assert [len(m.candidates) for m in mentions] == [1, 2]
        assert mentions[1].candidates[0].commonness == 0.5


@pytest.mark.parametrize(
    ("lang", "name"),
    [
        ("en", "it"), ("en", "He"), ("en", "a"), ("en", "7"), ("en", "1984"), ("en", "…"),
        ("fr", "est"), ("fr", "à"), ("de", "Sein"), ("es", "como"), ("ru", "это"), ("tr", "için"),
        ("ja", "水"), ("ja", "これ"), ("ja", "。"), ("th", "การ"), ("th", "เอ"), ("ko", "물"),
        ("ar", "من"), ("hi", "में"), ("am", "ነው"), ("sw", "kwa"), ("zh", "我们"), ("hi", "१२"),
    ],
)  # fmt: skip
def test_function_words_numbers_and_single_letters_are_blocked(
    make_kb: MakeKb, lang: str, name: str
) -> None:
    kb = make_kb({"id": "e:0", "names": {lang: [name]}})
    assert surfaces(Linker(kb, lang), f"{name} {name.lower()} x{name}") == []
    assert kb.title(0, lang) == name
    assert kb.info()["languages"][lang]["n_blocked"] == 1


def test_a_blocked_word_inside_a_longer_name_is_no_obstacle(make_kb: MakeKb) -> None:
    assert found(make_kb, "en", ["May", "Isle of Man"], "In May on the Isle of Man one may") == [
        "May", "Isle of Man",
    ]  # fmt: skip


def test_function_words_keep_names_out_where_there_are_no_spaces(make_kb: MakeKb) -> None:
    names = ["มาร", "สามารถพิเศษ"]
    assert found(make_kb, "th", names, "สามารถ มาร") == ["มาร"]
    assert found(make_kb, "th", names, "สามารถพิเศษ") == ["สามารถพิเศษ"]
    assert found(make_kb, "th", names, "สามารถ มาร", nested=True) == ["มาร", "มาร"]


def test_longest_or_nested(make_kb: MakeKb) -> None:
    names, text = ["New York", "York", "New York City", "City"], "New York City, New York Times"
    assert found(make_kb, "en", names, text) == ["New York City", "New York"]
    nested = ["New York", "New York City", "York", "City", "New York", "York"]
    assert found(make_kb, "en", names, text, nested=True) == nested


def test_more_mentions_than_were_reckoned_with(make_kb: MakeKb) -> None:
    names = [" ".join(["ab"] * n) for n in range(1, 60)]
    n_words = 300
    n_mentions = sum(min(59, n_words - first) for first in range(n_words))
    assert len(found(make_kb, "en", names, "ab " * n_words, nested=True)) == n_mentions


class TestSecondLanguage:
    def test_fallback_names_fill_what_the_first_language_leaves(self, make_kb: MakeKb) -> None:
        kb = make_kb(
            {"id": "e:kenya", "names": {"sw": ["Kenya"], "en": ["Kenya", "Republic of Kenya"]}},
            {"id": "e:bank", "names": {"en": ["World Bank"]}},
        )
        text = "Republic of Kenya na World Bank"
        mentions = Linker(kb, "sw", fallback_lang="en").link([text]).mentions(0)
        assert [(m.surface, m.lang) for m in mentions] == [("Kenya", "sw"), ("World Bank", "en")]

    def test_a_language_without_names_links_fallback_names_only(
        self, world: KnowledgeBase, caplog: pytest.LogCaptureFixture
    ) -> None:
        # No loss: a fallback is there for this.
        with caplog.at_level("INFO", "isogloss"), warnings.catch_warnings():
            warnings.simplefilter("error", OmissionWarning)
            linker = Linker(world, "yo", fallback_lang="en")
        assert "no names in 'yo': only names in 'en' are linked" in caplog.text
        assert not linker.has_names
        assert surfaces(linker, "Tokyo") == ["Tokyo"]
        with pytest.warns(OmissionWarning, match="nothing is linked"):
            linker = Linker(world, "yo")
        assert linker.bags(["Tokyo", ""]).indptr.tolist() == [0, 0, 0]
        assert linker.link(["Tokyo"]).mentions(0) == []

    def test_a_region_is_served_by_its_language(self, world: KnowledgeBase) -> None:
        assert surfaces(Linker(world, "fr-CA"), "Tokyo") == ["Tokyo"]
        linker = Linker(world, "fr-CA", fallback_lang="fr", nested=True)
        assert surfaces(linker, "Tokyo") == ["Tokyo"]


def test_entities_without_a_name_in_the_pivot_language_are_dropped_and_counted(
    world: KnowledgeBase,
) -> None:
    linker = Linker(world, "ja", pivot="en")
    bags = linker.bags(["人間は人間", "東京の人間", "東京"])
    assert bags.n_dropped == 2
    assert np.diff(bags.indptr).tolist() == [0, 1, 1]
    assert [m.surface for m in linker.link(["東京の人間"]).mentions(0)] == ["東京"]
    assert linker.link(["東京"]).mentions(0)[0].candidates[0].title == "Tokyo"


def test_thresholds(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"id": "e:a", "names": {"en": ["bank"]}, "counts": {"en": {"bank": 97}},
         "link_prob": {"en": {"bank": 0.2}}},
        {"id": "e:b", "names": {"en": ["bank"]}, "counts": {"en": {"bank": 3}}},
    )  # fmt: skip

    def candidates(**options: float) -> list[str]:
        mentions = Linker(kb, "en", **options).link(["bank"]).mentions(0)
        return [c.entity for m in mentions for c in m.candidates]

    assert candidates() == ["e:a"]
    assert candidates(min_commonness=0.0) == ["e:a", "e:b"]
    assert candidates(min_link_prob=0.2) == ["e:a"]
    assert candidates(min_link_prob=0.21) == []
    assert candidates(min_commonness=0.98) == []


def test_a_name_that_is_not_linked_does_not_hide_a_shorter_one(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"id": "e:a", "names": {"en": ["river bank"]}, "link_prob": {"en": {"river bank": 0.001}}},
        {"id": "e:b", "names": {"en": ["river"]}},
    )
    assert surfaces(Linker(kb, "en"), "river bank") == ["river"]


def test_a_threshold_outside_0_to_1_is_refused(world: KnowledgeBase) -> None:
    with pytest.raises(InputError, match="min_commonness is 5"):
        Linker(world, "en", min_commonness=5)
    with pytest.raises(InputError, match="min_link_prob is -1"):
        Linker(world, "en", min_link_prob=-1)


def test_one_string_is_refused(world: KnowledgeBase) -> None:
    with pytest.raises(TypeError, match="is one string; give a list"):
        Linker(world, "en").link("Tokyo")


def test_copies_and_pickles(world: KnowledgeBase) -> None:
    linker = Linker(world, "ja", pivot="en")
    assert deepcopy(world) is world
    assert pickle.loads(pickle.dumps(world)).fingerprint == world.fingerprint
    assert surfaces(pickle.loads(pickle.dumps(linker)), "東京") == ["東京"]


# Against a slow and obvious matcher.

NAMES = [
    "ab", "ab ba", "ab ba ab", "Ba", "AB", "b-a", "é", "éa", "字東", "字東ロマ", "ロマ", "ロマン",
    "かロ",     "ไทย", "ไทยa", "한a", "한국", "1a", "a'b", "ж1", "🙂", "字 a",
]  # fmt: skip
PIECES = [*NAMES, *"abABeéж字東ロマンかー1'- 한국🙂ไทย.", "e\u0301", "\u0301", "\u200d", "  "]
KINDS = {"字": "f", "東": "f", "か": "f", "ไ": "lead", "ท": "f", "ย": "f", "ロ": "k", "マ": "k",
         "ン": "k", "ー": "m", "\u0301": "m", "한": "h", "국": "h"}  # fmt: skip


def slow_matches(text: str, names: list[str]) -> list[str]:
    """Return the longest names from left to right, by trying every name at every place."""
    units: list[tuple[str, int, int]] = []
    for at, character in enumerate(text):
        if character == "\u200d" or (character == " " and units and units[-1][0] == " "):
            continue
        composed = character == "\u0301" and units and units[-1][0] in "eE"
        if composed and units[-1][2] == at:
            units[-1] = ("é" if units[-1][0] == "e" else "É", units[-1][1], at + 1)
        else:
            units.append((character, at, at + 1))

    def edge(i: int) -> bool:
        if i in (0, len(units)):
            return i != 0 or not units or kind(units[0][0]) != "m"
        after, j = kind(units[i][0]), i - 1
        while j > 0 and kind(units[j][0]) == "m":
            j -= 1
        if kind(units[j][0]) == "lead":
            return False
        before = kind(units[j][0])
        before = "o" if before == "m" else before
        return after != "m" and (before != after or before in "of")

    def kind(character: str) -> str:
        return KINDS.get(character, "w" if character.isalnum() else "o")

    def fits(name: str, i: int, j: int) -> bool:
        written = "".join(unit for unit, _, _ in units[i:j])
        letters = [c for c in written if c.lower() != c.upper()]
        if written.lower() != name.lower():
            return False
        acronym = len(letters) > 1 and all(c.isupper() for c in letters)
        wanted = [c for c in name if c.lower() != c.upper()]
        if len(wanted) > 1 and all(c.isupper() for c in wanted):
            return acronym
        return not wanted or not wanted[0].isupper() or letters[0].isupper()

    found, i = [], 0
    while i < len(units):
        ends = [
            i + len(name)
            for name in names
            if edge(i) and i + len(name) <= len(units) and edge(i + len(name))
            and fits(name, i, i + len(name))
        ]  # fmt: skip
        if ends:
            found.append(text[units[i][1] : units[max(ends) - 1][2]])
        i = max(ends, default=i + 1)
    return found


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=14))
def test_the_compiled_matcher_equals_a_slow_one(shared_linker: Linker, pieces: list[str]) -> None:
    text = "".join(pieces)
    kept = [name for name in NAMES if name != "é"]  # one letter is blocked
    assert surfaces(shared_linker, text) == slow_matches(text, kept), text


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=20) | st.lists(st.sampled_from(PIECES)).map("".join)))
def test_a_batch_gives_what_single_texts_give(shared_linker: Linker, texts: list[str]) -> None:
    linked = shared_linker.link(texts)
    assert linked.n_texts == len(texts)
    for i, text in enumerate(texts):
        assert linked.mentions(i) == shared_linker.link([text]).mentions(0)
        for mention in linked.mentions(i):
            assert text[mention.start : mention.end] == mention.surface


def test_blocks_of_many_characters_are_joined(
    shared_linker: Linker, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = ["ab ba", "", "字東ロマ ab", "ж1"] * 3
    whole = shared_linker.link(texts)
    monkeypatch.setattr("isogloss.kb.link.linker.CHARACTERS_AT_ONCE", 7)
    parts = shared_linker.link(texts)
    assert isinstance(parts, LinkedTexts)
    for name in ("text_offsets", "start", "end", "candidate_offsets", "entity", "commonness"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name)), name


@pytest.fixture(scope="module")
def shared_linker(tmp_path_factory: pytest.TempPathFactory) -> Linker:
    folder = tmp_path_factory.mktemp("shared")
    records = [{"id": f"e:{i:02}", "names": {"en": [name]}} for i, name in enumerate(NAMES)]
    file = folder / "names.jsonl"
    file.write_text("\n".join(json.dumps(record) for record in records), "utf-8")
    build_knowledge_base([f"names:{file}"], folder / "kb")
    return Linker(KnowledgeBase.open(folder / "kb"), "en")
