"""The language of each row of a file: of its column, given for all, detected, or not known."""

from dataclasses import dataclass
from typing import Literal

from isogloss.data.documents import Documents
from isogloss.errors import InputError, counted
from isogloss.progress import logger
from isogloss.text.detect import AUTO, languages_of_texts
from isogloss.totals import tell

LANG = "--lang"
LangBy = Literal["column", "given", "detected", "unknown"]


@dataclass(frozen=True)
class RowLanguages:
    """Languages of rows, and where they are from.

    Attributes
    ----------
    langs
        Canonical code of each row, None where it is not known.
    known_by
        Where a language is from that is known.
    is_asked
        Whether a column, an option or detection was to say it.
    """

    langs: list[str | None]
    known_by: LangBy
    is_asked: bool

    @property
    def by(self) -> list[LangBy]:
        """Where the language of each row is from."""
        return ["unknown" if lang is None else self.known_by for lang in self.langs]


def row_languages(
    documents: Documents, lang: str | None, *, is_needed: bool = True, option: str = LANG
) -> RowLanguages:
    """Return the language of each row.

    Parameters
    ----------
    lang
        A code, ``"auto"``, ``"auto:es,tr"``, or None where the file has a language column.
    is_needed
        Whether the language changes anything; where not, it may be left unsaid.
    option
        What says the language on the command line, for the advice.

    Raises
    ------
    InputError
        When both say the language, or neither and it is needed.
    """
    check_language(lang, has_column=documents.langs is not None, is_needed=is_needed)
    if documents.langs is not None:
        return RowLanguages(list(documents.langs), "column", is_asked=True)
    if lang is None:
        return RowLanguages([None] * len(documents.texts), "unknown", is_asked=False)
    langs = languages_of_texts(documents.texts, lang)
    say = f"{option} or --lang-column" if option == LANG else option
    advice = f", or name those that occur: {option} auto:en,es" if lang == AUTO else ""
    # Nothing is omitted yet: what links texts says what is left out.
    tell(
        lambda n, n_all: (
            f"the language of {n} of {counted(n_all, 'text')} could not be told (too short or "
            f"unsure); say it with {say}{advice}"
        ),
        sum(code is None for code in langs), len(langs),
        by=logger.info,
    )  # fmt: skip
    return RowLanguages(langs, "detected" if lang.startswith(AUTO) else "given", is_asked=True)


def check_language(lang: str | None, *, has_column: bool, is_needed: bool) -> None:
    """Raise what `row_languages` does, before any text is looked at."""
    if has_column and lang is not None:
        raise InputError("both --lang and --lang-column say the language; leave one out")
    if lang is None and is_needed and not has_column:
        raise InputError(
            "the language is missing; give --lang CODE, --lang auto, or --lang-column NAME"
        )
    if lang is not None:
        languages_of_texts([], lang)
