"""``isogloss kb``: build a knowledge base, look into it, link texts to it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.groups import Fields, Given, OnlyWith, count, grouped
from isogloss.cli.kb_info import print_info
from isogloss.cli.languages import LanguageCounts, checked_language
from isogloss.cli.places import refuse_inside
from isogloss.cores import MAX_THREADS
from isogloss.data.documents import Documents
from isogloss.errors import InputError, counted, refuse_twice
from isogloss.kb import KnowledgeBase, LinkedTexts, Mention, build_knowledge_base
from isogloss.kb.build.wikidata_source import MIN_SITELINKS
from isogloss.kb.build.wikipedia_options import (
    FOR_WIKIDATA,
    FOR_WIKIPEDIAS,
    WikipediaOptions,
    checked_code,
)
from isogloss.kb.link.linker import Linker, languages_to_link, say_missing_names
from isogloss.text.languages import country_hint, parse_language
from isogloss.totals import tell, told_with_totals

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
    kb: KbPath,
    texts: options.TextsInLanguages,
    kept: options.Linking,
    pivot: Annotated[
        str | None, typer.Option(help="Language that must name an entity for it to be kept.")
    ] = None,
    fallback_lang: options.FallbackLang = None,
    no_inflection: Annotated[
        bool, typer.Option("--no-inflection", help="Do not find names with an ending or particle.")
    ] = False,
    strict: options.Strict = False,
) -> None:
    """Link the names in texts to entities; one JSON object a text on standard output."""
    opened = KnowledgeBase.open(kb)
    pivot = None if pivot is None else _pivot_of(opened, pivot)
    fallback = checked_language(fallback_lang)
    linkers: dict[str | None, Linker | None] = {}
    counts = LanguageCounts()
    n_rows = n_dropped = 0
    with told_with_totals():
        for documents in texts.blocks(f"kb link {kb}"):
            langs = texts.languages_of(documents).langs
            pairs = {code: languages_to_link(code, fallback) for code in dict.fromkeys(langs)}
            say_missing_names(opened, [pair for pair in pairs.values() if pair is not None])
            for code in pairs.keys() - linkers:
                pair = pairs[code]
                linkers[code] = None if pair is None else Linker(
                    opened, pair[0], fallback_lang=pair[1], pivot=pivot, is_quiet=True,
                    inflection=not no_inflection, **vars(kept),
                )  # fmt: skip
            linked, n_left_out = _linked(documents, langs, linkers)
            _print_links(documents, langs, linked, first=n_rows)
            counts.add(langs, linked=[bool(mentions) for mentions in linked])
            n_rows += len(langs)
            n_dropped += n_left_out
    counts.say()
    if n_dropped:
        left_out = counted(n_dropped, "entity", "entities")
        typer.echo(f"isogloss: {left_out} left out that '{pivot}' does not name", err=True)


def _linked(
    documents: Documents, langs: list[str | None], linkers: Mapping[str | None, Linker | None]
) -> tuple[list[list[Mention]], int]:
    """Return the mentions of each text, and how many entities the pivot left out."""
    linked: list[list[Mention]] = [[] for _ in documents.texts]
    n_dropped = 0
    for code in dict.fromkeys(langs):
        rows = [row for row, known in enumerate(langs) if known == code]
        linker = linkers[code]
        if linker is None:
            tell(_nothing_linked, len(rows))
            continue
        found: LinkedTexts = linker.link([documents.texts[row] for row in rows])
        for position, row in enumerate(rows):
            linked[row] = found.mentions(position)
        n_dropped += found.n_dropped
    return linked, n_dropped


def _nothing_linked(n_texts: int) -> str:
    return f"nothing is linked in {counted(n_texts, 'text')} of unknown language"


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
        line["mentions"] = [_as_json(mention) for mention in mentions]
        typer.echo(json.dumps(line, ensure_ascii=False))


def _as_json(mention: Mention) -> dict[str, Any]:
    return {
        "start": mention.start,
        "end": mention.end,
        "surface": mention.surface,
        "lang": mention.lang,
        "candidates": [
            {
                "id": candidate.entity,
                "title": candidate.title,
                "link_prob": round(candidate.link_probability, 6),
                "commonness": round(candidate.commonness, 6),
            }
            for candidate in mention.candidates
        ],
    }
