"""What is read of each construct of wikitext, on wikis in several languages."""

from functools import lru_cache

import pytest
from wiki_pages import HAND_WRITTEN, check

from isogloss.wiki.site import Site
from isogloss.wiki.wikitext.link_trails import trail_letters
from isogloss.wiki.wikitext.rules import WikitextRules
from isogloss.wiki.wikitext.wikitext import (
    ARTICLE_LINK,
    CATEGORY_LINK,
    WIKI_LINK,
    ScannedPages,
    scan_pages,
)


@lru_cache
def rules(language: str) -> WikitextRules:
    return WikitextRules.of(Site.default(language))


def scan(text: str, language: str = "en") -> ScannedPages:
    pages = scan_pages([text.encode()], rules(language))
    check(pages, len(text.encode()))
    return pages


def text(wikitext: str, language: str = "en") -> str:
    return scan(wikitext, language).text_of(0)


def links(wikitext: str, language: str = "en") -> list[tuple[str, str]]:
    return [(target, shown) for target, shown, _ in scan(wikitext, language).links_of(0)]


def kinds(wikitext: str, language: str = "en") -> list[tuple[str, str, int]]:
    return scan(wikitext, language).links_of(0)


def test_a_whole_page() -> None:
    pages = scan(HAND_WRITTEN[0])
    assert pages.text_of(0).split("\n") == [
        "Bonn () is a city on the river Rhine. It has",
        "universities\xa0& more.",
        "History",
        "The Minster in 1900.",
        "its pages, Category:Bonn, word",
        "Names",
        "[[not]]",
    ]
    assert pages.links_of(0) == [
        ("city", "city", ARTICLE_LINK),
        ("Rhine", "river Rhine", ARTICLE_LINK),
        ("university", "universities", ARTICLE_LINK),
        ("Minster", "Minster", ARTICLE_LINK),
        (":Category:Bonn", "Category:Bonn", ARTICLE_LINK),
        ("wikt:city", "word", WIKI_LINK),
        ("Category:Bonn", "", CATEGORY_LINK),
        ("fr:Bonn", "", WIKI_LINK),
    ]
    assert sections(pages) == [(0, ""), (2, "History"), (3, "Names")]
    assert templates(pages) == ["Infobox city", "IPA", "circa"]


def sections(pages: ScannedPages, page: int = 0) -> list[tuple[int, str]]:
    whole = pages.text_of(page).encode()
    rows = range(*pages.section_offsets[page : page + 2].tolist())
    return [
        (int(pages.section_level[row]), whole[start : start + pages.heading_length[row]].decode())
        for row in rows
        for start in [pages.section_start[row]]
    ]


def templates(pages: ScannedPages, page: int = 0) -> list[str]:
    names = []
    for row in range(*pages.template_offsets[page : page + 2].tolist()):
        first, last = pages.template_name_offsets[row : row + 2]
        names.append(pages.template_names[first:last].tobytes().decode())
    return names


@pytest.mark.parametrize(
    ("language", "wikitext", "shown"),
    [
        ("en", "[[cat]]s", "cats"),
        ("en", "[[cat]]é", "cat"),
        ("en", "[[cat]]S", "cat"),
        ("en", "[[cat|dog]]s", "dogs"),
        ("en", "[[cat]]<!-- -->s", "cat"),
        ("en", "[[cat]]<nowiki/>s", "cat"),
        ("fr", "[[cheval|chev]]aux", "chevaux"),
        ("fr", "[[élève]]là", "élèvelà"),
        ("de", "[[Fuß]]ßig", "Fußßig"),
        ("de", "[[Haus]]é", "Haus"),
        ("pl", "[[Łódź]]ką", "Łódźką"),
        ("ar", "[[ألمانية|بالألمانية]]ات", "بالألمانيةات"),
        ("ru", "[[столица]]ми", "столицами"),
        ("he", "[[בית]]ים", "ביתים"),
        ("ja", "[[日本]]人", "日本"),
        ("zh", "[[中国]]人", "中国"),
        ("zh", "[[cat]]s", "cat"),
        ("hi", "[[भारत]]ीय", "भारतीय"),
    ],
)
def test_letters_behind_a_link_belong_to_it_as_the_language_has_it(
    language: str, wikitext: str, shown: str
) -> None:
    assert [found for _, found in links(wikitext, language)] == [shown]


