"""Requests that cannot be answered: status, code and place of each; the server goes on."""

import json
from typing import Any

import pytest

JSON = {"content-type": "application/json"}
ONE = '{"texts": [{"text": "%s"}]}'


def texts(*asked: Any, **more: Any) -> str:
    return json.dumps({"texts": [*asked]} | more)


# Name → body, headers, status, code, place.
BAD: dict[str, tuple[str | bytes, dict[str, str], int, str, str | None]] = {
    "nothing": ("", JSON, 400, "not_json", "body"),
    "a word": ("hello", JSON, 400, "not_json", "body"),
    "cut": ('{"texts": [', JSON, 400, "not_json", "body"),
    "more behind it": ('{"texts": []} x', JSON, 400, "not_json", "body"),
    "two documents": ('{"texts": []}{}', JSON, 400, "not_json", "body"),
    "single quotes": ("{'texts': []}", JSON, 400, "not_json", "body"),
    "a comma too many": ('{"texts": [],}', JSON, 400, "not_json", "body"),
    "a control in a string": (ONE % "a\nb", JSON, 400, "not_json", "body"),
    "latin-1": ((ONE % "é").encode("latin-1"), JSON, 400, "not_json", "body"),
    "utf-16": ((ONE % "é").encode("utf-16"), JSON, 400, "not_json", "body"),
    "a byte-order mark": (b"\xef\xbb\xbf" + (ONE % "a").encode(), JSON, 400, "not_json", "body"),
    "half a character in utf-8": ((ONE % "\ud800").encode("utf-8", "surrogatepass"), JSON, 400,
                                  "not_json", "body"),
    "nested": ("[" * 100_000, JSON, 400, "not_json", "body"),
    "a key twice": ('{"texts": [], "texts": []}', JSON, 400, "not_json", "body"),
    "a number of many digits": ('{"texts": [{"text": "a", "id": %s}]}' % ("9" * 5000), JSON, 400,
                                "not_json", "body"),
    "a high half": (ONE % r"a\ud83d", JSON, 400, "lone_surrogate", "texts[0].text"),
    "a low half": (ONE % r"\ude00 a", JSON, 400, "lone_surrogate", "texts[0].text"),
    "halves turned": (ONE % r"\ude00\ud83d", JSON, 400, "lone_surrogate", "texts[0].text"),
    "half an id": ('{"texts": [{"text": "a", "id": "\\udfff"}]}', JSON, 400, "lone_surrogate",
                   "texts[0].id"),
    "half a key": ('{"texts": [], "\\ud800": 1}', JSON, 400, "lone_surrogate", "body"),
    "null": ("null", JSON, 422, "invalid", "body"),
    "a list": ("[]", JSON, 422, "invalid", "body"),
    "a string": ('"texts"', JSON, 422, "invalid", "body"),
    "not a number": ('{"texts": [], "explain": NaN}', JSON, 422, "invalid", "explain"),
    "no texts": ("{}", JSON, 422, "invalid", "body"),
    "texts of null": ('{"texts": null}', JSON, 422, "invalid", "texts"),
    "one text": ('{"texts": "a"}', JSON, 422, "invalid", "texts"),
    "plain strings": (texts("a", "b"), JSON, 422, "invalid", "texts[0]"),
    "a text of null": (texts({"text": "a"}, {"text": None}), JSON, 422, "invalid",
                       "texts[1].text"),
    "a number for a text": (texts({"text": 7}), JSON, 422, "invalid", "texts[0].text"),
    "no text": (texts({"id": "a"}), JSON, 422, "invalid", "texts[0]"),
    "another field": (texts({"text": "a", "label": "b"}), JSON, 422, "invalid", "texts[0]"),
    "another option": (texts(top_k=3), JSON, 422, "invalid", "body"),
    "a word for explain": (texts(explain="yes"), JSON, 422, "invalid", "explain"),
    "a broken id": (texts({"text": "a", "id": 1.5}), JSON, 422, "invalid", "texts[0].id"),
    "no such language": (texts({"text": "a"}, {"text": "b", "lang": "klingon"}), JSON, 422,
                         "invalid", "texts[1].lang"),
    "languages to choose from": (texts({"text": "a", "lang": "auto:es,tr"}), JSON, 422, "invalid",
                                 "texts[0].lang"),
    "too many texts": (texts(*[{"text": "a"}] * 257), JSON, 413, "too_many_texts", "texts"),
    "a long text": (texts({"text": "a"}, {"text": "é" * 20_001}), JSON, 413, "text_too_long",
                    "texts[1].text"),
    "a large body": (" " * (2 << 20) + texts(), JSON, 413, "too_large", "body"),
    "no content type": (texts().encode(), {}, 415, "unsupported_media_type", "header Content-Type"),
    "a form": ("texts=a", {"content-type": "application/x-www-form-urlencoded"}, 415,
               "unsupported_media_type", "header Content-Type"),
    "another character set": (texts(), {"content-type": "application/json; charset=latin-1"}, 415,
                              "unsupported_media_type", "header Content-Type"),
    "compressed": (texts(), JSON | {"content-encoding": "gzip"}, 415, "unsupported_media_type",
                   "header Content-Type"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_one_sentence_with_its_place(client: Any, name: str) -> None:
    body, headers, status, code, where = BAD[name]
    content = body if isinstance(body, bytes) else body.encode()
    reply = client.post("/v1/classify", content=content, headers=headers)
    error = reply.json()["error"]
    assert (reply.status_code, error["code"], error["where"]) == (status, code, where), error
    assert error["message"]
    assert len(error["message"]) < 300
    assert "\n" not in error["message"]


def test_there_are_enough_of_them() -> None:
    assert len(BAD) >= 40


def test_the_largest_request_is_answered(client: Any) -> None:
    asked = [{"text": "🙂" * 1500}, *[{"text": ""}] * 255]
    assert len(client.post("/v1/classify", json={"texts": asked}).json()["answers"]) == 256
    assert client.post("/v1/classify", json={"texts": [{"text": "é" * 20_000}]}).is_success


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/classify", 405, "method_not_allowed"),
        ("DELETE", "/v1/model", 405, "method_not_allowed"),
        ("GET", "/v2/classify", 404, "not_found"),
        ("GET", "/docs", 404, "not_found"),
        ("GET", "/redoc", 404, "not_found"),
        ("GET", "/page/../served.py", 404, "not_found"),
        ("GET", "/page/%2e%2e%2fserved.py", 404, "not_found"),
        ("GET", "/page/no.js", 404, "not_found"),
    ],
)
def test_a_path_that_is_none(client: Any, method: str, path: str, status: int, code: str) -> None:
    reply = client.request(method, path)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)


def test_a_chunked_body_is_bounded_too(client: Any) -> None:
    parts = (b" " * (1 << 20) for _ in range(3))
    reply = client.post("/v1/classify", content=parts, headers=JSON)
    assert (reply.status_code, reply.json()["error"]["code"]) == (413, "too_large")


def test_a_fault_of_ours_quotes_no_text(
    client: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from isogloss.classify.fitted import FittedClassifier

    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a secret")

    monkeypatch.setattr(FittedClassifier, "prepare", fail)
    reply = client.post("/v1/classify", json={"texts": [{"text": "a secret"}]})
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in reply.text + caplog.text
    monkeypatch.undo()
    assert client.post("/v1/classify", json={"texts": [{"text": "a"}]}).is_success
