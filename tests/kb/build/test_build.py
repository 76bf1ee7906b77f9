import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, Linker, build_knowledge_base

MakeKb = Callable[..., KnowledgeBase]
DATA = ROOT / "../shared/data"


def commonness(kb: KnowledgeBase, text: str, lang: str = "en", **options: Any) -> dict[str, float]:
    mentions = Linker(kb, lang, **options).link([text]).mentions(0)
    return {c.entity: round(c.commonness, 3) for m in mentions for c in m.candidates}


def test_first_names_are_titles_and_types_are_kept(world: KnowledgeBase) -> None:
    index = world.index_of("Q7842")
    assert world.title(index, "ja") == "東京大学"
    assert world.title(index, "ko") is None
    assert world.types(index) == ("university", "organisation")
    assert world.titles([index, world.index_of("Q5")], "en") == ["University of Tokyo", None]
    assert world.has_title("zh").sum() == 2
    assert not world.has_title("yo").any()


def test_entities_are_numbered_in_the_order_of_their_ids(world: KnowledgeBase) -> None:
    ids = [world.entity_id(i) for i in range(world.n_entities)]
    assert ids == sorted(ids)
    assert [world.index_of(entity_id) for entity_id in ids] == list(range(world.n_entities))


def test_an_unknown_id_is_answered_with_near_ones(world: KnowledgeBase) -> None:
    with pytest.raises(InputError, match="no entity 'Q7843'; the nearest are Q7842"):
        world.index_of("Q7843")


def test_same_as_joins_entities_across_files_under_the_wikidata_id(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"id": "my:de", "names": {"de": ["Deutschland"]}, "same_as": ["cldr:territory/DE"],
         "types": ["country"]},
        {"id": "Q183", "names": {"fr": ["Allemagne"]}, "same_as": ["cldr:territory/DE"]},
        {"id": "cldr:territory/DE", "names": {"de": ["BRD"]}, "types": ["territory"]},
    )  # fmt: skip
    assert kb.n_entities == 1
    assert kb.entity_id(0) == "Q183"
    assert kb.index_of("my:de") == kb.index_of("cldr:territory/DE") == 0
    assert kb.title(0, "de") == "Deutschland"
    assert kb.types(0) == ("country", "territory")
    assert commonness(kb, "BRD Deutschland", "de") == {"Q183": 1.0}


def test_counts_give_commonness_and_new_names(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"id": "e:city", "names": {"en": ["Paris"]}, "counts": {"en": {"Paris": 90, "Panam": 3}}},
        {"id": "e:hero", "names": {"en": ["Paris"]}, "counts": {"en": {"Paris": 10}}},
    )
    assert commonness(kb, "Paris") == {"e:city": 0.9, "e:hero": 0.1}
    assert commonness(kb, "Panam") == {"e:city": 1.0}
    assert kb.title(0, "en") == "Paris"


def test_without_counts_popularity_scales_a_uniform_prior(make_kb: MakeKb) -> None:
    names = {"en": ["Paris"]}
    kb = make_kb(
        {"id": "e:a", "names": names, "popularity": 3},
        {"id": "e:b", "names": names},
        {"id": "e:c", "names": names, "popularity": 0},
    )
    shares = {"e:a": 0.75, "e:b": 0.25, "e:c": 0.0}
    assert commonness(kb, "Paris", min_commonness=0.0) == shares


def test_twenty_equal_senses_stay_and_twenty_one_fall_under_the_threshold(make_kb: MakeKb) -> None:
    for n_senses, n_kept in ((20, 20), (21, 0)):
        records = [{"id": f"e:{i}", "names": {"en": ["set point"]}} for i in range(n_senses)]
        assert len(commonness(make_kb(*records), "set point")) == n_kept


