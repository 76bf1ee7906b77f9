"""Standard input or output that is closed, as ``<&-`` and ``>&-`` do: one sentence."""

import subprocess
import sys
from pathlib import Path

import pytest
from cli_world import Refuse, World

from isogloss.cli.main import main

COMMAND = f"{sys.executable} -m isogloss.cli.main"
NO_INPUT = "standard input is closed; pipe the text into it, or name a file"
NO_OUTPUT = "standard output is closed; let it go to a file, or to /dev/null"


def _readers(world: World, new: Path) -> dict[str, list[object]]:
    return {
        "fit": ["classify", "fit", "--train", "en=-", "--out", new],
        "classes": ["classify", "fit", "--classes", "-", "--out", new],
        "predict": ["classify", "predict", world.model, "--lang", "en"],
        "evaluate": ["classify", "evaluate", world.model, "--test", "en=-"],
        "forecast": ["classify", "forecast", world.alone, "-", "--lang", "ja"],
        "adapt": ["classify", "adapt", world.model, "-", "--lang", "ja", "--out", new],
        "compare": ["classify", "compare", "--train", f"en={world.train}", "--test", "ja=-",
                    "--kb", world.kb, "--out", new],
        "encode": ["encode", "-", "--out", new.with_suffix(".npy")],
        "link": ["kb", "link", world.kb, "--lang", "en"],
        "names": ["kb", "build", "--source", "names:-", "--out", new],
        "wikidata": ["kb", "build", "--source", "wikidata:-", "--out", new],
        "wikipedia": ["kb", "build", "--source", "wikipedia:ja=-", "--out", new],
        "vectors": ["vectors", "train", "--source", "wikipedia:ja=-", "--out", new],
        "geometry": ["probe", "geometry", "--text", "en=-"],
        "neutrality": ["probe", "neutrality", "--text", f"en={world.train}", "--text", "ja=-"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "command",
    ["fit", "classes", "predict", "evaluate", "forecast", "adapt", "compare", "encode", "link",
     "names", "wikidata", "wikipedia", "vectors", "geometry", "neutrality"],
)  # fmt: skip
def test_no_input(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    said = refuse(*_readers(world, tmp_path / "new")[command])
    assert said == f"isogloss: {NO_INPUT}"


def test_no_output(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)
        out = tmp_path / "new"
        assert main(["kb", "build", "--source", f"names:{world.names}", "--out", str(out)]) == 2
    assert capsys.readouterr().err == f"isogloss: {NO_OUTPUT}\n"
    assert not out.exists()


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [(">&-", 2, NO_OUTPUT), ("<&-", 2, NO_INPUT), ("2>&-", 2, ""), ("<&- >&- 2>&-", 2, "")],
)
def test_in_a_shell(world: World, closed: str, code: int, said: str) -> None:
    """As the system closes them; a closed standard error can say nothing, and breaks nothing."""
    words = f"{COMMAND} kb link {world.kb} --lang {'xx-nothing' if closed == '2>&-' else 'en'}"
    done = subprocess.run(
        f"{words} {closed}", shell=True, capture_output=True, text=True, input="", check=False
    )
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr == (f"isogloss: {said}\n" if said else "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("broken", "code", "said"),
    [
        ("2>/dev/full", 0, ""),
        (">/dev/full", 2, "standard output cannot be written: No space left on device; let it go "
                          "elsewhere"),
        (">/dev/full 2>/dev/full", 2, ""),
        ("2>&1 >&3 | true", 0, ""),
    ],
)  # fmt: skip
def test_streams_that_break(
    world: World, tmp_path: Path, broken: str, code: int, said: str
) -> None:
    """Only where standard error is broken is the answer there all the same."""
    answer = tmp_path / "answer"
    words = f"{COMMAND} kb link {world.kb} --lang en"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; exec 3>{answer}; {words} {broken}"],
        capture_output=True, text=True, input="Osaka\n", check=False,
    )  # fmt: skip
    assert done.returncode == code
    assert done.stderr == (f"isogloss: {said}\n" if said else "")
    assert ("mentions" in done.stdout + answer.read_text()) == (code == 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_report_that_was_made_stays_and_is_said(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Exit 2, for the answer is lost."""
    report = tmp_path / "report.html"
    words = ["classify", "evaluate", world.alone, "--test", f"ja={world.japanese}"]
    with Path("/dev/full").open("w", encoding="utf-8") as full, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", full)
        assert main([*map(str, words), "--report", str(report)]) == 2
    assert report.exists()
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.endswith(f"; let it go elsewhere; what was written stays: {report}")
