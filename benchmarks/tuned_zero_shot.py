"""Zero-shot classification with a tuned encoder: the tables of docs/results-tuned.md.

English alone is trained on; the rows of `isogloss classify compare` with --tune are scored in other
languages. SIB-200 is tuned with LoRA and as a whole (word embeddings frozen), MasakhaNEWS with LoRA
for at most 2 epochs, its articles cut at 128 tokens. 5 % of the English texts choose the epoch.
Everything in bfloat16 on a processor. Every cell is kept, so a stopped run goes on where it was.

    python benchmarks/tuned_zero_shot.py --data DATA --out benchmarks/out --runs sib200-lora
"""

import argparse
import warnings
from pathlib import Path
from typing import Any

from isogloss import Encoder
from isogloss.classify.compare.comparison import compare, compared_rows
from isogloss.classify.compare.tables import by_language, summary
from isogloss.errors import OmissionWarning
from records import Record, add_json
from zero_shot import datasets, knowledge_base

RUNS: dict[str, tuple[str, dict[str, Any]]] = {
    "sib200-lora": ("lora", {"max_length": 128}),
    "sib200-full": ("full", {"max_length": 128}),
    "masakhanews-lora": ("lora", {"max_length": 128, "epochs": 2}),
}


def main() -> None:
    """Fill the cells of the runs that are asked for, and print their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--runs", nargs="*", choices=RUNS, default=list(RUNS))
    add_json(parser)
    arguments = parser.parse_args()
    record = Record(arguments.json)
    warnings.filterwarnings("ignore", category=OmissionWarning)  # counted in the table
    arguments.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load(
        "bundled", device="cpu", dtype="bfloat16", threads=arguments.threads, long_texts="cut"
    )
    concepts = knowledge_base(arguments.data, arguments.out, "omw")
    sets = datasets(arguments.data)
    for name in arguments.runs:
        tune, training = RUNS[name]
        train, tests = sets[name.partition("-")[0]]
        result = compare(
            train, tests, encoder=encoder, kb=concepts, n_seeds=arguments.seeds,
            rows=compared_rows(["mboe", "mboe-plus", "-emb", "-att"], is_tuned=True),
            out=arguments.out / f"tuned-{name}",
            options={"tune": tune, "training": training | {"precision": "bfloat16"}},
        )  # fmt: skip
        details = by_language(result)
        record.show(f"{name}, systems", summary(result, details))
        record.show(f"{name}, by language", details)
    record.write()


if __name__ == "__main__":
    main()
