"""A wrong byte, a made-up manifest or made-up arrays are one sentence, never a wrong answer."""

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase, Linker
from isogloss.kb.stored import opened_files
from isogloss.kb.stored.manifest import HEAD
from isogloss.kb.stored.opened_files import open_files
from isogloss.kb.stored.write import write_arrays, write_manifest

MakeKb = Callable[..., KnowledgeBase]
RECORDS = [
    {"id": f"e:{i}", "types": ["x", "y"], "names": {"en": [f"river {i}", "Elbe"], "ja": ["川辺"]}}
    for i in range(9)
]


def answers_of(path: Path) -> list[Any]:
    """All that a knowledge base says of a few texts."""
    kb = KnowledgeBase.open(path)
    return [
        [Linker(kb, lang).link([text]).mentions(0) for lang, text in (("en", "river 3 of the Elbe"),
                                                                     ("ja", "川辺へ"))],
        [kb.title(number, "en") for number in range(kb.n_entities)],
        [(kb.entity_id(number), kb.types(number)) for number in range(kb.n_entities)],
    ]  # fmt: skip


def remade(path: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a manifest and give it the right checksum."""
    manifest = json.loads((path / "manifest.json").read_text("utf-8"))
    content = {key: value for key, value in manifest.items() if key not in HEAD}
    change(content)
    write_manifest(path, content)


def test_any_flipped_byte_is_refused_where_it_is_used(make_kb: MakeKb) -> None:
    path = make_kb(*RECORDS).path
    draw = np.random.default_rng(0)
    for file in sorted(path.rglob("*.*")):
        content = file.read_bytes()
        for at in draw.integers(0, len(content), 25).tolist():
            file.write_bytes(content[:at] + bytes([content[at] ^ 1 << int(draw.integers(8))])
                             + content[at + 1 :])  # fmt: skip
            with pytest.raises(InputError):
                answers_of(path)
        file.write_bytes(content)
    answers_of(path)


def _set(*place: Any) -> Callable[[dict[str, Any]], None]:
    """Return a function that sets the last of `place` under the keys before it."""

    def change(content: dict[str, Any]) -> None:
        *keys, value = place
        for key in keys[:-1]:
            content = content[key]
        if value is None:
            del content[keys[-1]]
        else:
            content[keys[-1]] = value

    return change


_EN = ("files", "languages/en.bin")
_SLOTS = (*_EN, "arrays", "slots")


@pytest.mark.parametrize(
    "place",
    [
        ("files", []), ("n_entities", "x"), ("n_entities", -1), ("n_entities", 1 << 40),
        ("n_entities", 8), ("languages", ["en"]), ("languages", "../../x", {}), ("sources", {}),
        ("fallbacks", None), ("languages", "en", None), ("normalisation", 1),
        (*_EN, None), (*_EN, "size", -1), (*_EN, "sha256", "x"), (*_EN, "arrays", []),
        ("files", "../../outside.bin", {"size": 1, "sha256": "0" * 64, "arrays": {}}),
        (*_SLOTS, None), (*_SLOTS, "dtype", "O"), (*_SLOTS, "dtype", "garbage"),
        (*_SLOTS, "dtype", "<i8"), (*_SLOTS, "shape", [-1]), (*_SLOTS, "shape", [2, 2]),
        (*_SLOTS, "shape", [1 << 47]), (*_SLOTS, "shape", ["1"]), (*_SLOTS, "offset", 8),
        (*_SLOTS, "offset", 1 << 60), (*_SLOTS, "offset", 0),
        (*_EN, "arrays", "row_link_prob", "shape", [1]),
    ],
    ids=str,
)  # fmt: skip
def test_a_made_up_manifest_is_refused_on_opening(make_kb: MakeKb, place: tuple[Any, ...]) -> None:
    path = make_kb(*RECORDS).path
    remade(path, _set(*place))
    with pytest.raises(InputError, match=r"manifest\.json: damaged"):
        KnowledgeBase.open(path)


def _all_taken(arrays: dict[str, Any]) -> None:
    arrays["slots"] = np.full_like(arrays["slots"], 1)


def _no_slots(arrays: dict[str, Any]) -> None:
    arrays["slots"] = arrays["slots"][:0]


def _one_run(arrays: dict[str, Any]) -> None:
    arrays["slots"] = np.append(arrays["slots"], np.full(5000, 1, np.uint64))


def _far_record(arrays: dict[str, Any]) -> None:
    arrays["slots"][arrays["slots"] != 0] |= np.uint64(0xFFFF0000)


def _long_name(arrays: dict[str, Any]) -> None:
    arrays["records"][0, 3] = 8 * 1_000_000 + 1


def _far_row(arrays: dict[str, Any]) -> None:
    arrays["records"][0, 0] = 1000


def _backwards(arrays: dict[str, Any]) -> None:
    arrays["row_offsets"][1] = arrays["row_offsets"][-1] + 1


def _empty_row(arrays: dict[str, Any]) -> None:
    arrays["row_offsets"][1] = 0


def _far_candidate(arrays: dict[str, Any]) -> None:
    arrays["candidate_entity"][0] = 9


def _not_a_number(arrays: dict[str, Any]) -> None:
    arrays["candidate_commonness"][0] = np.nan


def _not_utf8(arrays: dict[str, Any]) -> None:
    arrays["title_bytes"][0] = 0xFF


def _cut_character(arrays: dict[str, Any]) -> None:
    arrays["title_bytes"][5:7] = list("é".encode())
    arrays["title_offsets"][1] = 6


def _unsorted_titles(arrays: dict[str, Any]) -> None:
    arrays["title_entity"][:2] = 1


@pytest.mark.parametrize(
    "change",
    [_all_taken, _no_slots, _one_run, _far_record, _long_name, _far_row, _backwards, _empty_row,
     _far_candidate, _not_a_number, _not_utf8, _cut_character, _unsorted_titles],
)  # fmt: skip
def test_made_up_arrays_with_the_right_checksum_are_refused(
    make_kb: MakeKb, change: Callable[[dict[str, Any]], None]
) -> None:
    path = make_kb(*RECORDS).path
    name = "languages/en.bin"
    arrays = {key: array.copy() for key, array in open_files(path)[1][name].arrays().items()}
    change(arrays)
    entry = write_arrays(path, name, arrays)
    remade(path, _set("files", name, entry))
    kb = KnowledgeBase.open(path)
    with pytest.raises(InputError, match=r"en\.bin: damaged"):
        Linker(kb, "en")


def test_one_that_is_replaced_keeps_its_answers_and_a_pickle_does_not_mix(make_kb: MakeKb) -> None:
    first, second = {"en": ["Alpha"], "de": ["Alfax"]}, {"en": ["Gamma"], "de": ["Gamax"]}
    old = make_kb({"id": "x:1", "names": first}, {"id": "x:2", "names": second})
    new = make_kb({"id": "y:1", "names": second}, {"id": "y:2", "names": first})
    held = pickle.dumps(old)
    shutil.rmtree(old.path)
    new.path.rename(old.path)
    [mention] = Linker(old, "de").link(["Alfax"]).mentions(0)
    assert [candidate.entity for candidate in mention.candidates] == ["x:1"]
    with pytest.raises(InputError, match="was replaced"):
        pickle.loads(held)


def test_of_many_languages_those_mapped_late_are_refused_once_replaced(
    make_kb: MakeKb, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, new = make_kb(*RECORDS).path, make_kb(*RECORDS[1:]).path
    monkeypatch.setattr(opened_files, "_MOST_MAPPED_AT_ONCE", 1)
    kb = KnowledgeBase.open(path)
    assert Linker(kb, "en").link(["Elbe"]).n_mentions == 1
    shutil.rmtree(path)
    with pytest.raises(InputError, match="missing from the knowledge base"):
        Linker(kb, "ja")
    new.rename(path)
    with pytest.raises(InputError, match=r"ja\.bin: was replaced since it was opened"):
        Linker(kb, "ja")
    assert Linker(kb, "en").link(["Elbe"]).n_mentions == 1


def test_a_pipe_in_place_of_a_file_is_refused(make_kb: MakeKb) -> None:
    path = make_kb(*RECORDS).path
    for name in ("manifest.json", "entities.bin"):
        (path / name).rename(path / "away")
        os.mkfifo(path / name)
        with pytest.raises(InputError, match="is a pipe"):
            KnowledgeBase.open(path)
        (path / "away").replace(path / name)
