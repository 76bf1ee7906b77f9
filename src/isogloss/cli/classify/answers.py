"""What ``isogloss classify predict`` prints: lines that read back as labels, or JSON."""

import json
import re
from collections.abc import Sequence
from typing import Any

import typer

from isogloss.arrays import Doubles1d
from isogloss.classify.answers.answers import Answers
from isogloss.classify.answers.columns import example_record
from isogloss.classify.fitted import FittedClassifier
from isogloss.data.label_sets import written_labels
from isogloss.errors import counted, warn_omitted

_BREAKS = re.compile(r"[\t\r\n]+")


def say_changed_labels(model: FittedClassifier) -> None:
    """Warn when labels hold tabs or line breaks, which become spaces in lines."""
    broken = sum(bool(_BREAKS.search(str(label))) for label in model.classes.tolist())
    if broken and not model.options.multilabel:
        warn_omitted(
            f"{counted(broken, 'label')} of the model with a tab or line break, written as a "
            "space; --json has them as they are"
        )


def print_lines(model: FittedClassifier, answers: Answers) -> None:
    """Print a line a text: label or label set, tab, its probabilities; None is an empty field."""
    for label, row in zip(answers.labels, answers.probabilities, strict=True):
        typer.echo(f"{_field(model, label)}\t{_probabilities(model, label, row)}")


def print_json(
    model: FittedClassifier, answers: Answers, *, ids: Sequence[str | None] | None
) -> None:
    """Print one JSON document: the classes, and of each text its label and all probabilities.

    Of a model that keeps training texts, the nearest of them too.
    """
    classes = model.classes.tolist()
    name = "labels" if model.options.multilabel else "label"
    rows = []
    for row, label in enumerate(answers.labels):
        entry: dict[str, Any] = {"row": row, "lang": answers.langs[row], name: label}
        if ids is not None:
            entry["id"] = ids[row]
        named = zip(classes, answers.probabilities[row].tolist(), strict=True)
        entry["probabilities"] = {str(name): value for name, value in named}
        if answers.support is not None and answers.examples is not None:
            entry["support"] = float(answers.support[row])
            entry["examples"] = [example_record(one) for one in answers.examples[row]]
        rows.append(entry)
    typer.echo(json.dumps({"classes": classes, "rows": rows}, ensure_ascii=False))


def _field(model: FittedClassifier, label: Any) -> str:
    if model.options.multilabel:
        return written_labels(label, all_labels=model.classes.tolist())
    field = "" if label is None else _BREAKS.sub(" ", str(label))
    # A quote at the start would be read as CSV quoting, which is then what it gets.
    return '"' + field.replace('"', '""') + '"' if field.startswith('"') else field


def _probabilities(model: FittedClassifier, label: Any, probabilities: Doubles1d) -> str:
    if not model.options.multilabel:
        return f"{probabilities.max():.4f}"
    named = dict(zip(model.classes.tolist(), probabilities.tolist(), strict=True))
    return "|".join(f"{named[one]:.4f}" for one in label)
