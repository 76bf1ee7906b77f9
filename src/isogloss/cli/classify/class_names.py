"""``--classes FILE``: a row for each name or description of a label."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import InputError

ClassesFile = Annotated[
    Path | None,
    typer.Option(
        help="Names or descriptions of the classes, columns label and text: they count beside the "
        "texts of --train, of which there may be few or none. For the encoder alone."
    ),
]


def read_class_names(path: Path) -> dict[str, list[str]]:
    """Return label to its names.

    Raises
    ------
    InputError
        When the file cannot be read or a row has no name.
    """
    documents = read_documents(path, format=FileFormat(fixed_by="--classes"), needs_label=True)
    names: dict[str, list[str]] = {}
    for label, name, line in zip(
        documents.labels or [], documents.texts, documents.lines, strict=True
    ):
        if not name.strip():
            raise InputError(f"class {label!r} has no name in 'text'", path=path, line=line)
        names.setdefault(str(label), []).append(name)
    return names
