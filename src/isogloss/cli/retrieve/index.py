"""``isogloss retrieve index`` and ``retrieve search``: texts found by what a query says."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import OnlyWith, count, grouped
from isogloss.cli.languages import LanguageCounts, refuse_useless_language
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_place, refuse_same_file
from isogloss.data.blocks import read_blocks
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.data.row_languages import row_languages
from isogloss.errors import InputError, counted
from isogloss.limits import LARGEST_COUNT
from isogloss.report.table import Table
from isogloss.retrieve.approximate import require_faiss
from isogloss.retrieve.duplicates import THRESHOLD
from isogloss.retrieve.index_building import TextBlock, build_index
from isogloss.retrieve.text_index import Hit, TextIndex
from isogloss.text.languages import parse_language_file

_FOR_DUPLICATES = OnlyWith("duplicates", why="is for near-duplicates; add --duplicates")
_FOR_QUERIES = OnlyWith(
    "!duplicates", why="is for queries, and --duplicates has none; leave it out"
)


@dataclass(frozen=True, kw_only=True)
class IndexedColumns(options.Columns):
    """Where files hold texts, ids and languages."""

    id: Annotated[
        str | None,
        typer.Option(
            help="Column of the id (default: 'id', 'index_id' or 'sent_id', else the file's name "
            "and line).",
            metavar="NAME",
        ),
    ] = None
    lang: options.LangOfTexts = None
    lang_column: options.LangColumn = None

    def format(self) -> FileFormat:
        """Return the format that the options describe."""
        return replace(super().format(), lang_column=self.lang_column, id=self.id)


@grouped
def index(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Texts: TSV, CSV, JSON Lines, Parquet or plain text; LANG=FILE says the language.",
            metavar="FILE",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder to make: the index.")],
    columns: IndexedColumns,
    encoder: options.EncoderOptions,
    prefix: Annotated[
        str | None,
        typer.Option(help="Prefix prepended to every text (default: the encoder's own)."),
    ] = None,
    faiss: Annotated[
        bool,
        typer.Option(
            "--faiss", help="Make lists of FAISS too, for approximate search in millions of texts."
        ),
    ] = False,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Make an index of texts in any languages, to be searched by what they say."""
    if faiss:
        require_faiss()
    refuse_place(out, files, encoder.encoder, overwrite=overwrite, makes="folder")
    refuse_inside(out, cache=encoder.cache)
    counts = LanguageCounts()
    blocks = _blocks(files, columns, counts)
    first = next(blocks)  # whose faults are said before the encoder is loaded
    model = encoder.load(prefix=prefix, **encoder.reading)
    say_encoder(model)
    made = build_index(chain([first], blocks), out, encoder=model, faiss=faiss, overwrite=overwrite)
    counts.say()
    if made.lists is not None:
        typer.echo(
            f"isogloss: FAISS finds {made.lists.recall:.3f} of the ten nearest of these texts in "
            f"{counted(made.lists.n_probe, 'list')}; without --faiss search is exact",
            err=True,
        )
    typer.echo(f"isogloss: index of {counted(made.n_texts, 'text')} → {out}", err=True)


@dataclass(frozen=True, kw_only=True)
class Queries:
    """What is looked for."""

    query: Annotated[
        str | None,
        typer.Argument(metavar="[QUERY]", help="What to look for, in any language."),
        _FOR_QUERIES,
    ] = None
    queries: Annotated[
        Path | None,
        typer.Option(help="File of queries, in place of QUERY: read as texts are.", metavar="FILE"),
        _FOR_QUERIES,
    ] = None
    k: Annotated[int, count("Number of texts for each query."), _FOR_QUERIES] = 10
    lang: Annotated[
        list[str] | None,
        typer.Option(help="Language of the texts that may be found; may be repeated."),
        _FOR_QUERIES,
    ] = None
    prefix: Annotated[
        str | None,
        typer.Option(help="Prefix prepended to queries (default: that of the index)."),
        _FOR_QUERIES,
    ] = None
    faiss: Annotated[
        bool,
        typer.Option(
            "--faiss",
            help="Search approximately, in the index's lists of FAISS; of an index that you trust.",
        ),
        _FOR_QUERIES,
    ] = False

    def read(self) -> list[str]:
        """Return the queries."""
        if (self.query is None) == (self.queries is None):
            raise InputError(
                "name what to look for: a QUERY or --queries FILE; or add --duplicates"
                if self.query is None
                else "both QUERY and --queries say what to look for; leave one out"
            )
        if self.queries is None:
            found = [self.query or ""]
        else:
            found = read_documents(
                self.queries, format=FileFormat(fixed_by="--queries"), needs_label=False
            ).texts
        if not all(text.strip() for text in found):
            raise InputError("a query is empty; say what to look for", path=self.queries)
        return found


