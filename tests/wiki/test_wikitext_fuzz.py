"""Damaged wikitext: whatever is cut, nested or left open, there is text, in linear time."""

import random

import numpy as np
import pytest
from wiki_pages import HAND_WRITTEN, check, needs_dumps, real_pages

from isogloss.wiki.site import Site
from isogloss.wiki.wikitext.rules import WikitextRules
from isogloss.wiki.wikitext.wikitext import ScannedPages, scan_pages

BITS = [
    "[[", "]]", "{{", "}}", "{|", "|}", "|", "[", "]", "{", "}", "{{{", "}}}", "''", "'''",
    "'''''", "\n", "\n\n", "\n{|", "\n|}", "\n|-", "\n=", "=", "==", "\n* ", "<!--", "-->",
    "<ref>", "</ref>", "<ref name=x />", "<nowiki>", "</nowiki>", "<pre>", "</pre>", "<math>",
    "</math>", "<table>", "</table>", "<br>", "<p>", "<", ">", "</", "&amp;", "&", "&#x41;",
    "&#xD800;", "&nbsp;", "&nGt;", "[[File:a.jpg|thumb|", "[[ファイル:", "[[Category:", "[[fr:",
    "[[:", "[http://x ", "__TOC__", "__", " ", "é", "語", "😀", "\u0301", "\u200f", "#", ";", ":",
    "----", "<gallery>", "</gallery>", "\0", "-{", "}-", "-{zh-hans:a;zh-hant:b}-", "-{{",
    "-{T|",
]  # fmt: skip
RULES = [WikitextRules.of(Site.default(language)) for language in ("en", "ja", "fr", "ar", "zh")]


def damaged(page: bytes, dice: random.Random) -> bytes:
    """Return a piece of a page with some random edits."""
    begin = dice.randrange(len(page) + 1)
    text = bytearray(page[begin : begin + dice.choice([40, 400, 3000])])
    for _ in range(dice.randrange(1, 12)):
        at = dice.randrange(len(text) + 1)
        match dice.randrange(4):
            case 0:
                del text[at : at + dice.choice([1, 1, 2, 30])]
            case 1:
                text[at:at] = (dice.choice(BITS) * dice.choice([1, 1, 1, 2, 5])).encode()
            case 2:
                text[at:at] = bytes([dice.randrange(256)])
            case 3:
                text[at : at + 2] = b"".join(dice.choice(BITS).encode() for _ in range(4))
    return bytes(text)


def run(pages: list[bytes], n_cases: int, seed: int) -> None:
    dice = random.Random(seed)
    done = 0
    while done < n_cases:
        texts = [damaged(dice.choice(pages), dice) for _ in range(50)]
        rules = dice.choice(RULES)
        scanned = scan_pages(texts, rules)
        sound = [text.decode("utf-8", "replace").encode() for text in texts]
        check(scanned, sum(map(len, sound)))
        assert scanned.n_damaged == sum(a != b for a, b in zip(texts, sound, strict=True))
        alone = dice.randrange(50)
        single = scan_pages([texts[alone]], rules)
        assert single.text_of(0) == scanned.text_of(alone)
        assert single.links_of(0) == scanned.links_of(alone)
        done += len(texts)


def test_edits_of_hand_written_pages() -> None:
    run([page.encode() for page in HAND_WRITTEN], 300, seed=1)


@needs_dumps
def test_edits_of_real_pages() -> None:
    run([page.text.encode() for page in real_pages()[:20]], 150, seed=2)


@pytest.mark.full
@needs_dumps
def test_ten_thousand_edits_of_real_pages() -> None:
    run([page.text.encode() for page in real_pages()], 10_000, seed=3)


def test_nothing_but_markup() -> None:
    dice = random.Random(4)
    soup = ["".join(dice.choices(BITS, k=80)).encode() for _ in range(300)]
    for rules in RULES:
        check(scan_pages(soup, rules), sum(map(len, soup)))
    run(soup, 100, seed=5)


