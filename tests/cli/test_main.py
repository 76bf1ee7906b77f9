"""The entry point: help, version, pipes, Ctrl-C, and the demo end to end."""

import io
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from cli_world import TRAIN, Run, World, fit_words

from isogloss import __version__
from isogloss.cli import demo
from isogloss.cli.main import command_line, main

COMMAND = [sys.executable, "-m", "isogloss.cli.main"]
ALL = ["", "align", "align export", "align fit", "align pretrain", "align tokenizer",
       "mine", "mine filter", "mine pairs",
       "retrieve", "retrieve evaluate", "retrieve index", "retrieve search",
       "kb", "kb build", "kb info", "kb link", "encode",
       "classify", "classify fit",
       "classify predict", "classify evaluate", "classify explain", "classify compare",
       "classify adapt", "classify forecast", "classify audit", "classify audit draw",
       "classify audit read", "classify drift", "classify export", "demo", "doctor", "reproduce",
       "serve", "try", "vectors",
       "tag", "tag fit", "tag predict", "tag evaluate", "tag export",
       "vectors train", "vectors similar", "vectors convert", "vectors evaluate", "probe",
       "probe geometry", "probe report", "probe neutrality", "probe translation",
       "probe transfer", "probe overlap", "probe typology", "probe script",
       "probe rank-sources"]  # fmt: skip


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version(cli: Run, option: str) -> None:
    assert cli(option).out == f"isogloss {__version__}\n"


def test_quiet_leaves_results_and_errors(
    cli: Run, world: World, caplog: pytest.LogCaptureFixture
) -> None:
    words = ["kb", "link", world.kb, world.japanese, "--lang", "sw"]
    assert len(cli(*words).talk) == 2  # a loss, and a count
    quiet = cli(*words, "--quiet")
    assert (quiet.out, quiet.err) == (cli(*words).out, "")
    refused = cli("kb", "link", world.kb, "none.tsv", "--lang", "sw", "--quiet")
    assert len(refused.talk) == 1
    assert "none.tsv: no such file" in refused.err
    assert cli(*words, "--quiet", "--strict").talk[-1].endswith("leave that out to go on)")
    assert len(cli(*words).talk) == 2  # it ends with its command
    caplog.clear()
    assert cli(*fit_words(world, world.kb.parent / "q"), "--quiet").err == ""
    assert not caplog.messages


