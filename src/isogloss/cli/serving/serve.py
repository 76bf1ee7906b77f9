"""``isogloss serve``: a model asked by programs and on a page, on this machine."""

import logging
import socket
import sys
import webbrowser
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.classify.model import Model
from isogloss.cli.groups import Given, grouped
from isogloss.errors import InputError
from isogloss.serve.security import LEAST_TOKEN, LOOPBACK, Access, is_loopback, is_token

if TYPE_CHECKING:
    from isogloss.serve.inbox import Inbox
    from isogloss.serve.served import ServedModel

PORT = 8765


@dataclass(frozen=True, kw_only=True)
class PageOptions:
    """Where the page is that a command opens."""

    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any that is free.")] = PORT
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Say where the page is, and open no browser.")
    ] = False

    @property
    def listening(self) -> "Listening":
        """Where the server of the page listens."""
        return Listening(port=self.port)


@dataclass(frozen=True, kw_only=True)
class Listening:
    """Where the server listens, and who may ask."""

    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any that is free.")] = PORT
    host: Annotated[
        str,
        typer.Option(help="Address to listen at; other machines reach some, which need --token."),
    ] = LOOPBACK[0]
    token: Annotated[
        str | None,
        typer.Option(
            envvar="ISOGLOSS_TOKEN", show_envvar=True,
            help="Secret that every request must bring (default: none is needed).",
        ),
    ] = None  # fmt: skip

    def check(self) -> None:
        """Refuse a server that anybody could ask, a token that is soon guessed, and no extra."""
        from isogloss.serve.application import refuse_without_extra

        if self.token is None and not is_loopback(self.host):
            raise InputError(
                f"--host {self.host} can be reached by others; give --token too, which each "
                "request must bring"
            )
        if self.token is not None and not is_token(self.token):
            raise InputError(
                f"--token needs {LEAST_TOKEN} letters and digits or more; give a longer one"
            )
        refuse_without_extra()

    def opened(self) -> socket.socket:
        """Return the socket; raises `InputError` where it cannot be had."""
        from isogloss.serve.running import listening_socket

        return listening_socket(self.host, self.port)


@grouped
def serve(given: Given, saved: Model, listening: Listening) -> None:
    """Serve a model on this machine: a page to try it on, and JSON for programs."""
    listening.check()
    about = saved.about(given)
    with listening.opened() as listener:
        from isogloss.serve.served import ServedModel

        run_server(ServedModel.of(saved.load(), about, saved.model), listening, listener)


def run_server(
    served: "ServedModel",
    listening: Listening,
    listener: socket.socket,
    *,
    inbox: "Inbox | None" = None,
    opens: bool = False,
) -> None:
    """Serve a model until told to stop, and say where; `opens`: in a browser too."""
    from isogloss.serve.application import application
    from isogloss.serve.running import address_of, run

    app = application(served, access=Access(listening.host, listening.token), inbox=inbox)
    served.warm_up()
    address = address_of(listener, host=listening.host)
    page = address if listening.token is None else f"{address}/#token={listening.token}"
    shown = page if sys.stderr.isatty() else address  # a log keeps no secret

    def say() -> None:
        typer.echo(f"isogloss: {served.name} at {shown} (Ctrl-C stops the server)", err=True)
        if opens:
            webbrowser.open(page)

    talk = logging.getLogger("isogloss")
    level = talk.level
    talk.setLevel(logging.WARNING)  # what is said of texts of one request is of no use here
    try:
        run(app, listener, when_ready=say)
    finally:
        talk.setLevel(level)
