"""``isogloss vectors``: train vectors of words and entities, look into them, evaluate them."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from isogloss.cli import options
from isogloss.cli.groups import Fields, OnlyWith, count, grouped
from isogloss.cli.output import console
from isogloss.cli.places import places_read, refuse_inside
from isogloss.cores import MAX_THREADS
from isogloss.errors import InputError, counted
from isogloss.kb import KnowledgeBase
from isogloss.report.table import Table
from isogloss.text.languages import parse_language
from isogloss.vectors.corpus.dump_corpus import DumpReading
from isogloss.vectors.for_knowledge_base import with_ids
from isogloss.vectors.formats.files import VectorFormat, read_vectors, refuse_place, write_vectors
from isogloss.vectors.on_dump import train_on_dump
from isogloss.vectors.training.training import VectorTraining
from isogloss.vectors.vocabulary import Found, Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors

app = typer.Typer(help="Vectors of words and entities.", no_args_is_help=True)

VectorFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE", help="Vectors: of isogloss, or text or binary of wikipedia2vec or word2vec."
    ),
]


_OF_NAMES = OnlyWith("kb", why="is for names of a knowledge base; give --kb too")


Training = Annotated[
    VectorTraining,
    Fields(
        width=count("Number of dimensions.", "--dim-size"),
        window=count("Maximum number of words left and right of the centre."),
        epochs=count("Number of epochs."),
        negatives=count("Number of negative samples per pair.", "--negative"),
        sample=typer.Option(min=0.0, help="Subsampling threshold for frequent words; 0: none."),
        word_neg_power=typer.Option(
            min=0.0, help="Exponent of word counts in the draw of negative samples."
        ),
        entity_neg_power=typer.Option(
            min=0.0, help="Exponent of entity counts in that draw; 0: uniform."
        ),
        learning_rate=typer.Option(min=0.0, help="Initial learning rate."),
        min_learning_rate=typer.Option(min=0.0, help="Minimum learning rate."),
        entities_per_page=count("Number of entities whose links are learned beside each page."),
        link_graph=typer.Option(
            "--link-graph/--no-link-graph", help="Learn links between entities."
        ),
        shared_negatives=typer.Option(
            "--shared-negatives", help="Share negative samples among the words of a window: faster."
        ),
    ),
]
Reading = Annotated[
    DumpReading,
    Fields(
        lowercase=typer.Option("--lowercase/--no-lowercase", help="Convert words to lower case."),
        min_word_count=count("Minimum number of occurrences of a word."),
        min_entity_count=count("Minimum number of links to an entity."),
        min_paragraph_len=count("Minimum number of words of a section."),
        limit=count("Number of pages to read, for a trial."),
        kb=typer.Option(help="Knowledge base whose names in the text count as links, where sure."),
        min_link_prob=(options.MIN_LINK_PROB, _OF_NAMES),
        min_commonness=(options.MIN_COMMONNESS, _OF_NAMES),
    ),
]


@app.command()
@grouped
def train(
    source: Annotated[
        str, typer.Option(help="Dump of a Wikipedia, as wikipedia:ja=DUMP.", metavar="SOURCE")
    ],
    out: Annotated[Path, typer.Option(help="File to make, in the native form.")],
    training: Training,
    reading: Reading,
    workers: Annotated[
        int | None,
        count(
            "Number of processes that read and threads that train (default: one per core).",
            most=MAX_THREADS,
        ),
    ] = None,
    seed: options.Seed = 0,
    work: Annotated[
        Path | None,
        typer.Option(help="Folder that keeps the stages (default: removed at the end).",
                     metavar="DIR"),
    ] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:  # fmt: skip
    """Train vectors on the dump of a Wikipedia; most defaults are Wikipedia2Vec's."""
    refuse_inside(out, work=work)
    vectors = train_on_dump(
        source, out, reading, training, work=work, workers=workers, seed=seed, overwrite=overwrite
    )
    pairs = f"{vectors.facts['n_pairs']:,} pairs"
    typer.echo(f"isogloss: {vectors!r}, trained on {pairs} → {out}", err=True)


