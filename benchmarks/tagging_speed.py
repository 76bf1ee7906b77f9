"""Words a CPU second of a tagger, beside transformers' pipeline on what `tag export` wrote of it.

    python benchmarks/tagging_speed.py --data DIR [--sentences 300] [--rounds 3] [--fit-on 1000]

Parts of speech, learned from English EWT, tag PUD sentences of three languages, on one thread. Both
sides compute the same: the first piece of each word, in the uppermost layer that ``layer="auto"``
chose (it takes the mean of several, which no pipeline does, so the tagger is fitted again on this
one); the exported model has no layer above it. The sentences are dealt to the rounds, and in each
all sides take their turn on the same ones, the pipeline at each of its batch sizes: its best, by
its median, is what the tagger is compared with.

Tags are compared too. The pipeline gives tokens a tag, and a word has that of its first token;
where that is a bare "▁", which the tagger passes over, they may differ, and are counted apart.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import torch
from transformers import pipeline
from transformers.utils import logging

from isogloss import Encoder, TokenTagger
from isogloss.report.table import Table
from isogloss.tag.export import export_tagger
from tagging import read_task, tagged

LANGS = ("de", "zh", "hi")
THEIRS = {f"pipeline, batch {size}": size for size in (1, 8, 32, 64)}
OURS = "isogloss"
BLANK = "▁"

Sentences = list[list[str]]
Rows = list[list[dict[str, Any]]]  # of each sentence, one a token


def main() -> None:
    """Fit, export, measure, and print two Markdown tables."""
    options = _options()
    torch.set_num_threads(1)
    logging.disable_progress_bar()
    data = read_task(options.data, "pos")
    tagger = fitted(tagged(data["train"][: options.fit_on], "en"))
    with tempfile.TemporaryDirectory() as folder:
        export_tagger(tagger.fitted_, Path(folder) / "model", overwrite=False)
        pipe: Any = pipeline("token-classification", f"{folder}/model", device="cpu")
    tests = {lang: [one.words for one in data[lang][: options.sentences]] for lang in LANGS}
    measured = {
        lang: measure(tagger, pipe, some, lang, options.rounds) for lang, some in tests.items()
    }
    print(f"\nlayer {tagger.layers_[0]}, torch {torch.__version__}, one thread\n")
    print(speed_table(measured).to_markdown())
    print(
        tag_table(
            {lang: compared(tagger, pipe, some, lang) for lang, some in tests.items()}
        ).to_markdown()
    )


def fitted(train: Any) -> TokenTagger:
    """Return a tagger of first pieces in the uppermost layer that `auto` chooses."""
    encoder = Encoder.load("bundled", device="cpu", threads=1)
    chosen = TokenTagger(encoder, pieces="first").fit(train.sentences, train.tags, train.langs)
    print(f"auto chose layers {chosen.layers_}, C {chosen.C_}")
    tagger = TokenTagger(encoder, pieces="first", layer=chosen.layers_[-1], C=chosen.C_)
    return tagger.fit(train.sentences, train.tags, train.langs)


def measure(
    tagger: TokenTagger, pipe: Any, sentences: Sentences, lang: str, n_rounds: int
) -> list[dict[str, float]]:
    """Return the words a CPU second of each side in each round."""
    sides: dict[str, Callable[[Sentences], Any]] = {OURS: lambda some: tagger.predict(some, lang)}
    for name, size in THEIRS.items():
        sides[name] = lambda some, size=size: pipe(some, is_split_into_words=True, batch_size=size)
    for run in sides.values():
        run(sentences[:4])  # what only the first call does
    rounds = []
    for at in range(n_rounds):
        some = sentences[at::n_rounds]
        n_words = sum(len(words) for words in some)
        turns = [*sides][at % len(sides) :] + [*sides][: at % len(sides)]
        rounds.append({name: n_words / cpu_seconds(sides[name], some) for name in turns})
    return rounds


def cpu_seconds(run: Callable[[Sentences], Any], sentences: Sentences) -> float:
    """Return the CPU seconds of this process."""
    start = time.process_time()
    run(sentences)
    return time.process_time() - start


def speed_table(measured: dict[str, list[dict[str, float]]]) -> Table:
    """Return the medians of rounds, and how many times faster the tagger is, least and most."""
    rows = []
    for lang, rounds in measured.items():
        middle = {name: median(one[name] for one in rounds) for name in (OURS, *THEIRS)}
        best = max(THEIRS, key=middle.__getitem__)
        times = [one[OURS] / one[best] for one in rounds]
        rows.append(
            {"lang": lang}
            | {name: round(words) for name, words in middle.items()}
            | {
                "times faster": median(times),
                "times faster_low": min(times),
                "times faster_high": max(times),
            }
        )
    return Table(rows, caption="Words a CPU second, medians; brackets: slowest and fastest round.")


def compared(tagger: TokenTagger, pipe: Any, sentences: Sentences, lang: str) -> Counter[str]:
    """Count words by whether both sides give them one tag, and whether a bare blank is first."""
    found = Counter[str]()
    theirs: Rows = pipe(sentences, is_split_into_words=True)
    for words, ours, rows in zip(sentences, tagger.predict(sentences, lang), theirs, strict=True):
        for tag, first in zip(ours, first_tokens(words, rows), strict=True):
            found["words"] += 1
            is_blank = first is not None and first["word"] == BLANK
            found["bare ▁ first"] += is_blank
            if first is None:
                found["without a token"] += 1
            elif first["entity"] != tag:
                found["bare ▁ first, other tag" if is_blank else "other tag"] += 1
    return found


def first_tokens(
    words: Sequence[str], rows: Sequence[dict[str, Any]]
) -> list[dict[str, Any] | None]:
    """Return the pipeline's row of the first token of each word."""
    found, start, at = [], 0, 0
    for word in words:
        end = start + len(word)
        while at < len(rows) and rows[at]["start"] < start:
            at += 1
        found.append(rows[at] if at < len(rows) and rows[at]["start"] < end else None)
        start = end + 1
    return found


def tag_table(counts: dict[str, Counter[str]]) -> Table:
    """Return how many words have equal tags."""
    columns = ("words", "other tag", "bare ▁ first", "bare ▁ first, other tag", "without a token")
    return Table(
        [{"lang": lang} | {name: one[name] for name in columns} for lang, one in counts.items()]
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/")
    parser.add_argument("--sentences", type=int, default=300, help="of each language")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--fit-on", type=int, default=1000, help="sentences of English")
    return parser.parse_args()


if __name__ == "__main__":
    main()
