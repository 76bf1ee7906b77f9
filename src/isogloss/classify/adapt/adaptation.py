"""Adapt a fitted classifier to a language from its unlabelled texts, or decline and say why.

`language_move` estimates; here stands the guard, which sees no label of the language. It declines
with few texts, with texts that do not fall into the model's classes (another kind of text), and
with shares of the classes so unlike those of training that a shift cannot be told from them. Its
three limits were set on labelled texts of other languages: see docs/results.md.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from isogloss.arrays import Doubles2d, Floats2d
from isogloss.classify.adapt.shift import EstimatedMove, ScoreReference, estimate_move
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.heads.head import Head, linear_inputs, linear_part, log_probabilities_of
from isogloss.classify.trust.reference_lack import lack_of
from isogloss.data.columns import texts_of
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.learn.objective import Targets
from isogloss.learn.one_thread import one_thread
from isogloss.progress import logger
from isogloss.text.languages import parse_language

if TYPE_CHECKING:
    from isogloss.classify.documents.documents import PreparedDocuments
    from isogloss.classify.text_classifier import TextClassifier

FEWEST_TEXTS = 20
LEAST_SEPARATION = 0.62
MOST_DIFFERENT_SHARES = 0.4


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
        Whether texts of the language are moved from now on.
    reason
        Why not; empty when accepted.
    distance
        Size of the shift, in standard deviations of the scores within a class; None with too few
        texts to say, as all that follows.
    contrast
        How far apart the classes lie, 1 as in training.
    separation
        How clearly the texts fall into classes, 1 as held-out training texts do.
    different_shares
        The part of the texts, 0 to 1, that would need another class to have the shares of training
        (total variation).
    shares
        Label to its estimated share of the texts; labels that training lacks have no part in it.
    n_changed
        Texts that get another label by the move.
    """

    lang: str
    n_texts: int
    accepted: bool
    reason: str
    distance: float | None = None
    contrast: float | None = None
    separation: float | None = None
    different_shares: float | None = None
    shares: dict[Any, float] | None = None
    n_changed: int | None = None

    def as_json(self) -> dict[str, Any]:
        """Return a dictionary ready for `json`."""
        facts = asdict(self)
        if self.shares is not None:
            facts["shares"] = {str(label): share for label, share in self.shares.items()}
        return facts


def adapt(model: "TextClassifier", lang: str, texts: Sequence[str]) -> Adaptation:
    """Learn how the texts of a language are shifted; from then on the model moves them back.

    A second call for the same language replaces the first move; a call that is declined changes
    nothing.

    Parameters
    ----------
    model
        A fitted classifier; its ``moves_`` are changed.
    lang
        Language of all texts.
    texts
        Texts without labels, of the domain and the mix of classes that will be classified. Equal
        ones count once, blank ones not at all.

    Raises
    ------
    InputError
        When `lang` is no language, there is no text, or the model cannot be adapted: its encoder
        was tuned, it gives several labels a text, or training had too few texts.
    """
    check_is_fitted(model, "head_")
    code, reference = parse_language(lang), model.reference_
    different = texts_to_adapt_to(code, texts, lack=lack_of(model, reference))
    if reference is None or len(different) < FEWEST_TEXTS:
        reason = f"{counted(len(different), 'different text')}; {FEWEST_TEXTS} are needed at least"
        outcome = Adaptation(code, len(different), accepted=False, reason=reason)
    else:
        outcome = _estimate(model, reference, code, model.prepare(different, code))
    if not outcome.accepted:
        warn_omitted(f"{code}: declined to move its vectors: {outcome.reason}")
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


def reference_of(
    head: Head, vectors: Floats2d, batch: EntityBatch | None, y: Targets, *, seed: int
) -> ScoreReference | None:
    """Return what `adapt` compares other languages with, from the training documents.

    Parameters
    ----------
    vectors, batch
        (n_documents, width) of a frozen encoder: those of a tuned one know their labels; and the
        documents' entities, None without a knowledge base.
    y
        Their classes; label sets give None.
    """
    inputs = linear_inputs(head, vectors, batch)
    with one_thread():
        return ScoreReference.of(linear_part(head), inputs, y, seed=seed)


def moved_log_probabilities(
    model: "TextClassifier", documents: "PreparedDocuments", *, with_entities: bool
) -> Doubles2d:
    """Return log p(c | D) with each language's vectors moved as was learned for it."""
    batch = model.entity_batch(documents)
    if batch is not None and not with_entities:
        batch = batch.thin(0.0, np.random.default_rng(0))
    answers = log_probabilities_of(model.head_, documents.vectors, batch)
    langs = np.array(documents.langs, dtype=object)
    for lang, move in model.moves_.items():
        rows = np.flatnonzero(langs == lang)
        if len(rows):
            logger.info("%s: moved as learned from %s", lang, counted(move.n_texts, "text"))
            own = None if batch is None else batch.select(rows)
            head = move.apply(model.head_)
            answers[rows] = log_probabilities_of(head, documents.vectors[rows], own)
    return answers


def reason_against(found: EstimatedMove) -> str:
    """Return why a move of enough texts should not be made, "" when it should."""
    if found.separation < LEAST_SEPARATION:
        return (
            f"the texts hardly fall into the model's classes (separation {found.separation:.2f}, "
            f"{LEAST_SEPARATION} is needed): they seem to be of another kind than its texts"
        )
    if found.different_shares > MOST_DIFFERENT_SHARES:
        return (
            f"{found.different_shares:.0%} of the texts would need another class to have the "
            f"shares of training ({MOST_DIFFERENT_SHARES:.0%} is the most): a shift cannot be told "
            "from that"
        )
    return ""


def n_texts_behind(model: "TextClassifier", lang: str | None) -> int | None:
    """Return the number of texts that the move of a language was learned from; None: no move."""
    move = None if lang is None else model.moves_.get(lang)
    return None if move is None else move.n_texts


def _estimate(
    model: "TextClassifier", reference: ScoreReference, lang: str, documents: "PreparedDocuments"
) -> Adaptation:
    batch = model.entity_batch(documents)
    inputs = linear_inputs(model.head_, documents.vectors, batch)
    found = estimate_move(linear_part(model.head_), reference, inputs)
    before, after = (
        log_probabilities_of(head, documents.vectors, batch).argmax(axis=1)
        for head in (model.head_, found.move.apply(model.head_))
    )
    reason = reason_against(found)
    if not reason:
        model.moves_[lang] = found.move
    return Adaptation(
        lang=lang,
        n_texts=found.move.n_texts,
        accepted=not reason,
        reason=reason,
        distance=found.distance,
        contrast=found.move.contrast,
        separation=found.separation,
        different_shares=found.different_shares,
        shares=dict(zip(model.classes_.tolist(), found.shares.tolist(), strict=True)),
        n_changed=int((before != after).sum()),
    )
