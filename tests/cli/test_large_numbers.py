"""Whole numbers beyond what arrays hold: every option has its largest, and says so."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_world import Refuse, Run, World, fit_words

from isogloss.cli.main import command_line
from isogloss.cli.probing.script import _shares
from isogloss.errors import InputError
from isogloss.kb.build.wikipedia_options import WikipediaOptions
from isogloss.limits import LARGEST_COUNT, LARGEST_SEED, check_count
from isogloss.probe.geometry.result import GeometryOptions
from isogloss.probe.neutrality.result import NeutralityOptions
from isogloss.vectors.corpus.dump_corpus import DumpReading

HUGE = 10**20


def _whole_numbers(command: Any, path: list[str]) -> Iterator[tuple[list[str], Any]]:
    for parameter in command.params:
        if parameter.type_descriptor.annotation is int:
            yield path, parameter
    for name, inner in getattr(command, "commands", {}).items():
        yield from _whole_numbers(inner, [*path, name])


def test_every_option_of_a_command(cli: Run) -> None:
    found = list(_whole_numbers(command_line(), []))
    assert len(found) > 40
    for path, parameter in found:
        if parameter.name == "layer":  # bounded by the encoder, which counts from the end too
            continue
        assert parameter.max is not None, (path, parameter.name)
        assert parameter.max <= LARGEST_SEED
        said = cli(*path, parameter.opts[0], HUGE)
        assert said.code == 2
        assert f"{parameter.opts[0]} is '{HUGE}'; a whole number in" in said.err


def test_a_number_of_thousands_of_digits(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path
) -> None:
    """`int` itself raises an error of Python's at 4,300 digits."""
    digits = "9" * 5000
    for path, parameter in _whole_numbers(command_line(), []):
        said = cli(*path, parameter.opts[0], digits)
        assert said.code == 2
        assert f"{parameter.opts[0]} is '999" in said.err
    words = tmp_path / "en.conll"
    words.write_text("the O\nfox B-PER\n", "utf-8")
    tag = ["tag", "fit", "--train", f"en={words}", "--encoder", world.encoder, "--out", "new"]
    assert "no column '999" in refuse(*tag, "--column", digits)
    assert "layer is '999" in refuse(*tag, "--layer", digits, talk=True)
    said = refuse(*fit_words(world, tmp_path / "m", "--text", digits), talk=True)
    assert "no column '999" in said


@pytest.mark.parametrize("value", ["9" * 5000, "0", "101", "50,x", "-5", ","])
def test_percentages(value: str) -> None:
    with pytest.raises(InputError, match=r"^--switch is .*; give percentages, as in 25,50,100$"):
        _shares(value)
    assert _shares("25, 100") == [0.25, 1.0]


def test_the_largest_is_taken(cli: Run, refuse: Refuse, world: World) -> None:
    text = ["probe", "geometry", "--encoder", world.encoder, "--text", f"en={world.train}"]
    numbers = ("--max-words", "--max-contexts", "--random-words")
    most = [word for name in numbers for word in (name, LARGEST_COUNT)]
    assert cli(*text, *most, "--min-contexts", 2).code == 0
    assert "no layer" in refuse(
        "encode", world.train, "--encoder", world.encoder, "--layer", HUGE,
        "--out", world.train.parent / "new.npy", talk=True,
    )  # fmt: skip


def test_the_most_entities(cli: Run, world: World, tmp_path: Any) -> None:
    words = fit_words(world, tmp_path / "m", "--kb", world.kb)
    assert cli(*words, "--max-entities", LARGEST_COUNT).code == 0


@pytest.mark.parametrize(
    ("options", "name"),
    [
        (WikipediaOptions, "limit"),
        (WikipediaOptions, "min_link_count"),
        (WikipediaOptions, "keep_red_links"),
        (DumpReading, "limit"),
        (DumpReading, "min_word_count"),
        (DumpReading, "min_entity_count"),
        (DumpReading, "min_paragraph_len"),
        (GeometryOptions, "max_words"),
        (GeometryOptions, "seed"),
        (NeutralityOptions, "n_neighbours"),
        (NeutralityOptions, "seed"),
    ],
)
def test_options_in_python(options: Any, name: str) -> None:
    for value in (HUGE, "2", 2.0, True, -1):
        with pytest.raises(InputError, match=f"^{name} is .*; give a whole number, "):
            options(**{name: value})


def test_a_count() -> None:
    check_count("n", 1)
    check_count("n", LARGEST_COUNT)
    check_count("n", 0, least=0)
    with pytest.raises(InputError, match=r"^n is 0; give a whole number, 1 to 1,000,000,000$"):
        check_count("n", 0)
