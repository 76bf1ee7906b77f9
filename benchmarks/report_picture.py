"""Take the picture of the report in the documentation: its first screen.

    isogloss demo --out demo
    python benchmarks/report_picture.py demo/report.html docs/images/report.png

It needs Chromium, and fonts of the scripts that are shown.
"""

import argparse
import subprocess
from pathlib import Path

WIDTH, HEIGHT = 1200, 860


def main() -> None:
    """Take it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("out", type=Path, help="picture to make")
    parser.add_argument("--chromium", default="chromium")
    given = parser.parse_args()
    subprocess.run(
        [given.chromium, "--headless=new", "--no-sandbox", "--hide-scrollbars",
         f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={given.out.resolve()}",
         given.report.resolve().as_uri()],
        check=True,
    )  # fmt: skip
    print(given.out)


if __name__ == "__main__":
    main()
