"""Planted shifts of a language are found without a label, or declined with the reason."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import ENTITIES, FakeEncoder, english, write_names
from scipy.special import softmax

from isogloss.classify import TextClassifier
from isogloss.classify.adaptation import FEWEST_TEXTS, reason_against
from isogloss.classify.heads.head import EncoderOnlyHead
from isogloss.classify.shift import EstimatedShift, ScoreReference, estimate_shift, scores_of
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.learn.linear_head import LinearHead

Fit = Callable[..., TextClassifier]
N_CLASSES, WIDTH = 4, 20
CENTRES = np.random.default_rng(7).normal(size=(N_CLASSES, WIDTH))


def draw(n: int, shares: Sequence[float], seed: int, *, scale: float = 1.0) -> tuple[Any, Any]:
    """Draw vectors around the centres of their classes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(N_CLASSES, n, p=shares)
    return scale * CENTRES[y] + scale * rng.normal(size=(n, WIDTH)), y


EVEN = (0.25, 0.25, 0.25, 0.25)
SHIFT = 2.0 * (CENTRES[0] - CENTRES[1]) + np.random.default_rng(3).normal(size=WIDTH)


@pytest.fixture(scope="module")
def planted() -> tuple[LinearHead, ScoreReference]:
    vectors, y = draw(400, EVEN, seed=0)
    head = LinearHead.fit(vectors, y, N_CLASSES, C=0.01)
    reference = ScoreReference.of(head, vectors, y, seed=0)
    assert reference is not None
    return head, reference


def applied(found: EstimatedShift, head: LinearHead) -> LinearHead:
    return found.correction.apply(EncoderOnlyHead(head)).linear


def accuracy(head: LinearHead, vectors: Any, y: Any) -> float:
    return float((head.log_probabilities(vectors).argmax(axis=1) == y).mean())


@pytest.mark.parametrize("scale", [1.0, 0.5])
@pytest.mark.parametrize("shares", [EVEN, (0.5, 0.3, 0.2, 0.0), (0.1, 0.2, 0.2, 0.5)], ids=str)
def test_a_planted_shift_is_recovered(
    planted: tuple[LinearHead, ScoreReference], shares: Sequence[float], scale: float
) -> None:
    """Learned on some texts, scored on others; also where the classes are shared out otherwise."""
    head, reference = planted
    texts, _ = draw(150, shares, seed=1, scale=scale)
    tested, gold = draw(400, shares, seed=2, scale=scale)
    unmoved, shifted = accuracy(head, tested, gold), accuracy(head, tested + SHIFT, gold)
    found = estimate_shift(head, reference, texts + SHIFT)
    assert shifted < unmoved - 0.2
    assert accuracy(applied(found, head), tested + SHIFT, gold) > unmoved - 0.03
    assert found.correction.scale == pytest.approx(scale, abs=0.15)
    assert found.class_priors == pytest.approx(shares, abs=0.08)
    assert reason_against(found) == ""


def test_the_mean_alone_would_take_other_shares_for_a_shift(
    planted: tuple[LinearHead, ScoreReference],
) -> None:
    head, reference = planted
    shares = (0.6, 0.4, 0.0, 0.0)
    texts, _ = draw(150, shares, seed=1)
    tested, gold = draw(400, shares, seed=2)
    by_mean = scores_of(head, tested) - scores_of(head, texts).mean(axis=0)
    found = estimate_shift(head, reference, texts)
    ours = accuracy(applied(found, head), tested, gold)
    assert ours > float((by_mean.argmax(axis=1) == gold).mean())
    assert ours > accuracy(head, tested, gold) - 0.03


def test_texts_of_one_class_are_declined(planted: tuple[LinearHead, ScoreReference]) -> None:
    texts, _ = draw(100, (1.0, 0.0, 0.0, 0.0), seed=1)
    assert reason_against(estimate_shift(*planted, texts))


def test_other_shares_of_the_classes_than_can_be_told_from_a_shift_are_declined(
    planted: tuple[LinearHead, ScoreReference],
) -> None:
    texts, _ = draw(200, (0.85, 0.05, 0.05, 0.05), seed=1, scale=1.2)
    found = estimate_shift(*planted, texts)
    assert found.prior_shift > 0.4
    assert "priors of training" in reason_against(found)


def test_texts_of_no_class_are_declined(planted: tuple[LinearHead, ScoreReference]) -> None:
    texts = np.random.default_rng(0).normal(size=(100, WIDTH)) + CENTRES.mean(axis=0)
    assert "another kind" in reason_against(estimate_shift(*planted, texts))


