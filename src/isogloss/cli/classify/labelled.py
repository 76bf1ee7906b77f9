"""Labelled files on the command line: ``--train en=FILE``, or one file of many languages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from isogloss.cli.languages import refuse_useless_language
from isogloss.cli.places import refuse_piped_twice, refuse_same_file
from isogloss.data.data_files import DataFile, Part
from isogloss.data.documents import Documents, FileFormat, read_files
from isogloss.data.labelled import LabelledTexts, with_words
from isogloss.data.row_languages import row_languages
from isogloss.errors import InputError, did_you_mean
from isogloss.text.languages import parse_language_file

PARTS: dict[str, Part] = {"--train": "training", "--dev": "development"}  # that a model is made of


def read_labelled(
    values: Mapping[str, Sequence[str] | None],
    *,
    format: FileFormat,
    lang: str | None,
    known_labels: Collection[str] | None = None,
    class_names: Collection[str] | None = None,
) -> list[LabelledTexts]:
    """Read the files of repeated options, all in one way.

    Parameters
    ----------
    values
        Option to its values, as ``{"--train": ["en=a.tsv"]}``: ``LANG=FILE``, or a mere ``FILE``
        where `lang` or a language column says the language. A language before the file wins over
        both.
    lang
        The value of ``--lang``, or None.
    known_labels
        As in `read_files`.
    class_names
        Classes that have a name, and no other label is allowed; None: any label.

    Returns
    -------
    The rows of each option, in order; of those in `PARTS` without blank texts.

    Raises
    ------
    InputError
        When a file or standard input is named twice, a label has no name, and as `read_files`.
    """
    places = {
        option: [_place(value, option, format=format, lang=lang) for value in some or ()]
        for option, some in values.items()
    }
    each = [place for of_option in places.values() for place in of_option]
    if each and all(own is not format for _, _, own in each):
        refuse_useless_language(lang, format.lang_column)
    refuse_piped_twice([value for some in values.values() for value in some or ()])
    refuse_same_file([(option, path) for option in places for _, path, _ in places[option]])
    formats = [(path, form) for _, path, form in each]
    files = iter(read_files(formats, needs_label=True, known_labels=known_labels))
    rows = []
    for option, of_option in places.items():
        read = LabelledTexts()
        for code, path, _ in of_option:
            documents = next(files)
            if class_names is not None:
                _refuse_unnamed(documents, class_names)
            if option in PARTS:
                documents = with_words(documents)
            read.texts += documents.texts
            read.labels.extend(documents.labels or [])
            langs = row_languages(documents, code).langs
            read.langs += langs
            if option in PARTS:
                read.files.append(DataFile.of(path, PARTS[option], langs))
            read.ids += documents.ids or [None] * len(documents.texts)
        rows.append(read)
    return rows


def _refuse_unnamed(documents: Documents, class_names: Collection[str]) -> None:
    for label, line in zip(documents.labels or [], documents.lines, strict=True):
        if label not in class_names:
            hint = did_you_mean(str(label), class_names)
            raise InputError(
                f"the label {label!r} has no name in --classes; {hint}",
                path=documents.path, line=line,
            )  # fmt: skip


def _place(
    value: str, option: str, *, format: FileFormat, lang: str | None
) -> tuple[str | None, Path, FileFormat]:
    """Return what ``--lang`` would say of a file, the file, and how it is read."""
    says_language = lang is not None or format.lang_column is not None
    before, equals, _ = value.partition("=")
    is_code = bool(equals) and not set(before) & set("./\\")  # a folder may have = in its name
    if says_language and (Path(value).exists() or not is_code):
        return lang, Path(value), format
    try:
        pair = parse_language_file(value)
    except InputError as error:
        if equals:
            raise
        raise InputError(f"{error}, or give --lang-column where a column says it") from error
    return pair.lang, pair.path, replace(format, lang_column=None)
