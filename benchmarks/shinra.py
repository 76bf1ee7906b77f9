"""Join the labels of SHINRA2020-ML, as published, with the texts of their pages, by page id.

    python benchmarks/shinra.py --labels de.json --texts DUMP.json.gz --out de.jsonl

What the files are: `isogloss.reproduce.data.shinra`.
"""

import argparse
import sys
from pathlib import Path

from isogloss.errors import InputError, counted
from isogloss.reproduce.data import join_shinra


def main() -> int:
    """Join the files of one language, say what was written, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--labels", type=Path, required=True, help="training data of a language")
    parser.add_argument("--texts", type=Path, required=True, help="dump of the same Wikipedia")
    parser.add_argument("--out", type=Path, required=True, help="JSON Lines to make")
    parser.add_argument("--field", default="text", help="field of the dump with the text")
    parser.add_argument("--overwrite", action="store_true", help="replace --out")
    options = parser.parse_args()
    try:
        counts = join_shinra(
            options.labels,
            options.texts,
            options.out,
            field=options.field,
            overwrite=options.overwrite,
        )
    except InputError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{counted(counts.n_written, 'page')} → {options.out}; "
          f"{counted(counts.n_unlabelled, 'page')} of the dump without labels")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
