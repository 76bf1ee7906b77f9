import dataclasses
import math
import re
from itertools import pairwise
from urllib.parse import unquote

import pytest
from report_pages import LANGS, Page, mean_of, row

from isogloss.data.records import Reading, read_records
from isogloss.errors import InputError
from isogloss.report.figures import Axis, chart_of, decimal
from isogloss.report.html import (
    ClassificationReport,
    LanguageNotes,
    ReportDocument,
    ReportEntity,
    ReportExample,
    headline,
)
from isogloss.report.marked import N_CHARACTERS_SHOWN, MarkedMention, excerpt
from isogloss.report.table import Table


def change(difference, p_holm):
    return {
        "difference": difference, "difference_low": difference - 0.02,
        "difference_high": difference + 0.02, "p_value": p_holm, "p_holm": p_holm,
    }  # fmt: skip


def document(text, lang="de", *, mentions=(), label="sport", gold="sport", surfaces=()):
    return ReportDocument(
        text=text, lang=lang, label=label, gold=gold,
        probabilities={"sport": 0.75, "economy": 0.25},
        probabilities_without_entities={"sport": 0.5, "economy": 0.5},
        mentions=list(mentions),
        entities=[ReportEntity("Kenya", "Q114", None, 0.6, 0.25, False, list(surfaces))],
    )  # fmt: skip


def report(rows=None, mean=None, documents=(), **others):
    rows = rows or [row("sw", 0.61)]
    given = {"title": "A title", "note": "", "settings": {}, "scores": Table(rows)} | others
    return ClassificationReport(
        rows=rows, mean=mean or mean_of([r["lang"] for r in rows]),
        documents={"Unsure": list(documents)} if documents else {}, **given,
    )  # fmt: skip


def written(path, *arguments, **others):
    report(*arguments, **others).write(path, overwrite=True)
    return path.read_text(encoding="utf-8")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "report.html"


def test_a_page_loads_nothing_and_runs_nothing(path):
    page = written(path, documents=[document("Läufer aus Kenia", mentions=[])])
    assert not re.search(r"https?:|<script|<link|<img|@import|url\(|<iframe|\bon\w+=", page)
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_texts_titles_labels_and_settings_are_only_text(path):
    attack = "<script>alert(1)</script>"
    evil = dataclasses.replace(
        document(f"{attack} Kenia", mentions=[MarkedMention(0, 10, 0.5)], surfaces=[attack]),
        label=attack, gold='"><b>', probabilities={attack: 1.0},
        entities=[ReportEntity(attack, attack, attack, 0.5, 0.1, True, [attack])],
        examples=[ReportExample(attack, attack, attack, 0.5)],
    )  # fmt: skip
    table = Table([{attack: attack}], caption=attack)
    page = written(
        path, documents=[evil], title=attack, settings={attack: attack}, note=attack, scores=table,
        confusions=table, classes=table, sources=table, audits={"sw": attack, "ja": attack},
        languages={"sw": LanguageNotes(attack, [attack])},
    )  # fmt: skip
    assert "<script" not in page
    assert "</script" not in page
    assert not Page(page).all("script")
    assert attack in Page(page).text


def test_surrogates_and_controls_do_not_stop_the_report(path):
    text = "a\ud800b\x00c\x1b Кения 🏃🏿"
    start = text.index("Кения")
    page = written(path, documents=[document(text, mentions=[MarkedMention(start, start + 5, 1)])])
    assert "a\ufffdb\ufffdc\ufffd " in page
    assert ">Кения</mark>" in page
    assert "🏃🏿" in page


@pytest.mark.parametrize(
    ("lang", "direction"),
    [("ar", "rtl"), ("he", "rtl"), ("ja", "ltr"), ("th", "ltr"), ("und", "auto")],
)
def test_a_text_has_its_language_and_direction(path, lang, direction):
    page = Page(written(path, documents=[document("كينيا ケニア เคนยา", lang)]))
    assert page.all("div", **{"class": "text"}) == [
        {"class": "text", "lang": lang, "dir": direction}
    ]


