"""``isogloss align tokenizer``: texts of several languages → a vocabulary of subwords."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.align.pretraining.tokenizer_training import (
    LARGEST_LENGTH,
    MOST_TOKENS,
    SPECIALS,
    TrainedTokenizer,
    train_tokenizer,
)
from isogloss.cli import options
from isogloss.cli.groups import count, grouped
from isogloss.cli.places import refuse_place
from isogloss.cli.pretraining.texts import (
    Monolingual,
    PairFiles,
    pair_files,
    refuse_piped,
    refuse_read_twice,
    refuse_unreadable,
    with_sides,
)
from isogloss.errors import InputError, counted

LEAST_TOKENS = max(map(len, SPECIALS.values())) + 8


@grouped
def tokenizer(
    out: Annotated[Path, typer.Option(help="Folder to make: a tokenizer.")],
    monolingual: Monolingual,
    pairs: PairFiles = None,
    kind: Annotated[
        Literal["wordpiece", "unigram"],
        typer.Option(help="Words and their continuations (BERT), or Unigram (XLM-R)."),
    ] = "wordpiece",
    vocab_size: Annotated[
        int, count("Number of tokens of the vocabulary.", least=LEAST_TOKENS, most=MOST_TOKENS)
    ] = 32_000,
    smoothing: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Languages are drawn in proportion to their number of characters to this power.",
        ),
    ] = 0.3,
    cased: Annotated[
        bool, typer.Option("--cased/--uncased", help="Keep upper and lower case apart.")
    ] = True,
    max_length: Annotated[
        int,
        count("Maximum number of tokens of a text, as the tokenizer says.", least=3,
              most=LARGEST_LENGTH),
    ] = 512,
    max_characters: Annotated[
        int, count("Maximum number of characters to learn from, over all languages.")
    ] = 200_000_000,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:  # fmt: skip
    """Train a vocabulary of subwords on texts of several languages."""
    files = pair_files(pairs)
    refuse_place(out, monolingual.files(), pairs, overwrite=overwrite, makes="folder")
    refuse_read_twice(monolingual, files)
    texts = monolingual.texts()
    if not texts and not files:
        raise InputError("nothing to learn from; give --text en=FILE, --mono or --pairs")
    refuse_unreadable(monolingual.files())
    refuse_piped(monolingual.files(), why="texts are counted before they are learned from")
    trained = train_tokenizer(
        with_sides(texts, files), kind=kind, vocab_size=vocab_size, smoothing=smoothing,
        cased=cased, max_length=max_length, max_characters=max_characters, seed=seed,
    )  # fmt: skip
    trained.save(out, overwrite=overwrite)
    _say(trained)
    typer.echo(f"isogloss: {counted(trained.vocab_size, 'token')} → {out}", err=True)


def _say(trained: TrainedTokenizer) -> None:
    for lang, n in trained.counts.sizes.items():
        typer.echo(
            f"isogloss: {lang}: {counted(trained.counts.n_texts[lang], 'text')}, "
            f"{counted(n, 'character')}, {trained.drawn[lang]:,} drawn",
            err=True,
        )
