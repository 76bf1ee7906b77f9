"""A command line in this process, on a tiny random encoder, knowledge base and models."""

import errno
import io
import json
import os
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from cli_world import (
    ENTITIES,
    GERMAN,
    JAPANESE,
    TAG_OF,
    TRAIN,
    Outcome,
    Refuse,
    Run,
    World,
    write_file,
    write_tsv,
)
from repository import HELPERS

from isogloss.classify import TextClassifier
from isogloss.classify.saving import load as saving
from isogloss.cli.main import main
from isogloss.learn.search import Search
from isogloss.storage import atomic

COARSE = Search(
    C_values=(0.01, 0.1), n_repeats=1, C_values_of_vote=(0.01, 0.03), strengths=(0.0, 1.0),
    half_counts=(1.0,), sharpnesses=(1.0,), n_joint_steps=5, n_vote_steps=5,
)  # fmt: skip
_LOADED = pytest.StashKey[dict[Path, saving.Loaded]]()


@pytest.fixture(scope="session", autouse=True)
def _small_search() -> Iterator[None]:
    """One core and a coarse search of hyper-parameters, to be quick."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextClassifier, "search", COARSE)
        yield
    torch.set_num_threads(n_threads)


@pytest.fixture
def loaded_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Load each model of the session once."""
    load, loaded = saving.load_classifier, request.config.stash.setdefault(_LOADED, {})

    def load_once(path: Any, **options: Any) -> saving.Loaded:
        if path not in loaded:
            loaded[path] = load(path, **options)
        return loaded[path]

    monkeypatch.setattr(saving, "load_classifier", load_once)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Return a function: words of the command line, perhaps standard input → `Outcome`."""

    def run(*words: object, stdin: str | bytes | None = None) -> Outcome:
        if stdin is not None:
            data = stdin.encode() if isinstance(stdin, str) else stdin
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "utf-8"))
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def refuse(cli: Run, tmp_path: Path) -> Refuse:
    """Run a command that must fail, and return its one sentence."""

    def run(*words: object, code: int = 2, talk: bool = False, stdin: bytes | None = None) -> str:
        before = _listing(tmp_path)
        outcome = cli(*words, stdin=stdin)
        assert outcome.code == code, outcome
        assert outcome.out == "" or words[0] == "demo"  # the demo's talk is its output
        assert "Traceback" not in outcome.err
        *earlier, sentence = outcome.talk
        assert sentence.startswith("isogloss: ")
        assert talk or not earlier, outcome.err
        assert len(sentence) < 700
        assert _listing(tmp_path) == before, "something was left behind"
        return sentence

    return run


@pytest.fixture
def no_space_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk be full when what was written is to be kept."""

    def sync(path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(atomic, "_sync", sync)


def _listing(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    root = tmp_path_factory.mktemp("world")
    maker = runpy.run_path(str(HELPERS / "tiny_models.py"))["build_tiny"]
    encoder = maker(root / "encoder", kind="bert")
    names = root / "names.jsonl"
    names.write_text("".join(json.dumps(entity) + "\n" for entity in ENTITIES), "utf-8")
    train = write_tsv(root / "train.tsv", TRAIN)
    fit = ["classify", "fit", "--train", f"en={train}", "--encoder", str(encoder)]
    assert main(["kb", "build", "--source", f"names:{names}", "--out", str(root / "kb")]) == 0
    assert main([*fit, "--kb", str(root / "kb"), "--out", str(root / "model")]) == 0
    assert main([*fit, "--out", str(root / "alone")]) == 0
    return World(
        encoder=encoder,
        names=names,
        kb=root / "kb",
        train=train,
        japanese=write_tsv(root / "ja.tsv", JAPANESE),
        german=write_tsv(root / "de.tsv", GERMAN),
        model=root / "model",
        alone=root / "alone",
    )


@pytest.fixture(scope="session")
def taggers(tmp_path_factory: pytest.TempPathFactory, world: World) -> dict[str, Path]:
    """Taggers of entities and of words."""
    root, rng = tmp_path_factory.mktemp("taggers"), np.random.default_rng(3)
    made = {}
    for kind, tag_of in (("ner", TAG_OF), ("pos", {word: f"T{at % 3}" for at, word in
                                                  enumerate(TAG_OF)})):  # fmt: skip
        words = [rng.choice([*tag_of], size=5).tolist() for _ in range(30)]
        lines = "\n\n".join("\n".join(f"{one} {tag_of[one]}" for one in some) for some in words)
        train = write_file(root / f"{kind}.conll", lines + "\n")
        made[kind] = root / kind
        fit = ["tag", "fit", "--train", f"en={train}", "--layer", "0", "--encoder",
               str(world.encoder), "--scheme", "none" if kind == "pos" else "IOB2"]  # fmt: skip
        assert main([*fit, "--out", str(made[kind])]) == 0
    return made


@pytest.fixture
def own(world: World, tmp_path: Path) -> World:
    """A copy of the session's files that a test may damage."""
    root = tmp_path / "own"
    shutil.copytree(world.kb.parent, root)
    return World(**{name: root / getattr(world, name).name for name in World.__annotations__})
