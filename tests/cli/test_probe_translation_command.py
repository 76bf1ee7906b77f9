"""`probe translation`: what it prints and writes, each option, and what it refuses."""

import csv
import json
from pathlib import Path

import pytest
from cli_world import Refuse, Run, World, write_file

from isogloss.probe.translation import runs

THINGS = ("tax", "match", "bank", "coach", "city", "river", "price", "club")
PLACES = ("Tokyo", "Germany", "Oslo")
DINGE = ("Steuer", "Spiel", "Bank", "Trainer", "Stadt", "Fluss", "Preis", "Verein")
税 = ("税金", "試合", "銀行", "監督", "都市", "川", "値段", "クラブ")
ENGLISH = [f"the {thing} in {place}" for thing in THINGS for place in PLACES]
OTHERS = {
    "de": [f"{ding} in {place}" for ding in DINGE for place in PLACES],
    "ja": [f"{place}の{もの}" for もの in 税 for place in PLACES],
}
FEW = ("--neighbours", 3)


def write_pairs(path: Path, lang: str, *more: str) -> Path:
    rows = [f"{one}\t{other}" for one, other in zip(ENGLISH, OTHERS[lang], strict=True)]
    return write_file(path, "\n".join([*rows, *more]) + "\n")


@pytest.fixture
def de(tmp_path: Path) -> str:
    return f"en-de={write_pairs(tmp_path / 'de.tsv', 'de')}"


@pytest.fixture
def ja(tmp_path: Path) -> str:
    return f"en-ja={write_pairs(tmp_path / 'ja.tsv', 'ja')}"


def words(world: World, *more: object) -> tuple[object, ...]:
    return ("probe", "translation", "--encoder", world.encoder, *FEW, *more)


def test_it_prints_tables(cli: Run, world: World, de: str, ja: str) -> None:
    outcome = cli(*words(world, "--pairs", de, "--pairs", ja))
    assert outcome.code == 0, outcome.err
    for said in ("without_offset", "chance", "over half are found", "optimism"):
        assert said in outcome.out or said == "over half are found", said
    assert any("en-ja: 24 sentences in each of 2 languages; chance 1 in 24, 1 in 12 among half"
               in line for line in outcome.talk)  # fmt: skip


def test_as_json(cli: Run, world: World, de: str, ja: str) -> None:
    result = cli(*words(world, "--pairs", de, "--pairs", ja, "--json")).json
    assert {(row["lang"], row["other"], row["layer"]) for row in result["layers"]} == {
        ("en", other, layer) for other in ("de", "ja") for layer in range(3)
    }
    assert result["options"] == {"max_pairs": 5000, "n_neighbours": 3, "seed": 0}
    assert {row["score"] for row in result["searches"]} == {"L2", "cosine", "CSLS"}
    assert {row["offset"] for row in result["searches"]} == {"none", "in-sample", "held-out"}


