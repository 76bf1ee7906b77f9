"""Tuning encoder, entities and classifier together, on tiny random encoders."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from planted import english
from repository import HELPERS
from scipy.special import log_softmax, softmax

from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_source import entity_source
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.tuning.network import (
    TunedNetwork,
    balanced_weights,
    dev_score,
    score_in_words,
    summed_loss,
)
from isogloss.classify.tuning.task import LabelledDocuments, Tuned, TuningTask, tune_classifier
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, Linker
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.objective import SIGMOID
from isogloss.learn.tuned_encoder import read_adapter, with_settings
from isogloss.learn.tuning_options import TuningOptions
from isogloss.train import TrainingResult

QUICK = {"epochs": 2, "batch_size": 16, "learning_rate": 1e-3}


@pytest.fixture(scope="module")
def base(tiny_directory: Path) -> Encoder:
    return Encoder.load(tiny_directory, device="cpu", pooling="cls", normalize=False)


@pytest.fixture(scope="module")
def documents(kb: KnowledgeBase, base: Encoder) -> LabelledDocuments:
    texts, labels = english()
    bags = Linker(kb, "en").bags(texts)
    source = entity_source("encoder", kb, base, langs=("en",), pooling="cls", seed=0)
    gold = np.array([["money", "space", "sport"].index(label) for label in labels])
    return LabelledDocuments(texts, gold, EntityBatch.of(bags, source))


def without_entities(documents: LabelledDocuments) -> LabelledDocuments:
    return dataclasses.replace(documents, batch=None)


def tuned(base: Encoder, documents: LabelledDocuments, tune: str = "full", **options: Any) -> Tuned:
    kept = {
        name: options.pop(name) for name in ("dev", "start", "attention", "seed") if name in options
    }
    checkpoints = options.pop("checkpoints", None)
    chosen = TuningOptions(**(QUICK | options)).settled(tune=tune, device="cpu")
    task = {
        "base": base, "documents": documents, "n_classes": 3, "tune": tune, "options": chosen,
        "attention": "learned", "seed": 0,
    }  # fmt: skip
    return tune_classifier(TuningTask(**(task | kept)), checkpoints=checkpoints)


def answers(found: Tuned, documents: LabelledDocuments) -> Any:
    vectors = found.encoder.encode(documents.texts)
    if isinstance(found.head, MboeHead):
        return found.head.log_probabilities(vectors, documents.batch)
    return found.head.log_probabilities(vectors)


def n_right(found: Tuned, documents: LabelledDocuments) -> int:
    return int((answers(found, documents).argmax(axis=1) == documents.gold).sum())


@pytest.mark.parametrize("tune", ["full", "lora"])
def test_it_learns_and_leaves_the_base_as_it_was(
    base: Encoder, documents: LabelledDocuments, tune: str
) -> None:
    before = base.encode(documents.texts[:4])
    found = tuned(base, documents, tune, epochs=60, learning_rate=5e-3)
    assert n_right(found, documents) >= 40
    assert np.array_equal(base.encode(documents.texts[:4]), before)
    assert not np.allclose(found.encoder.encode(documents.texts[:4]), before, atol=1e-3)


def test_the_equations_are_those_of_the_paper(base: Encoder, documents: LabelledDocuments) -> None:
    """Against numpy, entity by entity."""
    found = tuned(base, documents)
    head, batch = found.head, documents.batch
    assert isinstance(head, MboeHead)
    vectors = found.encoder.encode(documents.texts).astype(np.float64)
    v = head.trained.of(batch).astype(np.float64)
    W_a = head.memory.attention_weight.astype(np.float64)
    expected = []
    for row, h in enumerate(vectors):
        pairs = range(batch.offsets[row], batch.offsets[row + 1])
        z = np.zeros_like(h)
        if len(pairs):
            phi = []
            for pair in pairs:
                v_e = v[batch.columns[pair]]
                cosine = h @ v_e / (np.linalg.norm(h) * np.linalg.norm(v_e))
                phi.append([cosine, batch.commonness[pair]])
            a = softmax(np.array(phi) @ W_a)
            z = sum(share * v[batch.columns[pair]] for share, pair in zip(a, pairs, strict=True))
        expected.append(head.linear.weight @ (h + z) + head.linear.bias)
    assert W_a.any()
    np.testing.assert_allclose(
        answers(found, documents), log_softmax(np.array(expected), axis=1), atol=1e-4
    )


def test_the_network_that_trains_is_the_one_that_predicts(
    base: Encoder, documents: LabelledDocuments, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Batches through the network, with large random numbers for training, beside the head."""
    from isogloss.classify.tuning import task as module

    logits = np.zeros((48, 3))

    def fill(network: TunedNetwork, examples: Any, **_: Any) -> TrainingResult:
        draw = torch.Generator().manual_seed(1)
        pooling, classify = network.pooling, network.classify
        network.eval()
        with torch.no_grad():
            for part in (
                pooling.vectors, pooling.attention_weight, classify.weight, classify.bias
            ):  # fmt: skip
                part.normal_(generator=draw)
            for rows in torch.randperm(48, generator=draw).split(7):
                logits[rows] = network(examples.collate(rows.tolist())).numpy()
        return TrainingResult([], [], False)

    monkeypatch.setattr(module, "train", fill)
    found = tuned(base, documents)
    assert np.ptp(logits, axis=0).min() > 5
    np.testing.assert_allclose(answers(found, documents), log_softmax(logits, axis=1), atol=1e-4)


