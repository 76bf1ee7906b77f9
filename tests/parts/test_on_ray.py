"""Parts on a Ray cluster: the rows of a serial run, whatever is killed meanwhile."""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from counted_parts import hidden_in, job_of, rows_in, write_parts
from ray_cluster import (
    RayCluster,
    command_of,
    connected_elsewhere,
    descendants_of,
    ended,
    environ_of,
    started,
    wait_until,
)

from isogloss.parts.executors import Serial
from isogloss.parts.finding import find_parts
from isogloss.parts.ray_session import UNREPORTED
from isogloss.parts.run import run_parts

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed"),
    pytest.mark.skipif(sys.platform != "linux", reason="it looks at processes in /proc"),
    pytest.mark.timeout(600),
]
N_PARTS, PAUSE = 16, 0.3


@pytest.fixture(scope="module")
def cluster() -> Iterator[RayCluster]:
    cluster = RayCluster()
    yield cluster
    cluster.end()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    corpus = write_parts(tmp_path / "in", N_PARTS)
    out = tmp_path / "whole"
    run_parts(job_of(), find_parts(str(corpus), out).parts, out, Serial())
    return corpus


def is_agent(process: int) -> bool:
    return command_of(process).startswith(("ray::DashboardAgent", "ray::RuntimeEnvAgent"))


def is_whole(out: Path) -> bool:
    assert rows_in(out) == rows_in(out.parent / "whole")
    assert hidden_in(out) == ["_run.json", "_summary.json"]
    return True


def test_two_nodes_make_the_same_rows(cluster: RayCluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert ended(started(corpus, out, cluster)) == (0, f'{{"made": {N_PARTS}}}\n', "")
    assert is_whole(out)
    assert ended(started(corpus, out, cluster)) == (0, f'{{"kept": {N_PARTS}}}\n', "")
    wait_until(lambda: not cluster.actors())


def test_actors_that_are_killed(cluster: RayCluster, corpus: Path, tmp_path: Path) -> None:
    draws = random.Random(3)
    n_lost = 0
    for number in range(5):
        out = tmp_path / f"out{number}"
        run = started(corpus, out, cluster, pause=PAUSE)
        for _ in range(2):  # a part is given up with the third
            cluster.wait_for_actors(2, run)
            time.sleep(draws.uniform(0, 0.8))
            if actors := cluster.actors():
                os.kill(draws.choice(actors), signal.SIGKILL)
        code, said, talk = ended(run)
        assert (code, said) == (0, f'{{"made": {N_PARTS}}}\n'), talk
        n_lost += talk.count("an actor was lost")
        assert is_whole(out)
    assert n_lost >= 4


def test_a_node_that_is_lost(cluster: RayCluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run = started(corpus, out, cluster, pause=PAUSE)
    cluster.wait_for_actors(2, run)
    wait_until(lambda: list(out.glob("*.parquet")))
    assert cluster.actors(node=1)
    cluster.order("lose")
    code, _, talk = ended(run)
    cluster.order("join")
    assert code == 0, talk
    assert "an actor was lost" in talk
    assert is_whole(out)


def test_a_run_that_is_killed_or_stopped(cluster: RayCluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        run = started(corpus, out, cluster, pause=PAUSE)
        n_before = len(list(out.glob("*.parquet")))
        wait_until(lambda n=n_before: len(list(out.glob("*.parquet"))) > n)
        run.send_signal(number)
        code, _, talk = ended(run)
        is_killed = number == signal.SIGKILL
        assert (code, talk) == ((-number, "") if is_killed else (1, "stopped\n"))
        wait_until(lambda: not cluster.actors())
    code, _, talk = ended(started(corpus, out, cluster))
    assert (code, talk) == (0, "")
    assert is_whole(out)


def test_a_part_that_kills_its_actor(cluster: RayCluster, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, _, talk = ended(started(corpus, out, cluster, fatal="04.jsonl"))
    assert code == 1
    assert f"{corpus / '04.jsonl'}: 3 actors died over it, the last time: " in talk
    assert talk.count("an actor was lost") == 2
    assert "Traceback" not in talk
    assert "04.jsonl.parquet" not in rows_in(out)
    assert ended(started(corpus, out, cluster))[0] == 0
    assert is_whole(out)


def test_a_cluster_that_is_started_reports_to_nobody_and_ends(corpus: Path, tmp_path: Path) -> None:
    for number in (signal.SIGINT, signal.SIGKILL):
        out = tmp_path / f"out{number}"
        run = started(corpus, out, workers=1, pause=PAUSE)
        wait_until(lambda out=out: list(out.glob("*.parquet")))
        processes = descendants_of(run.pid)
        told = [environ_of(one) for one in processes]
        # Those of Ray's agents are not to be seen, they have names in their place.
        assert sum(UNREPORTED.items() <= environ.items() for environ in told) >= 5
        assert connected_elsewhere(processes) == []
        waited = [one for one in processes if number == signal.SIGINT or not is_agent(one)]
        run.send_signal(number)
        assert ended(run)[0] == (1 if number == signal.SIGINT else -number)
        # After a kill two agents of Ray see within a minute that they are alone.
        wait_until(lambda all=waited: not any(Path(f"/proc/{one}").exists() for one in all))
    code, said, talk = ended(started(corpus, out, workers=1))
    assert (code, talk) == (0, "")
    assert sum(json.loads(said).values()) == N_PARTS
    assert is_whole(out)
