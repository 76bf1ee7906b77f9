"""Languages of a file's rows on the command line; `data.row_languages` finds them."""

from collections import Counter
from collections.abc import Sequence

import typer

from isogloss.errors import InputError, counted
from isogloss.text.languages import in_order_of_codes, parse_language


def refuse_useless_language(lang: str | None, lang_column: str | None) -> None:
    """Refuse options for files without LANG= where each has one."""
    for option, value in (("--lang-column", lang_column), ("--lang", lang)):
        if value is not None:
            raise InputError(
                f"{option} is for files given without LANG=, and there is none; leave it out"
            )


def checked_language(code: str | None) -> str | None:
    """Return the one spelling of a code that may be left out."""
    return None if code is None else parse_language(code)


class LanguageCounts:
    """How many texts each language has, and how many of them carry each flag, block by block."""

    def __init__(self) -> None:
        self._texts: Counter[str | None] = Counter()
        self._flags: dict[str, Counter[str | None]] = {}

    def add(self, langs: Sequence[str | None], **flags: Sequence[bool]) -> None:
        """Count texts; ``_`` in the name of a flag is shown as a blank."""
        self._texts.update(langs)
        for name, values in flags.items():
            carry = (code for code, value in zip(langs, values, strict=True) if value)
            self._flags.setdefault(name.replace("_", " "), Counter()).update(carry)

    def add_counts(self, lang: str | None, n: int, **flags: int) -> None:
        """Count texts of one language that were counted before."""
        self._texts[lang] += n
        for name, n_flagged in flags.items():
            self._flags.setdefault(name.replace("_", " "), Counter())[lang] += n_flagged

    def say(self) -> None:
        """Say it on standard error.

        Where no language is known there is nothing to tell apart, and none is named.
        """
        is_known = any(code is not None for code in self._texts)
        for code in in_order_of_codes(list(self._texts)):
            counts = [counted(self._texts[code], "text")]
            counts += [f"{of[code]:,} {name}" for name, of in self._flags.items()]
            name = f"{code or 'unknown'}: " if is_known else ""
            _say(f"isogloss: {name}{', '.join(counts)}")

    def __contains__(self, code: object) -> bool:
        """Whether a text has the language."""
        return code in self._texts


def say_languages(langs: Sequence[str | None]) -> None:
    """Say on standard error how many rows each language has."""
    counts = LanguageCounts()
    counts.add(langs)
    counts.say()


def _say(line: str) -> None:
    typer.echo(line, err=True)
