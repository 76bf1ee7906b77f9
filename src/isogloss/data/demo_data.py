"""The data set of ``isogloss demo``, written for it and shipped with the package.

An illustration, not a benchmark. Its files lie in the folder ``demo`` beside this module.
"""

from importlib.resources import files
from pathlib import Path

from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.text.languages import parse_language

_FOLDER = Path(str(files("isogloss.data"))) / "demo"
_FORMAT = FileFormat(quoting="none")


def demo_train() -> Documents:
    """Return the labelled English documents to train on."""
    return read_documents(_FOLDER / "train.en.tsv", format=_FORMAT, needs_label=True)


def demo_tests() -> dict[str, Documents]:
    """Return language → labelled documents to test on, English first, then by code."""
    paths = {
        parse_language(path.name.split(".")[1]): path for path in sorted(_FOLDER.glob("test.*.tsv"))
    }
    return {
        lang: read_documents(paths[lang], format=_FORMAT, needs_label=True)
        for lang in sorted(paths, key=lambda lang: (lang != "en", lang))
    }


def demo_concepts_path() -> Path:
    """Return the names file of the demo's concepts, for ``kb build --source names:FILE``."""
    return _FOLDER / "concepts.jsonl"
