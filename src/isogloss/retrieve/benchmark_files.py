"""Files of retrieval benchmarks in their published layouts: Tatoeba, the UN corpus, BUCC, STS.

Each function takes a folder. What is measured on their sentences is in `benchmarks`.

- Tatoeba (Artetxe and Schwenk 2019): ``tatoeba.XXX-eng.XXX`` and ``tatoeba.XXX-eng.eng``, line i of
  both a pair.
- UN parallel corpus test set (Ziemski et al. 2016): ``UNv1.0.testset.LANG``, line i of all files
  one sentence.
- BUCC 2018 (Zweigenbaum et al. 2017): ``XX-en.SPLIT.XX``, ``XX-en.SPLIT.en`` (id, tab, sentence)
  and ``XX-en.SPLIT.gold`` (id, tab, id).
- Semantic textual similarity: ``YEAR/PART.test.tsv``: score, tab, sentence, tab, sentence; rows
  without a score were not judged.

Files may be gzipped, under the name with ``.gz``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.data.lines import open_lines
from isogloss.errors import InputError

UN = "UNv1.0.testset"
ENGLISH = "en"
STS_ENDING = ".test.tsv"


@dataclass(frozen=True)
class Bitext:
    """Two lists of sentences, of which those in the same place are translations."""

    lang: str
    sources: list[str]
    targets: list[str]


@dataclass(frozen=True)
class ComparableText:
    """Sentences of two languages, some of which are translations of each other.

    Attributes
    ----------
    split
        ``"sample"``, ``"training"`` or ``"test"``.
    sources, targets
        Id → sentence; targets are English.
    gold
        Ids of the pairs that are translations.
    """

    lang: str
    split: str
    sources: dict[str, str]
    targets: dict[str, str]
    gold: set[tuple[str, str]]


@dataclass(frozen=True)
class JudgedPairs:
    """Pairs of sentences and how alike they were judged.

    Attributes
    ----------
    part
        ``"2012/MSRpar"``.
    scores
        (n_judged,), from 0 to 5.
    firsts, seconds
        The sentences of each judged pair.
    n_unjudged
        Rows without a score, which are in no list.
    """

    part: str
    scores: Doubles1d
    firsts: list[str]
    seconds: list[str]
    n_unjudged: int


def refuse_without_files(
    *,
    tatoeba: Path | None = None,
    bucc: Path | None = None,
    un: Path | None = None,
    sts: Path | None = None,
) -> None:
    """Look for the files of each benchmark, which costs nothing before an encoder is loaded.

    Raises
    ------
    InputError
        For a folder that is not there, or holds no file of its benchmark.
    """
    looks = ((tatoeba, _tatoeba_files), (bucc, _gold_files), (un, _un_langs), (sts, sts_files))
    for folder, look in looks:
        if folder is not None:
            if not folder.is_dir():
                raise InputError("no such folder; check its name", path=folder)
            look(folder)


def read_tatoeba(folder: Path) -> list[Bitext]:
    """Return the pairs of each language of a folder; targets are English.

    Raises
    ------
    InputError
        For a folder without such files, a missing side, or sides of different lengths.
    """
    return [read_tatoeba_pair(file) for file in _tatoeba_files(folder)]


def read_tatoeba_pair(file: Path) -> Bitext:
    """Return the pairs of a language, by the file of its own side; raises as `read_tatoeba`."""
    file = file.with_name(_bare(file))
    stem, _, lang = file.name.rpartition(".")
    pair = Bitext(lang, _lines(file), _lines(file.with_name(f"{stem}.eng")))
    _check_lengths(pair, file)
    return pair


def read_un(folder: Path) -> list[Bitext]:
    """Return the pairs of each language of a folder with English, which is one list for all.

    Raises
    ------
    InputError
        For a folder without an English file and another, or files of different lengths.
    """
    langs = _un_langs(folder)
    english = _lines(folder / f"{UN}.{ENGLISH}")
    return [read_un_pair(folder / f"{UN}.{lang}", english) for lang in langs]


def read_un_pair(file: Path, english: list[str] | None = None) -> Bitext:
    """Return the pairs of a language, by its file; raises as `read_un`.

    Parameters
    ----------
    english
        The sentences in English; None: they are read from the file beside.
    """
    if english is None:
        english = _lines(file.with_name(f"{UN}.{ENGLISH}"))
    pair = Bitext(_bare(file).rpartition(".")[2], _lines(file), english)
    _check_lengths(pair, file)
    return pair


def read_bucc(folder: Path) -> Iterator[ComparableText]:
    """Yield the sentences of each language and split of a folder, wherever in it.

    Raises
    ------
    InputError
        For a folder without such files, a missing side, a row that is none, an id that is met
        twice, or a gold pair of unknown ids.
    """
    for gold_file in _gold_files(folder):
        yield read_comparable(gold_file)


def read_comparable(gold_file: Path) -> ComparableText:
    """Return the sentences of a language and split, by the file of its pairs; as `read_bucc`."""
    gold_file = gold_file.with_name(_bare(gold_file))
    stem = gold_file.with_name(gold_file.name.removesuffix(".gold"))
    lang = stem.name.partition("-")[0]
    sources, targets = (
        _identified(stem.with_name(f"{stem.name}.{side}")) for side in (lang, ENGLISH)
    )
    gold = _gold(gold_file, sources, targets)
    return ComparableText(lang, stem.name.rpartition(".")[2], sources, targets, gold)


def read_sts(folder: Path) -> Iterator[JudgedPairs]:
    """Yield the judged pairs of each part of a folder.

    Raises
    ------
    InputError
        For a folder without such files, a row that is none, or fewer than 3 rows with a score.
    """
    for path in sts_files(folder):
        yield read_judged(path)


def read_judged(path: Path) -> JudgedPairs:
    """Return the judged pairs of a part, by its file; raises as `read_sts`."""
    path = path.with_name(_bare(path))
    scores, firsts, seconds = [], [], []
    n_rows = 0
    for number, (score, first, second) in sts_rows(path):
        n_rows += 1
        if not score.strip():
            continue
        try:
            scores.append(float(score))
        except ValueError:
            raise InputError(
                f"the score is '{score:.20}', no number", path=path, line=number
            ) from None
        firsts.append(first)
        seconds.append(second)
    if len(scores) < 3:
        raise InputError("has fewer than 3 rows with a score", path=path)
    part = f"{path.parent.name}/{path.name.removesuffix(STS_ENDING)}"
    return JudgedPairs(part, np.array(scores), firsts, seconds, n_rows - len(scores))


def sts_files(folder: Path) -> list[Path]:
    """Return the files of all parts, by year and name; raises `InputError` where there is none."""
    found = sorted({file.with_name(_bare(file)) for file in folder.glob(f"*/*{STS_ENDING}*")})
    if not found:
        raise InputError(f"holds no YEAR/PART{STS_ENDING}", path=folder)
    return found


def sts_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line, and score, first and second sentence, of each row; the score may be empty.

    Raises
    ------
    InputError
        For a row with other than three columns.
    """
    for number, line in open_lines(existing(path)):
        cells = line.split("\t")
        if len(cells) != 3:
            raise InputError(
                f"has {len(cells)} columns; a row is score, tab, sentence, tab, sentence",
                path=path, line=number,
            )  # fmt: skip
        yield number, cells


