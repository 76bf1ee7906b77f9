"""Two summaries compared: what is flagged, what is not, and what cannot be compared."""

from collections import Counter
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pytest

from isogloss.classify.answers.drift import LanguageDrift, find_drift
from isogloss.classify.answers.summary import DataFacts, LanguageSummary, ModelFacts, Summary
from isogloss.errors import InputError

LABELS = ("money", "sport", "health", "travel", "politics")
SHARES = (0.4, 0.25, 0.2, 0.1, 0.05)


@dataclass
class Texts:
    """Answers to the texts of one language; a row each."""

    labels: np.ndarray
    probabilities: np.ndarray
    linked: np.ndarray
    cut: np.ndarray
    other: np.ndarray  # texts that are in another language

    def at(self, rows: np.ndarray) -> "Texts":
        return Texts(*(getattr(self, one.name)[rows] for one in fields(self)))

    def summary(self, lang: str | None) -> LanguageSummary:
        n, n_cut = len(self.labels), int(self.cut.sum())
        return LanguageSummary(
            lang, n, {"ok": n - n_cut, "cut": n_cut}, dict(Counter(self.labels.tolist())),
            float(self.probabilities.mean()), float(self.probabilities.std()),
            float(self.linked.mean()), n_cut / n, n, int(self.other.sum()),
        )  # fmt: skip


def drawn(generator: np.random.Generator, n: int, *, spread: float = 0.15) -> Texts:
    return Texts(
        generator.choice(LABELS, n, p=SHARES), generator.beta(6, 6 * spread, n),
        generator.random(n) < 0.3, generator.random(n) < 0.02,
        generator.random(n) < 0.1,
    )  # fmt: skip


def summary(languages: dict[str | None, Texts], **settings: Any) -> Summary:
    made = [texts.summary(lang) for lang, texts in languages.items()]
    data = DataFacts("in.csv", None, sum(one.n for one in made))
    return Summary(ModelFacts("m", "f1", [*LABELS]), {}, data, settings, 0.0, made)


def flagged(found: list[LanguageDrift]) -> dict[str | None, list[str]]:
    return {one.lang: [test.label or test.what for test in one.flagged] for one in found
            if one.flagged}  # fmt: skip


def halves(generator: np.random.Generator, texts: Texts) -> tuple[Texts, Texts]:
    order = generator.permutation(len(texts.labels))
    return texts.at(order[: len(order) // 2]), texts.at(order[len(order) // 2 :])


def test_halves_of_one_inbox_are_alike() -> None:
    generator = np.random.default_rng(0)
    inbox = {lang: drawn(generator, n) for lang, n in
             (("de", 600), ("fr", 60), ("sw", 20), ("th", 6), ("yo", 2), (None, 40))}  # fmt: skip
    n_flagged = 0
    for _ in range(100):
        divided = {lang: halves(generator, texts) for lang, texts in inbox.items()}
        sides = [summary({lang: pair[side] for lang, pair in divided.items()}) for side in (0, 1)]
        n_flagged += bool(flagged(find_drift(*sides, least=0.0)))
    assert n_flagged <= 5


def test_labels_shifted_by_20_points_are_flagged() -> None:
    generator, n_hit, others = np.random.default_rng(1), 0, 0
    for number in range(30):
        before, now = ({lang: drawn(generator, 300) for lang in ("de", "fr", "sw")} for _ in "ab")
        label = LABELS[number % len(LABELS)]
        rows = generator.choice(np.flatnonzero(now["sw"].labels != label), 60, replace=False)
        now["sw"].labels[rows] = label
        found = flagged(find_drift(summary(before), summary(now)))
        n_hit += label in found.get("sw", [])
        others += bool(found.keys() - {"sw"})
    assert n_hit >= 28
    assert others <= 3


@pytest.mark.parametrize("what", ["probability", "linked", "cut", "language"])
def test_each_number_is_flagged_by_its_name(what: str) -> None:
    generator = np.random.default_rng(2)
    texts = drawn(generator, 300)
    changed = texts.probabilities * 0.8 if what == "probability" else generator.random(300) < 0.6
    name = {"probability": "probabilities", "language": "other"}.get(what, what)
    other = replace(texts, **{name: changed})
    before, now = summary({"de": texts, "sw": texts}), summary({"de": texts, "sw": other})
    found = find_drift(before, now)
    assert flagged(found) == {"sw": [what]}
    (test,) = found[1].flagged
    assert test.size == pytest.approx(test.now - test.before)
    assert test.change.interval.low < test.size < test.change.interval.high
    assert test.change.p <= test.p_holm < 0.05


def test_languages_that_are_new_or_gone_or_unknown() -> None:
    generator = np.random.default_rng(3)
    texts = drawn(generator, 300)
    few = texts.at(np.arange(2))
    before = {"de": texts, "fr": texts, "th": few, None: few}
    now = {"de": texts, "sw": texts, "yo": few, None: texts}
    found = find_drift(summary(before), summary(now))
    assert [(one.lang, one.n_before, one.n_now) for one in found] == [
        ("de", 300, 300), ("fr", 300, 0), ("sw", 0, 300), ("th", 2, 0), ("yo", 0, 2), (None, 2, 300)
    ]  # fmt: skip
    assert flagged(found) == {"fr": ["rows"], "sw": ["rows"], None: ["rows"]}  # two may be chance
    gone = found[1].of("rows")
    assert gone is not None
    assert (gone.before, gone.now) == (pytest.approx(300 / 604), 0.0)


def test_a_small_change_of_many_texts_is_certain_and_not_flagged() -> None:
    def of(mean: float) -> Summary:
        one = LanguageSummary("de", 10**6, {"ok": 10**6}, {"a": 10**6}, mean, 0.2, None, 0.0, 0, 0)
        return Summary(ModelFacts("m", "f1", []), {}, DataFacts("x", None, 1), {}, 0.0, [one])

    (found,) = find_drift(of(0.70), of(0.69))
    assert found.tests[0].p_holm < 1e-9
    assert not found.flagged
    assert find_drift(of(0.70), of(0.69), least=0.005)[0].flagged


def test_models_and_settings_must_be_the_same() -> None:
    texts = {"de": drawn(np.random.default_rng(4), 30)}
    plain, unsure = summary(texts, abstain_below=None), summary(texts, abstain_below=0.5)
    with pytest.raises(InputError, match=r"--abstain-below was None before and is 0\.5 now; "):
        find_drift(plain, unsure)
    other = Summary(ModelFacts("m", "f2", []), {}, plain.data, {}, 0.0, plain.languages)
    with pytest.raises(InputError, match=r"another model answered before \(f1\) than now \(f2\)"):
        find_drift(plain, other)


def test_nothing_at_all() -> None:
    assert find_drift(summary({}), summary({})) == []
    (found,) = find_drift(summary({}), summary({"de": drawn(np.random.default_rng(5), 30)}))
    assert (found.n_before, found.n_now, found.tests) == (0, 30, [])
