"""``isogloss retrieve``: search in texts of any languages, and how well translations are found."""

import typer

from isogloss.cli.retrieve.evaluate import evaluate_command
from isogloss.cli.retrieve.index import index, search

__all__ = ["app"]

app = typer.Typer(help="Search across languages, and how well it works.", no_args_is_help=True)
app.command()(index)
app.command()(search)
app.command("evaluate")(evaluate_command)
