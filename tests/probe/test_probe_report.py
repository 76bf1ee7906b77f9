"""The report of probes: what it says, and that it is a page."""

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import made_up
import pytest

from isogloss.errors import InputError
from isogloss.probe.geometry.claims import CLAIMS, NOT_ISOTROPIC
from isogloss.probe.report.page import write_probe_report

LANGS = [
    "en", "de", "fr", "es", "pt", "it", "nl", "pl", "ru", "uk", "el", "tr", "ar", "fa", "he", "hi",
    "bn", "ta", "th", "vi", "id", "ja", "ko", "zh", "zh-Hant", "sw", "yo", "am",
]  # fmt: skip
VOID = {"meta", "br", "wbr"}


class Page(HTMLParser):
    """Check that tags nest; keep them, and the text without the style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        assert self.open == []
        self.text = " ".join(self.text.split())

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [one for name, one in self.tags if name == tag and attributes.items() <= one.items()]


def page_of(tmp_path: Path, *manifests: dict[str, Any]) -> str:
    folders = [
        made_up.folder(tmp_path / f"folder {number}", manifest)
        for number, manifest in enumerate(manifests)
    ]
    out = tmp_path / "report.html"
    write_probe_report(folders, out)
    return out.read_text("utf-8")


def shown(tmp_path: Path, *manifests: dict[str, Any]) -> Page:
    return Page(page_of(tmp_path, *manifests))


def test_a_page_loads_nothing_and_runs_nothing(tmp_path: Path) -> None:
    page = page_of(tmp_path, made_up.geometry(), made_up.neutrality())
    assert not re.search(r"https?:|<script|<link|<img|@import|url\(|<iframe|\bon\w+=", page)
    assert page.count("prefers-color-scheme: dark") == 2
    assert page.count("@media print") == 3


def test_names_and_words_are_only_text(tmp_path: Path) -> None:
    attack = "<script>alert(1)</script>"
    manifest = made_up.geometry([(attack, "en"), ('"><b>', attack)], word=attack)
    manifest["notes"], manifest["options"] = [attack], {attack: attack}
    manifest["made_by"] = attack
    for row in manifest["transforms"]:
        row["transform"] = attack + row["transform"]
    for row in manifest["claims"]:
        row["measured"] = f"{attack} {{0.__class__}} {row['measured']}"
    both = made_up.neutrality((attack, "b\ud800\x00"), (attack, "ja"))
    page = page_of(tmp_path, manifest, both)
    assert "<script" not in page
    assert not Page(page).all("script")
    assert not Page(page).all("b", **{"": ""})
    assert attack in Page(page).text
    assert "b\ufffd\ufffd" in page


def test_the_page_says_each_verdict_in_both_directions(tmp_path: Path) -> None:
    good = made_up.geometry(claim_values=[0.1, 0.1, -0.1, 0.0, 0.0, 0.0])
    bad = made_up.geometry(claim_values=[-0.1, -0.1, 0.1, 0.5, 0.5, 0.5])
    for manifest, verdict in ((good, "Holds"), (bad, "Does not hold")):
        text = shown(tmp_path / verdict, manifest).text
        assert (
            f"{verdict}: not isotropic; self-similarity above baseline; more context-specific in "
            "upper layers; a static vector explains < 5 %, uncentred;" in text
        )
    assert "smallest baseline cosine; claimed above 0" in text
    assert "largest adjusted MEV, uncentred; claimed below 0.05" in text
    assert "tiny✗ −0.100 [−0.11, −0.09]" in text


def test_several_languages_are_counted_and_the_others_named(tmp_path: Path) -> None:
    manifest = made_up.geometry([("tiny", lang) for lang in LANGS[:8]])
    of_claim = [row for row in manifest["claims"] if row["claim"] == NOT_ISOTROPIC]
    of_claim[3] |= {"verdict": "does not hold", "value": -0.2}
    of_claim[4] |= {"verdict": "undecided"}
    text = shown(tmp_path, manifest).text
    assert "Holds: not isotropic (6 of 8); self-similarity above baseline;" in text
    assert "Does not hold: not isotropic (1 of 8); a static vector explains < 5 %, uncentr" in text
    assert "Undecided: not isotropic (1 of 8)." in text
    assert "Spanish✗ −0.200 [0.10, 0.12]" in text


def test_a_page_of_both_says_what_each_part_is_of(tmp_path: Path) -> None:
    """Claims measured in English alone once stood below a title with four languages."""
    both = made_up.geometry(), made_up.neutrality(langs=("en", "de", "sw", "ja"))
    page = shown(tmp_path, *both)
    assert "Layers of tiny in English, German, Swahili and Japanese" in page.text
    assert "Geometry of tiny in English. Holds: not isotropic;" in page.text
    assert (
        "Neutrality of tiny in English, German, Swahili and Japanese. In layer 2, the best, the "
        "language can be read off a vector, even without each language's mean. Removing each "
        "language's mean finds more translations: do so." in page.text
    )
    assert page.text.count("Measured: tiny in English.") == 1 + 2 + 1  # claims, sections
    assert page.text.count("Measured: tiny in English, German, Swahili and Japanese.") == 5
    assert "English✓ 0.110 [0.10, 0.12]" in page.text


def test_a_page_of_one_part_says_it_once(tmp_path: Path) -> None:
    text = shown(tmp_path / "g", made_up.geometry()).text
    assert "Geometry of" not in text
    assert text.count("Measured: tiny in English.") == 1
    text = shown(tmp_path / "n", made_up.neutrality()).text
    assert "Neutrality of" not in text
    assert "Measured:" not in text
    assert text.index("the language can be read off") < text.index("Does a vector tell")


def test_many_encoders_have_no_sentence_each_at_the_top(tmp_path: Path) -> None:
    text = shown(tmp_path, made_up.neutrality([f"model{n}" for n in range(5)])).text
    assert "can be read off" not in text


def test_chance_is_a_line_in_the_chart_of_the_language_probe(tmp_path: Path) -> None:
    page = shown(tmp_path / "one", made_up.neutrality(langs=("en", "de", "sw", "ja")))
    (line,) = page.all("path", **{"class": "mean-line"})
    assert line["d"] == f"M40 {190 - 34 - (190 - 8 - 34) / 4:.1f}H310"  # the axis ends at 1
    assert "Dotted line across: chance." in page.text
    others = made_up.neutrality(("other",)), made_up.neutrality(langs=("en", "de", "sw"))
    page = shown(tmp_path / "two", *others)
    assert not page.all("path", **{"class": "mean-line"})
    assert "Dotted line" not in page.text


def test_numbers_without_bound_have_a_page(tmp_path: Path) -> None:
    """Lengths above 2.5e9 once made more ticks than memory holds."""
    manifest = made_up.geometry()
    for row, norm in zip(manifest["layers"], (1e-9, 1e30, 1e38), strict=True):
        row["norm"] = norm
    assert "1.000e+38 in layer 2" in shown(tmp_path, manifest).text
    manifest["layers"][0]["norm"] = 10**400
    with pytest.raises(InputError, match=r"out of range - at `\$.layers\[0\].norm`"):
        shown(tmp_path / "more", manifest)


def test_names_are_short_and_keep_encoders_apart(tmp_path: Path) -> None:
    lines = [(encoder, lang) for encoder in ("models/one", "two") for lang in ("en", "ja")]
    text = shown(tmp_path, made_up.geometry(lines)).text
    assert "Layers of one and two in English and Japanese" in text
    assert "one, Japanese" in text


@pytest.mark.parametrize("gain", [0.05, -0.05, 0.0])
def test_neutrality_says_what_to_do(tmp_path: Path, gain: float) -> None:
    text = shown(tmp_path, made_up.neutrality(gain=gain)).text
    advice = "Removing each language's mean finds more" if gain > 0 else "use the vectors as they"
    assert advice in text
    assert "Chance is 50 %, but means of few sentences are noisy" in text
    assert "more than the means differs" in text
    assert "claims of Ethayarajh" not in text


def test_a_single_encoder_in_one_language_has_lines_and_no_shaded_table_of_layers(
    tmp_path: Path,
) -> None:
    page = shown(tmp_path, made_up.geometry())
    assert "A line is the mean" not in page.text
    assert len(page.all("svg", role="img", viewbox="0 0 320 190")) == 5 + 3 + 2
    assert len(page.all("table", **{"class": "heat"})) == 1 + 2  # dimensions; transforms


def test_many_languages_are_a_mean_with_its_range_and_shaded_tables(tmp_path: Path) -> None:
    page = shown(tmp_path, made_up.geometry([("tiny", lang) for lang in LANGS], n_layers=13))
    assert "band goes from the lowest language to the highest" in page.text
    heats = page.all("table", **{"class": "heat"})
    assert len(heats) == 5 + 1 + 3 + 2
    for lang in ("Thai", "Traditional Chinese", "Yoruba"):
        assert page.text.count(lang) >= 5 + 1 + 3
    panels = page.all("svg", role="img", viewbox="0 0 320 190")
    assert len(panels) == 5 + 3 + 2


@pytest.mark.parametrize(
    "manifests",
    [
        [made_up.geometry([("tiny", "en")], n_layers=1)],
        [made_up.geometry([(f"encoder {at}", "en") for at in range(9)], n_layers=49)],
        [made_up.geometry([("a", lang) for lang in LANGS]), made_up.geometry([("b", "en")])],
        [made_up.geometry([("x/a", "en"), ("y/a", "en"), ("a", "th")]), made_up.neutrality()],
        [made_up.neutrality([f"encoder {at}" for at in range(5)], LANGS)],
        [made_up.translation([("en", lang) for lang in LANGS[1:]], ["x/a", "y/a"])],
        [made_up.geometry(), made_up.neutrality(), made_up.translation()],
    ],
)
def test_a_page_of_any_size_is_well_formed_and_every_chart_has_words(
    tmp_path: Path, manifests: list[dict[str, Any]]
) -> None:
    page = shown(tmp_path, *manifests)
    images = page.all("svg", role="img")
    assert images
    assert len(page.all("title")) == len(images) + 1  # that of the page
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [one["href"] for one in page.all("a") if "download" not in one]
    assert targets
    assert {f"#{one}" for one in ids} >= set(targets)
    assert all(one["aria-labelledby"] in ids for one in page.all("section"))
    assert len(page.all("table")) == len(page.all("caption"))
    assert "None" not in page.text
    assert "nan" not in page.text.lower()


def test_vector_translation_has_its_own_part(tmp_path: Path) -> None:
    few = made_up.translation([("en", "de"), ("ur", "hi")])
    few["claims"][1]["verdict"] = "holds"
    page = shown(tmp_path / "few", few)
    assert "Layers of tiny in English, German, Urdu and Hindi" in page.text
    assert (
        "Holds: over half are found in all layers but the bottom ones; fewer are found in the last "
        "layers (1 of 2). Does not hold: fewer are found in the last layers (1 of 2)." in page.text
    )
    assert "Does one offset translate sentences?" in page.text
    assert "Chance is 1 in 1,000." in page.text
    assert "All figures of English–German" in page.text
    assert "accuracy, layer 12 minus 8" in page.text
    assert len(page.all("svg", role="img", viewbox="0 0 320 190")) == 6
    many = shown(tmp_path / "many", made_up.translation([("en", lang) for lang in LANGS[1:9]]))
    assert "A line is the mean over the pairs" in many.text
    assert len(many.all("table", **{"class": "heat"})) == 6
    both = shown(tmp_path / "both", made_up.neutrality(), made_up.translation(falls=True))
    assert "Vector translation of tiny on English–German. Holds: over half" in both.text
    assert "Measured: tiny on English–German." in both.text


def test_missing_values_are_dashes_and_gaps(tmp_path: Path) -> None:
    manifest = made_up.geometry([("tiny", "en"), ("tiny", "ja")])
    for table in ("layers", "isotropy", "transforms", "claims", "extremes"):
        for row in manifest[table]:
            for column, value in row.items():
                if isinstance(value, float) and column != "limit":
                    row[column] = None
    first, *others = manifest["isotropy"]
    first["shares_of_cosine"] = [0.5]
    for row in others:
        row["rogue_dimensions"], row["shares_of_cosine"] = [15], []
    page = shown(tmp_path, manifest)
    assert page.text.count("15: 50 %") == 1
    assert "None" not in page.text
    assert "no values" in page.text


def test_same_folders_same_bytes(tmp_path: Path) -> None:
    manifest = made_up.geometry()
    assert page_of(tmp_path / "a", manifest) == page_of(tmp_path / "b", manifest)


def test_what_stands_against_comparing_is_said(tmp_path: Path) -> None:
    other = made_up.geometry([("b", "en")])
    assert "different" not in shown(tmp_path / "a", made_up.geometry(), other).text.partition(
        "claims of Ethayarajh")[0]  # fmt: skip
    other["options"]["max_words"] = 7
    text = shown(tmp_path / "b", made_up.geometry(), other).text
    assert "were measured with different options (max_words; see below)" in text
    uneven = shown(tmp_path / "c", made_up.geometry(), made_up.geometry([("b", "ja")])).text
    assert "Not all encoders were measured in the same languages." in uneven


def test_an_encoder_of_which_only_the_last_layer_is_measured_has_its_number(tmp_path: Path) -> None:
    page = page_of(tmp_path / "alone", made_up.of_last_layer("pooled", 12), made_up.geometry())
    text = Page(page).text
    assert "Retrieval, accuracy. raw: 0.300 in layer 12" in text
    of_shift = page.partition('<caption><span class="stays">Distance of a language')[2]
    head = of_shift.partition("</thead>")[0]
    assert re.findall(r"<th scope=\"col\">(?:<bdi>)?(\w+)<", head) == ["layer", "12"]
    text = shown(tmp_path / "both", made_up.of_last_layer("pooled", 12), made_up.neutrality()).text
    assert "layer01212 pooled English–––.90 Japanese–––.90 tiny English.90.90.90 " in text


def test_means_of_many_lines_are_of_the_layers_that_were_measured(tmp_path: Path) -> None:
    many = [made_up.of_last_layer(f"pooled {at}", 12) for at in range(7)]
    text = shown(tmp_path, *many).text
    assert ": 0.200 in layer 12." in text
    assert "in layer 0" not in text


def test_made_up_claims_are_those_of_the_probe() -> None:
    assert {claim for claim, _ in made_up.VERDICTS} == set(CLAIMS)
