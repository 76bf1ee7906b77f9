"""Words and tags of CoNLL-2002, CoNLL-2003 and Universal Dependencies.

Both are read by `isogloss.data.column_files`; here is what is known of these sets beyond it.

- CoNLL-2002, as its read-me describes it: a word a line with its entity (Spanish), or with its part
  of speech between (Dutch; Spanish, too, in a later release), IOB2, ``-DOCSTART-`` between the
  Dutch articles.
- CoNLL-2003, as the page of its task describes it: word, part of speech, chunk, entity; IOB1, so
  that ``B-`` only parts entities of one type. In the German files, of which there is a revision of
  2006, a lemma follows the word. Releases in IOB2 are about; `tag` and `probe` find which it is.
- Programs that read the German files as they were released decode them as latin-1. Of the files of
  2002 the encoding was not checked; copies of either are about in UTF-8. So files that are not
  UTF-8 are read as latin-1.
"""

import codecs
import re
from pathlib import Path
from typing import Any

from isogloss.data.column_files import ColumnFile, read_column_file
from isogloss.data.lines import opened
from isogloss.errors import InputError

TYPES = ("PER", "LOC", "ORG", "MISC")

_ENTITY = re.compile(rf"O|[BI]-(?:{'|'.join(TYPES)})")
_BLOCK_BYTES = 1 << 20


def conll_ner(path: Path) -> ColumnFile:
    """Return the sentences of a file of CoNLL-2002 or 2003, with their entities as they are tagged.

    Raises
    ------
    InputError
        What `read_column_file` says, and for a tag that is none of the two tasks.
    """
    read = read_column_file(
        path, column="ner", format="conll", encoding=encoding_of(path), needs_tags=True
    )
    for sentence in read.sentences:
        for tag, line in zip(sentence.tags or (), sentence.lines, strict=True):
            if _ENTITY.fullmatch(tag) is None:
                raise InputError(
                    f"the tag '{tag:.20}' is none of CoNLL-2002 and 2003, which have O and B- or "
                    f"I- before {', '.join(TYPES)}; give their files, the entity in the last "
                    "column",
                    path=path, line=line,
                )  # fmt: skip
    return read


def encoding_of(path: Path) -> str:
    """Return the encoding of a file of CoNLL: UTF-8 if its bytes are that, else latin-1.

    Raises
    ------
    InputError
        When it cannot be opened, or is cut off.
    """
    decoder: Any = codecs.getincrementaldecoder("utf-8")()
    with opened(path) as stream:
        try:
            while block := stream.read(_BLOCK_BYTES):
                decoder.decode(block)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "latin-1"
    return "utf-8"


def ud(path: Path) -> ColumnFile:
    """Return the sentences of a treebank with their parts of speech.

    Raises
    ------
    InputError
        What `read_column_file` says.
    """
    return read_column_file(path, column="upos", format="conllu", needs_tags=True)
