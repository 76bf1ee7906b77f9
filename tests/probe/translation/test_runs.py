"""A stopped measurement resumes: what is kept is not measured again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.data.parallel import ParallelTexts, parallel_texts
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.probe import TranslationOptions
from isogloss.probe.translation import runs
from isogloss.probe.translation.result import MeasuredTranslation
from isogloss.probe.translation.runs import TRANSLATION, translations

FEW = TranslationOptions(n_neighbours=2)
TEXTS = [
    f"the {kind} {name}" for kind in ("quick", "lazy", "brown") for name in ("fox", "dog", "bird")
]


@pytest.fixture
def encoder(bert: Path) -> Encoder:
    return Encoder.load(bert, device="cpu", threads=1, max_length=6, pooling="mean")


@pytest.fixture
def pairs() -> dict[str, ParallelTexts]:
    return {
        lang: parallel_texts({"en": TEXTS, lang: [f"{text} {lang} dog fox" for text in TEXTS]})
        for lang in ("de", "ja")
    }


def refused(*_: object, **__: object) -> MeasuredTranslation:
    raise AssertionError("it was measured again")


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_what_is_kept_is_not_measured_again(
    encoder: Encoder, pairs: dict[str, ParallelTexts], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    with translations(FEW, tmp_path / "kept") as kept:
        first = kept.measure(encoder, pairs["de"])
    with monkeypatch.context() as patched:
        patched.setattr(runs, "measure_translation", refused)
        with translations(FEW, tmp_path / "kept") as kept:
            with pytest.warns(OmissionWarning, match="longer than 6 tokens"):
                again = kept.measure(encoder, pairs["de"])
            with pytest.raises(AssertionError, match="again"):
                kept.measure(encoder, pairs["ja"])
    assert again == first
    with translations(FEW, tmp_path / "kept") as kept:  # a pair more resumes the same folder
        assert kept.measure(encoder, pairs["ja"]).other == "ja"
    assert len(list((tmp_path / "kept" / "cells").iterdir())) == 2
    with translations(FEW) as without:
        assert without.measure(encoder, pairs["de"]) == first


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_other_options_and_another_folder_are_refused(
    encoder: Encoder, pairs: dict[str, ParallelTexts], tmp_path: Path
) -> None:
    with translations(FEW, tmp_path / "kept") as kept:
        kept.measure(encoder, pairs["de"])
    other = TranslationOptions(n_neighbours=1)
    said = "holds a vector translation that differs in options; name another --checkpoints"
    with pytest.raises(InputError, match=said), translations(other, tmp_path / "kept"):
        pass
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "mine.txt").touch()
    check: Callable[[Path], None] = TRANSLATION.check_place
    for place, said in (
        (tmp_path / "other", "holds files of something else; name another --checkpoints"),
        (Path("-"), "name one with --checkpoints"),
        (tmp_path / "none" / "kept", "does not exist; make it first"),
    ):
        with pytest.raises(InputError, match=said):
            check(place)


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_other_texts_or_another_encoder_are_measured(
    encoder: Encoder, bert: Path, pairs: dict[str, ParallelTexts], tmp_path: Path
) -> None:
    whole = Encoder.load(bert, device="cpu", threads=1, pooling="mean")
    fewer = parallel_texts({lang: some[:-1] for lang, some in pairs["de"].texts.items()})
    with translations(FEW, tmp_path / "kept") as kept:
        for model, some in ((encoder, pairs["de"]), (whole, pairs["de"]), (encoder, fewer)):
            kept.measure(model, some)
    assert len(list((tmp_path / "kept" / "cells").iterdir())) == 3
