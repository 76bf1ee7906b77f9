"""Being connected to Ray: to a cluster of the user's, or to one that is started on this machine.

Ray reports use to its makers, and sends a note that it does not where it is told not to. What is
started here is told not to, and its report address is one that nothing can be sent to.
"""

import io
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any, TextIO, cast

from isogloss.compat import require
from isogloss.errors import InputError
from isogloss.stopping import STOPPING

UNREPORTED = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_USAGE_STATS_REPORT_URL": "nowhere://"}
STORE = 80_000_000  # bytes, about the least that Ray takes; tickets and outcomes are small
SECONDS_TO_ANSWER, SECONDS_TO_CONNECT = 5.0, 40.0
_LONGEST_FOLDER = 40  # of temporary files: behind it Ray names sockets, which have 107 characters
_QUIET: Mapping[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}
# Ray has no limit of its own for a connection, and its native code does not hear Ctrl-C meanwhile.
_TRIAL = """
import sys, ray
ray.init(sys.argv[1], log_to_driver=False, logging_level="CRITICAL")
"""


@contextmanager
def ray_session(address: str | None, *, n_cpus: int) -> Iterator[ModuleType]:
    """Yield Ray while it is connected.

    Parameters
    ----------
    address
        ``HOST:PORT`` of a cluster that this machine is a node of; None: a cluster of this machine
        alone is started, and ended with the block. Where this process is connected already, by the
        user's own program, that cluster is taken and left as it is.
    n_cpus
        What a cluster that is started has to give.

    Raises
    ------
    InputError
        When Ray is not installed, no cluster answers, or none can be started.
    """
    with _environment(address), redirect_stdout(cast(TextIO, _OfOthers(sys.stdout))):
        ray = _ray()
        if ray.is_initialized():
            yield ray
            return
        with tempfile.TemporaryDirectory(
            prefix="isogloss-", dir=_short(), ignore_cleanup_errors=True
        ) as folder:
            try:
                with _handlers_kept():
                    if address is None:
                        _start(ray, n_cpus, folder)
                    else:
                        _try(address)
                        ray.init(address, **_QUIET)
                yield ray
            finally:
                with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
                    ray.shutdown()  # which prints what it had to say of lost processes


def refuse_without_ray(address: str | None) -> None:
    """Raise `InputError` where Ray is not installed, or nobody listens at the address."""
    with _environment(address):
        _ray()
    if address is not None:
        try:
            socket.create_connection(_parsed(address), timeout=SECONDS_TO_ANSWER).close()
        except OSError as error:
            raise InputError(_no_cluster(address, error.strerror or str(error))) from error


def _ray() -> ModuleType:
    return require("ray", extra="ray", why="--executor ray")


def _parsed(address: str) -> tuple[str, int]:
    """Return host and port; raises `InputError` where an address is not ``HOST:PORT``."""
    host, colon, port = address.rpartition(":")
    if host and colon and port.isascii() and port.isdecimal() and 0 < int(port) < 65536:
        return host.strip("[]"), int(port)
    raise InputError(
        f"--address is '{address:.60}'; write it as HOST:PORT, as `ray start --head` names it"
    )


def _try(address: str) -> None:
    """Connect in another process, which is ended where it takes too long."""
    command = [sys.executable, "-c", _TRIAL, address]
    try:
        tried = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=SECONDS_TO_CONNECT, check=False, text=True, errors="replace",
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        why = f"what listens there is not Ray, or did not answer for {SECONDS_TO_CONNECT:.0f} s"
        raise InputError(_no_cluster(address, why)) from None
    if tried.returncode:
        lines = [line for line in tried.stderr.splitlines() if line and not line[0].isspace()]
        faults = [line for line in lines if "Error: " in line] or lines[-1:] or ["it ended"]
        raise InputError(_no_cluster(address, faults[0].partition("Error: ")[2] or faults[0]))


def _no_cluster(address: str, why: str) -> str:
    return (
        f"no Ray cluster takes this machine at {address} ({why:.300}); start one with `ray start "
        "--head`, join it here with `ray start --address`, or leave --address out"
    )


def _start(ray: ModuleType, n_cpus: int, folder: str) -> None:
    """Start a cluster of this machine alone, without a dashboard."""
    try:
        ray.init(
            "local", num_cpus=n_cpus, include_dashboard=False, object_store_memory=STORE,
            _temp_dir=folder, _node_ip_address="127.0.0.1", **_QUIET,
        )  # fmt: skip
    except (RuntimeError, OSError, ValueError, ray.exceptions.RayError) as error:
        raise InputError(
            f"Ray could not be started ({first_line(error)}); give --workers alone, which needs "
            "no Ray"
        ) from error


def first_line(error: BaseException) -> str:
    """Return what an error says, cut to fit into a sentence."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"{lines[0]:.300}"


@lru_cache(maxsize=1)
def _token() -> str:
    return secrets.token_hex(32)


def _secret() -> dict[str, str]:
    """Return what keeps others out of a cluster that is started: its ports are open to all.

    Where the user's program has imported Ray, Ray has settled that already.
    """
    if "ray" in sys.modules and not _token.cache_info().currsize:
        return {}
    return {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": _token()}


@contextmanager
def _environment(address: str | None) -> Iterator[None]:
    """Set what Ray, and each process that it starts, reads when it begins."""
    values = UNREPORTED | ({} if address is not None else _secret())
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Keep what signals do: Ray takes SIGTERM for itself."""
    before = {number: signal.getsignal(number) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)


class _OfOthers:
    """Standard output without what Ray's own thread writes to it: losses are told once, by us."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        if threading.current_thread().name.startswith("ray_"):
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _short() -> str | None:
    """Return where temporary files are made; None: where they always are."""
    usual = tempfile.gettempdir()
    return "/tmp" if len(usual) > _LONGEST_FOLDER and Path("/tmp").is_dir() else None
