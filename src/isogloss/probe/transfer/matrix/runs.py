"""What is kept of each run of a transfer matrix: a tagger of one seed on one test set.

`probe script` keeps such runs too, in a folder of its own kind: no folder holds those of both.
"""

from msgspec import Struct

from isogloss.learn.run_store import Experiment
from isogloss.limits import Count, NotNegative


class TransferRun(Struct, frozen=True, forbid_unknown_fields=True):
    """What a tagger got right in each sentence of a test set, in the order of its file.

    Attributes
    ----------
    numerators, denominators
        Whose sums make the score: right words and all words of an accuracy, twice the right
        entities and those found and wanted of an F1.
    layers, C
        What the tagger chose, or was given.
    n_train_words
        Words that it was trained on.
    n_without_piece, n_unseen_tag
        Test words without a token in the encoder, and with a tag that training lacks.
    """

    numerators: list[Count]
    denominators: list[Count]
    layers: list[Count]
    C: NotNegative
    n_train_words: Count
    n_without_piece: Count
    n_unseen_tag: Count


_NOUNS = {"task": "task", "options": "options", "code of isogloss": "version of isogloss"}
TRANSFER = Experiment("transfer matrix", 1, TransferRun, _NOUNS)
ALTERED = Experiment("test on altered text", 1, TransferRun, _NOUNS)
