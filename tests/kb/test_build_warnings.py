"""What a build says of a thin result: wikis apart, languages missing, links to no page."""

import logging
from pathlib import Path
from typing import Any

import pytest
from written_names import write_lines
from written_wikis import ENGLISH, GERMAN, WikiPage, built, write_table, write_wiki

from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.build.wikipedia_options import checked_code

APART = "other Wikipedias share hardly an entity with en (0 of 5), de (0 of 3)"
TO_GIVE = (
    "; give --sitelinks, or --page-props and --langlinks of each, or --source wikidata:DUMP, to "
    "join their pages"
)
# The German pages without their links between languages.
UNLINKED = [
    WikiPage(
        page.title,
        [
            piece if not isinstance(piece, str) else piece.partition("[[en:")[0]
            for piece in page.pieces
        ],
        id=page.id,
    )
    for page in GERMAN
]


def sources_of(tmp_path: Path, german: list[WikiPage]) -> list[str]:
    wikis = (("en", ENGLISH), ("de", german))
    return [f"wikipedia:{code}={write_wiki(tmp_path / code, code, pages)}" for code, pages in wikis]


def test_wikis_that_nothing_joins_are_warned_of(tmp_path: Path) -> None:
    with pytest.warns(OmissionWarning) as said:
        kb = built(tmp_path / "kb", *sources_of(tmp_path, UNLINKED))
    assert [str(one.message) for one in said] == [APART + TO_GIVE]
    assert kb.index_of("wikipedia:en:Berlin") != kb.index_of("wikipedia:de:Berlin")


def test_joined_wikis_and_single_ones_are_not_warned_of(tmp_path: Path) -> None:
    built(tmp_path / "kb", *sources_of(tmp_path, GERMAN))  # losses are errors in tests
    built(tmp_path / "kb", sources_of(tmp_path, UNLINKED)[1])


def test_what_a_names_file_joins_is_joined(tmp_path: Path) -> None:
    same = {
        "id": "wikipedia:de:Berlin", "names": {"de": ["Berlin"]},
        "same_as": ["wikipedia:en:Berlin"],
    }  # fmt: skip
    names = write_lines(tmp_path / "same.jsonl", same)
    kb = built(tmp_path / "kb", *sources_of(tmp_path, UNLINKED), f"names:{names}")
    assert kb.index_of("wikipedia:en:Berlin") == kb.index_of("wikipedia:de:Berlin")


def test_tables_that_join_nothing_are_told_of(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    columns, rows = "#ll_from ll_lang ll_title", [(70, "en", "Another town")]
    table = write_table(tmp_path / "l.sql.gz", "langlinks", columns, rows)
    caplog.set_level(logging.INFO, "isogloss")
    built(tmp_path / "kb", *sources_of(tmp_path, UNLINKED), langlinks={"de": table})
    assert f"{APART}; do the dumps hold the same articles?" in caplog.text


def test_a_few_entities_in_common_are_not_enough(tmp_path: Path) -> None:
    english = [WikiPage(f"Page {i}", ["x ", (f"Page {i}", "y")], id=i + 1) for i in range(300)]
    german = [WikiPage(f"Seite {i}", ["x [[en:Page 7]]" if i == 7 else "x ", ("Seite 1", "z")])
              for i in range(300)]  # fmt: skip
    wikis = (("en", english), ("de", german))
    sources = [
        f"wikipedia:{code}={write_wiki(tmp_path / code, code, pages)}" for code, pages in wikis
    ]
    with pytest.warns(OmissionWarning, match=r"with en \(1 of 300\), de \(1 of 300\); give --site"):
        built(tmp_path / "kb", *sources)


JAPANESE = [
    WikiPage("ベルリン", ["首都 ", ("ドイツ", "ドイツ"), "。"], id=5),
    WikiPage("ドイツ", [("ベルリン", "ベルリン")], id=6),
]


def test_a_wiki_apart_from_two_that_are_joined_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "isogloss")
    dumps = sources_of(tmp_path, GERMAN)
    dumps.append(f"wikipedia:ja={write_wiki(tmp_path / 'ja', 'ja', JAPANESE)}")
    apart = "other Wikipedias share hardly an entity with ja (0 of 2)"
    with pytest.warns(OmissionWarning) as said:
        kb = built(tmp_path / "kb", *dumps)
    assert [str(one.message) for one in said] == [apart + TO_GIVE]
    assert kb.index_of("wikipedia:en:Berlin") == kb.index_of("wikipedia:de:Berlin")
    with pytest.raises(OmissionWarning):  # as under --strict
        build_knowledge_base(dumps, tmp_path / "strict", workers=1)
    assert not (tmp_path / "strict").exists()
    # Items of the other two would not join it; those that it has itself could have done so.
    items = {}
    for code, page in (("en", 1), ("de", 70), ("ja", 5)):
        rows = [(page, "wikibase_item", "Q64" if code != "ja" else "Q1")]
        columns = "#pp_page pp_propname pp_value"
        items[code] = write_table(tmp_path / f"{code}.sql.gz", "page_props", columns, rows)
    two = {code: items[code] for code in ("en", "de")}
    with pytest.warns(OmissionWarning) as said:
        built(tmp_path / "kb", *dumps, page_props=two)
    assert [str(one.message) for one in said] == [apart + TO_GIVE]
    assert "same articles?" not in caplog.text
    built(tmp_path / "kb", *dumps, page_props=items)
    assert f"{apart}; do the dumps hold the same articles?" in caplog.text


