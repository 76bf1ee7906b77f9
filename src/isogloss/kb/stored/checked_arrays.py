"""Checks of all that compiled code and look-ups take for granted of a knowledge base's arrays.

Types and shapes are those of the manifest, checked on opening (`manifest`). Here are the values:
made by `compile_names` and `build` they always hold, so a failure is a damaged or a made-up file.
"""

from typing import Any

import numpy as np

from isogloss.compiled import compiled, interrupts_wait
from isogloss.kb.matching.name_table import SILENT, place_in
from isogloss.storage.array_checks import (
    check_offsets,
    check_probabilities,
    check_strings,
    check_within,
)

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]

# Taken slots one after another. At a load of 0.6 the longest such run grows with the logarithm of
# the table: some 300 in a table of a billion. A look-up ends within the run it begins in.
LONGEST_RUN = 4096


def check_entities(arrays: Arrays, n_entities: int) -> None:
    """Check the arrays of ``entities.bin``.

    Raises
    ------
    ValueError
        Says what is wrong; for `damage_in_one_sentence`.
    """
    n_types = arrays["type_name_offsets"].size - 1
    check_strings("ids", arrays["id_bytes"], arrays["id_offsets"])
    check_strings("aliases", arrays["alias_bytes"], arrays["alias_offsets"])
    check_within("entities of aliases", arrays["alias_entity"], 0, n_entities)
    check_strings("types", arrays["type_bytes"], arrays["type_name_offsets"])
    check_offsets("offsets of types", arrays["type_offsets"], arrays["type_number"].size)
    check_within("types of entities", arrays["type_number"], 0, n_types)


def check_language(arrays: Arrays, n_entities: int) -> None:
    """Check the arrays of one language; raises as `check_entities`.

    Every row has a candidate; records follow each other without a gap; every slot that is taken
    leads to the beginning of one; there are free slots, none far from another.
    """
    n_rows = arrays["row_link_prob"].size
    check_strings("titles", arrays["title_bytes"], arrays["title_offsets"])
    check_within("entities with a title", arrays["title_entity"], 0, n_entities)
    check_offsets("rows", arrays["row_offsets"], arrays["candidate_entity"].size, least=1)
    check_within("candidates", arrays["candidate_entity"], 0, n_entities)
    check_probabilities("commonnesses", arrays["candidate_commonness"])
    check_probabilities("link probabilities", arrays["row_link_prob"])
    with interrupts_wait():
        is_increasing = _is_increasing(arrays["title_entity"])
        begins, are_records = _record_starts(arrays["records"], n_rows)
        longest, lead_there = _slots(arrays["slots"], begins)
    if not is_increasing:
        raise ValueError("entities with a title are out of order")
    if not are_records:
        raise ValueError("its records are not names")
    if longest > LONGEST_RUN or longest >= arrays["slots"].size:
        raise ValueError("its table of names has too few free slots")
    if not lead_there:
        raise ValueError("its table of names leads to what is no record")


@compiled
def _is_increasing(values: Any) -> Any:
    is_sound = True
    for i in range(1, values.size):
        is_sound &= values[i] > values[i - 1]
    return is_sound


@compiled
def _record_starts(records: Any, n_rows: Any) -> Any:
    """Return a mark for each block, 1 where a record begins, and whether all are records."""
    n_blocks = records.shape[0]
    begins = np.zeros(n_blocks, np.uint8)
    at = 0
    while at < n_blocks:
        n_units, width = int(records[at, 3] >> 3), int(records[at, 3] & 7)
        if n_units < 1 or not (width == 1 or width == 2 or width == 4):
            return begins, False
        for written in range(3):
            if records[at, written] < SILENT or records[at, written] >= n_rows:
                return begins, False
        begins[at] = 1
        at += 1 + (n_units * width + 15) // 16
    return begins, at == n_blocks


@compiled
def _slots(slots: Any, begins: Any) -> Any:
    """Return the longest run of taken slots, and whether each leads to a record or to none."""
    longest, run, lead_there = 0, 0, True
    for i in range(slots.size):
        if slots[i] == 0:
            run = 0
            continue
        run += 1
        longest = max(longest, run)
        place = place_in(slots[i])
        lead_there &= place < begins.size and (place < 0 or begins[place] == 1)
    for i in range(slots.size):  # look-ups continue from the last slot to the first
        if slots[i] == 0 or run >= slots.size:
            break
        run += 1
    return max(longest, run), lead_there