def test_a_correction_is_what_the_model_of_the_module_says(
    planted: tuple[LinearHead, ScoreReference],
) -> None:
    """A text at δ gets the scores m̄; one at δ + a (m_c − m̄) those of the class."""
    head, reference = planted
    texts, _ = draw(200, EVEN, seed=1, scale=0.7)
    found = estimate_shift(head, reference, texts + SHIFT)
    scores, corrected = (scores_of(one, texts + SHIFT) for one in (head, applied(found, head)))
    around = (corrected - reference.mean) * found.correction.scale
    shift = scores - around
    assert np.allclose(shift, shift[0], atol=1e-9)
    # The stationary point of EM, checked with a slow E-step.
    scale, variance = found.correction.scale, (found.correction.scale / found.separation) ** 2
    rest = corrected[:, None] - reference.centres
    squared = np.einsum("ncd,de,nce->nc", rest, reference.precision, rest) * scale**2
    prior = (found.class_priors + reference.priors) / 2
    again = softmax(np.log(prior) - squared / (2 * variance), axis=1).mean(axis=0)
    assert again == pytest.approx(found.class_priors, abs=1e-3)


def test_equal_texts_give_the_same_bytes_in_any_order(
    planted: tuple[LinearHead, ScoreReference],
) -> None:
    texts, _ = draw(60, EVEN, seed=1)
    first, again = (estimate_shift(*planted, texts) for _ in range(2))
    assert np.array_equal(first.correction.offset, again.correction.offset)
    turned = estimate_shift(*planted, texts[::-1])
    assert np.allclose(turned.correction.offset, first.correction.offset, atol=1e-6)


def test_two_classes_can_be_corrected() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=200)
    vectors = rng.normal(size=(200, 5)) + 1.5 * y[:, None]
    head = LinearHead.fit(vectors, y, 2, C=0.1)
    reference = ScoreReference.of(head, vectors, y, seed=0)
    assert reference is not None
    corrected = estimate_shift(head, reference, vectors[:100] + 3).correction.apply(
        EncoderOnlyHead(head)
    )
    assert accuracy(head, vectors[100:] + 3, y[100:]) < 0.7
    assert accuracy(corrected, vectors[100:] + 3, y[100:]) > 0.9


class ShiftedEncoder(FakeEncoder):
    """Texts that begin with ¡ are a language whose vectors are shifted as a block."""

    def _sum(self, words: list[str], pooling: str | None) -> Any:
        vector = super()._sum([word for word in words if word != "zz"], pooling)
        return vector + (self._shift() if "zz" in words else 0.0)

    def _shift(self) -> Any:
        return FakeEncoder._sum(self, ["game", "goal", "player", "match"], None) * 3.0