def test_marks_of_overlapping_mentions_are_cut_and_the_text_stays_whole():
    text = "केन्या और बर्लिन मैराथन"
    pieces = excerpt(
        text, [MarkedMention(10, 23, 0.2), MarkedMention(10, 16, 0.7), MarkedMention(14, 99, 0.1)]
    ).runs
    assert "".join(piece.text for piece in pieces) == text
    assert [(piece.text, piece.weight, piece.n_mentions) for piece in pieces] == [
        (text[:10], None, 0),
        (text[10:14], 0.7, 2),
        (text[14:16], 0.7, 3),
        (text[16:], 0.2, 2),
    ]


def test_weights_outside_their_range_are_brought_in():
    weights = [math.nan, 3.0, -1.0]
    mentions = [MarkedMention(place, place + 1, weight) for place, weight in enumerate(weights)]
    assert [piece.weight for piece in excerpt("北京大学", mentions).runs] == [0.0, 1.0, 0.0, None]


def test_a_long_text_is_cut_around_its_first_mention_and_says_so(path):
    text = "воды " * 1000 + "Кения бежит " + "дальше " * 1000 + "Берлин"
    start = text.index("Кения")
    mentions = [MarkedMention(len(text) - 6, len(text), 0.4), MarkedMention(start, start + 5, 0.6)]
    shown = excerpt(text, mentions)
    assert shown.start <= start < shown.end
    assert shown.end - shown.start <= N_CHARACTERS_SHOWN + 30
    assert text[shown.start - 1] == text[shown.end] == " "
    assert shown.n_mentions_outside == 1
    page = " ".join(Page(written(path, documents=[document(text, mentions=mentions)])).text.split())
    assert f"characters {shown.start + 1:,} to {shown.end:,} of {len(text):,} are shown" in page
    assert "1 linked name lies outside" in page


def test_a_cut_leaves_no_vowel_sign_alone():
    text = "कि" * 2000
    shown = excerpt(text, [MarkedMention(2001, 2002, 0.5)])
    assert text[shown.start] == "क"
    assert shown.end == len(text) or text[shown.end] == "क"


def test_headline_is_of_the_languages_that_training_has_not_seen():
    rows = [row("en", 0.95), row("sw", 0.61), row("ja", 0.82), row("ko", math.nan)]
    said = headline(rows, mean_of(["sw", "ja", "ko"]))
    assert said == ["Mean accuracy over 3 languages: 0.700 [0.65, 0.75]."]


@pytest.mark.parametrize(
    ("difference", "verdict"),
    [(0.04, "+0.040 [+0.020, +0.060], better."), (-0.04, "−0.040 [−0.060, −0.020], worse."),
     (0.01, "+0.010 [−0.010, +0.030], no clear difference.")],
)  # fmt: skip
@pytest.mark.parametrize(("versus", "other"), [(None, "the encoder alone"), ("old", "old")])
def test_headline_says_how_another_model_differs(difference, verdict, versus, other):
    rows = [
        row("fr", 0.7, **change(0.09, 0.01)),
        row("yo", 0.6, **change(-0.09, 0.01)),
        row("sw", 0.6, **change(0.01, 0.9)),
    ]
    mean = mean_of(["fr", "yo", "sw"], **change(difference, None))
    assert headline(rows, mean, versus=versus)[1:] == [
        f"Against {other}: {verdict}",
        "Clearly better: 1 of 3 languages, clearly worse: 1.",
    ]


def test_texts_of_no_known_language_are_left_out_of_the_mean(path):
    rows = [row("en", 0.9), row("sw", 0.5), row("und", 0.6)]
    page = Page(written(path, rows, mean_of(["sw"]))).text
    assert "or texts of no known one, left out of the mean" in page
    assert "undetermined language" in page


def test_what_abstaining_leaves_is_said_with_its_threshold(path):
    covered = row("sw", 0.5, coverage=0.25, accuracy_covered=0.875)
    mean = mean_of(["sw"], coverage=0.25, accuracy_covered=0.875)
    page = Page(written(path, [covered], mean, abstain_below=0.6)).text
    assert "(a label of probability 0.6 or more): 0.250; right of these: 0.875." in page
    assert "--abstain-below 0.6" in page


