"""What changed between two summaries of one model's answers, language by language.

`find_drift` tests the share of each label, the mean probability, the shares of texts with an entity
and in each state, and the share of languages that are new or gone. Nothing is known here of whether
the answers are right: a language that changed is one whose audit is not to be believed any more.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from isogloss.classify.answers.summary import LanguageSummary, Summary
from isogloss.errors import InputError
from isogloss.statistics.changes import Change, Sample, change_of_mean, change_of_share
from isogloss.statistics.intervals import CONFIDENCE
from isogloss.statistics.scores import holm
from isogloss.text.languages import in_order_of_codes

LEAST = 0.02  # the smallest change that is flagged: of many texts, any is certain
SIGNIFICANCE = 1 - CONFIDENCE
What = Literal["label", "probability", "linked", "cut", "empty", "abstained", "language", "rows"]
_STATES: tuple[What, ...] = ("cut", "empty", "abstained")
_SAME_SETTINGS = ("abstain_below", "fallback_lang")  # on which answers depend, beside the model


@dataclass(frozen=True)
class Tested:
    """One number of one language, before and now.

    Attributes
    ----------
    lang
        None: the texts whose language is not known.
    what, label
        What was compared; the label where it is the share of one. ``language`` is the share that
        detection takes for another language than the file says, ``rows`` is the share of the
        language in the file.
    before, now
        Shares, or mean probabilities.
    change
        Their difference, with its interval, which is not corrected, and p.
    p_holm
        p, corrected for the number of all tests of all languages.
    is_flagged
        Whether this is below .05, and the change at least the least that counts.
    """

    lang: str | None
    what: What
    label: str | None
    before: float
    now: float
    change: Change
    p_holm: float = 1.0
    is_flagged: bool = False

    @property
    def size(self) -> float:
        """How much it changed: now minus before."""
        return self.change.interval.value

    def as_json(self) -> dict[str, Any]:
        """Return it as one flat object."""
        interval = self.change.interval
        return {
            "lang": self.lang, "what": self.what, "label": self.label, "before": self.before,
            "now": self.now, "change": self.size, "change_low": interval.low,
            "change_high": interval.high, "p": self.change.p, "p_holm": self.p_holm,
            "is_flagged": self.is_flagged,
        }  # fmt: skip


@dataclass(frozen=True)
class LanguageDrift:
    """What changed in one language: how many texts there were and are, and its tests."""

    lang: str | None
    n_before: int
    n_now: int
    tests: list[Tested]

    @property
    def flagged(self) -> list[Tested]:
        """The tests that are flagged."""
        return [test for test in self.tests if test.is_flagged]

    def of(self, what: What) -> Tested | None:
        """Return a test, of labels the largest change, rises before falls; None: there is none."""
        some = [test for test in self.tests if test.what == what]
        return max(some, key=lambda test: (round(abs(test.size), 9), test.size), default=None)


def find_drift(before: Summary, now: Summary, *, least: float = LEAST) -> list[LanguageDrift]:
    """Compare the answers to two files, in the order of the languages' codes.

    Parameters
    ----------
    before, now
        Summaries of one model, asked in one way.
    least
        The smallest change that is flagged.

    Raises
    ------
    InputError
        When two models answered, or one was asked in two ways.
    """
    _refuse_others(before, now)
    by_lang = [{one.lang: one for one in summary.languages} for summary in (before, now)]
    langs = in_order_of_codes(list(by_lang[0] | by_lang[1]))
    n_rows = [sum(one.n for one in some.values()) for some in by_lang]
    tests = [
        test
        for lang in langs
        for test in _tests(by_lang[0].get(lang), by_lang[1].get(lang), n_rows)
    ]
    corrected = holm([one.change.p for one in tests])
    tested: dict[str | None, list[Tested]] = {lang: [] for lang in langs}
    for one, p in zip(tests, corrected, strict=True):
        is_flagged = p < SIGNIFICANCE and abs(one.size) >= least
        tested[one.lang].append(replace(one, p_holm=p, is_flagged=is_flagged))
    n_of = [{lang: one.n for lang, one in some.items()} for some in by_lang]
    return [
        LanguageDrift(
            lang,
            n_before=n_of[0].get(lang, 0),
            n_now=n_of[1].get(lang, 0),
            tests=tested[lang],
        )
        for lang in langs
    ]


def _refuse_others(before: Summary, now: Summary) -> None:
    prints = [one.model.fingerprint for one in (before, now)]
    if prints[0] != prints[1]:
        raise InputError(
            f"another model answered before ({prints[0]:.16}) than now ({prints[1]:.16}), and what "
            "changed may be the model; answer both files with one"
        )
    for name in _SAME_SETTINGS:
        values = [one.settings.get(name) for one in (before, now)]
        if values[0] != values[1]:
            option = f"--{name.replace('_', '-')}"
            raise InputError(
                f"{option} was {values[0]!r:.40} before and is {values[1]!r:.40} now; "
                "answer both files with the same"
            )


def _tests(
    before: LanguageSummary | None, now: LanguageSummary | None, n_rows: list[int]
) -> Iterator[Tested]:
    """Yield the tests of one language; what none of the texts, or each of them, has is not one."""
    some = before or now
    assert some is not None
    if before is None or now is None or some.lang is None:
        of_rows = (0 if before is None else before.n, 0 if now is None else now.n)
        yield from _of_share(some.lang, "rows", None, of_rows, (n_rows[0], n_rows[1]))
    if before is None or now is None:
        return
    sizes = (before.n, now.n)
    for label in sorted(before.labels.keys() | now.labels.keys()):
        counts = (before.labels.get(label, 0), now.labels.get(label, 0))
        yield from _of_share(some.lang, "label", label, counts, sizes)
    mean = change_of_mean(*(
        Sample(one.n, one.mean_probability, one.deviation_of_probability) for one in (before, now)
    ))  # fmt: skip
    if mean is not None:
        means = before.mean_probability, now.mean_probability
        yield Tested(some.lang, "probability", None, *means, mean)
    if before.share_linked is not None and now.share_linked is not None:
        linked = (round(before.share_linked * before.n), round(now.share_linked * now.n))
        yield from _of_share(some.lang, "linked", None, linked, sizes)
    others = (before.n_other_language, now.n_other_language)
    yield from _of_share(some.lang, "language", None, others, (before.n_detected, now.n_detected))
    for state in _STATES:
        counts = (before.status.get(state, 0), now.status.get(state, 0))
        yield from _of_share(some.lang, state, None, counts, sizes)


def _of_share(
    lang: str | None, what: What, label: str | None, n: tuple[int, int], of: tuple[int, int]
) -> Iterator[Tested]:
    if 0 < sum(n) < sum(of) and min(of) > 0:
        change = change_of_share(n[0], of[0], n[1], of[1])
        yield Tested(lang, what, label, n[0] / of[0], n[1] / of[1], change)