def test_keywords_are_off_and_count_half(make_kb: MakeKb) -> None:
    record = {"id": "e:a", "names": {"en": ["sun"]}, "keywords": {"en": ["bright", "sun"]}}
    assert commonness(make_kb(record), "bright sun") == {"e:a": 1.0}
    assert commonness(make_kb(record), "bright") == {}
    assert commonness(make_kb(record, keywords=True), "bright") == {"e:a": 0.5}
    assert commonness(make_kb(record, keywords=True), "sun") == {"e:a": 1.0}


def test_link_probability_is_kept(make_kb: MakeKb) -> None:
    kb = make_kb({"id": "e", "names": {"en": ["sun", "sol"]}, "link_prob": {"en": {"sun": 0.25}}})
    mentions = Linker(kb, "en").link(["sun sol"]).mentions(0)
    assert [m.candidates[0].link_probability for m in mentions] == [0.25, 1.0]


def test_other_fields_are_counted_and_unwanted_languages_left_out(make_kb: MakeKb) -> None:
    kb = make_kb(
        {"id": "e:a", "names": {"en": ["sun"], "de": ["Sonne"]}, "char": "☀"},
        {"id": "e:b", "names": {"de": ["Mond"]}, "char": "☾"},
        langs=["eng_Latn"],
    )
    info = kb.info()
    assert kb.languages == ("en",)
    assert kb.n_entities == 1
    assert info["sources"][0]["unused_fields"] == {"char": 2}
    assert json.loads(json.dumps(info)) == info


def test_a_region_falls_back_to_its_language_and_info_says_so(make_kb: MakeKb) -> None:
    kb = make_kb({"id": "e:a", "names": {"pt": ["ônibus"], "pt-PT": ["autocarro"]}})
    assert kb.languages == ("pt",)
    assert commonness(kb, "autocarro", "pt-BR") == {"e:a": 1.0}
    assert kb.info()["fallbacks"] == {"pt-PT": {"to": "pt", "n_names": 1}}
    kept = make_kb({"id": "e:a", "names": {"pt-PT": ["autocarro"]}}, langs=["pt-PT"])
    assert kept.languages == ("pt-PT",)