def test_entities_and_attention_learn(base: Encoder, documents: LabelledDocuments) -> None:
    learned = tuned(base, documents).head
    assert isinstance(learned, MboeHead)
    assert not np.allclose(learned.trained.vectors, documents.batch.vectors)
    assert learned.memory.attention_weight.all()
    equal = tuned(base, documents, attention="mean").head
    assert isinstance(equal, MboeHead)
    assert not equal.memory.attention_weight.any()
    summed = tuned(base, documents, attention="sum")
    assert not np.allclose(answers(summed, documents), answers(Tuned(
        summed.encoder, equal, summed.result, summed.truncated), documents))  # fmt: skip


def embeddings_of(encoder: Encoder) -> Any:
    return encoder.network.model.get_input_embeddings().weight.detach().numpy()


def test_embeddings_are_frozen_touched_or_dense(
    base: Encoder, documents: LabelledDocuments
) -> None:
    before = embeddings_of(base)
    met = np.unique(np.concatenate(base.tokenizer(documents.texts).ids))
    changed = {}
    for how in ("frozen", "rows", "dense"):
        found = tuned(base, documents, embeddings=how, weight_decay=0.5)
        changed[how] = (embeddings_of(found.encoder) != before).any(axis=1)
        assert not found.encoder.network.model.get_input_embeddings().sparse
    assert not changed["frozen"].any()
    assert set(np.flatnonzero(changed["rows"])) == set(met.tolist())
    assert changed["dense"].sum() > changed["rows"].sum()


def test_lora_leaves_embeddings_alone(base: Encoder, documents: LabelledDocuments) -> None:
    found = tuned(base, documents, "lora")
    assert np.array_equal(embeddings_of(found.encoder), embeddings_of(base))
    with pytest.raises(InputError, match="leaves the embeddings as they are"):
        tuned(base, documents, "lora", embeddings="rows")


def test_each_option_changes_the_result(base: Encoder, documents: LabelledDocuments) -> None:
    plain = answers(tuned(base, documents), documents)
    assert np.array_equal(plain, answers(tuned(base, documents), documents))
    lopsided = documents.select(np.arange(40))
    for option in ({"dropout": 0.5}, {"seed": 1}, {"batch_size": 7}):
        assert not np.allclose(plain, answers(tuned(base, documents, **option), documents)), option
    uneven = dataclasses.replace(lopsided, gold=np.minimum(lopsided.gold, 1))
    assert not np.allclose(
        answers(tuned(base, uneven), uneven),
        answers(tuned(base, uneven, class_weights="balanced"), uneven),
    )
    ranks = [tuned(base, documents, "lora", lora_rank=rank).encoder for rank in (2, 16)]
    sizes = [sum(value.numel() for value in encoder.weights.values()) for encoder in ranks]
    assert 7 < sizes[1] / sizes[0] < 9