def test_trails_are_written_out() -> None:
    assert trail_letters("is").startswith("abcdefghijklmnopqrstuvwxyz-–á")
    assert "ф" in trail_letters("udm")
    assert trail_letters("zh-hans") == trail_letters("zh") == ""
    assert trail_letters("xx") == "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("language", "wikitext"),
    [
        ("de", "[[Datei:a.jpg|mini|hochkant=1.2|Das [[Haus]]]]"),
        ("de", "[[Bild:a.jpg|mini|links|Das [[Haus]]]]"),
        ("de", "[[File:a.jpg|thumb|Das [[Haus]]|left]]"),
        ("fr", "[[Fichier:a.jpg|vignette|200px|La [[Haus]]]]"),
        ("fr", "[[fichier:a_b.jpg|200 px|alt=texte [[x]]|La [[Haus]]]]"),
        ("ja", "[[ファイル:a.jpg|サムネイル|右|[[Haus]]の絵]]"),
        ("ja", "[[画像:a.jpg|thumb|[[Haus]]の絵]]"),
        ("ru", "[[ФАЙЛ:a.jpg|мини|слева|[[Haus]]]]"),
        ("ar", "[[ملف:a.jpg|تصغير|يسار|[[Haus]] جميل]]"),
        ("en", "[[ file : a.jpg |thumb|first [[lost]] caption|The [[Haus]]]]"),
        ("en", "[[Image:a.jpg|frame|{{x|[[y]]}} A [[File:b.png|10px]] [[Haus]]]]"),
    ],
)
def test_of_a_file_the_links_of_its_caption_are_read(language: str, wikitext: str) -> None:
    assert [target for target, _ in links(wikitext, language)] == ["Haus"]


def test_a_caption_is_a_line_of_its_own() -> None:
    wikitext = "One [[File:a.jpg|thumb|The ''caption'']] two [[File:b.svg|20px]] three."
    assert text(wikitext) == "One\nThe caption\ntwo three."
    assert (
        text("[[File:a.jpg|thumb|Out [[File:b.jpg|thumb|in it]] out]]End") == "Out\nin it\nout\nEnd"
    )
    assert text("a [[File:b.svg|thumb]] c") == "a c"
    assert text("a [[File:b.svg]]s c") == "a s c"


