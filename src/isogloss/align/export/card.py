"""The model card of an encoder: ``README.md`` with the head that the Hugging Face hub reads.

Called after training and by the export. It says what the record and the caller know, and no more.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isogloss.align.export.record import Record
from isogloss.encode.settings import EncoderSettings
from isogloss.errors import InputError
from isogloss.report.table import Table
from isogloss.storage.files import read_json

TAGS = ("sentence-similarity", "multilingual")
_ORIGINALS = {"bundled": "intfloat/multilingual-e5-small"}
_MISSING = "not stated"


@dataclass(frozen=True, kw_only=True)
class CardFacts:
    """What a card says beside what the encoder itself knows.

    Attributes
    ----------
    title
        Of the card.
    licence
        Of the weights, as the hub writes it (``mit``); None: said to be unknown.
    data
        A line about each data set learned from: name, rows, licence.
    langs
        Languages that it is meant for; none: those of the pairs.
    limits
        Sentences about what it should not be used for.
    library
        What reads the folder, as the hub names it.
    figures
        Tables by title, see `read_evaluation`.
    """

    title: str = "Sentence encoder"
    licence: str | None = None
    data: Sequence[str] = ()
    langs: Sequence[str] = ()
    limits: Sequence[str] = ()
    library: str = "sentence-transformers"
    figures: Mapping[str, Table] = field(default_factory=dict)


def card_of(record: Record, facts: CardFacts, settings: EncoderSettings, *, width: int) -> str:
    """Return the text of a model card.

    Parameters
    ----------
    settings, width
        Of the encoder's vectors.
    """
    langs = list(facts.langs) or record.langs
    parts = [_head(record, facts, langs), f"# {facts.title}", _made(record)]
    parts += ["## Languages", ", ".join(langs) if langs else f"{_MISSING.capitalize()}."]
    parts += ["## Vectors", _vectors(settings, width)]
    parts += ["## Data", _data(record, facts)]
    parts += ["## Figures", *_figures(facts)]
    parts += ["## Limits", "\n".join(f"- {one}" for one in [*facts.limits, *_limits(settings)])]
    parts += [
        "## Licence",
        f"Weights: {facts.licence or _MISSING}. The licence of the encoder that they were made "
        "from, and those of the data, hold for them too.",
    ]
    return "\n\n".join(parts) + "\n"


def read_evaluation(path: Path) -> dict[str, Table]:
    """Return the tables of what ``retrieve evaluate --json`` printed.

    Raises
    ------
    InputError
        When the file holds something else.
    """
    found = read_json(path, what="an evaluation", advice="print it anew with retrieve evaluate")
    tables: dict[str, Table] = {}
    for name, one in found.items() if isinstance(found, dict) else ():
        parts = [one.get(part) if isinstance(one, dict) else None for part in ("means", "rows")]
        if not all(isinstance(part, list) and all(map(_is_row, part)) for part in parts):
            raise InputError(f"its '{name:.40}' is no table of scores", path=path)
        tables |= {
            f"{name}, {part}": Table(rows)
            for part, rows in zip(("means", "by row"), parts, strict=True) if rows
        }  # fmt: skip
    if not tables:
        raise InputError("holds no scores that retrieve evaluate --json printed", path=path)
    return tables


def _is_row(value: Any) -> bool:
    return isinstance(value, dict)


def _head(record: Record, facts: CardFacts, langs: Sequence[str]) -> str:
    from huggingface_hub import ModelCardData

    original = _ORIGINALS.get(record.base, record.base)
    data = ModelCardData(
        language=list(langs) or None, license=facts.licence, library_name=facts.library,
        pipeline_tag="sentence-similarity", tags=list(TAGS),
        base_model=original if original.count("/") == 1 else None,
    )  # fmt: skip
    return f"---\n{data.to_yaml().strip()}\n---"


def _made(record: Record) -> str:
    lines = [f"Made with isogloss from `{record.base}`."]
    for number, step in enumerate(record.steps, start=1):
        rows = f", {sum(step.rows.values()):,} rows" if step.rows else ""
        settings = f" ({step.settings})" if step.settings else ""
        lines.append(f"{number}. {step.what}{rows}{settings}")
    return "\n".join([lines[0], "", *lines[1:]] if record.steps else lines)


def _vectors(settings: EncoderSettings, width: int) -> str:
    prefix = settings.prefix.value
    return (
        f"{width} dimensions, {settings.pooling.value} pooling, "
        f"{'unit length' if settings.normalize.value else 'not normalised'}, "
        f"{settings.max_length.value} tokens at most; "
        + (f"each text starts with `{prefix}`." if prefix else "texts have no prefix.")
    )


def _data(record: Record, facts: CardFacts) -> str:
    lines = [f"- {line}" for line in facts.data]
    learned = [(number, step.rows) for number, step in enumerate(record.steps, 1) if step.rows]
    for number, rows in learned:  # never added up: two steps may learn from the same rows
        said = ", ".join(f"{lang} {n:,}" for lang, n in sorted(rows.items()))
        of_step = f" in step {number}" if len(learned) > 1 else ""
        lines.append(f"- Rows learned from{of_step}: {said}")
    return "\n".join(lines) if lines else f"{_MISSING.capitalize()}."


def _figures(facts: CardFacts) -> list[str]:
    if not facts.figures:
        return ["None were given; measure with `isogloss retrieve evaluate`."]
    return [part for title, table in facts.figures.items()
            for part in (f"### {title}", table.to_markdown().strip())]  # fmt: skip


def _limits(settings: EncoderSettings) -> list[str]:
    return [
        f"Texts of more than {settings.max_length.value} tokens are cut, or read in windows.",
        "Cosines rank texts; no fixed threshold of one says that two mean the same.",
        "Languages beyond those above were not judged.",
    ]
