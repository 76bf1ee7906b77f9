"""``isogloss kb``: build a knowledge base, look into it, link texts to it."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.kb_info import print_info
from isogloss.cli.languages import checked_language, languages_of, say_languages
from isogloss.cli.places import refuse_inside
from isogloss.cli.texts import read_text_blocks
from isogloss.cores import MAX_THREADS
from isogloss.data.documents import Documents
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.kb import KnowledgeBase, LinkedTexts, Mention, build_knowledge_base
from isogloss.kb.build.wikidata_source import MIN_SITELINKS
from isogloss.kb.build.wikipedia_options import ALL_LINKS_COUNT, WikipediaOptions, checked_code
from isogloss.kb.link.linker import Linker, languages_to_link, say_missing_names
from isogloss.limits import LARGEST_COUNT
from isogloss.text.languages import country_hint, parse_language
from isogloss.wiki.counting import Counting

app = typer.Typer(help="Knowledge bases: entities, their names, and texts linked to them.",
                  no_args_is_help=True)  # fmt: skip

KbPath = Annotated[Path, typer.Argument(help="Directory of the knowledge base.", metavar="KB")]


@app.command()
def build(
    context: typer.Context,
    source: Annotated[
        list[str],
        typer.Option(
            help="'cldr', names:FILE, wikidata:DUMP or wikipedia:LANG=DUMP; may be repeated.",
            metavar="SOURCE",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Directory to make.")],
    langs: Annotated[
        str | None, typer.Option(help="Languages to keep, as en,ja,sw; all by default.")
    ] = None,
    keywords: Annotated[
        bool, typer.Option("--keywords", help="Take the sources' keywords as weaker names.")
    ] = False,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Count bad lines of names files and go on.")
    ] = False,
    min_sitelinks: Annotated[
        int,
        typer.Option(
            min=0,
            max=LARGEST_COUNT,
            help="Of Wikidata: fewest Wikipedias with an article on an item.",
        ),
    ] = MIN_SITELINKS,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_THREADS,
            help="Processes that read a dump; as many as cores by default.",
        ),
    ] = None,
    page_props: Annotated[
        list[str] | None,
        typer.Option(
            help="SQL table of a wiki: Wikidata items, disambiguation pages.", metavar="LANG=FILE"
        ),
    ] = None,
    page: Annotated[
        list[str] | None,
        typer.Option(help="SQL table of a wiki: titles that the dump lacks.", metavar="LANG=FILE"),
    ] = None,
    redirect: Annotated[
        list[str] | None,
        typer.Option(
            help="SQL table of a wiki: where redirects among --page lead.", metavar="LANG=FILE"
        ),
    ] = None,
    langlinks: Annotated[
        list[str] | None,
        typer.Option(help="SQL table of a wiki: pages in other languages.", metavar="LANG=FILE"),
    ] = None,
    sitelinks: Annotated[
        Path | None,
        typer.Option(
            help="Of Wikidata: the SQL table wb_items_per_site, for all wikis.", metavar="FILE"
        ),
    ] = None,
    work: Annotated[
        Path | None,
        typer.Option(
            help="Folder to keep the parts of Wikipedia dumps in; else removed at the end.",
            metavar="DIR",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, max=LARGEST_COUNT, help="Of Wikipedia: read the first pages only, as a trial."
        ),
    ] = None,
    min_link_count: Annotated[
        int,
        typer.Option(
            min=1,
            max=LARGEST_COUNT,
            help="Of Wikipedia: fewest links that make an entity a meaning of a name.",
        ),
    ] = 1,
    keep_disambiguations: Annotated[
        bool, typer.Option("--keep-disambiguations", help="Let disambiguation pages be entities.")
    ] = False,
    keep_red_links: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=LARGEST_COUNT,
            help="Of Wikipedia: let titles without a page be entities that so many links lead to.",
        ),
    ] = None,
    counting: Annotated[
        Counting, typer.Option(help="Of Wikipedia: how names, entities and links are counted.")
    ] = "isogloss",
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Build a knowledge base from one or several sources."""
    chosen = None if langs is None else [parse_language(code) for code in langs.split(",") if code]
    if chosen is not None and not chosen:
        raise InputError("--langs names no language; give codes as en,ja,sw")
    _refuse_unheeded(context, source, counting)
    refuse_inside(out, work=work)
    report = build_knowledge_base(
        source,
        out,
        langs=chosen,
        keywords=keywords,
        skip_bad=skip_bad,
        min_sitelinks=min_sitelinks,
        wikipedia=WikipediaOptions(
            work=work,
            page_props=_tables(page_props, "--page-props"),
            page=_tables(page, "--page"),
            redirect=_tables(redirect, "--redirect"),
            langlinks=_tables(langlinks, "--langlinks"),
            sitelinks=sitelinks,
            limit=limit,
            min_link_count=min_link_count,
            keep_disambiguations=keep_disambiguations,
            keep_red_links=keep_red_links,
            counting=counting,
        ),
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
def link(
    kb: KbPath,
    file: options.InputFile = "-",
    lang: options.LangOfTexts = None,
    lang_column: options.LangColumn = None,
    pivot: Annotated[
        str | None, typer.Option(help="Keep only entities that this language names.")
    ] = None,
    fallback_lang: options.FallbackLang = None,
    min_link_prob: options.MinLinkProb = 0.01,
    min_commonness: options.MinCommonness = 0.05,
    nested: options.Nested = False,
    no_inflection: Annotated[
        bool,
        typer.Option("--no-inflection", help="Leave names with an ending or particle unfound."),
    ] = False,
    text: options.TextColumns = None,
    quoting: options.Quoting = "auto",
    strict: options.Strict = False,
) -> None:
    """Link the names in texts to entities; one JSON object a text on standard output."""
    opened = KnowledgeBase.open(kb)
    pivot = None if pivot is None else _pivot_of(opened, pivot)
    format = options.file_format(text, None, quoting, lang_column)
    fallback = checked_language(fallback_lang)
    blocks = read_text_blocks(file, format=format, command=f"kb link {kb}")
    linkers: dict[str | None, Linker | None] = {}
    langs: list[str | None] = []
    is_linked: list[bool] = []
    n_dropped = 0
    for documents in blocks:
        of_block = languages_of(documents, lang)
        new = [code for code in dict.fromkeys(of_block) if code not in linkers]
        pairs = {code: languages_to_link(code, fallback) for code in new}
        say_missing_names(opened, [pair for pair in pairs.values() if pair is not None])
        for code, pair in pairs.items():
            linkers[code] = None if pair is None else Linker(
                opened, pair[0], fallback_lang=pair[1], pivot=pivot, min_link_prob=min_link_prob,
                min_commonness=min_commonness, nested=nested, inflection=not no_inflection,
                is_quiet=True,
            )  # fmt: skip
        linked, n_left_out = _linked(documents, of_block, linkers)
        _print_links(documents, of_block, linked, first=len(langs))
        langs += of_block
        is_linked += [bool(mentions) for mentions in linked]
        n_dropped += n_left_out
    say_languages(langs, {"linked": is_linked})
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
            unknown = counted(len(rows), "text")
            warn_omitted(f"nothing is linked in {unknown} of unknown language")
            continue
        found: LinkedTexts = linker.link([documents.texts[row] for row in rows])
        for position, row in enumerate(rows):
            linked[row] = found.mentions(position)
        n_dropped += found.n_dropped
    return linked, n_dropped


def _refuse_unheeded(context: typer.Context, sources: list[str], counting: Counting) -> None:
    """Refuse options that no source heeds; with other values than usual the build does so too."""
    from isogloss.kb.build.source_checks import (
        FOR_WIKIDATA,
        FOR_WIKIPEDIAS,
        OF_WIKIPEDIAS,
        files_of,
    )

    files_of(sources)  # a misspelt source is the fault to tell
    kinds = {source.partition(":")[0] for source in sources}
    if "wikipedia" not in kinds:
        options.refuse_given(context, *OF_WIKIPEDIAS, why=FOR_WIKIPEDIAS)
    if "wikidata" not in kinds:
        options.refuse_given(context, "min_sitelinks", why=FOR_WIKIDATA)
    if counting == "wikipedia2vec":
        options.refuse_given(context, "min_link_count", why=ALL_LINKS_COUNT)


def _tables(listed: list[str] | None, option: str) -> dict[str, Path]:
    """Return code of a wiki → file of options like ``ja=FILE``."""
    found: dict[str, Path] = {}
    for one in listed or []:
        code, equals, file = one.partition("=")
        if not equals or not file:
            raise InputError(f"{option} is '{one}'; write it as ja=FILE")
        if checked_code(code) in found:
            raise InputError(f"{option} names '{code}' twice")
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
