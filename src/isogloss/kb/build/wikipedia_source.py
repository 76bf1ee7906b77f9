"""Wikipedias as a source: the names in links and titles, with their counts, from dumps.

Each wiki goes through stages, every one a file in the work folder, so that a run that was stopped
goes on: its dump is extracted (`wiki.dump.parts`), titles are resolved, links counted, names
looked for in texts. Then the entities get their ids (`wikipedia_ids`) and go to `Gathered`.
"""

import shutil
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.errors import InputError, counted
from isogloss.kb.build.gathered import Gathered, LanguageNames, SourceReport
from isogloss.kb.build.occurrences import write_occurrences
from isogloss.kb.build.source import Source
from isogloss.kb.build.wikipedia_options import WikipediaOptions
from isogloss.progress import logger
from isogloss.storage.array_file import Arrays, atomic_part, map_arrays, strings_at, taken
from isogloss.storage.files import damage_in_one_sentence, read_json, write_json
from isogloss.storage.string_index import index_strings
from isogloss.storage.work_folder import facts_of_file
from isogloss.text.folding import TURKIC
from isogloss.wiki.counts.counts import read_counts, write_counts
from isogloss.wiki.counts.targets import frequent_targets, write_targets
from isogloss.wiki.counts.titles import read_titles, write_titles
from isogloss.wiki.dump.parts import Extraction, extract_dump
from isogloss.wiki.sql.tables import PageProperties, read_page_properties
from isogloss.workers import n_cores, scratch_of

LICENCE = "CC BY-SA 4.0 (Wikipedia)"
_FIELDS = ("pages", "redirects", "disambiguations", "entities", "names")  # of `WikipediaReport`
VERSION = 5  # of how titles, links and texts are counted; the parts have one of their own
# Links to a page of the dump: by what became of them, as `isogloss.wiki.counts.counts` calls it.
_FATES_OF_FOUND = (
    "counted",
    "without a name",
    "with a text too long",
    "to disambiguations and broken redirects",
)
_STAGES = ("targets.bin", "titles.bin", "links.bin", "texts.bin")


@dataclass
class WikipediaReport(SourceReport):
    """What a Wikipedia gave: pages of the main namespace, the redirects among them, and so on.

    `dropped` is the sum of all that could not be read; `counts` has the reasons, and what was left
    out on purpose.
    """

    pages: int = 0
    redirects: int = 0
    disambiguations: int = 0
    entities: int = 0
    names: int = 0
    dropped: int = 0


@dataclass
class Wiki:
    """A Wikipedia whose dump has been counted.

    Parameters
    ----------
    code
        Of the Wikipedia; `tag` is the language of its names.
    titles, links, texts
        Arrays of `write_titles`, `write_counts`, `write_occurrences`.
    properties
        Of its ``page_props``, if that was given.
    """

    code: str
    tag: str
    dump: Path
    extraction: Extraction
    titles: Arrays
    links: Arrays
    texts: Arrays
    counts: Counter[str]
    properties: PageProperties | None
    ids: list[int] = field(default_factory=list)  # of `Gathered`, by title; -1: no entity

    @property
    def site(self) -> str:
        """Name of its database, such as ``"zh_yuewiki"``."""
        return f"{self.code.replace('-', '_')}wiki"

    @cached_property
    def is_entity(self) -> Any:
        """Whether each title is an entity, which it or others lead to."""
        entity = self.titles["entity"]
        found = np.zeros(entity.size, bool)
        found[entity[entity >= 0]] = True
        return found

    def title_strings(self, rows: Ints1d) -> list[str]:
        """Return some titles."""
        return strings_at(self.titles["titles"], self.titles["title_offsets"], rows)


