"""An index of texts from blocks of them: encoded and appended, in memory of one block."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from isogloss.arrays import Floats2d, Ints1d, offsets_of
from isogloss.encode import Encoder
from isogloss.encode.source import EncoderName
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.retrieve.approximate import ApproximateIndex, require_faiss
from isogloss.retrieve.index_files import (
    FAISS,
    ID_OFFSETS,
    IDS,
    LANGS,
    MOST_LANGS,
    TEXT_OFFSETS,
    TEXTS,
    VECTORS,
    FlatFile,
    Manifest,
    SavedFile,
    SavedLists,
    write_manifest,
)
from isogloss.storage.files import atomic_directory, sha256_of
from isogloss.totals import tell, told_with_totals

NAMES = (VECTORS, LANGS, TEXTS, TEXT_OFFSETS, IDS, ID_OFFSETS)


@dataclass(frozen=True)
class TextBlock:
    """Some texts, with an id and a language for each; None: not known."""

    texts: Sequence[str]
    ids: Sequence[str]
    langs: Sequence[str | None]

    def without_empty(self) -> "TextBlock":
        """Return the texts that hold something, and tell how many do not."""
        kept = [row for row, text in enumerate(self.texts) if text.strip()]
        tell(_without_text, len(self.texts) - len(kept), len(self.texts))
        if len(kept) == len(self.texts):
            return self
        return TextBlock(
            [self.texts[row] for row in kept],
            [self.ids[row] for row in kept],
            [self.langs[row] for row in kept],
        )


def build_index(
    blocks: Iterable[TextBlock],
    path: Path,
    *,
    encoder: Encoder,
    faiss: bool = False,
    overwrite: bool = False,
) -> Manifest:
    """Encode texts and write their index; the folder appears whole or not at all.

    Parameters
    ----------
    faiss
        Make inverted lists of FAISS too, for approximate search.

    Raises
    ------
    InputError
        When there is no text, `path` exists or cannot be written.

    Warns
    -----
    OmissionWarning
        With the number of empty texts, which are left out, of texts that were cut, and of texts
        with the id of another text of their language.
    """
    if faiss:
        require_faiss()
    with atomic_directory(path, overwrite=overwrite) as folder:
        with _files(folder) as files:
            building = _Building(files)
            with told_with_totals():
                for block in blocks:
                    building.add(block.without_empty(), encoder)
            if not building.n_texts:
                raise InputError("there is no text to index; give a file with texts")
            building.say_same_ids()
        saved = {name: file.saved for name, file in files.items()}
        lists = None
        if faiss:
            shape = (building.n_texts, encoder.width)
            lists, saved[FAISS] = _with_lists(folder, shape)
        name = EncoderName(encoder.name, encoder.fingerprint, encoder.settings.options())
        manifest = Manifest(
            n_texts=building.n_texts,
            width=encoder.width,
            langs=list(building.langs),
            encoder=name.seen_from(path),
            lists=lists,
            files=saved,
        )
        write_manifest(folder, manifest)
    return manifest


class _Building:
    """The files of an index while they grow."""

    def __init__(self, files: dict[str, FlatFile]) -> None:
        self.files = files
        self.langs: dict[str, int] = {}  # numbers, from 1
        self.n_texts = 0
        self._known_by: list[Ints1d] = []  # hashes of ids and languages, (n_texts of a block,)
        self._ends = {TEXT_OFFSETS: 0, ID_OFFSETS: 0}
        for name in self._ends:
            files[name].add(np.zeros(1, np.int64))

    def add(self, block: TextBlock, encoder: Encoder) -> None:
        if not block.texts:
            return
        encoded = encoder.encode_counted(list(block.texts), normalize=True)
        longest = encoder.settings.max_length.value
        tell(
            lambda n, n_all: (
                f"{n} of {counted(n_all, 'text')} are longer than {longest} tokens, and only their "
                "beginning can be found; say --long-texts windows"
            ),
            int(encoded.truncated.sum()), len(block.texts),
        )  # fmt: skip
        self.files[VECTORS].add(cast("Floats2d", encoded.vectors))
        numbers = [self._number_of(lang) for lang in block.langs]
        self.files[LANGS].add(np.array(numbers, np.uint16))
        self._add_strings(block.texts, TEXTS, TEXT_OFFSETS)
        self._add_strings(block.ids, IDS, ID_OFFSETS)
        hashes = [hash(known) for known in zip(block.ids, block.langs, strict=True)]
        self._known_by.append(np.array(hashes, np.int64))
        self.n_texts += len(block.texts)

    def say_same_ids(self) -> None:
        """Warn of texts that a hit's id and language do not tell apart."""
        n_told_apart = len(np.unique(np.concatenate(self._known_by)))
        if n_told_apart < self.n_texts:
            warn_omitted(
                f"{self.n_texts - n_told_apart:,} of {counted(self.n_texts, 'text')} have the id "
                "of another text of their language, so that an id does not say which was found; "
                "name a column of ids that differ with --id, in Python with ids"
            )

    def _number_of(self, lang: str | None) -> int:
        if lang is None:
            return 0
        number = self.langs.setdefault(lang, len(self.langs) + 1)
        if number >= MOST_LANGS:
            raise InputError(f"the texts are of more than {MOST_LANGS - 1:,} languages")
        return number

    def _add_strings(self, strings: Sequence[str], data: str, offsets: str) -> None:
        encoded = [string.encode("utf-8", "backslashreplace") for string in strings]
        ends = offsets_of([len(one) for one in encoded])[1:] + self._ends[offsets]
        self.files[data].add(b"".join(encoded))
        self.files[offsets].add(ends)
        self._ends[offsets] = int(ends[-1])


@contextmanager
def _files(folder: Path) -> Iterator[dict[str, FlatFile]]:
    with ExitStack() as stack:
        yield {name: FlatFile(stack.enter_context((folder / name).open("wb"))) for name in NAMES}


def _with_lists(folder: Path, shape: tuple[int, int]) -> tuple[SavedLists, SavedFile]:
    vectors: Floats2d = np.memmap(folder / VECTORS, "<f4", "r", shape=shape)
    made = ApproximateIndex.build(vectors)
    made.write(folder / FAISS)
    file = SavedFile((folder / FAISS).stat().st_size, sha256_of(folder / FAISS))
    return SavedLists(made.n_probe, made.recall), file


def texts_in_blocks(block: TextBlock, n_at_once: int) -> Iterator[TextBlock]:
    """Yield some of the texts at a time."""
    for start in range(0, len(block.texts), n_at_once):
        part = slice(start, start + n_at_once)
        yield replace(block, texts=block.texts[part], ids=block.ids[part], langs=block.langs[part])


def _without_text(n: int, n_all: int) -> str:
    return f"{n} of {counted(n_all, 'text')} are empty and left out of the index"
