"""``isogloss align export``: an encoder in a form that others load, and smaller."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from isogloss.align.export.card import CardFacts, read_evaluation
from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import OnlyWith, count, grouped
from isogloss.cli.places import refuse_place, refuse_same_file
from isogloss.data.documents import FileFormat, read_documents
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted
from isogloss.text.languages import parse_language, parse_language_file

if TYPE_CHECKING:
    from isogloss.align.export.exporter import Exported


@dataclass(frozen=True, kw_only=True)
class Smaller:
    """What makes the encoder smaller."""

    prune_with: Annotated[
        list[str] | None,
        typer.Option(
            help="Texts: the vocabulary is cut to the tokens that occur in them, special tokens "
            "and single characters; may be repeated.",
            metavar="LANG=FILE",
        ),
    ] = None
    min_count: Annotated[
        int,
        count("Minimum number of times a token must occur in the texts of --prune-with."),
        OnlyWith("prune_with", why="is for --prune-with; give that too"),
    ] = 1
    quantize: Annotated[
        Literal["int8"] | None,
        typer.Option(help="Weights in 8 bits, which isogloss alone reads (default: as they are)."),
    ] = None

    def texts(self) -> list[str] | None:
        """Read the texts that the vocabulary is cut to."""
        if not self.prune_with:
            return None
        files = [parse_language_file(value).path for value in self.prune_with]
        refuse_same_file([("--prune-with", file) for file in files])
        texts: list[str] = []
        for file in files:
            found = read_documents(
                file, format=FileFormat(fixed_by="--prune-with"), needs_label=False
            ).texts
            if not any(text.strip() for text in found):
                raise InputError("holds no text to prune with; give one with texts", path=file)
            texts += found
        return texts


@dataclass(frozen=True, kw_only=True)
class Card:
    """What the model card says beside what the encoder itself knows."""

    title: Annotated[str, typer.Option(help="Title of the model card.")] = "Sentence encoder"
    license: Annotated[
        str | None, typer.Option(help="Licence of the weights, such as mit.", metavar="NAME")
    ] = None
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="Line of the card on data learned from: name, rows, licence; may be repeated."
        ),
    ] = None
    lang: Annotated[
        list[str] | None,
        typer.Option(
            help="Language that the encoder is for; may be repeated (default: those of "
            "--prune-with, else of its training)."
        ),
    ] = None
    evaluation: Annotated[
        Path | None,
        typer.Option(help="Figures of the card: what 'retrieve evaluate --json' printed."),
    ] = None

    def facts(self, smaller: Smaller) -> CardFacts:
        """Read what the card is to say."""
        files = [parse_language_file(value) for value in smaller.prune_with or []]
        langs = [parse_language(code) for code in self.lang or []] or [
            file.lang for file in files if file.lang is not None
        ]
        return CardFacts(
            title=self.title, licence=self.license, data=tuple(self.data or ()),
            langs=sorted(set(langs)),
            figures={} if self.evaluation is None else read_evaluation(self.evaluation),
        )  # fmt: skip


@grouped
def export_command(
    encoder: Annotated[
        str, typer.Argument(help="'bundled', a directory, or a name on the Hugging Face hub.")
    ],
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    smaller: Smaller,
    card: Card,
    compute: options.Compute,
    form: Annotated[
        Literal["sentence-transformers", "onnx"],
        typer.Option(
            "--format", help="What is made: a directory that Encoder.load reads too, or a graph."
        ),
    ] = "sentence-transformers",
    overwrite: options.Overwrite = False,
) -> None:
    """Write an encoder for others: as sentence-transformers or ONNX, also pruned or in 8 bits."""
    refuse_place(
        out, encoder, smaller.prune_with, card.evaluation, overwrite=overwrite, makes="folder"
    )
    if form == "onnx":
        if smaller.quantize is not None:
            raise InputError("--quantize is for --format sentence-transformers; leave it out")
        from isogloss.learn.export.graph import refuse_without_onnx

        refuse_without_onnx()
    facts, texts = card.facts(smaller), smaller.texts()
    from isogloss.align.export.exporter import export_encoder

    model = Encoder.load(encoder, device=compute.device, threads=compute.threads)
    say_encoder(model)
    made = export_encoder(
        model, out, texts=texts, min_count=smaller.min_count, quantize=smaller.quantize,
        form=form, facts=facts, overwrite=overwrite,
    )  # fmt: skip
    for line in _said(made):
        typer.echo(f"isogloss: {line}", err=True)
    typer.echo(f"isogloss: encoder → {out}", err=True)


def _said(made: "Exported") -> list[str]:
    before, after = made.before, made.after
    said = []
    if after.n_tokens != before.n_tokens:
        said.append(f"{after.n_tokens:,} of {before.n_tokens:,} tokens are kept")
    if made.n_changed:
        said.append(f"{counted(made.n_changed, 'text')} of them are cut into other tokens")
    said.append(
        f"weights and tokenizer: {before.n_bytes / 1e6:.1f} MB before, "
        f"{after.n_bytes / 1e6:.1f} MB after"
    )
    if made.parity is not None:
        said.append(
            f"ONNX: vectors of 100 texts in ten scripts differ by {made.parity:.1e} at most"
        )
    compared = f"vectors of {counted(len(made.cosines), 'text')}"
    if made.largest_difference is not None:
        said.append(f"{compared} differ by {made.largest_difference:.1e} at most")
    else:
        said.append(
            f"{compared}: cosine with those before {made.cosines.mean():.4f} on average, "
            f"{made.cosines.min():.4f} at least"
        )
    return said
