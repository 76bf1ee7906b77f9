"""A corpus in parts: rows, memory, speed, and what of it is not the encoder's: docs/performance.md.

    python benchmarks/parts.py --data DIR [--texts 20000] [--rows 2000000] [--workers]
                               [--shards]

Parallel text of many languages in 12 parts is answered by a model of the demo's topics on the
bundled encoder; made-up rows in 40 parts by one on a static encoder made here, in model2vec's
format. Peak memory is the system's figure for the whole process. One thread.
"""

import argparse
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers

from isogloss.cli.main import main as isogloss
from isogloss.data.demo_data import demo_train
from isogloss.encode import Encoder
from isogloss.parts import work
from isogloss.report.table import Table

SOURCE = Path(__file__).resolve().parents[1] / "src"
N_WORDS, WIDTH = 5000, 64
N_PARTS, N_STATIC_PARTS = 12, 40


def main() -> None:
    """Print a table for each question."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--workers", action="store_true", help="one worker against two")
    parser.add_argument("--shards", action="store_true", help="four shards against the whole")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.rows:
            static(folder, given.rows)
        if given.texts:
            bundled(folder, given.data, given.texts)
            if given.workers:
                by_workers(folder)
            if given.shards:
                by_shards(folder)


def static(folder: Path, n_rows: int) -> None:
    """Rows by a static encoder: memory at all rows against a twentieth of them."""
    encoder = static_encoder(folder / "static")
    model = fitted(folder / "static-model", encoder, static_training(folder))
    rows = []
    for n in (n_rows // 20, n_rows):
        source, out = folder / f"in{n}", folder / f"out{n}"
        write_static_parts(source, n)
        ran = run_outside(["classify", "predict", model, source, "--out", out, "--threads", 1])
        refuse_other_rows(source, out)
        rows.append({"rows": n} | ran | {"rows a CPU second": round(n / ran["CPU s"])})
        if len(rows) == 1:
            texts = [text for path in sorted(source.glob("*.parquet"))
                     for text in parquet.read_table(path)["text"].to_pylist()]  # fmt: skip
            rows[0]["labels that differ"] = other_labels(model, texts, out)
    rows[-1]["peak, times"] = round(rows[-1]["peak MB"] / rows[0]["peak MB"], 3)
    print(Table(rows, caption=f"Static encoder, {N_STATIC_PARTS} parts").to_markdown())


def bundled(folder: Path, data: Path, n_texts: int) -> None:
    """Texts by the bundled encoder: equal labels, and the share of time outside the encoder."""
    texts = list(islice(parallel_texts(data / "parallel"), n_texts))
    train, topics = folder / "train.jsonl", demo_train("topics")
    write_lines(
        train,
        [
            {"text": text, "label": label}
            for text, label in zip(topics.texts, topics.labels or (), strict=True)
        ],
    )
    model = fitted(folder / "model", "bundled", train)
    source = folder / "texts"
    source.mkdir()
    for number in range(N_PARTS):
        some = texts[number * n_texts // N_PARTS : (number + 1) * n_texts // N_PARTS]
        ids = [f"{number}-{row}" for row in range(len(some))]
        parquet.write_table(
            pyarrow.table({"id": ids, "text": some}), source / f"{number:02}.parquet"
        )
    out = folder / "answers"
    words = ["classify", "predict", model, source, "--threads", 1]
    seconds = inside([*words, "--out", out])
    refuse_other_rows(source, out)
    rows = [{
        "texts": n_texts, "labels that differ": other_labels(model, texts, out),
        "s": round(seconds["all"], 1), "of which encoder": round(seconds["encoder"], 1),
        "texts a second": round(n_texts / seconds["all"], 1),
        "share outside the encoder": round(1 - seconds["encoder"] / seconds["all"], 3),
    }]  # fmt: skip
    print(Table(rows, caption=f"Bundled encoder, {N_PARTS} parts").to_markdown())


def by_workers(folder: Path) -> None:
    """Answer the same texts by one process and by two, of one thread each."""
    rows = []
    for workers in (1, 2):
        out = folder / f"by{workers}"
        ran = run_outside([
            "classify", "predict", folder / "model", folder / "texts",
            "--threads", workers, "--workers", workers, "--out", out,
        ])  # fmt: skip
        first = min(path.stat().st_mtime for path in out.glob("_run.json"))
        last = max(path.stat().st_mtime for path in out.glob("*.parquet"))
        rows.append({"workers": workers, "s after the start": round(last - first, 1)} | ran)
    rows[1]["times faster"] = round(rows[0]["s after the start"] / rows[1]["s after the start"], 2)
    print(Table(rows, caption="Workers, one thread each").to_markdown())


def by_shards(folder: Path) -> None:
    """Answer the same texts by four commands, one after another; compare with the whole run."""
    for number in range(1, 5):
        run_outside([
            "classify", "predict", folder / "model", folder / "texts",
            "--threads", 1, "--shard", f"{number}/4", "--out", folder / "sharded",
        ])  # fmt: skip
    rows, other = 0, 0
    for path in sorted((folder / "answers").glob("*.parquet")):
        whole, part = (parquet.read_table(one) for one in (path, folder / "sharded" / path.name))
        rows += len(part)
        other += sum(map(dict.__ne__, whole.to_pylist(), part.to_pylist()))
    names = [{path.name for path in (folder / one).glob("*.parquet")}
             for one in ("answers", "sharded")]  # fmt: skip
    table = [{"rows": rows, "rows that differ": other, "same parts": names[0] == names[1]}]
    print(Table(table, caption="Four shards against the whole run").to_markdown())


def other_labels(model: Path, texts: list[str], out: Path) -> int:
    """Return how many labels of parts are others than those that predict prints of the texts."""
    lines = out.with_suffix(".jsonl")
    write_lines(lines, [{"text": text} for text in texts])
    words = ["classify", "predict", model, lines, "--threads", 1]
    printed = subprocess.run(
        command(words), check=True, text=True, stdout=subprocess.PIPE, env=environment()
    ).stdout
    labels = [line.split("\t")[0] for line in printed.splitlines()]
    made = [parquet.read_table(path)["label"].to_pylist() for path in sorted(out.glob("*.parquet"))]
    return sum(map(str.__ne__, labels, chain.from_iterable(made))) + abs(
        len(labels) - sum(map(len, made))
    )


def inside(words: Sequence[object]) -> dict[str, float]:
    """Run a command in this process; return seconds of its parts, and of the encoder in them."""
    seconds = {"all": 0.0, "encoder": 0.0}

    def timed(name: str, function: object) -> object:
        def run(*given: object, **options: object) -> object:
            start = time.perf_counter()
            try:
                return function(*given, **options)  # type: ignore[operator]
            finally:
                seconds[name] += time.perf_counter() - start

        return run

    kept = Encoder.encode_counted, work._Maker.outcome
    Encoder.encode_counted = timed("encoder", kept[0])  # type: ignore[method-assign,assignment]
    work._Maker.outcome = timed("all", kept[1])  # type: ignore[method-assign,assignment]
    try:
        if isogloss([str(word) for word in words]):
            raise SystemExit("it failed")
    finally:
        Encoder.encode_counted, work._Maker.outcome = kept  # type: ignore[method-assign]
    return seconds


def run_outside(words: Sequence[object]) -> dict[str, float]:
    """Run a command; return seconds, and the most memory that its process had."""
    start = time.perf_counter()
    process = subprocess.Popen(command(words), env=environment(), stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{words} failed")
    return {
        "s": round(time.perf_counter() - start, 1),
        "CPU s": round(used.ru_utime + used.ru_stime, 1),
        "peak MB": round(used.ru_maxrss / 1024, 1),
    }


def refuse_other_rows(source: Path, out: Path) -> None:
    """Compare the ids of all parts, in order."""
    for path in sorted(source.glob("*.parquet")):
        before, after = (parquet.read_table(folder / path.name, columns=["id"])
                         for folder in (source, out))  # fmt: skip
        if not before.equals(after.cast(before.schema)):
            raise SystemExit(f"{path.name}: other rows")


def fitted(out: Path, encoder: object, train: Path) -> Path:
    """Fit a classifier."""
    words = ["classify", "fit", "--train", f"en={train}", "--encoder", encoder, "--out", out]
    subprocess.run(command(words), check=True, env=environment(), stderr=subprocess.DEVNULL)
    return out


def command(words: Sequence[object]) -> list[str]:
    """Return the words of a process."""
    return [sys.executable, "-m", "isogloss", *map(str, words)]


def environment() -> dict[str, str]:
    """Return that of a process: this checkout."""
    return os.environ | {"PYTHONPATH": str(SOURCE)}


def parallel_texts(folder: Path) -> Iterator[str]:
    """Yield texts of all languages in turn."""

    def of_file(path: Path) -> Iterator[str]:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield line.rstrip("\n").split("\t")[1]

    for row in zip_longest(*(of_file(path) for path in sorted(folder.glob("*.tsv.gz")))):
        yield from (text for text in row if text)


def static_encoder(folder: Path) -> Path:
    """Write an encoder in model2vec's format: a random vector for each word."""
    folder.mkdir()
    words = {"[UNK]": 0} | {f"w{number}": number + 1 for number in range(N_WORDS)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": True}
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")
    table = np.random.default_rng(0).normal(size=(len(words), WIDTH)).astype(np.float32)
    save_file({"embeddings": table}, folder / "model.safetensors")
    return folder


def static_training(folder: Path) -> Path:
    """Write labelled texts whose label is told by their words."""
    draws = random.Random(1)
    path = folder / "static.jsonl"
    labels = ["low", "high", "middle"]
    write_lines(path, [
        {"text": made_text(draws, at % 3), "label": labels[at % 3]} for at in range(300)
    ])  # fmt: skip
    return path


def made_text(draws: random.Random, third: int) -> str:
    """Return ten words of a third of all."""
    first = third * N_WORDS // 3
    return " ".join(f"w{first + draws.randrange(N_WORDS // 3)}" for _ in range(10))


def write_static_parts(folder: Path, n_rows: int) -> None:
    """Write made-up rows."""
    folder.mkdir()
    draws = random.Random(2)
    texts = [made_text(draws, number % 3) for number in range(3000)]
    of_part = n_rows // N_STATIC_PARTS
    for number in range(N_STATIC_PARTS):
        ids = np.arange(number * of_part, (number + 1) * of_part)
        columns = {"id": ids, "text": [texts[one % 3000] for one in ids.tolist()]}
        parquet.write_table(pyarrow.table(columns), folder / f"{number:02}.parquet")


def write_lines(path: Path, rows: Sequence[dict[str, object]]) -> None:
    """Write JSON Lines."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    main()
