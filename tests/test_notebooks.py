"""The notebooks are kept without output, and run from top to bottom."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
each = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def code_of(path: Path) -> list[dict[str, Any]]:
    """Return the cells of code of a notebook."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


@each
def test_notebooks_are_kept_without_output(path: Path) -> None:
    for cell in code_of(path):
        assert not cell["outputs"]
        assert cell["execution_count"] is None
        ast.parse("".join(cell["source"]))


@pytest.mark.full
@pytest.mark.timeout(900)
@each
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient").NotebookClient(
        nbformat.read(path, as_version=4),
        timeout=600,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    made = client.execute()
    shown = str([cell.get("outputs") for cell in made["cells"]])
    assert "| sw |" in shown