def test_every_truncation() -> None:
    page = HAND_WRITTEN[0].encode()
    pages = [page[:n] for n in range(len(page))]
    check(scan_pages(pages, RULES[0]), sum(map(len, pages)))


def test_nothing_but_one_bit_of_markup() -> None:
    for bit in BITS:
        texts = [(bit * n).encode() for n in [*range(1, 12), 3000]]
        check(scan_pages(texts, RULES[0]), sum(map(len, texts)))


def steps(text: str) -> int:
    return scan_pages([text.encode()], RULES[0]).n_steps


@pytest.mark.parametrize(
    "pattern",
    ["{{a|", "{{{{", "{{a|}", "[[a|", "[[", "[[File:a|b [[", "[[File:a|thumb|b|", "{|",
     "\n{|\n|", "<ref>", "<ref name=", "<!--", "<nowiki>", "<math", "<pre>a",
     "<table><table>\n|}", "'''a ''b ", "[http://", "&amp", "__A", "\n=a", "{{\n|}", "<ref>{{",
     "</ref", "\n::::{|", "[[a]] [[b|c", "[[[", "]]]"],
)  # fmt: skip
def test_twice_the_nesting_takes_twice_the_steps(pattern: str) -> None:
    n, twice = steps(pattern * 2000), steps(pattern * 4000)
    assert twice <= 2.2 * n
    check(scan_pages([(pattern * 4000).encode()], RULES[0]), 4000 * len(pattern.encode()))


def test_ten_thousand_deep() -> None:
    n = 10_000
    nested = "{{a|" * n + "x" + "}}" * n + " after [[link]]"
    assert read(nested) == ("after link", ["link"])
    tables = "\n{|\n|" * n + "x" + "\n|}" * n + "\nafter [[link]]"
    assert read(tables) == ("after link", ["link"])
    files = "[[File:a.jpg|" * n + "[[deep]]" + "]]" * n + "\nafter [[link]]"
    assert read(files)[1] == ["deep", "link"]
    parameters = "{{{a|" * n + "}}}" * n + "after"
    assert read(parameters) == ("after", [])
    links = "[[a|" * n + "x" + "]]" * n + " after [[link]]"
    assert read(links) == ("x after link", ["a", "link"])


def test_unclosed_everything_keeps_the_text() -> None:
    bits = "{{a| [[a| {| <ref> <!-- <nowiki> <math> <table> [[File:a| ''' [http://a <gallery> {{{"
    for bit in [*bits.split(), "<pre>", "<div>", "[[a", "{{a", "<ref", "\n="]:
        text, targets = read(f"{bit} before\n\nThis is [[kept]].")
        assert text.endswith("This is kept."), bit
        assert targets[-1] == "kept", bit


def read(text: str) -> tuple[str, list[str]]:
    pages: ScannedPages = scan_pages([text.encode()], RULES[0])
    check(pages, len(text.encode()))
    return pages.text_of(0), [target for target, _, _ in pages.links_of(0)]


@pytest.mark.full
def test_a_page_of_fifty_megabytes() -> None:
    page = "\n".join(HAND_WRITTEN).encode()
    text = page * (50_000_000 // len(page) + 1)
    pages = scan_pages([text], RULES[0])
    check(pages, len(text))
    once = scan_pages([page], RULES[0])
    n = 50_000_000 // len(page) + 1
    assert abs(pages.link_kind.size - n * once.link_kind.size) <= 2 * n


def test_bytes_that_are_not_utf8_are_replaced_and_counted() -> None:
    pages = scan_pages([b"a\xff [[b\xe6\x97]]", "日".encode("latin-1", "replace"), b"ok"], RULES[0])
    assert pages.text_of(0) == "a\ufffd b\ufffd"
    assert pages.n_damaged == 1


def test_no_pages() -> None:
    pages = scan_pages([], RULES[0])
    assert pages.n_pages == 0
    assert pages.text.size == 0
    check(pages, 0)
    assert np.array_equal(pages.text_offsets, [0])
