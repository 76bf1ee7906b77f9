"""The whole measurement: planted layers, tiny models, the same bytes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.data.parallel import ParallelTexts, parallel_texts
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.probe import NeutralityOptions, NeutralityResult, measure_neutrality
from isogloss.probe.neutrality.language_identity import exchanged
from isogloss.probe.neutrality.layer import (
    N_DIVISIONS,
    N_EXCHANGES,
    Division,
    LayerNeutrality,
    measure_layer,
)
from isogloss.probe.neutrality.result import CENTRED, CSLS, RAW, MeasuredNeutrality, reading_of
from isogloss.probe.neutrality.searches import Kind
from isogloss.probe.report.page import write_probe_report
from isogloss.retrieve.neighbours import Pair

LANGS = ("en", "ja", "pt", "th")
PIVOT = [Pair(0, 1), Pair(0, 2), Pair(0, 3)]
FEW = NeutralityOptions(n_neighbours=2)


def planted(shift: float, noise: float = 0.4, n: int = 120, width: int = 24) -> np.ndarray:
    rng = np.random.default_rng(0)
    sense = rng.normal(size=(n, width))
    own = shift * rng.normal(size=(4, 1, width))
    return (sense + noise * rng.normal(size=(4, n, width)) + own).astype(np.float32)


def measure(vectors: np.ndarray, pairs: list[Pair] = PIVOT) -> LayerNeutrality:
    division = Division.of(vectors.shape[1], seed=0)
    return measure_layer(3, vectors, LANGS, pairs, division, n_neighbours=5)


def test_shifted_languages_are_recognised_and_centring_mends_it() -> None:
    found = measure(planted(3.0))
    assert found.language_accuracy.value == 1
    assert found.language_accuracy_centred.high < 0.5
    raw, centred = found.retrieval[RAW], found.retrieval[CENTRED]
    assert raw.accuracy.value < 0.7
    assert centred.accuracy.value > 0.95
    assert centred.accuracy.minus(raw.accuracy).interval.low > 0.2
    assert found.retrieval[CSLS].accuracy.value > raw.accuracy.value
    assert centred.hubness.value < raw.hubness.value / 2
    assert raw.accuracy.value == pytest.approx(
        (raw.accuracy_forwards.value + raw.accuracy_back.value) / 2
    )
    same = measure(planted(0.0))
    assert found.cka.value == pytest.approx(same.cka.value, abs=1e-4)  # a shift is not seen
    assert same.language_accuracy.low < 0.25 < same.language_accuracy.high


def test_languages_that_differ_in_their_means_alone_are_no_more_than_the_null() -> None:
    """The shift, however large, is in neither; and the null is above chance, as means are noisy."""
    shifted, same = measure(planted(3.0, noise=1.0)), measure(planted(0.0, noise=1.0))
    null = shifted.language_accuracy_null
    assert null.low < shifted.language_accuracy_centred.value < null.high
    assert null.value > 0.28
    assert null.value == pytest.approx(same.language_accuracy_null.value, abs=0.01)
    of_one = shifted.languages[0].language_accuracy_null
    assert of_one.value == pytest.approx(null.value)
    assert of_one.low < null.low < null.high < of_one.high
    row = next(iter(NeutralityResult([one_layer(shifted)], options=FEW).layers.rows))
    assert row["language_accuracy_null"] == null.value
    assert f"nothing is left {null.low:.1%} to {null.high:.1%}" in reading_of(one_layer(shifted))


def test_exchanges_are_drawn_apart_from_the_division(monkeypatch: pytest.MonkeyPatch) -> None:
    states = []

    def noted(vectors: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        states.append(generator.bit_generator.state["state"]["state"])
        return exchanged(vectors, generator)

    monkeypatch.setattr("isogloss.probe.neutrality.layer.exchanged", noted)
    measure(planted(0.0))
    measure(planted(0.0))
    first, again = np.array(states).reshape(2, -1).tolist()
    assert first == again  # of a seed
    assert len(set(first)) == N_EXCHANGES  # each another
    assert np.random.default_rng(0).bit_generator.state["state"]["state"] not in first


def test_languages_with_a_covariance_of_their_own_are_more_than_the_null() -> None:
    vectors = planted(3.0, noise=1.0)
    noise = vectors - planted(3.0, noise=0.0)
    for at in range(4):
        vectors[at, :, 6 * at : 6 * at + 6] += 9 * noise[at, :, 6 * at : 6 * at + 6]
    found = measure(vectors)
    assert found.language_accuracy_centred.value > found.language_accuracy_null.high


def one_layer(layer: LayerNeutrality) -> MeasuredNeutrality:
    return MeasuredNeutrality("tiny", list(LANGS), 120, [layer], [])


def test_where_all_are_right_the_interval_is_no_point() -> None:
    found = measure(planted(3.0, noise=0.2))
    for accuracy in (found.language_accuracy, found.retrieval[CENTRED].accuracy.interval):
        assert (accuracy.value, accuracy.high) == (1.0, 1.0)
        assert accuracy.low == pytest.approx(120 / (120 + 1.96**2), abs=1e-4)
    assert found.languages[1].language_accuracy.low == pytest.approx(0.969, abs=1e-3)


def test_the_mean_that_all_share_can_be_all_that_is_wrong() -> None:
    vectors = planted(0.0, noise=0.8, width=8) + np.linspace(-9, 9, 8, dtype=np.float32)
    found = measure(vectors).retrieval
    common = found[Kind("common mean removed", "cosine")].accuracy
    assert common.minus(found[RAW].accuracy).interval.low > 0.05
    assert common.value == pytest.approx(found[CENTRED].accuracy.value, abs=0.05)


def test_the_language_probe_is_the_mean_over_divisions(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one division finds is a matter of chance; several share it, and its variance counts."""
    vectors = planted(1.0, noise=1.0)
    division = Division.of(120, seed=0)
    assert len(division.quarters) == N_DIVISIONS
    mean = measure_layer(0, vectors, LANGS, PIVOT, division, n_neighbours=5)
    of_each = [
        measure_layer(
            0, vectors, LANGS, PIVOT, replace(division, quarters=[one]), n_neighbours=5
        ).language_accuracy_centred
        for one in division.quarters
    ]
    assert mean.language_accuracy_centred.value == pytest.approx(
        np.mean([one.value for one in of_each])
    )
    assert len({one.value for one in of_each}) > 1
    assert mean.language_accuracy_centred.low < min(one.value for one in of_each)


