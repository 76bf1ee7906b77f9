"""MLDoc (Schwenk and Li 2018): news of Reuters in eight languages and four classes.

A row is a label, a tab and the text, as ``generate_documents.py`` of facebookresearch/MLDoc writes
it from the corpora RCV1 and RCV2. That script formats the bytes of the text: with Python 3 the text
is written as ``b'…'``, as a program would, and is turned back into text here; with Python 2 it is
the text itself. It leaves out an article that it cannot read, so a file may be smaller than the
published one.
"""

import ast
from dataclasses import replace
from pathlib import Path

from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.data.lines import open_lines
from isogloss.errors import InputError, counted

LABELS = ("CCAT", "ECAT", "GCAT", "MCAT")

_FORMAT = FileFormat(text=("2",), label="1", quoting="none")
_QUOTES = ("b'", 'b"')


def mldoc(path: Path) -> Documents:
    """Return the documents of a file, their labels ``CCAT``, ``ECAT``, ``GCAT`` or ``MCAT``.

    Raises
    ------
    InputError
        What `read_documents` says; for another label, and a text that is written as bytes but
        breaks off or is not UTF-8.
    """
    for line, first in open_lines(path):
        n_columns = first.count("\t") + 1
        if n_columns != 2:
            columns = counted(n_columns, "column")
            raise InputError(f"has {columns}; a row is label, tab, text", path=path, line=line)
        break
    read = read_documents(path, format=_FORMAT, needs_label=True)
    for label, line in zip(read.labels or (), read.lines, strict=True):
        if label not in LABELS:
            raise InputError(
                f"the label is '{label:.40}', of MLDoc it is {', '.join(LABELS)}; give a file that "
                "its script made",
                path=path, line=line,
            )  # fmt: skip
    texts = [
        _decoded(text, path, line) if text.startswith(_QUOTES) else text
        for text, line in zip(read.texts, read.lines, strict=True)
    ]
    return replace(read, texts=texts)


def _decoded(text: str, path: Path, line: int) -> str:
    """Return the text that a literal of bytes stands for; `literal_eval` runs nothing."""
    try:
        raw = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raw = None
    if not isinstance(raw, bytes):
        raise InputError(
            f"the text begins as {text[:2]}…{text[1:2]} does and breaks off; make the file again",
            path=path, line=line,
        )  # fmt: skip
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"the text is not UTF-8 (byte {error.start + 1}); make the file again",
            path=path, line=line,
        ) from error  # fmt: skip
