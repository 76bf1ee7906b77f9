"""The report as people see it: on a desk, on a phone, in the dark, printed, by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import PRINTED, WIDTHS, Browser, needs_browser, open_browser
from report_pages import mean_of, row

from isogloss.report.heat import HeatValue, named_heat
from isogloss.report.html import (
    ClassificationReport,
    LanguageNotes,
    ReportDocument,
    ReportEntity,
    ReportExample,
)
from isogloss.report.marked import MarkedMention
from isogloss.report.reliability import Reliability, ReliabilityDot
from isogloss.report.table import Table

pytestmark = [pytest.mark.full, needs_browser]

ATTACK = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
TEXTS = {
    "ar": ("شارك العداء في ماراثون باريس أمس", "باريس"), "he": ("הרץ זכה במרתון פריז", "פריז"),
    "hi": ("धावक ने पेरिस मैराथन जीता", "पेरिस"), "th": ("นักวิ่งชนะมาราธอนที่ปารีส", "ปารีส"),
    "am": ("ሯጩ የፓሪስ ማራቶንን አሸነፈ", "ፓሪስ"), "ja": ("選手がパリでマラソンに勝った", "パリ"),
    "ko": ("선수가 파리 마라톤에서 이겼다", "파리"), "zh": ("选手赢得了巴黎马拉松", "巴黎"),
    "ru": ("Бегун выиграл марафон в Париже", "Париже"), "el": ("Κέρδισε στο Παρίσι", "Παρίσι"),
    "ka": ("მორბენალმა პარიზში გაიმარჯვა", "პარიზ"), "ta": ("பாரிஸ் ஓட்டப்பந்தயம்", "பாரிஸ்"),
    "de": (f"Paris \u202e🏃🏿 {ATTACK} " + "Wort" * 60, "Paris"), "en": ("Paris", "Paris"),
}  # fmt: skip


def document(lang: str) -> ReportDocument:
    text, name = TEXTS[lang]
    start = text.index(name)
    return ReportDocument(
        text=text, lang=lang, label="sport", gold="economy \u202e" + ATTACK,
        probabilities={"sport": 0.7, "economy \u202e" + ATTACK: 0.2, "health": 0.1},
        probabilities_without_entities={"sport": 0.4, "health": 0.6},
        mentions=[MarkedMention(start, start + len(name), 0.8)],
        entities=[ReportEntity("Paris " * 9, "Q90", f"{ATTACK}#Q90", 0.8, 1.5, False, [name])],
        examples=[ReportExample(text, "sport", lang, 0.9)],
    )  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [row(lang, 0.6 + at / 50, target="above" if at % 2 else "below",
                difference=0.01, difference_low=-0.1, difference_high=0.1, p_holm=0.9)
            for at, lang in enumerate(TEXTS)]  # fmt: skip
    labels = [f"a class with a long name {number}" for number in range(12)]
    cells = {one: {other: HeatValue(number) for number, other in enumerate(labels)}
             for one in labels}  # fmt: skip
    dots = [ReliabilityDot(9, 0.4, 0.5, 0.3, 0.7), ReliabilityDot(9, 0.9, 0.6, 0.4, 0.8)]
    path = tmp_path_factory.mktemp("page") / "report.html"
    ClassificationReport(
        title="Evaluation of model", note="A note.", rows=rows, mean=mean_of(list(TEXTS)[:-1]),
        scores=Table(rows), settings={"encoder": "bundled", "labels": ATTACK}, target=0.75,
        languages={lang: LanguageNotes("health (F1 0.40, 8 texts)",
                                       ["overconfident: 0.90 sure, 0.75 right", "cut: 1 of 9"])
                   for lang in TEXTS},
        audits={"th": "0.84 [0.71, 0.92], open, 50 texts of inbox.csv, 2026-05-01"},
        confusions=Table([{"true class": one, "answer": ATTACK, "texts": 3} for one in labels]),
        matrices={"Thai": named_heat("Thai: 3 wrong of 9", {"": cells}, corner="true")},
        classes=Table([{"class": one, "F1": 0.5} for one in labels]),
        reliability=[Reliability(name, 120, 0.1, 0.6, 0.5, dots) for name in ("All", "Thai")],
        documents={"Confidently wrong": [document(lang) for lang in TEXTS]},
        sources=Table([{"name": "cldr", "licence": "Unicode License V3 (through Babel)"}]),
    ).write(path)  # fmt: skip
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_scrolls_sideways_and_axe_finds_nothing_serious(
    browser: Browser, page: Path, width: int, dark: bool
) -> None:
    browser.look(width, dark=dark)
    browser.open(page)
    assert browser.sideways() == []
    assert browser.faults() == []


def test_print_is_as_wide_as_its_paper(browser: Browser, page: Path) -> None:
    browser.look(PRINTED, media="print")
    browser.open(page)
    assert browser.sideways() == []
    shown = "return getComputedStyle(document.querySelector('.languages thead')).display"
    assert browser.run(shown) == "table-header-group"  # the table, not the phone's cards
    cut = """return [...document.querySelectorAll('.scroll, .wide')]
        .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.ariaLabel)"""
    assert browser.run(cut) == []


def test_dark_screens_get_a_dark_page(browser: Browser, page: Path) -> None:
    papers = []
    for dark in (False, True):
        browser.look(1440, dark=dark)
        browser.open(page)
        papers.append(browser.run("return getComputedStyle(document.body).backgroundColor"))
    assert papers == ["rgb(255, 255, 255)", "rgb(20, 23, 26)"]


def test_texts_run_in_their_direction_with_marks_on_the_right_letters(
    browser: Browser, page: Path
) -> None:
    browser.look(1440)
    browser.open(page)
    found = browser.run("""return [...document.querySelectorAll('.document > .text')].map(
        one => [one.lang, getComputedStyle(one).direction, one.innerText,
                one.querySelector('mark').innerText])""")
    assert [(lang, text, mark) for lang, _, text, mark in found] == [
        (lang, *both) for lang, both in TEXTS.items()
    ]
    assert {lang for lang, direction, *_ in found if direction == "rtl"} == {"ar", "he"}


def test_what_texts_bring_is_not_run_and_nothing_is_loaded(browser: Browser, page: Path) -> None:
    browser.look(1440)
    browser.open(page)
    assert browser.driver.title == "Evaluation of model"
    assert browser.run("return document.scripts.length + document.images.length") == 0
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


def test_the_keyboard_reaches_and_opens_all_that_is_folded(browser: Browser, page: Path) -> None:
    from selenium.webdriver import ActionChains, Keys

    browser.look(1440)
    browser.driver.get(page.as_uri())
    n_folded = browser.run("return document.querySelectorAll('details').length")
    assert n_folded >= 3
    for _ in range(400):
        ActionChains(browser.driver).send_keys(Keys.TAB).perform()
        if browser.run("return document.activeElement === document.body"):
            break
        if browser.run("return document.activeElement.tagName") == "SUMMARY":
            ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    assert browser.run("return document.querySelectorAll('details[open]').length") == n_folded
