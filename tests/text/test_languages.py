import gzip
import json
from pathlib import Path

import pytest
from repository import ROOT

from isogloss.errors import InputError
from isogloss.text.languages import (
    LanguageFile,
    country_hint,
    fallbacks,
    is_right_to_left,
    language_name,
    parse_language,
    parse_language_file,
    script_of,
)

FLORES_TO_SHORT = (
    "eng_Latn=en fra_Latn=fr deu_Latn=de spa_Latn=es ita_Latn=it por_Latn=pt rus_Cyrl=ru "
    "zho_Hans=zh jpn_Jpan=ja kor_Hang=ko arb_Arab=ar hin_Deva=hi tha_Thai=th tur_Latn=tr "
    "vie_Latn=vi ind_Latn=id swh_Latn=sw yor_Latn=yo ukr_Cyrl=uk ell_Grek=el heb_Hebr=he "
    "fin_Latn=fi tam_Taml=ta ben_Beng=bn kat_Geor=ka amh_Ethi=am pes_Arab=fa npi_Deva=ne"
)
ONE_SPELLING = (
    "EN=en En-us=en-US pt_BR=pt-BR en-UK=en-GB iw=he in=id ji=yi no=nb nor=nb nb=nb nn=nn sh=sh "
    "hbs=sh alb=sq sqi=sq ger=de chi=zh ara=ar tl=fil prs_Arab=fa-AF arz_Arab=arz zh-Hans=zh "
    "ZHO_HANT=zh-Hant zh-TW=zh-Hant-TW zh-Hant-TW=zh-Hant-TW zh-Hans-HK=zh-Hans-HK zh-CN=zh-CN "
    "sr-Cyrl-BA=sr-BA sr-Latn-BA=sr-Latn-BA kor_Hang=ko cmn_Hani=zh es-419=es-419 "
    "ca-VALENCIA=ca-valencia"
)


@pytest.fixture(scope="module")
def data():
    folder = ROOT / "../shared/data"
    if not folder.is_dir():
        pytest.skip("the shared evaluation data is not here")
    return folder


@pytest.mark.parametrize("pair", FLORES_TO_SHORT.split())
def test_flores_codes_and_their_iso_part_give_the_short_tag(pair):
    code, tag = pair.split("=")
    assert parse_language(code) == parse_language(code[:3]) == parse_language(tag) == tag


@pytest.mark.parametrize("pair", ONE_SPELLING.split())
def test_one_spelling(pair):
    code, tag = pair.split("=")
    assert parse_language(f" {code} ") == tag
    assert parse_language(tag) == tag


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("german", "did you mean 'de'?"),
        ("Japanese", "did you mean 'ja'?"),
        ("portugese", "did you mean 'pt'?"),
        ("traditional chinese", "did you mean 'zh-Hant'?"),
        ("jp", "did you mean 'ja'?"),
        ("gr", "did you mean 'el'?"),
        ("sp", "did you mean 'es'?"),
        ("Brazil", "did you mean 'pt'?"),
        ("xq", "such as 'en'"),
        ("", "such as 'en'"),
        ("日本語", "such as 'en'"),
        ("und", "such as 'en'"),
        ("auto", "such as 'en'"),
        ("en-Latx", "unknown script 'Latx' in language 'en-Latx'; did you mean 'Latn'?"),
        ("en-ZQ", "unknown region 'ZQ' in language 'en-ZQ'"),
    ],
)
def test_unknown_languages_get_one_sentence(code, said):
    with pytest.raises(InputError) as caught:
        parse_language(code)
    assert said in str(caught.value)
    assert f"'{code}'" in str(caught.value)


def test_a_language_that_may_be_meant_as_a_country_has_a_hint():
    assert country_hint("se") == "if Sweden is meant, Swedish is 'sv'"
    assert country_hint("ba") == "if Bosnia & Herzegovina is meant, Bosnian is 'bs'"
    for national in ("ar", "my", "nb", "id", "yor"):  # Argentina is nobody's thought
        assert country_hint(national) is None


@pytest.mark.parametrize(
    ("code", "tags"),
    [
        ("nn", ["nn"]),
        ("no", ["nb", "no"]),
        ("pt-PT", ["pt-PT", "pt"]),
        ("zh-HK", ["zh-Hant-HK", "zh-Hant", "zh"]),
        ("zh-Hans-HK", ["zh-Hans-HK", "zh"]),
        ("yue", ["yue", "zh-Hant", "zh"]),
        ("ary_Arab", ["ary", "ar"]),
        ("prs", ["fa-AF", "fa"]),
    ],
)
def test_fallbacks_go_from_specific_to_wide(code, tags):
    assert fallbacks(code) == tags


@pytest.mark.parametrize(
    ("code", "name", "script", "right_to_left"),
    [
        ("yor", "Yoruba", "Latn", False),
        ("zh-Hant", "Traditional Chinese", "Hant", False),
        ("zh-TW", "Chinese (Traditional, Taiwan)", "Hant", False),
        ("pes", "Persian", "Arab", True),
        ("heb_Hebr", "Hebrew", "Hebr", True),
        ("dv", "Divehi", "Thaa", True),
        ("az-IR", "Azerbaijani (Arabic, Iran)", "Arab", True),
        ("sh", "Serbo-Croatian", "Latn", False),
        ("tlh", "Klingon", "Zzzz", False),
        ("kor", "Korean", "Kore", False),
    ],
)
def test_name_script_and_direction(code, name, script, right_to_left):
    assert language_name(code) == name
    assert script_of(code) == script
    assert is_right_to_left(code) is right_to_left


def test_language_file():
    assert parse_language_file("jpn_Jpan=a=b.tsv") == LanguageFile("ja", Path("a=b.tsv"))
    assert parse_language_file("en=-").path == Path("-")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("train.tsv", "write LANG=FILE, as in en=train.tsv"),
        ("=train.tsv", "no language before '='"),
        ("en=", "no file after '='"),
        ("english=train.tsv", "did you mean 'en'?"),
    ],
)
def test_language_file_faults(value, said):
    with pytest.raises(InputError) as caught:
        parse_language_file(value)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["omw", "annotations"])
def test_every_language_of_the_names_files_parses_to_a_tag_of_its_own(data, name):
    with gzip.open(data / "names" / f"{name}.jsonl.gz", "rt", encoding="utf-8") as file:
        codes = {code for line in file for code in json.loads(line)["names"]}
    assert len({parse_language(code) for code in codes}) == len(codes) >= 87


@pytest.mark.parametrize("folder", ["parallel", "udhr", "sib200", "masakhanews"])
def test_every_language_of_the_data_folders_parses(data, folder):
    paths = [path for path in (data / folder).iterdir() if path.is_dir() or ".t" in path.name]
    codes = {path.name.split(".")[0] for path in paths} - {"dev", "labels"}
    assert len({parse_language(code) for code in codes}) == len(codes) >= 4
