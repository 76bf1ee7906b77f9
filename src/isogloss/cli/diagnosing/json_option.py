"""``--json``, apart from the options that need an encoder: the doctor works where none can be."""

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
