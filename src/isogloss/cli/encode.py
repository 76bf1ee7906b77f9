"""``isogloss encode``: a file of texts → an array of vectors on disk."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.data.blocks import read_blocks
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted
from isogloss.storage.files import atomic_file


def encode(
    out: Annotated[Path, typer.Option(help="Array to make, in NumPy's .npy format.")],
    file: options.InputFile = "-",
    encoder: options.EncoderName = "bundled",
    text: options.TextColumns = None,
    quoting: options.Quoting = "auto",
    pooling: options.PoolingName = None,
    long_texts: options.LongTexts = None,
    layer: Annotated[
        int | None, typer.Option(help="Hidden layer, 0 for the embeddings; the last by default.")
    ] = None,
    prefix: Annotated[
        str | None, typer.Option(help="Put in front of each text; the encoder's own by default.")
    ] = None,
    normalize: Annotated[
        bool | None,
        typer.Option(
            "--normalize/--no-normalize", help="Unit length; the encoder's own by default."
        ),
    ] = None,
    device: options.Device = "auto",
    dtype: options.DType = "float32",
    threads: options.Threads = None,
    cache: options.Cache = None,
    transform: Annotated[
        Path | None, typer.Option(help="A fitted transform of vectors to apply, a file.")
    ] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Encode texts, one vector each, streamed to a memory-mapped array."""
    if out.suffix != ".npy":
        raise InputError("--out is an array of NumPy; end its name in .npy", path=out)
    refuse_place(out, file, encoder, transform, overwrite=overwrite, makes="file")
    refuse_inside(out, cache=cache)
    blocks = read_blocks(file, format=options.file_format(text, None, quoting))
    first = next(blocks)  # whose faults are said before the encoder is loaded
    model = Encoder.load(
        encoder, device=device, dtype=dtype, prefix=prefix, pooling=pooling, normalize=normalize,
        long_texts=long_texts, threads=threads, transform=transform, cache=cache,
    )  # fmt: skip
    say_encoder(model)
    with atomic_file(out, overwrite=overwrite) as temporary:  # a loss under --strict leaves nothing
        texts = (one for block in chain([first], blocks) for one in block.texts)
        shape = model.encode(texts, layers=layer, out=temporary, overwrite=True).shape
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
