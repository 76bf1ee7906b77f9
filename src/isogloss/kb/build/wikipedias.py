"""All Wikipedias of a build: counted first, then gathered in their turn, joined at the end."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.errors import InputError, OmissionWarning, warn_omitted
from isogloss.kb.build.gathered import Gathered
from isogloss.kb.build.source import Source, of_kind
from isogloss.kb.build.wikipedia_ids import (
    LanguageLinks,
    items_of,
    links_of_table,
    links_of_texts,
    pairs_of_wikidata,
)
from isogloss.kb.build.wikipedia_options import WikipediaOptions, hidden_folder
from isogloss.kb.build.wikipedia_source import (
    Wiki,
    WikipediaReport,
    count_wiki,
    gather_wiki,
)
from isogloss.progress import logger
from isogloss.wiki.dump.other_wiki import warn_of_other_wiki

LEAST_SHARED = 0.01  # of what a wiki could share; fewer say that it is not joined with others


class Wikipedias:
    """The dumps among the sources of a knowledge base.

    Parameters
    ----------
    sources
        All sources, as `check_sources` lets them pass; those of other kinds are passed over.
    out
        The knowledge base; without `options.work` the work folder is beside it.
    workers
        Processes; None: as many as there are cores.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        out: Path,
        options: WikipediaOptions,
        *,
        workers: int | None = None,
    ) -> None:
        self._options, self._workers = options, workers
        self._is_temporary = options.work is None
        self.work = options.work or hidden_folder(out)
        self._dumps = of_kind(sources, "wikipedia")
        self._wikis: dict[Source, Wiki] = {}
        self._items: dict[Source, Ints1d] = {}

    def count(self) -> None:
        """Bring all dumps through their stages; a temporary work folder without a part goes.

        Raises
        ------
        InputError
            When a dump or table cannot be read, or is of no use.
        """
        try:
            for source in self._dumps:
                wiki = count_wiki(source, self.work, self._options, workers=self._workers)
                if not source.path.is_file():  # a pipe; `check_sources` has looked at the files
                    warn_of_other_wiki(source.path, source.code, wiki.extraction.site.name)
                self._wikis[source] = wiki
        except (InputError, OmissionWarning):  # the latter under --strict
            if self._is_temporary and not any(self.work.rglob("*.part")):
                self.clean()
            raise
        listed = list(self._wikis.values())
        items = items_of(listed, self._options.sitelinks) if listed else []
        self._items = dict(zip(self._wikis, items, strict=True))

    def gather(self, source: Source, gathered: Gathered) -> WikipediaReport:
        """Add the names of one dump, once all are counted."""
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
                    warn_omitted(f"{table}: it has a link of no page of {wiki.site}")
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

    def say_unjoined(self, gathered: Gathered, entity_of: Ints1d, wikidata: Sequence[Path]) -> None:
        """Name the wikis whose pages have hardly any entity in common with another wiki's.

        Parameters
        ----------
        entity_of
            Number in `gathered` → number after merging.
        wikidata
            As in `join`.

        Warns
        -----
        OmissionWarning
            When nothing was given that would join them. Of tables, that some fit no page is warned
            of where they are read.
        """
        if len(self._wikis) < 2:
            return
        apart = self._apart(entity_of)
        if not apart:
            return
        listed = ", ".join(f"{code} ({shared})" for code, shared in apart.items())
        said = f"other Wikipedias share hardly an entity with {listed}"
        given = self._options
        has_items = set(given.page_props) if len(given.page_props) > 1 else set()
        if wikidata or given.sitelinks or given.langlinks or has_items >= set(apart):
            logger.info("%s; do the dumps hold the same articles?", said)
        else:
            warn_omitted(
                f"{said}; give --sitelinks, or --page-props and --langlinks of each, or --source "
                "wikidata:DUMP, to join their pages"
            )

    def _apart(self, entity_of: Ints1d) -> dict[str, str]:
        """Return the codes of the wikis apart from all others, with how many entities they share.

        A wiki may share as many as it has, or as all others have together: the fewer of the two.
        """
        n_wikis = np.zeros(entity_of.max(initial=-1) + 1, np.int64)
        entities = {}
        for wiki in self._wikis.values():
            ids = np.array(wiki.ids, np.int64)
            found = np.unique(entity_of[ids[ids >= 0]])
            entities[wiki.code] = found[found >= 0]
            n_wikis[entities[wiki.code]] += 1
        n_all = int((n_wikis > 0).sum())
        apart = {}
        for code, own in entities.items():
            n_shared = int((n_wikis[own] > 1).sum())
            n_of_others = n_all - own.size + n_shared
            if n_shared < max(1, LEAST_SHARED * min(own.size, n_of_others)):
                apart[code] = f"{n_shared:,} of {own.size:,}"
        return apart

    def clean(self) -> None:
        """Remove the work folder, unless it was asked for."""
        if self._is_temporary:
            shutil.rmtree(self.work, ignore_errors=True)
