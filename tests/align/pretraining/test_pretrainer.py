"""A small encoder is pre-trained, resumes, is aligned and evaluated; options do what they say."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from small_pairs import made_pairs
from tiny_models import build_chain, build_tiny
from transformers import AutoModelForMaskedLM, BertConfig

from isogloss.align import Pairs, SentenceAligner
from isogloss.align.export.exporter import export_encoder
from isogloss.align.pretraining import (
    EncoderShape,
    Pretrainer,
    PretrainingOptions,
    run,
    start,
    train_tokenizer,
)
from isogloss.align.pretraining.masked_model import MaskedLanguageModel
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.retrieve.benchmarks import evaluate_tatoeba
from isogloss.train import Checkpoints

SOURCES, TARGETS, LANGS = made_pairs(120)
PAIRS = Pairs(SOURCES, TARGETS, [f"en-{lang}" for lang in LANGS])
TEXTS = {"en": SOURCES, "xx": TARGETS}
SHAPE = {"layers": 2, "width": 32, "heads": 4}
TRAINING = {"epochs": 2, "batch_size": 16, "learning_rate": 3e-3, "max_length": 24}


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tokenizers") / "made"
    train_tokenizer(TEXTS, vocab_size=150).save(folder)
    return folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    return build_tiny(folder / "bert", kind="bert", with_pooler=False, spread=0.05)


def new(tokenizer: Path, shape: dict[str, int] | None = None, **training: Any) -> Pretrainer:
    return Pretrainer(
        tokenizer=tokenizer, shape=shape or SHAPE, training=TRAINING | training, threads=1
    )


def weights(pretrainer: Pretrainer) -> dict[str, torch.Tensor]:
    return dict(pretrainer.encoder_.weights)


def assert_equal(found: Pretrainer, expected: Pretrainer) -> None:
    assert [one.epochs for one in found.results_] == [one.epochs for one in expected.results_]
    for name, value in weights(expected).items():
        assert torch.equal(weights(found)[name], value), name


def test_from_texts_to_retrieval(tmp_path: Path, tokenizer: Path) -> None:
    first = new(tokenizer, epochs=4).fit(TEXTS, PAIRS)
    losses = [epoch.loss for epoch in first.results_[0].epochs]
    assert losses[-1] < losses[0] - 0.4
    first.save(tmp_path / "mlm")
    aligned = SentenceAligner(
        tmp_path / "mlm", training={"epochs": 6, "batch_size": 40, "learning_rate": 3e-3}
    ).fit(SOURCES, TARGETS, LANGS)
    aligned.save(tmp_path / "aligned")
    for side, lines in (("deu", TARGETS), ("eng", SOURCES)):
        with gzip.open(tmp_path / f"tatoeba.deu-eng.{side}.gz", "wt", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def score(folder: Path) -> float:
        encoder = Encoder.load(folder, threads=1)
        (row,) = evaluate_tatoeba(
            tmp_path, lambda texts: np.asarray(encoder.encode(texts, normalize=True))
        ).rows
        return float(row["mean"])

    assert score(tmp_path / "aligned") > score(tmp_path / "mlm") + 0.3
    card = (tmp_path / "aligned" / "README.md").read_text()
    assert "masked and translation language modelling" in card
    assert "2 layers, 32 wide" in card


def test_the_directory_is_read_with_and_without_its_head(tmp_path: Path, tokenizer: Path) -> None:
    trained = new(tokenizer).fit(TEXTS)
    trained.save(tmp_path / "made")
    encoder = Encoder.load(tmp_path / "made", threads=1)
    np.testing.assert_allclose(
        encoder.encode(SOURCES[:9]), trained.encoder_.encode(SOURCES[:9]), atol=1e-6
    )
    assert (encoder.settings.max_length.value, encoder.settings.pooling.value) == (24, "mean")
    model, info = AutoModelForMaskedLM.from_pretrained(tmp_path / "made", output_loading_info=True)
    assert not info["missing_keys"]
    head = model.cls.predictions.transform.dense.weight
    assert torch.equal(head, weights(trained)["0 cls.predictions.transform.dense.weight"])
    assert model.cls.predictions.decoder.weight is model.get_input_embeddings().weight
    again = Pretrainer(tmp_path / "made", training=TRAINING | {"steps": 2}).fit(TEXTS)
    assert again.has_own_head_
    assert again.results_[0].epochs[0].loss < trained.results_[0].epochs[0].loss
    with pytest.raises(InputError, match="already exists"):
        again.save(tmp_path / "made")
    again.save(tmp_path / "made", overwrite=True)


@pytest.mark.parametrize("stacking", [False, True])
def test_a_killed_run_resumes_as_if_it_had_not_been(
    tmp_path: Path, tokenizer: Path, monkeypatch: pytest.MonkeyPatch, stacking: bool
) -> None:
    shape = SHAPE | {"layers": 4, "width": 16}
    options = {"stacking": stacking, "epochs": 3, "batch_size": 24}
    whole = new(tokenizer, shape, **options).fit(TEXTS, PAIRS, dev=TEXTS, dev_pairs=PAIRS)
    n_calls = 0
    loss = MaskedLanguageModel.loss

    def killed(self: Any, batch: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 17:  # in the middle of an epoch, and under stacking of the last stage
            raise KeyboardInterrupt
        return loss(self, batch)

    monkeypatch.setattr(run, "Checkpoints", lambda folder: Checkpoints(folder, seconds=0))
    monkeypatch.setattr(MaskedLanguageModel, "loss", killed)
    folder = tmp_path / "checkpoints"
    with pytest.raises(KeyboardInterrupt):
        new(tokenizer, shape, **options).fit(
            TEXTS, PAIRS, dev=TEXTS, dev_pairs=PAIRS, checkpoints=folder
        )
    n_before, n_calls = n_calls, 100
    again = new(tokenizer, shape, **options).fit(
        TEXTS, PAIRS, dev=TEXTS, dev_pairs=PAIRS, checkpoints=folder
    )
    assert n_before == 17
    assert n_calls > 100
    assert_equal(again, whole)
    with pytest.raises(InputError, match=r"another run \(smoothing differ\)"):
        new(tokenizer, shape, **options | {"smoothing": 0.1}).fit(
            TEXTS, PAIRS, dev=TEXTS, dev_pairs=PAIRS, checkpoints=folder
        )
    for dev in (TEXTS, None):
        with pytest.raises(InputError, match=r"another run \(development texts differ\)"):
            new(tokenizer, shape, **options).fit(TEXTS, PAIRS, dev=dev, checkpoints=folder)


def test_equal_seeds_give_equal_weights_and_stacking_its_stages(
    tokenizer: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "isogloss")
    shape = SHAPE | {"layers": 4}
    one, other = (new(tokenizer, shape, stacking=True).fit(TEXTS) for _ in range(2))
    assert_equal(one, other)
    assert len(one.results_) == 3
    epochs = [text for text in caplog.messages if text.startswith("epoch ")]
    stages = [re.search("stage . of 3", text) for text in epochs]
    assert {found[0] for found in stages if found} == {f"stage {n} of 3" for n in (1, 2, 3)}
    assert all(stages)
    assert one.encoder_.n_layers == 4
    n_steps = [result.epochs[-1].step for result in one.results_]
    assert n_steps[2] > n_steps[0]
    third = new(tokenizer, shape, stacking=True).set_params(random_state=1).fit(TEXTS)
    assert not torch.equal(next(iter(weights(one).values())), next(iter(weights(third).values())))


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "roberta"])
def test_any_encoder_gets_a_tied_head(tmp_path: Path, kind: str) -> None:
    base = build_tiny(tmp_path / "base", kind=kind, with_pooler=True, spread=0.05)
    chain = build_chain(base, tmp_path / "chain", modules=("Transformer", "Pooling", "Dense"))
    trained = Pretrainer(chain, training=TRAINING | {"whole_words": True}, threads=1).fit(TEXTS)
    assert not trained.has_own_head_
    trained.save(tmp_path / "made")
    model = AutoModelForMaskedLM.from_pretrained(tmp_path / "made")
    assert model.get_output_embeddings().weight is model.get_input_embeddings().weight
    loaded = Encoder.load(tmp_path / "made", threads=1)
    assert loaded.width == 8  # the Dense module is kept
    np.testing.assert_allclose(
        loaded.encode(SOURCES[:5]), trained.encoder_.encode(SOURCES[:5]), atol=1e-5
    )


def test_unigram_vocabularies_and_the_shape_are_used(tmp_path: Path) -> None:
    train_tokenizer(TEXTS, kind="unigram", vocab_size=60).save(tmp_path / "tokenizer")
    trained = new(tmp_path / "tokenizer", SHAPE | {"layers": 1, "width": 16}, steps=6)
    trained.set_params(pooling="cls").fit(TEXTS)
    config = trained.encoder_.network.model.config
    assert (config.num_hidden_layers, config.hidden_size, config.num_attention_heads) == (1, 16, 4)
    assert (config.vocab_size, config.max_position_embeddings) == (60, 24)
    assert trained.encoder_.settings.pooling.value == "cls"
    assert trained.results_[0].epochs[-1].step == 6


def test_the_lowest_development_loss_is_kept(tokenizer: Path) -> None:
    trained = new(tokenizer, epochs=3).fit(TEXTS, dev={"en": SOURCES[:40]})
    scores = [epoch.score[0] for epoch in trained.results_[0].epochs]
    best = trained.results_[0].epochs[int(np.argmax(scores))]
    assert trained.results_[0].best_steps == [best.step]
    assert all(score < 0 for score in scores)


def test_dropout_and_the_share_of_masks_have_an_effect(tokenizer: Path) -> None:
    plain = new(tokenizer, steps=2).fit(TEXTS)
    for option in ({"dropout": 0.0}, {"mask_share": 0.3}, {"whole_words": True}):
        other = new(tokenizer, steps=2, **option).fit(TEXTS)
        assert other.results_[0].epochs != plain.results_[0].epochs, option


@pytest.mark.parametrize(
    ("given", "training", "said"),
    [({}, {}, "there is nothing to learn from"), ({"texts": {"en": ["", " "]}}, {}, "no token"),
     ({"pairs": (SOURCES, TARGETS)}, {}, r"pairs are a tuple; give Pairs\(sources, targets\)"),
     ({"texts": TEXTS, "dev": {"en": [""]}}, {}, "development texts hold no token"),
     ({"texts": TEXTS}, {"tlm_share": 0.5}, "tlm_share is for texts beside pairs"),
     ({"texts": TEXTS}, {"stacking": True}, "multiple of 4"),
     ({"texts": TEXTS}, {"stage_shares": (0.5, 0.6, 0.1)}, "sum to 1.2"),
     ({"texts": TEXTS}, {"mask_share": 0}, "mask_share is 0"),
     ({"texts": TEXTS}, {"steps": 1}, "less than one"),
     ({"texts": TEXTS}, {"max_length": 3}, "max_length is 3"),
     ({"texts": {"en": [1]}}, {}, "text 0 is int"), ({"texts": {"en": "a"}}, {}, "is one string"),
     ({"texts": TEXTS}, {"masks": 1}, "training has 'masks'")],
)  # fmt: skip
def test_what_cannot_be_learned_from_is_refused(
    tokenizer: Path, given: dict[str, Any], training: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        new(tokenizer, **training).fit(**given)


def test_contradictory_beginnings_are_refused(tmp_path: Path, tokenizer: Path, tiny: Path) -> None:
    for options, said in (
        ({"encoder": tiny, "tokenizer": tokenizer}, "not both"), ({}, "not both"),
        ({"encoder": tiny, "shape": SHAPE}, "shape is for a new encoder"),
        ({"encoder": tiny, "training": {"stacking": True}}, "stacking is for a new encoder"),
        ({"tokenizer": tmp_path}, "not a tokenizer"),
        ({"tokenizer": tokenizer, "shape": {"depth": 3}}, "shape has 'depth'"),
        ({"tokenizer": tokenizer, "shape": {"width": 30, "heads": 4}}, "no multiple of heads"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            Pretrainer(**options).fit(TEXTS)  # type: ignore[arg-type]


def test_what_is_left_out_or_cut_is_counted(tokenizer: Path) -> None:
    long = Pairs(["fox dog " * 20], ["forest"], ["en-xx"])
    with pytest.warns(OmissionWarning, match=r"1 pair of 1 longer than max_length lose \d+ tokens"):
        new(tokenizer, steps=2).fit(None, long)
    langs = {f"x{number}": ["fox dog"] for number in range(20)}
    with pytest.warns(OmissionWarning, match=r"nothing is drawn of .* \(4 of 20\)"):
        new(tokenizer, steps=1, epochs=1).fit(langs)
    with pytest.warns(OmissionWarning, match="1 text without a token and 0 pairs"):
        new(tokenizer, steps=2).fit({"en": ["", "fox"]})


def test_a_size_that_memory_does_not_hold_is_refused(
    tokenizer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_tokens = new(tokenizer, steps=2).fit({"en": ["fox dog"]}).encoder_.tokenizer.highest_id + 1
    made = AutoModelForMaskedLM.from_config(
        BertConfig(vocab_size=n_tokens, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                   intermediate_size=128, max_position_embeddings=24)
    )  # fmt: skip
    n_parameters = sum(one.numel() for one in made.parameters())
    assert EncoderShape(layers=2, width=32, heads=4).n_parameters(n_tokens, 24) == n_parameters
    monkeypatch.setattr(start, "bytes_available", lambda: 20 * n_parameters - 1)
    with pytest.raises(InputError, match=r"million parameters needs .* give fewer layers"):
        new(tokenizer).fit(TEXTS)
    monkeypatch.undo()
    with pytest.raises(InputError, match="give fewer layers or a smaller width"):
        new(tokenizer, {"layers": 1, "width": 60_000, "heads": 4}).fit(TEXTS)


def test_weights_in_eight_bits_are_not_trained_further(tmp_path: Path, tiny: Path) -> None:
    export_encoder(Encoder.load(tiny), tmp_path / "small", quantize="int8")
    with pytest.raises(InputError, match=r"weights are in 8 bits, .* without --quantize"):
        Pretrainer(tmp_path / "small").fit(TEXTS)


def test_stacking_is_refused_before_texts_are_read(tokenizer: Path) -> None:
    def texts() -> Iterator[str]:
        raise AssertionError("they were read in vain")
        yield

    with pytest.raises(InputError, match="multiple of 4"):
        new(tokenizer, stacking=True).fit({"en": texts()})


def test_it_is_an_estimator(tokenizer: Path) -> None:
    made = clone(new(tokenizer))
    assert made.get_params()["tokenizer"] == tokenizer
    assert PretrainingOptions.of(PretrainingOptions(), is_new=True).learning_rate == 5e-4
    assert PretrainingOptions.of(None, is_new=False).learning_rate == 5e-5
