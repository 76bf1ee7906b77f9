"""`TextClassifier` with ``tune="lora"`` and ``"full"``: fit, choose, save, load."""

import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, UNLINKED, english
from sklearn.base import clone

from isogloss.classify import TextClassifier
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.trust import trust
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase

QUICK = {"epochs": 2, "learning_rate": 1e-3, "dev_split": 0.2}
PROBES = [text for text, _ in JAPANESE[:6]] + UNLINKED[1:] + english(6, seed=9)[0]
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")


@pytest.fixture(scope="module")
def base(tiny_directory: Path) -> Encoder:
    return Encoder.load(tiny_directory, device="cpu")


FITTED: dict[str, TextClassifier] = {}


def fitted(base: Encoder, kb: KnowledgeBase | None, tune: str = "full", **options: Any) -> Any:
    """Return a model; the same options give the same one, which a test does not change."""
    key = repr((kb is None, tune, sorted(options.items())))
    if key not in FITTED:
        FITTED[key] = fit_anew(base, kb, tune, **options)
    return FITTED[key]


def fit_anew(base: Encoder, kb: KnowledgeBase | None, tune: str = "full", **options: Any) -> Any:
    training = QUICK | options.pop("training", {})
    model = TextClassifier(base, kb, tune=tune, training=training, **options)
    return model.fit(*english(), lang="en")


@pytest.mark.parametrize(
    ("training", "said"),
    [
        ({"dev_split": 0.2}, r"^the epoch is chosen on \d+ development texts"),
        ({"epochs": 1, "learning_rate": 1e-5, "dev_split": 0.0},
         r"^\d+ steps? at a learning rate of 1e-05 change little: see docs/few-labels\.md"),
    ],
    ids=["texts", "steps"],
)  # fmt: skip
def test_few_development_texts_and_few_steps_are_said(
    base: Encoder, training: dict[str, Any], said: str
) -> None:
    with pytest.warns(UserWarning, match=said):
        fit_anew(base, None, training=training)


CASES = {
    "encoder": {"kb": None},
    "encoder, cls": {"kb": None, "preset": "mboe"},
    "mboe": {"preset": "mboe"},
    "mboe -emb": {"preset": "mboe", "init": "random"},
    "mboe-plus": {},
}


@pytest.fixture(scope="module", params=CASES)
def case(request: pytest.FixtureRequest) -> dict[str, Any]:
    return CASES[request.param]


@pytest.mark.parametrize("tune", ["full", "lora"])
def test_a_saved_model_predicts_the_same(
    base: Encoder, kb: KnowledgeBase, tmp_path: Path, tune: str, case: dict[str, Any]
) -> None:
    model = fitted(base, **({"kb": kb, "tune": tune} | case))
    expected = model.predict_proba(PROBES, "en")
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", device="cpu")
    assert np.array_equal(loaded.predict_proba(PROBES, "en"), expected)
    loaded.save(tmp_path / "again")
    again = TextClassifier.load(tmp_path / "again", device="cpu")
    assert np.array_equal(again.predict_proba(PROBES, "en"), expected)
    assert not list((tmp_path / "model").rglob("*.bin"))
    manifest = json.loads((tmp_path / "model" / "model.json").read_text())
    assert manifest["training"]["epochs"] == 2
    json.dumps(manifest, allow_nan=False)


def test_the_same_seed_gives_the_same_model(base: Encoder, kb: KnowledgeBase) -> None:
    one, again, other = (
        fit_anew(base, kb, preset="mboe", random_state=seed).predict_proba(PROBES, "en")
        for seed in (0, 0, 1)
    )
    assert np.array_equal(one, again)
    assert not np.allclose(one, other)


def test_the_given_encoder_stays_as_it_was(base: Encoder, kb: KnowledgeBase) -> None:
    before = base.encode(PROBES[:3])
    model = fit_anew(base, kb)
    assert np.array_equal(base.encode(PROBES[:3]), before)
    assert not np.allclose(model.encoder_.encode(PROBES[:3]), before, atol=1e-4)
    assert model.encoder is base
    clone(model).fit(*english(), lang="en")


