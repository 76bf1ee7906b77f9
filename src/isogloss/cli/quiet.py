"""``--quiet``, an option of every command: of all talk, only what ends the command is heard."""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer


def add_quiet(command: Any) -> None:
    """Give a command, or all commands of a group, the option."""
    verbs = getattr(command, "commands", None)
    for verb in (verbs or {}).values():
        add_quiet(verb)
    if verbs is None:
        command.params.append(_quiet_option())


@contextmanager
def talk_restored() -> Iterator[None]:
    """Leave standard error as it was, whatever ``--quiet`` did to it."""
    stream = sys.stderr
    try:
        yield
    finally:
        if sys.stderr is not stream:
            sys.stderr.close()
            sys.stderr = stream
            logging.disable(logging.NOTSET)


def be_quiet(value: bool = True) -> None:
    """Let no more talk be heard, inside `talk_restored`."""
    if value:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
        logging.disable(logging.WARNING)  # its handler holds the stream of before


def _quiet_option() -> Any:
    """Return the option as typer makes it, of a command that is nothing else."""
    carrier = typer.Typer()

    @carrier.command()
    def _carry(
        quiet: Annotated[
            bool,
            typer.Option(
                "--quiet", help="Say nothing but errors.", callback=be_quiet, expose_value=False
            ),
        ] = False,
    ) -> None:
        """Carry the option."""

    return typer.main.get_command(carrier).params[0]
