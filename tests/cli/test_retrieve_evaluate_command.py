"""`retrieve evaluate`: published figures, zero-shot languages and the report."""

import json
from pathlib import Path

import pytest
from tiny_models import build_tiny

from isogloss.align.export.record import Record
from isogloss.cli.main import main


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False)


@pytest.fixture
def tatoeba(tmp_path: Path) -> Path:
    folder = tmp_path / "tatoeba"
    folder.mkdir()
    for lang in ("deu", "cbk", "swh"):
        for side in (lang, "eng"):
            (folder / f"tatoeba.{lang}-eng.{side}").write_text("fox dog\nforest\ncapital\n")
    return folder


def test_published_figures_stand_beside(
    tiny: Path, tatoeba: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "r.html"
    command = ["retrieve", "evaluate", "--encoder", str(tiny), "--tatoeba", str(tatoeba)]
    assert main([*command, "--json", "--report", str(report), "--seen", "de,sw"]) == 0
    printed = capsys.readouterr()
    found = json.loads(printed.out)["tatoeba"]
    rows = {row["lang"]: row for row in found["rows"]}
    assert list(rows["deu"])[:2] == ["lang", "n"]
    assert rows["deu"]["LaBSE (published)"] == pytest.approx(0.993, abs=0.01)
    assert [(row["group"], row["n"]) for row in found["means"]] == [("all", 3), ("zero-shot", 1)]
    assert found["means"][1]["share_75"] == 1.0
    assert f"report → {report}" in printed.err
    assert "Swahili" in report.read_text("utf-8")
    assert main(command) == 0
    printed = capsys.readouterr()
    assert "published" in printed.out
    assert "zero-shot" not in printed.out  # what it was trained on is not known
    assert "LaBSE (published): result files" in printed.err
    assert "LASER" not in printed.err  # nothing of it is shown


def test_what_an_encoder_was_trained_on_is_known_by_its_record(
    tiny: Path, tatoeba: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Record("bundled").and_then("ranking", rows={"en-cbk": 3}).write(tiny)
    command = ["retrieve", "evaluate", "--encoder", str(tiny), "--tatoeba", str(tatoeba), "--json"]
    try:
        assert main(command) == 0
        assert len(json.loads(capsys.readouterr().out)["tatoeba"]["means"]) == 1
        Record("bundled").write(tiny)
        assert main(command) == 0
        means = json.loads(capsys.readouterr().out)["tatoeba"]["means"]
        assert [row["group"] for row in means] == ["all", "zero-shot"]
    finally:
        (tiny / "manifest.json").unlink()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--sts", "no", "--seen", "de"], "--seen is for --tatoeba"),
        (["--tatoeba", "no", "--seen", "de,qq"], "qq"),
        (["--tatoeba", "no", "--overwrite"], "is for --report"),
        (["--tatoeba", "no", "--report", "no/r.html"], "does not exist"),
        (["--tatoeba", "no"], "no: no such folder"),
        (["--tatoeba", "."], "holds no tatoeba.XXX-eng.XXX"),
        (["--bucc", "."], "holds no XX-en.SPLIT.gold"),
        (["--un", "."], "holds no UNv1.0.testset.LANG"),
        (["--sts", "."], "holds no YEAR/PART.test.tsv"),
    ],
)
def test_bad_options_and_folders_are_refused_before_an_encoder_is_loaded(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert main(["retrieve", "evaluate", "--encoder", "./no", *words]) == 2
    assert said in capsys.readouterr().err
