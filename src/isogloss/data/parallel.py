"""Parallel text for `probe neutrality`: files of several languages, translated line by line.

Rows that are empty or repeated in a language are dropped from all languages, and counted.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.errors import InputError
from isogloss.text.languages import LanguageFile


@dataclass(frozen=True)
class ParallelTexts:
    """Sentences in several languages: language → its own; sentence i of all languages is one."""

    texts: dict[str, list[str]]
    n_empty: int = 0  # rows left out because a text was empty
    n_repeated: int = 0  # and because one was met before in its language

    @property
    def langs(self) -> list[str]:
        """Languages, as given."""
        return list(self.texts)

    @property
    def n_sentences(self) -> int:
        """Sentences of each language."""
        return len(next(iter(self.texts.values())))

    def drawn(self, n: int, *, seed: int) -> "ParallelTexts":
        """Return at most `n` sentences, drawn at random, in their order."""
        if n >= self.n_sentences:
            return self
        rows = np.sort(np.random.default_rng(seed).choice(self.n_sentences, n, replace=False))
        return self._at(rows)

    def _at(self, rows: Ints1d) -> "ParallelTexts":
        texts = {lang: [some[row] for row in rows] for lang, some in self.texts.items()}
        return ParallelTexts(texts, self.n_empty, self.n_repeated)


def read_parallel(files: Sequence[LanguageFile]) -> ParallelTexts:
    """Read one file for each language.

    Files with ids (columns ``id``, ``index_id`` or ``sent_id``) must have the same ones in the
    same rows.

    Raises
    ------
    InputError
        For fewer than two languages, a language given twice, unequal numbers of rows, ids that
        differ; and whatever `read_documents` raises.
    """
    lang, n = Counter(file.lang for file in files).most_common(1)[0] if files else ("", 0)
    if n > 1:
        raise InputError(f"language {lang} is given twice; give one file for each language")
    if len(files) < 2:
        raise InputError("parallel text is of two languages or more; give LANG=FILE for each")
    read = [
        read_documents(file.path, format=FileFormat(fixed_by="--text"), needs_label=False)
        for file in files
    ]
    for one in read[1:]:
        _check_rows(read[0], one)
    with_ids = [one for one in read if one.ids is not None]
    for one in with_ids[1:]:
        _check_ids(with_ids[0], one)
    return parallel_texts({file.lang: one.texts for file, one in zip(files, read, strict=True)})


def parallel_texts(texts: dict[str, list[str]]) -> ParallelTexts:
    """Return the rows that are a sentence in every language, each once.

    Raises
    ------
    InputError
        For lists of different lengths.
    """
    columns = {lang: [" ".join(text.split()) for text in some] for lang, some in texts.items()}
    if len({len(column) for column in columns.values()}) > 1:
        sizes = ", ".join(f"{lang} {len(column):,}" for lang, column in columns.items())
        raise InputError(f"parallel text has as many sentences in each language, not {sizes}")
    met: dict[str, set[str]] = {lang: set() for lang in columns}
    kept, n_empty, n_repeated = [], 0, 0
    for row, sentence in enumerate(zip(*columns.values(), strict=True)):
        is_empty = not all(sentence)
        is_met = any(text in met[lang] for lang, text in zip(columns, sentence, strict=True))
        n_empty += is_empty
        n_repeated += is_met and not is_empty
        if not is_empty and not is_met:
            kept.append(row)
            for lang, text in zip(columns, sentence, strict=True):
                met[lang].add(text)
    return ParallelTexts(texts, n_empty, n_repeated)._at(np.array(kept, np.int64))


def _check_rows(first: Documents, other: Documents) -> None:
    if len(first.texts) != len(other.texts):
        raise InputError(
            f"has {len(other.texts):,} texts, {first.path} has {len(first.texts):,}; in parallel "
            "text line i of every file is the same sentence",
            path=other.path,
        )


def _check_ids(first: Documents, other: Documents) -> None:
    for ours, theirs, line in zip(first.ids or [], other.ids or [], other.lines, strict=False):
        if ours != theirs:
            raise InputError(
                f"the id is {theirs}, that of the same row of {first.path} is {ours}; in parallel "
                "text row i of every file is the same sentence",
                path=other.path,
                line=line,
            )
