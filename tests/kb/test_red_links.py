"""Titles that no page has, and many links lead to, as entities."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from written_wikis import WikiPage, write_wiki

from isogloss.cli.main import main
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, Linker, build_knowledge_base
from isogloss.kb.build.wikipedia_options import WikipediaOptions

PAGES = [
    WikiPage("Bonn", ["Bonn on the ", *[("Rhine", "Rhine"), " and the Rhine, "] * 5]),
    WikiPage("Rhine", ["The Rhine. ", *[("Bonn", "BONN"), " "] * 3]),
    WikiPage("Dead", redirect="No page"),
    WikiPage("Red", [*[("Red link", "red link"), " "] * 4, ("Rare", "rare"), " ",
                     *[("Template:X", "x y"), " ", ("Dead", "dead end"), " "] * 5]),
]  # fmt: skip


def built(tmp_path: Path, out: str, pages: Sequence[WikiPage], **options: object) -> KnowledgeBase:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', pages)}"
    chosen = WikipediaOptions(**options)  # type: ignore[arg-type]
    build_knowledge_base([source], tmp_path / out, wikipedia=chosen, workers=1, overwrite=True)
    return KnowledgeBase.open(tmp_path / out)


def test_titles_without_a_page_can_be_entities(tmp_path: Path) -> None:
    without = built(tmp_path, "kb", PAGES)
    kept = built(tmp_path, "kb4", PAGES, keep_red_links=4)
    fewer = built(tmp_path, "kb1", PAGES, keep_red_links=1)
    names = [Linker(kb, "en").link(["red link, rare"]).n_mentions for kb in (without, kept, fewer)]
    assert names == [0, 1, 2]
    assert kept.title(kept.index_of("wikipedia:en:Red_link"), "en") == "Red link"
    counts = [kb.info()["sources"][0]["counts"] for kb in (without, kept)]
    assert [count["links to no page"] for count in counts] == [5, 1]
    ids = [kept.entity_id(i) for i in range(kept.n_entities)]
    assert "wikipedia:en:Template:X" not in ids


def test_a_work_folder_with_another_limit_is_refused(tmp_path: Path) -> None:
    built(tmp_path, "kb", PAGES, work=tmp_path / "work")
    with pytest.raises(InputError, match="with another --limit,"):
        built(tmp_path, "kb", PAGES, work=tmp_path / "work", limit=3)


def test_options_of_the_command_line(tmp_path: Path) -> None:
    source = f"wikipedia:en={write_wiki(tmp_path / 'en.xml', 'en', PAGES)}"
    out = tmp_path / "kb"
    command = ["kb", "build", "--source", source, "--workers", "1", "--out", str(out)]
    assert main([*command, "--keep-red-links", "4"]) == 0
    assert KnowledgeBase.open(out).index_of("wikipedia:en:Red_link") >= 0
