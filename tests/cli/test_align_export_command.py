"""`align export`: what each option makes of an encoder, and what is refused."""

import json
from pathlib import Path

import pytest
from tiny_models import TEXTS, build_tiny

from isogloss.cli.main import main
from isogloss.encode import Encoder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False)


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    (tmp_path / "texts.txt").write_text("\n".join([TEXTS[0], TEXTS[1], "word"]), "utf-8")
    return tmp_path / "texts.txt"


def test_an_encoder_is_made_smaller(
    tmp_path: Path, tiny: Path, texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made"
    command = ["align", "export", str(tiny), "--out", str(out), "--prune-with", f"fr={texts}",
               "--threads", "1"]  # fmt: skip
    assert main(command) == 0
    said = capsys.readouterr().err
    assert "400 tokens are kept" in said
    assert "vectors of 3 texts differ by 0.0e+00 at most" in said
    assert main(command) == 2  # it is there already
    assert "already exists" in capsys.readouterr().err
    assert main([*command, "--overwrite", "--min-count", "2", "--quantize", "int8"]) == 0
    said = capsys.readouterr().err
    assert "of them are cut into other tokens" in said
    assert "cosine with those before 0." in said
    assert Encoder.load(out).settings.max_length.value == 40
    assert "- fr" in (out / "README.md").read_text("utf-8")


def test_the_card_says_what_was_given(tmp_path: Path, tiny: Path) -> None:
    scores = {"tatoeba": {"rows": [{"lang": "deu", "mean": 0.25}], "means": []}}
    (tmp_path / "e.json").write_text(json.dumps(scores))
    out = tmp_path / "made"
    assert main(["align", "export", str(tiny), "--out", str(out), "--title", "Mine", "--license",
                 "mit", "--data", "pairs: 5 rows", "--data", "more: CC0", "--lang", "deu",
                 "--evaluation", str(tmp_path / "e.json"), "--threads", "1"]) == 0  # fmt: skip
    card = (out / "README.md").read_text("utf-8")
    for said in ("# Mine", "license: mit", "- pairs: 5 rows\n- more: CC0", "- de\n", "0.250"):
        assert said in card


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--min-count", "2"], "--min-count is for --prune-with"),
        (["--prune-with", "no.txt"], "does not say its language"),
        (["--prune-with", "en=no.txt"], "no such file"),
        (["--prune-with", "en=blank.txt"], "blank.txt: holds no text to prune with"),
        (["--evaluation", "no.json"], "no.json"),
        (["--lang", "qq"], "qq"),
        (["--format", "onnx", "--quantize", "int8"], "--quantize is for --format sentence"),
    ],
)
def test_bad_options_are_refused_before_an_encoder_is_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    words: list[str], said: str,
) -> None:  # fmt: skip
    def load(*_: object, **__: object) -> None:
        raise AssertionError("it was loaded in vain")

    monkeypatch.setattr(Encoder, "load", load)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "blank.txt").write_text("\n \n\t\n")
    assert main(["align", "export", "./no", "--out", str(tmp_path / "o"), *words]) == 2
    assert said in capsys.readouterr().err
