"""The routing set as files: product names are masked, and an inbox keeps its answers in order."""

import csv
import sys
from pathlib import Path

import pytest
from repository import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from isogloss import KnowledgeBase, build_knowledge_base
from isogloss.kb import Linker
from routing_data import PRODUCT_AREAS, Messages
from routing_products import (
    PRODUCTS,
    area_named,
    masked,
    names_by_product,
    names_product,
    write_glossary,
)
from routing_texts import inbox_of, write_inbox, write_messages


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Open it in GIMP.", "Open it in X."),
        ("GIMPissä on virhe", "X on virhe"),  # Finnish: in GIMP
        ("GIMP'te aç", "X aç"),
        ("Pidgins Fenster", "X Fenster"),
        ("VLCで開く", "Xで開く"),
        ("Откройте Krita", "Откройте X"),
        ("VLC media player", "X"),  # not "X media player"
        ("Sudo failed; run sudo", "X failed; run X"),
        ("install gnucash-docs", "install X-docs"),  # a capital inside: found in small letters too
        ("a dolphin, your mate", "a dolphin, your mate"),
        ("Кристина, ಜಿಂಪ್", "Кристина, ಜಿಂಪ್"),  # other letters stay
        ("TheGIMP", "TheGIMP"),  # not inside a word
        ("", ""),
    ],
)
def test_product_names_are_masked(text: str, without: str) -> None:
    assert masked(text) == without
    assert names_product(text) == (text != without)
    assert not names_product(without)


@pytest.mark.parametrize(
    ("text", "area"),
    [
        ("Krita の設定", "graphics"),
        ("Pidgin and KMail", "mail and chat"),  # two of one area
        ("from GIMP to VLC", None),  # two areas
        ("nothing named", None),
    ],
)
def test_the_area_of_a_product_named(text: str, area: str | None) -> None:
    assert area_named(text) == area


def test_every_area_has_products() -> None:
    assert PRODUCTS.keys() == PRODUCT_AREAS.keys()


def test_the_glossary_builds_and_links(tmp_path: Path) -> None:
    write_glossary(tmp_path / "products.csv", ["en", "fi"])
    build_knowledge_base([f"names:{tmp_path / 'products.csv'}"], tmp_path / "kb")
    linker = Linker(KnowledgeBase.open(tmp_path / "kb"), "fi")
    found = linker.link(["Pidginissä on virhe"]).mentions(0)
    assert [one.entity for mention in found for one in mention.candidates] == ["product:pidgin"]
    assert len(set(names_by_product())) == len(names_by_product())


def test_an_inbox_holds_every_language_and_english_once(tmp_path: Path) -> None:
    tests = {
        "de": Messages(["Öffne Krita", "Sende"], ["graphics", "mail"], ["Open Krita", "Send"]),
        "no": Messages(["Åpne Krita", "Lukk"], ["graphics", "web"], ["Open Krita", "Close"]),
        "tl": Messages(["Isara"], ["mail"], ["Close"]),  # of two areas: not an English message
    }
    inbox = inbox_of(tests)
    assert inbox.langs == ["en", "en", "de", "de", "nb", "nb", "fil"]
    assert inbox.texts[:2] == ["Open Krita", "Send"]
    assert inbox.ids[0] == inbox.ids[2] == inbox.ids[4]  # one message, three languages
    assert inbox.is_named == [True, False, True, False, True, False, False]
    assert inbox.rows_of("nb") == [4, 5]
    assert inbox.masked().texts[4] == "Åpne X"
    assert inbox.masked().labels == inbox.labels
    assert inbox.first(1, ["nb", "en"]).texts == ["Åpne Krita", "Open Krita"]
    write_inbox(tmp_path / "inbox.csv", inbox)
    write_messages(tmp_path / "messages.csv", tests["de"])
    with (tmp_path / "inbox.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == inbox.labels
    assert [row["text"] for row in rows] == inbox.texts
    assert (tmp_path / "messages.csv").read_text("utf-8").splitlines()[1] == "Öffne Krita,graphics"
