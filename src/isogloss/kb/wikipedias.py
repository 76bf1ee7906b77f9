"""All Wikipedias of a build: counted first, then gathered in their turn, joined at the end."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from isogloss.arrays import Ints1d
from isogloss.errors import InputError, LossWarning, warn_loss
from isogloss.kb.names import Gathered
from isogloss.kb.wikipedia_ids import (
    LanguageLinks,
    items_of,
    links_of_table,
    links_of_texts,
    pairs_of_wikidata,
)
from isogloss.kb.wikipedia_options import WikipediaOptions, hidden_folder
from isogloss.kb.wikipedia_source import (
    Wiki,
    WikipediaReport,
    count_wiki,
    dump_of,
    gather_wiki,
)
from isogloss.progress import logger
from isogloss.wiki.other_wiki import warn_of_other_wiki


class Wikipedias:
    """The dumps among the sources of a knowledge base.

    Parameters
    ----------
    sources
        All sources, as `check_sources` lets them pass; others than ``"wikipedia:ja=DUMP"`` are
        passed over.
    out
        The knowledge base; without `options.work` the work folder is beside it.
    workers
        Processes; None: as many as there are cores.

    Raises
    ------
    InputError
        When a dump or table cannot be read, or is of no use.
    """

    def __init__(
        self,
        sources: Sequence[str],
        out: Path,
        options: WikipediaOptions,
        *,
        workers: int | None = None,
    ) -> None:
        self._options, self._workers = options, workers
        self._is_temporary = options.work is None
        self.work = options.work or hidden_folder(out)
        found = {source: dump_of(source) for source in dict.fromkeys(sources)}
        self._dumps = {source: dump for source, dump in found.items() if dump is not None}
        self._wikis: dict[str, Wiki] = {}
        try:
            for source, (code, dump) in self._dumps.items():
                wiki = count_wiki(code, dump, self.work, options, workers=workers)
                if not dump.is_file():  # a pipe; `check_sources` has looked at the files
                    warn_of_other_wiki(dump, code, wiki.extraction.site.name)
                self._wikis[source] = wiki
        except (InputError, LossWarning):  # the latter under --strict
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
                if not found[wiki.code]:
                    warn_loss(f"{table}: it has a link of no page of {wiki.site}")
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