def test_the_first_sentence_says_where_the_target_is_reached():
    rows = [row("sw", 0.61, target="below"), row("ja", 0.82, target="above"),
            row("ko", 0.8, target="open"), row("en", 0.9, target="above")]  # fmt: skip
    said = headline(rows, mean_of(["sw", "ja", "ko"]), target=0.75)
    assert said[0] == (
        "An accuracy of 0.75 is shown in 1 of 3 languages (Japanese); 1 below it (Swahili), 1 "
        "open: too few texts to tell. Not counted: English (above)."
    )
    assert said[1].startswith("Mean accuracy over 3 languages")


def test_every_language_has_its_verdict_weakest_class_notes_and_audit(path):
    rows = [row("sw", 0.61, target="below"), row("ja", 0.82, target="above")]
    page = written(
        path, rows, target=0.75,
        languages={"sw": LanguageNotes("health (F1 0.40, 8 texts)", ["cut: 3 of 99", "other"]),
                   "ja": LanguageNotes()},
        audits={"ja": "0.84 [0.71, 0.92], above, 50 texts of inbox.csv, 2026-05-01",
                "th": "0.60 [0.46, 0.72], below, 50 texts of inbox.csv, 2026-05-01"},
    )  # fmt: skip
    text = " ".join(Page(page).text.split())
    for said in (
        "health (F1 0.40, 8 texts) cut: 3 of 99; other",
        "above 0.84 [0.71, 0.92]",
        "Audited and not evaluated here: Thai 0.60",
        "Dashed line: the target, 0.75.",
    ):
        assert said in text, said
    assert '<span class="below">below</span>' in page
    assert "audit" not in Page(written(path, rows, target=0.75)).text.split("}")[-1]
    plain = Page(written(path)).text
    assert "target" not in plain
    assert "Dashed line" not in plain  # one language: no mean


def test_the_dashed_line_is_the_target_or_the_mean(path):
    rows = [row("sw", 0.5, target="open"), row("ja", 0.8, target="open")]
    lines = [Page(written(path, rows, mean_of(["sw", "ja"], 0.65), target=target)).all(
        "line", **{"class": "mean-line"})[0]["x1"] for target in (None, 0.5)]  # fmt: skip
    assert lines == ["50.0%", "20.0%"]  # of an axis from 0.4 to 0.9


def test_a_table_can_be_saved_as_csv_without_a_script(path):
    classes = Table([{"class": 'Größe, "ä"', "F1": 0.51234}])
    page = Page(written(path, classes=classes))
    (link,) = page.all("a", download="Scores per class.csv")
    assert unquote(link["href"]) == "data:text/csv;charset=utf-8,\ufeff" + classes.to_csv()


def test_a_saved_table_computes_nothing_in_a_spreadsheet_and_comes_back(path, tmp_path):
    names = ["=HYPERLINK(1)", "+1 a", "-b", "@c", "'=d", "'tis", "-1"]
    classes = Table([{"class": name, "difference": -0.5} for name in names])
    (link,) = Page(written(path, classes=classes)).all("a", download="Scores per class.csv")
    saved = unquote(link["href"]).partition(",")[2]
    cells = [line.split(",") for line in saved.removeprefix("\ufeff").splitlines()]
    assert cells[1:] == [
        ["'=HYPERLINK(1)", "-0.5"], ["'+1 a", "-0.5"], ["'-b", "-0.5"], ["'@c", "-0.5"],
        ["''=d", "-0.5"], ["'tis", "-0.5"], ["-1", "-0.5"],
    ]  # fmt: skip
    (tmp_path / "saved.csv").write_text(saved, "utf-8")
    assert read_records(tmp_path / "saved.csv", Reading()).values(0) == names


def test_rare_confusions_are_in_the_file_alone(path):
    rows = [{"true class": f"class {number}", "texts": 1} for number in range(12)]
    page = written(path, confusions=Table(rows))
    assert "The first 10 of 12 rows; the CSV file has all." in page
    assert "class 11" not in page
    assert "class%2011" in page


