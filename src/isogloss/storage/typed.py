"""Records out of our own JSON by their types, and back.

Unlike msgspec's, none has a default for a lack.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import msgspec

Record = TypeVar("Record")


def typed(
    content: Any, kind: type[Record], *, decode: Callable[[Any, Any], Any] | None = None
) -> Record:
    """Return content as a record; what it holds beyond the fields is left alone.

    A field that is missing was written once: with its default the file would be read as another.

    Raises
    ------
    ValueError, KeyError
        When a value is of another kind, or a field is missing, also of a record inside; for
        `storage.files.damage_in_one_sentence`.
    """
    made: Record = msgspec.convert(content, kind, dec_hook=decode)
    _refuse_lacking(content, made)
    return made


def untyped(record: Any) -> Any:
    """Return a record as JSON has it, numbers of numpy as numbers."""
    return msgspec.to_builtins(record, enc_hook=lambda value: value.item())


def _refuse_lacking(content: Any, made: Any) -> None:
    if isinstance(made, msgspec.Struct):
        names = list(made.__struct_fields__)
    elif is_dataclass(made):
        names = [field.name for field in fields(made) if field.init]
    elif isinstance(made, dict):
        names = []
        for name, value in made.items():
            _refuse_lacking(content.get(name), value)
    else:
        names = []
        if isinstance(made, list | tuple) and isinstance(content, list | tuple):
            for one, value in zip(content, made, strict=False):
                _refuse_lacking(one, value)
    for name in names if isinstance(content, Mapping) else ():
        value = getattr(made, name)
        if value is not msgspec.UNSET:  # a field that may be missing
            _refuse_lacking(content[name], value)
