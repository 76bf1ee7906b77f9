import runpy
from pathlib import Path

import pytest
from cli_world import Refuse, Run, World, write_file
from repository import HELPERS

MADE_UP = runpy.run_path(str(HELPERS / "made_up.py"))
TEXT = "the tax in Germany\na new tax in Tokyo\ntennis in Tokyo\nthe tennis tax\nthe match tax\n"
JAPANESE = "東京の税金\n東京のテニス\n東京の試合。\n税金と東京\n東京と税金の試合\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return MADE_UP["folder"](tmp_path / "geometry", MADE_UP["geometry"]())


def test_report_of_what_the_probes_wrote(cli: Run, world: World, tmp_path: Path) -> None:
    """The other verbs write what this one reads."""
    en, ja = write_file(tmp_path / "en.txt", TEXT), write_file(tmp_path / "ja.txt", JAPANESE)
    words = ("--encoder", world.encoder, "--text", f"en={en}", "--text", f"ja={ja}", "--out")
    geometry, out = tmp_path / "geometry", tmp_path / "report.html"
    assert cli("probe", "geometry", *words, geometry, "--min-contexts", 2).code == 0
    outcome = cli("probe", "report", geometry, "--out", out)
    assert outcome.code == 0
    assert outcome.out == ""
    assert outcome.talk == [f"isogloss: report → {out}"]
    page = out.read_text("utf-8")
    assert "Layers of encoder in English and Japanese" in page
    assert '<bdi lang="ja">税金</bdi>' in page or '<bdi lang="ja">東京</bdi>' in page
    assert "min_contexts 2" in page


def test_report_of_neutrality(cli: Run, world: World, tmp_path: Path) -> None:
    texts = {"en": TEXT, "ja": JAPANESE}
    files = [
        write_file(tmp_path / f"{lang}.txt", some + some.replace("\n", " 2\n"))
        for lang, some in texts.items()
    ]
    words = [word for lang, file in zip(texts, files, strict=True)
             for word in ("--text", f"{lang}={file}")]  # fmt: skip
    made, out = tmp_path / "neutrality", tmp_path / "report.html"
    few = ("--neighbours", 2, "--encoder", world.encoder)
    assert cli("probe", "neutrality", *words, *few, "--out", made).code == 0
    both = MADE_UP["folder"](tmp_path / "geometry", MADE_UP["geometry"]())
    assert cli("probe", "report", made, both, "--out", out).code == 0
    page = out.read_text("utf-8")
    assert "Does a vector tell its language?" in page
    assert "Do the claims of Ethayarajh (2019) hold?" in page


def test_overwrite(cli: Run, refuse: Refuse, folder: Path) -> None:
    out = write_file(folder.parent / "report.html", "mine")
    assert "already exists" in refuse("probe", "report", folder, "--out", out)
    assert out.read_text() == "mine"
    assert cli("probe", "report", folder, "--out", out, "--overwrite").code == 0
    assert out.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_bad_input_is_one_sentence(refuse: Refuse, folder: Path) -> None:
    out = folder.parent / "report.html"
    to = ("--out", out)
    assert "FOLDER" in refuse("probe", "report", *to)
    assert "--out" in refuse("probe", "report", folder)
    assert "no such folder" in refuse("probe", "report", folder / "none", *to)
    assert "leave one out" in refuse("probe", "report", folder, folder, *to)
    assert "is a file" in refuse("probe", "report", folder / "manifest.json", *to)
    nowhere = folder.parent / "a" / "b.html"
    assert "the folder" in refuse("probe", "report", folder, "--out", nowhere)
    (folder.parent / "other").mkdir()
    other = ("--out", folder.parent / "other", "--overwrite")
    assert "is a folder" in refuse("probe", "report", folder, *other)
    newer = MADE_UP["geometry"]() | {"version": 4}
    newer = MADE_UP["folder"](folder.parent / "newer", newer)
    assert "version 4" in refuse("probe", "report", newer, *to)
    (folder / "manifest.json").write_text("{")
    assert "not JSON" in refuse("probe", "report", folder, *to)
