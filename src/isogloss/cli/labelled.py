"""Labelled files on the command line: ``--train en=FILE``, or one file of many languages."""

from collections.abc import Sequence
from pathlib import Path

from isogloss.cli.languages import languages_of
from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError
from isogloss.text.languages import parse_language_file


def read_labelled(
    values: Sequence[str], *, format: FileFormat, lang: str | None, option: str
) -> LabelledTexts:
    """Read the files of a repeated option.

    Parameters
    ----------
    values
        ``LANG=FILE``; a mere ``FILE`` where `lang` or a language column says the language.
    lang
        The value of ``--lang``, or None.
    option
        Name of the option, for errors: ``"--train"``.
    """
    read = LabelledTexts()
    mixed = lang is not None or format.lang_column is not None
    for value in values:
        code, path = lang, Path(value)
        if not mixed:
            pair = parse_language_file(value)
            code, path = pair.lang, pair.path
        elif not path.exists() and "=" in value:
            raise InputError(
                f"{option} {value}: with --lang or --lang-column give the file alone, without LANG="
            )
        documents = read_documents(path, format=format, needs_label=True)
        read.texts += documents.texts
        read.labels.extend(documents.labels or [])
        read.langs += languages_of(documents, code)
        read.ids += documents.ids or [None] * len(documents.texts)
    return read
