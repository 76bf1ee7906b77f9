"""Ethayarajh (2019) again: how context-specific words are in each layer, on the paper's sentences.

Two tasks of one cell each: words, and the encoder's own tokens, which are nearer to the unit of the
released figures of BERT and GPT-2. A cell has all layers, as one pass over the sentences gives
them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from isogloss.encode.words.tokens_of_words import Unit
from isogloss.errors import InputError
from isogloss.probe.geometry.measure import measure_geometry
from isogloss.probe.geometry.result import GeometryOptions
from isogloss.reproduce.cells import CellFile, CellKey
from isogloss.reproduce.data import data_set
from isogloss.reproduce.figures import figures
from isogloss.reproduce.lines import Line
from isogloss.reproduce.reading import ReadSet, read_set
from isogloss.reproduce.tasks import Asked, Found, Job, Task, sha256_of_all
from isogloss.retrieve.benchmark_files import sts_rows
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import Interval

PAPER_YEARS = range(2012, 2017)
METRICS = {
    "baseline": "cosine of random words",
    "self_similarity": "self-similarity",
    "intra_similarity": "intra-sentence similarity",
    "mev_released": "explained variance, as released",
    "mev": "explained variance, as the paper defines it",
}
TITLE = "Figures 1 to 4"
UNITS: tuple[Unit, ...] = ("word", "token")
DRAWN = GeometryOptions(max_words=2000)
NOT_BUILT = (
    "of static vectors (Table 1) nothing is measured: word similarity data sets are not read; "
    "`probe geometry --static` writes the vectors",
)


def tasks(asked: Asked) -> list[Task]:
    """Return the tasks: words and tokens."""
    wanted = [
        (file.lang, file.split) for file in data_set("sts").files
        if _year_of(file.split) in PAPER_YEARS
    ]  # fmt: skip
    found = read_set(
        asked, "sts", wanted, lambda _, path: _sentences(path), lambda rows: len(rows) // 2
    )
    sentences = [*dict.fromkeys(one for rows in found.texts.values() for one in rows)]
    years = sorted({_year_of(part) for _, part in found.texts})
    if not sentences:
        return [
            Task(f"{unit}s", TITLE, absent=found.lacks or "no file can be read",
                 failures=found.failures if unit == UNITS[0] else ())
            for unit in UNITS
        ]  # fmt: skip
    data = sha256_of_all(sentences)
    made = [_task(asked, unit, sentences, years, data, found) for unit in UNITS]
    return [replace(made[0], failures=found.failures, absent=found.lacks), *made[1:]]


def _task(
    asked: Asked,
    unit: Unit,
    sentences: list[str],
    years: list[int],
    data: str,
    files: ReadSet[list[str]],
) -> Task:
    settings = {"unit": unit, "years": years} | asdict(DRAWN)
    seed = settings.pop("seed")
    key = asked.key(f"{unit}s", "en", settings, seed=seed, data=data)

    def make(_: Sequence[CellKey]) -> Iterator[tuple[CellKey, Found]]:
        yield key, _measured(asked, sentences, unit)

    def lines(kept: CellFile) -> list[Line]:
        return _lines(asked, key, kept[key].found, sizes) if key in kept else []

    n_characters = sum(map(len, sentences))
    sizes = files.differs(files.texts)
    return Task(
        name=f"{unit}s", title=TITLE, settings=settings,
        jobs=[Job([key], lambda _: n_characters, make)], lines=lines, sample=sentences,
    )  # fmt: skip


def _measured(asked: Asked, sentences: list[str], unit: Unit) -> Found:
    measured = measure_geometry(asked.encoder, sentences, lang="en", unit=unit, options=DRAWN)
    layers = []
    for layer in measured.layers:
        row = columns_of("baseline", layer.baseline.interval)
        for name in METRICS:
            if name != "baseline":
                row |= columns_of(name, getattr(layer, name).raw.interval)
        layers.append({"layer": layer.layer} | row)
    return {"layers": layers, "notes": measured.notes, "n_sentences": len(sentences)}


def _lines(
    asked: Asked, key: CellKey, found: Mapping[str, list[dict[str, float]]], sizes: str
) -> list[Line]:
    unit, years = key.settings["unit"], key.settings["years"]
    missing = [str(year) for year in PAPER_YEARS if year not in years]
    differs = asked.differs(
        "BERT base, GPT-2 and ELMo",
        sizes,
        f"STS without {', '.join(missing)}" if missing else "",
        "each sentence once",
        f"{DRAWN.max_words:,} {unit}s drawn, not all",
        "a word, where BERT and GPT-2 have tokens" if unit == "word" else "",
    )
    return [
        Line(
            table="released", task=key.task, langs=f"layer {row['layer']}", metric=title,
            ours=Interval(row[name], row[f"{name}_low"], row[f"{name}_high"]),
            published=figures("geometry", name, f"layer {row['layer']}"), differs=differs,
        )
        for name, title in METRICS.items()
        for row in found["layers"]
    ]  # fmt: skip


def _sentences(path: Path) -> list[str]:
    """Return both sentences of each pair, those without a score too.

    Raises
    ------
    InputError
        When a row is none, or there is no row.
    """
    found = [sentence for _, (_, *pair) in sts_rows(path) for sentence in pair]
    if not found:
        raise InputError("is empty; give rows of score, tab, sentence, tab, sentence", path=path)
    return found


def _year_of(part: str) -> int:
    return int(part.partition("/")[0])
