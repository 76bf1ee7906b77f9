"""``isogloss serve``, ``try`` and ``demo --serve``: what they say, guess, refuse and open."""

import csv
import signal
import socket
import threading
import urllib.error
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cli_world import GERMAN, JAPANESE, TRAIN, Refuse, Run, World, write_file, write_tsv
from served_process import asked, running
from written_xlsx import written_xlsx

from isogloss.cli.serving import serve as module
from isogloss.serve import running as server

TEXTS = {"texts": [{"text": "Tennis in Tokyo", "lang": "en"}]}
TOKEN = "0f6b2c9a4d8e7f10"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is served, instead of serving it: arguments of `server.run`, and pages opened."""
    found: list[Any] = []

    def run(app: Any, listener: Any, *, when_ready: Any) -> None:
        found.append(app)
        when_ready()

    monkeypatch.setattr(server, "run", run)
    monkeypatch.setattr(module.webbrowser, "open", found.append)
    return found


def test_a_model_is_served_where_it_says(cli: Run, world: World, opened: list[Any]) -> None:
    outcome = cli("serve", world.model, "--port", 0)
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    assert "isogloss: model at http://127.0.0.1:" in outcome.err
    assert len(opened) == 1  # no page


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_token_comes_with_the_address_but_not_into_a_log(
    cli: Run, world: World, opened: list[Any], monkeypatch: pytest.MonkeyPatch, is_terminal: bool
) -> None:
    shown = SimpleNamespace(stderr=SimpleNamespace(isatty=lambda: is_terminal))
    monkeypatch.setattr(module, "sys", shown)
    said = cli("serve", world.alone, "--port", 0, "--host", "0.0.0.0", "--token", TOKEN).err
    assert (f"/#token={TOKEN}" in said) is is_terminal
    assert (TOKEN in said) is is_terminal
    assert opened[0]._access.token == TOKEN


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0 can be reached by others; give --token too"),
        (["--host", "box.example"], "--host box.example can be reached by others"),
        (["--token", "secret"], "--token needs 16 letters and digits or more"),
        (["--token", "two words, and more"], "--token needs 16 letters"),
        (["--host", "127.0.0.999", "--token", TOKEN], "is no address of this machine"),
        (["--port", "65536"], "--port is '65536'"),
    ],
)
def test_what_is_refused(refuse: Refuse, world: World, words: list[str], said: str) -> None:
    assert said in refuse("serve", world.model, *words)


def test_a_port_that_is_taken(refuse: Refuse, world: World, tmp_path: Path) -> None:
    tickets = write_tsv(tmp_path / "t.tsv", TRAIN)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        for words in (["serve", world.model], ["try", tickets, "--out", tmp_path / "out"]):
            said = refuse(*words, "--port", port, talk=True)
            assert f"port {port} of 127.0.0.1 cannot be had" in said


TICKETS = [["7", "open", f"{text}", label] for label, text in TRAIN]
INBOX = [["ja", text] for _, text in JAPANESE] + [["", GERMAN[0][1]]]


def write_csv(path: Path, header: str, rows: list[list[str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header.split(","), *rows])
    return path


def test_try_guesses_says_learns_and_answers(
    cli: Run, world: World, tmp_path: Path, opened: list[Any]
) -> None:
    tickets = write_csv(tmp_path / "tickets.csv", "no,state,what happened,goes to", TICKETS)
    inbox = write_csv(tmp_path / "inbox.csv", "language,message", INBOX)
    out = tmp_path / "out"
    outcome = cli("try", tickets, inbox, "--encoder", world.encoder, "--out", out, "--port", 0)
    assert outcome.code == 0, outcome.err
    assert "text = 'what happened' (its cells are the longest)" in outcome.err
    assert "label = 'goes to' (a few short texts come again and again)" in outcome.err
    assert "language = 'language' (by its name)" in outcome.err
    assert "language of the labelled texts: en (detected" in outcome.err
    assert len(opened) == 2
    assert opened[1].startswith("http://127.0.0.1:")
    rows = list(csv.DictReader((out / "answered.csv").open(encoding="utf-8", newline="")))
    assert [row["message"] for row in rows] == [text for _, text in INBOX]
    assert {row["lang"] for row in rows[:4]} == {"ja"}
    assert all(row["label"] in ("sport", "money") and row["support"] for row in rows)
    shown = cli("classify", "explain", out / "model", "--lang", "ja", INBOX[0][1])
    assert shown.code == 0, shown.err
    assert "nearest training text" in shown.out
    assert sorted(path.name for path in out.iterdir()) == [
        "answered.csv", "answered.summary.json", "kb", "model",
    ]  # fmt: skip


def test_try_takes_columns_that_are_named(
    cli: Run, world: World, tmp_path: Path, opened: list[Any]
) -> None:
    rows = [[label, text, "x", "label"] for label, text in TRAIN]
    rows[1:1] = [[], ["", " ", "", ""], ["sport", "", "x", "label"]]
    tickets = write_csv(tmp_path / "tickets.csv", "a,b,text,label", rows)
    words = ["--encoder", world.encoder, "--port", 0, "--text", "b", "--label", "a", "--lang", "en"]
    outcome = cli("try", tickets, *words, "--out", tmp_path / "out", "--no-browser")
    assert outcome.code == 0, outcome.err
    assert "text = 'b', label = 'a'\n" in outcome.err
    assert "2 blank rows passed over (lines 3, 4)" in outcome.err
    assert "1 row without a text left out (line 5): the label teaches nothing" in outcome.err
    assert f"learned from {len(TRAIN)} labelled texts" in outcome.err
    assert len(opened) == 1  # no page
    inbox = write_csv(tmp_path / "i.csv", "b,label", [["Tennis", "of mine"]])
    more = ["--inbox-lang", "de", "--overwrite", "--out", tmp_path / "out"]
    assert cli("try", tickets, inbox, *words, *more).code == 0
    (row,) = csv.DictReader((tmp_path / "out" / "answered.csv").open(encoding="utf-8", newline=""))
    assert (row["label"], row["iso_lang"]) == ("of mine", "de")


def test_try_reads_a_file_of_excel_and_answers_for_it(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path, opened: list[Any],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """One file is of cp1252, the other one UTF-8, which the same command reads."""
    tickets, inbox = tmp_path / "tickets.csv", tmp_path / "inbox.csv"
    rows = "".join(f"{label};{text} café\n" for label, text in TRAIN)
    tickets.write_text(f"label;text\n{rows}", "cp1252")
    inbox.write_text("text\n=税金\n??\n", "utf-8")
    out = tmp_path / "out"
    words = ["try", tickets, inbox, "--encoder", world.encoder, "--out", out, "--port", 0]
    assert "give its --encoding, such as cp1252" in refuse(*words, talk=True)
    outcome = cli(*words, "--no-browser", "--encoding", "cp1252", "--excel")
    assert outcome.code == 0, outcome.err
    assert "say it with --inbox-lang, or name those that occur: --inbox-lang auto:" in caplog.text
    assert "was taken off" not in caplog.text  # by the page, which reads the answers
    assert f"2 rows of {inbox} answered, in {out / 'answered.csv'}\n" in outcome.err
    assert (out / "answered.csv").read_text("utf-8").splitlines()[1].startswith("'=税金,")
    assert (out / "answered.csv").read_bytes().startswith(b"\xef\xbb\xbf")


def test_try_reads_a_sheet_of_a_workbook(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path, opened: list[Any]
) -> None:
    data = [["label", "text"], *map(list, TRAIN)]
    tickets = written_xlsx(tmp_path / "t.xlsx", {"Cover": [["Report"]], "Data": data})
    inbox = write_csv(tmp_path / "inbox.csv", "text", [["税金"]])
    words = ["try", tickets, inbox, "--encoder", world.encoder, "--out", tmp_path / "out"]
    assert "its sheets, for --sheet: Cover, Data" in refuse(*words)
    outcome = cli(*words, "--sheet", "Data", "--port", 0, "--no-browser")
    assert outcome.code == 0, outcome.err
    assert "leave --sheet out" in refuse("try", inbox, "--out", tmp_path / "o", "--sheet", "x")


@pytest.mark.parametrize(
    ("header", "rows", "said"),
    [
        ("a,b", [["1", "2"], ["3", "4"]], "no column looks like that of the text; name it with"),
        ("text,b", [["one text", "a"], ["another", "b"], ["third one", "c"], ["last", "d"]],
         "no column looks like that of the label; name it with --label"),
        ("text|label", [["one text|a"], ["another|b"]], "a bar: write sep=| as its first line"),
        ("text,label", [], "t.csv"),
        ("text,label", [["one text", "a"], ["another one", "a"], ["a third", "a"]], "t.csv"),
    ],
)  # fmt: skip
def test_try_refuses_what_it_cannot_guess(
    refuse: Refuse, tmp_path: Path, header: str, rows: list[list[str]], said: str
) -> None:
    tickets = write_csv(tmp_path / "t.csv", header, rows)
    assert said in refuse("try", tickets, "--out", tmp_path / "out", "--port", 0)


def test_try_of_one_file_twice_and_an_option_without_its_file(
    refuse: Refuse, tmp_path: Path
) -> None:
    tickets = write_file(tmp_path / "t.csv", "text,label\na,b\n")
    assert "TICKETS and INBOX both name this file" in refuse("try", tickets, tickets)
    said = refuse("try", tickets, "--inbox-lang", "ja")
    assert "--inbox-lang is for a file to answer; give INBOX too" in said


@pytest.mark.full  # the demo takes a while
def test_the_demo_opens_its_page(cli: Run, world: World, tmp_path: Path, opened: list[Any]) -> None:
    words = ["demo", "--encoder", world.encoder, "--out", tmp_path / "demo", "--threads", 1]
    assert cli(*words, "--port", 0).err.endswith("give --serve too\n")
    outcome = cli(*words, "--serve", "--port", 0)
    assert outcome.code == 0, outcome.err
    assert len(opened) == 2
    assert (tmp_path / "demo" / "answered.csv").exists()


@pytest.mark.full  # processes take seconds each
def test_killed_while_busy_and_started_again(world: World, tmp_path: Path) -> None:
    port = _free_port()
    words = ["serve", world.model, "--port", port]
    env = {"TMPDIR": str(tmp_path)}
    with running(*words, **env) as first:
        many = {"texts": [{"text": f"Tennis {n} " * 200} for n in range(256)]}
        busy = [
            threading.Thread(target=_ask_in_vain, args=(first.url, many), daemon=True)
            for _ in range(4)
        ]
        for one in busy:
            one.start()
        while not asked(first.url, "/healthz")["n_waiting"]:
            pass
        first.process.kill()
        first.process.wait()
    assert [*tmp_path.glob("isogloss-serve-*")] != []
    with running(*words, **env) as again:
        assert asked(again.url, "/v1/classify", TEXTS)["answers"][0]["label"] in ("sport", "money")
        assert len([*tmp_path.glob("isogloss-serve-*")]) == 1  # its own
        again.process.send_signal(signal.SIGTERM)
        assert again.process.wait(30) == 143
        assert "stopped by SIGTERM; nothing is left half-written" in again.said[-1]
    assert [*tmp_path.glob("isogloss-serve-*")] == []
    assert "Tennis" not in "".join(again.said)


@pytest.mark.full
def test_a_server_with_a_token(world: World) -> None:
    words = ["serve", world.model, "--port", 0]
    with running(*words, ISOGLOSS_TOKEN=TOKEN) as found:
        with pytest.raises(urllib.error.HTTPError, match="401"):
            asked(found.url, "/v1/model")
        told = asked(found.url, "/v1/model", Authorization=f"Bearer {TOKEN}")
        assert told["model"]["name"] == "model"


def _ask_in_vain(url: str, content: Any) -> None:
    with pytest.raises(OSError):
        asked(url, "/v1/classify", content)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
