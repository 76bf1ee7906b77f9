"""The page as people see it: texts, marks, files; by keyboard, on a phone, in the dark."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import WIDTHS, Browser, needs_browser, open_browser
from served_process import running
from written_xlsx import written_xlsx

pytestmark = [pytest.mark.full, needs_browser]

TOKEN = "0f6b2c9a4d8e7f10"
ATTACK = "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>"
TEXTS = {
    "en": ("🙂👩‍🚀 Tennis in Tokyo", ["Tennis", "Tokyo"]),
    "ja": ("🏃🏿 ドイツの東京", ["ドイツ", "東京"]),
    "ar": ("مباراة في طوكيو أمس", ["طوكيو"]),
    "hi": ("कल टोक्यो में", ["टोक्यो"]),
    "th": ("เมื่อวานในโตเกียว", ["โตเกียว"]),
    "ko": ("어제 도쿄 에서", ["도쿄"]),
    "ru": ("Вчера, Токио", ["Токио"]),
    "de": (f"\u202e{ATTACK}\u202c Deutschland" + " Wort" * 60 + "x" * 300, ["Deutschland"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def url(model: Path) -> Iterator[str]:
    with running("serve", model, "--port", 0, ISOGLOSS_TOKEN=TOKEN) as server:
        yield f"{server.url}/#token={TOKEN}"


def wait(browser: Browser, script: str, seconds: float = 30) -> Any:
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser.driver, seconds).until(lambda _: browser.run(f"return {script}"))


def ask(browser: Browser, url: str, *langs: str) -> None:
    """Open the page and ask a text of each of these languages."""
    browser.driver.get("about:blank")
    browser.driver.get(url)
    wait(browser, "document.body.dataset.ready !== undefined")
    for lang in langs:
        browser.run("document.getElementById('answers').replaceChildren()")
        fields = {"texts": TEXTS[lang][0], "lang": lang}
        for name, value in fields.items():
            set_value = "document.getElementById(arguments[0]).value = arguments[1]"
            browser.driver.execute_script(set_value, name, value)
        browser.run("document.getElementById('ask-form').requestSubmit()")
        wait(browser, "document.querySelector('#answers .evidences') !== null")


@pytest.mark.parametrize("lang", TEXTS)
def test_names_are_marked_on_the_right_letters(browser: Browser, url: str, lang: str) -> None:
    browser.look(WIDTHS[0])
    ask(browser, url, lang)
    marks = "[...document.querySelectorAll('.text mark')].map(one => one.textContent)"
    assert browser.run(f"return {marks}") == TEXTS[lang][1]
    shown = browser.run("return document.querySelector('#answers .text').textContent")
    assert shown.replace("U+202E", "\u202e").replace("U+202C", "\u202c") == TEXTS[lang][0]
    style = "getComputedStyle(document.querySelector('#answers .text')).direction"
    assert browser.run(f"return {style}") == ("rtl" if lang == "ar" else "ltr")
    assert browser.run("return document.title") == "model · isogloss"
    assert browser.run("return document.querySelectorAll('main script, main img').length") == 0


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_axe_finds_nothing_serious(
    browser: Browser, url: str, width: int, dark: bool
) -> None:
    browser.look(width, dark=dark)
    ask(browser, url, "de")
    assert browser.sideways() == []
    assert browser.faults() == []


def test_what_a_name_adds_is_said_and_a_forecast_of_few_texts_is_none(
    browser: Browser, url: str
) -> None:
    browser.look(WIDTHS[0])
    ask(browser, url, "en")
    shown = browser.run("return document.querySelector('#answers .inside').textContent")
    assert re.search(r"Tennis → tennis(for|against) \S+ [+−]\d\.\d\d", shown), shown
    assert "+0.69 doubles the odds of a label" in shown
    assert "Too few texts were asked to tell the accuracy in it" in shown


def test_a_probability_that_is_not_quite_certain_is_not_shown_as_1(
    browser: Browser, url: str
) -> None:
    browser.driver.get(url)
    script = (
        "return import('/page/dom.js').then((dom) => arguments[0].map((one) => dom.share(one)))"
    )
    values = [0, 0.004, 0.006, 0.994, 0.996, 1, None]
    shown = browser.driver.execute_script(script, values)
    assert shown == ["0.00", "< 0.01", "0.01", "0.99", "> 0.99", "1.00", "–"]


def test_the_keyboard_suffices(browser: Browser, url: str) -> None:
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    browser.look(WIDTHS[0])
    ask(browser, url)
    driver = browser.driver
    browser.run("document.getElementById('lang').value = ''")
    met = []
    for _ in range(12):
        ActionChains(driver).send_keys(Keys.TAB).perform()
        met.append(browser.run("return document.activeElement.id"))
    assert met[:3] == ["texts", "by-line", "lang"]
    assert "file" in met
    browser.run("document.getElementById('texts').focus()")
    driver.switch_to.active_element.send_keys(
        "Tennis in Tokyo", Keys.ENTER, "Steuer", Keys.CONTROL + Keys.ENTER
    )
    wait(browser, "document.querySelectorAll('#answers details').length === 2")
    browser.run("document.querySelectorAll('#answers summary')[1].focus()")
    driver.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser, "!document.querySelectorAll('#answers details')[1].open")


def test_a_file_comes_back_with_its_answers(browser: Browser, url: str, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.look(WIDTHS[1])
    ask(browser, url)
    file = tmp_path / "inbox.csv"
    file.write_text(f"support,what\nx,Tennis\ny,{ATTACK}\n", "utf-8")
    browser.driver.find_element("id", "file").send_keys(str(file))
    wait(browser, "!document.getElementById('columns').hidden")
    assert browser.run("return document.getElementById('column-text').value") == "what"
    assert browser.run("return document.getElementById('prefix').value") == "iso_"
    assert browser.sideways() == []
    browser.run("document.getElementById('file-form').requestSubmit()")
    wait(browser, "document.querySelector('#file-said a') !== null")
    assert browser.run("return document.activeElement.textContent") == "Save inbox.answered.csv"
    saving = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.driver.execute_cdp_cmd("Browser.setDownloadBehavior", saving)
    browser.driver.switch_to.active_element.send_keys(Keys.ENTER)
    saved = tmp_path / "inbox.answered.csv"
    while not saved.exists():
        time.sleep(0.05)
    content = saved.read_text("utf-8")
    assert content.splitlines()[0].startswith("support,what,iso_label,iso_probability")


def test_a_file_that_is_not_utf8_is_read_in_the_encoding_that_is_chosen(
    browser: Browser, url: str, tmp_path: Path
) -> None:
    browser.look(WIDTHS[1])
    ask(browser, url)
    file = tmp_path / "old.csv"
    file.write_bytes('text;no\r\n"Café,\r\nTennis";1\r\n;2\r\n'.encode("cp1252"))
    browser.driver.find_element("id", "file").send_keys(str(file))
    said = wait(browser, "document.querySelector('#file-said.fault')?.textContent")
    assert "is not UTF-8" in said
    assert browser.sideways() == []
    browser.driver.find_element("id", "encoding").send_keys("Western")
    wait(browser, "!document.getElementById('columns').hidden")
    shown = browser.run("return document.querySelector('#first-rows td').textContent")
    assert shown.split() == ["Café,", "Tennis"]  # a line break of Windows is no control character
    browser.run("document.getElementById('file-form').requestSubmit()")
    wait(browser, "document.querySelector('#file-said a') !== null")
    other = tmp_path / "other.csv"
    other.write_text("text\nTennis\n", "utf-8")
    browser.driver.find_element("id", "file").send_keys(str(other))
    wait(browser, "document.getElementById('encoding-choice').hidden")
    wait(browser, "document.getElementById('file-name').textContent === 'other.csv'")
    assert not browser.run("return document.getElementById('excel').checked")


def test_a_workbook_comes_back_for_excel(browser: Browser, url: str, tmp_path: Path) -> None:
    ask(browser, url)
    file = written_xlsx(tmp_path / "inbox.xlsx", {"Data": [["text"], ["Tennis"]]})
    browser.driver.find_element("id", "file").send_keys(str(file))
    wait(browser, "!document.getElementById('columns').hidden")
    assert browser.run("return document.getElementById('excel').checked")


def test_a_fault_is_a_sentence(browser: Browser, url: str) -> None:
    ask(browser, url)
    browser.run("document.getElementById('lang').value = 'klingon'")
    browser.run("document.getElementById('texts').value = 'Tennis'")
    browser.run("document.getElementById('ask-form').requestSubmit()")
    said = wait(browser, "document.querySelector('#ask-said.fault')?.textContent")
    assert said.startswith("unknown language 'klingon'")
    assert said.endswith("(texts[0].lang)")
    browser.run("sessionStorage.clear()")
    browser.driver.get(url.partition("#")[0])
    said = wait(browser, "document.querySelector('#ask-said.fault')?.textContent")
    assert said.startswith("this server needs its token")
