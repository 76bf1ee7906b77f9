"""What a request may fail by: one shape of JSON, whatever found the fault."""

from collections.abc import Mapping
from typing import Any


class RequestError(Exception):
    """A request that cannot be answered.

    Parameters
    ----------
    status
        Of HTTP.
    code
        A word that programs go by.
    message
        A sentence that humans read: what is wrong, what is allowed.
    where
        The place of the fault in the request: ``texts[3].lang``, ``header Host``, ``line 7``.
    headers
        More headers of the answer.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        where: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.where = status, code, message, where
        self.headers = dict(headers or {})

    def as_json(self) -> dict[str, Any]:
        """Return what the answer holds."""
        return {"error": {"code": self.code, "message": self.message, "where": self.where}}


def too_large(most: int, *, what: str = "the request") -> RequestError:
    """Return the failure of a body with more bytes than may be sent."""
    mebibytes = most / (1 << 20)
    return RequestError(
        413, "too_large", f"{what} is larger than {mebibytes:g} MiB; send it in parts", where="body"
    )


def unsupported(found: str, allowed: str) -> RequestError:
    """Return the failure of a body of another kind."""
    return RequestError(
        415,
        "unsupported_media_type",
        f"the body is {found}; send {allowed}",
        where="header Content-Type",
    )


def invalid(message: str, *, where: str | None = None) -> RequestError:
    """Return the failure of a request that is whole, and says what cannot be."""
    return RequestError(422, "invalid", message, where=where)
