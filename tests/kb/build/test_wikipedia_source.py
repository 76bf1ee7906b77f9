"""From dumps of Wikipedias to a knowledge base: counts, ids, and what stops early."""

from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import ROOT
from written_wikis import (
    ENGLISH,
    GERMAN,
    SlowCount,
    WikiPage,
    built,
    some_pages,
    write_table,
    write_wiki,
)

from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import Linker, build_knowledge_base
from isogloss.kb.build.gathered import Gathered, LanguageChoice
from isogloss.kb.build.source import Source
from isogloss.kb.build.wikipedia_options import WikipediaOptions
from isogloss.kb.build.wikipedias import Wikipedias

MINIDUMPS = ROOT / "../shared/data/wikipedia/minidumps"

SWAHILI = [WikiPage("Berlin", ["Mji wa ", ("Ujerumani", "Ujerumani"), " [[de:Berlin]]"]),
           WikiPage("Ujerumani", ["Nchi ya ", ("Berlin", "Berlin"), "[[de:Deutschland]]"]),
]  # fmt: skip


def gathered_of(tmp_path: Path, code: str, pages: list[WikiPage]) -> Gathered:
    dump = write_wiki(tmp_path / f"{code}.xml", code, pages)
    choose = LanguageChoice(None)
    source = Source.parse(f"wikipedia:{code}={dump}")
    wikis = Wikipedias([source], tmp_path / "kb", WikipediaOptions(), workers=1)
    wikis.count()
    gathered = Gathered(choose)
    wikis.gather(source, gathered)
    return gathered


@pytest.mark.parametrize("seed", range(6))
def test_counts_and_link_probability_are_those_of_a_slow_count(tmp_path: Path, seed: int) -> None:
    pages = ENGLISH[:-1] if not seed else some_pages(25, seed)
    slow = SlowCount(pages)
    gathered = gathered_of(tmp_path, "en", pages)
    names, ids = gathered.languages["en"], list(gathered.index)
    rows = zip(names.names, names.entity, names.count, strict=True)
    counts = {(name, ids[e]): n for name, e, n in rows if not isnan(n)}
    assert counts == {
        (name, f"wikipedia:en:{title.replace(' ', '_')}"): n
        for (name, title), n in slow.links.items()
    }
    link_prob = dict(zip(names.prob_names, names.link_prob, strict=True))
    assert link_prob == pytest.approx(slow.link_prob)
    assert len(slow.link_prob) > 3
    if seed:
        assert {"STONE", "TOWN", "Stone", "stone", "Bench"} <= set(slow.link_prob)
    found = {(name, ids[e]) for name, e in zip(names.names, names.entity, strict=True)}
    assert found == {
        (name, f"wikipedia:en:{title.replace(' ', '_')}")
        for name, titles in slow.names.items()
        for title in titles
    }


def test_capitals_mean_no_other_where_they_are_a_name(tmp_path: Path) -> None:
    pages = [WikiPage("Sting (film)", ["x"]), WikiPage("STING", ["y"]),
             *(WikiPage(f"F{letter}", ["Seen Sting twice."]) for letter in "abcdefghij"),
             WikiPage("Lk", [("Sting (film)", "Sting"), " here"])]  # fmt: skip
    shouting = [WikiPage(f"G{letter}", [("STING", "STING")]) for letter in "abcdefghij"]
    for listed in (pages, [*pages, *shouting]):
        columns = gathered_of(tmp_path, "en", listed).languages["en"]
        link_prob = dict(zip(columns.prob_names, columns.link_prob, strict=True))
        assert link_prob["Sting"] == pytest.approx(1 / 11)
    assert link_prob["STING"] == 1.0


def test_a_title_in_capitals_on_its_own_page_is_a_link(tmp_path: Path) -> None:
    pages = [
        WikiPage("Stonework", ["STONEWORK is old"]),
        WikiPage("Sting", ["STING, not it"]),
        WikiPage("B", [("Stonework", "Stonework"), ("Sting", "Sting"), ("B", "STING")]),
    ]
    columns = gathered_of(tmp_path, "en", pages).languages["en"]
    link_prob = dict(zip(columns.prob_names, columns.link_prob, strict=True))
    assert (link_prob["Stonework"], link_prob["Sting"], link_prob["STING"]) == (1.0, 1.0, 0.5)


