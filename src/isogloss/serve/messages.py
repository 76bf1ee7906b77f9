"""The JSON of requests and answers; `schemas` is what ``/openapi.json`` says of it.

Offsets count code points, as Python does: languages that count UTF-16 (JavaScript, Java, C#) must
convert them in texts with emoji.
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from isogloss.data.row_languages import LangBy

KnownBy = Literal["audit", "forecast", "unknown"]


class AskedText(Struct, frozen=True, forbid_unknown_fields=True):
    """A text, its name if it has one, and its language; without that it is detected."""

    text: str
    id: str | int | None = None
    lang: str | None = None


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """What ``POST /v1/classify`` takes; `explain` adds entities, examples and the answer without.

    Their fields are null where it is false.
    """

    texts: list[AskedText]
    explain: bool = False


class Mention(Struct, frozen=True):
    """A name in the text, from `start` to before `end`, and the entity that it may mean.

    What it adds to the label is in log-odds, as in `EntityEvidence`; the link leads to Wikidata.
    """

    id: str
    title: str
    start: int
    end: int
    weight: float
    adds: float
    raises: Any
    raises_by: float
    link: str | None


class WithoutEntities(Struct, frozen=True):
    """The answer of the encoder alone."""

    label: Any
    probability: float | None
    probabilities: dict[str, float]


class NearText(Struct, frozen=True):
    """A training text near to the text, with the cosine of their vectors."""

    text: str
    label: Any
    lang: str | None
    similarity: float


class Known(Struct, frozen=True):
    """What is known of the accuracy in the language of a text.

    `by` says how: the last audit, with its interval; else a forecast from the `n` different texts
    of the language that this server was asked, without `accuracy` where these are few; else
    nothing. Of an audit `is_blind` says whether the answers were hidden from who labelled.
    """

    by: KnownBy
    accuracy: float | None = None
    low: float | None = None
    high: float | None = None
    n: int | None = None
    is_blind: bool | None = None


class Answer(Struct, frozen=True):
    """The answer to a text; `probability` is null where a text may have several labels."""

    id: str | int | None
    status: str
    lang: str | None
    lang_by: LangBy
    label: Any
    probability: float | None
    probabilities: dict[str, float]
    support: float | None
    entities: list[Mention] | None
    without_entities: WithoutEntities | None
    examples: list[NearText] | None
    known: Known


class ModelName(Struct, frozen=True):
    """The model that answers."""

    name: str
    fingerprint: str
    labels: list[Any]


class Answered(Struct, frozen=True):
    """What ``POST /v1/classify`` gives."""

    model: ModelName
    answers: list[Answer]


class ModelFacts(Struct, frozen=True):
    """What ``GET /v1/model`` gives."""

    model: ModelName
    langs: list[str]
    n_training_documents: int
    multilabel: bool
    has_entities: bool
    has_examples: bool
    known: dict[str, Known]
    limits: dict[str, float]
    version: str


class Fault(Struct, frozen=True):
    """What is wrong: a word for programs, a sentence for humans, and the place in the request."""

    code: str
    message: str
    where: str | None


class Failed(Struct, frozen=True):
    """What is given for a request that cannot be answered."""

    error: Fault


def schemas() -> dict[str, Any]:
    """Return name → JSON Schema of each message."""
    _, found = msgspec.json.schema_components(
        [Asked, Answered, ModelFacts, Failed], ref_template="#/components/schemas/{name}"
    )
    return dict(found)
