"""The papers by name: their tasks, the encoder that they had, and what is not measured."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from isogloss.reproduce import geometry
from isogloss.reproduce.tasks import Asked, Task

PaperName = Literal["geometry"]
NAMES: tuple[PaperName, ...] = get_args(PaperName)


@dataclass(frozen=True)
class Paper:
    """A paper.

    Attributes
    ----------
    tasks
        From what it is measured with to its tasks.
    not_built
        One sentence for each part that nothing here measures.
    """

    title: str
    tasks: Callable[[Asked], list[Task]]
    not_built: Sequence[str]


PAPERS: dict[PaperName, Paper] = {
    "geometry": Paper(
        "Ethayarajh 2019, How Contextual are Contextualized Word Representations?",
        geometry.tasks, geometry.NOT_BUILT,
    ),
}  # fmt: skip
