"""An explanation on standard output: the answer, how far entities changed it, the entities."""

from typing import Any

import typer

from isogloss.classify.evaluate.evidence import EntityEvidence
from isogloss.classify.evaluate.explanation import NO_WEIGHT, Explanation
from isogloss.classify.examples import N_OF_SUPPORT
from isogloss.classify.fitted import FittedClassifier
from isogloss.cli.output import console
from isogloss.errors import counted
from isogloss.report.table import Table
from isogloss.visible import visible

IN_LOG_ODDS = "adds: in log-odds; +0.69 doubles the odds of the label, -0.69 halves them"
LONGEST_SHOWN = 160  # characters of a training text


def print_explanation(model: FittedClassifier, explanation: Explanation) -> None:
    """Print an explanation by `model` on standard output."""
    from isogloss.classify.heads.mboe import MboeHead

    typer.echo(visible(f"{explanation.text}\n→ {_shown(explanation.label)}"))
    printed = console()
    likeliest = sorted(explanation.probabilities.items(), key=lambda pair: -pair[1])
    without = explanation.probabilities_without_entities
    # Of mboe, another classifier than one without a knowledge base would be.
    other = "no entities" if isinstance(model.head, MboeHead) else "encoder alone"
    rows: list[dict[str, Any]] = [
        {"label": str(label), "probability": probability}
        if model.kb is None
        else {
            "label": str(label),
            "with entities": probability,
            other: without[label],
            # Of thousandths, as the probabilities beside it.
            "difference": round(explanation.difference[label], 3),
        }
        for label, probability in likeliest
    ]
    Table(rows).render(printed)
    if explanation.corrected is not None:
        texts = counted(explanation.corrected, "text")
        typer.echo(f"corrected: vectors of {explanation.lang}, as learned from {texts}")
    _print_entities(model, explanation)
    _print_examples(model, explanation)


def _print_entities(model: FittedClassifier, explanation: Explanation) -> None:
    if model.kb is None:
        typer.echo("this model has no knowledge base: the text's vector alone decides")
        return
    if not explanation.entities:
        typer.echo("nothing linked: the text's vector alone decides")
        return
    if not explanation.entities_have_weight:
        typer.echo(NO_WEIGHT)
    named = [
        {
            "name in the text": ", ".join(
                dict.fromkeys(explanation.text[start:end] for start, end in entity.spans)
            ),
            "entity": entity.title,
            "id": entity.id,
            "share": entity.share,
            **_direction(explanation, entity),
            "seen in training": "yes" if entity.seen else "no",
        }
        for entity in explanation.entities[:20]
    ]
    Table(named).render(console())
    if len(explanation.entities) > 20:
        typer.echo(f"… and {len(explanation.entities) - 20} lighter ones (--json has all)")
    if explanation.entities_have_weight:
        typer.echo(IN_LOG_ODDS)


def _direction(explanation: Explanation, entity: EntityEvidence) -> dict[str, Any]:
    """Return what an entity adds, in log-odds, where entities can change a probability.

    The label that it raises most is named where, for any of the entities, it is another.
    """
    if not explanation.entities_have_weight:
        return {}
    best = max(explanation.probabilities, key=explanation.probabilities.__getitem__)
    row = {f"adds to {best}": f"{entity.adds:+.2f}"}
    if any(one.raises not in (None, best) for one in explanation.entities):
        is_other = entity.raises not in (None, best)
        row["raises most"] = f"{entity.raises} {entity.raises_by:+.2f}" if is_other else ""
    return row


def _print_examples(model: FittedClassifier, explanation: Explanation) -> None:
    """Print the nearest training texts, where the model keeps them."""
    if explanation.examples is None or explanation.support is None:
        return
    near = [
        {
            "nearest training text": _beginning(example.text),
            "label": _shown(example.label),
            "language": example.lang or "",
            "similarity": example.similarity,
        }
        for example in explanation.examples
    ]
    Table(near).render(console())
    n = min(N_OF_SUPPORT, 0 if model.examples is None else len(model.examples))
    typer.echo(f"support: {explanation.support:.2f} of the {n} nearest carry the label")


def _beginning(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= LONGEST_SHOWN else f"{whole[:LONGEST_SHOWN]} …"


def _shown(label: Any) -> str:
    """Return a label, or the labels of a set, as a text."""
    return ", ".join(map(str, label)) or "no label" if isinstance(label, tuple) else str(label)