def test_means_are_of_the_other_half() -> None:
    """A shift that one half has alone is put into the other by centring, not taken away."""
    vectors = planted(0.0)
    division = Division.of(120, seed=0)
    division = replace(division, quarters=division.quarters[:1])
    vectors[1:, division.is_second_half] += 4.0
    found = measure_layer(0, vectors, LANGS, PIVOT, division, n_neighbours=5)
    assert (
        found.language_accuracy_centred.value > 0.4
    )  # English is told from the others in both halves
    assert found.retrieval[CENTRED].accuracy.value < 0.9
    assert measure(planted(0.0)).retrieval[CENTRED].accuracy.value > 0.95


def test_one_language_s_shift_and_trouble_are_its_own() -> None:
    vectors = planted(0.0, noise=0.8)
    vectors[2, :, 5] += 12.0
    rows = {row.lang: row for row in measure(vectors).languages}
    assert max(rows.values(), key=lambda row: row.shift.value).lang == "pt"
    assert rows["pt"].shift.low > 1.5
    assert rows["pt"].dimensions_of_shift[0] == 5
    assert rows["pt"].shares_of_shift[0] == pytest.approx(1, abs=0.05)
    assert rows["pt"].language_accuracy.value > 0.99
    assert rows["pt"].language_accuracy.low > rows["ja"].language_accuracy.high
    assert rows["pt"].retrieval_from.value < rows["pt"].retrieval_from_centred.value
    assert rows["pt"].retrieval_from.value < rows["ja"].retrieval_from.value
    assert rows["pt"].retrieval_to.value < rows["ja"].retrieval_to.value
    vectors[3] = np.random.default_rng(5).normal(size=vectors[3].shape)
    found = measure(vectors)
    rows = {row.lang: row for row in found.languages}
    assert rows["th"].cka.high < 0.1 < rows["ja"].cka.value
    assert rows["th"].retrieval_from.value < 0.1
    pairs = {(row.lang, row.other): row.cka.value for row in found.pairs}
    assert len(pairs) == 6
    assert rows["en"].cka.value == pytest.approx(
        np.mean([value for pair, value in pairs.items() if "en" in pair])
    )
    assert found.cka.value == pytest.approx(np.mean(list(pairs.values())))


