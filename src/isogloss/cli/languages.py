"""Languages of a file's rows on the command line: one option, a column, or detection."""

from collections import Counter
from collections.abc import Sequence

import typer

from isogloss.data.documents import Documents
from isogloss.errors import InputError, counted
from isogloss.text.detect import AUTO, languages_of_texts
from isogloss.text.languages import in_order_of_codes, parse_language
from isogloss.totals import tell


def refuse_useless_language(lang: str | None, lang_column: str | None) -> None:
    """Refuse options for files without LANG= where each has one."""
    for option, value in (("--lang-column", lang_column), ("--lang", lang)):
        if value is not None:
            raise InputError(
                f"{option} is for files given without LANG=, and there is none; leave it out"
            )


def languages_of(
    documents: Documents, lang: str | None, *, is_needed: bool = True
) -> list[str | None]:
    """Return the language of each row, None where it is not known.

    Parameters
    ----------
    lang
        A code, ``"auto"``, ``"auto:es,tr"``, or None where the file has a language column.
    is_needed
        Whether the language changes anything; where not, it may be left unsaid.

    Raises
    ------
    InputError
        When both say the language, or neither and it is needed.
    """
    if documents.langs is not None:
        if lang is not None:
            raise InputError("both --lang and --lang-column say the language; leave one out")
        return list(documents.langs)
    if lang is None and not is_needed:
        return [None] * len(documents.texts)
    if lang is None:
        raise InputError(
            "the language is missing; give --lang CODE, --lang auto, or --lang-column NAME"
        )
    langs = languages_of_texts(documents.texts, lang)
    advice = ", or name those that occur: --lang auto:en,es" if lang == AUTO else ""
    # Nothing is omitted yet: what links texts says what is left out.
    tell(
        lambda n, n_all: (
            f"isogloss: the language of {n} of {counted(n_all, 'text')} could not be told (too "
            f"short or unsure); say it with --lang or --lang-column{advice}"
        ),
        sum(code is None for code in langs), len(langs),
        by=_say,
    )  # fmt: skip
    return langs


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

    def say(self) -> None:
        """Say it on standard error.

        Where no language is known there is nothing to tell apart, and none is named.
        """
        is_known = any(code is not None for code in self._texts)
        for code in in_order_of_codes(list(self._texts)):
            counts = [counted(self._texts[code], "text")]
            counts += [f"{of[code]} {name}" for name, of in self._flags.items()]
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
