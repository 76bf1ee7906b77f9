"""The part of the report that `probe transfer` and the commands on its folder fill."""

from collections.abc import Callable, Sequence

from isogloss.probe.charts.panels import Folded, Section
from isogloss.probe.saved import SavedProbe
from isogloss.probe.transfer.altered.result import FORMAT as SCRIPT
from isogloss.probe.transfer.altered.result import script_charts
from isogloss.probe.transfer.explained.against import against_charts
from isogloss.probe.transfer.explained.overlap import FORMAT as OVERLAP
from isogloss.probe.transfer.explained.overlap import OVERLAP as OVERLAP_COLUMN
from isogloss.probe.transfer.explained.overlap import TITLE as OVERLAP_TITLE
from isogloss.probe.transfer.explained.typology import FORMAT as TYPOLOGY
from isogloss.probe.transfer.explained.typology import SHARE
from isogloss.probe.transfer.explained.typology import TITLE as SHARE_TITLE
from isogloss.probe.transfer.matrix.charts import matrix_charts, matrix_heat
from isogloss.probe.transfer.matrix.matrix import METRICS
from isogloss.probe.transfer.matrix.result import FORMAT as TRANSFER
from isogloss.probe.transfer.ranked.result import FORMAT as RANKING
from isogloss.probe.transfer.ranked.result import ranker_charts
from isogloss.report.table import Table

SCORE = "score"
_DOT = "A point with its 95 % interval, over sentences and seeds."


def transfer_sections(saved: Sequence[SavedProbe]) -> list[Section]:
    """Return the sections of folders of these formats, in the order of `FORMATS`."""
    sections = []
    for format, section_of in FORMATS.items():
        of_format = [one for one in saved if one.format.name == format]
        for number, one in enumerate(of_format, start=1):
            name = one.format.command.rpartition(" ")[2]
            at = f"{name}-{number}" if len(of_format) > 1 else name
            sections.append(section_of(one, at))
    return sections


def _transfer(saved: SavedProbe, anchor: str) -> Section:
    rows = saved.tables["matrix"]
    metric = METRICS.get(saved.options["task"], SCORE)
    (charts,) = matrix_charts(rows, metric)
    return Section(
        anchor=anchor,
        title="Does a tagger work in a language it was not trained on?",
        lead="A tagger is trained on each language and tested on all. In a control transfer can "
        "come from shared tokens alone; its scores in the training language say whether it can "
        "tag at all.",
        key=_DOT,
        legend=[*charts.legend],
        panels=[*charts.panels],
        heats=[matrix_heat(rows, metric)],
        folded=_folded(saved, systems="Means of each system", means="Means over zero-shot pairs"),
    )


def _overlap(saved: SavedProbe, anchor: str) -> Section:
    (charts,) = against_charts(saved.tables["pairs"], OVERLAP_COLUMN, OVERLAP_TITLE, SCORE)
    return Section(
        anchor=anchor,
        title="Does transfer need shared tokens?",
        lead="Zero-shot scores against the share of token types that two languages have in "
        "common: flat where transfer needs none.",
        key="A point is a pair of languages.",
        panels=[*charts.panels],
        folded=_folded(saved, correlations="Correlations", pairs="All pairs"),
    )


def _typology(saved: SavedProbe, anchor: str) -> Section:
    (charts,) = against_charts(saved.tables["pairs"], SHARE, SHARE_TITLE, SCORE)
    return Section(
        anchor=anchor,
        title="Does transfer need the same word order?",
        lead="Zero-shot scores against the share of six word-order features of WALS that have "
        "equal values in both languages.",
        key="A point is a pair of languages.",
        panels=[*charts.panels],
        folded=_folded(
            saved, means="Means by word order", correlations="Correlations", pairs="All pairs",
            languages="Languages in WALS",
        ),
    )  # fmt: skip


def _script(saved: SavedProbe, anchor: str) -> Section:
    (charts,) = script_charts(saved.tables["scores"], SCORE)
    return Section(
        anchor=anchor,
        title="Does a tagger read its language in another script?",
        lead="The same test text as it is written, romanised, and with words of another language.",
        key=_DOT,
        legend=[*charts.legend],
        panels=[*charts.panels],
        folded=_folded(saved, scores="All scores"),
    )


def _ranking(saved: SavedProbe, anchor: str) -> Section:
    (charts,) = ranker_charts(saved.tables["rankers"])
    return Section(
        anchor=anchor,
        title="Which language to train on?",
        lead="Training languages ranked for each target by what is known without its labels. "
        "Regret is the score lost by taking the first; NDCG@3 is 1 where the best three come in "
        "order.",
        key="A point is a mean over targets, with its 95 % interval.",
        panels=[*charts.panels],
        folded=_folded(saved, rankers="Rankings", sources="Training languages of each target"),
    )


def _folded(saved: SavedProbe, **titles: str) -> list[Folded]:
    return [Folded(title, table=Table(saved.tables[name])) for name, title in titles.items()]


FORMATS: dict[str, Callable[[SavedProbe, str], Section]] = {
    TRANSFER.name: _transfer,
    OVERLAP.name: _overlap,
    TYPOLOGY.name: _typology,
    SCRIPT.name: _script,
    RANKING.name: _ranking,
}
TRANSFER_FORMATS = (TRANSFER, OVERLAP, TYPOLOGY, SCRIPT, RANKING)
