"""Whether tags are of entities, and in which scheme."""

from collections.abc import Sequence
from typing import Literal

from isogloss.errors import InputError, did_you_mean, warn_caller
from isogloss.tag.schemes import OUTSIDE, SCHEMES, Scheme, Where, check_tags, found_scheme

SchemeChoice = Literal["auto", "none", "IOB1", "IOB2", "BIOES", "BILOU"]
CHOICES: tuple[SchemeChoice, ...] = ("auto", "none", *SCHEMES)
PREFIXES = "BIESLU"


def entity_scheme(
    choice: SchemeChoice, tags: Sequence[Sequence[str]], *, where: Where | None = None
) -> Scheme | None:
    """Return the scheme of tags of entities; None where they are none of entities.

    Parameters
    ----------
    choice
        ``"auto"``: found out, where ``O`` and a tag with a prefix are among the tags; ``"none"``:
        each word has a tag by itself.
    where
        Gives the place of a word for errors.

    Raises
    ------
    InputError
        When tags break the rule of a scheme that was declared, or keep to none; when some have a
        prefix and others none.

    Warns
    -----
    UserWarning
        When ``O`` is among tags of which none has a prefix, as in ``O``, ``LOC``.

    Examples
    --------
    >>> entity_scheme("auto", [["B-LOC", "O"]]), entity_scheme("auto", [["NOUN", "VERB"]])
    ('IOB2', None)
    """
    if not isinstance(choice, str) or choice not in CHOICES:
        raise InputError(f"scheme is {choice!r:.40}; {did_you_mean(str(choice), CHOICES)}")
    if choice == "none":
        return None
    if choice == "auto":
        names = {tag for of_sentence in tags for tag in of_sentence}
        if outside_of(list(names)) is not None:
            return found_scheme(tags, where=where)
        if OUTSIDE in names and len(names) > 1:
            some = min(names - {OUTSIDE})
            warn_caller(
                f"tags have O, but none a prefix ({some:.20}, …): each word is tagged by itself; "
                f"if they are of entities, write B-{some:.20} and I-{some:.20}"
            )
        return None
    check_tags(tags, choice, where=where)
    return choice


def outside_of(tag_names: Sequence[str]) -> int | None:
    """Return the place of the tag of words in no entity; None: the tags are none of entities.

    Examples
    --------
    >>> outside_of(["B-LOC", "O"]), outside_of(["NOUN", "VERB"])
    (1, None)
    """
    are_of_entities = OUTSIDE in tag_names and any(map(_has_prefix, tag_names))
    return tag_names.index(OUTSIDE) if are_of_entities else None


def _has_prefix(tag: str) -> bool:
    return tag[:1] in PREFIXES and tag[1:2] == "-" and len(tag) > 2
