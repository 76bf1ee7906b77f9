"""What ``POST /v1/classify`` answers: as the library does, with the evidence that is asked for."""

from typing import Any

import pytest

from isogloss.learn import vector_memo
from isogloss.serve.served import ServedModel

TEXTS = ["Tennis in Tokyo.", "サッカーの試合がドイツで行われた。", "", "Steuer 🙂"]


def ask(client: Any, *texts: Any, **more: Any) -> Any:
    """Return the answers to texts, given as strings or as JSON objects."""
    asked = [{"text": one} if isinstance(one, str) else one for one in texts]
    reply = client.post("/v1/classify", json={"texts": asked} | more)
    assert reply.status_code == 200, reply.text
    return reply.json()


def test_labels_and_probabilities_are_those_of_the_library(
    client: Any, served: ServedModel, recwarn: pytest.WarningsRecorder
) -> None:
    langs = ["en", "ja", None, "de"]
    both = zip(TEXTS, langs, strict=True)
    answered = ask(client, *({"text": text, "lang": lang or "auto"} for text, lang in both))
    fitted = served.fitted
    expected = fitted.probabilities(fitted.prepare(TEXTS, langs))
    classes = fitted.classes.tolist()
    for answer, row in zip(answered["answers"], expected.tolist(), strict=True):
        named = dict(zip(classes, row, strict=True))
        assert answer["probabilities"] == pytest.approx(named, abs=1e-5)
        assert answer["label"] == classes[row.index(max(row))]
        assert answer["probability"] == pytest.approx(max(row), abs=1e-5)
        assert answer["entities"] is answer["without_entities"] is answer["examples"] is None
    assert answered["model"] == {
        "name": "model", "fingerprint": served.about.fingerprint, "labels": ["money", "sport"],
    }  # fmt: skip


def test_a_language_is_given_detected_or_unknown(client: Any) -> None:
    texts = [{"text": "Tennis", "lang": "deu_Latn"}, "今日は東京でテニスの試合がありました。", "42"]
    answers = ask(client, *texts)["answers"]
    assert [(one["lang"], one["lang_by"]) for one in answers] == [
        ("de", "given"), ("ja", "detected"), (None, "unknown"),
    ]  # fmt: skip
    assert answers[2]["status"] == "unknown_language"
    assert ask(client, "")["answers"][0]["status"] == "empty+unknown_language"


def test_ids_come_back_as_they_are(client: Any) -> None:
    ids = ["a", 7, None, 10**30, ""]
    answers = ask(client, *({"id": one, "text": "x"} for one in ids))["answers"]
    assert [one["id"] for one in answers] == ids
    assert ask(client)["answers"] == []


def test_evidence_is_given_where_it_is_asked_for(client: Any) -> None:
    text = "🙂👩‍🚀 Tennis in Tokyo, Tokyo"
    (answer,) = ask(client, {"text": text, "lang": "en"}, explain=True)["answers"]
    found = {(text[one["start"] : one["end"]], one["title"]) for one in answer["entities"]}
    assert found == {("Tennis", "tennis"), ("Tokyo", "Tokyo")}
    assert [one["start"] for one in answer["entities"]] == sorted(
        one["start"] for one in answer["entities"]
    )
    assert sum(one["weight"] for one in answer["entities"][:2]) == pytest.approx(1, abs=1e-5)
    assert answer["support"] in (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert len(answer["examples"]) == 5
    assert {one["label"] for one in answer["examples"]} <= {"money", "sport"}
    assert all(one["lang"] == "en" for one in answer["examples"])
    without = answer["without_entities"]
    assert without["probabilities"] != answer["probabilities"]
    assert without["probability"] == max(without["probabilities"].values())


def test_what_is_known_of_a_language(client: Any) -> None:
    known = ask(client, {"text": "東京", "lang": "ja"})["answers"][0]["known"]
    assert known == {"by": "audit", "accuracy": 0.8, "low": 0.7, "high": 0.88, "n": 50,
                     "is_blind": True}  # fmt: skip
    nothing = {"by": "unknown"} | dict.fromkeys(("accuracy", "low", "high", "n", "is_blind"))
    assert ask(client, "42")["answers"][0]["known"] == nothing
    assert client.get("/v1/model").json()["known"]["ja"]["by"] == "audit"


def test_what_warms_up_is_known_of_no_language(served: ServedModel) -> None:
    before = served.known.all()
    served.warm_up()
    assert served.known.all() == before


def test_no_text_is_kept(client: Any, served: ServedModel) -> None:
    """Nor in the memory of vectors, which a library's user has a use for."""
    asked = "a text that nobody asked before"
    ask(client, asked, explain=True)
    kept = vector_memo._memories.get(served.fitted.preparation.encoder, {})
    assert not any(asked in texts for texts in kept.values())
    file = {"file": ("a.csv", f"text\n{asked}\n".encode())}
    assert client.post("/v1/file", files=file).is_success
    assert not any(asked in texts for texts in kept.values())


def test_hostile_texts_come_to_no_harm(client: Any) -> None:
    texts = [
        "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>", "\u202eokyoT\u202c",
        "\x00", "a\u0301" * 900, "\U0010ffff", "{{ 7 * 7 }}", "x" * 20_000,
    ]  # fmt: skip
    assert len(ask(client, *texts, explain=True)["answers"]) == len(texts)


def test_the_model_describes_itself(client: Any) -> None:
    about = client.get("/v1/model").json()
    assert about["langs"] == ["en"]
    assert about["has_entities"] is True
    assert about["n_training_documents"] == 12
    assert about["limits"]["texts"] == 256


def test_health_and_schema(client: Any) -> None:
    assert client.get("/healthz").json() == {"status": "ok", "n_waiting": 0}
    schema = client.get("/openapi.json").json()
    assert {"/v1/classify", "/v1/file", "/v1/model", "/healthz"} < schema["paths"].keys()
    assert {"Asked", "Answered", "Answer", "Known", "Failed"} <= schema["components"][
        "schemas"
    ].keys()
