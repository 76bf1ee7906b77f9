"""The site: its navigation has every page, every public name a page, and no other host is asked."""

import importlib.util
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

import isogloss

REFERENCE = runpy.run_path(str(ROOT / "tools" / "reference.py"))
OFFLINE = runpy.run_path(str(ROOT / "tools" / "offline.py"))
SETTINGS = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]


def pages_in(navigation: Any) -> Iterator[str]:
    """Yield the files that the navigation names."""
    if isinstance(navigation, str):
        yield navigation
    else:
        for inner in navigation.values() if isinstance(navigation, dict) else navigation:
            yield from pages_in(inner)


def test_every_page_is_once_in_the_navigation() -> None:
    listed = sorted(name for name in pages_in(SETTINGS["nav"]) if "reference/" not in name)
    docs = ROOT / "docs"
    pages = [*docs.rglob("*.md"), *docs.rglob("*.ipynb")]
    assert listed == sorted(str(page.relative_to(docs).with_suffix(".md")) for page in pages)


def test_every_public_name_has_a_page() -> None:
    pages = REFERENCE["name_pages"]()
    for name in set(isogloss.__all__) - {"__version__"}:
        assert f"::: isogloss.{name}\n" in pages[f"python/isogloss.{name}"]
    for package in REFERENCE["packages"]():
        for name in package.__all__:
            if callable(getattr(package, name)):
                assert any(page.endswith(f".{name}") for page in pages), name


def test_what_pages_load_from_elsewhere_is_told(tmp_path: Path) -> None:
    (tmp_path / "assets" / "javascripts").mkdir(parents=True)
    (tmp_path / "in").mkdir()
    page = tmp_path / "in" / "page.html"
    page.write_text(
        '<script src="https://unpkg.com/iframe-worker/shim"></script>'
        '<a href="https://example.org/">read</a><img alt="" src=//example.org/a.png>'
    )
    (tmp_path / "a.css").write_text("a { background: url(https://example.org/b.png) }")
    found = OFFLINE["keep_at_home"](tmp_path)
    assert len(found) == 2
    assert "a.png" in "".join(found)
    assert "b.png" in "".join(found)
    assert 'src="../assets/javascripts/worker-from-disk.js"' in page.read_text()


@pytest.mark.full
@pytest.mark.skipif(not importlib.util.find_spec("zensical"), reason="the extra 'docs' builds it")
def test_the_site_is_built_strictly_and_asks_no_other_host(tmp_path: Path) -> None:
    for name in ("docs", "src", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name)
    shutil.copy(ROOT / "zensical.toml", tmp_path)
    build = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    for words in (
        [sys.executable, "tools/reference.py"],
        build,
        [sys.executable, "tools/offline.py"],
    ):
        ended = subprocess.run(words, cwd=tmp_path, text=True, capture_output=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    site = tmp_path / "build" / "site"
    shown = (site / "reference" / "python" / "isogloss.TextClassifier.html").read_text("utf-8")
    assert "scikit-learn" in shown
    assert "predict_proba" in shown
    assert "--abstain-below" in (site / "search.json").read_text("utf-8")
    (tmp_path / "build" / "docs" / "index.md").write_text("[gone](which.md#gone)\n", "utf-8")
    assert subprocess.run(build, cwd=tmp_path, capture_output=True, check=False).returncode
