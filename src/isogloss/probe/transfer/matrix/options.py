"""Options of `probe transfer`."""

from dataclasses import dataclass

from isogloss.encode.words.token_pooling import WordPooling
from isogloss.limits import LARGEST_SEED, check_count
from isogloss.probe.transfer.matrix.matrix import Task


@dataclass(frozen=True)
class TransferOptions:
    """What is measured, the same for every system.

    Parameters
    ----------
    task
        ``"upos"``: parts of speech, by accuracy; ``"ner"``: entities, by strict F1.
    words
        To train on, of each training language; 0: all.
    seeds
        How often training sentences are drawn and a tagger is fitted.
    layer, pieces
        As of `TokenTagger`.
    seed
        The first of the seeds; also of the bootstrap, and of random layers.
    """

    task: Task = "upos"
    words: int = 5000
    seeds: int = 3
    layer: str = "auto"
    pieces: WordPooling = "mean"
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("words", self.words, least=0)
        check_count("seeds", self.seeds, most=100)
        check_count("seed", self.seed, least=0, most=LARGEST_SEED - 100)

    @property
    def n_words(self) -> int | None:
        """Words to draw; None: all."""
        return self.words or None

    @property
    def all_seeds(self) -> list[int]:
        """The seeds of the taggers."""
        return [self.seed + number for number in range(self.seeds)]
