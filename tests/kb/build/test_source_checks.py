"""What a build refuses or tells before it begins: sources, options, tables of other wikis."""

import gzip
import io
import json
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from written_wikis import WikiPage, write_table, write_wiki

from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.build.wikipedia_options import WikipediaOptions
from isogloss.wiki.dump.other_wiki import warn_of_other_wiki

PAGES = [
    WikiPage("Berlin", [("Germany", "Germany"), ". ", ("Mercury", "Mercury")], id=64),
    WikiPage("Germany", [("Berlin", "Berlin")], id=183),
    WikiPage("Mercury", ["{{disambig}} ", ("Berlin", "a town")], id=9),
]
PROPERTIES = "#pp_page pp_propname pp_value"
LINKS = "#ll_from ll_lang ll_title"
ITEMS = "#ips_item_id ips_site_id ips_site_page"


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return write_wiki(tmp_path / "en.xml", "en", PAGES)


@pytest.fixture
def german(tmp_path: Path) -> Path:
    return write_wiki(tmp_path / "de.xml", "de", PAGES)


def build(tmp_path: Path, *sources: str, **options: Any) -> KnowledgeBase:
    own = {name: options.pop(name) for name in ("langs", "min_sitelinks") if name in options}
    build_knowledge_base(
        sources, tmp_path / "kb", workers=1, wikipedia=WikipediaOptions(**options), **own
    )
    return KnowledgeBase.open(tmp_path / "kb")


def refused(tmp_path: Path, *sources: str, **options: Any) -> str:
    """Build what must be refused before anything is counted; return the sentence."""
    before = sorted(tmp_path.rglob("*"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(
            "isogloss.kb.build.wikipedias.count_wiki", lambda *_, **__: pytest.fail("late")
        )
        with pytest.raises(InputError) as raised:
            build(tmp_path, *sources, **options)
    assert sorted(tmp_path.rglob("*")) == before
    return str(raised.value)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("foo", "no source 'foo'"),
        ("names:missing.csv", "missing.csv: no such file"),
        ("wikidata:missing.json", "missing.json: no such file; give a JSON dump"),
        ("wikipedia:de=.", ".: is a folder; give a dump of pages-articles"),
        ("wikipedia:de=WEB", "is a web page"),
        ("cldr", "the source 'cldr' is given twice"),
        ("wikipedia:en=DUMP", "is given twice"),
        ("wikipedia:EN=DUMP", "are the same; leave one out"),
        ("wikipedia:en=DE", "two dumps of the Wikipedia 'en'"),
    ],
)
def test_sources_are_looked_at_first(
    tmp_path: Path, dump: Path, german: Path, more: str, message: str
) -> None:
    web = tmp_path / "web.xml"
    web.write_text("<html><body>Not found</body></html>")
    for word, file in (("DUMP", dump), ("DE", german), ("WEB", web)):
        more = more.removesuffix(word) + (str(file) if more.endswith(f"={word}") else "")
    assert message in refused(tmp_path, "cldr", f"wikipedia:en={dump}", more)


def test_the_language_of_a_dump_is_among_those_wanted(tmp_path: Path, dump: Path) -> None:
    message = refused(tmp_path, f"wikipedia:en={dump}", langs=["ja"])
    assert message == f"--langs leaves out 'en', the language of wikipedia:en={dump}"


def test_standard_input_is_read_once(tmp_path: Path, dump: Path) -> None:
    message = refused(tmp_path, "wikipedia:en=-", "wikidata:-", "cldr")
    assert "standard input can be read once, but wikipedia:en=- and wikidata:- are" in message
    message = refused(tmp_path, f"wikipedia:en={dump}", langlinks={"en": Path("-")})
    assert message == "a table is not read from standard input; --langlinks takes LANG=FILE"
    message = refused(tmp_path, "names:-")
    assert message == "a names file has a name, by which its format is told; give names:FILE"
    message = refused(tmp_path, f"wikipedia:en={dump}", sitelinks=Path("-"))
    assert "a table is not read from standard input" in message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("limit", 3), ("min_link_count", 2), ("keep_red_links", 2), ("keep_disambiguations", True),
        ("work", Path("wk")), ("sitelinks", Path("x")),
    ],
)  # fmt: skip
def test_options_of_wikipedias_need_one(tmp_path: Path, option: str, value: Any) -> None:
    flag = f"--{option.replace('_', '-')}"
    message = refused(tmp_path, "cldr", **{option: value})
    assert message == f"{flag} is for wikipedia:LANG=DUMP sources; give one"


def test_least_sitelinks_need_wikidata(tmp_path: Path, dump: Path) -> None:
    message = refused(tmp_path, f"wikipedia:en={dump}", "cldr", min_sitelinks=5)
    assert message == "--min-sitelinks is for wikidata:DUMP sources; give one"