def test_a_wiki_becomes_a_knowledge_base(tmp_path: Path) -> None:
    dump = write_wiki(tmp_path / "en.xml", "en", ENGLISH)
    kb = built(tmp_path / "kb", f"wikipedia:en={dump}")
    (source,) = kb.info()["sources"]
    told = {key: source[key] for key in ("pages", "redirects", "disambiguations", "entities")}
    assert told == {"pages": 10, "redirects": 4, "disambiguations": 1, "entities": 5}
    assert source["names"] == 11
    assert source["dropped"] == 0
    assert source["counts"]["redirects in circles"] == 2
    (mention,) = Linker(kb, "en").link(["We swam in the Spree."]).mentions(0)
    found = {c.title: round(c.commonness, 3) for c in mention.candidates}
    assert found == {"Spree (river)": 0.5, "Spree (band)": 0.5}  # two links each
    assert mention.candidates[0].link_probability == 1.0
    links = Linker(kb, "en").link(["The FRG, a German Republic"]).mentions(0)
    assert [m.candidates[0].title for m in links] == ["Germany", "Germany"]
    assert not list(tmp_path.glob(".kb*"))


def test_commonness_is_the_share_of_the_links(tmp_path: Path) -> None:
    """A title is a name twice over, and Wikidata gives it too: its links count once."""
    pages = [
        WikiPage("Mercury", [("Mercury", "Mercury"), ("Mercury", "Mercury"), ("Mercury", "it")]),
        WikiPage("Mercury (planet)", [("Mercury (planet)", "Mercury"), ("Mercury", "Mercury")]),
    ]
    dump = write_wiki(tmp_path / "en.xml", "en", pages)
    names = tmp_path / "more.jsonl"
    names.write_text('{"id": "wikipedia:en:Mercury", "names": {"en": ["Mercury"]}}\n')
    for sources in ([f"wikipedia:en={dump}"], [f"names:{names}", f"wikipedia:en={dump}"]):
        kb = built(tmp_path / "kb", *sources)
        (mention,) = Linker(kb, "en").link(["a ball of Mercury"]).mentions(0)
        shares = {candidate.title: candidate.commonness for candidate in mention.candidates}
        assert shares == {"Mercury": 0.75, "Mercury (planet)": 0.25}


def test_links_in_old_wikitext_join_wikis(tmp_path: Path) -> None:
    sources = [
        f"wikipedia:{code}={write_wiki(tmp_path / f'{code}.xml', code, pages)}"
        for code, pages in (("en", ENGLISH), ("de", GERMAN), ("sw", SWAHILI))
    ]
    kb = built(tmp_path / "kb", *sources)
    for text in ("Nilienda Berlin.", "Nchi ya Ujerumani"):
        (mention,) = Linker(kb, "sw", pivot="en").link([text]).mentions(0)
        assert mention.candidates[0].title in ("Berlin", "Germany")
    berlin = kb.index_of("wikipedia:en:Berlin")
    assert kb.index_of("wikipedia:sw:Berlin") == kb.index_of("wikipedia:de:Berlin") == berlin
    assert kb.index_of("wikipedia:de:Deutschland") == kb.index_of("wikipedia:en:Germany")
    # Without English in between, and in another order.
    kb = built(tmp_path / "kb2", sources[2], sources[1])
    assert kb.index_of("wikipedia:sw:Berlin") == kb.index_of("wikipedia:de:Berlin")


def test_langlinks_join_wikis_and_contradictions_do_not(tmp_path: Path) -> None:
    english = write_wiki(tmp_path / "en.xml", "en", ENGLISH)
    pages = [WikiPage("Mto", [("Berlin", "Berlin")]), WikiPage("Kijito", ["x "]), *SWAHILI]
    swahili = write_wiki(tmp_path / "sw.xml", "sw", pages)
    rows = [(1, "en", "River"), (2, "en", "River"), (9, "en", "River"), (3, "fr", "Berlin")]
    table = write_table(tmp_path / "l.sql.gz", "langlinks", "#ll_from ll_lang ll_title", rows)
    sources = [f"wikipedia:en={english}", f"wikipedia:sw={swahili}"]
    kb = built(tmp_path / "kb", *sources, langlinks={"sw": table})
    assert kb.index_of("wikipedia:sw:Mto") == kb.index_of("wikipedia:en:River")
    assert kb.index_of("wikipedia:sw:Kijito") != kb.index_of("wikipedia:en:River")
    assert kb.index_of("wikipedia:sw:Berlin") != kb.index_of("wikipedia:en:Berlin")


