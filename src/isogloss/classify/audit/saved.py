"""Audits that stay with a model: ``audits.json`` in its folder, bound to its fingerprint.

Of each language there is the last audit. A model that answers otherwise, as one that is adapted, is
another model and has none of them.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec import Struct

from isogloss.classify.saving.card import with_audits
from isogloss.classify.saving.manifest import read_manifest
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.learn.card import CARD
from isogloss.limits import Count, Share
from isogloss.statistics.intervals import Interval
from isogloss.storage.files import atomic_file, damage_in_one_sentence, read_json, write_json
from isogloss.storage.sealed import refuse_changed, sealed
from isogloss.storage.typed import typed

FORMAT, VERSION = "isogloss audits", 1
AUDITS = "audits.json"
_ADVICE = "remove it and run `isogloss classify audit read` again"


class AuditedLanguage(Struct, frozen=True):
    """The last audit of a language.

    Attributes
    ----------
    accuracy, low, high
        With its interval at 95 %.
    n, n_unsure
        Rows that were labelled, and that were left unsure.
    is_blind
        Whether the model's answers were hidden from who labelled.
    by_class
        Whether every answer was drawn equally often, and weighted back.
    date
        When it was read, UTC: ``2026-05-01``.
    data
        Name of the file that rows were drawn from.
    sheet
        Checksum of the sheet's key.
    assisted
        Whether the answers to rows without a label have a part in the accuracy.
    """

    accuracy: Share
    low: Share
    high: Share
    n: Count
    n_unsure: Count
    is_blind: bool
    by_class: bool
    date: str
    data: str
    sheet: str
    assisted: bool = False

    def in_words(self, target: float | None = None) -> str:
        """Say what is known in a line, with the verdict on a target."""
        ends = f"[{self.low:.2f}, {self.high:.2f}]"
        verdict = Interval(self.accuracy, self.low, self.high).verdict(target or 0.0)
        return (
            f"{self.accuracy:.2f} {ends}{'' if target is None else f', {verdict}'}, "
            f"{counted(self.n, 'text')} of {self.data}, {self.date}"
            f"{'' if self.is_blind else ', not blind'}{', by class' if self.by_class else ''}"
            f"{', assisted' if self.assisted else ''}"
        )


class _Audits(Struct, frozen=True):
    model: str  # fingerprint
    languages: dict[str, AuditedLanguage]


def audits_of(model_dir: str | Path) -> dict[str, AuditedLanguage]:
    """Return language to its last audit; none where nothing was audited.

    Raises
    ------
    InputError
        When `model_dir` is no classifier, or its audits are damaged or those of another model.
    """
    path = Path(model_dir) / AUDITS
    fingerprint = read_manifest(Path(model_dir)).fingerprint
    if not path.exists():
        return {}
    content = read_json(path, what="audits of a classifier", advice=_ADVICE)
    is_one = isinstance(content, dict) and content.get("format") == FORMAT
    if not is_one or content.get("version") != VERSION:
        raise InputError(f"holds no audits that this isogloss reads; {_ADVICE}", path=path)
    refuse_changed(content, path, advice=_ADVICE)
    with damage_in_one_sentence(path, advice=_ADVICE):
        audits = typed(content, _Audits)
    if audits.model != fingerprint:
        raise InputError(f"holds audits of another model; {_ADVICE}", path=path)
    return audits.languages


def save_audits(model_dir: Path, languages: Mapping[str, AuditedLanguage]) -> Path:
    """Put audits beside those of other languages, and return where they are.

    Raises
    ------
    InputError
        As `audits_of`; when the file cannot be written.
    """
    path = model_dir / AUDITS
    audits = _Audits(read_manifest(model_dir).fingerprint, audits_of(model_dir) | dict(languages))
    facts = {"format": FORMAT, "version": VERSION} | msgspec.to_builtins(audits)
    with atomic_file(path, overwrite=True) as temporary:
        write_json(temporary, sealed(facts))
    _tell_in_card(model_dir / CARD, audits.languages)
    return path


def _tell_in_card(path: Path, languages: Mapping[str, AuditedLanguage]) -> None:
    """Put audits into a model's card, which its owner may have removed, or written anew."""
    if not path.is_file():
        return
    card = with_audits(path.read_text("utf-8", errors="replace"), [
        {"lang": lang, "n": one.n, "accuracy": one.accuracy, "accuracy_low": one.low,
         "accuracy_high": one.high, "unsure": one.n_unsure,
         "labelled blind": "yes" if one.is_blind else "no",
         "by class": "yes" if one.by_class else "no",
         "assisted": "yes" if one.assisted else "no", "date": one.date}
        for lang, one in languages.items()
    ])  # fmt: skip
    if card is None:
        warn_omitted(f"{path} has no place for audits any more, and tells of none; the report does")
        return
    with atomic_file(path, overwrite=True) as temporary:
        temporary.write_text(card, encoding="utf-8", newline="")
