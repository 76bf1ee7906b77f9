"""A model of a stranger's: what it names is read, never run, fetched or looked for elsewhere."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from planted import FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.storage.sealed import sealed

Fit = Callable[..., TextClassifier]
NAME = "owner/encoder"


class Hub:
    """Stands for the hub, and counts what is fetched.

    Attributes
    ----------
    cached
        Whether the encoder is in the hub's cache on this machine.
    """

    def __init__(self, directory: Path) -> None:
        self.directory, self.cached, self.n_fetched = directory, True, 0

    def __call__(self, name: str, *, local_files_only: bool = False, **options: Any) -> str:
        from huggingface_hub.errors import LocalEntryNotFoundError

        assert name == NAME
        if local_files_only and not self.cached:
            raise LocalEntryNotFoundError("not here")
        self.n_fetched += not local_files_only
        return str(self.directory)


@pytest.fixture
def hub(tiny_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    hub = Hub(tiny_directory)
    monkeypatch.setattr("huggingface_hub.snapshot_download", hub)
    return hub


def test_a_hub_name_in_a_model_is_not_fetched(hub: Hub, tmp_path: Path) -> None:
    model = TextClassifier(Encoder.load(NAME, device="cpu"), kb=None).fit(*english(12), lang="en")
    model.save(tmp_path / "model")
    hub.n_fetched = 0
    TextClassifier.load(tmp_path / "model", device="cpu")
    assert hub.n_fetched == 0
    hub.cached = False
    expected = rf"made with the hub encoder '{NAME}', which is not on .*; give --encoder {NAME}"
    with pytest.raises(InputError, match=expected) as refused:
        TextClassifier.load(tmp_path / "model", device="cpu")
    assert "\n" not in str(refused.value)
    assert hub.n_fetched == 0
    TextClassifier.load(tmp_path / "model", encoder=NAME, device="cpu")
    assert hub.n_fetched == 1


def test_code_of_an_encoder_that_a_model_names_is_not_run(
    tiny_directory: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: pytest.fail("a question was asked"))
    folder = shutil.copytree(tiny_directory, tmp_path / "encoder")
    base = Encoder.load(folder, device="cpu")
    TextClassifier(base, kb=None).fit(*english(12), lang="en").save(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Config"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text("raise KeyboardInterrupt")
    with pytest.raises(InputError, match=r"Python code of its own \(evil.Config\)"):
        TextClassifier.load(tmp_path / "model", device="cpu")


@pytest.mark.parametrize("name", ["../other", "/etc/passwd", "encoder/../../other"])
def test_files_of_a_model_lie_in_its_folder(
    name: str, fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    manifest = json.loads(file.read_text())
    manifest["sha256"][name] = "0"
    file.write_text(json.dumps(sealed(manifest)))
    with pytest.raises(InputError, match="which is not in its folder"):
        TextClassifier.load(tmp_path / "model", encoder=encoder)


def test_a_changed_byte_of_a_manifest_is_found(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    label = json.loads(file.read_text())["classes"][0]
    file.write_text(file.read_text().replace(f'"{label}"', f'"{label}x"', 1))
    with pytest.raises(InputError, match=r"model\.json: damaged: its content is not what was wri"):
        TextClassifier.load(tmp_path / "model", encoder=encoder)
