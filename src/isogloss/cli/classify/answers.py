"""What ``isogloss classify predict`` prints: lines that read back as labels, or JSON."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.data.label_sets import written_labels
from isogloss.errors import counted, warn_omitted

if TYPE_CHECKING:
    from isogloss.classify import FittedClassifier

_BREAKS = re.compile(r"[\t\r\n]+")


def say_changed_labels(model: "FittedClassifier") -> None:
    """Warn when labels hold tabs or line breaks, which become spaces in lines."""
    broken = sum(bool(_BREAKS.search(str(label))) for label in model.classes.tolist())
    if broken and not model.options.multilabel:
        warn_omitted(
            f"{counted(broken, 'label')} of the model with a tab or line break, written as a "
            "space; --json has them as they are"
        )


def print_lines(model: "FittedClassifier", labels: Sequence[Any], probabilities: Doubles2d) -> None:
    """Print a line a text: label or label set, tab, its probabilities; None is an empty field.

    Parameters
    ----------
    labels
        Of each text, None where it is too unsure.
    probabilities
        p(c | D): (n_texts, n_classes).
    """
    for label, row in zip(labels, probabilities, strict=True):
        typer.echo(f"{_field(model, label)}\t{_probabilities(model, label, row)}")


def print_json(
    model: "FittedClassifier",
    labels: Sequence[Any],
    probabilities: Doubles2d,
    *,
    langs: Sequence[str | None],
    ids: Sequence[str | None] | None,
) -> None:
    """Print one JSON document: the classes, and of each text its label and all probabilities."""
    classes = model.classes.tolist()
    name = "labels" if model.options.multilabel else "label"
    rows = []
    for row, label in enumerate(labels):
        entry: dict[str, Any] = {"row": row, "lang": langs[row], name: label}
        if ids is not None:
            entry["id"] = ids[row]
        named = zip(classes, probabilities[row].tolist(), strict=True)
        entry["probabilities"] = {str(name): value for name, value in named}
        rows.append(entry)
    typer.echo(json.dumps({"classes": classes, "rows": rows}, ensure_ascii=False))


def _field(model: "FittedClassifier", label: Any) -> str:
    if model.options.multilabel:
        return written_labels(label, all_labels=model.classes.tolist())
    field = "" if label is None else _BREAKS.sub(" ", str(label))
    # A quote at the start would be read as CSV quoting, which is then what it gets.
    return '"' + field.replace('"', '""') + '"' if field.startswith('"') else field


def _probabilities(model: "FittedClassifier", label: Any, probabilities: Doubles1d) -> str:
    if not model.options.multilabel:
        return f"{probabilities.max():.4f}"
    named = dict(zip(model.classes.tolist(), probabilities.tolist(), strict=True))
    return "|".join(f"{named[one]:.4f}" for one in label)
