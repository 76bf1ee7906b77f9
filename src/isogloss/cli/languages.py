"""Languages of a file's rows on the command line: one option, a column, or detection."""

import typer

from isogloss.data.documents import Documents
from isogloss.errors import InputError, counted
from isogloss.text.detect import AUTO, languages_of_texts
from isogloss.text.languages import in_order_of_codes, parse_language


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
    unsure = sum(code is None for code in langs)
    if unsure:
        advice = ", or name those that occur: --lang auto:en,es" if lang == AUTO else ""
        # No loss in itself: what links texts says what is left out.
        typer.echo(
            f"isogloss: the language of {unsure} of {counted(len(langs), 'text')} could not be "
            f"told (too short or unsure); say it with --lang or --lang-column{advice}",
            err=True,
        )
    return langs


def checked_language(code: str | None) -> str | None:
    """Return the one spelling of a code that may be left out."""
    return None if code is None else parse_language(code)


def say_languages(langs: list[str | None], flags: dict[str, list[bool]]) -> None:
    """Say on standard error how many rows each language has, and how many carry each flag.

    Where no language is known there is nothing to tell apart, and none is named.
    """
    is_known = any(code is not None for code in langs)
    for code in in_order_of_codes(langs):
        rows = [row for row, known in enumerate(langs) if known == code]
        counts = [counted(len(rows), "text")]
        counts += [f"{sum(values[row] for row in rows)} {name}" for name, values in flags.items()]
        name = f"{code or 'unknown'}: " if is_known else ""
        typer.echo(f"isogloss: {name}{', '.join(counts)}", err=True)