def test_directions_are_not_mixed_up() -> None:
    """Half of the Japanese vectors are one sentence's: English finds the others, they not theirs.

    The English sentence is right for every Japanese vector near it but found by one only.
    """
    vectors = planted(0.0, noise=0.1)
    vectors[1, :60] = vectors[0, 0] + 0.001 * vectors[1, :60]
    found = measure(vectors)
    japanese = next(row for row in found.languages if row.lang == "ja")
    raw = found.retrieval[RAW]
    assert raw.accuracy_forwards.value > raw.accuracy_back.value
    assert japanese.retrieval_to.value > japanese.retrieval_from.value
    english = next(row for row in found.languages if row.lang == "en")
    assert english.retrieval_from.value == pytest.approx(raw.accuracy_forwards.value)
    assert english.retrieval_to.value == pytest.approx(raw.accuracy_back.value)


def test_all_pairs_are_means_over_all_pairs() -> None:
    vectors = planted(1.5, noise=0.8)
    every = [Pair(one, other) for one in range(4) for other in range(one + 1, 4)]
    whole = measure(vectors, every).retrieval[RAW]
    single = [measure(vectors, [pair, *PIVOT]).retrieval[RAW] for pair in every]
    pivot = measure(vectors, PIVOT).retrieval[RAW].accuracy.value
    alone = [4 * one.accuracy.value - 3 * pivot for one in single]
    assert whole.accuracy.value == pytest.approx(np.mean(alone))


@pytest.fixture
def parallel(long_texts: list[str]) -> ParallelTexts:
    """Texts of several scripts; the second language is the first with a mark at its end."""
    texts = [text for text in long_texts if len(text.encode()) < 40 and text.strip()]
    texts += [f"the {kind} {name}" for kind in ("quick", "lazy", "brown") for name in
              ("fox", "dog", "bird", "tree")]  # fmt: skip
    texts = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    return parallel_texts({"en": texts, "de": [f"{text} !" for text in texts]})


def load(directory: Path, **options: Any) -> Encoder:
    return Encoder.load(directory, device="cpu", encoder_half=True, **options)


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "gpt2", "t5"])
def test_models_of_every_kind(
    tiny_models: dict[str, Path], parallel: ParallelTexts, kind: str
) -> None:
    encoder = load(tiny_models[kind], pooling="mean")
    found = measure_neutrality(encoder, parallel, options=FEW)
    assert [layer.layer for layer in found.layers] == list(range(encoder.n_layers + 1))
    assert found.n_sentences == parallel.n_sentences
    assert ("final normalisation" in " ".join(found.notes)) == (kind in ("gpt2", "t5"))
    division = Division.of(parallel.n_sentences, seed=0)
    vectors = np.stack([encoder.encode(some, layers=1) for some in parallel.texts.values()])
    again = measure_layer(
        1, vectors, parallel.langs, [Pair(0, 1)], division, n_neighbours=2
    )  # of unit length here: what is measured by cosine is the same
    assert found.layers[1].retrieval[RAW].accuracy.value == again.retrieval[RAW].accuracy.value


