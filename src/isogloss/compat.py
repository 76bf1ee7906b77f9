"""The one place that asks what is installed, and says what to install.

Packages of an extra are imported where they are used, through `require`, and never by an import
statement: deptry refuses that in ``make lint``.
"""

import importlib
import os
from types import ModuleType

from isogloss.errors import InputError

# onnxruntime sends its makers reports of its use from the moment it is imported, and keeps a
# number of the machine in the user's cache, unless this is set then.
UNREPORTED = {"ORT_DISABLE_TELEMETRY": "1"}


def import_package(module: str) -> ModuleType:
    """Import a package that may be there, so that it sends no reports; who set it otherwise may.

    Raises
    ------
    ImportError
        When the package is not installed; and what else its import raises.
    """
    lacking = UNREPORTED.keys() - os.environ.keys()
    os.environ.update({name: UNREPORTED[name] for name in lacking})
    try:
        return importlib.import_module(module)
    finally:
        for name in lacking:
            os.environ.pop(name, None)


def require(module: str, *, extra: str, why: str, distribution: str | None = None) -> ModuleType:
    """Import an optional package, or say in one sentence which extra brings it.

    Parameters
    ----------
    module
        Import name, such as ``"zstandard"``.
    extra
        The extra of isogloss that installs it.
    why
        What it is needed for, as the start of the sentence: ``"reading .zst files"``.
    distribution
        What pip installs, where that has another name than the module.

    Raises
    ------
    InputError
        When the package is not installed.
    """
    try:
        return import_package(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise InputError(
            f"{why} needs the package '{package}', which is not installed; "
            f"{how_to_install(extra, distribution or package)}"
        ) from error


def how_to_install(extra: str, package: str) -> str:
    """Return the half of a sentence that says how to install an extra, in a clone and elsewhere.

    Examples
    --------
    >>> how_to_install("tune", "peft")[:61]
    "it comes with the extra 'tune': pip install '.[tune]' -c cons"
    """
    return (
        f"it comes with the extra '{extra}': pip install '.[{extra}]' -c constraints.txt in a "
        f"clone of isogloss, elsewhere pip install {package}"
    )
