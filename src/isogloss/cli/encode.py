"""``isogloss encode``: a file of texts → an array of vectors on disk."""

from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import Given, OnlyWith, grouped
from isogloss.cli.parts import (
    OVERWRITES_ONE,
    PartsOptions,
    found_parts,
    job_of,
    make_parts,
    texts_settings,
)
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.data.blocks import read_blocks
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted
from isogloss.parts.executors import Executor
from isogloss.parts.finding import is_many
from isogloss.parts.footer import RunFacts
from isogloss.parts.summary import summary_document
from isogloss.storage.files import atomic_file

if TYPE_CHECKING:
    from isogloss.encode.parts import EncodeOptions


@grouped
def encode(
    given: Given,
    out: Annotated[
        Path,
        typer.Option(
            help="Array to make, in NumPy's .npy format. Of a folder or glob of parts: folder of a "
            "Parquet part for each."
        ),
    ],
    texts: options.TextFile,
    encoder: options.EncoderOptions,
    parts: PartsOptions,
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
    overwrite: Annotated[options.Overwrite, OnlyWith("!@parts", why=OVERWRITES_ONE)] = False,
    strict: options.Strict = False,
) -> None:
    """Encode texts, one vector each, streamed to a memory-mapped array."""
    given.refuse_useless({"@parts": is_many(texts.file)})
    if is_many(texts.file):
        from isogloss.encode.parts import EncodeOptions

        executor = parts.made_by(encoder.threads)
        asked = EncodeOptions(
            name=encoder.encoder, device=encoder.device, dtype=encoder.dtype,
            threads=executor.threads_each, prefix=prefix, normalize=normalize,
            cache=None if encoder.cache is None else str(encoder.cache),
            transform=None if transform is None else str(transform), layer=layer,
            **encoder.reading,
        )  # fmt: skip
        _encode_parts(out, texts, parts, asked, executor, is_strict=strict)
        return
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


def _encode_parts(
    out: Path, texts: options.TextFile, parts: PartsOptions, asked: "EncodeOptions",
    executor: Executor, *, is_strict: bool,
) -> None:  # fmt: skip
    """Make a part with vectors for each part."""
    from isogloss.encode.parts import EncodeCounts, let_go

    cache = None if asked.cache is None else Path(asked.cache)
    found = found_parts(texts, out, asked.name, asked.transform, cache=cache)
    model = asked.load()
    say_encoder(model)
    settings = texts_settings(texts, parts) | {"layer": asked.layer, "dtype": asked.dtype}
    run = RunFacts("encode", model.name, model.fingerprint[:16], settings)
    if not executor.is_here:
        del model
        let_go()
    job = job_of(
        "isogloss.encode.parts", asked, run, texts, parts, found=found, made_by=executor,
        is_strict=is_strict, summary_of=partial(summary_document, counts=EncodeCounts),
    )  # fmt: skip
    report = make_parts(job, found, out, parts, executor)
    report.refuse_failures(out)


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
