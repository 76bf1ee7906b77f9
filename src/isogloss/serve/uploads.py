"""Where files that are sent lie while they are answered: a folder that nobody else reads.

It is removed with the server; what a killed one left, the next one removes.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath

from isogloss.data.lines import compression_of
from isogloss.data.records import ENDINGS
from isogloss.errors import InputError
from isogloss.serve.failures import invalid, too_large, unsupported
from isogloss.storage.files import LOCK, locked

PREFIX = "isogloss-serve-"
SWELLING = 20  # times its size; a file that packs more is none that anybody fills in
_SMALL = 1 << 20  # bytes; of so few, a table of one text again and again may pack any number


@contextmanager
def uploads_folder() -> Iterator[Path]:
    """Make the folder for the time of the block."""
    place = Path(tempfile.gettempdir())
    for left in place.glob(f"{PREFIX}*"):
        _remove_left(left)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        with locked(folder, is_own=True):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def upload_name(name: str | None) -> str:
    """Return the last part of the name that a file was sent with; raises `RequestError` 415."""
    last = PurePath((name or "").replace("\\", "/")).name
    if PurePath(last).suffix.lower() not in ENDINGS:
        raise unsupported(
            f"a file named {last[-80:]!r}", f"one whose name ends in {', '.join(ENDINGS)}"
        )
    return last


def refuse_swelling(path: Path) -> None:
    """Raise `RequestError` for a packed file that is, or may be, much larger when unpacked.

    Raises
    ------
    RequestError
        413 when it is; 415 when it is compressed, whatever its name says, as readers go by its
        first bytes and not by that; 422 when it cannot be unpacked.
    """
    size = max(path.stat().st_size, _SMALL)
    if path.suffix == ".xlsx":
        try:
            with zipfile.ZipFile(path) as packed:
                unpacked = sum(one.file_size for one in packed.infolist())
        except zipfile.BadZipFile:
            return  # the reader of workbooks has a sentence for it
    elif path.suffix == ".parquet":
        unpacked = _bytes_of_parquet(path)
    else:
        compression = compression_of(path)
        if compression is not None:
            raise unsupported(f"compressed ({compression})", "it uncompressed")
        return
    if unpacked > SWELLING * size:
        raise too_large(SWELLING * size, what="what the file holds, unpacked,")


def _bytes_of_parquet(path: Path) -> int:
    from isogloss.data.parquet_files import open_parquet

    try:
        with open_parquet(path) as file:
            about = file.metadata
            return sum(about.row_group(at).total_byte_size for at in range(about.num_row_groups))
    except InputError as error:
        raise invalid(str(error).replace(str(path), path.name), where="file") from error


def _remove_left(folder: Path) -> None:
    """Remove what a server left that is no more; that of one that runs is locked."""
    if folder.is_symlink() or not (folder / LOCK).is_file():
        return
    try:
        with locked(folder, is_own=True):
            pass
    except (InputError, OSError):
        return
    shutil.rmtree(folder, ignore_errors=True)
