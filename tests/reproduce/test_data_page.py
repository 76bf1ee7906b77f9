"""docs/reproduce.md lists the data sets as the code has them."""

from repository import ROOT

from isogloss.report.table import Table
from isogloss.reproduce.data import DATA_SETS

PAPERS = {"pires": "Pires", "boe": "Nishikawa", "geometry": "Ethayarajh", "labse": "Feng"}


def listed() -> str:
    """Return the table of the page."""
    rows = [
        {
            "data set": one.name,
            "for": ", ".join(PAPERS[paper] for paper in one.papers),
            "licence": one.licence,
            "from": one.source,
            "folder": f"`{one.folder}/`",
            "layout": one.layout,
        }
        for one in DATA_SETS
    ]
    return Table(rows).to_markdown().strip()


def test_the_page_has_every_data_set() -> None:
    assert listed() in (ROOT / "docs" / "reproduce.md").read_text("utf-8")