@app.command()
def similar(
    file: VectorFile,
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="A word, ENTITY/Title, a redirect, an id, or a page's address."
        ),
    ],
    k: Annotated[int, count("Maximum number of neighbours.")] = 10,
    kind: Annotated[
        Literal["word", "entity"] | None, typer.Option(help="Kind of neighbours (default: both).")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Print the nearest words and entities by cosine."""
    vectors = read_vectors(file)
    try:
        found = vectors.vocabulary.row(name)
    except InputError as error:
        raise InputError(str(error), path=file) from error
    _say_found(found, vectors.vocabulary)
    rows: list[dict[str, Any]] = [
        asdict(neighbour) for neighbour in vectors.similar(found, k=k, kind=kind)
    ]
    for row in rows:
        row["count"] = row["count"] or None  # not known
    if as_json:
        typer.echo(json.dumps({"name": found.label, "neighbours": rows}, ensure_ascii=False))
    elif rows:
        shown = ("label", "cosine", "count")
        columns = shown if any(row["count"] for row in rows) else shown[:2]
        Table(rows, columns=columns).render(console())


@app.command()
def convert(
    file: VectorFile,
    out: Annotated[Path, typer.Option(help="File to make.")],
    to: Annotated[VectorFormat, typer.Option(help="Form of the file to make.")] = "native",
    kb: Annotated[
        Path | None, typer.Option(help="Knowledge base whose ids entities get; native form only.")
    ] = None,
    lang: Annotated[
        str | None, typer.Option(help="Language of the titles, to look them up in --kb.")
    ] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Write vectors in another form."""
    refuse_place(out, overwrite=overwrite, reads=places_read([file, kb]))
    if kb is not None and to != "native":
        raise InputError(f"--kb gives ids, which --to {to} has no room for; write --to native")
    if lang is not None and kb is None:
        raise InputError("--lang is for titles looked up in a knowledge base; give --kb too")
    opened = None if kb is None else KnowledgeBase.open(kb)
    vectors = read_vectors(file)
    if opened is not None:
        try:
            vectors = _with_ids(vectors, opened, lang)
        except InputError as error:
            raise InputError(str(error), path=file) from error
    write_vectors(vectors, out, to, overwrite=overwrite)
    typer.echo(f"isogloss: {vectors!r} → {out}", err=True)


@app.command()
def evaluate(
    file: VectorFile,
    kore: Annotated[
        Path | None, typer.Option(help="KORE's rankedrelatedentities.txt.", metavar="FILE")
    ] = None,
    wikisim: Annotated[
        Path | None, typer.Option(help="WikiSim-353, seven columns.", metavar="FILE")
    ] = None,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Compare cosines of entities with human judgements: Spearman's correlation."""
    from isogloss.vectors.evaluation import evaluate_kore, evaluate_wikisim

    if kore is None and wikisim is None:
        raise InputError("nothing to compare with; give --kore FILE, --wikisim FILE, or both")
    vectors = read_vectors(file)
    results = []
    if kore is not None:
        results.append(evaluate_kore(vectors, kore, seed=seed))
    if wikisim is not None:
        results.append(evaluate_wikisim(vectors, wikisim, seed=seed))
    table = Table([asdict(result) for result in results])
    if as_json:
        typer.echo(table.to_json(), nl=False)
    else:
        table.render(console())


def _with_ids(vectors: WordEntityVectors, kb: KnowledgeBase, lang: str | None) -> WordEntityVectors:
    own = vectors.facts.get("lang")
    if lang is None and own is None:
        raise InputError("the file does not say the language of its titles; give --lang")
    vectors = with_ids(vectors, kb, [parse_language(lang) if lang else str(own)])
    n_ids = sum(bool(known) for known in vectors.vocabulary.entity_ids or ())
    entities = counted(len(vectors.vocabulary.entities), "entity", "entities")
    typer.echo(f"isogloss: {n_ids:,} of {entities} have an id", err=True)
    return vectors


def _say_found(found: Found, vocabulary: Vocabulary) -> None:
    """Say what was looked up: a word or an entity, and what else has the name."""
    if found.name != found.asked:
        typer.echo(f"isogloss: '{found.asked}' is found as '{found.label}'", err=True)
    elif found.kind == "word" and vocabulary.entities.find(found.name) >= 0:
        typer.echo(f"isogloss: the word; the entity is 'ENTITY/{found.name}'", err=True)
    else:
        typer.echo(f"isogloss: the {found.kind} '{found.label}'", err=True)
