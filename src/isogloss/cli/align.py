"""``isogloss align``: sentence encoders trained on translations."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from isogloss.align.options import MOST_NEGATIVES
from isogloss.cli import options
from isogloss.cli.align_export import export_command
from isogloss.cli.groups import OnlyWith, count, grouped
from isogloss.cli.places import refuse_inside, refuse_place, refuse_same_pairs
from isogloss.cli.pretraining.pretrain import pretrain
from isogloss.cli.pretraining.texts import pair_files, read_pair_files
from isogloss.cli.pretraining.tokenizer import tokenizer
from isogloss.cores import is_first_process
from isogloss.encode import Encoder
from isogloss.errors import counted

app = typer.Typer(help="Sentence encoders trained on translations.", no_args_is_help=True)
app.command("export")(export_command)
app.command("pretrain")(pretrain)
app.command("tokenizer")(tokenizer)

_Number = int | None


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """The loss, and what a batch is made of."""

    preset: Annotated[
        Literal["default", "labse"],
        typer.Option(
            help="Settings that hold where no option says otherwise: 'labse' is the paper's "
            "([CLS], margin 0.3, batches of 4,096)."
        ),
    ] = "default"
    margin: Annotated[
        float | None, typer.Option(help="Additive margin of the loss (default: 0).")
    ] = None
    scale: Annotated[
        float | None, typer.Option(help="Scale of the cosines in the loss (default: 100).")
    ] = None
    learns_scale: Annotated[
        bool, typer.Option("--learn-scale", help="Train the scale too, starting from --scale.")
    ] = False
    hard_negatives: Annotated[
        _Number,
        count(
            "Further negatives to mine for each pair: the nearest sentences of its language "
            "that do not translate it (default: 0).",
            least=0,
            most=MOST_NEGATIVES,
        ),
    ] = None
    negative_margin: Annotated[
        float | None,
        typer.Option(
            help="Least cosine by which a mined negative is less near than the translation "
            "(default: 0.05)."
        ),
        OnlyWith("hard_negatives", why="is for mined negatives; give --hard-negatives too"),
    ] = None
    batches: Annotated[
        Literal["mixed", "one-language"] | None,
        typer.Option(help="Pairs of a batch: of all languages, or of one (default: mixed)."),
    ] = None
    smoothing: Annotated[
        float | None,
        typer.Option(
            help="Languages are drawn in proportion to their number of pairs to this power "
            "(default: 1)."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Encoders:
    """The encoder that is trained, and those beside it."""

    encoder: options.EncoderName = "bundled"
    negatives_from: Annotated[
        str | None,
        typer.Option(help="Encoder that hard negatives are mined with (default: --encoder)."),
        OnlyWith("hard_negatives", why="is for mined negatives; give --hard-negatives too"),
    ] = None
    teacher: Annotated[
        str | None,
        typer.Option(
            help="Encoder whose vectors of the sources those of both sides are drawn to "
            "(distillation)."
        ),
    ] = None
    distillation_weight: Annotated[
        float | None,
        typer.Option(help="Weight of distillation in the loss (default: 1)."),
        OnlyWith("teacher", why="is for distillation; give --teacher too"),
    ] = None
    ranking_weight: Annotated[
        float | None,
        typer.Option(
            help="Weight of translation ranking in the loss; 0: distillation alone (default: 1)."
        ),
        OnlyWith("teacher", why="weighs ranking against distillation; give --teacher too"),
    ] = None

    @property
    def weights(self) -> dict[str, float]:
        """The weights that were given, by name."""
        given = {
            "distillation_weight": self.distillation_weight, "ranking_weight": self.ranking_weight,
        }  # fmt: skip
        return {name: value for name, value in given.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class HowAligned:
    """How the encoder is trained."""

    tune: Annotated[
        Literal["full", "lora"],
        typer.Option(help="What is trained: all weights, or low-rank adapters, merged at the end."),
    ] = "full"
    pooling: Annotated[
        Literal["mean", "cls"] | None,
        typer.Option(help="Pooling of token vectors (default: the encoder's own)."),
    ] = None
    epochs: Annotated[
        _Number,
        count("Number of epochs (default: 1)."),
    ] = None
    batch_size: Annotated[
        _Number,
        count("Pairs ranked against each other, over all processes (default: 256).", least=2),
    ] = None
    learning_rate: Annotated[
        float | None,
        typer.Option(help="Peak learning rate of the schedule (default: full 1e-4, lora 5e-4)."),
    ] = None
    max_length: Annotated[
        _Number,
        count("Maximum number of tokens of a sentence in training (default: 128)."),
    ] = None
    embeddings: Annotated[
        Literal["dense", "frozen", "rows"] | None,
        typer.Option(
            help="Word embeddings: train all, none, or the rows that a batch touches (default: "
            "rows; frozen with lora and --upper-layers)."
        ),
    ] = None
    upper_layers: Annotated[
        _Number,
        count(
            "Layers to train, counted from the last; word embeddings as --embeddings says "
            "(default: all)."
        ),
    ] = None
    dropout: Annotated[
        float | None, typer.Option(help="Dropout of hidden states in training (default: 0).")
    ] = None
    precision: options.Precision = None

    def training(self, ranking: Ranking) -> dict[str, Any]:
        """Return what was given of the options of training, by name."""
        given = vars(self) | vars(ranking)
        left_out = ("tune", "pooling", "preset")
        return {
            name: value
            for name, value in given.items()
            if name not in left_out and value is not None and value is not False
        }


@app.command()
@grouped
def fit(
    pairs: options.PairFiles,
    out: Annotated[
        Path, typer.Option(help="Folder to make: an encoder, in sentence-transformers layout.")
    ],
    ranking: Ranking,
    tuning: HowAligned,
    encoders: Encoders,
    compute: options.Compute,
    dev: Annotated[
        list[str] | None,
        typer.Option(
            help="Pairs for model selection: the epoch with the best retrieval accuracy is kept.",
            metavar="en-sw=FILE",
        ),
    ] = None,
    patience: Annotated[
        int | None,
        count("Early stopping: stop after this many epochs without improvement (default: 3)."),
        OnlyWith("dev", why="is for epochs that are compared; give --dev too"),
    ] = None,
    checkpoints: options.CheckpointFolder = None,
    seed: options.Seed = 0,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Train an encoder so that translations have near vectors (translation ranking, LaBSE)."""
    refuse_place(
        out, pairs, dev, encoders.encoder, encoders.teacher, encoders.negatives_from,
        overwrite=overwrite, makes="folder",
    )  # fmt: skip
    refuse_inside(out, checkpoints=checkpoints)
    files, dev_files = pair_files(pairs), pair_files(dev)
    refuse_same_pairs({"--pairs": files, "--dev": dev_files})
    learned = read_pair_files(files)
    judged = read_pair_files(dev_files) if dev_files else None
    training = tuning.training(ranking) | encoders.weights
    training |= {} if patience is None else {"patience": patience}
    from isogloss.align import SentenceAligner

    base = Encoder.load(encoders.encoder, device=compute.device, threads=compute.threads)
    aligner = SentenceAligner(
        base, preset=ranking.preset, tune=tuning.tune, pooling=tuning.pooling,
        teacher=encoders.teacher, negatives_from=encoders.negatives_from, training=training,
        random_state=seed,
    )  # fmt: skip
    aligner.fit(
        learned.sources, learned.targets, learned.langs, dev=judged, checkpoints=checkpoints
    )
    if is_first_process():
        aligner.save(out, overwrite=overwrite)
        typer.echo(
            f"isogloss: encoder trained on {counted(aligner.n_pairs_, 'pair')} → {out}", err=True
        )
