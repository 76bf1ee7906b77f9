"""Charts of points."""

import pytest

from isogloss.report.figures import decimal
from isogloss.report.lines import LEFT, RIGHT, WIDTH
from isogloss.report.points import Dotted, points_panel

GROUPS = {
    "en": [Dotted(0, 0.5, 0.4, 0.6), Dotted(1, None)],
    "ja": [Dotted(0, 0.25), Dotted(1, 1.0)],
}


def test_points_stand_at_their_names() -> None:
    panel = points_panel("Score", GROUPS, x_name="language", names=["de", "zh"])
    assert [label.text for label in panel.x_labels] == ["de", "zh"]
    english, japanese = panel.lines
    assert [mark.x for mark in english.marks] == [panel.x_labels[0].at]  # None is left out
    assert [mark.x for mark in japanese.marks] == [label.at for label in panel.x_labels]
    assert panel.x_name == "language"
    assert f"en: 1 points, {decimal(0.5)} to {decimal(0.5)}." in panel.description


def test_names_do_not_run_into_each_other() -> None:
    names = ["size", "overlap", "typology", "nearest", "others", "agreed"]
    points = {"all": [Dotted(at, 0.5) for at in range(len(names))]}
    labels = points_panel("Regret", points, x_name="ranked by", names=names).x_labels
    room = (WIDTH - LEFT - RIGHT) / len(names)
    assert [label.text for label in labels] == names
    assert labels[0].width is None
    assert labels[2].width is not None
    assert labels[2].width < room


def test_an_interval_is_a_bar_from_end_to_end() -> None:
    panel = points_panel("Score", GROUPS, x_name="language", names=["de", "zh"])
    heights = {label.text: label.at for label in panel.y_labels}
    top, bottom = heights["1"], heights["0"]
    start, end = (bottom + (top - bottom) * share for share in (0.4, 0.6))
    x = panel.x_labels[0].at
    assert panel.lines[0].path == f"M{x} {start:.1f}V{end:.1f}"
    assert panel.lines[1].path == ""


def test_a_numeric_axis_holds_all_points() -> None:
    points = [Dotted(0.02, 0.1), Dotted(0.31, 0.9)]
    panel = points_panel("Score", {"all": points}, x_name="overlap")
    places = [mark.x for mark in panel.lines[0].marks]
    assert LEFT <= places[0] < places[1] <= WIDTH - RIGHT
    assert panel.lines[0].style == 1


@pytest.mark.parametrize("n", [6, 7])
def test_more_groups_than_styles_are_drawn_alike(n: int) -> None:
    groups = {str(number): [Dotted(number, 0.5)] for number in range(n)}
    panel = points_panel("Score", groups, x_name="x")
    assert len({line.style for line in panel.lines}) == (6 if n == 6 else 1)
