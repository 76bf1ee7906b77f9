"""An option that another makes useless is refused, also with the value that it has by default."""

from typing import Any

import click
import pytest
import typer
from cli_world import Refuse, World

from isogloss.cli import main, options

FIT = ["classify", "fit", "--train", "en=TRAIN", "--encoder", "ENCODER", "--out", "OUT"]
COMPARE = ["classify", "compare", "--train", "en=TRAIN", "--test", "ja=JA", "--kb", "KB",
           "--encoder", "ENCODER", "--out", "OUT"]  # fmt: skip
TRAIN = ["vectors", "train", "--source", "wikipedia:en=TRAIN", "--out", "OUT"]
TEXTS = ["probe", "geometry", "--text", "en=TRAIN", "--encoder", "ENCODER"]
VECTORS = ["probe", "geometry", "--vectors", "en=TRAIN"]
BUILD = ["kb", "build", "--source", "names:NAMES", "--out", "OUT"]
LIKE = [*BUILD, "--source", "wikipedia:en=TRAIN", "--counting", "wikipedia2vec"]

OF_ENTITIES = "is for entities of a knowledge base; give --kb too"
OF_NAMES = "is for names of a knowledge base; give --kb too"
OF_SETS = "is for label sets; add --multilabel"
OF_TEXTS = "is for texts that are encoded; give --text LANG=FILE"
OF_WIKIPEDIAS = "is for wikipedia:LANG=DUMP sources; give one"

# Command, options that are of no use in it, why. A value stands where the default is none.
USELESS: list[tuple[list[str], list[str], str]] = [
    (FIT, ["--preset", "--init", "--attention", "--max-entities=1", "--min-link-prob",
           "--min-commonness", "--nested"], OF_ENTITIES),
    (FIT, ["--thresholds"], OF_SETS),
    (COMPARE, ["--thresholds"], OF_SETS),
    (TRAIN, ["--min-link-prob", "--min-commonness"], OF_NAMES),
    (TEXTS, ["--static-layer"], "is for --static; give that too"),
    (VECTORS, ["--unit", "--device", "--dtype", "--threads=1"], OF_TEXTS),
    (BUILD, ["--work=x", "--limit=1", "--min-link-count", "--keep-disambiguations",
             "--keep-red-links=1", "--counting", "--sitelinks=x"], OF_WIKIPEDIAS),
    (BUILD, ["--min-sitelinks"], "is for wikidata:DUMP sources; give one"),
    (LIKE, ["--min-link-count"], "is of no use with --counting wikipedia2vec, whose numbers"),
]  # fmt: skip
CASES = [(words, option, why) for words, options, why in USELESS for option in options]


def usual(words: list[str], option: str) -> Any:
    """Return the default of an option; its flag where it is one."""
    main._add_groups([])
    command: Any = typer.main.get_command(main.app)
    for word in words[:2]:
        command = command.commands[word]
    (parameter,) = (one for one in command.params if option in one.opts)
    return None if parameter.is_flag else parameter.default


@pytest.fixture
def places(world: World, tmp_path: Any) -> dict[str, str]:
    return {
        "TRAIN": str(world.train), "JA": str(world.japanese), "KB": str(world.kb),
        "ENCODER": str(world.encoder), "NAMES": str(world.names), "OUT": str(tmp_path / "out"),
    }  # fmt: skip


@pytest.mark.parametrize(("words", "option", "why"), CASES)
def test_refused_with_its_default(
    refuse: Refuse, places: dict[str, str], words: list[str], option: str, why: str
) -> None:
    name, _, value = option.partition("=")
    value = value or usual(words, name)
    filled = []
    for word in words:
        head, mark, place = word.rpartition("=") if "=" in word else word.rpartition(":")
        filled.append(head + mark + places.get(place, place))
    given = [name] if value is None else [name, str(value)]
    assert refuse(*filled, *given).startswith(f"isogloss: {name} {why}")


def test_a_parameter_that_the_command_has_not_is_no_silence() -> None:
    """As after a renaming: nothing would ever be refused."""
    context = typer.Context(click.Command("fit"))
    context.params = {"nested": False}
    options.refuse_given(context, "nested", why="is for names")
    with pytest.raises(KeyError, match="min_link_prob"):
        options.refuse_given(context, "nested", "min_link_prob", why="is for names")


def test_a_misspelt_source_is_told_first(refuse: Refuse, tmp_path: Any) -> None:
    words = ["kb", "build", "--source", "wikpedia:en=x", "--limit", 1, "--out", tmp_path / "o"]
    assert "no source 'wikpedia:en=x'" in refuse(*words)
