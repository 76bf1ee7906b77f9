"""The picture of line charts: one file that stands alone."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from isogloss.report.lines import Curve, Point, panel_of
from isogloss.report.picture import Group, write_picture

NAMES = ("เข้ารหัส", "<b>&", "مشفّر \ud800")


def written(path: Path, *groups: Group) -> str:
    write_picture(path, groups)
    return path.read_text("utf-8")


def group(*names: str, n_panels: int = 3) -> Group:
    curves = [Curve(name, [Point(0, 0.1, 0.0, 0.2), Point(1, 0.5, 0.4, 0.6)]) for name in names]
    return Group(names, [panel_of(f"panel {at}", curves) for at in range(n_panels)])


def test_a_picture_loads_nothing_and_has_every_name_and_chart(tmp_path: Path) -> None:
    page = written(tmp_path / "a.svg", group(*NAMES), group("ไทย", n_panels=1))
    root = ElementTree.fromstring(page)
    assert not re.search(r"https?:(?!//www.w3.org/2000/svg)|<script|@import|url\(", page)
    assert "prefers-color-scheme: dark" in page
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    assert [name for name in texts if name in ("เข้ารหัส", "<b>&", "مشفّر \ufffd", "ไทย")]
    assert [text for text in texts if text.startswith("panel")] == [
        "panel 0", "panel 1", "panel 2", "panel 0",
    ]  # fmt: skip
    assert (
        len([one for one in root.iter("{http://www.w3.org/2000/svg}g") if one.get("role") == "img"])
        == 4
    )


def test_groups_names_and_charts_do_not_overlap(tmp_path: Path) -> None:
    page = written(tmp_path / "a.svg", group("a" * 60, "b", "c"), group("d", "e"))
    root = ElementTree.fromstring(page)
    places = re.findall(
        r'<g (class="line-\d"|role="img") transform="translate\((\d+) (\d+)\)"', page
    )
    legend = [(int(x), int(y)) for kind, x, y in places if kind.startswith("class")]
    charts = [(int(x), int(y)) for kind, x, y in places if kind.startswith("role")]
    assert [x for x, _ in legend] == [24, 24, 24, 24, 24]
    assert charts[0][1] > legend[2][1] > legend[1][1] > legend[0][1]
    assert legend[3][1] >= charts[2][1] + 190
    assert charts[0][0] + 320 < charts[1][0]
    assert charts[-1][1] + 22 + 190 <= float(root.get("height", 0))
