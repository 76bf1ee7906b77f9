"""Vector translation: planted offsets, slow versions, neutrality's figures, models of each kind."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.data.parallel import ParallelTexts, parallel_texts
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.probe import (
    NeutralityOptions,
    TranslationOptions,
    TranslationResult,
    measure_neutrality,
    measure_translation,
)
from isogloss.probe.neutrality.layer import Division
from isogloss.probe.neutrality.searches import Kind, held_out, in_sample, search_folds
from isogloss.probe.translation.claims import FALLS, OVER_HALF, claims_of
from isogloss.probe.translation.layer import (
    BACK,
    PAPER,
    SCORES,
    LayerTranslation,
    Search,
    measure_layer,
)
from isogloss.retrieve.neighbours import Pair

N, WIDTH, K = 120, 24, 5
FEW = TranslationOptions(n_neighbours=2)


def planted(noise: float, shift: float = 3.0, n: int = N) -> np.ndarray:
    """Two languages that differ in an offset and in noise; both lie far from the origin."""
    rng = np.random.default_rng(0)
    sense = rng.normal(size=(n, WIDTH)) + 1.0
    own = shift * rng.normal(size=(2, 1, WIDTH))
    return (sense + noise * rng.normal(size=(2, n, WIDTH)) + own).astype(np.float32)


def measured(vectors: np.ndarray) -> LayerTranslation:
    division = Division.of(vectors.shape[1], seed=0)
    return measure_layer(3, vectors, division, n_neighbours=K)


def test_a_planted_offset_translates_everything() -> None:
    found = measured(planted(0.0))
    for search in found.hits:
        for way in (0, 1):
            accuracy = found.shares(search, way).mean()
            assert (accuracy == 1.0) == (search.offset != "none"), (search, way)
    assert len(found.hits) == 5 * len(SCORES)


def test_the_offset_is_centring_by_l2() -> None:
    """x + b - a against y is x - a against y - b; by cosine the two differ."""
    vectors = planted(1.2)
    second = Division.of(N, seed=0).is_second_half
    for folds in (held_out(second), in_sample(np.ones(N, np.bool_)), in_sample(second, ~second)):
        found = search_folds(
            vectors, [Pair(0, 1)], folds, moves=["raw", "offset", "centred"], scores=SCORES,
            n_neighbours=K,
        )  # fmt: skip
        offset, centred = found[Kind("offset", "L2")], found[Kind("centred", "L2")]
        np.testing.assert_array_equal(offset.hits, centred.hits)
        np.testing.assert_array_equal(offset.occurrences, centred.occurrences)
        assert found[Kind("raw", "L2")].hits.mean() < offset.hits.mean() < 1
        cosine = found[Kind("offset", "cosine")].hits, found[Kind("centred", "cosine")].hits
        assert (cosine[0] != cosine[1]).any()


def test_every_search_against_loops() -> None:
    vectors = planted(1.2, n=40)
    division = Division.of(40, seed=0)
    found = measure_layer(0, vectors, division, n_neighbours=K)
    second = division.is_second_half
    for search, hits in found.hits.items():
        folds = [np.ones(40, np.bool_)] if search.among == "all" else [second, ~second]
        for fold in folds:
            for way, some in enumerate((vectors, vectors[::-1])):
                wanted = slow(some.astype(np.float64), fold, search)
                assert hits[way][fold].tolist() == wanted, (search, way)


def slow(vectors: np.ndarray, fold: np.ndarray, search: Search) -> list[bool]:
    fitted = ~fold if search.offset == "held-out" else fold
    offset = vectors[1, fitted].mean(0) - vectors[0, fitted].mean(0)
    moved = vectors[0, fold] + (0 if search.offset == "none" else offset)
    others = vectors[1, fold]
    if search.score == "L2":
        scores = np.array([[-np.linalg.norm(a - b) for b in others] for a in moved])
    else:
        scores = np.array(
            [[a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in others] for a in moved]
        )
    if search.score == "CSLS":
        of_rows, of_columns = (np.sort(one, axis=1)[:, -K:].mean(1) for one in (scores, scores.T))
        scores = 2 * scores - of_rows[:, None] - of_columns[None]
    return [int(row.argmax()) == at for at, row in enumerate(scores)]


def test_shuffled_pairs_give_chance() -> None:
    vectors = planted(0.3, n=600)
    vectors[1] = vectors[1, np.random.default_rng(1).permutation(600)]
    for search, hits in measured(vectors).hits.items():
        n = 600 if search.among == "all" else 300
        assert hits.mean() < 1 / n + 4 * np.sqrt(1 / n / 600), search


def test_a_far_pair_does_not_carry_the_offset_of_the_others() -> None:
    """One pair of a half that is a thousandfold moves its own offset, and not that held out."""
    vectors = planted(0.0)
    half = np.flatnonzero(Division.of(N, seed=0).is_second_half)
    vectors[1, half[0]] += 1e4
    found = measured(vectors)
    in_half, honest = (
        found.hits[Search(one, "half", "L2")][0] for one in ("in-sample", "held-out")
    )
    assert honest[half[1:]].all()
    assert not in_half[half[1:]].all()


def test_claims_are_those_of_the_paper() -> None:
    resampling = Division.of(N, seed=0).resampling

    def claims(*shares: float) -> dict[str, str]:
        layers = [
            LayerTranslation(at, {PAPER: np.array([np.arange(N) < share * N] * 2)})
            for at, share in enumerate(shares)
        ]
        return {one.claim: one.verdict for one in claims_of(layers, resampling)}

    assert claims(0.1, 0.2, 0.8, 0.9, 0.9, 0.8, 0.5) == {OVER_HALF: "undecided", FALLS: "holds"}
    assert claims(0.1, 0.2, 0.8, 0.9, 0.9, 0.8, 0.7) == {OVER_HALF: "holds", FALLS: "holds"}
    assert claims(0.9, 0.9, 0.1, 0.2, 0.2, 0.8, 0.9) == {
        OVER_HALF: "does not hold", FALLS: "does not hold",
    }  # fmt: skip
    assert claims(0.1, 0.9, 0.9, 0.9) == {OVER_HALF: "holds", FALLS: "undecided"}
    assert claims(0.1, 0.9, 0.9) == {}


@pytest.fixture
def pairs(long_texts: list[str]) -> ParallelTexts:
    """Texts of several scripts; the second language is the first with a mark at its end."""
    texts = [text for text in long_texts if len(text.encode()) < 40 and text.strip()]
    texts += [f"the {kind} {name}" for kind in ("quick", "lazy", "brown") for name in
              ("fox", "dog", "bird", "tree")]  # fmt: skip
    texts = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    return parallel_texts({"en": texts, "de": [f"{text} dog !" for text in texts]})


def load(directory: Path, **options: Any) -> Encoder:
    return Encoder.load(directory, device="cpu", encoder_half=True, threads=1, **options)


@pytest.fixture(scope="module")
def newer_models(
    tiny_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Tiny random DeBERTa-v2 and ModernBERT beside the others."""
    import torch
    from transformers import (
        AutoTokenizer,
        DebertaV2Config,
        DebertaV2Model,
        ModernBertConfig,
        ModernBertModel,
    )

    tokenizer = AutoTokenizer.from_pretrained(tiny_models["xlm-roberta"])
    same = {
        "vocab_size": len(tokenizer), "hidden_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "intermediate_size": 64, "max_position_embeddings": 40,
        "pad_token_id": 1, "initializer_range": 0.3,
    }  # fmt: skip
    found = dict(tiny_models)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        models = {
            "deberta-v2": DebertaV2Model(DebertaV2Config(
                **same, relative_attention=True, position_biased_input=False,
                pos_att_type=["c2p", "p2c"],
            )),
            "modernbert": ModernBertModel(ModernBertConfig(
                **same, bos_token_id=0, cls_token_id=0, eos_token_id=2, sep_token_id=2,
            )),
        }  # fmt: skip
    for kind, model in models.items():
        found[kind] = tmp_path_factory.mktemp(kind)
        model.save_pretrained(found[kind])
        tokenizer.save_pretrained(found[kind])
    return found


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "deberta-v2", "modernbert", "gpt2"])
def test_models_of_every_kind(
    newer_models: dict[str, Path], pairs: ParallelTexts, kind: str
) -> None:
    encoder = load(newer_models[kind], pooling="mean", prefix="query: ")
    found = measure_translation(encoder, pairs, options=FEW)
    assert [row["layer"] for row in found.tables["layers"]] == list(range(encoder.n_layers + 1))
    vectors = np.stack([
        encoder.encode_counted(some, layers=1, tokens="text", normalize=False).vectors
        for some in pairs.texts.values()
    ])  # fmt: skip
    again = measure_layer(
        1, vectors, Division.of(pairs.n_sentences, seed=0), n_neighbours=2
    )  # fmt: skip
    row = found.tables["layers"][1]
    assert row["accuracy"] == again.shares(PAPER).mean()
    assert row["accuracy_back"] == again.shares(PAPER, BACK).mean()
    assert row["accuracy"] > 0
    assert ("final normalisation" in " ".join(found.notes)) == (kind in ("gpt2", "modernbert"))


