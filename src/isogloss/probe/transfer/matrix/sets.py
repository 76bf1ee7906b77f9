"""Training and test sets of a transfer matrix: tagged sentences, from column files.

A training set is of one language, or of several that are trained on together (``hi+en=A,B``). Of
each of its languages equally many words are drawn, whole sentences in a random order, so that
languages differ in what is said and not in how much.
"""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from isogloss.data.column_files import ColumnFile, ColumnFormat, read_column_file
from isogloss.errors import InputError, counted, warn_caller, warn_omitted
from isogloss.probe.transfer.matrix.matrix import Task
from isogloss.probe.transfer.measures.pairs import JOINT
from isogloss.storage.files import sha256_of
from isogloss.tag.schemes import Place, Scheme, found_scheme, in_scheme
from isogloss.text.languages import LanguageFile, parse_language, parse_language_file

SCHEME: Scheme = "IOB2"  # that all entities are compared in


@dataclass(frozen=True)
class ReadAs:
    """How column files are read; as `read_column_file` takes them, None: the column of the task."""

    column: str | None = None
    format: Literal["auto"] | ColumnFormat = "auto"
    encoding: str = "utf-8"


DEFAULT = ReadAs()


@dataclass(frozen=True)
class TaggedText:
    """Tagged sentences of one language.

    Attributes
    ----------
    ids
        Of the sentences; None where the file gives none.
    is_scored
        Of each word, whether it counts in a test; None: all do.
    n_changed
        Words that an alteration changed.
    """

    lang: str
    path: Path
    sha256: str
    sentences: list[list[str]]
    tags: list[list[str]]
    ids: list[str] | None
    is_scored: list[list[bool]] | None = None
    n_changed: int = 0

    @property
    def n_words(self) -> int:
        """All words."""
        return sum(map(len, self.sentences))

    @property
    def documents(self) -> list[str]:
        """An id for each sentence: its own, which may be in other languages too, or its number."""
        if self.ids is not None:
            return self.ids
        return [f"{self.lang} {number}" for number in range(len(self.sentences))]

    @cached_property
    def fingerprint(self) -> str:
        """Of the words and tags, and which are scored."""
        content = repr((self.lang, self.sentences, self.tags, self.is_scored))
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class TrainingSet:
    """What a tagger is trained on: text of one language or several."""

    name: str  # "hi", "hi+en"
    parts: Sequence[TaggedText]

    @cached_property
    def fingerprint(self) -> str:
        """Of the words and tags of all parts."""
        return hashlib.sha256(" ".join(one.fingerprint for one in self.parts).encode()).hexdigest()

    def drawn(self, n_words: int | None, *, seed: int) -> TaggedText:
        """Return about as many words of each language, in whole sentences; None: all.

        Sentences come in a random order, those that would go beyond the number are left out; the
        language is the name of the set.
        """
        sentences: list[list[str]] = []
        tags: list[list[str]] = []
        for part in self.parts:
            rows = list(_drawn(part, n_words, seed=seed))
            sentences += [part.sentences[row] for row in rows]
            tags += [part.tags[row] for row in rows]
        return TaggedText(self.name, Path(), "", sentences, tags, None)

    def drawn_langs(self, n_words: int | None, *, seed: int) -> list[str]:
        """Return the language of each sentence of `drawn`."""
        return [part.lang for part in self.parts for _ in _drawn(part, n_words, seed=seed)]


def parse_training(value: str) -> list[LanguageFile]:
    """Read a ``LANG=FILE`` argument, or ``LANG+LANG=FILE,FILE``.

    Raises
    ------
    InputError
        As `parse_language_file`, or when there are not as many files as languages.

    Examples
    --------
    >>> [(file.lang, str(file.path)) for file in parse_training("hin+eng=a.conllu,b.conllu")]
    [('hi', 'a.conllu'), ('en', 'b.conllu')]
    """
    languages, equals, paths = value.partition("=")
    langs = languages.split(JOINT)
    if len(langs) == 1 or not equals:
        return [parse_language_file(value)]
    files = paths.split(",")
    if len(files) != len(langs):
        raise InputError(
            f"'{value}' has {counted(len(langs), 'language')} and {counted(len(files), 'file')}; "
            "give a file for each, as in hi+en=hi.conllu,en.conllu"
        )
    found = [parse_language_file(f"{lang}={file}") for lang, file in zip(langs, files, strict=True)]
    if len({file.lang for file in found}) < len(found):
        raise InputError(f"'{value}' names a language twice; leave one out")
    return found


