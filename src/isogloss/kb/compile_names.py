"""Turn the gathered names of one language into the arrays the matcher and the linker read.

How commonness comes about, for all entities that one spelling may mean:

- with link counts: its share of the links; an entity without counts weighs as one link;
- without any: its share of the popularities (1 where none is given), so uniform by default;
- half of that where the entity has the spelling only as a keyword.

A spelling's link probability is the largest that a source gives, else 1.

Case: a name in lower case is found however it is written; a name that begins with a capital only
where the text has the capital; a name in capitals (two or more) only in capitals, and where such a
name exists, capitals in the text mean no other. So every spelling has up to three rows of
candidates.
"""

from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Doubles1d, Ints1d
from isogloss.kb.blocking import ACRONYM_NAME, CAPITAL_NAME, LOWER_NAME, blocked_names, silent_words
from isogloss.kb.matcher import SILENT, build_slots
from isogloss.kb.names import LanguageNames
from isogloss.kb.store import Arrays, pack_strings
from isogloss.text.folding import TURKIC, UPPER, FoldedTexts, fold_texts, kinds_of_units

KEYWORD_FACTOR = 0.5


def compile_language(
    language: str, gathered: LanguageNames, entity_of: Ints1d, popularity: Doubles1d
) -> tuple[Arrays, dict[str, int]]:
    """Return the arrays of one language, and its counts for the manifest.

    Parameters
    ----------
    language
        Its tag; decides Turkish case and the function words.
    gathered
        The names that the sources gave.
    entity_of : int64 array
        Running number of an entity → its index in the knowledge base.
    popularity : float64 array, (n_entities,)
        By index in the knowledge base; NaN where none was given.
    """
    entity = entity_of[np.frombuffer(gathered.entity, np.int32)]
    folded = fold_texts(gathered.names, turkic=language.partition("-")[0] in TURKIC)
    strings = folded.strings()
    written = how_written(folded)
    kept = np.flatnonzero(~blocked_names(folded, strings, written, language))
    keys = sorted({strings[i] for i in kept.tolist()})
    position = {key: i for i, key in enumerate(keys)}
    key = np.fromiter((position[strings[i]] for i in kept.tolist()), np.int64, kept.size)
    columns = _Columns(
        key=key,
        entity=entity[kept],
        written=written[kept],
        factor=np.where(np.frombuffer(gathered.is_keyword, np.uint8)[kept], KEYWORD_FACTOR, 1.0),
        count=_counts_of(gathered, kept),
        popularity=popularity,
    )
    silent = sorted(set(silent_words(language)).difference(keys))
    rows = _rows(columns, len(keys))
    for_silent = np.full((len(silent), 3), SILENT, np.int32)
    rows["name_rows"] = np.concatenate([rows["name_rows"], for_silent])
    link_prob = _link_prob(gathered, kept, key, written[kept], len(keys))
    arrays: Arrays = {**_titles(gathered.names, entity), **_matcher(keys + silent), **rows}
    arrays["row_link_prob"] = link_prob[arrays.pop("row_key"), arrays.pop("row_variant")]
    return arrays, {
        "n_names": len(set(gathered.names)),
        "n_entities": int(arrays["title_entity"].size),
        "n_spellings": len(keys),
        "n_blocked": len(gathered.names) - int(kept.size),
    }


class _Columns:
    """The names to be found: one row for each (spelling, entity) that a source gave."""

    def __init__(
        self,
        *,
        key: Ints1d,
        entity: Ints1d,
        written: Bytes1d,
        factor: Doubles1d,
        count: Doubles1d,
        popularity: Doubles1d,
    ) -> None:
        self.key, self.entity, self.written = key, entity, written
        self.factor, self.count, self.popularity = factor, count, popularity


def how_written(names: FoldedTexts) -> Bytes1d:
    """Return for each name whether it asks for a capital, or for capitals throughout."""
    n_names = names.offsets.size - 1
    owner = np.repeat(np.arange(n_names), np.diff(names.offsets))
    cased = np.flatnonzero(names.case)
    first = np.full(n_names, -1, np.int64)
    first[owner[cased][::-1]] = cased[::-1]
    n_cased = np.bincount(owner[cased], minlength=n_names)
    n_upper = np.bincount(owner[names.case == UPPER], minlength=n_names)
    begins_upper = np.zeros(n_names, bool)
    has_case = first >= 0
    begins_upper[has_case] = names.case[first[has_case]] == UPPER
    written = np.where(begins_upper, CAPITAL_NAME, LOWER_NAME)
    written[begins_upper & (n_cased >= 2) & (n_upper == n_cased)] = ACRONYM_NAME
    return written.astype(np.uint8)


