"""``isogloss probe``: what the papers measure about an encoder."""

from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.cli import options
from isogloss.cli.groups import Fields, OnlyWith, count, grouped
from isogloss.cli.places import places_read, refuse_inside, refuse_place
from isogloss.cli.probing import COMMANDS
from isogloss.cli.probing.results import OUT, Encoders, OverwriteOut, print_result, say_written
from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.lines import STANDARD_INPUT, standard_input
from isogloss.data.parallel import read_parallel
from isogloss.encode import Encoder
from isogloss.encode.words.tokens_of_words import WordUnits
from isogloss.errors import InputError, refuse_twice
from isogloss.probe.geometry.measure import measure_geometry, measure_vectors
from isogloss.probe.geometry.result import GeometryOptions, GeometryResult
from isogloss.probe.geometry.static_words import StaticWords
from isogloss.probe.geometry.vector_file import read_layer_vectors
from isogloss.probe.neutrality.measure import check_sentences, measure_neutrality
from isogloss.probe.neutrality.result import NeutralityOptions, NeutralityResult
from isogloss.probe.report.page import write_probe_report
from isogloss.storage.files import refuse_read
from isogloss.text.languages import LanguageFile, parse_language_file

app = typer.Typer(
    help="What an encoder is like, layer by layer, and how it transfers.", no_args_is_help=True
)
for _name, _command in COMMANDS.items():
    app.command(_name)(_command)


_FOR_TEXTS = OnlyWith("text", why="is for texts that are encoded; give --text LANG=FILE")


@dataclass(frozen=True, kw_only=True)
class GeometryInputs:
    """What is measured."""

    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Texts, one sentence each (column 'text' of a table); may be repeated.",
            metavar="LANG=FILE",
        ),
    ] = None
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            help="Encoder: 'bundled', a directory, or a name on the Hugging Face hub; may be "
            "repeated (default: bundled, unless --vectors are given)."
        ),
    ] = None
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            help="Vectors of words by layer that another program made, safetensors; may be "
            "repeated.",
            metavar="LANG=FILE",
        ),
    ] = None
    unit: Annotated[
        Literal["word", "token"], typer.Option(help="Unit: words, or the encoder's own tokens."),
        _FOR_TEXTS,
    ] = "word"  # fmt: skip


Drawn = Annotated[
    GeometryOptions,
    Fields(
        min_contexts=count("Minimum number of distinct sentences a word must occur in.", least=2),
        max_words=count("Maximum number of words (a random sample is taken above this)."),
        max_contexts=count(
            "Maximum number of occurrences of a word for explained variance.", least=2
        ),
        n_random=count(
            "Maximum number of random words, for the baselines.", "--random-words", least=2
        ),
        seed=options.SEED,
    ),
]


@dataclass(frozen=True, kw_only=True)
class GeometryFiles:
    """What is made."""

    static: Annotated[
        Path | None, typer.Option(help="File to make of static vectors of the words.")
    ] = None
    static_layer: Annotated[
        int,
        count("Layer of the static vectors.", least=0),
        OnlyWith("static", why="is for --static; give that too"),
    ] = 1
    out: Annotated[Path | None, OUT] = None
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace what --out and --static name."),
        OnlyWith("out", "static", why="is for --out and --static; give one of them too"),
    ] = False


@app.command()
@grouped
def geometry(
    inputs: GeometryInputs,
    drawn: Drawn,
    made: GeometryFiles,
    compute: Annotated[options.Precise, _FOR_TEXTS],
    output: options.Output,
) -> None:
    """Measure how context-specific words are in each layer, and how alike random words are."""
    texts = [parse_language_file(value) for value in inputs.text or []]
    files = [parse_language_file(value) for value in inputs.vectors or []]
    encoders = inputs.encoder or (["bundled"] if texts else [])
    _check_inputs(texts, files, encoders)
    if made.static is not None and len(texts) * len(encoders) + len(files) != 1:
        raise InputError("--static is of one encoder and one language; give one of each")
    static = _static_words(made, [inputs.text, inputs.vectors, encoders])
    measured = [
        measure_vectors(
            read_layer_vectors(file.path), name=file.path.name, lang=file.lang, options=drawn,
            static=static,
        )
        for file in files
    ]  # fmt: skip
    documents = [
        (
            file.lang,
            read_documents(
                file.path, format=FileFormat(fixed_by="--text"), needs_label=False
            ).texts,
        )
        for file in texts
    ]
    if documents and inputs.unit == "word":
        WordUnits(documents[0][0])  # says that its package is missing before a model is loaded
    for name in encoders:
        model = Encoder.load(name, pooling="mean", encoder_half=True, **vars(compute))
        measured += [
            measure_geometry(model, some, lang=lang, unit=inputs.unit, options=drawn, static=static)
            for lang, some in documents
        ]
    result = GeometryResult(measured, options=drawn)
    with nullcontext() if static is None else static.written() as vectors:
        if made.out is not None:
            result.write(made.out, overwrite=made.overwrite)
            say_written(made.out)
    if static is not None:
        typer.echo(f"isogloss: {vectors!r} → {static.path}", err=True)
    print_result(
        result, (result.layers, result.isotropy, result.extremes, result.claims),
        as_json=output.as_json,
    )  # fmt: skip


