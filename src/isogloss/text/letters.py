"""What a text says in letters and digits alone: sentences that differ in nothing else are one."""

import unicodedata


def letters_and_digits(text: str) -> str:
    """Return the letters with their marks and the digits of a text, in one case and width (NFKC).

    A text without letters and digits is returned as it is.

    Examples
    --------
    >>> letters_and_digits("Öl, 2 Ｌiter!"), letters_and_digits("—?")
    ('öl2liter', '—?')
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = (one for one in folded if one.isalnum() or unicodedata.category(one).startswith("M"))
    return "".join(kept) or text
