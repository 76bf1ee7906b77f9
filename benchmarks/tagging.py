"""Zero-shot tagging from English: docs/results-tagging.md.

    python benchmarks/tagging.py --data DIR [--part pos|ner|layers|ner-layers|rule] [--states DIR]
        [--kb] [--tune head|lora]

Trained on English EWT, its test file and the first 80 % of its dev file (the train file is not
among the data); layers and penalty are chosen on the last 20 %. Parts of speech are scored on PUD
in ten languages, entities on UNER's PUD in three. `layers` shows what no choice saw: every layer
and penalty. `rule` shows what each leeway of the rule would choose: it was settled on the languages
of `SETTLED`, the best on their mean.
"""

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import find
from isogloss import Encoder, TokenTagger, build_knowledge_base
from isogloss.arrays import Floats3d
from isogloss.data.column_files import ColumnSentence, read_column_file
from isogloss.learn.linear_head import Standardisation
from isogloss.learn.objective import LinearWeights
from isogloss.learn.softmax_path import softmax_path
from isogloss.learn.threads import one_thread
from isogloss.report.table import Table
from isogloss.tag import TaggedSentences
from isogloss.tag.choice import HeldOutScore, near_best
from isogloss.tag.evaluation import evaluate_tagger
from isogloss.tag.fitted import FittedTagger
from isogloss.tag.head_fitting import C_OF_LAYERS, C_VALUES, WORDS_OF_LAYERS
from isogloss.tag.schemes import Scheme
from isogloss.tag.scores import EntityCounts
from isogloss.tag.sentences import some_words
from isogloss.tag.word_features import layer_states
from records import Record, add_json

PUD = ("de", "es", "fr", "hi", "id", "ko", "pt", "ru", "tr", "zh")
SETTLED = ("de", "fr", "id", "pt", "tr")  # every other, by alphabet
UNER = ("de", "pt", "zh")
RANGES = ("5-8", "3-8", "3-9")
PARTS = ("pos", "ner", "layers", "ner-layers", "rule")
WEAK_AND_DEFAULT = (0.03, 0.001)
LEEWAYS = (1.0, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.4, 1.5, 1.7)


