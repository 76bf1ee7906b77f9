"""Adapt a fitted classifier to a language from its unlabelled texts, or decline and say why.

`shift` estimates; here stands the acceptance test, which sees no label of the language. It declines
with few texts, with texts that do not fall into the model's classes (another kind of text), and
with class priors so unlike those of training that a shift cannot be told from them. Its three
limits were set on labelled texts of other languages: see docs/results.md.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.shift import EstimatedShift, ScoreReference, ShiftCorrection, estimate_shift
from isogloss.data.columns import texts_of
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.text.languages import parse_language

FEWEST_TEXTS = 20
LEAST_SEPARATION = 0.62
LARGEST_PRIOR_SHIFT = 0.4


@dataclass(frozen=True)
class Adaptation:
    """What came of adapting a classifier to a language.

    Attributes
    ----------
    lang
        Canonical code of the language.
    n_texts
        Different texts that it was learned from.
    accepted
        Whether texts of the language are corrected from now on.
    reason
        Why not; empty when accepted.
    distance
        Size of the shift, in standard deviations of the scores within a class; None with too few
        texts to say, as all that follows.
    scale
        How far apart the classes lie, 1 as in training.
    separation
        How clearly the texts fall into classes, 1 as held-out training texts do.
    prior_shift
        The part of the texts, 0 to 1, that would need another class to have the class priors of
        training (total variation).
    class_priors
        Label to its estimated share of the texts; labels that training lacks have no part in it.
    n_changed
        Texts that get another label by the correction.
    correction
        What corrects the vectors; None where it was declined.
    """

    lang: str
    n_texts: int
    accepted: bool
    reason: str
    distance: float | None = None
    scale: float | None = None
    separation: float | None = None
    prior_shift: float | None = None
    class_priors: dict[Any, float] | None = None
    n_changed: int | None = None
    correction: ShiftCorrection | None = field(default=None, repr=False)

    def as_json(self) -> dict[str, Any]:
        """Return a dictionary ready for `json`."""
        facts = asdict(self)
        del facts["correction"]
        if self.class_priors is not None:
            facts["class_priors"] = {str(label): p for label, p in self.class_priors.items()}
        return facts


def adapt(fitted: FittedClassifier, lang: str, texts: Sequence[str]) -> Adaptation:
    """Learn how the texts of a language are shifted; the classifier itself stays as it is.

    Parameters
    ----------
    fitted
        Which `FittedClassifier.with_correction` gives the outcome's correction, if there is one.
    lang
        Language of all texts.
    texts
        Texts without labels, of the domain and the class priors that will be classified. Equal
        ones count once, blank ones not at all.

    Raises
    ------
    InputError
        When `lang` is no language, there is no text, or the model cannot be adapted: its encoder
        was fine-tuned, it gives several labels a text, or training had too few texts.
    """
    code, reference = parse_language(lang), fitted.score_reference
    different = texts_to_adapt_to(code, texts, lack=fitted.lack_of(reference))
    if reference is None or len(different) < FEWEST_TEXTS:
        reason = f"{counted(len(different), 'different text')}; {FEWEST_TEXTS} are needed at least"
        outcome = Adaptation(code, len(different), accepted=False, reason=reason)
    else:
        outcome = _estimate(fitted, reference, code, fitted.prepare(different, code))
    if not outcome.accepted:
        warn_omitted(f"{code}: declined to correct its vectors: {outcome.reason}")
    return outcome


def texts_to_adapt_to(lang: str, texts: Sequence[str], *, lack: str) -> list[str]:
    """Return the different texts that hold anything, as first met.

    Parameters
    ----------
    lack
        Why the model has no `ScoreReference`; "" where it has one.

    Raises
    ------
    InputError
        When there is none, or the model cannot be adapted.
    """
    different = [text for text in dict.fromkeys(texts_of(texts, "texts")) if text.strip()]
    if not different:
        raise InputError(f"{lang}: there is no text to adapt to")
    if lack:
        raise InputError(f"this model cannot be adapted: {lack}")
    return different


def reason_against(found: EstimatedShift) -> str:
    """Return why a correction from enough texts should not be made, "" when it should."""
    if found.separation < LEAST_SEPARATION:
        return (
            f"the texts hardly fall into the model's classes (separation {found.separation:.2f}, "
            f"{LEAST_SEPARATION} is needed): they seem to be of another kind than its texts"
        )
    if found.prior_shift > LARGEST_PRIOR_SHIFT:
        return (
            f"{found.prior_shift:.0%} of the texts would need another class to have the class "
            f"priors of training ({LARGEST_PRIOR_SHIFT:.0%} is the most): a shift cannot be told "
            "from that"
        )
    return ""


def _estimate(
    fitted: FittedClassifier, reference: ScoreReference, lang: str, documents: PreparedDocuments
) -> Adaptation:
    batch = fitted.preparation.entity_batch(documents)
    found = estimate_shift(
        fitted.head.linear, reference, fitted.head.inputs(documents.vectors, batch)
    )
    before, after = (
        head.log_probabilities(documents.vectors, batch).argmax(axis=1)
        for head in (fitted.head, found.correction.apply(fitted.head))
    )
    reason = reason_against(found)
    return Adaptation(
        lang=lang,
        n_texts=found.correction.n_texts,
        accepted=not reason,
        reason=reason,
        distance=found.distance,
        scale=found.correction.scale,
        separation=found.separation,
        prior_shift=found.prior_shift,
        class_priors=dict(zip(fitted.classes.tolist(), found.class_priors.tolist(), strict=True)),
        n_changed=int((before != after).sum()),
        correction=None if reason else found.correction,
    )
