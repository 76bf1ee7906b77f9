"""Label sets on the command line: fit, predict, evaluate, explain."""

import json
from pathlib import Path
from typing import Any

import pytest
from cli_world import TRAIN, Outcome, Refuse, Run, World, write_tsv

from isogloss import TextClassifier
from isogloss.data.documents import FileFormat, read_documents
from isogloss.storage.sealed import sealed

SETS = ["sport|world" if "Germany" in text or "Tokyo" in text else label for label, text in TRAIN]
SETS = ["" if "Banks" in text else one for one, (_, text) in zip(SETS, TRAIN, strict=True)]
ROWS = [(one, text) for one, (_, text) in zip(SETS, TRAIN, strict=True)]


@pytest.fixture
def fit(cli: Run, world: World, tmp_path: Path) -> Any:
    """Fit on label sets, and return the directory of the model."""

    def run(*options: object, train: Path | None = None) -> Path:
        file = train or write_tsv(tmp_path / "sets.tsv", ROWS, header="labels\ttext")
        out = tmp_path / "model"
        words = ["classify", "fit", "--train", f"en={file}", "--encoder", world.encoder,
                 "--multilabel", "--out", out, "--overwrite"]  # fmt: skip
        outcome: Outcome = cli(*words, *options)
        assert outcome.code == 0, outcome.err
        return out

    return run


def test_fit_and_predict_join_labels_with_a_bar(fit: Any, cli: Run) -> None:
    model = fit()
    settings = json.loads((model / "model.json").read_text("utf-8"))
    settings["thresholds"] = [0.3, 0.3, 0.3]  # a random encoder is sure of nothing
    (model / "model.json").write_text(json.dumps(sealed(settings)), "utf-8")
    loaded = TextClassifier.load(model)
    assert loaded.multilabel is True
    assert loaded.classes_.tolist() == ["money", "sport", "world"]
    texts = [text for _, text in TRAIN]
    outcome = cli("classify", "predict", model, "--lang", "en", stdin="\n".join(texts) + "\n")
    answers = loaded.predict(texts, "en").tolist()
    probabilities = loaded.predict_proba(texts, "en")
    assert {len(answer) for answer in answers} & {2, 3}
    for line, answer, row in zip(outcome.lines, answers, probabilities, strict=True):
        labels, numbers = line.split("\t")
        assert labels == "|".join(answer)
        named = dict(zip(loaded.classes_, row, strict=True))
        assert numbers == "|".join(f"{named[label]:.4f}" for label in answer)


@pytest.mark.parametrize("odd", ["a|b", "a, b", "a;b", '"a" b', "[a]", "plain"])
def test_predicted_label_sets_read_back_as_they_are(
    fit: Any, cli: Run, tmp_path: Path, odd: str
) -> None:
    rows = [[odd if label == "sport" else label for label in one.split("|") if label]
            for one in SETS]  # fmt: skip
    texts = [text for _, text in TRAIN]
    train = tmp_path / "sets.jsonl"
    train.write_text(
        "".join(json.dumps({"text": text, "labels": one}) + "\n"
                for text, one in zip(texts, rows, strict=True)), "utf-8",
    )  # fmt: skip
    model = fit(train=train)
    settings = json.loads((model / "model.json").read_text("utf-8"))
    settings["thresholds"] = [0.3, 0.3, 0.3]
    (model / "model.json").write_text(json.dumps(sealed(settings)), "utf-8")
    words = ["classify", "predict", model, "--lang", "en", train]
    (tmp_path / "answers.tsv").write_text(cli(*words).out, "utf-8")
    form = FileFormat(text=("2",), label="1", multilabel=True)
    read = read_documents(tmp_path / "answers.tsv", format=form, needs_label=True)
    answers = TextClassifier.load(model).predict(texts, "en").tolist()
    assert read.labels == answers
    assert any(odd in answer for answer in answers)
    for name in ("answered.csv", "answered.parquet"):
        outcome = cli(*words, "--out", tmp_path / name, "--overwrite")
        assert outcome.code == 0, outcome.err
        form = FileFormat(label="label", multilabel=True)
        assert read_documents(tmp_path / name, format=form, needs_label=True).labels == answers


def test_predict_as_json_lists_the_labels(fit: Any, cli: Run) -> None:
    model = fit()
    result = cli("classify", "predict", model, "--lang", "en", "--json", stdin="Tax in Tokyo\n")
    row = result.json["rows"][0]
    assert isinstance(row["labels"], list)
    assert "label" not in row
    assert set(row["probabilities"]) == {"money", "sport", "world"}


