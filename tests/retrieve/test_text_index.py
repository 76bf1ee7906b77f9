"""An index on disk: what goes in is found, nothing of it is read in vain, damage is told."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny_models import TEXTS, build_tiny

from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.retrieve import index_building
from isogloss.retrieve.duplicates import near_duplicates
from isogloss.retrieve.index_files import FAISS, ID_OFFSETS, MANIFEST, TEXT_OFFSETS, VECTORS
from isogloss.retrieve.text_index import SNIPPET, TextIndex
from isogloss.storage.sealed import sealed

SAID = [text for text in TEXTS if text.strip()]
LANGS = ["en", "fr", "ru", "ar", "hi", "th", "zh", "ja", "ko", None, "en", "en"]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Encoder:
    folder = tmp_path_factory.mktemp("tiny")
    made = build_tiny(folder / "bert", kind="bert", with_pooler=False)
    return Encoder.load(made, device="cpu", threads=1)


@pytest.fixture
def index(tmp_path: Path, tiny: Encoder) -> TextIndex:
    ids = [f"n{number}" for number in range(len(SAID))]
    return TextIndex.build(SAID, tmp_path / "index", ids=ids, langs=LANGS, encoder=tiny)


def test_a_text_is_found_by_itself_with_its_id_and_language(index: TextIndex) -> None:
    opened = TextIndex.open(index.path, verified=True)
    assert len(opened) == len(SAID)
    for number, hits in enumerate(opened.search(SAID, k=3)):
        assert [hit.rank for hit in hits] == [1, 2, 3]
        assert (hits[0].row, hits[0].id, hits[0].lang) == (number, f"n{number}", LANGS[number])
        assert hits[0].score == pytest.approx(1.0, abs=1e-5)
        assert hits[0].score >= hits[1].score >= hits[2].score
        assert opened.text(number) == SAID[number]


def test_scores_are_the_cosines_of_the_encoder(index: TextIndex, tiny: Encoder) -> None:
    (hits,) = index.search(["東京 dog"], k=len(SAID))
    vectors = tiny.encode(["東京 dog", *SAID], normalize=True)
    cosines = vectors[1:] @ vectors[0]
    assert [hit.row for hit in hits] == np.argsort(-cosines, kind="stable").tolist()
    np.testing.assert_allclose([hit.score for hit in hits], np.sort(cosines)[::-1], atol=1e-5)


def test_only_texts_of_the_languages_asked_for_are_found(index: TextIndex) -> None:
    (hits,) = index.search(["fox"], langs=["eng_Latn", "ja"])
    assert sorted(hit.row for hit in hits) == [0, 7, 10, 11]
    with pytest.raises(InputError, match=r"no text of the index is in 'sw'; allowed: en, fr"):
        index.search(["fox"], langs=["sw"])


def test_a_snippet_is_the_beginning_on_one_line(tmp_path: Path, tiny: Encoder) -> None:
    texts = ["a\n b\tc", "長い文。" * 300, "ab " * 60, "\U0001f680" * 500, "x" * 199]
    index = TextIndex.build(texts, tmp_path / "i", encoder=tiny)
    shown = [index.shown(row).snippet for row in range(len(texts))]
    assert shown[0] == "a b c"
    assert shown[1] == ("長い文。" * 300)[: SNIPPET - 1] + "…"
    assert shown[2] == " ".join(["ab"] * 60)
    assert shown[3] == "\U0001f680" * 199 + "…"
    assert shown[4] == "x" * 199
    assert [index.text(row) for row in range(len(texts))] == texts


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_blocks_give_what_all_at_once_gives(
    tmp_path: Path, tiny: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(name: str) -> TextIndex:
        return TextIndex.build(TEXTS, tmp_path / name, encoder=tiny)

    whole = built("one")
    monkeypatch.setattr("isogloss.retrieve.text_index.N_TEXTS_AT_ONCE", 3)
    parts = built("two")
    np.testing.assert_allclose(parts.vectors, whole.vectors, atol=1e-5)
    rows = range(len(whole))
    assert [(parts.text(row), parts.shown(row)) for row in rows] == [
        (whole.text(row), whole.shown(row)) for row in rows
    ]


def test_empty_texts_are_left_out_and_counted(tmp_path: Path, tiny: Encoder) -> None:
    with pytest.warns(OmissionWarning, match="2 of 14 texts are empty"):
        index = TextIndex.build(TEXTS, tmp_path / "i", encoder=tiny)
    assert len(index) == len(SAID)
    assert index.shown(10).id == "12"  # ids are those of the texts that were given
    with (
        pytest.warns(OmissionWarning),
        pytest.raises(InputError, match="no text to index"),
    ):
        TextIndex.build(["", " "], tmp_path / "none", encoder=tiny)
    assert not (tmp_path / "none").exists()


def test_opening_reads_no_array(index: TextIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(TextIndex.open(index.path).vectors.base, np.memmap)

    def read(*_: object) -> None:
        raise AssertionError("a file was read")

    monkeypatch.setattr("isogloss.retrieve.index_files.sha256_of", read)
    TextIndex.open(index.path)


def test_another_encoder_is_refused(index: TextIndex, tmp_path: Path) -> None:
    other = build_tiny(tmp_path / "other", kind="bert", with_pooler=False, seed=8)
    with pytest.raises(InputError, match="made with another encoder"):
        TextIndex.open(index.path).with_encoder(other)


def rewrite(path: Path, **changes: Any) -> None:
    facts = json.loads((path / MANIFEST).read_text())
    (path / MANIFEST).write_text(json.dumps(sealed(facts | changes)))


def test_what_an_index_names_is_never_fetched(index: TextIndex) -> None:
    facts = json.loads((index.path / MANIFEST).read_text())["encoder"]
    rewrite(index.path, encoder=facts | {"name": "nobody/no-model", "is_directory": False})
    with pytest.raises(InputError, match="is not fetched; give --encoder nobody/no-model"):
        TextIndex.open(index.path).search(["x"])
    rewrite(index.path, encoder=facts | {"name": "../gone"})
    with pytest.raises(InputError, match=r"not at .*gone any more; name it with --encoder"):
        TextIndex.open(index.path).search(["x"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n_texts": 13}, "of another size"),
        ({"n_texts": 0}, "no vectors"),
        ({"width": "x"}, "damaged"),
        ({"langs": ["en", "en"]}, "languages"),
        ({"langs": ["english"]}, "damaged"),
        ({"files": {}}, "its files are"),
        ({"version": 7}, "version 7 of the format"),
        ({"format": "x"}, "not an index"),
    ],
)
def test_a_manifest_of_a_stranger_is_checked(
    index: TextIndex, changes: dict[str, Any], said: str
) -> None:
    rewrite(index.path, **changes)
    with pytest.raises(InputError, match=said):
        TextIndex.open(index.path)


def test_options_of_an_encoder_that_are_none_are_refused(index: TextIndex) -> None:
    facts = json.loads((index.path / MANIFEST).read_text())["encoder"]
    options = facts["options"] | {"cache": "/tmp/elsewhere"}
    rewrite(index.path, encoder=facts | {"options": options})
    with pytest.raises(InputError, match="options of its encoder"):
        TextIndex.open(index.path)


def test_damage_is_told(index: TextIndex) -> None:
    manifest = index.path / MANIFEST
    whole = manifest.read_text()
    manifest.write_text(whole.replace('"n_texts": 12', '"n_texts": 11'))
    with pytest.raises(InputError, match="not what was written"):
        TextIndex.open(index.path)
    manifest.write_text(whole)
    vectors = bytearray((index.path / VECTORS).read_bytes())
    vectors[5] ^= 1
    (index.path / VECTORS).write_bytes(vectors)
    TextIndex.open(index.path)
    with pytest.raises(InputError, match="not those that were written"):
        TextIndex.open(index.path, verified=True)
    (index.path / VECTORS).write_bytes(vectors[:-4])
    with pytest.raises(InputError, match="damaged: has 1,532 bytes, not 1,536"):
        TextIndex.open(index.path)


@pytest.mark.parametrize("name", [TEXT_OFFSETS, ID_OFFSETS])
def test_offsets_of_a_stranger_lead_nowhere(index: TextIndex, name: str) -> None:
    n = len(SAID) + 1
    (index.path / name).write_bytes(np.full(n, 1 << 60, "<i8").tobytes())
    with pytest.raises(InputError, match="out of order"):
        TextIndex.open(index.path).shown(3)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("number", [np.inf, np.nan, 1e15])
def test_vectors_that_are_no_unit_vectors_are_told(index: TextIndex, number: float) -> None:
    file = index.path / VECTORS
    vectors = np.fromfile(file, np.float32)
    vectors[-2 * index.manifest.width :] *= number
    vectors.tofile(file)
    opened = TextIndex.open(index.path)
    with pytest.raises(InputError, match="not of unit length"):
        opened.search([SAID[0]], k=len(SAID))
    if np.isfinite(number):
        with pytest.raises(InputError, match="not of unit length"):
            opened.duplicates(threshold=0, same_language=True)


def test_columns_of_other_lengths_are_refused(tmp_path: Path, tiny: Encoder) -> None:
    with pytest.raises(InputError, match="langs has 1 values for 2 texts"):
        TextIndex.build(["a", "b"], tmp_path / "i", langs=["en"], encoder=tiny)


def test_faiss_finds_them_too(
    tmp_path: Path, tiny: Encoder, index: TextIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("faiss")
    made = TextIndex.build(SAID, tmp_path / "f", encoder=tiny, faiss=True)
    assert made.manifest.lists is not None
    assert made.manifest.lists.recall >= 0.95
    exact, found = (made.search(SAID, k=3, faiss=one) for one in (False, True))
    assert [[hit.row for hit in hits] for hits in found] == [
        [hit.row for hit in hits] for hits in exact
    ]
    with pytest.raises(InputError, match="leave --faiss or --lang out"):
        made.search(["x"], langs=["en"], faiss=True)
    with pytest.raises(InputError, match="made without --faiss"):
        index.search(["x"], faiss=True)
    assert (made.path / FAISS).is_file()
    monkeypatch.setattr(index_building, "require_faiss", lambda: 1 / 0)
    made.search(["x"])  # exact search needs none of it


def test_near_duplicates_are_each_others_nearest_of_two_languages() -> None:
    generator = np.random.default_rng(0)
    said = generator.normal(size=(5, 16))
    other = generator.normal(size=(4, 16))
    vectors = np.concatenate(
        [said, said[[1, 0, 2]] + 0.05, said[[0]] + 0.1, said[[4]] + 0.01, other[:2], other[2:]]
    )
    vectors += 1.5  # unrelated texts are near too, as with real encoders
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    langs = np.array([1] * 5 + [2] * 3 + [3] + [1] + [2] * 2 + [3] * 2)
    found = near_duplicates(vectors, langs, threshold=1.15)
    pairs = {(pair.first, pair.second) for pair in found}
    assert pairs == {(0, 6), (0, 8), (6, 8), (1, 5), (2, 7)}
    stories = {pair.story: set() for pair in found}
    for pair in found:
        stories[pair.story] |= {pair.first, pair.second}
        cosine = float(vectors[pair.first] @ vectors[pair.second])
        assert pair.cosine == pytest.approx(cosine, abs=1e-6)
    assert sorted(map(sorted, stories.values())) == [[0, 6, 8], [1, 5], [2, 7]]
    best = [max(pair.score for pair in found if pair.story == one) for one in sorted(stories)]
    assert best == sorted(best, reverse=True)
    assert sorted(stories) == [1, 2, 3]
    within = near_duplicates(vectors, langs, threshold=1.15, same_language=True)
    assert {(p.first, p.second) for p in within} == pairs | {(4, 9), (7, 10)}
    assert near_duplicates(vectors, langs, threshold=9) == []


def test_the_score_of_a_near_duplicate_is_the_margin_of_its_equation() -> None:
    generator = np.random.default_rng(1)
    vectors = generator.normal(size=(14, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    langs = np.array([1, 2] * 7)
    cosines = vectors[langs == 1] @ vectors[langs == 2].T
    means = np.sort(cosines, axis=1)[:, -4:].mean(1)[:, None] + np.sort(cosines, axis=0)[-4:].mean(
        0
    )
    expected = {
        (2 * one, 2 * other + 1): cosines[one, other] / (means[one, other] / 2)
        for one, other in enumerate(cosines.argmax(axis=1).tolist())
        if cosines[:, other].argmax() == one
    }
    found = {
        tuple(sorted((pair.first, pair.second))): pair.score
        for pair in near_duplicates(vectors, langs, threshold=0.0)
    }
    assert found == pytest.approx({tuple(sorted(pair)): one for pair, one in expected.items()})


def test_near_duplicates_of_one_language_are_asked_for(index: TextIndex, tmp_path: Path) -> None:
    assert len(index.duplicates(threshold=0.0)) > 0
    alone = TextIndex.build(["fox", "dog"], tmp_path / "a", encoder=index.encoder)
    with pytest.raises(InputError, match="--same-language"):
        alone.duplicates()
    (pair,) = alone.duplicates(threshold=0.0, same_language=True)
    assert (pair.first, pair.second) == (0, 1)


def test_a_prefix_of_queries(index: TextIndex, tiny: Encoder) -> None:
    (plain,), (asked,) = index.search(["dog"]), index.search(["dog"], prefix="fox ")
    (same,) = index.search(["fox dog"])
    assert [hit.score for hit in asked] == pytest.approx([hit.score for hit in same], abs=1e-5)
    assert [hit.score for hit in plain] != [hit.score for hit in asked]