def test_the_work_folder_is_no_file_and_not_the_knowledge_base(tmp_path: Path, dump: Path) -> None:
    source = f"wikipedia:en={dump}"
    assert refused(tmp_path, source, work=dump) == f"{dump}: is a file; --work takes a folder"
    for work in (tmp_path / "kb", tmp_path / "." / "kb" / "work"):
        assert "give --work a folder of its own" in refused(tmp_path, source, work=work)
    build(tmp_path, source, work=tmp_path / "work")


def test_tables_are_looked_at_first(tmp_path: Path, dump: Path) -> None:
    source = f"wikipedia:en={dump}"
    table = write_table(
        tmp_path / "p.sql", "page_props", PROPERTIES, [(64, "wikibase_item", "Q64")]
    )
    message = refused(tmp_path, source, langlinks={"en": table})
    assert message.startswith(f"{table}: holds no table 'langlinks', but page_props")
    message = refused(tmp_path, source, sitelinks=table)
    assert "holds no table 'wb_items_per_site'" in message
    folder = tmp_path / "tables"
    folder.mkdir()
    assert "is a folder" in refused(tmp_path, source, langlinks={"en": folder})
    text = gzip.decompress(table.read_bytes()).decode()
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        table.write_bytes(text.encode(encoding))
        assert "is UTF-16; mysqldump writes UTF-8" in refused(
            tmp_path, source, page_props={"en": table}
        )


