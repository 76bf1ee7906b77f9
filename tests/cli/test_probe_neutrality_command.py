import csv
import json
from pathlib import Path

import pytest
from cli_world import Refuse, Run, World, write_file

THINGS = ("tax", "match", "bank", "coach", "city", "river", "price", "club")
PLACES = ("Tokyo", "Germany", "Oslo")
DINGE = ("Steuer", "Spiel", "Bank", "Trainer", "Stadt", "Fluss", "Preis", "Verein")
税 = ("税金", "試合", "銀行", "監督", "都市", "川", "値段", "クラブ")
FEW = ("--neighbours", 3)


@pytest.fixture
def texts(tmp_path: Path) -> tuple[str, ...]:
    """Options for 24 sentences in three languages."""
    said = {
        "en": [f"the {thing} in {place}" for thing in THINGS for place in PLACES],
        "de": [f"{ding} in {place}" for ding in DINGE for place in PLACES],
        "ja": [f"{place}の{もの}" for もの in 税 for place in PLACES],
    }
    files = {lang: write_file(tmp_path / f"{lang}.txt", "\n".join(some) + "\n")
             for lang, some in said.items()}  # fmt: skip
    return tuple(word for lang, file in files.items() for word in ("--text", f"{lang}={file}"))


def words(world: World, texts: tuple[str, ...], *more: object) -> tuple[object, ...]:
    return ("probe", "neutrality", "--encoder", world.encoder, *texts, *FEW, *more)


def test_neutrality_prints_tables(cli: Run, world: World, texts: tuple[str, ...]) -> None:
    outcome = cli(*words(world, texts))
    assert outcome.code == 0
    for said in ("chance", "cka", "hubness", "shift"):
        assert said in outcome.out, said
    assert any("24 sentences in each of 3 languages; retrieval in pairs with en, among 12 or 12"
               in line for line in outcome.talk)  # fmt: skip
    assert any("language named" in line for line in outcome.talk)


def test_too_many_neighbours_are_named(
    refuse: Refuse, world: World, texts: tuple[str, ...]
) -> None:
    said = refuse(*words(world, texts, "--neighbours", 20))
    assert "with 20 neighbours needs 42 or more: give more text or fewer --neighbours" in said


def test_neutrality_as_json(cli: Run, world: World, texts: tuple[str, ...]) -> None:
    result = cli(*words(world, texts, "--json")).json
    assert {(row["lang"], row["layer"]) for row in result["languages"]} == {
        (lang, layer) for lang in ("en", "de", "ja") for layer in range(3)
    }
    assert result["options"] == {
        "max_sentences": 2000, "n_neighbours": 3, "all_pairs": False, "seed": 0,
    }  # fmt: skip
    assert {row["vectors"] for row in result["retrieval"]} == {
        "raw", "common mean removed", "centred",
    }  # fmt: skip
    row = result["layers"][2]
    assert row["chance"] == pytest.approx(1 / 3)
    assert row["language_accuracy_low"] <= row["language_accuracy"] <= row["language_accuracy_high"]


def test_neutrality_writes_a_folder(
    cli: Run, refuse: Refuse, world: World, texts: tuple[str, ...], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert cli(*words(world, texts, "--out", out)).code == 0
    rows = list(csv.DictReader((out / "cka.csv").open(encoding="utf-8")))
    assert {(row["lang"], row["other"]) for row in rows} == {
        ("en", "de"), ("en", "ja"), ("de", "ja"),
    }  # fmt: skip
    assert (out / "layers.svg").read_text("utf-8").startswith("<svg xmlns")
    assert json.loads((out / "manifest.json").read_text("utf-8"))["format"] == "isogloss neutrality"
    assert "already exists" in refuse(*words(world, texts, "--out", out))
    assert cli(*words(world, texts, "--out", out, "--overwrite")).code == 0


def test_options_do_what_they_say(cli: Run, world: World, texts: tuple[str, ...]) -> None:
    def run(*more: object) -> dict:
        return cli(*words(world, texts, "--json", *more)).json

    whole = run()
    assert run() == whole
    assert run("--seed", 1)["layers"] != whole["layers"]
    assert (
        "12 sentences in each of 3 languages, drawn of 24" in run("--max-sentences", 12)["notes"][0]
    )
    every = run("--all-pairs")
    assert "all pairs" in every["notes"][0]
    assert every["retrieval"] != whole["retrieval"]
    assert every["cka"] == whole["cka"]
    few = run("--neighbours", 1)
    assert few["layers"][1]["hubness"] != whole["layers"][1]["hubness"]
    assert few["layers"][1]["retrieval"] == whole["layers"][1]["retrieval"]
    one = run("--threads", 1, "--device", "cpu")["layers"][1]
    assert one["cka"] == pytest.approx(whole["layers"][1]["cka"], abs=1e-5)


def test_the_encoder_computes_in_the_given_type(
    cli: Run, world: World, texts: tuple[str, ...]
) -> None:
    def cka(dtype: str) -> float:
        return cli(*words(world, texts, "--json", "--dtype", dtype)).json["layers"][2]["cka"]

    whole, coarse = cka("float32"), cka("bfloat16")
    assert coarse != pytest.approx(whole, abs=1e-6)
    assert coarse == pytest.approx(whole, abs=0.05)


def test_several_encoders_stand_side_by_side(
    cli: Run, world: World, texts: tuple[str, ...], tmp_path: Path
) -> None:
    other = tmp_path / "encoder"
    other.symlink_to(world.encoder)
    outcome = cli(*words(world, texts, "--encoder", other, "--json"))
    assert len(outcome.json["layers"]) == 6
    assert {row["encoder"] for row in outcome.json["layers"]} == {str(other), str(world.encoder)}


def test_bad_input_is_one_sentence(
    refuse: Refuse, world: World, texts: tuple[str, ...], tmp_path: Path
) -> None:
    encoder = ("probe", "neutrality", "--encoder", world.encoder)
    assert "--text" in refuse("probe", "neutrality")
    assert "two languages or more" in refuse(*encoder, *texts[:2])
    assert "language de is given twice" in refuse(*words(world, texts, "--text", "de=other.txt"))
    short = write_file(tmp_path / "fr.txt", "un\ndeux\n")
    said = refuse(*words(world, texts, "--text", f"fr={short}"))
    assert "fr.txt: has 2 texts, " in said
    assert "en.txt has 24" in said
    assert "no such file" in refuse(*words(world, texts, "--text", "fr=none.txt"))
    assert "does not say its language" in refuse(*encoder, "--text", "none.txt")
    assert "24 sentences in each language" in refuse(*words(world, texts, "--neighbours", 12))
    assert "is given twice" in refuse(*words(world, texts, "--encoder", world.encoder))
    assert "can be read once" in refuse(*encoder, "--text", "en=-", "--text", "ja=-")
    assert "the folder" in refuse(*words(world, texts, "--out", tmp_path / "none" / "out"))
    assert "--max-sentences" in refuse(*words(world, texts, "--max-sentences", 7))


def test_a_loss_is_an_error_under_strict(
    refuse: Refuse, world: World, texts: tuple[str, ...], tmp_path: Path
) -> None:
    for lang in ("en", "de", "ja"):
        file = tmp_path / f"{lang}.txt"
        write_file(file, f"{lang} {'tax ' * 60}\n{file.read_text('utf-8')}")
    out = tmp_path / "out"
    said = refuse(*words(world, texts, "--out", out, "--strict"), talk=True)
    assert "3 of 75 texts are longer" in said
