"""What is drawn of the geometry over the layers, in the report and in the picture of a folder."""

from isogloss.probe.charts.panels import Measure

LAYERS = (
    Measure("baseline", "Baseline: cosine of random words",
            "Of two random words of different sentences."),
    Measure("self_similarity_adjusted", "Self-similarity, adjusted",
            "Cosine of two occurrences of a word, minus the baseline."),
    Measure("intra_similarity_adjusted", "Intra-sentence similarity, adjusted",
            "Cosine of a sentence's words with their mean, minus the baseline."),
    Measure("mev_adjusted", "Explained variance (MEV), adjusted",
            "The most of a word's variance that one direction explains, minus that of random "
            "words."),
    Measure("mev_centred_adjusted", "Explained variance about the mean, adjusted",
            "The same of the variance about the word's mean."),
)  # fmt: skip
ISOTROPY = (
    Measure("isoscore", "IsoScore", "0 where vectors lie on a line, 1 where they fill a ball."),
    Measure("participation_ratio", "Participation ratio", "How many directions vectors use."),
)
LENGTH = Measure("norm", "Length of vectors", "Mean over random words.")
