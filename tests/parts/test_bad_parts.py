"""Parts that cannot be read, or have odd names: one sentence each, the others are made."""

import errno
import gzip
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from bad_parts import BAD, GOOD, TEXTS, WITH_NULLS, WITHOUT_ROWS, table, write_bad_and_good, zstd
from bad_parts import write_part as write
from counted_parts import hidden_in, job_of, rows_in, write_parts
from pyarrow import parquet

from isogloss.data.documents import FileFormat
from isogloss.errors import InputError
from isogloss.parts.executors import Serial
from isogloss.parts.finding import find_parts, is_many
from isogloss.parts.folder import read_failures
from isogloss.parts.footer import read_footer
from isogloss.parts.run import PartsJob, RunReport, run_parts
from isogloss.parts.source import RowSource


def make(given: Path | str, out: Path, job: PartsJob | None = None) -> RunReport:
    return run_parts(job or job_of(), find_parts(str(given), out).parts, out, Serial())


def test_each_says_one_sentence_and_the_others_are_made(tmp_path: Path) -> None:
    given = write_bad_and_good(tmp_path / "in")
    report = make(given, tmp_path / "out")
    noted = {one.part: one.sentence for one in read_failures(tmp_path / "out")}
    assert set(noted) == set(BAD)
    for name, (_, said) in BAD.items():
        assert said in noted[name], name
        assert noted[name].startswith(f"{given / name}:")
        assert len(noted[name].splitlines()) == 1
    found = rows_in(tmp_path / "out")
    assert len(found) == len(GOOD) + 1 == report.states["made"]
    assert found["nulls.parquet"] == [
        {"id": None, "n_letters": 1.0}, {"id": "b", "n_letters": 0.0}
    ]  # fmt: skip
    for name in set(found) - set(WITH_NULLS):
        assert [row["n_letters"] for row in found[name]] == [1.0, 2.0], name
    assert {"same.csv.parquet", "same.jsonl.parquet"} <= set(found)
    assert "_failed.jsonl" in hidden_in(tmp_path / "out")
    with pytest.raises(InputError, match=f"{len(BAD)} parts could not be read, the others are"):
        report.refuse_failures(tmp_path / "out")


