"""Wikidata as a source: labels, titles of articles and aliases of its items.

A dump has no link counts, so an item's prior is the number of Wikipedias with an article about it,
plus one. Its types are the labels of its classes.
"""

import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from isogloss.errors import InputError, counted
from isogloss.kb.build.gathered import Gathered, SourceReport
from isogloss.kb.build.names_file import LONGEST_NAME
from isogloss.progress import logger

if TYPE_CHECKING:
    from isogloss.kb.build.source import Source
    from isogloss.wiki.wikidata.columns import WikidataEntities

Pairs: TypeAlias = np.ndarray[tuple[int, int], np.dtype[np.int64]]

LICENCE = "CC0 1.0 (Wikidata)"
MIN_SITELINKS = 1

_BRACKETED = re.compile(r"\s+\([^()]*\)$|\s*（[^（）]*）$")
# Rank of a label, title and alias: in the language itself, and in a variant that goes under it.
_RANKS = ((0, 1, 8), (2, 3, 9))
_LABELS = (0, 2)
_FOR_ANY = 4  # added for names that hold for any language: after titles, before or after aliases
_LONGEST_CHAIN = 20


def work_folder(out: Path, source: "Source") -> Path:
    """Return the folder beside `out` that holds a source's parsed parts until `out` is made."""
    digest = hashlib.sha256(source.text.encode()).hexdigest()[:8]
    return out.parent / f".{out.name}.{digest}.parts"


def gather_wikidata(
    dump: Path,
    gathered: Gathered,
    work: Path,
    *,
    min_sitelinks: int = MIN_SITELINKS,
    workers: int | None = None,
) -> SourceReport:
    """Add the items of a Wikidata JSON dump.

    Names of an item in a language, the first its title: its label, its article's title without a
    final "(…)", its aliases; those of a variant (``en-GB``) come after the language's own. A label
    that holds for every language (``mul``) serves where there is no other: in the languages
    wanted, or, when all are, in English and in those that have an article or aliases.

    Parameters
    ----------
    dump
        Plain, bz2, gz or zst, an array or lines; ``Path("-")`` is standard input.
    work
        Folder for the parsed parts: see `work_folder`. Its maker removes it at the end.
    min_sitelinks
        Fewest Wikipedias with an article about an item; 0 keeps all.
    workers
        Processes; None: all cores.

    Raises
    ------
    InputError
        A file that is missing, unreadable or no dump; nothing to keep.
    """
    from isogloss.kb.build.wikidata_parts import TOO_LONG, parse_to_parts, read_parts
    from isogloss.wiki.wikidata.columns import BROKEN, TOO_FEW_SITELINKS, WikidataChoice

    wanted = gathered.choose.wanted
    choice = WikidataChoice(None if wanted is None else tuple(wanted), min_sitelinks)
    counts = parse_to_parts(dump, work, choice, workers=workers)
    name = "standard input" if dump == Path("-") else dump.name
    report = SourceReport(f"wikidata:{name}", LICENCE)
    labels = _labels_of_classes(work, wanted)
    adder = _Adder(gathered, report, labels, counts)
    for part in read_parts(work):
        adder.add(part)
    adder.join_redirects(np.concatenate([part.redirects for part in read_parts(work)]))
    report.n_bad_lines = counts.pop(BROKEN, 0) + counts.pop(TOO_LONG, 0)
    report.counts = {reason: counts[reason] for reason in sorted(counts) if counts[reason]}
    if counts[TOO_FEW_SITELINKS]:
        logger.info(
            "%s: %s left out that fewer than %s an article about; --min-sitelinks 0 keeps them",
            dump, counted(counts[TOO_FEW_SITELINKS], "item"),
            counted(min_sitelinks, "Wikipedia has", "Wikipedias have"),
        )  # fmt: skip
    if not report.n_entities:
        shutil.rmtree(work)
        said = ", ".join(f"{reason}: {n:,}" for reason, n in report.counts.items())
        raise InputError(
            f"no item to keep ({said}); choose other --langs or a smaller --min-sitelinks",
            path=dump,
        )
    return report


def _labels_of_classes(work: Path, wanted: Sequence[str] | None) -> dict[int, str]:
    """Return a label of each class that is an item kept: English, else the first wanted, else any.

    Three looks at the parts, so that what is held does not grow with the dump.
    """
    from isogloss.kb.build.wikidata_parts import read_parts
    from isogloss.wiki.wikidata.columns import ANY_LANGUAGE, LABEL

    listed = [np.unique(part.classes) for part in read_parts(work)]
    classes = np.unique(np.concatenate(listed)) if listed else np.zeros(0, np.int64)
    order = {lang: i for i, lang in enumerate(dict.fromkeys(["en", *(wanted or ()), ANY_LANGUAGE]))}
    best: dict[int, tuple[int, str, str]] = {}
    for part in read_parts(work):
        names = part.names()
        for item in np.flatnonzero(np.isin(part.ids, classes)).tolist():
            for row in range(int(part.name_offsets[item]), int(part.name_offsets[item + 1])):
                if part.name_kind[row] == LABEL:
                    lang = part.langs[int(part.name_lang[row])]
                    found = (order.get(lang, len(order)), lang, names[row])
                    number = int(part.ids[item])
                    best[number] = min(found, best.get(number, found))
    return {number: label for number, (_, _, label) in best.items()}


