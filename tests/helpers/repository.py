"""Where the repository and its evaluation data lie, for tests in any folder."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HELPERS = ROOT / "tests" / "helpers"
DATA = ROOT / "../shared/data"
