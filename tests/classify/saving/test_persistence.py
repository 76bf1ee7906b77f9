"""A saved classifier is the classifier, whole, and with its own encoder and knowledge base."""

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import ENTITIES, JAPANESE, FakeEncoder, english, write_names
from safetensors.numpy import load_file

from isogloss.classify import TextClassifier
from isogloss.classify.saving import save as saving
from isogloss.classify.saving.manifest import read_manifest
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.learn import saved_kb
from isogloss.storage.files import sha256_of
from isogloss.storage.sealed import sealed
from isogloss.vectors import EntityVectors
from isogloss.vectors.entity_vectors import random_vectors

# The vectors of these tests know a few of the entities only.
pytestmark = pytest.mark.filterwarnings("ignore:.*no vector among those")

Fit = Callable[..., TextClassifier]
TEXTS = [text for text, _ in JAPANESE]


def load(path: Path, encoder: Encoder, **options: Any) -> TextClassifier:
    return TextClassifier.load(path, encoder=encoder, **options)


def test_save_and_load_give_equal_probabilities(
    model: TextClassifier, encoder: FakeEncoder, tmp_path: Path
) -> None:
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model", encoder)
    expected = model.predict_proba(TEXTS, "ja", fallback_lang="en")
    assert np.array_equal(loaded.predict_proba(TEXTS, "ja", fallback_lang="en"), expected)
    assert loaded.predict(TEXTS, "ja").tolist() == model.predict(TEXTS, "ja").tolist()
    assert loaded.langs_ == model.langs_
    loaded.save(tmp_path / "again")
    assert load(tmp_path / "again", encoder).langs_ == model.langs_
    first, second = (
        json.loads((tmp_path / name / "model.json").read_text()) for name in ("model", "again")
    )
    assert first == second
    names = {file.suffix for file in (tmp_path / "model").iterdir()}
    assert names == {".json", ".md", ".safetensors"}


@pytest.mark.parametrize(
    "options",
    [
        {"attention": "mean"}, {"attention": "sum", "preset": "mboe"}, {"init": "random"},
        {"max_entities": 1}, {"min_commonness": 0.5}, {"min_link_prob": 0.8}, {"pooling": "cls"},
        {"init": EntityVectors(["Q1", "Q6"], random_vectors(
            ["Q1", "Q6"], 7, seed=1, root_mean_square=0.3)), "preset": "mboe"},
    ],
    ids=str,
)  # fmt: skip
def test_every_option_survives(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path, options: dict[str, Any]
) -> None:
    model = fit(**options)
    model.save(tmp_path / "model")
    loaded = load(tmp_path / "model", encoder)
    assert np.array_equal(loaded.predict_proba(TEXTS, "ja"), model.predict_proba(TEXTS, "ja"))
    for name, value in options.items():
        if not isinstance(value, EntityVectors):
            assert getattr(loaded, name) == value


def test_another_encoder_is_refused(fit: Fit, tmp_path: Path) -> None:
    fit().save(tmp_path / "model")
    with pytest.raises(
        InputError, match=r"trained with another encoder \(fake-0.*than fake-1.*--encoder or fit"
    ):
        load(tmp_path / "model", FakeEncoder(seed=1))


def test_another_knowledge_base_is_refused(fit: Fit, encoder: FakeEncoder, tmp_path: Path) -> None:
    file = write_names(tmp_path / "names.jsonl", ENTITIES[:3])
    build_knowledge_base([f"names:{file}"], tmp_path / "kb")
    fit().save(tmp_path / "model")
    with pytest.raises(InputError, match="trained with another knowledge base"):
        load(tmp_path / "model", encoder, kb=tmp_path / "kb")


@pytest.fixture
def home(tmp_path: Path, kb_path: Path, tiny_directory: Path) -> Path:
    """A folder with an encoder, a knowledge base and a model that was trained with them."""
    home = tmp_path / "home"
    shutil.copytree(kb_path, home / "kb")
    shutil.copytree(tiny_directory, home / "encoder")
    model = TextClassifier(home / "encoder", home / "kb", preset="mboe", device="cpu")
    model.fit(*english(12), lang="en").save(home / "model")
    return home


def test_all_move_together_and_are_found(home: Path, tmp_path: Path) -> None:
    expected = TextClassifier.load(home / "model").predict_proba(TEXTS, "ja")
    home.rename(tmp_path / "moved")
    loaded = TextClassifier.load(tmp_path / "moved" / "model")
    np.testing.assert_allclose(loaded.predict_proba(TEXTS, "ja"), expected, atol=1e-6)


