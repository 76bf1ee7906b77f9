"""Groups of options: one flat list for typer, the groups for the command, rules beside options."""

from dataclasses import dataclass
from typing import Annotated, Any

import pytest
import typer

from isogloss.cli.groups import Fields, Given, OnlyWith, count, grouped
from isogloss.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Size:
    width: Annotated[int, typer.Option("--dim", help="Width.")] = 3
    height: Annotated[int, typer.Option(help="Height.")] = 4


@dataclass(frozen=True, kw_only=True)
class Named(Size):
    """Fields of another group, and one that has no default."""

    name: Annotated[str, typer.Argument(help="Name.")]


def run(*words: str, rule: OnlyWith) -> list[Any]:
    called: list[Any] = []

    @grouped
    def command(
        given: Given,
        size: Annotated[Named, rule],
        kind: Annotated[str, typer.Option(help="Kind.")] = "box",
        flag: Annotated[bool, typer.Option("--flag", help="Flag.")] = False,
    ) -> None:
        """Do nothing."""
        given.refuse_useless({"@known": True})
        called.extend([size, kind, flag, sorted(given.spelled.values())])

    app = typer.Typer()
    app.command()(command)
    typer.main.get_command(app)(list(words), standalone_mode=False)
    return called


def test_a_command_gets_its_groups() -> None:
    rule = OnlyWith("!flag", why="is of no use with --flag")
    assert run("a", rule=rule) == [Named(name="a"), "box", False, ["NAME"]]
    expected = [Named(name="a", width=5), "bag", False, ["--dim", "--kind", "NAME"]]
    assert run("a", "--dim", "5", "--kind", "bag", rule=rule) == expected


@pytest.mark.parametrize(
    ("rule", "is_refused"),
    [
        (("flag",), True), (("!flag",), False), (("kind",), False), (("kind=bag",), True),
        (("kind=bag", "kind=box"), False), (("@known",), False), (("!@known",), True),
    ],
)  # fmt: skip
def test_an_option_of_no_use_is_refused_with_its_default_too(
    rule: tuple[str, ...], is_refused: bool
) -> None:
    """Of no use or not: as the rule has it; the argument NAME is not under test."""
    words = ["a", "--height", "4"]
    if is_refused:
        with pytest.raises(InputError, match=r"^(NAME|--height) is for no one$"):
            run(*words, rule=OnlyWith(*rule, why="is for no one"))
    else:
        assert run(*words, rule=OnlyWith(*rule, why="is for no one"))


def test_a_zero_is_given() -> None:
    assert run("a", "--height", "0", rule=OnlyWith("height", why="is for no one"))


def test_a_rule_about_an_option_that_the_command_has_not_is_no_silence() -> None:
    """As after a renaming: nothing would ever be refused."""
    with pytest.raises(ValueError, match="command has no option kb"):
        run("a", rule=OnlyWith("kb", "flag", why="is for no one"))


@dataclass(frozen=True)
class Box:
    """As the library has it, with a field that is no option."""

    width: int = 3
    depth: int = 5


def test_a_dataclass_of_the_library_is_a_group_with_the_fields_that_are_options() -> None:
    called: list[Box] = []

    @grouped
    def command(box: Annotated[Box, Fields(width=count("Width.", "--dim"))]) -> None:
        """Do nothing."""
        called.append(box)

    app = typer.Typer()
    app.command()(command)
    for words in ([], ["--dim", "4"]):
        typer.main.get_command(app)(words, standalone_mode=False)
    assert called == [Box(), Box(width=4)]
    with pytest.raises(typer.TyperException, match="depth"):
        typer.main.get_command(app)(["--depth", "1"], standalone_mode=False)