def test_near_training_texts_are_shown_in_their_language(path):
    near = ReportExample("مرحبا", "sport", "ar", 0.934)
    shown = dataclasses.replace(document("Kenia"), examples=[near])
    page = Page(written(path, documents=[shown]))
    assert {"class": "text", "lang": "ar", "dir": "rtl"} in page.all("div")
    assert "Arabic, similarity 0.93" in page.text
    assert "Nearest training texts" not in written(path, documents=[document("Kenia")])


def test_one_language_has_no_best_nor_mean(path):
    page = Page(written(path))
    assert "Accuracy in Swahili: 0.610 [0.56, 0.66]." in page.text
    assert "Best" not in page.text
    assert "Documents that teach" not in page.text


def test_chart_falls_by_accuracy_and_marks_the_training_language():
    rows = [row("sw", 0.5), row("ko", math.nan), row("en", 0.9), row("ja", 0.8)]
    chart = chart_of(rows, hollow=["en"], line=0.65)
    assert [bar.scores["lang"] for bar in chart.rows] == ["en", "ja", "sw", "ko"]
    assert not chart.rows[0].dot.is_solid
    assert chart.rows[1].dot.is_solid
    assert chart.rows[-1].dot is None
    assert (chart.axis.low, chart.axis.high) == (0.4, 1.0)
    assert chart.rows[2].dot.at == pytest.approx(100 * (0.5 - 0.4) / 0.6, abs=0.01)
    assert chart.line_at == pytest.approx(100 * (0.65 - 0.4) / 0.6, abs=0.01)


def test_a_difference_is_filled_when_clear():
    rows = [row("fr", 0.7, **change(0.09, 0.01)), row("sw", 0.6, **change(0.08, 0.06)),
            row("", 0.6, **change(0.03, None))]  # fmt: skip
    chart = chart_of(rows, "difference")
    assert [bar.dot.is_solid for bar in chart.rows] == [True, False, True]
    assert chart.line_at == chart.axis.at(0.0)


@pytest.mark.parametrize(
    "values", [[0.0], [1.0], [0.5], [0.0, 1.0], [0.123, 0.124], [-0.3, 0.02], [0.6, 0.6], [0.999]]
)
def test_an_axis_holds_its_values_between_few_round_ticks(values):
    axis = Axis.around(values)
    ticks = axis.ticks()
    assert axis.low <= min(values) <= max(values) <= axis.high
    assert 2 <= len(ticks) <= 6
    assert (ticks[0].at, ticks[-1].at) == (0.0, 100.0)
    assert len({tick.label for tick in ticks}) == len(ticks)


SIZES = [1e-300, 1e-38, 1e-9, 1e-4, 1e-3, 1.0, 1e6, 2.4e9, 2.6e9, 1e30, 1e38, 1e300]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("signed", [False, True])
def test_an_axis_of_any_size_has_few_ticks(size, signed):
    """From 2.5e9 on there were once as many as memory holds."""
    for values in ([size], [-size, size], [0.0, size], [size, size * (1 + 1e-12)], [1.0, size]):
        axis = Axis.around(values)
        ticks = axis.ticks(signed=signed)
        assert axis.low <= min(values) <= max(values) <= axis.high
        assert 2 <= len(ticks) <= 6
        assert (ticks[0].at, ticks[-1].at) == (0.0, 100.0)
        assert len({tick.label for tick in ticks}) == len(ticks)
        assert max(len(tick.label) for tick in ticks) <= 11


def test_values_of_any_size_are_written_short():
    assert decimal(1e30) == "1.000e+30"
    assert decimal(-2.5e9, 1, signed=True) == "−2.5e+09"
    assert decimal(9_999_999.0, 0) == "9999999"
    labels = [tick.label for tick in Axis.around([0.0, 2.2e-9]).ticks()]
    assert labels == ["0", "5e-10", "1e-09", "1.5e-09", "2e-09", "2.5e-09"]


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_an_axis_takes_no_value_that_is_not_finite(value):
    with pytest.raises(ValueError, match="finite"):
        Axis.around([0.0, value])


