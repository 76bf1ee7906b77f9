"""docs/architecture.md names files that exist, every package, and a picture of today's layers."""

import re
import runpy

from repository import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
FIGURE = runpy.run_path(str(ROOT / "benchmarks" / "architecture_figure.py"))


def test_twenty_questions_name_files_that_exist() -> None:
    files = re.findall(r"\| `([\w/]+\.py)` \|", PAGE)
    assert len(files) >= 20
    for file in files:
        assert (ROOT / "src" / "isogloss" / file).is_file(), file


def test_packages_are_listed_and_exist() -> None:
    listed = re.findall(r"^\| `([\w/]+)/` \|", PAGE, re.MULTILINE)
    for folder in listed:
        assert (ROOT / "src" / "isogloss" / folder).is_dir(), folder
    packages = {path.parent.name for path in (ROOT / "src" / "isogloss").glob("*/__init__.py")}
    assert packages == {folder.split("/")[0] for folder in listed}


def test_the_picture_shows_the_layers_of_the_contract() -> None:
    picture = (ROOT / "docs" / "images" / "architecture.svg").read_text("utf-8")
    shown = re.findall(r'class="name"[^>]*>(\w+)', picture)
    assert shown == [name for row in FIGURE["layers"]() for name in row]
