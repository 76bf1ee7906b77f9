"""``isogloss demo``: the main job end to end on the data that ships, in a minute or two."""

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.classify import TextClassifier, evaluate
from isogloss.classify.reporting import write_report
from isogloss.cli import options
from isogloss.cli.explanation import print_explanation
from isogloss.cli.output import console
from isogloss.cli.places import refuse_place
from isogloss.data.demo_data import demo_concepts_path, demo_tests, demo_train
from isogloss.encode import Encoder
from isogloss.files import atomic_directory
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.report.table import Table

NOTE = "An illustration, not a benchmark: a small data set, written for this page."
EXPLAINED = ("ja", 0)  # language and row of the document that is explained


def demo(
    out: Annotated[
        Path, typer.Option(help="Directory to make: knowledge base, model, report.")
    ] = Path("isogloss-demo"),
    encoder: options.EncoderName = "bundled",
    threads: options.Threads = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Train on English, answer in fourteen languages, with and without entities."""
    refuse_place(out, encoder, overwrite=overwrite, makes="folder")
    start = time.monotonic()
    train, tests = demo_train(), demo_tests()
    printed = console()
    with atomic_directory(out, overwrite=overwrite) as folder:
        _say(f"1. A knowledge base from Unicode CLDR and {demo_concepts_path().name}")
        sources = ["cldr", f"names:{demo_concepts_path()}"]
        build_knowledge_base(sources, folder / "kb", langs=list(tests))
        kb = KnowledgeBase.open(folder / "kb")
        _say(f"   {kb.n_entities} entities with names in {len(kb.languages)} languages")
        _say(f"2. Learn from {len(train.texts)} English texts")
        loaded = Encoder.load(encoder, threads=threads)
        alone = TextClassifier(loaded).fit(train.texts, train.labels or [], "en")
        model = TextClassifier(loaded, kb).fit(train.texts, train.labels or [], "en")
        model.save(folder / "model")
        n_texts = sum(len(documents.texts) for documents in tests.values())
        _say(f"3. Evaluate on {n_texts} texts in {len(tests)} languages, with and without entities")
        texts = [text for documents in tests.values() for text in documents.texts]
        labels = [label for documents in tests.values() for label in documents.labels or []]
        langs = [lang for lang, documents in tests.items() for _ in documents.texts]
        ids = [entry for documents in tests.values() for entry in documents.ids or []]
        result = evaluate(model, texts, labels, langs, ids=ids, versus=alone)
        _table(result.rows, result.mean).render(printed)
        lang, row = EXPLAINED
        _say("4. Why? One text, with the names found in it")
        print_explanation(model, model.explain(tests[lang].texts[row], lang))
        write_report(
            folder / "report.html", model, result, texts, labels, langs, title="isogloss demo",
            note=NOTE,
        )  # fmt: skip
    _say(f"\n{NOTE}")
    _say(f"Made in {time.monotonic() - start:.0f} s: {out}/report.html (open it in a browser),")
    _say(f"{out}/model and {out}/kb. Next, your own texts:")
    _say(f"  isogloss classify explain {out}/model --lang de 'Der Euro fiel in Frankfurt.'")
    _say("  isogloss classify fit --train en=YOURS.csv --text TEXT --label LABEL "
         f"--kb {out}/kb --out MODEL")  # fmt: skip
    _say("  isogloss classify predict MODEL --lang auto OTHERS.csv")


def _table(rows: list[dict[str, Any]], mean: dict[str, Any]) -> Table:
    shown = [
        {
            "lang": row["lang"],
            "n": row["n"],
            "encoder alone": row["accuracy"] - row["difference"],
            "accuracy": row["accuracy"],
            "accuracy_low": row["accuracy_low"],
            "accuracy_high": row["accuracy_high"],
            "difference": row["difference"],
            "n_unlinked": row["n_unlinked"],
        }
        for row in rows
    ]
    last = {key: mean[key] for key in shown[0] if key in mean}
    last |= {
        "lang": f"mean of {len(mean['langs'])}",
        "encoder alone": mean["accuracy"] - mean["difference"],
        "difference_low": mean["difference_low"],
        "difference_high": mean["difference_high"],
    }
    return Table([*shown, last])


def _say(line: str) -> None:
    typer.echo(line)
