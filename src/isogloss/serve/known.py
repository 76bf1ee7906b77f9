"""What is known of the accuracy in a language: an audit, else a forecast, else nothing.

A forecast is from the texts that the server was asked, as there are no others: of each different
one the agreement of the heads is kept (`classify.trust.reference`), under the hash of the text. The
texts themselves are not.
"""

from collections.abc import Mapping, Sequence

from isogloss.arrays import Floats2d
from isogloss.classify.audit.saved import AuditedLanguage
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.forecast import forecast_row
from isogloss.serve.messages import Known

UNKNOWN = Known("unknown")
MOST_TEXTS = 1000  # of a language; more change a forecast little
MOST_LANGUAGES = 300


class KnownLanguages:
    """What is known, which grows with the texts that are asked.

    Parameters
    ----------
    fitted
        The model.
    audits
        Language to its last audit.
    """

    def __init__(self, fitted: FittedClassifier, audits: Mapping[str, AuditedLanguage]) -> None:
        self._fitted, self._audits = fitted, audits
        self._agreements: dict[str, dict[int, float]] = {}

    @property
    def audits(self) -> Mapping[str, AuditedLanguage]:
        """Language to its last audit."""
        return self._audits

    def add(self, texts: Sequence[str], langs: Sequence[str | None], vectors: Floats2d) -> None:
        """Take note of texts, with their vectors (n_texts, width)."""
        reference = self._fitted.forecast_reference
        if reference is None:
            return
        agreements = reference.agreement_on(vectors).tolist()
        for text, lang, agreement in zip(texts, langs, agreements, strict=True):
            if lang is None or lang in self._audits or lang in self._fitted.corrections:
                continue
            if lang not in self._agreements and len(self._agreements) >= MOST_LANGUAGES:
                continue
            of_lang = self._agreements.setdefault(lang, {})
            if text.strip() and len(of_lang) < MOST_TEXTS:
                of_lang[hash(text)] = agreement

    def of(self, lang: str | None) -> Known:
        """Return what is known of a language."""
        if lang is None:
            return UNKNOWN
        if lang in self._audits:
            audit = self._audits[lang]
            return Known(
                "audit", audit.accuracy, audit.low, audit.high, audit.n, is_blind=audit.is_blind
            )
        agreements, reference = self._agreements.get(lang), self._fitted.forecast_reference
        if not agreements or reference is None:
            return UNKNOWN
        row = forecast_row(
            reference,
            sum(agreements.values()) / len(agreements),
            len(agreements),
            n_training=self._fitted.n_training_documents,
        )
        return Known("forecast", row["expected"], row["low"], row["high"], row["n"])

    def all(self) -> dict[str, Known]:
        """Return what is known of each language of which anything is, by its code."""
        return {lang: self.of(lang) for lang in sorted({*self._audits, *self._agreements})}
