"""Zero-shot topic classification against shared tokens (Pires et al. 2019, Figure 1, on SIB-200).

    python benchmarks/overlap_sib.py --data DIR

Trained on English SIB-200, tested on the dev files of the other languages. Beside the encoder
stands its control: the same embeddings below layers of random weights. The overlap is that of the
token types of the English training texts and of a language's texts. Spearman's correlation over
languages, its p by exchanging languages.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy.stats import permutation_test, spearmanr

from evaluation_data import SIB_LANGUAGES
from isogloss import Encoder, TextClassifier
from isogloss.data.documents import FileFormat
from isogloss.data.labelled import LabelledTexts
from isogloss.probe.transfer.matrix.controls import RandomEncoder
from isogloss.probe.transfer.measures.overlap import overlap, token_types
from isogloss.report.table import Table
from records import Record, add_json
from zero_shot import read

N_PERMUTATIONS = 9999


def main() -> None:
    """Print a row for each language, and the correlations."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with sib200/")
    parser.add_argument("--threads", type=int)
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    csv = FileFormat(quoting="csv")
    train = read(options.data, {"sib200/eng_Latn/train.tsv": "en"}, csv)
    tests = {
        code: read(options.data, {f"sib200/{code}/dev.tsv": code}, csv) for code in SIB_LANGUAGES
    }
    encoder = Encoder.load("bundled", threads=options.threads)
    of_train = types(encoder, train)
    shared = [overlap(of_train, types(encoder, one)) for one in tests.values()]
    systems = {"encoder": encoder, "random layers": RandomEncoder(encoder, seed=0)}
    scores = {name: list(accuracies(one, train, tests)) for name, one in systems.items()}
    rows = [
        {"lang": code, "overlap": shared[place]}
        | {name: of_langs[place] for name, of_langs in scores.items()}
        for place, code in enumerate(tests)
    ]
    means = {name: np.mean(of_langs) for name, of_langs in scores.items()}
    record.show("languages", Table([*rows, {"lang": "mean", "overlap": np.mean(shared)} | means]))
    found = [correlation(name, shared, one) for name, one in scores.items()]
    record.show("correlations", Table(found))
    record.write()


def types(encoder: Encoder, texts: LabelledTexts) -> frozenset[int]:
    """Return the token types of texts, each taken as one word."""
    return token_types(encoder.tokenizer, [[text] for text in texts.texts])


def accuracies(
    encoder: Encoder, train: LabelledTexts, tests: dict[str, LabelledTexts]
) -> Iterator[float]:
    """Yield the accuracy in each language."""
    model = TextClassifier(encoder).fit(train.texts, train.labels, lang=train.langs)
    for test in tests.values():
        found = model.predict(test.texts, lang=test.langs)
        yield float(np.mean(np.array(found) == np.array(test.labels)))


def correlation(name: str, shared: list[float], scores: list[float]) -> dict[str, object]:
    """Return Spearman's correlation and its p; the scores are those of exchanged languages."""
    found = permutation_test(
        (scores,), lambda of_langs: spearmanr(shared, of_langs).statistic,
        permutation_type="pairings", n_resamples=N_PERMUTATIONS, rng=0,
    )  # fmt: skip
    return {"system": name, "mean accuracy": float(np.mean(scores)), "n": len(scores),
            "spearman": found.statistic, "p": found.pvalue}  # fmt: skip


if __name__ == "__main__":
    main()
