"""``isogloss encode``: a file of texts → an array of vectors on disk."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import grouped
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.data.blocks import read_blocks
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted
from isogloss.storage.files import atomic_file


@grouped
def encode(
    out: Annotated[Path, typer.Option(help="Array to make, in NumPy's .npy format.")],
    texts: options.TextFile,
    encoder: options.EncoderOptions,
    layer: Annotated[
        int | None, typer.Option(help="Hidden layer, 0 for the embeddings (default: the last).")
    ] = None,
    prefix: Annotated[
        str | None,
        typer.Option(help="Prefix prepended to every text (default: the encoder's own)."),
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize/--no-normalize",
            help="Scale vectors to unit length (default: as the encoder does).",
        ),
    ] = None,
    transform: Annotated[
        Path | None, typer.Option(help="File of a fitted transform to apply to the vectors.")
    ] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Encode texts, one vector each, streamed to a memory-mapped array."""
    if out.suffix != ".npy":
        raise InputError("--out is an array of NumPy; end its name in .npy", path=out)
    refuse_place(out, texts.file, encoder.encoder, transform, overwrite=overwrite, makes="file")
    refuse_inside(out, cache=encoder.cache)
    blocks = read_blocks(texts.file, format=texts.format())
    first = next(blocks)  # whose faults are said before the encoder is loaded
    model = encoder.load(prefix=prefix, normalize=normalize, transform=transform, **encoder.reading)
    say_encoder(model)
    with atomic_file(out, overwrite=overwrite) as temporary:  # under --strict nothing is left
        each = (one for block in chain([first], blocks) for one in block.texts)
        shape = model.encode(each, layers=layer, out=temporary, overwrite=True).shape
    typer.echo(f"isogloss: {counted(shape[0], 'text')} x {shape[1]} → {out}", err=True)


def say_encoder(encoder: Encoder) -> None:
    """Say in one line on standard error what makes the vectors; `repr` says why it is so."""
    settings = ", ".join(
        f"{name} {value!r}" for name, value in encoder.settings.options().items() if value != ""
    )
    typer.echo(
        f"isogloss: encoder {encoder.name}: {encoder.width} dimensions, {encoder.n_layers} layers, "
        f"{encoder.device}, {encoder.dtype}; {settings}",
        err=True,
    )
