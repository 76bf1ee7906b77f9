"""Taggers whose encoder is tuned: what they learn, how words weigh, what is saved and resumed."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from isogloss import InputError, TokenTagger
from isogloss.encode.model import load_network
from isogloss.encode.settings import read_chain
from isogloss.encode.words.sentence_windows import WordTokens
from isogloss.errors import OmissionWarning
from isogloss.learn.linear_head import ChosenBy, LinearHead, Standardisation
from isogloss.learn.objective import SOFTMAX
from isogloss.tag import TaggedSentences, tuning
from isogloss.tag.word_network import WordExamples, WordNetwork

Lists = list[list[str]]
TRAINING = {"epochs": 3, "batch_size": 8, "learning_rate": 3e-3, "dropout": 0.0}


def fitted(encoder: Path, sentences: Lists, tags: Lists, tune: Any, **more: Any) -> TokenTagger:
    training = TRAINING | more.pop("training", {})
    model = TokenTagger(encoder, layer=1, tune=tune, training=training, C=0.0001)
    return model.fit(sentences, tags, "en", **more)


@pytest.mark.parametrize("tune", ["lora", "full"])
def test_it_learns_more_than_its_frozen_start_and_is_saved(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tune: Any, tmp_path: Path
) -> None:
    if tune == "lora":
        pytest.importorskip("peft")
    dev = TaggedSentences.of(sentences[40:], tags[40:], "en")
    encoder = tiny_models["bert"]
    frozen = TokenTagger(encoder, layer=1, C=0.0001).fit(sentences, tags, "en", dev=dev)
    training = {"learning_rate": 3e-2 if tune == "lora" else 1e-2, "epochs": 6}
    model = fitted(encoder, sentences, tags, tune, dev=dev, training=training)
    assert model.score(sentences, tags, "en") > frozen.score(sentences, tags, "en") + 0.1
    assert model.fitted_.head.chosen_by.value == "tuning"
    model.save(tmp_path / "model")
    loaded = TokenTagger.load(tmp_path / "model")
    for one, other in zip(
        model.predict_proba(sentences, "en"), loaded.predict_proba(sentences, "en"), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert loaded.get_params()["training"].epochs == 6


def test_the_same_seed_gives_the_same_model(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    one, other = (
        fitted(tiny_models["xlm-roberta"], sentences, tags, "full").predict_proba(sentences, "en")
        for _ in range(2)
    )
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


def test_a_long_sentence_weighs_by_its_words(
    tiny_models: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loss of a batch over its windows is that of its words over their mean number."""
    heard: list[float] = []
    usual = tuning._loss

    def heard_loss(module: Any, task: Any, words_of_window: float) -> Any:
        loss = usual(module, task, words_of_window)

        def of_batch(batch: Any) -> Any:
            module.eval()  # no dropout
            found = loss(batch)
            logits = module(batch).double()
            p = logits.log_softmax(dim=1)[range(len(batch.gold)), batch.gold]
            heard.append(float(found) * words_of_window / -float(p.sum()))
            return found

        heard.append(words_of_window)
        return of_batch

    monkeypatch.setattr(tuning, "_loss", heard_loss)
    sentences = [["the", "fox"], ["a", "quick", "dog", "jumps", ".", "?"]] * 2
    tags = [["A", "B"], ["A", "B", "B", "B", "C", "C"]] * 2
    model = TokenTagger(
        tiny_models["bert"], layer=1, tune="full",
        training={"epochs": 1, "dropout": 0.0, "dev_split": 0.0},
    )  # fmt: skip
    model.fit(sentences, tags, "en")
    assert heard[0] == pytest.approx(4.0)  # words of a sentence
    assert heard[1:] == pytest.approx([1.0] * len(heard[1:]), rel=1e-4)


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta"])
def test_layers_above_are_not_run(tiny_models: dict[str, Path], kind: str) -> None:
    network = load_network(read_chain(tiny_models[kind]), device="cpu", dtype="float32")
    as_it_is = Standardisation(np.zeros(32), np.ones(32))
    rng = np.random.default_rng(0)
    head = LinearHead(as_it_is, rng.normal(size=(3, 32)), np.zeros(3), 1.0, ChosenBy.GIVEN, SOFTMAX)
    module = WordNetwork(network, None, (0, 1), head, dropout=0.0).eval()
    words = np.arange(3)
    windows = [WordTokens(np.array([0, 7, 8, 9, 2][:n], np.int32), n - 2, words[: n - 2],
                          words[: n - 2] + 1) for n in (5, 4)]  # fmt: skip
    batch = WordExamples(windows, [words, words[:2]], pad_id=1, device="cpu").collate([0, 1])
    logits = module(batch)
    layered = module._layered
    assert layered is not None
    assert layered.blocks is not None
    blocks, layered.blocks = layered.blocks, None  # all layers are run
    torch.testing.assert_close(module(batch), logits)
    layered.blocks = blocks
    upper = network.model.encoder.layer[1]
    upper.register_forward_hook(lambda *_: pytest.fail("the layer above was run"))
    module(batch).sum().backward()
    assert any(one.grad is not None for one in network.model.encoder.layer[0].parameters())