def test_balanced_weights_make_classes_count_alike() -> None:
    gold = np.array([0, 0, 0, 1])
    weights = balanced_weights(gold, 2)
    totals = [float(weights[label]) * int((gold == label).sum()) for label in (0, 1)]
    assert totals == pytest.approx([2.0, 2.0])
    sets = np.array([[True, False], [True, True], [False, True], [True, True]])
    assert balanced_weights(sets, 2).tolist() == pytest.approx([1 / 3, 1 / 3])


def test_max_length_cuts_and_is_reported(base: Encoder, documents: LabelledDocuments) -> None:
    short = with_settings(base, pooling="cls", normalize=False, max_length=8)
    found = tuned(short, documents)
    assert found.truncated.all()
    assert found.encoder.tokenizer.max_length == 8
    with pytest.raises(InputError, match="takes 40 at most"):
        with_settings(base, pooling="cls", normalize=False, max_length=41)


def test_the_best_epoch_on_dev_is_kept(base: Encoder, documents: LabelledDocuments) -> None:
    dev = documents.select(np.arange(0, 48, 3))
    found = tuned(base, documents, dev=dev, epochs=4, learning_rate=5e-3, patience=None)
    scores = [epoch.score for epoch in found.result.epochs]
    best = max(range(4), key=lambda place: (scores[place], -place))
    assert found.result.best_steps == [found.result.epochs[best].step]
    log_p = answers(found, dev)
    accuracy = (log_p.argmax(axis=1) == dev.gold).mean()
    assert accuracy == scores[best][0]
    assert -log_p[np.arange(16), dev.gold].mean() == pytest.approx(-scores[best][1], abs=1e-4)
    assert found.head.linear.describe() == f"fine-tuning (full), epoch {best + 1} of 4"