def existing(path: Path) -> Path:
    """Return the file, or its gzipped twin where that alone is there."""
    zipped = path.with_name(f"{path.name}.gz")
    return zipped if zipped.exists() and not path.exists() else path


def _tatoeba_files(folder: Path) -> list[Path]:
    names = sorted({_bare(file) for file in folder.glob("tatoeba.*-eng.*")})
    found = [folder / name for name in names if not name.endswith(".eng")]
    if not found:
        raise InputError("holds no tatoeba.XXX-eng.XXX", path=folder)
    return found


def _gold_files(folder: Path) -> list[Path]:
    found = sorted({file.with_name(_bare(file)) for file in folder.rglob("*-en.*.gold*")})
    if not found:
        raise InputError("holds no XX-en.SPLIT.gold", path=folder)
    return found


def _un_langs(folder: Path) -> list[str]:
    langs = {_bare(file).rpartition(".")[2] for file in folder.glob(f"{UN}.*")} - {ENGLISH}
    if not langs:
        raise InputError(f"holds no {UN}.LANG beside {UN}.{ENGLISH}", path=folder)
    return sorted(langs)


def _check_lengths(pair: Bitext, path: Path) -> None:
    if len(pair.sources) != len(pair.targets):
        raise InputError(
            f"has {len(pair.sources):,} lines, and its English side {len(pair.targets):,}; line i "
            "of both is a pair",
            path=path,
        )
    if not pair.sources:
        raise InputError("is empty", path=path)


def _lines(path: Path) -> list[str]:
    return [line for _, line in open_lines(existing(path))]


def _bare(file: Path) -> str:
    return file.name.removesuffix(".gz")


def _identified(path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for number, line in open_lines(existing(path)):
        name, tab, text = line.partition("\t")
        if not tab:
            raise InputError("a row is id, tab, sentence", path=path, line=number)
        if name in found:
            raise InputError(
                f"the id '{name:.40}' is met a second time; give each sentence its own",
                path=path, line=number,
            )  # fmt: skip
        found[name] = text
    return found


def _gold(path: Path, first: dict[str, str], second: dict[str, str]) -> set[tuple[str, str]]:
    found = set()
    for number, line in open_lines(existing(path)):
        cells = line.split("\t")
        if len(cells) != 2 or cells[0] not in first or cells[1] not in second:
            raise InputError(
                "a row is two ids, tab between, of the files beside it", path=path, line=number
            )
        found.add((cells[0], cells[1]))
    return found
