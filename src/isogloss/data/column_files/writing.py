"""Tags into a copy of a column file: on disk whole or not at all, or into a stream."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from isogloss.compat import require
from isogloss.data.column_files.column_file import ColumnFile
from isogloss.storage.atomic import atomic_file


def write_tagged(
    file: ColumnFile,
    tags: Sequence[Sequence[str]],
    out: Path | BinaryIO,
    *,
    overwrite: bool = False,
) -> None:
    """Write a column file with other tags; takes and raises what `ColumnFile.with_tags` does.

    Parameters
    ----------
    out
        A file, compressed where its name ends in .gz or .zst, or a stream of bytes.
    overwrite
        Replace a file that exists; without it that is an `InputError`.
    """
    written = file.with_tags(tags)
    if not isinstance(out, Path):
        out.write(written)
        return
    if out.suffix == ".gz":
        written = gzip.compress(written, mtime=0)
    elif out.suffix == ".zst":
        zstandard = require("zstandard", extra="zstd", why=f"{out}: writing zstd")
        written = zstandard.compress(written)
    with atomic_file(out, overwrite=overwrite) as made:
        made.write_bytes(written)
