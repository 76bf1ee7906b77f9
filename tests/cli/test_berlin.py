"""Articles of several Wikipedias become one entity, from the dumps to what explains an answer."""

import json
from pathlib import Path

import pytest
from cli_world import Run, World, write_tsv
from repository import ROOT
from written_tables import table

# The heads of these copies are all of the English Wikipedia.
pytestmark = pytest.mark.filterwarnings("ignore:.*it says that it is enwiki")

DUMPS = ROOT / "../shared/data/wikipedia/minidumps"
BERLIN = {"en": "Berlin", "de": "Berlin", "sw": "Berlin", "ja": "ベルリン"}
TRAIN = [
    ("place", "Berlin grew along the river."),
    ("place", "Ships cross the Atlantic Ocean."),
    ("place", "They moved to Berlin last year."),
    ("place", "Rain fell on Berlin again."),
    ("firm", "IBM built a machine."),
    ("firm", "Samsung sold more phones."),
    ("firm", "IKEA opened a shop."),
    ("firm", "Samsung and IBM signed a contract."),
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not DUMPS.exists():
        pytest.skip("the shared evaluation data is not here")
    pytest.importorskip("lxml")
    from isogloss.kb import build_knowledge_base
    from isogloss.kb.build.wikipedia_options import WikipediaOptions

    folder = tmp_path_factory.mktemp("berlin")
    rows = ",".join(f"(64,'{lang}wiki','{title}')" for lang, title in BERLIN.items())
    sitelinks = table(
        folder / "sitelinks.sql", "wb_items_per_site", "#ips_item_id ips_site_id ips_site_page",
        rows,
    )  # fmt: skip
    sources = [f"wikipedia:{lang}={DUMPS / lang}.xml.bz2" for lang in BERLIN]
    build_knowledge_base(
        sources, folder / "kb", wikipedia=WikipediaOptions(sitelinks=sitelinks), workers=1
    )
    return folder / "kb"


@pytest.mark.parametrize(
    ("lang", "text", "surface"),
    [
        ("ja", "ベルリンはドイツの首都である。", "ベルリン"),
        ("sw", "Berlin ni mji mkuu.", "Berlin"),
        ("de", "Wir fahren nach Berlin.", "Berlin"),
    ],
)
def test_an_article_of_one_language_is_carried_to_english(
    cli: Run, kb: Path, lang: str, text: str, surface: str
) -> None:
    linked = cli("kb", "link", kb, "--lang", lang, "--pivot", "en", stdin=text + "\n")
    mentions = json.loads(linked.lines[0])["mentions"]
    found = {(m["surface"], c["id"], c["title"]) for m in mentions for c in m["candidates"]}
    assert (surface, "Q64", "Berlin") in found


def test_explain_shows_it(cli: Run, kb: Path, world: World, tmp_path: Path) -> None:
    train = write_tsv(tmp_path / "train.tsv", TRAIN)
    fitted = cli(
        "classify", "fit", "--train", f"en={train}", "--encoder", world.encoder, "--kb", kb,
        "--out", tmp_path / "model",
    )  # fmt: skip
    assert fitted.code == 0, fitted.err
    words = ["classify", "explain", tmp_path / "model", "ベルリンに行きました。", "--lang", "ja"]
    (entity,) = cli(*words, "--json").json["entities"]
    assert (entity["id"], entity["title"], entity["spans"]) == ("Q64", "Berlin", [[0, 4]])
    assert "Berlin" in cli(*words).out
