"""``isogloss probe overlap``, ``typology`` and ``rank-sources``: what goes with transfer."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.groups import count, grouped
from isogloss.cli.places import refuse_place
from isogloss.cli.probing.results import OverwriteOut, print_result, say_written
from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import InputError, refuse_twice
from isogloss.probe.result import ProbeResult
from isogloss.probe.transfer.explained.overlap import OverlapResult, overlaps
from isogloss.probe.transfer.explained.typology import TypologyResult
from isogloss.probe.transfer.matrix.saved import SavedMatrix, read_matrix
from isogloss.probe.transfer.measures.pairs import Pair, zero_shot_pairs
from isogloss.probe.transfer.measures.word_orders import read_word_orders
from isogloss.probe.transfer.ranked.ranking import RankOptions, rank_sources_of
from isogloss.probe.transfer.ranked.result import RankResult
from isogloss.report.table import Table
from isogloss.text.languages import parse_language_file

Folder = Annotated[
    Path, typer.Argument(help="Folder that `probe transfer` made.", metavar="MATRIX")
]
Wals = Annotated[
    Path,
    typer.Option(help="CLDF folder of WALS: languages.csv, values.csv, codes.csv."),
]


@dataclass(frozen=True, kw_only=True)
class Made:
    """What is made."""

    out: Annotated[Path | None, typer.Option(help="Folder to make: tables and charts.")] = None
    overwrite: OverwriteOut = False

    def check(self, *reads: object) -> None:
        """Refuse a place that is taken, or that is read."""
        if self.out is not None:
            refuse_place(self.out, *reads, overwrite=self.overwrite, makes="folder")

    def write(self, result: ProbeResult) -> None:
        """Write the folder, where one is asked for."""
        if self.out is not None:
            result.write(self.out, overwrite=self.overwrite)
            say_written(self.out)


@dataclass(frozen=True)
class Asked:
    """What a command was asked, as its folder keeps it."""

    matrix: str
    wals: str | None = None


@grouped
def overlap(matrix: Folder, made: Made, output: options.Output) -> None:
    """Compare scores of a matrix with the share of tokens that two languages share."""
    made.check(matrix)
    saved = read_matrix(matrix)
    refuse_no_pair(saved)
    trains = [one for one in saved.read_trains() if one.name in saved.matrix.alone]
    tests = saved.read_tests()
    by_encoder: dict[str, Any] = {}
    for system in saved.matrix.systems:
        if system.encoder not in by_encoder:
            by_encoder[system.encoder] = overlaps(
                saved.load_encoder(system.encoder, encoder_half=True).tokenizer, trains, tests,
                task=saved.matrix.task, n_words=saved.n_words, seeds=saved.seeds,
            )  # fmt: skip
    values = {system.name: by_encoder[system.encoder] for system in saved.matrix.systems}
    result = OverlapResult(saved.matrix, values, options=Asked(str(matrix)))
    made.write(result)
    print_result(result, (result.pairs, result.correlations), as_json=output.as_json)


@grouped
def typology(matrix: Folder, wals: Wals, made: Made, output: options.Output) -> None:
    """Compare scores of a matrix with likeness of word order, and average them by word order."""
    made.check(matrix, wals)
    saved, orders = read_matrix(matrix), read_word_orders(wals)
    refuse_no_pair(saved)
    result = TypologyResult(saved.matrix, orders, options=Asked(str(matrix), str(wals)))
    made.write(result)
    tables: Sequence[Table] = (result.pairs, result.means, result.correlations)
    print_result(result, tables, as_json=output.as_json)


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """What training languages are ranked by."""

    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Text of a further target, one sentence a line (column 'text' of a table), "
            "without tags; may be repeated.",
            metavar="LANG=FILE",
        ),
    ] = None
    wals: Annotated[
        Path | None,
        typer.Option(help="CLDF folder of WALS, to rank by word order too."),
    ] = None
    system: Annotated[
        str | None, typer.Option(help="System of the matrix (default: the first).")
    ] = None
    layer: Annotated[
        int | None,
        count("Layer of NN-Rank (default: two thirds of the layers up).", least=0),
    ] = None
    max_sentences: Annotated[
        int, count("Maximum number of sentences of a language for NN-Rank.")
    ] = 200


@grouped
def rank_sources(
    matrix: Folder,
    asked: Ranking,
    made: Made,
    compute: options.Precise,
    output: options.Output,
) -> None:
    """Rank the training languages of a matrix for each target, and say how good rankings are."""
    made.check(matrix, asked.text, asked.wals)
    saved = read_matrix(matrix)
    files = [parse_language_file(value) for value in asked.text or []]
    refuse_twice([file.lang for file in files], "--text: language")
    further = {
        file.lang: [
            [text]
            for text in read_documents(
                file.path, format=FileFormat(fixed_by="--text"), needs_label=False
            ).texts
            if text.strip()
        ]
        for file in files
    }
    refuse_known(further, saved)
    system = system_of(saved, asked.system)
    orders = None if asked.wals is None else read_word_orders(asked.wals)
    chosen = RankOptions(
        str(matrix), None if asked.wals is None else str(asked.wals), system, asked.layer,
        asked.max_sentences,
    )  # fmt: skip
    encoder = saved.load_encoder(_encoder_of(saved, system), **vars(compute))
    ranked = rank_sources_of(saved, encoder, further, orders=orders, options=chosen)
    result = RankResult(saved.matrix, ranked.targets, options=ranked.options, notes=ranked.notes)
    made.write(result)
    print_result(result, (result.sources, result.rankers), as_json=output.as_json)


def system_of(saved: SavedMatrix, name: str | None) -> str:
    """Return the name of a system, the first where none is given.

    Raises
    ------
    InputError
        When there is none of this name.
    """
    names = [system.name for system in saved.matrix.systems]
    if name is not None and name not in names:
        raise InputError(f"--system is '{name:.60}'; allowed: {'; '.join(names)}")
    return name or names[0]


def refuse_no_pair(saved: SavedMatrix) -> None:
    """Refuse a matrix in which no language alone is trained on and another tested.

    Raises
    ------
    InputError
        With its folder.
    """
    if not zero_shot_pairs(saved.matrix.alone, saved.matrix.tests):
        raise InputError(
            "has no zero-shot pair of two languages; add a test language by the command that made "
            "it, with one more --test",
            path=saved.folder,
        )


def refuse_known(further: dict[str, Any], saved: SavedMatrix) -> None:
    """Refuse text of a language that the matrix tests, or alone trains on; no text at all.

    Raises
    ------
    InputError
        With the language.
    """
    for lang, sentences in further.items():
        if lang in saved.matrix.tests:
            raise InputError(f"--text: '{lang}' is a test language of the matrix; leave it out")
        if not any(Pair(train, lang).is_zero_shot for train in saved.matrix.alone):
            raise InputError(f"--text: no training language is another than '{lang}'; leave it out")
        if not sentences:
            raise InputError(f"--text: there is no text in '{lang}'; give a file with sentences")


def _encoder_of(saved: SavedMatrix, name: str) -> str:
    return next(one.encoder for one in saved.matrix.systems if one.name == name)
