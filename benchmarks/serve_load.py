"""A server under load: 50 clients for a minute, every answer compared with the library's.

    python benchmarks/serve_load.py MODEL [--clients 50] [--seconds 60]

MODEL is a saved classifier, such as ``isogloss demo`` makes. Each client asks one text after the
other: two of the demo's test texts in one of fifteen languages, joined, in random order by a seed,
each pair once, as a text that comes again is not encoded again. Printed are the answers a second,
the time of an answer, how far probabilities are from those of `TextClassifier`, and how memory
grew from second 10 to the end. It ends with 1 where a label differs, a probability by more than
1e-5, an answer is no 200, or memory grew by more than 5 %.
"""

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from isogloss import TextClassifier
from isogloss.data.demo_data import demo_tests

TOLERANCE, MOST_GROWTH, SECONDS_BEFORE = 1e-5, 0.05, 10


def texts() -> list[tuple[str, str]]:
    """Return texts with their languages, in random order."""
    made = [
        (f"{one} {other}", lang)
        for lang, documents in demo_tests("topics").items()
        for one in documents.texts
        for other in documents.texts
    ]
    return [made[row] for row in np.random.default_rng(0).permutation(len(made))]


def started(model: Path) -> tuple[subprocess.Popen[str], str, int]:
    """Start a server; return its process, host and port."""
    command = [sys.executable, "-m", "isogloss", "serve", str(model), "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if found := re.search(r"http://([\d.]+):(\d+)", line):
            return process, found[1], int(found[2])
    raise SystemExit("the server did not start")


def resident(process: subprocess.Popen[str]) -> int:
    """Return the bytes of memory that a process holds."""
    status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]


async def client(
    place: tuple[str, int], asked: list[int], rows: list[tuple[str, str]], until: float, kept: list
) -> None:
    """Ask one text after the other over one connection; keep row, status, seconds and answer."""
    reader, writer = await asyncio.open_connection(*place)
    for row in asked:
        if time.monotonic() >= until:
            break
        text, lang = rows[row]
        body = json.dumps({"texts": [{"text": text, "lang": lang}]}).encode()
        head = (
            f"POST /v1/classify HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        start = time.monotonic()
        writer.write(head.encode() + body)
        header = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int(re.search(r"content-length: (\d+)", header, re.I)[1])  # type: ignore[index]
        answer = json.loads(await reader.readexactly(length))
        kept.append((row, int(header.split()[1]), time.monotonic() - start, answer))
    writer.close()


async def load(
    place: tuple[str, int], process: subprocess.Popen[str], n_clients: int, seconds: float
) -> tuple[list, list[tuple[float, int]]]:
    """Return what was answered, and the memory of the server, second by second."""
    rows, kept, memory = texts(), [], []
    begin = time.monotonic()
    clients = [
        asyncio.create_task(
            client(place, [*range(first, len(rows), n_clients)], rows, begin + seconds, kept)
        )
        for first in range(n_clients)
    ]
    while not all(one.done() for one in clients):
        memory.append((time.monotonic() - begin, resident(process)))
        await asyncio.sleep(1)
    await asyncio.gather(*clients)
    return kept, memory


def differences(model: Path, kept: list) -> tuple[int, float]:
    """Return how many labels are others than the library's, and the largest distance."""
    rows, asked = texts(), [row for row, *_ in kept]
    fitted = TextClassifier.load(model)
    asked_texts, langs = zip(*(rows[row] for row in asked), strict=True)
    found_rows = fitted.predict_proba(list(asked_texts), list(langs))
    expected = dict(zip(asked, found_rows, strict=True))
    classes = [str(label) for label in fitted.classes_.tolist()]
    n_others, largest = 0, 0.0
    for row, status, _, answer in kept:
        if status != 200:
            continue
        (one,) = answer["answers"]
        found = np.array([one["probabilities"][label] for label in classes])
        n_others += str(one["label"]) != classes[int(expected[row].argmax())]
        largest = max(largest, float(np.abs(found - expected[row]).max()))
    return n_others, largest


def main() -> int:
    """Run the load, compare, and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    process, host, port = started(options.model)
    try:
        kept, memory = asyncio.run(load((host, port), process, options.clients, options.seconds))
    finally:
        process.terminate()
        process.wait()
    n_others, largest = differences(options.model, kept)
    statuses = Counter(status for _, status, _, _ in kept)
    times = np.array([seconds for _, _, seconds, _ in kept])
    later = [size for at, size in memory if at >= SECONDS_BEFORE]
    growth = later[-1] / later[0] - 1
    print(f"{options.clients} clients, {options.seconds:.0f} s: {len(kept):,} answers, "
          f"{len(kept) / options.seconds:.1f} texts/s")  # fmt: skip
    p50, p95, p99 = np.quantile(times, [0.5, 0.95, 0.99])
    print(f"seconds of an answer: median {p50:.2f}, p95 {p95:.2f}, p99 {p99:.2f}")
    print(f"statuses: {dict(statuses)}")
    print(f"labels other than the library's: {n_others}; largest difference of a probability: "
          f"{largest:.1e}")  # fmt: skip
    print(f"memory at second {SECONDS_BEFORE}: {later[0] / 1e6:.0f} MB, at the end "
          f"{later[-1] / 1e6:.0f} MB ({growth:+.1%})")  # fmt: skip
    shown = ", ".join(f"{at:.0f} s {size / 1e6:.0f}" for at, size in memory[::10])
    print(f"memory on the way, MB: {shown}")
    is_well = n_others == 0 and largest <= TOLERANCE and set(statuses) == {200}
    return 0 if is_well and growth <= MOST_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
