"""``--cache``: a second run takes its vectors from the folder and does not run the encoder."""

from pathlib import Path

import pytest
from cli_world import JAPANESE, Run, World, write_tsv

from isogloss import TextClassifier
from isogloss.encode import encoder as encoders


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Enough texts to adapt to."""
    rows = [(label, f"{text} {number}") for number in range(6) for label, text in JAPANESE]
    return write_tsv(tmp_path / "many.tsv", rows)


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
@pytest.mark.parametrize("verb", ["predict", "evaluate", "versus", "forecast", "adapt"])
def test_a_second_run_encodes_nothing(
    cli: Run, world: World, many: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    words = {
        "predict": ["predict", world.model, many, "--lang", "ja"],
        "evaluate": ["evaluate", world.model, "--test", f"ja={many}"],
        "versus": ["evaluate", world.alone, "--test", f"ja={many}", "--versus", world.model],
        "forecast": ["forecast", world.model, many, "--lang", "ja"],
        "adapt": ["adapt", world.model, many, "--lang", "ja", "--out", tmp_path / "adapted"],
    }[verb]
    command = ["classify", *words, "--cache", tmp_path / "vectors", "--json"]
    first = cli(*command)
    assert first.code == 0, first.err
    assert list((tmp_path / "vectors").glob("*/vectors.f4"))

    def run(*_: object, **__: object) -> None:
        raise AssertionError("the encoder ran")

    monkeypatch.setattr(encoders, "encode_texts", run)
    assert cli(*command, *(["--overwrite"] if verb == "adapt" else [])).json == first.json


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
@pytest.mark.parametrize("tune", ["lora", "full"])
def test_a_tuned_encoder_and_its_base_share_no_vector(
    cli: Run, world: World, tmp_path: Path, tune: str
) -> None:
    words = ["--tune", tune, "--epochs", 1, "--dev-split", 0.25, "--device", "cpu"]
    outcome = cli("classify", "fit", "--train", f"en={world.train}", "--encoder", world.encoder,
                  "--kb", world.kb, "--out", tmp_path / "model", *words)  # fmt: skip
    assert outcome.code == 0, outcome.err
    texts = [text for _, text in JAPANESE]
    plain = TextClassifier.load(tmp_path / "model", device="cpu").predict_proba(texts, "ja")
    for _ in range(2):
        cached = TextClassifier.load(tmp_path / "model", device="cpu", cache=tmp_path / "vectors")
        assert cached.predict_proba(texts, "ja").tolist() == plain.tolist()
    assert len(list((tmp_path / "vectors").glob("*/vectors.f4"))) == 2  # of texts and of names
