"""Count the pages and redirects of real dumps, and write them to golden_dumps.json.

    python tests/helpers/golden_dumps.py

Reads the evaluation data beside the repository; `test_golden_dumps.py` compares and confirms them
with another reader.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from repository import ROOT

from isogloss.wiki.dump.reader import Dump

DUMPS = ROOT / "../shared/data/wikipedia"
GOLDEN = Path(__file__).with_name("golden_dumps.json")


def dump_files() -> list[Path]:
    """Return the real dumps, by name; none where the data is not."""
    return sorted(DUMPS.glob("*/*.bz2"))


def counts_of(path: Path) -> dict[str, Any]:
    """Return pages and redirects by namespace, and the database's name."""
    pages: Counter[int] = Counter()
    redirects: Counter[int] = Counter()
    with Dump(path) as dump:
        for page in dump.pages():
            pages[page.namespace] += 1
            redirects[page.namespace] += page.redirect is not None
    return {
        "database": dump.site.name,
        "pages": {str(number): n for number, n in sorted(pages.items())},
        "redirects": {str(number): n for number, n in sorted(redirects.items()) if n},
    }


def main() -> None:
    """Write the golden file, a dump a line."""
    lines = [f'"{path.name}": {json.dumps(counts_of(path))}' for path in dump_files()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