def test_figures_are_those_of_neutrality_where_it_measures_the_same(
    tiny_models: dict[str, Path], pairs: ParallelTexts
) -> None:
    """Of an encoder without special tokens and prefix, whose pooling is the mean."""
    encoder = load(tiny_models["gpt2"], pooling="mean", prefix="")
    assert not encoder.tokenizer.head + encoder.tokenizer.tail
    of_neutrality = measure_neutrality(encoder, pairs, options=NeutralityOptions(n_neighbours=2))
    rows = measure_translation(encoder, pairs, options=FEW).tables["searches"]
    n_compared = 0
    for row in rows:
        if (row["offset"], row["among"]) != ("none", "half") or row["score"] == "L2":
            continue
        theirs = of_neutrality.layers[row["layer"]].retrieval[Kind("raw", row["score"])]
        assert row["accuracy"] == theirs.accuracy_forwards.value
        assert row["accuracy_low"] == theirs.accuracy_forwards.interval.low
        assert row["accuracy_back"] == theirs.accuracy_back.value
        n_compared += 1
    assert n_compared == 2 * (encoder.n_layers + 1)


def test_the_pooler_has_no_part_in_it(bert: Path, pairs: ParallelTexts) -> None:
    found = measure_translation(load(bert, pooling="pooler"), pairs, options=FEW)
    assert [row["layer"] for row in found.tables["layers"]] == [0, 1, 2]
    assert found.tables == measure_translation(load(bert, pooling="cls"), pairs, options=FEW).tables


