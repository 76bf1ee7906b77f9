"""``isogloss align pretrain``: texts and pairs → an encoder with the head that predicts tokens."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from isogloss.cli import options
from isogloss.cli.groups import OnlyWith, count, grouped
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.cli.pretraining.texts import (
    Monolingual,
    PairFiles,
    pair_files,
    read_pair_files,
    refuse_read_twice,
    refuse_unreadable,
    texts_of,
)
from isogloss.cores import is_first_process
from isogloss.errors import InputError, counted
from isogloss.text.languages import parse_language_file

_NEW = OnlyWith("tokenizer", why="is for a new encoder; give --tokenizer too")
_Share = float | None


@dataclass(frozen=True, kw_only=True)
class Beginning:
    """What training starts from."""

    encoder: Annotated[
        str | None,
        typer.Option(
            help="Encoder to train further: 'bundled', a directory, or a name on the Hugging Face "
            "hub."
        ),
    ] = None
    tokenizer: Annotated[
        Path | None, typer.Option(help="Tokenizer of a new encoder, such as align tokenizer makes.")
    ] = None
    layers: Annotated[int | None, count("Layers of a new encoder (default: 12)."), _NEW] = None
    width: Annotated[
        int | None, count("Dimensions of a new encoder's hidden states (default: 768)."), _NEW
    ] = None
    heads: Annotated[
        int | None, count("Attention heads of a layer of a new encoder (default: 12)."), _NEW
    ] = None
    stacking: Annotated[
        bool,
        typer.Option(
            "--stacking",
            help="Train a quarter of the layers first, then half of them, then all (progressive "
            "stacking).",
        ),
        _NEW,
    ] = False
    stage_shares: Annotated[
        str | None,
        typer.Option(
            help="Shares of the steps of the three stages (default: 0.2,0.2,0.6).", metavar="A,B,C"
        ),
        OnlyWith("stacking", why="is for --stacking; give that too"),
    ] = None
    pooling: Annotated[
        Literal["mean", "cls"] | None,
        typer.Option(help="Pooling of the encoder made (default: its own, mean of a new one)."),
    ] = None

    @property
    def shape(self) -> dict[str, int] | None:
        """What was given of the shape of a new encoder."""
        given = {"layers": self.layers, "width": self.width, "heads": self.heads}
        found = {name: value for name, value in given.items() if value is not None}
        return found or None


@dataclass(frozen=True, kw_only=True)
class Masked:
    """What is masked, and how texts are drawn."""

    smoothing: Annotated[
        _Share,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Languages are drawn in proportion to their number of blocks to this power "
            "(default: 0.7).",
        ),
    ] = None
    tlm_share: Annotated[
        _Share,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Share of pairs among the blocks drawn (default: as many as there are).",
        ),
        OnlyWith("pairs", why="is for pairs beside texts; give --pairs too"),
    ] = None
    mask_share: Annotated[
        _Share, typer.Option(help="Share of the tokens to predict (default: 0.15).")
    ] = None
    whole_words: Annotated[
        bool, typer.Option("--whole-words", help="Mask all tokens of a word together.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class Steps:
    """How long and how fast is trained."""

    epochs: Annotated[int | None, count("Number of epochs (default: 1).")] = None
    steps: Annotated[
        int | None,
        count(
            "Number of steps in all, shared out over the epochs (default: all texts each epoch)."
        ),
    ] = None
    batch_size: Annotated[
        int | None, count("Blocks of a step, over all processes (default: 64).")
    ] = None
    learning_rate: Annotated[
        float | None,
        typer.Option(
            help="Peak learning rate of the schedule (default: 5e-4 for a new encoder, else 5e-5)."
        ),
    ] = None
    warm_up: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="Share of the steps in which the rate rises (default: "
                     "0.1)."),
    ] = None  # fmt: skip
    max_length: Annotated[
        int | None,
        count("Maximum number of tokens of a block, and of a new encoder's texts (default: 128)."),
    ] = None
    dropout: Annotated[
        float | None, typer.Option(help="Dropout of hidden states in training (default: its own).")
    ] = None
    precision: options.Precision = None
    patience: Annotated[
        int | None,
        count("Early stopping: stop after this many epochs without improvement (default: 3)."),
        OnlyWith("dev", "dev_pairs", why="is for epochs that are compared; give --dev too"),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Development:
    """Texts that choose the epoch."""

    dev: Annotated[
        list[str] | None,
        typer.Option(
            help="Development texts: the epoch with the lowest loss is kept; may be repeated.",
            metavar="LANG=FILE",
        ),
    ] = None
    dev_pairs: Annotated[
        list[str] | None,
        typer.Option(help="Development pairs; may be repeated.", metavar="en-sw=FILE"),
    ] = None


@grouped
def pretrain(
    out: Annotated[
        Path, typer.Option(help="Folder to make: an encoder with its head for masked tokens.")
    ],
    monolingual: Monolingual,
    beginning: Beginning,
    masked: Masked,
    steps: Steps,
    development: Development,
    compute: options.Compute,
    pairs: PairFiles = None,
    checkpoints: options.CheckpointFolder = None,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Train an encoder on masked tokens of texts (MLM) and of pairs of translations (TLM)."""
    files, dev_files = pair_files(pairs), pair_files(development.dev_pairs)
    refuse_place(
        out, monolingual.files(), pairs, development.dev, development.dev_pairs,
        beginning.encoder, beginning.tokenizer, overwrite=overwrite, makes="folder",
    )  # fmt: skip
    refuse_inside(out, checkpoints=checkpoints)
    refuse_read_twice(monolingual, files, dev=development.dev or (), dev_pairs=dev_files)
    texts = monolingual.texts()
    if not texts and not files:
        raise InputError("nothing to learn from; give --text en=FILE, --mono or --pairs")
    if (beginning.encoder is None) == (beginning.tokenizer is None):
        raise InputError("give --encoder to start from, or --tokenizer for a new one, not both")
    dev = [parse_language_file(value).path for value in development.dev or ()]
    refuse_unreadable([*monolingual.files(), *dev])
    from isogloss.align.pretraining import Pretrainer

    trainer = Pretrainer(
        beginning.encoder, tokenizer=beginning.tokenizer, shape=beginning.shape,
        pooling=beginning.pooling, training=_training(beginning, masked, steps),
        device=compute.device, threads=compute.threads, random_state=seed,
    )  # fmt: skip
    trainer.fit(
        texts or None,
        read_pair_files(files) if files else None,
        dev=texts_of(development.dev) or None,
        dev_pairs=read_pair_files(dev_files) if dev_files else None,
        checkpoints=checkpoints,
    )
    if is_first_process():
        trainer.save(out, overwrite=overwrite)
        last = trainer.results_[-1].epochs[-1]
        n_rows = sum(trainer.record_.steps[-1].rows.values())
        typer.echo(
            f"isogloss: encoder pre-trained on {counted(n_rows, 'row')}, loss {last.loss:.4f} → "
            f"{out}",
            err=True,
        )


def _training(beginning: Beginning, masked: Masked, steps: Steps) -> dict[str, Any]:
    """Return what was given of the options of training, by name."""
    given = asdict(masked) | asdict(steps) | {"stacking": beginning.stacking}
    found = {
        name: value for name, value in given.items() if value is not None and value is not False
    }
    if beginning.stage_shares is not None:
        try:
            found["stage_shares"] = tuple(map(float, beginning.stage_shares.split(",")))
        except ValueError as error:
            raise InputError(
                f"--stage-shares is '{beginning.stage_shares}'; give three numbers: 0.2,0.2,0.6"
            ) from error
    return found
