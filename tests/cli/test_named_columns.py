"""A table without the usual columns: the advice names only options that the command has."""

import re
from pathlib import Path
from typing import Any

import pytest
from cli_world import Refuse, World, write_file

from isogloss.cli.main import command_line

COMMANDS: dict[str, list[str]] = {
    "retrieve index": ["TABLE", "--encoder", "ENCODER", "--out", "NEW"],
    "retrieve search": ["INDEX", "--queries", "TABLE"],
    "mine pairs": ["TABLE", "OTHER", "--encoder", "ENCODER", "--out", "NEW"],
    "mine filter": ["--mono", "en=TABLE", "--out", "NEW"],
    "align fit": ["--pairs", "en-de=TABLE", "--encoder", "ENCODER", "--out", "NEW"],
    "align pretrain": ["--text", "en=TABLE", "--encoder", "ENCODER", "--out", "NEW"],
    "align tokenizer": ["--text", "en=TABLE", "--out", "NEW"],
    "align export": ["ENCODER", "--prune-with", "en=TABLE", "--out", "NEW"],
    "probe geometry": ["--text", "en=TABLE", "--encoder", "ENCODER"],
    "probe neutrality": ["--text", "en=TABLE", "--text", "de=OTHER", "--encoder", "ENCODER"],
    "probe translation": ["--pairs", "en-de=TABLE", "--encoder", "ENCODER"],
    "encode": ["TABLE", "--encoder", "ENCODER", "--out", "NEW.npy"],
    "classify predict": ["MODEL", "TABLE", "--lang", "en"],
    "classify adapt": ["MODEL", "TABLE", "--lang", "de"],
    "classify evaluate": ["MODEL", "--test", "de=TABLE"],
    "classify fit": ["--train", "en=TABLE", "--encoder", "ENCODER", "--out", "NEW"],
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, world: World) -> Path:
    from isogloss.cli.main import main

    folder = tmp_path_factory.mktemp("index")
    texts = write_file(folder / "texts.txt", "the fox\na dog\n")
    words = ["retrieve", "index", f"en={texts}", "--encoder", str(world.encoder), "--out"]
    assert main([*words, str(folder / "made")]) == 0
    return folder / "made"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_advice_names_options_of_the_command(
    refuse: Refuse, world: World, index: Path, tmp_path: Path, name: str
) -> None:
    table = write_file(tmp_path / "a.csv", "one,two\nx,y\n")
    other = write_file(tmp_path / "b.csv", "one,two\nx,z\n")
    place = {"TABLE": table, "OTHER": other, "ENCODER": world.encoder, "NEW": tmp_path / "new",
             "MODEL": world.alone, "INDEX": index}  # fmt: skip
    words: list[Any] = [
        re.sub(r"[A-Z]{5,}|NEW", lambda found: str(place[found[0]]), word)
        for word in COMMANDS[name]
    ]
    said = refuse(*name.split(), *words, talk=True)
    assert said.startswith(f"isogloss: {table}: no")
    assert "one, two" in said
    advised = set(re.findall(r"--[a-z-]+", said.partition(str(table))[2]))
    assert advised <= _options(name), said
    assert "--label" not in advised or name in ("classify evaluate", "classify fit")


def _options(name: str) -> set[str]:
    command: Any = command_line()
    for word in name.split():
        command = command.commands[word]
    return {option for parameter in command.params for option in parameter.opts}