TABLES = {
    "products.csv": """id,lang,name,type
p:1,en,"Widget, large",product
p:1,ja,大型部品,product
p:2,th,สกรู,
""",
    "products.tsv": """id\tlang\tname\ttype\tprice
p:1\ten\tWidget, large\tproduct\t7
p:1\tja\t大型部品\tproduct\t7
p:2\tth\tสกรู\t\t1
""",
    # A column a language; the second as a spreadsheet writes it.
    "wide.csv": """id,type,eng,ja,th
p:1,product,"Widget, large",大型部品,
p:2,,,,สกรู
""",
    "sheet.csv": """\ufeffID; Type;en ;ja;th;price\r
p:1;product;Widget, large| Widget, large |;大型部品;;7\r
p:2;;;;สกรู;1\r
;;;;;\r
""",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_a_knowledge_base(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(TABLES[name], "utf-8")
    build_knowledge_base([f"names:{tmp_path / name}"], tmp_path / "kb")
    kb = KnowledgeBase.open(tmp_path / "kb")
    assert [kb.entity_id(i) for i in range(kb.n_entities)] == ["p:1", "p:2"]
    assert kb.types(0) == ("product",)
    assert kb.types(1) == ()
    assert commonness(kb, "the Widget, large", "en") == {"p:1": 1.0}
    assert commonness(kb, "この大型部品は", "ja") == {"p:1": 1.0}
    unused = kb.info()["sources"][0]["unused_fields"]
    assert unused == {"products.tsv": {"price": 3}, "sheet.csv": {"price": 2}}.get(name, {})


GOOD = {"id": "e:good", "names": {"en": ["sun"]}}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("{oops", "not JSON"),
        ('["a"]', "not a JSON object"),
        ('{"names": {"en": ["x"]}}', "no id"),
        ('{"id": "", "names": {"en": ["x"]}}', "no id"),
        ('{"id": "a b", "names": {"en": ["x"]}}', "no id"),
        ('{"id": "e:1", "names": null}', "'names' has None; an object of language tag"),
        ('{"id": "e:1"}', "no names"),
        ('{"id": "e:1", "names": {"en": []}}', "no names"),
        (
            '{"id": "e:1", "names": {"en": "x"}}',
            "'names' has 'x'; an object of language tag to names, as {",
        ),
        ('{"id": "e:1", "names": {"en": [" "]}}', "an empty name"),
        ('{"id": "e:1", "names": {"en": [7]}}', "'names' has 7; an object of language"),
        ('{"id": "e:1", "names": {"qqqq9": ["x"]}}', "qqqq9"),
        (
            json.dumps({"id": "e:1", "names": {"en": ["x" * 201]}}),
            "shorten it to 200",
        ),
        ('{"id": "e:good", "names": {"en": ["x"]}}', "given before"),
        ('{"id": 5, "names": {"en": ["x"]}}', "'id' has 5; a string without spaces is allowed"),
        *(
            (f'{{"id": "e:1", "names": {{"en": ["x"]}}, {field}}}', sentence)
            for field, sentence in [
                ('"names": null', "the key 'names' stands twice in one object"),
                ('"types": "t"', "'types' has 't'; a list of strings"),
                ('"same_as": [1]', "'same_as' has 1; a list of ids"),
                ('"same_as": ["a b"]', "no id"),
                ('"popularity": -1', "'popularity' has -1; a number in 0 to 1e300 is allowed"),
                ('"popularity": NaN', "'popularity' has nan; a number in 0 to 1e300 is allowed"),
                ('"popularity": 1e301', "'popularity' has 1e+301; a number in 0 to 1e300"),
                (f'"popularity": 1{"0" * 400}', "; a number in 0 to 1e300 is allowed"),
                ('"popularity": true', "'popularity' has True; a number in 0 to 1e300"),
                ('"popularity": {"en": 1}', "'popularity' has {'en': 1}; a number in 0"),
                ('"link_prob": {"en": {"x": 1, "q": 2}}', "'link_prob' has 2; a number in 0 to 1 "),
                ('"link_prob": {"en": {"x": -0.1}}', "'link_prob' has -0.1; a number in 0 to 1 "),
                ('"counts": {"en": {"x": "9"}}', "'counts' has '9'; a number in 0 to 1e300 by"),
                ('"counts": {"de": {}, "en": 1}', "'counts' has 1; a number in 0 to 1e300 by"),
                ('"counts": [1]', "'counts' has [1]; a number in 0 to 1e300 by language tag"),
            ]
        ),
    ],
)
def test_bad_lines_are_refused_with_their_place_or_counted(
    tmp_path: Path, line: str, sentence: str
) -> None:
    file = tmp_path / "names.jsonl"
    file.write_text(f"{json.dumps(GOOD)}\n\n{line}\n", "utf-8")
    with pytest.raises(InputError) as caught:
        build_knowledge_base([f"names:{file}"], tmp_path / "kb")
    assert str(caught.value).startswith(f"{file}:3: ")
    assert sentence in str(caught.value)
    assert "--skip-bad" in str(caught.value)
    assert not (tmp_path / "kb").exists()
    report = build_knowledge_base([f"names:{file}"], tmp_path / "kb", skip_bad=True)
    assert report.sources[0].n_bad_lines == 1
    assert report.n_entities == 1


@pytest.mark.parametrize("keywords", [5, None, {"en": "x"}, {"en": [" "]}])
def test_keywords_are_counted_or_taken(tmp_path: Path, keywords: Any) -> None:
    file = tmp_path / "names.jsonl"
    file.write_text(json.dumps(GOOD | {"keywords": keywords}), "utf-8")
    report = build_knowledge_base([f"names:{file}"], tmp_path / "kb")
    assert report.sources[0].unused_fields == {"keywords": 1}
    with pytest.raises(InputError, match=r"names\.jsonl:1: ('keywords' has|an empty name)"):
        build_knowledge_base([f"names:{file}"], tmp_path / "kb2", keywords=True)


