"""Nishikawa et al. (2022) again: a bag of entities for zero-shot classification, MLDoc and SHINRA.

Rows as in its Tables 3 and 4: the encoder alone, with entities (`mboe`), without their vectors
(``-emb``), without attention (``-att``). Rows with entities need a knowledge base.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from isogloss.classify.compare.comparison import BASELINE, ComparedRow, compared_rows
from isogloss.classify.compare.scores import scores_of
from isogloss.classify.compare.tables import published_table
from isogloss.data.documents import Documents
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError, counted
from isogloss.kb import KnowledgeBase
from isogloss.reproduce.cells import CellFile
from isogloss.reproduce.classifying import Classifiers
from isogloss.reproduce.data import data_set, find, mldoc, shinra, shinra_beginning
from isogloss.reproduce.figures import Figure
from isogloss.reproduce.lines import Line
from isogloss.reproduce.reading import Key, ReadSet, keys_of, read_set
from isogloss.reproduce.tasks import Asked, Task

THEIRS = "mBERT"
N_SEEDS = 10  # of the paper
DEV_SHARE = 0.05  # of the English pages of SHINRA2020-ML, as in the paper
ROWS = (BASELINE, "mboe", "-emb", "-att")
PUBLISHED_ROWS = {
    BASELINE: "M-BERT", "mboe": "M-BERT + BoE", "mboe -emb": "M-BERT + BoE (-emb)",
    "mboe -att": "M-BERT + BoE (-att)",
}  # fmt: skip
HOW_TUNED = {
    "head": "encoder frozen, not fine-tuned",
    "lora": "LoRA, not all weights",
    "full": "",
}
NOT_BUILT = (
    "entity vectors of Wikipedia2Vec are not trained here: `vectors train` does it; ours are the "
    "encoder's vectors of the entities' names",
)


def tasks(asked: Asked) -> list[Task]:
    """Return the tasks: MLDoc and SHINRA2020-ML."""
    kb = None if asked.kb is None else KnowledgeBase.open(asked.kb)
    return [_mldoc(asked, kb), _shinra(asked, kb)]


def _mldoc(asked: Asked, kb: KnowledgeBase | None) -> Task:
    def read(_: str, path: Path) -> Documents:
        return mldoc(path)

    wanted: list[Key] = [("en", "train"), ("en", "dev"), *keys_of("mldoc", "test")]
    found = read_set(asked, "mldoc", wanted, read, _n_texts)
    texts = {key: _labelled(documents, key[0]) for key, documents in found.texts.items()}
    tests = {lang: some for (lang, split), some in texts.items() if split == "test"}
    learned = texts.get(("en", "train")), texts.get(("en", "dev"))
    return _task(asked, "mldoc", "Table 3", kb, found, learned, tests)


def _shinra(asked: Asked, kb: KnowledgeBase | None) -> Task:
    there = find(data_set("shinra2020-ml"), asked.data)

    def read(lang: str, path: Path) -> Documents:
        if (lang, "texts") not in there.files:
            raise InputError(f"has no texts of its pages; {_texts_of(lang)}", path=path)
        read_pages = shinra_beginning if asked.is_plan else shinra
        return read_pages(path, there.files[lang, "texts"])

    found = read_set(asked, "shinra2020-ml", keys_of("shinra2020-ml", "labels"), read, _n_texts)
    texts = {lang: _labelled(documents, lang) for (lang, _), documents in found.texts.items()}
    learned: tuple[LabelledTexts | None, LabelledTexts | None] = (None, None)
    if "en" in texts:
        train, dev = _divided(texts["en"])
        learned, texts["en"] = (train, dev), dev
    made = _task(asked, "shinra2020-ml", "Table 4", kb, found, learned, texts, multilabel=True)
    return replace(made, has_part=asked.is_plan and bool(made.jobs))


def _texts_of(lang: str) -> str:
    files = data_set("shinra2020-ml").files
    names = next(file.names for file in files if (file.lang, file.split) == (lang, "texts"))
    return f"put {' or '.join(names)} beside"


def _task(
    asked: Asked,
    name: str,
    title: str,
    kb: KnowledgeBase | None,
    found: ReadSet[Documents],
    learned: tuple[LabelledTexts | None, LabelledTexts | None],
    tests: dict[str, LabelledTexts],
    *,
    multilabel: bool = False,
) -> Task:
    train, dev = learned
    if train is None or not tests:
        absent = [found.lacks or "no file can be read"]
        if found.texts and train is None:
            absent.insert(0, f"no English texts to learn from in {found.found.data_set.name}")
        return Task(name, title, failures=found.failures, absent="; ".join(absent))
    classifiers = Classifiers(
        asked,
        name,
        _rows(asked, kb),
        asked.seeds or N_SEEDS,
        train,
        dev,
        tests,
        kb,
        multilabel=multilabel,
    )
    lacks = [found.lacks] if found.lacks else []
    if kb is None:
        lacks.append(
            "rows with entities need a knowledge base: make one with `isogloss kb build`, and "
            "give --kb"
        )
    return Task(
        name=name, title=title, settings=classifiers.settings | {"seeds": classifiers.n_seeds},
        jobs=classifiers.jobs, lines=partial(_lines, classifiers, found, title),
        sample=[text for one in tests.values() for text in one.texts],
        failures=found.failures, absent="; ".join(lacks),
    )  # fmt: skip


def _rows(asked: Asked, kb: KnowledgeBase | None) -> list[ComparedRow]:
    if kb is None:
        return [ComparedRow(BASELINE, {})]
    return compared_rows(ROWS, is_tuned=asked.tune != "head")


def _lines(
    classifiers: Classifiers, found: ReadSet[Documents], title: str, kept: CellFile
) -> list[Line]:
    comparison = classifiers.comparison(kept)
    if comparison is None:
        return []
    scores, langs = scores_of(comparison), list(comparison.ids)
    in_mean = [lang for lang in langs if lang != "en" or not classifiers.multilabel]
    lines = []
    for row in comparison.rows:
        groups = [(lang, [lang]) for lang in langs]
        if len(in_mean) > 1:
            groups.append((f"mean of {len(in_mean)}", in_mean))
        for name, some in groups:
            (metric, value), *_ = scores.over(row, some).values.items()
            lines.append(
                Line(
                    table=title, task=f"{classifiers.name}, {row}", langs=name, metric=metric,
                    ours=value, published=_published(classifiers, row, name, len(in_mean)),
                    differs=_differs(classifiers, found, row, some),
                    n_seeds=comparison.n_seeds,
                )
            )  # fmt: skip
    return lines


def _published(classifiers: Classifiers, row: str, name: str, n_in_mean: int) -> list[Figure]:
    """Return the paper's figure; of a mean only where it is over as many languages."""
    table = published_table("mldoc" if classifiers.name == "mldoc" else "shinra2020-ml")
    theirs = PUBLISHED_ROWS[BASELINE if row.startswith(BASELINE) else row]
    of_row = next(line for line in table.rows if line["row"] == theirs)
    n_langs = len([lang for lang in of_row if lang not in ("row", "mean")])
    if classifiers.multilabel:
        n_langs -= 1  # English is not in its mean
    column = "mean" if name == f"mean of {n_langs}" and n_in_mean == n_langs else name
    if column not in of_row:
        return []
    source = f"Nishikawa et al. 2022, Table {'3' if classifiers.name == 'mldoc' else '4'}"
    return [Figure(of_row[column], theirs.replace("M-BERT", "mBERT"), source)]


