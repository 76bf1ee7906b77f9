"""`align tokenizer` reads files, dumps and pairs, and says what each language gave."""

from pathlib import Path

import pytest
from cli_world import Refuse, Run
from small_pairs import made_pairs
from transformers import AutoTokenizer

PAGE = (
    "<mediawiki><page><title>A</title><ns>0</ns><id>1</id><revision><model>wikitext</model><text>"
    "Kwanza [[fox]].\n\n== Kichwa ==\nPili.</text></revision></page><page><title>B</title><ns>0"
    "</ns><id>2</id><redirect title='A'/><revision><text>#REDIRECT [[A]]</text></revision></page>"
    "</mediawiki>"
)


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    sources, targets, _ = made_pairs(30)
    found = {"text": tmp_path / "en.txt", "pairs": tmp_path / "p.tsv", "dump": tmp_path / "d.xml"}
    found["text"].write_text("\n".join(sources), "utf-8")
    rows = [f"{one}\t{other}" for one, other in zip(sources, targets, strict=True)]
    found["pairs"].write_text("\n".join(rows), "utf-8")
    found["dump"].write_text(PAGE, "utf-8")
    return found


def test_every_source_counts(cli: Run, tmp_path: Path, files: dict[str, Path]) -> None:
    words = [
        "align", "tokenizer", "--text", f"en={files['text']}", "--mono",
        f"sw=wikipedia:{files['dump']}", "--pairs", f"en-de={files['pairs']}", "--out",
        tmp_path / "made", "--vocab-size", "150", "--kind", "unigram", "--max-length", "64",
        "--uncased", "--smoothing", "1", "--max-characters", "500", "--seed", "3",
    ]  # fmt: skip
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    assert "en: 60 texts" in outcome.err
    assert "de: 30 texts" in outcome.err
    assert "sw: 2 texts, 16 characters" in outcome.err  # no heading, no redirect
    loaded = AutoTokenizer.from_pretrained(tmp_path / "made")
    assert loaded.model_max_length == 64
    assert loaded("FOX").input_ids == loaded("fox").input_ids
    assert cli(*words).code == 2
    assert cli(*words, "--overwrite").code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [([], "nothing to learn from"), (["--text", "en.txt"], "does not say its language"),
     (["--mono", "en=dump.xml"], "names no dump"), (["--mono", "qq=wikipedia:d"], "qq"),
     (["--text", "en=-"], "standard input can be read once"),
     (["--text", "en=EMPTY"], "is empty"), (["--text", "en=BINARY"], "is not UTF-8"),
     (["--text", "en=EMPTY", "--text", "en=EMPTY"], "names this file twice"),
     (["--text", "en=BINARY", "--text", "sw=none.txt"], "none.txt: no such file"),
     (["--mono", "en=wikipedia:EMPTY"], "EMPTY"), (["--vocab-size", "501154"], "501153")],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(
    refuse: Refuse, tmp_path: Path, given: list[str], said: str
) -> None:
    (tmp_path / "EMPTY").write_text("")
    (tmp_path / "BINARY").write_bytes(bytes(range(128, 256)))
    words = [word.replace("EMPTY", f"{tmp_path}/EMPTY").replace("BINARY", f"{tmp_path}/BINARY")
             for word in given]  # fmt: skip
    assert said in refuse("align", "tokenizer", *words, "--out", tmp_path / "o", talk=True)
