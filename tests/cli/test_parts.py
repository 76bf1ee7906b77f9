"""``classify predict`` of a folder or glob: a part for each file, resumed, never done twice."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from cli_world import GERMAN, JAPANESE, Refuse, Run, World, write_file
from pyarrow import parquet

from isogloss.classify.answers.summary import read_summary
from isogloss.classify.saving import load as saving
from isogloss.cli.main import main
from isogloss.encode import Encoder
from isogloss.parts import part, source, work
from isogloss.parts.folder import read_failures
from isogloss.parts.footer import read_footer

TEXTS = [("ja", text) for _, text in JAPANESE] + [("de", text) for _, text in GERMAN]


pytestmark = pytest.mark.usefixtures("loaded_once")


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "ROWS", 4)  # of a block


def rows_of(number: int) -> list[dict[str, Any]]:
    """Eleven rows of a part, each with its own id."""
    return [
        {"id": f"{number}-{row}", "lang": TEXTS[row % 6][0], "text": TEXTS[(row + number) % 6][1],
         "note": row}
        for row in range(11)
    ]  # fmt: skip


def write_part(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        write_file(path, "".join(json.dumps(row) + "\n" for row in rows))
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        lines = [[*rows[0]], *([str(value) for value in row.values()] for row in rows)]
        write_file(path, "".join(mark.join(line) + "\n" for line in lines))
    return path


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for number, name in enumerate(["a.parquet", "b.jsonl", "deep/c.csv", "d.tsv"]):
        write_part(folder / name, rows_of(number))
    return folder


def predict(world: World, given: Path | str, out: Path, *more: object) -> list[object]:
    return ["classify", "predict", world.model, given, "--lang-column", "lang", "--out", out, *more]


def rows_in(out: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each part by its name."""
    return {
        path.relative_to(out).as_posix(): parquet.read_table(path).to_pylist()
        for path in sorted(out.rglob("*.parquet"))
    }


def hidden(out: Path) -> list[str]:
    return sorted(path.name for path in out.rglob("*") if path.name.startswith((".", "_")))


