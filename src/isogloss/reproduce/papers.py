"""The papers by name: their tasks, and what is not measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from isogloss.reproduce import boe, geometry, labse, pires
from isogloss.reproduce.data import Paper as PaperName
from isogloss.reproduce.tasks import Asked, Task


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    tasks
        From what it is measured with to its tasks.
    not_built
        One sentence for each part that nothing here measures.
    fits
        Whether a model is learned, so that there are seeds, and the encoder may be fine-tuned.
    """

    title: str
    tasks: Callable[[Asked], list[Task]]
    not_built: Sequence[str]
    fits: bool


PAPERS: dict[PaperName, Paper] = {
    "pires": Paper(
        "Pires et al. 2019, How Multilingual is Multilingual BERT?",
        pires.tasks, pires.NOT_BUILT, fits=True,
    ),
    "boe": Paper(
        "Nishikawa et al. 2022, A Multilingual Bag-of-Entities Model for Zero-Shot Cross-Lingual "
        "Text Classification",
        boe.tasks, boe.NOT_BUILT, fits=True,
    ),
    "geometry": Paper(
        "Ethayarajh 2019, How Contextual are Contextualized Word Representations?",
        geometry.tasks, geometry.NOT_BUILT, fits=False,
    ),
    "labse": Paper(
        "Feng et al. 2022, Language-agnostic BERT Sentence Embedding",
        labse.tasks, labse.NOT_BUILT, fits=False,
    ),
}  # fmt: skip
