"""A parameter that is set after `fit` waits for the next: prediction and files keep to the old."""

from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, FakeEncoder, english
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from isogloss.classify import TextClassifier
from isogloss.classify.evaluate.settings import describe
from isogloss.errors import InputError
from isogloss.vectors import EntityVectors

Fit = Callable[..., TextClassifier]
TEXTS = [text for text, _ in JAPANESE]
OTHER: dict[str, Any] = {
    "preset": "mboe", "init": "random", "attention": "mean", "max_entities": 1,
    "min_link_prob": 0.8, "min_commonness": 0.5, "nested": True, "pooling": "cls",
    "dtype": "bfloat16", "random_state": 5, "kb": None, "encoder": FakeEncoder(seed=1),
}  # fmt: skip


def facts(model: TextClassifier) -> dict[str, Any]:
    """Return whatever shows the options of a fit."""
    explanation = model.explain("Mars, CERN, Toyota", "en")
    return {
        "probabilities": model.predict_proba(TEXTS, "ja").tolist(),
        "explanation": explanation,
        "settings": describe(model.fitted_),
        "rows": model.evaluate(TEXTS, [label for _, label in JAPANESE], "ja").rows,
    }


@pytest.mark.parametrize("names", [[name] for name in OTHER] + [list(OTHER)], ids="-".join)
def test_what_is_set_after_the_fit_changes_nothing_of_it(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path, names: list[str]
) -> None:
    fitted = fit(init="random", attention=True)
    model = copy(fitted)
    model.set_params(**{name: OTHER[name] for name in names if name != "init"})
    if "init" in names:
        model.set_params(init=EntityVectors(["Q1"], np.ones((1, 3), np.float32)))
    assert facts(model) == facts(fitted)
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=encoder)
    assert facts(loaded) == facts(fitted)
    assert loaded.options_ == fitted.options_
    assert {name: getattr(loaded, name) for name in vars(loaded.options_)} == vars(loaded.options_)


def test_the_next_fit_takes_what_was_set(fit: Fit) -> None:
    model = copy(fit())
    model.set_params(preset="mboe", max_entities=1, random_state=3).fit(*english(), lang="en")
    fresh = fit(preset="mboe", max_entities=1, random_state=3)
    assert facts(model) == facts(fresh)
    assert model.get_params() == fresh.get_params()
    assert clone(model).get_params() == fresh.get_params()
    assert not hasattr(clone(model), "options_")


def test_a_refused_fit_leaves_the_one_before(fit: Fit) -> None:
    model = copy(fit())
    with pytest.raises(InputError, match="all 2 training labels"):
        model.fit(["a", "b"], ["x", "x"], lang="en")
    assert facts(model) == facts(fit())


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_a_fit_that_fails_leaves_no_half_of_the_one_before(fit: Fit) -> None:
    model = copy(fit())
    model.set_params(init=EntityVectors(["Q999"], np.ones((1, 3), np.float32)))
    with pytest.raises(InputError, match="no entity of the training texts has a vector"):
        model.fit(*english(), lang="en")
    with pytest.raises(NotFittedError):
        model.predict(["a"], "en")
