"""The files of the routing set as a company would have them: labelled messages, and an inbox."""

import csv
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.text.languages import parse_language
from routing_data import Messages
from routing_products import masked, names_product


@dataclass(frozen=True)
class Inbox:
    """Messages of all languages, one after the other, with what is known of each.

    Attributes
    ----------
    ids
        Equal for translations of one English message.
    is_named
        Whether the English side names a product.
    """

    ids: list[str]
    langs: list[str]
    texts: list[str]
    labels: list[str]
    is_named: list[bool]

    def masked(self) -> "Inbox":
        """Return the same messages with their product names masked."""
        texts = [masked(text) for text in self.texts]
        return Inbox(self.ids, self.langs, texts, self.labels, self.is_named)

    def first(self, n: int, langs: Iterable[str]) -> "Inbox":
        """Return the first messages of some languages, `n` each."""
        kept = [row for lang in langs for row in self.rows_of(lang)[:n]]
        columns = (self.ids, self.langs, self.texts, self.labels, self.is_named)
        return Inbox(*([column[row] for row in kept] for column in columns))

    def rows_of(self, lang: str) -> list[int]:
        """Return the rows of one language."""
        return [row for row, code in enumerate(self.langs) if code == lang]


def inbox_of(tests: dict[str, Messages]) -> Inbox:
    """Put the test messages of each language into one inbox, and their English sides as English.

    English sides that several areas share are left out of the English ones.
    """
    areas: dict[str, set[str]] = {}
    for test in tests.values():
        for english, label in zip(test.english, test.labels, strict=True):
            areas.setdefault(english, set()).add(label)
    own = {english: label for english, (label, *more) in areas.items() if not more}
    everything = {"en": Messages([*own], [*own.values()], [*own]), **tests}
    inbox = Inbox([], [], [], [], [])
    for lang, test in everything.items():
        inbox.ids.extend(hashlib.sha256(text.encode()).hexdigest()[:12] for text in test.english)
        inbox.langs.extend([parse_language(lang)] * len(test.texts))
        inbox.texts.extend(test.texts)
        inbox.labels.extend(test.labels)
        inbox.is_named.extend(map(names_product, test.english))
    return inbox


def write_messages(path: Path, training: Messages) -> None:
    """Write labelled messages: text, label."""
    _write(path, ["text", "label"], zip(training.texts, training.labels, strict=True))


def write_inbox(path: Path, inbox: Inbox) -> None:
    """Write the inbox with answers (label) and languages (lang) to score with."""
    columns = (inbox.ids, inbox.langs, inbox.texts, inbox.labels)
    _write(path, ["id", "lang", "text", "label"], zip(*columns, strict=True))


def _write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
