import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT
from written_items import MANY, item, write_dump

from isogloss.cli.main import main
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, Linker, build_knowledge_base

SAMPLE = ROOT / "../shared/data/wikidata/samples/entities.json.gz"


def built(tmp_path: Path, *entities: dict[str, Any], **options: Any) -> KnowledgeBase:
    dump = write_dump(tmp_path / "dump.json", *entities)
    options = {"min_sitelinks": 0, "workers": 1, **options}
    build_knowledge_base([f"wikidata:{dump}"], tmp_path / "kb", **options)
    return KnowledgeBase.open(tmp_path / "kb")


def title(kb: KnowledgeBase, entity: str, lang: str) -> str | None:
    return kb.title(kb.index_of(entity), lang)


def candidates(kb: KnowledgeBase, text: str, lang: str) -> dict[str, float]:
    mentions = Linker(kb, lang).link([text]).mentions(0)
    return {c.entity: round(c.commonness, 3) for m in mentions for c in m.candidates}


def test_labels_titles_without_brackets_and_aliases_are_names(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        item(1, {"en": ["Mercury", "Swift planet"]}, {"jawiki": "水星（惑星）", "enwiki": "M (x)"}),
        item(2, {"de": ["", "Spree-Athen"]}, {"dewiki": "Berlin (Stadt) (alt)"}),
    )
    assert title(kb, "Q1", "en") == "Mercury"
    assert title(kb, "Q1", "ja") == "水星"
    assert title(kb, "Q2", "de") == "Berlin (Stadt)"
    assert candidates(kb, "The Swift planet", "en") == {"Q1": 1.0}
    assert candidates(kb, "In Spree-Athen", "de") == {"Q2": 1.0}


def test_wikipedias_with_an_article_are_the_prior(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        item(90, {"en": ["Paris"]}, {"enwiki": "Paris", "frwiki": "Paris", "commonswiki": "Paris"}),
        item(830149, {"en": ["Paris"]}, {"enwiki": "Paris, Texas"}),
        item(3, {"en": ["Paris"]}),
    )
    assert candidates(kb, "Paris", "en") == {"Q90": 0.5, "Q830149": 0.333, "Q3": 0.167}


def test_min_sitelinks_leaves_items_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    entities = [
        item(1, {"en": ["Aa"]}),
        item(2, {"en": ["Bb"]}, {"enwiki": "Bb"}),
        item(3, {"en": ["Cc"]}, {"enwiki": "Cc", "dewiki": "Cc"}),
    ]
    for least, expected in ((0, 3), (1, 2), (2, 1)):
        kb = built(tmp_path, *entities, min_sitelinks=least, overwrite=True)
        assert kb.n_entities == expected
    told = [line for line in caplog.messages if "--min-sitelinks 0" in line]
    assert [line.partition(": ")[2].partition(" an article")[0] for line in told] == [
        "1 item left out that fewer than 1 Wikipedia has",
        "2 items left out that fewer than 2 Wikipedias have",
    ]
    with pytest.raises(InputError, match=r"no item to keep \(items with too few sitelinks: 3\)"):
        built(tmp_path, *entities, min_sitelinks=3, overwrite=True)
    assert {path.name for path in tmp_path.iterdir()} == {"dump.json", "kb"}


def test_types_are_labels_of_classes_in_the_dump_and_else_their_ids(tmp_path: Path) -> None:
    entities = [
        item(1, {"ja": ["東京"], "en": ["Tokyo"]}, classes=[515, 9, 8]),
        item(515, {"ja": ["都市"], "en": ["city"]}),
        item(8, {"ja": ["首都"]}),
    ]
    kb = built(tmp_path, *entities)
    assert kb.types(kb.index_of("Q1")) == ("city", "Q9", "首都")
    kb = built(tmp_path, *entities, langs=["ja"], overwrite=True)
    assert kb.types(kb.index_of("Q1")) == ("都市", "Q9", "首都")


def test_redirected_ids_lead_to_their_item(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        {"entity": "Q7", "redirect": "Q6"},
        {"entity": "Q6", "redirect": "Q1"},
        item(1, {"en": ["Tokyo"]}),
        {"entity": "Q4", "redirect": "Q3"},
        {"entity": "Q3", "redirect": "Q4"},
        {"entity": "Q2", "redirect": "Q99"},
    )
    assert kb.n_entities == 1
    assert kb.index_of("Q7") == kb.index_of("Q6") == kb.index_of("Q1") == 0
    assert kb.entity_id(0) == "Q1"
    for unknown in ("Q2", "Q3"):
        with pytest.raises(InputError):
            kb.index_of(unknown)


