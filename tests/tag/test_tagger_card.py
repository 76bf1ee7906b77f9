"""Every saved tagger has a card; strange tags are text in it."""

from dataclasses import replace
from pathlib import Path

from huggingface_hub import ModelCard

from isogloss import TokenTagger
from isogloss.tag.card import card_of

Lists = list[list[str]]


def test_a_saved_tagger_has_a_card(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path
) -> None:
    model = TokenTagger(tiny_models["bert"], layer=1, C=1.0).fit(sentences, tags, "en")
    model.save(tmp_path / "model")
    text = (tmp_path / "model" / "README.md").read_text("utf-8")
    head = ModelCard(text).data
    assert (head.language, head.pipeline_tag) == (["en"], "token-classification")
    assert head.base_model is None
    n_words = sum(map(len, sentences))
    assert f"{n_words:,} words with tags" in text
    assert "- Trained on: en\n" in text
    assert "- Encoder: bert (its licence is with it)\n" in text
    assert TokenTagger.load(tmp_path / "model").predict(sentences[:2], "en")
    strange = replace(model.fitted_, tag_names=("---\nlicense: evil", "<b>", "a|b"))
    card = card_of(strange)
    assert "license" not in ModelCard(card).data.to_dict()
    assert r"3 tags: --- license: evil, &lt;b>, a\|b." in card
