"""What ``isogloss kb info`` prints: a block a source, a table of languages.

``kb info --json`` prints the same facts as they are in the manifest.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import typer

from isogloss.cli.output import console
from isogloss.report.table import Table

_AS_TABLES = ("languages", "fallbacks")
# Counts of a source that say the same as another where they are equal, as they are for a Wikipedia.
_TWINS = {"entities": "n_entities"}


def print_info(facts: Mapping[str, Any]) -> None:
    """Print what `KnowledgeBase.info` returned."""
    for key, value in facts.items():
        if key not in ("sources", *_AS_TABLES):
            for line in _lines(key, value):
                typer.echo(line)
    for source in facts["sources"]:
        typer.echo(f"\nsource {source['name']}")
        for line in _of_source(source):
            typer.echo(f"  {line}")
    for key in _AS_TABLES:
        rows = [{"lang": lang, **counts} for lang, counts in facts[key].items()]
        if rows:
            typer.echo(f"\n{key}")
            Table(rows).render(console())


def _of_source(source: Mapping[str, Any]) -> Iterator[str]:
    """Yield the facts of a source; what it counts beside them, and fields not used, come last."""
    for key, value in source.items():
        is_twin = key in _TWINS and value == source[_TWINS[key]]
        if key not in ("name", "counts", "unused_fields") and not is_twin:
            yield f"{key}: {value}"
    for key in ("unused_fields", "counts"):
        if source.get(key):
            yield f"{key}:"
            yield from (f"  {what}: {n}" for what, n in source[key].items())


def _lines(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield f"{key}:"
        yield from (f"  {part}: {said}" for part, said in value.items())
    else:
        yield f"{key}: {value}"
