"""The files of a saved model beside its manifest, which holds their checksums."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from isogloss.errors import InputError
from isogloss.storage.files import sha256_of

REPAIR = "copy the model anew or fit it again"


def checksums_of(folder: Path, places: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each file of a model that its manifest answers for.

    Parameters
    ----------
    places
        Names of folders inside the model, whose files are among them.
    """
    patterns = ["*.safetensors", *(f"{place}/**/*" for place in places)]
    found = [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    return {
        file.relative_to(folder).as_posix(): sha256_of(file) for file in found if file.is_file()
    }


def check_files(path: Path, sha256: Mapping[str, str], *, needed: str) -> None:
    """Compare the files of a model with the checksums in its manifest.

    Parameters
    ----------
    needed
        Name of a file that every such model has.

    Raises
    ------
    InputError
        When a file is missing or another.
    ValueError, KeyError
        When the manifest names a file outside of the model, or lacks one.
    """
    if needed not in sha256:
        raise KeyError(needed)
    for name, checksum in sha256.items():
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ValueError(f"it names the file {name!r:.60}, which is not in its folder")
        file = path / name
        if not file.is_file():
            raise InputError(f"the model is incomplete, this file is missing; {REPAIR}", path=file)
        if sha256_of(file) != checksum:
            raise InputError(f"damaged: its checksum is not the one written; {REPAIR}", path=file)
