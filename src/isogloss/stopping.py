"""The signals that tell a process to stop, of those that the system has."""

import signal

STOPPING = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
