"""A saved tagger on the command line."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import options
from isogloss.memory import without_collection

if TYPE_CHECKING:
    from isogloss.tag import TokenTagger


@dataclass(frozen=True, kw_only=True)
class Model(options.Compute):
    """A saved tagger."""

    model: Annotated[Path, typer.Argument(help="Directory of the model.", metavar="MODEL")]
    encoder: Annotated[
        str | None, typer.Option(help="New place of the model's encoder, if it moved.")
    ] = None
    kb: Annotated[
        Path | None,
        typer.Option(help="New place of the model's knowledge base, if it moved."),
    ] = None

    @without_collection()
    def load(self) -> "TokenTagger":
        """Read it."""
        from isogloss.tag import TokenTagger

        return TokenTagger.load(
            self.model, encoder=self.encoder, kb=self.kb, device=self.device, threads=self.threads
        )
