"""``isogloss demo``: the main job end to end on the data that ships, in about a minute.

Two tasks, each learned from English and tested in other languages. In one the class hangs on the
name of a product, which other languages translate; in the other the topic shows in every word.
"""

import csv
import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import typer

from isogloss.arrays import Doubles1d
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.classify.evaluate.explanation import difference_by_entities
from isogloss.cli import options
from isogloss.cli.classify.explanation import print_explanation
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.output import console
from isogloss.cli.places import refuse_place
from isogloss.cli.serving.serve import PageOptions, run_server
from isogloss.data.demo_data import DemoTask, demo_names, demo_tests, demo_train
from isogloss.data.documents import FileFormat
from isogloss.encode import Encoder
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.report.table import Table
from isogloss.storage.files import atomic_directory

if TYPE_CHECKING:
    from isogloss.classify import TextClassifier
    from isogloss.serve.inbox import Inbox
    from isogloss.serve.served import ServedModel

NOTE = "An illustration, not a benchmark: small data sets, written for this page."


class _Part(NamedTuple):
    """A task of the demo, and where its model and report go."""

    task: DemoTask
    says: str
    model: str
    report: str


_PARTS = (
    _Part(
        "products",
        "messages, each to the queue of the bicycle that it names",
        "products-model",
        "products-report.html",
    ),
    _Part("topics", "news texts, each to its topic", "model", "report.html"),
)


@dataclass(frozen=True)
class _Tested:
    """A fitted model with the texts it was tested on, one row a text."""

    model: "TextClassifier"
    texts: list[str]
    labels: list[Any]
    langs: list[str]
    difference: Doubles1d  # how far entities changed the probability of the right class


@grouped
def demo(
    page: Annotated[PageOptions, OnlyWith("serve", why="is for a page; give --serve too")],
    out: Annotated[
        Path, typer.Option(help="Directory to make: knowledge base, models, reports.")
    ] = Path("isogloss-demo"),
    encoder: options.EncoderName = "bundled",
    threads: options.Threads = None,
    overwrite: options.Overwrite = False,
    serve: Annotated[
        bool, typer.Option("--serve", help="Open a page on the first task and its answers.")
    ] = False,
) -> None:
    """Train on English, answer in fourteen languages, with and without entities."""
    refuse_place(out, encoder, overwrite=overwrite, makes="folder")
    start = time.monotonic()
    listening = page.listening
    if serve:
        listening.check()
    with (
        atomic_directory(out, overwrite=overwrite) as folder,
        tempfile.TemporaryDirectory() as vectors,  # each text is encoded once
    ):
        names = demo_names()
        shown = " and ".join(path.name for path in names)
        _say(f"1. A knowledge base from Unicode CLDR, {shown}")
        sources = ["cldr", *(f"names:{path}" for path in names)]
        build_knowledge_base(sources, folder / "kb", langs=list(demo_tests("topics")))
        kb = KnowledgeBase.open(folder / "kb")
        _say(f"   {kb.n_entities} entities with names in {len(kb.languages)} languages")
        loaded = Encoder.load(encoder, threads=threads, cache=vectors)
        tested = [
            _run(part, f"{number}.", loaded, kb, folder, keep_examples=serve)
            for number, part in enumerate(_PARTS, start=2)
        ]
        _explain_two(tested)
        served = _answered(tested[0], folder / _PARTS[0].model) if serve else None
    _say(f"\n{NOTE}")
    _say(f"Made in {time.monotonic() - start:.0f} s: {out}/products-report.html and report.html "
         "(open them in a browser),")  # fmt: skip
    _say(f"{out}/products-model, model and kb. Next, your own texts:")
    command = _command()
    _say(f"  {command} classify explain {out}/model --lang de 'Der Euro fiel in Frankfurt.'")
    _say(f"  {command} classify fit --train en=YOURS.csv --text TEXT --label LABEL "
         f"--kb {out}/kb --out MODEL")  # fmt: skip
    _say(f"  {command} classify predict MODEL --lang auto OTHERS.csv")
    if served is not None:
        with listening.opened() as listener:
            model, inbox = served
            run_server(model, listening, listener, inbox=inbox, opens=not page.no_browser)


