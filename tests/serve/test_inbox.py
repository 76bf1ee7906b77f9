"""The rows of an answered file, as the page asks for them."""

from pathlib import Path
from typing import Any

import pytest
from served_models import Open

from isogloss.data.documents import FileFormat
from isogloss.serve import inbox as module
from isogloss.serve.inbox import Inbox, InboxRow, read_inbox

ANSWERED = """message,iso_lang,iso_label,iso_probability
"a, b",en,sport,0.9
,,money,0.4
日本,ja,sport,0.7
sets,en,a|b,0.5|0.6
"""


@pytest.fixture
def inbox(tmp_path: Path) -> Inbox:
    (tmp_path / "a.csv").write_text(ANSWERED, "utf-8")
    format = FileFormat(text=("message",))
    return read_inbox(tmp_path / "a.csv", name="in.csv", format=format, prefix="iso_")


def test_rows_of_a_label_and_a_language(inbox: Inbox) -> None:
    page = inbox.page(0, 10, label="", lang="", order="file")
    assert page["rows"][1] == InboxRow("", None, "money", 0.4)
    assert page["rows"][3].probability is None
    assert page["labels"] == {"sport": 2, "money": 1, "a|b": 1}
    assert page["langs"] == {"en": 2, "und": 1, "ja": 1}
    assert page["about"] == "4 rows of in.csv, answered."
    of = inbox.page(0, 10, label="sport", lang="ja", order="file")
    assert [row.text for row in of["rows"]] == ["日本"]
    assert [row.text for row in inbox.page(0, 10, label="", lang="und", order="file")["rows"]] == [
        ""
    ]


def test_order_and_parts(inbox: Inbox, monkeypatch: pytest.MonkeyPatch) -> None:
    unsure = inbox.page(0, 2, label="", lang="", order="unsure")
    assert [row.probability for row in unsure["rows"]] == [0.4, 0.7]
    assert unsure["n"] == 4
    rest = inbox.page(2, 2, label="", lang="", order="unsure")
    assert [row.probability for row in rest["rows"]] == [0.9, None]
    monkeypatch.setattr(module, "MOST_AT_ONCE", 1)
    assert len(inbox.page(0, 9, label="", lang="", order="file")["rows"]) == 1


def test_only_the_first_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 2)
    (tmp_path / "a.csv").write_text(ANSWERED, "utf-8")
    format = FileFormat(text=("message",))
    found = read_inbox(tmp_path / "a.csv", name="in.csv", format=format, prefix="iso_")
    assert (found.n_rows, len(found.rows)) == (4, 2)
    assert found.about == "4 rows of in.csv, answered; the first 2 are here."


def test_a_server_without_an_inbox(client: Any) -> None:
    assert client.get("/v1/inbox").json()["name"] is None


@pytest.mark.parametrize("query", ["start=-1", "n=many", "order=random", "n=99999999999"])
def test_a_bad_query(opened: Open, query: str) -> None:
    reply = opened().get(f"/v1/inbox?{query}")
    assert (reply.status_code, reply.json()["error"]["code"]) == (422, "invalid")