def test_a_pipe_is_not_read_for_a_look(tmp_path: Path, dump: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    message = refused(tmp_path, f"wikipedia:en={dump}", page_props={"en": pipe})
    assert "is a pipe or device" in message


def test_a_table_behind_others_is_found(tmp_path: Path, dump: Path) -> None:
    first = write_table(tmp_path / "l.sql", "langlinks", LINKS, [(64, "de", "Berlin")] * 90_000)
    table = write_table(
        tmp_path / "p.sql", "page_props", PROPERTIES, [(64, "wikibase_item", "Q64")]
    )
    table.write_bytes(first.read_bytes() + table.read_bytes())
    kb = build(tmp_path, f"wikipedia:en={dump}", page_props={"en": table})
    assert kb.title(kb.index_of("Q64"), "en") == "Berlin"


def test_the_head_of_another_wiki_is_told(
    tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(64, "wikibase_item", "Q64")]
    for of in ("", "enwiki", "my_wiki"):
        table = write_table(tmp_path / "p.sql", "page_props", PROPERTIES, rows, of=of)
        build(tmp_path, f"wikipedia:en={dump}", page_props={"en": table})
        KnowledgeBase.open(tmp_path / "kb").path.rename(tmp_path / f"kb-{of}")
    for of in ("jawiki", "enwiktionary", "commonswiki"):
        table = write_table(tmp_path / "p.sql", "page_props", PROPERTIES, rows, of=of)
        with pytest.raises(
            OmissionWarning, match=f"p.sql: it says that it is {of}, and is read as"
        ):
            build(tmp_path, f"wikipedia:en={dump}", page_props={"en": table})
    info = (
        "<siteinfo><dbname>jawiki</dbname><namespaces>"
        '<namespace key="0" /><namespace key="6">ファイル</namespace></namespaces></siteinfo>'
    )
    dump.write_text(dump.read_text().replace("\n", info, 1))
    assert not list(tmp_path.glob(".kb*"))
    for source in (f"wikipedia:en={dump}", "wikipedia:en=-"):
        stdin = io.TextIOWrapper(io.BytesIO(dump.read_bytes()))
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(OmissionWarning, match="it says that it is jawiki"):
            build(tmp_path, source)


@pytest.mark.parametrize(
    ("code", "database", "is_other"),
    [
        ("be-tarask", "be_x_oldwiki", False), ("be-x-old", "be_x_oldwiki", False),
        ("nb", "nowiki", False), ("zh-yue", "zh_yuewiki", False), ("zh", "zh_yuewiki", True),
        ("en", "simplewiki", True), ("en", "wikidatawiki", True), ("en", "mywiki", True),
        ("en", "ourwiki", False), ("en", "wiki", False), ("en", "enwiki_p", False),
    ],
)  # fmt: skip
def test_which_databases_are_of_another_wiki(code: str, database: str, is_other: bool) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_other_wiki(Path("file"), code, database)
    assert len(caught) == is_other  # "my" is Burmese


@pytest.mark.parametrize(
    "rows", [[], [(1, "x", "Q7")], [(5, "wikibase_item", "Q7"), (6, "disambiguation", "")]]
)
def test_properties_that_fit_nothing_are_told_and_templates_serve(
    tmp_path: Path, dump: Path, rows: list[Any]
) -> None:
    table = write_table(tmp_path / "p.sql", "page_props", PROPERTIES, rows)
    if not rows:
        text = gzip.decompress(table.read_bytes())
        table.write_bytes(text.replace(b"INSERT INTO `page_props` VALUES ;", b""))
    with pytest.warns(
        OmissionWarning, match=r"p\.sql: it has the Wikidata item of none of 3 pages"
    ):
        kb = build(tmp_path, f"wikipedia:en={dump}", page_props={"en": table})
    assert kb.info()["sources"][0]["disambiguations"] == 1
    assert kb.n_entities == 2


def test_how_many_pages_have_an_item_is_told(
    tmp_path: Path, dump: Path, german: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table = write_table(
        tmp_path / "p.sql", "page_props", PROPERTIES, [(64, "wikibase_item", "Q64")]
    )
    sources = [f"wikipedia:en={dump}", f"wikipedia:de={german}"]
    sitelinks = write_table(tmp_path / "s.sql", "wb_items_per_site", ITEMS, [(7, "frwiki", "B")])
    caplog.set_level(logging.INFO, "isogloss")
    with pytest.warns(
        OmissionWarning, match=r"s\.sql: it has the Wikidata item of no page of enwiki, "
    ):
        build(tmp_path, *sources, page_props={"en": table}, sitelinks=sitelinks)
    assert f"{dump}: Wikidata items are known of 1 of 2 pages" in caplog.messages
    (tmp_path / "kb").rename(tmp_path / "before")
    sitelinks = write_table(
        tmp_path / "s.sql", "wb_items_per_site", ITEMS, [(7, "enwiki", "Berlin")]
    )
    with pytest.warns(OmissionWarning, match=r"no page of dewiki$"):
        build(tmp_path, *sources, sitelinks=sitelinks)


def test_language_links_that_fit_nothing_are_told(tmp_path: Path, dump: Path) -> None:
    table = write_table(tmp_path / "l.sql", "langlinks", LINKS, [(5, "de", "Berlin")])
    with pytest.warns(OmissionWarning, match=r"l\.sql: it has a link of no page of enwiki"):
        build(tmp_path, f"wikipedia:en={dump}", langlinks={"en": table})


def test_items_that_are_no_number_are_rows_lost(tmp_path: Path, dump: Path) -> None:
    values = ["Q64", "Q99999999999999999999", "64", "Q", "L5"]
    pages = [64, 183, 9, 9, 9]
    rows = [(page, "wikibase_item", value) for page, value in zip(pages, values, strict=True)]
    table = write_table(tmp_path / "p.sql", "page_props", PROPERTIES, rows)
    with pytest.warns(OmissionWarning, match=r"p\.sql: lost: 4 rows"):
        kb = build(tmp_path, f"wikipedia:en={dump}", page_props={"en": table})
    assert kb.index_of("Q64") >= 0
    assert kb.index_of("wikipedia:en:Germany") >= 0


def stopped(tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Stop a build when its parts are there."""
    with monkeypatch.context() as patched:

        def stop(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        patched.setattr("isogloss.kb.build.wikipedia_source.write_counts", stop)
        with pytest.raises(KeyboardInterrupt):
            build(tmp_path, f"wikipedia:en={dump}", **options)


def test_the_hidden_folder_of_another_build_is_in_nobodys_way(
    tmp_path: Path, dump: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other = write_wiki(tmp_path / "other.xml", "en", [*PAGES, WikiPage("Spree", ["x"])])
    hidden, work = tmp_path / ".kb.wikipedia", tmp_path / "work"
    caplog.set_level(logging.INFO, "isogloss")
    stopped(tmp_path, other, monkeypatch)
    assert any(hidden.rglob("*.part"))
    assert any(str(hidden) in said and "resumes from it" in said for said in caplog.messages)
    caplog.clear()
    assert build(tmp_path, f"wikipedia:en={dump}", limit=2).n_entities == 2
    assert any("begins anew, since it held the work on another" in said for said in caplog.messages)
    assert not hidden.exists()
    (tmp_path / "kb").rename(tmp_path / "before")
    stopped(tmp_path, other, monkeypatch, work=work)
    parts = sorted(work.rglob("*.part"))
    with pytest.raises(InputError, match="give another --work"):
        build(tmp_path, f"wikipedia:en={dump}", work=work)
    assert sorted(work.rglob("*.part")) == parts


@pytest.mark.parametrize("damaged", ["{}", "[1]", '{"n_parts": 1, "lost": {"a": "b"}}', "{"])
def test_a_damaged_file_of_a_work_folder_is_named(tmp_path: Path, dump: Path, damaged: str) -> None:
    work = tmp_path / "work"
    build(tmp_path, f"wikipedia:en={dump}", work=work)
    (tmp_path / "kb").rename(tmp_path / "before")
    file = work / "en" / "extraction.json"
    whole = json.loads(file.read_text())
    file.write_text(damaged)
    with pytest.raises(InputError, match=r"extraction\.json: damaged") as raised:
        build(tmp_path, f"wikipedia:en={dump}", work=work)
    assert "\n" not in str(raised.value)
    file.unlink()
    build(tmp_path, f"wikipedia:en={dump}", work=work)
    assert json.loads(file.read_text()) == whole
