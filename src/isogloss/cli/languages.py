"""Languages of a file's rows on the command line: one option, a column, or detection."""

import typer

from isogloss.data.documents import Documents
from isogloss.errors import InputError, counted, warn_loss
from isogloss.text.detect import detect_languages
from isogloss.text.languages import parse_language


def languages_of(documents: Documents, lang: str | None) -> list[str | None]:
    """Return the language of each row, None where it is not known.

    Parameters
    ----------
    lang
        A code, ``"auto"``, or None where the file has a language column.

    Raises
    ------
    InputError
        When neither or both say the language.
    """
    if documents.langs is not None:
        if lang is not None:
            raise InputError("both --lang and --lang-column say the language; leave one out")
        return list(documents.langs)
    if lang is None:
        raise InputError(
            "the language is missing; give --lang CODE, --lang auto, or --lang-column NAME"
        )
    if lang != "auto":
        return [parse_language(lang)] * len(documents.texts)
    detected = detect_languages(documents.texts)
    unsure = sum(code is None for code in detected)
    if unsure:
        warn_loss(
            f"the language of {unsure} of {counted(len(detected), 'text')} could not be told (too "
            "short or unsure): nothing is linked there; say it with --lang or --lang-column"
        )
    return detected


def say_languages(langs: list[str | None], flags: dict[str, list[bool]]) -> None:
    """Say on standard error how many rows each language has, and how many carry each flag."""
    for code in sorted(set(langs), key=str):
        rows = [row for row, known in enumerate(langs) if known == code]
        counts = [counted(len(rows), "text")]
        counts += [f"{sum(values[row] for row in rows)} {name}" for name, values in flags.items()]
        typer.echo(f"isogloss: {code or 'unknown'}: {', '.join(counts)}", err=True)