def test_variants_go_under_their_language_behind_its_own_names(tmp_path: Path) -> None:
    names = {
        "en-gb": ["Colour"],
        "en": ["Color", "Hue"],
        "zh-hans": ["颜色"],
        "zh-hk": ["顏色"],
        "be-x-old": ["Колер"],
        "pt-br": ["Cor"],
        "tokipona": ["kule"],
    }
    kb = built(tmp_path, item(1, names))
    assert kb.languages == ("be-tarask", "en", "pt", "zh", "zh-Hant")
    assert title(kb, "Q1", "en") == "Color"
    assert candidates(kb, "Colour", "en") == candidates(kb, "Hue", "en") == {"Q1": 1.0}
    assert kb.info()["sources"][0]["counts"]["names in unknown languages"] == 1
    assert kb.info()["fallbacks"]["en-GB"] == {"to": "en", "n_names": 1}
    kb = built(tmp_path, item(1, names), langs=["be", "en-GB", "zh-Hant"], overwrite=True)
    assert title(kb, "Q1", "be") == "Колер"
    assert title(kb, "Q1", "en-GB") == "Colour"
    assert title(kb, "Q1", "zh-Hant") == "顏色"


def test_labels_for_any_language_serve_where_there_is_none(tmp_path: Path) -> None:
    entities = [
        item(1, {"mul": ["Ada Lovelace", "Ada King"], "ja": ["エイダ"]}, {"frwiki": "A. Lovelace"}),
        item(2, {"mul": ["Kraftwerk"]}),
    ]
    kb = built(tmp_path, *entities, langs=["en", "ja", "fr", "sw"])
    assert [title(kb, "Q1", lang) for lang in ("en", "ja", "fr", "sw")] == [
        "Ada Lovelace", "エイダ", "A. Lovelace", "Ada Lovelace",
    ]  # fmt: skip
    assert candidates(kb, "Ada Lovelace, Ada King", "fr") == {"Q1": 1.0}
    assert candidates(kb, "Ada King", "ja") == {}
    kb = built(tmp_path, *entities, overwrite=True)
    assert kb.languages == ("en", "fr", "ja")
    assert title(kb, "Q2", "en") == "Kraftwerk"


def test_items_and_names_left_out_are_counted(tmp_path: Path) -> None:
    kb = built(
        tmp_path,
        item(1, {"en": ["a b", " ", "x" * 201]}),
        item(2, {"de": ["Bb"]}),
        {"type": "lexeme", "id": "L1"},
        langs=["en"],
    )
    source = kb.info()["sources"][0]
    assert (source["n_entities"], source["n_names"], source["n_bad_lines"]) == (1, 1, 0)
    assert source["counts"] == {
        "items": 2,
        "items without a name in a language wanted": 1,
        "lexemes": 1,
        "names that are empty or too long": 2,
    }


def test_items_join_those_of_other_sources(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.json", item(183, {"en": ["Germany"]}))
    names = tmp_path / "names.jsonl"
    record = {"id": "my:de", "names": {"en": ["Deutschland"]}, "same_as": ["Q183"]}
    names.write_text(json.dumps(record))
    build_knowledge_base(
        [f"names:{names}", f"wikidata:{dump}"], tmp_path / "kb", min_sitelinks=0, workers=1
    )
    kb = KnowledgeBase.open(tmp_path / "kb")
    assert (kb.n_entities, kb.entity_id(0), kb.index_of("my:de")) == (1, "Q183", 0)


def test_a_file_that_is_no_dump_is_refused_at_once(tmp_path: Path) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text("<mediawiki>\n" * 9)
    with pytest.raises(InputError, match=r"dump\.json: does not begin with Wikidata's entities"):
        build_knowledge_base([f"wikidata:{dump}"], tmp_path / "kb", workers=1)
    with pytest.raises(InputError, match="no such file; give a JSON dump"):
        build_knowledge_base([f"wikidata:{tmp_path / 'no'}"], tmp_path / "kb", workers=1)
    assert [path.name for path in tmp_path.iterdir()] == ["dump.json"]


def test_what_is_damaged_is_said_once_and_shown(tmp_path: Path) -> None:
    dump = write_dump(tmp_path / "dump.json", *MANY)
    data = dump.read_bytes().replace(b'"Q7","labels"', b'"?7","labels"')
    dump.write_bytes(gzip.compress(data)[:-2000])
    with pytest.warns(
        OmissionWarning, match=r"broken lines: 2, gaps in the compressed file: 1, end"
    ):
        build_knowledge_base([f"wikidata:{dump}"], tmp_path / "kb", workers=1)
    source = KnowledgeBase.open(tmp_path / "kb").info()["sources"][0]
    assert source["n_bad_lines"] == 2
    assert source["counts"]["end of the dump is missing"] == 1


def test_the_command_builds_and_shows_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not SAMPLE.exists():
        pytest.skip("the evaluation data is not there")
    out = str(tmp_path / "kb")
    build = ["kb", "build", "--source", f"wikidata:{SAMPLE}", "--out", out, "--workers", "1"]
    assert main(build) == 0
    assert "wikidata:entities.json.gz: 5 names of 2 entities" in capsys.readouterr().err
    assert main([*build, "--overwrite", "--min-sitelinks", "0", "--langs", "en,uk"]) == 0
    assert "14 names of 13 entities" in capsys.readouterr().err
    assert main(["kb", "info", out, "--json"]) == 0
    source = json.loads(capsys.readouterr().out)["sources"][0]
    assert source["counts"] == {"items": 13, "lexemes": 29, "properties": 5}
    assert "CC0" in source["licence"]
