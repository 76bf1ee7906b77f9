"""Texts to compare encoders on: some of the user's, or names of countries in ten scripts.

The names are Unicode CLDR's, which Babel has; lists of them grow from one name to two hundred, so
that lengths differ as those of texts do.
"""

from collections.abc import Sequence

import numpy as np

# Latin, Cyrillic, Greek, Arabic, Hebrew, Devanagari, Thai, Han, Kana with Han, Hangul.
LOCALES = ("sw", "ru", "el", "ar", "he", "hi", "th", "zh", "ja", "ko")
N_NAMES = (1, 2, 3, 5, 8, 13, 21, 34, 60, 110)


def texts_in_ten_scripts() -> list[str]:
    """Return 100 texts, ten in each script."""
    from babel import Locale

    texts = []
    for code in LOCALES:
        territories = Locale.parse(code).territories
        names = [territories[key] for key in sorted(territories) if key.isalpha()]
        texts += [", ".join(names[n : 2 * n]) for n in N_NAMES]
    return texts


def evenly(texts: Sequence[str], n: int) -> list[str]:
    """Return at most `n` of the texts, in even steps, the first and the last among them."""
    places = np.unique(np.linspace(0, len(texts) - 1, min(n, len(texts))).round().astype(int))
    return [texts[place] for place in places]
