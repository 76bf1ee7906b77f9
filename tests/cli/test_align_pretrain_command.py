"""`align pretrain` makes an encoder of files, and every option reaches the training."""

import io
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from cli_world import Refuse, Run, World
from small_pairs import made_pairs
from transformers import AutoModelForMaskedLM

from isogloss.align.pretraining import Pretrainer, train_tokenizer
from isogloss.encode import Encoder


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    sources, targets, _ = made_pairs(40)
    found = {"text": tmp_path / "en.txt", "pairs": tmp_path / "p.tsv", "tok": tmp_path / "tok"}
    found["text"].write_text("\n".join(sources), "utf-8")
    rows = [f"{one}\t{other}" for one, other in zip(sources, targets, strict=True)]
    found["pairs"].write_text("\n".join(rows), "utf-8")
    train_tokenizer({"en": sources, "de": targets}, vocab_size=140).save(found["tok"])
    return found


def test_an_encoder_with_its_head(cli: Run, tmp_path: Path, files: dict[str, Path]) -> None:
    dev, dev_pairs = tmp_path / "dev.txt", tmp_path / "dev.tsv"
    shutil.copy(files["text"], dev)
    shutil.copy(files["pairs"], dev_pairs)
    words = [
        "align", "pretrain", "--tokenizer", files["tok"], "--layers", "1", "--width", "16",
        "--heads", "2", "--text", f"en={files['text']}", "--pairs", f"en-de={files['pairs']}",
        "--dev", f"en={dev}", "--dev-pairs", f"en-de={dev_pairs}", "--threads", "1",
        "--max-length", "20", "--out", tmp_path / "made", "--checkpoints", tmp_path / "kept",
    ]  # fmt: skip
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    assert "40 texts in" in outcome.err or "pre-trained on 80 rows" in outcome.err
    assert Encoder.load(tmp_path / "made").width == 16
    AutoModelForMaskedLM.from_pretrained(tmp_path / "made")
    assert (tmp_path / "kept" / "checkpoint.safetensors").is_file()
    further = ["align", "pretrain", "--encoder", tmp_path / "made", "--text",
               f"en={files['text']}", "--out", tmp_path / "further", "--steps", "1"]  # fmt: skip
    assert cli(*further).code == 0
    assert cli(*words).code == 2
    assert cli(*words, "--overwrite").code == 0


def test_every_option_reaches_the_training(
    cli: Run, tmp_path: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, Any] = {}

    class Reached(Exception):  # noqa: N818
        pass

    def stop(self: object, *columns: object, **more: object) -> None:
        seen.update(vars(self) | more)
        raise Reached

    monkeypatch.setattr(Pretrainer, "fit", stop)
    (tmp_path / "dev.txt").write_text("fox\n")
    options = {
        "smoothing": 0.5, "tlm_share": 0.25, "mask_share": 0.2, "epochs": 3, "steps": 30,
        "batch_size": 7, "learning_rate": 0.5, "warm_up": 0.2, "max_length": 19, "dropout": 0.3,
        "precision": "float32", "patience": 2,
    }  # fmt: skip
    given = [word for name, value in options.items()
             for word in (f"--{name.replace('_', '-')}", str(value))]  # fmt: skip
    with pytest.raises(Reached):
        cli("align", "pretrain", "--tokenizer", files["tok"], "--layers", "4", "--width", "8",
            "--heads", "2", "--stacking", "--stage-shares", "0.1,0.2,0.7", "--whole-words",
            "--text", f"en={files['text']}", "--pairs", f"en-de={files['pairs']}", "--dev",
            f"en={tmp_path / 'dev.txt'}", "--pooling", "cls", "--seed", "4", "--device", "cpu",
            "--threads", "2", "--out", tmp_path / "made", *given)  # fmt: skip
    assert seen["training"] == options | {
        "stacking": True, "whole_words": True, "stage_shares": (0.1, 0.2, 0.7),
    }  # fmt: skip
    assert seen["shape"] == {"layers": 4, "width": 8, "heads": 2}
    assert (seen["pooling"], seen["random_state"], seen["device"], seen["threads"]) == (
        "cls", 4, "cpu", 2,
    )  # fmt: skip
    assert list(seen["dev"]) == ["en"]
    zeros = {"smoothing": 0.0, "tlm_share": 0.0, "warm_up": 0.0, "dropout": 0.0}
    given = [word for name in zeros for word in (f"--{name.replace('_', '-')}", "0")]
    with pytest.raises(Reached):
        cli("align", "pretrain", "--encoder", "e", "--text", f"en={files['text']}", "--pairs",
            f"en-de={files['pairs']}", "--out", tmp_path / "made", *given)  # fmt: skip
    assert seen["training"] == zeros


def test_texts_of_standard_input(
    cli: Run, tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"fox dog\n\nschool\n")))
    made = cli("align", "pretrain", "--encoder", world.encoder, "--text", "en=-", "--steps", 1,
               "--out", tmp_path / "made", "--threads", 1)  # fmt: skip
    assert made.code == 0, made.err
    assert "pre-trained on 2 rows" in made.err  # the empty one is none


def test_no_block_is_drawn(refuse: Refuse, tmp_path: Path, world: World) -> None:
    (tmp_path / "t.txt").write_text("fox dog\n")
    (tmp_path / "p.tsv").write_text("\tfox\n")
    said = refuse("align", "pretrain", "--encoder", world.encoder, "--text",
                  f"en={tmp_path / 't.txt'}", "--pairs", f"en-de={tmp_path / 'p.tsv'}",
                  "--tlm-share", 1, "--out", tmp_path / "made", talk=True)  # fmt: skip
    assert "of 1 block none is drawn; give more steps, or another share of pairs" in said


@pytest.mark.parametrize(
    ("given", "said"),
    [(["--encoder", "e"], "nothing to learn from"), (["--text", "en=TEXT"], "not both"),
     (["--text", "en=TEXT", "--encoder", "e", "--layers", "2"], "is for a new encoder"),
     (["--text", "en=TEXT", "--encoder", "e", "--tlm-share", "0.5"], "give --pairs too"),
     (["--text", "en=TEXT", "--encoder", "e", "--patience", "2"], "give --dev too"),
     (["--text", "en=TEXT", "--tokenizer", "TEXT", "--stage-shares", "1"], "is for --stacking"),
     (["--text", "en=TEXT", "--tokenizer", "TEXT", "--stacking", "--stage-shares", "a"],
      "give three numbers"),
     (["--text", "en=TEXT", "--encoder", "e", "--dev", "en=none.txt"], "no such file")],
)  # fmt: skip
def test_what_cannot_be_done_is_refused(
    refuse: Refuse, tmp_path: Path, given: list[str], said: str
) -> None:
    (tmp_path / "text.txt").write_text("one\n")
    words = [word.replace("TEXT", str(tmp_path / "text.txt")) for word in given]
    assert said in refuse("align", "pretrain", *words, "--out", tmp_path / "o", talk=True)