def test_one_of_several_processes_speaks(
    cli: Run, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["kb", "link", world.kb, world.japanese, "--lang", "sw"]
    monkeypatch.setenv("RANK", "1")
    assert cli(*words).err == ""
    assert "no such file" in cli("kb", "link", world.kb, "none.tsv", "--lang", "sw").err
    monkeypatch.setenv("RANK", "0")
    assert len(cli(*words).talk) == 2


def test_the_package_is_a_module_that_runs() -> None:
    made = subprocess.run(
        [sys.executable, "-m", "isogloss", "-V"], capture_output=True, text=True, check=True
    )
    assert made.stdout == f"isogloss {__version__}\n"


def test_every_command_can_be_quiet(cli: Run) -> None:
    for name in ("kb info", "demo", "probe report"):
        assert "--quiet" in cli(*name.split(), "--help").out


@pytest.mark.parametrize("command", ALL)
def test_help(command: str, cli: Run) -> None:
    outcome = cli(*command.split(), "--help")
    assert outcome.code == 0
    assert "Usage: isogloss" in outcome.out
    assert outcome.err == ""


def _commands(command: typer.core.TyperGroup, path: str) -> Iterator[tuple[str, object]]:
    for name, inner in command.commands.items():
        yield f"{path} {name}", inner
        if hasattr(inner, "commands"):
            yield from _commands(inner, f"{path} {name}")


def test_every_option_says_what_it_does(cli: Run) -> None:
    found = dict(_commands(command_line(), "isogloss"))
    assert {f"isogloss {name}" for name in ALL if name} == set(found)
    without = [
        f"{path} {parameter.name}"
        for path, command in found.items()
        for parameter in command.params
        if not getattr(parameter, "help", None)
    ]
    assert not without
    assert all(command.help for command in found.values())


@pytest.mark.parametrize("command", ["", "kb", "classify"])
def test_a_group_alone_shows_its_help(command: str, cli: Run) -> None:
    outcome = cli(*command.split())
    assert outcome.code == 2
    assert "Usage: isogloss" in outcome.out
    path = " ".join(["isogloss", *command.split()])
    assert outcome.err == f"isogloss: name a command; see: {path} --help\n"


@pytest.mark.parametrize("option", ["--out", "--encoder", "--kb", "--train"])
def test_an_empty_value_is_not_the_folder_one_is_in(cli: Run, option: str) -> None:
    words = ["classify", "fit", "--train", "en=no.tsv", "--out", "new"]
    for given in ([option, ""], [f"{option}="]):
        said = cli(*words, *given)
        assert said.code == 2
        assert said.err == (f"isogloss: {option} is empty; give a value, or leave {option} out\n")
    assert "is empty" not in cli("encode", "no.tsv", "--out", "a.npy", "--prefix", "").err


def test_demo(cli: Run, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "demo"
    monkeypatch.setenv("PATH", str(tmp_path))  # where no isogloss is
    monkeypatch.setattr(sys, "argv", [".venv/bin/isogloss"])
    outcome = cli("demo", "--encoder", world.encoder, "--out", out, "--threads", "1")
    assert outcome.code == 0, outcome.err
    assert "An illustration, not a benchmark" in outcome.out
    assert (out / "report.html").stat().st_size > 1000
    assert sorted(path.name for path in out.iterdir()) == [
        "kb", "model", "products-model", "products-report.html", "report.html",
    ]  # fmt: skip
    for verb in ("help", "harm"):
        assert re.search(
            rf"^\d\. Of these 408 texts, (the one that )?entities {verb} ", outcome.out, re.M
        )
    # The folder was renamed after the model was saved: its paths must still hold.
    (command,) = re.findall(r"^ +\.venv/bin/isogloss (classify explain) .*$", outcome.out, re.M)
    assert cli(*command.split(), out / "model", "--lang", "de", "Der Euro fiel.").code == 0
    assert cli("demo", "--encoder", world.encoder, "--out", out).code == 2


def test_the_demo_names_the_command_as_it_can_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["a b/isogloss"])
    assert demo._command() == "'a b/isogloss'"
    monkeypatch.setattr(sys, "argv", ["src/isogloss/__main__.py"])
    monkeypatch.setattr(sys, "executable", ".venv/bin/python")
    assert demo._command() == ".venv/bin/python -m isogloss"
    (tmp_path / "isogloss").write_text("#!/bin/sh\n", "utf-8")
    (tmp_path / "isogloss").chmod(0o755)
    assert demo._command() == "isogloss"


def test_output_is_utf8_on_machines_that_are_not(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["kb", "link", str(world.kb), "--lang", "ja", str(world.japanese)]) == 0
    assert "サッカー" in stream.buffer.getvalue().decode("utf-8")


def test_head_ends_a_long_output_quietly(world: World, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("東京\n" * 30_000, "utf-8")
    link = ["kb", "link", str(world.kb), "--lang", "ja"]
    assert main([*link, str(world.japanese)]) == 0  # compiled now, so that nothing is said of it
    words = [*COMMAND, *link, str(tmp_path / "t.txt")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b'{"row": 0')
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


def _hear_ctrl_c() -> None:
    # A job in the background of a shell ignores Ctrl-C, and so would its children.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.full  # one in compiled code is quick
def test_ctrl_c_in_fit(world: World, tmp_path: Path) -> None:
    rows = [f"{label}\t{text} {n}" for n in range(1000) for label, text in TRAIN]
    (tmp_path / "t.tsv").write_text("\n".join(["label\ttext", *rows]) + "\n", "utf-8")
    words = [*COMMAND, "classify", "fit", "--train", f"en={tmp_path / 't.tsv'}", "--encoder",
             str(world.encoder), "--kb", str(world.kb), "--out", str(tmp_path / "m")]  # fmt: skip
    with subprocess.Popen(
        words, stderr=subprocess.PIPE, text=True, preexec_fn=_hear_ctrl_c
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "max_length" in line:  # the encoder is loaded, and the work begins
                break
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read().splitlines()
        assert process.wait(60) == 130
    assert rest == ["isogloss: stopped by Ctrl-C; nothing is left half-written"]
    assert [path.name for path in tmp_path.iterdir()] == ["t.tsv"]


@pytest.mark.parametrize(
    ("words", "goes_on"),
    [
        (["classify", "fit", "--checkpoints", "run"], True),
        (["classify", "fit", "--checkpoints=run"], True),
        (["classify", "compare", "--out", "x"], True),
        (["classify", "fit", "--out", "compare"], False),
    ],
)
def test_ctrl_c_says_where_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str],
    goes_on: bool,
) -> None:  # fmt: skip
    def stopped(words: list[str]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("isogloss.cli.main.command_line", stopped)
    assert main(words) == 130
    said = "isogloss: stopped by Ctrl-C; nothing is left half-written"
    more = ", and the same command resumes from what is kept" if goes_on else ""
    assert capsys.readouterr().err == f"{said}{more}\n"


SIGNAL_IN_COMPILED_CODE = """
import os, signal, threading
from isogloss.text.folding import fold_texts
fold_texts(["compiled now"])
text = "x" * 40_000_000
threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    fold_texts([text])
except KeyboardInterrupt:
    raise SystemExit(130)
"""


def test_ctrl_c_in_compiled_code() -> None:
    """It once ended `classify fit` and `kb link` with a segmentation fault."""
    words = [sys.executable, "-c", SIGNAL_IN_COMPILED_CODE]
    ended = subprocess.run(
        words, capture_output=True, timeout=60, check=False, preexec_fn=_hear_ctrl_c
    )
    assert ended.returncode == 130


@pytest.mark.full
def test_the_bundled_encoder_is_the_default(cli: Run, world: World, tmp_path: Path) -> None:
    words = ["classify", "fit", "--train", f"en={world.train}", "--kb", world.kb]
    outcome = cli(*words, "--out", tmp_path / "m")
    assert outcome.code == 0
    shown = "isogloss: encoder bundled: 384 dimensions, 12 layers, cpu, float32; pooling 'mean', "
    assert any(line.startswith(shown) for line in outcome.talk)
    assert cli("classify", "predict", tmp_path / "m", "--lang", "ja", world.japanese).code == 0
