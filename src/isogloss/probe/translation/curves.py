"""What is drawn of vector translation over the layers, in the report and beside the tables."""

from isogloss.probe.charts.panels import Measure

MEASURES = (
    Measure("accuracy", "With the offset, accuracy", "L2, as in the paper's Figure 3"),
    Measure("without_offset", "Without the offset", "L2"),
    Measure("accuracy_back", "With the offset, back", "L2, from the second language to the first"),
    Measure("cosine", "With the offset, by cosine", "the first language to the second"),
    Measure("csls", "With the offset, by CSLS", "cosine minus that of neighbours"),
    Measure("held_out", "With the offset of other pairs", "L2, among half of the sentences"),
)
