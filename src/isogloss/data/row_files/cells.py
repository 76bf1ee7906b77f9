"""Cells of any format as those of another: text for tables, JSON, and types for Parquet.

A text stays as it is. What is no text is written as JSON has it; what JSON has not (dates, decimal
numbers) as text. Bytes are refused: no other format than Parquet holds them.
"""

import datetime
import decimal
import json
import math
from typing import Any, Literal

from isogloss.data.records import MISSING
from isogloss.errors import InputError

# What all cells of a column are: texts, or of several kinds; whole numbers up to 2^53, or 2^63.
Kind = Literal["text", "boolean", "whole", "long", "number"]
_LARGEST_IN_FLOAT, _LARGEST_LONG = 1 << 53, 1 << 63
_ENCODER = json.JSONEncoder(ensure_ascii=False, default=lambda value: _as_text(value))


def text_of(value: Any) -> str:
    """Return a cell of a table; "" for what is missing.

    Examples
    --------
    >>> [text_of(value) for value in ("a", None, 1.5, True, ["é"], datetime.date(2024, 5, 1))]
    ['a', '', '1.5', 'true', '["é"]', '2024-05-01']
    """
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, bool | int | float | list | dict | tuple):
        return _ENCODER.encode(value)
    return _as_text(value)


def json_of(value: Any) -> str:
    """Return a value as JSON on one line, numbers that JSON has not (NaN) as Python writes them."""
    return _ENCODER.encode(value)


def strict(value: Any) -> Any:
    """Return a value with None for each number that JSON has not."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, list | tuple):
        return [strict(one) for one in value]
    if isinstance(value, dict):
        return {str(name): strict(one) for name, one in value.items()}
    return value


def kind_of(value: Any) -> Kind | None:
    """Return what a value of JSON is; None: it says nothing of its column."""
    if value is None or value is MISSING:
        return None
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        if abs(value) <= _LARGEST_IN_FLOAT:
            return "whole"
        return "long" if -_LARGEST_LONG <= value < _LARGEST_LONG else "text"
    return "number" if isinstance(value, float) else "text"


def joint_kind(one: Kind | None, other: Kind | None) -> Kind | None:
    """Return the kind of a column that holds both; no number is changed by it.

    Examples
    --------
    >>> joint_kind("whole", "number"), joint_kind("long", "number"), joint_kind("text", None)
    ('number', 'text', 'text')
    """
    if one == other or other is None:
        return one
    if one is None:
        return other
    pair = {one, other}
    if pair == {"whole", "long"}:
        return "long"
    return "number" if pair == {"whole", "number"} else "text"


def _as_text(value: Any) -> str:
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes):
        raise InputError("a cell holds bytes, which only .parquet can hold; write that")
    if value is MISSING:
        raise AssertionError("a field that is missing is left out")
    return str(value) if isinstance(value, decimal.Decimal | datetime.timedelta) else repr(value)
