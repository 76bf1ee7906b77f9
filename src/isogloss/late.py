"""Names of a package that are imported when they are asked for, as torch alone takes a second.

``from isogloss.classify import TextClassifier`` imports what it needs, ``import isogloss.classify``
next to nothing. Such a package says twice where its names are: to type checkers by imports under
``TYPE_CHECKING``, to Python by `late_names`. A test holds the two together.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a package whose names are imported late (PEP 562).

    Parameters
    ----------
    package
        Its ``__name__``.
    modules
        Name → the module inside the package that it comes from.

    Examples
    --------
    >>> find, names = late_names("isogloss", {"InputError": "errors"})
    >>> find("InputError")
    <class 'isogloss.errors.InputError'>
    >>> "InputError" in names()
    True
    """

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{modules[name]}"), name)

    def names() -> list[str]:
        return sorted({*vars(import_module(package)), *modules})

    return find, names
