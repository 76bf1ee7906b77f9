"""What is read of a source, and when; and a source that goes away meanwhile."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from counted_parts import hidden_in, job_of, rows_in, write_parts
from pyarrow import parquet

from isogloss.data.blocks import read_blocks
from isogloss.data.documents import FileFormat
from isogloss.parts import part
from isogloss.parts.executors import Serial
from isogloss.parts.finding import find_parts
from isogloss.parts.folder import read_failures
from isogloss.parts.run import run_parts

COLUMNS = {
    "wide": ["x" * 999] * 2, "text": ["a", "bb"], "id": [1, 2], "sent_id": [3, 4],
    "lang": ["de", "de"], "a.b": [5, 6], "a": [{"b": 1, "c": 2}] * 2, "fraction": [1.0, 2.0],
}  # fmt: skip


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[set[str]]:
    """Columns of each pass over the rows of a Parquet file."""
    passes: list[set[str]] = []
    inner = parquet.ParquetFile.iter_batches

    def iter_batches(file: Any, *given: Any, **options: Any) -> Iterator[Any]:
        passes.append(set())
        for batch in inner(file, *given, **options):
            passes[-1] |= set(batch.schema.names)
            yield batch

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", iter_batches)
    return passes


def test_only_the_columns_that_are_needed_once(tmp_path: Path, read: list[set[str]]) -> None:
    (tmp_path / "in").mkdir()
    parquet.write_table(pyarrow.table(COLUMNS), tmp_path / "in" / "a.parquet")
    parts = find_parts(str(tmp_path / "in"), tmp_path / "out").parts
    run_parts(job_of(kept=("a", "lang")), parts, tmp_path / "out", Serial())
    assert read == [{"text", "id", "sent_id", "a", "lang"}]
    read.clear()
    (rows,) = rows_in(tmp_path / "out").values()
    assert rows[0] == {"id": 1, "sent_id": 3, "a": {"b": 1, "c": 2}, "lang": "de", "n_letters": 1.0}
    run_parts(job_of(kept=("a.b",)), parts, tmp_path / "other", Serial())
    (rows,) = rows_in(tmp_path / "other").values()
    assert [row["a.b"] for row in rows] == [5, 6]


def test_ids_are_looked_at_where_their_type_does_not_say(
    tmp_path: Path, read: list[set[str]]
) -> None:
    (tmp_path / "in").mkdir()
    table = pyarrow.table(COLUMNS).rename_columns(
        {"id": "other", "sent_id": "no", "fraction": "id"}
    )
    parquet.write_table(table, tmp_path / "in" / "a.parquet")
    parts = find_parts(str(tmp_path / "in"), tmp_path / "out").parts
    run_parts(job_of(), parts, tmp_path / "out", Serial())
    assert read == [{"id"}, {"id", "text"}]


def test_texts_and_ids_alone_of_one_file(tmp_path: Path, read: list[set[str]]) -> None:
    parquet.write_table(pyarrow.table(COLUMNS), tmp_path / "a.parquet")
    (documents,) = read_blocks(tmp_path / "a.parquet", format=FileFormat(lang_column="lang"))
    assert (documents.texts, documents.ids, documents.langs) == (
        ["a", "bb"],
        ["1", "2"],
        ["de"] * 2,
    )
    assert read[-1] == {"text", "id", "lang"}


@pytest.mark.parametrize("moment", ["found", "opened", "there already"])
def test_a_part_that_is_gone_since_the_run_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    inside, out = write_parts(tmp_path / "in", 3), tmp_path / "out"
    gone = inside / "01.jsonl"
    parts = find_parts(str(inside), out).parts
    if moment == "opened":
        hashed = part.sha256_of

        def with_one_gone(path: Path) -> str:
            gone.unlink(missing_ok=True)
            return hashed(path)

        parts.sort(key=lambda one: one.path != gone)
        monkeypatch.setattr(part, "sha256_of", with_one_gone)
    else:
        if moment == "there already":
            run_parts(job_of(), parts, out, Serial())
        gone.unlink()
    report = run_parts(job_of(), parts, out, Serial())
    (failed,) = report.failures
    assert failed.sentence == (
        f"{gone}: was there when the run began and is gone; put it back, and run the same command "
        "again"
    )
    assert read_failures(out) == [failed]
    assert set(hidden_in(out)) == {"_failed.jsonl", "_run.json", "_summary.json"}
    assert {"00.parquet", "02.csv.parquet"} <= set(rows_in(out))