@pytest.mark.parametrize(
    ("language", "wikitext", "expected"),
    [
        ("en", "[[Category:X|sort]]", ("Category:X", "", CATEGORY_LINK)),
        ("de", "[[Kategorie:X]]", ("Kategorie:X", "", CATEGORY_LINK)),
        ("de", "[[category:X]]", ("category:X", "", CATEGORY_LINK)),
        ("uk", "[[Категорія:X| ]]", ("Категорія:X", "", CATEGORY_LINK)),
        ("de", "[[:Kategorie:X]]", (":Kategorie:X", "Kategorie:X", ARTICLE_LINK)),
        ("en", "[[Kategorie:X]]", ("Kategorie:X", "Kategorie:X", ARTICLE_LINK)),
        ("en", "[[:File:a.jpg|picture]]", (":File:a.jpg", "picture", ARTICLE_LINK)),
        ("en", "[[de:Haus]]", ("de:Haus", "", WIKI_LINK)),
        ("en", "[[:de:Haus|house]]", (":de:Haus", "house", WIKI_LINK)),
        ("en", "[[wikt:house|house]]s", ("wikt:house", "houses", WIKI_LINK)),
        ("en", "[[Star Trek: Picard]]", ("Star Trek: Picard", "Star Trek: Picard", ARTICLE_LINK)),
        ("en", "[[Talk:X|talk]]", ("Talk:X", "talk", ARTICLE_LINK)),
        ("en", "[[#History|above]]", ("#History", "above", ARTICLE_LINK)),
        ("en", "[[A#de:b|c]]", ("A#de:b", "c", ARTICLE_LINK)),
    ],
)
def test_prefixes_tell_what_a_link_is(
    language: str, wikitext: str, expected: tuple[str, str, int]
) -> None:
    assert kinds(wikitext, language) == [expected]


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("[[ a_b |c]]", [("a_b", "c")]),
        ("[[a| b ]]", [("a", "b")]),
        ("[[a&amp;b&#x20;c]]", [("a&b c", "a&b c")]),
        ("[[a<!-- no -->b|c]]", [("ab", "c")]),
        ("[[a|b\nc]]", [("a", "b c")]),
        ("[[a|b|c]]", [("a", "b|c")]),
        ("[[a|''b'' <small>c</small><ref>d</ref>]]", [("a", "b c")]),
        ("[[a|b [[c]] d]]", [("c", "c")]),
        ("[[a|b [[c{d]] e]]", []),
        ("[[a|b [c] d]]", [("a", "b [c] d")]),
        ("[[a|b [c]]]", [("a", "b [c]")]),
        ("[[[a]]]", [("a", "a")]),
        ("[[a|{{b}}]]", [("a", "")]),
        ("[[{{PAGENAME}}|b]]", []),
        ("[[a\nb]] [[c]]", [("c", "c")]),
        ("[[a{b]] [[c<d]] [[e>f]] [[|g]] [[]] [[h]]", [("h", "h")]),
        ("[[Bonn (city)|]]", [("Bonn (city)", "Bonn")]),
        ("[[Bonn, Germany|]]", [("Bonn, Germany", "Bonn")]),
        ("[[Help:Links (x)|]]s", [("Help:Links (x)", "Linkss")]),
        ("[http://a.org see [[b]] there]", [("b", "b")]),
        ("[http://a.org see [[b|c]]] [[d]]", [("b", "c"), ("d", "d")]),
        ("[[http://a.org b]] [[c]]", [("c", "c")]),
        ("[[Media:a.ogg|listen]]", []),
        ("[[a|b\n\n[[c]]", [("c", "c")]),
        ("{{a|[[b]]}} {{{c|[[d]]}}} [[e]]", [("e", "e")]),
        ("<ref>[[a]]</ref><ref name=b/>[[c]]<REF name='d'>[[e]]</REF >", [("c", "c")]),
        ("<ref>open [[a]] <ref>closed [[b]]</ref> [[c]]", [("a", "a"), ("c", "c")]),
        ("<gallery>\na.jpg|[[b]]\n</gallery><math>[[c]]</math>[[d]]", [("d", "d")]),
        ("<syntaxhighlight lang=c>a[[0]]</syntaxhighlight><code>[[b]]</code>", [("b", "b")]),
        ("<table><tr><td>[[a]]</td></tr></table> [[b]]", [("b", "b")]),
        ("{|\n| [[a]]\n{|\n| [[b]]\n|}\n| [[c]]\n|}\n[[d]]", [("d", "d")]),
        ("{|\n| {{a\n|}}\n| [[b]]\n|}[[c]]", [("c", "c")]),
        ("{{a|\n{|\n|b\n|}\n}}[[c]]", [("c", "c")]),
        ("<!-- [[a]] -->[[b]]<!-- {{ -->[[c]]", [("b", "b"), ("c", "c")]),
        ("<nowiki>{{</nowiki>[[a]]}}", [("a", "a")]),
    ],
)
def test_what_is_a_link(wikitext: str, expected: list[tuple[str, str]]) -> None:
    assert links(wikitext) == expected


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("'''a''' ''b'' '''''c''''' d's ''''e'''", "a b c d's 'e"),
        ("l'''idée'' '''x'''", "l'idée x"),
        ("'''l''''arbre'' y", "l'arbre y"),
        ("a\n\n\nb  \n c", "a\nb\nc"),
        ("* a\n## b\n;c: d\n::e\n----\nf", "a\nb\nc: d\ne\nf"),
        ("a {{x}} b{{y}}.", "a b."),
        ("{{x}}\n{{y}} a", "a"),
        ("a<br />b<p>c</p>d<span style='x'>e</span><x>f", "a b\nc\nde<x>f"),
        ("&lt;b&gt; &eacute; &#233; &#xE9;", "<b> é é é"),
        ("&nope; &amp;lt; &#0; &a", "&nope; &lt; &#0; &a"),
        ("a&nbsp;b&thinsp;c", "a\xa0b\u2009c"),
        ("[http://a.org Title] [http://b.org] [sic] [//c.org d]", "Title [sic] d"),
        ("http://e.org", "http://e.org"),
        ("__NOTOC__a __init__ __目次__b", "a __init__ b"),
        ("<nowiki>''a''\n* &amp; [[b]]</nowiki>", "''a''\n* & [[b]]"),
        ("<pre>\n== a ==\n</pre>", "== a =="),
        ("a <!-- b --> c <!-- d", "a c  d"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a}} b]] {{c [[d", "a b c d"),
        ("{|\n! a\n|-\n| b || c", "! a\n b || c"),
        ("<ref>a", "a"),
        ("x<includeonly>y</includeonly><noinclude>z</noinclude>", "xz"),
    ],
)  # fmt: skip
def test_what_is_text(wikitext: str, expected: str) -> None:
    assert text(wikitext) == expected


@pytest.mark.parametrize(
    ("wikitext", "expected"),
    [
        ("=a=\nb", [(0, ""), (1, "a")]),
        ("== a ==\n=== b ===\n====== c ======", [(0, ""), (2, "a"), (3, "b"), (6, "c")]),
        ("== a === ", [(0, ""), (2, "a =")]),
        ("=== a == <!-- b -->", [(0, ""), (2, "= a")]),
        ("== ''a'' [[b|c]] &amp; d ==", [(0, ""), (2, "a c & d")]),
        ("== {{a}} ==\nb", [(0, ""), (2, "")]),
        ("=={{a}}==\nb", [(0, ""), (2, "")]),
        ("===\na = b ==\n== c", [(0, ""), (1, "=")]),
        ("{{a}}\n== b == c", [(0, "")]),
        (" == a ==", [(0, "")]),
    ],
)
def test_headings_begin_sections(wikitext: str, expected: list[tuple[int, str]]) -> None:
    assert sections(scan(wikitext)) == expected


def test_a_link_in_a_heading_keeps_its_span() -> None:
    pages = scan("a\n==  '''[[b]]''' and [[c|d]] ==\n[[e]]")
    assert pages.text_of(0) == "a\nb and d\ne"
    assert [shown for _, shown, _ in pages.links_of(0)] == ["b", "d", "e"]


def test_names_of_templates() -> None:
    wikitext = (
        "{{Disambiguation}}{{ hndis |name=x}}\n{{\nInfobox\n|a={{b}}}}"
        "{{c<!-- -->|d}}{{#if:x|y}}{{{e}}}{{曖昧さ回避}}<ref>{{f}}</ref>\n{|\n|{{g}}\n|}{{"
        + "é" * 200
        + "}}"
    )
    names = templates(scan(wikitext))
    assert names[:-1] == ["Disambiguation", "hndis", "Infobox", "c", "#if:x", "曖昧さ回避"]
    assert names[-1] == "é" * 127


def test_of_variants_the_first_is_read() -> None:
    assert text("德国-{zh-hans:联邦州; zh-hant:邦}-之一，联-{}-邦", "zh") == "德国联邦州之一，联邦"
    assert text("[[-{A}-|-{b}-]]-{T|x}-{{t}}-{{u}}-{R|c}-", "zh") == "b-c"
    assert links("[[-{A}-|-{b}-]]", "zh") == [("A", "b")]
    assert text("250-{m}- -{x", "sr") == "250m -{x"
    assert text("a-{b}-", "en") == "a-{b}-"


def test_pages_do_not_touch_each_other() -> None:
    texts = ["{{a", "[[b|", "'''c", "<!--", "== d ==", "", "[[e]] }} ]] -->"]
    pages = scan_pages([one.encode() for one in texts], rules("en"))
    alone = [text(one) for one in texts]
    assert [pages.text_of(page) for page in range(len(texts))] == alone
    assert pages.links_of(6) == [("e", "e", ARTICLE_LINK)]
    assert sections(pages, 4) == [(0, ""), (2, "d")]


def test_rules_of_names_alone() -> None:
    own = WikitextRules.of_names(
        "xx",
        files=["Bilet"],
        media=["Ljud"],
        categories=["Sort"],
        languages=["yy"],
        other_wikis=["zz"],
    )
    page = b"[[bilet:a|b]][[LJUD:c|d]][[sort:e]][[yy:f]][[zz:g]][[Image:h]]"
    assert scan_pages([page], own).links_of(0) == [
        ("sort:e", "", CATEGORY_LINK),
        ("yy:f", "", WIKI_LINK),
        ("zz:g", "zz:g", WIKI_LINK),
    ]
