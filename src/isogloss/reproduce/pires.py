"""Pires et al. (2019) again: zero-shot taggers of entities and parts of speech.

Tables 1 and 2 are matrices; Table 4, across scripts, and Table 5, by word order, are other views of
the matrix of parts of speech.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix
from isogloss.probe.transfer.matrix.matrix import Task as TaskName
from isogloss.probe.transfer.matrix.sets import TaggedText, tagged_text
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.probe.transfer.measures.typology import adjective_order, verb_order
from isogloss.probe.transfer.measures.word_orders import WordOrder, WordOrders, read_word_orders
from isogloss.reproduce.cells import CellFile
from isogloss.reproduce.data import NOT_THERE, conll_ner, data_set, find, ud
from isogloss.reproduce.figures import figures
from isogloss.reproduce.lines import Line
from isogloss.reproduce.reading import Key, ReadSet, keys_of, read_set
from isogloss.reproduce.tagging import Taggers
from isogloss.reproduce.tasks import Asked, Task, sentences_into

THEIRS = "mBERT"
HOW_TUNED = {
    "head": "encoder frozen, a linear head on layers chosen on held-out words, not fine-tuned",
    "lora": "LoRA, not all weights",
    "full": "5 % of the training sentences choose the epoch",
}
MATRICES = (("2", ("en", "de", "es", "it")), ("4", ("hi", "ur")), ("4", ("en", "bg", "ja")))
TREEBANKS = "treebanks of the paper not known, ours one a language"
NOT_BUILT = (
    "Figure 1 (shared tokens) is not measured here: `probe transfer` and `probe overlap` do it",
    "Figure 2 (accuracy by shared features of word order) is not measured here: `probe typology` "
    "does it, of a matrix of `probe transfer`",
    "Figure 3 (vector translation) is not measured here: `probe translation` does it",
    "Table 6 (code-switched text) is not measured here: its corpus is not read; `probe script` "
    "takes it",
)


def tasks(asked: Asked) -> list[Task]:
    """Return the tasks: entities, and parts of speech."""
    return [_entities(asked), _parts_of_speech(asked)]


def _entities(asked: Asked) -> Task:
    def read(lang: str, path: Path) -> TaggedText:
        return tagged_text(conll_ner(path), lang, "ner")

    sets = [
        read_set(asked, name, keys_of(name, "train", "test"), read, _n_sentences)
        for name in ("conll2003", "conll2002")
    ]
    taggers = _taggers(asked, "ner", sets)

    def lines(kept: CellFile) -> list[Line]:
        matrix = taggers.matrix(kept)
        langs = ("en", "de", "nl", "es")
        return _matrix_lines(asked, matrix, "1", langs, sets, "strict F1, not conlleval's")

    return _task(taggers, "Table 1", sets, lines)


def _parts_of_speech(asked: Asked) -> Task:
    def read(lang: str, path: Path) -> TaggedText:
        return tagged_text(ud(path), lang, "upos")

    sets = [read_set(asked, "ud", keys_of("ud", "train", "test"), read, _n_sentences)]
    taggers = _taggers(asked, "upos", sets)
    failures = sets[0].failures
    orders: WordOrders | None = None
    wals = find(data_set("wals"), asked.data)
    failures.extend(str(one) for one in wals.missing if one.why != NOT_THERE)
    if taggers.places and wals.is_whole:
        with sentences_into(failures):
            orders = read_word_orders(asked.data / wals.data_set.folder)

    def lines(kept: CellFile) -> list[Line]:
        matrix = taggers.matrix(kept)
        found = [
            line
            for table, langs in MATRICES
            for line in _matrix_lines(asked, matrix, table, langs, sets, TREEBANKS)
        ]
        if matrix is not None and orders is not None:
            found += _order_lines(asked, matrix, orders, sets)
        return found

    lacks = ", ".join(one.path.name for one in wals.missing if one.why == NOT_THERE)
    absent = (
        f"Table 5 needs WALS: {asked.data / wals.data_set.folder} lacks {lacks}" if lacks else ""
    )
    return _task(taggers, "Tables 2, 4, 5", sets, lines, absent)


def _n_sentences(text: TaggedText) -> int:
    return len(text.sentences)


def _taggers(asked: Asked, task: TaskName, sets: Iterable[ReadSet[TaggedText]]) -> Taggers:
    trains: dict[str, TaggedText] = {}
    tests: dict[str, TaggedText] = {}
    for one in sets:
        trains |= one.of_split("train")
        tests |= one.of_split("test")
    return Taggers(asked, task, task, trains, tests)


def _task(
    taggers: Taggers,
    title: str,
    sets: list[ReadSet[TaggedText]],
    lines: Callable[[CellFile], list[Line]],
    absent: str = "",
) -> Task:
    lacks = [one.lacks for one in sets if one.lacks]
    texts = (text for one in sets for text in one.of_split("test").values())
    return Task(
        name=taggers.name, title=title, settings=taggers.settings if taggers.places else {},
        jobs=taggers.jobs if taggers.places else [], lines=lines,
        sample=[" ".join(words) for text in texts for words in text.sentences],
        failures=[failure for one in sets for failure in one.failures],
        absent="; ".join([*lacks, *filter(None, [absent])]),
    )  # fmt: skip


def _matrix_lines(
    asked: Asked,
    matrix: Matrix | None,
    table: str,
    langs: Iterable[str],
    sets: list[ReadSet[TaggedText]],
    *others: str,
) -> list[Line]:
    """Return a line for each pair of languages that is measured."""
    if matrix is None:
        return []
    pairs = [Pair(train, test) for train in langs for test in langs]
    found = []
    for pair in pairs:
        if ("", pair) not in matrix.counts:
            continue
        keys: list[Key] = [(pair.train, "train"), (pair.test, "test")]
        sizes = [one.differs(keys) for one in sets]
        name = f"{pair.train} → {pair.test}"
        found.append(
            Line(
                table=f"Table {table}", task=matrix.task, langs=name, metric=METRICS[matrix.task],
                ours=matrix.mean("", [pair]), published=figures("pires", table, name),
                differs=asked.differs(THEIRS, *sizes, HOW_TUNED[asked.tune], *others),
                n_seeds=matrix.counts["", pair].numerators.shape[1],
            )
        )  # fmt: skip
    return found


def _order_lines(
    asked: Asked, matrix: Matrix, orders: WordOrders, sets: list[ReadSet[TaggedText]]
) -> list[Line]:
    """Return the means over zero-shot pairs, by the order of verb and object, and of adjectives."""
    keys = [(lang, split) for lang in matrix.tests for split in ("train", "test")]
    sizes = [one.differs(keys) for one in sets]
    found = []
    whole = replace(matrix, trains=[
        train for train in matrix.trains
        if all(("", Pair(train, test)) in matrix.counts for test in matrix.tests)
    ])  # fmt: skip
    n_seeds = {counts.numerators.shape[1] for counts in matrix.counts.values()}
    for table, order_of in (("5a", verb_order), ("5b", adjective_order)):
        means = whole.group_means("", partial(_order, order_of, orders))
        for (train, test), (mean, n_pairs) in means.items():
            name = f"{train} → {test}"
            found.append(
                Line(
                    table=f"Table {table}", task="upos", langs=name,
                    metric=f"accuracy, mean of {n_pairs} pairs", ours=mean,
                    published=figures("pires", table, name),
                    differs=asked.differs(
                        THEIRS, *sizes, HOW_TUNED[asked.tune],
                        f"{len(whole.tests)} languages; pairs of two languages alone", TREEBANKS,
                    ),
                    n_seeds=max(n_seeds),
                )
            )  # fmt: skip
    return found


def _order(
    order_of: Callable[[WordOrder | None], str | None], orders: WordOrders, lang: str
) -> str | None:
    return order_of(orders.of(lang))
