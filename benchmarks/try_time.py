"""How long `isogloss try` takes to its first page: 500 labelled texts and 500 to answer.

    python benchmarks/try_time.py --data DIR

DIR holds SIB-200 as ``sib200/eng_Latn/train.tsv`` and ``sib200/LANG/dev.tsv``. The labelled texts
are 500 English sentences, the others 500 of 27 languages in turn; neither file says its languages.
Printed are the seconds until the page answers, of a process started anew, its processor time, and
what it said on the way.
"""

import argparse
import csv
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from evaluation_data import SIB_LANGUAGES, find
from isogloss.data.documents import FileFormat, read_documents

N_TEXTS = 500
FORMAT = FileFormat(quoting="none")


def write(path: Path, rows: list[tuple[str, ...]], header: tuple[str, ...]) -> Path:
    """Write a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def sentences(data: Path, lang: str, part: str) -> list[tuple[str, ...]]:
    """Return texts with their labels."""
    path = find(data / "sib200" / lang / f"{part}.tsv")
    found = read_documents(path, format=FORMAT, needs_label=True)
    return list(zip(found.texts, [str(label) for label in found.labels or []], strict=True))


def seconds_to_page(words: list[str], folder: Path) -> float:
    """Start the command, and return after how many seconds its page is there."""
    command = [sys.executable, "-m", "isogloss", "try", *words, "--port", "0", "--no-browser",
               "--out", str(folder / "out")]  # fmt: skip
    start = time.monotonic()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            print(f"{time.monotonic() - start:6.1f} s  {line.rstrip()}")
            if found := re.search(r"http://[\d.:]+", line):
                with urllib.request.urlopen(f"{found[0]}/v1/inbox?n=1") as reply:
                    assert reply.status == 200
                seconds = time.monotonic() - start
                process.send_signal(signal.SIGTERM)
                process.stderr.read()
                return seconds
    raise SystemExit("the page did not come")


def main() -> None:
    """Write the files, run the command, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        labelled = sentences(data, "eng_Latn", "train")[:N_TEXTS]
        each = [sentences(data, lang, "dev") for lang in SIB_LANGUAGES]
        others = [each[row % len(each)][row // len(each)][:1] for row in range(N_TEXTS)]
        tickets = write(folder / "tickets.csv", labelled, ("message", "goes to"))
        inbox = write(folder / "inbox.csv", others, ("message",))
        seconds = seconds_to_page([str(tickets), str(inbox)], folder)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        processor = used.ru_utime + used.ru_stime
        print(f"{len(labelled)} labelled and {len(others)} other texts: page after "
              f"{seconds:.1f} s, {processor:.1f} s of processor time")  # fmt: skip


if __name__ == "__main__":
    main()
