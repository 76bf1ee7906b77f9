"""Look at the sources and options of a build for what would fail after hours, and refuse it first.

Nothing is read but the heads of files, and no folder is made.
"""

from collections.abc import Sequence
from pathlib import Path

from isogloss.data.lines import STANDARD_INPUT, open_lines, standard_input
from isogloss.errors import InputError
from isogloss.kb.build.gathered import LanguageChoice
from isogloss.kb.build.source import Source, of_kind
from isogloss.kb.build.wikidata_source import MIN_SITELINKS
from isogloss.kb.build.wikipedia_options import (
    FOR_WIKIDATA,
    FOR_WIKIPEDIAS,
    WikipediaOptions,
    checked_code,
)
from isogloss.limits import check_count
from isogloss.storage.files import refuse_read, resolved
from isogloss.wiki.dump.other_wiki import warn_of_other_wiki
from isogloss.wiki.dump.reader import Dump
from isogloss.wiki.sql.reader import database_of
from isogloss.wiki.sql.tables import check_table

_TABLES = ("page_props", "langlinks")
# Options that say nothing without a Wikipedia; of the tables, each names its wiki.
OF_WIKIPEDIAS = (
    "work",
    "limit",
    "min_link_count",
    "keep_disambiguations",
    "keep_red_links",
    "sitelinks",
)


def check_sources(
    sources: Sequence[Source],
    out: Path,
    options: WikipediaOptions,
    choose: LanguageChoice,
    *,
    min_sitelinks: int = MIN_SITELINKS,
) -> None:
    """Refuse what cannot be built; takes what `build_knowledge_base` does, sources taken apart.

    Raises
    ------
    InputError
        When a source is missing or unreadable at its head, an option is of no use, names a wiki
        that is no source or a file of another kind, or folders are in each other's way.
    """
    check_count("min_sitelinks", min_sitelinks, least=0)
    with_file = [source for source in sources if source.kind != "cldr"]
    dumps = of_kind(sources, "wikipedia")
    refuse_read(out, [*(source.path for source in with_file), *_tables(options)])
    _check_twice(with_file)
    _check_options(options, min_sitelinks, sources)
    _check_work(options.work, out)
    for source in with_file:
        _check_file(source)
    for dump in dumps:
        if choose(dump.lang) is None:
            raise InputError(f"--langs leaves out '{dump.lang}', the language of {dump.text}")
    _check_tables(options, [dump.code for dump in dumps])
    for dump in dumps:
        if dump.path != STANDARD_INPUT and dump.path.is_file():
            with Dump(dump.path, language=dump.code) as opened:
                warn_of_other_wiki(dump.path, dump.code, opened.site.name)


def _tables(options: WikipediaOptions) -> list[Path]:
    given = [file for name in _TABLES for file in getattr(options, name).values()]
    return given if options.sitelinks is None else [*given, options.sitelinks]


def _check_twice(sources: Sequence[Source]) -> None:
    """Refuse what two sources read: one file as the same kind, one wiki, standard input."""
    piped = [source.text for source in sources if source.path == STANDARD_INPUT]
    if len(piped) > 1:
        raise InputError(
            f"standard input can be read once, but {' and '.join(piped)} are given; name a file"
        )
    seen: dict[tuple[str, str, Path], str] = {}
    for source in sources:
        known_by = (source.kind, source.code, resolved(source.path))
        before = seen.setdefault(known_by, source.text)
        if before != source.text:
            raise InputError(
                f"the sources '{before}' and '{source.text}' are the same; leave one out"
            )
    codes = [source.code for source in of_kind(sources, "wikipedia")]
    for code in codes:
        if codes.count(code) > 1:
            raise InputError(
                f"two dumps of the Wikipedia '{code}'; put them together: cat a.bz2 b.bz2 > all.bz2"
            )


def _check_options(
    options: WikipediaOptions, min_sitelinks: int, sources: Sequence[Source]
) -> None:
    """Refuse options that no source given heeds."""
    without = WikipediaOptions()
    for name in OF_WIKIPEDIAS:
        is_given = getattr(options, name) != getattr(without, name)
        if is_given and not of_kind(sources, "wikipedia"):
            raise InputError(f"{_option(name)} {FOR_WIKIPEDIAS}")
    if min_sitelinks != MIN_SITELINKS and not of_kind(sources, "wikidata"):
        raise InputError(f"--min-sitelinks {FOR_WIKIDATA}")


def _check_work(work: Path | None, out: Path) -> None:
    if work is None:
        return
    if work.exists() and not work.is_dir():
        raise InputError("is a file; --work takes a folder", path=work)
    if resolved(out) in (resolved(work), *resolved(work).parents):
        raise InputError("is --out or in it; give --work a folder of its own", path=work)


def _check_file(source: Source) -> None:
    """Refuse a source whose file is missing, or a folder."""
    file = source.path
    if file == STANDARD_INPUT:
        standard_input()  # says that it is closed
        if source.kind == "names":
            raise InputError(
                "a names file has a name, by which its format is told; give names:FILE"
            )
        return
    if source.kind == "names":
        if not file.exists() or file.is_dir():
            next(open_lines(file), None)  # says what is near
        return
    advice = "a dump of pages-articles"
    if source.kind == "wikidata":
        advice = "a JSON dump of Wikidata"
    if file.is_dir():
        raise InputError(f"is a folder; give {advice}", path=file)
    if not file.exists():
        raise InputError(f"no such file; give {advice}", path=file)


def _check_tables(options: WikipediaOptions, codes: Sequence[str]) -> None:
    listed = [
        (name, code, file) for name in _TABLES for code, file in getattr(options, name).items()
    ]
    for name, code, file in listed:
        option = _option(name)
        if checked_code(code) not in codes:
            raise InputError(f"{option} is of '{code}', but no source is wikipedia:{code}=…")
        _check_is_file(file, f"{option} takes LANG=FILE")
    for name, code, file in listed:
        warn_of_other_wiki(file, code, database_of(file))
        check_table(file, name)
    if options.sitelinks is not None:
        _check_is_file(options.sitelinks, "give wb_items_per_site")
        check_table(options.sitelinks, "wb_items_per_site")


def _check_is_file(file: Path, advice: str) -> None:
    """Refuse a table that is no file; a pipe is none, since tables may be read again."""
    if file == STANDARD_INPUT:
        raise InputError(f"a table is not read from standard input; {advice}")
    if file.is_dir():
        raise InputError(f"is a folder; {advice}", path=file)
    if not file.exists():
        raise InputError(f"no such file; {advice}", path=file)
    if not file.is_file():
        raise InputError(f"is a pipe or device, which can be read once; {advice}", path=file)


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
