"""What stands in the way of a Ray cluster is one sentence; none of this needs Ray to run."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from counted_parts import job_of, write_parts

from isogloss.encode.parts import EncodeOptions
from isogloss.errors import InputError
from isogloss.parts import on_ray, ray_actor, ray_session
from isogloss.parts.finding import find_parts
from isogloss.parts.run import run_parts
from isogloss.parts.summary import versions


@pytest.fixture
def listener() -> Iterator[int]:
    """The port of one who listens and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def order(**changed: object) -> ray_actor.Order:
    return {"module": "counted_parts", "settings": "{}", "versions": versions(), **changed}  # type: ignore[typeddict-item]


@pytest.mark.parametrize("address", ["x", "host:", ":1", "host:0", "host:99999", "ray://h:1x"])
def test_an_address_that_is_none(address: str) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with pytest.raises(InputError, match="write it as HOST:PORT, as `ray start --head` names it"):
        ray_session.refuse_without_ray(address)


def test_an_address_where_nobody_listens(listener: int) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    ray_session.refuse_without_ray(f"127.0.0.1:{listener}")
    with pytest.raises(
        InputError, match=r"no Ray cluster takes this machine at 127\.0\.0\.1:1 \(C"
    ):
        ray_session.refuse_without_ray("127.0.0.1:1")


def test_an_address_where_something_else_listens(
    listener: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_session, "SECONDS_TO_CONNECT", 0.3)
    with pytest.raises(InputError, match="what listens there is not Ray, or did not answer for 0"):
        ray_session._try(f"127.0.0.1:{listener}")


def test_what_a_failed_connection_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_session, "_TRIAL", "raise RuntimeError('Version mismatch: 3.12')")
    with pytest.raises(InputError, match=r"127\.0\.0\.1:1 \(Version mismatch: 3\.12\)"):
        ray_session._try("127.0.0.1:1")


def test_variables_are_set_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    before = dict(os.environ)
    with ray_session._environment("host:1"):
        assert ray_session.UNREPORTED.items() <= os.environ.items()
        assert "RAY_AUTH_TOKEN" not in os.environ  # the user's cluster has its own, or none
    assert dict(os.environ) == before
    monkeypatch.delitem(sys.modules, "ray", raising=False)
    with ray_session._environment(None):
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
    assert dict(os.environ) == before


def test_nothing_can_be_sent_to_the_report_address() -> None:
    requests = pytest.importorskip("requests")
    with pytest.raises(requests.exceptions.InvalidSchema):
        requests.post(ray_session.UNREPORTED["RAY_USAGE_STATS_REPORT_URL"], json={})


def test_an_actor_says_what_it_lacks_and_where() -> None:
    other = versions() | {"torch": "1.0"}
    _, reply = ray_actor.begun(order(versions=other))
    assert reply["fault"].startswith(f"torch is {versions()['torch']} here, not 1.0 as where the")
    assert reply["fault"].endswith(f"(on the node {socket.gethostname()})")


def test_an_actor_without_isogloss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "isogloss.parts.ray_actor", None)
    monkeypatch.delattr("isogloss.parts.ray_actor")
    reply = on_ray._actor_class()().begin(order())
    assert "isogloss cannot be imported on a node of the cluster" in reply["fault"]


def test_folders_that_an_actor_does_not_see(tmp_path: Path) -> None:
    corpus, out = write_parts(tmp_path / "in", 2), tmp_path / "out"
    parts = find_parts(str(corpus), out).parts

    class Elsewhere:
        """Works on another machine, which sees what `moved` leaves of the paths."""

        workers, is_elsewhere = 1, True

        def __init__(self, moved: str) -> None:
            self.moved = moved

        def outcomes(self, module, settings, tickets):
            def there(text: str) -> str:
                return text.replace(self.moved, self.moved + "-not")

            work, reply = ray_actor.begun(order(settings=there(json.dumps(settings))))
            for ticket in tickets if work else ():
                reply = ray_actor.worked(work, there(ticket.decode()).encode())
                if "done" in reply:
                    yield reply["done"]
            raise InputError(reply["fault"])

    for moved in (out, corpus):
        with pytest.raises(InputError, match=f"{moved}-not: is (another|no) folder.*here"):
            run_parts(job_of(), parts, out, Elsewhere(str(moved)))
        assert not list(out.glob("*.parquet"))
        assert not list(out.glob("_failed*"))


def test_paths_for_another_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "encoder").mkdir()
    (tmp_path / "cpu").mkdir()
    options = {
        "device": "cpu", "dtype": "auto", "threads": 1, "pooling": None, "long_texts": None,
        "prefix": "cpu", "normalize": None, "transform": None, "layer": None,
    }  # fmt: skip
    made = EncodeOptions(name="encoder", cache="new", **options).absolute()
    assert (made.name, made.cache) == (str(tmp_path / "encoder"), str(tmp_path / "new"))
    assert (made.device, made.prefix) == ("cpu", "cpu")
    assert EncodeOptions(name="org/hub", cache=None, **options).absolute().name == "org/hub"
