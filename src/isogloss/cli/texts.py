"""Texts from a file or standard input, and the advice where a text is given for the file."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from isogloss.data.blocks import ROWS, read_blocks
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.data.lines import COMPRESSED
from isogloss.data.records import ENDINGS
from isogloss.errors import InputError

_LONGEST_SHOWN = 100  # characters of what is no file


def read_texts(file: str, *, format: FileFormat, command: str) -> Documents:
    """Read texts without labels; takes and raises what `read_documents` does.

    `command` stands before the file on the command line, for the advice where there is no such
    file: it may be the text itself.
    """
    with advised(file, command):
        return read_documents(file, format=format, needs_label=False)


def read_text_blocks(
    file: str, *, format: FileFormat, command: str, rows: int = ROWS
) -> Iterator[Documents]:
    """Yield texts some at a time; the first are read at once. Takes and raises as `read_texts`."""
    blocks = read_blocks(file, format=format, rows=rows)
    with advised(file, command):
        first = next(blocks)
    return chain([first], blocks)


@contextmanager
def advised(file: str, command: str) -> Iterator[None]:
    """Add the advice of `read_texts` to what is raised of a file that is not there."""
    try:
        yield
    except InputError as error:
        if file == "-" or _exists(Path(file)) or Path(file).suffix in (*ENDINGS, *COMPRESSED):
            raise
        said = str(error) if len(file) <= _LONGEST_SHOWN else f"no file '{file[:_LONGEST_SHOWN]}…'"
        raise InputError(
            f"{said}; a text itself comes on standard input: echo 'TEXT' | isogloss {command} -"
        ) from error


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:  # a name too long for any file
        return False