@pytest.fixture(scope="module")
def same_names(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """Entities that three languages call alike, so that the shifted texts link too."""
    folder = tmp_path_factory.mktemp("same")
    records = [
        {**entity, "names": dict.fromkeys(("en", "ja", "ru"), entity["names"]["en"])}
        for entity in ENTITIES
        if "en" in entity["names"]
    ]
    file = write_names(folder / "names.jsonl", records)
    return KnowledgeBase.open(build_knowledge_base([f"names:{file}"], folder / "kb").path)


@pytest.fixture(scope="module", params=["encoder only", "mboe", "mboe-plus"])
def shifted(request: pytest.FixtureRequest, same_names: KnowledgeBase) -> TextClassifier:
    if request.param == "encoder only":
        model = TextClassifier(ShiftedEncoder())
    else:
        model = TextClassifier(ShiftedEncoder(), same_names, preset=request.param)
    return model.fit(*english(120), lang="en")


def shifted_texts(n: int, seed: int) -> tuple[list[str], list[str]]:
    texts, labels = english(n, seed=seed)
    return [f"zz {text}" for text in texts], labels


@pytest.mark.filterwarnings("ignore:.*no known language")
def test_every_kind_of_model_adapts_and_leaves_other_languages_alone(
    shifted: TextClassifier,
) -> None:
    shifted.fitted_ = replace(shifted.fitted_, corrections={})
    texts, topics = shifted_texts(90, seed=5)
    before = {lang: shifted.predict_proba(texts, lang) for lang in ("ja", "ru", None)}
    outcome = shifted.adapt("jpn", shifted_texts(120, seed=4)[0])
    assert (outcome.accepted, outcome.lang, outcome.reason) == (True, "ja", "")
    assert outcome.n_texts == len(set(shifted_texts(120, seed=4)[0]))
    assert sum((outcome.class_priors or {}).values()) == pytest.approx(1.0)
    after = {lang: shifted.predict_proba(texts, lang) for lang in ("ja", "ru", None)}
    assert np.array_equal(after["ru"], before["ru"])
    assert np.array_equal(after[None], before[None])

    unshifted = shifted.predict_proba([text.removeprefix("zz ") for text in texts], "ru")
    away, back = (np.abs(side["ja"] - unshifted).mean() for side in (before, after))
    assert back < 0.6 * away
    sure = shifted.evaluate(texts, topics, "ja").confidence["ja"]  # the corrected ones too
    assert sure == pytest.approx(after["ja"].max(axis=1), abs=1e-12)
    mixed = shifted.predict_proba([texts[0], texts[0]], ["ja", "ru"])
    assert np.array_equal(mixed, np.vstack([after["ja"][0], before["ru"][0]]))


def test_what_was_corrected_is_said(shifted: TextClassifier) -> None:
    shifted.fitted_ = replace(shifted.fitted_, corrections={})
    texts, labels = shifted_texts(40, seed=6)
    plain = shifted.evaluate(texts, labels, "ja")
    assert "corrected" not in plain.rows[0]
    assert "corrected" not in plain.table().columns
    assert shifted.explain(texts[0], "ja").corrected is None
    n_texts = shifted.adapt("ja", shifted_texts(120, seed=4)[0]).n_texts
    told = shifted.evaluate(texts * 2, labels * 2, ["ja"] * 40 + ["ru"] * 40)
    assert [row["corrected"] for row in told.rows] == [n_texts, None]
    assert "corrected" in told.table().columns
    assert shifted.explain(texts[0], "ja").corrected == n_texts
    assert shifted.explain(texts[0], "ru").corrected is None


def test_save_and_load_keep_the_correction(shifted: TextClassifier, tmp_path: Path) -> None:
    shifted.fitted_ = replace(shifted.fitted_, corrections={})
    shifted.adapt("ja", shifted_texts(120, seed=4)[0])
    texts = shifted_texts(30, seed=6)[0]
    shifted.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=shifted.encoder_)
    expected = shifted.predict_proba(texts, "ja")
    assert np.array_equal(loaded.predict_proba(texts, "ja"), expected)
    assert loaded.corrections_["ja"].n_texts == shifted.corrections_["ja"].n_texts
    fresh = loaded.adapt("ru", shifted_texts(120, seed=4)[0])  # a loaded model can be adapted
    assert fresh.accepted
    assert np.array_equal(loaded.predict_proba(texts, "ru"), expected)


def test_too_few_texts_are_declined_and_change_nothing(shifted: TextClassifier) -> None:
    shifted.fitted_ = replace(shifted.fitted_, corrections={})
    accepted = shifted.adapt("ja", shifted_texts(120, seed=4)[0])
    texts = shifted_texts(10, seed=6)[0]
    before = shifted.predict_proba(texts, "ja")
    few = [texts[0]] * 100 + texts + [" "]
    with pytest.warns(
        OmissionWarning, match=rf"ja: declined .* {FEWEST_TEXTS} are needed at least"
    ):
        declined = shifted.adapt("ja", few)
    assert not declined.accepted
    assert declined.n_texts == len(set(texts))
    assert declined.class_priors is None
    assert np.array_equal(shifted.predict_proba(texts, "ja"), before)
    assert shifted.corrections_["ja"].n_texts == accepted.n_texts


def test_a_new_fit_forgets_the_corrections(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit(*english(), lang="en")
    model.adapt("ja", english(60, seed=3)[0])
    assert list(model.corrections_) == ["ja"]
    assert not model.fit(*english(), lang="en").corrections_


def test_what_cannot_be_adapted_says_why(fit: Fit, encoder: FakeEncoder) -> None:
    texts, labels = english()
    several = TextClassifier(encoder, multilabel=True)
    several.fit(texts, [[label] for label in labels], lang="en")
    with pytest.raises(InputError, match="one label a text"):
        several.adapt("ja", texts)
    model = fit(kb=None)
    with pytest.raises(InputError, match="no text to adapt to"):
        model.adapt("ja", ["", " "])
    with pytest.raises(InputError, match="give one code"):
        model.adapt(None, texts)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="nolang"):
        model.adapt("nolang", texts)
    with pytest.raises(TypeError, match=r"^texts is one string"):
        model.adapt("ja", "text")
