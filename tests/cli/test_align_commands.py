"""`align fit`, `mine pairs` and `retrieve evaluate` on a tiny encoder."""

import gzip
import json
import logging
import shutil
from pathlib import Path

import numpy as np
import pytest
from cli_world import Refuse, Run
from small_pairs import made_pairs
from tiny_models import build_tiny

from isogloss.cli.main import main
from isogloss.data.pairs import parse_pair_file, read_pairs
from isogloss.encode import Encoder
from isogloss.errors import InputError


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    sources, targets, _ = made_pairs(40)
    rows = [f"{one}\t{other}\ttag" for one, other in zip(sources, targets, strict=True)]
    (tmp_path / "pairs.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path / "pairs.tsv"


def copy_of(pairs: Path) -> Path:
    return Path(shutil.copy(pairs, pairs.with_name("dev.tsv")))


def test_a_trained_encoder_is_a_directory_like_any_other(
    tmp_path: Path, tiny: Path, pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "made"
    command = [
        "align", "fit", "--pairs", f"en-de={pairs}", "--encoder", str(tiny), "--out", str(out),
        "--epochs", "2", "--batch-size", "10", "--learning-rate", "0.001", "--dev",
        f"en-de={copy_of(pairs)}", "--patience", "1", "--margin", "0.1", "--threads", "1",
    ]  # fmt: skip
    assert main(command) == 0
    assert "encoder trained on 40 pairs" in capsys.readouterr().err
    before, after = (Encoder.load(folder).encode(["fox dog"]) for folder in (tiny, out))
    assert not np.allclose(before / np.linalg.norm(before), after, atol=1e-4)
    assert main([*command[:-2], "--threads", "1"]) == 2  # it is there already
    assert "de" in (out / "README.md").read_text()
    assert main([*command, "--overwrite"]) == 0  # its manifest says whose it is


def test_every_option_reaches_the_training(
    tmp_path: Path, tiny: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from isogloss import align

    seen: dict[str, object] = {}

    class Reached(Exception):  # noqa: N818
        pass

    def stop(self: object, *columns: object, **more: object) -> None:
        seen.update(vars(self))
        raise Reached

    monkeypatch.setattr(align.SentenceAligner, "fit", stop)
    options = {
        "margin": 0.2, "scale": 15.0, "batches": "one-language", "smoothing": 0.5, "epochs": 3,
        "batch_size": 7, "learning_rate": 0.5, "max_length": 9, "embeddings": "dense",
        "upper_layers": 1, "dropout": 0.2, "precision": "float32",
        "hard_negatives": 2, "negative_margin": 0.3, "distillation_weight": 4.0,
        "ranking_weight": 0.5,
    }  # fmt: skip
    words = [word for name, value in options.items()
             for word in (f"--{name.replace('_', '-')}", str(value))]  # fmt: skip
    with pytest.raises(Reached):
        main(["align", "fit", "--pairs", f"en-de={pairs}", "--encoder", str(tiny), "--out",
              str(tmp_path / "o"), "--learn-scale", "--tune", "lora", "--pooling", "cls",
              "--preset", "labse", "--seed", "4", "--teacher", "t", "--negatives-from", "n",
              *words])  # fmt: skip
    assert seen["training"] == options | {"learns_scale": True}
    assert (seen["tune"], seen["pooling"], seen["preset"], seen["random_state"]) == (
        "lora", "cls", "labse", 4,
    )  # fmt: skip
    assert (seen["teacher"], seen["negatives_from"]) == ("t", "n")


@pytest.mark.parametrize("option", ["--negative-margin", "--negatives-from",
                                    "--distillation-weight", "--ranking-weight"])  # fmt: skip
def test_options_of_objectives_that_are_not_there_are_refused(
    tmp_path: Path, pairs: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["align", "fit", "--pairs", f"en-de={pairs}", "--out", str(tmp_path / "o")]
    assert main([*command, option, "0.5"]) == 2
    assert f"{option} " in capsys.readouterr().err


def test_hard_negatives_and_a_teacher_on_the_command_line(
    tmp_path: Path, tiny: Path, pairs: Path, caplog: pytest.LogCaptureFixture
) -> None:
    command = ["align", "fit", "--pairs", f"en-de={pairs}", "--encoder", str(tiny), "--threads",
               "1", "--hard-negatives", "1", "--teacher", str(tiny)]  # fmt: skip
    with caplog.at_level(logging.INFO, "isogloss"):
        assert main([*command, "--out", str(tmp_path / "made")]) == 0
    assert "hard negatives: " in caplog.text
    assert "with the teacher" in caplog.text
    assert "accuracy in the batch" in caplog.text
    assert main([*command, "--out", str(tiny), "--overwrite"]) == 2  # it is read


def test_an_option_that_is_0_is_given(
    tmp_path: Path, tiny: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 equals False in Python: --preset labse --margin 0 trained with the preset's 0.3."""
    from isogloss import align

    seen: dict[str, object] = {}
    monkeypatch.setattr(align.SentenceAligner, "__init__", lambda self, *_, **how: seen.update(how))
    monkeypatch.setattr(align.SentenceAligner, "fit", lambda *_, **__: (_ for _ in ()).throw(
        InputError("enough")))  # fmt: skip
    options = {"margin": 0.0, "smoothing": 0.0, "dropout": 0.0}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    assert main(["align", "fit", "--pairs", f"en-de={pairs}", "--encoder", str(tiny), "--out",
                 str(tmp_path / "o"), "--preset", "labse", *words]) == 2  # fmt: skip
    assert seen["training"] == options


def test_empty_sentences_and_odd_thresholds_make_no_pairs(
    tmp_path: Path, tiny: Path, cli: Run, refuse: Refuse
) -> None:
    (tmp_path / "a.txt").write_text("fox\n\n \ndog\n")
    (tmp_path / "b.txt").write_text("\nfox\n")
    words = ["mine", "pairs", tmp_path / "a.txt", tmp_path / "b.txt", "--encoder", tiny, "--out",
             tmp_path / "o"]  # fmt: skip
    said = refuse(*words, "--threshold", "nan")
    assert "--threshold is 'nan'; a number in" in said
    made = cli(*words)
    assert made.code == 0, made.err
    assert "2 of 4 texts of" in made.err
    assert [line.split("\t")[0] for line in (tmp_path / "o").read_text().splitlines()] == ["fox"]


def test_mined_pairs_are_written_best_first(
    tmp_path: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["fox dog", "forest school morning", "capital", "japan china word"]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    (tmp_path / "b.txt").write_text("\n".join(reversed(lines)))
    out = tmp_path / "mined.tsv"
    command = ["mine", "pairs", str(tmp_path / "a.txt"), str(tmp_path / "b.txt"), "--encoder",
               str(tiny), "--out", str(out), "--margin", "cosine"]  # fmt: skip
    assert main(command) == 0
    rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert {row[0] for row in rows} == set(lines)
    assert all(row[0] == row[1] and row[2] == "1.000000" for row in rows)
    assert main([*command, "--overwrite", "--faiss"]) == 0
    assert sorted(out.read_text().splitlines()) == sorted("\t".join(row) for row in rows)
    assert main([*command, "--overwrite", "--threshold", "1.5"]) == 0
    assert out.read_text() == ""
    assert "0 pairs of 4 candidates → " in capsys.readouterr().err


def test_retrieval_is_scored_as_json(
    tmp_path: Path, tiny: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side in ("deu", "eng"):
        (tmp_path / f"tatoeba.deu-eng.{side}").write_text("fox dog\nforest\ncapital\n")
    command = ["retrieve", "evaluate", "--encoder", str(tiny), "--tatoeba", str(tmp_path)]
    assert main([*command, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tatoeba"]["rows"]
    assert {"lang": "deu", "n": 3, "to_en": 1.0, "from_en": 1.0, "mean": 1.0}.items() <= row.items()
    assert main(command) == 0
    assert "deu" in capsys.readouterr().out
    assert main(["retrieve", "evaluate", "--encoder", str(tiny)]) == 2
    assert "nothing to measure on" in capsys.readouterr().err


def test_pairs_are_read_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b"One.\tEins.\tx\n\tleer\n"))
    (tmp_path / "m.en").write_text("One.\n\n")
    (tmp_path / "m.deu").write_text("Eins.\nleer\n")
    (tmp_path / "t.jsonl").write_text('{"source": "One.", "target": "Eins."}\n')
    (tmp_path / "n.csv").write_text("de,en\nEins.,One.\n")
    for name, n in (("en-de=a.tsv.gz", 2), ("en-deu=m", 2), ("en-de=t.jsonl", 1),
                    ("en-de=n.csv", 1)):  # fmt: skip
        langs, _, file = name.partition("=")
        found = read_pairs(parse_pair_file(f"{langs}={tmp_path / file}"))
        assert (found.firsts[0], found.seconds[0]) == ("One.", "Eins.")
        assert len(found.firsts) == n
        assert found.file.second == "de"


@pytest.mark.parametrize(
    ("value", "text", "said"),
    [("en-de={}", "only one column\n", r":1: has one column"), ("ende={}", "", "names no pairs"),
     ("en-qq={}", "", "qq"), ("en-de={}x", "", "no such file")],
)  # fmt: skip
def test_files_that_hold_no_pairs_are_refused(
    tmp_path: Path, value: str, text: str, said: str
) -> None:
    file = tmp_path / "pairs.tsv"
    file.write_text(text)
    with pytest.raises(InputError, match=said):
        read_pairs(parse_pair_file(value.format(file)))
