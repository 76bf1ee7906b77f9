"""Make pages of the notebooks, with what they print where they have been run.

`make notebooks` calls this file, which runs them: copies with output go into `build/notebooks`.
`make docs` shows a copy's output as long as its cells are those of the notebook; else the code.
"""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "docs" / "notebooks"
WITH_OUTPUT = ROOT / "build" / "notebooks"


def page_of(notebook: Path) -> str:
    """Return a notebook as Markdown."""
    cells = _cells(notebook)
    run = WITH_OUTPUT / notebook.name
    if run.exists() and [one["source"] for one in _cells(run)] == [one["source"] for one in cells]:
        cells = _cells(run)
    parts = [f"[The notebook]({notebook.name})"]
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            source = of_pages(source)
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
        parts += [shown for one in cell.get("outputs", []) if (shown := _shown(one))]
    title, rest = parts[1], parts[2:]
    return "\n\n".join([title, parts[0], *rest]) + "\n"


def of_pages(text: str) -> str:
    """Return Markdown whose links lead to the pages of notebooks."""
    return text.replace(".ipynb)", ".md)")


def _cells(notebook: Path) -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads(notebook.read_text("utf-8"))["cells"]
    return cells


def _shown(output: dict[str, Any]) -> str:
    """Return what a cell gives as Markdown, nothing of what it says on standard error."""
    if output.get("name") == "stderr":
        return ""
    text = output.get("text") or output.get("data", {}).get("text/plain") or []
    shown = "".join(text).strip("\n")
    return shown if shown.startswith("| ") else f"```text\n{shown}\n```"


def run_all() -> None:
    """Run every notebook, and keep the copies with output."""
    import nbformat
    from nbclient import NotebookClient

    WITH_OUTPUT.mkdir(parents=True, exist_ok=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        made = NotebookClient(
            nbformat.read(path, as_version=4), resources={"metadata": {"path": str(WITH_OUTPUT)}}
        ).execute()
        nbformat.write(made, WITH_OUTPUT / path.name)


if __name__ == "__main__":
    run_all()
