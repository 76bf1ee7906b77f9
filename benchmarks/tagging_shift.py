"""What a language shift correction would do to the tagger, which has none: docs/decisions.md.

    python benchmarks/tagging_shift.py --data DIR [--threads N]

The words of each test language are shifted so that their mean is that of the training words, and
scored before and after: accuracy, or strict F1 of entities. Beside it stands what a guard without
labels could look at: the mean probability of the tag that a word gets, before and after.
"""

import argparse
from pathlib import Path

import numpy as np

from isogloss import Encoder, TokenTagger
from isogloss.arrays import Bools1d, Floats1d
from isogloss.report.table import Table
from isogloss.tag.fitted import Answers, FittedTagger
from isogloss.tag.scores import EntityCounts, TagCounts
from isogloss.tag.word_features import WordFeatures
from records import Record, add_json
from tagging import read_task, tagged

CHOSEN = {"pos": ("3-8", 0.001), "ner": ("5-8", 0.003)}  # by the defaults: docs/results-tagging.md


def main() -> None:
    """Fit a tagger for each task, and print a row a language."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and uner/")
    parser.add_argument("--threads", type=int)
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    encoder = Encoder.load("bundled", threads=options.threads)
    for task, (layer, C) in CHOSEN.items():
        data = read_task(options.data, task)
        train, dev = (tagged(data[name], "en") for name in ("train", "dev"))
        tagger = TokenTagger(encoder, layer=layer, C=C)
        fitted = tagger.fit(train.sentences, train.tags, "en", dev=dev).fitted_
        of_training = _mean(fitted.reading.all(train.sentences))
        rows = []
        for lang, some in data.items():
            if lang in ("train", "dev"):
                continue
            before = fitted.reading.all([one.words for one in some])
            shifted = before.vectors + (of_training - _mean(before))
            gold = [one.tags for one in some]
            found = [fitted.answers_of(one) for one in (before, before._replace(vectors=shifted))]
            scores = [_score(fitted, one, gold) for one in found]
            sure = [_confidence(one) for one in found]
            rows.append({
                "lang": lang, "as_it_is": scores[0], "shifted": scores[1],
                "gain": scores[1] - scores[0], "confidence": sure[0], "confidence_shifted": sure[1],
            })  # fmt: skip
        print(f"{task}: {'; '.join(fitted.describe())}; mean gain "
              f"{np.mean([row['gain'] for row in rows]):+.4f}")  # fmt: skip
        record.show(task, Table(rows))
    record.write()


def _mean(features: WordFeatures) -> Floats1d:
    return features.vectors[features.has_piece].mean(axis=0, dtype=np.float64).astype(np.float32)


def _confidence(answers: Answers) -> float:
    has_piece: Bools1d = answers.has_piece
    return float(np.exp(answers.log_probabilities[has_piece].max(axis=1)).mean())


def _score(fitted: FittedTagger, answers: Answers, gold: list[list[str]]) -> float:
    tags = fitted.tags_of(answers)
    if fitted.scheme is None:
        return TagCounts.of(gold, tags).ratio("accuracy").value
    return EntityCounts.of(gold, tags, fitted.scheme).ratio("f1_strict").value


if __name__ == "__main__":
    main()
