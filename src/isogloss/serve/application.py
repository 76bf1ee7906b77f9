"""The routes of the server, as one ASGI application behind its gate."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from http import HTTPStatus
from typing import Any

import msgspec

from isogloss import __version__
from isogloss.compat import require
from isogloss.errors import InputError
from isogloss.serve.asking import parsed, questions_of, refuse_kind
from isogloss.serve.batching import Batcher
from isogloss.serve.failures import RequestError, invalid, unsupported
from isogloss.serve.files import FileDesk, SentFile, form_of, keep_upload
from isogloss.serve.inbox import ORDERS, Inbox
from isogloss.serve.limits import Limits, body_of, in_time, within
from isogloss.serve.messages import Answered, ModelFacts
from isogloss.serve.page_files import page_files
from isogloss.serve.schema import ROUTES, with_messages
from isogloss.serve.security import Access, App, Gate, headers_of
from isogloss.serve.served import ServedModel
from isogloss.serve.uploads import uploads_folder

Endpoint = Callable[[Any], Awaitable[Any]]
EXTRA, WHY = "serve", "serving a model"


def application(
    served: ServedModel,
    *,
    access: Access | None = None,
    limits: Limits | None = None,
    inbox: Inbox | None = None,
) -> App:
    """Return the server of a model.

    Parameters
    ----------
    access
        Who may ask; None: programs and pages of this machine.
    limits
        How much; None: the usual.
    inbox
        Answered rows that the page shows.

    Raises
    ------
    InputError
        When a package of the extra is not installed.
    """
    routes = _Routes(served, limits or Limits(), inbox or Inbox())
    return Gate(routes.app, access or Access())


def refuse_without_extra() -> None:
    """Raise `InputError` when a package of the extra is not installed."""
    for module in ("fastapi", "uvicorn", "python_multipart"):  # one sentence names them all
        require(module, extra=EXTRA, why=WHY, distribution="fastapi uvicorn python-multipart")


class _Routes:
    """The routes, with what they share for as long as the server runs."""

    _batcher: Batcher[Any, Any]
    _files: FileDesk

    def __init__(self, served: ServedModel, limits: Limits, inbox: Inbox) -> None:
        fastapi: Any = require("fastapi", extra=EXTRA, why=WHY)
        responses: Any = require("fastapi.responses", extra=EXTRA, why=WHY)
        self._served, self._limits, self._inbox = served, limits, inbox
        self._request, self._response = fastapi.Request, fastapi.Response
        self._file_response = _kept_until_sent(responses.FileResponse)
        self._page = page_files()
        # FastAPI's own pages of documentation load from elsewhere.
        self.app = fastapi.FastAPI(
            title="isogloss", version=__version__, docs_url=None, redoc_url=None,
            lifespan=self._running,
            exception_handlers={
                RequestError: self._failed, InputError: self._unusable, Exception: self._broken,
                require("starlette.exceptions", extra=EXTRA, why=WHY).HTTPException: self._http,
            },
        )  # fmt: skip
        endpoints: dict[str, Endpoint] = {
            "/v1/classify": self._classify, "/v1/file": self._file, "/v1/columns": self._columns,
            "/v1/inbox": self._page_of_inbox,
            "/v1/model": self._model, "/healthz": self._health,
        }  # fmt: skip
        for path, route in ROUTES.items():
            endpoint = _taking(self._request, endpoints[path])
            self.app.add_api_route(path, endpoint, **route)
        for path, page in (("/", self._first_page), ("/page/{name}", self._part_of_page)):
            self.app.add_api_route(path, _taking(self._request, page), include_in_schema=False)
        with_messages(self.app)

    @asynccontextmanager
    async def _running(self, app: Any) -> AsyncIterator[None]:
        """Have a thread that computes, and a folder for files."""
        limits = self._limits
        with (
            uploads_folder() as folder,
            ThreadPoolExecutor(1, thread_name_prefix="isogloss") as executor,
        ):
            self._batcher = Batcher(self._served.answer, executor, most_waiting=limits.n_waiting)
            self._files = FileDesk(self._served, executor, folder, limits)
            yield

    async def _classify(self, request: Any) -> Any:
        headers = headers_of(request.scope)
        refuse_kind(headers.get("content-type"), headers.get("content-encoding"))
        receive = within(request.receive, self._limits.n_bytes, headers=headers)
        body = await body_of(receive, seconds=self._limits.seconds)
        asked = parsed(body, self._limits)
        answers = await self._batcher.ask(questions_of(asked))
        return self._json(Answered(self._served.told, answers))

    async def _file(self, request: Any) -> Any:
        with ExitStack() as stack:
            sent = await self._received(request, stack)
            out = await self._files.answer(sent, request)
            kept = stack.pop_all()
        return self._file_response(
            out, filename=out.name, media_type="application/octet-stream", kept=kept
        )

    async def _columns(self, request: Any) -> Any:
        with ExitStack() as stack:
            sent = await self._received(request, stack)
            return self._json(await asyncio.to_thread(self._files.looked_at, sent))

    async def _received(self, request: Any, stack: ExitStack) -> SentFile:
        """Return the file of a form, kept for as long as `stack` is open."""
        headers = headers_of(request.scope)
        kind = headers.get("content-type", "")
        if not kind.lower().startswith("multipart/form-data"):
            raise unsupported(repr(kind or "nothing")[:60], "multipart/form-data")
        folder = self._files.admit(stack)
        most = self._limits.n_file_bytes
        whole = self._request(
            request.scope, within(request.receive, most, headers=headers, what="the file")
        )
        async with in_time(self._limits.seconds):
            form = await whole.form(max_files=1, max_fields=16)
        try:
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
            upload = form.get("file")
            if upload is None or isinstance(upload, str):
                raise invalid("the form has no file; send it as the field 'file'", where="file")
            path = keep_upload(upload.file, upload.filename, folder)
            return SentFile(path, upload.filename, form_of(fields))
        finally:
            await form.close()

    async def _model(self, request: Any) -> Any:
        served, about = self._served, self._served.about
        return self._json(
            ModelFacts(
                served.told,
                langs=list(about.langs),
                n_training_documents=about.n_training_documents,
                multilabel=about.multilabel,
                has_entities=about.has_kb,
                has_examples=about.keeps_examples,
                known=served.known.all(),
                limits={
                    "texts": self._limits.n_texts,
                    "characters": self._limits.n_characters,
                    "bytes": self._limits.n_bytes,
                    "file_bytes": self._limits.n_file_bytes,
                },
                version=__version__,
            )
        )

    async def _page_of_inbox(self, request: Any) -> Any:
        query = request.query_params
        start, n = (_count(query.get(name, "0"), where=name) for name in ("start", "n"))
        order = query.get("order", ORDERS[0])
        if order not in ORDERS:
            raise invalid(f"order is {order!r:.40}; allowed: {', '.join(ORDERS)}", where="order")
        label, lang = query.get("label", ""), query.get("lang", "")
        return self._json(self._inbox.page(start, n, label=label, lang=lang, order=order))

    async def _health(self, request: Any) -> Any:
        return self._json({"status": "ok", "n_waiting": self._batcher.n_waiting})

    async def _first_page(self, request: Any) -> Any:
        return self._static("index.html")

    async def _part_of_page(self, request: Any) -> Any:
        return self._static(request.path_params["name"])

    def _static(self, name: str) -> Any:
        if name not in self._page:
            raise RequestError(404, "not_found", f"there is no {name[:80]!r} here", where="path")
        content, kind = self._page[name]
        return self._response(content, media_type=kind)

    async def _failed(self, request: Any, failure: RequestError) -> Any:
        return self._json(failure.as_json(), failure.status, failure.headers)

    async def _unusable(self, request: Any, error: InputError) -> Any:
        return await self._failed(request, invalid(str(error)))

    async def _http(self, request: Any, error: Any) -> Any:
        status = HTTPStatus(error.status_code)
        code = status.phrase.lower().replace(" ", "_")
        said = error.detail if isinstance(error.detail, str) else status.phrase
        failure = RequestError(status, code, said, where="path", headers=error.headers)
        return await self._failed(request, failure)

    async def _broken(self, request: Any, error: Exception) -> Any:
        sentence = "this is a fault of isogloss; what the server said names the place"
        return await self._failed(request, RequestError(500, "internal", sentence))

    def _json(self, value: Any, status: int = 200, headers: dict[str, str] | None = None) -> Any:
        """Return what JSON can hold; half characters of a model's labels as their escapes."""
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, allow_nan=False)
        body = text.encode("utf-8", "backslashreplace")
        return self._response(body, status, headers, media_type="application/json")


def _count(given: str, *, where: str) -> int:
    if not (given.isascii() and given.isdecimal() and len(given) < 10):
        raise invalid(f"{where} is {given!r:.40}; give a whole number", where=where)
    return int(given)


def _kept_until_sent(response: Any) -> Any:
    """Return the class of responses that close `kept` when they are sent, or cannot be."""

    class Kept(response):
        def __init__(self, *given: Any, kept: ExitStack, **named: Any) -> None:
            super().__init__(*given, **named)
            self._kept = kept

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            with self._kept:
                await super().__call__(scope, receive, send)

    return Kept


def _taking(request_type: Any, endpoint: Endpoint) -> Endpoint:
    """Return the endpoint as FastAPI takes it: a function that says it wants the whole request."""

    async def taking(request: Any) -> Any:
        return await endpoint(request)

    taking.__annotations__ = {"request": request_type}
    return taking
