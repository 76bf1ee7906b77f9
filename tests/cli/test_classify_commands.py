"""``isogloss classify``: each option does what it says, and rows out are rows in."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_world import GERMAN, JAPANESE, TRAIN, Refuse, Run, World, write_tsv

from isogloss import TextClassifier
from isogloss.classify.heads.mboe_plus import Mixture
from isogloss.data.documents import FileFormat, read_documents
from isogloss.learn.linear_head import ChosenBy
from isogloss.vectors import EntityVectors

COLUMNS = {
    "lang", "n", "accuracy", "accuracy_low", "accuracy_high", "accuracy_seen", "macro_f1",
    "micro_f1", "ece_uncalibrated", "ece", "n_unlinked", "n_unseen_entity",
    "n_unseen_label", "truncated",
    "n_dropped",
}  # fmt: skip


@pytest.fixture
def fit(cli: Run, world: World, tmp_path: Path) -> Any:
    """Fit with some options, and return the model as loaded."""

    def run(*options: object, train: object = None) -> TextClassifier:
        words = ["classify", "fit", "--train", train or f"en={world.train}", "--out",
                 tmp_path / "model", "--overwrite"]  # fmt: skip
        if "--encoder" not in options:
            words += ["--encoder", world.encoder]
        outcome = cli(*words, *options)
        assert outcome.code == 0, outcome.err
        assert outcome.out == ""
        return TextClassifier.load(tmp_path / "model")

    return run


@pytest.mark.parametrize(
    ("words", "parameter", "value"),
    [
        (["--preset", "mboe"], "preset", "mboe"),
        (["--tune", "head"], "tune", "head"),
        (["--init", "random"], "init", "random"),
        (["--attention", "mean"], "attention", "mean"),
        (["--attention", "sum"], "attention", "sum"),
        (["--max-entities", "1"], "max_entities", 1),
        (["--min-link-prob", "0.5"], "min_link_prob", 0.5),
        (["--min-commonness", "0.4"], "min_commonness", 0.4),
        (["--pooling", "cls"], "pooling", "cls"),
        (["--long-texts", "windows"], "long_texts", "windows"),
        (["--dtype", "bfloat16"], "dtype", "bfloat16"),
        (["--seed", "7"], "random_state", 7),
        (["--device", "cpu", "--threads", "1"], "device", "auto"),
    ],
)
def test_an_option_of_fit_is_a_parameter(
    words: list[str], parameter: str, value: object, fit: Any, world: World
) -> None:
    assert getattr(fit("--kb", world.kb, *words), parameter) == value


def test_fit_says_what_it_did(cli: Run, world: World, tmp_path: Path) -> None:
    outcome = cli("classify", "fit", "--train", f"en={world.train}", "--train",
                  f"de={world.german}", "--encoder", world.encoder, "--out",
                  tmp_path / "m")  # fmt: skip
    assert outcome.code == 0
    assert "isogloss: de: 2 texts" in outcome.talk
    assert f"isogloss: en: {len(TRAIN)} texts" in outcome.talk
    assert TextClassifier.load(tmp_path / "m").langs_ == ("en", "de")


def test_init_from_a_file(fit: Any, world: World, tmp_path: Path) -> None:
    ids = ["Q1490", "Q8161", "Q183", "Q2736", "Q847"]
    matrix = np.random.default_rng(0).normal(size=(5, 8)).astype(np.float32)
    EntityVectors(ids, matrix).save(tmp_path / "v.safetensors")
    model = fit("--kb", world.kb, "--preset", "mboe", "--init", tmp_path / "v.safetensors")
    assert model.init.ids == ids
    assert model.head_.trained.projection is not None  # 8 dimensions → 32


def test_dev_chooses(fit: Any, world: World) -> None:
    assert "cross-validation" in fit().head_.linear.describe()
    assert fit("--dev", f"ja={world.japanese}").head_.linear.chosen_by is ChosenBy.DEVELOPMENT


def test_columns_and_quoting(fit: Any, tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    rows = [f'"{text}","more, ""of"" it",{label}' for label, text in TRAIN]
    table.write_text("\n".join(["headline,body,kind", *rows]) + "\n", "utf-8")
    words = ["--text", "headline,body", "--label", "kind"]
    model = fit(*words, "--quoting", "csv", train=f"en={table}")
    assert model.classes_.tolist() == ["money", "sport"]
    assert model.n_training_documents_ == len(TRAIN)


def test_columns_by_number_without_a_header(fit: Any, tmp_path: Path) -> None:
    table = tmp_path / "t.tsv"
    table.write_text("".join(f"{label}\t{text}\n" for label, text in TRAIN), "utf-8")
    model = fit("--text", "2", "--label", "1", "--quoting", "none", train=f"en={table}")
    assert model.n_training_documents_ == len(TRAIN)


def _mixed(path: Path) -> Path:
    parts = {"en": TRAIN, "jpn": JAPANESE, "de": GERMAN}
    rows = [(label, text, lang) for lang, part in parts.items() for label, text in part]
    return write_tsv(path, rows, header="label\ttext\tlang")


@pytest.mark.parametrize(
    "words", [["--lang-column", "lang"], ["--lang", "auto"], ["--lang", "auto:en,ja,de"]]
)
def test_mixed_languages(
    words: list[str], fit: Any, cli: Run, world: World, tmp_path: Path
) -> None:
    file = _mixed(tmp_path / "all.tsv")
    n = len(TRAIN) + len(JAPANESE) + len(GERMAN)
    assert set(fit("--kb", world.kb, *words, train=file).langs_) >= {"en", "ja", "de"}
    predicted = cli("classify", "predict", world.model, *words, file, "--json").json["rows"]
    assert [row["row"] for row in predicted] == list(range(n))
    assert {"en", "ja", "de"} <= {row["lang"] for row in predicted}
    evaluated = cli("classify", "evaluate", world.model, "--test", file, *words, "--json")
    assert {"en", "ja", "de"} <= {row["lang"] for row in evaluated.json["rows"]}
    assert sum(row["n"] for row in evaluated.json["rows"]) == n
    assert "isogloss: ja: 4 texts" in evaluated.talk


def test_predict_is_the_model(cli: Run, world: World) -> None:
    model = TextClassifier.load(world.model)
    texts = [text for _, text in JAPANESE]
    plain = cli("classify", "predict", world.model, "--lang", "ja", world.japanese)
    assert [line.split("\t")[0] for line in plain.lines] == model.predict(texts, "ja").tolist()
    assert "isogloss: ja: 4 texts, 4 linked, 0 cut" in plain.talk
    found = cli("classify", "predict", world.model, "--lang", "ja", world.japanese, "--json").json
    assert found["classes"] == ["money", "sport"]
    shares = [list(row["probabilities"].values()) for row in found["rows"]]
    np.testing.assert_allclose(shares, model.predict_proba(texts, "ja"), atol=1e-6)


def test_fallback_lang(cli: Run, world: World) -> None:
    words = ["classify", "predict", world.model, "--lang", "ru"]
    text = "Новый tax в Germany\n"
    alone = cli(*words, stdin=text)
    assert "isogloss: ru: 1 text, 0 linked, 0 cut" in alone.talk
    both = cli(*words, "--fallback-lang", "en", stdin=text)
    assert "isogloss: ru: 1 text, 1 linked, 0 cut" in both.talk


ROWS = ["", "東京", " ", "\0", "x " * 500, "🙂", "ひ\u3000\u2028ら", ""]


@pytest.mark.parametrize("json_out", [False, True])
def test_rows_out_are_rows_in(json_out: bool, cli: Run, world: World) -> None:
    words = ["classify", "predict", world.model, "--lang", "ja", "-"]
    outcome = cli(*words, *["--json"] * json_out, stdin="\n".join(ROWS) + "\n")
    assert outcome.code == 0
    assert len(outcome.json["rows"] if json_out else outcome.out.split("\n")[:-1]) == len(ROWS)
    assert "isogloss: ja: 8 texts, 1 linked, 0 cut" in outcome.talk


def test_labels_of_any_text_stay_on_their_line(fit: Any, cli: Run, tmp_path: Path) -> None:
    labels = {"sport": "\ud800 a\tb", "money": "c\nd"}
    file = tmp_path / "t.jsonl"
    file.write_text("".join(json.dumps({"text": text, "label": labels[label]}) + "\n"
                            for label, text in TRAIN))  # fmt: skip
    assert set(fit(train=f"en={file}").classes_.tolist()) == set(labels.values())
    words = ["classify", "predict", tmp_path / "model", "--lang", "en", file]
    plain = cli(*words)
    assert len(plain.lines) == len(TRAIN)
    assert all(line.count("\t") == 1 for line in plain.lines)
    assert set(cli(*words, "--json").json["classes"]) == set(labels.values())
    shown = cli("classify", "evaluate", tmp_path / "model", "--test", f"en={file}", "--report",
                tmp_path / "r.html")  # fmt: skip
    assert shown.code == 0


def test_evaluate_json(cli: Run, world: World) -> None:
    outcome = cli("classify", "evaluate", world.model, "--test", f"ja={world.japanese}",
                  "--test", f"de={world.german}", "--json")  # fmt: skip
    assert outcome.code == 0
    found = outcome.json
    assert set(found) == {"rows", "mean"}
    assert [row["lang"] for row in found["rows"]] == ["de", "ja"]
    assert all(set(row) == COLUMNS for row in found["rows"])
    assert found["mean"]["n"] == 6
    assert found["mean"]["langs"] == ["de", "ja"]


def test_evaluate_prints_a_table(cli: Run, world: World) -> None:
    outcome = cli("classify", "evaluate", world.model, "--test", f"ja={world.japanese}")
    assert outcome.code == 0
    assert "accuracy" in outcome.out
    assert "ja" in outcome.out
    assert "Accuracy in Japanese: " in outcome.out  # the result in words


def test_no_nan_when_every_label_is_unseen(cli: Run, world: World, tmp_path: Path) -> None:
    file = write_tsv(tmp_path / "t.tsv", [("other", "東京")])
    words = ["classify", "evaluate", world.model, "--test", f"ja={file}", "--json"]
    outcome = cli(*words, "--versus", world.alone)
    assert outcome.code == 0
    assert outcome.json["rows"][0]["n_unseen_label"] == 1
    assert outcome.json["rows"][0]["accuracy_seen"] is None


def test_versus(cli: Run, world: World) -> None:
    words = ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}", "--json"]
    itself = cli(*words, "--versus", world.model).json["rows"][0]
    assert itself["difference"] == 0.0
    assert itself["p_value"] == 1.0
    alone = cli("classify", "evaluate", world.alone, *words[3:]).json["rows"][0]
    ours = cli(*words, "--versus", world.alone).json["rows"][0]
    assert ours["difference"] == pytest.approx(ours["accuracy"] - alone["accuracy"])


def test_report(cli: Run, world: World, tmp_path: Path) -> None:
    words = ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}", "--report",
             tmp_path / "r.html", "--json"]  # fmt: skip
    outcome = cli(*words)
    assert outcome.code == 0
    assert outcome.json["rows"]  # nothing but JSON on standard output
    assert "サッカー</mark>の試合" in (tmp_path / "r.html").read_text("utf-8")
    assert cli(*words).code == 2
    assert cli(*words, "--overwrite").code == 0


def test_embed_kb(fit: Any, cli: Run, own: World, tmp_path: Path) -> None:
    fit("--kb", own.kb, "--embed-kb", "--encoder", own.encoder)
    own.kb.rename(own.kb.with_name("gone"))
    outcome = cli("classify", "predict", tmp_path / "model", "--lang", "ja", own.japanese)
    assert "4 linked" in outcome.err


@pytest.mark.parametrize("odd", ["a  b", '"a"', '"a" b', "a|b, c", "[a]", 'say "a"'])
def test_predicted_labels_read_back_as_they_are(
    odd: str, fit: Any, cli: Run, tmp_path: Path
) -> None:
    table = tmp_path / "train.jsonl"
    rows = [{"label": odd if label == "sport" else label, "text": text} for label, text in TRAIN]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    model = fit(train=f"en={table}")
    answers = tmp_path / "answers.tsv"
    outcome = cli("classify", "predict", tmp_path / "model", "--lang", "en", table)
    answers.write_text(outcome.out, "utf-8")
    read = read_documents(answers, format=FileFormat(("2",), "1"), needs_label=True)
    assert read.labels == model.predict([text for _, text in TRAIN], "en").tolist()
    assert odd in read.labels


def test_a_label_with_a_line_break_stays_on_its_line_and_is_said(
    fit: Any, cli: Run, tmp_path: Path
) -> None:
    table = tmp_path / "train.jsonl"
    rows = [{"label": f"{label}\n\tnews", "text": text} for label, text in TRAIN]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    fit(train=f"en={table}")
    words = ["classify", "predict", tmp_path / "model", "--lang", "en", table]
    outcome = cli(*words)
    assert {line.split("\t")[0] for line in outcome.lines} <= {"sport news", "money news"}
    assert "2 labels of the model with a tab or line break" in outcome.err
    assert cli(*words, "--strict").code == 2
    assert cli(*words, "--strict", "--json").code == 0


def test_explain(cli: Run, world: World) -> None:
    text = "東京大学の税金"
    words = ["classify", "explain", world.model, text, "--lang"]
    facts = cli(*words, "ja", "--json").json
    assert {entity["id"] for entity in facts["entities"]} == {"Q7842", "Q8161"}
    spans = {entity["id"]: entity["spans"] for entity in facts["entities"]}
    assert spans == {"Q7842": [[0, 4]], "Q8161": [[5, 7]]}
    assert facts["label"] in facts["probabilities"]
    assert sum(facts["probabilities_without_entities"].values()) == pytest.approx(1)
    shown = cli(*words, "ja")
    assert "University of Tokyo" in shown.out
    assert "with entities" in shown.out
    assert "encoder alone" in shown.out
    assert re.search(r"\de-\d\d", shown.out) is None  # numbers side by side are written alike


def test_explain_names_the_answer_without_entities_for_what_it_is(
    cli: Run, world: World, fit: Any, tmp_path: Path
) -> None:
    words = ["東京大学の税金", "--lang", "ja"]
    alone = cli("classify", "explain", world.alone, *words)
    assert "probability" in alone.out
    assert "entities" not in alone.out
    assert alone.lines[-1] == "this model has no knowledge base: the text's vector alone decides"
    fit("--kb", world.kb, "--preset", "mboe")
    mboe = cli("classify", "explain", tmp_path / "model", *words)
    assert "no entities" in mboe.out
    assert "encoder alone" not in mboe.out
    unlinked = cli("classify", "explain", tmp_path / "model", "何もない", "--lang", "ja")
    assert unlinked.lines[-1] == "nothing linked: the text's vector alone decides"


def test_explain_says_that_entities_have_no_weight(cli: Run, world: World, tmp_path: Path) -> None:
    said = "this model gives entities no weight: the label comes from the encoder alone"
    model = TextClassifier.load(world.model)
    for strength in (0.5, 0.0):
        model.fitted_ = replace(
            model.fitted_, head=replace(model.head_, mixture=Mixture(strength, 10.0))
        )
        model.save(tmp_path / "model", overwrite=True)
        words = ["classify", "explain", tmp_path / "model", "東京大学の税金", "--lang", "ja"]
        facts = cli(*words, "--json").json
        assert facts.get("note") == (None if strength else said)
        assert facts["entities_have_weight"] == (strength > 0)
        assert any(entity["share"] > 0 for entity in facts["entities"]) == (strength > 0)
        assert (said in cli(*words).lines) == (strength == 0)


def test_a_text_in_the_place_of_the_file_is_told_where_it_goes(
    refuse: Refuse, world: World
) -> None:
    said = refuse("classify", "predict", world.model, "new tax", "--lang", "en")
    assert f"echo 'TEXT' | isogloss classify predict {world.model} -" in said


def test_explain_detects_and_falls_back(cli: Run, world: World) -> None:
    words = ["classify", "explain", world.model, "Die neue Steuer in Germany ist sehr hoch"]
    facts = cli(*words, "--lang", "auto", "--json").json
    assert facts["lang"] == "de"
    assert [entity["id"] for entity in facts["entities"]] == ["Q8161"]
    facts = cli(*words, "--lang", "de", "--fallback-lang", "en", "--json").json
    assert {entity["id"] for entity in facts["entities"]} == {"Q8161", "Q183"}


def test_named_languages_decide_short_texts(
    cli: Run, world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    file = tmp_path / "short.txt"
    file.write_text("die neue Steuer\nTokyo again\nпогода была плохой\n", "utf-8")
    words = ["--lang", "auto:en,de", file]
    found = cli("classify", "predict", world.model, *words, "--json")
    assert [row["lang"] for row in found.json["rows"]] == ["de", "en", None]
    assert "the language of 1 of 3 texts could not be told" in caplog.text
    assert "--lang auto:en,es" not in caplog.text  # which has been done
    cli("kb", "link", world.kb, "--lang", "auto", file)
    assert "--lang auto:en,es" in caplog.text
    linked = [json.loads(line) for line in cli("kb", "link", world.kb, *words).lines]
    assert [row["lang"] for row in linked] == ["de", "en", None]
    facts = cli("classify", "explain", world.model, "die Steuer", "--lang", words[1], "--json")
    assert facts.json["lang"] == "de"
    rows = cli("classify", "forecast", world.model, *words, "--json").json["rows"]
    assert {row["lang"] for row in rows} == {"de", "en", "und"}


LOSSES: dict[str, tuple[list[str], str]] = {
    "unseen label": (["classify", "evaluate", "MODEL", "--test", "ja=UNSEEN"], "1 of 2"),
    "unseen label in dev": (["--dev", "ja=UNSEEN"], "1 of 2"),
    "language without names": (["classify", "predict", "MODEL", "--lang", "sw", "TEXTS"], "'sw'"),
    "language without names to link": (["kb", "link", "KB", "--lang", "sw", "TEXTS"], "'sw'"),
    "cut text": (["classify", "predict", "CUTS", "--lang", "ja", "LONG"], "1 of 2"),
    "cut text of the training data": (["--train", "en=CUT", "--long-texts", "cut"], "1 of 14"),
    "unknown language": (
        ["classify", "predict", "MODEL", "--lang-column", "lang", "UNKNOWN"], "1 document",
    ),
    "unsure language": (["classify", "predict", "MODEL", "--lang", "auto", "SHORT"], "1 of 1"),
    "nothing linked": (["classify", "evaluate", "MODEL", "--test", "ja=UNLINKED"], "no entity"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_is_counted_and_an_error_under_strict(
    name: str, cli: Run, world: World, tmp_path: Path
) -> None:
    words, expected = LOSSES[name]
    long = "long " * 99
    files = {
        "UNSEEN": ("u.tsv", "label\ttext\nother\t東京\nsport\tテニス\n"),
        "UNLINKED": ("l.tsv", "label\ttext\nsport\tひらがな\nmoney\tかな\n"),
        "UNKNOWN": ("k.tsv", "lang\ttext\nja\t東京\nklingonn\t東京\n"),
        "CUT": ("c.tsv", world.train.read_text("utf-8") + f"money\t{long}\nsport\tok\n"),
        "TEXTS": ("t.txt", "東京\n"), "LONG": ("o.txt", f"{long}\nok\n"), "SHORT": ("s.txt", "7\n"),
    }  # fmt: skip
    places = {"MODEL": str(world.model), "KB": str(world.kb)}
    for place, (file, content) in files.items():
        (tmp_path / file).write_text(content, "utf-8")
        places[place] = str(tmp_path / file)
    if "CUTS" in words:
        places["CUTS"] = str(tmp_path / "cuts")
        fit = ["classify", "fit", "--train", f"en={world.train}", "--encoder", str(world.encoder),
               "--long-texts", "cut", "--out", places["CUTS"]]  # fmt: skip
        assert cli(*fit).code == 0
    words = [
        "=".join(places.get(part, part) for part in word.split("=")) for word in words
    ]  # fmt: skip
    if words[0].startswith("--"):
        usual = [] if words[0] == "--train" else ["--train", f"en={world.train}"]
        words = ["classify", "fit", *usual, *words, "--encoder", str(world.encoder), "--out",
                 str(tmp_path / "m")]  # fmt: skip
    strict = cli(*words, "--strict")
    assert strict.code == 2
    assert expected in strict.talk[-1]
    assert "--strict" in strict.talk[-1]
    assert not (tmp_path / "m").exists()
    loose = cli(*words)
    assert loose.code == 0
    assert sum(expected in line for line in loose.talk) >= 1
