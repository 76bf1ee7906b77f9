"""Encoding speed beside sentence-transformers: same model, same texts, one process, one thread.

Texts: SIB-200 dev in 28 languages and 3 % long English news, in random order; both sides
cut texts at 512 tokens. Each repetition runs every row once, in turn; the medians of CPU and wall
time are shown. Processor time is the fairer column where other work shares the cores. Checked
beside it: that both sides see the same ids, and the cosine of each vector to the reference.

    python benchmarks/encode_speed.py --data DIR [--repetitions 3] [--limit N]
"""

import argparse
import csv
import gzip
import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from isogloss.encode import Encoder
from isogloss.encode.bundled.bundled import bundled_directory

Vectors = npt.NDArray[np.float32]
REFERENCE = "sentence-transformers, float32, batch 32"
SHARE_OF_NEWS = 0.03


def main() -> None:
    """Measure, write JSON to benchmarks/out, print a Markdown table."""
    options = _options()
    torch.set_num_threads(1)
    csv.field_size_limit(sys.maxsize)
    texts = read_texts(options.data, limit=options.limit)
    reference = SentenceTransformer(str(bundled_directory()), device="cpu")
    encoders = {
        f"isogloss, {dtype}": Encoder.load(
            "bundled", device="cpu", dtype=dtype, threads=1, long_texts="cut"
        )
        for dtype in ("float32", "bfloat16")
    }
    rows: dict[str, Callable[[], Vectors]] = {
        REFERENCE: lambda: reference.encode(texts, batch_size=32, show_progress_bar=False)
    }
    for name, encoder in encoders.items():
        rows[name] = lambda encoder=encoder: encoder.encode_counted(texts).vectors
    own = encoders["isogloss, float32"]
    result = {
        "n_texts": len(texts),
        "n_tokens": int(own.tokenizer(texts).lengths.sum()),
        "torch": torch.__version__,
        "repetitions": options.repetitions,
        **measure(rows, repetitions=options.repetitions),
    }
    result["different_ids"] = different_ids(reference, own, texts)
    compare_vectors(result, texts)
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "encode_speed.json").write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n")
    print(as_markdown(result))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=int, default=2000, help="texts in all")
    return parser.parse_args()


def read_texts(data: Path, *, limit: int) -> list[str]:
    """Return SIB-200 dev texts of every language and 3 % English news, in random order."""
    rng = random.Random(0)
    short = [t for path in sorted((data / "sib200").glob("*/dev.tsv*")) for t in _column(path)]
    long = _column(data / "masakhanews/eng/test.tsv.gz")
    n_long = round(SHARE_OF_NEWS * limit)
    texts = rng.sample(short, min(limit - n_long, len(short))) + rng.sample(long, n_long)
    rng.shuffle(texts)
    return texts


def _column(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return [row["text"] for row in csv.DictReader(file, delimiter="\t")]


def measure(rows: dict[str, Callable[[], Vectors]], *, repetitions: int) -> dict[str, Any]:
    """Return seconds of each row and repetition, and the vectors of the last one."""
    seconds: dict[str, dict[str, list[float]]] = {row: {"cpu": [], "wall": []} for row in rows}
    vectors = {}
    for _ in range(repetitions):
        for name, run in rows.items():
            cpu, wall = time.process_time(), time.perf_counter()
            vectors[name] = run()
            seconds[name]["cpu"].append(time.process_time() - cpu)
            seconds[name]["wall"].append(time.perf_counter() - wall)
    return {"seconds": seconds, "vectors": vectors}


def different_ids(reference: SentenceTransformer, own: Encoder, texts: list[str]) -> list[int]:
    """Return the texts, by number, for which the two sides see other ids."""
    prefix = own.settings.prefix.value
    theirs = reference.tokenizer(
        [prefix + text for text in texts], truncation=True, max_length=own.settings.max_length.value
    )["input_ids"]
    ours = own.tokenizer(texts).ids
    return [i for i, (a, b) in enumerate(zip(theirs, ours, strict=True)) if a != b.tolist()]


def compare_vectors(result: dict[str, Any], texts: list[str]) -> None:
    """Replace the vectors in `result` by their cosines to the reference."""
    vectors = result.pop("vectors")
    differ = set(result["different_ids"])
    same = [i for i in range(len(texts)) if i not in differ]
    result["cosine"] = {}
    for name, found in vectors.items():
        cosines = (found * vectors[REFERENCE]).sum(axis=1)
        result["cosine"][name] = {
            "least_where_ids_are_equal": float(cosines[same].min()),
            "where_they_differ": {texts[i][:60]: float(cosines[i]) for i in differ},
        }


def as_markdown(result: dict[str, Any]) -> str:
    """Return the table of medians and ratios, with what was measured on top."""
    lines = [
        f"{result['n_texts']} texts, {result['n_tokens']} tokens, one thread, torch "
        f"{result['torch']}, median of {result['repetitions']}; "
        f"{len(result['different_ids'])} texts with other ids",
        "",
        "| | CPU s | wall s | CPU, times faster | wall, times faster | least cosine |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    medians = {
        name: {kind: float(np.median(values)) for kind, values in kinds.items()}
        for name, kinds in result["seconds"].items()
    }
    first = medians[REFERENCE]
    for name, row in medians.items():
        cosine = result["cosine"][name]["least_where_ids_are_equal"]
        lines.append(
            f"| {name} | {row['cpu']:.2f} | {row['wall']:.2f} | {first['cpu'] / row['cpu']:.2f} "
            f"| {first['wall'] / row['wall']:.2f} | {cosine:.6f} |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
