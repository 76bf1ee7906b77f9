"""What users give: tables, missing languages, seeds of numpy, development data."""

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from planted import FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.classify.documents.documents import resolve_languages
from isogloss.classify.heads import mboe
from isogloss.classify.labels.columns import checked_texts
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase
from isogloss.learn import vector_memo
from isogloss.learn.linear_head import ChosenBy
from isogloss.vectors import EntityVectors

Fit = Callable[..., TextClassifier]


@pytest.mark.parametrize("table", [{"text": ["a"]}, np.array([["a"], ["b"]])], ids=["dict", "2d"])
def test_a_table_is_not_taken_for_its_column_names(table: Any) -> None:
    with pytest.raises(TypeError, match="give one column of texts"):
        checked_texts(table)


def test_a_missing_language_of_a_table_is_an_unknown_one() -> None:
    assert resolve_languages(["de", float("nan"), None], ["a", "b", "c"]) == ["de", None, None]
    with pytest.raises(InputError, match="the language of text 1 is 7, not a code"):
        resolve_languages(["de", 7], ["a", "b"])  # type: ignore[list-item]


def test_development_data_does_not_borrow_languages_row_by_row(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    texts, labels = english(12)
    with pytest.raises(InputError, match="lang_dev is needed"):
        TextClassifier(encoder, kb).fit(
            texts, labels, ["en"] * len(texts), X_dev=texts, y_dev=labels
        )


@pytest.mark.parametrize("seed", [None, -1, 1.5, True])
def test_a_seed_is_a_whole_number(encoder: FakeEncoder, seed: Any) -> None:
    with pytest.raises(InputError, match="random_state is"):
        TextClassifier(encoder, random_state=seed).fit(*english(12))


def test_whole_numbers_of_numpy_are_saved(
    kb: KnowledgeBase, encoder: FakeEncoder, tmp_path: Path
) -> None:
    model = TextClassifier(encoder, kb, random_state=np.int64(3), max_entities=np.int32(4))  # type: ignore[arg-type]
    model.fit(*english(12), lang="en").save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=encoder)
    assert (loaded.random_state, loaded.max_entities) == (3, 4)


def test_checkpoints_without_tuning_are_refused(encoder: FakeEncoder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the head alone learns"):
        TextClassifier(encoder).fit(*english(6), checkpoints=tmp_path / "run")


def test_a_fallback_language_without_names_is_said(fit: Fit) -> None:
    with pytest.warns(OmissionWarning, match="no names in 'zu': no fallback names"):
        fit().predict(["東京"], lang="ja", fallback_lang="zu")


def test_languages_without_names_are_said_once_for_all(
    fit: Fit, caplog: pytest.LogCaptureFixture
) -> None:
    texts, langs = ["a", "b", "c", "d"], ["sw", "zu", "ja", "sw"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit().predict(texts, langs)
    (said,) = (str(warning.message) for warning in caught)
    assert "has no names in 'sw', 'zu': nothing is linked" in said
    caplog.set_level("INFO", logger="isogloss")
    fit().predict(texts, langs, fallback_lang="en")  # no loss: a fallback is there for this
    (said,) = (entry.message for entry in caplog.records)
    assert "has no names in 'sw', 'zu': only names in 'en' are linked" in said
    caplog.clear()
    fit().explain("Toyota", "sw", fallback_lang="en")
    assert len(caplog.records) == 1
    with pytest.warns(OmissionWarning) as said_of_fallback:
        fit().predict(texts[2:], ["ja", "ko"], fallback_lang="zu")
    assert len(said_of_fallback) == 1


def test_a_mistyped_label_does_not_decide_how_much_entities_count(fit: Fit) -> None:
    texts, labels = english(40)
    model = TextClassifier(fit().encoder_, fit().kb_).fit([*texts, "x"], [*labels, "typo"], "en")
    assert model.head_.linear.chosen_by is ChosenBy.CROSS_VALIDATION


def test_memory_keeps_no_more_than_it_says(
    encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_memo, "MAX_TEXTS", 3)
    vector_memo.encode_once(encoder, [f"text {n}" for n in range(50)], pooling=None)
    kept = vector_memo._memories[encoder]["None None"]
    assert len(kept) == 3
    assert all(vector.base is None for vector, _ in kept.values())


def test_a_fit_does_not_depend_on_the_number_of_cores(
    kb: KnowledgeBase, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []
    fit = mboe.train_together

    def spy(*arguments: Any, **options: Any) -> Any:
        info = torch.__config__.parallel_info()  # of OpenMP and of the matrix library
        seen.append(sorted(set(re.findall(r"_get_max_threads\(\) : (\d+)", info))))
        return fit(*arguments, **options)

    monkeypatch.setattr(mboe, "train_together", spy)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        TextClassifier(encoder, kb, preset="mboe").fit(*english(24), lang="en")
        assert (seen, torch.get_num_threads()) == ([["1"]], 2)
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("options", [{"kb": None}, {}, {"preset": "mboe"}], ids=str)
def test_learning_is_said_with_its_size(
    kb: KnowledgeBase,
    encoder: FakeEncoder,
    caplog: pytest.LogCaptureFixture,
    options: dict[str, Any],
) -> None:
    caplog.set_level("INFO", logger="isogloss")
    TextClassifier(**{"encoder": encoder, "kb": kb} | options).fit(*english(24), lang="en")
    assert [entry.message for entry in caplog.records] == ["learning the head: 24 texts, 3 classes"]


def test_init_without_a_vector_for_any_linked_entity_is_refused(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    given = EntityVectors(["X1"], np.ones((1, 12), np.float32))
    with (
        pytest.warns(OmissionWarning, match="10 linked entities left out"),
        pytest.raises(InputError, match="are the ids those of the knowledge base"),
    ):
        TextClassifier(encoder, kb, init=given).fit(*english(), lang="en")