@pytest.mark.parametrize(("part", "option"), [("kb", "--kb"), ("encoder", "--encoder")])
def test_what_moved_alone_is_asked_for(home: Path, part: str, option: str) -> None:
    (home / part).rename(home / "elsewhere")
    with pytest.raises(InputError, match=rf"is not at .*{part} any more; name it with {option}"):
        TextClassifier.load(home / "model")
    loaded = TextClassifier.load(home / "model", **{part: home / "elsewhere"})
    assert len(loaded.predict(TEXTS, "ja")) == len(TEXTS)


def test_changed_weights_are_another_encoder(home: Path) -> None:
    file = home / "encoder" / "model.safetensors"
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with pytest.raises(InputError, match="another encoder"):
        TextClassifier.load(home / "model")


def test_an_embedded_knowledge_base_goes_along(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    model = fit()
    model.save(tmp_path / "model", embed_kb=True)
    (tmp_path / "model").rename(tmp_path / "moved")
    loaded = load(tmp_path / "moved", encoder)
    assert loaded.kb_.path == tmp_path / "moved" / "kb"
    assert np.array_equal(loaded.predict_proba(TEXTS, "ja"), model.predict_proba(TEXTS, "ja"))


def test_a_model_is_known_by_what_it_answers_with_and_not_by_where_it_is(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    (tmp_path / "deeper").mkdir()
    fit().save(tmp_path / "model")
    fit().save(tmp_path / "deeper" / "model", embed_kb=True)
    fit(max_entities=1).save(tmp_path / "other")
    known, elsewhere, other = (
        read_manifest(tmp_path / name).fingerprint for name in ("model", "deeper/model", "other")
    )
    assert known == elsewhere != other
    load(tmp_path / "model", encoder).save(tmp_path / "again")
    assert read_manifest(tmp_path / "again").fingerprint == known


def test_saving_over_the_model_that_holds_the_knowledge_base_keeps_it(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model", embed_kb=True)
    load(tmp_path / "model", encoder).save(tmp_path / "model", overwrite=True)
    assert len(load(tmp_path / "model", encoder).predict(TEXTS, "ja")) == len(TEXTS)


def test_a_file_holds_only_what_prediction_reads(fit: Fit, tmp_path: Path) -> None:
    """The vote of mboe-plus takes entity vectors from their source; mboe has trained its own."""
    found = {}
    for preset in ("mboe", "mboe-plus"):
        fit(preset=preset).save(tmp_path / preset)
        found[preset] = set(load_file(tmp_path / preset / "model.safetensors"))
    memory = {"memory.entities", "memory.n_documents_with", "memory.attention_weight"}
    scale = {"standardisation.mean", "standardisation.deviation"}
    linear = {f"linear.{part}" for part in (*scale, "weight", "bias")}
    forecast = {"forecast_reference.weight", "forecast_reference.bias"}
    both = {f"head.{part}" for part in linear} | forecast
    both |= {f"score_reference.{part}" for part in ("centres", "spread", "priors")}
    assert found == {
        "mboe": both | {f"head.trained.{part}" for part in (*memory, "vectors")},
        "mboe-plus": both | {f"head.vote.{part}" for part in linear | memory | {"log_priors"}},
    }


# Damage.


def edit(path: Path, **changes: Any) -> None:
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(sealed(manifest | changes)))


def forge(model: Path, name: str, content: bytes) -> None:
    """Change a file and its checksum."""
    (model / name).write_bytes(content)
    checksums = json.loads((model / "model.json").read_text())["sha256"]
    edit(model / "model.json", sha256=checksums | {name: sha256_of(model / name)})


DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "a byte": (
        lambda model: (model / "model.safetensors").write_bytes(
            (model / "model.safetensors").read_bytes()[:-1] + b"\xff"
        ),
        "damaged: its checksum is not the one written; copy the model anew or fit it again",
    ),
    "no arrays": (
        lambda model: (model / "model.safetensors").unlink(),
        "this file is missing; copy the model anew or fit it again",
    ),
    "no manifest": (lambda model: (model / "model.json").unlink(), "has no model.json"),
    "half a manifest": (
        lambda model: (model / "model.json").write_text('{"format": "isogl'),
        "damaged: not JSON",
    ),
    "other format": (lambda model: edit(model / "model.json", format="x"), "not a classifier"),
    "old version": (
        lambda model: edit(model / "model.json", version=1),
        "version 1 of the format, this isogloss reads version 6; fit the model again",
    ),
    "a key": (
        lambda model: edit(model / "model.json", settings={}),
        "damaged: it lacks 'multilabel'; copy the model anew or fit it again",
    ),
    "no safetensors": (
        lambda model: forge(model, "model.safetensors", b"x"),
        r"damaged: not a safetensors file \(.*; copy the model anew or fit it again",
    ),
    "other version": (
        lambda model: edit(model / "model.json", version=9),
        "version 9 of the format, this isogloss reads version 6; fit the model again",
    ),
    "no vectors": (lambda m: (m / "entity-vectors.safetensors").unlink(), "this file is missing"),
    "other vectors": (
        lambda model: EntityVectors(["Q1"], np.ones((1, 7), np.float32)).save(
            model / "entity-vectors.safetensors", overwrite=True
        ),
        "damaged: its checksum is not the one written; copy the model anew or fit it again",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_said(fit: Fit, encoder: FakeEncoder, tmp_path: Path, damage: str) -> None:
    given = EntityVectors(["Q1"], np.zeros((1, 7), np.float32))
    fit(init=given).save(tmp_path / "model")
    harm, message = DAMAGES[damage]
    harm(tmp_path / "model")
    with pytest.raises(InputError, match=message):
        load(tmp_path / "model", encoder)


def test_what_is_no_model_is_said(kb_path: Path, encoder: FakeEncoder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such model directory; name a directory that"):
        load(tmp_path / "missing", encoder)
    with pytest.raises(InputError, match=r"it has no model\.json; name a directory that"):
        load(kb_path, encoder)
    (tmp_path / "file").write_text("text")
    with pytest.raises(InputError, match="is a file, not a folder"):
        load(tmp_path / "file", encoder)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"device": 5}, "device is 5; give 'auto'"),
        ({"device": None}, "device is None; give 'auto'"),
        ({"encoder": 5}, "encoder is 5; give an Encoder"),
        ({"kb": 5}, "kb is 5; give a KnowledgeBase"),
        ({"threads": "2"}, "threads is '2'; give a whole number"),
        ({"threads": True}, "threads is True; give a whole number"),
        ({"threads": 0}, "threads is 0; give 1 to"),
        ({"cache": 5}, "cache is 5; give a folder"),
    ],
)
def test_an_argument_at_fault_is_no_damage(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    fit().save(tmp_path / "model")
    with pytest.raises(InputError) as error:
        TextClassifier.load(tmp_path / "model", **({"encoder": encoder} | given))
    assert str(error.value).startswith(said)
    with pytest.raises(InputError, match=r"^path is 5; give the directory of a model"):
        TextClassifier.load(5)


# Writing.


def test_an_existing_model_is_replaced_only_where_asked(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model")
    with pytest.raises(InputError, match="already exists"):
        fit(kb=None).save(tmp_path / "model")
    assert load(tmp_path / "model", encoder).kb_ is not None
    fit(kb=None).save(tmp_path / "model", overwrite=True)
    assert load(tmp_path / "model", encoder).kb_ is None


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_what_cannot_be_written_leaves_nothing_and_harms_nothing(
    fit: Fit,
    encoder: FakeEncoder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
) -> None:
    fit(kb=None).save(tmp_path / "old")

    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr(saving, "save_file", fail)
    expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else InputError
    for name in ("new", "old"):
        with pytest.raises(expected):
            fit().save(tmp_path / name, overwrite=True, embed_kb=True)
    assert [file.name for file in tmp_path.iterdir()] == ["old"]
    assert load(tmp_path / "old", encoder).kb_ is None


def test_a_missing_folder_is_said(fit: Fit, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist; make it first"):
        fit(kb=None).save(tmp_path / "missing" / "model")


def test_the_knowledge_base_is_named_relative_to_the_model(
    fit: Fit, kb: KnowledgeBase, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model")
    saved = json.loads((tmp_path / "model" / "model.json").read_text())["kb"]
    assert not Path(saved["path"]).is_absolute()
    assert (tmp_path / "model" / saved["path"]).resolve() == kb.path.resolve()
    assert saved["fingerprint"] == kb.fingerprint


def test_a_model_of_other_linking_rules_is_said(
    fit: Fit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: FakeEncoder
) -> None:
    fit(preset="mboe-plus").save(tmp_path / "model")
    TextClassifier.load(tmp_path / "model", encoder=encoder)
    monkeypatch.setattr(saved_kb, "rules_fingerprint", lambda: "other")
    with pytest.warns(OmissionWarning, match="other rules for finding names"):
        TextClassifier.load(tmp_path / "model", encoder=encoder)


@pytest.mark.parametrize(
    ("key", "value"),
    [("trust", None), ("corrections", []), ("thresholds", {}), ("classes", None),
     ("settings", None), ("head", None), ("encoder", None), ("langs", 5)],
)  # fmt: skip
def test_a_manifest_of_another_shape_is_damaged(
    fit: Fit, tmp_path: Path, encoder: FakeEncoder, key: str, value: object
) -> None:
    fit(preset="mboe-plus").save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    file.write_text(json.dumps(sealed(json.loads(file.read_text()) | {key: value})))
    with pytest.raises(InputError, match=r"model\.json: damaged"):
        TextClassifier.load(tmp_path / "model", encoder=encoder)