def count_wiki(
    source: Source, work: Path, options: WikipediaOptions, *, workers: int | None = None
) -> Wiki:
    """Bring a dump through all stages, or what is missing of them.

    Raises
    ------
    InputError
        When a file cannot be read, a stage finds nothing that the next could work on, or another
        version of isogloss counted in the folder that ``options.work`` names.
    """
    code, dump, tag = source.code, source.path, source.lang
    workers = workers or n_cores()
    extraction = extract_dump(
        dump, work / code, code=code, workers=workers, limit=options.limit,
        keeps_others=options.work is not None,
    )  # fmt: skip
    _check_pages(dump, extraction)
    folder = work / code
    _forget_other_options(folder, code, options)
    properties = None
    if code in options.page_props:
        pages = np.concatenate([part["page_id"] for part in extraction.arrays()])
        properties = read_page_properties(options.page_props[code], pages)
    targets, titles, links, texts = (folder / name for name in _STAGES)
    if options.keep_red_links is not None:
        write_targets(extraction, targets, workers=workers)
    if not titles.exists():
        _write_titles(extraction, titles, options, properties)
    found = write_counts(
        extraction, titles, links, workers=workers, min_link_count=options.min_link_count
    )
    logger.info("%s: %s", dump, _told(found, "links counted", "names", "pairs"))
    _say_red_links(dump, found, options)
    turkic = tag.partition("-")[0] in TURKIC
    write_occurrences(extraction, titles, links, texts, turkic=turkic, workers=workers)
    table, counts = read_titles(titles)
    run, of_links = read_counts(links)
    in_texts, facts = map_arrays(texts)
    counts = counts + extraction.counts + of_links + Counter(facts["counts"])
    for name in ("pages", "redirects", "disambiguations"):  # both have them: the table's are final
        counts[name] = read_titles(titles)[1][name]
    return Wiki(code, tag, dump, extraction, table, run, in_texts, counts, properties)


def gather_wiki(wiki: Wiki, gathered: Gathered, items: Ints1d) -> WikipediaReport:
    """Add the names of a wiki; its titles come first, with what stands in brackets.

    Parameters
    ----------
    items
        Number of the Wikidata item of each title, -1 where none is known.
    """
    entities = np.flatnonzero(wiki.is_entity)
    named = wiki.title_strings(entities)
    wiki.ids = [-1] * wiki.is_entity.size
    for row, title, item in zip(entities.tolist(), named, items[entities].tolist(), strict=True):
        wiki.ids[row] = gathered.entity(f"Q{item}" if item >= 0 else page_id(wiki.code, title))
    told = wiki.counts + wiki.extraction.dropped
    report = WikipediaReport(
        f"wikipedia:{wiki.code}={wiki.dump.name}", LICENCE,
        counts={name: n for name, n in sorted(told.items()) if name not in _FIELDS},
        pages=wiki.counts["pages"], redirects=wiki.counts["redirects"],
        disambiguations=wiki.counts["disambiguations"], entities=entities.size,
        names=wiki.links["hash"].size, dropped=wiki.extraction.dropped.total(),
    )  # fmt: skip
    report.n_entities = entities.size
    columns = gathered.language(wiki.tag)
    if columns is None:
        return report
    n_before = len(columns.names)
    _add_names(wiki, columns, entities)
    n_link, n_text = wiki.texts["n_link"], wiki.texts["n_text"]
    found = np.flatnonzero(n_text)
    names = taken(wiki.links["names"], wiki.links["name_offsets"], found)
    columns.prob_names.extend_packed(*names)
    columns.link_prob.extend(np.minimum(n_link[found] / n_text[found], 1.0).tolist())
    report.n_names = len(columns.names) - n_before
    gathered.choose.note(wiki.tag, report.n_names)
    return report


def _add_names(wiki: Wiki, columns: LanguageNames, entities: Ints1d) -> None:
    """Add the titles, then what else is a name of an entity, each with its count of links."""
    ids = np.array(wiki.ids, np.int64)
    names, offsets = wiki.links["names"], wiki.links["name_offsets"]
    titles, title_offsets = taken(wiki.titles["titles"], wiki.titles["title_offsets"], entities)
    both = np.concatenate([names, titles])
    _, first = index_strings(both, np.append(offsets, title_offsets[1:] + offsets[-1]))
    owner = np.repeat(np.arange(offsets.size - 1), np.diff(wiki.links["pair_offsets"]))
    linked, n_links = wiki.links["entity"], wiki.links["n_links"]
    title = np.asarray(np.searchsorted(entities, linked))
    is_title = first[owner] == first[offsets.size - 1 + title]
    count = np.where(n_links > 0, n_links, np.nan)
    of_title = np.full(entities.size, np.nan)
    of_title[title[is_title]] = count[is_title]
    columns.extend_packed(titles, title_offsets, ids[entities], of_title)
    more = ~is_title
    columns.extend_packed(*taken(names, offsets, owner[more]), ids[linked[more]], count[more])


