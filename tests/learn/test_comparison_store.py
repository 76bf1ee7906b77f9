"""Cells on disk: one run at a time, none of another run, none damaged, nothing left half-made."""

import json
import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from planted import JAPANESE, FakeEncoder, english

from isogloss.classify.compare import comparison
from isogloss.classify.compare.comparison import Comparison, compare, compared_rows
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.learn import run_store as comparison_store
from isogloss.learn.run_store import FORMAT, Cell, check_place, read_cell, write_cell
from isogloss.storage.files import LOCK, locked
from isogloss.storage.sealed import sealed

Run = Callable[..., Comparison]
TEXTS, LABELS = english(30)
TRAIN = LabelledTexts(TEXTS, LABELS, ["en"] * 30, [None] * 30)
OTHER = LabelledTexts(TEXTS[1:], LABELS[1:], ["en"] * 29, [None] * 29)
TESTS = LabelledTexts(*map(list, zip(*JAPANESE, strict=True)), ["ja"] * 8, [None] * 8)
CELL = Cell(
    correct={"ja": [True, False] * 4},
    scores={"ja": {"accuracy_seen": 0.5, "macro_f1": 0.5, "n_unlinked": 1, "n_unseen_label": 0}},
    dev=0.25, seconds=1.5, losses=["1 text is cut"],
)  # fmt: skip
OF_SETS = replace(CELL, given={"ja": [["sport", 3]] * 7 + [[]]})
MADE_WITH = {"train": "a", "dev": "b"}


