"""What an actor of a Ray cluster does: it begins once, then applies the work to tickets.

Nothing here imports Ray: an actor is an object like any other, in a process of its own.
"""

import json
import socket
from importlib import import_module
from typing import TypedDict

from isogloss.errors import InputError
from isogloss.parts.summary import versions
from isogloss.parts.work import Work
from isogloss.workers import faults_told


class Order(TypedDict):
    """What an actor is to do: module and settings as `Executor.outcomes` has them.

    ``settings`` are JSON; ``versions`` are those where the run is, which footers say of all parts.
    """

    module: str
    settings: str
    versions: dict[str, str]


class Reply(TypedDict, total=False):
    """What an actor answers: ``done``, or the sentence of a ``fault`` that ends the run."""

    done: bytes
    fault: str


def begun(order: Order) -> tuple[Work | None, Reply]:
    """Return the work of an actor, for which all is loaded, and the reply that says so."""
    try:
        here = versions()
        for package, version in order["versions"].items():
            if here.get(package) != version:
                raise InputError(
                    f"{package} is {here.get(package)} here, not {version} as where the run is; "
                    "install the same on all nodes"
                )
        settings = order["settings"]
        with faults_told():
            return import_module(order["module"]).worker(json.loads(settings)), {}
    except InputError as fault:
        return None, _told(fault)


def worked(work: Work, ticket: bytes) -> Reply:
    """Return the reply to a ticket."""
    try:
        with faults_told():
            return {"done": work(ticket)}
    except InputError as fault:
        return _told(fault)


def _told(fault: InputError) -> Reply:
    return {"fault": f"{fault} (on the node {socket.gethostname()})"}
