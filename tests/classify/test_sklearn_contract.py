"""`TextClassifier` among scikit-learn's tools."""

import copy
import gc
import json
import pickle
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from planted import FakeEncoder, english
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_checks

from isogloss.classify import TextClassifier
from isogloss.encode import Encoder
from isogloss.errors import InputError, InputKindError
from isogloss.kb import KnowledgeBase

TEXTS, TOPICS = english(24)
LANGS = ["en"] * 24


@pytest.fixture
def _routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def routed(model: TextClassifier) -> TextClassifier:
    model.set_fit_request(lang=True).set_predict_request(lang=True)
    return model.set_predict_proba_request(lang=True).set_score_request(lang=True)


@pytest.mark.parametrize(
    "check",
    [
        "check_parameters_default_constructible", "check_get_params_invariance",
        "check_set_params", "check_no_attributes_set_in_init", "check_mixin_order",
        "check_estimator_repr",
    ],
)  # fmt: skip
def test_checks_of_scikit_learn_that_need_no_numeric_data(check: str) -> None:
    getattr(estimator_checks, check)("TextClassifier", TextClassifier())


def test_clone_copies_neither_the_knowledge_base_nor_the_encoder(
    fit: Callable[..., TextClassifier], kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    fitted = fit(preset="mboe")
    copy = clone(fitted)
    assert copy.kb is kb
    assert copy.encoder is encoder
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "head_")


@pytest.mark.parametrize(
    "method",
    ["predict", "predict_proba", "score", "evaluate", "explain", "save", "adapt", "forecast"],
)
def test_what_needs_a_fitted_model_says_so(
    encoder: FakeEncoder, tmp_path: Any, method: str
) -> None:
    arguments: dict[str, tuple[Any, ...]] = {
        "evaluate": (["a"], ["b"]), "explain": ("a",), "save": (tmp_path / "model",),
        "score": (["a"], ["b"]), "adapt": ("de", ["a"]),
    }  # fmt: skip
    with pytest.raises(NotFittedError):
        getattr(TextClassifier(encoder), method)(*arguments.get(method, (["a"],)))


def test_a_model_to_compare_with_is_fitted_too(
    fit: Callable[..., TextClassifier], encoder: FakeEncoder
) -> None:
    before = encoder.n_encoded
    with pytest.raises(NotFittedError):
        fit().evaluate(["a new text"], ["sport"], "en", versus=TextClassifier(encoder))
    assert encoder.n_encoded == before


def test_score_is_the_accuracy_in_the_language(fit: Callable[..., TextClassifier]) -> None:
    model = fit()
    right = np.array(model.predict(TEXTS, "en") == TOPICS)
    assert model.score(TEXTS, TOPICS, "en") == right.mean()
    weights = np.arange(24)
    expected = (right * weights).sum() / weights.sum()
    assert model.score(TEXTS, TOPICS, "en", weights) == pytest.approx(expected)


@pytest.mark.usefixtures("_routing")
def test_pipeline_routes_the_language(kb: KnowledgeBase, encoder: FakeEncoder) -> None:
    def strip(texts: list[str]) -> list[str]:
        return [text.strip() for text in texts]

    pipeline = Pipeline(
        [("strip", FunctionTransformer(strip)), ("classify", routed(TextClassifier(encoder, kb)))]
    )
    pipeline.fit([f"  {text} " for text in TEXTS], TOPICS, lang=LANGS)
    direct = TextClassifier(encoder, kb).fit(TEXTS, TOPICS, LANGS)
    japanese = ["トヨタの話", "火星"]
    found = pipeline.predict_proba(japanese, lang=["ja", "ja"])
    assert np.array_equal(found, direct.predict_proba(japanese, "ja"))
    expected = direct.score(TEXTS, TOPICS, "en")
    assert pipeline.score(TEXTS, TOPICS, lang=LANGS) == expected


