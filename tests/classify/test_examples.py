"""Training texts that a model keeps: which lie nearest, what they say, how they are saved."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, UNLINKED, FakeEncoder, english, label_sets

from isogloss.classify import TextClassifier
from isogloss.classify.answers.answers import Answering
from isogloss.classify.examples import FEWEST_FOR_MEAN, Examples
from isogloss.classify.shift import ShiftCorrection
from isogloss.data.row_languages import RowLanguages
from isogloss.encode import Encoder
from isogloss.errors import InputError

Fit = Callable[..., TextClassifier]
TEXTS = [text for text, _ in JAPANESE] + UNLINKED
LANGS = ["ja"] * len(JAPANESE) + ["en", "en", "ar", "ja", None, None]
pytestmark = [
    pytest.mark.usefixtures("quiet"), pytest.mark.filterwarnings("ignore::UserWarning")
]  # fmt: skip


@pytest.fixture(params=["encoder only", "mboe", "mboe-plus"])
def keeping(request: pytest.FixtureRequest, fit: Fit) -> TextClassifier:
    """Each kind of classifier, with its training texts."""
    kind = {"kb": None} if request.param == "encoder only" else {"preset": request.param}
    return fit(keep_examples=True, **kind)


def cosine(a: Any, b: Any) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


def slow_nearest(model: TextClassifier, text: str, lang: str | None) -> list[tuple[float, int]]:
    """Return the cosine and row of each training text, the nearest first."""
    fitted = model.fitted_
    training = fitted.prepare(english()[0], "en")
    own = fitted.prepare([text], [lang])
    x = fitted.head.inputs(training.vectors, fitted.preparation.entity_batch(training))
    (q,) = fitted.head.inputs(own.vectors, fitted.preparation.entity_batch(own))
    mean = x.mean(axis=0) if lang == "en" else 0.0
    return sorted(((cosine(q - mean, row - mean), -n) for n, row in enumerate(x)), reverse=True)


def test_the_nearest_are_those_of_a_slow_search(keeping: TextClassifier) -> None:
    texts, labels = english()
    found = keeping.nearest_examples(TEXTS, LANGS)
    predicted = keeping.predict(TEXTS, LANGS)
    for row, (text, lang) in enumerate(zip(TEXTS, LANGS, strict=True)):
        near = slow_nearest(keeping, text, lang)
        similarities = [one.similarity for one in found.examples[row]]
        assert similarities == pytest.approx([value for value, _ in near[:5]], abs=2e-3)
        assert similarities == sorted(similarities, reverse=True)
        for one in found.examples[row]:
            assert (one.text, one.label, one.lang) in {
                (known, label, "en") for known, label in zip(texts, labels, strict=True)
            }
        if near[9][0] - near[10][0] > 4e-3:  # else rounding may choose
            share = np.mean([labels[-place] == predicted[row] for _, place in near[:10]])
            assert found.support[row] == pytest.approx(share)


def test_a_training_text_is_its_own_nearest(keeping: TextClassifier) -> None:
    texts, labels = english()
    found = keeping.nearest_examples(texts, "en")
    first = [near[0].similarity for near in found.examples]
    assert first == pytest.approx([1.0] * len(texts), abs=1e-3)
    assert [near[0].text for near in found.examples] == texts
    assert [near[0].label for near in found.examples] == labels


def test_an_answer_is_the_same_in_any_block(keeping: TextClassifier) -> None:
    whole = keeping.nearest_examples(TEXTS * 3, LANGS * 3)
    for row, (text, lang) in enumerate(zip(TEXTS, LANGS, strict=True)):
        alone = keeping.nearest_examples([text], [lang])
        assert alone.support[0] == whole.support[row] == whole.support[row + len(TEXTS)]
        assert [one.text for one in alone.examples[0]] == [one.text for one in whole.examples[row]]


def test_a_block_may_be_centred_by_its_own_mean(fit: Fit) -> None:
    model = fit(kb=None, keep_examples=True)
    texts = english(40, seed=3)[0]
    few, many = texts[: FEWEST_FOR_MEAN - 1], texts[:FEWEST_FOR_MEAN]

    def similarities(chosen: list[str], **how: Any) -> list[float]:
        near = model.nearest_examples(chosen, "de", **how).examples
        return [one.similarity for of_text in near for one in of_text]

    assert similarities(few, centred=True) == similarities(few)
    assert similarities(many, centred=True) != similarities(many)
    fitted = model.fitted_
    vectors = fitted.prepare(many, "de").vectors
    kept = fitted.prepare(english()[0], "en").vectors
    q, x = vectors[0] - vectors.mean(axis=0), kept - kept.mean(axis=0)
    best = max(cosine(q, row) for row in x)
    assert similarities(many, centred=True)[0] == pytest.approx(best, abs=2e-3)


def test_an_adapted_language_is_compared_after_its_correction(fit: Fit) -> None:
    model = fit(kb=None, keep_examples=True)
    offset = np.linspace(-1, 1, 12)
    adapted = TextClassifier.__new__(TextClassifier)
    adapted.fitted_ = model.fitted_.with_correction("ja", ShiftCorrection(offset, 0.7, 50))
    text = JAPANESE[0][0]
    near = adapted.nearest_examples([text], "ja").examples[0]
    scale = model.head_.linear.standardisation
    kept = model.fitted_.prepare(english()[0], "en").vectors
    (q,) = model.fitted_.prepare([text], "ja").vectors
    q = q - (scale.mean + scale.deviation * offset)
    best = max(cosine(q, row) for row in kept - kept.mean(axis=0))
    assert near[0].similarity == pytest.approx(best, abs=2e-3)
    other = adapted.nearest_examples([text], "ru").examples[0]
    assert other == model.nearest_examples([text], "ru").examples[0]


def test_they_travel_with_a_saved_model(keeping: TextClassifier, tmp_path: Path) -> None:
    keeping.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=keeping.encoder_)
    assert loaded.keep_examples is True
    mine, theirs = (model.nearest_examples(TEXTS, LANGS) for model in (keeping, loaded))
    assert mine.examples == theirs.examples
    assert np.array_equal(mine.support, theirs.support)
    loaded.save(tmp_path / "again")
    for name in ("model.json", "model.safetensors"):
        written = [(tmp_path / folder / name).read_bytes() for folder in ("model", "again")]
        assert written[0] == written[1]


def test_without_the_option_no_text_is_kept(fit: Fit, tmp_path: Path) -> None:
    model = fit(kb=None)
    model.save(tmp_path / "model")
    kept = b"".join(file.read_bytes() for file in (tmp_path / "model").iterdir())
    assert english()[0][0].encode() not in kept
    with pytest.raises(InputError, match="keeps no training texts; fit it with keep_examples=True"):
        model.nearest_examples(TEXTS, "ja")
    explanation = model.explain(TEXTS[0], "ja")
    assert explanation.examples is explanation.support is None


def test_an_explanation_and_answers_show_them(keeping: TextClassifier) -> None:
    found = keeping.nearest_examples(TEXTS, LANGS)
    langs = RowLanguages(LANGS, "given", is_asked=True)
    answers = Answering(keeping.fitted_, with_examples=True).answer(TEXTS, langs)
    assert answers.examples == found.examples
    assert answers.support is not None
    assert np.array_equal(answers.support, found.support)
    assert Answering(keeping.fitted_).answer(TEXTS, langs).examples is None
    explanation = keeping.explain(TEXTS[0], "ja")
    assert explanation.support == found.support[0]
    for one, other in zip(explanation.examples or [], found.examples[0], strict=True):
        assert (one.text, one.label, one.lang) == (other.text, other.label, other.lang)
        assert one.similarity == pytest.approx(other.similarity, abs=1e-5)


def test_support_counts_labels_of_sets(encoder: FakeEncoder) -> None:
    texts, sets = label_sets()
    model = TextClassifier(encoder, multilabel=True, keep_examples=True).fit(texts, sets, "en")
    found = model.nearest_examples(texts, "en")
    predicted = model.predict(texts, "en").tolist()
    for row, text in enumerate(texts):
        # The 10 nearest, of which five are shown.
        examples = model.fitted_.examples
        documents = model.fitted_.prepare([text], "en")
        near = examples.nearest(documents.vectors, ["en"], examples.means).rows[0].tolist()
        carried = [set(sets[place]) for place in near]
        if predicted[row]:
            shares = [np.mean([one in own for own in carried]) for one in predicted[row]]
            assert found.support[row] == pytest.approx(np.mean(shares))
        else:
            assert found.support[row] == np.mean([not own for own in carried])
        shown = [set(one.label) for one in found.examples[row]]
        assert shown == carried[:5]
        assert all(isinstance(one.label, tuple) for one in found.examples[row])
    assert any(predicted)
    assert not all(predicted)


@pytest.mark.parametrize(("preset", "tune"), [("mboe-plus", "full"), ("mboe", "full")])
def test_vectors_are_those_of_the_tuned_encoder(
    preset: str, tune: str, tiny_directory: Path, tmp_path: Path
) -> None:
    base = Encoder.load(tiny_directory, device="cpu")
    training = {"epochs": 1, "dev_split": 0.2, "batch_size": 16}
    model = TextClassifier(
        base, tune=tune, preset=preset, training=training, keep_examples=True
    ).fit(*english(24), lang="en")
    assert model.fitted_.examples is not None
    assert len(model.fitted_.examples) == 24  # those held out too
    vectors = model.encoder_.encode(english(24)[0])
    assert np.abs(model.fitted_.examples.vectors - vectors).max() <= 2e-3 * np.abs(vectors).max()
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", device="cpu")
    near = loaded.nearest_examples(["A game"], "en").examples[0]
    assert near == model.nearest_examples(["A game"], "en").examples[0]


def test_with_class_names_the_texts_beside_them_are_kept(encoder: FakeEncoder) -> None:
    names = {"sport": "game goal", "money": "price stock", "space": "atom orbit"}
    texts, labels = english(9)
    model = TextClassifier(encoder, keep_examples=True).fit(texts, labels, "en", class_names=names)
    near = model.nearest_examples(texts[:1], "en").examples[0]
    assert (near[0].text, near[0].label) == (texts[0], labels[0])
    with pytest.raises(InputError, match="keep_examples has nothing to keep"):
        TextClassifier(encoder, keep_examples=True).fit([], [], class_names=names)


def test_texts_of_all_scripts_and_none_come_back() -> None:
    texts = ["", "東京\n\t", "ไทย", "\ud800 lone", "🙂", "a" * 3000]
    langs = [None, "ja", "th", "en", None, "en"]
    vectors = np.eye(6, dtype=np.float32)
    kept = Examples.of(texts, np.array([0, 1, 0, 1, 0, 1]), langs, vectors)
    assert [kept.text(row) for row in range(6)] == texts
    assert [kept.lang(row) for row in range(6)] == langs
    kept.check(2, 6, one_label=True)
    found = kept.nearest(vectors[2:3], [None], {})
    assert found.rows.tolist() == [
        [2, 0, 1, 3, 4, 5]
    ]  # of equals the first; no more than there are


def test_vectors_too_large_for_16_bits_are_refused() -> None:
    with pytest.raises(InputError, match="reach 7e\\+04, more than examples are kept with"):
        Examples.of(["a"], np.array([0]), ["en"], np.full((1, 2), 7e4, np.float32))
