"""Comparisons: which rows, what a cell holds, going on where a run stopped, what the tables say."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.classify.compare import comparison
from isogloss.classify.compare.cells import Cell, LanguageScores
from isogloss.classify.compare.comparison import Comparison, compare, compared_rows
from isogloss.classify.compare.tables import (
    by_language,
    mean_languages,
    published_table,
    side_by_side,
    summary,
)
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_options import TuningOptions
from isogloss.statistics.permutation import sign_flip_p
from isogloss.vectors import EntityVectors


def labelled(pairs: Any, lang: str, *, with_ids: bool = True) -> LabelledTexts:
    texts, labels = map(list, zip(*pairs, strict=True))
    ids = [str(row) if with_ids else None for row in range(len(texts))]
    return LabelledTexts(texts, labels, [lang] * len(texts), ids)


TRAIN = labelled(zip(*english(30), strict=True), "en")
TESTS = labelled(JAPANESE, "ja")


@pytest.fixture
def run(
    tmp_path: Path, kb: KnowledgeBase, encoder: FakeEncoder, quiet: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Any:  # fmt: skip
    # A comparison made by other code is refused, and a developer may be editing.
    monkeypatch.setattr(comparison, "sha256_of_package", lambda *_: "code")

    def run(**changed: Any) -> Comparison:
        arguments = {
            "train": TRAIN, "tests": TESTS, "encoder": encoder, "kb": kb, "n_seeds": 2,
            "rows": compared_rows(["mboe-plus"]), "out": tmp_path / "out",
        } | changed  # fmt: skip
        return compare(arguments.pop("train"), arguments.pop("tests"), **arguments)

    return run


def test_rows_are_presets_and_their_ablations_after_the_encoder() -> None:
    rows = compared_rows(["-att", "mboe-plus", "mboe", "-emb", "mean"])
    assert [row.name for row in rows] == [
        "encoder",
        *(f"mboe{tail}" for tail in ("", " -emb", " -att", " mean")),
        *(f"mboe-plus{tail}" for tail in ("", " -emb", " -att", " mean")),
    ]
    assert [row.has_entities for row in rows] == [False] + 8 * [True]
    assert rows[2].options == {"preset": "mboe", "init": "random"}
    assert rows[3].options == {"preset": "mboe", "attention": "sum"}


def test_a_tuned_preset_is_compared_with_the_encoder_tuned_in_its_own_way() -> None:
    rows = {row.name: row for row in compared_rows(["mboe", "mboe-plus", "-emb"], is_tuned=True)}
    assert list(rows)[:2] == ["encoder of mboe", "encoder of mboe-plus"]
    assert rows["encoder of mboe"].options == {"preset": "mboe"}
    assert not rows["encoder of mboe"].has_entities
    assert rows["mboe -emb"].baseline == "encoder of mboe"
    assert rows["mboe-plus"].baseline == "encoder of mboe-plus"


@pytest.mark.parametrize(
    ("names", "sentence"),
    [(["mbeo"], "did you mean 'mboe'"), (["encoder", "-emb"], "compares nothing")],
)
def test_rows_that_make_no_comparison_are_refused(names: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        compared_rows(names)


def test_a_cell_is_the_evaluation_of_a_classifier_of_its_row_and_seed(
    run: Any, kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    result = run()
    model = TextClassifier(encoder, kb, random_state=1).fit(TRAIN.texts, TRAIN.labels, "en")
    predicted = model.predict(TESTS.texts, "ja").tolist()
    right = [ours == gold for ours, gold in zip(predicted, TESTS.labels, strict=True)]
    assert result.cells["mboe-plus", 1].correct == {"ja": right}
    assert set(result.cells) == {(row, seed) for row in result.rows for seed in (0, 1)}
    assert result.ids == {"ja": TESTS.ids}


def test_a_stopped_comparison_resumes_where_it_was(
    run: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = run()
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cells").iterdir()}
    dropped = sorted(files)[0]
    dropped.unlink()
    caplog.set_level("INFO", logger="isogloss")
    again = run(n_seeds=3)
    assert f"{len(files) - 1} of {len(files) * 3 // 2} cells kept from before" in caplog.text
    kept = {path: path.stat().st_mtime_ns for path in files}
    assert {path for path in files if kept[path] != files[path]} == {dropped}
    assert again.n_seeds == 3
    assert all(again.cells[key].correct == cell.correct for key, cell in first.cells.items())


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"train": labelled(zip(*english(33), strict=True), "en")}, "training texts"),
        ({"tests": labelled(JAPANESE[1:], "ja")}, "test texts"),
        ({"dev": TRAIN}, "development texts"),
        ({"encoder": FakeEncoder(seed=5)}, "encoder"),
        ({"fallback_lang": "en"}, "fallback language"),
        ({"options": {"nested": True}}, "options"),
    ],
)
def test_cells_made_with_something_else_are_not_mixed_in(
    run: Any, changed: dict[str, Any], named: str
) -> None:
    run(n_seeds=1)
    with pytest.raises(InputError, match=f"holds a comparison that differs in {named}; name"):
        run(n_seeds=1, **changed)


def test_options_reach_every_row_and_dev_chooses(run: Any, tmp_path: Path) -> None:
    plain = run(n_seeds=1)
    dev = run(n_seeds=1, dev=TRAIN, options={"pooling": "cls"}, out=tmp_path / "other")
    assert plain.cells["encoder", 0].dev is None
    assert dev.cells["encoder", 0].dev is not None
    assert dev.cells["encoder", 0].correct != plain.cells["encoder", 0].correct


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ({"max_entities": np.int64(5), "nested": np.True_}, {"max_entities": 5, "nested": True}),
        ({"min_link_prob": np.float32(0.5)}, {"min_link_prob": 0.5}),
    ],
)
def test_a_comparison_takes_the_options_that_a_classifier_takes(
    run: Any, given: dict[str, Any], plain: dict[str, Any]
) -> None:
    first = run(n_seeds=1, options=given)
    assert run(n_seeds=1, options=plain).cells == first.cells


def test_vectors_and_options_of_tuning_are_those_of_the_run(
    run: Any,
) -> None:
    ids, random = ["Q1", "Q2", "Q6"], np.random.default_rng(0)
    vectors = [
        EntityVectors(ids, random.standard_normal((len(ids), 8), np.float32)) for _ in range(2)
    ]
    run(n_seeds=1, options={"init": vectors[0]})
    run(n_seeds=1, options={"init": EntityVectors(ids, vectors[0].matrix)})
    with pytest.raises(InputError, match="differs in options"):
        run(n_seeds=1, options={"init": vectors[1]})
    made = comparison._as_json({"training": TuningOptions(epochs=2)})
    assert made["training"]["epochs"] == 2


def test_an_option_of_the_wrong_kind_is_refused_before_a_fit(run: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an option is <object"):
        run(n_seeds=1, options={"C": object()})
    assert not (tmp_path / "out").exists()


def cell(**correct: list[int]) -> Cell:
    scores = LanguageScores(accuracy_seen=None, macro_f1=0.5, n_unlinked=0, n_unseen_label=0)
    right = {lang: [bool(value) for value in values] for lang, values in correct.items()}
    return Cell(right, dict.fromkeys(right, scores), 0.5, 1.0, [])


PLANTED = Comparison(
    rows=["encoder", "mboe"],
    baselines={"encoder": "encoder", "mboe": "encoder"},
    n_seeds=2,
    training_langs=["en"],
    ids={"en": None, "ja": None, "de": None},
    cells={
        ("encoder", 0): cell(en=[1] * 20, ja=[0] * 20, de=[1, 0] * 10),
        ("encoder", 1): cell(en=[1] * 20, ja=[0] * 20, de=[1, 0] * 10),
        ("mboe", 0): cell(en=[1] * 20, ja=[1] * 20, de=[1, 0] * 10),
        ("mboe", 1): cell(en=[1] * 20, ja=[1] * 10 + [0] * 10, de=[0, 1] * 10),
    },
)


def test_the_summary_leaves_the_training_language_out_of_the_mean() -> None:
    assert mean_languages(PLANTED) == ["ja", "de"]
    table = summary(PLANTED, by_language(PLANTED))
    encoder, mboe = table.rows
    assert (encoder["accuracy"], encoder["difference"], encoder["sd_over_seeds"]) == (0.25, 0, 0)
    assert mboe["accuracy"] == pytest.approx((0.75 + 0.5) / 2)
    assert mboe["difference"] == pytest.approx(0.375)
    assert mboe["difference_low"] < 0.375 < mboe["difference_high"]
    assert mboe["sd_over_seeds"] == pytest.approx(np.std([0.75, 0.5], ddof=1))
    assert mboe["difference_sd_over_seeds"] == pytest.approx(np.std([0.5, 0.25], ddof=1))
    # Two seeds that differ so much say nothing of a third.
    assert (mboe["languages_better"], mboe["languages_worse"]) == (0, 0)
    assert mboe["dev"] == 0.5
    assert "without en, a training language" in table.caption
    assert "2 seeds" in table.caption


@pytest.mark.parametrize("n_seeds", [1, 2])
def test_a_mean_of_nothing_wrong_says_no_more_than_its_documents(n_seeds: int) -> None:
    right = cell(ja=[1] * 10, de=[1] * 10)
    cells = {(row, seed): right for row in ("encoder", "mboe") for seed in range(n_seeds)}
    found = replace(PLANTED, n_seeds=n_seeds, training_langs=[], cells=cells,
                    ids={"ja": None, "de": None})  # fmt: skip
    encoder, _ = summary(found, by_language(found)).rows
    assert encoder["accuracy_low"] == pytest.approx(20 / (20 + 1.96**2), abs=1e-3)
    assert encoder["accuracy_high"] == 1.0


def test_languages_stand_side_by_side_with_marks() -> None:
    lines = {line["lang"]: line for line in side_by_side(PLANTED, by_language(PLANTED)).rows}
    assert lines["ja"]["mboe"] == "0.750 ±0.354"
    assert lines["de"]["mboe"] == "0.500 ±0.000"
    full = {(line["row"], line["lang"]): line for line in by_language(PLANTED).rows}
    assert full["mboe", "ja"]["difference"] == 0.75
    assert full["mboe", "de"]["p_holm"] == 1.0


def test_seeds_that_agree_are_judged_by_documents_alone() -> None:
    cells = {(row, seed): PLANTED.cells[row, 0] for row, seed in PLANTED.cells}
    agree, alone = replace(PLANTED, cells=cells), replace(PLANTED, n_seeds=1)
    for line, of_one in zip(
        summary(agree, by_language(agree)).rows,
        summary(alone, by_language(alone)).rows,
        strict=True,
    ):
        assert line["difference_sd_over_seeds"] == 0
        for name in ("accuracy_low", "difference_low", "difference_high", "languages_better"):
            assert line[name] == pytest.approx(of_one[name])
    assert {line["lang"]: line["mboe"] for line in side_by_side(agree, by_language(agree)).rows}[
        "ja"
    ].endswith("▲")


def test_two_like_procedures_with_noisy_seeds_get_few_marks() -> None:
    """Each row and seed is shifted by chance; documents alone would call a third significant."""
    generator, marked = np.random.default_rng(2), 0
    for _ in range(40):
        shares = {(row, seed): np.clip(generator.normal(0.7, 0.06), 0, 1)
                  for row in PLANTED.rows for seed in range(3)}  # fmt: skip
        hard = generator.random(300)
        cells = {key: cell(ja=list(hard < share)) for key, share in shares.items()}
        noisy = replace(PLANTED, n_seeds=3, cells=cells, ids={"ja": None})
        line = summary(noisy, by_language(noisy)).rows[1]
        marked += line["languages_better"] + line["languages_worse"]
    assert marked <= 6


def test_training_languages_and_unknown_ones_have_no_part_in_the_mean_and_its_marks() -> None:
    right = {
        row: cell(en=[good] * 40, ja=[1, 0] * 20, und=[good] * 40)
        for row, good in (("encoder", 0), ("mboe", 1))
    }
    ids = {"en": None, "ja": None, "und": None}
    cells = {(row, 0): one for row, one in right.items()}
    made = replace(PLANTED, n_seeds=1, ids=ids, cells=cells)
    assert mean_languages(made) == ["ja"]
    table = summary(made, by_language(made))
    assert (table.rows[1]["difference"], table.rows[1]["languages_better"]) == (0, 0)
    assert "without en, a training language; und, texts of unknown language" in table.caption
    full = {(line["row"], line["lang"]): line for line in by_language(made).rows}
    assert full["mboe", "und"]["p_holm"] is None
    assert full["mboe", "und"]["difference"] == 1
    assert not any("▲" in line["mboe"] for line in side_by_side(made, by_language(made)).rows)
    only = replace(made, ids={"und": None})
    assert mean_languages(only) == ["und"]


def test_correction_is_for_the_languages_of_the_mean() -> None:
    better, n = [1] * 7 + [0] * 33, 40
    cells = {
        ("encoder", 0): cell(en=[0] * n, ja=[0] * n, und=[0] * n),
        ("mboe", 0): cell(en=[0] * n, ja=better, und=[0] * n),
    }
    made = replace(PLANTED, n_seeds=1, cells=cells, ids=dict.fromkeys(("en", "ja", "und")))
    line = next(
        one for one in by_language(made).rows if (one["row"], one["lang"]) == ("mboe", "ja")
    )
    assert line["p_holm"] == pytest.approx(2 / 2**7, abs=0.005)  # not three times that
    assert summary(made, by_language(made)).rows[1]["languages_better"] == 1


def test_fallback_names_are_linked_in_dev_texts_too(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, evaluate = [], comparison.evaluate

    def spy(model: Any, texts: Any, *arguments: Any, **options: Any) -> Any:
        asked.append((list(texts) == TRAIN.texts, options.get("fallback_lang")))
        return evaluate(model, texts, *arguments, **options)

    monkeypatch.setattr(comparison, "evaluate", spy)
    run(n_seeds=1, dev=TRAIN, fallback_lang="en")
    assert set(asked) == {(True, "en"), (False, "en")}


def test_one_seed_has_no_deviation() -> None:
    alone = replace(PLANTED, n_seeds=1)
    assert {line["sd_over_seeds"] for line in summary(alone, by_language(alone)).rows} == {None}
    assert {line["lang"]: line["mboe"] for line in side_by_side(alone, by_language(alone)).rows}[
        "ja"
    ] == "1.000 ▲"


def test_cells_of_other_code_are_not_mixed_in(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(n_seeds=1)
    monkeypatch.setattr(comparison, "sha256_of_package", lambda *_: "other")
    with pytest.raises(InputError, match="that differs in code of isogloss; name"):
        run(n_seeds=1)


def test_losses_of_every_row_are_errors_under_strict(run: Any) -> None:
    long = labelled([("goal " * 99, "sport"), *JAPANESE], "ja")
    warnings.simplefilter("error", OmissionWarning)
    with pytest.raises(OmissionWarning, match="longer than 64 tokens"):
        run(tests=long, n_seeds=1)


def test_a_comparison_that_goes_on_says_the_losses_of_its_cells_again(run: Any) -> None:
    long = labelled([("goal " * 99, "sport"), *JAPANESE], "ja")
    for n_seeds in (1, 1, 2):  # made, read, and made further
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(tests=long, n_seeds=n_seeds)
        said = [str(warning.message) for warning in caught]
        assert sum("longer than 64 tokens" in sentence for sentence in said) == 1
        assert len(set(said)) == len(said)
    warnings.simplefilter("error", OmissionWarning)
    with pytest.raises(OmissionWarning, match="longer than 64 tokens"):
        run(tests=long, n_seeds=1)


def test_the_permutation_test_knows_chance_from_a_difference() -> None:
    assert sign_flip_p(np.zeros(9)) == 1.0
    assert sign_flip_p(np.array([1.0, -1.0] * 9)) == 1.0
    # All 2^5 sign patterns are equally likely; two are as extreme as all of one sign.
    assert sign_flip_p(np.ones(5)) == pytest.approx(2 / 32, abs=0.01)


def test_published_scores_are_those_of_the_paper() -> None:
    table = published_table("mldoc")
    rows = {line["row"]: line for line in table.rows}
    assert rows["M-BERT + BoE"]["ja"] == 0.715
    assert "Table 3" in table.caption
    with pytest.raises(InputError, match="did you mean 'mldoc'"):
        published_table("mldocs")