@pytest.mark.parametrize("n_languages", [1, 2, len(LANGS)])
@pytest.mark.parametrize("compared", [False, True])
def test_every_language_has_a_line_in_every_chart_and_table(path, n_languages, compared):
    langs = LANGS[:n_languages]
    extra = change(0.02, 0.5) if compared else {}
    rows = [row(lang, 0.4 + 0.008 * place, **extra) for place, lang in enumerate(langs)]
    page = Page(written(path, rows, mean_of(langs, **extra)))
    assert len(page.all("svg", role="img")) == n_languages * (1 + compared)
    assert len(page.all("th", scope="row")) == n_languages * (2 + compared)
    assert ("p_holm" in page.text) == compared
    assert len(page.all("table")) == len(page.all("caption")) == 2 + compared


def test_missing_scores_are_dashes(path):
    empty = row("sw", math.nan, accuracy_seen=None, macro_f1=math.nan)
    page = Page(written(path, [empty, row("und", 0.5), row("xx-nonsense", 0.4)]))
    assert "nan" not in page.text.lower()
    assert "None" not in page.text
    assert "undetermined language" in page.text
    assert "xx-nonsense" in page.text


def test_a_document_shows_prediction_probabilities_and_entities(path):
    shown = document("Kenia", gold="economy", surfaces=["Kenia"])
    page = Page(written(path, documents=[shown]))
    text = " ".join(page.text.split())
    assert "German de: sport, ✗ wrong, it is economy" in text
    assert [bar["width"] for bar in page.all("rect")] == ["75.00%", "50.00%", "25.00%", "50.00%"]
    assert "Kenia Kenya Q114, not seen in training 0.60+0.25" in text
    assert "✗" not in written(path, documents=[dataclasses.replace(shown, gold=None)])


def test_unlikely_classes_are_left_out_but_never_the_gold_one(path):
    probabilities = {f"class {number}": 0.1 / (number + 1) for number in range(30)}
    shown = dataclasses.replace(
        document("Kenia", gold="class 29", label="class 0"),
        probabilities=probabilities,
        probabilities_without_entities=probabilities,
    )
    page = Page(written(path, documents=[shown]))
    assert len(page.all("rect")) == 2 * 4  # three, and the true one
    assert page.text.count("class 29") == 2


def test_same_input_same_bytes(path):
    first = written(path, documents=[document("Kenia")], settings={"encoder": "e5"})
    assert written(path, documents=[document("Kenia")], settings={"encoder": "e5"}) == first


def test_an_existing_report_stays_and_no_rows_are_refused(path):
    path.write_text("mine")
    with pytest.raises(InputError, match="already exists"):
        report().write(path)
    with pytest.raises(InputError, match="at least one"):
        dataclasses.replace(report(), rows=[]).write(path, overwrite=True)
    assert path.read_text() == "mine"


def test_labels_of_a_narrow_difference_axis_stay_apart():
    ticks = Axis.around([-0.02, 0.0, 0.21]).ticks(signed=True)
    major = [tick for tick in ticks if tick.is_major]
    assert [tick.label for tick in major] == ["0", "+0.3"]
    assert all(right.at - left.at >= 35 for left, right in pairwise(major))


def test_page_names_the_model_compared_with(path):
    rows = [row("fr", 0.7, **change(0.09, 0.01))]
    page = written(path, rows, mean_of(["fr"]), versus="the model old")
    assert "Against the model old: " in page
    assert "encoder alone" not in page


def test_an_entity_leads_to_its_page_where_it_has_one(path):
    shown = document("Kenia", surfaces=["Kenia"])
    assert "<a href" not in written(path, documents=[shown]).split('class="document"')[1]
    entity = dataclasses.replace(shown.entities[0], link="https://www.wikidata.org/wiki/Q114")
    page = Page(written(path, documents=[dataclasses.replace(shown, entities=[entity])]))
    assert page.all("a", href="https://www.wikidata.org/wiki/Q114", rel="noreferrer")
