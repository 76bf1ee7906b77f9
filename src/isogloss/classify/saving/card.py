"""The card of a saved classifier: ``README.md``, with the head that the Hugging Face hub reads.

It says what the classifier knows of itself: languages, labels, data, sources with their licences,
scores with intervals, limits. `audit read` puts the audits into it. Labels and names of files are a
stranger's: they are shown as text, whatever stands in them.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

from isogloss.classify.fitted import FittedClassifier
from isogloss.errors import counted
from isogloss.learn.card import head_of_card, listed, named, sources
from isogloss.report.table import Table
from isogloss.statistics.intervals import interval_of_share
from isogloss.visible import visible_in_markdown

_BEGIN, _END = "<!-- audits -->", "<!-- end of audits -->"
_SEAL = re.compile(r"<!-- isogloss wrote this: ([0-9a-f]{64}) -->\n\Z")
_NO_AUDIT = (
    "None yet. `isogloss classify audit` tells the accuracy of a language from fifty labels."
)
_USE = """```python
from isogloss import TextClassifier

model = TextClassifier.load("FOLDER")
model.predict(["a text"], lang="sw")
```"""

_LIMITS = (
    "A language that is neither of training nor audited was not judged: `isogloss classify "
    "forecast` estimates its accuracy from texts without labels, `audit` tells it.",
    "It gives no label but those above, to any text.",
)


def card_of(fitted: FittedClassifier) -> str:
    """Return the text of a classifier's card, without audits: those are of a saved one."""
    audited = ["### Audited", f"{_BEGIN}\n{_NO_AUDIT}\n{_END}"]
    limits = [*_LIMITS, *_limits_of_file(fitted)]
    return _sealed(_card(fitted, "isogloss", _USE, audited, limits, file="model.json"))


def card_of_export(
    fitted: FittedClassifier, *, library: str, use: str, notes: Sequence[str]
) -> str:
    """Return the text of the card of an exported classifier.

    Parameters
    ----------
    library
        What reads it, as the hub names it.
    use
        Lines of Python that give logits.
    notes
        Sentences on what the classifier does and this does not.
    """
    said = [f"{note[:1].upper()}{note[1:]}." for note in notes]
    code = f"```python\n{use.strip()}\n```"
    return _card(fitted, library, code, [], [*_LIMITS, *said], file="manifest.json")


def _card(
    fitted: FittedClassifier, library: str, use: str, audited: Sequence[str],
    limits: Sequence[str], *, file: str,
) -> str:  # fmt: skip
    base = fitted.preparation.base
    head = head_of_card(langs=fitted.langs, library=library, task="text-classification", base=base)
    gives = "any number" if fitted.options.multilabel else "one"
    labels = named(fitted.classes.tolist(), "label", file=file)
    parts = [head, "# Text classifier", f"Gives a text {gives} of {labels}.", use]
    parts += ["## Languages", _languages(fitted), *audited]
    parts += ["## Data", _data(fitted)]
    parts += ["## Sources and licences", sources(base, fitted.kb, tune=fitted.options.tune)]
    parts += ["## Scores", _scores(fitted)]
    parts += ["## Limits", listed(limits)]
    return "\n\n".join(parts) + "\n"


def with_audits(card: str, rows: Sequence[dict[str, Any]]) -> str | None:
    """Return a card with the audits of its model; all else stays as its owner may have made it.

    Parameters
    ----------
    rows
        Of a table, a language each.

    Returns
    -------
    None where the card has no place for them any more.
    """
    before, begin, rest = card.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        return None
    made = f"{before}{_BEGIN}\n{Table(rows).to_markdown().strip() or _NO_AUDIT}\n{_END}{after}"
    return _sealed(_SEAL.sub("", made)) if is_as_written(card) else made


def is_as_written(card: str) -> bool:
    """Whether nobody edited a card since it was written here."""
    seal = _SEAL.search(card)
    return seal is not None and seal[1] == _checksum(card[: seal.start()])


def _sealed(card: str) -> str:
    return f"{card}<!-- isogloss wrote this: {_checksum(card)} -->\n"


def _checksum(card: str) -> str:
    return hashlib.sha256(card.encode()).hexdigest()


def _languages(fitted: FittedClassifier) -> str:
    trained = ", ".join(fitted.langs) or "a language that was not named"
    if not fitted.n_training_documents:
        trained = "no text, but the names of the classes"
    lines = [f"Trained on: {trained}"]
    lines += [
        f"Adapted to: {lang}, by {counted(correction.n_texts, 'text')} without labels"
        for lang, correction in sorted(fitted.corrections.items())
    ]
    return listed(lines)


def _data(fitted: FittedClassifier) -> str:
    if not fitted.data:
        n = counted(fitted.n_training_documents, "labelled text")
        return f"{n}, from no file that is known."
    lines = []
    for file in fitted.data:
        rows = ", ".join(f"{lang} {n:,}" for lang, n in file.rows.items()) or "no rows"
        known = "" if file.sha256 is None else f"; SHA-256 `{file.sha256}`"
        lines.append(f"{file.part.capitalize()}: {visible_in_markdown(file.name)}, {rows}{known}")
    return listed(lines)


def _scores(fitted: FittedClassifier) -> str:
    lines, reference, n = [], fitted.forecast_reference, fitted.n_training_documents
    if reference is not None:
        found = interval_of_share(round(reference.accuracy * n), n)
        lines.append(
            f"Accuracy on held-out training texts, by the encoder alone: {found.value:.3f} "
            f"[{found.low:.2f}, {found.high:.2f}], {counted(n, 'text')}"
        )
    trust = fitted.trust
    said = f"Probabilities: {trust.describe()}"
    if trust.is_calibrated and trust.error_after is not None:
        said += (
            f"; calibration error {trust.error_before:.3f} before, {trust.error_after:.3f} after"
        )
    return listed([*lines, said])


def _limits_of_file(fitted: FittedClassifier) -> list[str]:
    """Return what holds of a model as isogloss reads it."""
    settings, options = fitted.preparation.encoder.settings, fitted.options
    is_cut = (options.long_texts or settings.long_texts.value) == "cut"
    limits = [
        f"Of texts with more than {settings.max_length.value:,} tokens only the beginning is read."
        if is_cut
        else f"Texts with more than {settings.max_length.value:,} tokens are read in windows.",
        "No training text lies in the model."
        if fitted.examples is None
        else "**The training texts lie in the model and go where it goes**: `--keep-examples`.",
    ]
    if fitted.kb is not None:
        limits.append(
            "Entities are found in the languages that the knowledge base names; texts in others "
            "are answered by the encoder alone."
        )
    return limits