@dataclass
class _Adder:
    """Adds the items of parts to what is gathered."""

    gathered: Gathered
    report: SourceReport
    labels: dict[int, str]
    counts: Counter[str]

    def add(self, part: "WikidataEntities") -> None:
        """Add the items that have a name in a language wanted."""
        places = [self._place(tag) for tag in part.langs]
        names, starts = part.names(), part.name_offsets.tolist()
        lang, kind = part.name_lang.tolist(), part.name_kind.tolist()
        noted: Counter[str] = Counter()
        for item, (begin, end) in enumerate(pairwise(starts)):
            found: dict[str, list[_Name]] = {}
            for_any: list[_Name] = []
            for row in range(begin, end):
                place = places[lang[row]]
                if place is None:
                    continue
                text = names[row] if kind[row] != 1 else _BRACKETED.sub("", names[row])
                name = _Name(_RANKS[place.is_variant][kind[row]], text.strip(), place.tag)
                if not 0 < len(name.text) <= LONGEST_NAME:
                    self.counts["names that are empty or too long"] += 1
                elif place.lang == place.tag == "mul":
                    for_any.append(name)
                else:
                    found.setdefault(place.lang, []).append(name)
            if for_any:
                self._spread(found, for_any)
            if found:
                self._add_item(part, item, found, noted)
            else:
                self.counts["items without a name in a language wanted"] += 1
        for tag, n_names in noted.items():
            self.gathered.choose.note(tag, n_names)

    def join_redirects(self, pairs: "Pairs") -> None:
        """Join redirected ids to the items that they lead to, in the end; cycles lead nowhere."""
        index = self.gathered.index
        for origin, target in _followed(pairs).tolist():
            if f"Q{target}" in index:
                joined = (index[f"Q{target}"], self.gathered.entity(f"Q{origin}"))
                self.gathered.same_as.append(joined)

    def _place(self, tag: str) -> "_Place | None":
        if tag == "mul":
            return _Place(tag, tag, is_variant=False)
        kept = self.gathered.choose(tag)
        return None if kept is None else _Place(tag, kept, is_variant=tag != kept)

    def _spread(self, found: dict[str, list["_Name"]], names: list["_Name"]) -> None:
        """Put names for every language where the item has no label."""
        wanted = self.gathered.choose.wanted
        for lang in ["en", *found] if wanted is None else wanted:
            own = found.setdefault(lang, [])
            if all(name.rank not in _LABELS for name in own):
                own += [_Name(name.rank + _FOR_ANY, name.text, lang) for name in names]

    def _add_item(
        self,
        part: "WikidataEntities",
        item: int,
        found: dict[str, list["_Name"]],
        noted: Counter[str],
    ) -> None:
        gathered, number = self.gathered, int(part.ids[item])
        entity = gathered.entity(f"Q{number}")
        for lang, names in found.items():
            tags: dict[str, str] = {}
            for name in sorted(names, key=_rank):
                tags.setdefault(name.text, name.tag)
            self.report.n_names += gathered.add_names(lang, entity, tags)
            noted.update(tag for tag in tags.values() if tag != lang)
        gathered.popularity[entity] = float(part.n_sitelinks[item]) + 1.0
        begin, end = part.class_offsets[item : item + 2].tolist()
        for cls in part.classes[begin:end].tolist():
            gathered.add_type(entity, self.labels.get(cls, f"Q{cls}"))
        self.report.n_entities += 1


class _Place(NamedTuple):
    """Where names of a tag go."""

    tag: str
    lang: str
    is_variant: bool


class _Name(NamedTuple):
    rank: int
    text: str
    tag: str


def _rank(name: _Name) -> int:
    return name.rank


def _followed(pairs: "Pairs") -> "Pairs":
    """Return each redirected number once, with the end of its chain."""
    origins, first = np.unique(pairs[:, 0], return_index=True)
    following = pairs[first, 1]
    targets = following.copy()
    for _ in range(_LONGEST_CHAIN):
        at = np.minimum(np.searchsorted(origins, targets), origins.size - 1)
        goes_on = np.flatnonzero(origins[at] == targets) if origins.size else at
        if not goes_on.size:
            break
        targets[goes_on] = following[at[goes_on]]
    return np.stack([origins, targets], axis=1)
