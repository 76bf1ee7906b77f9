import csv
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from cli_world import Refuse, Run, World, write_file
from safetensors.numpy import save_file

from isogloss.vectors import read_vectors

TEXT = "".join(
    f"{line}\n" for line in (
        "the tax in Germany", "a new tax in Tokyo", "tennis in Tokyo", "the tennis tax",
        "football in Germany", "the football match", "a match in Tokyo", "the new match",
    )
)  # fmt: skip
FEW = ("--min-contexts", 3)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_file(tmp_path / "en.txt", TEXT)


def test_geometry_prints_tables(cli: Run, world: World, text: Path) -> None:
    outcome = cli("probe", "geometry", "--encoder", world.encoder, "--text", f"en={text}", *FEW)
    assert outcome.code == 0
    for said in ("baseline", "isoscore", "context_specific", "verdict", "as released"):
        assert said in outcome.out, said
    assert any("segment of ICU" in line for line in outcome.talk)
    assert any("5 words of 5 in 3 sentences or more, of 8 sentences" in line
               for line in outcome.talk)  # fmt: skip


def test_geometry_as_json(cli: Run, world: World, text: Path) -> None:
    ja = write_file(text.parent / "ja.txt", "東京の税金\n東京のテニス\n東京の試合。\n税金と東京\n")
    words = ("--encoder", world.encoder, "--text", f"eng={text}", "--text", f"ja={ja}")
    outcome = cli("probe", "geometry", *words, "--json", *FEW)
    result = outcome.json
    assert {(row["lang"], row["layer"]) for row in result["layers"]} == {
        (lang, layer) for lang in ("en", "ja") for layer in range(3)
    }
    assert {row["verdict"] for row in result["claims"]} <= {"holds", "does not hold", "undecided"}
    assert result["options"]["min_contexts"] == 3
    words_of_ja = {row["word"] for row in result["extremes"] if row["lang"] == "ja"}
    assert words_of_ja == {"東京", "の"}
    assert any("ICU" in note for note in result["notes"])


def test_geometry_writes_a_folder(cli: Run, refuse: Refuse, world: World, text: Path) -> None:
    out = text.parent / "out"
    words = ["probe", "geometry", "--encoder", world.encoder, "--text", f"en={text}", "--out", out]
    assert cli(*words, *FEW).code == 0
    rows = list(csv.DictReader((out / "words.csv").open(encoding="utf-8")))
    assert {row["word"] for row in rows} == {"the", "tax", "in", "Tokyo", "match"}
    assert len(rows) == 5 * 3
    assert (out / "layers.svg").read_text("utf-8").startswith("<svg xmlns")
    assert "| largest adjusted MEV, as released |" in (out / "claims.md").read_text("utf-8")
    assert json.loads((out / "manifest.json").read_text("utf-8"))["format"] == "isogloss geometry"
    assert "already exists" in refuse(*words, *FEW)
    assert cli(*words, *FEW, "--overwrite").code == 0


def test_options_do_what_they_say(cli: Run, world: World, text: Path) -> None:
    def run(*more: object) -> dict:
        words = ("--encoder", world.encoder, "--text", f"en={text}", "--json")
        return cli("probe", "geometry", *words, *more).json

    whole = run(*FEW)
    assert len(run(*FEW, "--max-words", 2)["extremes"]) == 2
    assert len(run("--min-contexts", 4)["extremes"]) == 2
    assert "at most 2 occurrences" in " ".join(run(*FEW, "--max-contexts", 2)["notes"])
    assert "4 random words" in " ".join(run(*FEW, "--random-words", 4)["notes"])
    assert run(*FEW, "--unit", "token")["notes"][0].startswith("a word is a token")
    few = (*FEW, "--random-words", 4)
    assert run(*few, "--seed", 1) != run(*few, "--seed", 2)
    assert run(*FEW) == whole
    assert run(*FEW, "--threads", 1, "--device", "cpu")["layers"][1]["baseline"] == pytest.approx(
        whole["layers"][1]["baseline"], abs=1e-5
    )


def test_the_encoder_computes_in_the_given_type(cli: Run, world: World, text: Path) -> None:
    def baseline(dtype: str) -> float:
        words = ("--encoder", world.encoder, "--text", f"en={text}", *FEW, "--json")
        return cli("probe", "geometry", *words, "--dtype", dtype).json["layers"][2]["baseline"]

    whole, coarse = baseline("float32"), baseline("bfloat16")
    assert coarse != pytest.approx(whole, abs=1e-6)
    assert coarse == pytest.approx(whole, abs=0.02)


def test_existing_static_vectors_are_replaced_only_when_asked(
    cli: Run, refuse: Refuse, world: World, text: Path
) -> None:
    static = text.parent / "static"
    words = ("probe", "geometry", "--text", f"en={text}", *FEW, "--static", static)
    assert cli(*words, "--encoder", world.encoder).code == 0
    kept = static.read_bytes()
    said = refuse(*words, "--encoder", "no-such-encoder", "--static-layer", 2)
    assert "already exists" in said  # before the encoder is looked for
    assert static.read_bytes() == kept
    again = (*words, "--encoder", world.encoder, "--static-layer", 2, "--overwrite")
    assert cli(*again).code == 0
    assert read_vectors(static).facts["layer"] == 2


