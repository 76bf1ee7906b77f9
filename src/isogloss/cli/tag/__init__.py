"""``isogloss tag``: parts of speech and named entities in many languages."""

import typer

from isogloss.cli.tag.evaluate import evaluate_command
from isogloss.cli.tag.export import export_command
from isogloss.cli.tag.fit import fit_command
from isogloss.cli.tag.predict import predict_command

app = typer.Typer(help="Taggers: tag words in one language, and in many.", no_args_is_help=True)
app.command("fit")(fit_command)
app.command("predict")(predict_command)
app.command("evaluate")(evaluate_command)
app.command("export")(export_command)
