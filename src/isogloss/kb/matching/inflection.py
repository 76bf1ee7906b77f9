"""Names with an ending or a particle written to them: rules by language, from ``inflections.txt``.

A rule says that a word may go on after a name in a given way to its end (*Ankara* in *Ankarada*),
or that an ending stands for the last letters of the name (*Helsinki* in *Helsingissä*: ``ngissä``
for ``nki``); or that a word may begin with particles before the name (ב in בלונדון). Nothing is
stemmed: what is left of the word must be a name, letter for letter. A function word of the
language is never taken apart.

The endings of a language are a trie over their units from the last to the first, its prefixes one
from the first on. `endings_in` walks it once at every end of a word, and says at which places of
the text a name may stop; `mark_starts` the same for places where one may begin.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import SmallInts1d
from isogloss.compiled import compiled
from isogloss.kb.matching.blocking import function_words
from isogloss.storage.files import sha256_of_package
from isogloss.text.folding import TURKIC, fold_texts
from isogloss.text.languages import fallbacks
from isogloss.text.scripts import BEGIN, END, MARK

_LINE = re.compile(
    r"(?P<lang>\S+) (?:(?P<group>[A-Z]+)|(?P<words>=)|(?P<prefix>\^?)(?P<letters>\d)): (?P<rest>.+)"
)
_BRACES = re.compile(r"\{([^{}]*)\}")


ENDING = 4  # a bit of a boundary beside `BEGIN` and `END`: an ending may begin here


class Rule(NamedTuple):
    """What may stand in a word beside a name.

    Attributes
    ----------
    written : str
        The ending or prefix in the text, folded.
    named : str
        What the name has in the place of an ending, folded; empty where the name is complete.
    letters : int
        At least so many letters of the text must be left to the name, marks not counted.
    """

    written: str
    named: str
    letters: int


@dataclass(frozen=True)
class Inflection:
    """The rules of one language, each kind a trie in one array; ``None`` where it has none.

    A node begins at a place of the array, the root at 0: its number of edges, for each edge the
    unit and the child's place; 1 where a word ends that is never taken apart, else 0; its number of
    rules, and for each rule the letters that must be left, how many units the name has in the place
    of the ending, and these units. Rules without such units come first.

    Attributes
    ----------
    endings, prefixes : int32 array or None
    """

    endings: SmallInts1d | None
    prefixes: SmallInts1d | None


def rules_fingerprint() -> str:
    """Return the SHA-256 of the rules by which names are found: endings and function words."""
    return sha256_of_package("/inflections.txt", "/function_words.txt")


@lru_cache(maxsize=64)
def inflection_of(language: str) -> Inflection:
    """Return the rules for names of a language.

    Examples
    --------
    >>> inflection_of("ko").endings is None, inflection_of("ko").prefixes is None
    (False, True)
    """
    found = _all_rules()
    tag = next((tag for tag in fallbacks(language) if tag in found), None)
    if tag is None:
        return Inflection(None, None)
    rules = found[tag]
    words = [*function_words(language), *rules.words]
    from_the_end = [rule._replace(written=rule.written[::-1]) for rule in rules.endings]
    return Inflection(
        _trie(from_the_end, [word[::-1] for word in words]) if rules.endings else None,
        _trie(rules.prefixes, words) if rules.prefixes else None,
    )


@compiled
def endings_in(offsets: Any, units: Any, boundary: Any, trie: Any) -> Any:
    """Return for each unit where the rules of the ending stand that begins there.

    Parameters
    ----------
    offsets, units, boundary
        Of the `FoldedTexts`. The `ENDING` bit of `boundary` is set where an ending begins; what is
        returned means something only there.
    trie
        `Inflection.endings`; the places returned are places in it.
    """
    rules = np.empty(units.size, np.int32)
    for text in range(offsets.size - 1):
        for stop in range(offsets[text] + 1, offsets[text + 1] + 1):
            if not boundary[stop + text] & END:
                continue
            node, at = 0, stop
            while at > offsets[text]:
                at -= 1
                node = _child(trie, node, units[at])
                if node < 0:
                    break
                after = node + 1 + 2 * trie[node]
                if at == offsets[text] or boundary[at + text]:
                    if trie[after]:
                        for place in range(at + 1, stop):
                            boundary[place + text] &= ~ENDING
                    break
                if trie[after + 1]:
                    boundary[at + text] |= ENDING
                    rules[at] = after + 1
    return rules


@compiled
def mark_starts(offsets: Any, units: Any, kinds: Any, boundary: Any, trie: Any) -> None:
    """Set the `BEGIN` bit of `boundary` where a name may begin after a prefix.

    Parameters
    ----------
    offsets, units, kinds, boundary
        Of the `FoldedTexts`.
    trie
        `Inflection.prefixes`.
    """
    for text in range(offsets.size - 1):
        stop, letters = offsets[text + 1], 0
        for first in range(offsets[text + 1] - 1, offsets[text] - 1, -1):
            if boundary[first + 1 + text] & END:
                stop, letters = first + 1, 0
            letters += kinds[first] != MARK
            if not boundary[first + text] & BEGIN:
                continue
            node, left = 0, letters
            for at in range(first, stop):
                node = _child(trie, node, units[at])
                if node < 0:
                    break
                left -= kinds[at] != MARK
                after = node + 1 + 2 * trie[node]
                if trie[after + 1] and left >= trie[after + 2] and kinds[at + 1] != MARK:
                    boundary[at + 1 + text] |= BEGIN
            if node >= 0 and trie[node + 1 + 2 * trie[node]]:
                for at in range(first + 1, stop):
                    boundary[at + text] &= ~BEGIN


@compiled
def _child(trie: Any, node: Any, unit: Any) -> Any:
    for edge in range(node + 1, node + 1 + 2 * trie[node], 2):
        if trie[edge] == unit:
            return np.int64(trie[edge + 1])
    return np.int64(-1)


@dataclass
class _Rules:
    """What the file says of a language."""

    endings: list[Rule] = field(default_factory=list)
    prefixes: list[Rule] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


@lru_cache(maxsize=1)
def _all_rules() -> dict[str, _Rules]:
    """Return the rules by language."""
    text = (files("isogloss.kb") / "inflections.txt").read_text(encoding="utf-8")
    rules: dict[str, _Rules] = {}
    groups: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError(f"inflections.txt: not a rule: {line}")
        lang, rest = match["lang"], match["rest"]
        for name, listed in groups.setdefault(lang, {}).items():
            rest = re.sub(rf"\b{name}\b", listed, rest)
        pairs = [pair for entry in rest.split() for pair in _expanded(entry)]
        if match["group"]:
            groups[lang][match["group"]] = ",".join(written for written, _ in pairs)
            continue
        found = rules.setdefault(lang, _Rules())
        written, named = (
            fold_texts([pair[side] for pair in pairs], turkic=lang in TURKIC).strings()
            for side in (0, 1)
        )
        if match["words"]:
            found.words.extend(written)
            continue
        letters = int(match["letters"])
        listed_rules = found.prefixes if match["prefix"] else found.endings
        listed_rules.extend(Rule(a, b, letters) for a, b in zip(written, named, strict=True))
    return rules


def _expanded(entry: str) -> list[tuple[str, str]]:
    """Return what an entry stands for: (ending in the text, letters of the name).

    Examples
    --------
    >>> _expanded("k{a,o}{n,ssa}>kk{1}")
    [('kan', 'kka'), ('kassa', 'kka'), ('kon', 'kko'), ('kossa', 'kko')]
    """
    left, _, right = entry.partition(">")
    parts = _BRACES.split(left)  # literal, group, literal, …
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    pairs = []
    for chosen in product(*choices):
        named = right
        for number, group in enumerate(chosen[1::2], start=1):
            named = named.replace(f"{{{number}}}", group)
        pairs.append(("".join(chosen), named))
    return pairs


def _trie(rules: list[Rule], words: list[str]) -> SmallInts1d:
    """Build the trie of rules and, to be left alone, of whole words (see `Inflection`)."""
    children: list[dict[str, int]] = [{}]

    def node_of(string: str) -> int:
        node = 0
        for character in string:
            if character not in children[node]:
                children[node][character] = len(children)
                children.append({})
            node = children[node][character]
        return node

    by_node: dict[int, dict[str, int]] = {}
    for rule in rules:
        named = by_node.setdefault(node_of(rule.written), {})
        named[rule.named] = min(rule.letters, named.get(rule.named, rule.letters))
    whole = {node_of(word) for word in words}
    packed = []
    for node, edges in enumerate(children):
        found = sorted(by_node.get(node, {}).items())
        record = [len(edges), *(x for c in sorted(edges) for x in (ord(c), edges[c]))]
        record += [int(node in whole), len(found)]
        for name_end, letters in found:
            record += [letters, len(name_end), *map(ord, name_end)]
        packed.append(record)
    place = np.concatenate([[0], np.cumsum([len(record) for record in packed])])
    for record in packed:
        for edge in range(2, 2 + 2 * record[0], 2):
            record[edge] = int(place[record[edge]])
    return np.array([number for record in packed for number in record], np.int32)