def test_an_encoder_with_a_pooler_has_one_layer(bert: Path, parallel: ParallelTexts) -> None:
    encoder = load(bert, pooling="pooler")
    found = measure_neutrality(encoder, parallel, options=FEW)
    assert [layer.layer for layer in found.layers] == [encoder.n_layers]
    assert any("belong to the last layer" in note for note in found.notes)


def test_the_same_seed_gives_the_same_bytes(
    bert: Path, parallel: ParallelTexts, tmp_path: Path
) -> None:
    def result(seed: int) -> NeutralityResult:
        options = NeutralityOptions(n_neighbours=2, seed=seed, max_sentences=16)
        return NeutralityResult(
            [measure_neutrality(load(bert, pooling="mean"), parallel, options=options)],
            options=options,
        )

    for folder in ("a", "b"):
        result(3).write(tmp_path / folder)
    names = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert names == ["cka.csv", "languages.csv", "layers.csv", "layers.svg", "manifest.json",
                     "retrieval.csv"]  # fmt: skip
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert result(4).layers.rows != result(3).layers.rows


def test_tables_hold_what_was_measured() -> None:
    options = NeutralityOptions(n_neighbours=5)
    weak, strong = measure(planted(3.0)), measure(planted(0.3))
    one = MeasuredNeutrality("tiny", list(LANGS), 120, [strong, weak], ["a note"])
    result = NeutralityResult([one], options=options)
    assert one.best is strong
    row = result.layers.rows[1]
    assert row["language_accuracy"] == weak.language_accuracy.value
    assert row["chance"] == 0.25
    assert row["centring_gain"] == pytest.approx(row["retrieval_centred"] - row["retrieval"])
    assert len(result.retrieval.rows) == 2 * 6
    assert len(result.cka.rows) == 2 * 6
    assert {row["lang"] for row in result.shown_languages.rows} == set(LANGS)
    assert result.notes[0] == "a note"
    assert "layer 3, the best of retrieval: translations found" in result.notes[1]
    of_weak = NeutralityResult(
        [MeasuredNeutrality("tiny", list(LANGS), 120, [weak], [])], options=options
    )
    assert "by centring +" in of_weak.notes[0]
    assert len(of_weak.shown_languages.rows) == 4  # the best layer is the last


def test_one_layer_is_saved_and_reported_by_its_number(tmp_path: Path) -> None:
    layer = measure_layer(
        12, planted(3.0), LANGS, PIVOT, Division.of(120, seed=0), n_neighbours=5
    )  # fmt: skip
    one = MeasuredNeutrality("tiny", list(LANGS), 120, [layer], [])
    NeutralityResult([one], options=FEW).write(tmp_path / "folder")
    write_probe_report([tmp_path / "folder"], tmp_path / "out.html")
    assert "In layer 12, the best, the" in (tmp_path / "out.html").read_text("utf-8")


def test_an_encoder_twice_is_refused() -> None:
    one = MeasuredNeutrality("tiny", list(LANGS), 120, [measure(planted(3.0))], [])
    with pytest.raises(InputError, match="'tiny' is measured twice"):
        NeutralityResult([one, one], options=FEW)


def test_too_few_sentences(bert: Path) -> None:
    few = parallel_texts({"en": ["a"] + [f"dog {i}" for i in range(20)],
                          "de": [""] + [f"Hund {i}" for i in range(20)]})  # fmt: skip
    with pytest.raises(InputError, match=r"20 sentences .* 1 left out .* needs 22 or more"):
        measure_neutrality(load(bert), few)


def test_cut_sentences_are_said(bert: Path, parallel: ParallelTexts) -> None:
    with pytest.warns(OmissionWarning, match="longer than 5 tokens"):
        measure_neutrality(load(bert, pooling="mean", max_length=5), parallel, options=FEW)


@pytest.mark.parametrize("option", ["max_sentences", "n_neighbours", "seed"])
def test_options_out_of_range(option: str) -> None:
    with pytest.raises(InputError, match=option):
        NeutralityOptions(**{option: -1})