@pytest.mark.parametrize(
    ("text", "line", "sentence"),
    [
        ("id,name\n", 1, "no column 'lang' among 'id', 'name'"),
        ("id,lang,name\ne:1,en\n", 2, "more or fewer fields"),
        ("id,lang,name\ne:1,en,a,b\n", 2, "more or fewer fields"),
        ('id,lang,name\ne:1,en,"a\n', 2, "not a table"),
        ("id,lang,name\ne:1,zz-bad-9,a\n", 2, "zz-bad-9"),
        ("id,lang,name\n,en,a\n", 2, "no id"),
        ("id,en,de\na,,\n", 2, "no names; each entity needs one in a column of a language"),
        ("id,product,price\n", 1, "no column 'lang' among 'id', 'product', 'price'; name columns"),
        ("en,de\n", 1, "no column 'id' among 'en', 'de'; name columns id, lang and name, or id"),
        ("id,name,de\n", 1, "has the column 'name' beside 'de', which is a language; rename it"),
        ("id,en,German\n", 1, "column 'German': unknown language 'German'; did you mean 'de'?"),
        ("id,en,sku\n", 1, "the column 'sku' may be a language or something else; rename it"),
        ("id,en,eng\n", 1, "the columns 'en' and 'eng' are the same language"),
        ("id,en,id\n", 1, "has the column 'id' twice; write Indonesian as 'ind'"),
    ],
)
def test_bad_tables(tmp_path: Path, text: str, line: int, sentence: str) -> None:
    file = tmp_path / "names.csv"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        build_knowledge_base([f"names:{file}"], tmp_path / "kb")
    assert str(caught.value).startswith(f"{file}:{line}: ")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.jsonl", b"", "holds no entities"),
        ("a.csv", b"", "is empty"),
        ("a.jsonl", b"\xef\xbb\xbf", "holds no entities"),
        ("a.csv", b"\xef\xbb\xbf", "is empty"),
        ("a.csv", b"id,lang,name\n", "holds no entities"),
        ("a.jsonl", json.dumps(GOOD).encode() + b"\n\xff\xfe", "a.jsonl:2: is not UTF-8"),
        (
            "a.jsonl.gz",
            gzip.compress(json.dumps(GOOD).encode() * 50, mtime=0)[:-12],
            "cut off or damaged",
        ),
        ("a.jsonl.gz", b"not gzip", "not compressed as its name says"),
        ("a.jsonl.zst", b"not zstd", "not compressed as its name says"),
        ("a.json", b"{}", "ends in '.json'; name it .jsonl, .csv or .tsv"),
    ],
)
def test_damaged_files_get_one_sentence(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError, match=sentence) as caught:
        build_knowledge_base([f"names:{file}"], tmp_path / "kb")
    assert str(file) in str(caught.value)
    assert not (tmp_path / "kb").exists()


