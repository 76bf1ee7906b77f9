"""Parts that cannot be read, for every command that takes parts: one sentence, the rest goes on."""

from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from bad_parts import BAD, GOOD, WITHOUT_ROWS, write_bad_and_good, write_part
from cli_world import Refuse, Run, World
from pyarrow import parquet

from isogloss.parts.folder import read_failures

pytestmark = pytest.mark.usefixtures("loaded_once")
Words = Callable[..., list[object]]


@pytest.fixture(params=["classify predict", "encode", "kb link", "tag predict"])
def words(request: pytest.FixtureRequest, world: World) -> Words:
    """Return a function: parts, place, more words → the words of a command that makes parts."""
    command = request.param.split()
    if command == ["encode"]:
        return lambda given, out, *more: [
            "encode", given, "--encoder", world.encoder, "--out", out, *more
        ]  # fmt: skip
    model = {"classify": world.model, "kb": world.kb}.get(command[0])
    model = model or request.getfixturevalue("taggers")["ner"]
    return lambda given, out, *more: [*command, model, given, "--lang", "ja", "--out", out, *more]


def test_each_says_one_sentence_and_the_others_are_made(
    cli: Run, words: Words, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given, out = write_bad_and_good(tmp_path / "in"), tmp_path / "out"
    for name, content in WITHOUT_ROWS.items():
        write_part(given / name, content)
    outcome = cli(*words(given, out))
    assert outcome.code == 2
    assert f"{len(BAD)} parts could not be read, the others are done" in outcome.talk[-1]
    assert "Traceback" not in outcome.err
    noted = {one.part: one.sentence for one in read_failures(out)}
    assert set(noted) == set(BAD)
    for name, (_, said) in BAD.items():
        assert said in noted[name], name
        assert noted[name].startswith(f"{given / name}:")
        assert len(noted[name].splitlines()) == 1
    tables = {path.name: parquet.read_table(path) for path in out.glob("*.parquet")}
    n_rows = dict.fromkeys([*GOOD, "linked.csv"], 2) | dict.fromkeys(WITHOUT_ROWS, 0)
    ending = ".parquet"
    assert {name: table.num_rows for name, table in tables.items()} == {
        name if name.endswith(ending) else name + ending: n for name, n in n_rows.items()
    }
    of_same = tables["same.csv.parquet"].drop_columns("id")
    for name in {*GOOD, "linked.csv.parquet"} & {*tables} - {"nulls.parquet", "only-nulls.parquet"}:
        assert tables[name].drop_columns("id").equals(of_same), name
    passed_over = [line for line in caplog.messages if line.startswith("passed over: ")]
    assert [line.removeprefix("passed over: ") for line in passed_over] == [
        f"{given / 'round'}, a link to a folder",
        "2 files of other kinds than .parquet, .jsonl, .ndjson, .csv, .tsv",
        f"{given / 'again.csv'}, a link to {given / 'same.csv'}",
    ]
    beside = [path.name for path in out.iterdir() if path.name[0] in "._"]
    assert sorted(beside) == ["_failed.jsonl", "_run.json", "_summary.json"]
    strict = cli(*words(given, tmp_path / "strict", "--strict"))
    assert "the run ends here under --strict" in strict.err


def test_places_and_globs_that_are_none(refuse: Refuse, words: Words, tmp_path: Path) -> None:
    given = tmp_path / "in"
    given.mkdir()
    write_part(given / "same.csv", GOOD["same.csv"])
    (tmp_path / "link").symlink_to(given)
    for out in (given / "out", given, tmp_path / "link" / "out"):
        said = refuse(*words(given, out))
        assert f"lies in {given}, which this command reads; choose another --out" in said or (
            f"{given}: is read by this command; choose another --out" in said
        )
    assert f"{given}: holds " in refuse(*words(given / "*", given))
    for none in (given / "*.jsonl", tmp_path / "none" / "*.csv", given / "**" / "deep" / "*"):
        said = refuse(*words(none, tmp_path / "out"))
        assert f"{none}: names no part; a part is a file that ends in" in said


@pytest.mark.full
def test_a_text_of_50_mb(cli: Run, words: Words, tmp_path: Path) -> None:
    """Answered by all but taggers, which say that it is too long; the other part is made.

    It has no blank, as what is encoded in letters: many words take minutes and gigabytes.
    """
    (tmp_path / "in").mkdir()
    long = pyarrow.table({"id": ["a", "b"], "text": ["東京", "x" * (50 << 20)]})
    parquet.write_table(long, tmp_path / "in" / "long.parquet")
    write_part(tmp_path / "in" / "same.csv", GOOD["same.csv"])
    outcome = cli(*words(tmp_path / "in", tmp_path / "out"))
    made = {path.name for path in (tmp_path / "out").glob("*.parquet")}
    if words(0, 0)[0] == "tag":
        (failed,) = read_failures(tmp_path / "out")
        assert (outcome.code, failed.row) == (2, 2)
        assert "a tagger takes up to 1,048,576; cut it into paragraphs" in failed.sentence
        assert made == {"same.csv.parquet"}
    else:
        assert outcome.code == 0
        assert made == {"long.parquet", "same.csv.parquet"}