@pytest.mark.usefixtures("_routing")
def test_grid_search_over_presets_links_in_every_fold(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    """The score is routed too: without a language nothing would be linked, with a warning."""
    grid = {"preset": ["mboe", "mboe-plus"], "kb": [None, kb]}
    search = GridSearchCV(routed(TextClassifier(encoder)), grid, cv=2, error_score="raise")
    search.fit(TEXTS, TOPICS, lang=LANGS)
    assert search.best_params_["preset"] in grid["preset"]
    assert search.best_estimator_.kb in (None, kb)
    assert search.best_estimator_.predict(["トヨタ"], lang="ja").shape == (1,)


@pytest.mark.usefixtures("_routing")
def test_cross_validation(kb: KnowledgeBase, encoder: FakeEncoder) -> None:
    model = routed(TextClassifier(encoder, kb, preset="mboe"))
    scores = cross_val_score(model, TEXTS, TOPICS, params={"lang": LANGS}, cv=2)
    assert scores.mean() > 0.5


def of_the_tiny_encoder(directory: Path) -> TextClassifier:
    return TextClassifier(Encoder.load(directory, device="cpu", pooling="mean", threads=1))


@pytest.mark.full
def test_a_loaded_encoder_goes_to_other_processes(tiny_directory: Path) -> None:
    model, texts, topics = of_the_tiny_encoder(tiny_directory), TEXTS[:12], TOPICS[:12]
    scores = cross_val_score(model, texts, topics, cv=2, n_jobs=2, error_score="raise")
    assert ((scores >= 0) & (scores <= 1)).all()


def test_a_fitted_classifier_is_pickled_and_copied(tiny_directory: Path) -> None:
    texts, topics = TEXTS[:12], TOPICS[:12]
    fitted = of_the_tiny_encoder(tiny_directory).fit(texts, topics)
    for twin in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(twin.predict_proba(texts), fitted.predict_proba(texts))


def test_a_pickle_names_the_encoder_and_leaves_its_weights_where_they_are(
    tiny_directory: Path, tmp_path: Path
) -> None:
    place = tmp_path / "encoder"
    shutil.copytree(tiny_directory, place)
    encoder = Encoder.load(place, device="cpu", pooling="cls", cache=tmp_path / "cache")
    fitted = TextClassifier(encoder).fit(TEXTS, TOPICS)
    fitted.save(tmp_path / "model")
    kept = pickle.dumps(fitted)
    saved = sum(file.stat().st_size for file in (tmp_path / "model").iterdir())
    assert len(kept) < 2 * saved
    twin = pickle.loads(kept)
    assert np.array_equal(twin.predict_proba(TEXTS), fitted.predict_proba(TEXTS))
    assert str(twin.encoder_.settings) == str(encoder.settings)
    assert twin.encoder_.cache.directory == encoder.cache.directory
    del twin
    config = place / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"layer_norm_eps": 1e-3}))
    gc.collect()
    with pytest.raises(InputError, match="is another than was pickled"):
        pickle.loads(kept)


def test_the_language_of_the_constructor_needs_no_routing(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    """Without a language nothing would be linked, with a warning, which is an error here."""
    model = TextClassifier(encoder, kb, lang="en")
    scores = cross_val_score(model, TEXTS, TOPICS, cv=2, scoring="f1_macro", error_score="raise")
    assert scores.mean() > 0.5
    assert len(cross_val_predict(model, TEXTS, TOPICS, cv=2)) == len(TEXTS)
    search = GridSearchCV(model, {"preset": ["mboe", "mboe-plus"]}, cv=2, error_score="raise")
    assert search.fit(TEXTS, TOPICS).best_estimator_.lang == "en"


def test_a_scorer_that_passes_no_language_on_has_it_from_the_constructor(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    model = TextClassifier(encoder, kb, lang="auto:en,ja")
    macro_f1 = make_scorer(f1_score, average="macro")
    scores = cross_val_score(model, TEXTS, TOPICS, cv=2, scoring=macro_f1, error_score="raise")
    assert scores.mean() > 0.5


def test_a_language_given_to_a_method_goes_first(kb: KnowledgeBase, encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder, kb, lang="ja").fit(TEXTS, TOPICS, "en")
    assert model.langs_ == ("en",)
    assert [model.fitted_.prepare(["トヨタ"], *lang).langs for lang in ((), ("ru",))] == [
        ["ja"],
        ["ru"],
    ]
    model.set_params(lang="ru")  # waits for the next fit
    assert model.explain("トヨタ").lang == "ja"
    with pytest.raises(InputKindError, match="lang is \\['en'\\]; give one code"):
        TextClassifier(encoder, lang=["en"]).fit(TEXTS, TOPICS)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unknown language 'eng1'"):
        TextClassifier(encoder, lang="eng1").fit(TEXTS, TOPICS)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_finds_nothing_wrong(encoder: FakeEncoder) -> None:
    """Its checks on tables of numbers skip an estimator of texts, as they do `CountVectorizer`."""
    found = estimator_checks.check_estimator(TextClassifier(encoder), on_fail=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
    assert any(one["status"] == "passed" for one in found)


def test_cross_validation_of_the_encoder_alone_needs_no_routing(encoder: FakeEncoder) -> None:
    assert cross_val_score(TextClassifier(encoder), TEXTS, TOPICS, cv=2).mean() > 0.5