@pytest.fixture
def run(
    tmp_path: Path, kb: KnowledgeBase, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Compare without a fit; `at_work` is called while each cell is made."""

    def run(
        train: LabelledTexts = TRAIN, *, at_work: Any = None, out: Path = tmp_path / "out"
    ) -> Comparison:
        def made(*_: Any) -> Cell:
            if at_work is not None:
                at_work()
            return replace(CELL, dev=None, correct={"ja": [train is TRAIN] * 8}, losses=[])

        with monkeypatch.context() as patched:
            patched.setattr(comparison, "_run", made)
            # A comparison made by other code is refused, and a developer may be editing.
            patched.setattr(comparison, "sha256_of_package", lambda *_: "code")
            return compare(
                train, TESTS, encoder=encoder, kb=kb, rows=compared_rows(["mboe"]), n_seeds=1,
                out=out,
            )  # fmt: skip

    return run


def test_a_second_run_is_refused_while_one_is_at_work(run: Run, tmp_path: Path) -> None:
    out, said = tmp_path / "out", []

    def second() -> None:
        if said:  # while the first cell is made: there is nothing yet but the lock
            return
        for start in (lambda: run(), lambda: run(OTHER), lambda: check_place(out)):
            with pytest.raises(InputError) as refused:
                start()
            said.append(str(refused.value))

    result = run(at_work=second)
    assert set(said) == {
        f"{out}: is in use by another run; wait for its end, or give another --out"
    }
    assert len(said) == 3
    assert all(cell.correct == {"ja": [True] * 8} for cell in result.cells.values())
    check_place(out)
    assert run().cells == result.cells


def test_where_no_lock_holds_cells_are_not_mixed_either(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison_store, "locked", lambda *_, **__: nullcontext())
    (tmp_path / "out").mkdir()  # the lock would make it
    with pytest.raises(InputError, match="differs in training texts"):
        run(OTHER, at_work=run)
    assert all(cell.correct == {"ja": [True] * 8} for cell in run().cells.values())


def test_a_cell_of_another_run_is_refused(run: Run, tmp_path: Path) -> None:
    run()
    run(OTHER, out=tmp_path / "other")
    own = tmp_path / "out" / "cells" / "mboe.0.json"
    shutil.copy(tmp_path / "other" / "cells" / "mboe.0.json", own)
    with pytest.raises(InputError, match=r"mboe\.0\.json: is a cell of another.*remove it"):
        run()
    own.unlink()
    assert run().cells["mboe", 0].correct == {"ja": [True] * 8}


def test_what_a_killed_run_leaves_does_not_block(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / LOCK).touch()
    check_place(tmp_path / "out")
    assert len(run().cells) == 2
    (tmp_path / "out" / "cells" / "mboe.0.json").unlink()
    (tmp_path / "out" / "cells" / "encoder.0.json").unlink()
    (tmp_path / "out" / "cells").rmdir()  # killed behind the manifest
    assert len(run().cells) == 2


def test_a_folder_of_something_else_is_refused(run: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").touch()
    with pytest.raises(InputError, match="something else"):
        run()
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["thesis.txt"]
    with pytest.raises(InputError, match="does not exist"):
        run(out=tmp_path / "none" / "out")


@pytest.mark.parametrize("is_there", [False, True])
def test_a_refused_fit_leaves_nothing_behind(run: Run, tmp_path: Path, is_there: bool) -> None:
    def refuse() -> None:
        raise InputError("two classes are needed")

    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    with pytest.raises(InputError, match="two classes"):
        run(at_work=refuse)
    assert out.exists() == is_there
    assert not is_there or not any(out.iterdir())
    assert len(run().cells) == 2


@pytest.mark.parametrize(
    "text", [json.dumps({"format": FORMAT}), '{"format": ', "[" * 100_000, "9" * 5000]
)
def test_a_damaged_manifest_is_named(run: Run, tmp_path: Path, text: str) -> None:
    run()
    (tmp_path / "out" / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"manifest\.json: damaged.*name another --out"):
        run()


def read_changed(tmp_path: Path, cell: Cell, change: Callable[[dict[str, Any]], Any]) -> Cell:
    """Write a cell, change its JSON, read it."""
    file = tmp_path / "mboe.0.json"
    write_cell(file, cell, MADE_WITH)
    facts = json.loads(file.read_text())
    change(facts)
    file.write_text(json.dumps(sealed(facts)))
    return read_cell(file, TESTS, MADE_WITH, multilabel=cell.given is not None)


@pytest.mark.parametrize("cell", [CELL, OF_SETS])
def test_a_cell_is_read_as_it_was_written(tmp_path: Path, cell: Cell) -> None:
    assert read_changed(tmp_path, cell, lambda facts: None) == cell
    unseen = read_changed(
        tmp_path, cell, lambda facts: facts["scores"]["ja"].update(accuracy_seen=None)
    )
    assert unseen.scores["ja"]["accuracy_seen"] is None


ODD: list[Any] = [
    None, "x", -1, 2, 0.5, True, [], {}, [1], {"a": 1}, float("nan"), float("inf"), 10**400, "0.5",
]  # fmt: skip
FINE: dict[str, list[Any]] = {  # what a value may be, of those above
    "made_with": [], "correct": [], "scores": [], "dev": [0.5], "seconds": [2, 0.5, 10**400],
    "losses": [[]], "given": [None],
}  # fmt: skip
FINE_SCORES: dict[str, list[Any]] = {
    "accuracy_seen": [None, 0.5], "macro_f1": [0.5], "n_unlinked": [2], "n_unseen_label": [2],
}  # fmt: skip


def is_in(value: Any, values: list[Any]) -> bool:
    return any(type(value) is type(other) and value == other for other in values)


def refused(tmp_path: Path, cell: Cell, change: Callable[[dict[str, Any]], Any]) -> None:
    with pytest.raises(InputError) as error:
        read_changed(tmp_path, cell, change)
    assert str(error.value).startswith(f"{tmp_path / 'mboe.0.json'}: ")
    assert str(error.value).endswith("; remove it, and it is made again")


@pytest.mark.parametrize("name", FINE)
def test_a_value_that_no_run_writes_is_refused(tmp_path: Path, name: str) -> None:
    refused(tmp_path, CELL, lambda facts: facts.pop(name) if name != "given" else facts.clear())
    for value in ODD:
        if is_in(value, FINE[name]) and value != 10**400:
            read_changed(tmp_path, CELL, lambda facts, value=value: facts.update({name: value}))
        else:
            refused(tmp_path, CELL, lambda facts, value=value: facts.update({name: value}))


@pytest.mark.parametrize("name", FINE_SCORES)
def test_a_score_out_of_its_range_is_refused(tmp_path: Path, name: str) -> None:
    refused(tmp_path, CELL, lambda facts: facts["scores"]["ja"].pop(name))
    for value in [*ODD, 9]:

        def change(facts: dict[str, Any], value: Any = value) -> None:
            facts["scores"]["ja"][name] = value

        if is_in(value, FINE_SCORES[name]):
            read_changed(tmp_path, CELL, change)
        else:
            refused(tmp_path, CELL, change)


@pytest.mark.parametrize(
    "change",
    [
        lambda facts: facts.update(extra=1),
        lambda facts: facts["correct"]["ja"].pop(),
        lambda facts: facts["correct"].update(de=[True]),
        lambda facts: facts["correct"]["ja"].__setitem__(0, 1),
        lambda facts: facts["correct"].update(ja="x" * 8),
        lambda facts: facts["scores"].update(ja=[]),
        lambda facts: facts["scores"].update(de=facts["scores"]["ja"]),
        lambda facts: facts.update(given={"ja": [["sport"]] * 8}),
        lambda facts: facts.update(losses=[1]),
        lambda facts: facts.update(losses="x"),
    ],
)
def test_a_cell_of_other_documents_or_kinds_is_refused(tmp_path: Path, change: Any) -> None:
    refused(tmp_path, CELL, change)


@pytest.mark.parametrize(
    "given", [None, {}, {"ja": [["a"]] * 7}, {"ja": "x" * 8}, {"ja": [[["a"]]] * 8},
              {"ja": [{"a": 1}] * 8}, {"de": [["a"]] * 8}, {"ja": [[None]] * 8}],
)  # fmt: skip
def test_label_sets_that_no_run_writes_are_refused(tmp_path: Path, given: Any) -> None:
    refused(tmp_path, OF_SETS, lambda facts: facts.update(given=given))


@pytest.mark.parametrize("text", ["", "{", '"x"', "null", "5", "[1]", "[" * 100_000, "9" * 5000])
def test_a_file_that_is_no_cell_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mboe.0.json"
    file.write_text(text)
    with pytest.raises(InputError, match=r"mboe\.0\.json: damaged.*remove it, and it is made"):
        read_cell(file, TESTS, MADE_WITH, multilabel=False)


def test_development_scores_are_there_where_there_are_such_texts(tmp_path: Path) -> None:
    file = tmp_path / "mboe.0.json"
    write_cell(file, CELL, MADE_WITH | {"dev": None})
    with pytest.raises(InputError, match="development"):
        read_cell(file, TESTS, MADE_WITH | {"dev": None}, multilabel=False)


def test_the_command_of_a_folder_in_use_is_refused_before_it_reads(tmp_path: Path) -> None:
    with locked(tmp_path / "out"), pytest.raises(InputError, match="in use by another run"):
        check_place(tmp_path / "out")
