"""Scores that the paper of the bag of entities printed, to stand beside one's own."""

import json
from importlib import resources

from isogloss.errors import InputError, did_you_mean
from isogloss.report.table import Table


def published_table(name: str) -> Table:
    """Return the printed scores of a data set: a line a row of the paper, a column a language.

    Parameters
    ----------
    name
        ``"mldoc"`` (Table 3) or ``"shinra2020-ml"`` (Table 4).

    Raises
    ------
    InputError
        When there is no such data set in the paper.
    """
    file = resources.files("isogloss.classify.compare") / "published.json"
    known = json.loads(file.read_text(encoding="utf-8"))
    if name not in known:
        raise InputError(f"--published is '{name}'; {did_you_mean(name, known)}")
    found = known[name]
    lines = [{"row": row} | scores for row, scores in found["rows"].items()]
    caption = f"Published {found['metric']} on {found['dataset']} ({found['source']}): "
    return Table(lines, caption=caption + found["note"] + ".")
