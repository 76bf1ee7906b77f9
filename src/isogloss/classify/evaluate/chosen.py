"""Which documents of an evaluation teach the reader most: of each kind a few, of many languages."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from isogloss.classify.evaluate.evaluated import Evaluation

N_OF_KIND = 3
WRONG, BETTER, WORSE, UNSURE = (
    "Confidently wrong", "Changed by entities for the better",
    "Changed by entities for the worse", "Unsure",
)  # fmt: skip


class ChosenDocument(NamedTuple):
    """A text: its language, and its place among the texts of it."""

    lang: str
    at: int


class _Candidate(NamedTuple):
    lang: str
    at: int
    entry: str  # the document that it is a translation of, or its own
    is_right: bool
    was_right: bool | None  # without entities; None: nothing was linked
    confidence: float


def chosen_documents(evaluation: Evaluation) -> dict[str, list[ChosenDocument]]:
    """Choose at most `N_OF_KIND` documents of each kind, none twice, nor with a translation.

    Wrong are those with the highest confidence, unsure those with the lowest; what entities changed
    is shown by falling confidence. Each is of another language while there are others. Texts with
    label sets have no confidence: the first ones are shown, and none as unsure.
    """
    candidates = list(_candidates(evaluation))
    kinds: dict[str, tuple[Callable[[_Candidate], bool], int]] = {
        BETTER: (lambda one: one.is_right and one.was_right is False, -1),
        WORSE: (lambda one: not one.is_right and one.was_right is True, -1),
        WRONG: (lambda one: not one.is_right, -1),
        UNSURE: (lambda one: bool(evaluation.confidence), 1),
    }
    taken: set[str] = set()
    found: dict[str, list[ChosenDocument]] = {}
    for kind, (is_of, sign) in kinds.items():
        ranked = sorted(filter(is_of, candidates), key=lambda one: sign * one.confidence)
        found[kind] = _picked(ranked, taken)
    return {kind: found[kind] for kind in (WRONG, BETTER, WORSE, UNSURE) if found[kind]}


def _picked(ranked: list[_Candidate], taken: set[str]) -> list[ChosenDocument]:
    picked: list[ChosenDocument] = []
    for other_langs_only in (True, False):
        for one in ranked:
            langs = {chosen.lang for chosen in picked}
            if len(picked) == N_OF_KIND:
                break
            if one.entry not in taken and not (other_langs_only and one.lang in langs):
                picked.append(ChosenDocument(one.lang, one.at))
                taken.add(one.entry)
    return picked


def _candidates(evaluation: Evaluation) -> Iterator[_Candidate]:
    for lang, texts in evaluation.texts.items():
        confidence = evaluation.confidence.get(lang)
        without = texts.correct_without_entities
        for at, is_right in enumerate(evaluation.correct[lang].tolist()):
            yield _Candidate(
                lang=lang,
                at=at,
                entry=f"id {texts.ids[at]}" if texts.ids else f"row {texts.rows[at]}",
                is_right=is_right,
                was_right=None if without is None else bool(without[at]),
                confidence=0.0 if confidence is None else float(confidence[at]),
            )
