"""``isogloss probe``: what the papers measure about an encoder."""

import json
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.cli import options
from isogloss.cli.output import console
from isogloss.cli.places import places_read, refuse_place
from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.lines import STANDARD_INPUT, standard_input
from isogloss.data.parallel import read_parallel
from isogloss.encode import Encoder
from isogloss.encode.words.tokens_of_words import WordUnits
from isogloss.errors import InputError
from isogloss.limits import LARGEST_COUNT
from isogloss.probe.geometry.files import write_geometry
from isogloss.probe.geometry.measure import measure_geometry, measure_vectors
from isogloss.probe.geometry.result import GeometryOptions, GeometryResult, Measured
from isogloss.probe.geometry.static_words import StaticWords
from isogloss.probe.geometry.vector_file import read_layer_vectors
from isogloss.probe.neutrality.files import write_neutrality
from isogloss.probe.neutrality.measure import check_sentences, measure_neutrality
from isogloss.probe.neutrality.result import NeutralityOptions, NeutralityResult
from isogloss.probe.report.page import write_probe_report
from isogloss.report.table import Table
from isogloss.storage.files import refuse_read, resolved
from isogloss.text.languages import LanguageFile, parse_language_file

app = typer.Typer(help="What an encoder is like, layer by layer.", no_args_is_help=True)


@app.command()
def geometry(
    context: typer.Context,
    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Texts, one sentence each (column 'text' of a table); may be repeated.",
            metavar="LANG=FILE",
        ),
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            help="'bundled', a directory, or a name on the Hugging Face hub; may be repeated; "
            "'bundled' if no --vectors are given."
        ),
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            help="Vectors of words by layer that another program made, safetensors; may be "
            "repeated.",
            metavar="LANG=FILE",
        ),
    ] = None,
    unit: Annotated[
        Literal["word", "token"], typer.Option(help="Words, or the encoder's own tokens.")
    ] = "word",
    min_contexts: Annotated[
        int,
        typer.Option(
            min=2, max=LARGEST_COUNT, help="Least number of different sentences of a word."
        ),
    ] = 5,
    max_words: Annotated[
        int, typer.Option(min=1, max=LARGEST_COUNT, help="Most words, drawn at random.")
    ] = 1000,
    max_contexts: Annotated[
        int,
        typer.Option(
            min=2, max=LARGEST_COUNT, help="Most occurrences of a word for explained variance."
        ),
    ] = 50,
    random_words: Annotated[
        int, typer.Option(min=2, max=LARGEST_COUNT, help="Most random words, for the baselines.")
    ] = 2000,
    static: Annotated[
        Path | None, typer.Option(help="Write static vectors of the words to this file.")
    ] = None,
    static_layer: Annotated[
        int, typer.Option(min=0, max=LARGEST_COUNT, help="Layer of the static vectors.")
    ] = 1,
    out: Annotated[
        Path | None, typer.Option(help="Folder to make: all tables, and curves over the layers.")
    ] = None,
    device: options.Device = "auto",
    dtype: options.DType = "float32",
    threads: options.Threads = None,
    seed: options.Seed = 0,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what --out and --static name.")
    ] = False,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
) -> None:
    """Measure how context-specific words are in each layer, and how alike random words are."""
    texts = [parse_language_file(value) for value in text or []]
    files = [parse_language_file(value) for value in vectors or []]
    encoders = encoder or (["bundled"] if texts else [])
    _check_inputs(texts, files, encoders)
    if static is not None and len(texts) * len(encoders) + len(files) != 1:
        raise InputError("--static is of one encoder and one language; give one of each")
    if static is None:
        options.refuse_given(context, "static_layer", why="is for --static; give that too")
        if out is None:
            options.refuse_given(
                context, "overwrite", why="is for --out and --static; give one of them too"
            )
    if not texts:
        options.refuse_given(
            context, "unit", "device", "dtype", "threads",
            why="is for texts that are encoded; give --text LANG=FILE",
        )  # fmt: skip
    if static is not None and out is not None:
        _refuse_static_in(out, static)
    if out is not None:
        refuse_place(out, text, vectors, encoders, overwrite=overwrite, makes="folder")
    if static is not None:
        refuse_read(static, places_read([text, vectors, encoders]), option="--static")
    made = None if static is None else StaticWords(static, layer=static_layer, overwrite=overwrite)
    drawn = GeometryOptions(
        min_contexts=min_contexts, max_words=max_words, max_contexts=max_contexts,
        n_random=random_words, seed=seed,
    )  # fmt: skip
    measured = [
        measure_vectors(
            read_layer_vectors(file.path), name=file.path.name, lang=file.lang, options=drawn,
            static=made,
        )
        for file in files
    ]  # fmt: skip
    documents = [
        (file.lang, read_documents(file.path, format=FileFormat(), needs_label=False).texts)
        for file in texts
    ]
    if documents and unit == "word":
        WordUnits(documents[0][0])  # says that its package is missing before a model is loaded
    for name in encoders:
        model = Encoder.load(
            name, device=device, dtype=dtype, threads=threads, pooling="mean", encoder_half=True
        )
        measured += [
            measure_geometry(model, some, lang=lang, unit=unit, options=drawn, static=made)
            for lang, some in documents
        ]
    _give(GeometryResult(measured, options=drawn), measured, made, out, overwrite, as_json)


