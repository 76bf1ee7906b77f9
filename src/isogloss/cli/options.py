"""Options that several commands share, so that each means the same everywhere, and their groups.

Help begins with a noun or verb and uses the flag's usual name in scikit-learn and transformers. A
default that typer does not show stands at its end: ``(default: …)``.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from isogloss.cli.diagnosing.json_option import AsJson as AsJson
from isogloss.cli.groups import OnlyWith, count
from isogloss.cli.texts import read_text_blocks, read_texts
from isogloss.cores import MAX_THREADS
from isogloss.data.blocks import ROWS
from isogloss.data.documents import Documents, FileFormat
from isogloss.data.encodings import UTF_8
from isogloss.data.row_languages import RowLanguages, row_languages
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning, refuse_twice
from isogloss.limits import LARGEST_SEED

_FOR_LABEL_SETS = OnlyWith("multilabel", why="is for label sets; add --multilabel")


def _strict(value: bool) -> bool:
    if value:
        warnings.filterwarnings("error", category=OmissionWarning)
    return value


Quoting = Literal["auto", "csv", "none"]
Encoding = Annotated[str, typer.Option(help="Encoding of the files.")]
EncoderName = Annotated[
    str, typer.Option(help="Encoder: 'bundled', a directory, or a name on the Hugging Face hub.")
]
LangOfTexts = Annotated[
    str | None,
    typer.Option(
        help="Language of the texts; 'auto': detect each; 'auto:es,tr': detect among these."
    ),
]
LabelledFiles = Annotated[
    list[str],
    typer.Option(
        help="Labelled texts; may be repeated. FILE alone with --lang-column or --lang.",
        metavar="LANG=FILE",
    ),
]
DevFiles = Annotated[
    list[str] | None,
    typer.Option(
        help="Development set for model selection. Without it: cross-validation, or --dev-split "
        "when tuning.",
        metavar="LANG=FILE",
    ),
]
PAIRS = typer.Option(
    help="Sentence pairs: TSV without header, Moses text (FILE.en, FILE.sw), or a table with a "
    "column for each language; may be repeated.",
    metavar="en-sw=FILE",
)
PairFiles = Annotated[list[str], PAIRS]
Precision = Annotated[
    Literal["auto", "float32", "bfloat16", "float16"] | None,
    typer.Option(help="Precision of the forward pass, of float32 weights (default: auto)."),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(help="Folder for checkpoints; a run that was begun there resumes."),
]
OverwriteReport = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace what --report names."),
    OnlyWith("report", why="is for --report; give that too"),
]
LangColumn = Annotated[
    str | None, typer.Option(help="Column with the language of each text.", metavar="NAME")
]
FallbackLang = Annotated[
    str | None,
    typer.Option(
        help="Language whose names are linked too, where the text's own language finds none."
    ),
]
Target = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="Accuracy that a language must have to go live."),
]
MIN_LINK_PROB = typer.Option(min=0.0, max=1.0, help="Minimum link probability of a name.")
MIN_COMMONNESS = typer.Option(min=0.0, max=1.0, help="Minimum commonness of an entity of a name.")
Nested = Annotated[bool, typer.Option("--nested", help="Link names inside longer names too.")]
LabelSeparator = Annotated[
    str | None,
    typer.Option(help="Separator of the labels of a text: '|', ';' or ',' (default: found out)."),
]
Threads = Annotated[
    int | None, count("Number of cores to use (default: all physical ones).", most=MAX_THREADS)
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder that keeps vectors of texts; those it has are not made again."),
]
SEED = count("Random seed.", least=0, most=LARGEST_SEED)
Seed = Annotated[int, SEED]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace what --out names.")]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Treat every warning of something left out as an error.", callback=_strict
    ),
]


@dataclass(frozen=True, kw_only=True)
class Output:
    """How results are shown."""

    as_json: AsJson = False
    strict: Strict = False


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Where a file holds texts."""

    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the text; several, as headline,text, are joined. Repeat it where files "
            "differ: each is read by the first that it has.",
            metavar="NAMES",
        ),
    ] = None
    quoting: Annotated[
        Quoting, typer.Option(help="Quoting of TSV files: as in CSV, none, or found out.")
    ] = "auto"
    encoding: Encoding = UTF_8
    sheet: Annotated[
        str | None,
        typer.Option(help="Sheet of an .xlsx file (default: the first).", metavar="NAME"),
    ] = None

    def format(self) -> FileFormat:
        """Return the format that the options describe."""
        refuse_twice(self.text or [], "--text")
        texts = [_names(one) for one in self.text or []]
        return FileFormat(
            text=texts[0] if texts else None, or_text=tuple(texts[1:]), quoting=self.quoting,
            encoding=self.encoding, sheet=self.sheet,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class TextFile(Columns):
    """A file of texts."""

    file: Annotated[
        str,
        typer.Argument(
            metavar="[FILE]",
            help="TSV, CSV, JSON Lines, Parquet, .xlsx or plain text; - for standard input.",
        ),
    ] = "-"


@dataclass(frozen=True, kw_only=True)
class TextsInLanguages(TextFile):
    """A file of texts, and their languages."""

    lang: LangOfTexts = None
    lang_column: LangColumn = None

    def format(self) -> FileFormat:
        """Return the format that the options describe."""
        return replace(super().format(), lang_column=self.lang_column)

    def read(self, command: str) -> Documents:
        """Read all texts; `command` stands before FILE in the advice where there is no file."""
        return read_texts(self.file, format=self.format(), command=command)

    def blocks(self, command: str, *, rows: int = ROWS) -> Iterator[Documents]:
        """Read the texts some at a time, the first of them at once."""
        return read_text_blocks(self.file, format=self.format(), command=command, rows=rows)

    def languages_of(self, documents: Documents, *, is_needed: bool = True) -> RowLanguages:
        """Return the language of each text; see `isogloss.data.row_languages`."""
        return row_languages(documents, self.lang, is_needed=is_needed)


@dataclass(frozen=True, kw_only=True)
class LabelledColumns(Columns):
    """Where files hold texts, labels and languages."""

    label: Annotated[
        list[str] | None,
        typer.Option(
            help="Column of the label (default: 'label' or 'category'); with label sets also "
            "several, as anger,joy,fear: one column of 0 and 1 each. May be repeated, as --text.",
            metavar="NAME",
        ),
    ] = None
    lang: Annotated[
        str | None,
        typer.Option(
            help="Language of files given without LANG=; 'auto': detect that of each text; "
            "'auto:es,tr': detect among these."
        ),
    ] = None
    lang_column: LangColumn = None

    def format_of(self, *, multilabel: bool, separator: str | None) -> FileFormat:
        """Return the format that these and the options of label sets describe."""
        if separator == "":
            raise InputError("--label-separator is empty; give a character, such as '|'")
        refuse_twice(self.label or [], "--label")
        labels = [_names(one) if multilabel and "," in one else one for one in self.label or []]
        if separator is not None and any(isinstance(one, tuple) for one in labels):
            raise InputError(
                "--label-separator is for labels in one column, and --label names several; leave "
                "it out"
            )
        return replace(
            self.format(), lang_column=self.lang_column, label=labels[0] if labels else None,
            or_label=tuple(labels[1:]), multilabel=multilabel, label_separator=separator,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class LabelSets:
    """How texts with any number of labels are learned."""

    multilabel: Annotated[
        bool, typer.Option("--multilabel", help="Learn any number of labels per text.")
    ] = False
    label_separator: Annotated[LabelSeparator, _FOR_LABEL_SETS] = None
    thresholds: Annotated[
        Literal["half", "tuned"],
        typer.Option(
            help="Decision thresholds of the labels: 0.5, or tuned for F1 on held-out texts."
        ),
        _FOR_LABEL_SETS,
    ] = "half"


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How an encoder turns a text into a vector."""

    pooling: Annotated[
        Literal["mean", "cls", "pooler"] | None,
        typer.Option(help="Pooling of token vectors (default: the encoder's own)."),
    ] = None
    long_texts: Annotated[
        Literal["cut", "windows"] | None,
        typer.Option(
            help="Texts with more tokens than the encoder takes: cut them, or read all of them in "
            "windows whose vectors are averaged (default: windows; cut where it is fine-tuned)."
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Compute:
    """Where the encoder runs."""

    device: Annotated[str, typer.Option(help="Device: 'cpu', 'cuda', or 'auto'.")] = "auto"
    threads: Threads = None


@dataclass(frozen=True, kw_only=True)
class Precise(Compute):
    """Where the encoder runs, and in which precision."""

    dtype: Annotated[
        Literal["float32", "bfloat16", "float16"], typer.Option(help="Precision of the encoder.")
    ] = "float32"


@dataclass(frozen=True, kw_only=True)
class EncoderOptions(Precise, Reading):
    """An encoder, and where its vectors are kept."""

    encoder: EncoderName = "bundled"
    cache: Cache = None

    @property
    def reading(self) -> dict[str, Any]:
        """How it turns a text into a vector, by name."""
        return {"pooling": self.pooling, "long_texts": self.long_texts}

    def load(self, **settings: Any) -> Encoder:
        """Load it; `settings` as `Encoder.load` takes them."""
        return Encoder.load(
            self.encoder, device=self.device, dtype=self.dtype, threads=self.threads,
            cache=self.cache, **settings,
        )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Linking:
    """Which names are linked."""

    min_link_prob: Annotated[float, MIN_LINK_PROB] = 0.01
    min_commonness: Annotated[float, MIN_COMMONNESS] = 0.05
    nested: Nested = False


def listed(value: str, option: str) -> list[str]:
    """Return the parts of a value with commas, each once; blank ones are left out."""
    parts = [part for one in value.split(",") if (part := one.strip())]
    refuse_twice(parts, option)
    return parts


def _names(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(","))
