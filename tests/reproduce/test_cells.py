"""The file of cells: it only grows, a torn line is dropped and said, a damaged one is refused."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from isogloss.errors import InputError, OmissionWarning
from isogloss.reproduce import cells
from isogloss.reproduce.cells import CELLS, CellFile, CellKey, KeptCell, check_place, opened


def key(langs: str = "en → de", **other: Any) -> CellKey:
    facts = {"paper": "pires", "task": "ner", "langs": langs, "settings": {"words": 0}, "seed": 0,
             "encoder": "e", "data": "d"}  # fmt: skip
    return CellKey(**(facts | other))


def cell(of: CellKey) -> KeptCell:
    return KeptCell(of, "tiny", {"score": 0.5, "text": "東京 \ud83d"}, 0.1, ["cut"], "0")


def filled(folder: Path) -> Path:
    with opened(folder) as kept:
        for langs in ("en → de", "en → nl", "en → es"):
            kept.add(cell(key(langs)))
    return folder / CELLS


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    filled(tmp_path / "out")
    with opened(tmp_path / "out") as kept:
        assert len(kept) == 3
        assert kept[key()] == cell(key())
        with pytest.raises(ValueError, match="there already"):
            kept.add(cell(key()))


@pytest.mark.parametrize(
    "other",
    [{"settings": {"words": 1}}, {"encoder": "x"}, {"data": "x"}, {"seed": 1}, {"task": "upos"},
     {"langs": "de → en"}, {"paper": "boe"}],
)  # fmt: skip
def test_all_that_makes_a_cell_is_in_its_key(tmp_path: Path, other: dict[str, Any]) -> None:
    filled(tmp_path / "out")
    with opened(tmp_path / "out") as kept:
        assert key() in kept
        assert key(**other) not in kept
        kept.add(cell(key(**other)))
        assert len(kept) == 4


def test_a_torn_last_line_is_dropped_and_said(tmp_path: Path) -> None:
    path = filled(tmp_path / "out")
    whole = path.read_bytes()
    for n_bytes in (1, 20):
        path.write_bytes(whole[:-n_bytes])
        with pytest.warns(OmissionWarning, match="line 3 is torn"):
            kept = CellFile(tmp_path / "out")
        assert len(kept) == 2
        kept.add(cell(key("en → es")))
        assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", [b"{", b'{"a": 1}', b'"x"', b"\xff", b""])
def test_another_damaged_line_is_refused_with_its_place(tmp_path: Path, damage: bytes) -> None:
    path = filled(tmp_path / "out")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + b"\n" + lines[2])
    with pytest.raises(InputError, match=r"cells.jsonl:2: .*remove this line"):
        CellFile(tmp_path / "out")


def test_a_line_longer_than_any_cell_is_refused_and_nothing_behind_it_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled(tmp_path / "out")
    whole = path.read_bytes()
    monkeypatch.setattr(cells, "LARGEST_JSON", len(whole.splitlines()[0]))
    with pytest.raises(InputError, match=r"cells.jsonl:1: is longer than .* bytes.*remove this"):
        CellFile(tmp_path / "out")
    assert path.read_bytes() == whole


def test_a_changed_figure_is_found(tmp_path: Path) -> None:
    path = filled(tmp_path / "out")
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.9", 1))
    with pytest.raises(InputError, match=r"cells.jsonl:1: damaged"):
        CellFile(tmp_path / "out")


class Scored(msgspec.Struct):
    score: float


class Counted(msgspec.Struct):
    score: float
    n_words: int = 0


def test_what_another_version_kept_says_one_sentence(tmp_path: Path) -> None:
    filled(tmp_path / "out")
    kept = CellFile(tmp_path / "out")
    assert kept.record(key(), Scored) == Scored(0.5)
    with pytest.raises(
        InputError, match=r"lacks 'n_words'; isogloss 0 kept what ner, en → de, seed"
    ):
        kept.record(key(), Counted)


def test_a_removed_line_is_the_only_one_that_lacks(tmp_path: Path) -> None:
    path = filled(tmp_path / "out")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[2])
    kept = CellFile(tmp_path / "out")
    langs = ("en → de", "en → nl", "en → es")
    assert [key(one) in kept for one in langs] == [True, False, True]


def test_two_processes_are_kept_apart_and_an_empty_run_leaves_nothing(tmp_path: Path) -> None:
    with (
        opened(tmp_path / "out"),
        pytest.raises(InputError, match="in use by another run"),
        opened(tmp_path / "out"),
    ):
        pass
    assert not (tmp_path / "out").exists()


def test_places_that_hold_something_else(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for place, said in (
        (tmp_path, "files of something else"), (tmp_path / "file", "--out"), (Path("-"), "--out"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            check_place(place)
