"""Scores of entities equal those of seqeval, nervaluate and conlleval on random sequences."""

import random
import warnings
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from conlleval import conlleval
from tag_sequences import any_tags, legal_tags

from isogloss.tag.schemes import SCHEMES, Scheme, in_scheme
from isogloss.tag.scores import EntityCounts

N = 1000  # sequences a scheme, of each kind
Tags = list[list[str]]
SEQEVAL = {"BIOES": "IOBES"}  # its name for it


@lru_cache
def sequences(scheme: Scheme, kind: str) -> tuple[Tags, Tags]:
    """Return gold and predicted tags: both legal, the predicted ones of any kind, or both."""
    rng = random.Random(f"{scheme} {kind}")
    if kind == "both any":
        lengths = [rng.randint(1, 9) for _ in range(N)]
        return any_tags(rng, scheme, lengths), any_tags(rng, scheme, lengths)
    gold = [tags or ["O"] for tags in legal_tags(rng, scheme, n_sentences=N)]
    others = legal_tags(rng, scheme, n_sentences=N)
    if kind == "any predicted":
        others = any_tags(rng, scheme, [len(tags) for tags in gold], n_types=3)
    predicted = [
        other if len(other) == len(tags) and rng.random() < 0.5 else tags
        for tags, other in zip(gold, others, strict=True)
    ]
    assert predicted != gold
    return gold, predicted


def of_seqeval(
    gold: Tags, predicted: Tags, average: str | None, strict: Scheme | None = None
) -> Any:
    """Return precision, recall, F1 and number; None: by default, which knows no scheme."""
    pytest.importorskip("seqeval", reason="seqeval has no wheel, and pip could not build it here")
    from seqeval import scheme as schemes
    from seqeval.metrics import sequence_labeling, v1

    mode = {} if strict is None else {"scheme": getattr(schemes, SEQEVAL.get(strict, strict))}
    module = sequence_labeling if strict is None else v1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # types that one side lacks
        return module.precision_recall_fscore_support(gold, predicted, average=average, **mode)


KINDS = pytest.mark.parametrize("kind", ["both legal", "any predicted", "both any"])


@KINDS
@pytest.mark.parametrize("scheme", SCHEMES)
def test_strict_scores_are_those_of_seqeval(scheme: Scheme, kind: str) -> None:
    gold, predicted = sequences(scheme, kind)
    counts = EntityCounts.of(gold, predicted, scheme)
    *micro, _ = of_seqeval(gold, predicted, "micro", strict=scheme)
    ours = [counts.ratio(name).value for name in ("precision", "recall", "f1_strict")]
    assert ours == pytest.approx(micro, abs=1e-12)
    precision, recall, f1, n = of_seqeval(gold, predicted, None, strict=scheme)
    for row, kind_of_entity in enumerate(sorted(counts.by_label)):
        outcome = counts.by_label[kind_of_entity]
        assert outcome.n_gold == n[row]
        assert [outcome.precision, outcome.recall, outcome.f1] == pytest.approx(
            [precision[row], recall[row], f1[row]], abs=1e-12
        )
    assert len(n) == len(counts.by_label)


@KINDS
@pytest.mark.parametrize("scheme", SCHEMES)
def test_conll_scores_are_those_of_seqeval_by_default(scheme: Scheme, kind: str) -> None:
    """Which knows E and S, but not L and U: these are renamed for it."""
    gold, predicted = sequences(scheme, kind)
    counts = EntityCounts.of(gold, predicted, scheme)
    renamed = [
        [[tag.replace("L-", "E-").replace("U-", "S-") for tag in tags] for tags in side]
        for side in (gold, predicted)
    ]
    assert counts.ratio("f1_conll").value == pytest.approx(
        of_seqeval(*renamed, "micro")[2], abs=1e-12
    )
    f1 = of_seqeval(*renamed, None)[2]
    by_label = counts.by_label_conll
    assert [by_label[one].f1 for one in sorted(by_label)] == pytest.approx(f1, abs=1e-12)


def for_b_and_i(scheme: Scheme, kind: str) -> tuple[Tags, Tags]:
    """Return tags that programs read which know B and I alone."""
    gold, predicted = sequences(scheme, kind)
    if scheme in ("IOB1", "IOB2"):
        return gold, predicted
    return (
        [in_scheme(tags, scheme, "IOB2") for tags in gold],
        [in_scheme(tags, scheme, "IOB2") for tags in predicted],
    )


B_AND_I = pytest.mark.parametrize(
    ("scheme", "kind"),
    [
        ("IOB1", "both legal"), ("IOB1", "any predicted"), ("IOB1", "both any"),
        ("IOB2", "both legal"), ("IOB2", "any predicted"), ("IOB2", "both any"),
        ("BIOES", "both legal"), ("BILOU", "both legal"),
    ],
)  # fmt: skip


@B_AND_I
def test_conll_counts_are_those_of_conlleval(scheme: Scheme, kind: str) -> None:
    gold, predicted = sequences(scheme, kind)
    counts = EntityCounts.of(gold, predicted, scheme)
    assert tuple(counts.conll.sum(axis=0)) == conlleval(*for_b_and_i(scheme, kind))
    if kind == "both legal":
        assert np.array_equal(counts.conll, counts.strict)


@B_AND_I
def test_conll_scores_are_the_strict_ones_of_nervaluate(scheme: Scheme, kind: str) -> None:
    """Its scenario ``strict`` asks for equal words and types, of entities read as conlleval's."""
    nervaluate = pytest.importorskip("nervaluate", reason="nervaluate is not installed")
    gold, predicted = for_b_and_i(scheme, kind)
    counts = EntityCounts.of(*sequences(scheme, kind), scheme)
    found = nervaluate.Evaluator(gold, predicted, tags=sorted(counts.by_label_conll), loader="list")
    strict = found.evaluate()["overall"]["strict"]
    assert counts.conll.sum(axis=0).tolist() == [strict.correct, strict.actual, strict.possible]
    assert counts.ratio("f1_conll").value == pytest.approx(strict.f1, abs=1e-12)
