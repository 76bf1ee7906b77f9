"""Packages whose names are imported late say the same to type checkers and to Python."""

import ast
from importlib import import_module
from pathlib import Path

import pytest
from repository import ROOT

import isogloss
from isogloss.errors import InputError

SOURCE = ROOT / "src"
LATE = [
    path for path in sorted(SOURCE.rglob("__init__.py")) if "late_names(" in path.read_text("utf-8")
]


def package_of(path: Path) -> str:
    return ".".join(path.parent.relative_to(SOURCE).parts)


def test_there_is_something_to_look_at() -> None:
    assert len(LATE) > 8


@pytest.mark.parametrize("path", LATE, ids=package_of)
def test_both_ways_name_the_same(path: Path) -> None:
    package, tree = package_of(path), ast.parse(path.read_text("utf-8"))
    for_checkers = {
        alias.name: (node.module or "").removeprefix(f"{package}.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}.")
        for alias in node.names
        if alias.name != "late_names"
    }
    (table,) = [node for node in ast.walk(tree) if isinstance(node, ast.Dict)]
    assert ast.literal_eval(table) == for_checkers
    imported = import_module(package)
    assert set(imported.__all__) - {"__version__"} == set(for_checkers)
    assert set(imported.__all__) <= set(dir(imported))


def test_a_late_name_is_what_its_module_has() -> None:
    assert isogloss.InputError is InputError
    with pytest.raises(AttributeError, match="module 'isogloss' has no attribute 'InputEror'"):
        isogloss.InputEror  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'Enocder'"):
        from isogloss import Enocder  # noqa: F401
