"""What users write into titles, names and files never commands a terminal."""

import io
import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from cli_world import Run, World

from isogloss.cli.streams import answer_to, talk_to
from isogloss.errors import InputError, OmissionWarning, warn_omitted
from isogloss.visible import visible

CLIPBOARD = "\x1b]52;c;cm0gLXJm\x1b\\\\"
SHOWN = "\\u001b]52;c;cm0gLXJm\\u001b\\\\"


def on_terminal(*words: object, stdin: str = "") -> str:
    """Run a command whose output and talk go to a terminal; return what arrives there."""
    end, start = pty.openpty()
    command = [sys.executable, "-m", "isogloss.cli.main", *map(str, words)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=start, stderr=start) as process:
        os.close(start)
        assert process.stdin is not None
        process.stdin.write(stdin.encode())
        process.stdin.close()
        arrived = b""
        with suppress(OSError):  # the terminal's other end was closed
            while part := os.read(end, 1 << 16):
                arrived += part
    os.close(end)
    return arrived.decode()


@pytest.fixture
def kb(cli: Run, tmp_path: Path) -> Path:
    entity = {"id": f"x:{CLIPBOARD}", "names": {"en": [f"Kyoto{CLIPBOARD}", "Kyoto"]}}
    names = tmp_path / "names.jsonl"
    names.write_text(json.dumps(entity) + "\n")
    assert cli("kb", "build", "--source", f"names:{names}", "--out", tmp_path / "kb").code == 0
    return tmp_path / "kb"


def test_codes_are_spelt_out_and_other_scripts_stay() -> None:
    assert visible(CLIPBOARD) == SHOWN
    assert visible("\x9b2J\x7f\u202e\r") == r"\u009b2J\u007f\u202e\u000d"
    kept = "tab\tline\nনমস্কার שלום می\u200cخواهم 👩\u200d🔬 \u200f"
    assert visible(kept) == kept
    assert json.loads(visible(json.dumps("\x9b\u202e", ensure_ascii=False))) == "\x9b\u202e"


def test_errors_and_warnings_show_them() -> None:
    assert str(InputError(CLIPBOARD, path="a\x1b")) == f"a\\u001b: {SHOWN}"
    with pytest.warns(OmissionWarning) as caught:
        warn_omitted(CLIPBOARD)
    assert str(caught[0].message) == SHOWN


def test_tables_show_them(cli: Run, world: World, kb: Path, tmp_path: Path) -> None:
    """Also where they go to a file, for one reads it later."""
    fit = ["classify", "fit", "--train", f"en={world.train}", "--encoder", world.encoder]
    assert cli(*fit, "--kb", kb, "--out", tmp_path / "model").code == 0
    outcome = cli("classify", "explain", tmp_path / "model", f"Kyoto {CLIPBOARD}", "--lang", "en")
    assert outcome.code == 0
    assert "\x1b" not in outcome.out + outcome.err
    assert SHOWN in outcome.out


def test_links_on_a_terminal(kb: Path) -> None:
    arrived = on_terminal("kb", "link", kb, "--lang", "en", stdin="Kyoto \x9b2J\n")
    assert "Kyoto" in arrived
    assert "\x1b" not in arrived
    assert "\x9b" not in arrived


def test_a_file_name_in_an_error_on_a_terminal() -> None:
    arrived = on_terminal("kb", "info", f"no{CLIPBOARD}")
    assert SHOWN in arrived
    assert "\x1b" not in arrived


def test_data_in_a_file_and_styles_of_our_own_stay() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    written = io.StringIO()
    answer_to(written).write("\x9b")
    assert written.getvalue() == "\x9b"
    for wrap in (answer_to, talk_to):
        shown = Terminal()
        stream = wrap(shown)
        stream.write("\x1b[1m")
        stream.rich_proxied_file.write("\x1b[1m")  # type: ignore[attr-defined]
        assert shown.getvalue() == "\\u001b[1m\x1b[1m"
