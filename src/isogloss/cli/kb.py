"""``isogloss kb``: build a knowledge base, look into it, link texts to it."""

import json
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.groups import Fields, Given, OnlyWith, count, grouped
from isogloss.cli.kb_info import print_info
from isogloss.cli.languages import LanguageCounts, checked_language
from isogloss.cli.parts import (
    PartsOptions,
    found_parts,
    job_of,
    make_parts,
    texts_settings,
)
from isogloss.cli.places import places_read, refuse_inside
from isogloss.cores import MAX_THREADS
from isogloss.data.documents import Documents
from isogloss.data.row_languages import check_language
from isogloss.errors import InputError, counted, refuse_twice
from isogloss.kb import KnowledgeBase, Mention, build_knowledge_base
from isogloss.kb.build.wikidata_source import MIN_SITELINKS
from isogloss.kb.build.wikipedia_options import (
    FOR_WIKIDATA,
    FOR_WIKIPEDIAS,
    WikipediaOptions,
    checked_code,
)
from isogloss.kb.link.parts import UNKNOWN, LinkCounts, LinkOptions
from isogloss.kb.link.rows import mention_record
from isogloss.parts.finding import is_many
from isogloss.parts.folder import refuse_folder
from isogloss.parts.footer import RunFacts
from isogloss.parts.summary import summary_document
from isogloss.storage.files import refuse_read
from isogloss.text.languages import country_hint, parse_language
from isogloss.totals import told_with_totals

app = typer.Typer(help="Knowledge bases: entities, their names, and texts linked to them.",
                  no_args_is_help=True)  # fmt: skip

KbPath = Annotated[Path, typer.Argument(help="Directory of the knowledge base.", metavar="KB")]


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What is taken from the sources."""

    langs: Annotated[
        str | None, typer.Option(help="Languages to keep, as en,ja,sw (default: all).")
    ] = None
    keywords: Annotated[
        bool, typer.Option("--keywords", help="Take the sources' keywords as weaker names.")
    ] = False
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Skip and count bad lines of names files."),
        OnlyWith("@names", why="is for names files; add --source names:FILE"),
    ] = False
    min_sitelinks: Annotated[
        int,
        count("Minimum number of Wikipedias with an article on an item of Wikidata.", least=0),
        OnlyWith("@wikidata", why=FOR_WIKIDATA),
    ] = MIN_SITELINKS

    def languages(self) -> list[str] | None:
        """Return the codes of the languages to keep; None: all."""
        if self.langs is None:
            return None
        chosen = [parse_language(code) for code in options.listed(self.langs, "--langs")]
        refuse_twice(chosen, "--langs: the language")
        if not chosen:
            raise InputError("--langs names no language; give codes as en,ja,sw")
        return chosen


@dataclass(frozen=True, kw_only=True)
class Tables:
    """SQL tables of wikis."""

    page_props: Annotated[
        list[str] | None,
        typer.Option(
            help="SQL table of a wiki: Wikidata items, disambiguation pages.", metavar="LANG=FILE"
        ),
    ] = None
    langlinks: Annotated[
        list[str] | None,
        typer.Option(help="SQL table of a wiki: pages in other languages.", metavar="LANG=FILE"),
    ] = None

    def files(self) -> dict[str, Any]:
        """Return name of a table → code of a wiki → file."""
        options = (
            (name, f"--{name.replace('_', '-')}", files) for name, files in vars(self).items()
        )
        return {name: _tables(files, option) for name, option, files in options}


Wikipedias = Annotated[
    WikipediaOptions,
    OnlyWith("@wikipedia", why=FOR_WIKIPEDIAS),
    Fields(
        sitelinks=typer.Option(
            help="SQL table wb_items_per_site of Wikidata, for all wikis.", metavar="FILE"
        ),
        work=typer.Option(
            help="Folder that keeps the parts of Wikipedia dumps (default: removed at the end).",
            metavar="DIR",
        ),
        limit=count("Number of pages of a Wikipedia to read, for a trial."),
        min_link_count=count("Minimum number of links that make an entity a meaning of a name."),
        keep_disambiguations=typer.Option(
            "--keep-disambiguations", help="Let disambiguation pages be entities."
        ),
        keep_red_links=count(
            "Minimum number of links to a title without a page that make it an entity (default: "
            "none are)."
        ),
    ),
]


@app.command()
@grouped
def build(
    given: Given,
    source: Annotated[
        list[str],
        typer.Option(
            help="'cldr', names:FILE, wikidata:DUMP or wikipedia:LANG=DUMP; may be repeated.",
            metavar="SOURCE",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Directory to make.")],
    kept: Kept,
    tables: Tables,
    wikipedias: Wikipedias,
    workers: Annotated[
        int | None,
        count("Number of processes that read a dump (default: one per core).", most=MAX_THREADS),
    ] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Build a knowledge base from one or several sources."""
    from isogloss.kb.build.source import parse_sources

    kinds = {one.kind for one in parse_sources(source)}  # a misspelt one is the fault to tell
    given.refuse_useless({f"@{kind}": kind in kinds for kind in ("wikipedia", "wikidata", "names")})
    refuse_inside(out, work=wikipedias.work)
    report = build_knowledge_base(
        source,
        out,
        langs=kept.languages(),
        keywords=kept.keywords,
        skip_bad=kept.skip_bad,
        min_sitelinks=kept.min_sitelinks,
        wikipedia=replace(wikipedias, **tables.files()),
        workers=workers,
        overwrite=overwrite,
    )
    for made in report.sources:
        names = counted(made.n_names, "name")
        entities = counted(made.n_entities, "entity", "entities")
        bad = f", {counted(made.n_bad_lines, 'bad line')} skipped" if made.n_bad_lines else ""
        typer.echo(f"isogloss: {made.name}: {names} of {entities}{bad}", err=True)
    entities = counted(report.n_entities, "entity", "entities")
    names = counted(report.n_names, "name")
    langs_made = counted(len(report.languages), "language")
    typer.echo(f"isogloss: {entities}, {names} in {langs_made} → {out}", err=True)


