"""``isogloss kb build --source wikipedia:…``: each option does what it says."""

from pathlib import Path

import pytest
from cli_world import Refuse, Run
from written_tables import table

PAGES = {
    "Berlin": "Stadt in [[Deutschland|der Republik]]. [[Spree]]",
    "Deutschland": "[[Berlin|Hauptstadt]] und [[Berlin|Hauptstadt]]",
    "Spree": "{{Begriffsklärung}} [[Berlin]]",
}


@pytest.fixture
def source(tmp_path: Path) -> str:
    pages = "".join(
        f"<page><title>{title}</title><ns>0</ns><id>{number}</id><revision><text>{text}</text>"
        "</revision></page>\n"
        for number, (title, text) in enumerate(PAGES.items(), 1)
    )
    dump = tmp_path / "de.xml"
    dump.write_text(f"<mediawiki>\n{pages}</mediawiki>\n", "utf-8")
    return f"wikipedia:de={dump}"


def entities(cli: Run, kb: Path, text: str) -> list[str]:
    import json

    linked = json.loads(cli("kb", "link", kb, "--lang", "de", stdin=text).out)
    return [c["id"] for mention in linked["mentions"] for c in mention["candidates"]]


def test_build_and_info(cli: Run, source: str, tmp_path: Path) -> None:
    out = tmp_path / "kb"
    built = cli("kb", "build", "--source", source, "--out", out, "--workers", 1)
    assert (built.code, built.out) == (0, "")
    (facts,) = cli("kb", "info", out, "--json").json["sources"]
    told = {key: facts[key] for key in ("pages", "redirects", "disambiguations", "entities")}
    assert told == {"pages": 3, "redirects": 0, "disambiguations": 1, "entities": 2}
    assert (facts["names"], facts["dropped"]) == (4, 0)
    shown = cli("kb", "info", out)
    assert shown.code == 0
    assert max(map(len, shown.lines)) <= 100
    said = [line.strip() for line in shown.lines]
    assert "n_entities: 2" in said
    assert "pages: 3" in said
    assert "entities: 2" not in said  # which n_entities says
    assert "    links to disambiguations and broken redirects: 1" in shown.lines
    assert entities(cli, out, "Die Hauptstadt") == ["wikipedia:de:Berlin"]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_options(cli: Run, source: str, tmp_path: Path) -> None:
    props = table(
        tmp_path / "props.sql", "page_props", "#pp_page pp_propname pp_value",
        "(1,'wikibase_item','Q64')",
    )  # fmt: skip
    sitelinks = table(
        tmp_path / "sitelinks.sql", "wb_items_per_site", "#ips_item_id ips_site_id ips_site_page",
        "(183,'dewiki','Deutschland'),(1,'dewiki','Berlin')",
    )  # fmt: skip
    langlinks = table(
        tmp_path / "langlinks.sql", "langlinks", "#ll_from ll_lang ll_title", "(1,'en','Berlin')"
    )
    out, work = tmp_path / "kb", tmp_path / "work"
    built = cli(
        "kb", "build", "--source", source, "--out", out, "--workers", 1, "--work", work,
        "--page-props", f"de={props}", "--sitelinks", sitelinks, "--langlinks", f"de={langlinks}",
        "--min-link-count", 2,
    )  # fmt: skip
    assert built.code == 0, built.err
    assert list(work.rglob("*.part"))
    assert entities(cli, out, "Berlin in Deutschland") == ["Q64", "Q183"]
    assert entities(cli, out, "der Republik") == []
    assert "Q64" in entities(cli, out, "Spree Berlin")  # no disambiguation page, by page_props


def test_limit_and_kept_disambiguations(cli: Run, source: str, tmp_path: Path) -> None:
    command = ["kb", "build", "--source", source, "--workers", 1, "--out"]
    assert cli(*command, tmp_path / "a", "--limit", 1).code == 0
    assert cli("kb", "info", tmp_path / "a", "--json").json["n_entities"] == 1
    assert cli(*command, tmp_path / "b", "--keep-disambiguations").code == 0
    assert cli("kb", "info", tmp_path / "b", "--json").json["n_entities"] == 3


def test_a_dump_from_standard_input(cli: Run, source: str, tmp_path: Path) -> None:
    data = Path(source.partition("=")[2]).read_bytes()
    command = ["kb", "build", "--source", "wikipedia:de=-", "--workers", 1, "--out"]
    assert cli(*command, tmp_path / "piped", stdin=data).code == 0
    assert entities(cli, tmp_path / "piped", "Die Hauptstadt") == ["wikipedia:de:Berlin"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--page-props", "x.sql"], "--page-props is 'x.sql'; write it as ja=FILE"),
        (["--langlinks", "de=a", "--langlinks", "de=b"], "the wiki 'de' is given twice"),
        (["--langlinks", "xx=a"], "'xx' is the code of no Wikipedia"),
        (["--langlinks", "de=nowhere"], "nowhere: no such file"),
    ],
)
def test_bad_options(
    refuse: Refuse, source: str, tmp_path: Path, words: list[str], said: str
) -> None:
    command = ["kb", "build", "--source", source, "--out", tmp_path / "kb", *words]
    assert said in refuse(*command)
