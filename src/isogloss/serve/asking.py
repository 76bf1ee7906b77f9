"""The body of ``POST /v1/classify`` as questions, or the fault in it."""

import json
import re
from dataclasses import dataclass

import msgspec

from isogloss.errors import InputError
from isogloss.serve.failures import RequestError, invalid, unsupported
from isogloss.serve.limits import Limits, text_too_long
from isogloss.serve.messages import Asked, AskedText
from isogloss.storage.files import parse_json
from isogloss.text.detect import AUTO
from isogloss.text.languages import parse_language

_HALF = re.compile("[\ud800-\udfff]")
_PLACE = re.compile(r" - at `\$\.?(.*)`$")


@dataclass(frozen=True)
class Question:
    """A text to answer.

    Attributes
    ----------
    lang
        A code; None: it is to be detected.
    explain
        Give the evidence too.
    id
        What the answer is known by.
    """

    text: str
    lang: str | None = None
    explain: bool = False
    id: str | int | None = None


def refuse_kind(content_type: str | None, encoding: str | None) -> None:
    """Raise `RequestError` 415 for a body that is not JSON as it is."""
    kind, *parameters = (content_type or "").lower().replace(" ", "").split(";")
    is_other = any(one not in ("", "charset=utf-8", 'charset="utf-8"') for one in parameters)
    if kind != "application/json" or is_other:
        raise unsupported(repr(content_type or "nothing")[:60], "application/json in UTF-8")
    if encoding not in (None, "", "identity"):
        raise unsupported(f"compressed ({encoding[:20]!r})", "it uncompressed")


def parsed(body: bytes, limits: Limits) -> Asked:
    """Return what a body asks.

    Raises
    ------
    RequestError
        400 when it is not JSON, or holds half a character; 422 when it is of another shape; 413
        when it asks too much.
    """
    try:
        text = body.decode("utf-8")
        content = parse_json(text)
    except ValueError as error:
        sentence = f"the body is not JSON: {_HALF.sub('?', str(error))[:200]}"
        raise RequestError(400, "not_json", sentence, where="body") from error
    if "\\u" in text and _HALF.search(json.dumps(content, ensure_ascii=False)):
        raise RequestError(
            400,
            "lone_surrogate",
            "a string holds half a character of UTF-16 (a lone surrogate); send whole characters",
            where=_place_of_half(content),
        )
    try:
        asked = msgspec.convert(content, Asked)
    except msgspec.ValidationError as error:
        found = _PLACE.search(str(error))
        where = (found[1] or "body") if found else "body"
        raise invalid(_PLACE.sub("", str(error)), where=where) from error
    _refuse_much(asked, limits)
    return asked


def questions_of(asked: Asked) -> list[Question]:
    """Return the questions; raises `RequestError` 422 for what is no language."""
    made = []
    for row, one in enumerate(asked.texts):
        try:
            made.append(Question(one.text, _language(one), asked.explain, one.id))
        except InputError as error:
            raise invalid(str(error), where=f"texts[{row}].lang") from error
    return made


def _language(one: AskedText) -> str | None:
    if one.lang is None or one.lang == AUTO:
        return None
    if one.lang.startswith(AUTO):
        raise InputError(f"lang is '{one.lang:.40}'; give a code, such as 'en', or leave it out")
    return parse_language(one.lang)


def _refuse_much(asked: Asked, limits: Limits) -> None:
    if len(asked.texts) > limits.n_texts:
        raise RequestError(
            413,
            "too_many_texts",
            f"{len(asked.texts):,} texts; at most {limits.n_texts:,} may be asked at once",
            where="texts",
        )
    for row, one in enumerate(asked.texts):
        if len(one.text) > limits.n_characters:
            raise text_too_long(len(one.text), limits.n_characters, where=f"texts[{row}].text")


def _place_of_half(content: object) -> str:
    """Return where the first string with half a character is, as far as it is a text's."""
    texts = content.get("texts") if isinstance(content, dict) else None
    for row, one in enumerate(texts if isinstance(texts, list) else ()):
        for name, value in one.items() if isinstance(one, dict) else ():
            if isinstance(value, str) and _HALF.search(value):
                return f"texts[{row}].{name}"
    return "body"
