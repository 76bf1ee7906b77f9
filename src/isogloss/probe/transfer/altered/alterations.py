"""Ways to alter a text whose tags stay: romanised, or some of its words of another language."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from isogloss.data.column_files import read_column_file
from isogloss.errors import InputError
from isogloss.probe.transfer.matrix.sets import TaggedText, read_tagged
from isogloss.probe.transfer.script.code_switching import code_switched
from isogloss.probe.transfer.script.dictionary import Dictionary
from isogloss.probe.transfer.script.romanising import romanised
from isogloss.text.languages import LanguageFile

AS_WRITTEN = "as written"
ROMANISED = "romanised"
SWITCHED = " switched"  # after a percentage
MIXED = "code-switched, "  # before the language whose words are scored
UNSAID = "no Lang"  # words whose language a file does not say

Alter = Callable[[TaggedText], TaggedText]
Dictionaries = Callable[[Sequence[str]], Dictionary]  # of the distinct words of a text


@dataclass(frozen=True)
class Alteration:
    """A way to alter text.

    Attributes
    ----------
    name
        As in tables: ``"romanised"``, ``"50 % switched"``.
    """

    name: str
    apply: Alter


def romanising() -> Alteration:
    """Return the alteration to Latin letters."""
    return Alteration(ROMANISED, _romanised)


def switching(shares: Sequence[float], dictionary: Dictionaries, *, seed: int) -> list[Alteration]:
    """Return an alteration for each share of the words that a dictionary has.

    Parameters
    ----------
    dictionary
        What has the translations of words.
    """
    return [
        Alteration(f"{round(100 * share)} %{SWITCHED}", _Switching(share, dictionary, seed))
        for share in shares
    ]


@dataclass(frozen=True)
class _Switching:
    share: float
    dictionary: Dictionaries
    seed: int

    def __call__(self, text: TaggedText) -> TaggedText:
        words = list(dict.fromkeys(word for words in text.sentences for word in words))
        found = code_switched(
            text.sentences, self.dictionary(words), share=self.share, seed=self.seed
        )
        return replace(text, sentences=found.sentences, n_changed=found.n_switched)


def _romanised(text: TaggedText) -> TaggedText:
    found = romanised(text.sentences, text.lang)
    return replace(text, sentences=found.sentences, n_changed=found.n_changed)


def by_language_of_words(file: LanguageFile) -> dict[str, TaggedText]:
    """Read a code-switched CoNLL-U: the text once for each language that ``Lang=`` of MISC names.

    In each only the words of that language are scored.

    Raises
    ------
    InputError
        When no word says its language.
    """
    text = read_tagged(file, "upos")
    read = read_column_file(file.path, column="upos", misc=True)
    langs = [[lang_in(misc) for misc in one.misc or []] for one in read.sentences]
    names = sorted({lang for some in langs for lang in some})
    if names == [UNSAID]:
        raise InputError(
            "no word says its language; the last column needs Lang=, as in Lang=en", path=file.path
        )
    return {
        name: replace(text, is_scored=[[lang == name for lang in some] for some in langs])
        for name in names
    }


def lang_in(misc: str) -> str:
    """Return what ``Lang=`` says in a MISC column.

    Examples
    --------
    >>> lang_in("SpaceAfter=No|Lang=hi"), lang_in("_")
    ('hi', 'no Lang')
    """
    found = (part.removeprefix("Lang=") for part in misc.split("|") if part.startswith("Lang="))
    return next(found, UNSAID) or UNSAID