def test_mboe_reads_cls_and_the_others_what_the_encoder_gives(
    base: Encoder, kb: KnowledgeBase
) -> None:
    assert fitted(base, kb, preset="mboe").encoder_.settings.pooling.value == "cls"
    assert fitted(base, kb, preset="mboe", pooling="mean").encoder_.settings.pooling.value == "mean"
    assert fitted(base, None).encoder_.settings.pooling.value == base.settings.pooling.value


def test_unseen_entities_keep_their_initial_vectors(base: Encoder, kb: KnowledgeBase) -> None:
    model = fitted(base, kb, preset="mboe")
    assert isinstance(model.head_, MboeHead)
    documents = model.fitted_.prepare(["Sumo Hall, Toyota"], "en")
    batch = model.fitted_.preparation.entity_batch(documents)
    seen = model.head_.memory.is_seen(batch.entities)
    vectors = model.head_.trained.of(batch)
    assert seen.any()
    assert not seen.all()
    assert np.array_equal(vectors[~seen], batch.vectors[~seen])
    names = model.fitted_.preparation.base_encoder.encode(["Sumo Hall"])
    np.testing.assert_allclose(batch.vectors[~seen], names, atol=1e-6)


def test_random_vectors_have_the_size_of_the_names(base: Encoder, kb: KnowledgeBase) -> None:
    given, drawn = (fitted(base, kb, preset="mboe", init=init) for init in ("encoder", "random"))
    sizes = [
        np.sqrt(
            np.square(
                model.fitted_.preparation.entity_batch(
                    model.fitted_.prepare(english()[0], "en")
                ).vectors
            ).mean()
        )
        for model in (given, drawn)
    ]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.1)


