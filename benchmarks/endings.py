"""What rules for the plural in English, French and four other languages would bring.

The rules that were dropped (docs/decisions.md, "Endings and particles") are put back and compared
with none, on training and development data: English texts of SIB-200 and MasakhaNEWS by five-fold
cross-validation, and the development files of MasakhaNEWS after training on its English. No text is
in Spanish, Portuguese, Italian or German. Differences are paired over documents; above 0 they help.

    python benchmarks/endings.py --data DATA --out benchmarks/out
"""

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from evaluation_data import NEWS_LANGUAGES
from isogloss import Encoder, TextClassifier
from isogloss.data.documents import FileFormat
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import OmissionWarning
from isogloss.kb.link import search
from isogloss.kb.matching import inflection
from isogloss.report.table import Table
from isogloss.statistics.scores import interval_of_mean
from zero_shot import datasets, knowledge_base, read

PLURALS = {  # language to the letters that must be left to a name, and endings
    "en": (3, "s es ies>y"),
    "fr": (3, "s x aux>al"),
    "es": (3, "s es ces>z iones>ión"),
    "pt": (3, "s es ões>ão ais>al eis>el ns>m"),
    "it": (3, "i>o i>e e>a chi>co ghi>go che>ca ghe>ga"),
    "de": (4, "n en e er ern s es"),
}
RULES = {"all six": tuple(PLURALS), "English only": ("en",), "French only": ("fr",)}
N_FOLDS = 5
rules_of = inflection.inflection_of


def with_plurals(langs: tuple[str, ...]) -> Callable[[str], inflection.Inflection]:
    """Return `inflection_of` with the plurals of some languages."""

    def found(language: str) -> inflection.Inflection:
        if language not in langs:
            return rules_of(language)
        letters, endings = PLURALS[language]
        rules = [
            inflection.Rule(written[::-1], named, letters)
            for entry in endings.split()
            for written, named in inflection._expanded(entry)
        ]
        words = [word[::-1] for word in inflection.function_words(language)]
        return inflection.Inflection(inflection._trie(rules, words), None)

    return found


def scores(model: TextClassifier, part: LabelledTexts) -> np.ndarray:
    """Return log p of each label (NaN: training lacks it) and whether it is the answer."""
    found = model.fitted_.log_probabilities(model.fitted_.prepare(part.texts, part.langs))
    classes = model.classes_.tolist()
    gold = np.array([classes.index(one) if one in classes else -1 for one in part.labels])
    likely = np.where(gold >= 0, found[np.arange(len(gold)), gold], np.nan)
    return np.stack([likely, found.argmax(axis=1) == gold])


def rows_of(part: LabelledTexts, rows: np.ndarray) -> LabelledTexts:
    """Return some rows."""
    return LabelledTexts(*([column[row] for row in rows] for column in part.columns()))


def cross_validated(model: TextClassifier, part: LabelledTexts, seed: int) -> np.ndarray:
    """Return the scores of texts by models that were not fitted on them."""
    out = np.zeros((2, len(part.texts)))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    for train, test in folds.split(part.texts, part.labels):
        known = rows_of(part, train)
        model.fit(known.texts, known.labels, known.langs)
        out[:, test] = scores(model, rows_of(part, test))
    return out


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=OmissionWarning)  # cut texts
    arguments.out.mkdir(parents=True, exist_ok=True)
    kb = knowledge_base(arguments.data, arguments.out, "omw")
    encoder = Encoder.load("bundled", dtype="bfloat16", long_texts="cut")
    (sib, _), (news, _) = datasets(arguments.data).values()
    files = {f"masakhanews/{code}/dev.tsv": code for code in NEWS_LANGUAGES}
    dev = read(arguments.data, files, FileFormat(text=("headline", "text"), quoting="csv"))
    found: dict[tuple[str, str], list[np.ndarray]] = {}
    for seed in range(arguments.seeds):
        for name, langs in {"none": (), **RULES}.items():
            search.inflection_of = with_plurals(langs)
            model = TextClassifier(encoder, kb, random_state=seed)
            for title, part in (("SIB-200 English", sib), ("MasakhaNEWS English", news)):
                found.setdefault((title, name), []).append(cross_validated(model, part, seed))
            model.fit(news.texts, news.labels, news.langs)
            for lang in dict.fromkeys(dev.langs):
                title = f"MasakhaNEWS {lang}, dev"
                found.setdefault((title, name), []).append(scores(model, dev.rows_in({lang})))
    rows = []
    for title, name in (key for key in found if key[1] != "none"):
        gains = np.mean(found[title, name], axis=0) - np.mean(found[title, "none"], axis=0)
        row: dict[str, str | float] = {"texts": title, "rules": name}
        for column, values in zip(("log p", "accuracy"), gains, strict=True):
            interval = interval_of_mean(values[~np.isnan(values)], seed=0)
            row |= {column: interval.value, f"{column}_low": interval.low,
                    f"{column}_high": interval.high}  # fmt: skip
        rows.append(row)
    print(Table(rows).to_markdown())


if __name__ == "__main__":
    main()
