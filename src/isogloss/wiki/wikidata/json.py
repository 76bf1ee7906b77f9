"""One line of a Wikidata dump to the few fields that are needed, by msgspec.

What is not named here is checked to be JSON and passed over without being built. Most bytes of a
line are statements (``claims``), of which only *instance of* (P31) counts.
"""

from typing import Any

from msgspec import DecodeError, Struct, field
from msgspec.json import Decoder

# What is raised for a line that is no entity; a UnicodeDecodeError is a ValueError.
NOT_AN_ENTITY = (DecodeError, ValueError, RecursionError)

_MOST_DIGITS = 18  # a number fits into an int64


class Term(Struct, gc=False):
    """A label or alias."""

    value: str


class Sitelink(Struct, gc=False):
    """An article about the entity."""

    title: str


class _Reference(Struct, gc=False):
    id: str = ""
    number: int = field(name="numeric-id", default=0)  # alone before 2017


class _DataValue(Struct, gc=False):
    value: _Reference | str | float | bool | list[Any] | None = None


class _Snak(Struct, gc=False):
    datavalue: _DataValue | None = None


class _Statement(Struct, gc=False):
    mainsnak: _Snak
    rank: str = "normal"


class _Claims(Struct, gc=False):
    P31: list[_Statement] = field(default_factory=list)


class _Redirect(Struct, gc=False):
    origin: str = field(name="from")


class Entity(Struct, gc=False):
    """What is read of an entity; an empty object may be written as an empty list.

    ``{"entity": "Q1", "redirect": "Q2"}`` is how Wikibase stores a redirected id; ``redirects`` is
    how its web interface tells one beside the entity it leads to.
    """

    type: str = ""
    id: str = ""
    labels: dict[str, Term] | tuple[()] = ()
    aliases: dict[str, list[Term]] | tuple[()] = ()
    claims: _Claims | tuple[()] = ()
    sitelinks: dict[str, Sitelink] | tuple[()] = ()
    entity: str = ""
    redirect: str = ""
    redirects: _Redirect | None = None

    def classes(self) -> list[int]:
        """Return the numbers of the items it is an instance of, deprecated statements left out."""
        found: list[int] = []
        if not self.claims:
            return found
        for statement in self.claims.P31:
            data = statement.mainsnak.datavalue
            if data and isinstance(data.value, _Reference) and statement.rank != "deprecated":
                found.append(data.value.number or number_of(data.value.id))
        return found


parse_entity = Decoder(Entity).decode  # of the bytes of one line, without the comma behind it


def number_of(item: str) -> int:
    """Return 64 for ``"Q64"``.

    Raises
    ------
    ValueError
        When it is no id of an item.
    """
    digits = item[1:]
    if item[:1] == "Q" and digits.isdigit() and digits.isascii() and len(digits) <= _MOST_DIGITS:
        return int(digits)
    raise ValueError(f"{item!r} is no item")