Parallel = Annotated[
    NeutralityOptions,
    Fields(
        max_sentences=count(
            "Maximum number of sentences of a language (a random sample is taken above this).",
            least=8,
        ),
        n_neighbours=count("Number of neighbours of CSLS and hubness.", "--neighbours"),
        all_pairs=typer.Option(
            "--all-pairs", help="Measure retrieval in all pairs, not only with the first language."
        ),
        seed=options.SEED,
    ),
]


@app.command()
@grouped
def neutrality(
    text: Annotated[
        list[str],
        typer.Option(
            help="Parallel text: line i of all files is the same sentence (column 'text' of a "
            "table); two or more.",
            metavar="LANG=FILE",
        ),
    ],
    asked: Parallel,
    compute: options.Precise,
    output: options.Output,
    encoder: Encoders = ["bundled"],  # noqa: B006
    out: Annotated[Path | None, OUT] = None,
    overwrite: OverwriteOut = False,
) -> None:
    """Measure how much of the language each layer shows, and how well translations are found."""
    files = [parse_language_file(value) for value in text]
    _check_inputs(files, [], encoder)
    if out is not None:
        refuse_place(out, text, encoder, overwrite=overwrite, makes="folder")
    parallel = read_parallel(files)
    check_sentences(parallel, asked)
    measured = []
    for name in encoder:
        model = Encoder.load(name, encoder_half=True, **vars(compute))
        measured.append(measure_neutrality(model, parallel, options=asked))
    result = NeutralityResult(measured, options=asked)
    if out is not None:
        result.write(out, overwrite=overwrite)
        say_written(out)
    print_result(result, (result.layers, result.shown_languages), as_json=output.as_json)


@app.command()
def report(
    folders: Annotated[
        list[Path],
        typer.Argument(help="Folders that the other verbs wrote with --out.", metavar="FOLDER…"),
    ],
    out: Annotated[Path, typer.Option(help="HTML file to make.")],
    overwrite: options.Overwrite = False,
) -> None:
    """Write one HTML file of what was measured: charts, tables, and what they show, in words."""
    write_probe_report(folders, out, overwrite=overwrite)
    typer.echo(f"isogloss: report → {out}", err=True)


def _check_inputs(
    texts: list[LanguageFile], files: list[LanguageFile], encoders: list[str]
) -> None:
    if not texts and not files:
        raise InputError("nothing to measure on; give --text LANG=FILE, or --vectors LANG=FILE")
    if encoders and not texts:
        raise InputError("--encoder needs text to encode; give --text LANG=FILE")
    n_piped = sum(file.path == STANDARD_INPUT for file in texts)
    if n_piped:
        standard_input()  # says that it is closed
    if n_piped > 1:
        raise InputError("standard input can be read once; give one --text LANG=-")
    refuse_twice(encoders, "--encoder")
    _refuse_repeated(texts, files)


def _static_words(made: GeometryFiles, reads: list[object]) -> StaticWords | None:
    """Return what writes static vectors, None where none are asked for; check both places."""
    out, static = made.out, made.static
    if static is not None and out is not None:
        refuse_inside(out, static=static)
    if out is not None:
        refuse_place(out, *reads, overwrite=made.overwrite, makes="folder")
    if static is None:
        return None
    refuse_read(static, places_read(reads), option="--static")
    return StaticWords(static, layer=made.static_layer, overwrite=made.overwrite)


def _refuse_repeated(texts: list[LanguageFile], files: list[LanguageFile]) -> None:
    """Refuse what would have the same name in the tables."""
    for lang, n in Counter(one.lang for one in texts).items():
        if n > 1:
            raise InputError(f"--text: language {lang} is given twice; give one file for each")
    for (name, lang), n in Counter((one.path.name, one.lang) for one in files).items():
        if n > 1:
            raise InputError(
                f"--vectors: two files in {lang} are called '{name}', which stands for them in the "
                "tables; rename one, or leave it out"
            )