def page_id(code: str, title: str) -> str:
    """Return the id of a page that is known by its title alone.

    Examples
    --------
    >>> page_id("ja", "ニューヨーク (曖昧さ回避)")
    'wikipedia:ja:ニューヨーク_(曖昧さ回避)'
    """
    return f"wikipedia:{code}:{'_'.join(title.split())}"


def _check_pages(dump: Path, extraction: Extraction) -> None:
    """Stop where nothing can come of it."""
    counts = extraction.counts
    told = _told(counts, "pages", "redirects", "links", "pages of other namespaces")
    logger.info("%s: %s", dump, told)
    if not counts["pages"] - counts["redirects"]:
        raise InputError(
            f"has no page with a text in its main namespace ({told}); give the dump pages-articles",
            path=dump,
        )
    if not counts["links"]:
        raise InputError(f"has no link in any page ({told}); is it a dump of stubs?", path=dump)


def _write_titles(
    extraction: Extraction,
    path: Path,
    options: WikipediaOptions,
    properties: PageProperties | None,
) -> None:
    red_links = None
    if options.keep_red_links is not None:
        targets = map_arrays(path.with_name("targets.bin"))[0]
        red_links = frequent_targets(targets, options.keep_red_links)
    counts = write_titles(
        extraction,
        path,
        disambiguations=None if properties is None else properties.disambiguations,
        keep_disambiguations=options.keep_disambiguations,
        red_links=red_links,
    )
    logger.info("%s", _told(counts, "entities", "disambiguations", "redirects to no page"))
    if not counts["entities"]:
        path.unlink()
        raise InputError(
            f"none of {counted(counts['pages'], 'page')} is an entity: all are redirects or "
            "disambiguation pages; look at --page-props, or add --keep-disambiguations",
            path=path.parent,
        )


def _forget_other_options(folder: Path, code: str, options: WikipediaOptions) -> None:
    """Remove the stages that were made with other options; the parts serve any.

    Those of another version are refused in a folder that was asked for, and removed in ours.
    """
    file = options.page_props.get(code)
    wanted = {
        "version": VERSION, "page_props": facts_of_file(file) if file and file.exists() else None,
        "min_link_count": options.min_link_count,
        "keep_disambiguations": options.keep_disambiguations,
        "keep_red_links": options.keep_red_links,
    }  # fmt: skip
    about = folder / "counts.json"
    before = (
        read_json(about, what="a work folder", advice="remove it")
        if about.exists()
        else {"version": VERSION}
    )
    if before == wanted:
        return
    with damage_in_one_sentence(about, advice="remove it"):
        is_of_us = before.get("version") == VERSION
    if not is_of_us and options.work is not None:
        raise InputError(
            "is of counts of another version of isogloss; remove it to count anew, or give another "
            "--work",
            path=about,
        )
    if not is_of_us:
        logger.info("%s: counts anew, since another version of isogloss made it", folder)
    for name in _STAGES:
        (folder / name).unlink(missing_ok=True)
        shutil.rmtree(scratch_of(folder / name), ignore_errors=True)
    with atomic_part(about) as temporary:
        write_json(temporary, wanted)


def _say_red_links(dump: Path, found: Counter[str], options: WikipediaOptions) -> None:
    """Say it where most links within the wiki lead to no page, as in a part of a dump."""
    n_red = found["links to no page"]
    n_links = n_red + sum(found[f"links {fate}"] for fate in _FATES_OF_FOUND)
    if 2 * n_red > n_links and options.keep_red_links is None:
        logger.info(
            "%s: %s of %s within the wiki lead to no page of the dump, and are left out; "
            "--keep-red-links N lets titles be entities that N links lead to",
            dump, f"{n_red:,}", counted(n_links, "link"),
        )  # fmt: skip


def _told(counts: Counter[str], *names: str) -> str:
    return ", ".join(f"{counts[name]:,} {name}" for name in names)
