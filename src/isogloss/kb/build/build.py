"""Build a knowledge base: gather from the sources, merge entities, write the directory."""

import shutil
import unicodedata
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isogloss.arrays import Ints1d, offsets_of
from isogloss.cores import check_threads
from isogloss.errors import InputError, warn_omitted
from isogloss.kb.build.cldr import gather_cldr
from isogloss.kb.build.compile_names import KEYWORD_FACTOR, compile_language
from isogloss.kb.build.gathered import Gathered, LanguageChoice, SourceReport
from isogloss.kb.build.names_file import gather_names_file
from isogloss.kb.build.wikidata_source import MIN_SITELINKS, gather_wikidata, work_folder
from isogloss.kb.build.wikipedia_options import WikipediaOptions, hidden_folder
from isogloss.kb.stored.write import pack_strings, write_arrays, write_manifest
from isogloss.progress import progress
from isogloss.storage.files import atomic_directory, locked, refuse_existing
from isogloss.storage.work_folder import kept_folders_said
from isogloss.text.languages import country_hint, fallbacks

if TYPE_CHECKING:
    from isogloss.kb.build.source import Source
    from isogloss.kb.build.wikipedias import Wikipedias

NORMALISATION = {
    "composition": "NFC",
    "case": "simple folding; Turkish and Azerbaijani with dotless i; capitals of a name required",
    "left_out": "Arabic vowel signs and tatweel, Hebrew points, invisible characters",
    "unicode": unicodedata.unidata_version,
    "keyword_factor": KEYWORD_FACTOR,
}


@dataclass(frozen=True)
class BuildReport:
    """What was built.

    Attributes
    ----------
    path
        The knowledge base.
    n_entities, n_names
        Entities after merging, and names over all languages.
    languages
        Language → counts, as `compile_language` returns them.
    sources
        What each source gave, bad lines included.
    fallbacks
        Language tags whose names went under another language.
    """

    path: Path
    n_entities: int
    n_names: int
    languages: dict[str, dict[str, int]]
    sources: list[SourceReport]
    fallbacks: dict[str, dict[str, str | int]]


def build_knowledge_base(
    sources: Sequence[str],
    out: Path,
    *,
    langs: Sequence[str] | None = None,
    skip_bad: bool = False,
    keywords: bool = False,
    min_sitelinks: int = MIN_SITELINKS,
    wikipedia: WikipediaOptions | None = None,
    workers: int | None = None,
    overwrite: bool = False,
) -> BuildReport:
    """Build a knowledge base from sources, which merge by id and `same_as`.

    Parameters
    ----------
    sources
        ``"cldr"``, ``"names:FILE"``, ``"wikidata:DUMP"`` or ``"wikipedia:ja=DUMP"``, in the order
        in which their names become titles.
    out
        The directory to make; it appears whole or not at all.
    langs
        Languages to keep; ``None`` keeps all.
    skip_bad
        Count bad lines of names files instead of refusing them.
    keywords
        Take keywords as names too, at half their commonness.
    min_sitelinks
        Of Wikidata: leave out items with an article in fewer Wikipedias; 0 keeps all.
    wikipedia
        How dumps of Wikipedias are read.
    workers
        Processes that read a dump; ``None``: as many as there are cores.
    overwrite
        Replace `out` if it exists.

    Raises
    ------
    InputError
        An unknown source or language, a fault in a file, nothing to keep, or `out` in the way.
    """
    from isogloss.kb.build.source import of_kind, parse_sources
    from isogloss.kb.build.source_checks import check_sources
    from isogloss.kb.build.wikipedias import Wikipedias

    out = Path(out)
    check_threads(workers, "workers")
    refuse_existing(out, overwrite=overwrite, makes="folder")
    parsed = parse_sources(sources)
    choose = LanguageChoice(langs)
    of_wikis = wikipedia or WikipediaOptions()
    check_sources(parsed, out, of_wikis, choose, min_sitelinks=min_sitelinks)
    parts = [work_folder(out, source) for source in of_kind(parsed, "wikidata")]
    gathered = Gathered(choose)
    has_dumps = bool(of_kind(parsed, "wikipedia"))
    work = of_wikis.work or hidden_folder(out)
    hidden = [] if of_wikis.work or not has_dumps else [work]
    with ExitStack() as held:
        if has_dumps:
            held.enter_context(locked(work))
        for folder in parts:
            held.enter_context(locked(folder, option="--out"))
        held.enter_context(kept_folders_said([*hidden, *parts]))
        wikis = Wikipedias(parsed, out, of_wikis, workers=workers)
        wikis.count()
        options = _Options(out, keywords, skip_bad, min_sitelinks, workers, wikis)
        reports = [_gather(source, gathered, options) for source in parsed]
        wikis.join(gathered, parts)
        _check_languages(gathered)
        merged = _merged(gathered)
        wikis.say_unjoined(gathered, merged.entity_of, parts)
        with atomic_directory(out, overwrite=overwrite) as folder:
            report = _write(folder, out, gathered, merged, reports)
        for folder in parts:
            shutil.rmtree(folder, ignore_errors=True)
        wikis.clean()
    return report


class _Options(NamedTuple):
    """What the sources are read with."""

    out: Path
    keywords: bool
    skip_bad: bool
    min_sitelinks: int
    workers: int | None
    wikis: "Wikipedias"


def _gather(source: "Source", gathered: Gathered, options: _Options) -> SourceReport:
    if source.kind == "cldr":
        return gather_cldr(gathered)
    if source.kind == "names":
        return gather_names_file(
            source.path, gathered, keywords=options.keywords, skip_bad=options.skip_bad
        )
    if source.kind == "wikidata":
        return gather_wikidata(
            source.path,
            gathered,
            work_folder(options.out, source),
            min_sitelinks=options.min_sitelinks,
            workers=options.workers,
        )
    return options.wikis.gather(source, gathered)