def _counts_of(gathered: LanguageNames, kept: Ints1d) -> Doubles1d:
    """Return the link counts of the names kept, each once and used up; NaN where none was given.

    Several sources may give the same name of an entity: its count must not be added for each.
    """
    if not gathered.counts:
        return np.full(kept.size, np.nan)
    names, entity, counts = gathered.names, gathered.entity, gathered.counts
    values = (counts.pop((names[i], entity[i]), np.nan) for i in kept.tolist())
    return np.fromiter(values, np.float64, kept.size)


def _rows(columns: _Columns, n_keys: int) -> Arrays:
    """Return `name_rows` and the rows of candidates, by variant and then by spelling."""
    written, key = columns.written, columns.key
    has_capital = np.zeros(n_keys, bool)
    has_capital[key[written == CAPITAL_NAME]] = True
    chosen = (
        written == LOWER_NAME,
        (written <= CAPITAL_NAME) & has_capital[key],
        written == ACRONYM_NAME,
    )
    name_rows = np.full((n_keys, 3), -1, np.int32)
    parts: list[tuple[Ints1d, Ints1d, Doubles1d]] = []
    row_key, row_variant = [], []
    n_rows = 0
    for variant, selected in enumerate(chosen):
        at = np.flatnonzero(selected)
        keys, size, entity, commonness = _candidates(columns, at)
        if variant:
            name_rows[:, variant] = name_rows[:, variant - 1]
        name_rows[keys, variant] = n_rows + np.arange(keys.size)
        n_rows += keys.size
        parts.append((size, entity, commonness))
        row_key.append(keys)
        row_variant.append(np.full(keys.size, variant))
    offsets = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.concatenate([part[0] for part in parts]), out=offsets[1:])
    return {
        "name_rows": name_rows,
        "row_offsets": offsets,
        "candidate_entity": np.concatenate([part[1] for part in parts]).astype(np.int32),
        "candidate_commonness": np.concatenate([part[2] for part in parts]).astype(np.float32),
        "row_key": np.concatenate(row_key),
        "row_variant": np.concatenate(row_variant),
    }


def _candidates(columns: _Columns, at: Ints1d) -> tuple[Ints1d, Ints1d, Ints1d, Doubles1d]:
    """Return spellings, number of candidates of each, and all candidates with their commonness."""
    order = at[np.lexsort((columns.entity[at], columns.key[at]))]
    key, entity = columns.key[order], columns.entity[order]
    is_new = np.ones(order.size, bool)
    is_new[1:] = (key[1:] != key[:-1]) | (entity[1:] != entity[:-1])
    first = np.flatnonzero(is_new)
    if not first.size:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty, np.zeros(0)
    counted = ~np.isnan(columns.count[order])
    count = np.add.reduceat(np.where(counted, columns.count[order], 0.0), first)
    has_count = np.maximum.reduceat(counted, first)
    factor = np.maximum.reduceat(columns.factor[order], first)
    key, entity = key[first], entity[first]
    keys, begin, size = np.unique(key, return_index=True, return_counts=True)
    any_count = np.repeat(np.maximum.reduceat(has_count, begin), size)
    prior = np.nan_to_num(columns.popularity[entity], nan=1.0)
    weight = np.where(any_count, np.where(has_count, count, 1.0), prior)
    total = np.repeat(np.add.reduceat(weight, begin), size)
    uniform = 1.0 / np.repeat(size, size)
    share = np.where(total > 0, weight / np.where(total > 0, total, 1.0), uniform)
    return keys, size, entity, share * factor


def _link_prob(
    gathered: LanguageNames, kept: Ints1d, key: Ints1d, written: Bytes1d, n_keys: int
) -> Any:
    """Return the link probability of each spelling in each variant; 1 where no source says."""
    table = np.full((n_keys, 3), np.nan)
    if gathered.link_prob:
        names = gathered.names
        values = (gathered.link_prob.get(names[i], np.nan) for i in kept.tolist())
        given = np.fromiter(values, np.float64, kept.size)
        for variant, allowed in enumerate(((0,), (0, 1), (2,))):
            at = np.flatnonzero(np.isin(written, allowed))
            np.fmax.at(table[:, variant], key[at], given[at])
    return np.nan_to_num(table, nan=1.0).astype(np.float32)


def _titles(names: list[str], entity: Ints1d) -> Arrays:
    entities, first = np.unique(entity, return_index=True)
    data, offsets = pack_strings([names[i] for i in first.tolist()])
    return {
        "title_entity": entities.astype(np.int32),
        "title_bytes": data,
        "title_offsets": offsets,
    }


def _matcher(keys: list[str]) -> Arrays:
    """Return the spellings as units, and the table over them."""
    offsets = np.zeros(len(keys) + 1, np.int64)
    np.cumsum([len(key) for key in keys], out=offsets[1:])
    units = np.frombuffer("".join(keys).encode("utf-32-le", "surrogatepass"), np.uint32)
    slot_hash, slot_number = build_slots(units, offsets, kinds_of_units(units))
    return {
        "unit_offsets": offsets,
        "units": units,
        "slot_hash": slot_hash,
        "slot_number": slot_number,
    }