@pytest.mark.parametrize("encoding", ["columns", "json lines", "separator"])
def test_evaluate_reads_label_sets_in_any_encoding(
    encoding: str, fit: Any, cli: Run, tmp_path: Path
) -> None:
    model = fit()
    words: list[object] = []
    if encoding == "columns":
        names = ("money", "sport", "world")
        rows = [(t, *(str(int(name in one.split("|"))) for name in names)) for one, t in ROWS]
        file = write_tsv(tmp_path / "t.tsv", rows, header="text\tmoney\tsport\tworld")
        words = ["--label", "money,sport,world"]
    elif encoding == "json lines":
        file = tmp_path / "t.jsonl"
        lines = [{"text": t, "labels": one.split("|") if one else []} for one, t in ROWS]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    else:
        rows = [(one.replace("|", "/"), t) for one, t in ROWS]
        file = write_tsv(tmp_path / "t.tsv", rows, header="labels\ttext")
        words = ["--label-separator", "/"]
    outcome = cli("classify", "evaluate", model, "--test", f"en={file}", "--json", *words)
    assert outcome.code == 0, outcome.err
    row = outcome.json["rows"][0]
    assert row["n"] == len(ROWS)
    assert row["n_unseen_label"] == 0
    assert row["micro_f1_low"] <= row["micro_f1"] <= row["micro_f1_high"]
    loaded = TextClassifier.load(model)
    sets = [tuple(one.split("|")) if one else () for one, _ in ROWS]
    assert row["accuracy"] == loaded.score([text for _, text in ROWS], sets, "en")


def test_files_of_a_command_are_read_with_one_separator(
    fit: Any, cli: Run, refuse: Refuse, tmp_path: Path
) -> None:
    rows = [(one.replace("money", "food, drink"), text) for one, text in ROWS]
    some = [row for row in rows if "|" not in row[0]]
    train = write_tsv(tmp_path / "train.tsv", rows, header="labels\ttext")
    dev = write_tsv(tmp_path / "dev.tsv", some, header="labels\ttext")
    for options in (["--train", f"fr={dev}"], ["--dev", f"fr={dev}"]):
        model = fit(*options, train=train)
        assert TextClassifier.load(model).classes_.tolist() == ["food, drink", "sport", "world"]
    evaluate = ["classify", "evaluate", model, "--test", f"fr={dev}", "--json"]
    assert "say which with --label-separator" in refuse(*evaluate)
    (row,) = cli(*evaluate, "--label-separator", "|").json["rows"]
    assert row["n_unseen_label"] == 0


def test_the_table_and_the_report_of_an_evaluation(fit: Any, cli: Run, tmp_path: Path) -> None:
    model = fit()
    file = tmp_path / "sets.tsv"
    report = tmp_path / "report.html"
    outcome = cli("classify", "evaluate", model, "--test", f"en={file}", "--report", report)
    assert outcome.code == 0, outcome.err
    assert "micro F1" in outcome.out
    assert "sport|world" in report.read_text("utf-8")


def test_thresholds_tuned_is_an_option_of_fit(fit: Any) -> None:
    tuned = TextClassifier.load(fit("--thresholds", "tuned"))
    assert tuned.thresholds == "tuned"
    assert TextClassifier.load(fit()).thresholds_.tolist() == [0.5] * 3


def test_explain_names_the_labels(fit: Any, cli: Run, world: World) -> None:
    model = fit("--kb", world.kb)
    text = TRAIN[0][1]
    answer = TextClassifier.load(model).predict([text], "en")[0]
    outcome = cli("classify", "explain", model, text, "--lang", "en")
    assert outcome.lines[1] == f"→ {', '.join(answer) or 'no label'}"
    as_json = cli("classify", "explain", model, text, "--lang", "en", "--json").json
    assert as_json["label"] == list(answer)


def test_options_for_label_sets_need_them(refuse: Refuse, world: World, tmp_path: Path) -> None:
    words = ["classify", "fit", "--train", f"en={world.train}", "--encoder", world.encoder,
             "--out", tmp_path / "model"]  # fmt: skip
    assert "--label-separator is for label sets; add --multilabel" in refuse(
        *words, "--label-separator", "|"
    )
    assert "--thresholds is for label sets; add --multilabel" in refuse(
        *words, "--thresholds", "tuned"
    )
    assert "--label-separator is empty" in refuse(*words, "--multilabel", "--label-separator", "")


def test_a_bad_label_set_gets_its_line(refuse: Refuse, world: World, tmp_path: Path) -> None:
    file = write_tsv(tmp_path / "bad.tsv", [("a|b", "x"), ("a||b", "y")], header="labels\ttext")
    sentence = refuse("classify", "fit", "--train", f"en={file}", "--encoder", world.encoder,
                      "--multilabel", "--out", tmp_path / "model")  # fmt: skip
    assert f"{file}:3: a label in 'labels' is empty" in sentence
