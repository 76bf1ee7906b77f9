"""Small dumps of Wikidata for tests."""

import json
from pathlib import Path
from typing import Any

Named = dict[str, list[str]]


def item(
    number: int,
    names: Named | None = None,
    titles: dict[str, str] | None = None,
    classes: list[int] | None = None,
) -> dict[str, Any]:
    """Return an item: its names are a label and aliases for each language tag, "" for no label."""
    names, titles = names or {}, {"testwiki": "", **(titles or {})}
    value = [{"value": {"id": f"Q{cls}"}} for cls in classes or []]
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {tag: {"value": listed[0]} for tag, listed in names.items() if listed[0]},
        "aliases": {tag: [{"value": a} for a in listed[1:]] for tag, listed in names.items()},
        "claims": {"P31": [{"mainsnak": {"datavalue": one}} for one in value]} if value else [],
        "sitelinks": {site: {"title": title} for site, title in titles.items()},
    }


def write_dump(path: Path, *entities: dict[str, Any]) -> Path:
    lines = (json.dumps(one, ensure_ascii=False, separators=(",", ":")) for one in entities)
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n", "utf-8")
    return path


MANY = [
    item(i, {"en": [f"Name{i}"], "ja": [f"名{i}"]}, {"enwiki": f"Name{i} (x)"}, [i % 7 + 1])
    for i in range(1, 400)
]
