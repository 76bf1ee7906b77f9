"""What is exported answers in transformers as the tagger does, or is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from isogloss import Encoder, InputError, TokenTagger
from isogloss.errors import OmissionWarning
from isogloss.tag.export import export_tagger

Lists = list[list[str]]


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta"])
@pytest.mark.parametrize("prefix", ["", "query: "])
def test_the_pipeline_gives_the_same_tags(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path, kind: str,
    prefix: str,
) -> None:  # fmt: skip
    from transformers import pipeline

    encoder = Encoder.load(tiny_models[kind], prefix=prefix, device="cpu")
    model = TokenTagger(encoder, layer=1, pieces="first", C=1.0).fit(sentences, tags, "en")
    export_tagger(model.fitted_, tmp_path / "out", overwrite=False)
    pipe: Any = pipeline("token-classification", model=str(tmp_path / "out"), device="cpu")
    words = [
        [word for word in one[:4] if not kind.startswith("xlm") or word.isascii()]
        for one in sentences[:12]
    ]
    for ours, one in zip(model.predict(words, "en"), words, strict=True):
        text, place = " ".join(one), 0
        found = {row["start"]: row["entity"] for row in pipe(text)} if one else {}
        for tag, word in zip(ours, one, strict=True):
            start = min((at for at in found if at in (place, place - 1)), default=None)
            assert start is not None
            if found[start] != tag:
                assert kind == "xlm-roberta", (word, found[start], tag)  # a bare blank is first
            place += len(word) + 1


def test_a_colon_in_the_prefix_is_exported(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path
) -> None:
    from transformers import pipeline

    shutil.copytree(tiny_models["bert"], tmp_path / "encoder")
    file = tmp_path / "encoder" / "tokenizer.json"
    tokenizer = json.loads(file.read_text("utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    vocabulary[":"] = vocabulary.pop("м")
    file.write_text(json.dumps(tokenizer), "utf-8")
    encoder = Encoder.load(tmp_path / "encoder", prefix="the: ", device="cpu")
    assert ":" in map(encoder.tokenizer.backend.id_to_token, encoder.tokenizer.prefix_ids)
    model = TokenTagger(encoder, layer=1, pieces="first", C=1.0).fit(sentences, tags, "en")
    export_tagger(model.fitted_, tmp_path / "out", overwrite=False)
    pipe: Any = pipeline("token-classification", model=str(tmp_path / "out"), device="cpu")
    words = ["the", "quick", "fox", "jumps"]
    found = {row["start"]: row["entity"] for row in pipe([words], is_split_into_words=True)[0]}
    assert [found[at] for at in (0, 4, 10, 14)] == model.predict([words], "en")[0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"layer": 1, "pieces": "mean"}, "it takes the mean of a word's pieces"),
        ({"layer": "1-2", "pieces": "first"}, "it reads layers 1-2"),
        ({"layer": 0, "pieces": "first"}, "it reads layers 0"),
    ],
)
def test_what_no_pipeline_does_is_refused(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path, options: Any,
    said: str,
) -> None:  # fmt: skip
    model = TokenTagger(tiny_models["bert"], C=1.0, **options).fit(sentences, tags, "en")
    with pytest.raises(InputError, match=said):
        export_tagger(model.fitted_, tmp_path / "out", overwrite=False)
    assert not (tmp_path / "out").exists()


def test_one_of_several_heads_is_exported(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path
) -> None:
    from transformers import pipeline

    names = ["ADJ", "DET", "NOUN", "PROPN", "PUNCT", "VERB", "X"]
    turned = [[names[names.index(tag) + 1] for tag in one] for one in tags[:20]]
    model = TokenTagger(tiny_models["bert"], layer=1, pieces="first", C=1.0).fit(
        sentences + sentences[:20], tags + turned, ["en"] * 60 + ["sw"] * 20
    )
    assert list(model.fitted_.own_heads) == ["sw"]
    export_tagger(model.fitted_, tmp_path / "sw", lang="sw", overwrite=False)
    with pytest.warns(OmissionWarning, match="of all languages is written, not that of sw alone"):
        export_tagger(model.fitted_, tmp_path / "all", overwrite=False)
    for folder, lang in (("sw", "sw"), ("all", "de")):
        pipe: Any = pipeline("token-classification", model=str(tmp_path / folder), device="cpu")
        assert next(row["entity"] for row in pipe(".")) == model.predict([["."]], lang)[0][0]
    cards = [(tmp_path / folder / "README.md").read_text("utf-8") for folder in ("sw", "all")]
    assert "Written is the head of sw alone" in cards[0]
    assert "The tagger answers sw by heads of their own; what was written does not" in cards[1]
    assert model.predict([["."]], "sw") != model.predict([["."]], "de")
    with pytest.raises(InputError, match="de has no head of its own; leave --lang out"):
        export_tagger(model.fitted_, tmp_path / "de", lang="de", overwrite=False)
