"""The routes for programs, as ``/openapi.json`` describes them."""

from typing import Any

import msgspec

from isogloss.serve.files import FileForm
from isogloss.serve.messages import schemas


def _json(name: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}


def _route(method: str, summary: str, answer: Any, body: Any = None) -> dict[str, Any]:
    """Return what FastAPI takes of a route; `answer` and `body` are contents by their types."""
    route: dict[str, Any] = {
        "methods": [method],
        "summary": summary,
        "operation_id": summary.split(",")[0].lower().replace(" ", "_"),
        "responses": {200: {"description": "The answer.", "content": answer}},
    }
    if body is not None:
        faults = {"description": "What is wrong, and where.", "content": _json("Failed")}
        route["responses"]["4XX"] = faults
        route["openapi_extra"] = {"requestBody": {"required": True, "content": body}}
    return route


def _form() -> dict[str, Any]:
    fields = msgspec.json.schema(FileForm)["$defs"]["FileForm"]["properties"]
    file = {"type": "string", "format": "binary"}
    schema = {"type": "object", "required": ["file"], "properties": {"file": file} | fields}
    return {"multipart/form-data": {"schema": schema}}


_ANY_JSON: dict[str, Any] = {"application/json": {"schema": {"type": "object"}}}
_ROWS = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
ROUTES: dict[str, dict[str, Any]] = {
    "/v1/classify": _route("POST", "Classify texts", _json("Answered"), _json("Asked")),
    "/v1/file": _route("POST", "Classify a file, its rows with their answers", _ROWS, _form()),
    "/v1/columns": _route("POST", "Guess columns, of a file", _ANY_JSON, _form()),
    "/v1/inbox": _route(
        "GET", "Show rows, of the inbox that the server was opened with", _ANY_JSON
    ),
    "/v1/model": _route("GET", "Describe the model", _json("ModelFacts")),
    "/healthz": _route("GET", "Say whether the server runs", _ANY_JSON),
}


def with_messages(app: Any) -> None:
    """Let the schema that FastAPI makes of an application hold the messages too."""
    plain = app.openapi

    def openapi() -> dict[str, Any]:
        schema: dict[str, Any] = plain()
        schema.setdefault("components", {}).setdefault("schemas", {}).update(schemas())
        return schema

    app.openapi = openapi
