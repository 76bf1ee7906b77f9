"""Numbers of words in CoNLL-U and UNER: 1, 2, …, ranges of multiword tokens, empty nodes."""

import re
from dataclasses import dataclass
from pathlib import Path

from isogloss.errors import InputError, counted

_RANGE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")
_EMPTY = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")


@dataclass
class Numbering:
    """Counts within a sentence; `end` begins the next one.

    A range stands before its first word. One of a single word (``72-72``) is allowed, as by the
    validator of Universal Dependencies.
    """

    path: Path
    covered: int = 0  # last word of the last range
    range: str = ""  # and how it is written
    line: int = 0  # the line of what came last that is no word
    n_empty: int = 0  # empty nodes after the last word
    after: int = 0  # and that word

    def is_word(self, number: str, n_words: int, line: int) -> bool:
        """Whether a line is the next word; False for a range or an empty node.

        Raises
        ------
        InputError
            For another number than the one that is due.
        """
        if number == str(n_words + 1):
            return True
        message = self._checked(number, n_words)
        if message:
            raise InputError(message, path=self.path, line=line)
        self.line = line
        return False

    def end(self, n_words: int) -> None:
        """End a sentence.

        Raises
        ------
        InputError
            For a range that goes beyond the last word, and empty nodes alone.
        """
        if self.covered > n_words:
            raise InputError(
                f"the range {self.range} lacks words: the sentence has {counted(n_words, 'word')}; "
                "mend the range or add the words", path=self.path, line=self.line,
            )  # fmt: skip
        if self.line and not n_words:
            raise InputError(
                "the sentence has no words, only empty nodes; remove it or give them",
                path=self.path, line=self.line,
            )  # fmt: skip
        self.covered, self.line, self.n_empty, self.after = 0, 0, 0, 0

    def _checked(self, number: str, n_words: int) -> str:
        """Take a range or empty node; return what is wrong with it, or nothing."""
        if match := _RANGE.fullmatch(number):
            return self._checked_range(number, int(match[1]), int(match[2]), n_words)
        if match := _EMPTY.fullmatch(number):
            due = self.n_empty + 1 if self.after == n_words else 1
            if (int(match[1]), int(match[2])) != (n_words, due):
                return (
                    f"the empty node is {number:.20}, where {n_words}.{due} is due; number them "
                    "after the word before them"
                )
            self.n_empty, self.after = due, n_words
            return ""
        if not number.isdecimal():
            return f"the number of the word is '{number:.20}', where {n_words + 1} is due; mend it"
        return (
            f"the word is number {number:.20}, where {n_words + 1} is due; mend the number, or put "
            "a blank line before it if a sentence begins"
        )

    def _checked_range(self, written: str, start: int, end: int, n_words: int) -> str:
        if end < start:
            return f"the range {written} ends before it begins; mend it"
        if start <= self.covered:
            return f"the range {written} overlaps with {self.range}; mend one of them"
        if start != n_words + 1:
            return (
                f"the range {written} stands before word {n_words + 1}; put it before word "
                f"{start}, its first"
            )
        self.covered, self.range = end, written
        return ""
