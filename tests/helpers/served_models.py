"""What the tests of the server share: where it seems to be, and how a client of it is had."""

from collections.abc import Callable
from typing import Any

URL = "http://127.0.0.1:8765"
Open = Callable[..., Any]  # how a server is opened → a client of it
