"""Comparisons: which rows, what a cell holds, going on where a run stopped, what the tables say."""

import json
import warnings
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, FakeEncoder, english

from isogloss.classify import TextClassifier, comparison
from isogloss.classify.comparison import Cell, Comparison, compare, compared_rows, merged
from isogloss.classify.comparison_scores import sign_flip_p
from isogloss.classify.comparison_store import FORMAT
from isogloss.classify.comparison_tables import by_language, mean_languages, side_by_side, summary
from isogloss.classify.published import published_table
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError, LossWarning
from isogloss.kb import KnowledgeBase


def labelled(pairs: Any, lang: str, *, with_ids: bool = True) -> LabelledTexts:
    texts, labels = map(list, zip(*pairs, strict=True))
    ids = [str(row) if with_ids else None for row in range(len(texts))]
    return LabelledTexts(texts, labels, [lang] * len(texts), ids)


TRAIN = labelled(zip(*english(30), strict=True), "en")
TESTS = labelled(JAPANESE, "ja")


@pytest.fixture
def run(tmp_path: Path, kb: KnowledgeBase, encoder: FakeEncoder, quiet: None) -> Any:
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


def test_a_stopped_comparison_goes_on_where_it_was(run: Any, tmp_path: Path) -> None:
    first = run()
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cells").iterdir()}
    lost = sorted(files)[0]
    lost.unlink()
    again = run(n_seeds=3)
    kept = {path: path.stat().st_mtime_ns for path in files}
    assert {path for path in files if kept[path] != files[path]} == {lost}
    assert again.n_seeds == 3
    assert all(again.cells[key].correct == cell.correct for key, cell in first.cells.items())


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"train": labelled(zip(*english(33), strict=True), "en")}, "train"),
        ({"tests": labelled(JAPANESE[1:], "ja")}, "tests"),
        ({"dev": TRAIN}, "dev"),
        ({"encoder": FakeEncoder(seed=5)}, "encoder"),
        ({"fallback_lang": "en"}, "fallback_lang"),
        ({"options": {"nested": True}}, "options"),
    ],
)
def test_cells_made_with_something_else_are_not_mixed_in(
    run: Any, changed: dict[str, Any], named: str
) -> None:
    run(n_seeds=1)
    with pytest.raises(InputError, match=f"another {named}"):
        run(n_seeds=1, **changed)