@app.command()
def neutrality(
    context: typer.Context,
    text: Annotated[
        list[str],
        typer.Option(
            help="Parallel text: line i of all files is the same sentence (column 'text' of a "
            "table); two or more.",
            metavar="LANG=FILE",
        ),
    ],
    encoder: Annotated[
        list[str],
        typer.Option(
            help="'bundled', a directory, or a name on the Hugging Face hub; may be repeated."
        ),
    ] = ["bundled"],  # noqa: B006
    max_sentences: Annotated[
        int,
        typer.Option(
            min=8, max=LARGEST_COUNT, help="Most sentences of a language, drawn at random."
        ),
    ] = 2000,
    neighbours: Annotated[
        int, typer.Option(min=1, max=LARGEST_COUNT, help="Neighbours that CSLS and hubness count.")
    ] = 10,
    all_pairs: Annotated[
        bool,
        typer.Option(
            "--all-pairs", help="Retrieval in all pairs, not only with the first language."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="Folder to make: all tables, and curves over the layers.")
    ] = None,
    device: options.Device = "auto",
    dtype: options.DType = "float32",
    threads: options.Threads = None,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    as_json: options.AsJson = False,
    strict: options.Strict = False,
) -> None:
    """Measure how much of the language each layer shows, and how well translations are found."""
    files = [parse_language_file(value) for value in text]
    _check_inputs(files, [], encoder)
    if out is None:
        options.refuse_given(context, "overwrite", why="is for --out; give that too")
    else:
        refuse_place(out, text, encoder, overwrite=overwrite, makes="folder")
    asked = NeutralityOptions(
        max_sentences=max_sentences, n_neighbours=neighbours, all_pairs=all_pairs, seed=seed
    )
    parallel = read_parallel(files)
    check_sentences(parallel, asked)
    measured = []
    for name in encoder:
        model = Encoder.load(name, device=device, dtype=dtype, threads=threads, encoder_half=True)
        measured.append(measure_neutrality(model, parallel, options=asked))
    result = NeutralityResult(measured, options=asked)
    if out is not None:
        write_neutrality(result, out, overwrite=overwrite)
        _say_written(out)
    _print(result, (result.layers, result.shown_languages), as_json)


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
    for name, values in (("--text", [(one.lang, one.path) for one in texts]),
                         ("--vectors", [(one.lang, one.path) for one in files]),
                         ("--encoder", encoders)):  # fmt: skip
        if len(set(values)) < len(values):
            raise InputError(f"{name} gives the same twice; leave one out")
    _refuse_repeated(texts, files)


def _refuse_static_in(out: Path, static: Path) -> None:
    """Refuse a file in the folder that is made, which would take it away."""
    if resolved(out) in (resolved(static), *resolved(static).parents):
        raise InputError("is --out or in it; give --static another place", path=static)


def _refuse_repeated(texts: list[LanguageFile], files: list[LanguageFile]) -> None:
    """Refuse what would have the same name in the tables."""
    langs = [one.lang for one in texts]
    for lang in langs:
        if langs.count(lang) > 1:
            raise InputError(f"--text: language {lang} is given twice; give one file for each")
    names = [(one.path.name, one.lang) for one in files]
    for name, lang in names:
        if names.count((name, lang)) > 1:
            raise InputError(
                f"--vectors: two files in {lang} are called '{name}', which stands for them in the "
                "tables; rename one"
            )


def _give(
    result: GeometryResult, measured: list[Measured], made: StaticWords | None, out: Path | None,
    overwrite: bool, as_json: bool,
) -> None:  # fmt: skip
    with nullcontext() if made is None else made.written() as vectors:
        if out is not None:
            write_geometry(result, out, overwrite=overwrite)
            _say_written(out)
    if made is not None:
        typer.echo(f"isogloss: {vectors!r} → {made.path}", err=True)
    _print(result, (result.layers, result.isotropy, result.extremes, result.claims), as_json)


def _say_written(out: Path) -> None:
    typer.echo(f"isogloss: tables and curves → {out}", err=True)


def _print(
    result: GeometryResult | NeutralityResult, tables: Sequence[Table], as_json: bool
) -> None:
    if as_json:
        typer.echo(json.dumps(result.to_json(), ensure_ascii=False, indent=2, allow_nan=False))
        return
    for note in result.notes:
        typer.echo(f"isogloss: {note}", err=True)
    for table in tables:
        table.render(console())
