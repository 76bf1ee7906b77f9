import csv
import gzip
from concurrent.futures import ThreadPoolExecutor

import pytest
from repository import ROOT

from isogloss.errors import InputError
from isogloss.text.detect import detect_languages, detectable_languages, languages_of_texts
from isogloss.text.languages import parse_language

TEXTS = {
    "en": "The harbour was closed for three days because of the storm.",
    "fr": "Le port est resté fermé pendant trois jours à cause de la tempête.",
    "ru": "Из-за шторма порт был закрыт в течение трёх дней.",
    "ar": "أُغلق الميناء ثلاثة أيام بسبب العاصفة الشديدة.",
    "hi": "तूफ़ान के कारण बंदरगाह तीन दिन तक बंद रहा।",
    "th": "ท่าเรือปิดเป็นเวลาสามวันเพราะพายุ",
    "zh": "由于暴风雨,港口关闭了三天。",
    "ja": "嵐のため、港は三日間閉鎖されました。",
    "ko": "폭풍 때문에 항구가 사흘 동안 폐쇄되었습니다.",
    "am": "በአውሎ ነፋሱ ምክንያት ወደቡ ለሦስት ቀናት ተዘግቷል።",
    "el": "Το λιμάνι έμεινε κλειστό για τρεις ημέρες λόγω της καταιγίδας.",
}


def test_languages_of_many_scripts_in_order():
    assert detect_languages(list(TEXTS.values())) == list(TEXTS)


def test_codes_are_canonical():
    assert detect_languages(
        ["Havnen var stengt i tre dager på grunn av uværet, sa kapteinen."]
    ) == ["nb"]
    assert all(parse_language(code) == code for code in detectable_languages())
    assert "wuu" not in detectable_languages()
    assert len(detectable_languages()) >= 130


@pytest.mark.parametrize(
    "text", ["", "   \n", "12 345,67", "😀🎉👍", "—!?…", "\x00", "\ud800", "A1", "abc"]
)
def test_nothing_to_decide_on_is_none(text):
    assert detect_languages([text, TEXTS["en"]]) == [None, "en"]


def test_unsure_is_none_and_the_threshold_is_an_option():
    assert detect_languages(["hello"]) == [None]
    assert detect_languages(["hello"], min_confidence=0.0) != [None]
    assert detect_languages([TEXTS["en"]], min_confidence=1.1) == [None]


def test_fewest_letters_is_an_option():
    assert detect_languages(["ไทย"], min_letters=3) == ["th"]
    assert detect_languages(["ไทย"], min_letters=4) == [None]


def test_langs_restrict_and_answer_with_the_code_asked_for():
    malay = "Pelabuhan itu ditutup selama tiga hari karena badai."
    assert detect_languages([malay], langs=["id", "en"]) == ["id"]
    assert detect_languages([TEXTS["zh"]], langs=["zh-Hant", "en"]) == ["zh-Hant"]
    assert detect_languages([TEXTS["zh"]], langs=["zh-Hant", "zh"]) == ["zh"]
    assert detect_languages([TEXTS["ja"]], langs=["jpn_Jpan", "en"]) == ["ja"]


@pytest.mark.parametrize("lang", ["ru", "ja", "ar", "th"])
def test_a_text_far_from_the_languages_named_is_in_none_of_them(lang):
    assert detect_languages([TEXTS[lang]], langs=["es", "tr"]) == [None]
    assert detect_languages(["por la lluvia", TEXTS["en"]], langs=["es", "tr"]) == ["es", None]


def test_one_value_for_all_texts_is_a_code_or_detection_among_some():
    texts = ["Los jueces dicen", TEXTS["fr"]]
    assert languages_of_texts(texts, "spa") == ["es", "es"]
    assert languages_of_texts(texts, "auto") == [None, "fr"]
    assert languages_of_texts(texts, "auto:fr, spa_Latn") == ["es", "fr"]
    assert languages_of_texts([], "auto:fr") == []


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        ("auto:", "names no language"), ("auto: ,", "names no language"),
        ("auto:german", "did you mean 'de'"), ("auto:es,tlh", "does not know the language 'tlh'"),
        ("es,tr", "did you mean 'auto:es,tr'"), ("auto=es", "'auto:es,tr' to detect among these"),
        ("AUTO", "give a code, 'auto'"), ("", "unknown language ''"),
    ],
)  # fmt: skip
def test_a_value_that_says_no_language(lang, expected):
    with pytest.raises(InputError, match=expected):
        languages_of_texts(["a text"], lang)


def test_langs_the_detector_does_not_know():
    with pytest.raises(InputError, match="does not know the language 'tlh'"):
        detect_languages(["x"], langs=["tlh"])
    with pytest.raises(InputError, match="did you mean 'de'"):
        detect_languages(["x"], langs=["german"])


def test_restricting_in_one_call_does_not_touch_another():
    texts = list(TEXTS.values())

    def once(number):
        langs = ["en", "fr"] if number % 2 else None
        return detect_languages(texts, langs=langs)[1:3]

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(once, range(40)))
    assert all(result == ["fr", "ru"] for result in results[::2])
    assert all(result[0] == "fr" and result[1] != "ru" for result in results[1::2])


def test_one_string_is_refused():
    with pytest.raises(TypeError, match="list of strings"):
        detect_languages("hello")


def test_long_text_reads_its_start_only():
    assert detect_languages([TEXTS["en"] * 100 + TEXTS["ru"] * 20_000]) == ["en"]


def test_thresholds_hold_on_sib200():
    folder = ROOT / "../shared/data/sib200"
    if not folder.is_dir():
        pytest.skip("the shared evaluation data is not here")
    texts, truth = [], []
    for path in sorted(folder.glob("*_*/dev.tsv*")):
        opened = gzip.open if path.suffix == ".gz" else open
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            rows = [row["text"] for row in csv.DictReader(file, delimiter="\t")]
        texts += rows
        truth += [parse_language(path.parent.name)] * len(rows)
    for length, least_decided, least_right in ((20, 0.70, 0.995), (None, 0.98, 0.999)):
        found = detect_languages([text[:length] for text in texts])
        decided = [(code, true) for code, true in zip(found, truth, strict=True) if code]
        assert len(decided) >= least_decided * len(texts)
        assert sum(code == true for code, true in decided) >= least_right * len(decided)