def main() -> None:
    """Measure one part and print its tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and uner/")
    parser.add_argument("--part", choices=PARTS, default="pos")
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--layer", default="auto")
    parser.add_argument("--pieces", choices=("mean", "first", "last"), default="mean")
    parser.add_argument("--scheme", choices=("auto", "none"), default="auto")
    parser.add_argument("--kb", action="store_true", help="names of CLDR and wordnets as evidence")
    parser.add_argument("--tune", choices=("head", "lora"), default="head")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/tagging"))
    parser.add_argument("--threads", type=int)
    parser.add_argument("--states", type=Path, help="folder that keeps the vectors of all layers")
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    task = "ner" if options.part.startswith("ner") else "pos"
    data = read_task(options.data, task)
    encoder = Encoder.load(options.encoder, threads=options.threads)
    if options.part.endswith("layers"):
        found = all_layers(encoder, data, task, options.pieces, options.states)
        record.show("layers", Table(found))
        record.show("by layer", by_layer(found))
    elif options.part == "rule":
        record.show("rule", leeways(encoder, data, options.pieces, options.states))
    else:
        one_model(encoder, data, options, record)
    record.write()


def read_task(data: Path, task: str) -> dict[str, list[ColumnSentence]]:
    """Return sentences: `train` and `dev` of English, and those of each language."""
    folder, ending = ("ud", "conllu") if task == "pos" else ("uner", "iob2")
    langs = PUD if task == "pos" else UNER

    def read(name: str) -> list[ColumnSentence]:
        place = find(data / folder / f"{name}.{ending}")
        return read_column_file(place, needs_tags=True).sentences

    test, dev = read("en_ewt-ud-test"), read("en_ewt-ud-dev")
    n_train = int(len(dev) * 0.8)
    found = {"train": test + dev[:n_train], "dev": dev[n_train:]}
    return found | {lang: read(f"{lang}_pud-ud-test") for lang in langs}


def one_model(
    encoder: Encoder, data: dict[str, list[ColumnSentence]], options: argparse.Namespace,
    record: Record,
) -> None:  # fmt: skip
    """Fit and score one model, and print how long it took."""
    began, cpu = time.perf_counter(), time.process_time()
    train, dev = (tagged(data[name], "en") for name in ("train", "dev"))
    model = TokenTagger(
        encoder, layer=options.layer, pieces=options.pieces, scheme=options.scheme,
        tune=options.tune, kb=knowledge_base(options) if options.kb else None,
        training=None if options.tune == "head" else {"precision": "bfloat16"},
    )  # fmt: skip
    model.fit(train.sentences, train.tags, train.langs, dev=dev)
    print(*(f"- {line}" for line in model.fitted_.describe()), sep="\n")
    fitted_after = time.perf_counter() - began
    tests = {lang: some for lang, some in data.items() if lang not in ("train", "dev")}
    scored = evaluate_tagger(
        model.fitted_,
        [one.words for some in tests.values() for one in some],
        [one.tags for some in tests.values() for one in some],
        [lang for lang, some in tests.items() for _ in some],
        ids=[one.id for some in tests.values() for one in some],
    )
    seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
    print(
        f"- seconds: fit {fitted_after:.0f}, with scoring {seconds:.0f} (of processors {cpu:.0f})"
    )
    if options.part == "pos":
        for name, langs in (("settled on", SETTLED), ("others", [*{*PUD} - {*SETTLED}])):
            rows = [row["accuracy"] for row in scored.rows if row["lang"] in langs]
            print(f"- mean of the languages {name}: {np.mean(rows):.4f}")
    record.show("languages", scored.table())
    if model.fitted_.scheme is not None:
        record.show("transitions", by_rule(model.fitted_, model.fitted_.scheme, tests))


def by_rule(fitted: FittedTagger, scheme: Scheme, tests: dict[str, list[ColumnSentence]]) -> Table:
    """Score the same head with only the transitions that the scheme allows, and with any."""
    rows = []
    for lang, some in tests.items():
        words, gold = [one.words for one in some], [one.tags for one in some]
        row: dict[str, str | float] = {"lang": lang}
        answers = fitted.answers(words, [lang] * len(words))
        for model, strict, conll in (
            (fitted, "f1_strict_allowed", "f1_conll_allowed"),
            (replace(fitted, scheme=None), "f1_strict_any", "f1_conll_any"),
        ):
            counts = EntityCounts.of(gold, model.tags_of(answers), scheme)
            row |= {strict: counts.ratio("f1_strict").value, conll: counts.ratio("f1_conll").value}
        rows.append(row)
    return Table(rows)


def knowledge_base(options: argparse.Namespace) -> Path:
    """Build the names of CLDR and wordnets in the languages of the task, once."""
    path = options.out / "kb"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        sources = ["cldr", f"names:{find(options.data / 'names' / 'omw.jsonl')}"]
        build_knowledge_base(sources, path, langs=["en", *PUD])
    return path


def all_layers(
    encoder: Encoder, data: dict[str, list[ColumnSentence]], task: str, pieces: str,
    folder: Path | None,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the accuracy of words at every layer and penalty: English dev, and the mean of others.

    Of entities it is F1 of words that are in one by gold or prediction, without their scheme.
    """
    states = states_of(encoder, data, task, pieces, folder)
    names, gold = tags_of(data)
    outside = names.index("O") if "O" in names else None
    rows = []
    layers = [(layer,) for layer in range(encoder.n_layers + 1)]
    layers += [tuple(range(int(one[0]), int(one[2]) + 1)) for one in RANGES]
    for some in layers:
        inputs = inputs_of(states, some)
        with one_thread():
            path = softmax_path(inputs["train"], gold["train"], len(names), C_VALUES)
        for C, head in zip(C_VALUES, path, strict=True):
            scores = {
                name: score(predicted(head, inputs[name]), y, outside)
                for name, y in gold.items()
                if name != "train"
            }
            of_langs = [value for name, value in scores.items() if name != "dev"]
            shown = f"{some[0]}-{some[-1]}" if len(some) > 1 else str(some[0])
            rows.append(
                {"layers": shown, "C": C, "dev": scores["dev"], "mean": np.mean(of_langs),
                 "least": np.min(of_langs)}
            )  # fmt: skip
    return rows


def by_layer(rows: list[dict[str, Any]]) -> Table:
    """Return a row for each layer: at a weak penalty, and at the one that is the default."""
    shown: dict[str, dict[str, Any]] = {}
    for row in rows:
        for C in WEAK_AND_DEFAULT:
            if np.isclose(row["C"], C):
                line = shown.setdefault(row["layers"], {"layers": row["layers"]})
                line |= {f"C = {C}: {name}": row[name] for name in ("dev", "mean", "least")}
    return Table(list(shown.values()))


