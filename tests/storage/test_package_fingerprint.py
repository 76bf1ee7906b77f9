"""The fingerprint of the package's own files is of the whole package."""

from pathlib import Path

import pytest

import isogloss
from isogloss.storage import files
from isogloss.storage.files import sha256_of_package


def test_the_fingerprint_covers_all_folders(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sha256_of_package("/inflections.txt") != sha256_of_package("/no such file")
    package = Path(isogloss.__file__).parent
    assert {"kb", "classify"} <= {file.name for file in package.iterdir()}
    (tmp_path / "storage").mkdir()
    (tmp_path / "kb").mkdir()
    monkeypatch.setattr(files, "__file__", str(tmp_path / "storage" / "files.py"))
    nothing = sha256_of_package(".py")
    (tmp_path / "kb" / "new.py").touch()
    assert sha256_of_package(".py") != nothing