@pytest.mark.parametrize(
    "name", ["a.csv.gz", "a.jsonl.gz", "a.csv.zst", "a.jsonl.zst", "a.parquet"]
)
def test_a_file_that_is_cut_at_any_byte(tmp_path: Path, name: str) -> None:
    """No cut passes for a shorter file; of long files some bytes."""
    text = GOOD["same.csv" if ".csv" in name else "same.jsonl"]
    pack = zstd if name.endswith(".zst") else lambda text: gzip.compress(text.encode())
    write(tmp_path / name, GOOD["nulls.parquet"] if name == "a.parquet" else pack(text))
    whole = (tmp_path / name).read_bytes()
    for n_bytes in [*range(0, len(whole), 1 + len(whole) // 150), len(whole) - 1]:
        (tmp_path / name).write_bytes(whole[:n_bytes])
        with pytest.raises(
            InputError, match=r"cut off or damaged|is empty|not compressed as|is not"
        ):
            RowSource(tmp_path / name, FileFormat(), kept=()).opened()


def test_parts_without_rows_are_parts(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name, content in WITHOUT_ROWS.items():
        write(tmp_path / "in" / name, content)
    write(tmp_path / "in" / "rows.csv", GOOD["same.csv"])
    out = tmp_path / "out"
    report = make(tmp_path / "in", out)
    assert (report.states, report.n_without_rows) == ({"made": 6}, 5)
    assert not read_failures(out)
    assert {name: len(rows) for name, rows in rows_in(out).items()} == {
        find_parts(str(tmp_path / "in" / name), out).parts[0].target: 0 for name in WITHOUT_ROWS
    } | {"rows.csv.parquet": 2}
    schema = parquet.read_schema(out / "no-rows.parquet")
    assert [str(field.type) for field in schema] == ["int64", "double"]
    assert parquet.read_schema(out / "header.csv.parquet").names == ["id", "n_letters"]
    for name in WITHOUT_ROWS:
        found = read_footer(out / find_parts(str(tmp_path / "in" / name), out).parts[0].target)
        assert found is not None
        assert (found.n_rows, found.facts) == (0, {"n": 0})
    assert make(tmp_path / "in", out).states == {"kept": 6}


def test_kept_columns_have_their_types(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    kept = {"when": pyarrow.array([1, 2], pyarrow.timestamp("ns")), "kind": TEXTS}
    with_kind = table(id=TEXTS, text=TEXTS, **kept)
    with_kind = with_kind.set_column(3, "kind", pyarrow.array(TEXTS).dictionary_encode())
    write(tmp_path / "in" / "a.parquet", with_kind)
    write(tmp_path / "in" / "b.parquet", table(id=TEXTS, text=TEXTS, when=TEXTS))
    make(tmp_path / "in", tmp_path / "out", job_of(kept=("when", "kind")))
    schema = parquet.read_schema(tmp_path / "out" / "a.parquet")
    assert schema.field("when").type == pyarrow.timestamp("ns")
    assert pyarrow.types.is_dictionary(schema.field("kind").type)
    (failed,) = read_failures(tmp_path / "out")
    assert "no column 'kind' to keep; did you mean" in failed.sentence or (
        "no column 'kind' to keep; allowed: id, text, when" in failed.sentence
    )


def test_two_sources_of_one_part(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "a.csv", GOOD["same.csv"])
    write(tmp_path / "in" / "a.csv.parquet", table(id=TEXTS, text=TEXTS))
    make(tmp_path / "in", tmp_path / "out")
    (failed,) = read_failures(tmp_path / "out")
    assert "would be written to a.csv.parquet, as a.csv is; rename one" in failed.sentence


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
def test_names_that_no_part_can_have(tmp_path: Path) -> None:
    inside = write_parts(tmp_path / "in", 1)
    too_long, fits = f"{'a' * 220}.csv", f"{'字' * 73}.csv"  # 219 letters, which are 223 bytes
    for name in (too_long, fits, os.fsdecode(b"\xff.csv")):
        write(inside / name, GOOD["same.csv"])
    report = make(inside, tmp_path / "out")
    assert report.states == {"made": 2, "failed": 2}
    noted = {one.part: one.sentence for one in read_failures(tmp_path / "out")}
    assert "the name of its part is 1 byte too long for a file; give it a" in noted[too_long]
    assert r"\udcff.csv: the path is not UTF-8; rename it" in noted["\udcff.csv"]
    assert f"{fits}.parquet" in rows_in(tmp_path / "out")


def test_what_is_hidden_is_said(tmp_path: Path) -> None:
    inside = write_parts(tmp_path / "in", 1)
    (inside / "_old").mkdir()
    for name in ("_a.csv", ".b.csv", "_old/c.csv"):
        write(inside / name, GOOD["same.csv"])
    (inside / "_SUCCESS").touch()
    found = find_parts(str(inside), tmp_path / "out")
    assert found.passed_over == ["3 files whose name or folder begins with . or _"]


def test_a_folder_that_cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = write_parts(tmp_path / "in", 1)
    (inside / "deep").mkdir()
    scandir = os.scandir

    def refused(path: Any) -> Any:
        if str(path).rstrip("/").endswith("deep"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    for given in (inside, inside / "deep" / "*.csv", inside / "*" / "*.csv", inside / "**" / "*"):
        with pytest.raises(InputError, match=r"deep/?: cannot be listed: Permission denied; check"):
            find_parts(str(given), tmp_path / "out")
    assert len(find_parts(str(inside / "*.parquet"), tmp_path / "out").parts) == 1  # beside it
    make(inside / "*.parquet", tmp_path / "out")
    (tmp_path / "out" / "deep").mkdir()
    with pytest.raises(InputError, match="out/deep: cannot be listed: Permission denied; check"):
        make(inside / "*.parquet", tmp_path / "out")


def test_a_folder_behind_a_pattern_that_may_not_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    for name in ("a", "b"):
        write_parts(inside / name, 1)
    (inside / "c").touch()
    (inside / "d").symlink_to(inside / "d")
    given = str(inside / "*" / "00.parquet")
    assert len(find_parts(given, tmp_path / "out").parts) == 2
    lstat = os.lstat

    def refused(path: Any, **how: Any) -> Any:
        if Path(path).parent.name == "b":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return lstat(path, **how)

    monkeypatch.setattr(os, "lstat", refused)
    with pytest.raises(InputError, match=r"b/00\.parquet: cannot be listed: Permission denied"):
        find_parts(given, tmp_path / "out")


def test_links(tmp_path: Path) -> None:
    inside = write_parts(tmp_path / "in", 2)
    away = write_parts(tmp_path / "away", 1)
    (inside / "again.parquet").symlink_to(inside / "00.parquet")
    (inside / "away.parquet").symlink_to(away / "00.parquet")
    (inside / "gone.csv").symlink_to(tmp_path / "none.csv")
    (inside / "folder").symlink_to(away)
    (inside / "notes.txt").write_text("x", "utf-8")
    (inside / "_SUCCESS").touch()
    found = find_parts(str(inside), tmp_path / "out")
    assert [one.name for one in found.parts] == [
        "00.parquet", "01.jsonl", "away.parquet", "gone.csv",
    ]  # fmt: skip
    said = "; ".join(found.passed_over)
    assert f"{inside / 'folder'}, a link to a folder" in said
    assert f"{inside / 'again.parquet'}, a link to {inside / '00.parquet'}" in said
    assert "1 file of other kinds than .parquet" in said
    make(inside, tmp_path / "out")
    (failed,) = read_failures(tmp_path / "out")
    assert f"is a link to {tmp_path / 'none.csv'}, which is not there" in failed.sentence


def test_places_that_are_read(tmp_path: Path) -> None:
    inside = write_parts(tmp_path / "in", 2)
    for given, out in ((inside, inside / "out"), (inside, inside), (inside / "*", tmp_path)):
        with pytest.raises(InputError, match="which this command reads; choose another --out"):
            find_parts(str(given), out)
    assert find_parts(str(inside / "*.jsonl"), inside / "out").parts


def test_a_glob(tmp_path: Path) -> None:
    inside = write_parts(tmp_path / "in", 3)
    (inside / "deep").mkdir()
    write(inside / "deep" / "x.jsonl", GOOD["same.jsonl"])
    found = find_parts(str(inside / "**" / "*.jsonl"), tmp_path / "out")
    assert [one.name for one in found.parts] == ["01.jsonl", "deep/x.jsonl"]
    assert not is_many(str(inside / "01.jsonl"))
    assert is_many(str(inside / "*.jsonl"))
    write(inside / "[1].jsonl", GOOD["same.jsonl"])
    assert not is_many(str(inside / "[1].jsonl"))
    for given in (inside / "*.tsv", tmp_path / "none" / "*"):
        with pytest.raises(InputError, match="names no part; a part is a file that ends in"):
            find_parts(str(given), tmp_path / "out")


@pytest.mark.full
def test_a_text_of_50_mb(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "a.parquet", table(id=["1"], text=["x" * (50 << 20)]))
    write(tmp_path / "in" / "b.jsonl", '{"id": 1, "text": "' + "x" * (50 << 20) + '"}\n')
    make(tmp_path / "in", tmp_path / "out")
    assert [row[0]["n_letters"] for row in rows_in(tmp_path / "out").values()] == [50 << 20] * 2
