"""The papers by name: their tasks, and what is not measured."""

from isogloss.reproduce import boe, geometry, labse, pires
from isogloss.reproduce.data import Paper as PaperName
from isogloss.reproduce.tasks import Paper

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
