"""The one place that asks what is installed, and says what to install.

Optional packages are imported where they are used, through `require`.
"""

import importlib
from types import ModuleType

from isogloss.errors import InputError


def require(module: str, *, extra: str, why: str) -> ModuleType:
    """Import an optional package, or say in one sentence which extra brings it.

    Parameters
    ----------
    module
        Import name, such as ``"zstandard"``.
    extra
        The extra of isogloss that installs it.
    why
        What it is needed for, as the start of the sentence: ``"reading .zst files"``.

    Raises
    ------
    InputError
        When the package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"{why} needs the package '{module.partition('.')[0]}', which is not installed; "
            f"install it with: pip install 'isogloss[{extra}]'"
        ) from error
