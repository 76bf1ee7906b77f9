"""Records of entities with their names, as `kb build --source names:FILE` reads them."""

import json
from pathlib import Path
from typing import Any


def write_lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), "utf-8")
    return path
