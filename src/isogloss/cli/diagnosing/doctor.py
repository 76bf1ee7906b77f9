"""``isogloss doctor``: what is installed, what the machine is, and what cannot work."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli.diagnosing.findings import Finding, shown
from isogloss.cli.diagnosing.json_option import AsJson
from isogloss.cli.diagnosing.machine import machine
from isogloss.cli.diagnosing.packages import UNFIT
from isogloss.cli.diagnosing.report import report
from isogloss.cli.diagnosing.software import software


def doctor(
    places: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Models, knowledge bases, indexes and encoders to read whole.",
            metavar="[FOLDER]...",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what is installed, what this machine is, and what cannot work; fit for a bug report.

    No text, no value of a variable, and ~ for the home folder. Exit code 1: something cannot work.
    """
    found = list(_findings(places or []))
    broken = [one for one in found if one.is_broken]
    if as_json:
        facts = [one.as_json() for one in found]
        typer.echo(json.dumps({"works": not broken, "findings": facts}, ensure_ascii=False))
    else:
        for line in report(found):
            typer.echo(line)
    if broken:
        raise typer.Exit(1)


def _findings(places: list[Path]) -> Iterator[Finding]:
    yield from software()
    yield from machine()
    try:  # here, so that a package that is broken costs only what needs it
        from isogloss.cli.diagnosing.caches import caches
        from isogloss.cli.diagnosing.named import bundled, named
    except UNFIT as error:
        said = f"not looked at, since a package cannot be imported ({error})"
        yield Finding("caches", "all", shown(said))
        for place in places:
            yield Finding("named", shown(place), shown(said), is_broken=True)
    else:
        yield from caches()
        yield from sorted([*bundled(), *named(places)], key=lambda one: one.section)
