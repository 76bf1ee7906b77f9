"""``answered.summary.json``: what made the answers, and by language what came of them.

`SummaryCounts` counts block by block; the summary is a typed manifest with a checksum, which
`read_summary` reads back. Two can be compared: by language they hold counts, not only shares.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from isogloss.classify.answers.answers import OK, Answers
from isogloss.classify.audit.saved import AuditedLanguage
from isogloss.limits import Count, NotNegative, Share
from isogloss.storage.files import damage_in_one_sentence, read_json, write_json
from isogloss.storage.sealed import refuse_changed, refuse_other_version, sealed
from isogloss.storage.typed import typed
from isogloss.text.detect import detect_languages
from isogloss.text.languages import UNKNOWN, in_order_of_codes

FORMAT, VERSION = "isogloss answers", 3
ENDING = ".summary.json"
N_DETECTED = 1000  # of each language: the time is bounded, and as many say all that is asked
REPAIR = "answer the file again"


class LanguageSummary(Struct, frozen=True):
    """What came of the texts of one language.

    Attributes
    ----------
    lang
        Its code; None: the language of these texts is not known.
    n
        Number of texts.
    status
        State → number of texts in it; a text in two states is counted in both.
    labels
        Label → number of texts that got it.
    mean_probability
        Mean over the texts of the probability of their likeliest label.
    deviation_of_probability
        Its standard deviation over the texts, by which a change of the mean is told from chance.
    share_linked
        Share of the texts in which an entity was found; None without a knowledge base.
    share_cut
        Share of the texts that were cut.
    n_detected, n_other_language
        Of the first `N_DETECTED` texts (of a corpus those of each part), where a file or an option
        says their language: how many have one that detection can tell, and how many of these are
        in another than is said.
    """

    lang: str | None
    n: Count
    status: dict[str, Count]
    labels: dict[str, Count]
    mean_probability: Share
    deviation_of_probability: Share
    share_linked: Share | None
    share_cut: Share
    n_detected: Count
    n_other_language: Count


class ModelFacts(Struct, frozen=True):
    """The model that answered."""

    name: str
    fingerprint: str
    labels: list[str]


class DataFacts(Struct, frozen=True):
    """The file that was answered; no checksum of what can be read once only.

    ``n_parts_without_rows`` is that of a corpus in parts.
    """

    name: str
    sha256: str | None
    n_rows: Count
    n_parts_without_rows: Count = 0


class Summary(Struct, frozen=True):
    """All that the file holds behind its format, version and checksum.

    ``audits`` has the last audit of each language that was answered and has one.
    """

    model: ModelFacts
    versions: dict[str, str]
    data: DataFacts
    settings: dict[str, Any]
    seconds: NotNegative
    languages: list[LanguageSummary]
    audits: dict[str, AuditedLanguage] = {}

    @property
    def document(self) -> dict[str, Any]:
        """What its file holds."""
        return sealed({"format": FORMAT, "version": VERSION} | msgspec.to_builtins(self))

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        write_json(path, self.document)


def summary_path(path: Path) -> Path:
    """Return where the summary of an answered file lies: beside it.

    Examples
    --------
    >>> summary_path(Path("out/answered.csv.gz")).as_posix()
    'out/answered.summary.json'
    """
    endings = (".gz", ".zst")
    name = path.with_suffix("") if path.suffix in endings else path
    return name.with_name(name.stem + ENDING)


def read_summary(path: Path) -> Summary:
    """Read a summary.

    Raises
    ------
    InputError
        When it is none, of another version, or has changed since it was written.
    """
    content = read_json(path, what="a summary of answers", advice=REPAIR)
    refuse_changed(content, path, advice=REPAIR)
    with damage_in_one_sentence(path, advice=REPAIR):
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r:.40}")
        refuse_other_version(content, VERSION, path, advice=REPAIR)
        summary = typed(content, Summary)
        for one in summary.languages:
            counts = (*one.status.values(), *one.labels.values(), one.n_detected)
            if one.n < max(1, *counts) or one.n_detected < one.n_other_language:
                raise ValueError(f"more texts of {one.lang!r:.40} are counted than there are")
        return summary


class AnswerFacts(Struct, frozen=True):
    """The facts of a part, as `SummaryCounts.languages` gave them."""

    languages: list[LanguageSummary]


def languages_of(facts: Mapping[str, Any]) -> list[LanguageSummary]:
    """Return what `SummaryCounts.languages` gave, out of JSON; raises as `typed` does."""
    return typed(facts, AnswerFacts).languages


def audits_among(
    audits: Mapping[str, AuditedLanguage], languages: Iterable[LanguageSummary]
) -> dict[str, AuditedLanguage]:
    """Return the audits of those languages that texts are in, `und` where none is known."""
    found = {one.lang or UNKNOWN for one in languages}
    return {lang: audit for lang, audit in audits.items() if lang in found}


def merged_languages(files: Iterable[Sequence[LanguageSummary]]) -> list[LanguageSummary]:
    """Return what came of each language in all of several files."""
    counts = SummaryCounts()
    for languages in files:
        counts.add_counted(languages)
    return counts.languages()


class SummaryCounts:
    """Counts answers by language, block by block."""

    def __init__(self) -> None:
        self._by_lang: dict[str | None, _Counts] = {}

    def add(self, answers: Answers, texts: Sequence[str]) -> None:
        """Count some answers, and in which language their texts are."""
        linked = answers.is_linked
        for row, lang in enumerate(answers.langs):
            counts = self._by_lang.setdefault(lang, _Counts())
            counts.n += 1
            counts.status.update(answers.states[row] or (OK,))
            label = answers.labels[row]
            labels: Iterable[Any] = label if isinstance(label, tuple) else (label,)
            counts.labels.update(str(one) for one in labels if one is not None)
            probability = float(answers.probabilities[row].max())
            counts.probability += probability
            counts.squares += probability**2
            counts.has_links |= linked is not None
            counts.n_linked += int(linked is not None and linked[row])
        self._detect(answers, texts)

    def _detect(self, answers: Answers, texts: Sequence[str]) -> None:
        chosen = [
            (lang, text)
            for lang, by, text in zip(answers.langs, answers.lang_by, texts, strict=True)
            if lang is not None and by in ("column", "given") and self._by_lang[lang].is_looked_at()
        ]
        if not chosen:
            return
        for (lang, _), found in zip(
            chosen, detect_languages([text for _, text in chosen]), strict=True
        ):
            if found is not None:
                counts = self._by_lang[lang]
                counts.n_detected += 1
                counts.n_other_language += found.split("-")[0] != lang.split("-")[0]

    def add_counted(self, languages: Iterable[LanguageSummary]) -> None:
        """Add what was counted before."""
        for one in languages:
            self._by_lang.setdefault(one.lang, _Counts()).add(one)

    def languages(self) -> list[LanguageSummary]:
        """Return what came of each language, in the order of their codes."""
        return [self._by_lang[lang].summary(lang) for lang in in_order_of_codes([*self._by_lang])]


class _Counts:
    def __init__(self) -> None:
        self.n = self.n_linked = self.n_detected = self.n_other_language = 0
        self._n_looked_at = 0
        self.has_links = False
        self.probability = self.squares = 0.0  # sums
        self.status: Counter[str] = Counter()
        self.labels: Counter[str] = Counter()

    def add(self, one: LanguageSummary) -> None:
        self.n += one.n
        self.probability += one.mean_probability * one.n
        self.squares += (one.deviation_of_probability**2 + one.mean_probability**2) * one.n
        self.status.update(one.status)
        self.labels.update(one.labels)
        self.has_links |= one.share_linked is not None
        self.n_detected += one.n_detected
        self.n_other_language += one.n_other_language
        self.n_linked += round((one.share_linked or 0.0) * one.n)  # whole texts: exact once rounded

    def is_looked_at(self) -> bool:
        """Say whether the language of one more text is detected."""
        self._n_looked_at += 1
        return self._n_looked_at <= N_DETECTED

    def summary(self, lang: str | None) -> LanguageSummary:
        mean = self.probability / self.n
        return LanguageSummary(
            lang=lang,
            n=self.n,
            status=dict(sorted(self.status.items())),
            labels=dict(sorted(self.labels.items())),
            mean_probability=min(mean, 1.0),
            deviation_of_probability=max(self.squares / self.n - mean**2, 0.0) ** 0.5,
            share_linked=self.n_linked / self.n if self.has_links else None,
            share_cut=self.status["cut"] / self.n,
            n_detected=self.n_detected,
            n_other_language=self.n_other_language,
        )