def test_mboe_plus_is_the_tuned_encoder_where_nothing_is_linked(
    base: Encoder, kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def confidence(log_probabilities: Any, y: Any) -> float:
        """A temperature that is another for other answers, as random encoders may call for 1."""
        return 1.0 + float(np.exp(log_probabilities.max(axis=1)).mean())

    monkeypatch.setattr(trust, "fit_temperature", confidence)
    monkeypatch.setattr(trust, "FEWEST_TEXTS", 1)
    model, alone = fit_anew(base, kb), fit_anew(base, None)
    assert isinstance(model.head_, MboePlusHead)
    documents = model.fitted_.prepare(UNLINKED[1:], "en")
    assert np.array_equal(documents.vectors, alone.fitted_.prepare(UNLINKED[1:], "en").vectors)
    assert np.array_equal(
        model.head_.log_probabilities(
            documents.vectors, model.fitted_.preparation.entity_batch(documents)
        ),
        alone.head_.log_probabilities(documents.vectors),
    )
    assert alone.trust_.fitted_on == trust.Calibration.DEVELOPMENT
    assert model.trust_.temperature == alone.trust_.temperature > 1.0
    assert np.array_equal(
        model.predict_proba(UNLINKED[1:], "en"), alone.predict_proba(UNLINKED[1:], "en")
    )


@pytest.mark.parametrize("tune", ["full", "lora"])
def test_it_is_not_fitted_on_an_encoder_without_a_directory(
    base: Encoder, tmp_path: Path, tune: str
) -> None:
    model = fitted(base, None, tune)
    for again in ("head", "full"):
        with pytest.raises(InputError, match="as a classifier tuned it") as error:
            TextClassifier(model.encoder_, tune=again).fit(*english())
        assert ("inside the saved model" if tune == "full" else "fit on") in str(error.value)
    if tune == "full":
        model.save(tmp_path / "model")
        encoder = Encoder.load(tmp_path / "model" / "encoder", device="cpu")
        behind = TextClassifier(encoder).fit(*english())
        behind.save(tmp_path / "behind")
        loaded = TextClassifier.load(tmp_path / "behind", device="cpu")
        assert np.array_equal(loaded.predict_proba(PROBES), behind.predict_proba(PROBES))
        assert not np.allclose(encoder.encode(PROBES[:3]), base.encode(PROBES[:3]), atol=1e-4)


@pytest.mark.parametrize("tune", ["full", "lora"])
def test_a_clone_of_a_loaded_model_is_tuned_alike(
    base: Encoder, kb: KnowledgeBase, tmp_path: Path, tune: str
) -> None:
    model = fitted(base, kb, tune)
    model.save(tmp_path / "model")
    loaded = clone(TextClassifier.load(tmp_path / "model", device="cpu"))
    loaded.fit(*english(), lang="en")
    assert loaded.tuning_ == model.tuning_
    assert np.array_equal(loaded.predict_proba(PROBES, "en"), model.predict_proba(PROBES, "en"))


def test_a_clone_of_a_loaded_model_without_names_starts_from_the_base(
    base: Encoder, tmp_path: Path
) -> None:
    """It started from the weights that tuning had made, which a loaded model holds."""
    model = fitted(base, None)
    model.save(tmp_path / "model")
    first = TextClassifier.load(tmp_path / "model", device="cpu")
    first.save(tmp_path / "again")
    shutil.rmtree(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "again", device="cpu")
    assert Path(loaded.encoder) == Path(base.name)
    assert np.array_equal(loaded.predict_proba(PROBES), model.predict_proba(PROBES))
    for estimator in (clone(loaded), loaded):
        estimator.fit(*english(), lang="en")
        assert np.array_equal(estimator.predict_proba(PROBES), model.predict_proba(PROBES))
    loaded.save(tmp_path / "third")
    manifests = [
        json.loads((tmp_path / name / "model.json").read_text()) for name in ("again", "third")
    ]
    assert manifests[0]["encoder"] == manifests[1]["encoder"]


def test_another_encoder_than_the_tuned_one_within_is_refused(
    base: Encoder, kb: KnowledgeBase, tmp_path: Path
) -> None:
    fitted(base, None).save(tmp_path / "alone")
    with pytest.raises(InputError, match="leave --encoder"):
        TextClassifier.load(tmp_path / "alone", encoder=base)
    fitted(base, kb).save(tmp_path / "model")  # here the base encodes names
    TextClassifier.load(tmp_path / "model", encoder=base)


def test_without_held_out_texts_entities_get_no_weight(base: Encoder, kb: KnowledgeBase) -> None:
    with pytest.warns(OmissionWarning, match="they get no weight"):
        model = fit_anew(base, kb, training={"dev_split": 0.0})
    assert model.head_.mixture.strength == 0.0
    assert model.head_.linear.describe() == "fine-tuning (full), epoch 2 of 2"


def test_the_split_holds_texts_out_and_given_ones_spare_it(base: Encoder) -> None:
    assert fitted(base, None).n_training_documents_ == 38  # of 48
    assert fitted(base, None, training={"dev_split": 0.0}).n_training_documents_ == 48
    model = TextClassifier(base, tune="full", training=QUICK)
    texts, labels = english(12, seed=5)
    model.fit(*english(), lang="en", X_dev=texts, y_dev=labels)
    assert model.n_training_documents_ == 48


@pytest.mark.parametrize("share", [0.05, 1e-9, 0.999])
def test_too_few_texts_for_a_split_are_said(base: Encoder, share: float) -> None:
    """The share was shown in percent: 0% and 100%."""
    texts, labels = english(6)
    model = TextClassifier(base, tune="full", training=QUICK | {"epochs": 1, "dev_split": share})
    said = f"6 training texts are too few to split by dev_split {share:g}: nothing is held out"
    with pytest.warns(OmissionWarning, match=said):
        model.fit(texts, labels)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_training_that_diverged_is_the_fault_of_its_rate(base: Encoder, share: float) -> None:
    """The model was called broken; without development texts nothing was said at all."""
    diverging = {"epochs": 1, "learning_rate": 1e30, "batch_size": 100, "dev_split": share}
    with pytest.raises(InputError, match=r"learning_rate 1e\+30 .* give a smaller learning rate"):
        fit_anew(base, None, training=diverging)


def test_max_length_holds_in_prediction_too(base: Encoder) -> None:
    model = fitted(base, None, training={"max_length": 6})
    texts = ["game goal match player price trade " + tail for tail in ("x", "orbit probe " * 9)]
    one, other = model.predict_proba(texts)
    assert np.allclose(one, other, atol=1e-6)
    assert not np.allclose(*base.encode(texts), atol=1e-3)  # what is cut is not without effect
    limit = r"longer than 6 tokens \(the encoder's limit: max_length of tuning\)"
    with pytest.warns(OmissionWarning, match=limit):
        model.predict(texts)


def test_label_sets_and_tuned_thresholds(base: Encoder, kb: KnowledgeBase, tmp_path: Path) -> None:
    texts, labels = english()
    sets = [[label, "all"] if row % 2 else [label] for row, label in enumerate(labels)]
    model = TextClassifier(base, kb, tune="full", preset="mboe", multilabel=True,
                           thresholds="tuned", training=QUICK)  # fmt: skip
    model.fit(texts, sets, lang="en")
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", device="cpu")
    assert loaded.predict(PROBES, "en").tolist() == model.predict(PROBES, "en").tolist()
    with pytest.raises(InputError, match="needs texts that are held out"):
        clone(model).set_params(training=QUICK | {"dev_split": 0.0}).fit(texts, sets, lang="en")


def test_it_explains_and_evaluates(base: Encoder, kb: KnowledgeBase) -> None:
    model = fitted(base, kb, preset="mboe")
    assert model.explain("Wimbledon game", "en").entities
    assert model.evaluate(*english(12, seed=4), "en").rows[0]["n"] == 12


def test_a_killed_fit_goes_on(base: Encoder, tmp_path: Path) -> None:
    whole = fitted(base, None).predict_proba(PROBES)
    model = TextClassifier(base, tune="full", training=QUICK)
    for _ in range(2):
        model.fit(*english(), checkpoints=tmp_path / "run")
        assert np.array_equal(model.predict_proba(PROBES), whole)
    model.set_params(training=QUICK | {"epochs": 3})
    with pytest.raises(InputError, match="another run"):
        model.fit(*english(), checkpoints=tmp_path / "run")


def test_options_of_tuning_need_tuning(base: Encoder) -> None:
    with pytest.raises(InputError, match="leave it out with tune='head'"):
        TextClassifier(base, training={"epochs": 1}).fit(*english())
    with pytest.raises(InputError, match="tune is 'all'"):
        TextClassifier(base, tune="all").fit(*english())


def test_peft_is_asked_for_in_one_sentence(base: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)
    with pytest.raises(InputError, match=r"pip install '\.\[tune\]'"):
        fit_anew(base, None, tune="lora")


@pytest.mark.parametrize(
    ("tune", "name"), [("full", "encoder/config.json"), ("lora", "adapter/adapter_config.json")]
)
def test_a_changed_setting_of_a_tuned_part_is_said(
    base: Encoder, tmp_path: Path, tune: str, name: str
) -> None:
    fitted(base, None, tune=tune).save(tmp_path / "model")
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)  # of libraries
        TextClassifier.load(tmp_path / "model")
    file = tmp_path / "model" / name
    file.write_text(file.read_text() + " ")
    with pytest.raises(InputError, match=f"{name}.*checksum"):
        TextClassifier.load(tmp_path / "model")


def test_a_damaged_part_is_said(base: Encoder, tmp_path: Path) -> None:
    fitted(base, None).save(tmp_path / "model")
    file = tmp_path / "model" / "encoder" / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-8] + b"12345678")
    with pytest.raises(InputError, match="checksum"):
        TextClassifier.load(tmp_path / "model")
    file.unlink()
    with pytest.raises(InputError, match="incomplete"):
        TextClassifier.load(tmp_path / "model")
