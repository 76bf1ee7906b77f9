"""The data sets of ``isogloss demo``, written for it and shipped with the package.

Illustrations, not benchmarks. The files are in the folder ``demo`` beside this module: news by
topic, and in ``demo/products`` messages by the product they name.
"""

from importlib.resources import files
from pathlib import Path
from typing import Literal

from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.text.languages import parse_language

DemoTask = Literal["topics", "products"]

_FOLDER = Path(str(files("isogloss.data"))) / "demo"
_FOLDERS: dict[DemoTask, Path] = {"topics": _FOLDER, "products": _FOLDER / "products"}
_FORMAT = FileFormat(quoting="none")


def demo_train(task: DemoTask) -> Documents:
    """Return the labelled English documents to train on."""
    path = _FOLDERS[task] / "train.en.tsv"
    return read_documents(path, format=_FORMAT, needs_label=True)


def demo_tests(task: DemoTask) -> dict[str, Documents]:
    """Return language → labelled documents to test on, English first, then by code."""
    paths = {
        parse_language(path.name.split(".")[1]): path
        for path in sorted(_FOLDERS[task].glob("test.*.tsv"))
    }
    return {
        lang: read_documents(paths[lang], format=_FORMAT, needs_label=True)
        for lang in sorted(paths, key=lambda lang: (lang != "en", lang))
    }


def demo_names() -> list[Path]:
    """Return the names files of the demo, for ``kb build --source names:FILE``."""
    return [_FOLDER / "concepts.jsonl", _FOLDER / "products" / "products.csv"]