def test_items_of_page_props(tmp_path: Path) -> None:
    dump = write_wiki(tmp_path / "de.xml", "de", GERMAN)
    rows = [(70, "wikibase_item", "Q64"), (72, "disambiguation", ""), (71, "other", "Q1"),
            (999, "wikibase_item", "Q5")]  # fmt: skip
    table = write_table(tmp_path / "p.sql.gz", "page_props", "#pp_page pp_propname pp_value", rows)
    kb = built(tmp_path / "kb", f"wikipedia:de={dump}", page_props={"de": table})
    assert kb.title(kb.index_of("Q64"), "de") == "Berlin"
    assert kb.title(kb.index_of("wikipedia:de:Deutschland"), "de") == "Deutschland"
    assert kb.n_entities == 2  # the river is a disambiguation page, by the table
    assert kb.info()["sources"][0]["disambiguations"] == 1


def test_items_of_sitelinks_join_wikis(tmp_path: Path) -> None:
    sources = [
        f"wikipedia:{code}={write_wiki(tmp_path / f'{code}.xml', code, pages)}"
        for code, pages in (("en", ENGLISH), ("de", GERMAN))
    ]
    rows = [(64, "enwiki", "Berlin"), (64, "dewiki", "Berlin"), (64, "frwiki", "Berlin"),
            (183, "dewiki", "Deutschland"), (4022, "enwiki", "River"), (5, "enwiki", "No"),
    ]  # fmt: skip
    columns = "#ips_item_id ips_site_id ips_site_page"
    table = write_table(tmp_path / "s.sql.gz", "wb_items_per_site", columns, rows)
    kb = built(tmp_path / "kb", *sources, sitelinks=table)
    assert kb.titles([kb.index_of("Q64")], "en") == kb.titles([kb.index_of("Q64")], "de")
    assert kb.title(kb.index_of("Q4022"), "en") == "River"
    assert kb.title(kb.index_of("Q4022"), "de") is None  # language links are not read then
    assert kb.title(kb.index_of("Q183"), "de") == "Deutschland"


def test_items_of_a_wikidata_dump_join_wikis(tmp_path: Path) -> None:
    import json

    dump = write_wiki(tmp_path / "de.xml", "de", GERMAN)
    item = {
        "type": "item", "id": "Q64", "labels": {"sw": {"language": "sw", "value": "Berlin (mji)"}},
        "sitelinks": {"dewiki": {"site": "dewiki", "title": "Berlin"}},
    }  # fmt: skip
    (tmp_path / "wd.json").write_text("[\n" + json.dumps(item) + "\n]\n", "utf-8")
    for number, order in enumerate((1, -1)):
        sources = [f"wikipedia:de={dump}", f"wikidata:{tmp_path / 'wd.json'}"][::order]
        kb = built(tmp_path / f"kb{number}", *sources)
        (mention,) = Linker(kb, "de").link(["Die Hauptstadt"]).mentions(0)
        assert mention.candidates[0].entity == "Q64"
        assert kb.title(kb.index_of("wikipedia:de:Berlin"), "sw") == "Berlin (mji)"


def test_minimum_of_links_and_kept_disambiguations(tmp_path: Path) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', ENGLISH)}"
    kb = built(tmp_path / "kb", source, min_link_count=2)
    assert Linker(kb, "en").link(["the city"]).n_mentions == 0
    assert Linker(kb, "en").link(["Spree"]).n_mentions == 1
    assert Linker(built(tmp_path / "kb2", source), "en").link(["the city"]).n_mentions == 1
    kept = built(tmp_path / "kb3", source, keep_disambiguations=True)
    assert kept.index_of("wikipedia:en:Spree")