def test_a_small_wiki_that_is_joined_is_apart_from_none(tmp_path: Path) -> None:
    english = [WikiPage(f"Page {i}", ["x ", (f"Page {i}", "y")], id=i + 1) for i in range(300)]
    german = [WikiPage("Seite", ["x [[en:Page 7]] ", ("Seite", "z")])]
    wikis = (("en", english), ("de", german))
    built(tmp_path / "kb", *(f"wikipedia:{code}={write_wiki(tmp_path / code, code, pages)}"
                             for code, pages in wikis))  # fmt: skip


def test_languages_that_no_source_names_are_warned_of_in_one_sentence(tmp_path: Path) -> None:
    names = {"id": "a", "names": {"en": ["Tokyo"], "pt": ["Tóquio"]}}
    file = write_lines(tmp_path / "n.jsonl", names)
    with pytest.warns(
        OmissionWarning, match=r"no source has names in sw, ja, of --langs; "
    ) as said:
        build_knowledge_base([f"names:{file}"], tmp_path / "kb", langs=["sw", "en", "ja", "pt-PT"])
    assert len(said) == 1
    with pytest.warns(
        OmissionWarning, match="kr, of --langs.*; if South Korea is meant, Korean is 'ko"
    ):
        build_knowledge_base([f"names:{file}"], tmp_path / "kr", langs=["kr", "en"])
    assert KnowledgeBase.open(tmp_path / "kb").languages == ("en", "pt")  # which serves pt-PT
    with pytest.raises(OmissionWarning):  # as under --strict
        build_knowledge_base([f"names:{file}"], tmp_path / "strict", langs=["sw", "en"])
    assert not (tmp_path / "strict").exists()


@pytest.mark.parametrize(
    ("options", "is_said"), [({}, True), ({"keep_red_links": 1}, False)], ids=["plain", "kept"]
)
def test_links_to_no_page_are_said_where_they_are_most(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, options: dict[str, Any], is_said: bool
) -> None:
    caplog.set_level(logging.INFO, "isogloss")
    few = [WikiPage("A", [("B", "b"), " ", ("B", "b"), " ", ("C", "c")]), WikiPage("B")]
    most = [WikiPage("A", [("B", "b"), " ", ("C", "c"), " ", ("D", "d")]), WikiPage("B")]
    built(tmp_path / "few", f"wikipedia:en={write_wiki(tmp_path / 'f.xml', 'en', few)}", **options)
    assert "lead to no page" not in caplog.text
    dump = write_wiki(tmp_path / "m.xml", "en", most)
    built(tmp_path / "most", f"wikipedia:en={dump}", **options)
    said = f"{dump}: 2 of 3 links within the wiki lead to no page of the dump, and are left out; "
    assert (f"{said}--keep-red-links N lets titles" in caplog.text) == is_said


@pytest.mark.parametrize(
    ("code", "meant"),
    [("enwiki", "en"), ("zh_yuewiki", "zh-yue"), ("eng", "en"), ("de.wikipedia.org", "de"),
     ("https://ja.wikipedia.org", "ja"), ("nob", "no"), ("jaa", "ja")],
)  # fmt: skip
def test_other_names_of_a_wiki_give_its_code(code: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf"code of no Wikipedia, .* did you mean '{meant}'\?"):
        checked_code(code)


@pytest.mark.parametrize("row", [0, 2])
def test_a_key_of_a_names_file_that_stands_twice_is_refused(tmp_path: Path, row: int) -> None:
    lines = [f'{{"id": "a:{i}", "names": {{"en": ["Name {i}"]}}}}' for i in range(3)]
    for doubled in ('{"id": "b", "names": {"en": ["x"], "en": ["y"]}}', '{"id": "b", "id": "c"}'):
        path = tmp_path / "n.jsonl"
        path.write_text("\n".join([*lines[:row], doubled, *lines[row:]]))
        with pytest.raises(InputError, match=rf"n\.jsonl:{row + 1}: .* stands twice in one object"):
            build_knowledge_base([f"names:{path}"], tmp_path / "kb")


def test_a_misspelt_field_of_a_names_file_is_said(tmp_path: Path) -> None:
    entity = {"id": "a", "names": {"en": ["Name"]}}
    other = {"colour": 1, "uid": 2, "keywords": {"en": ["word"]}}  # not used, and not misspelt
    built(tmp_path / "kb", f"names:{write_lines(tmp_path / 'other.jsonl', entity | other)}")
    path = write_lines(tmp_path / "n.jsonl", entity | other | {"tpyes": ["x"], "Popularity": 3})
    with pytest.warns(OmissionWarning) as said:
        kb = built(tmp_path / "kb2", f"names:{path}")
    assert [str(one.message) for one in said] == [
        f"{path}: '{field}' of 1 line is not used; did you mean '{near}'? rename it, or take it out"
        for field, near in (("tpyes", "types"), ("Popularity", "popularity"))
    ]
    assert kb.info()["sources"][0]["unused_fields"].keys() == {*other, "tpyes", "Popularity"}
    path = write_lines(tmp_path / "n.jsonl", {"id": "a", "nmae": {"en": ["Name"]}})
    with pytest.raises(InputError, match=r"no names; .*; did you mean 'names' by 'nmae'\?"):
        build_knowledge_base([f"names:{path}"], tmp_path / "kb3")
    (tmp_path / "n.csv").write_text("id,lang,name,typ\na,en,Name,x\n")
    with pytest.warns(OmissionWarning, match="'typ' of 1 line is not used; did you mean 'type'?"):
        built(tmp_path / "kb3", f"names:{tmp_path / 'n.csv'}")
