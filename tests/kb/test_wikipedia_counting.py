"""Counting as wikipedia2vec does, against its rules in plain Python; titles without a page."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pytest
from written_wikis import WikiPage, write_table, write_wiki

from isogloss.cli.main import main
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, Linker, build_knowledge_base
from isogloss.kb.build.gathered import TITLE_ONLY, Gathered, LanguageChoice
from isogloss.kb.build.source import Source
from isogloss.kb.build.wikipedia_options import WikipediaOptions
from isogloss.kb.build.wikipedias import Wikipedias

FIVE = 5
PAGES = [
    WikiPage("Bonn", ["Bonn on the ", *[("Rhine", "Rhine"), " and the Rhine, "] * FIVE]),
    WikiPage("Rhine", ["The Rhine. ", *[("Bonn", "BONN"), " ", ("bonn", "Old  Bonn"), " "] * 3,
                       "\n== Rest ==\n", ("Rhine", "river"), " river, rivers, Rhine river"]),
    WikiPage("Mercury (planet)", [*[("Hermes_god", "Mercury"), " "] * FIVE,
                                  ("Mercury (planet)", "Mercury"), " mercury",
                                  *[" ", ("Mercury (planet)", "it")] * 4]),
    WikiPage("Rivers", [("Bonn#History", "Bonn"), *[" ", ("Category:Towns", "Towns")] * FIVE,
                        *[" ", ("wikt:dog", "dog"), " ", ("Template:X", "x y")] * FIVE]),
    WikiPage("Lists", ["{{disambig}}", *[("Rhine", "Rhine"), " ", ("Lists", "lists"), " "] * FIVE]),
    # A chain in the order of its titles, one against it, a circle, and ends without a page.
    WikiPage("A", redirect="B"),
    WikiPage("B", redirect="Zurich"),
    WikiPage("Y", redirect="X"),
    WikiPage("X", redirect="Winterthur"),
    WikiPage("Loop", redirect="Pool"),
    WikiPage("Pool", redirect="Loop"),
    WikiPage("Self", redirect="Self"),
    WikiPage("Towns", redirect="Category:Towns"),
    WikiPage("Dead", redirect="No page"),
    WikiPage("Chains", [*[("A", "a1"), " ", ("B", "b1"), " ", ("Y", "y1"), " "] * FIVE,
                        *[("X", "x1"), " ", ("Loop", "loop"), " ", ("Pool", "pool"), " "] * FIVE,
                        *[("Self", "self"), " ", ("Towns", "towns"), " "] * FIVE,
                        *[("Dead", "dead end"), " ", ("Zurich", "Zurich"), " "] * FIVE,
                        *[("Winterthur", "town"), " "] * FIVE]),
    WikiPage("Names", [*[("Long", "a name of twenty-one c"), " "] * FIVE, ("Long", "Yahoo!"), " ",
                       ("Long", "ΟΔΟΣ"), " ", ("Long", "x_y"), " ΟΔΟΣ, ΟΔΟΣα, x_yz ",
                       ("Long", "İzmir"), " Rhine Bonn\n== After ==\nRhine bonn ἄ x_y"]),
    WikiPage("Red", [*[("Red link", "red link"), " "] * 4, ("Rare", "rare")]),
]  # fmt: skip

Counts = dict[tuple[str, str], tuple[int, int, int]]  # links, links with the name, pages


def slow_counts(pages: Sequence[WikiPage]) -> Counts:
    """Return what `mention_db.py` and `dictionary.py` of wikipedia2vec 2.0.0 count."""
    links = [(_title(p[0]), p[1]) for page in pages for p in page.pieces if not isinstance(p, str)]
    redirects = {page.title: page.redirect for page in pages if page.redirect}
    in_order = sorted(redirects, key=str.encode)
    counter = Counter(title for title, _ in links if "#" not in title)
    for title in in_order:
        counter[redirects[title]] += counter[title]
        del counter[title]
    marked = {page.title for page in pages if "{{disambig}}" in page.wikitext}
    entities = {
        title for title, n in counter.items()
        if n >= FIVE and not title.startswith("Category:") and title not in marked
    }  # fmt: skip
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for title, text in links:
        entity = redirects.get(title)
        entity = entity if entity in entities else title
        if len(text) <= 20 and entity in entities:
            names[text.lower()][entity] += 1
    pages_with = Counter(
        name for page in pages
        for name in {n for part in page.text.split("\n==") for n in _names_in(part, set(names))}
    )  # fmt: skip
    return {
        (name, entity): (n, of_name.total(), pages_with[name])
        for name, of_name in names.items()
        for entity, n in of_name.items()
        if pages_with[name]
    }


def _title(target: str) -> str:
    return (target[0].upper() + target[1:]).replace("_", " ")


def _names_in(text: str, names: set[str]) -> set[str]:
    tokens = [found.span() for found in re.finditer(r"[\w\d]+", text)]
    small, ends = text.lower(), {end for _, end in tokens}
    return {
        small[start : start + n]
        for start, _ in tokens
        for n in range(1, 21)
        if start + n in ends and small[start : start + n] in names
    }


def gathered_of(tmp_path: Path, pages: Sequence[WikiPage], **options: object) -> Gathered:
    dump = write_wiki(tmp_path / "en.xml", "en", pages)
    source = Source.parse(f"wikipedia:en={dump}")
    choose = LanguageChoice(None)
    chosen = WikipediaOptions(**options)  # type: ignore[arg-type]
    gathered = Gathered(choose)
    wikis = Wikipedias([source], tmp_path / "kb", chosen, workers=1)
    wikis.count()
    wikis.gather(source, gathered)
    return gathered


def built(tmp_path: Path, out: str, pages: Sequence[WikiPage], **options: object) -> KnowledgeBase:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', pages)}"
    chosen = WikipediaOptions(**options)  # type: ignore[arg-type]
    build_knowledge_base([source], tmp_path / out, wikipedia=chosen, workers=1, overwrite=True)
    return KnowledgeBase.open(tmp_path / out)


def test_names_and_numbers_are_those_of_wikipedia2vec(tmp_path: Path) -> None:
    expected = slow_counts(PAGES)
    gathered = gathered_of(tmp_path, PAGES, counting="wikipedia2vec")
    names, ids = gathered.languages["en"], list(gathered.index)
    rows = zip(names.names, names.entity, names.count, names.kind, strict=True)
    found = {
        (name, ids[entity].removeprefix("wikipedia:en:").replace("_", " ")): n
        for name, entity, n, kind in rows
        if kind != TITLE_ONLY
    }
    assert found == {pair: counts[0] for pair, counts in expected.items()}
    link_prob = dict(zip(names.prob_names, names.link_prob, strict=True))
    assert link_prob == pytest.approx(
        {name: min(1.0, counts[1] / counts[2]) for (name, _), counts in expected.items()}
    )
    linked = {entity for _, entity in expected}
    assert {"Zurich", "X", "Hermes god", "Wikt:dog", "Template:X", "No page", "Loop"} <= linked
    assert not linked & {"Category:Towns", "Lists", "Red link", "B", "Self"}
    assert {name for name, _ in expected} >= {"rhine", "bonn", "old  bonn", "οδος", "x_y"}
    assert not {name for name, _ in expected} & {"yahoo!", "a name of twenty-one c", "a1"}


def test_the_knowledge_base_has_the_numbers_and_no_names_from_titles(tmp_path: Path) -> None:
    kb = built(tmp_path, "kb", PAGES, counting="wikipedia2vec")
    linker = Linker(kb, "en", min_link_prob=0, min_commonness=0)
    (mention,) = linker.link(["the MERCURY"]).mentions(0)
    (candidate, other) = mention.candidates
    assert (candidate.title, other.title) == ("Hermes god", "Mercury (planet)")
    assert candidate.commonness == pytest.approx(5 / 6)
    assert Linker(kb, "en").link(["Hermes god"]).n_mentions == 0
    assert Linker(kb, "en", min_link_prob=0).link(["Old  Bonn, RIVER"]).n_mentions == 2


def test_thresholds_of_wikipedia2vec_are_those_of_the_linker(tmp_path: Path) -> None:
    pages = [WikiPage("Rare", [*[("Common", "common"), " "] * FIVE, ("Rare", "rare")]),
             *(WikiPage(f"P{i}", ["common"]) for i in range(30))]  # fmt: skip
    kb = built(tmp_path, "kb", pages, counting="wikipedia2vec")
    assert Linker(kb, "en", min_link_prob=0.2).link(["common"]).n_mentions == 0
    assert Linker(kb, "en", min_link_prob=5 / 31).link(["common"]).n_mentions == 1


def test_one_and_two_workers_count_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.wiki.dump.reader.BLOCK", 1000)
    monkeypatch.setattr("isogloss.wiki.dump.parts.BLOCKS", 1)
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', PAGES)}"
    bases = []
    for workers in (1, 2):
        options = WikipediaOptions(counting="wikipedia2vec", work=tmp_path / f"work{workers}")
        out = tmp_path / f"kb{workers}"
        build_knowledge_base([source], out, wikipedia=options, workers=workers)
        bases.append(KnowledgeBase.open(out).fingerprint)
    assert bases[0] == bases[1]
    assert len(list((tmp_path / "work1").rglob("*.part"))) > 1


def test_titles_without_a_page_can_be_entities(tmp_path: Path) -> None:
    without = built(tmp_path, "kb", PAGES)
    kept = built(tmp_path, "kb4", PAGES, keep_red_links=4)
    fewer = built(tmp_path, "kb1", PAGES, keep_red_links=1)
    names = [Linker(kb, "en").link(["red link, rare"]).n_mentions for kb in (without, kept, fewer)]
    assert names == [0, 1, 2]
    assert kept.title(kept.index_of("wikipedia:en:Red_link"), "en") == "Red link"
    counts = [kb.info()["sources"][0]["counts"] for kb in (without, kept)]
    left_out = [count["links to no page"] for count in counts]
    # Red link, and what chains lead to: Zurich, Winterthur; Long and Hermes god have five too.
    assert left_out[0] - left_out[1] == 4 + 5 + 5 + 9 + 5
    ids = [kept.entity_id(i) for i in range(kept.n_entities)]
    assert "wikipedia:en:Template:X" not in ids


def test_a_work_folder_of_the_other_counting_is_refused(tmp_path: Path) -> None:
    built(tmp_path, "kb", PAGES, work=tmp_path / "work")
    with pytest.raises(InputError, match="with another --limit or --counting,"):
        built(tmp_path, "kb", PAGES, work=tmp_path / "work", counting="wikipedia2vec")


def test_disambiguation_pages_can_be_kept(tmp_path: Path) -> None:
    pages = [WikiPage("Rhine", ["{{disambig}}", *[("Rhine", "the rhine"), " "] * FIVE]),
             WikiPage("Bonn", ["the rhine ", *[("Bonn", "bonn"), " "] * FIVE])]  # fmt: skip
    names = []
    for keeps in (False, True):
        kb = built(
            tmp_path, f"kb{keeps}", pages, counting="wikipedia2vec", keep_disambiguations=keeps
        )
        assert kb.info()["sources"][0]["disambiguations"] == 1
        found = Linker(kb, "en", min_link_prob=0).link(["the rhine bonn"]).mentions(0)
        names.append([mention.surface for mention in found])
    assert names == [["bonn"], ["the rhine", "bonn"]]


def test_redirects_of_tables_count(tmp_path: Path) -> None:
    pages = [WikiPage("Bonn", ["the town ", *[("Bonn town", "the town"), " "] * 4,
                               *[("Bonn", "bonn"), " "] * 4])]  # fmt: skip
    page = write_table(
        tmp_path / "page.sql.gz", "page", "#page_id #page_namespace page_title #page_is_redirect",
        [(1, 0, "Bonn", 0), (50, 0, "Bonn_town", 1)],
    )  # fmt: skip
    redirect = write_table(
        tmp_path / "redirect.sql.gz", "redirect", "#rd_from #rd_namespace rd_title rd_interwiki",
        [(50, 0, "Bonn", "")],
    )  # fmt: skip
    tables = {"page": {"en": page}, "redirect": {"en": redirect}}
    with pytest.raises(InputError, match="none of 1 page is an entity"):  # four links each
        built(tmp_path, "without", pages, counting="wikipedia2vec")
    kb = built(tmp_path, "kb", pages, counting="wikipedia2vec", **tables)
    (mention,) = Linker(kb, "en", min_link_prob=0).link(["the town"]).mentions(0)
    assert [candidate.title for candidate in mention.candidates] == ["Bonn"]


def test_titles_that_are_no_names_are_counted_apart(tmp_path: Path) -> None:
    links = [("Bonn", "the town"), " ", ("Rhine", "it"), " "]
    pages = [WikiPage("Bonn", ["the town it ", *links * FIVE]), WikiPage("Rhine", ["the town"])]
    (counts,) = built(tmp_path, "kb", pages, counting="wikipedia2vec").info()["languages"].values()
    assert counts == {
        "n_names": 2, "n_entities": 2, "n_spellings": 1, "n_blocked": 1, "n_keywords": 0,
        "n_titles_only": 2,
    }  # fmt: skip


def test_options_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--min-link-count is of no use with --counting wiki"):
        WikipediaOptions(counting="wikipedia2vec", min_link_count=2)
    with pytest.raises(InputError, match="--keep-red-links is of no use"):
        WikipediaOptions(counting="wikipedia2vec", keep_red_links=2)
    with pytest.raises(InputError, match=r"no counting 'wikipedia'.*wikipedia2vec"):
        WikipediaOptions(counting="wikipedia")  # type: ignore[arg-type]


def test_options_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', PAGES)}"
    command = ["kb", "build", "--source", source, "--workers", "1", "--out"]
    assert main([*command, str(tmp_path / "a"), "--counting", "wikipedia2vec"]) == 0
    assert main([*command, str(tmp_path / "b"), "--keep-red-links", "4"]) == 0
    assert KnowledgeBase.open(tmp_path / "a").index_of("wikipedia:en:Template:X") >= 0
    assert KnowledgeBase.open(tmp_path / "b").index_of("wikipedia:en:Red_link") >= 0
    assert main([*command, str(tmp_path / "c"), "--counting", "other"]) == 2
    assert "wikipedia2vec" in capsys.readouterr().err
