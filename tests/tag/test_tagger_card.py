"""Every saved or exported tagger has a card; strange tags are text in it."""

from dataclasses import replace
from pathlib import Path

from huggingface_hub import ModelCard

from isogloss import TokenTagger
from isogloss.learn.card import MOST_NAMES
from isogloss.tag.card import card_of, card_of_export
from isogloss.tag.export import export_tagger

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


def test_an_exported_tagger_has_a_card(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path
) -> None:
    model = TokenTagger(tiny_models["bert"], layer=1, pieces="first", C=1.0)
    fitted = model.fit(sentences, tags, "en").fitted_
    export_tagger(fitted, tmp_path / "out", overwrite=False)
    text = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert text == card_of_export(fitted, None)
    head = ModelCard(text).data
    assert (head.library_name, head.pipeline_tag) == ("transformers", "token-classification")
    assert 'pipeline("token-classification", model="FOLDER")' in text
    assert "- Encoder: bert (its licence is with it)\n" in text
    assert "only the beginning is read" in text
    assert str(tmp_path) not in text
    many = replace(fitted, tag_names=tuple(f"T{at}" for at in range(MOST_NAMES + 1)))
    assert "and 1 more, which `config.json` names" in card_of_export(many, None)
    assert "and 1 more, which `model.json` names" in card_of(many)
