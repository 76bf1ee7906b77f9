"""``isogloss probe transfer``: taggers of each training language on each test language."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.groups import Fields, count, grouped
from isogloss.cli.places import places_read
from isogloss.cli.probing.results import print_result, say_written
from isogloss.cli.tag.files import ColumnOptions
from isogloss.encode import Encoder
from isogloss.encode.loading import refuse_no_encoder
from isogloss.errors import InputError
from isogloss.probe.transfer.matrix.controls import candidates
from isogloss.probe.transfer.matrix.options import TransferOptions
from isogloss.probe.transfer.matrix.result import SetFile, TransferResult
from isogloss.probe.transfer.matrix.runs import TRANSFER
from isogloss.probe.transfer.matrix.sets import (
    ReadAs,
    TaggedText,
    TrainingSet,
    parse_training,
    read_tests,
    read_training,
    say_small,
    say_translations,
)
from isogloss.storage.files import refuse_read
from isogloss.tag.options import parsed_layers

Measured = Annotated[
    TransferOptions,
    Fields(
        task=typer.Option(help="What is tagged: parts of speech or entities."),
        words=count("Words to train on, of each training language; 0: all.", least=0),
        seeds=count("Number of random seeds: of training sentences and taggers.", most=100),
        layer=typer.Option(help="Layer of a tagger: 'auto', a number, or a range, as 5-8."),
        pieces=typer.Option(help="Tokens of a word that its vector is of."),
        seed=options.SEED,
    ),
]


@dataclass(frozen=True, kw_only=True)
class TransferFiles:
    """What is trained on, tested on, and made."""

    train: Annotated[
        list[str],
        typer.Option(
            help="Tagged sentences to train on: CoNLL-U, CoNLL, WikiANN or UNER; may be repeated. "
            "Several languages for one tagger: hi+en=FILE,FILE.",
            metavar="LANG=FILE",
        ),
    ]
    test: Annotated[
        list[str],
        typer.Option(help="Tagged sentences to test on; may be repeated.", metavar="LANG=FILE"),
    ]
    out: Annotated[
        Path, typer.Option(help="Folder of the runs and tables; the same command resumes there.")
    ]
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            help="Encoder: 'bundled', a directory, or a name on the Hugging Face hub; may be "
            "repeated (default: bundled)."
        ),
    ] = None
    control: Annotated[
        list[str] | None,
        typer.Option(
            help="System in which shared tokens alone can transfer: 'layer-0', 'random' (layers "
            "above the embeddings), or an encoder; may be repeated."
        ),
    ] = None


@grouped
def transfer(
    files: TransferFiles,
    columns: ColumnOptions,
    measured: Measured,
    compute: options.Precise,
    output: options.Output,
) -> None:
    """Train a tagger on each language and test it on each: the matrix, with controls."""
    parsed_layers(measured.layer)
    encoders, controls = files.encoder or ["bundled"], files.control or []
    trained = [file.path for value in files.train for file in parse_training(value)]
    reads: list[Any] = [trained, files.test, encoders, controls]
    refuse_read(files.out, places_read(reads))
    TRANSFER.check_place(files.out)
    systems = list(candidates(
        encoders, controls, load=lambda name: Encoder.load(name, **vars(compute)),
        layer=measured.layer, seed=measured.seed,
    ))  # fmt: skip
    how = ReadAs(**vars(columns))
    trains = read_training(files.train, measured.task, how)
    tests = read_tests(files.test, measured.task, how)
    refuse_tests_trained_on(trains, tests)
    for candidate in systems:
        refuse_no_encoder(candidate.place)
    say_small(trains, measured.n_words)
    say_translations(trains, tests)
    from isogloss.probe.transfer.matrix.measure import measure_matrix, notes_on

    found = measure_matrix(systems, trains, tests, options=measured, out=files.out)
    result = TransferResult(
        found.matrix, options=measured, notes=notes_on(found.matrix, measured),
        files=files_of(trains, tests, how), runs=found.runs, encoders=found.encoders,
    )  # fmt: skip
    result.write_beside_runs(files.out)
    say_written(files.out)
    print_result(result, (result.matrix, result.means, result.systems), as_json=output.as_json)


def refuse_tests_trained_on(trains: list[TrainingSet], tests: dict[str, TaggedText]) -> None:
    """Refuse a file that is trained and tested on: its score would be no score.

    Raises
    ------
    InputError
        With the file.
    """
    trained = {part.sha256 for train in trains for part in train.parts}
    for test in tests.values():
        if test.sha256 in trained:
            raise InputError("is trained and tested on; give other sentences", path=test.path)


def files_of(trains: list[TrainingSet], tests: dict[str, TaggedText], how: ReadAs) -> list[SetFile]:
    """Return the files of all sets, so that other commands can read them again."""
    of_trains = [("train", train.name, part) for train in trains for part in train.parts]
    of_tests = [("test", "", test) for test in tests.values()]
    return [
        SetFile(role, name, text.lang, str(text.path.absolute()), text.sha256, **vars(how))
        for role, name, text in (*of_trains, *of_tests)
    ]