def test_a_run_goes_on_where_it_was(
    base: Encoder, documents: LabelledDocuments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answers(tuned(base, documents, dev=documents), documents)
    from isogloss.classify.tuning import task as module

    calls = 0

    def stopping(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return summed_loss(*arguments)

    monkeypatch.setattr(module, "summed_loss", stopping)
    with pytest.raises(KeyboardInterrupt):
        tuned(base, documents, dev=documents, checkpoints=tmp_path)
    monkeypatch.undo()
    resumed = tuned(base, documents, dev=documents, checkpoints=tmp_path)
    assert np.array_equal(answers(resumed, documents), whole)
    with pytest.raises(InputError, match="another run"):
        tuned(base, documents.select(np.arange(40)), dev=documents, checkpoints=tmp_path)


def test_the_log_names_the_scores_of_an_epoch() -> None:
    """It read ``dev 0.7273, -0.9571``."""
    assert score_in_words((0.7273, -0.9571), several=False) == "accuracy 0.7273, log-loss 0.9571"
    assert score_in_words((0.5, -1.0), several=True) == "micro F1 0.5000, log-loss 1.0000"


def test_a_run_under_another_attention_is_another(
    base: Encoder, documents: LabelledDocuments, tmp_path: Path
) -> None:
    tuned(base, documents, attention="mean", checkpoints=tmp_path)
    with pytest.raises(InputError, match=r"another run \(attention differ"):
        tuned(base, documents, attention="sum", checkpoints=tmp_path)


def identity(
    base: Encoder,
    documents: LabelledDocuments,
    start: LinearHead | None = None,
    attention: Any = "mean",
    n_classes: int = 3,
) -> dict[str, Any]:
    task = TuningTask(
        base=base, documents=documents, n_classes=n_classes, tune="full",
        options=TuningOptions(**QUICK), attention=attention, seed=0, start=start,
    )  # fmt: skip
    return task.identity()


def test_what_changes_a_run_is_in_its_identity(base: Encoder, documents: LabelledDocuments) -> None:
    plain, batch = without_entities(documents), documents.batch
    assert identity(base, plain, attention="mean") == identity(base, plain, attention="sum")
    assert identity(base, plain) != identity(base, plain, n_classes=4)
    others = dataclasses.replace(batch, entities=batch.entities + 1)
    renumbered = dataclasses.replace(documents, batch=others)
    assert identity(base, documents) != identity(base, renumbered)
    head = LinearHead.fit(base.encode(plain.texts), plain.gold, 3, C=0.1)
    scale = head.standardisation
    wider = dataclasses.replace(scale, deviation=2 * scale.deviation)
    assert identity(base, plain, head) != identity(
        base, plain, dataclasses.replace(head, standardisation=wider)
    )


@pytest.mark.parametrize("tune", ["full", "lora"])
def test_a_tuned_encoder_is_not_tuned_again(
    base: Encoder, documents: LabelledDocuments, tune: str
) -> None:
    """Its weights are in no directory to be read from."""
    found = tuned(base, documents, tune, epochs=1).encoder
    with pytest.raises(InputError, match="as a classifier tuned it"):
        tuned(found, documents)
    with pytest.raises(InputError, match="as a classifier tuned it"):
        with_settings(found, pooling="cls", normalize=False, max_length=None)


def test_it_starts_from_a_given_head(base: Encoder, documents: LabelledDocuments) -> None:
    plain = without_entities(documents)
    vectors = base.encode(plain.texts)
    head = LinearHead.fit(vectors, plain.gold, 3, C=0.1)
    found = tuned(base, plain, start=head, epochs=1, learning_rate=1e-9)
    np.testing.assert_allclose(answers(found, plain), head.log_probabilities(vectors), atol=1e-3)


def test_several_labels_a_text(base: Encoder, documents: LabelledDocuments) -> None:
    sets = np.eye(3, dtype=bool)[documents.gold]
    sets[::5] = True
    both = dataclasses.replace(documents, gold=sets)
    found = tuned(base, both, dev=both, epochs=30, learning_rate=5e-3, patience=None)
    assert found.head.linear.objective is SIGMOID
    predicted = answers(found, both) >= np.log(0.5)
    assert (predicted == sets).mean() > 0.75
    agreed = 2 * (predicted & sets).sum() / (predicted.sum() + sets.sum())
    best = max(epoch.score[0] for epoch in found.result.epochs)
    assert agreed == pytest.approx(best)
    assert tuned(base, both, class_weights="balanced").head is not None


def test_the_loss_of_label_sets_is_the_mean_over_labels() -> None:
    logits, gold = torch.randn(4, 3), torch.randint(0, 2, (4, 3)).float()
    mean = torch.nn.functional.binary_cross_entropy_with_logits(logits, gold)
    assert float(summed_loss(logits, gold, None)) == pytest.approx(float(mean) * 4, rel=1e-5)
    assert dev_score(torch.full((2, 2), -1.0), torch.zeros(2, 2))[0] == 1.0


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta"])
@pytest.mark.parametrize("tune", ["full", "lora"])
def test_a_written_encoder_gives_the_same_vectors(
    documents: LabelledDocuments, tmp_path: Path, kind: str, tune: str
) -> None:
    import runpy

    maker = runpy.run_path(str(HELPERS / "tiny_models.py"))
    base = Encoder.load(maker["build_tiny"](tmp_path / kind, kind=kind), device="cpu",
                        pooling="mean", normalize=False)  # fmt: skip
    found = tuned(base, without_entities(documents), tune)
    folder = tmp_path / "written"
    folder.mkdir()
    found.encoder.write(folder)
    if tune == "full":
        again = Encoder.load(folder, device="cpu", **found.encoder.settings.options())
    else:
        again = read_adapter(base, folder)
        assert again.fingerprint == found.encoder.fingerprint
    first, second = (one.encode_counted(documents.texts).vectors for one in (again, found.encoder))
    assert np.array_equal(first, second)
    assert found.encoder.fingerprint != base.fingerprint


@pytest.mark.parametrize(
    "option",
    [
        {"dev_split": 1.0}, {"class_weights": "equal"}, {"max_length": 0}, {"embeddings": "sparse"},
        {"dropout": 1.0}, {"lora_rank": 0},
    ],
)  # fmt: skip
def test_options_out_of_range_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(option))):
        TuningOptions(**option)


def test_options_are_taken_by_name() -> None:
    assert TuningOptions.of({"epochs": 3}) == TuningOptions(epochs=3)
    assert TuningOptions.of(None) == TuningOptions()
    with pytest.raises(InputError, match="did you mean 'epochs'"):
        TuningOptions.of({"epoch": 3})