@app.command()
def info(
    kb: KbPath,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read every byte and compare the checksums.")
    ] = False,
    as_json: options.AsJson = False,
) -> None:
    """Say what is in a knowledge base."""
    opened = KnowledgeBase.open(kb)
    if verify:
        opened.verify()
        typer.echo(f"isogloss: {kb}: every file has the checksum it was written with", err=True)
    facts = opened.info()
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_info(facts)


@app.command()
@grouped
def link(
    given: Given,
    kb: KbPath,
    texts: options.TextsInLanguages,
    kept: options.Linking,
    parts: PartsOptions,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Of a folder or glob of parts: folder of a Parquet part for each, with the "
            "columns lang and mentions."
        ),
        OnlyWith(
            "@parts", why="is for a folder or a glob of parts; of one file, keep what is printed"
        ),
    ] = None,
    pivot: Annotated[
        str | None, typer.Option(help="Language that must name an entity for it to be kept.")
    ] = None,
    fallback_lang: options.FallbackLang = None,
    no_inflection: Annotated[
        bool, typer.Option("--no-inflection", help="Do not find names with an ending or particle.")
    ] = False,
    strict: options.Strict = False,
) -> None:
    """Link the names in texts to entities; one JSON object a text on standard output.

    FILE may be a folder or a glob of parts, 'in/*.parquet': each becomes a part of --out.
    """
    if out is not None:
        refuse_read(out, places_read([kb, texts.file]))
        refuse_folder(out)
    given.refuse_useless({"@parts": is_many(texts.file)})
    opened = KnowledgeBase.open(kb)
    asked = LinkOptions(
        kb=str(kb), pivot=None if pivot is None else _pivot_of(opened, pivot),
        fallback_lang=checked_language(fallback_lang), inflection=not no_inflection, **vars(kept),
    )  # fmt: skip
    if is_many(texts.file):
        _link_parts(opened, asked, texts, parts, out, is_strict=strict)
        return
    linker = asked.linker(opened)
    counts = LanguageCounts()
    n_rows = n_dropped = 0
    with told_with_totals():
        for documents in texts.blocks(f"kb link {kb}"):
            langs = texts.languages_of(documents).langs
            linked = linker.link(documents.texts, langs)
            _print_links(documents, langs, linked.mentions, first=n_rows)
            counts.add(langs, linked=[bool(mentions) for mentions in linked.mentions])
            n_rows += len(langs)
            n_dropped += linked.n_dropped
    counts.say()
    _say_dropped(n_dropped, asked.pivot)


def _link_parts(
    opened: KnowledgeBase, asked: LinkOptions, texts: options.TextsInLanguages,
    parts: PartsOptions, out: Path | None, *, is_strict: bool,
) -> None:  # fmt: skip
    """Make a part with links for each part."""
    executor = parts.made_by()
    found = found_parts(texts, out, opened.path)
    assert out is not None
    check_language(texts.lang, has_column=texts.lang_column is not None, is_needed=True)
    run = RunFacts(
        "kb link", opened.path.resolve().name, opened.fingerprint[:16],
        texts_settings(texts, parts) | asked.settings,
    )  # fmt: skip
    job = job_of("isogloss.kb.link.parts", asked, run, texts, parts, found=found,
                 made_by=executor, is_strict=is_strict,
                 summary_of=partial(summary_document, counts=LinkCounts))  # fmt: skip
    report = make_parts(job, found, out, parts, executor)
    counts = LanguageCounts()
    for lang, of_lang in report.counts.get("languages", {}).items():
        known = None if lang == UNKNOWN else lang
        counts.add_counts(known, of_lang["n"], linked=of_lang["linked"])
    counts.say()
    _say_dropped(report.counts.get("n_dropped", 0), asked.pivot)
    report.refuse_failures(out)


def _say_dropped(n: int, pivot: str | None) -> None:
    if n:
        left_out = counted(n, "entity", "entities")
        typer.echo(f"isogloss: {left_out} left out that '{pivot}' does not name", err=True)


def _tables(listed: list[str] | None, option: str) -> dict[str, Path]:
    """Return code of a wiki → file of options like ``ja=FILE``."""
    found: dict[str, Path] = {}
    for one in listed or []:
        code, equals, file = one.partition("=")
        if not equals or not file:
            raise InputError(f"{option} is '{one}'; write it as ja=FILE")
        refuse_twice([*found, checked_code(code)], f"{option}: the wiki")
        found[checked_code(code)] = Path(file)
    return found


def _pivot_of(kb: KnowledgeBase, value: str) -> str:
    """Return the code of a language that has names; without any, all would be left out."""
    pivot = parse_language(value)
    if kb.language_of(pivot) is None:
        raise InputError(
            f"--pivot is '{value}', a language without names in the knowledge base {kb.path}; "
            f"give one of {', '.join(kb.languages)}"
            + (f"; {hint}" if (hint := country_hint(pivot)) else "")
        )
    return pivot


def _print_links(
    documents: Documents, langs: list[str | None], linked: list[list[Mention]], *, first: int
) -> None:
    for row, mentions in enumerate(linked):
        line: dict[str, Any] = {"row": first + row, "lang": langs[row]}
        if documents.ids is not None:
            line["id"] = documents.ids[row]
        line["mentions"] = [mention_record(mention) for mention in mentions]
        typer.echo(json.dumps(line, ensure_ascii=False))