def test_static_vectors_and_tables_are_written_both_or_none(
    refuse: Refuse, world: World, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Static vectors once stayed beside the sentence that nothing was kept."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("isogloss.probe.result.write_manifest", full)
    folder = text.parent
    words = ("--encoder", world.encoder, "--text", f"en={text}", *FEW)
    said = refuse("probe", "geometry", *words, "--static", folder / "v", "--out", folder / "o")
    assert said.endswith("No space left on device; nothing was kept")


def test_static_vectors_are_not_in_the_folder_that_is_made(refuse: Refuse, text: Path) -> None:
    words = ("probe", "geometry", "--text", f"en={text}", "--out", text.parent / "o", "--static")
    for static in ("o", "o/static"):
        assert "is --out or in it" in refuse(*words, text.parent / static)


def test_static_vectors_and_vectors_of_a_file(cli: Run, world: World, text: Path) -> None:
    static = text.parent / "static"
    words = ("--encoder", world.encoder, "--text", f"en={text}", *FEW, "--static", static)
    assert cli("probe", "geometry", *words, "--static-layer", 2).code == 0
    assert read_vectors(static).facts["layer"] == 2
    assert cli("vectors", "similar", static, "tax", "--k", 1).code == 0
    lines = [line.split() for line in TEXT.splitlines()]
    n_rows = sum(map(len, lines))
    arrays = {f"layer_{at}": np.random.default_rng(at).normal(size=(n_rows, 5)) for at in range(3)}
    file = text.parent / "elmo.safetensors"
    save_file(
        {name: array.astype(np.float32) for name, array in arrays.items()}
        | {"words": np.frombuffer("\n".join(TEXT.split()).encode(), np.uint8),
           "sentences": np.repeat(np.arange(len(lines)), [len(line) for line in lines])},
        file,
    )  # fmt: skip
    result = cli("probe", "geometry", "--vectors", f"en={file}", "--json", *FEW).json
    assert {row["encoder"] for row in result["layers"]} == {"elmo.safetensors"}
    both = ("--vectors", f"en={file}", "--encoder", world.encoder, "--text", f"en={text}")
    assert len(cli("probe", "geometry", *both, "--json", *FEW).json["layers"]) == 6


def test_texts_of_standard_input(cli: Run, world: World) -> None:
    words = ("--encoder", world.encoder, "--text", "en=-", "--json", *FEW)
    assert len(cli("probe", "geometry", *words, stdin=TEXT).json["layers"]) == 3


def test_bad_input_is_one_sentence(refuse: Refuse, world: World, text: Path) -> None:
    words = ("probe", "geometry", "--encoder", world.encoder)
    given = (*words, "--text", f"en={text}")
    assert "give --text LANG=FILE" in refuse("probe", "geometry")
    assert "--encoder needs text" in refuse(*words, "--vectors", f"en={text}")
    assert "does not say its language" in refuse(*words, "--text", text)
    assert "no such file" in refuse(*words, "--text", "en=none.txt")
    assert "is given twice" in refuse(*given, "--encoder", world.encoder)
    assert "can be read once" in refuse(*words, "--text", "en=-", "--text", "ja=-")
    said = refuse(*given, "--min-contexts", 9, talk=True)
    assert "no word occurs in 9 different sentences" in said
    assert "is not a safetensors file" in refuse("probe", "geometry", "--vectors", f"en={text}")
    static = ("--static", text.parent / "s")
    assert "one encoder and one language" in refuse(*given, "--text", f"de={text}", *static)
    assert "--static-layer is for --static" in refuse(*given, "--static-layer", 2)
    assert "no layer 9" in refuse(*given, *FEW, *static, "--static-layer", 9, talk=True)
    assert "the folder" in refuse(*given, "--out", text.parent / "none" / "out")
    notes = text.parent / "notes.txt"
    notes.write_text("hello")
    assert "already exists" in refuse(*given, "--static", notes)
    assert "is a file; a folder" in refuse(*given, "--out", notes, "--overwrite")
    alone = ("probe", "geometry", "--vectors", f"en={text}")
    for option in (("--unit", "token"), ("--device", "cpu"), ("--dtype", "float16"),
                   ("--threads", 2)):  # fmt: skip
        assert f"{option[0]} is for texts that are encoded" in refuse(*alone, *option)
    assert "--min-contexts is" in refuse(*given, "--min-contexts", 1)
    assert "--unit" in refuse(*given, "--unit", "letter")


def test_the_same_name_twice_is_refused_before_anything_is_read(refuse: Refuse) -> None:
    words = ("probe", "geometry", "--encoder", "no-such-encoder")
    said = refuse(*words, "--text", "en=a.txt", "--text", "eng=b.txt")
    assert "--text: language en is given twice" in said
    said = refuse("probe", "geometry", "--vectors", "en=a/x.safetensors",
                  "--vectors", "en=b/x.safetensors")  # fmt: skip
    assert "two files in en are called 'x.safetensors'" in said
    said = refuse("probe", "geometry", "--vectors", "en=a/x.safetensors",
                  "--vectors", "ja=b/x.safetensors")  # fmt: skip
    assert "are called" not in said


def test_icu_is_asked_for_by_name(
    refuse: Refuse, world: World, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "icu4py.breakers", None)
    said = refuse("probe", "geometry", "--encoder", world.encoder, "--text", f"en={text}")
    assert "cutting texts into words needs the package 'icu4py'" in said
    assert "'.[probe]'" in said


def test_a_loss_is_an_error_under_strict(refuse: Refuse, world: World, text: Path) -> None:
    long = write_file(text.parent / "long.txt", f"{'tax ' * 60}\n{TEXT}")
    words = ("--encoder", world.encoder, "--text", f"en={long}", *FEW)
    out = text.parent / "out"
    said = refuse("probe", "geometry", *words, "--out", out, "--strict", talk=True)
    assert "words to measure have no vector" in said
