"""The site: its navigation has every page, every public name a page, and no other host is asked."""

import contextlib
import functools
import http.server
import importlib.util
import itertools
import json
import runpy
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import WIDTHS, needs_browser, open_browser
from repository import ROOT

import isogloss

REFERENCE = runpy.run_path(str(ROOT / "tools" / "reference.py"))
OFFLINE = runpy.run_path(str(ROOT / "tools" / "offline.py"))
BUILD = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
SEEN = ("index", "reference/commands/classify", "reference/figures/neutrality",
        "reference/python/isogloss.TextClassifier")  # fmt: skip
SCHEMES = {False: "default", True: "slate"}
HOST = "const host = [...document.querySelectorAll('*')].find(one => one.shadowRoot);"
OPENED = f"""{HOST}
document.querySelector('.md-search__button').click();
return Boolean(host);"""
FOUND = f"""{HOST}
return [...host.shadowRoot.querySelectorAll('a')].map(one => one.textContent).join();"""
ASKED = """
return [...document.querySelectorAll('[src], link[href]')].map(one => one.src || one.href);"""
LOADED = "return performance.getEntriesByType('resource').map(one => one.name)"
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


def test_every_record_has_a_page_with_all_of_its_tables() -> None:
    pages = REFERENCE["figure_pages"]()
    files = list((ROOT / "benchmarks" / "results").glob("*.json"))
    assert set(pages) == {"figures/index"} | {f"figures/{file.stem}" for file in files}
    for file in files:
        record = json.loads(file.read_text("utf-8"))
        page = pages[f"figures/{file.stem}"]
        assert f"]({file.stem}.md) | `{record['script']}` |" in pages["figures/index"]
        for fact in (record["command"], record["date"], record["versions"]["torch"]):
            assert fact in page
        shown = [line for line in page.splitlines() if line.startswith("| ")]
        assert len(shown) == sum(2 + len(table["rows"]) for table in record["tables"].values())


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


def built(folder: Path) -> Path:
    """Build the site in a folder as `make docs` does; return where it is."""
    for name in ("docs", "src", "tools", "benchmarks/results"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "zensical.toml", folder)
    for words in (
        [sys.executable, "tools/reference.py"],
        BUILD,
        [sys.executable, "tools/offline.py"],
    ):
        ended = subprocess.run(words, cwd=folder, text=True, capture_output=True, check=False)
        assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder / "build" / "site"


@pytest.mark.parametrize(
    ("tag", "is_loaded"),
    [
        ('<img src="a.png" srcset="https://x.org/a.png">', True),
        ('<source srcset="a.png 1x, //x.org/b.png 2x">', True),
        ("<img srcset='a.png 1x,https://x.org/b.png 2x'>", True),
        ("<img srcset=https://x.org/a.png>", True),
        ('<object type="image/svg+xml" data="https://x.org/a.svg"></object>', True),
        ('<img srcset="a.png 1x, b//c.png 2x"> <a href="https://x.org">x</a>', False),
        ('<object data="a.svg" title="https://x.org"></object>', False),
    ],
)
def test_what_a_page_would_load_from_another_host_is_told(
    tmp_path: Path, tag: str, *, is_loaded: bool
) -> None:
    (tmp_path / "assets" / "javascripts").mkdir(parents=True)
    (tmp_path / "a.html").write_text(tag, "utf-8")
    assert bool(OFFLINE["keep_at_home"](tmp_path)) == is_loaded


needs_zensical = pytest.mark.skipif(
    not importlib.util.find_spec("zensical"), reason="the extra 'docs' builds the site"
)


@needs_zensical
def test_the_site_is_built_strictly(tmp_path: Path) -> None:
    site = built(tmp_path)
    shown = (site / "reference" / "python" / "isogloss.TextClassifier.html").read_text("utf-8")
    assert "scikit-learn" in shown
    assert "predict_proba" in shown
    assert "--abstain-below" in (site / "search.json").read_text("utf-8")
    (tmp_path / "build" / "docs" / "index.md").write_text("[gone](which.md#gone)\n", "utf-8")
    assert subprocess.run(BUILD, cwd=tmp_path, capture_output=True, check=False).returncode


@pytest.mark.full
@needs_zensical
@needs_browser
def test_the_site_searches_from_disk_and_asks_no_other_host(tmp_path: Path) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.wait import WebDriverWait

    site = built(tmp_path)
    with open_browser() as browser:
        for width, dark in itertools.product(WIDTHS, (False, True)):
            browser.look(width, dark=dark)
            for page in SEEN:
                browser.open(site / f"{page}.html")
                assert browser.sideways() == []
                assert browser.faults() == []
                assert browser.run("return document.body.dataset.mdColorScheme") == SCHEMES[dark]
        for query, found in (("calibration", "Trust"), ("--abstain-below", "Abstaining")):
            browser.look(WIDTHS[0])
            browser.open(site / "index.html")
            WebDriverWait(browser.driver, 20).until(lambda _: browser.run(OPENED))
            ActionChains(browser.driver).send_keys(query).perform()
            wait = WebDriverWait(browser.driver, 20)
            wait.until(lambda _, word=found: word in browser.run(FOUND))
        asked = browser.run(ASKED)
        assert asked
        assert all(address.startswith(site.as_uri()) for address in asked)
        with served(site) as address:
            browser.open(f"{address}/index.html")
            loaded = browser.run(LOADED)
            assert loaded
            assert all(one.startswith(address) for one in loaded)


@contextlib.contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder; yield its address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
