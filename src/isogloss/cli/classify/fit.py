"""``isogloss classify fit``: learn from labelled texts, or from the names of the classes."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from isogloss.classify.fitting.training_data import check_training, refuse_beside_names
from isogloss.cli import options
from isogloss.cli.classify.class_names import ClassesFile, read_class_names
from isogloss.cli.classify.labelled import read_labelled
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.languages import say_languages
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.cli.tuning import ONLY_TUNED, TuneName, Tuning
from isogloss.cores import is_first_process
from isogloss.data.data_files import DataFile
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.limits import LARGEST_COUNT
from isogloss.text.languages import parse_language_file
from isogloss.train.checkpoints import Checkpoints
from isogloss.vectors.for_knowledge_base import read_entity_vectors

if TYPE_CHECKING:
    from isogloss.classify import TextClassifier

_OF_ENTITIES = "is for entities of a knowledge base; give --kb too"
_FOR_TRAIN = OnlyWith(
    "train", "!classes",
    why="is for files of --train; that of --classes has the columns label and text",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TrainingFiles:
    """What is learned from."""

    train: Annotated[
        list[str] | None,
        typer.Option(
            help="Labelled texts; may be repeated. FILE alone with --lang-column or --lang. Needed "
            "without --classes.",
            metavar="LANG=FILE",
        ),
    ] = None
    classes: ClassesFile = None
    dev: options.DevFiles = None


@dataclass(frozen=True, kw_only=True)
class KbOptions:
    """The knowledge base, and what is made of its entities."""

    kb: Annotated[
        Path | None, typer.Option(help="Knowledge base to link with (default: the encoder alone).")
    ] = None
    preset: Annotated[
        Literal["mboe", "mboe-plus"],
        typer.Option(
            help="Model of the entities; with --tune, mboe reads [CLS], with or without --kb."
        ),
        OnlyWith("kb", "tune=lora", "tune=full", why=_OF_ENTITIES),
    ] = "mboe-plus"
    embed_kb: Annotated[
        bool,
        typer.Option("--embed-kb", help="Put a copy of the knowledge base into the model."),
        OnlyWith("kb", why="needs a knowledge base; add --kb or leave it out"),
    ] = False


@dataclass(frozen=True, kw_only=True)
class EntityOptions(options.Linking):
    """How entities are found and weighed."""

    init: Annotated[
        str,
        typer.Option(
            help="Entity vectors: 'encoder', 'random', or a file of vectors; LANG=FILE says the "
            "language of its titles."
        ),
    ] = "encoder"
    attention: Annotated[
        Literal["learned", "mean", "sum"], typer.Option(help="Attention over the entities.")
    ] = "learned"
    max_entities: Annotated[
        int | None,
        typer.Option(
            min=1, max=LARGEST_COUNT, help="Maximum number of entities of a text (default: all)."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ModelFolder:
    """The model that is made."""

    out: Annotated[Path, typer.Option(help="Directory to make.")]
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="Folder of checkpoints: the same command resumes there.", metavar="DIR"),
        ONLY_TUNED,
    ] = None
    keep_examples: Annotated[
        bool,
        typer.Option(
            "--keep-examples",
            help="Keep the training texts in the model: explain and predict then show those "
            "nearest to a text. They go wherever the model goes.",
        ),
    ] = False
    seed: options.Seed = 0
    overwrite: options.Overwrite = False
    strict: options.Strict = False


@grouped
def fit_command(
    made: ModelFolder,
    files: TrainingFiles,
    columns: Annotated[options.LabelledColumns, _FOR_TRAIN],
    labels: options.LabelSets,
    encoder: options.EncoderOptions,
    names: KbOptions,
    entities: Annotated[EntityOptions, OnlyWith("kb", why=_OF_ENTITIES)],
    tuning: Tuning,
    tune: TuneName = "head",
) -> None:
    """Learn from labelled texts, or from the names of the classes, and write a model."""
    refuse_place(
        made.out, files.train, files.dev, files.classes, names.kb, encoder.encoder, entities.init,
        overwrite=made.overwrite, makes="folder",
    )  # fmt: skip
    refuse_inside(made.out, cache=encoder.cache, checkpoints=made.checkpoints)
    if not files.train and files.classes is None:
        raise InputError("nothing to learn from; give --train LANG=FILE, --classes FILE, or both")
    if files.classes is not None:
        given = vars(files) | vars(names) | vars(labels) | vars(made) | {"tune": tune}
        refuse_beside_names(given, names="--classes", dashes="--")
        if made.keep_examples and not files.train:
            raise InputError(
                "--keep-examples has nothing to keep: there are class names alone; give --train "
                "too, or leave it out"
            )
    training = tuning.options(tune)
    class_names = None if files.classes is None else read_class_names(files.classes)
    texts, held_out = read_labelled(
        {"--train": files.train, "--dev": files.dev},
        format=columns.format_of(multilabel=labels.multilabel, separator=labels.label_separator),
        lang=columns.lang,
        class_names=class_names,
    )
    from isogloss.classify import TextClassifier

    kb = None if names.kb is None else KnowledgeBase.open(names.kb)
    how = vars(entities) | {
        "init": _init(entities.init, kb, texts.langs),
        "attention": True if entities.attention == "learned" else entities.attention,
    }
    model = TextClassifier(
        encoder.encoder, kb, preset=names.preset, tune=tune, training=training,
        multilabel=labels.multilabel, thresholds=labels.thresholds, device=encoder.device,
        dtype=encoder.dtype, random_state=made.seed, keep_examples=made.keep_examples, **how,
        **encoder.reading,
    )  # fmt: skip
    data: dict[str, Any] = {"class_names": class_names, "checkpoints": made.checkpoints}
    if files.dev:
        data |= {"X_dev": held_out.texts, "y_dev": held_out.labels, "lang_dev": held_out.langs}
    check_training(model.get_params(deep=False), *texts.columns()[:3], **data)
    loaded = encoder.load()
    say_encoder(loaded)
    model.set_params(encoder=loaded)
    model.fit(texts.texts, texts.labels, texts.langs, **data)
    made_of = [*texts.files, *held_out.files]
    if files.classes is not None:
        made_of.append(DataFile.of(files.classes, "class names", []))
    model.fitted_ = replace(model.fitted_, data=tuple(made_of))
    if is_first_process():
        say_languages(texts.langs)
        _write(model, made, embed_kb=names.embed_kb)


def _write(model: "TextClassifier", made: ModelFolder, *, embed_kb: bool) -> None:
    from isogloss.classify.evaluate.settings import describe

    for name, value in describe(model.fitted_).items():
        typer.echo(f"isogloss: {name}: {value}", err=True)
    model.save(made.out, embed_kb=embed_kb, overwrite=made.overwrite)
    if made.checkpoints is not None:
        Checkpoints(made.checkpoints).remove()
    typer.echo(f"isogloss: model → {made.out}", err=True)


def _init(value: str, kb: KnowledgeBase | None, langs: list[str | None]) -> Any:
    if value in ("encoder", "random"):
        return value
    path, of_titles = Path(value), [code for code in dict.fromkeys(langs) if code]
    if not path.exists() and "=" in value:
        pair = parse_language_file(value)
        path, of_titles = pair.path, [pair.lang]
    if not path.exists():
        raise InputError(
            f"--init is '{value}', and no such file; give 'encoder', 'random' or a file of vectors"
        )
    vectors = read_entity_vectors(path, kb, of_titles)
    typer.echo(f"isogloss: {vectors!r} of {path}", err=True)
    return vectors
