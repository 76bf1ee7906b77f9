"""A saved classifier on the command line: where it and its parts are, and what it has a use for."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.saving.manifest import Manifest, read_manifest
from isogloss.cli import options
from isogloss.cli.groups import Given, OnlyWith
from isogloss.memory import without_collection

_OF_ENTITIES = OnlyWith(
    "@entities", why="is for entities, and the model has no knowledge base; leave it out"
)
FallbackLang = Annotated[
    options.FallbackLang,
    OnlyWith("@entities", "@entities_of_other", why=_OF_ENTITIES.why),
]
AbstainBelow = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Confidence threshold below which a text gets no label."),
    OnlyWith("!@label_sets", why="is for models of one label a text; leave it out"),
]
LabelSeparator = Annotated[
    options.LabelSeparator,
    OnlyWith("@label_sets", why="is for label sets, and the model gives one label"),
]


@dataclass(frozen=True, kw_only=True)
class Model(options.Compute):
    """A saved classifier."""

    model: Annotated[Path, typer.Argument(help="Directory of the model.", metavar="MODEL")]
    encoder: Annotated[
        str | None, typer.Option(help="New place of the model's encoder, if it moved.")
    ] = None
    kb: Annotated[
        Path | None,
        typer.Option(help="New place of the model's knowledge base, if it moved."),
        _OF_ENTITIES,
    ] = None

    def about(self, given: Given, other: Manifest | None = None) -> Manifest:
        """Return what its manifest says, and refuse options that it has no use for.

        Parameters
        ----------
        other
            A second model, which may have a use for an option that the first has not.
        """
        about = read_manifest(self.model)
        given.refuse_useless(
            {
                "@entities": about.has_kb,
                "@entities_of_other": (other or about).has_kb,
                "@label_sets": about.multilabel,
                "@examples": about.keeps_examples,
            }
        )
        return about

    @without_collection()
    def load(self, cache: Path | None = None) -> FittedClassifier:
        """Read it."""
        from isogloss.classify.saving.load import load_classifier

        return load_classifier(
            self.model, encoder=self.encoder, kb=self.kb, device=self.device,
            threads=self.threads, cache=cache,
        ).fitted  # fmt: skip