def leeways(
    encoder: Encoder, data: dict[str, list[ColumnSentence]], pieces: str, folder: Path | None
) -> Table:
    """Return what the rule chooses at each leeway, and what that gives."""
    states = states_of(encoder, data, "pos", pieces, folder)
    names, gold = tags_of(data)
    starts = np.cumsum([0] + [len(one.words) for one in data["dev"]])
    train = tagged(data["train"], "en")
    rows_of_part = words_of(train, some_words(train, WORDS_OF_LAYERS, seed=0))
    right = []
    for layer in range(encoder.n_layers + 1):
        inputs = inputs_of({name: states[name] for name in ("train", "dev")}, (layer,))
        with one_thread():
            (head,) = softmax_path(
                inputs["train"][rows_of_part], gold["train"][rows_of_part], len(names),
                (C_OF_LAYERS,),
            )  # fmt: skip
        right.append(predicted(head, inputs["dev"]) == gold["dev"])
    rows, of_range = [], {}
    for leeway in LEEWAYS:
        near = near_best(accuracies(right, starts, leeway))
        some = tuple(range(near[0], near[-1] + 1))
        if some not in of_range:
            of_range[some] = heads_of(states, gold, some, len(names))
        found = of_range[some]
        place = near_best(accuracies([one["dev"] for one in found], starts, leeway))[0]
        means = {
            name: np.mean([found[place][lang].mean() for lang in langs])
            for name, langs in (("settled on", SETTLED), ("others", [*{*PUD} - {*SETTLED}]))
        }
        rows.append(
            {"leeway": leeway, "layers": f"{some[0]}-{some[-1]}", "C": C_VALUES[place],
             "dev": found[place]["dev"].mean()} | means
        )  # fmt: skip
    return Table(rows)


def accuracies(is_right: list[np.ndarray], starts: np.ndarray, leeway: float) -> list[HeldOutScore]:
    """Return the score of each candidate."""
    return [HeldOutScore.accuracy(one, starts, leeway=leeway) for one in is_right]


def heads_of(
    states: dict[str, Floats3d], gold: dict[str, np.ndarray], some: tuple[int, ...], n_tags: int
) -> list[dict[str, np.ndarray]]:
    """Return for each penalty which words of each set are answered right."""
    inputs = inputs_of(states, some)
    with one_thread():
        path = softmax_path(inputs["train"], gold["train"], n_tags, C_VALUES)
    return [
        {name: predicted(head, inputs[name]) == y for name, y in gold.items() if name != "train"}
        for head in path
    ]


def words_of(sentences: TaggedSentences, chosen: np.ndarray) -> np.ndarray:
    """Return the numbers of the words of some sentences."""
    starts = np.cumsum([0] + [len(one) for one in sentences.sentences])
    return np.concatenate([np.arange(starts[one], starts[one + 1]) for one in chosen])


def states_of(
    encoder: Encoder, data: dict[str, list[ColumnSentence]], task: str, pieces: str,
    folder: Path | None,
) -> dict[str, Floats3d]:  # fmt: skip
    """Return the vectors of each set's words in all layers."""
    return {
        name: kept_states(encoder, some, pieces, folder and folder / f"{task}.{name}.{pieces}.npy")
        for name, some in data.items()
    }


def tags_of(data: dict[str, list[ColumnSentence]]) -> tuple[list[str], dict[str, np.ndarray]]:
    """Return the tags of training, and the number of each word's tag; -1: not of training."""
    names = sorted({tag for one in data["train"] for tag in one.tags})
    number = {name: place for place, name in enumerate(names)}
    return names, {
        name: np.array([number.get(tag, -1) for one in some for tag in one.tags])
        for name, some in data.items()
    }


def inputs_of(states: dict[str, Floats3d], some: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Return the standardised mean over layers of each set's words, float32."""
    vectors = {name: of_layers(one, some) for name, one in states.items()}
    scale = Standardisation.fit(vectors["train"])
    return {name: scale(one).astype(np.float32) for name, one in vectors.items()}


def predicted(head: LinearWeights, inputs: np.ndarray) -> np.ndarray:
    """Return the number of each word's tag."""
    return (inputs @ head.weight.T.astype(np.float32) + head.bias.astype(np.float32)).argmax(1)


def kept_states(
    encoder: Encoder, sentences: list[ColumnSentence], pieces: str, file: Path | None
) -> Floats3d:
    """Return the vectors of words in all layers, float16 (n_layers, n_words, width)."""
    if file is not None and file.exists():
        return np.load(file, mmap_mode="r")
    found = layer_states(
        encoder, [one.words for one in sentences], layers=range(encoder.n_layers + 1),
        pieces=pieces,
    ).states.astype(np.float16)  # fmt: skip
    if file is not None:
        np.save(file, found)
    return found


def of_layers(states: Floats3d, layers: tuple[int, ...]) -> np.ndarray:
    """Return the mean over layers: float32 (n_words, width)."""
    return states[layers[0] : layers[-1] + 1].mean(axis=0, dtype=np.float32)


def score(found: np.ndarray, gold: np.ndarray, outside: int | None) -> float:
    """Return the share of words that are right; with `outside`, F1 of words in entities."""
    right = found == gold
    if outside is None:
        return float(right.mean())
    n_right = float((right & (gold != outside)).sum())
    return 2 * n_right / float((gold != outside).sum() + (found != outside).sum())


def tagged(sentences: list[ColumnSentence], lang: str) -> TaggedSentences:
    """Return sentences of a language for a fit."""
    return TaggedSentences.of(
        [one.words for one in sentences], [one.tags for one in sentences], lang
    )


if __name__ == "__main__":
    main()
