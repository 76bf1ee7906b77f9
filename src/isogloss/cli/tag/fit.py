"""``isogloss tag fit``: learn from tagged sentences, and write a model."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.cli.tag.files import ColumnOptions, TaggedFiles, read_tagged
from isogloss.cli.tuning import ONLY_TUNED, TuneName, Tuning
from isogloss.cores import is_first_process
from isogloss.encode import Encoder
from isogloss.errors import counted
from isogloss.kb import KnowledgeBase
from isogloss.tag.entities import SchemeChoice, entity_scheme
from isogloss.tag.options import OwnHeads
from isogloss.tag.sentences import TaggedSentences
from isogloss.train.checkpoints import Checkpoints


@dataclass(frozen=True, kw_only=True)
class Words:
    """How the vector of a word is made."""

    layer: Annotated[
        str,
        typer.Option(
            help="Layers whose mean is taken: 'auto', a number from 0, or a range, as 5-8.",
            metavar="LAYERS",
        ),
    ] = "auto"
    pieces: Annotated[
        Literal["mean", "first", "last"], typer.Option(help="Pooling of a word's tokens.")
    ] = "mean"


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """The model that is made."""

    out: Annotated[Path, typer.Option(help="Directory to make.")]
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="Folder of checkpoints: the same command resumes there.", metavar="DIR"),
        ONLY_TUNED,
    ] = None
    seed: options.Seed = 0
    overwrite: options.Overwrite = False
    strict: options.Strict = False


@grouped
def fit_command(
    made: ModelFolder,
    train: Annotated[list[str], TaggedFiles],
    columns: ColumnOptions,
    words: Words,
    compute: options.Precise,
    tuning: Tuning,
    tune: TuneName = "head",
    kb: Annotated[
        Path | None,
        typer.Option(help="Knowledge base whose names are evidence (default: the encoder alone)."),
    ] = None,
    dev: Annotated[list[str] | None, TaggedFiles] = None,
    scheme: Annotated[
        SchemeChoice,
        typer.Option(
            help="Scheme of tags of entities: IOB1, IOB2, BIOES, BILOU; 'none': tags are none of "
            "entities (default: found out)."
        ),
    ] = "auto",
    own_heads: Annotated[
        OwnHeads,
        typer.Option(
            help="'auto': a language with fewer words than the others gets a head of its own where "
            "the out-of-fold log-loss is lower; 'none': one head for all languages."
        ),
        OnlyWith("tune=head", why="is for --tune head; a tuned encoder has one head"),
    ] = "auto",
    encoder: options.EncoderName = "bundled",
) -> None:
    """Learn from tagged sentences of one language or several, and write a model."""
    refuse_place(made.out, train, dev, encoder, kb, overwrite=made.overwrite, makes="folder")
    refuse_inside(made.out, checkpoints=made.checkpoints)
    learned, judged = read_tagged({"--train": train, "--dev": dev}, columns)
    found = entity_scheme(scheme, learned.tags, where=learned.where)
    if found is not None and len(judged):
        entity_scheme(found, judged.tags, where=judged.where)
    from isogloss.tag import TokenTagger

    model = TokenTagger(
        encoder, kb if kb is None else KnowledgeBase.open(kb), layer=words.layer,
        pieces=words.pieces, scheme=found or "none", tune=tune, training=tuning.options(tune),
        own_heads=own_heads, device=compute.device, dtype=compute.dtype,
        random_state=made.seed,
    )  # fmt: skip
    loaded = Encoder.load(
        encoder, device=compute.device, dtype=compute.dtype, threads=compute.threads
    )
    say_encoder(loaded)
    model.set_params(encoder=loaded)
    model.fit(
        learned.sentences, learned.tags, learned.langs,
        dev=TaggedSentences.of(judged.sentences, judged.tags, judged.langs) if dev else None,
        checkpoints=made.checkpoints,
    )  # fmt: skip
    if not is_first_process():
        return
    for line in model.fitted_.describe():
        typer.echo(f"isogloss: {line}", err=True)
    model.save(made.out, overwrite=made.overwrite)
    if made.checkpoints is not None:
        Checkpoints(made.checkpoints).remove()
    typer.echo(
        f"isogloss: model of {counted(model.fitted_.n_training_words, 'word')} → {made.out}",
        err=True,
    )