@pytest.mark.parametrize(
    ("pages", "more", "message"),
    [
        ([], "", "has no page with a text in its main namespace"),
        ([WikiPage("A", redirect="B")], "", "has no page with a text"),
        ([WikiPage("A", ["no link"])], "", "has no link in any page .1 pages"),
        ([WikiPage("A", ["{{disambig}} [[B]]"])], "", "none of 1 page is an entity"),
    ],
)
def test_what_comes_to_nothing_stops_early(
    tmp_path: Path, pages: list[WikiPage], more: str, message: str
) -> None:
    dump = write_wiki(tmp_path / "en.xml", "en", pages, more=more)
    with pytest.raises(InputError, match=message):
        built(tmp_path / "kb", f"wikipedia:en={dump}")


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("wikipedia:en", {}, "names no language"),
        ("wikipedia:enn=x", {}, "the code of no Wikipedia"),
        ("wikipedia:en=nowhere", {}, "nowhere: no such file"),
        ("wikipedia:en=DUMP", {"page_props": {"de": Path("x")}}, "no source is wikipedia:de"),
        ("wikipedia:en=DUMP", {"langlinks": {"en": Path("x")}}, "x: no such file"),
        ("wikipedia:en=DUMP", {"sitelinks": Path("x")}, "x: no such file"),
        ("cldr", {"sitelinks": Path("DUMP")}, "--sitelinks is for wikipedia"),
    ],
)
def test_what_would_fail_after_hours_fails_first(
    tmp_path: Path, source: str, options: dict[str, Any], message: str
) -> None:
    dump = write_wiki(tmp_path / "en.xml", "en", ENGLISH)

    def real(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: real(one) for key, one in value.items()}
        return dump if value == Path("DUMP") else value

    with pytest.raises(InputError, match=message):
        built(
            tmp_path / "kb", source.replace("DUMP", str(dump)),
            **{name: real(value) for name, value in options.items()},
        )  # fmt: skip
    assert not list(tmp_path.glob(".kb*"))


def test_two_dumps_of_one_wiki_and_a_language_not_kept(tmp_path: Path) -> None:
    dump = write_wiki(tmp_path / "en.xml", "en", ENGLISH)
    other = write_wiki(tmp_path / "other.xml", "en", ENGLISH)
    with pytest.raises(InputError, match="two dumps of the Wikipedia 'en'"):
        built(tmp_path / "kb", f"wikipedia:en={dump}", f"wikipedia:en={other}")
    with pytest.raises(InputError, match="--langs leaves out 'en'"):
        build_knowledge_base([f"wikipedia:en={dump}"], tmp_path / "kb", langs=["ja"], workers=1)


def test_what_a_damaged_dump_lost_is_in_the_report(tmp_path: Path) -> None:
    dump = write_wiki(tmp_path / "en.xml", "en", ENGLISH, more="<page><title>&x;</title></page>")
    with pytest.warns(OmissionWarning, match="1 not well-formed"):
        kb = built(tmp_path / "kb", f"wikipedia:en={dump}")
    assert kb.info()["sources"][0]["dropped"] == 1


def test_simple_english_is_english(tmp_path: Path) -> None:
    dump = write_wiki(tmp_path / "s.xml", "en", ENGLISH)
    kb = built(tmp_path / "kb", f"wikipedia:simple={dump}")
    assert kb.languages == ("en",)
    assert kb.index_of("wikipedia:simple:Berlin") >= 0


@pytest.mark.skipif(
    not MINIDUMPS.is_dir(), reason="the evaluation data is not beside the repository"
)
@pytest.mark.filterwarnings("ignore:.*it says that it is enwiki:isogloss.errors.OmissionWarning")
def test_berlin_is_carried_from_many_languages_to_english(tmp_path: Path) -> None:
    titles = {"en": "Berlin", "de": "Berlin", "ja": "ベルリン", "sw": "Berlin", "th": "เบอร์ลิน",
              "ar": "برلين", "ru": "Берлин", "ko": "베를린", "hi": "बर्लिन"}  # fmt: skip
    rows = [(64, f"{code}wiki", title) for code, title in titles.items()]
    columns = "#ips_item_id ips_site_id ips_site_page"
    table = write_table(tmp_path / "s.sql.gz", "wb_items_per_site", columns, rows)
    sources = [f"wikipedia:{code}={MINIDUMPS / f'{code}.xml.bz2'}" for code in titles]
    kb = built(tmp_path / "kb", *sources, sitelinks=table)
    for code, name in titles.items():
        found = Linker(kb, code, pivot="en").link([f"… {name} …"]).mentions(0)
        entities = [c.entity for mention in found for c in mention.candidates]
        assert entities == ["Q64"], code
        assert np.isclose(found[0].candidates[0].commonness, 1.0)
