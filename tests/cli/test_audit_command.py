"""``classify audit``: a sheet is drawn, labelled and read, and stays with the model."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from cli_world import GERMAN, JAPANESE, Refuse, Run, World, flip

from isogloss.classify.answers.summary import read_summary, summary_path
from isogloss.classify.audit.saved import audits_of

CHOICES = ("money", "sport")


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    """A file of two languages, a text of neither, and one that is empty."""
    rows = [("ja", text) for _, text in JAPANESE] + [("de", text) for _, text in GERMAN]
    path = tmp_path / "inbox.csv"
    text = io.StringIO()
    csv.writer(text).writerows([("lang", "text"), *rows, ("", "=1+1 ☂"), ("ja", "")])
    path.write_text(text.getvalue(), "utf-8")
    return path


def draw(world: World, inbox: Path, *more: object, name: str = "sheet.csv") -> list[object]:
    return ["classify", "audit", "draw", world.alone, inbox, "--lang-column", "lang",
            "--out", inbox.parent / name, *more]  # fmt: skip


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def fill(path: Path, labels: list[str], to: Path | None = None) -> Path:
    rows = rows_of(path)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(row | {"label": label} for row, label in zip(rows, labels, strict=True))
    (to or path).write_text(text.getvalue(), "utf-8")
    return to or path


def key_of(path: Path) -> dict[str, object]:
    return json.loads((path.parent / f"{path.stem}.key.json").read_text("utf-8"))


def answers_of(path: Path) -> list[str]:
    key = key_of(path)
    return [key["classes"][row["answer"]] for row in key["rows"]]


def test_a_sheet_is_drawn_filled_and_read(cli: Run, own: World, inbox: Path) -> None:
    drawn = cli(*draw(own, inbox, "--n", 3, "--seed", 1))
    assert (drawn.code, drawn.out) == (0, ""), drawn.err
    assert "1 row without a text cannot be drawn" in drawn.err
    assert "isogloss: ja: 3 of 4 rows" in drawn.err
    assert "isogloss: und: 1 of 1 row" in drawn.err
    assert "write into 'label' one of: money, sport; 'unsure' where none can be told" in drawn.err
    sheet = inbox.parent / "sheet.csv"
    rows = rows_of(sheet)
    assert [row["lang"] for row in rows] == ["de"] * 2 + ["ja"] * 3 + ["und"]
    texts = [text for _, text in (*JAPANESE, *GERMAN)] + ["'=1+1 ☂"]
    assert all(texts[int(row["row"]) - 1] == row["text"] for row in rows)
    assert "answer" not in rows[0]
    key = key_of(sheet)
    assert (key["seed"], key["is_blind"], key["data"]) == (1, True, "inbox.csv")

    answers = answers_of(sheet)
    other = dict(zip(CHOICES, reversed(CHOICES), strict=True))
    labels = [*answers[:2], answers[2], other[answers[3]], "unsure", ""]
    read = cli("classify", "audit", "read", fill(sheet, labels), "--target", 0.85)
    assert read.code == 0, read.err
    assert "open" in read.out
    assert f"{answers[3]}, is {other[answers[3]]} (1)" in read.out
    assert "2 rows left out: 1 unsure, 1 without a label" in read.err
    assert f"audit → {own.alone / 'audits.json'}" in read.err
    found = cli("classify", "audit", "read", sheet, "--target", 0.85, "--json").json
    assert [row["lang"] for row in found["languages"]] == ["de", "ja", "und"]
    assert [row["n"] for row in found["languages"]] == [2, 2, 0]
    assert [row["accuracy"] for row in found["languages"]] == [1.0, 0.5, None]
    assert [row["target"] for row in found["languages"]] == ["open"] * 3
    kept = audits_of(own.alone)
    assert {lang: (one.n, one.accuracy, one.is_blind) for lang, one in kept.items()} == {
        "de": (2, 1.0, True), "ja": (2, 0.5, True),
    }  # fmt: skip
    assert kept["ja"].low < 0.5 < kept["ja"].high
    card = (own.alone / "README.md").read_text("utf-8")
    assert "| ja | 2 | 0.500 [" in card
    assert "Training: train.tsv, en 12; SHA-256 `" in card


def test_the_report_shows_audits_of_the_model(cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    cli("classify", "audit", "read", fill(sheet, answers_of(sheet)))
    words = ["classify", "evaluate", own.alone, "--test", f"ja={own.japanese}", "--target", 0.2]
    assert cli(*words, "--report", inbox.parent / "r.html").code == 0
    page = (inbox.parent / "r.html").read_text("utf-8")
    one = audits_of(own.alone)["ja"]
    said = f"1.00 [{one.low:.2f}, 1.00], above, 4 texts of inbox.csv, {one.date}</td>"
    assert said in page
    assert "Audited and not evaluated here:\nGerman 1.00 [" in page
    damaged = json.loads((own.alone / "audits.json").read_text())
    (own.alone / "audits.json").write_text(json.dumps(damaged | {"model": "x"}))
    assert cli(*words, "--report", inbox.parent / "other.html").code == 2
    assert not (inbox.parent / "other.html").exists()


def test_summaries_of_answers_name_audits(cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    cli("classify", "audit", "read", fill(sheet, answers_of(sheet)))
    words = ["classify", "predict", own.alone, inbox, "--lang-column", "lang", "--prefix", "x_"]
    words += ["--out"]
    file, folder = inbox.parent / "answered.csv", inbox.parent / "parts"
    assert cli(*words, file).code == 0
    (inbox.parent / "in").mkdir()
    shutil.copy(inbox, inbox.parent / "in")
    assert cli(*words[:3], inbox.parent / "in", *words[4:], folder).code == 0
    for summary in (summary_path(file), folder / "_summary.json"):
        assert read_summary(summary).audits == audits_of(own.alone)


def test_without_a_target_nothing_is_judged(cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    fill(sheet, answers_of(sheet))
    found = cli("classify", "audit", "read", sheet, "--json").json
    assert found["target"] is None
    assert "target" not in found["languages"][0]


def test_a_forecast_stands_beside(cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    fill(sheet, answers_of(sheet))
    (row, *_) = cli("classify", "audit", "read", sheet, "--json").json["languages"]
    words = ["classify", "forecast", own.alone, inbox, "--lang-column", "lang", "--json"]
    (expected, *_) = cli(*words).json["rows"]
    assert (row["lang"], row["forecast"]) == (expected["lang"], None)  # of two texts
    assert row["forecast_low"] == pytest.approx(expected["low"])
    assert row["forecast_high"] == pytest.approx(expected["high"])


def test_shown_answers_are_no_blind_audit(cli: Run, own: World, inbox: Path) -> None:
    drawn = cli(*draw(own, inbox, "--show-answers"))
    assert "this is no blind audit" in drawn.err
    sheet = inbox.parent / "sheet.csv"
    assert [row["answer"] for row in rows_of(sheet)] == answers_of(sheet)
    read = cli("classify", "audit", "read", fill(sheet, answers_of(sheet)))
    assert "whoever labelled saw the answers" in read.err
    assert not audits_of(own.alone)["ja"].is_blind


def test_by_class_answers_all_and_weights_back(cli: Run, own: World, inbox: Path) -> None:
    drawn = cli(*draw(own, inbox, "--by-class", "--n", 4))
    assert drawn.code == 0, drawn.err
    sheet = inbox.parent / "sheet.csv"
    strata = key_of(sheet)["strata"]
    assert all(one["answer"] is not None for one in strata)
    assert sum(one["n_rows"] for one in strata) == 7
    read = cli("classify", "audit", "read", fill(sheet, answers_of(sheet)), "--json").json
    assert read["by_class"]
    assert {row["accuracy"] for row in read["languages"]} == {1.0}
    audit = audits_of(own.alone)["ja"]
    assert audit.by_class
    assert audit.in_words().endswith(f"{audit.date}, by class")
    assert "by class" in (own.alone / "README.md").read_text("utf-8")


def test_answers_to_other_rows_assist(refuse: Refuse, cli: Run, own: World, tmp_path: Path) -> None:
    rows = [(lang, f"{text} {number}") for number in range(10)
            for lang, some in (("ja", JAPANESE), ("de", GERMAN)) for _, text in some]  # fmt: skip
    inbox = tmp_path / "inbox.csv"
    inbox.write_text("lang,text\n" + "".join(f'{lang},"{text}"\n' for lang, text in rows), "utf-8")
    drawn = cli(*draw(own, inbox, "--n", 32, "--assist"))
    assert drawn.code == 0, drawn.err
    sheet = tmp_path / "sheet.csv"
    key = key_of(sheet)
    assert (key["others"]["ja"]["n"], "de" in key["others"]) == (8, False)
    assert all(0.5 <= row["probability"] <= 1 for row in key["rows"])
    answers = answers_of(sheet)
    other = dict(zip(CHOICES, reversed(CHOICES), strict=True))
    labels = [other[one] if at % 4 == 0 else one for at, one in enumerate(answers)]
    read = ("classify", "audit", "read", fill(sheet, labels))
    assert "--assist" not in cli(*read).err
    assisted = cli(*read, "--assist")
    assert "de: labels alone, as there are fewer than 30" in assisted.err
    found = cli(*read, "--assist", "--json").json["languages"]
    assert [row["assisted"] for row in found] == [False, True]
    kept = audits_of(own.alone)
    assert (kept["de"].assisted, kept["ja"].assisted) == (False, True)
    cli(*read)
    assert not audits_of(own.alone)["ja"].assisted
    unsure = cli("classify", "audit", "read", fill(sheet, [*labels[:-1], "unsure"]), "--assist")
    assert "de: labels alone, as there are fewer than 30" in unsure.err
    assert "ja: labels alone, as rows are left unsure" in unsure.err
    cli(*draw(own, inbox, name="plain.csv"))
    plain = fill(tmp_path / "plain.csv", answers_of(tmp_path / "plain.csv"))
    said = refuse("classify", "audit", "read", plain, "--assist")
    assert "the answers to other rows were not kept; draw with --assist" in said
    assert "--assist is for rows drawn alike" in refuse(
        *draw(own, inbox, "--assist", "--by-class", name="new.csv")
    )


def test_a_sheet_is_extended_with_its_labels(
    refuse: Refuse, cli: Run, own: World, inbox: Path
) -> None:
    cli(*draw(own, inbox, "--n", 2, "--seed", 7))
    sheet = inbox.parent / "sheet.csv"
    labels = ["unsure", "sport", "money", "", "sport"]
    renamed = fill(sheet, labels, inbox.parent / "of-anna.csv")
    words = draw(own, inbox, "--n", 3, "--extend", renamed, name="more.csv")
    assert "no such key of a sheet" in refuse(*words)
    words += ["--key", inbox.parent / "sheet.key.json"]
    drawn = cli(*words)
    assert drawn.code == 0, drawn.err
    assert f"4 labels of {renamed} came along" in drawn.err
    more = inbox.parent / "more.csv"
    assert key_of(more)["seed"] == 7
    told = {row["row"]: row["label"] for row in rows_of(more)}
    pairs = zip(rows_of(sheet), labels, strict=True)
    assert {row["row"]: label for row, label in pairs}.items() <= told.items()
    assert len(told) == 6
    found = cli("classify", "audit", "read", more, "--json").json["languages"]
    assert [(row["n"], row["n_unsure"], row["n_unlabelled"]) for row in found] == [
        (1, 1, 0), (1, 0, 2), (1, 0, 0),
    ]  # fmt: skip


def test_what_cannot_extend_a_sheet(refuse: Refuse, cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox, "--n", 3, "--show-answers"))
    sheet = inbox.parent / "sheet.csv"
    fill(sheet, answers_of(sheet))
    more = ["--extend", sheet]
    assert "sheet.csv: has 3 rows of a language, and --n counts these too" in refuse(
        *draw(own, inbox, "--n", 1, *more, name="more.csv")
    )
    assert "was drawn otherwise; leave out --by-class" in refuse(
        *draw(own, inbox, "--by-class", *more, name="more.csv")
    )
    other = inbox.parent / "other.csv"
    other.write_text(inbox.read_text("utf-8").replace("=1+1", "=1+2"), "utf-8")
    said = refuse(*draw(own, other, *more, name="m.csv"))
    assert "was drawn from another file than this, as row " in said
    assert "give inbox.csv as it was" in said
    other.write_text(inbox.read_text("utf-8") + "ja,東京\n" * 400, "utf-8")
    said = refuse(*draw(own, other, *more, name="m.csv"), talk=True)
    assert "was drawn from another file than this" in said
    assert "--seed is that of the sheet" in refuse(*draw(own, inbox, *more, "--seed", 1))
    assert "--key is that of the sheet of --extend" in refuse(*draw(own, inbox, "--key", sheet))
    assert "--extend makes a table" in refuse(
        *draw(own, inbox, *more, "--format", "label-studio", name="t.json")
    )
    assert "--out and --extend both name this file" in refuse(
        *draw(own, inbox, *more, "--overwrite")
    )
    words = draw(own, inbox, *more, name="m.csv")
    words[3] = own.model
    assert "the sheet to extend was drawn for another model" in refuse(*words)
    assert cli(*draw(own, inbox, "--n", 4, *more, name="more.csv")).code == 0
    assert key_of(inbox.parent / "more.csv")["is_blind"] is False  # half of it was seen


def test_more_labels_than_the_file_has_are_said(cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox, "--n", 3))
    sheet = inbox.parent / "sheet.csv"
    words = ["classify", "audit", "read", fill(sheet, answers_of(sheet)), "--target", 0.95]
    (row, *_) = [row for row in cli(*words, "--json").json["languages"] if row["lang"] == "ja"]
    assert (row["n"], row["n_left"]) == (3, 1)
    assert row["n_more"] > 1
    assert f"{row['n_more']} (1 left)" in cli(*words).out


def test_two_sheets_are_compared(cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    n = len(rows_of(sheet))
    first = fill(sheet, ["money", "sport"] * (n // 2) + ["sport"] * (n % 2))
    second = fill(sheet, ["sport"] * n, inbox.parent / "of-anna.csv")
    read = cli("classify", "audit", "read", first, second)
    assert read.code == 0, read.err
    assert "kappa" in read.out
    assert "second sheet" in read.out
    found = cli("classify", "audit", "read", first, second, "--json").json
    assert [one["lang"] for one in found["agreement"]] == ["de", "ja", "und", "all"]
    assert found["agreement"][-1]["kappa"] == pytest.approx(0)
    rows = rows_of(first)
    assert [one["row"] for one in found["disputes"]] == [
        int(row["row"]) for row in rows[: n - n % 2 : 2]
    ]
    alone = cli("classify", "audit", "read", first, "--json").json
    assert alone["languages"] == found["languages"]  # the first counts


def test_label_studio(cli: Run, own: World, inbox: Path) -> None:
    drawn = cli(*draw(own, inbox, "--format", "label-studio", name="tasks.json"))
    assert drawn.code == 0, drawn.err
    tasks = json.loads((inbox.parent / "tasks.json").read_text("utf-8"))
    assert set(tasks[0]["data"]) == {"row", "lang", "text"}
    assert '<Choice value="unsure"/>' in (inbox.parent / "tasks.config.xml").read_text("utf-8")
    answers = answers_of(inbox.parent / "tasks.json")
    export = [
        task
        | {"annotations": [{"result": [{"from_name": "label", "value": {"choices": [label]}}]}]}
        for task, label in zip(tasks, answers, strict=True)
    ]
    (inbox.parent / "export.json").write_text(json.dumps(export), "utf-8")
    words = ["classify", "audit", "read", inbox.parent / "export.json", "--key",
             inbox.parent / "tasks.key.json", "--json"]  # fmt: skip
    assert {row["accuracy"] for row in cli(*words).json["languages"]} == {1.0}


def test_the_last_audit_of_a_language_is_kept(cli: Run, own: World, inbox: Path) -> None:
    for seed, name in enumerate(("one", "two")):
        cli(*draw(own, inbox, "--seed", seed, name=f"{name}.csv"))
        sheet = inbox.parent / f"{name}.csv"
        said = cli("classify", "audit", "read", fill(sheet, answers_of(sheet))).err
        assert ("isogloss: instead of the audit of " in said) is (name == "two")
        assert ("ja (4 texts)" in said) is (name == "two")
    again = cli("classify", "audit", "read", inbox.parent / "two.csv").err
    assert "instead of" not in again


def test_a_model_that_moved_is_named(cli: Run, refuse: Refuse, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    fill(sheet, answers_of(sheet))
    shutil.move(own.alone, inbox.parent / "moved")
    words = ["classify", "audit", "read", sheet]
    assert "is not at" in refuse(*words)
    assert "name it with --model" in refuse(*words)
    assert cli(*words, "--model", inbox.parent / "moved").code == 0


def test_a_sheet_of_another_model_is_refused(
    refuse: Refuse, cli: Run, own: World, inbox: Path
) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    fill(sheet, answers_of(sheet))
    said = refuse("classify", "audit", "read", sheet, "--model", own.model)
    assert "the sheet was drawn for another model (fingerprint " in said
    (own.alone / "audits.json").write_text("{}", "utf-8")
    assert "holds no audits that this isogloss reads" in refuse("classify", "audit", "read", sheet)


def test_what_cannot_be_drawn(refuse: Refuse, cli: Run, own: World, inbox: Path) -> None:
    assert "ends in .csv or .tsv" in refuse(*draw(own, inbox, name="sheet.xlsx"))
    assert "ends in .json" in refuse(*draw(own, inbox, "--format", "label-studio"))
    assert "--lang-column" in refuse("classify", "audit", "draw", own.alone, inbox, "--out",
                                     inbox.parent / "sheet.csv")  # fmt: skip
    cli(*draw(own, inbox))
    assert "already exists" in refuse(*draw(own, inbox))
    (inbox.parent / "sheet.csv").unlink()
    assert "sheet.key.json: already exists" in refuse(*draw(own, inbox))
    assert cli(*draw(own, inbox, "--overwrite")).code == 0
    empty = inbox.parent / "empty.csv"
    empty.write_text('lang,text\nja,""\n', "utf-8")
    assert "there is no text to draw from" in refuse(*draw(own, empty, name="s.csv"))


def test_nothing_is_left_where_the_disk_is_full(
    refuse: Refuse, own: World, inbox: Path, no_space_at_the_end: None
) -> None:
    said = refuse(*draw(own, inbox, "--n", 2), talk=True)
    assert "could not be written: No space left on device; nothing was kept" in said


def test_what_cannot_be_read(refuse: Refuse, cli: Run, own: World, inbox: Path) -> None:
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    words = ["classify", "audit", "read"]
    assert "no row has a label" in refuse(*words, sheet)
    assert not (own.alone / "audits.json").exists()
    assert "3 sheets are given" in refuse(*words, sheet, "b.csv", "c.csv")
    assert "names this file twice" in refuse(*words, sheet, sheet)
    fill(sheet, ["sprot"] * len(rows_of(sheet)))
    assert "has the label 'sprot', which the model does not have; did you mean 'sport'?" in refuse(
        *words, sheet
    )
    other = shutil.copy(sheet, inbox.parent / "renamed.csv")
    assert "no such key of a sheet; put it beside" in refuse(*words, other)
    assert "sprot" in refuse(*words, other, "--key", inbox.parent / "sheet.key.json")
    flip(inbox.parent / "sheet.key.json", 300)
    assert "sheet.key.json: damaged" in refuse(*words, sheet)


def test_under_strict_nothing_is_kept_of_what_leaves_something_out(
    refuse: Refuse, cli: Run, own: World, inbox: Path
) -> None:
    long = inbox.parent / "long.csv"
    long.write_text(f"text\n{'tax ' * 8000}\nfootball\n", "utf-8")
    words = ["classify", "audit", "draw", own.alone, long, "--lang", "en", "--out",
             inbox.parent / "long-sheet.csv"]  # fmt: skip
    assert "1 text cut at 30,000 characters" in refuse(*words, "--strict", talk=True)
    assert "1 text cut at 30,000 characters" in cli(*words).err
    sheet = inbox.parent / "long-sheet.csv"
    words = ["classify", "audit", "read", fill(sheet, ["money", "unsure"])]
    assert "1 row left out: 1 unsure, 0 without a label" in refuse(*words, "--strict")
    assert not (own.alone / "audits.json").exists()
    assert cli(*words).code == 0


def test_other_separators_and_encodings(refuse: Refuse, cli: Run, own: World, inbox: Path) -> None:
    german = inbox.parent / "german.csv"
    german.write_text("text\nDie Prüfung fällt aus.\n", "utf-8")
    sheet = inbox.parent / "sheet.tsv"
    words = ["classify", "audit", "draw", own.alone, german, "--lang", "de", "--out", sheet]
    assert cli(*words).code == 0
    header, row = sheet.read_text("utf-8-sig").splitlines()
    assert header.split("\t") == ["row", "lang", "text", "label", "note"]
    sheet.write_bytes(f"{header}\n{row[:-1]}money\t\n".encode("cp1252"))
    words = ["classify", "audit", "read", sheet]
    assert "--encoding" in refuse(*words)
    assert cli(*words, "--encoding", "cp1252").code == 0


def test_label_sets_are_refused(
    refuse: Refuse, own: World, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isogloss.classify.saving.manifest import Manifest

    monkeypatch.setattr(Manifest, "multilabel", property(lambda _: True))
    assert "an audit is for models of one label a text" in refuse(*draw(own, inbox))


def test_an_audited_model_is_not_adapted_in_its_place(
    refuse: Refuse, cli: Run, own: World, inbox: Path
) -> None:
    """The audits would be lost, and are none of the model that it becomes."""
    cli(*draw(own, inbox))
    sheet = inbox.parent / "sheet.csv"
    cli("classify", "audit", "read", fill(sheet, answers_of(sheet)))
    said = refuse("classify", "adapt", own.alone, own.japanese, "--lang", "ja")
    assert "holds audits.json, which is no part of the model and would be lost" in said
    assert "--out" in said
