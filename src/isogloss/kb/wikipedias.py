"""All Wikipedias of a build: counted first, then gathered in their turn, joined at the end."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from isogloss.arrays import Ints1d
from isogloss.data.lines import STANDARD_INPUT
from isogloss.errors import InputError
from isogloss.kb.names import Gathered, LanguageChoice
from isogloss.kb.wikipedia_ids import (
    LanguageLinks,
    items_of,
    links_of_table,
    links_of_texts,
    pairs_of_wikidata,
)
from isogloss.kb.wikipedia_options import WikipediaOptions, checked_code
from isogloss.kb.wikipedia_source import (
    Wiki,
    WikipediaReport,
    count_wiki,
    dump_of,
    gather_wiki,
)
from isogloss.progress import logger

_TABLES = ("page_props", "page", "redirect", "langlinks")


class Wikipedias:
    """The dumps among the sources of a knowledge base.

    Parameters
    ----------
    sources
        All sources; others than ``"wikipedia:ja=DUMP"`` are passed over.
    out
        The knowledge base; without `options.work` the work folder is beside it.
    workers
        Processes; None: as many as there are cores.

    Raises
    ------
    InputError
        When an option names a wiki that is no source, a file is missing, or a dump of no use.
    """

    def __init__(
        self,
        sources: Sequence[str],
        out: Path,
        options: WikipediaOptions,
        choose: LanguageChoice,
        *,
        workers: int | None = None,
    ) -> None:
        self._options, self._workers = options, workers
        self._is_temporary = options.work is None
        self.work = options.work or out.parent / f".{out.name}.wikipedia"
        found = {source: dump_of(source) for source in dict.fromkeys(sources)}
        self._dumps = {source: dump for source, dump in found.items() if dump is not None}
        self._check()
        self._wikis: dict[str, Wiki] = {}
        try:
            for source, (code, dump) in self._dumps.items():
                wiki = count_wiki(code, dump, self.work, options, workers=workers)
                if choose(wiki.tag) is None:
                    raise InputError(f"--langs leaves out '{wiki.tag}', the language of {source}")
                self._wikis[source] = wiki
        except InputError:
            if self._is_temporary and not any(self.work.rglob("*.part")):
                self.clean()
            raise
        listed = list(self._wikis.values())
        items = items_of(listed, options.sitelinks) if listed else []
        self._items: dict[str, Ints1d] = dict(zip(self._wikis, items, strict=True))

    def gather(self, source: str, gathered: Gathered) -> WikipediaReport:
        """Add the names of one dump."""
        return gather_wiki(self._wikis[source], gathered, self._items[source])

    def join(self, gathered: Gathered, wikidata: Sequence[Path]) -> None:
        """Join the pages of different wikis that have no Wikidata item in common.

        Parameters
        ----------
        wikidata
            Folders with the parts of Wikidata dumps among the sources.
        """
        wikis = list(self._wikis.values())
        pairs = [pair for folder in wikidata for pair in pairs_of_wikidata(wikis, folder, gathered)]
        found = {}
        for source, wiki in self._wikis.items():
            table = self._options.langlinks.get(wiki.code)
            if table is not None:
                found[wiki.code] = list(links_of_table(wiki, table))
            elif not wikidata and not (self._items[source] >= 0).any():
                found[wiki.code] = list(links_of_texts(wiki))
        if not any(found.values()):
            gathered.same_as.extend(pairs)
            return
        links = LanguageLinks(wikis, gathered)
        links.join_items(pairs)
        for code, listed in found.items():
            links.join(code, listed)
        logger.info(
            "joined %d pages by links between languages; left out %d links that contradict others",
            links.n_joined, links.n_contradictions,
        )  # fmt: skip

    def clean(self) -> None:
        """Remove the work folder, unless it was asked for."""
        if self._is_temporary:
            shutil.rmtree(self.work, ignore_errors=True)

    def _check(self) -> None:
        """Look for what would fail after hours."""
        codes = [code for code, _ in self._dumps.values()]
        for code in codes:
            if codes.count(code) > 1:
                raise InputError(
                    f"two dumps of the Wikipedia '{code}'; put them together: cat a.bz2 b.bz2 > "
                    "all.bz2"
                )
        for _, dump in self._dumps.values():
            if dump != STANDARD_INPUT and (dump.is_dir() or not dump.exists()):
                raise InputError("no such file; give a dump of pages-articles", path=dump)
        options = self._options
        for name in _TABLES:
            for code, file in getattr(options, name).items():
                option = f"--{name.replace('_', '-')}"
                if checked_code(code) not in codes:
                    raise InputError(
                        f"{option} is of '{code}', but no source is wikipedia:{code}=…"
                    )
                if not file.is_file():
                    raise InputError(f"no such file; {option} takes LANG=FILE", path=file)
        for code in options.redirect:
            if code not in options.page:
                raise InputError(f"--redirect {code}=… is of use with --page {code}=… alone")
        if options.sitelinks is not None:
            if not codes:
                raise InputError("--sitelinks is of use with a source wikipedia:LANG=DUMP alone")
            if not options.sitelinks.is_file():
                raise InputError("no such file; give wb_items_per_site", path=options.sitelinks)