def _differs(
    classifiers: Classifiers, found: ReadSet[Documents], row: str, langs: list[str]
) -> str:
    asked, n_seeds = classifiers.asked, classifiers.n_seeds
    split = "labels" if classifiers.multilabel else "test"
    learned = ("labels",) if classifiers.multilabel else ("train", "dev")
    keys: list[Key] = [*(("en", one) for one in learned), *((lang, split) for lang in langs)]
    entities = []
    if not row.startswith(BASELINE) and classifiers.kb is not None:
        entities = [
            f"entities of {classifiers.kb.path.name}, not of Wikipedia's links",
            "" if "-emb" in row else "vectors of names, not Wikipedia2Vec's",
        ]
    return asked.differs(
        THEIRS, found.differs(keys), HOW_TUNED[asked.tune], *entities,
        f"{counted(n_seeds, 'seed')}, not {N_SEEDS}" if n_seeds != N_SEEDS else "",
    )  # fmt: skip


def _labelled(documents: Documents, lang: str) -> LabelledTexts:
    n = len(documents.texts)
    return LabelledTexts(
        documents.texts, list(documents.labels or []), [lang] * n, documents.ids or [None] * n
    )


def _divided(texts: LabelledTexts) -> tuple[LabelledTexts, LabelledTexts]:
    """Return training and development texts: of the latter `DEV_SHARE`, drawn at random."""
    order = np.random.default_rng(0).permutation(len(texts)).tolist()
    n_dev = max(1, round(DEV_SHARE * len(texts)))
    return texts.rows(sorted(order[n_dev:])), texts.rows(sorted(order[:n_dev]))


def _n_texts(documents: Documents) -> int:
    return len(documents.texts)
