"""Who may ask, and what every answer says to browsers."""

from typing import Any

import pytest
from served_models import URL, Open

from isogloss.serve.page_files import page_files

TOKEN = "0f6b2c9a4d8e7f10"
ASKED = {"texts": [{"text": "a secret text"}]}


def code_of(reply: Any) -> tuple[int, str]:
    return reply.status_code, reply.json().get("error", {}).get("code", "")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "localhost.evil.example:8765",
     "192.168.0.7:8765", "0.0.0.0:8765", "", "[::1", "a:b:c", "127.0.0.1, evil.example"],
)  # fmt: skip
def test_a_foreign_host_is_refused(client: Any, host: str) -> None:
    for path in ("/", "/v1/model", "/healthz", "/page/look.css"):
        assert code_of(client.get(path, headers={"host": host})) == (403, "foreign_host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8765", "127.0.0.1:99", "[::1]:8765"])
def test_a_host_of_this_machine_is_ours(client: Any, host: str) -> None:
    assert client.get("/healthz", headers={"host": host}).is_success


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1:9999", "http://127.0.0.1", "file://",
     "http://localhost:8765", "127.0.0.1:8765"],
)  # fmt: skip
def test_a_foreign_origin_is_refused(client: Any, origin: str) -> None:
    reply = client.post("/v1/classify", json=ASKED, headers={"origin": origin})
    assert code_of(reply) == (403, "foreign_origin")
    assert "access-control-allow-origin" not in reply.headers


def test_the_page_of_the_server_may_ask(client: Any) -> None:
    assert client.post("/v1/classify", json=ASKED, headers={"origin": URL}).is_success
    assert not client.options("/v1/classify", headers={"origin": URL}).is_success


def test_a_token_is_needed_for_all_but_the_page(opened: Open) -> None:
    client = opened(token=TOKEN)
    for path in ("/v1/model", "/v1/classify", "/v1/file"):
        for header in (None, "Bearer wrong", f"Basic {TOKEN}", TOKEN, "Bearer", "Bearer é"):
            headers = {} if header is None else {"authorization": header.encode()}
            assert code_of(client.post(path, headers=headers)) == (401, "unauthorized")
    right = {"authorization": f"Bearer {TOKEN}"}
    assert client.get("/v1/model", headers=right).is_success
    assert client.post("/v1/classify", json=ASKED, headers=right).is_success
    for path in ("/", "/healthz", "/openapi.json", "/page/look.css"):
        assert client.get(path).is_success


def test_a_name_of_the_host_that_it_listens_at(opened: Open) -> None:
    named = opened(host="box.example", token=TOKEN)
    assert named.get("/healthz", headers={"host": "box.example:8765"}).is_success
    assert code_of(named.get("/healthz", headers={"host": "other.example"}))[0] == 403
    every = opened(host="0.0.0.0", token=TOKEN)
    assert every.get("/healthz", headers={"host": "box.example:8765"}).is_success


def test_every_answer_has_the_headers(client: Any) -> None:
    for reply in (
        client.get("/"), client.get("/v1/model"), client.get("/none"),
        client.post("/v1/classify"), client.get("/", headers={"host": "evil.example"}),
    ):  # fmt: skip
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert "unsafe" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert "server" not in reply.headers


def test_the_page_loads_nothing_from_elsewhere() -> None:
    for name, (content, _) in page_files().items():
        text = content.decode()
        links = text.replace("http://www.w3.org/", "").replace("https://www.wikidata.org/wiki/", "")
        assert "http://" not in links, name
        assert "https://" not in links, name
        assert "onclick=" not in text
        assert "innerHTML" not in text
        assert "<style" not in text
        assert "<script>" not in text


def test_texts_are_never_logged(
    client: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level("DEBUG")
    assert client.post("/v1/classify", json=ASKED).is_success
    said = capfd.readouterr()
    assert "secret" not in caplog.text + said.out + said.err