def _run(
    part: _Part,
    number: str,
    encoder: Encoder,
    kb: KnowledgeBase,
    folder: Path,
    *,
    keep_examples: bool,
) -> _Tested:
    """Fit with and without entities, evaluate both, write the model and its report."""
    from isogloss.classify import TextClassifier
    from isogloss.classify.evaluate.report import write_report

    train, tests = demo_train(part.task), demo_tests(part.task)
    texts = [text for documents in tests.values() for text in documents.texts]
    labels = [label for documents in tests.values() for label in documents.labels or []]
    langs = [lang for lang, documents in tests.items() for _ in documents.texts]
    ids = [entry for documents in tests.values() for entry in documents.ids or []]
    _say(f"{number} {len(train.texts)} English {part.says}; "
         f"tested on {len(texts)} in {len(tests)} languages")  # fmt: skip
    alone = TextClassifier(encoder).fit(train.texts, train.labels or [], "en")
    model = TextClassifier(encoder, kb, keep_examples=keep_examples)
    model.fit(train.texts, train.labels or [], "en")
    model.save(folder / part.model)
    result = model.evaluate(texts, labels, langs, ids=ids, versus=alone)
    _table(result).render(console())
    write_report(
        folder / part.report, model.fitted_, result, texts,
        title=f"isogloss demo: {part.task}", note=NOTE,
    )  # fmt: skip
    fitted = model.fitted_
    difference = difference_by_entities(fitted, fitted.prepare(texts, langs), labels)
    return _Tested(model, texts, labels, langs, difference)


def _answered(tested: _Tested, path: Path) -> "tuple[ServedModel, Inbox]":
    """Write the texts of a task's tests beside its model, and answer them for the page."""
    from isogloss.classify.saving.manifest import read_manifest
    from isogloss.parts.source import RowSource
    from isogloss.serve.inbox import answer_inbox
    from isogloss.serve.served import ServedModel

    rows = path.with_name("inbox.csv")
    with rows.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [("lang", "text"), *zip(tested.langs, tested.texts, strict=True)]
        )
    served = ServedModel.of(tested.model.fitted_, read_manifest(path), path)
    source = RowSource(rows, FileFormat(text=("text",), lang_column="lang"))
    return served, answer_inbox(served, source, path.with_name("answered.csv"))


def _explain_two(tested: list[_Tested]) -> None:
    """Explain the text that entities help most and the one they harm most, of all tested.

    That is the largest and the smallest difference that they make to the probability of the right
    class; the first of equals.
    """
    n_texts = sum(len(one.texts) for one in tested)
    for number, sign, verb in ((len(tested) + 2, 1, "help"), (len(tested) + 3, -1, "harm")):
        changes = [sign * one.difference for one in tested]
        one = int(np.argmax([values.max() for values in changes]))
        row = int(changes[one].argmax())
        if changes[one][row] <= 0:
            _say(f"{number}. Of these {n_texts} texts, entities {verb} none")
            continue
        of, right = tested[one], tested[one].labels[row]
        which = f"the one that entities {verb} most; {right} is right"
        _say(f"{number}. Of these {n_texts} texts, {which}")
        print_explanation(of.model.fitted_, of.model.explain(of.texts[row], of.langs[row]))


def _table(result: Evaluation) -> Table:
    """Return the accuracies of the encoder alone and with entities, and their mean."""
    mean = result.mean | {"lang": f"mean of {len(result.mean['langs'])}"}
    rows = []
    for row in [*result.rows, mean]:
        shown = {
            "lang": row["lang"],
            "n": row["n"],
            "encoder alone": row["accuracy"] - row["difference"],
            "with entities": row["accuracy"],
            "with entities_low": row["accuracy_low"],
            "with entities_high": row["accuracy_high"],
            "difference": row["difference"],
            "n_unlinked": row["n_unlinked"],
        }
        if row is mean:
            ends = ("difference_low", "difference_high")
            shown |= {end: row[end] for end in ends}
        rows.append(shown)
    return Table(rows)


def _command() -> str:
    """Return how the command is called again: by its path where a shell would not find it."""
    if shutil.which("isogloss"):
        return "isogloss"
    called = Path(sys.argv[0])
    if called.stem == "isogloss":
        return shlex.quote(str(called))
    return f"{shlex.quote(sys.executable)} -m isogloss"


def _say(line: str) -> None:
    typer.echo(line)
