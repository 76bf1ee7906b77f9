"""The group ``mine``, and its command ``pairs``: sentence pairs out of texts of two languages."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal, cast

import typer

from isogloss.arrays import Floats2d
from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import grouped
from isogloss.cli.mine.filter import filter_
from isogloss.cli.places import refuse_inside, refuse_place, refuse_same_file
from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import counted, warn_omitted
from isogloss.limits import LARGEST_COUNT
from isogloss.mine.filter.filtering import one_line
from isogloss.mine.pairs import mine_pairs
from isogloss.retrieve.approximate import nearest_both_by_faiss, require_faiss
from isogloss.retrieve.search import nearest_both
from isogloss.storage.files import atomic_file

app = typer.Typer(help="Sentence pairs for training.", no_args_is_help=True)


ByFaiss = Annotated[
    bool,
    typer.Option("--faiss", help="Search approximately, by FAISS: for more than a million texts."),
]


app.command("filter")(filter_)


@app.command()
@grouped
def pairs(
    first: Annotated[str, typer.Argument(help="Sentences of one language.", metavar="A")],
    second: Annotated[str, typer.Argument(help="Sentences of the other.", metavar="B")],
    out: Annotated[
        Path, typer.Option(help="TSV to make: a sentence of A, one of B, and their score.")
    ],
    encoder: options.EncoderOptions,
    margin: Annotated[
        Literal["ratio", "distance", "cosine"],
        typer.Option(help="Score of a pair: its cosine against those of both's neighbours."),
    ] = "ratio",
    neighbours: Annotated[
        int, typer.Option(min=1, max=LARGEST_COUNT, help="Number of neighbours of the margin.")
    ] = 4,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=-float(LARGEST_COUNT),
            max=LARGEST_COUNT,
            help="Minimum score of a pair (default: all candidates).",
        ),
    ] = None,
    by_faiss: ByFaiss = False,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Mine translations out of two files of sentences, the best pairs first."""
    if by_faiss:
        require_faiss()
    refuse_place(out, first, second, encoder.encoder, overwrite=overwrite, makes="file")
    refuse_inside(out, cache=encoder.cache)
    refuse_same_file([("A", Path(first)), ("B", Path(second))])
    sides = [_sentences(Path(name)) for name in (first, second)]
    model = encoder.load(**encoder.reading)
    say_encoder(model)
    search = nearest_both_by_faiss if by_faiss else nearest_both
    with TemporaryDirectory(prefix="isogloss-") as folder:  # vectors are mapped, not held
        one, other = (
            model.encode(side, normalize=True, out=Path(folder) / f"{number}.npy")
            for number, side in enumerate(sides)
        )
        found = mine_pairs(
            cast("Floats2d", one), cast("Floats2d", other), margin=margin,
            n_neighbours=neighbours, search=search,
        )  # fmt: skip
        del one, other
    n_candidates = len(found.scores)
    if threshold is not None:
        found = found.above(threshold)
    rows = (
        f"{one_line(sides[0][source])}\t{one_line(sides[1][target])}\t{score:.6f}\n"
        for source, target, score in zip(*found, strict=True)
    )
    with (
        atomic_file(out, overwrite=overwrite) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        file.writelines(rows)
    of_all = f" of {counted(n_candidates, 'candidate')}" if threshold is not None else ""
    typer.echo(f"isogloss: {counted(len(found.scores), 'pair')}{of_all} → {out}", err=True)


def _sentences(path: Path) -> list[str]:
    """Read the sentences of a file, but for empty ones, which would be each other's translation."""
    texts = read_documents(path, format=FileFormat(fixed_by="A and B"), needs_label=False).texts
    found = [text for text in texts if text.strip()]
    if len(found) < len(texts):
        warn_omitted(
            f"{len(texts) - len(found):,} of {counted(len(texts), 'text')} of {path} are empty and "
            "left out"
        )
    return found
