"""A command that serves, as a process of its own: where it is, and what it said until then."""

import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Running(NamedTuple):
    """A server that answers."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]


@contextmanager
def running(*words: object, **environment: str) -> Iterator[Running]:
    """Run a command of isogloss until it says where it serves; killed at the end of the block."""
    command = [sys.executable, "-m", "isogloss", *map(str, words)]
    env = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=env) as process:
        said: list[str] = []
        try:
            assert process.stderr is not None
            url = ""
            for line in process.stderr:
                said.append(line)
                if found := re.search(r"http://(\[[\d:.]+\]|[\d.]+):\d+", line):
                    url = found[0]
                    break
            assert url, "".join(said)
            threading.Thread(target=lambda: said.extend(process.stderr or []), daemon=True).start()
            yield Running(process, url, said)
        finally:
            process.kill()


def asked(url: str, path: str, content: Any = None, **headers: str) -> Any:
    """Return the JSON that a server answers."""
    data = None if content is None else json.dumps(content).encode()
    headers |= {} if content is None else {"Content-Type": "application/json"}
    request = urllib.request.Request(url + path, data, headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)
