"""What commands make has the permissions that the umask leaves, whatever kind of thing it is."""

import os
from pathlib import Path

from cli_world import Run, World, fit_words, write_file


def test_whatever_is_made_keeps_the_umask(cli: Run, world: World, tmp_path: Path) -> None:
    out, vectors = tmp_path / "out", write_file(tmp_path / "v.txt", "beer 0.5 -1\nwine 3 0.25\n")
    out.mkdir()
    report = ["--report", out / "report.html"]
    made = {
        "kb": ["kb", "build", "--source", f"names:{world.names}", "--out", out / "kb"],
        "model": fit_words(world, out / "model", "--kb", world.kb, "--cache", out / "cache"),
        "report.html": ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}",
                        *report],
        "vectors": ["vectors", "convert", vectors, "--out", out / "vectors"],
        "texts.npy": ["encode", world.train, "--encoder", world.encoder, "--out",
                      out / "texts.npy"],
    }  # fmt: skip
    before = os.umask(0o002)
    try:
        for words in made.values():
            outcome = cli(*words)
            assert outcome.code == 0, outcome.err
    finally:
        os.umask(before)
    assert {path.name for path in out.iterdir()} == {*made, "cache"}
    assert (out / "cache").is_dir()
    for path in out.rglob("*"):
        assert path.stat().st_mode & 0o777 == (0o775 if path.is_dir() else 0o664), path