def test_a_folder_is_written_and_reported(
    cli: Run, refuse: Refuse, world: World, de: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    asked = words(world, "--pairs", de, "--out", out)
    assert cli(*asked).code == 0
    rows = list(csv.DictReader((out / "searches.csv").open(encoding="utf-8")))
    assert len(rows) == 3 * 15
    assert (out / "layers.svg").read_text("utf-8").startswith("<svg xmlns")
    assert json.loads((out / "manifest.json").read_text("utf-8"))["format"] == (
        "isogloss translation"
    )
    assert "already exists" in refuse(*asked)
    assert cli(*asked, "--overwrite").code == 0
    page = tmp_path / "page.html"
    assert cli("probe", "report", out, "--out", page).code == 0
    assert "Does one offset translate sentences?" in page.read_text("utf-8")


def test_options_do_what_they_say(cli: Run, world: World, de: str) -> None:
    def run(*more: object) -> dict:
        return cli(*words(world, "--pairs", de, "--json", *more)).json

    whole = run()
    assert run() == whole
    assert run("--seed", 1)["searches"] != whole["searches"]
    assert "12 sentences in each of 2 languages, drawn of 24" in run("--max-pairs", 12)["notes"][0]
    few = run("--neighbours", 1)
    differing = {row["score"] for row, other in zip(few["searches"], whole["searches"], strict=True)
                 if row != other}  # fmt: skip
    assert differing == {"CSLS"}
    one = run("--threads", 1, "--device", "cpu", "--dtype", "bfloat16")["layers"][1]
    assert one["accuracy"] == pytest.approx(whole["layers"][1]["accuracy"], abs=0.3)


def test_several_encoders_stand_side_by_side(
    cli: Run, world: World, de: str, tmp_path: Path
) -> None:
    other = tmp_path / "encoder"
    other.symlink_to(world.encoder)
    outcome = cli(*words(world, "--pairs", de, "--encoder", other, "--json"))
    assert len(outcome.json["layers"]) == 6
    assert {row["encoder"] for row in outcome.json["layers"]} == {str(other), str(world.encoder)}


def test_moses_text_is_pairs(cli: Run, world: World, de: str, tmp_path: Path) -> None:
    write_file(tmp_path / "moses.en", "\n".join(ENGLISH) + "\n")
    write_file(tmp_path / "moses.de", "\n".join(OTHERS["de"]) + "\n")
    both = [cli(*words(world, "--pairs", one, "--json")).json["layers"]
            for one in (f"en-de={tmp_path / 'moses'}", de)]  # fmt: skip
    assert both[0] == both[1]


def test_checkpoints_resume(
    cli: Run, refuse: Refuse, world: World, de: str, ja: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    kept = ("--checkpoints", tmp_path / "kept")
    assert cli(*words(world, "--pairs", de, *kept)).code == 0
    measured = []
    measure = runs.measure_translation

    def noted(*given: object, **options: object) -> object:
        measured.append(given[1].langs)  # type: ignore[attr-defined]
        return measure(*given, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(runs, "measure_translation", noted)
    outcome = cli(*words(world, "--pairs", de, "--pairs", ja, *kept, "--json"))
    assert measured == [["en", "ja"]]
    assert outcome.json == cli(*words(world, "--pairs", de, "--pairs", ja, "--json")).json
    said = refuse(*words(world, "--pairs", de, *kept, "--seed", 1))
    assert "differs in options; name another --checkpoints" in said


def test_bad_input_is_one_sentence(
    refuse: Refuse, world: World, de: str, ja: str, tmp_path: Path
) -> None:
    def said(*more: object) -> str:
        return refuse(*words(world, *more))

    assert "--pairs" in said()
    assert "names no pairs; give two languages and a file" in said("--pairs", "de.tsv")
    assert "no such file" in said("--pairs", "en-de=none.tsv")
    assert "x1" in said("--pairs", de.replace("en-", "x1-"))
    assert "has pairs of en with itself; name two languages" in said(
        "--pairs", de.replace("en-de", "en-eng")
    )
    assert "names this file twice" in said("--pairs", de, "--pairs", de)
    again = write_pairs(tmp_path / "again.tsv", "de")
    assert "again.tsv: is of en-de, as " in said("--pairs", de, "--pairs", f"en-de={again}")
    one = write_file(tmp_path / "one.tsv", "a\tb\nalone\n")
    assert "one.tsv:2: has one column" in said("--pairs", f"en-de={one}")
    assert "de.tsv: 24 pairs of sentences, 0 left out as empty or repeated; translation with 12 " \
        "neighbours needs 26 or more: give more pairs or fewer --neighbours" in said(
            "--pairs", de, "--neighbours", 12)  # fmt: skip
    few = write_file(tmp_path / "few.tsv", "a\tb\n\tb\na\tc\n" * 5)
    assert "1 pair of sentences, 14 left out" in said("--pairs", f"en-de={few}")
    assert "is given twice" in said("--pairs", de, "--encoder", world.encoder)
    assert "can be read once" in said("--pairs", "en-de=-", "--pairs", "en-ja=-")
    assert "--max-pairs" in said("--pairs", de, "--max-pairs", 3)
    assert "--overwrite is for --out" in said("--pairs", de, "--overwrite")
    write_file(tmp_path / "m.en", "a\nb\n")
    assert "no such file beside the other side: m.de" in said("--pairs", f"en-de={tmp_path / 'm'}")
    write_file(tmp_path / "m.de", "a\n")
    assert "m.de: ends before line 2" in said("--pairs", f"en-de={tmp_path / 'm'}")
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1")
    assert "broken.parquet" in said("--pairs", f"en-de={broken}")
    assert "no layers" not in said("--pairs", de, "--encoder", tmp_path / "none")


def test_a_loss_is_an_error_under_strict(refuse: Refuse, world: World, tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "long.tsv", "de", f"{'tax ' * 60}\tlang")
    said = refuse(*words(world, "--pairs", f"en-de={file}", "--strict"), talk=True)
    assert "1 of 50 texts are longer" in said