def test_a_folder_of_something_else_is_refused(run: Any, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").touch()
    with pytest.raises(InputError, match="something else"):
        run()
    with pytest.raises(InputError, match="does not exist"):
        run(out=tmp_path / "none" / "out")


@pytest.mark.parametrize(
    "change",
    [
        lambda cell: cell.clear(),
        lambda cell: cell["correct"].clear(),
        lambda cell: cell["correct"]["ja"].pop(),
        lambda cell: cell.update(correct=None),
        lambda cell: cell.update(scores={}),
        lambda cell: cell.update(seconds=None),
    ],
    ids=["empty", "no language", "a document less", "null", "no scores", "no time"],
)
def test_a_damaged_cell_is_named(run: Any, tmp_path: Path, change: Any) -> None:
    run(n_seeds=1)
    file = tmp_path / "out" / "cells" / "encoder.0.json"
    cell = json.loads(file.read_text())
    change(cell)
    file.write_text(json.dumps(cell))
    with pytest.raises(InputError, match=r"encoder\.0\.json.*remove"):
        run(n_seeds=1)


def test_a_damaged_manifest_is_named(run: Any, tmp_path: Path) -> None:
    run(n_seeds=1)
    (tmp_path / "out" / "manifest.json").write_text(json.dumps({"format": FORMAT}))
    with pytest.raises(InputError, match=r"manifest\.json.*damaged"):
        run(n_seeds=1)


def test_a_refused_fit_leaves_no_store_behind(run: Any, tmp_path: Path) -> None:
    one_class = LabelledTexts(TRAIN.texts, ["sport"] * len(TRAIN), TRAIN.langs, TRAIN.ids)
    with pytest.raises(InputError, match="two classes"):
        run(train=one_class)
    assert not (tmp_path / "out").exists()
    assert run(n_seeds=1).n_seeds == 1


def test_two_processes_may_make_the_same_cell(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = comparison._run

    def meanwhile(*arguments: Any) -> Cell:
        cell = made(*arguments)
        folder = tmp_path / "out" / "cells"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "encoder.0.json").write_text(json.dumps(asdict(cell)))
        return cell

    monkeypatch.setattr(comparison, "_run", meanwhile)
    assert run(n_seeds=1).cells


def test_options_reach_every_row_and_dev_chooses(run: Any, tmp_path: Path) -> None:
    plain = run(n_seeds=1)
    dev = run(n_seeds=1, dev=TRAIN, options={"pooling": "cls"}, out=tmp_path / "other")
    assert plain.cells["encoder", 0].dev is None
    assert dev.cells["encoder", 0].dev is not None
    assert dev.cells["encoder", 0].correct != plain.cells["encoder", 0].correct


def cell(**correct: list[int]) -> Cell:
    scores = {"macro_f1": 0.5, "n_unlinked": 0, "n_unseen_label": 0, "accuracy_seen": None}
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
    table = summary(PLANTED)
    encoder, mboe = table.rows
    assert (encoder["accuracy"], encoder["difference"], encoder["sd_over_seeds"]) == (0.25, 0, 0)
    assert mboe["accuracy"] == pytest.approx((0.75 + 0.5) / 2)
    assert mboe["difference"] == pytest.approx(0.375)
    assert mboe["difference_low"] < 0.375 < mboe["difference_high"]
    assert mboe["sd_over_seeds"] == pytest.approx(np.std([0.75, 0.5], ddof=1))
    assert (mboe["languages_better"], mboe["languages_worse"]) == (1, 0)
    assert mboe["dev"] == 0.5
    assert "without en, a training language" in table.caption
    assert "2 seeds" in table.caption


def test_languages_stand_side_by_side_with_marks() -> None:
    lines = {line["lang"]: line for line in side_by_side(PLANTED).rows}
    assert lines["ja"]["mboe"] == "0.750 ±0.354 ▲"
    assert lines["de"]["mboe"] == "0.500 ±0.000"
    full = {(line["row"], line["lang"]): line for line in by_language(PLANTED).rows}
    assert full["mboe", "ja"]["difference"] == 0.75
    assert full["mboe", "de"]["p_holm"] == 1.0


def test_one_seed_has_no_deviation() -> None:
    alone = replace(PLANTED, n_seeds=1)
    assert {line["sd_over_seeds"] for line in summary(alone).rows} == {None}
    assert {line["lang"]: line["mboe"] for line in side_by_side(alone).rows}["ja"] == "1.000 ▲"


def test_comparisons_of_the_same_texts_merge() -> None:
    other = replace(
        PLANTED, rows=["mboe emoji"], baselines={"mboe emoji": "encoder"},
        cells={("mboe emoji", seed): PLANTED.cells["mboe", seed] for seed in (0, 1)},
    )  # fmt: skip
    lines = {line["row"]: line for line in summary(merged([PLANTED, other])).rows}
    assert list(lines) == ["encoder", "mboe", "mboe emoji"]
    assert lines["mboe emoji"]["difference"] == lines["mboe"]["difference"]


def test_cells_of_other_code_are_not_mixed_in(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run(n_seeds=1)
    monkeypatch.setattr(comparison, "sha256_of_package", lambda *_: "other")
    with pytest.raises(InputError, match="another code of isogloss"):
        run(n_seeds=1)


def test_losses_of_every_row_are_errors_under_strict(run: Any) -> None:
    long = labelled([("goal " * 99, "sport"), *JAPANESE], "ja")
    warnings.simplefilter("error", LossWarning)
    with pytest.raises(LossWarning, match="longer than the encoder takes"):
        run(tests=long, n_seeds=1)


def test_a_comparison_that_goes_on_says_the_losses_of_its_cells_again(run: Any) -> None:
    long = labelled([("goal " * 99, "sport"), *JAPANESE], "ja")
    for n_seeds in (1, 1, 2):  # made, read, and made further
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run(tests=long, n_seeds=n_seeds)
        said = [str(warning.message) for warning in caught]
        assert sum("longer than the encoder takes" in sentence for sentence in said) == 1
        assert len(set(said)) == len(said)
    warnings.simplefilter("error", LossWarning)
    with pytest.raises(LossWarning, match="longer than the encoder takes"):
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
