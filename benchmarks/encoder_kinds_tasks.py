"""What faster kinds of encoder cost in accuracy: Tatoeba and SIB-200, beside float32.

The bundled encoder in float32, bfloat16 and the int8 of `encoder_kinds_speed`. Tatoeba: the share
of sentences whose nearest English sentence is their translation, the first 250 pairs of 12
languages. SIB-200: logistic regression on English training texts (C = 0.01 for all, so that nothing
is chosen), on 14 other languages. Differences to float32 are paired; intervals are over texts.

    python benchmarks/encoder_kinds_tasks.py --data DIR
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from encoder_kinds_speed import int8, load
from evaluation_data import SIB_LANGUAGES, find
from isogloss import Encoder
from isogloss.data.documents import FileFormat, read_documents
from isogloss.report.table import Table
from isogloss.statistics.scores import interval_of_language_mean
from records import Record, add_json
from transform_tasks import lines_of

N_PAIRS, N_LANGUAGES, N_TOPIC_LANGUAGES = 250, 12, 14
Right = dict[str, np.ndarray]


def tatoeba(encoder: Encoder, data: Path) -> Right:
    """Return, of each language, which sentences find their translation."""
    found = {}
    files = sorted((data / "tatoeba").glob("tatoeba.*-eng.eng*"))
    step = max(1, len(files) // N_LANGUAGES)
    for english in files[::step][:N_LANGUAGES]:
        lang = english.name.split(".")[1].removesuffix("-eng")
        foreign = find(english.with_name(f"tatoeba.{lang}-eng.{lang}"))
        sides = [encoder.encode(lines_of(file)[:N_PAIRS]) for file in (foreign, english)]
        found[lang] = (sides[0] @ sides[1].T).argmax(axis=1) == np.arange(len(sides[0]))
    return found


def topics(encoder: Encoder, data: Path) -> Right:
    """Return, of each language, which sentences get their topic."""
    parts = {
        code: read_documents(
            find(data / "sib200" / code / f"{split}.tsv"),
            format=FileFormat(quoting="csv"),
            needs_label=True,
        )
        for code, split in [("eng_Latn", "train")]
        + [(code, "dev") for code in SIB_LANGUAGES[::2][:N_TOPIC_LANGUAGES]]
    }
    english = parts.pop("eng_Latn")
    head = LogisticRegression(C=0.01, max_iter=1000)
    vectors = encoder.encode(english.texts)
    centre, scale = vectors.mean(axis=0), vectors.std(axis=0)
    head.fit((vectors - centre) / scale, english.labels)
    return {
        code: head.predict((encoder.encode(part.texts) - centre) / scale) == np.array(part.labels)
        for code, part in parts.items()
    }


def main() -> None:
    """Measure, write JSON to OUT, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")  # deprecated
    torch.set_num_threads(1)
    kinds = {
        "float32": load("float32"),
        "bfloat16": load("bfloat16"),
        "int8, rest in float32": int8(),
    }
    rows = []
    for task in (tatoeba, topics):
        right = {kind: task(encoder, options.data) for kind, encoder in kinds.items()}
        for kind, own in right.items():
            gains = {lang: own[lang] * 1.0 - right["float32"][lang] * 1.0 for lang in own}
            gain = interval_of_language_mean(gains, dict.fromkeys(gains), seed=0)
            rows.append(
                {
                    "task": task.__name__,
                    "languages": len(own),
                    "encoder": kind,
                    "accuracy": float(np.mean([one.mean() for one in own.values()])),
                    "difference": gain.value,
                    "difference_low": gain.low,
                    "difference_high": gain.high,
                }
            )
    record.show("tasks", Table(rows))
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "encoder_kinds_tasks.json").write_text(json.dumps(rows, indent=1), "utf-8")
    record.write()


if __name__ == "__main__":
    main()
