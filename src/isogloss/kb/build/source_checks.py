"""Look at the sources and options of a build for what would fail after hours, and refuse it first.

Nothing is read but the heads of files, and no folder is made.
"""

from collections.abc import Sequence
from pathlib import Path

from isogloss.data.lines import STANDARD_INPUT, open_lines, standard_input
from isogloss.errors import InputError, did_you_mean
from isogloss.kb.build.gathered import LanguageChoice
from isogloss.kb.build.wikidata_source import MIN_SITELINKS
from isogloss.kb.build.wikipedia_options import (
    FOR_WIKIDATA,
    FOR_WIKIPEDIAS,
    WikipediaOptions,
    checked_code,
)
from isogloss.kb.build.wikipedia_source import dump_of
from isogloss.limits import check_count
from isogloss.storage.files import refuse_read, resolved
from isogloss.wiki.dump.other_wiki import warn_of_other_wiki
from isogloss.wiki.dump.reader import Dump
from isogloss.wiki.sql.reader import database_of
from isogloss.wiki.sql.tables import check_table
from isogloss.wiki.wikidata.columns import wikipedia_of

_KINDS = ("cldr", "names:FILE", "wikidata:DUMP", "wikipedia:LANG=DUMP")
_TABLES = ("page_props", "page", "redirect", "langlinks")
# Options that say nothing without a Wikipedia; of the tables, each names its wiki.
OF_WIKIPEDIAS = (
    "work", "limit", "min_link_count", "keep_disambiguations", "keep_red_links", "counting",
    "sitelinks",
)  # fmt: skip


def check_sources(
    sources: Sequence[str],
    out: Path,
    options: WikipediaOptions,
    choose: LanguageChoice,
    *,
    min_sitelinks: int = MIN_SITELINKS,
) -> None:
    """Refuse what cannot be built; takes what `build_knowledge_base` does.

    Raises
    ------
    InputError
        When a source is unknown, given twice, missing or unreadable at its head, an option is of no
        use, names a wiki that is no source or a file of another kind, or folders are in each
        other's way.
    """
    check_count("min_sitelinks", min_sitelinks, least=0)
    files = files_of(sources)
    dumps = {source: found for source in sources if (found := dump_of(source)) is not None}
    refuse_read(out, [*files.values(), *_tables(options)])
    _check_twice(files, dumps)
    _check_options(options, min_sitelinks, sources, dumps)
    _check_work(options.work, out)
    for source, file in files.items():
        _check_file(source, file)
    _check_languages(dumps, choose)
    _check_tables(options, [code for code, _ in dumps.values()])
    for code, dump in dumps.values():
        if dump != STANDARD_INPUT and dump.is_file():
            with Dump(dump, language=code) as opened:
                warn_of_other_wiki(dump, code, opened.site.name)


def files_of(sources: Sequence[str]) -> dict[str, Path]:
    """Return the file of each source that is read from one; refuse unknown and equal sources."""
    found: dict[str, Path] = {}
    for source in sources:
        kind, _, place = source.partition(":")
        dump = dump_of(source)
        if dump is not None:
            found[source] = dump[1]
        elif kind in ("names", "wikidata") and place:
            found[source] = Path(place)
        elif source != "cldr":
            raise InputError(f"no source '{source}'; {did_you_mean(source, _KINDS)}")
        if sources.count(source) > 1:
            raise InputError(f"the source '{source}' is given twice; leave one out")
    return found


def _tables(options: WikipediaOptions) -> list[Path]:
    given = [file for name in _TABLES for file in getattr(options, name).values()]
    return given if options.sitelinks is None else [*given, options.sitelinks]


def _check_twice(files: dict[str, Path], dumps: dict[str, tuple[str, Path]]) -> None:
    """Refuse what two sources read: one file as the same kind, one wiki, standard input."""
    piped = [source for source, file in files.items() if file == STANDARD_INPUT]
    if len(piped) > 1:
        raise InputError(
            f"standard input can be read once, but {' and '.join(piped)} are given; name a file"
        )
    seen: dict[tuple[str, Path], str] = {}
    for source, file in files.items():
        kind = f"wikipedia {dumps[source][0]}" if source in dumps else source.partition(":")[0]
        before = seen.setdefault((kind, resolved(file)), source)
        if before != source:
            raise InputError(f"the sources '{before}' and '{source}' are the same; leave one out")
    codes = [code for code, _ in dumps.values()]
    for code in codes:
        if codes.count(code) > 1:
            raise InputError(
                f"two dumps of the Wikipedia '{code}'; put them together: cat a.bz2 b.bz2 > all.bz2"
            )


def _check_options(
    options: WikipediaOptions,
    min_sitelinks: int,
    sources: Sequence[str],
    dumps: dict[str, tuple[str, Path]],
) -> None:
    """Refuse options that no source given heeds."""
    without = WikipediaOptions()
    for name in OF_WIKIPEDIAS:
        if not dumps and getattr(options, name) != getattr(without, name):
            raise InputError(f"{_option(name)} {FOR_WIKIPEDIAS}")
    if min_sitelinks != MIN_SITELINKS and not any(one.startswith("wikidata:") for one in sources):
        raise InputError(f"--min-sitelinks {FOR_WIKIDATA}")


def _check_work(work: Path | None, out: Path) -> None:
    if work is None:
        return
    if work.exists() and not work.is_dir():
        raise InputError("is a file; --work takes a folder", path=work)
    if resolved(out) in (resolved(work), *resolved(work).parents):
        raise InputError("is --out or in it; give --work a folder of its own", path=work)


def _check_file(source: str, file: Path) -> None:
    """Refuse a source whose file is missing, or a folder."""
    if file == STANDARD_INPUT:
        standard_input()  # says that it is closed
        return
    if source.startswith("names:"):
        if not file.exists() or file.is_dir():
            next(open_lines(file), None)  # says what is near
        return
    advice = "a dump of pages-articles"
    if source.startswith("wikidata:"):
        advice = "a JSON dump of Wikidata"
    if file.is_dir():
        raise InputError(f"is a folder; give {advice}", path=file)
    if not file.exists():
        raise InputError(f"no such file; give {advice}", path=file)


def _check_languages(dumps: dict[str, tuple[str, Path]], choose: LanguageChoice) -> None:
    for source, (code, _) in dumps.items():
        tag = wikipedia_of(f"{code.replace('-', '_')}wiki")[1]
        if tag is None:
            raise InputError(f"the Wikipedia '{code}' has no language code; leave it out")
        if choose(tag) is None:
            raise InputError(f"--langs leaves out '{tag}', the language of {source}")


def _check_tables(options: WikipediaOptions, codes: Sequence[str]) -> None:
    listed = [
        (name, code, file) for name in _TABLES for code, file in getattr(options, name).items()
    ]
    for name, code, file in listed:
        option = _option(name)
        if checked_code(code) not in codes:
            raise InputError(f"{option} is of '{code}', but no source is wikipedia:{code}=…")
        _check_is_file(file, f"{option} takes LANG=FILE")
    for code in options.redirect:
        if code not in options.page:
            raise InputError(f"--redirect {code}=… is of use with --page {code}=… alone")
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