def read_training(values: Sequence[str], task: Task, how: ReadAs = DEFAULT) -> list[TrainingSet]:
    """Read the training sets, each file once.

    Raises
    ------
    InputError
        What `parse_training` and `read_tagged` say; two sets of the same languages; words that all
        have one tag.
    """
    read: dict[LanguageFile, TaggedText] = {}
    found: dict[str, TrainingSet] = {}
    for value in values:
        files = parse_training(value)
        name = JOINT.join(file.lang for file in files)
        if name in found:
            raise InputError(f"--train: {name} is given twice; give one of each")
        for file in files:
            if file not in read:
                read[file] = read_tagged(file, task, how)
                _refuse_one_tag(read[file])
        found[name] = TrainingSet(name, [read[file] for file in files])
    return [*found.values()]


def read_tests(values: Sequence[str], task: Task, how: ReadAs = DEFAULT) -> dict[str, TaggedText]:
    """Read the test sets, by language.

    Raises
    ------
    InputError
        What `read_tagged` says; a language that is given twice.
    """
    found: dict[str, TaggedText] = {}
    for value in values:
        file = parse_language_file(value)
        if file.lang in found:
            raise InputError(f"--test: language {file.lang} is given twice; give one file for each")
        found[file.lang] = read_tagged(file, task, how)
    return found


def read_tagged(file: LanguageFile, task: Task, how: ReadAs = DEFAULT) -> TaggedText:
    """Read a column file with tags; entities are brought into one scheme.

    Raises
    ------
    InputError
        When it cannot be read, or has no tags.
    """
    if str(file.path) == "-":
        raise InputError("standard input cannot be read again, as this text is; give a file")
    read = read_column_file(
        file.path, column=how.column or task, format=how.format, encoding=how.encoding,
        needs_tags=True,
    )  # fmt: skip
    read.say_other_language(file.lang)
    return tagged_text(read, file.lang, task)


def tagged_text(read: ColumnFile, lang: str, task: Task) -> TaggedText:
    """Return the tagged sentences of a column file, its entities brought into one scheme.

    Raises
    ------
    InputError
        When its entities keep to no scheme.
    """
    ids = [sentence.id for sentence in read.sentences]
    tags = [sentence.tags or [] for sentence in read.sentences]
    if task == "ner":
        lines = [sentence.lines for sentence in read.sentences]
        scheme = found_scheme(tags, where=lambda at, word: Place(read.path, lines[at][word]))
        tags = [in_scheme(some, scheme, SCHEME) for some in tags]
    known = [one for one in ids if one is not None]
    return TaggedText(
        parse_language(lang), read.path, sha256_of(read.path), read.words, tags,
        known if len(known) == len(ids) else None,
    )  # fmt: skip


def say_small(sets: Sequence[TrainingSet], n_words: int | None) -> None:
    """Warn of texts that have fewer words than are to be drawn: sets are of different sizes then.

    Warns
    -----
    OmissionWarning
        With the languages and their words.
    """
    small = {part.lang: part.n_words for one in sets for part in one.parts
             if n_words is not None and part.n_words < n_words}  # fmt: skip
    if small:
        warn_omitted(
            f"fewer than {n_words:,} words to train on: "
            + ", ".join(f"{lang} {n:,}" for lang, n in small.items())
            + ("; training sets differ in size" if len(sets) > 1 else "; all are taken")
        )


def say_translations(sets: Sequence[TrainingSet], tests: Mapping[str, TaggedText]) -> None:
    """Warn where a test sentence has the id of a training sentence: it may be its translation."""
    for one in sets:
        trained = {found for part in one.parts for found in part.ids or ()}
        for lang, test in tests.items():
            n_shared = sum(found in trained for found in test.ids or ())
            if n_shared:
                warn_caller(
                    f"{counted(n_shared, 'test sentence')} in '{lang}' have the id of a sentence "
                    f"that '{one.name}' is trained on, as translations have: train on other text"
                )


def _refuse_one_tag(text: TaggedText) -> None:
    names = {tag for tags in text.tags for tag in tags}
    if len(names) < 2:
        raise InputError(
            f"all words have the tag '{min(names)}', which nothing can be learned from; give "
            "sentences with at least two tags",
            path=text.path,
        )


def _drawn(part: TaggedText, n_words: int | None, *, seed: int) -> Iterator[int]:
    """Yield the rows of the sentences that are drawn."""
    order = np.random.default_rng(seed).permutation(len(part.sentences)).tolist()
    left = part.n_words if n_words is None else n_words
    for row in order:
        if len(part.sentences[row]) <= left:
            left -= len(part.sentences[row])
            yield row