def _check_languages(gathered: Gathered) -> None:
    """Refuse a build without names; warn of the languages wanted in which no source has any."""
    named = {language for language, held in gathered.languages.items() if held.names}
    if not named:
        raise InputError("no source has names in the languages wanted; nothing to build")
    wanted = dict.fromkeys(gathered.choose.wanted or ())
    missing = [lang for lang in wanted if named.isdisjoint(fallbacks(lang))]
    if missing:
        warn_omitted(
            f"no source has names in {', '.join(missing)}, of --langs; leave out such languages, "
            "or give a source of their names"
            + "".join(f"; {hint}" for lang in missing if (hint := country_hint(lang)))
        )


def _write(
    folder: Path,
    out: Path,
    gathered: Gathered,
    merged: "_Merged",
    reports: list[SourceReport],
) -> BuildReport:
    ids, aliases, entity_of = merged
    choose = gathered.choose
    popularity = np.full(len(ids), np.nan)
    for number, value in gathered.popularity.items():
        at = entity_of[number]
        if at >= 0:
            popularity[at] = np.fmax(popularity[at], value)
    entities = _entity_arrays(ids, aliases, _merged_types(gathered, entity_of))
    files: dict[str, Any] = {"entities.bin": write_arrays(folder, "entities.bin", entities)}
    languages: dict[str, dict[str, int]] = {}
    with progress("writing names", len(gathered.languages), "languages") as advance:
        for language in sorted(gathered.languages):
            if gathered.languages[language].names:
                arrays, counts = compile_language(  # its names live no longer than they are needed
                    language, gathered.languages.pop(language), entity_of, popularity
                )
                name = f"languages/{language}.bin"
                files[name] = write_arrays(folder, name, arrays)
                languages[language] = counts
            advance(1)
    report = BuildReport(
        path=out,
        n_entities=len(ids),
        n_names=sum(counts["n_names"] for counts in languages.values()),
        languages=languages,
        sources=reports,
        fallbacks={tag: choose.applied[tag] for tag in sorted(choose.applied)},
    )
    write_manifest(
        folder,
        {
            "n_entities": report.n_entities,
            "normalisation": NORMALISATION,
            "languages": languages,
            "sources": [asdict(source) for source in reports],
            "fallbacks": report.fallbacks,
            "files": files,
        },
    )
    return report


class _Merged(NamedTuple):
    """Entities after merging: ids, aliases, and number in `Gathered` → place (-1: no name)."""

    ids: list[str]
    aliases: list[tuple[str, int]]
    entity_of: Ints1d


def _merged(gathered: Gathered) -> _Merged:
    """Join entities by `same_as`."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    numbered = list(gathered.index)
    pairs = np.array(gathered.same_as, np.int64).reshape(-1, 2)
    joined = coo_matrix((np.ones(len(pairs), bool), pairs.T), shape=(len(numbered), len(numbered)))
    group_of = connected_components(joined, directed=False)[1].tolist() if numbered else []
    named = {group_of[n] for names in gathered.languages.values() for n in set(names.entity)}
    best: dict[int, int] = {}
    for number, entity_id in enumerate(numbered):
        group = group_of[number]
        if group not in named:  # its names are all in languages that are not wanted
            continue
        held = best.setdefault(group, number)
        if _source_rank(entity_id) < _source_rank(numbered[held]):
            best[group] = number
    ids = sorted(numbered[number] for number in best.values())
    position = {entity_id: i for i, entity_id in enumerate(ids)}
    groups = [best.get(group) for group in group_of]
    index = [-1 if held is None else position[numbered[held]] for held in groups]
    aliases = sorted(
        (entity_id, at)
        for entity_id, at in zip(numbered, index, strict=True)
        if at >= 0 and entity_id != ids[at]
    )
    return _Merged(ids, aliases, np.array(index, np.int64))


def _source_rank(entity_id: str) -> int:
    if entity_id[:1] == "Q" and entity_id[1:].isdigit():
        return 0
    return 1 if entity_id.startswith("cldr:") else 2


def _merged_types(gathered: Gathered, entity_of: Ints1d) -> dict[int, list[str]]:
    merged: dict[int, list[str]] = {}
    for number in sorted(gathered.types):
        types = merged.setdefault(int(entity_of[number]), [])
        types.extend(kind for kind in gathered.types[number] if kind not in types)
    return merged


def _entity_arrays(
    ids: list[str], aliases: list[tuple[str, int]], types: dict[int, list[str]]
) -> dict[str, Any]:
    kinds = sorted({kind for listed in types.values() for kind in listed})
    number = {kind: i for i, kind in enumerate(kinds)}
    listed = [types.get(i, ()) for i in range(len(ids))]
    id_bytes, id_offsets = pack_strings(ids)
    alias_bytes, alias_offsets = pack_strings([alias for alias, _ in aliases])
    kind_bytes, kind_offsets = pack_strings(kinds)
    return {
        "id_bytes": id_bytes,
        "id_offsets": id_offsets,
        "alias_bytes": alias_bytes,
        "alias_offsets": alias_offsets,
        "alias_entity": np.array([at for _, at in aliases], np.int32),
        "type_bytes": kind_bytes,
        "type_name_offsets": kind_offsets,
        "type_offsets": offsets_of([len(item) for item in listed]),
        "type_number": np.array([number[kind] for item in listed for kind in item], np.int32),
    }
