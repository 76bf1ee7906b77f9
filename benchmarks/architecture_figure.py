"""The picture of docs/architecture.md: the layers of the package, and what each package imports.

    python benchmarks/architecture_figure.py docs/images/architecture.svg

Layers are those of the contract in pyproject.toml; modules and imports are read from the sources.
"""

import argparse
import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WIDTH, ROW, GAP, LEFT = 980, 30, 8, 330
STYLE = """
text { font: 13px sans-serif; fill: #1f2a36; }
.name { font-weight: bold; }
.imports { font-size: 11px; fill: #5b6875; }
rect { fill: #e8eef4; stroke: #8fa3b5; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .imports { fill: #9fb0c0; }
  rect { fill: #1f2d3a; stroke: #56697b; }
}
"""


def layers() -> list[list[str]]:
    """Return the packages of each layer, the highest first."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    names = next(c["layers"] for c in contracts if "isogloss.cli" in c.get("layers", ()))
    return [[part.strip().partition(".")[2] for part in name.split("|")] for name in names]


def files(package: str) -> list[Path]:
    """Return the modules of a package, or the module of that name, empty ones left out."""
    path = ROOT / "src" / "isogloss" / package
    found = sorted(path.rglob("*.py")) if path.is_dir() else [path.with_suffix(".py")]
    return [file for file in found if file.name != "__init__.py"]


def imports(package: str) -> set[str]:
    """Return the other packages of isogloss that a package imports anywhere."""
    found = set()
    for file in files(package):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            names = [name.name for name in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
                if node.module == "isogloss":
                    names = [f"isogloss.{name.name}" for name in node.names]
            found |= {name.split(".")[1] for name in names if name.startswith("isogloss.")}
    return found - {package}


def drawn() -> str:
    """Return the picture as SVG: a row a layer, its packages as boxes, their imports beside."""
    rows = layers()
    order = [name for row in rows for name in row]
    height = len(rows) * (ROW + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        f'aria-label="Layers of isogloss"><style>{STYLE}</style>'
    ]
    for at, row in enumerate(rows):
        top, width = GAP + at * (ROW + GAP), (LEFT - 2 * GAP - GAP * (len(row) - 1)) / len(row)
        for place, name in enumerate(row):
            left, n = GAP + place * (width + GAP), len(files(name))
            label = f"{name} ({n})" if n > 1 else name
            parts.append(
                f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{ROW}" rx="4"/>'
                f'<text class="name" x="{left + width / 2:.0f}" y="{top + 20}" '
                f'text-anchor="middle">{escape(label)}</text>'
            )
        used = set().union(*map(imports, row))
        text = ", ".join(name for name in order if name in used and name not in row)
        parts.append(f'<text class="imports" x="{LEFT}" y="{top + 19}">{escape(text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", type=Path, help="an .svg file")
    parser.parse_args().picture.write_text(drawn(), "utf-8")


if __name__ == "__main__":
    main()