def test_each_file_becomes_a_part(cli: Run, world: World, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = cli(*predict(world, corpus, out))
    assert (outcome.code, outcome.out) == (0, ""), outcome.err
    found = rows_in(out)
    assert list(found) == ["a.parquet", "b.jsonl.parquet", "d.tsv.parquet", "deep/c.csv.parquet"]
    for number, name in enumerate(["a.parquet", "b.jsonl.parquet", "deep/c.csv.parquet",
                                   "d.tsv.parquet"]):  # fmt: skip
        rows = rows_of(number)
        assert [row["id"] for row in found[name]] == [row["id"] for row in rows]
        assert list(found[name][0]) == [
            "id", "label", "probability", "second_label", "second_probability", "lang", "lang_by",
            "entities", "status", "model",
        ]  # fmt: skip
        alone = tmp_path / f"{number}.jsonl"
        one = cli("classify", "predict", world.model, write_part(alone, rows), "--lang-column",
                  "lang")  # fmt: skip
        assert [row["label"] for row in found[name]] == [line.split("\t")[0] for line in one.lines]
    assert hidden(out) == ["_run.json", "_summary.json"]
    summary = read_summary(out / "_summary.json")
    assert (summary.data.n_rows, summary.data.name) == (44, "in")
    assert {one.lang: one.n for one in summary.languages} == {"de": 12, "ja": 32}
    assert "4 parts: 4 made" in outcome.err


def test_the_summary_is_that_of_the_rows_in_one_file(
    cli: Run, world: World, corpus: Path, tmp_path: Path
) -> None:
    every = [row for number in range(4) for row in rows_of(number)]
    write_part(tmp_path / "all.jsonl", [row | {"from": row.pop("lang")} for row in every])
    cli(*predict(world, corpus, tmp_path / "out"))
    cli("classify", "predict", world.model, tmp_path / "all.jsonl", "--lang-column", "from",
        "--out", tmp_path / "all.csv")  # fmt: skip
    parts = read_summary(tmp_path / "out" / "_summary.json")
    one = read_summary(tmp_path / "all.summary.json")
    for mine, its in zip(parts.languages, one.languages, strict=True):
        assert (mine.n, mine.status, mine.labels) == (its.n, its.status, its.labels)
        assert mine.mean_probability == pytest.approx(its.mean_probability, abs=1e-6)
        assert mine.deviation_of_probability == pytest.approx(
            its.deviation_of_probability, abs=1e-5
        )
        assert mine.share_linked == its.share_linked


def test_what_is_done_is_not_done_again(
    cli: Run, world: World, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    cli(*predict(world, corpus, out))
    before = {path: (path.stat().st_ino, path.read_bytes()) for path in out.rglob("*.parquet")}
    monkeypatch.setattr(saving, "load_classifier", None)  # nothing needs it
    again = cli(*predict(world, corpus, out))
    assert (again.code, "4 parts: 4 there already" in again.err) == (0, True)
    now = {path: (path.stat().st_ino, path.read_bytes()) for path in out.rglob("*.parquet")}
    assert now == before


def test_a_part_of_a_changed_source_is_made_again_and_said(
    cli: Run, world: World, corpus: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    out = tmp_path / "out"
    cli(*predict(world, corpus, out))
    write_part(corpus / "b.jsonl", rows_of(7))
    write_part(corpus / "new.csv", rows_of(8))
    outcome = cli(*predict(world, corpus, out))
    assert "b.jsonl: its source has changed, it was made again" in caplog.text
    assert "5 parts: 1 made, 1 made again, 3 there already" in outcome.err
    assert rows_in(out)["b.jsonl.parquet"][0]["id"] == "7-0"
    assert read_summary(out / "_summary.json").data.n_rows == 55


def test_a_footer_says_what_a_part_is_of(
    cli: Run, world: World, corpus: Path, tmp_path: Path
) -> None:
    cli(*predict(world, corpus / "*.jsonl", tmp_path / "out", "--abstain-below", 0.1))
    footer = read_footer(tmp_path / "out" / "b.jsonl.parquet")
    assert footer is not None
    assert footer.source.name == "b.jsonl"
    assert footer.source.n_bytes == (corpus / "b.jsonl").stat().st_size
    assert (footer.n_rows, footer.run.command, footer.run.made_by) == (
        11, "classify predict", "model",
    )  # fmt: skip
    assert footer.run.settings["abstain_below"] == 0.1
    assert set(footer.versions) == {"isogloss", "torch", "transformers", "numpy", "python"}


def test_another_model_or_other_settings_are_refused(
    cli: Run, refuse: Refuse, world: World, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    cli(*predict(world, corpus, out))
    said = refuse(*predict(world, corpus, out, "--abstain-below", 0.4))
    assert "holds parts of another run (abstain-below none, not 0.4); name a new folder" in said
    other = predict(world, corpus, out)
    other[2] = world.alone
    assert "holds parts of another run (model (" in refuse(*other)
    file = write_file(tmp_path / "mine" / "a.txt", "") if (tmp_path / "mine").mkdir() is None else 0
    assert "holds files that isogloss did not make" in refuse(*predict(world, corpus, file.parent))


def test_columns_that_are_named_go_along(
    cli: Run, world: World, corpus: Path, tmp_path: Path
) -> None:
    cli(*predict(world, corpus, tmp_path / "out", "--keep", "note,text", "--prefix", "iso_"))
    for number, name in enumerate(["a.parquet", "b.jsonl.parquet"]):
        rows = rows_in(tmp_path / "out")[name]
        assert list(rows[0])[:5] == ["id", "lang", "note", "text", "iso_label"]
        assert [{name: row[name] for name in ("id", "lang", "text", "note")} for row in rows] == (
            rows_of(number)
        )


def test_what_cannot_be_read_is_noted_and_the_others_are_made(
    cli: Run, world: World, corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    write_file(corpus / "b.jsonl", '{"id": 1, "lang": "ja", "text": "東京"}\n{"id": 2}\n')
    write_file(corpus / "cut.parquet", (corpus / "a.parquet").read_bytes()[:-9])
    outcome = cli(*predict(world, corpus, out))
    assert outcome.code == 2
    assert "2 parts could not be read, the others are done" in outcome.talk[-1]
    noted = {one.part: one for one in read_failures(out)}
    assert (noted["b.jsonl"].row, "has no field 'text'" in noted["b.jsonl"].sentence) == (2, True)
    assert "is not a Parquet file, or is damaged" in noted["cut.parquet"].sentence
    assert set(rows_in(out)) == {"a.parquet", "d.tsv.parquet", "deep/c.csv.parquet"}
    write_part(corpus / "b.jsonl", rows_of(1))
    (corpus / "cut.parquet").unlink()
    write_part(corpus / "cut.parquet", rows_of(9))
    assert cli(*predict(world, corpus, out)).code == 0
    assert not (out / "_failed.jsonl").exists()
    assert read_summary(out / "_summary.json").data.n_rows == 55


def test_parts_without_rows(cli: Run, world: World, corpus: Path, tmp_path: Path) -> None:
    cli(*predict(world, corpus, tmp_path / "whole"))
    nothing = parquet.read_table(corpus / "a.parquet").slice(0, 0)
    parquet.write_table(nothing, corpus / "empty.parquet")
    parquet.write_table(nothing, tmp_path / "alone.parquet")
    write_file(corpus / "header.csv", "id,lang,text\n")
    outcome = cli(*predict(world, corpus, tmp_path / "out"))
    assert outcome.code == 0, outcome.err
    assert "6 parts: 6 made, 2 of all without rows" in outcome.err
    schemas = [parquet.read_schema(tmp_path / "out" / name).remove_metadata()
               for name in ("a.parquet", "empty.parquet", "header.csv.parquet")]  # fmt: skip
    assert schemas[0] == schemas[1] == schemas[2]
    summary, whole = (read_summary(tmp_path / of / "_summary.json") for of in ("out", "whole"))
    assert summary.languages == whole.languages
    assert (summary.data.n_rows, summary.data.n_parts_without_rows) == (44, 2)
    alone = cli(*predict(world, tmp_path / "alone.p*", tmp_path / "none"))
    assert alone.code == 0, alone.err
    assert read_summary(tmp_path / "none" / "_summary.json").languages == []
    words = ["encode", corpus, "--encoder", world.encoder, "--out", tmp_path / "vectors"]
    assert cli(*words).code == 0
    made = parquet.read_table(tmp_path / "vectors" / "empty.parquet")
    assert (made.num_rows, made.schema.field("vector").type.list_size) == (0, 32)
    counts = json.loads((tmp_path / "vectors" / "_summary.json").read_text("utf-8"))
    assert counts["data"]["n_parts_without_rows"] == 2
    one = cli(*predict(world, tmp_path / "alone.parquet", tmp_path / "one.csv"))
    assert "alone.parquet: has the columns id, lang, text, note and no rows" in one.err


def test_strict_ends_at_the_first(cli: Run, world: World, corpus: Path, tmp_path: Path) -> None:
    write_file(corpus / "a.parquet", "no")
    outcome = cli(*predict(world, corpus, tmp_path / "out", "--strict"))
    assert (outcome.code, "the run ends here under --strict" in outcome.err) == (2, True)
    assert rows_in(tmp_path / "out") == {}
    assert [one.part for one in read_failures(tmp_path / "out")] == ["a.parquet"]


def test_shards_one_after_another_are_the_whole(
    cli: Run, world: World, corpus: Path, tmp_path: Path
) -> None:
    cli(*predict(world, corpus, tmp_path / "whole"))
    for number in (2, 1, 4, 3):
        outcome = cli(*predict(world, corpus, tmp_path / "out", "--shard", f"{number}/4"))
        assert outcome.code == 0, outcome.err
    assert rows_in(tmp_path / "out") == rows_in(tmp_path / "whole")
    whole, shards = (read_summary(tmp_path / name / "_summary.json") for name in ("whole", "out"))
    assert whole.languages == shards.languages
    assert whole.data == shards.data


@pytest.mark.full
def test_workers_make_the_same(world: World, corpus: Path, tmp_path: Path) -> None:
    words = [
        [str(word) for word in predict(world, corpus, tmp_path / name, *more)]
        for name, more in (("one", ()), ("two", ("--workers", "2", "--threads", "2")))
    ]
    assert [main(one) for one in words] == [0, 0]
    assert rows_in(tmp_path / "one") == rows_in(tmp_path / "two")


@pytest.mark.parametrize("value", ["0/4", "5/4", "x", "1/", "1/0", "1/" + "9" * 18])
def test_a_shard_that_is_none(
    refuse: Refuse, world: World, corpus: Path, tmp_path: Path, value: str
) -> None:
    said = refuse(*predict(world, corpus, tmp_path / "out", "--shard", value))
    assert f"--shard is '{value}'; write it as 2/8" in said


def test_standard_output_is_no_place(
    refuse: Refuse, world: World, corpus: Path, tmp_path: Path
) -> None:
    said = refuse(*predict(world, corpus, "-"))
    assert "standard output is no place for parts; name a folder with --out" in said


def test_options_of_the_other_kind_of_file(
    refuse: Refuse, world: World, corpus: Path, tmp_path: Path
) -> None:
    whys = {"--excel": "one file, .csv or .tsv; parts are Parquet, so leave it out",
            "--overwrite": "one file; a folder of parts is continued"}  # fmt: skip
    for option, why in whys.items():
        said = refuse(*predict(world, corpus, tmp_path / "o", option))
        assert f"{option} is for {why}" in said
    one = corpus / "b.jsonl"
    options = (("--keep", "note"), ("--shard", "1/2"), ("--workers", "2"),
               ("--executor", "processes"))  # fmt: skip
    for option in options:
        said = refuse(*predict(world, one, tmp_path / "a.csv", *option))
        assert f"{option[0]} is for a folder or a glob of parts" in said
    said = refuse("classify", "predict", world.model, corpus, "--lang", "ja")
    assert "is a folder or a glob of parts; name a folder with --out" in said


@pytest.mark.parametrize("name", ["o.csv", "o.tsv.gz", "o.jsonl", "o.parquet", "o.XLSX", "o.npy"])
def test_a_folder_of_parts_is_not_named_as_a_file(
    refuse: Refuse, world: World, corpus: Path, tmp_path: Path, name: str
) -> None:
    said = refuse(*predict(world, corpus, tmp_path / name))
    assert f"{name}: is named as one file, but of FILE, a folder or a glob" in said
    assert f"name a folder with --out, such as {tmp_path / 'o'}\n" in said + "\n"
    assert not (tmp_path / name).exists()


def test_a_folder_that_is_there_may_have_any_name(
    cli: Run, world: World, corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "o.csv").mkdir()
    assert "4 made" in cli(*predict(world, corpus, tmp_path / "o.csv")).err


def test_languages_that_cannot_be_told_are_said_with_the_part(
    cli: Run, world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("a", "b"):
        write_part(tmp_path / "in" / f"{name}.jsonl", [{"text": "x"}, {"text": GERMAN[0][1]}])
    words = ["classify", "predict", world.model, tmp_path / "in", "--lang", "auto"]
    assert cli(*words, "--out", tmp_path / "out").code == 0
    told = [one for one in caplog.messages if "the language of 1 of 2 texts could not" in one]
    assert [one[:8] for one in told] == ["a.jsonl:", "b.jsonl:"]


def test_an_address_is_for_ray(refuse: Refuse, world: World, corpus: Path, tmp_path: Path) -> None:
    words = predict(world, corpus, tmp_path / "out", "--address", "127.0.0.1:1")
    assert "--address is for a Ray cluster; give --executor ray too" in refuse(*words)
    if find_spec("ray"):
        said = refuse(*words, "--executor", "ray")
        assert "no Ray cluster takes this machine at 127.0.0.1:1 (Connection refused)" in said
    else:
        assert "--executor ray needs the package 'ray'" in refuse(*words, "--executor", "ray")
    assert not (tmp_path / "out").exists()


@pytest.mark.full
@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
@pytest.mark.parametrize("command", ["predict", "encode", "link"])
def test_ray_makes_the_same(world: World, corpus: Path, tmp_path: Path, command: str) -> None:
    encoder, model, kb = (os.path.relpath(one, tmp_path)
                          for one in (world.encoder, world.model, world.kb))  # fmt: skip
    words = {
        "predict": ["classify", "predict", model, "in", "--lang-column", "lang"],
        "encode": ["encode", "in", "--encoder", encoder],
        "link": ["kb", "link", kb, "in", "--lang-column", "lang"],
    }[command]
    for name, more in (("one", []), ("two", ["--executor", "ray", "--workers", "2"])):
        ran = subprocess.run(
            [sys.executable, "-m", "isogloss", *words, "--out", name, *more],
            cwd=tmp_path, text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert (ran.returncode, "4 parts: 4 made" in ran.stderr) == (0, True), ran.stderr
        assert "ray" not in ran.stdout + ran.stderr
    assert rows_in(tmp_path / "one") == rows_in(tmp_path / "two")


def test_a_run_that_is_stopped_says_how_to_resume(
    cli: Run, world: World, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, run = tmp_path / "out", part.run_part

    def stop_at_the_second(task: Any, source: Any, *given: Any, **options: Any) -> Any:
        if source.path.name == "b.jsonl":
            raise KeyboardInterrupt
        return run(task, source, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(work, "run_part", stop_at_the_second)
        outcome = cli(*predict(world, corpus, out))
    assert outcome.code == 130
    assert outcome.talk[-1] == (
        "isogloss: stopped by Ctrl-C; nothing is left half-written, and the same command resumes "
        "from what is kept"
    )
    assert "3 made, 1 there already" in cli(*predict(world, corpus, out)).err


def test_no_place_for_parts(
    refuse: Refuse, world: World, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_file(tmp_path / "file", "mine")
    assert "is no folder, and parts are made in one" in refuse(*predict(world, corpus, file))
    assert "does not exist; make it first" in refuse(*predict(world, corpus, tmp_path / "no" / "o"))
    said = refuse(*predict(world, corpus, corpus / "out"))
    assert f"lies in {corpus}, which this command reads" in said
    said = refuse(*predict(world, corpus, world.model / "out"))
    assert f"lies in {world.model}, which this command reads" in said
    said = refuse(*predict(world, tmp_path / "*.nothing", tmp_path / "out"))
    assert "names no part" in said

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", read_only)
    said = refuse(*predict(world, corpus, tmp_path / "out"))
    assert "is not writable (Read-only file system); choose another --out" in said


def test_vectors_of_parts(cli: Run, world: World, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["encode", corpus, "--encoder", world.encoder, "--out", out, "--keep", "lang"]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    assert "4 parts: 4 made" in outcome.err
    encoder = Encoder.load(world.encoder)
    for number, name in enumerate(["a.parquet", "b.jsonl.parquet"]):
        table = parquet.read_table(out / name)
        assert table.schema.names == ["id", "lang", "vector"]
        assert table.schema.field("vector").type == pyarrow.list_(pyarrow.float32(), 32)
        vectors = encoder.encode([row["text"] for row in rows_of(number)])
        assert np.abs(np.array(table["vector"].to_pylist()) - vectors).max() < 1e-5
    counts = json.loads((out / "_summary.json").read_text("utf-8"))["counts"]
    assert counts == {"n": 44, "n_cut": 0}
    assert "4 parts: 4 there already" in cli(*words).err
    assert "holds parts of another run (layer none, not 1)" in cli(*words, "--layer", 1).err
    other = cli("encode", corpus, "--encoder", world.encoder, "--out", out, "--normalize")
    assert "holds parts of another run" in other.err
    assert "--overwrite is for one file" in cli(*words, "--overwrite").err


def test_long_texts_of_parts_are_counted(
    cli: Run, world: World, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rows = [{"id": "a", "text": "word " * 99}, {"id": "b", "text": "short"}]
    for number in range(5):
        write_part(tmp_path / "in" / f"{number}.jsonl", rows)
    words = ["encode", tmp_path / "in", "--encoder", world.encoder, "--long-texts", "cut"]
    assert cli(*words, "--out", tmp_path / "out").code == 0
    assert caplog.text.count("1 text longer than the encoder takes: cut") == 3
    assert "and 2 more such notes" in caplog.text
    counts = json.loads((tmp_path / "out" / "_summary.json").read_text("utf-8"))["counts"]
    assert counts == {"n": 10, "n_cut": 5}
    strict = cli(*words, "--out", tmp_path / "strict", "--strict")
    assert (strict.code, "1 text longer than" in strict.err) == (2, True)
    assert rows_in(tmp_path / "strict") == {}


def test_links_of_parts(cli: Run, world: World, corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ["kb", "link", world.kb, corpus, "--lang-column", "lang", "--out", out]
    outcome = cli(*words, "--keep", "text")
    assert (outcome.code, outcome.out) == (0, ""), outcome.err
    printed = cli("kb", "link", world.kb, corpus / "b.jsonl", "--lang-column", "lang")
    found = rows_in(out)["b.jsonl.parquet"]
    assert list(found[0]) == ["id", "text", "lang", "mentions"]
    assert [json.loads(row["mentions"]) for row in found] == [
        json.loads(line)["mentions"] for line in printed.lines
    ]
    counts = json.loads((out / "_summary.json").read_text("utf-8"))["counts"]["languages"]
    assert {lang: one["n"] for lang, one in counts.items()} == {"de": 12, "ja": 32}
    for lang, one in counts.items():
        assert f"{lang}: {one['n']} texts, {one['linked']} linked" in outcome.err
    assert (
        "holds parts of another run (nested false, not true)"
        in cli(*words, "--keep", "text", "--nested").err
    )
    said = cli("kb", "link", world.kb, corpus / "b.jsonl", "--lang", "ja", "--out", out).err
    assert "--out is for a folder or a glob of parts" in said