def test_compressed_files_read_alike(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    line = (json.dumps(GOOD) + "\n").encode()
    packed = {
        "a.jsonl": line,
        "a.jsonl.gz": gzip.compress(line),
        "a.jsonl.zst": zstandard.compress(line[:9]) + zstandard.compress(line[9:]),
    }
    prints = set()
    for name, content in packed.items():
        (tmp_path / name).write_bytes(content)
        build_knowledge_base([f"names:{tmp_path / name}"], tmp_path / "kb", overwrite=True)
        prints.add(KnowledgeBase.open(tmp_path / "kb").fingerprint)
    assert len(prints) == 1


def test_unknown_sources_and_a_string_of_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no source 'cldrr'; did you mean 'cldr'"):
        build_knowledge_base(["cldrr"], tmp_path / "kb")
    with pytest.raises(InputError, match="is a list"):
        build_knowledge_base("cldr", tmp_path / "kb")
    with pytest.raises(InputError, match="no such file"):
        build_knowledge_base([f"names:{tmp_path}/none.jsonl"], tmp_path / "kb")


@pytest.fixture(scope="module")
def cldr(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    out = tmp_path_factory.mktemp("cldr") / "kb"
    build_knowledge_base(
        ["cldr"], out, langs=["en", "de", "ja", "zh-Hant", "ar", "sw", "th", "yo", "ru"]
    )
    return KnowledgeBase.open(out)


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "Burma (Poland), German and Euros in Berlin", [
            "cldr:territory/MM", "cldr:territory/PL", "cldr:language/de", "cldr:currency/EUR",
            "cldr:city/Europe/Berlin"]),
        ("de", "in Frankreich, der Türkei und Lissabon", [
            "cldr:territory/FR", "cldr:territory/TR", "cldr:city/Europe/Lisbon"]),
        ("ja", "日本とロンドンでフランス語を話す", [
            "cldr:territory/JP", "cldr:city/Europe/London", "cldr:language/fr"]),
        ("zh-TW", "在德國柏林", ["cldr:territory/DE", "cldr:city/Europe/Berlin"]),
        ("ar", "إلى ألمانيا واليابان", ["cldr:territory/DE", "cldr:territory/JP"]),
        ("ru", "Мьянма, США, Бирма", ["cldr:territory/MM", "cldr:territory/MM"]),
        ("en", "from Northern Ireland, New Jersey and Ireland", [
            "cldr:subdivision/gbnir", "cldr:subdivision/usnj", "cldr:territory/IE"]),
        ("en", "Jamaica, Tunis, Tunisia", [
            "cldr:territory/JM", "cldr:city/Africa/Tunis", "cldr:territory/TN"]),
        ("sw", "nchini Ujerumani", ["cldr:territory/DE"]),
        ("th", "ประเทศเยอรมนี", ["cldr:territory/DE"]),
    ],
)  # fmt: skip
def test_cldr_names_link_places_languages_and_money(
    cldr: KnowledgeBase, lang: str, text: str, expected: list[str]
) -> None:
    mentions = Linker(cldr, lang, pivot="en").link([text]).mentions(0)
    assert [m.candidates[0].entity for m in mentions] == expected


def test_cldr_says_its_types_and_licence(cldr: KnowledgeBase) -> None:
    assert cldr.types(cldr.index_of("cldr:script/Arab")) == ("script",)
    source = cldr.info()["sources"][0]
    assert source["name"] == "cldr"
    assert "Unicode" in source["licence"]
    assert source["n_names"] > 5000
    with pytest.raises(InputError):
        cldr.index_of("cldr:territory/001")


def test_real_names_build_and_link(tmp_path: Path) -> None:
    file = DATA / "names" / "annotations.jsonl.gz"
    if not file.exists():
        pytest.skip("the shared evaluation data is not here")
    out = tmp_path / "kb"
    report = build_knowledge_base([f"names:{file}"], out, langs=["en", "ja", "am"])
    assert report.languages["am"]["n_names"] > 1000
    kb = KnowledgeBase.open(out)
    assert "emoji:2600" in commonness(kb, "☀ ፀሐይ", "am") or commonness(kb, "ፀሐይ", "am")


def test_cells_of_a_wide_table_hold_several_names(tmp_path: Path) -> None:
    table = tmp_path / "wide.csv"
    table.write_text("id,en,ind,sku\np:1,Morning Star | MS 200,Bintang Fajar,x\n", "utf-8")
    build_knowledge_base([f"names:{table}"], tmp_path / "kb", langs=["en", "id", "sku"])
    kb = KnowledgeBase.open(tmp_path / "kb")
    assert kb.languages == ("en", "id", "sku")  # a rare code that is wanted is a language
    for name, lang in (("Morning Star", "en"), ("MS 200", "en"), ("Bintang Fajar", "id")):
        assert commonness(kb, name, lang) == {"p:1": 1.0}