@grouped
def search(
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="Folder of an index.")],
    asked: Queries,
    compute: Annotated[options.Compute, _FOR_QUERIES],
    output: options.Output,
    duplicates: Annotated[
        bool,
        typer.Option(
            "--duplicates", help="Find the same story in different languages, without a query."
        ),
    ] = False,
    threshold: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=LARGEST_COUNT,
            help="Minimum score of a near-duplicate: its cosine over those of both's neighbours.",
        ),
        _FOR_DUPLICATES,
    ] = THRESHOLD,
    same_language: Annotated[
        bool,
        typer.Option("--same-language", help="Find near-duplicates within a language too."),
        _FOR_DUPLICATES,
    ] = False,
    encoder: Annotated[
        str | None,
        typer.Option(help="Encoder of the index, where it is not what the index names."),
        _FOR_QUERIES,
    ] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Compare all files with their checksums first.")
    ] = False,
) -> None:
    """Find the texts of an index that say what a query says, the nearest first."""
    queries = [] if duplicates else asked.read()
    opened = TextIndex.open(index, verified=verify)
    if duplicates:
        found = _stories(opened, threshold, same_language=same_language)
        nothing = f"no pair of texts has a score of {threshold:g} or more, see --threshold"
        _print(found, {"stories": found}, output, caption="near-duplicates", nothing=nothing)
        return
    if asked.faiss:
        _say_recall(opened)
    opened.with_encoder(encoder, device=compute.device, threads=compute.threads)
    hits = opened.search(
        queries, k=asked.k, langs=asked.lang or (), faiss=asked.faiss, prefix=asked.prefix
    )
    document = {
        "results": [
            {"query": query, "hits": [_row(hit) for hit in of_query]}
            for query, of_query in zip(queries, hits, strict=True)
        ]
    }
    several = asked.queries is not None
    rows = [
        ({"query": query} if several else {}) | _row(hit)
        for query, of_query in zip(queries, hits, strict=True)
        for hit in of_query
    ]
    _print(rows, document, output)


def _blocks(
    files: Sequence[str], columns: IndexedColumns, counts: LanguageCounts
) -> Iterator[TextBlock]:
    places = [_place(value) for value in files]
    refuse_same_file([("FILE", path) for path, _ in places])
    n_files = Counter(path.name for path, _ in places)
    if all(lang is not None for _, lang in places):
        refuse_useless_language(columns.lang, columns.lang_column)
    for path, lang in places:
        form = columns.format() if lang is None else replace(columns.format(), lang_column=None)
        for documents in read_blocks(path, format=form):
            langs = row_languages(documents, lang or columns.lang, is_needed=False).langs
            counts.add(langs)
            name = path.name if n_files[path.name] == 1 else str(path)
            yield TextBlock(documents.texts, _ids(documents, name), langs)


def _place(value: str) -> tuple[Path, str | None]:
    """Return the file, and its language where it is said before it."""
    before, equals, _ = value.partition("=")
    is_code = bool(equals) and not set(before) & set("./\\")  # a folder may have = in its name
    if not is_code or Path(value).exists():
        return Path(value), None
    named = parse_language_file(value)
    return named.path, named.lang


def _ids(documents: Documents, file: str) -> list[str]:
    known = documents.ids or [None] * len(documents.texts)
    return [
        f"{file}:{line}" if name is None else name
        for name, line in zip(known, documents.lines, strict=True)
    ]


def _row(hit: Hit) -> dict[str, Any]:
    row = asdict(hit)
    del row["row"]
    return row


def _stories(index: TextIndex, threshold: float, *, same_language: bool) -> list[dict[str, Any]]:
    rows = []
    for pair in index.duplicates(threshold=threshold, same_language=same_language):
        row: dict[str, Any] = {"story": pair.story, "score": pair.score, "cosine": pair.cosine}
        for number, text in enumerate((pair.first, pair.second), 1):
            row |= {f"{name}_{number}": value for name, value in vars(index.shown(text)).items()}
        rows.append(row)
    return rows


def _print(
    rows: list[dict[str, Any]], document: dict[str, Any], output: options.Output, *,
    caption: str = "", nothing: str = "nothing is found",
) -> None:  # fmt: skip
    if output.as_json:
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
    elif rows:
        Table(rows, caption=caption).render(console())
    else:
        typer.echo(f"isogloss: {nothing}", err=True)


def _say_recall(index: TextIndex) -> None:
    lists = index.manifest.lists
    if lists is not None:
        typer.echo(
            f"isogloss: approximate search, which found {lists.recall:.3f} of the ten nearest when "
            "the index was made",
            err=True,
        )
