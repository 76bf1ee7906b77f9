"""``fit --keep-examples``, and what explain and predict then show."""

import json
from pathlib import Path

import pytest
from cli_world import JAPANESE, TRAIN, Refuse, Run, World, fit_words

TEXT = JAPANESE[0][1]
KNOWN = {(text, label) for label, text in TRAIN}


@pytest.fixture(scope="module")
def kept(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from isogloss.cli.main import main

    model = tmp_path_factory.mktemp("kept") / "model"
    words = fit_words(world, model, "--kb", world.kb, "--keep-examples")
    assert main([str(word) for word in words]) == 0
    return model


def test_fit_says_that_texts_travel_with_the_model(cli: Run, world: World, tmp_path: Path) -> None:
    outcome = cli(*fit_words(world, tmp_path / "m", "--keep-examples"))
    assert outcome.code == 0
    said = "isogloss: examples: 12 training texts, kept in the model; they go wherever it goes"
    assert said in outcome.talk
    assert "examples" not in cli(*fit_words(world, tmp_path / "other")).err


def test_explain_shows_the_nearest_training_texts(cli: Run, kept: Path) -> None:
    words = ["classify", "explain", kept, TEXT, "--lang", "ja"]
    found = cli(*words, "--json").json
    assert len(found["examples"]) == 5
    assert list(found["examples"][0]) == ["text", "label", "lang", "similarity"]
    assert {(one["text"], one["label"]) for one in found["examples"]} <= KNOWN
    shown = cli(*words).out
    assert "nearest training text" in shown
    assert f"support: {found['support']:.2f} of the 10 nearest carry the label" in shown


def test_explain_of_a_model_without_them_says_nothing(cli: Run, world: World) -> None:
    words = ["classify", "explain", world.model, TEXT, "--lang", "ja"]
    assert "nearest" not in cli(*words).out
    assert cli(*words, "--json").json["examples"] is None


def test_json_of_predict_has_support_and_examples(cli: Run, kept: Path, world: World) -> None:
    rows = cli("classify", "predict", kept, "--lang", "ja", world.japanese, "--json").json["rows"]
    for row, (_, text) in zip(rows, JAPANESE, strict=True):
        found = cli("classify", "explain", kept, text, "--lang", "ja", "--json").json
        assert row["support"] == found["support"]
        assert [one["text"] for one in row["examples"]] == [
            one["text"] for one in found["examples"]
        ]
    plain = cli("classify", "predict", world.model, "--lang", "ja", world.japanese, "--json").json
    assert "support" not in plain["rows"][0]


def test_answered_files_have_support_and_where_asked_examples(
    cli: Run, kept: Path, world: World, tmp_path: Path
) -> None:
    words = ["classify", "predict", kept, "--lang", "ja", world.japanese, "--prefix", "iso_"]
    assert cli(*words, "--out", tmp_path / "a.jsonl").code == 0
    assert cli(*words, "--examples", "--out", tmp_path / "b.jsonl").code == 0
    rows = cli("classify", "predict", kept, "--lang", "ja", world.japanese, "--json").json["rows"]
    for name, has_examples in (("a.jsonl", False), ("b.jsonl", True)):
        lines = (tmp_path / name).read_text("utf-8").splitlines()
        answered = [json.loads(line) for line in lines]
        assert ("iso_examples" in answered[0]) == has_examples
        for ours, row in zip(answered, rows, strict=True):
            assert ours["iso_support"] == pytest.approx(row["support"])
            if has_examples:
                assert ours["iso_examples"] == row["examples"]


def test_the_option_is_refused_where_it_is_of_no_use(
    refuse: Refuse, world: World, tmp_path: Path
) -> None:
    words = ["classify", "predict", world.model, "--lang", "ja", world.japanese]
    said = refuse(*words, "--examples", "--out", tmp_path / "a.jsonl")
    assert "the model keeps none; fit it with --keep-examples" in said
    assert "--out" in refuse(*words, "--examples")
    names = tmp_path / "names.csv"
    names.write_text("label,text\nsport,Sport\nmoney,Money\n", "utf-8")
    fit = ["classify", "fit", "--classes", names, "--encoder", world.encoder, "--keep-examples"]
    assert "nothing to keep" in refuse(*fit, "--out", tmp_path / "m")


def test_explain_shows_what_each_entity_adds(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    from isogloss.classify import TextClassifier
    from isogloss.classify.heads.mboe_plus import Mixture
    from isogloss.cli.classify.explanation import print_explanation

    monkeypatch.setenv("COLUMNS", "200")
    fitted = TextClassifier.load(world.model, device="cpu").fitted_
    explained = {}
    for strength in (0.8, 0.0):  # a random encoder may choose either
        model = TextClassifier()
        model.fitted_ = replace(fitted, head=replace(fitted.head, mixture=Mixture(strength, 1.0)))
        explanation = model.explain(TEXT, "ja")
        print_explanation(model.fitted_, explanation)
        explained[strength] = explanation, capsys.readouterr().out
    explanation, shown = explained[0.8]
    assert f"adds to {explanation.label}" in shown
    others = [one for one in explanation.entities if one.raises != explanation.label]
    assert ("raises most" in shown) == bool(others)
    for entity in explanation.entities:
        assert f"{entity.adds:+.2f}" in shown
        assert (f"{entity.raises} {entity.raises_by:+.2f}" in shown) == (entity in others)
    assert "adds to" not in explained[0.0][1]


def test_of_few_training_texts_support_says_how_many(
    cli: Run, world: World, tmp_path: Path
) -> None:
    few = tmp_path / "few.tsv"
    few.write_text("label\ttext\nsport\ta match\nmoney\ta tax\nsport\ta game\n", "utf-8")
    model = tmp_path / "model"
    assert cli(*fit_words(world, model, "--keep-examples", train=f"en={few}")).code == 0
    shown = cli("classify", "explain", model, TEXT, "--lang", "ja")
    assert " of the 3 nearest carry the label" in shown.out