def test_layers_above_and_the_embeddings_stay_as_they_were(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path
) -> None:
    from safetensors.numpy import load_file

    model = fitted(tiny_models["bert"], sentences, tags, "full", training={"embeddings": "frozen"})
    model.save(tmp_path / "model")
    before = load_file(tiny_models["bert"] / "model.safetensors")
    after = load_file(tmp_path / "model" / "encoder" / "model.safetensors")
    changed = {name for name in after if not np.array_equal(before[name], after[name])}
    assert any(name.startswith("encoder.layer.0.") for name in changed)
    assert not any(name.startswith(("encoder.layer.1.", "pooler")) for name in changed)
    assert "embeddings.word_embeddings.weight" not in changed


def test_a_run_resumes_from_its_checkpoints(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    from isogloss.train import loop

    encoder = tiny_models["bert"]
    whole = fitted(encoder, sentences, tags, "full").predict_proba(sentences, "en")
    usual, n_steps = loop._Loop._step, []

    def stopped(self: Any) -> None:
        usual(self)
        n_steps.append(1)
        if len(n_steps) == 8:
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    monkeypatch.setattr(loop._Loop, "_step", stopped)
    with pytest.raises(KeyboardInterrupt):
        fitted(encoder, sentences, tags, "full", checkpoints=folder)
    monkeypatch.setattr(loop._Loop, "_step", usual)
    again = fitted(encoder, sentences, tags, "full", checkpoints=folder)
    assert all(
        np.array_equal(*pair)
        for pair in zip(whole, again.predict_proba(sentences, "en"), strict=True)
    )


def test_what_is_for_tuning_is_refused_without_it(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, tmp_path: Path
) -> None:
    model = TokenTagger(tiny_models["bert"], training={"epochs": 1})
    with pytest.raises(InputError, match="training is for tune='lora' or 'full'"):
        model.fit(sentences, tags, "en")
    model = TokenTagger(tiny_models["bert"])
    with pytest.raises(InputError, match="checkpoints are for tune='lora' or 'full'"):
        model.fit(sentences, tags, "en", checkpoints=tmp_path / "run")


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_training_that_diverged_is_the_fault_of_its_rate(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists, share: float
) -> None:
    """A model of NaN was written, which answered nothing."""
    diverging = {"epochs": 1, "learning_rate": 1e30, "batch_size": 100, "dev_split": share}
    with pytest.raises(InputError, match=r"learning_rate 1e\+30 .* give a smaller learning rate"):
        fitted(tiny_models["bert"], sentences, tags, "full", training=diverging)


def test_what_cannot_be_split_is_said(
    tiny_models: dict[str, Path], sentences: Lists, tags: Lists
) -> None:
    encoder = tiny_models["bert"]
    with pytest.raises(InputError, match=r"dev_split 0\.99 of 8 sentences leaves none to learn"):
        fitted(encoder, sentences[:8], tags[:8], "full", training={"dev_split": 0.99})
    few = {"epochs": 1, "dev_split": 0.2}
    with pytest.warns(OmissionWarning, match="4 training sentences are too few to split"):
        fitted(encoder, sentences[:4], tags[:4], "full", training=few)
