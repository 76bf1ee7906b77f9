"""Transfer of part-of-speech taggers between languages, with its controls: docs/transfer.md.

    python benchmarks/transfer.py --data DIR --out DIR [--seeds 3] [--words 5000] [--sentences N]

Five training languages (en fr tr de ja: English-EWT dev and the parts of the other treebanks),
5,000 words of each, on the eleven PUD treebanks, in default settings. Controls: layer 0 and random
layers of the same encoder. Then, of the same folder: shared tokens, word order (WALS), rankings,
and the Hindi text romanised. Nothing is chosen on them. `--sentences` reads the first sentences of
each test file only. The matrix resumes in its folder.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from evaluation_data import find
from isogloss import Encoder
from isogloss.cli.probing.explained import Asked
from isogloss.cli.probing.transfer import files_of
from isogloss.probe.result import ProbeResult
from isogloss.probe.transfer.altered.alterations import romanising
from isogloss.probe.transfer.altered.measure import ScriptOptions, measure_script
from isogloss.probe.transfer.explained.overlap import OverlapResult, overlaps
from isogloss.probe.transfer.explained.typology import TypologyResult
from isogloss.probe.transfer.matrix.controls import LAYER_0, RANDOM, candidates
from isogloss.probe.transfer.matrix.measure import measure_matrix, notes_on
from isogloss.probe.transfer.matrix.options import TransferOptions
from isogloss.probe.transfer.matrix.result import TransferResult
from isogloss.probe.transfer.matrix.saved import SavedMatrix, read_matrix
from isogloss.probe.transfer.matrix.sets import ReadAs, TaggedText, read_tests, read_training
from isogloss.probe.transfer.measures.word_orders import read_word_orders
from isogloss.probe.transfer.ranked.ranking import RankOptions, rank_sources_of
from isogloss.probe.transfer.ranked.result import RankResult

TRAINS = {
    "en": "en_ewt-ud-dev", "fr": "fr_sequoia-ud-train.part", "tr": "tr_imst-ud-train.part",
    "de": "de_gsd-ud-test.part", "ja": "ja_gsd-ud-test.part",
}  # fmt: skip
TESTS = ("en", "de", "es", "fr", "hi", "ko", "ru", "tr", "zh", "id", "pt")
ROMANISED = "hi"


def main() -> None:
    """Measure the matrix and what goes with it, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and wals/")
    parser.add_argument("--out", type=Path, required=True, help="existing folder for the results")
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--words", type=int, default=5000)
    parser.add_argument("--sentences", type=int, help="first sentences of each test file")
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    load = partial(Encoder.load, threads=options.threads)
    asked = TransferOptions(seeds=options.seeds, words=options.words)
    matrix = options.out / "transfer"
    measured(options, asked, matrix, load)
    saved = read_matrix(matrix)
    for name, result in results(options, saved, load):
        result.write(options.out / name, overwrite=True)
        shown(result)


def measured(options: argparse.Namespace, asked: TransferOptions, out: Path, load: object) -> None:
    """Measure the matrix, and print it."""
    ud = options.data / "ud"
    trains = read_training(
        [f"{lang}={find(ud / f'{name}.conllu')}" for lang, name in TRAINS.items()], asked.task
    )
    paths = [f"{lang}={find(ud / f'{lang}_pud-ud-test.conllu')}" for lang in TESTS]
    tests = {lang: cut(one, options.sentences) for lang, one in read_tests(paths, "upos").items()}
    systems = candidates(
        [options.encoder], [LAYER_0, RANDOM], load=load, layer=asked.layer, seed=asked.seed
    )
    found = measure_matrix(systems, trains, tests, options=asked, out=out)
    result = TransferResult(
        found.matrix, options=asked, notes=notes_on(found.matrix, asked),
        files=files_of(trains, tests, ReadAs()), runs=found.runs,
    )  # fmt: skip
    result.write_beside_runs(out)
    shown(result)


def results(
    options: argparse.Namespace, saved: SavedMatrix, load: object
) -> Iterator[tuple[str, ProbeResult]]:
    """Yield what goes with the matrix, by the name of its folder."""
    orders = read_word_orders(options.data / "wals")
    encoder = load(options.encoder)
    values = overlaps(
        encoder.tokenizer, saved.read_trains(), saved.read_tests(), task="upos",
        n_words=saved.n_words, seeds=saved.seeds,
    )  # fmt: skip
    asked = Asked("transfer", "wals")
    by_system = {system.name: values for system in saved.matrix.systems}
    yield "overlap", OverlapResult(saved.matrix, by_system, options=asked)
    yield "typology", TypologyResult(saved.matrix, orders, options=asked)
    first = saved.matrix.systems[0].name
    ranked = rank_sources_of(
        saved, encoder, {}, orders=orders,
        options=RankOptions("transfer", "wals", first, None, 200),
    )  # fmt: skip
    yield (
        "ranking",
        RankResult(saved.matrix, ranked.targets, options=ranked.options, notes=ranked.notes),
    )
    script = ScriptOptions("transfer", ROMANISED, True, "", None, None, None, None)
    systems = candidates(
        [options.encoder], [], load=load, layer=str(saved.options["layer"]),
        seed=int(saved.options["seed"]),
    )  # fmt: skip
    yield (
        "script",
        measure_script(
            saved, systems, [romanising()], {}, options=script, runs=options.out / "script-runs"
        ),
    )


def cut(text: TaggedText, n: int | None) -> TaggedText:
    """Return the first sentences of a text; None: all."""
    ids = None if text.ids is None else text.ids[:n]
    return replace(text, sentences=text.sentences[:n], tags=text.tags[:n], ids=ids)


def shown(result: ProbeResult) -> None:
    """Print the notes and tables of a result."""
    print("\n".join(f"- {note}" for note in result.notes), end="\n\n")
    for table in result.tables.values():
        print(table.to_markdown())


if __name__ == "__main__":
    main()
