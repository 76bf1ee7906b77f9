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

from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Doubles1d, Ints1d, offsets_of
from isogloss.kb.build.gathered import KEYWORD, NAMES_AT_ONCE, LanguageNames
from isogloss.kb.build.spellings import Spellings, spellings_of
from isogloss.kb.matching.blocking import ACRONYM_NAME, CAPITAL_NAME, LOWER_NAME
from isogloss.kb.matching.name_table import SILENT, build_table
from isogloss.kb.stored.write import Arrays, pack_strings
from isogloss.storage.array_file import taken
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.text.folding import kinds_of_units

KEYWORD_FACTOR = 0.5


def compile_language(
    language: str, gathered: LanguageNames, entity_of: Ints1d, popularity: Doubles1d
) -> tuple[Arrays, dict[str, int]]:
    """Return the arrays of one language, and its counts for the manifest.

    The counts: different names and keywords, entities with a title, spellings that are looked for;
    of what the sources gave, what is blocked, and keywords.

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
    names, offsets = gathered.names.arrays()
    _, first = index_strings(names, offsets)
    kind = np.frombuffer(gathered.kind, np.uint8)
    n_names = int((first == np.arange(first.size)).sum())
    del first
    spellings = spellings_of(gathered.names, language)
    kept, n_keys = spellings.kept, spellings.n_keys
    rows = _rows(
        _Columns(
            key=spellings.key,
            entity=entity[kept],
            written=spellings.written,
            factor=np.where(kind[kept] == KEYWORD, KEYWORD_FACTOR, 1.0),
            count=np.frombuffer(gathered.count, np.float64)[kept],
            popularity=popularity,
        ),
        n_keys,
    )
    link_prob = _link_prob(gathered, spellings)
    rows["row_link_prob"] = link_prob[rows.pop("row_key"), rows.pop("row_variant")]
    for_silent = np.full((len(spellings.silent), 3), SILENT, np.int32)
    name_rows = np.concatenate([rows.pop("name_rows"), for_silent])
    titles = _titles(names, offsets, entity)
    counts = {
        "n_names": n_names,
        "n_entities": int(titles["title_entity"].size),
        "n_spellings": n_keys,
        "n_blocked": kind.size - kept.size,
        "n_keywords": int((kind == KEYWORD).sum()),
    }
    del gathered, names, offsets, entity, kind  # the table that follows needs most memory
    return {**titles, **_matcher(spellings, name_rows), **rows}, counts


@dataclass(frozen=True)
class _Columns:
    """The names to be found: one row for each (spelling, entity) that a source gave."""

    key: Ints1d
    entity: Ints1d
    written: Bytes1d
    factor: Doubles1d
    count: Doubles1d
    popularity: Doubles1d  # by entity


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
    return {
        "name_rows": name_rows,
        "row_offsets": offsets_of(np.concatenate([part[0] for part in parts])),
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


def _link_prob(gathered: LanguageNames, spellings: Spellings) -> Any:
    """Return the link probability of each spelling in each variant; 1 where no source says."""
    table = np.full((spellings.n_keys, 3), np.nan)
    if gathered.link_prob:
        names, offsets = gathered.prob_names.arrays()
        slots, first = index_strings(names, offsets)
        largest = np.full(first.size, np.nan)
        np.fmax.at(largest, first, np.frombuffer(gathered.link_prob, np.float64))
        found = find_strings(slots, names, offsets, *gathered.names.arrays())[spellings.kept]
        given = np.where(found >= 0, largest[found], np.nan)
        for variant, allowed in enumerate(((0,), (0, 1), (2,))):
            at = np.flatnonzero(np.isin(spellings.written, allowed))
            np.fmax.at(table[:, variant], spellings.key[at], given[at])
    return np.nan_to_num(table, nan=1.0).astype(np.float32)


def _titles(names: Bytes1d, offsets: Ints1d, entity: Ints1d) -> Arrays:
    entities, first = np.unique(entity, return_index=True)
    data, title_offsets = taken(names, offsets, first)
    return {
        "title_entity": entities.astype(np.int32),
        "title_bytes": data,
        "title_offsets": title_offsets,
    }


def _matcher(spellings: Spellings, name_rows: Any) -> Arrays:
    """Return the table over the spellings and the silent words."""
    silent, bounds = pack_strings(spellings.silent)
    data = np.concatenate([spellings.data, silent])
    begins = np.append(spellings.offsets, spellings.offsets[-1] + bounds[1:])
    offsets = np.zeros(begins.size, np.int64)
    if data.size:
        is_first = (data & 0xC0) != 0x80  # of the bytes of a character
        np.cumsum(np.add.reduceat(is_first, begins[:-1], dtype=np.int64), out=offsets[1:])
    units = np.empty(offsets[-1], np.uint32)
    kinds = np.empty(units.size, np.uint8)
    for first in range(0, begins.size - 1, NAMES_AT_ONCE):
        last = min(first + NAMES_AT_ONCE, begins.size - 1)
        part = slice(int(offsets[first]), int(offsets[last]))
        whole = data[begins[first] : begins[last]].tobytes().decode("utf-8", "surrogatepass")
        units[part] = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
        kinds[part] = kinds_of_units(units[part])
    slots, records = build_table(units, offsets, kinds, name_rows)
    return {"slots": slots, "records": records}
