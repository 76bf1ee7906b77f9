import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from written_dumps import HEAD

from isogloss.wiki.site import Site, interwiki_prefixes


@pytest.mark.parametrize(
    ("raw", "title"),
    [
        ("new_york__City ", "New york City"),
        ("\u00a0new\u3000york\u2009", "New york"),
        ("a\u200e\u202eb", "Ab"),
        ("e\u0301te\u0301", "Été"),  # NFC
        ("%C3%A9t%C3%A9", "Été"),
        ("100%", "100%"),
        ("%FF", ""),  # no UTF-8, and no title with a % and two digits
        ("C%23", "C"),  # a fragment, decoded or not
        ("dog#Food", "Dog"),
        ("foo_bar_#x", "Foo bar"),
        ("#top", ""),
        (":dog", "Dog"),
        (": category : dogs", "Category:Dogs"),
        ("image:a.png", "File:A.png"),
        ("IMAGE_TALK:a.png", "File talk:A.png"),
        ("project:x", "Wikipedia:X"),
        ("Star Trek: picard", "Star Trek: picard"),
        ("wikt:dog", "wikt:dog"),
        (" WIKT : dog#x", "wikt:dog"),
        ("de:Hund", "de:Hund"),
        ("en:dog", "Dog"),  # its own prefix is none
        (":en:Category:dogs", "Category:Dogs"),
        ("Category:", ""),
        ("a|b", ""),
        ("a[b", ""),
        ("a<b", ""),
        ("a\tb", ""),
        ("a~~~b", ""),
        ("..", ""),
        ("a/../b", ""),
        ("...", "..."),
        ("C++", "C++"),
        ("::a", ""),
        ("x" * 255, "X" + "x" * 254),
        ("x" * 256, ""),
        ("é" * 128, ""),
        ("", ""),
    ],
)
def test_titles_are_those_of_mediawiki(raw: str, title: str) -> None:
    assert Site.default("en").title(raw) == title


LETTERS = (
    "éÉ жЖ ßß ŉŉ ǅǅ ǆǅ ǉǈ ǌǋ ǰǰ ǳǲ ʝ\ua7b2 ΐΐ ևև აა ᏸᏰ ẖẖ ᾀᾈ ᾈᾈ ᾳᾼ ᾴᾴ ᾼᾼ ⅰⅰ ⓐⓐ ꭰᎠ ﬁﬁ ﬗﬗ 𐐨𐐀 港港"
)


# From MediaWiki's own table of letters that PHP does not capitalise as others do
# (resources/src/mediawiki.Title/phpCharToUpper.json).
@pytest.mark.parametrize(
    ("letter", "capital"),
    [tuple(pair) for pair in LETTERS.split()],
)
def test_the_first_letter_is_that_of_mediawiki(letter: str, capital: str) -> None:
    assert Site.default("en").title(f"{letter}x") == f"{capital}x"


@settings(max_examples=100, deadline=None)
@given(
    st.text(st.one_of(st.characters(), st.sampled_from(" _:#%.ßi\u0301\u00a0\u200e")), max_size=70)
)
def test_the_short_way_for_plain_titles_is_the_long_one(raw: str) -> None:
    for site in (Site.default("tr"), Site("jbo", case_sensitive=frozenset({0}))):
        number, rest = site.namespace_of(raw)
        assert number or site.title(raw) == rest


def test_a_turkish_i_keeps_its_dot() -> None:
    assert Site.default("tr").title("istanbul") == "İstanbul"
    assert Site.default("en").title("istanbul") == "Istanbul"


def test_siteinfo_names_the_namespaces_and_the_case_rule() -> None:
    site = Site.of_siteinfo(HEAD.encode())
    assert (site.language, site.name) == ("bg", "bgwiki")
    assert site.namespaces[6] == ("Файл", "Картинка", "File", "Image")
    assert site.title("картинка:a.png") == site.title("File:a.png") == "Файл:A.png"
    assert site.title("категория:б") == "Категория:Б"
    assert site.title("Gadget definition:abc") == "Gadget definition:abc"
    assert site.namespace_of("Категория: б_в#г") == (14, "Б в")
    assert site.case_sensitive == {2302}


def test_a_language_given_wins_over_the_dumps_word() -> None:
    head = HEAD.replace("bgwiki", "enwiki")
    assert Site.of_siteinfo(head.encode()).language == "en"
    site = Site.of_siteinfo(head.encode(), "de")
    assert site.language == "de"
    assert site.namespace_of("Datei:A.png")[0] == site.namespace_of("Файл:A.png")[0] == 6


def test_a_case_sensitive_wiki() -> None:
    head = HEAD.replace("first-letter", "case-sensitive")
    assert Site.of_siteinfo(head.encode()).title("порт") == "порт"


@pytest.mark.parametrize(
    ("name", "language"),
    [("be_x_oldwiki", "be-x-old"), ("zh_yuewiki", "zh-yue"), ("commonswiki", "bg"), ("", "bg")],
)
def test_the_language_is_the_databases_or_the_dumps(name: str, language: str) -> None:
    assert Site.of_siteinfo(HEAD.replace("bgwiki", name).encode()).language == language


@pytest.mark.parametrize(
    "head", ["", "<siteinfo>", "<siteinfo><a></siteinfo>", "<siteinfo></siteinfo>"]
)
def test_damaged_siteinfo(head: str) -> None:
    with pytest.raises(ValueError, match="siteinfo"):
        Site.of_siteinfo(head.encode())


def test_every_wikipedia_has_file_and_category_names() -> None:
    languages = [code for code in interwiki_prefixes() if len(code) < 4]
    assert len(languages) > 250
    for language in languages:
        site = Site.default(language)
        assert site.namespace_of("Image:a")[0] == 6
        assert site.namespace_of("Category:a")[0] == 14
    assert Site.default("gsw").namespaces == Site.default("als").namespaces
    assert Site.default("ka").title("სურათი:a.png") == "ფაილი:A.png"
    assert Site.default("tlh").namespaces[6] == ("File", "Image")


def test_other_wikis_are_known_by_their_prefixes() -> None:
    site = Site.default("en")
    assert [site.is_interwiki(prefix) for prefix in ("fr", "WIKT", "zh-min-nan", "commons")] == [
        True
    ] * 4
    assert not site.is_interwiki("file")
    assert not site.is_interwiki("star trek")
    assert not Site.default("zh-yue").is_interwiki("T")  # a template's short name there


def test_a_site_is_sent_to_other_processes() -> None:
    site = Site.of_siteinfo(HEAD.encode())
    assert pickle.loads(pickle.dumps(site)) == site
