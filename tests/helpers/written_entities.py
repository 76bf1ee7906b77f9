"""Lines of a Wikidata dump for tests, in the form in which Wikibase writes them."""

import json
from typing import Any


def item(
    number: int,
    labels: dict[str, str] | None = None,
    aliases: dict[str, list[str]] | None = None,
    titles: dict[str, str] | None = None,
    classes: list[int] | None = None,
    *,
    claims: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return an item, with statements that are not read; what is empty is written as a list."""
    more = {"P18": [statement("P18", "Berlin.jpg", type="string")]} if classes else {}
    instance_of = [statement("P31", reference_to(cls)) for cls in classes or []]
    own = {**more, **({"P31": instance_of} if instance_of else {})} if claims is None else claims
    return {
        "type": "item",
        "id": f"Q{number}",
        "labels": {tag: {"language": tag, "value": text} for tag, text in (labels or {}).items()}
        or [],
        "descriptions": {"en": {"language": "en", "value": 'a "P31":[{"mainsnak": text'}},
        "aliases": {
            tag: [{"language": tag, "value": text} for text in listed]
            for tag, listed in (aliases or {}).items()
        }
        or [],
        "claims": own or [],
        "sitelinks": {
            site: {"site": site, "title": title, "badges": []}
            for site, title in (titles or {}).items()
        }
        or [],
        "pageid": number,
        "ns": 0,
        "lastrevid": 7,
        "modified": "2026-01-01T00:00:00Z",
    }


def statement(prop: str, value: Any, *, type: str = "wikibase-entityid", rank: str = "normal"):
    """Return a statement with P31 as a qualifier and in a reference, where it does not count."""
    other = {"P31": [snak("P31", reference_to(404))]}
    return {
        "mainsnak": snak(prop, value, type),
        "type": "statement",
        "qualifiers": other,
        "qualifiers-order": ["P31"],
        "id": "Q64$1",
        "rank": rank,
        "references": [{"hash": "0", "snaks": other, "snaks-order": ["P31"]}],
    }


def snak(prop: str, value: Any, type: str = "wikibase-entityid") -> dict[str, Any]:
    return {
        "snaktype": "value",
        "property": prop,
        "hash": "0",
        "datavalue": {"value": value, "type": type},
    }


def reference_to(number: int) -> dict[str, Any]:
    return {"entity-type": "item", "numeric-id": number, "id": f"Q{number}"}


def line(entity: dict[str, Any]) -> bytes:
    return json.dumps(entity, ensure_ascii=False, separators=(",", ":")).encode()


def array(*entities: dict[str, Any]) -> bytes:
    """Return a dump: an array, one entity a line."""
    return b"[\n" + b",\n".join(line(entity) for entity in entities) + b"\n]\n"
