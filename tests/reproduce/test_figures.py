"""Published figures: shares, each with a source, and marked where nobody checked them."""

import json
from importlib import resources

from isogloss.reproduce.figures import Figure, figures


def test_figures_are_found_by_table_and_languages() -> None:
    (german,) = figures("pires", "1", "en → de")
    assert (german.value, german.model, german.is_verified) == (0.6974, "mBERT", True)
    (dutch,) = figures("pires", "1", "en → nl")
    assert str(dutch) == "mBERT 0.774 (unverified)"
    assert "unverified" not in str(german)
    assert figures("pires", "1", "en → fi") == ()
    names = [one.model for one in figures("geometry", "baseline", "layer 1")]
    assert names == ["BERT base", "GPT-2", "ELMo"]


def test_every_figure_is_a_share_with_a_source() -> None:
    file = resources.files("isogloss.reproduce") / "published.json"
    sources = json.loads(file.read_bytes())["sources"]
    assert all(source.strip() for source in sources)
    for row in (row for rows in sources.values() for row in rows):
        assert 0 < row["value"] <= 1, row
    assert str(Figure(0.5, "x", "y")) == "x 0.500"
