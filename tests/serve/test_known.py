"""What is known of a language: an audit, else a forecast from the texts that were asked."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from isogloss.classify.audit.saved import AuditedLanguage
from isogloss.classify.forecast import FEW_TEXTS
from isogloss.serve import known as module
from isogloss.serve.known import UNKNOWN, KnownLanguages


class Reference:
    """Agrees as far as the first number of a vector says."""

    accuracy, agreement = 0.9, 0.8

    def agreement_on(self, vectors: Any) -> Any:
        return vectors[:, 0]

    def expected_accuracy(self, agreement: float) -> float:
        return self.accuracy * min(1.0, agreement / self.agreement)


def known_of(reference: Any = None, **more: Any) -> KnownLanguages:
    fitted = SimpleNamespace(
        forecast_reference=reference or Reference(), corrections={}, n_training_documents=100
    )
    return KnownLanguages(SimpleNamespace(**vars(fitted) | more), {})  # type: ignore[arg-type]


def add(known: KnownLanguages, lang: str | None, n: int, *, start: int = 0) -> None:
    texts = [f"text {number}" for number in range(start, start + n)]
    known.add(texts, [lang] * n, np.full((n, 2), 0.4))


def test_an_audit_whose_labellers_saw_the_answers_says_so() -> None:
    audit = AuditedLanguage(
        accuracy=0.8, low=0.6, high=0.9, n=50, n_unsure=0, is_blind=False, by_class=False,
        date="2026-05-01", data="inbox.csv", sheet="",
    )  # fmt: skip
    known = KnownLanguages(SimpleNamespace(), {"th": audit})  # type: ignore[arg-type]
    assert known.of("th").is_blind is False


def test_a_forecast_of_different_texts() -> None:
    known = known_of()
    assert known.of("th") == UNKNOWN
    for _ in range(2):
        add(known, "th", FEW_TEXTS - 1)
    few = known.of("th")
    assert (few.by, few.accuracy, few.n) == ("forecast", None, FEW_TEXTS - 1)
    add(known, "th", 1, start=1000)
    found = known.of("th")
    assert found.accuracy == pytest.approx(0.45)
    assert found.low < 0.45 < found.high
    assert found.n == FEW_TEXTS
    assert known.of(None) == UNKNOWN
    assert [*known.all()] == ["th"]


def test_nothing_is_forecast_without_a_reference_or_for_an_adapted_language() -> None:
    adapted = known_of(corrections={"th": object()})
    add(adapted, "th", 60)
    add(adapted, None, 60)
    assert adapted.all() == {}
    without = known_of()
    without._fitted.forecast_reference = None
    add(without, "th", 60)
    assert without.of("th") == UNKNOWN


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LANGUAGES", 2)
    monkeypatch.setattr(module, "MOST_TEXTS", 10)
    known = known_of()
    for lang in ("a", "b", "c"):
        add(known, lang, 20)
    assert {lang: one.n for lang, one in known.all().items()} == {"a": 10, "b": 10}
