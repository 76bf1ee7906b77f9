"""A Ray cluster of two nodes on this machine, and runs on it, each in a process of its own.

Run as a script it is the cluster: it prints its address and the process of each node as a line of
JSON, and reads what is to happen to its second node, ``lose`` or ``join``, a line each.
"""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from repository import HELPERS

from isogloss.parts.ray_session import UNREPORTED

STORE = 80_000_000
SECONDS_OF_ONE = 120.0  # for anything to happen
# Ray would take 20 seconds to see that a node is gone.
QUICK = {"health_check_initial_delay_ms": 500, "health_check_period_ms": 300,
         "health_check_timeout_ms": 500, "health_check_failure_threshold": 3}  # fmt: skip
LISTENS = "0A"  # state of a socket
RUN = """
import json, logging, sys
logging.basicConfig(format="%(message)s")
logging.getLogger("isogloss").setLevel(logging.INFO)
from pathlib import Path
from counted_parts import job_of
from isogloss.cli.stops import stops_raise
from isogloss.errors import InputError
from isogloss.parts.finding import find_parts
from isogloss.parts.on_ray import Ray
from isogloss.parts.run import run_parts
given = json.loads(sys.argv[1])
out = Path(given["out"])
parts = find_parts(given["corpus"], out).parts
try:
    with stops_raise(ends=True):
        report = run_parts(job_of(**given["job"]), parts, out, Ray(**given["ray"]))
    print(json.dumps(report.states))
except InputError as error:
    sys.exit(str(error))
except KeyboardInterrupt:
    sys.exit("stopped")
"""


def environment(**more: str) -> dict[str, str]:
    """Return that of a process that knows the helpers."""
    path = os.pathsep.join([*sys.path, str(HELPERS)])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", **more}


class RayCluster:
    """The cluster, seen from a test."""

    def __init__(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="isogloss-", dir="/tmp")  # sockets have short names
        # Its ports are open to all, and whoever reaches one can run what he likes.
        self.secret = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        self._process = subprocess.Popen(
            [sys.executable, __file__], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env=environment(RAY_TMPDIR=self._folder, **UNREPORTED, **self.secret),
        )  # fmt: skip
        self._hear()

    def _hear(self) -> None:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the cluster ended"
        told = json.loads(line)
        self.address: str = told["address"]
        self._raylets: list[int] = told["raylets"]

    def order(self, what: str) -> None:
        """Let the second node be lost, or join again."""
        assert self._process.stdin is not None
        self._process.stdin.write(what + "\n")
        self._process.stdin.flush()
        self._hear()

    def actors(self, node: int | None = None) -> list[int]:
        """Return the processes of actors, of all nodes or of one."""
        raylets = self._raylets if node is None else [self._raylets[node]]
        return [one for raylet in raylets for one in children_of(raylet)
                if "PartWorker" in command_of(one)]  # fmt: skip

    def wait_for_actors(self, n: int, run: subprocess.Popen[str]) -> None:
        """Wait until there are so many actors, or the run ended."""
        wait_until(lambda: len(self.actors()) >= n or run.poll() is not None)

    def end(self) -> None:
        """End it, and see that all of its processes end."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(SECONDS_OF_ONE)
        finally:
            for one in [*self._raylets, self._process.pid]:
                with suppress(ProcessLookupError):
                    os.kill(one, signal.SIGKILL)
            shutil.rmtree(self._folder, ignore_errors=True)


def started(
    corpus: Path, out: Path, cluster: RayCluster | None = None, *, workers: int = 2, **job: Any
) -> subprocess.Popen[str]:
    """Start a run; None: it starts a cluster of its own."""
    ray = {"workers": workers, "address": None if cluster is None else cluster.address}
    env = environment(**({} if cluster is None else cluster.secret))
    given = {"corpus": str(corpus), "out": str(out), "job": job, "ray": ray}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, json.dumps(given)], text=True, env=env,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


def ended(run: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Return exit code, output and errors of a run."""
    out, err = run.communicate(timeout=SECONDS_OF_ONE)
    return run.returncode, out, err


def wait_until(holds: Any) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + SECONDS_OF_ONE
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def children_of(process: int) -> list[int]:
    """Return the processes that a process started, as Linux has them."""
    found: list[int] = []
    for listed in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, listed.read_text("ascii").split())
    return found


def descendants_of(process: int) -> list[int]:
    """Return the children of a process, theirs, and so on."""
    found = children_of(process)
    for one in found:
        found += children_of(one)
    return found


def environ_of(process: int) -> dict[str, str]:
    """Return the variables that a process began with; none where it has put its name there."""
    with suppress(OSError):
        entries = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
        return dict(entry.split("=", 1) for entry in entries if "=" in entry)
    return {}


def connected_elsewhere(processes: list[int]) -> list[str]:
    """Return connections of processes to other machines, as Linux lists them."""
    held: set[str] = set()
    for process in processes:
        with suppress(OSError):
            held |= {str(one.readlink()) for one in Path(f"/proc/{process}/fd").iterdir()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text("ascii").splitlines()[1:]:
            _, local, remote, state, *more = line.split()
            is_here = local.partition(":")[0] == remote.partition(":")[0] or state == LISTENS
            if f"socket:[{more[5]}]" in held and not is_here:
                found.append(line)
    return found


def command_of(process: int) -> str:
    """Return how a process calls itself."""
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    return ""


def _serve() -> None:
    from ray.cluster_utils import Cluster

    # Not 127.0.0.1: for that Ray puts the address by which others see this machine.
    node = {"num_cpus": 1, "object_store_memory": STORE, "include_dashboard": False,
            "node_ip_address": "127.0.0.2"}  # fmt: skip
    cluster = Cluster(initialize_head=True, head_node_args={**node, "_system_config": QUICK})
    second = cluster.add_node(**node)

    def tell() -> None:
        nodes = cluster.list_all_nodes()
        raylets = [node.all_processes["raylet"][0].process.pid for node in nodes]
        sys.stdout.write(json.dumps({"address": cluster.address, "raylets": raylets}) + "\n")
        sys.stdout.flush()

    tell()
    try:
        for line in sys.stdin:
            if line.strip() == "lose":
                cluster.remove_node(second, allow_graceful=False)
            else:
                second = cluster.add_node(**node)
            tell()
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    _serve()
