"""What the open-addressing tables of compiled code share: a multiplier, and the first slot."""

from typing import Any

import numpy as np

from isogloss.compiled import compiled

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 by the golden ratio: odd, and without a pattern


@compiled
def home_of(key: Any, n_slots: Any) -> Any:
    """Map a hash to a slot by the high half of a product: no table size is a bad one."""
    high = (key * MULTIPLIER) >> np.uint64(32)
    return np.int64((high * np.uint64(n_slots)) >> np.uint64(32))
