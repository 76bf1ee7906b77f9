"""Options that several commands share, so that each means the same everywhere."""

import warnings
from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.cores import MAX_THREADS
from isogloss.data.documents import FileFormat
from isogloss.errors import InputError, OmissionWarning
from isogloss.limits import LARGEST_COUNT, LARGEST_SEED

FOR_LABEL_SETS = "is for label sets; add --multilabel"
FOR_ENTITIES = "is for entities, and the model has no knowledge base; leave it out"


def _strict(value: bool) -> bool:
    if value:
        warnings.filterwarnings("error", category=OmissionWarning)
    return value


InputFile = Annotated[
    str,
    typer.Argument(
        metavar="[FILE]", help="TSV, CSV, JSON Lines, Parquet or plain text; - for standard input."
    ),
]
ModelPath = Annotated[Path, typer.Argument(help="Directory of the model.", metavar="MODEL")]
LangOfTexts = Annotated[
    str | None,
    typer.Option(help="Language of the texts; 'auto': detect each; 'auto:es,tr': among these."),
]
LabelledFiles = Annotated[
    list[str],
    typer.Option(
        help="Labelled texts; may be repeated. FILE alone with --lang-column or --lang.",
        metavar="LANG=FILE",
    ),
]
EncoderName = Annotated[
    str, typer.Option(help="'bundled', a directory, or a name on the Hugging Face hub.")
]
EncoderPlace = Annotated[
    str | None, typer.Option("--encoder", help="Where the model's encoder is now, if it moved.")
]
KbPlace = Annotated[
    Path | None, typer.Option("--kb", help="Where the model's knowledge base is now, if it moved.")
]
TextColumns = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of the text; several, as headline,text, are joined. Repeat it where files "
        "differ: each is read by the first that it has.",
        metavar="NAMES",
    ),
]
LabelColumn = Annotated[
    list[str] | None,
    typer.Option(
        help="Column of the label ('label' or 'category' by default); with label sets also "
        "several, as anger,joy,fear: one column of 0 and 1 each. May be repeated, as --text.",
        metavar="NAME",
    ),
]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        help="What stands between the labels of a text: '|', ';' or ','; found out by default."
    ),
]
Multilabel = Annotated[bool, typer.Option("--multilabel", help="A text has any number of labels.")]
ThresholdsName = Annotated[
    Literal["half", "tuned"],
    typer.Option(
        help="With --multilabel: give a label from 0.5 on, or from where its F1 is best on "
        "held-out texts."
    ),
]
LangOfFiles = Annotated[
    str | None,
    typer.Option(
        help="Language of files given without LANG=; 'auto': detect that of each text; "
        "'auto:es,tr': among these."
    ),
]
LangColumn = Annotated[
    str | None, typer.Option(help="Column with the language of each text.", metavar="NAME")
]
Quoting = Annotated[
    Literal["auto", "csv", "none"],
    typer.Option(help="How a TSV file quotes: as CSV does, not at all, or found out."),
]
FallbackLang = Annotated[
    str | None,
    typer.Option(help="Link names of this language too, where the text's own names find nothing."),
]
MaxEntities = Annotated[
    int | None,
    typer.Option(min=1, max=LARGEST_COUNT, help="Entities a text at most; all by default."),
]
MinLinkProb = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="Least link probability of a name.")
]
MinCommonness = Annotated[
    float, typer.Option(min=0.0, max=1.0, help="Least commonness of an entity of a name.")
]
Nested = Annotated[bool, typer.Option("--nested", help="Link names inside longer names too.")]
PoolingName = Annotated[
    Literal["mean", "cls", "pooler"] | None,
    typer.Option(help="How pieces become one vector; the encoder's own by default."),
]
LongTexts = Annotated[
    Literal["cut", "windows"] | None,
    typer.Option(
        help="Texts with more tokens than the encoder takes: cut them, or read all of them in "
        "windows whose vectors are averaged; cut by default."
    ),
]
Device = Annotated[str, typer.Option(help="'cpu', 'cuda', or 'auto'.")]
DType = Annotated[
    Literal["float32", "bfloat16", "float16"], typer.Option(help="Precision of the encoder.")
]
Threads = Annotated[
    int | None,
    typer.Option(min=1, max=MAX_THREADS, help="Cores to use; all physical ones by default."),
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Keep vectors of texts in this folder, and take those it has."),
]
Seed = Annotated[
    int, typer.Option(min=0, max=LARGEST_SEED, help="Seed of everything that is random.")
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what --out names.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Strict = Annotated[
    bool,
    typer.Option("--strict", help="Make every warning of a loss an error.", callback=_strict),
]


def refuse_given(context: typer.Context, *names: str, why: str) -> None:
    """Refuse options that another makes useless, also where their value is the default.

    Parameters
    ----------
    names
        Parameters of the command: ``"min_link_prob"``; an argument is named as in its help: FILE.
    why
        What follows the option in the sentence: ``"is for …; give --kb too"``.

    Raises
    ------
    InputError
        When one was given.
    KeyError
        When the command has no such parameter: it was renamed, and would never be refused.
    """
    for name in names:
        context.params[name]  # `get_parameter_source` returns None for a name that is not there
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise InputError(f"{_spelled(context, name)} {why}")


def _spelled(context: typer.Context, name: str) -> str:
    for parameter in context.command.params:
        if parameter.name == name and parameter.param_type_name == "argument":
            return name.upper()
    return f"--{name.replace('_', '-')}"


def file_format(
    text: list[str] | None, label: list[str] | None, quoting: Literal["auto", "csv", "none"],
    lang_column: str | None = None, *, multilabel: bool = False,
    label_separator: str | None = None,
) -> FileFormat:  # fmt: skip
    """Return the format that the options describe."""
    if label_separator is not None and not multilabel:
        raise InputError(f"--label-separator {FOR_LABEL_SETS}")
    if label_separator == "":
        raise InputError("--label-separator is empty; give a character, such as '|'")
    labels = [
        _names(one) if multilabel and "," in one else one for one in _different(label, "--label")
    ]
    if label_separator is not None and any(isinstance(one, tuple) for one in labels):
        raise InputError(
            "--label-separator is for labels in one column, and --label names several; leave it out"
        )
    texts = [_names(one) for one in _different(text, "--text")]
    return FileFormat(
        text=texts[0] if texts else None,
        label=labels[0] if labels else None,
        lang_column=lang_column,
        quoting=quoting,
        multilabel=multilabel,
        label_separator=label_separator,
        or_text=tuple(texts[1:]),
        or_label=tuple(labels[1:]),
    )


def _different(values: list[str] | None, option: str) -> list[str]:
    for value in values or []:
        if (values or []).count(value) > 1:
            raise InputError(f"{option} {value} is given twice; leave one out")
    return values or []


def _names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(","))