def test_rows_hold_chance_numbers_and_both_directions(bert: Path, pairs: ParallelTexts) -> None:
    n = pairs.n_sentences
    found = measure_translation(load(bert), pairs, options=FEW)
    result = TranslationResult([found], options=FEW)
    row = result.layers.rows[0]
    assert (row["encoder"], row["lang"], row["other"]) == (str(bert), "en", "de")
    assert (row["n"], row["chance"]) == (n, 1 / n)
    assert row["optimism"] == pytest.approx(row["in_half"] - row["held_out"])
    assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]
    by_search = {(one["layer"], one["offset"], one["among"], one["score"]): one
                 for one in result.searches.rows}  # fmt: skip
    assert len(by_search) == len(result.searches.rows) == 3 * 5 * 3
    assert by_search[0, "in-sample", "all", "L2"]["accuracy"] == row["accuracy"]
    assert by_search[0, "held-out", "half", "CSLS"]["chance"] == 2 / n
    assert by_search[0, "none", "all", "L2"]["accuracy"] == row["without_offset"]
    assert f"en-de: {n} sentences in each of 2 languages; chance 1 in {n}, " in result.notes[0]


def test_the_same_seed_gives_the_same_bytes(
    bert: Path, pairs: ParallelTexts, tmp_path: Path
) -> None:
    def result(seed: int) -> TranslationResult:
        options = TranslationOptions(n_neighbours=2, seed=seed, max_pairs=12)
        found = measure_translation(load(bert), pairs, options=options)
        assert "12 sentences in each of 2 languages, drawn of 14" in found.notes[0]
        return TranslationResult([found], options=options)

    for folder in ("a", "b"):
        result(3).write(tmp_path / folder)
    names = sorted(file.name for file in (tmp_path / "a").iterdir())
    assert names == ["claims.csv", "claims.md", "layers.csv", "layers.svg", "manifest.json",
                     "searches.csv"]  # fmt: skip
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    assert result(4).layers.rows != result(3).layers.rows


def test_what_is_left_out_is_said_and_kept(bert: Path, pairs: ParallelTexts) -> None:
    with pytest.warns(OmissionWarning, match="longer than 5 tokens"):
        found = measure_translation(load(bert, max_length=5), pairs, options=FEW)
    assert "longer than 5 tokens" in found.omissions[0]
    blank = parallel_texts({
        "en": [*pairs.texts["en"], "\u200b"], "de": [*pairs.texts["de"], "\u200b \u200b"],
    })  # fmt: skip
    with pytest.warns(OmissionWarning, match=r"2 of \d+ texts have no token beside special ones"):
        measure_translation(load(bert), blank, options=FEW)


def test_a_pair_twice_is_refused(bert: Path, pairs: ParallelTexts) -> None:
    found = measure_translation(load(bert), pairs, options=FEW)
    with pytest.raises(InputError, match="in 'en-de' is measured twice"):
        TranslationResult([found, found], options=FEW)


def test_other_than_two_languages_and_too_few_pairs(bert: Path) -> None:
    texts = [f"fox {at}" for at in range(30)]
    with pytest.raises(InputError, match="two languages, not of 3"):
        measure_translation(load(bert), parallel_texts({"en": texts, "de": texts, "fr": texts}))
    with pytest.raises(InputError, match=r"20 pairs of sentences, 0 left out .* needs 22 or more"):
        measure_translation(load(bert), parallel_texts({"en": texts[:20], "de": texts[:20]}))


@pytest.mark.parametrize("option", ["max_pairs", "n_neighbours", "seed"])
def test_options_out_of_range(option: str) -> None:
    with pytest.raises(InputError, match=option):
        TranslationOptions(**{option: -1})
