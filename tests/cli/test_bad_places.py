"""Places that cannot be written, and work that is stopped: nothing is left half-written."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest
from cli_world import Refuse, World, fit_words, write_file


def _making(world: World, out: Path) -> dict[str, list[object]]:
    """Every command that makes something, with its talk before the end."""
    return {
        "kb": ["kb", "build", "--source", f"names:{world.names}", "--out", out],
        "encode": ["encode", world.japanese, "--encoder", world.encoder, "--out", out],
        "fit": fit_words(world, out),
        "report": ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}",
                   "--json", "--report", out],
        "demo": ["demo", "--encoder", world.encoder, "--out", out],
    }  # fmt: skip


MAKERS = ["kb", "encode", "fit", "report", "demo"]


@pytest.mark.parametrize("command", MAKERS)
def test_out_exists(command: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    out = write_file(tmp_path / "out.npy", "mine")
    sentence = refuse(*_making(world, out)[command], talk=command == "encode")
    assert "already exists" in sentence
    assert "--overwrite" in sentence
    assert out.read_text() == "mine"


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """Let no file grow over `n_bytes`: the kernel then fails writes as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("command", ["kb", "encode", "fit", "demo"])
def test_the_disk_is_full(command: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    with full_disk(64):
        sentence = refuse(*_making(world, tmp_path / "out.npy")[command], talk=command != "kb")
    assert "out.npy" in sentence
    assert "could not be written" in sentence


@pytest.mark.usefixtures("no_space_at_the_end")
def test_the_disk_is_full_at_the_end(refuse: Refuse, world: World, tmp_path: Path) -> None:
    for command in ("kb", "encode", "fit"):
        words = _making(world, tmp_path / "out.npy")[command]
        assert "No space left" in refuse(*words, talk=command != "kb")


def test_what_was_there_stays_when_overwriting_fails(
    refuse: Refuse, own: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (own.model / "model.json").read_bytes()
    with full_disk(64):
        refuse(*fit_words(own, own.model, "--overwrite"), talk=True)
    assert (own.model / "model.json").read_bytes() == before


@pytest.mark.parametrize("command", MAKERS)
def test_ctrl_c(
    command: str, refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    place = {
        "kb": "isogloss.kb.build.build.compile_language",
        "encode": "isogloss.encode.encoder.Encoder._encode_chunk",
        "fit": "isogloss.learn.linear_head.LinearHead.fit",
        "demo": "isogloss.learn.linear_head.LinearHead.fit",
        "report": "isogloss.classify.evaluate.evaluation.interval_of_accuracy",
    }[command]
    module, _, name = place.rpartition(".")
    if name in ("fit", "_encode_chunk"):
        monkeypatch.setattr(place, interrupt)
    else:  # by the module itself: `classify.evaluate` is a function of the package too
        monkeypatch.setattr(import_module(module), name, interrupt)
    words = _making(world, tmp_path / "out.npy")[command]
    sentence = refuse(*words, code=130, talk=True)
    assert "Ctrl-C" in sentence
